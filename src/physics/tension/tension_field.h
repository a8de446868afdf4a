// SPDX-License-Identifier: MIT
// A field on a lattice of nodes one spacing apart: how much of the space near a node is filled.
//
//     c = S sum_j V B(x_n - x_j),   B cubic B-splines, S: [1 2 1] / 4 along each axis, smoothing_passes times
//
// c is 1 inside a liquid and 0 outside, and has the same bits for any number of threads. B has no part of the nodes'
// own wave number, and S takes out what is shorter than some three spacings: c tells where the liquid is, not how its
// particles stand. (Kernels of the same width that end less smoothly let single particles lock to the nodes.)
#pragma once

#include "sim/state.h"

typedef struct frz_tension_field
{
    int dimension;
    int nodes[3];        ///< 1 along z in the plane
    int first[3];        ///< number of the first node along each axis, counted from the origin of coordinates
    bool periodic[3];    ///< node numbers wrap around
    double step[3];      ///< between nodes, m; the spacing, or next to it where a period must hold a whole number
    double cell;         ///< volume of a node, m^d
    ptrdiff_t stride[3]; ///< between nodes along each axis
    ptrdiff_t total;
    ptrdiff_t (*hop[3])[7]; ///< [axis][node along it][3 + k]: to the node k further
} frz_tension_field;

/// Lay nodes around the particles of a material. Scratch memory lives until the caller's release.
FRZ_NODISCARD frz_status frz_tension_field_make(const frz_model *model, frz_state *state, const uint8_t *member,
                                                frz_tension_field *field, frz_diag *diag);

/// Standard deviation of what one particle adds to c, in steps.
extern const double frz_tension_field_width;

/// A point and how much volume it fills, m^d.
typedef struct frz_tension_point
{
    frz_v4 at;
    double volume;
} frz_tension_point;

/// c += what the points fill, not smoothed yet.
void frz_tension_field_add(const frz_tension_field *field, const frz_tension_point *points, int count, double *c);

/// S, in place; spare has room for all nodes. S is its own adjoint.
void frz_tension_field_smooth(const frz_tension_field *field, double *c, double *spare);

/// Sixth-order difference along an axis at node n, which is number k along the axis. Minus itself is its adjoint.
static inline double frz_tension_field_slope(const frz_tension_field *field, const double *c, ptrdiff_t n, int axis,
                                             int k)
{
    const ptrdiff_t *hop = field->hop[axis][k];
    return (45.0 * (c[n + hop[4]] - c[n + hop[2]]) - 9.0 * (c[n + hop[5]] - c[n + hop[1]]) +
            (c[n + hop[6]] - c[n + hop[0]])) /
           (60.0 * field->step[axis]);
}

/// Gradient at a place of the field that q has between the nodes: sum_n q_n grad B(x - x_n).
void frz_tension_field_gradient(const frz_tension_field *field, const double *q, frz_v4 at, double gradient[3]);
