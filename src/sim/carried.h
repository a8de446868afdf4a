// SPDX-License-Identifier: MIT
// What rigid bodies carry: particles of elastic bodies that are attached to them.
//
// A carried particle is a part of the rigid body. Its mass is in the body's mass and inertia (frz_rigid_body_load), so
// that gravity, contacts and the pressure of the liquid move body and particle as one; it has the velocity of its place
// in the body; and all that acts on it acts on the body, as an impulse at that place. Methods that change its velocity
// without knowing of the body need not care: the change is taken from it and given to the body. Momentum and angular
// momentum are kept.
#pragma once

#include "base/fail.h"
#include "base/simd.h"
#include "math/vec3.h"

typedef struct frz_model frz_model;
typedef struct frz_state frz_state;

typedef struct frz_carried
{
    int32_t slot;   ///< of the particle
    int32_t number; ///< of the elastic particle
    int32_t body;   ///< that carries it
    int32_t attachment;
    frz_vec3 arm; ///< from the body's position, world axes, at the beginning of the step, m
    double mass;  ///< kg
    frz_v4 given; ///< the velocity it was given last
} frz_carried;

/// Put the masses of the particles that are carried now into the bodies: at the start, and when an attachment lets go.
void frz_carried_load(const frz_model *model, frz_state *state);

/// Make the solids' glue current: who touches what carries it no more. Bonds must be there.
FRZ_NODISCARD frz_status frz_carried_mark_attached(const frz_model *model, frz_state *state, frz_diag *diag);

/// Who is carried in this step, in scratch memory. Sets the forces of their attachments to zero.
FRZ_NODISCARD frz_status frz_carried_find(const frz_model *model, frz_state *state, frz_diag *diag);
/// Give the bodies what the accelerations do to the particles; their weight the bodies have already.
void frz_carried_transfer_forces(const frz_model *model, frz_state *state, double dt);
/// Give the bodies what has changed the velocities of the particles since they were given.
void frz_carried_transfer_impulse(frz_state *state, double dt);
/// Give the particles the velocities of the bodies, with what contacts are about to do to these if touched.
void frz_carried_set_velocity(frz_state *state, bool touched);
/// Once the bodies have moved: velocities that take the particles to their places.
void frz_carried_place(const frz_model *model, frz_state *state, double dt);
/// Let an impulse at a carried particle act on its body in a step dt; on record.
void frz_carried_push(frz_state *state, const frz_carried *carried, frz_vec3 impulse, double dt);
