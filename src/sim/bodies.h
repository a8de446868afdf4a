// SPDX-License-Identifier: MIT
// Rigid bodies within a step: forces of the outside world, motion, and how a step is undone.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/fail.h"
#include "base/simd.h"
#include "math/vec3.h"

typedef struct frz_model frz_model;
typedef struct frz_state frz_state;

/// Start of a try of length dt for bodies: keep what is needed to undo it; velocities of samples.
void frz_bodies_begin(const frz_model *model, frz_state *state, double dt);
/// Forces other than the liquid's: gravity, given ones, damping.
void frz_bodies_kick(const frz_model *model, frz_state *state, double dt);
/// Poses at the end of the step; a body that is not finite or moves too far is a failed step.
FRZ_NODISCARD frz_status frz_bodies_move(const frz_model *model, frz_state *state, double dt, frz_diag *diag);
/// Let the liquid act on a body for dt with a force (N) at arm from its position, before the pressure does; on record.
void frz_bodies_push(frz_state *state, int body, frz_vec3 arm, frz_vec3 force, double dt);
/// Whether a sample (counted from the first of its role) belongs to a body that forces can move.
bool frz_bodies_sample_yields(const frz_state *state, uint32_t sample);
/// Push the body of a sample with a force (N) at the place that is so far away from the sample. Sums over bodies must
/// not depend on the number of threads: one call after the other.
void frz_bodies_push_sample(frz_state *state, uint32_t sample, frz_v4 away, frz_v4 force, double dt);
/// Stop bodies that have left an open domain whole, with all that is joined to them.
void frz_bodies_park(const frz_model *model, frz_state *state);
/// Back to the start of the step.
void frz_bodies_restore(frz_state *state);
