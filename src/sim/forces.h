// SPDX-License-Identifier: MIT
// Forces on particles and bodies without a method: gravity, regions, given forces on bodies.
#pragma once

typedef struct frz_model frz_model;
typedef struct frz_state frz_state;

/// The accelerations that methods of the force stage add to: gravity and regions.
void frz_forces_begin(const frz_model *model, frz_state *state, double dt);
/// Velocities from the accelerations; bodies get their weight and given forces, and are damped.
void frz_forces_kick(const frz_model *model, frz_state *state, double dt);
