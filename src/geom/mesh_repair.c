// SPDX-License-Identifier: MIT
// Mesh repair: weld vertices, drop useless triangles, orient, close small holes with fans.
#include "geom/shape_internal.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "geom/point_hash.h"

enum
{
    largest_hole = 256 ///< edges; larger openings are a design decision that only the author of the mesh can take
};

/// Vertices closer than this fraction of the mesh's diagonal are merged.
static const double weld_share = 1.0e-6;

// ---- weld

typedef struct vertex_key
{
    frz_vec3 position;
    int index;
} vertex_key;

static int compare_doubles(double l, double r)
{
    return (l > r) - (l < r);
}

static int compare_keys(const void *left, const void *right)
{
    const vertex_key *l = left;
    const vertex_key *r = right;
    int order = compare_doubles(l->position.x, r->position.x);
    if (order == 0)
        order = compare_doubles(l->position.y, r->position.y);
    if (order == 0)
        order = compare_doubles(l->position.z, r->position.z);
    return order != 0 ? order : (l->index > r->index) - (l->index < r->index);
}

/// target[i] = first of the vertices at the same position.
static void find_equal(const vertex_key *keys, int count, int *target)
{
    for (int k = 0; k < count; ++k)
    {
        const bool same = k > 0 && keys[k].position.x == keys[k - 1].position.x &&
                          keys[k].position.y == keys[k - 1].position.y && keys[k].position.z == keys[k - 1].position.z;
        target[keys[k].index] = same ? target[keys[k - 1].index] : keys[k].index;
    }
}

/// target[i] = first kept vertex within tolerance of i, in the order of keys. Kept ones are further apart than that, so
/// that few of them share a cell.
static frz_status find_near(const frz_mesh *mesh, const vertex_key *keys, double tolerance, int *target)
{
    enum
    {
        most_near = 64 // points in a ball that are further apart than its radius: 12 at most
    };
    const int count = mesh->vertex_count;
    const frz_vec3 corner = frz_mesh_bounds(mesh).min; // from there, because cells are counted with integers
    frz_point_hash hash = {0};
    frz_vec3 *kept = FRZ_ALLOC("mesh weld", count, frz_vec3);
    frz_status status = kept != NULL ? frz_point_hash_create(&hash, count, 2.0 * tolerance, NULL) : FRZ_ERR_MEMORY;
    int kept_count = 0, *owner = FRZ_ALLOC("mesh weld", count, int);
    status = owner != NULL ? status : FRZ_ERR_MEMORY;
    for (int k = 0; status == FRZ_OK && k < count; ++k)
    {
        int found[most_near], first = INT_MAX;
        const frz_vec3 place = frz_v3_sub(keys[k].position, corner);
        const int near = frz_point_hash_collect(&hash, kept, place, nextafter(tolerance, HUGE_VAL), found, most_near);
        for (int n = 0; n < near; ++n)
            first = found[n] < first ? found[n] : first;
        if (first == INT_MAX)
        {
            first = kept_count++;
            kept[first] = place;
            owner[first] = keys[k].index;
            frz_point_hash_insert(&hash, kept, first);
        }
        target[keys[k].index] = owner[first];
    }
    frz_point_hash_destroy(&hash);
    frz_free(kept);
    frz_free(owner);
    return status;
}

static frz_status find_targets(const frz_mesh *mesh, double tolerance, int *target)
{
    const int count = mesh->vertex_count;
    vertex_key *keys = FRZ_ALLOC("mesh weld", count, vertex_key);
    frz_status status = keys != NULL ? FRZ_OK : FRZ_ERR_MEMORY;
    for (int i = 0; status == FRZ_OK && i < count; ++i)
        keys[i] = (vertex_key){mesh->vertices[i], i};
    if (status == FRZ_OK)
    {
        qsort(keys, (size_t)count, sizeof *keys, compare_keys);
        if (tolerance > 0.0)
            status = find_near(mesh, keys, tolerance, target);
        else
            find_equal(keys, count, target);
    }
    frz_free(keys);
    return status;
}

int64_t frz_mesh_weld(frz_mesh *mesh, double tolerance)
{
    const int count = mesh->vertex_count;
    int *target = FRZ_ALLOC("mesh weld", count, int);
    int *number = FRZ_ALLOC("mesh weld", count, int);
    int kept = -1;
    if (target != NULL && number != NULL && find_targets(mesh, tolerance, target) == FRZ_OK)
    {
        kept = 0;
        for (int i = 0; i < count; ++i)
        {
            if (target[i] == i)
            {
                number[i] = kept;
                mesh->vertices[kept++] = mesh->vertices[i];
            }
        }
        for (int t = 0; t < mesh->triangle_count; ++t)
        {
            for (int corner = 0; corner < 3; ++corner)
                mesh->triangles[t][corner] = number[target[mesh->triangles[t][corner]]];
        }
        mesh->vertex_count = kept;
    }
    frz_free(target);
    frz_free(number);
    return kept < 0 ? -1 : count - kept;
}

// ---- drop

/// Keep the triangles that are not marked; returns how many were dropped.
static int64_t drop_marked(frz_mesh *mesh, const bool *marks)
{
    int kept = 0;
    for (int t = 0; t < mesh->triangle_count; ++t)
    {
        if (marks[t])
            continue;
        if (kept != t)
            memcpy(mesh->triangles[kept], mesh->triangles[t], sizeof mesh->triangles[kept]);
        ++kept;
    }
    const int64_t dropped = mesh->triangle_count - kept;
    mesh->triangle_count = kept;
    return dropped;
}

/// Degenerate triangles and the copies of others; -1 when memory is short.
static int64_t drop_useless(frz_mesh *mesh, double size)
{
    bool *marks = FRZ_ALLOC("mesh triangles", mesh->triangle_count, bool);
    if (marks == NULL)
        return -1;
    for (int t = 0; t < mesh->triangle_count; ++t)
        marks[t] = frz_mesh_triangle_is_degenerate(mesh, mesh->triangles[t], size);
    const bool found = frz_mesh_find_repeated(mesh, marks) >= 0;
    const int64_t dropped = found ? drop_marked(mesh, marks) : -1;
    frz_free(marks);
    return dropped;
}

// ---- orient

typedef struct orientation
{
    int (*neighbor)[3];  ///< across the edge from corner to corner + 1; -1 where the edge is open or has > 2 triangles
    bool (*agrees)[3];   ///< the neighbour runs through the edge in the opposite direction
    signed char *turned; ///< -1 not visited, 0 keep, 1 flip
    int *queue;
} orientation;

static void free_orientation(orientation *o)
{
    frz_free(o->neighbor);
    frz_free(o->agrees);
    frz_free(o->turned);
    frz_free(o->queue);
}

static bool init_orientation(const frz_mesh *mesh, orientation *o)
{
    const size_t n = (size_t)mesh->triangle_count;
    memset(o, 0, sizeof *o);
    frz_mesh_edge *edges = frz_mesh_edges(mesh);
    o->neighbor = frz_alloc("mesh neighbours", n, sizeof *o->neighbor);
    o->agrees = frz_alloc("mesh neighbours", n, sizeof *o->agrees);
    o->turned = FRZ_ALLOC("mesh flips", n, signed char);
    o->queue = FRZ_ALLOC("mesh queue", n, int);
    const bool complete =
        edges != NULL && o->neighbor != NULL && o->agrees != NULL && o->turned != NULL && o->queue != NULL;
    if (complete)
    {
        memset(o->neighbor, -1, n * sizeof *o->neighbor);
        memset(o->turned, -1, n * sizeof *o->turned);
        const size_t count = 3 * n;
        for (size_t first = 0, last = 0; first < count; first = last)
        {
            while (last < count && edges[last].a == edges[first].a && edges[last].b == edges[first].b)
                ++last;
            if (last - first != 2)
                continue;
            const frz_mesh_edge *l = &edges[first];
            const frz_mesh_edge *r = &edges[first + 1];
            const bool agree = l->forward != r->forward;
            o->neighbor[l->triangle][l->corner] = r->triangle;
            o->neighbor[r->triangle][r->corner] = l->triangle;
            o->agrees[l->triangle][l->corner] = agree;
            o->agrees[r->triangle][r->corner] = agree;
        }
    }
    frz_free(edges);
    return complete;
}

/// Mark the flips of the component of a triangle; returns its size (its triangles are in the queue).
static int mark_component(orientation *o, int seed, int *flips)
{
    int count = 0;
    *flips = 0;
    o->queue[count++] = seed;
    o->turned[seed] = 0;
    for (int head = 0; head < count; ++head)
    {
        const int t = o->queue[head];
        for (int corner = 0; corner < 3; ++corner)
        {
            const int next = o->neighbor[t][corner];
            if (next < 0 || o->turned[next] >= 0)
                continue;
            const int turned = o->agrees[t][corner] ? o->turned[t] : 1 - o->turned[t];
            o->turned[next] = (signed char)turned;
            *flips += turned;
            o->queue[count++] = next;
        }
    }
    return count;
}

static void flip(int triangle[3])
{
    const int swap = triangle[1];
    triangle[1] = triangle[2];
    triangle[2] = swap;
}

static double component_volume(const frz_mesh *mesh, const int *members, int count)
{
    const frz_vec3 origin = mesh->vertices[mesh->triangles[members[0]][0]];
    double sum = 0.0;
    for (int k = 0; k < count; ++k)
    {
        const int *t = mesh->triangles[members[k]];
        sum += frz_v3_dot(
            frz_v3_sub(mesh->vertices[t[0]], origin),
            frz_v3_cross(frz_v3_sub(mesh->vertices[t[1]], origin), frz_v3_sub(mesh->vertices[t[2]], origin)));
    }
    return sum;
}

/// Make neighbours agree. A part that agreed already keeps its side (it may be a cavity); one that did not is turned
/// to a positive volume; at last the whole is.
static int64_t orient(frz_mesh *mesh)
{
    orientation o;
    int64_t flipped = -1;
    if (init_orientation(mesh, &o))
    {
        flipped = 0;
        for (int seed = 0; seed < mesh->triangle_count; ++seed)
        {
            int flips = 0;
            if (o.turned[seed] >= 0)
                continue;
            const int count = mark_component(&o, seed, &flips);
            if (flips == 0)
                continue;
            for (int k = 0; k < count; ++k)
            {
                if (o.turned[o.queue[k]] == 1)
                    flip(mesh->triangles[o.queue[k]]);
            }
            const bool inverted = component_volume(mesh, o.queue, count) < 0.0;
            for (int k = 0; inverted && k < count; ++k)
                flip(mesh->triangles[o.queue[k]]);
            flipped += inverted ? count - flips : flips;
        }
    }
    free_orientation(&o);
    return flipped;
}

static int64_t turn_outwards(frz_mesh *mesh)
{
    if (frz_mesh_volume(mesh) >= 0.0)
        return 0;
    for (int t = 0; t < mesh->triangle_count; ++t)
        flip(mesh->triangles[t]);
    return mesh->triangle_count;
}

// ---- close

typedef struct open_edge
{
    int from, to; ///< the direction in which the missing triangle must run
    bool used;
} open_edge;

static int compare_open(const void *left, const void *right)
{
    const open_edge *l = left;
    const open_edge *r = right;
    if (l->from != r->from)
        return l->from < r->from ? -1 : 1;
    return (l->to > r->to) - (l->to < r->to);
}

static int find_open(const open_edge *open, int count, int from)
{
    // Edges are used in their order among those that begin at the same vertex, so that the used ones come first.
    int low = 0;
    int high = count;
    while (low < high)
    {
        const int middle = low + (high - low) / 2;
        if (open[middle].from < from || (open[middle].from == from && open[middle].used))
            low = middle + 1;
        else
            high = middle;
    }
    return low < count && open[low].from == from ? low : -1;
}

static int collect_open(const frz_mesh *mesh, const frz_mesh_edge *edges, open_edge *open)
{
    const int64_t total = 3 * (int64_t)mesh->triangle_count;
    int count = 0;
    for (int64_t first = 0, last = 0; first < total; first = last)
    {
        while (last < total && edges[last].a == edges[first].a && edges[last].b == edges[first].b)
            ++last;
        if (last - first != 1)
            continue;
        const frz_mesh_edge *e = &edges[first];
        open[count].from = e->forward ? e->b : e->a;
        open[count].to = e->forward ? e->a : e->b;
        open[count].used = false;
        ++count;
    }
    qsort(open, (size_t)count, sizeof *open, compare_open);
    return count;
}

/// Append a fan from the middle of a loop of vertices; the arrays are large enough.
static void close_loop(frz_mesh *mesh, const int *loop, int length)
{
    frz_vec3 middle = {0.0, 0.0, 0.0};
    for (int k = 0; k < length; ++k)
        middle = frz_v3_mad(middle, 1.0 / length, mesh->vertices[loop[k]]);
    const int center = mesh->vertex_count;
    if (length > 3)
        mesh->vertices[mesh->vertex_count++] = middle;
    for (int k = 0; k < (length > 3 ? length : 1); ++k)
    {
        int *t = mesh->triangles[mesh->triangle_count++];
        t[0] = loop[k];
        t[1] = loop[(k + 1) % length];
        t[2] = length > 3 ? center : loop[2];
    }
}

/// Trace the loops of open edges and close those that are short enough. Returns the number of holes closed.
static int64_t close_loops(frz_mesh *mesh, open_edge *open, int count)
{
    int loop[largest_hole];
    int64_t closed = 0;
    for (int start = 0; start < count; ++start)
    {
        int length = 0;
        int at = start;
        while (at >= 0 && !open[at].used)
        {
            open[at].used = true;
            if (length < largest_hole)
                loop[length] = open[at].from;
            ++length;
            if (open[at].to == open[start].from)
                break;
            at = find_open(open, count, open[at].to);
        }
        if (at >= 0 && length >= 3 && length <= largest_hole)
        {
            close_loop(mesh, loop, length);
            ++closed;
        }
    }
    return closed;
}

static frz_status close_holes(frz_mesh **mesh, int64_t *closed, frz_diag *diag)
{
    frz_mesh *old = *mesh;
    frz_mesh_edge *edges = frz_mesh_edges(old);
    open_edge *open = FRZ_ALLOC("mesh open edges", 3 * (size_t)old->triangle_count, open_edge);
    frz_status status = FRZ_OK;
    *closed = 0;
    if (edges == NULL || open == NULL)
        status = frz_fail_memory(diag, "closing the holes of a mesh");
    const int count = status == FRZ_OK ? collect_open(old, edges, open) : 0;
    if (count > INT_MAX / 2 - old->triangle_count)
        status = frz_fail(diag, FRZ_ERR_SCENE, "the mesh has too many open edges to repair (%d)", count);
    if (status == FRZ_OK && count > 0)
    {
        frz_mesh *larger = NULL;
        status = frz_mesh_create(old->vertex_count + count, old->triangle_count + count, &larger, diag);
        if (status == FRZ_OK)
        {
            memcpy(larger->vertices, old->vertices, (size_t)old->vertex_count * sizeof *old->vertices);
            memcpy(larger->triangles, old->triangles, (size_t)old->triangle_count * sizeof *old->triangles);
            larger->vertex_count = old->vertex_count;
            larger->triangle_count = old->triangle_count;
            *closed = close_loops(larger, open, count);
            frz_mesh_destroy(mesh);
            *mesh = larger;
        }
    }
    frz_free(edges);
    frz_free(open);
    return status;
}

// ---- all

static void describe(char *note, size_t size, int64_t welded, int64_t dropped, int64_t flipped, int64_t closed)
{
    if (note == NULL || size == 0)
        return;
    if (welded + dropped + flipped + closed == 0)
        snprintf(note, size, "nothing to repair");
    else
        snprintf(note, size,
                 "welded %lld vertices, dropped %lld triangles without area or twice there, flipped %lld triangles, "
                 "closed %lld holes",
                 (long long)welded, (long long)dropped, (long long)flipped, (long long)closed);
}

frz_status frz_mesh_repair(frz_mesh **mesh, char *note, size_t note_size, frz_diag *diag)
{
    const frz_bounds bounds = frz_mesh_bounds(*mesh);
    const double size = frz_v3_length(frz_v3_sub(bounds.max, bounds.min));
    const int64_t welded = frz_mesh_weld(*mesh, weld_share * size);
    if (welded < 0)
        return frz_fail_memory(diag, "welding the vertices of a mesh");
    const int64_t dropped = drop_useless(*mesh, size);
    if (dropped < 0)
        return frz_fail_memory(diag, "the triangles of a mesh");
    int64_t flipped = orient(*mesh);
    if (flipped < 0)
        return frz_fail_memory(diag, "orienting a mesh");
    int64_t closed = 0;
    FRZ_TRY(close_holes(mesh, &closed, diag));
    // after the holes are closed, because the sign of the volume of an open mesh is meaningless
    flipped += turn_outwards(*mesh);
    describe(note, note_size, welded, dropped, flipped, closed);
    return FRZ_OK;
}
