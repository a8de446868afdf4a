// SPDX-License-Identifier: MIT
// Shared by the files of the change stage.
#pragma once

#include "rigid/exact_moments.h"
#include "sim/change.h"
#include "sim/state.h"
#include "sim/state_solids.h"

enum
{
    FRZ_CHANGE_NONE = 255 ///< of a wanted phase: stays as it is
};

/// One batch of changes; arrays by slot of a free particle are in scratch memory.
typedef struct frz_batch
{
    const frz_model *model;
    frz_state *state;
    int count;
    uint8_t *wanted;   ///< phase that a particle is to have, FRZ_CHANGE_NONE
    int16_t *event;    ///< who asked; -1: nobody, or a method
    int16_t *material; ///< that a particle is to have; -1: its own
    int16_t *joins;    ///< event that joins its body to its neighbours; -1: none
    uint8_t *before;   ///< phase before the batch
    int32_t *old_body; ///< body before the batch
    int32_t *part;     ///< component: its lowest slot; -1: liquid
    int32_t *object;   ///< what bonds hold together, whatever the phase: its lowest slot; -1: liquid
    frz_v4 *reference; ///< place in the axes of its rigid body, m
    int32_t *slot_of;  ///< by number of a solid particle: its slot, -1: gone
    int body_count;    ///< before the batch
    int64_t changed;   ///< particles that have changed their phase
    double lost;       ///< energy that the changes could not keep, J
    bool *touched;     ///< by body: it has lost or gained particles, or bonds
    bool any;          ///< something is to be done
} frz_batch;

/// Ask: which particles events change now, which bodies they join, which bonds they cut.
void frz_changes_ask(frz_batch *batch);

/// Break the bond at place k of the list of solid particle e; both ends see it at once.
void frz_changes_break(frz_state *state, int e, int64_t k);

/// A connected component of the bonds after the changes, of one phase (solid/components.c).
typedef struct frz_component
{
    int first;        ///< its lowest slot, by which it is known
    int object;       ///< lowest slot of the object that it is part of
    int64_t count;    ///< of particles
    int64_t low_id;   ///< lowest id among them
    double mass;      ///< kg
    int32_t body;     ///< that it is, once it is known; -1
    uint8_t phase;    ///< FRZ_PHASE_ELASTIC or FRZ_PHASE_RIGID
    bool fresh;       ///< none of its particles was solid before
    int16_t event;    ///< that made the first fresh particle; -1: there is none
    int16_t maker;    ///< event that changed all of its particles; -1: there is none
    int16_t joiner;   ///< event that joins its first particle that is joined; -1: there is none
    bool merged;      ///< several solid bodies became one
    uint8_t material; ///< of the first particle
} frz_component;

/// Particles of one body before that are in one component now.
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

/// Give every component a body: the one that has most of it keeps its number and name, others are born or die.
FRZ_NODISCARD frz_status frz_changes_assign_bodies(frz_batch *batch, frz_components *components, frz_diag *diag);

/// Mass, motion and places in body axes of the rigid bodies among the components; velocities of all that left or joined
/// them. old: rigid bodies before the batch. Fills batch->reference.
FRZ_NODISCARD frz_status frz_changes_move_rigid(frz_batch *batch, const frz_components *components,
                                                const frz_rigid_body *old, frz_diag *diag);

/// The body that molten particles of a body belong to, which is born if there is none yet; there must be room.
int frz_changes_pool(const frz_model *model, frz_state *state, int body);
