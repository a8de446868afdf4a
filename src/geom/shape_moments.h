// SPDX-License-Identifier: MIT
// Moments of solid shapes, from which mass, centre and inertia of a body follow.
#pragma once

#include "geom/shape.h"
#include "math/mat3.h"

/// Integrals over the inside of a shape, about the origin. In two dimensions over the cross-section z = 0: an area, and
/// moments along x and y only.
typedef struct frz_moments
{
    double volume;   ///< of 1
    frz_vec3 first;  ///< of x
    frz_mat3 second; ///< of x x^T
} frz_moments;

/// Exact for boxes and round primitives in space (in the plane: for boxes, discs and capsules), closed meshes in space,
/// and moved ones of these; else by integration over the bounds. The volume is HUGE_VAL for unbounded shapes, 0 for
/// empty ones.
frz_moments frz_shape_moments(const frz_shape *shape, int dimension);

/// Those of the shape in axes of its own, as frz_shape_unplace has them but for its scale: equal for shapes that are
/// like each other, and the moments of one of these.
frz_moments frz_shape_own_moments(const frz_shape *shape, int dimension);
frz_moments frz_shape_placed_moments(const frz_shape *shape, const frz_moments *own, int dimension);
