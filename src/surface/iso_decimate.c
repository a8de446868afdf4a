// SPDX-License-Identifier: MIT
// Fewer triangles on request: edges of flat parts collapse first (quadric errors; meshoptimizer). Vertices that stay
// keep their place and all that they carry. Triangles do not depend on threads.
#include <meshoptimizer.h>
#include <stddef.h>

#include "base/memory.h"
#include "surface/iso_internal.h"

static const double largest_error = 0.2; // of the surface, in spacings, however few triangles are asked for

/// Places in spacings from the first vertex, as the library wants them.
static float *places_of(const frz_mesh *mesh, double spacing)
{
    float *places = FRZ_ALLOC("decimation", 3 * (int64_t)mesh->vertex_count + 1, float);
    for (int v = 0; v < mesh->vertex_count && places != NULL; ++v)
    {
        const frz_vec3 d = frz_v3_sub(mesh->vertices[v], mesh->vertices[0]);
        places[3 * v] = (float)(d.x / spacing);
        places[3 * v + 1] = (float)(d.y / spacing);
        places[3 * v + 2] = (float)(d.z / spacing);
    }
    return places;
}

static void move_vertex(frz_surface_mesh *mesh, int from, int to)
{
    mesh->mesh->vertices[to] = mesh->mesh->vertices[from];
    mesh->normals[to] = mesh->normals[from];
    mesh->walls[to] = mesh->walls[from];
    if (mesh->velocities != NULL)
        mesh->velocities[to] = mesh->velocities[from];
    for (int c = 0; c < mesh->value_count; ++c)
        mesh->values[(int64_t)to * mesh->value_count + c] = mesh->values[(int64_t)from * mesh->value_count + c];
}

void frz_iso_drop_unused(frz_surface_mesh *mesh, int *number)
{
    frz_mesh *m = mesh->mesh;
    int kept = 0;
    for (int v = 0; v < m->vertex_count; ++v)
        number[v] = -1;
    for (int t = 0; t < m->triangle_count; ++t)
        for (int c = 0; c < 3; ++c)
            number[m->triangles[t][c]] = 0;
    for (int v = 0; v < m->vertex_count; ++v)
        if (number[v] == 0)
        {
            move_vertex(mesh, v, kept);
            number[v] = kept++;
        }
    for (int t = 0; t < m->triangle_count; ++t)
        for (int c = 0; c < 3; ++c)
            m->triangles[t][c] = number[m->triangles[t][c]];
    m->vertex_count = kept;
}

frz_status frz_iso_decimate(double share, double spacing, frz_surface_mesh *mesh, frz_diag *diag)
{
    frz_mesh *m = mesh->mesh;
    const size_t count = 3 * (size_t)m->triangle_count;
    if (count == 0)
        return FRZ_OK;
    float *places = places_of(m, spacing);
    unsigned *fewer = FRZ_ALLOC("decimation", count, unsigned);
    int *number = FRZ_ALLOC("decimation", m->vertex_count, int);
    const bool fits = places != NULL && fewer != NULL && number != NULL;
    if (fits)
    {
        const size_t vertices = (size_t)m->vertex_count, stride = 3 * sizeof(float);
        const double scale = (double)meshopt_simplifyScale(places, vertices, stride);
        const size_t wish = 3 * (size_t)(share * (double)m->triangle_count);
        const size_t left = meshopt_simplify(fewer, (const unsigned *)m->triangles, count, places, vertices, stride,
                                             wish, (float)(largest_error / fmax(scale, largest_error)), 0, NULL);
        m->triangle_count = (int)(left / 3);
        for (size_t k = 0; k < left; ++k)
            m->triangles[k / 3][k % 3] = (int)fewer[k];
        frz_iso_drop_unused(mesh, number);
    }
    frz_free(places);
    frz_free(fewer);
    frz_free(number);
    return fits ? FRZ_OK : frz_fail_memory(diag, "the decimation of a surface");
}
