// SPDX-License-Identifier: MIT
// Making a skin: neighbours of the particles, ties of the vertices, triangles around them.
#include "surface/skin_internal.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "geom/point_hash.h"

static const double widest_search = 16.0; // spacings; beyond it all particles are looked at
// A crack has opened by two spacings when a bond is this many times as long as at rest; rubber holds together up to 200
// % extension.
static const double usual_stretch_limit = 3.0;
static const double far_margin = 1.0; // spacings by which the ties of a far vertex reach behind its nearest particle

/// A search for particles near points.
typedef struct search
{
    const frz_skin *skin;
    frz_point_hash hash;
} search;

static double distance_to(const frz_skin *skin, int particle, frz_vec3 point)
{
    return frz_v3_length(frz_v3_sub(skin->places[particle], point));
}

/// Particles closer than radius.
static int collect(const search *s, frz_vec3 point, double radius, int found[FRZ_SKIN_TIES_MOST])
{
    const frz_skin *skin = s->skin;
    if (radius <= widest_search * skin->spacing)
        return frz_point_hash_collect(&s->hash, skin->places, point, radius, found, FRZ_SKIN_TIES_MOST);
    int count = 0;
    for (int i = 0; i < skin->count && count < FRZ_SKIN_TIES_MOST; ++i)
        if (distance_to(skin, i, point) < radius)
            found[count++] = i;
    return count;
}

static double nearest_distance(const search *s, frz_vec3 point)
{
    const frz_skin *skin = s->skin;
    int found[FRZ_SKIN_TIES_MOST];
    double nearest = HUGE_VAL;
    double radius = FRZ_SKIN_REACH;
    while (radius <= widest_search && !isfinite(nearest))
    {
        const int count = collect(s, point, radius * skin->spacing, found);
        for (int k = 0; k < count; ++k)
            nearest = fmin(nearest, distance_to(skin, found[k], point));
        radius *= 2.0;
    }
    for (int i = 0; i < skin->count && !(nearest <= widest_search * skin->spacing); ++i)
        nearest = fmin(nearest, distance_to(skin, i, point));
    return nearest;
}

/// How far the particles that carry a point may be: a continuous function of the point, and always far enough for one.
static double reach_of(const search *s, frz_vec3 point)
{
    return fmax(FRZ_SKIN_REACH * s->skin->spacing, nearest_distance(s, point) + far_margin * s->skin->spacing);
}

// ---- lists

static frz_status create_lists(frz_skin_lists *lists, int count, const int *lengths, frz_diag *diag)
{
    lists->starts = FRZ_ALLOC("skin", (int64_t)count + 1, int64_t);
    if (lists->starts == NULL)
        return frz_fail_memory(diag, "a skin");
    for (int i = 0; i < count; ++i)
        lists->starts[i + 1] = lists->starts[i] + lengths[i];
    lists->items = FRZ_ALLOC("skin", lists->starts[count], int);
    return lists->items != NULL ? FRZ_OK : frz_fail_memory(diag, "a skin");
}

static void destroy_lists(frz_skin_lists *lists)
{
    frz_free(lists->starts);
    frz_free(lists->items);
}

/// The neighbours of a particle.
static int find_bonds(const search *s, int particle, int found[FRZ_SKIN_TIES_MOST])
{
    const int all = collect(s, s->skin->places[particle], FRZ_SKIN_BOND * s->skin->spacing, found);
    int count = 0;
    for (int k = 0; k < all; ++k)
        if (found[k] != particle)
            found[count++] = found[k];
    return count;
}

static frz_status list_bonds(frz_skin *skin, const search *s, int *lengths, frz_diag *diag)
{
#pragma omp parallel for schedule(dynamic, 256)
    for (int i = 0; i < skin->count; ++i)
    {
        int found[FRZ_SKIN_TIES_MOST];
        lengths[i] = find_bonds(s, i, found);
    }
    FRZ_TRY(create_lists(&skin->bonds, skin->count, lengths, diag));
#pragma omp parallel for schedule(dynamic, 256)
    for (int i = 0; i < skin->count; ++i)
    {
        int found[FRZ_SKIN_TIES_MOST];
        const int count = find_bonds(s, i, found);
        memcpy(skin->bonds.items + skin->bonds.starts[i], found, (size_t)count * sizeof *found);
    }
    return FRZ_OK;
}

/// Smooth weight of a distance, 1 to 0 over the reach, with two continuous derivatives at its end.
static double tie_weight(double distance, double reach)
{
    const double q = distance / reach;
    const double s = q < 1.0 ? 1.0 - q * q : 0.0;
    return s * s * s;
}

static void move_heaviest_to_front(int count, int *particles, double *weights)
{
    int heaviest = 0;
    for (int k = 1; k < count; ++k)
        heaviest = weights[k] > weights[heaviest] ? k : heaviest;
    const int particle = particles[heaviest];
    const double weight = weights[heaviest];
    particles[heaviest] = particles[0];
    weights[heaviest] = weights[0];
    particles[0] = particle;
    weights[0] = weight;
}

/// Particles that carry a point, with weights that sum to 1. The heaviest is in front: it decides which side of a crack
/// the point stays on. Those on the other side of a slit, without a way through the body nearby, do not count.
static int find_ties(const search *s, frz_vec3 point, int *particles, double *weights)
{
    unsigned char loose[FRZ_SKIN_TIES_MOST];
    const double reach = reach_of(s, point);
    const int found = collect(s, point, reach, particles);
    for (int k = 0; k < found; ++k)
        weights[k] = tie_weight(distance_to(s->skin, particles[k], point), reach);
    move_heaviest_to_front(found, particles, weights);
    frz_skin_join(s->skin, s->skin->places, particles, found, 0, loose);
    int count = 0;
    double sum = 0.0;
    for (int k = 0; k < found; ++k)
    {
        if (loose[k])
            continue;
        particles[count] = particles[k];
        weights[count] = weights[k];
        sum += weights[count++];
    }
    for (int k = 0; k < count; ++k)
        weights[k] /= sum;
    return count;
}

static frz_status list_ties(frz_skin *skin, const search *s, int *lengths, frz_diag *diag)
{
    const int vertices = skin->rest->vertex_count;
#pragma omp parallel for schedule(dynamic, 256)
    for (int v = 0; v < vertices; ++v)
    {
        int particles[FRZ_SKIN_TIES_MOST];
        double weights[FRZ_SKIN_TIES_MOST];
        lengths[v] = find_ties(s, skin->rest->vertices[v], particles, weights);
    }
    FRZ_TRY(create_lists(&skin->ties, vertices, lengths, diag));
    skin->weights = FRZ_ALLOC("skin", skin->ties.starts[vertices], double);
    skin->loose = FRZ_ALLOC("skin", skin->ties.starts[vertices], unsigned char);
    if (skin->weights == NULL || skin->loose == NULL)
        return frz_fail_memory(diag, "a skin");
#pragma omp parallel for schedule(dynamic, 256)
    for (int v = 0; v < vertices; ++v)
    {
        int particles[FRZ_SKIN_TIES_MOST];
        double weights[FRZ_SKIN_TIES_MOST];
        const int count = find_ties(s, skin->rest->vertices[v], particles, weights);
        memcpy(skin->ties.items + skin->ties.starts[v], particles, (size_t)count * sizeof *particles);
        memcpy(skin->weights + skin->ties.starts[v], weights, (size_t)count * sizeof *weights);
    }
    return FRZ_OK;
}

static frz_status list_fans(frz_skin *skin, int *lengths, frz_diag *diag)
{
    const frz_mesh *mesh = skin->rest;
    memset(lengths, 0, (size_t)mesh->vertex_count * sizeof *lengths);
    for (int t = 0; t < mesh->triangle_count; ++t)
        for (int c = 0; c < 3; ++c)
            ++lengths[mesh->triangles[t][c]];
    FRZ_TRY(create_lists(&skin->fans, mesh->vertex_count, lengths, diag));
    memset(lengths, 0, (size_t)mesh->vertex_count * sizeof *lengths);
    for (int t = 0; t < mesh->triangle_count; ++t)
        for (int c = 0; c < 3; ++c)
        {
            const int v = mesh->triangles[t][c];
            skin->fans.items[skin->fans.starts[v] + lengths[v]++] = t;
        }
    return FRZ_OK;
}

// ---- the whole

static frz_status allocate(frz_skin *skin, const frz_skin_def *def, frz_diag *diag)
{
    skin->count = def->count;
    skin->spacing = def->spacing;
    skin->stretch_limit = def->stretch_limit > 0.0 ? def->stretch_limit : usual_stretch_limit;
    FRZ_TRY(frz_mesh_copy(def->mesh, &skin->rest, diag));
    FRZ_TRY(frz_mesh_copy(def->mesh, &skin->mesh, diag));
    skin->places = FRZ_ALLOC("skin", def->count, frz_vec3);
    skin->gradients = FRZ_ALLOC("skin", def->count, frz_mat3);
    skin->torn = FRZ_ALLOC("skin", def->count, unsigned char);
    skin->vertex_is = FRZ_ALLOC("skin", def->mesh->vertex_count, unsigned char);
    skin->kept = FRZ_ALLOC("skin", def->mesh->triangle_count, unsigned char);
    skin->normals = FRZ_ALLOC("skin", def->mesh->vertex_count, frz_vec3);
    if (skin->places == NULL || skin->gradients == NULL || skin->torn == NULL || skin->vertex_is == NULL ||
        skin->kept == NULL || skin->normals == NULL)
        return frz_fail_memory(diag, "a skin");
    memcpy(skin->places, def->places, (size_t)def->count * sizeof *def->places);
    return FRZ_OK;
}

static frz_status bind(frz_skin *skin, frz_diag *diag)
{
    search s = {.skin = skin};
    const int most = skin->count > skin->rest->vertex_count ? skin->count : skin->rest->vertex_count;
    FRZ_TRY(frz_point_hash_create(&s.hash, skin->count, FRZ_SKIN_REACH * skin->spacing, diag));
    for (int i = 0; i < skin->count; ++i)
        frz_point_hash_insert(&s.hash, skin->places, i);
    int *lengths = FRZ_ALLOC("skin", most, int);
    frz_status status = lengths != NULL ? FRZ_OK : frz_fail_memory(diag, "a skin");
    if (status == FRZ_OK)
        status = list_bonds(skin, &s, lengths, diag);
    if (status == FRZ_OK)
        status = list_ties(skin, &s, lengths, diag);
    if (status == FRZ_OK)
        status = list_fans(skin, lengths, diag);
    frz_free(lengths);
    frz_point_hash_destroy(&s.hash);
    return status;
}

static bool all_finite(const frz_vec3 *points, int count)
{
    for (int i = 0; i < count; ++i)
        if (!isfinite(points[i].x) || !isfinite(points[i].y) || !isfinite(points[i].z))
            return false;
    return true;
}

frz_status frz_skin_create(const frz_skin_def *def, frz_skin **out, frz_diag *diag)
{
    *out = NULL;
    if (def->count < 1 || !(def->spacing > 0.0))
        return frz_fail(diag, FRZ_ERR_ARGUMENT, "a skin needs at least one particle and a spacing above 0");
    if (!all_finite(def->places, def->count) || !all_finite(def->mesh->vertices, def->mesh->vertex_count))
        return frz_fail(diag, FRZ_ERR_ARGUMENT, "a skin needs particles and vertices at finite places");
    frz_skin *skin = FRZ_ALLOC("skin", 1, frz_skin);
    if (skin == NULL)
        return frz_fail_memory(diag, "a skin");
    frz_status status = allocate(skin, def, diag);
    if (status == FRZ_OK)
        status = bind(skin, diag);
    if (status == FRZ_OK)
        frz_skin_deform(skin, skin->places);
    else
        frz_skin_destroy(&skin);
    *out = skin;
    return status;
}

void frz_skin_destroy(frz_skin **skin)
{
    if (skin == NULL || *skin == NULL)
        return;
    frz_skin *s = *skin;
    destroy_lists(&s->bonds);
    destroy_lists(&s->ties);
    destroy_lists(&s->fans);
    frz_mesh_destroy(&s->rest);
    frz_mesh_destroy(&s->mesh);
    frz_free(s->places);
    frz_free(s->weights);
    frz_free(s->gradients);
    frz_free(s->torn);
    frz_free(s->loose);
    frz_free(s->vertex_is);
    frz_free(s->kept);
    frz_free(s->normals);
    FRZ_FREE(*skin);
}

int frz_skin_ties(const frz_skin *skin, int vertex, const int **particles, const double **weights)
{
    const int64_t start = skin->ties.starts[vertex];
    *particles = skin->ties.items + start;
    *weights = skin->weights + start;
    return (int)(skin->ties.starts[vertex + 1] - start);
}
