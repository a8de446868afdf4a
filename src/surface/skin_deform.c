// SPDX-License-Identifier: MIT
// Carrying a skin: deformation gradients of the particles, places of the vertices, cracks, normals.
#include "surface/skin_internal.h"

#include <math.h>
#include <string.h>

static const double shortest_bond = 0.5; // spacings; particles that were sampled closer have no meaningful stretch

// Neighbours whose spread in a direction is below this part of that in the widest one (of the squares) lie in a plane
// or on a line: bent sheets of one layer do, down to a radius of about four spacings; two layers have 0.5 and more.
static const double flat_share = 0.05;

// ---- deformation gradient

/// The shortest turn that takes unit vector a to unit vector b, applied to v.
static frz_vec3 turn(frz_vec3 a, frz_vec3 b, frz_vec3 v)
{
    const double cosine = frz_v3_dot(a, b);
    if (1.0 + cosine < 1e-12) // opposite: half a turn about any axis across; only finite numbers matter here
    {
        const frz_vec3 helper = fabs(a.x) < 0.6 ? frz_v3(1.0, 0.0, 0.0) : frz_v3(0.0, 1.0, 0.0);
        const frz_vec3 axis = frz_v3_normalize(frz_v3_cross(a, helper));
        return frz_v3_sub(frz_v3_scale(2.0 * frz_v3_dot(axis, v), axis), v);
    }
    // v + w x v + w x (w x v) / (1 + cos) with w = a x b
    const frz_vec3 w = frz_v3_cross(a, b);
    const frz_vec3 once = frz_v3_cross(w, v);
    return frz_v3_mad(frz_v3_add(v, once), 1.0 / (1.0 + cosine), frz_v3_cross(w, once));
}

static frz_vec3 column(frz_mat3 a, int c)
{
    return frz_v3(a.m[0][c], a.m[1][c], a.m[2][c]);
}

/// F with F A = B in the directions in which A (symmetric) has something to say. The others go along with these: the
/// normal of a sheet stays normal to it, what stands across a rod is turned with it, one particle turns nothing.
static frz_mat3 fit_gradient(frz_mat3 a, frz_mat3 b)
{
    const frz_eigen3 e = frz_m3_eigen(a);
    if (!(e.s[0] > 0.0))
        return frz_m3_identity();
    frz_vec3 from[3], to[3];
    int rank = 0;
    for (int k = 0; k < 3; ++k)
    {
        from[k] = column(e.v, k);
        rank += e.s[k] > flat_share * e.s[0];
    }
    for (int k = 0; k < rank; ++k)
        to[k] = frz_v3_scale(1.0 / e.s[k], frz_m3_apply(b, from[k]));
    if (rank == 2)
        to[2] = frz_v3_normalize(frz_v3_cross(to[0], to[1]));
    for (int k = 1; k < 3 && rank == 1; ++k)
        to[k] = turn(from[0], frz_v3_normalize(to[0]), from[k]);
    frz_mat3 f = frz_m3_zero();
    for (int k = 0; k < 3; ++k)
        f = frz_m3_add(f, frz_m3_outer(to[k], from[k]));
    return f;
}

/// Whether a bond between two neighbours is broken. Bonds to particles that are gone (not finite) are.
static bool is_broken(const frz_skin *skin, const frz_vec3 *now, int i, int j)
{
    const double rest = frz_v3_length(frz_v3_sub(skin->places[j], skin->places[i]));
    const double length = frz_v3_length(frz_v3_sub(now[j], now[i]));
    return !(length <= skin->stretch_limit * fmax(rest, shortest_bond * skin->spacing));
}

static void find_gradient(frz_skin *skin, const frz_vec3 *now, int i)
{
    frz_mat3 a = frz_m3_zero(), b = frz_m3_zero();
    bool torn = false;
    for (int64_t k = skin->bonds.starts[i]; k < skin->bonds.starts[i + 1]; ++k)
    {
        const int j = skin->bonds.items[k];
        if (is_broken(skin, now, i, j))
        {
            torn = true;
            continue;
        }
        const frz_vec3 rest = frz_v3_sub(skin->places[j], skin->places[i]);
        const double q = frz_v3_length(rest) / (FRZ_SKIN_BOND * skin->spacing);
        const frz_vec3 weighted = frz_v3_scale(1.0 - q * q, rest);
        a = frz_m3_add(a, frz_m3_outer(rest, weighted));
        b = frz_m3_add(b, frz_m3_outer(frz_v3_sub(now[j], now[i]), weighted));
    }
    skin->torn[i] = torn || !isfinite(now[i].x + now[i].y + now[i].z);
    skin->gradients[i] = fit_gradient(a, b);
}

// ---- vertices

void frz_skin_join(const frz_skin *skin, const frz_vec3 *now, const int *particles, int count, int first,
                   unsigned char *loose)
{
    int reached[FRZ_SKIN_TIES_MOST], found = 0;
    memset(loose, 1, (size_t)count);
    reached[found++] = first;
    loose[first] = 0;
    for (int next = 0; next < found; ++next)
    {
        const int i = particles[reached[next]];
        for (int k = 0; k < count; ++k)
        {
            const int j = particles[k];
            const double rest = frz_v3_length(frz_v3_sub(skin->places[j], skin->places[i]));
            if (!loose[k] || rest >= FRZ_SKIN_BOND * skin->spacing || is_broken(skin, now, i, j))
                continue;
            loose[k] = 0;
            reached[found++] = k;
        }
    }
}

/// Of the particles of a vertex near a crack only those carry it that hold together with its heaviest one that is left.
/// False if none is.
static bool keep_joined(frz_skin *skin, const frz_vec3 *now, int vertex)
{
    const int64_t start = skin->ties.starts[vertex];
    const int count = (int)(skin->ties.starts[vertex + 1] - start);
    const int *particles = skin->ties.items + start;
    int first = 0;
    while (first < count && !isfinite(now[particles[first]].x))
        ++first;
    if (first < count)
        frz_skin_join(skin, now, particles, count, first, skin->loose + start);
    return first < count;
}

static frz_skin_vertex judge_vertex(frz_skin *skin, const frz_vec3 *now, int vertex)
{
    const int64_t start = skin->ties.starts[vertex], end = skin->ties.starts[vertex + 1];
    bool torn = false;
    for (int64_t k = start; k < end; ++k)
        torn = torn || skin->torn[skin->ties.items[k]];
    if (torn)
        return keep_joined(skin, now, vertex) ? FRZ_SKIN_CUT : FRZ_SKIN_GONE;
    memset(skin->loose + start, 0, (size_t)(end - start));
    return FRZ_SKIN_WHOLE;
}

/// The mean of what the particles say about the vertex: displacements with their gradients, as Mueller 2004 moves
/// surfels.
static frz_vec3 place_vertex(const frz_skin *skin, const frz_vec3 *now, int vertex)
{
    const frz_vec3 point = skin->rest->vertices[vertex];
    frz_vec3 sum = {0.0, 0.0, 0.0};
    double total = 0.0;
    for (int64_t k = skin->ties.starts[vertex]; k < skin->ties.starts[vertex + 1]; ++k)
    {
        if (skin->loose[k])
            continue;
        const int i = skin->ties.items[k];
        const frz_vec3 arm = frz_m3_apply(skin->gradients[i], frz_v3_sub(point, skin->places[i]));
        sum = frz_v3_mad(sum, skin->weights[k], frz_v3_add(now[i], arm));
        total += skin->weights[k];
    }
    return frz_v3_scale(1.0 / total, sum);
}

// ---- triangles

/// The particle that decides where a vertex belongs: the heaviest that is left.
static int anchor_of(const frz_skin *skin, int vertex)
{
    int64_t k = skin->ties.starts[vertex];
    while (skin->loose[k])
        ++k;
    return skin->ties.items[k];
}

static bool is_loose_at(const frz_skin *skin, int vertex, int particle)
{
    for (int64_t k = skin->ties.starts[vertex]; k < skin->ties.starts[vertex + 1]; ++k)
        if (skin->ties.items[k] == particle)
            return skin->loose[k];
    return false;
}

/// Do all corners belong to the same side of a crack?
static bool holds_together(const frz_skin *skin, const int corners[3])
{
    bool cut = false;
    for (int c = 0; c < 3; ++c)
    {
        if (skin->vertex_is[corners[c]] == FRZ_SKIN_GONE)
            return false;
        cut = cut || skin->vertex_is[corners[c]] == FRZ_SKIN_CUT;
    }
    for (int c = 0; c < 3 && cut; ++c)
    {
        const int anchor = anchor_of(skin, corners[c]);
        if (is_loose_at(skin, corners[(c + 1) % 3], anchor) || is_loose_at(skin, corners[(c + 2) % 3], anchor))
            return false;
    }
    return true;
}

static void keep_triangles(frz_skin *skin)
{
    const frz_mesh *rest = skin->rest;
    frz_mesh *mesh = skin->mesh;
#pragma omp parallel for schedule(static)
    for (int t = 0; t < rest->triangle_count; ++t)
        skin->kept[t] = holds_together(skin, rest->triangles[t]);
    mesh->triangle_count = 0;
    for (int t = 0; t < rest->triangle_count; ++t)
        if (skin->kept[t])
            memcpy(mesh->triangles[mesh->triangle_count++], rest->triangles[t], sizeof *rest->triangles);
}

/// Mean of the normals of the triangles around a vertex, larger ones counting more.
static frz_vec3 vertex_normal(const frz_skin *skin, int vertex)
{
    const frz_vec3 *x = skin->mesh->vertices;
    frz_vec3 sum = {0.0, 0.0, 0.0};
    for (int64_t k = skin->fans.starts[vertex]; k < skin->fans.starts[vertex + 1]; ++k)
    {
        const int t = skin->fans.items[k];
        const int *corner = skin->rest->triangles[t];
        if (!skin->kept[t])
            continue;
        const frz_vec3 a = x[corner[0]];
        sum = frz_v3_add(sum, frz_v3_cross(frz_v3_sub(x[corner[1]], a), frz_v3_sub(x[corner[2]], a)));
    }
    return frz_v3_normalize(sum);
}

void frz_skin_deform(frz_skin *skin, const frz_vec3 *now)
{
    const int vertices = skin->rest->vertex_count;
#pragma omp parallel for schedule(static)
    for (int i = 0; i < skin->count; ++i)
        find_gradient(skin, now, i);
#pragma omp parallel for schedule(static)
    for (int v = 0; v < vertices; ++v)
    {
        skin->vertex_is[v] = (unsigned char)judge_vertex(skin, now, v);
        // a vertex that nothing carries is in no triangle; its place only has to be a number
        const bool gone = skin->vertex_is[v] == FRZ_SKIN_GONE;
        skin->mesh->vertices[v] = gone ? skin->rest->vertices[v] : place_vertex(skin, now, v);
    }
    keep_triangles(skin);
#pragma omp parallel for schedule(static)
    for (int v = 0; v < vertices; ++v)
        skin->normals[v] = vertex_normal(skin, v);
}

void frz_skin_blend(const frz_skin *skin, const double *values, double *out)
{
#pragma omp parallel for schedule(static)
    for (int v = 0; v < skin->rest->vertex_count; ++v)
    {
        double sum = 0.0, total = 0.0;
        for (int64_t k = skin->ties.starts[v]; k < skin->ties.starts[v + 1]; ++k)
        {
            if (skin->loose[k])
                continue;
            sum += skin->weights[k] * values[skin->ties.items[k]];
            total += skin->weights[k];
        }
        out[v] = total > 0.0 ? sum / total : 0.0;
    }
}

bool frz_skin_is_torn(const frz_skin *skin, int particle)
{
    return skin->torn[particle];
}

const frz_mesh *frz_skin_mesh(const frz_skin *skin)
{
    return skin->mesh;
}

const frz_vec3 *frz_skin_normals(const frz_skin *skin)
{
    return skin->normals;
}
