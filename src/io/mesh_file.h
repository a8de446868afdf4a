// SPDX-License-Identifier: MIT
// Triangle meshes as files that every 3D program reads: binary PLY and Wavefront OBJ.
#pragma once

#include "base/fail.h"

/// A mesh to write; borrowed.
typedef struct frz_mesh_view
{
    int vertex_count, triangle_count;
    const double *positions;        ///< x y z each, m
    const double *normals;          ///< x y z each, unit length; null: none
    const int *triangles;           ///< three vertices each, from 0
    const double *velocities;       ///< x y z each, m/s; null: none
    const float *texture;           ///< u v each; null: none
    int value_count;                ///< further numbers per vertex
    const char *const *value_names; ///< one each, without blanks
    const float *values;            ///< value_count per vertex
    int edge_count;                 ///< of outlines
    const int *edges;               ///< two vertices each, from 0
    const char *comment;            ///< one line, printable; null: none
} frz_mesh_view;

/// Binary PLY: x y z nx ny nz vx vy vz s t and the values as float, faces as list of uchar and int, edges as vertex1
/// and vertex2. The file appears as a whole or not at all.
FRZ_NODISCARD frz_status frz_mesh_write_ply(const char *path, const frz_mesh_view *mesh, frz_diag *diag);

/// OBJ: one v, one vn and one vt line per vertex, faces a/a/a b/b/b c/c/c, edges as l lines; no velocities, no values.
/// The file appears as a whole or not at all.
FRZ_NODISCARD frz_status frz_mesh_write_obj(const char *path, const frz_mesh_view *mesh, frz_diag *diag);

/// VTKHDF PolyData: points, triangles, and normal, velocity, texture and the values as point data; no edges. The file
/// appears as a whole or not at all.
FRZ_NODISCARD frz_status frz_mesh_write_vtkhdf(const char *path, const frz_mesh_view *mesh, frz_diag *diag);

/// For every surface with files NAME_000000.vtkhdf, ... of more than one frame in a folder: NAME.vtkhdf, which shows
/// all of them as steps in time to ParaView 5.12 or later. It points into the files, which must stay beside it.
FRZ_NODISCARD frz_status frz_mesh_write_masters(const char *directory, double frame_rate, frz_diag *diag);
