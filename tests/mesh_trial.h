// SPDX-License-Identifier: MIT
// Measures of meshes that several tests take.
#pragma once

#include <math.h>

#include "geom/mesh.h"

/// Highest vertex of a mesh between two places along x.
static inline double top_between(const frz_mesh *mesh, double from, double to)
{
    double top = -HUGE_VAL;
    for (int v = 0; v < mesh->vertex_count; ++v)
        if (mesh->vertices[v].x >= from && mesh->vertices[v].x <= to)
            top = fmax(top, mesh->vertices[v].y);
    return top;
}
