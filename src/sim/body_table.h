// SPDX-License-Identifier: MIT
// Bodies at run time. Slots 0 .. model->body_count - 1 are always the scene's bodies, emitters included; bodies created
// during the run follow. A slot is never reused, so that the number of a body is unique in all outputs.
#pragma once

#include "rigid/rigid_body.h"
#include "sim/model.h"

typedef struct frz_state frz_state;

/// Identity of a body: its present kind, name and particles.
typedef struct frz_body_identity
{
    int32_t made;      ///< scene body whose given forces, damping and self-contact it has
    int32_t named_by;  ///< event that named it; -1: it has the name of `made`
    int32_t piece;     ///< 0: "bunny"; n: "bunny/n"; FRZ_BODY_MELT: "bunny/melt"
    int32_t material;  ///< of elastic bodies; of others their first one, -1: none
    int32_t kind;      ///< frz_body_kind
    int32_t alive;     ///< 0: it has no particles any more
    int32_t filled;    ///< 1: made of particles, which can change; 0: it has a shape and samples
    int32_t intact;    ///< 1: it still has exactly its original particles
    int32_t object;    ///< lowest body of its object, the elastic and rigid parts connected by bonds; mostly itself
    int64_t particles; ///< number of its particles
} frz_body_identity;

/// Loads on a body in the last step, about its position there; N and N m.
typedef struct frz_body_load
{
    frz_vec3 fluid_force, fluid_torque;
    frz_vec3 contact_force, contact_torque;
    frz_vec3 friction_force, friction_torque; ///< of elastic bodies; added to the contact load at the end of a step
    frz_vec3 pressure_force, pressure_torque; ///< part of the fluid load: by the pressures that contacts answer
    frz_vec3 last_force, last_torque;         ///< the same of the last step
} frz_body_load;

/// All bodies, dead ones included. Arrays have an entry for each body.
typedef struct frz_body_table
{
    // saved
    int count, capacity;
    frz_body_identity *identity;
    int32_t *last_piece;   ///< by scene body, then by event: the last number of a piece of that name
    frz_rigid_body *rigid; ///< saved are the poses and velocities of rigid ones

    // derived
    frz_rigid_body *before; ///< state at the start of the step; samples move with these velocities
    frz_body_load *loads;   ///< of movable bodies
    /// within a step: weight of the old velocity in the motion, x' = x + dt (v' - theta (v' - v)); 0 unless an implicit
    /// method sets it
    double *position_theta;
} frz_body_table;

enum
{
    FRZ_BODY_MELT = -1,      ///< piece number of the liquid that a solid body has melted into
    FRZ_BODY_NAME_SIZE = 160 ///< bytes of a name, the final zero included
};

/// Grow all arrays by body to this capacity. Between steps only; on failure nothing has changed.
FRZ_NODISCARD frz_status frz_bodies_reserve(frz_state *state, int capacity, frz_diag *diag);

/// The bodies of the scene, in a state without bodies.
FRZ_NODISCARD frz_status frz_bodies_create(const frz_model *model, frz_state *state, frz_diag *diag);
void frz_bodies_destroy(frz_state *state);

/// A new body, alive and at rest, of the given kind; the capacity must suffice. named_by: event that names it, -1: it
/// is a piece of the scene body `made`. Returns its slot.
int frz_bodies_birth(const frz_model *model, frz_state *state, int made, int named_by, frz_body_kind kind);

/// The name of a body: "bunny", "bunny/2".
void frz_bodies_name(const frz_model *model, const frz_state *state, int slot, char out[FRZ_BODY_NAME_SIZE]);
