// SPDX-License-Identifier: MIT
// Height fields: turned into a closed mesh (top, skirt, bottom), so that distances are exact.
#include "geom/shape_internal.h"

#include <limits.h>

/// A 2D scene gives z as +-HUGE_VAL: the mesh then reaches this many times its own size, too far to be felt at z = 0.
static const double endless_reach = 4.0;

typedef struct field
{
    frz_vec3 min, max;
    int nx, nz;
    const double *heights;
    bool single_row; ///< the same heights at both ends of z
} field;

static frz_status check_field(const field *f, frz_diag *diag)
{
    if (f->heights == NULL || f->nx < 2 || f->nz < 1)
        return frz_fail(diag, FRZ_ERR_SCENE, "heightfield: it needs at least 2 x 1 heights (2 x 2 in 3D), got %d x %d",
                        f->nx, f->nz);
    const bool valid =
        isfinite(f->min.x) && isfinite(f->max.x) && isfinite(f->min.y) && f->min.x < f->max.x && f->min.z < f->max.z;
    if (!valid)
        return frz_fail(diag, FRZ_ERR_SCENE, "heightfield: min must be below max in x and z, and min.y a number");
    if ((!isfinite(f->min.z) || !isfinite(f->max.z)) && f->nz != 1)
        return frz_fail(diag, FRZ_ERR_SCENE, "heightfield: without an end in z it must have a single row, got %d",
                        f->nz);
    if ((int64_t)f->nx * (f->single_row ? 2 : f->nz) > INT_MAX / 8)
        return frz_fail(diag, FRZ_ERR_SCENE, "heightfield: %d x %d heights are too many", f->nx, f->nz);
    for (int64_t i = 0; i < (int64_t)f->nx * f->nz; ++i)
    {
        if (!isfinite(f->heights[i]) || f->heights[i] <= f->min.y)
            return frz_fail(diag, FRZ_ERR_SCENE,
                            "heightfield: every height must lie above its bottom at y = %g, but value %lld is %g",
                            f->min.y, (long long)i + 1, f->heights[i]);
    }
    return FRZ_OK;
}

static void add_triangle(frz_mesh *mesh, int a, int b, int c)
{
    int *t = mesh->triangles[mesh->triangle_count++];
    t[0] = a;
    t[1] = b;
    t[2] = c;
}

/// Corners in order around the quad, counter-clockwise seen from outside.
static void add_quad(frz_mesh *mesh, int a, int b, int c, int d)
{
    add_triangle(mesh, a, b, c);
    add_triangle(mesh, a, c, d);
}

/// The grid twice: heights first, then the bottom, which lies below node by node.
static void fill_mesh(const field *f, int rows, double z_min, double z_max, frz_mesh *mesh)
{
    const int nodes = f->nx * rows;
    for (int k = 0; k < rows; ++k)
    {
        for (int i = 0; i < f->nx; ++i)
        {
            const double x = f->min.x + (f->max.x - f->min.x) * i / (f->nx - 1);
            const double z = z_min + (z_max - z_min) * k / (rows - 1);
            const double height = f->heights[i + f->nx * (f->single_row ? 0 : k)];
            mesh->vertices[i + f->nx * k] = frz_v3(x, height, z);
            mesh->vertices[nodes + i + f->nx * k] = frz_v3(x, f->min.y, z);
        }
    }
    mesh->triangle_count = 0;
    for (int k = 0; k + 1 < rows; ++k)
    {
        for (int i = 0; i + 1 < f->nx; ++i)
        {
            const int a = i + f->nx * k;
            const int b = a + f->nx;
            add_quad(mesh, a, b, b + 1, a + 1);
            add_quad(mesh, nodes + a, nodes + a + 1, nodes + b + 1, nodes + b);
        }
    }
    for (int i = 0; i + 1 < f->nx; ++i)
    {
        const int back = f->nx * (rows - 1) + i;
        add_quad(mesh, i, i + 1, nodes + i + 1, nodes + i);
        add_quad(mesh, back, nodes + back, nodes + back + 1, back + 1);
    }
    for (int k = 0; k + 1 < rows; ++k)
    {
        const int left = f->nx * k;
        const int right = left + f->nx - 1;
        add_quad(mesh, left, nodes + left, nodes + left + f->nx, left + f->nx);
        add_quad(mesh, right, right + f->nx, nodes + right + f->nx, nodes + right);
    }
}

frz_status frz_shape_heightfield(frz_vec3 min, frz_vec3 max, int nx, int nz, const double *heights, frz_shape **out,
                                 frz_diag *diag)
{
    *out = NULL;
    const field f = {min, max, nx, nz, heights, nz == 1};
    FRZ_TRY(check_field(&f, diag));
    double top = min.y;
    for (int64_t i = 0; i < (int64_t)nx * nz; ++i)
        top = fmax(top, heights[i]);
    const double reach = endless_reach * ((max.x - min.x) + (top - min.y));
    const double z_min = isfinite(min.z) ? min.z : -reach;
    const double z_max = isfinite(max.z) ? max.z : reach;
    const int rows = f.single_row ? 2 : nz;
    const int quads = 2 * (nx - 1) * (rows - 1) + 2 * (nx - 1) + 2 * (rows - 1);
    frz_mesh *mesh = NULL;
    FRZ_TRY(frz_mesh_create(2 * nx * rows, 2 * quads, &mesh, diag));
    fill_mesh(&f, rows, z_min, z_max, mesh);
    FRZ_TRY(frz_shape_take_mesh(mesh, out, diag));
    (*out)->kind = FRZ_SHAPE_HEIGHTFIELD;
    if (!isfinite(min.z))
        (*out)->bounds.min.z = -HUGE_VAL;
    if (!isfinite(max.z))
        (*out)->bounds.max.z = HUGE_VAL;
    return FRZ_OK;
}
