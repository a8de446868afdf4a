// SPDX-License-Identifier: MIT
// Exact surfaces of bodies of samples in their present pose, in models in which a method needs them
// (FRZ_TRAIT_NEEDS_SHAPES).
#pragma once

#include "math/vec3.h"

typedef struct frz_model frz_model;
typedef struct frz_state frz_state;

/// Signed distance of a place from the surface of a body, m, negative inside; never more than the true one. HUGE_VAL:
/// the model has no shape of it. Thread-safe.
double frz_wall_shape_distance(const frz_model *model, const frz_state *state, int body, frz_vec3 place);
/// Outward unit normal of the surface next to a place, for bodies that have a shape.
frz_vec3 frz_wall_shape_normal(const frz_model *model, const frz_state *state, int body, frz_vec3 place);
