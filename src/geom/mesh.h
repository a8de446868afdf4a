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
FRZ_NODISCARD frz_status frz_mesh_copy(const frz_mesh *mesh, frz_mesh **out, frz_diag *diag);
void frz_mesh_destroy(frz_mesh **mesh);

/// Size (m) beyond which a mesh is a broken file: planets are smaller, and volumes must not overflow.
#define FRZ_MESH_LARGEST 1.0e9

/// The triangles of an STL, OBJ or PLY file, unrepaired; scale is metres per unit of the file. Every corner is a vertex
/// of the mesh, but vertices may be NaN. With a root the file must lie below it (frz_file_read).
FRZ_NODISCARD frz_status frz_mesh_import(const char *root, const char *path, double scale, frz_mesh **out,
                                         frz_diag *diag);

/// The mesh of the file that a shape, or the one that it moves, was read from: its own vertices, and their texture
/// coordinates (null if it has none; a position with several pairs of them is repeated for each). Out is null for other
/// shapes and repaired meshes. Owner: the caller.
FRZ_NODISCARD frz_status frz_shape_original(const frz_shape *shape, frz_mesh **out, float (**texture)[2],
                                            frz_diag *diag);

/// Merge vertices closer than tolerance (0: equal positions only) and renumber the triangles; returns how many were
/// merged, or -1 when memory is short.
int64_t frz_mesh_weld(frz_mesh *mesh, double tolerance);

/// Split edges longer than longest (m) in the middle, with their triangles, until none is left. Triangles with a common
/// edge keep its parts in common.
FRZ_NODISCARD frz_status frz_mesh_refine(frz_mesh **mesh, double longest, frz_diag *diag);

/// Cosine of the angle between faces (35 degrees) beyond which their common edge is sharp.
#define FRZ_CREASE_COSINE 0.82

/// Give a vertex on sharp edges a copy of its own for each smooth part of the surface around it, so that one normal per
/// vertex is enough. Copies follow the old vertices.
FRZ_NODISCARD frz_status frz_mesh_split_creases(frz_mesh **mesh, frz_diag *diag);

/// A triangulation of a shape for pictures and exports: exact faces for boxes and meshes, fine tessellation of round
/// primitives, and for CSG an iso-surface on cells of the given size whose vertices are drawn to sharp edges.
/// Unbounded shapes are cut at clip.
FRZ_NODISCARD frz_status frz_shape_triangulate(const frz_shape *shape, double cell, frz_bounds clip, frz_mesh **out,
                                               frz_diag *diag);
