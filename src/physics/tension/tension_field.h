// SPDX-License-Identifier: MIT
// A field on nodes one spacing apart: the filled fraction of the space near a node.
//
//     c = S sum_j V B(x_n - x_j),   B cubic B-splines, S: [1 2 1] / 4 along each axis, four times
//
// c is 1 inside a liquid and 0 outside, and has the same bits for any number of threads. B has no part of the nodes'
// own wave number, and S removes wavelengths below some three spacings: c depends on the shape of the liquid, not on
// the arrangement of its particles. (Kernels of the same width that end less smoothly let single particles lock to the
// nodes.)
//
// Nodes exist near the liquid only: in every row along x, stretches of them. Between stretches c is zero, and so are
// the derivatives of an energy of c that act on particles.
#pragma once

#include "sim/state.h"

/// Consecutive nodes of a row.
typedef struct frz_tension_stretch
{
    int row;        ///< y + nodes[1] z
    int begin, end; ///< along x
    ptrdiff_t at;   ///< of the first one in arrays by node
} frz_tension_stretch;

typedef struct frz_tension_field
{
    int dimension;
    int nodes[3];     ///< of the box around the stretches; 1 along z in the plane
    int first[3];     ///< number of the first node along each axis, counted from the origin of coordinates
    bool periodic[3]; ///< node numbers wrap around
    double step[3];   ///< between nodes, m; the spacing, slightly changed on periodic axes for a whole number of nodes
    double cell;      ///< volume of a node, m^d
    ptrdiff_t total;  ///< number of nodes
    frz_tension_stretch *stretch; ///< by row, then along x
    int stretch_count;
    int32_t *row_begin; ///< by row, and one more: its first stretch
} frz_tension_field;

enum
{
    FRZ_TENSION_CHUNK = 128 ///< nodes of a stretch processed at a time
};

/// Nodes of the chunk of a stretch from x on.
static inline int frz_tension_chunk(const frz_tension_stretch *stretch, int x)
{
    return stretch->end - x < FRZ_TENSION_CHUNK ? stretch->end - x : FRZ_TENSION_CHUNK;
}

/// Lay nodes around the particles of a material, and further out if walls are included. Scratch memory lives until the
/// caller's release.
FRZ_NODISCARD frz_status frz_tension_field_make(const frz_model *model, frz_state *state, const uint8_t *member,
                                                bool walls, frz_tension_field *field, frz_diag *diag);

/// Standard deviation of one particle's contribution to c, in steps.
extern const double frz_tension_field_width;

/// A point and its volume, m^d.
typedef struct frz_tension_point
{
    frz_v4 at;
    double volume;
} frz_tension_point;

/// Whether it is in the box of the nodes.
bool frz_tension_field_covers(const frz_tension_field *field, frz_v4 at);

/// c += filled fraction of the points, not smoothed yet.
void frz_tension_field_add(const frz_tension_field *field, const frz_tension_point *points, int count, double *c);

/// S, in place; spare holds one number per node. S is its own adjoint.
void frz_tension_field_smooth(const frz_tension_field *field, double *c, double *spare);

/// slope += the sixth-order difference along an axis, at count nodes (a chunk at most) of a stretch from x on. Minus
/// itself is its adjoint.
void frz_tension_field_slope(const frz_tension_field *field, const double *c, const frz_tension_stretch *stretch, int x,
                             int count, int axis, double *slope);

/// to -= divergence of a field of vectors, by the same difference.
void frz_tension_field_subtract_divergence(const frz_tension_field *field, double *const flux[3], double *to);

/// Nodes that a particle needs to each side.
int frz_tension_field_margin(bool walls);
/// Add the nodes around a point to a set (1 for each node of it).
void frz_tension_field_mark(const frz_tension_field *field, frz_v4 at, uint8_t *set);
/// Add the neighbours along each axis in turn, if they are within another set (null: all). spare: as large as the set.
void frz_tension_field_dilate(const frz_tension_field *field, const uint8_t *within, uint8_t *set, uint8_t *spare);

/// Gradient at a point of the interpolated field q: sum_n q_n grad B(x - x_n).
void frz_tension_field_gradient(const frz_tension_field *field, const double *q, frz_v4 at, double gradient[3]);
