// SPDX-License-Identifier: MIT
// Lone drops of clear liquids in path-traced pictures: balls of the volume of a particle, as clear as the liquid.
#include <math.h>
#include <string.h>

#include "api/render_run_internal.h"
#include "base/memory.h"

enum
{
    most_drops = 20000, // beyond that plain spheres do, which cost less
    corners = 12,       // of an icosahedron
    faces = 20,
    sides = 30,
    ball_vertices = corners + sides,
    ball_triangles = 4 * faces
};

static const double ball_radius = 0.6203504908994; // spacings: (3 / (4 pi))^(1/3), the volume of a particle

/// A ball of radius 1: an icosahedron whose triangles are split once.
typedef struct ball
{
    int count; ///< vertices
    frz_vec3 vertices[ball_vertices];
    int triangles[ball_triangles][3];
} ball;

static int middle_of(ball *b, int from, int to)
{
    const frz_vec3 sum = frz_v3_normalize(frz_v3_add(b->vertices[from], b->vertices[to]));
    for (int v = corners; v < b->count; ++v)
        if (frz_v3_length(frz_v3_sub(b->vertices[v], sum)) < 1e-9)
            return v;
    b->vertices[b->count] = sum;
    return b->count++;
}

static void make_ball(ball *b)
{
    static const int icosahedron[faces][3] = {{0, 11, 5}, {0, 5, 1},  {0, 1, 7},   {0, 7, 10}, {0, 10, 11},
                                              {1, 5, 9},  {5, 11, 4}, {11, 10, 2}, {10, 7, 6}, {7, 1, 8},
                                              {3, 9, 4},  {3, 4, 2},  {3, 2, 6},   {3, 6, 8},  {3, 8, 9},
                                              {4, 9, 5},  {2, 4, 11}, {6, 2, 10},  {8, 6, 7},  {9, 8, 1}};
    const double golden = 0.5 * (1.0 + sqrt(5.0));
    b->count = 0;
    for (int axis = 0; axis < 3; ++axis)
        for (int k = 0; k < 4; ++k)
        {
            const double one = (k & 1) != 0 ? 1.0 : -1.0, other = (k & 2) != 0 ? -golden : golden;
            const double at[3][3] = {{one, other, 0.0}, {0.0, one, other}, {other, 0.0, one}};
            b->vertices[b->count++] = frz_v3_normalize(frz_v3(at[axis][0], at[axis][1], at[axis][2]));
        }
    for (int f = 0; f < faces; ++f)
    {
        const int *t = icosahedron[f];
        const int m[3] = {middle_of(b, t[0], t[1]), middle_of(b, t[1], t[2]), middle_of(b, t[2], t[0])};
        const int parts[4][3] = {{t[0], m[0], m[2]}, {t[1], m[1], m[0]}, {t[2], m[2], m[1]}, {m[0], m[1], m[2]}};
        memcpy(b->triangles[4 * f], parts, sizeof parts);
    }
}

/// Room for more vertices and triangles; present ones stay.
static bool grow(frz_surface_mesh *mesh, int64_t vertices, int64_t triangles)
{
    frz_mesh *m = mesh->mesh;
    void *places = frz_realloc("drops", m->vertices, (size_t)vertices, sizeof *m->vertices);
    m->vertices = places != NULL ? places : m->vertices;
    void *corners_of = frz_realloc("drops", m->triangles, (size_t)triangles, sizeof *m->triangles);
    m->triangles = corners_of != NULL ? corners_of : m->triangles;
    void *normals = frz_realloc("drops", mesh->normals, (size_t)vertices, sizeof *mesh->normals);
    mesh->normals = normals != NULL ? normals : mesh->normals;
    void *velocities = NULL;
    if (mesh->velocities != NULL)
    {
        velocities = frz_realloc("drops", mesh->velocities, (size_t)vertices, sizeof *mesh->velocities);
        mesh->velocities = velocities != NULL ? velocities : mesh->velocities;
    }
    return places != NULL && corners_of != NULL && normals != NULL && (mesh->velocities == NULL || velocities != NULL);
}

static frz_vec3 row_of(const frz_array_desc *array, int64_t row)
{
    return frz_v3(frz_array_value(array, row, 0), frz_array_value(array, row, 1), frz_array_value(array, row, 2));
}

frz_status frz_drawn_drops_add(const frz_frame *frame, double spacing, frz_surface_mesh *mesh, frz_diag *diag)
{
    const int64_t count = mesh->spray_count;
    frz_mesh *m = mesh->mesh;
    if (count == 0 || count > most_drops)
        return FRZ_OK;
    ball b;
    make_ball(&b);
    if (!grow(mesh, m->vertex_count + count * ball_vertices, m->triangle_count + count * ball_triangles))
        return frz_fail_memory(diag, "the drops of a picture");
    const frz_array_desc *velocity = mesh->velocities != NULL ? frz_frame_field(frame, "velocity") : NULL;
    for (int64_t k = 0; k < count; ++k)
    {
        const frz_vec3 center = row_of(&frame->position, mesh->spray[k]);
        const int first = m->vertex_count;
        for (int v = 0; v < ball_vertices; ++v)
        {
            m->vertices[first + v] = frz_v3_mad(center, ball_radius * spacing, b.vertices[v]);
            mesh->normals[first + v] = b.vertices[v];
            if (mesh->velocities != NULL)
                mesh->velocities[first + v] =
                    velocity != NULL ? row_of(velocity, mesh->spray[k]) : frz_v3(0.0, 0.0, 0.0);
        }
        for (int t = 0; t < ball_triangles; ++t)
            for (int c = 0; c < 3; ++c)
                m->triangles[m->triangle_count + t][c] = first + b.triangles[t][c];
        m->vertex_count += ball_vertices;
        m->triangle_count += ball_triangles;
    }
    mesh->spray_count = 0; // they are part of the mesh now
    return FRZ_OK;
}
