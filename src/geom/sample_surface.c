// SPDX-License-Identifier: MIT
// Boundary particles: one layer half a spacing below the surface.
//
// Plane faces get grids (sample_faces.c). The rest is blue noise: candidates on the level set distance = -spacing / 2 from
// a lattice of half the spacing, Poisson-disk elimination, then a few sweeps in which the particles push each other
// along the surface. Walls thinner than a spacing have no such level set; their candidates are put half way through.
#include "geom/sample_internal.h"

#include <stdlib.h>

#include "base/memory.h"

static const double candidate_step = 0.5; ///< lattice of the candidates, in spacings
static const double reach_step = 1.75;    ///< range of the mutual repulsion, in spacings
static const double push = 0.25;          ///< speed of a relaxation sweep, in spacings per unit of repulsion
static const double longest_push = 0.15;  ///< in spacings
static const double closest_gap = 0.78;   ///< particles that end closer than this are thinned out, in spacings
static const double facing = 0.7;         ///< cosine: the far side of a thin wall faces the near one

enum
{
    neighbor_limit = 64,
    rounds = 3,       ///< relaxation, thinning and filling are repeated
    sweeps_3d = 8,    ///< per round
    sweeps_2d = 100,  ///< in 2D gaps even out along a line only, slowly, but at no cost
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
    frz_vec3 normal;
    int64_t place; ///< in the list
    bool valid;
    bool thin; ///< half way through a thin wall instead of on the level set
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
    candidate *origins; ///< of loose particles: normal and kind
    frz_point_hash hash;
} cloud;

// ---- candidates

/// On the level set, and with the open outside beyond it (not an inner wall between two touching solids).
static bool settle_thick(const sampler *s, candidate *c)
{
    const double beyond = 0.55; // just outside a surface half a spacing away, in spacings
    if (!frz_sample_project(s->shape, -0.5 * s->spacing, s->spacing, s->dimension, &c->position, &c->normal))
        return false;
    return frz_shape_distance(s->shape, frz_v3_mad(c->position, beyond * s->spacing, c->normal)) > 0.0;
}

/// Half way through a wall thinner than a spacing.
static bool settle_thin(const sampler *s, candidate *c)
{
    frz_vec3 surface = c->position;
    frz_vec3 n;
    frz_vec3 far_normal;
    if (!frz_sample_project(s->shape, 0.0, s->spacing, s->dimension, &surface, &n))
        return false;
    const double outside = 0.01 * s->spacing; // the normals are taken where no other side disturbs them
    (void)frz_sample_gradient(s->shape, frz_v3_mad(surface, outside, n), s->dimension, &n);
    const double thickness = frz_sample_thickness(s->shape, surface, n, s->spacing);
    if (thickness >= s->spacing)
        return false;
    const frz_vec3 far = frz_v3_mad(surface, -thickness - outside, n);
    (void)frz_sample_gradient(s->shape, far, s->dimension, &far_normal);
    if (frz_v3_dot(far_normal, n) > -facing)
        return false;
    c->position = frz_v3_mad(surface, -0.5 * thickness, n);
    c->normal = n;
    return true;
}

static bool settle(const sampler *s, candidate *c)
{
    if (!(c->thin ? settle_thin(s, c) : settle_thick(s, c)))
        return false;
    if (s->dimension == 2)
        c->position.z = 0.0;
    return frz_bounds_contain(s->reach, c->position, s->dimension);
}

/// Lattice nodes of a row near the level set; items may be null to count only.
static int64_t scan_row(const sampler *s, const int64_t size[3], int64_t row, bool thin, candidate *items)
{
    const double h = candidate_step * s->spacing;
    const double level = thin ? 0.0 : -0.5 * s->spacing;
    const double band = 0.5 * h * sqrt((double)s->dimension);
    frz_vec3 p = {0.0, s->window.min.y + h * (double)(row % size[1]),
                  s->dimension == 2 ? 0.0 : s->window.min.z + h * (double)(row / size[1])};
    int64_t found = 0;
    for (int64_t i = 0; i < size[0];)
    {
        p.x = s->window.min.x + h * (double)i;
        const double off = fabs(frz_shape_distance(s->shape, p) - level);
        if (off > band)
        {
            i += (int64_t)fmin(fmax(1.0, ceil((off - band) / h)), (double)INT_MAX);
            continue;
        }
        if (items != NULL)
        {
            items[found].position = p;
            items[found].thin = thin;
        }
        ++found;
        ++i;
    }
    return found;
}

/// Append the candidates of one kind to the list.
static frz_status add_candidates(const sampler *s, bool thin, candidate_list *list, frz_diag *diag)
{
    int64_t size[3];
    for (int axis = 0; axis < 3; ++axis)
    {
        const double length = frz_v3_get(s->window.max, axis) - frz_v3_get(s->window.min, axis);
        size[axis] = axis < s->dimension ? (int64_t)ceil(length / (candidate_step * s->spacing)) + 1 : 1;
    }
    const int64_t rows = size[1] * size[2];
    int64_t *starts = FRZ_ALLOC("surface rows", rows + 1, int64_t);
    if (starts == NULL)
        return frz_fail_memory(diag, "the candidates of a surface");
#pragma omp parallel for schedule(dynamic, 16)
    for (int64_t row = 0; row < rows; ++row)
        starts[row + 1] = scan_row(s, size, row, thin, NULL);
    starts[0] = list->count;
    for (int64_t row = 0; row < rows; ++row)
        starts[row + 1] += starts[row];
    const int64_t total = starts[rows];
    candidate *items = frz_realloc("surface candidates", list->items, (size_t)total + 1, sizeof *items);
    if (items != NULL)
    {
#pragma omp parallel for schedule(dynamic, 16)
        for (int64_t row = 0; row < rows; ++row)
        {
            (void)scan_row(s, size, row, thin, items + starts[row]);
            for (int64_t n = starts[row]; n < starts[row + 1]; ++n)
                items[n].valid = settle(s, &items[n]);
        }
        list->items = items;
        list->count = total;
    }
    frz_free(starts);
    return items != NULL ? FRZ_OK : frz_fail_memory(diag, "the candidates of a surface");
}

static void compact(candidate_list *list)
{
    int64_t kept = 0;
    for (int64_t n = 0; n < list->count; ++n)
    {
        if (list->items[n].valid)
            list->items[kept++] = list->items[n];
    }
    list->count = kept;
}

// ---- cloud

static void destroy_cloud(cloud *c)
{
    frz_free(c->positions);
    frz_free(c->moved);
    frz_free(c->origins);
    frz_point_hash_destroy(&c->hash);
}

static frz_status create_cloud(const sampler *s, const frz_point_set *fixed, int64_t candidates, cloud *c,
                               frz_diag *diag)
{
    const int64_t capacity = fixed->count + candidates;
    FRZ_TRY(frz_sample_check_count((double)capacity, s->spacing, diag));
    c->capacity = (int)capacity;
    c->positions = FRZ_ALLOC("surface particles", capacity + 1, frz_vec3);
    c->moved = FRZ_ALLOC("surface particles", capacity + 1, frz_vec3);
    c->origins = FRZ_ALLOC("surface particles", capacity + 1, candidate);
    if (c->positions == NULL || c->moved == NULL || c->origins == NULL)
        return frz_fail_memory(diag, "the particles of a surface");
    FRZ_TRY(frz_point_hash_create(&c->hash, capacity, reach_step * s->spacing, diag));
    for (int64_t n = 0; n < fixed->count; ++n)
    {
        c->positions[n] = fixed->points[n];
        frz_point_hash_insert(&c->hash, c->positions, (int)n);
    }
    c->fixed_count = (int)fixed->count;
    c->count = c->fixed_count;
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

static void rehash(cloud *c)
{
    frz_point_hash_clear(&c->hash);
    for (int n = 0; n < c->count; ++n)
        frz_point_hash_insert(&c->hash, c->positions, n);
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
        int near;
        if (c->count >= c->capacity ||
            frz_point_hash_collect(&c->hash, c->positions, list->items[at].position, gap, &near, 1) > 0)
            continue;
        c->positions[c->count] = list->items[at].position;
        c->origins[c->count] = list->items[at];
        c->origins[c->count].place = at;
        frz_point_hash_insert(&c->hash, c->positions, c->count);
        ++c->count;
    }
    sort_loose(c);
}

/// Back to the level set after a short step along it: a single Newton step is enough.
static bool follow_thick(const sampler *s, candidate *c)
{
    const double level = -0.5 * s->spacing;
    const double error = frz_sample_gradient(s->shape, c->position, s->dimension, &c->normal) - level;
    c->position = frz_v3_mad(c->position, -error, c->normal);
    return fabs(error) < longest_push * s->spacing;
}

/// Back to the middle of a thin wall, starting outside on the side it was made from.
static bool follow_thin(const sampler *s, candidate *c)
{
    c->position = frz_v3_mad(c->position, 0.5 * s->spacing, c->normal);
    return settle_thin(s, c);
}

/// Where particle i goes in this sweep.
static frz_vec3 relax_one(const sampler *s, const cloud *c, int i, candidate *updated)
{
    int found[neighbor_limit];
    const double range = reach_step * s->spacing;
    const frz_vec3 p = c->positions[i];
    const frz_vec3 normal = c->origins[i].normal;
    const int count = frz_point_hash_collect(&c->hash, c->positions, p, range, found, neighbor_limit);
    frz_vec3 step = {0.0, 0.0, 0.0};
    for (int k = 0; k < count; ++k)
    {
        const frz_vec3 d = frz_v3_sub(p, c->positions[found[k]]);
        const double r = frz_v3_length(d);
        if (found[k] == i || r <= 0.0)
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
    if (!(updated->thin ? follow_thin(s, updated) : follow_thick(s, updated)) ||
        !frz_bounds_contain(s->reach, updated->position, s->dimension) ||
        frz_v3_length(frz_v3_sub(updated->position, p)) > 2.0 * allowed)
    {
        *updated = c->origins[i];
        return p;
    }
    return updated->position;
}

static void relax(const sampler *s, cloud *c, int sweeps)
{
    for (int sweep = 0; sweep < sweeps; ++sweep)
    {
#pragma omp parallel for schedule(dynamic, 256)
        for (int i = c->fixed_count; i < c->count; ++i)
        {
            candidate updated;
            c->moved[i] = relax_one(s, c, i, &updated);
            c->origins[i] = updated; // read by iteration i only
        }
        for (int i = c->fixed_count; i < c->count; ++i)
            c->positions[i] = c->moved[i];
        rehash(c);
    }
}

/// Drop loose particles that left the level set at a crease, or are too close to one that stays.
static void thin_out(const sampler *s, cloud *c)
{
    const int old_count = c->count;
#pragma omp parallel for schedule(dynamic, 256)
    for (int i = c->fixed_count; i < old_count; ++i)
    {
        candidate *o = &c->origins[i];
        o->position = c->positions[i];
        o->valid = o->thin || settle(s, o);
        c->positions[i] = o->position;
    }
    c->count = c->fixed_count;
    rehash(c);
    for (int i = c->fixed_count; i < old_count; ++i)
    {
        int near;
        const frz_vec3 p = c->positions[i];
        if (!c->origins[i].valid ||
            frz_point_hash_collect(&c->hash, c->positions, p, closest_gap * s->spacing, &near, 1) > 0)
            continue;
        c->positions[c->count] = p;
        c->origins[c->count] = c->origins[i];
        frz_point_hash_insert(&c->hash, c->positions, c->count);
        ++c->count;
    }
}

static frz_status sample(const sampler *s, const frz_point_set *fixed, candidate_list *list, cloud *c, frz_diag *diag)
{
    FRZ_TRY(add_candidates(s, false, list, diag));
    if (frz_shape_min_thickness(s->shape, s->dimension, s->spacing) < s->spacing)
        FRZ_TRY(add_candidates(s, true, list, diag));
    compact(list);
    FRZ_TRY(create_cloud(s, fixed, list->count, c, diag));
    accept_candidates(list, s->disk, c);
    for (int round = 0; round < rounds; ++round)
    {
        relax(s, c, s->dimension == 2 ? sweeps_2d : sweeps_3d);
        thin_out(s, c);
        accept_candidates(list, s->widest_gap, c);
    }
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
    // Greedy disks of radius r cover a plane with about 0.70 / r^2 of them, and a line with 0.75 / r: these radii
    // make one particle per spacing^2 or per spacing, as a grid has.
    const sampler s = {.shape = shape,
                       .spacing = spacing,
                       .dimension = dimension,
                       .disk = dimension == 2 ? 0.6 * spacing : 0.72 * spacing,
                       .widest_gap = 0.8 * spacing,
                       .window = window,
                       .reach = frz_bounds_grow(window, 0.5001 * spacing)};
    return run(&s, out, diag);
}
