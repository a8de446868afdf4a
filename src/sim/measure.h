// SPDX-License-Identifier: MIT
// Measurements: averages of the liquid at points, forces on bodies.
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

/// Force and torque (about the body's position) of particles on a body by pressure.
typedef struct frz_body_push
{
    frz_vec3 force, torque;                 ///< of the liquid
    frz_vec3 elastic_force, elastic_torque; ///< of elastic bodies; their friction is in frz_body_load
} frz_body_push;

/// By body.
void frz_body_pushes(const frz_model *model, const frz_state *state, frz_body_push *pushes);
