// SPDX-License-Identifier: MIT
// Corner normals for pictures: round bodies look round although they are made of flat triangles.
#include "base/memory.h"
#include "render/trace.h"

static const float crease_cosine = (float)FRZ_CREASE_COSINE;

static frz_vec3f vertex_of(const frz_trace_mesh *mesh, unsigned int index)
{
    const float *v = mesh->vertices + 4 * (size_t)index;
    return frz_v3f(v[0], v[1], v[2]);
}

frz_vec3f frz_trace_area_normal(const frz_trace_mesh *mesh, int triangle)
{
    const unsigned int *corner = mesh->triangles[triangle];
    const frz_vec3f a = vertex_of(mesh, corner[0]);
    return frz_v3f_cross(frz_v3f_sub(vertex_of(mesh, corner[1]), a), frz_v3f_sub(vertex_of(mesh, corner[2]), a));
}

/// Lists of the triangles around each vertex: starts[v] .. starts[v + 1] in around.
static void list_triangles(const frz_trace_mesh *mesh, int *starts, int *around)
{
    for (int t = 0; t < mesh->triangle_count; ++t)
    {
        for (int c = 0; c < 3; ++c)
            ++starts[mesh->triangles[t][c] + 2];
    }
    for (int v = 0; v < mesh->vertex_count; ++v)
        starts[v + 2] += starts[v + 1];
    for (int t = 0; t < mesh->triangle_count; ++t)
    {
        for (int c = 0; c < 3; ++c)
            around[starts[mesh->triangles[t][c] + 1]++] = t;
    }
}

frz_status frz_trace_mesh_smooth(frz_trace_mesh *mesh, frz_diag *diag)
{
    const size_t corner_count = 3 * (size_t)mesh->triangle_count;
    int *starts = FRZ_ALLOC("picture mesh", mesh->vertex_count + 2, int);
    int *around = FRZ_ALLOC("picture mesh", corner_count, int);
    frz_vec3f *faces = FRZ_ALLOC("picture mesh", mesh->triangle_count, frz_vec3f);
    mesh->normals = FRZ_ALLOC("picture mesh", corner_count, frz_vec3f);
    const bool complete = starts != NULL && around != NULL && faces != NULL && mesh->normals != NULL;
    if (complete)
    {
        list_triangles(mesh, starts, around);
#pragma omp parallel for schedule(static)
        for (int t = 0; t < mesh->triangle_count; ++t)
            faces[t] = frz_trace_area_normal(mesh, t);
#pragma omp parallel for schedule(static)
        for (int t = 0; t < mesh->triangle_count; ++t)
        {
            const frz_vec3f own = frz_v3f_normalize(faces[t]);
            for (int c = 0; c < 3; ++c)
            {
                const unsigned int vertex = mesh->triangles[t][c];
                frz_vec3f sum = {0.0f, 0.0f, 0.0f};
                for (int k = starts[vertex]; k < starts[vertex + 1]; ++k)
                {
                    const frz_vec3f other = faces[around[k]];
                    if (frz_v3f_dot(frz_v3f_normalize(other), own) > crease_cosine)
                        sum = frz_v3f_add(sum, other);
                }
                mesh->normals[3 * (size_t)t + (size_t)c] = frz_v3f_dot(sum, sum) > 0.0f ? frz_v3f_normalize(sum) : own;
            }
        }
    }
    frz_free(starts);
    frz_free(around);
    frz_free(faces);
    return complete ? FRZ_OK : frz_fail_memory(diag, "the meshes of a picture");
}
