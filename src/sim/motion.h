// SPDX-License-Identifier: MIT
// Samples of static and rigid bodies, which move with the poses of these.
#pragma once

typedef struct frz_model frz_model;
typedef struct frz_state frz_state;

/// Put the static samples where their bodies are at state->time; sets samples_moved if any moved.
void frz_samples_place(const frz_model *model, frz_state *state);
/// Velocity that carries each static sample from its place now to its place after dt.
void frz_samples_set_velocity(const frz_model *model, frz_state *state, double dt);
