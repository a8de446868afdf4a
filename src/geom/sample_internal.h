// SPDX-License-Identifier: MIT
// Shared by the samplers: walking on level sets, limits.
#pragma once

#include <limits.h>

#include "geom/point_hash.h"
#include "geom/sampling.h"
#include "geom/shape_internal.h"

/// Distance and unit normal for walking on level sets; in 2D the normal lies in the plane.
double frz_sample_gradient(const frz_shape *shape, frz_vec3 point, int dimension, frz_vec3 *normal);
/// Newton steps along the normal to the level set distance = level; false if it is not reached within spacing.
/// normal (may be null) is the one at the end.
bool frz_sample_project(const frz_shape *shape, double level, double spacing, int dimension, frz_vec3 *point,
                        frz_vec3 *normal);

/// A wall has two sides: the cavity for the liquid, and the outside. A solid is where both distances are negative; each
/// has no kink half way through the wall, unlike their maximum, the distance of the shape.
typedef enum frz_sample_side
{
    FRZ_SAMPLE_PLAIN, ///< the outside; the whole surface of shapes without a cavity
    FRZ_SAMPLE_CAVITY ///< surface cut by a difference, and the inner side of a shell
} frz_sample_side;

bool frz_sample_has_cavity(const frz_shape *shape);
/// Distance to one side only, negative on the solid's side; -HUGE_VAL if the shape has no such side. The unit gradient
/// (may be null) lies in the plane in 2D.
double frz_sample_side_gradient(const frz_shape *shape, frz_sample_side side, frz_vec3 point, int dimension,
                                frz_vec3 *normal);
/// The point of one side nearest to point, if it is open surface of the shape not further than spacing. The normal is
/// the direction from which it was reached, so at concave edges it fans out between those of the faces.
bool frz_sample_find_surface(const frz_shape *shape, frz_sample_side side, double spacing, int dimension,
                             frz_vec3 *point, frz_vec3 *normal);
/// Depth of the layer of particles under a surface point: half a spacing, or half of a thinner wall; 0 where the layer
/// of the cavity on the other side of the wall is enough.
double frz_sample_layer_depth(const frz_shape *shape, frz_sample_side side, frz_vec3 surface, frz_vec3 normal,
                              double spacing, int dimension);

FRZ_NODISCARD frz_status frz_sample_check(double spacing, int dimension, frz_diag *diag);
FRZ_NODISCARD frz_status frz_sample_check_count(double count, double spacing, frz_diag *diag);
FRZ_NODISCARD frz_status frz_point_set_reserve(frz_point_set *set, int64_t count, frz_diag *diag);

/// The grids on plane faces of boxes and half spaces; points not closer than 0.75 spacing to those of other faces.
FRZ_NODISCARD frz_status frz_sample_faces(const frz_shape *shape, double spacing, int dimension, frz_bounds window,
                                          frz_point_set *out, frz_diag *diag);

/// Fill a box (its own axes, placed) whose sides are no multiples of the spacing; filled: whether it was done.
FRZ_NODISCARD frz_status frz_sample_rows(frz_bounds box, const frz_shape_transform_data *place, double spacing,
                                         int dimension, frz_point_set *out, bool *filled, frz_diag *diag);

/// Spread the points of a filled shape until their density is even, up to its curved surfaces; in place.
FRZ_NODISCARD frz_status frz_sample_relax(const frz_shape *shape, double spacing, int dimension, frz_vec3 *points,
                                          int64_t count, frz_diag *diag);
