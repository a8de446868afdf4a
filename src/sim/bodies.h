// SPDX-License-Identifier: MIT
// Rigid bodies within a step: external forces, motion, and undoing a failed step.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/fail.h"
#include "base/simd.h"
#include "math/vec3.h"

typedef struct frz_model frz_model;
typedef struct frz_state frz_state;

/// Start a try of length dt: clear the data of the last one, copy the bodies for undoing it, and set the velocities of
/// samples.
void frz_bodies_begin(const frz_model *model, frz_state *state, double dt);
/// Forces other than the liquid's: gravity, given ones, damping.
void frz_bodies_kick(const frz_model *model, frz_state *state, double dt);
/// Poses at the end of the step; a body that is not finite or moves too far is a failed step.
FRZ_NODISCARD frz_status frz_bodies_move(const frz_model *model, frz_state *state, double dt, frz_diag *diag);
/// Of the centre of the fastest rigid body after dt, if nothing but its weight acts on it, m/s.
double frz_bodies_speed(const frz_model *model, const frz_state *state, double dt);
/// Apply a force (N) and a torque (N m) about the body's position by the liquid for dt, before the pressure solve, and
/// record it. Forces of single particles: frz_body_links_push.
void frz_bodies_push(frz_state *state, int body, frz_vec3 force, frz_vec3 torque, double dt);
/// Stop bodies that have left an open domain completely, together with all bodies jointed to them.
void frz_bodies_park(const frz_model *model, frz_state *state);
/// Back to the start of the step.
void frz_bodies_restore(frz_state *state);
