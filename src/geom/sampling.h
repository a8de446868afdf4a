// SPDX-License-Identifier: MIT
// From shapes to particle positions.
#pragma once

#include <stdint.h>

#include "geom/shape.h"

typedef struct frz_point_set
{
    int64_t count;
    int64_t capacity;
    frz_vec3 *points;
} frz_point_set;

void frz_point_set_destroy(frz_point_set *set);
FRZ_NODISCARD frz_status frz_point_set_append(frz_point_set *set, frz_vec3 point, frz_diag *diag);

/// Upper bound of the number of particles frz_sample_volume or frz_sample_surface would make: checked before any
/// allocation, so that 10^12 particles is a sentence and not a crash. Exact to about 20 %.
double frz_sample_volume_estimate(const frz_shape *shape, double spacing, int dimension);
double frz_sample_surface_estimate(const frz_shape *shape, double spacing, int dimension);

/// Fill a shape with a cubic (square in 2D, z = 0) lattice of the given spacing, appended to out.
///
/// Boxes are filled along their own axes, also if they are turned. If their sides are multiples of the spacing the
/// first layer stands half a spacing inside. Else layers are stretched or drawn together by up to a quarter, and rows
/// along the longest side share the particles that the volume asks for (sample_rows.c); only boxes thinner than 1.6
/// spacings may have no such rows, and are filled with whole layers of the spacing.
///
/// In other shapes with plane walls along the lattice a cell is filled if its centre lies at least 0.25 spacing deep;
/// centres between that and half a spacing are pushed inwards along the normal to half a spacing depth unless that
/// brings them closer than 0.8 spacing to an accepted neighbour. If their number is off by more than 0.5 % the shape is
/// filled as if it were curved.
///
/// In shapes with curved or slanting surfaces as many cells are filled as the volume has particles, the deepest ones
/// (to 0.25 %, so that equally deep cells stay together), and particles are relaxed where the surface cuts the lattice:
/// the density of liquids is even to about a percent, and nowhere higher than at rest by more. Cylinders and cones are
/// filled along their axis, in layers that fit.
FRZ_NODISCARD frz_status frz_sample_volume(const frz_shape *shape, double spacing, int dimension, frz_point_set *out,
                                           frz_diag *diag);

/// Move every point at random by up to reach along each axis (in 2D within the plane). The same seed gives the same
/// points.
void frz_sample_disorder(frz_point_set *points, double reach, int dimension, uint64_t seed);

/// Sample the boundary of a shape with one layer of particles half a spacing *inside* the solid (depth = spacing / 2),
/// so that the true surface lies half way between them and the liquid at rest. Parts inside clip only.
///
/// Plane faces of boxes (also rotated, shelled or cut by CSG) get a regular grid, in line with the liquid lattice where
/// the face's length is a multiple of the spacing; everything else gets blue noise: dense candidates on the
/// level set, Poisson-disk elimination, then relaxation along the surface until evenly spaced. Walls thinner than a
/// spacing get one layer in the middle of the wall. Deterministic: no clocks, no global random state.
FRZ_NODISCARD frz_status frz_sample_surface(const frz_shape *shape, double spacing, int dimension, frz_bounds clip,
                                            frz_point_set *out, frz_diag *diag);

/// Outward normal at a particle of a boundary; in 2D it lies in the plane. A layer in the middle of a wall has both
/// sides equally near, and rounding must not choose between them particle by particle: there it is the one that
/// points up (right, forward). The only layer of a cavity's wall faces the cavity.
frz_vec3 frz_sample_normal(const frz_shape *shape, frz_vec3 at, double spacing, int dimension);
