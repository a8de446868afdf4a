// SPDX-License-Identifier: MIT
// Triangle meshes.
#pragma once

#include "geom/shape.h"

struct frz_mesh
{
    int vertex_count;
    int triangle_count;
    frz_vec3 *vertices;
    int (*triangles)[3]; ///< counter-clockwise seen from outside
};

FRZ_NODISCARD frz_status frz_mesh_create(int vertex_count, int triangle_count, frz_mesh **out, frz_diag *diag);
void frz_mesh_destroy(frz_mesh **mesh);

/// A triangulation of a shape for pictures and exports: exact faces for boxes and meshes, fine tessellation of round
/// primitives, and for CSG an iso-surface on cells of the given size whose vertices are drawn to sharp edges.
/// Unbounded shapes are cut at clip.
FRZ_NODISCARD frz_status frz_shape_triangulate(const frz_shape *shape, double cell, frz_bounds clip, frz_mesh **out,
                                               frz_diag *diag);
