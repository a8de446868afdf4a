// SPDX-License-Identifier: MIT
// Reading the liquid: averages at points, forces on bodies.
#pragma once

#include <stdbool.h>

#include "math/vec3.h"

typedef struct frz_model frz_model;
typedef struct frz_state frz_state;

/// SPH average of the liquid at a point; false if no liquid particle is near. Null outputs are left out.
bool frz_probe_sample(const frz_model *model, const frz_state *state, frz_vec3 point, double *pressure,
                      double velocity[3], double *density);

/// The same for a field of one real number per particle.
bool frz_probe_field(const frz_model *model, const frz_state *state, frz_vec3 point, int field, double *value);

/// Force and torque (about the body's position) of the liquid on each body by pressure; arrays by body.
void frz_body_forces(const frz_model *model, const frz_state *state, frz_vec3 *force, frz_vec3 *torque);
