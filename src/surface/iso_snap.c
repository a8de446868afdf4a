// SPDX-License-Identifier: MIT
// Slivers: where the surface passes close to a node of the grid, the edges of the grid that meet there cut it in
// vertices close together. Those within a tenth of a cell become one (Moore & Warren 1992, "Compact isocontours from
// sampled data"), edge by edge, as long as the surface stays closed and manifold and no triangle turns over.
#include <math.h>

#include "base/memory.h"
#include "surface/iso_internal.h"

static const double snap_distance = 0.1; // cells from a node
static const double same_wall = 0.99;    // cosine of the angle up to which two normals are of one wall
static const int64_t no_node = -1;

enum
{
    node_bits = 21,      // of a coordinate of a node
    most_neighbors = 128 // of a vertex that may be joined
};

typedef struct snapping
{
    frz_surface_mesh *mesh;
    int64_t *node; ///< per vertex: of the grid, or none
    int *start;    ///< per vertex: first of its corners
    int *around;   ///< triangles of the corners
    int *root;     ///< per vertex: the one that it was joined to; itself
    int *next;     ///< per vertex: the next of those joined to the same, -1 at the end
    int *last;     ///< per root: the last of them
} snapping;

static bool allocate(snapping *s)
{
    const frz_mesh *mesh = s->mesh->mesh;
    const int64_t count = mesh->vertex_count + 2;
    s->node = FRZ_ALLOC("snapping", count, int64_t);
    s->start = FRZ_ALLOC("snapping", count, int);
    s->around = FRZ_ALLOC("snapping", 3 * (int64_t)mesh->triangle_count + 1, int);
    s->root = FRZ_ALLOC("snapping", count, int);
    s->next = FRZ_ALLOC("snapping", count, int);
    s->last = FRZ_ALLOC("snapping", count, int);
    return s->node != NULL && s->start != NULL && s->around != NULL && s->root != NULL && s->next != NULL &&
           s->last != NULL;
}

static void destroy(snapping *s)
{
    frz_free(s->node);
    frz_free(s->start);
    frz_free(s->around);
    frz_free(s->root);
    frz_free(s->next);
    frz_free(s->last);
}

/// The node that each vertex is close to. Vertices lie on edges of the grid.
static void find_nodes(snapping *s, const frz_iso_cells *cells)
{
    const frz_mesh *mesh = s->mesh->mesh;
    const double most = (double)(1 << (node_bits - 1));
#pragma omp parallel for schedule(static)
    for (int v = 0; v < mesh->vertex_count; ++v)
    {
        const frz_vec3 x = frz_v3_scale(1.0 / cells->cell, frz_v3_sub(mesh->vertices[v], cells->origin));
        const frz_vec3 n = {floor(x.x + 0.5), floor(x.y + 0.5), floor(x.z + 0.5)};
        const frz_vec3 off = frz_v3_sub(x, n);
        const bool close = fabs(off.x) < snap_distance && fabs(off.y) < snap_distance && fabs(off.z) < snap_distance &&
                           fabs(n.x) < most && fabs(n.y) < most && fabs(n.z) < most;
        s->node[v] = close ? (int64_t)(n.x + most) + ((int64_t)(n.y + most) << node_bits) +
                                 ((int64_t)(n.z + most) << 2 * node_bits)
                           : no_node;
        s->root[v] = s->last[v] = v;
        s->next[v] = -1;
    }
}

static void find_triangles(snapping *s)
{
    const frz_mesh *mesh = s->mesh->mesh;
    for (int t = 0; t < mesh->triangle_count; ++t)
        for (int c = 0; c < 3; ++c)
            s->start[mesh->triangles[t][c] + 1] += 1;
    for (int v = 0; v < mesh->vertex_count; ++v)
        s->start[v + 1] += s->start[v];
    for (int t = 0; t < mesh->triangle_count; ++t) // each start runs to that of the next vertex
        for (int c = 0; c < 3; ++c)
            s->around[s->start[mesh->triangles[t][c]]++] = t;
    for (int v = mesh->vertex_count; v > 0; --v)
        s->start[v] = s->start[v - 1];
    s->start[0] = 0;
}

static int root_of(const snapping *s, int vertex)
{
    return s->root[vertex]; // joins write it for all members
}

/// Corners of a triangle as they are joined; false: nothing is left of it.
static bool corners_of(const snapping *s, int triangle, int corners[3])
{
    for (int c = 0; c < 3; ++c)
        corners[c] = root_of(s, s->mesh->mesh->triangles[triangle][c]);
    return corners[0] != corners[1] && corners[1] != corners[2] && corners[2] != corners[0];
}

/// Vertices around one, each once; -1: too many.
static int neighbors_of(const snapping *s, int vertex, int list[most_neighbors])
{
    int count = 0;
    for (int member = vertex; member >= 0; member = s->next[member])
        for (int k = s->start[member]; k < s->start[member + 1]; ++k)
        {
            int corners[3];
            if (!corners_of(s, s->around[k], corners))
                continue;
            for (int c = 0; c < 3; ++c)
            {
                bool known = corners[c] == vertex;
                for (int n = 0; n < count && !known; ++n)
                    known = list[n] == corners[c];
                if (!known && count == most_neighbors)
                    return -1;
                if (!known)
                    list[count++] = corners[c];
            }
        }
    return count;
}

/// An edge of a closed manifold may be joined if its ends have exactly the two vertices beside it in common. The line
/// where surface and wall meet stays as it is.
static bool keeps_manifold(const snapping *s, int a, int b)
{
    int of_a[most_neighbors], of_b[most_neighbors], common = 0;
    const int count_a = neighbors_of(s, a, of_a), count_b = neighbors_of(s, b, of_b);
    if (count_a < 0 || count_b < 0 || count_a + count_b - 4 < 3)
        return false;
    const unsigned char *walls = s->mesh->walls, kind = walls[a];
    bool alike = true;
    for (int j = 0; j < count_b; ++j)
        alike = alike && walls[of_b[j]] == kind;
    for (int i = 0; i < count_a && alike; ++i)
    {
        alike = walls[of_a[i]] == kind;
        for (int j = 0; j < count_b; ++j)
            common += of_a[i] == of_b[j];
    }
    return alike && common == 2;
}

static frz_vec3 area_normal(const frz_vec3 x[3])
{
    return frz_v3_cross(frz_v3_sub(x[1], x[0]), frz_v3_sub(x[2], x[0]));
}

/// Whether no triangle around an end of the edge turns over when both ends go to a place.
static bool keeps_sides(const snapping *s, int a, int b, int vertex, frz_vec3 place)
{
    for (int member = vertex; member >= 0; member = s->next[member])
        for (int k = s->start[member]; k < s->start[member + 1]; ++k)
        {
            int corners[3];
            if (!corners_of(s, s->around[k], corners))
                continue;
            frz_vec3 before[3], after[3];
            int ends = 0;
            for (int c = 0; c < 3; ++c)
            {
                const bool end = corners[c] == a || corners[c] == b;
                before[c] = s->mesh->mesh->vertices[corners[c]];
                after[c] = end ? place : before[c];
                ends += end;
            }
            if (ends < 2 && frz_v3_dot(area_normal(before), area_normal(after)) < 0.0)
                return false;
        }
    return true;
}

static bool may_join(const snapping *s, int a, int b)
{
    const unsigned char *walls = s->mesh->walls;
    if (s->node[a] == no_node || s->node[a] != s->node[b] || a == b || walls[a] != walls[b])
        return false;
    return !walls[a] || frz_v3_dot(s->mesh->normals[a], s->mesh->normals[b]) > same_wall;
}

static void join(snapping *s, int a, int b, frz_vec3 place)
{
    const frz_vec3 sum = frz_v3_add(s->mesh->normals[a], s->mesh->normals[b]);
    const double length = frz_v3_length(sum);
    for (int member = b; member >= 0; member = s->next[member])
        s->root[member] = a;
    s->next[s->last[a]] = b;
    s->last[a] = s->last[b];
    s->mesh->mesh->vertices[a] = place;
    s->mesh->normals[a] = length > 0.0 ? frz_v3_scale(1.0 / length, sum) : s->mesh->normals[a];
}

static void join_edges(snapping *s)
{
    const frz_mesh *mesh = s->mesh->mesh;
    for (int t = 0; t < mesh->triangle_count; ++t)
        for (int c = 0; c < 3; ++c)
        {
            const int from = mesh->triangles[t][c], to = mesh->triangles[t][(c + 1) % 3];
            if (s->node[from] == no_node || s->node[from] != s->node[to] || from > to) // each edge once
                continue;
            const int a = root_of(s, from), b = root_of(s, to);
            if (!may_join(s, a, b) || !keeps_manifold(s, a, b))
                continue;
            const frz_vec3 place = frz_v3_scale(0.5, frz_v3_add(mesh->vertices[a], mesh->vertices[b]));
            if (keeps_sides(s, a, b, a, place) && keeps_sides(s, a, b, b, place))
                join(s, a, b, place);
        }
}

/// The triangles that are left.
static void drop_triangles(const snapping *s)
{
    frz_mesh *mesh = s->mesh->mesh;
    int kept = 0;
    for (int t = 0; t < mesh->triangle_count; ++t)
    {
        int corners[3];
        if (!corners_of(s, t, corners))
            continue;
        for (int c = 0; c < 3; ++c)
            mesh->triangles[kept][c] = corners[c];
        ++kept;
    }
    mesh->triangle_count = kept;
}

frz_status frz_iso_snap(const frz_iso_cells *cells, frz_surface_mesh *mesh, frz_diag *diag)
{
    snapping s = {.mesh = mesh};
    const bool fits = allocate(&s);
    if (fits)
    {
        find_nodes(&s, cells);
        find_triangles(&s);
        join_edges(&s);
        drop_triangles(&s);
        frz_iso_drop_unused(mesh, s.root);
    }
    destroy(&s);
    return fits ? FRZ_OK : frz_fail_memory(diag, "the triangles of a surface");
}
