// SPDX-License-Identifier: MIT
// Boundary particles: one layer half a spacing below the surface.
//
// Plane faces get grids (sample_faces.c). The rest is blue noise: candidates from a lattice of half the spacing,
// Poisson-disk elimination, then a few sweeps in which particles push each other along the surface. Candidates are
// first brought to the surface itself and then stepped inwards: the level set distance = -spacing / 2 does not exist in
// walls thinner than a spacing, and is all kinks in walls as thick as one.
#include "geom/sample_internal.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "geom/point_lists.h"

static const double candidate_step = 0.5; ///< lattice of the candidates, in spacings
static const double filler_step = 0.33;   ///< lattice from which the last holes are filled, in spacings
static const double filler_depth = 0.25;  ///< additional depth of the lattice: only nodes below the layer project
                                          ///< behind concave edges
static const double covered = 0.7;        ///< nodes closer to a particle than this lie in no hole, in spacings
static const double unsure = 0.15;        ///< error of the projection on the layer after its first step, in spacings
static const double reach_step = 1.75;    ///< range of the mutual repulsion, in spacings
static const double push = 0.25;          ///< speed of a relaxation sweep, in spacings per unit of repulsion
static const double longest_push = 0.15;  ///< in spacings
static const double closest_gap = 0.77;   ///< particles that end closer than this are thinned out, in spacings
static const double clearance = 0.9;      ///< least depth under all surfaces, as a fraction of that under the own one
static const double follow_start = 0.5;   ///< start of the search for a particle's surface, above it, as a fraction of
                                          ///< its depth

enum
{
    block_edge = 8,  ///< lattice nodes; a power of 2
    narrow_edge = 2, ///< cubes twice as wide look for particles that cover their nodes among the nearest ones only
    neighbor_limit = 64,
    crowd_limit = 512,
    rounds = 3,      ///< relaxation, thinning and filling are repeated
    sweeps_3d = 6,   ///< per round
    sweeps_2d = 100, ///< in 2D gaps even out along a line only, slowly, but at no cost
};

typedef struct sampler
{
    const frz_shape *shape;
    double spacing;
    int dimension;
    double disk;       ///< radius of the Poisson disks
    double widest_gap; ///< candidates further from all particles than this are holes
    frz_bounds window; ///< lattice of the candidates
    frz_bounds reach;  ///< particles allowed
} sampler;

typedef struct candidate
{
    frz_vec3 position;
    frz_vec3 normal; ///< of the surface it belongs to
    double depth;    ///< under that surface
    int64_t place;   ///< in the list
    frz_sample_side side;
    bool valid;
} candidate;

typedef struct candidate_list
{
    int64_t count;
    candidate *items;
} candidate_list;

/// The particles: fixed ones (grids) first, then loose ones.
typedef struct cloud
{
    int fixed_count, count, capacity;
    frz_vec3 *positions;
    frz_vec3 *moved;
    candidate *origins; ///< of loose particles: normal, depth and side
    frz_point_hash hash;
} cloud;

// ---- candidates

/// Deep enough under every surface, not only under its own, and inside the clip.
static bool is_inside(const sampler *s, const candidate *c)
{
    const double least = clearance * fmin(c->depth, 0.5 * s->spacing);
    return frz_bounds_contain(s->reach, c->position, s->dimension) &&
           frz_shape_distance(s->shape, c->position) <= -least;
}

/// From a point near the surface to the layer under it.
static bool settle(const sampler *s, candidate *c)
{
    frz_vec3 surface = c->position;
    if (!frz_sample_find_surface(s->shape, c->side, s->spacing, s->dimension, &surface, &c->normal))
        return false;
    c->depth = frz_sample_layer_depth(s->shape, c->side, surface, c->normal, s->spacing, s->dimension);
    c->position = frz_v3_mad(surface, -c->depth, c->normal);
    if (s->dimension == 2)
        c->position.z = 0.0;
    return c->depth > 0.0 && is_inside(s, c);
}

/// Start of the search for a particle's surface: half way up, because another surface may be as near below it.
static frz_vec3 lift(const candidate *c)
{
    return frz_v3_mad(c->position, follow_start * c->depth, c->normal);
}

/// The lattice of the candidates, in blocks that are searched as octrees.
typedef struct block_grid
{
    int64_t nodes[3];
    int64_t blocks[3];
    int64_t count;
    double step;
    double deeper;        ///< nodes count down to this depth
    int sides;            ///< that the shape has: 2 with a cavity
    const cloud *taken;   ///< particles of the layer; only holes between them take nodes
    frz_point_hash *wide; ///< of the same, with cells as large as a block and its surroundings
    int *found;           ///< candidates by side and block
    candidate **items;    ///< likewise
} block_grid;

/// The place so many nodes behind a node along each axis.
static frz_vec3 node_at(const sampler *s, const block_grid *g, const int64_t node[3], double behind)
{
    return (frz_vec3){s->window.min.x + g->step * ((double)node[0] + behind),
                      s->window.min.y + g->step * ((double)node[1] + behind),
                      s->dimension == 2 ? 0.0 : s->window.min.z + g->step * ((double)node[2] + behind)};
}

/// Shift of a node by up to a quarter of a step, always the same for the same node: on planes along the lattice the
/// candidates would otherwise be a coarse square grid themselves.
static frz_vec3 jitter(const int64_t node[3], double step, int dimension)
{
    frz_vec3 shift = {0.0, 0.0, 0.0};
    uint64_t key = (uint64_t)node[0] * 0x9e3779b97f4a7c15u + (uint64_t)node[1] * 0xc2b2ae3d27d4eb4fu +
                   (uint64_t)node[2] * 0x165667b19e3779f9u;
    for (int axis = 0; axis < dimension; ++axis)
    {
        key = (key ^ (key >> 31)) * 0xbf58476d1ce4e5b9u + 1u;
        const double unit = (double)(key >> 11) * 0x1.0p-53;
        frz_v3_set(&shift, axis, 0.5 * step * (unit - 0.5));
    }
    return shift;
}

static bool is_free(const cloud *taken, frz_vec3 p, double radius)
{
    return !frz_point_hash_any(&taken->hash, taken->positions, p, radius);
}

/// Copies of the particles near a block, for all of its nodes; none if there are too many.
typedef struct crowd
{
    const cloud *all;
    int count; ///< crowd_limit: too many, use all
    double x[crowd_limit], y[crowd_limit], z[crowd_limit];
} crowd;

/// How far from its centre the surroundings of a cube of the lattice reach, to nodes that are shifted, too.
static double surroundings(const sampler *s, const block_grid *g, int edge, double beyond)
{
    return 0.5 * edge * g->step * sqrt((double)s->dimension) + beyond;
}

static void find_crowd(const sampler *s, const block_grid *g, const int64_t first[3], crowd *near)
{
    const double half = 0.5 * block_edge * g->step;
    const frz_vec3 corner = {s->window.min.x + (double)first[0] * g->step, s->window.min.y + (double)first[1] * g->step,
                             s->window.min.z + (double)first[2] * g->step};
    frz_vec3 center = frz_v3_add(corner, frz_v3(half, half, half));
    if (s->dimension == 2)
        center.z = 0.0;
    int found[crowd_limit];
    near->all = g->taken;
    near->count = frz_point_hash_collect(g->wide, g->taken->positions, center,
                                         surroundings(s, g, block_edge, 2.0 * s->spacing), found, crowd_limit);
    for (int k = 0; k < near->count; ++k)
    {
        near->x[k] = g->taken->positions[found[k]].x;
        near->y[k] = g->taken->positions[found[k]].y;
        near->z[k] = g->taken->positions[found[k]].z;
    }
}

static bool is_free_of(const crowd *near, frz_vec3 p, double radius)
{
    if (near->count == crowd_limit)
        return is_free(near->all, p, radius);
    int close = 0;
    for (int k = 0; k < near->count; ++k)
    {
        const double x = near->x[k] - p.x, y = near->y[k] - p.y, z = near->z[k] - p.z;
        close |= x * x + y * y + z * z < radius * radius;
    }
    return close == 0;
}

/// Those that may cover nodes of a cube.
static void narrow_crowd(const sampler *s, const block_grid *g, const int64_t first[3], int edge, const crowd *near,
                         crowd *part)
{
    const frz_vec3 center = node_at(s, g, first, 0.5 * (edge - 1));
    const double reach = surroundings(s, g, edge, covered * s->spacing);
    part->all = near->all;
    part->count = near->count == crowd_limit ? crowd_limit : 0;
    for (int k = 0; k < near->count && near->count < crowd_limit; ++k)
    {
        const double x = near->x[k] - center.x, y = near->y[k] - center.y, z = near->z[k] - center.z;
        part->x[part->count] = near->x[k];
        part->y[part->count] = near->y[k];
        part->z[part->count] = near->z[k];
        part->count += x * x + y * y + z * z < reach * reach;
    }
}

/// Whether a cube has nodes near the surface. A distance is never larger than the true one, so a cube is left alone
/// when its centre is further from the surface than its nodes can make up for.
static bool is_near_surface(const sampler *s, const block_grid *g, const int64_t first[3], int edge)
{
    const double half = 0.5 * (edge - 1);
    const double distance = frz_shape_distance(s->shape, node_at(s, g, first, half));
    const double reach = (half + 0.5) * g->step * sqrt((double)s->dimension);
    return distance <= reach && distance >= -reach - g->deeper;
}

/// Collect the nodes of a cube that lie near the surface and off the particles in it, from which projection on the
/// layer does not lead away.
static int scan_cube(const sampler *s, const block_grid *g, const int64_t first[3], int edge, const crowd *near,
                     candidate *items, int found)
{
    const int half = edge / 2;
    crowd own;
    if (half == narrow_edge)
    {
        narrow_crowd(s, g, first, edge, near, &own);
        near = &own;
    }
    for (int part = 0; part < (s->dimension == 2 ? 4 : 8); ++part)
    {
        const int64_t corner[3] = {first[0] + (part & 1 ? half : 0), first[1] + (part & 2 ? half : 0),
                                   first[2] + (part & 4 ? half : 0)};
        if (corner[0] >= g->nodes[0] || corner[1] >= g->nodes[1] || corner[2] >= g->nodes[2])
            continue;
        if (half > 1)
        {
            if (is_near_surface(s, g, corner, half))
                found = scan_cube(s, g, corner, half, near, items, found);
            continue;
        }
        const frz_vec3 place = frz_v3_add(node_at(s, g, corner, 0.0), jitter(corner, g->step, s->dimension));
        if (!is_free_of(near, place, covered * s->spacing) || !is_near_surface(s, g, corner, 1))
            continue;
        items[found++].position = place;
    }
    return found;
}

/// Whether a node may fill a hole, before its full projection on the layer. The first step of the projection suffices
/// here: the end point is tested again.
static bool may_fill(const sampler *s, const crowd *near, const candidate *c)
{
    if (near->count == 0)
        return true;
    frz_vec3 normal;
    const double distance = frz_sample_side_gradient(s->shape, c->side, c->position, s->dimension, &normal);
    const frz_vec3 end = frz_v3_mad(c->position, -distance - 0.5 * s->spacing, normal);
    return is_free_of(near, end, s->widest_gap - unsure * s->spacing);
}

/// Those of the nodes that settle on one side, and keep them as a place of the list; false when memory is short.
static bool fill_side(const sampler *s, block_grid *g, const candidate *nodes, int count, const crowd *near,
                      int64_t place)
{
    candidate items[block_edge * block_edge * block_edge];
    int kept = 0;
    for (int n = 0; n < count; ++n)
    {
        candidate *item = &items[kept];
        *item = nodes[n];
        item->side = place < g->count ? FRZ_SAMPLE_PLAIN : FRZ_SAMPLE_CAVITY;
        kept += may_fill(s, near, item) && settle(s, item) && is_free(g->taken, item->position, s->widest_gap);
    }
    g->found[place] = kept;
    if (kept == 0)
        return true;
    g->items[place] = FRZ_ALLOC("surface candidates", kept, candidate);
    if (g->items[place] != NULL)
        memcpy(g->items[place], items, (size_t)kept * sizeof *items);
    return g->items[place] != NULL;
}

/// The candidates of a block; false when memory is short.
static bool fill_block(const sampler *s, block_grid *g, int64_t block)
{
    candidate nodes[block_edge * block_edge * block_edge];
    crowd near;
    const int64_t first[3] = {block_edge * (block % g->blocks[0]), block_edge * (block / g->blocks[0] % g->blocks[1]),
                              block_edge * (block / (g->blocks[0] * g->blocks[1]))};
    if (!is_near_surface(s, g, first, block_edge))
        return true;
    find_crowd(s, g, first, &near);
    const int count = scan_cube(s, g, first, block_edge, &near, nodes, 0);
    bool fits = true;
    for (int side = 0; side < g->sides && count > 0; ++side)
        fits &= fill_side(s, g, nodes, count, &near, side * g->count + block);
    return fits;
}

static frz_status scan_blocks(const sampler *s, block_grid *g, frz_diag *diag)
{
    g->count = 1;
    for (int axis = 0; axis < 3; ++axis)
    {
        const double length = frz_v3_get(s->window.max, axis) - frz_v3_get(s->window.min, axis);
        g->nodes[axis] = axis < s->dimension ? (int64_t)ceil(length / g->step) + 1 : 1;
        g->blocks[axis] = (g->nodes[axis] + block_edge - 1) / block_edge;
        if (__builtin_mul_overflow(g->count, g->blocks[axis], &g->count))
            return frz_fail_memory(diag, "the candidates of a surface");
    }
    g->found = FRZ_ALLOC("surface blocks", g->sides * g->count, int);
    g->items = FRZ_ALLOC("surface blocks", g->sides * g->count, candidate *);
    if (g->found == NULL || g->items == NULL)
        return frz_fail_memory(diag, "the candidates of a surface");
    int short_blocks = 0; // a count of failures, which does not depend on the order
#pragma omp parallel for schedule(dynamic, 16) reduction(+ : short_blocks)
    for (int64_t block = 0; block < g->count; ++block)
        short_blocks += !fill_block(s, g, block);
    return short_blocks == 0 ? FRZ_OK : frz_fail_memory(diag, "the candidates of a surface");
}

/// Append the blocks' candidates to the list, in their order, one side after the other.
static frz_status join_blocks(const block_grid *g, candidate_list *list, frz_diag *diag)
{
    int64_t total = list->count;
    for (int64_t place = 0; place < g->sides * g->count; ++place)
        total += g->found[place];
    candidate *items = frz_realloc("surface candidates", list->items, (size_t)total + 1, sizeof *items);
    if (items == NULL)
        return frz_fail_memory(diag, "the candidates of a surface");
    list->items = items;
    for (int64_t place = 0; place < g->sides * g->count; ++place)
    {
        if (g->found[place] > 0)
            memcpy(items + list->count, g->items[place], (size_t)g->found[place] * sizeof *items);
        list->count += g->found[place];
    }
    return FRZ_OK;
}

/// Append the candidates of all sides to the list; g says where to look.
static frz_status add_candidates(const sampler *s, block_grid g, candidate_list *list, frz_diag *diag)
{
    g.sides = frz_sample_has_cavity(s->shape) ? 2 : 1;
    frz_status status = scan_blocks(s, &g, diag);
    if (status == FRZ_OK)
        status = join_blocks(&g, list, diag);
    for (int64_t place = 0; g.items != NULL && place < g.sides * g.count; ++place)
        frz_free(g.items[place]);
    frz_free(g.items);
    frz_free(g.found);
    return status;
}

// ---- cloud

static void destroy_cloud(cloud *c)
{
    frz_free(c->positions);
    frz_free(c->moved);
    frz_free(c->origins);
    frz_point_hash_destroy(&c->hash);
}

static void rehash(cloud *c)
{
    frz_point_hash_clear(&c->hash, c->count);
    for (int n = 0; n < c->count; ++n)
        frz_point_hash_insert(&c->hash, c->positions, n);
}

/// One more particle; more buckets when they fill up.
static void add_particle(cloud *c, frz_vec3 position, const candidate *origin)
{
    c->positions[c->count] = position;
    c->origins[c->count] = *origin;
    frz_point_hash_insert(&c->hash, c->positions, c->count);
    ++c->count;
    if ((uint64_t)c->count > c->hash.mask)
        rehash(c);
}

/// Reserve memory for so many more particles.
static frz_status reserve_cloud(const sampler *s, int64_t more, cloud *c, frz_diag *diag)
{
    const int64_t capacity = c->count + more;
    FRZ_TRY(frz_sample_check_count((double)capacity, s->spacing, diag));
    frz_vec3 *positions = frz_realloc("surface particles", c->positions, (size_t)capacity + 1, sizeof *positions);
    c->positions = positions != NULL ? positions : c->positions;
    frz_vec3 *moved = frz_realloc("surface particles", c->moved, (size_t)capacity + 1, sizeof *moved);
    c->moved = moved != NULL ? moved : c->moved;
    candidate *origins = frz_realloc("surface particles", c->origins, (size_t)capacity + 1, sizeof *origins);
    c->origins = origins != NULL ? origins : c->origins;
    if (positions == NULL || moved == NULL || origins == NULL)
        return frz_fail_memory(diag, "the particles of a surface");
    frz_point_hash_destroy(&c->hash);
    FRZ_TRY(frz_point_hash_create(&c->hash, capacity, reach_step * s->spacing, diag));
    c->capacity = (int)capacity;
    rehash(c);
    return FRZ_OK;
}

/// The grids alone, as fixed particles.
static frz_status create_cloud(const sampler *s, const frz_point_set *fixed, cloud *c, frz_diag *diag)
{
    FRZ_TRY(reserve_cloud(s, fixed->count, c, diag));
    if (fixed->count > 0)
        memcpy(c->positions, fixed->points, (size_t)fixed->count * sizeof *fixed->points);
    c->fixed_count = (int)fixed->count;
    c->count = c->fixed_count;
    rehash(c);
    return FRZ_OK;
}

static int64_t greatest_common_divisor(int64_t a, int64_t b)
{
    while (b != 0)
    {
        const int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

static int compare_places(const void *left, const void *right)
{
    const candidate *l = left;
    const candidate *r = right;
    return (l->place > r->place) - (l->place < r->place);
}

/// Loose particles in the order of the lattice they came from, so that neighbours are near in memory too.
static void sort_loose(cloud *c)
{
    candidate *loose = c->origins + c->fixed_count;
    for (int i = c->fixed_count; i < c->count; ++i)
        c->origins[i].position = c->positions[i];
    qsort(loose, (size_t)(c->count - c->fixed_count), sizeof *loose, compare_places);
    for (int i = c->fixed_count; i < c->count; ++i)
        c->positions[i] = c->origins[i].position;
    rehash(c);
}

/// Accept candidates that are further than gap from every particle, in a scattered order: steps by the golden section
/// visit all parts of the surface evenly, so no direction of scanning is left in the pattern.
static void accept_candidates(const candidate_list *list, double gap, cloud *c)
{
    const double golden = 0.6180339887498949;
    if (list->count == 0)
        return;
    int64_t stride = (int64_t)(golden * (double)list->count) + 1;
    while (greatest_common_divisor(stride, list->count) != 1)
        ++stride;
    int64_t at = 0;
    for (int64_t n = 0; n < list->count; ++n, at = (at + stride) % list->count)
    {
        if (c->count >= c->capacity || !is_free(c, list->items[at].position, gap))
            continue;
        add_particle(c, list->items[at].position, &list->items[at]);
        c->origins[c->count - 1].place = at;
    }
    sort_loose(c);
}

/// Back to the layer after a short step along it: a single Newton step is enough, and the depth hardly changes.
static bool follow(const sampler *s, candidate *c)
{
    const frz_vec3 start = lift(c);
    const double distance = frz_sample_side_gradient(s->shape, c->side, start, s->dimension, &c->normal);
    c->position = frz_v3_mad(start, -distance - c->depth, c->normal);
    return is_inside(s, c);
}

/// Where particle i goes in this sweep.
static frz_vec3 relax_one(const sampler *s, const cloud *c, const frz_point_lists *near, int i, candidate *updated)
{
    const int m = i - c->fixed_count, *found = near->list + m * near->stride;
    const double range = reach_step * s->spacing;
    const frz_vec3 p = c->positions[i];
    const frz_vec3 normal = c->origins[i].normal;
    frz_vec3 step = {0.0, 0.0, 0.0};
    for (int k = 0; k < near->number[m]; ++k)
    {
        const frz_vec3 d = frz_v3_sub(p, c->positions[found[k]]);
        const double r = frz_v3_length(d);
        if (r <= 0.0)
            continue;
        const double weight = (1.0 - r / range) * (1.0 - r / range);
        step = frz_v3_mad(step, weight / r, d);
    }
    step = frz_v3_mad(step, -frz_v3_dot(step, normal), normal);
    step = frz_v3_scale(push * s->spacing, step);
    const double length = frz_v3_length(step);
    const double allowed = longest_push * s->spacing;
    if (length > allowed)
        step = frz_v3_scale(allowed / length, step);
    *updated = c->origins[i];
    updated->position = frz_v3_add(p, step);
    if (!follow(s, updated) || frz_v3_length(frz_v3_sub(updated->position, p)) > 2.0 * allowed)
    {
        *updated = c->origins[i];
        return p;
    }
    return updated->position;
}

static frz_status sweep(const sampler *s, cloud *c, const int *rank, frz_point_lists *near, frz_diag *diag)
{
    FRZ_TRY(frz_point_lists_make(near, c->positions, c->count, rank, c->count - c->fixed_count, neighbor_limit, NULL,
                                 diag));
#pragma omp parallel for schedule(dynamic, 256)
    for (int i = c->fixed_count; i < c->count; ++i)
    {
        candidate updated;
        c->moved[i] = relax_one(s, c, near, i, &updated);
        c->origins[i] = updated; // read by iteration i only
    }
    for (int i = c->fixed_count; i < c->count; ++i)
        c->positions[i] = c->moved[i];
    return FRZ_OK;
}

static frz_status relax(const sampler *s, cloud *c, int sweeps, frz_diag *diag)
{
    if (c->count == c->fixed_count)
        return FRZ_OK;
    frz_point_lists near = {0};
    int *rank = FRZ_ALLOC("surface particles", c->count, int);
    frz_status status = rank != NULL ? frz_point_lists_create(&near, c->count, reach_step * s->spacing, diag)
                                     : frz_fail_memory(diag, "the particles of a surface");
    for (int i = 0; rank != NULL && i < c->count; ++i)
        rank[i] = i < c->fixed_count ? -1 : i - c->fixed_count;
    for (int n = 0; n < sweeps && status == FRZ_OK; ++n)
        status = sweep(s, c, rank, &near, diag);
    frz_point_lists_destroy(&near);
    frz_free(rank);
    return status;
}

/// Drop loose particles that left the layer at a crease, or are too close to one that stays.
static void thin_out(const sampler *s, cloud *c)
{
    const int old_count = c->count;
#pragma omp parallel for schedule(dynamic, 256)
    for (int i = c->fixed_count; i < old_count; ++i)
    {
        candidate *o = &c->origins[i];
        o->position = c->positions[i];
        o->position = lift(o);
        o->valid = settle(s, o);
        c->positions[i] = o->position;
    }
    c->count = c->fixed_count;
    rehash(c);
    for (int i = c->fixed_count; i < old_count; ++i)
    {
        const candidate origin = c->origins[i];
        if (origin.valid && is_free(c, c->positions[i], closest_gap * s->spacing))
            add_particle(c, c->positions[i], &origin);
    }
}

/// Candidates from a lattice in the holes between the particles, and memory for as many particles.
static frz_status find_candidates(const sampler *s, double step, double deeper, candidate_list *list, cloud *c,
                                  frz_diag *diag)
{
    frz_point_hash wide = {0};
    const block_grid g = {.step = step * s->spacing, .deeper = deeper * s->spacing, .taken = c, .wide = &wide};
    list->count = 0;
    FRZ_TRY(frz_point_hash_create(&wide, c->count, surroundings(s, &g, block_edge, 2.0 * s->spacing), diag));
    for (int n = 0; n < c->count; ++n)
        frz_point_hash_insert(&wide, c->positions, n);
    const frz_status status = add_candidates(s, g, list, diag);
    frz_point_hash_destroy(&wide);
    return status == FRZ_OK ? reserve_cloud(s, list->count, c, diag) : status;
}

static frz_status sample(const sampler *s, const frz_point_set *fixed, candidate_list *list, cloud *c, frz_diag *diag)
{
    FRZ_TRY(create_cloud(s, fixed, c, diag));
    FRZ_TRY(find_candidates(s, candidate_step, 0.0, list, c, diag));
    accept_candidates(list, s->disk, c);
    for (int round = 0; round < rounds; ++round)
    {
        FRZ_TRY(relax(s, c, s->dimension == 2 ? sweeps_2d : sweeps_3d, diag));
        thin_out(s, c);
        accept_candidates(list, s->widest_gap, c);
    }
    FRZ_TRY(find_candidates(s, filler_step, filler_depth, list, c, diag));
    accept_candidates(list, s->widest_gap, c);
    return FRZ_OK;
}

static frz_status run(const sampler *s, frz_point_set *out, frz_diag *diag)
{
    frz_point_set fixed = {0, 0, NULL};
    candidate_list list = {0, NULL};
    cloud c = {0};
    frz_status status = frz_sample_faces(s->shape, s->spacing, s->dimension, s->window, &fixed, diag);
    if (status == FRZ_OK)
        status = sample(s, &fixed, &list, &c, diag);
    if (status == FRZ_OK)
        status = frz_point_set_reserve(out, out->count + c.count, diag);
    for (int n = 0; status == FRZ_OK && n < c.count; ++n)
        out->points[out->count++] = c.positions[n];
    destroy_cloud(&c);
    frz_free(list.items);
    frz_point_set_destroy(&fixed);
    return status;
}

frz_status frz_sample_surface(const frz_shape *shape, double spacing, int dimension, frz_bounds clip,
                              frz_point_set *out, frz_diag *diag)
{
    FRZ_TRY(frz_sample_check(spacing, dimension, diag));
    if (dimension == 2)
    {
        clip.min.z = -HUGE_VAL;
        clip.max.z = HUGE_VAL;
    }
    const frz_bounds window = frz_bounds_intersect(frz_bounds_grow(shape->bounds, spacing), clip);
    if (frz_bounds_is_empty(window, dimension))
        return FRZ_OK;
    const double area = frz_shape_area(shape, dimension, window);
    FRZ_TRY(frz_sample_check_count(area / (dimension == 2 ? spacing : spacing * spacing), spacing, diag));
    if (!frz_bounds_is_finite(window, dimension))
        return frz_fail(diag, FRZ_ERR_SCENE, "a shape without end can only be sampled inside a finite domain");
    // Radii measured to end, after relaxation, at one particle per spacing^2 (per spacing in 2D), as a grid has.
    const sampler s = {.shape = shape,
                       .spacing = spacing,
                       .dimension = dimension,
                       .disk = dimension == 2 ? 0.6 * spacing : 0.74 * spacing,
                       .widest_gap = 0.76 * spacing,
                       .window = window,
                       .reach = frz_bounds_grow(window, 0.5001 * spacing)};
    return run(&s, out, diag);
}
