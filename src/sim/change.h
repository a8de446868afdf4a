// SPDX-License-Identifier: MIT
// The change stage: particles change their phase; bodies are created, merge, split and end.
//
// It runs after a step is accepted, never within a try. Events (sim/events.h) ask for changes; then, in one batch,
//
//   leave        particles that melt lose their bonds; those of rigid bodies take the velocity of their place along
//   enter        particles that become solid bond with the solids that they touch
//   components   particles connected by bonds form an object; its elastic part is a body, its rigid parts are other
//                bodies: births, merges, splits, deaths
//   renumber     solids and bonds in the order of the new bodies (solid/renumber.h)
//   rigid        mass, centre and inertia from the particles, velocity and spin from their momenta
//
// The mass of a particle never changes. Linear and angular momentum are kept to rounding. Kinetic energy is lost where
// particles that moved against each other become one rigid body, elastic energy where strained bodies lose bonds or
// become liquid or rigid; the losses are recorded.
//
// Everything is a function of the saved state, in the order of slots, so that restarts and any number of threads give
// the same bits.
#pragma once

#include "base/fail.h"
#include "base/simd.h"
#include "particles/matter.h"

typedef struct frz_model frz_model;
typedef struct frz_state frz_state;
typedef struct frz_batch frz_batch;

/// State of an event; saved.
typedef struct frz_event_state
{
    double next;   ///< time of its next test, s
    int64_t fired; ///< how often it has happened
    int64_t spent; ///< 1: it will not happen again
} frz_event_state;

typedef struct frz_changes
{
    frz_event_state *events; ///< by event
    int64_t changed;         ///< particles that have changed their phase so far; saved
    int64_t refused;         ///< refused changes of particles so far; saved
    double energy;           ///< kinetic and elastic energy lost by changes so far, J; saved
    int64_t batches;         ///< batches so far; saved
    char warning[512];       ///< for the user, after the step; empty: none
} frz_changes;

FRZ_NODISCARD frz_status frz_changes_create(const frz_model *model, frz_state *state, frz_diag *diag);
void frz_changes_destroy(frz_state *state);

/// For frz_method.changes: the free particle in this slot is to become liquid, elastic or rigid. material: its new
/// material; -1: it keeps its own. Its mass stays. The first request for a particle counts, events before methods; a
/// request for its present phase is ignored. Bonds, bodies and momenta follow by themselves.
void frz_changes_request(frz_batch *batch, int slot, frz_phase phase, int material);

/// After a step: carry out the events that are due. Lack of memory postpones them, with a warning.
void frz_changes_run(const frz_model *model, frz_state *state);
