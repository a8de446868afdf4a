// SPDX-License-Identifier: MIT
// Smoothing of the triangles: rounds of Laplacian steps flatten the marks of single particles. They would also shrink
// what is round; therefore the displacement along the normals is smoothed in the same way, and what is left of it is
// taken back (twicing, Tukey 1977): waves of a few spacings go, drops and the volume stay. Vertices with few particles
// around move less, so that threads stay (Loeschner et al. 2023: weight by the number of neighbours over 13). Vertices
// on walls stay where they are; those on the line where surface and wall meet slide along the wall.
#include <math.h>

#include "base/memory.h"
#include "surface/iso_internal.h"

static const double step_share = 0.6;                // of the way to the mean of the neighbours
static const double many_neighbors[2] = {6.0, 13.0}; // in 2D and 3D
static const double same_wall = 0.8;                 // cosine of the angle up to which two normals are of one wall

enum
{
    inside_rounds = 30 // by which the inside of an outline follows it, a cell each
};

typedef struct smoothing
{
    const frz_iso_field *field;
    frz_surface_mesh *mesh;
    int count;
    int *start;                 // per vertex: first of its neighbours
    int *next;                  // neighbours
    int *triangle;              // the triangle between a neighbour and the one after it
    float *weight;              // 0: fixed
    unsigned char *contact;     // on the line where surface and wall meet
    frz_vec3 *normal;           // of the wall there
    frz_vec3 *before;           // places before smoothing
    double *moved, *moved_next; // displacement along the normal
    frz_vec3 *spare;
} smoothing;

static void destroy(smoothing *s)
{
    frz_free(s->start);
    frz_free(s->next);
    frz_free(s->triangle);
    frz_free(s->weight);
    frz_free(s->contact);
    frz_free(s->normal);
    frz_free(s->before);
    frz_free(s->moved);
    frz_free(s->moved_next);
    frz_free(s->spare);
}

static frz_status allocate(smoothing *s, frz_diag *diag)
{
    const bool flat = s->field->cells->dimension < 3;
    const int64_t links = flat ? 2 * (int64_t)s->mesh->edge_count : 3 * (int64_t)s->mesh->mesh->triangle_count;
    s->count = s->mesh->mesh->vertex_count;
    s->start = FRZ_ALLOC("smoothing", s->count + 2, int);
    s->next = FRZ_ALLOC("smoothing", links + 1, int);
    s->triangle = FRZ_ALLOC("smoothing", links + 1, int);
    s->weight = FRZ_ALLOC("smoothing", s->count + 1, float);
    s->contact = FRZ_ALLOC("smoothing", s->count + 1, unsigned char);
    s->normal = FRZ_ALLOC("smoothing", s->count + 1, frz_vec3);
    s->before = FRZ_ALLOC("smoothing", s->count + 1, frz_vec3);
    s->moved = FRZ_ALLOC("smoothing", s->count + 1, double);
    s->moved_next = FRZ_ALLOC("smoothing", s->count + 1, double);
    s->spare = FRZ_ALLOC("smoothing", s->count + 1, frz_vec3);
    if (links > INT32_MAX)
        return frz_fail(diag, FRZ_ERR_ARGUMENT, "a surface of %d triangles is too large to smooth; take larger cells",
                        s->mesh->mesh->triangle_count);
    return s->start != NULL && s->next != NULL && s->triangle != NULL && s->weight != NULL && s->contact != NULL &&
                   s->normal != NULL && s->before != NULL && s->moved != NULL && s->moved_next != NULL &&
                   s->spare != NULL
               ? FRZ_OK
               : frz_fail_memory(diag, "the smoothing of a surface");
}

/// Number link of the list: from which vertex to which, on the rim of which triangle. Every edge of a closed surface
/// belongs to two triangles, one for each direction.
static void link_at(const smoothing *s, int64_t link, int *from, int *to, int *triangle)
{
    if (s->field->cells->dimension < 3)
    {
        *from = s->mesh->edges[link / 2][link % 2];
        *to = s->mesh->edges[link / 2][1 - link % 2];
        *triangle = -1;
        return;
    }
    *triangle = (int)(link / 3);
    *from = s->mesh->mesh->triangles[*triangle][link % 3];
    *to = s->mesh->mesh->triangles[*triangle][(link + 1) % 3];
}

static void connect(smoothing *s)
{
    const bool flat = s->field->cells->dimension < 3;
    const int64_t links = flat ? 2 * (int64_t)s->mesh->edge_count : 3 * (int64_t)s->mesh->mesh->triangle_count;
    int from, to, triangle;
    for (int64_t l = 0; l < links; ++l)
    {
        link_at(s, l, &from, &to, &triangle);
        s->start[from + 2] += from + 2 <= s->count + 1;
    }
    for (int v = 0; v <= s->count; ++v)
        s->start[v + 1] += s->start[v];
    for (int64_t l = 0; l < links; ++l)
    {
        link_at(s, l, &from, &to, &triangle);
        s->next[s->start[from + 1]] = to;
        s->triangle[s->start[from + 1]++] = triangle;
    }
}

/// Weights, and which vertices may slide along which wall.
static void classify(smoothing *s, const float *neighbors)
{
    const unsigned char *walls = s->mesh->walls;
    const double many = many_neighbors[s->field->cells->dimension == 3];
#pragma omp parallel for schedule(static)
    for (int v = 0; v < s->count; ++v)
    {
        const double x = fmin((double)neighbors[v] / many, 1.0);
        bool free = false;
        for (int k = s->start[v]; k < s->start[v + 1]; ++k)
            free = free || !walls[s->next[k]];
        s->contact[v] = walls[v] && free;
        s->weight[v] = walls[v] && !free ? 0.0f : (float)(x * x * x * (x * (6.0 * x - 15.0) + 10.0));
        if (s->contact[v])
            s->normal[v] = s->mesh->normals[v]; // of the wall, into it
    }
}

/// Take out of a step what leads out of the walls at a vertex and at the neighbours along the line of contact.
static frz_vec3 along_walls(const smoothing *s, int v, frz_vec3 step)
{
    frz_vec3 basis[3] = {s->normal[v]};
    int count = 1;
    for (int k = s->start[v]; k < s->start[v + 1] && count < 3; ++k)
    {
        frz_vec3 n = s->normal[s->next[k]];
        if (!s->contact[s->next[k]] || fabs(frz_v3_dot(n, s->normal[v])) > same_wall)
            continue;
        for (int b = 0; b < count; ++b)
            n = frz_v3_mad(n, -frz_v3_dot(n, basis[b]), basis[b]);
        const double length = frz_v3_length(n);
        if (length > 0.5)
            basis[count++] = frz_v3_scale(1.0 / length, n);
    }
    for (int b = 0; b < count; ++b)
        step = frz_v3_mad(step, -frz_v3_dot(step, basis[b]), basis[b]);
    return step;
}

static void swap(frz_vec3 **a, frz_vec3 **b)
{
    frz_vec3 *old = *a;
    *a = *b;
    *b = old;
}

/// Vertices on the line of contact lie on edges of the grid, up to a cell away from the free surface: slide them to
/// where it meets the wall.
static void settle_contacts(smoothing *s)
{
    const frz_vec3 *x = s->mesh->mesh->vertices;
#pragma omp parallel for schedule(static)
    for (int v = 0; v < s->count; ++v)
    {
        frz_vec3 sum = {0.0, 0.0, 0.0};
        int count = 0;
        for (int k = s->start[v]; k < s->start[v + 1] && s->contact[v]; ++k)
            if (!s->mesh->walls[s->next[k]])
            {
                sum = frz_v3_add(sum, frz_v3_sub(x[s->next[k]], x[v]));
                ++count;
            }
        s->spare[v] = count > 0 ? frz_v3_add(x[v], along_walls(s, v, frz_v3_scale(1.0 / count, sum))) : x[v];
    }
    swap(&s->mesh->mesh->vertices, &s->spare);
}

static frz_vec3 step_of(const smoothing *s, int v)
{
    const frz_vec3 *x = s->mesh->mesh->vertices;
    frz_vec3 sum = {0.0, 0.0, 0.0};
    int count = 0;
    for (int k = s->start[v]; k < s->start[v + 1]; ++k)
    {
        if (s->contact[v] && !s->contact[s->next[k]] && s->mesh->walls[s->next[k]])
            continue; // the line of contact follows the free surface, not the wall below
        sum = frz_v3_add(sum, frz_v3_sub(x[s->next[k]], x[v]));
        ++count;
    }
    const frz_vec3 step = count > 0 ? frz_v3_scale((double)s->weight[v] / count, sum) : sum;
    return s->contact[v] ? along_walls(s, v, step) : step;
}

static void smooth_once(smoothing *s)
{
#pragma omp parallel for schedule(static)
    for (int v = 0; v < s->count; ++v)
        s->spare[v] = s->weight[v] > 0.0f ? frz_v3_mad(s->mesh->mesh->vertices[v], step_share, step_of(s, v))
                                          : s->mesh->mesh->vertices[v];
    swap(&s->mesh->mesh->vertices, &s->spare);
}

/// Normals of the smoothed triangles; at the line of contact those of the free surface.
static void renew_normals(const smoothing *s)
{
    const frz_mesh *mesh = s->mesh->mesh;
#pragma omp parallel for schedule(static)
    for (int v = 0; v < s->count; ++v)
    {
        frz_vec3 sum = {0.0, 0.0, 0.0};
        for (int k = s->start[v]; k < s->start[v + 1]; ++k)
        {
            const int *t = mesh->triangles[s->triangle[k]];
            if (s->contact[v] && s->mesh->walls[t[0]] && s->mesh->walls[t[1]] && s->mesh->walls[t[2]])
                continue;
            const frz_vec3 a = mesh->vertices[t[0]];
            sum =
                frz_v3_add(sum, frz_v3_cross(frz_v3_sub(mesh->vertices[t[1]], a), frz_v3_sub(mesh->vertices[t[2]], a)));
        }
        const double length = frz_v3_length(sum);
        if (length > 0.0 && (!s->mesh->walls[v] || s->contact[v]))
            s->mesh->normals[v] = frz_v3_scale(1.0 / length, sum);
    }
}

/// Smooth the displacement along the normals; that of vertices on walls is zero.
static void smooth_moved(smoothing *s)
{
#pragma omp parallel for schedule(static)
    for (int v = 0; v < s->count; ++v)
    {
        const int count = s->start[v + 1] - s->start[v];
        double sum = 0.0;
        for (int k = s->start[v]; k < s->start[v + 1]; ++k)
            sum += s->moved[s->next[k]] - s->moved[v];
        const bool free = count > 0 && !s->mesh->walls[v];
        s->moved_next[v] = s->moved[v] + (free ? step_share * (double)s->weight[v] / count * sum : 0.0);
    }
    double *old = s->moved;
    s->moved = s->moved_next;
    s->moved_next = old;
}

static void smooth_rounds(smoothing *s, int rounds)
{
    frz_mesh *mesh = s->mesh->mesh;
    settle_contacts(s);
    for (int v = 0; v < s->count; ++v)
        s->before[v] = mesh->vertices[v];
    for (int k = 0; k < rounds; ++k)
        smooth_once(s);
    if (s->field->cells->dimension == 3)
        renew_normals(s);
    for (int v = 0; v < s->count; ++v)
        s->moved[v] =
            s->mesh->walls[v] ? 0.0 : frz_v3_dot(frz_v3_sub(mesh->vertices[v], s->before[v]), s->mesh->normals[v]);
    for (int k = 0; k < rounds; ++k)
        smooth_moved(s);
    for (int v = 0; v < s->count; ++v)
        if (!s->mesh->walls[v])
            mesh->vertices[v] = frz_v3_mad(mesh->vertices[v], -s->moved[v], s->mesh->normals[v]);
}

// ---- the inside of an outline

/// Let the nodes inside of an outline follow it: the displacement of its vertices goes on into the inside as a mean of
/// those around, round by round. Otherwise an outline that moved in by more than a cell would leave nodes outside.
static bool move_inside(const frz_vec3 *start, frz_surface_mesh *surface)
{
    frz_mesh *mesh = surface->mesh;
    const int count = mesh->vertex_count;
    frz_vec3 *moved = FRZ_ALLOC("smoothing", count + 1, frz_vec3), *sum = FRZ_ALLOC("smoothing", count + 1, frz_vec3);
    int *around = FRZ_ALLOC("smoothing", count + 1, int);
    unsigned char *fixed = FRZ_ALLOC("smoothing", count + 1, unsigned char);
    const bool complete = moved != NULL && sum != NULL && around != NULL && fixed != NULL;
    for (int v = 0; v < count && complete; ++v)
        moved[v] = frz_v3_sub(mesh->vertices[v], start[v]);
    for (int e = 0; e < surface->edge_count && complete; ++e)
        fixed[surface->edges[e][0]] = fixed[surface->edges[e][1]] = 1;
    for (int round = 0; round < inside_rounds && complete; ++round)
    {
        for (int v = 0; v < count; ++v)
        {
            sum[v] = frz_v3(0.0, 0.0, 0.0);
            around[v] = 0;
        }
        for (int t = 0; t < mesh->triangle_count; ++t)
            for (int c = 0; c < 3; ++c)
            {
                const int v = mesh->triangles[t][c], a = mesh->triangles[t][(c + 1) % 3],
                          b = mesh->triangles[t][(c + 2) % 3];
                sum[v] = frz_v3_add(sum[v], frz_v3_add(moved[a], moved[b]));
                around[v] += 2;
            }
        for (int v = 0; v < count; ++v)
            if (!fixed[v] && around[v] > 0)
                moved[v] = frz_v3_scale(1.0 / around[v], sum[v]);
    }
    for (int v = 0; v < count && complete; ++v)
        if (!fixed[v])
            mesh->vertices[v] = frz_v3_add(start[v], moved[v]);
    frz_free(moved);
    frz_free(sum);
    frz_free(around);
    frz_free(fixed);
    return complete;
}

frz_status frz_iso_smooth(const frz_iso_field *field, const float *neighbors, int rounds, frz_surface_mesh *mesh,
                          frz_diag *diag)
{
    smoothing s = {.field = field, .mesh = mesh};
    const frz_status status = allocate(&s, diag);
    const bool flat = field->cells->dimension < 3;
    frz_vec3 *start = flat && status == FRZ_OK ? FRZ_ALLOC("smoothing", s.count + 1, frz_vec3) : NULL;
    bool complete = !flat || start != NULL;
    if (status == FRZ_OK && complete)
    {
        for (int v = 0; v < s.count && flat; ++v)
            start[v] = mesh->mesh->vertices[v];
        connect(&s);
        classify(&s, neighbors);
        smooth_rounds(&s, rounds);
        if (flat)
            complete = move_inside(start, mesh);
        else
            renew_normals(&s);
    }
    frz_free(start);
    destroy(&s);
    return status == FRZ_OK && !complete ? frz_fail_memory(diag, "the smoothing of a surface") : status;
}
