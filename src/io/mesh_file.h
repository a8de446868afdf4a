// SPDX-License-Identifier: MIT
// Triangle meshes as files that every 3D program reads: binary PLY and Wavefront OBJ.
#pragma once

#include "base/fail.h"

/// A mesh to write; borrowed.
typedef struct frz_mesh_view
{
    int vertex_count, triangle_count;
    const double *positions; ///< x y z each, m
    const double *normals;   ///< x y z each, unit length; null: none
    const int *triangles;    ///< three vertices each, from 0
    const char *comment;     ///< one line, printable; null: none
} frz_mesh_view;

/// Binary PLY: x y z nx ny nz as float, faces as list of uchar and int. The file appears as a whole or not at all.
FRZ_NODISCARD frz_status frz_mesh_write_ply(const char *path, const frz_mesh_view *mesh, frz_diag *diag);

/// OBJ: one v and one vn line per vertex, faces a//a b//b c//c. The file appears as a whole or not at all.
FRZ_NODISCARD frz_status frz_mesh_write_obj(const char *path, const frz_mesh_view *mesh, frz_diag *diag);
