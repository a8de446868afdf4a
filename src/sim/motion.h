// SPDX-License-Identifier: MIT
// Samples of static and rigid bodies, which move with the poses of these.
#pragma once

#include <stdbool.h>

#include "base/simd.h"
#include "math/vec3.h"

typedef struct frz_model frz_model;
typedef struct frz_state frz_state;

/// By sample; made again after a restart.
typedef struct frz_samples
{
    frz_vec3 *local;        ///< in the frame of its body
    frz_vec3 *local_normal; ///< outward unit normals there
    frz_v4 *normal;         ///< normals in the present pose
    frz_real *area;         ///< of the surface in front of it over its own, which the volume includes; boundary method
    frz_real *pressure;     ///< multipliers in the last step, Pa; pressure method
    bool moved;             ///< their cells must be rebuilt
} frz_samples;

/// Set the positions of static samples from the poses of their bodies at state->time; sets samples.moved if any moved.
void frz_samples_place(const frz_model *model, frz_state *state);
/// Velocity that moves each static sample from its present position to that after dt.
void frz_samples_set_velocity(const frz_model *model, frz_state *state, double dt);
