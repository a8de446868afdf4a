// SPDX-License-Identifier: MIT
// Sharp edges of a mesh: each smooth part of the surface gets vertices of its own there.
#include "geom/shape_internal.h"

#include <string.h>

#include "base/memory.h"

/// The triangles around each vertex: starts[v] .. starts[v + 1] of around.
typedef struct fans
{
    int *starts, *around;
    frz_vec3 *normals; ///< of the triangles, unit length; zero for those without area
    int *groups;       ///< per entry of around: smooth part of its vertex, identified by its first entry
} fans;

static void destroy_fans(fans *f)
{
    frz_free(f->starts);
    frz_free(f->around);
    frz_free(f->normals);
    frz_free(f->groups);
}

static frz_vec3 unit_normal(const frz_mesh *mesh, int triangle)
{
    const int *corner = mesh->triangles[triangle];
    const frz_vec3 a = mesh->vertices[corner[0]];
    const frz_vec3 normal =
        frz_v3_cross(frz_v3_sub(mesh->vertices[corner[1]], a), frz_v3_sub(mesh->vertices[corner[2]], a));
    const double length = frz_v3_length(normal);
    return length > 0.0 ? frz_v3_scale(1.0 / length, normal) : frz_v3(0.0, 0.0, 0.0);
}

static frz_status create_fans(const frz_mesh *mesh, fans *f, frz_diag *diag)
{
    const int64_t corners = 3 * (int64_t)mesh->triangle_count;
    f->starts = FRZ_ALLOC("mesh fans", (int64_t)mesh->vertex_count + 2, int);
    f->around = FRZ_ALLOC("mesh fans", corners, int);
    f->groups = FRZ_ALLOC("mesh fans", corners, int);
    f->normals = FRZ_ALLOC("mesh fans", mesh->triangle_count, frz_vec3);
    if (f->starts == NULL || f->around == NULL || f->groups == NULL || f->normals == NULL)
        return frz_fail_memory(diag, "the edges of a mesh");
    for (int t = 0; t < mesh->triangle_count; ++t)
    {
        f->normals[t] = unit_normal(mesh, t);
        for (int c = 0; c < 3; ++c)
            ++f->starts[mesh->triangles[t][c] + 2];
    }
    for (int v = 0; v < mesh->vertex_count; ++v)
        f->starts[v + 2] += f->starts[v + 1];
    for (int t = 0; t < mesh->triangle_count; ++t)
        for (int c = 0; c < 3; ++c)
            f->around[f->starts[mesh->triangles[t][c] + 1]++] = t;
    return FRZ_OK;
}

/// Do two triangles at a vertex share an edge there that is not sharp? A triangle without area does not make an edge
/// sharp.
static bool is_smooth(const frz_mesh *mesh, const fans *f, int vertex, int p, int q)
{
    bool joined = false;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            joined = joined || (mesh->triangles[p][i] == mesh->triangles[q][j] && mesh->triangles[p][i] != vertex);
    const double cosine = frz_v3_dot(f->normals[p], f->normals[q]);
    const bool flat =
        frz_v3_dot(f->normals[p], f->normals[p]) == 0.0 || frz_v3_dot(f->normals[q], f->normals[q]) == 0.0;
    return joined && (flat || cosine > FRZ_CREASE_COSINE);
}

/// Find the smooth parts around a vertex; gives how many there are.
static int group_fan(const frz_mesh *mesh, fans *f, int vertex)
{
    const int first = f->starts[vertex], last = f->starts[vertex + 1];
    int parts = last - first;
    for (int k = first; k < last; ++k)
        f->groups[k] = k;
    for (int k = first; k < last; ++k)
        for (int other = first; other < k; ++other)
        {
            const int low = f->groups[other] < f->groups[k] ? f->groups[other] : f->groups[k];
            const int high = f->groups[other] < f->groups[k] ? f->groups[k] : f->groups[other];
            if (low == high || !is_smooth(mesh, f, vertex, f->around[k], f->around[other]))
                continue;
            --parts;
            for (int place = first; place <= k; ++place)
                if (f->groups[place] == high)
                    f->groups[place] = low;
        }
    return parts;
}

static void replace_corner(int triangle[3], int from, int to)
{
    for (int c = 0; c < 3; ++c)
        if (triangle[c] == from)
            triangle[c] = to;
}

/// Hand the parts around a vertex but the first to copies of it, numbered from next on; gives the number behind them.
static int copy_vertex(const frz_mesh *mesh, const fans *f, int vertex, int next, frz_mesh *out)
{
    for (int k = f->starts[vertex] + 1; k < f->starts[vertex + 1]; ++k)
    {
        if (f->groups[k] != k) // a part is handled at its first entry
            continue;
        out->vertices[next] = mesh->vertices[vertex];
        for (int place = k; place < f->starts[vertex + 1]; ++place)
            if (f->groups[place] == k)
                replace_corner(out->triangles[f->around[place]], vertex, next);
        ++next;
    }
    return next;
}

static frz_status split(const frz_mesh *mesh, fans *f, frz_mesh **out, frz_diag *diag)
{
    FRZ_TRY(create_fans(mesh, f, diag));
    int count = mesh->vertex_count;
    for (int v = 0; v < mesh->vertex_count; ++v)
    {
        const int parts = group_fan(mesh, f, v);
        count += parts > 1 ? parts - 1 : 0;
    }
    FRZ_TRY(frz_mesh_create(count, mesh->triangle_count, out, diag));
    memcpy((*out)->vertices, mesh->vertices, (size_t)mesh->vertex_count * sizeof *mesh->vertices);
    memcpy((*out)->triangles, mesh->triangles, (size_t)mesh->triangle_count * sizeof *mesh->triangles);
    int next = mesh->vertex_count;
    for (int v = 0; v < mesh->vertex_count; ++v)
        next = copy_vertex(mesh, f, v, next, *out);
    return FRZ_OK;
}

frz_status frz_mesh_split_creases(frz_mesh **mesh, frz_diag *diag)
{
    fans f = {NULL};
    frz_mesh *out = NULL;
    const frz_status status = split(*mesh, &f, &out, diag);
    destroy_fans(&f);
    if (status != FRZ_OK)
        return status;
    frz_mesh_destroy(mesh);
    *mesh = out;
    return FRZ_OK;
}
