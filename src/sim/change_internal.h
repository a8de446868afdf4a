// SPDX-License-Identifier: MIT
// Shared by the files of the change stage.
#pragma once

#include "rigid/exact_moments.h"
#include "sim/change.h"
#include "sim/state.h"
#include "sim/state_solids.h"

enum
{
    FRZ_CHANGE_NONE = 255 ///< of a wanted phase: keeps the present one
};

/// One batch of changes; arrays by slot of a free particle are in scratch memory.
typedef struct frz_batch
{
    const frz_model *model;
    frz_state *state;
    int count;
    uint8_t *wanted;   ///< phase that a particle is to have, FRZ_CHANGE_NONE
    int16_t *event;    ///< event that requested the change; -1: none, or a method did
    int16_t *material; ///< new material of a particle; -1: its own
    int16_t *joins;    ///< event that joins its body to its neighbours; -1: none
    uint8_t *before;   ///< phase before the batch
    int32_t *old_body; ///< body before the batch
    int32_t *part;     ///< component: its lowest slot; -1: liquid
    int32_t *object;   ///< particles of any phase connected by bonds: lowest slot among them; -1: liquid
    frz_v4 *reference; ///< position in the axes of its rigid body, m
    int32_t *slot_of;  ///< by number of a solid particle: its slot, -1: gone
    int body_count;    ///< before the batch
    int64_t changed;   ///< particles that have changed their phase
    double lost;       ///< energy lost by the changes, J
    bool *touched;     ///< by body: it has lost or gained particles, or bonds
    bool any;          ///< there are changes
} frz_batch;

/// Collect the particles that events change now, the bodies that they join, and the bonds that they cut.
void frz_changes_ask(frz_batch *batch);

/// Break the bond at position k of the list of solid particle e, in both directions.
void frz_changes_break(frz_state *state, int e, int64_t k);

/// A connected component of the bonds after the changes, of one phase (solid/components.c).
typedef struct frz_component
{
    int first;        ///< its lowest slot, which identifies it
    int object;       ///< lowest slot of the object that it is part of
    int64_t count;    ///< of particles
    int64_t low_id;   ///< lowest id among them
    double mass;      ///< kg
    int32_t body;     ///< body of the component; -1: not assigned yet
    uint8_t phase;    ///< FRZ_PHASE_ELASTIC or FRZ_PHASE_RIGID
    bool fresh;       ///< none of its particles was solid before
    int16_t event;    ///< event that made the first fresh particle; -1: none
    int16_t maker;    ///< event that changed all of its particles; -1: there is none
    int16_t joiner;   ///< event that joins its first particle that is joined; -1: there is none
    bool merged;      ///< several solid bodies became one
    uint8_t material; ///< of the first particle
} frz_component;

/// The particles that one body before the batch has in one component now.
typedef struct frz_share
{
    int32_t body, component;
    int64_t count, low_id;
    double mass;
} frz_share;

typedef struct frz_components
{
    int count;
    frz_component *list; ///< in the order of their lowest slots
    int32_t *of_slot;    ///< by slot: index in the list, -1: none
    int share_count;
    frz_share *share; ///< by body, then component
} frz_components;

/// Give every component a body: the old body with most of its particles keeps number and name; other bodies are created
/// or end.
FRZ_NODISCARD frz_status frz_changes_assign_bodies(frz_batch *batch, frz_components *components, frz_diag *diag);

/// Mass, motion and positions in body axes of the rigid components; velocities of particles that left or joined them.
/// old: rigid bodies before the batch. Fills batch->reference.
FRZ_NODISCARD frz_status frz_changes_move_rigid(frz_batch *batch, const frz_components *components,
                                                const frz_rigid_body *old, frz_diag *diag);

/// The body of the molten particles of a body, created on first use; the capacity of the table must suffice.
int frz_changes_pool(const frz_model *model, frz_state *state, int body);

/// Whether a body is made of material points, which have no bonds.
bool frz_changes_has_points(const frz_model *model, const frz_state *state, int body);
