// SPDX-License-Identifier: MIT
// Point sets, the hash grid, level-set walking and count estimates shared by the samplers.
#include "geom/sample_internal.h"

#include <string.h>

#include "base/memory.h"

// ---- point set

void frz_point_set_destroy(frz_point_set *set)
{
    if (set == NULL)
        return;
    frz_free(set->points);
    memset(set, 0, sizeof *set);
}

frz_status frz_point_set_reserve(frz_point_set *set, int64_t count, frz_diag *diag)
{
    if (count <= set->capacity)
        return FRZ_OK;
    frz_vec3 *points = frz_realloc("sample points", set->points, (size_t)count, sizeof *points);
    if (points == NULL)
        return frz_fail_memory(diag, "sample points");
    set->points = points;
    set->capacity = count;
    return FRZ_OK;
}

frz_status frz_point_set_append(frz_point_set *set, frz_vec3 point, frz_diag *diag)
{
    enum
    {
        first_capacity = 64
    };
    if (set->count == set->capacity)
        FRZ_TRY(frz_point_set_reserve(set, set->capacity > 0 ? 2 * set->capacity : first_capacity, diag));
    set->points[set->count++] = point;
    return FRZ_OK;
}

// ---- hash grid

frz_status frz_point_hash_create(frz_point_hash *hash, int64_t capacity, double cell, frz_diag *diag)
{
    uint64_t buckets = 64;
    while (buckets < 2 * (uint64_t)capacity)
        buckets *= 2;
    hash->cell = cell;
    hash->mask = buckets - 1;
    hash->heads = FRZ_ALLOC("point hash", buckets, int);
    hash->next = FRZ_ALLOC("point hash", capacity > 0 ? capacity : 1, int);
    if (hash->heads == NULL || hash->next == NULL)
    {
        frz_point_hash_destroy(hash);
        return frz_fail_memory(diag, "the search grid of a sampling");
    }
    frz_point_hash_clear(hash);
    return FRZ_OK;
}

void frz_point_hash_destroy(frz_point_hash *hash)
{
    FRZ_FREE(hash->heads);
    FRZ_FREE(hash->next);
}

void frz_point_hash_clear(frz_point_hash *hash)
{
    memset(hash->heads, -1, (size_t)(hash->mask + 1) * sizeof *hash->heads);
}

static void cell_of(const frz_point_hash *hash, frz_vec3 p, int64_t cell[3])
{
    cell[0] = (int64_t)floor(p.x / hash->cell);
    cell[1] = (int64_t)floor(p.y / hash->cell);
    cell[2] = (int64_t)floor(p.z / hash->cell);
}

static uint64_t bucket_of(const frz_point_hash *hash, int64_t x, int64_t y, int64_t z)
{
    // odd multipliers from the golden ratio and its kin; the shift brings the well-mixed high bits down
    uint64_t key =
        (uint64_t)x * 0x9e3779b97f4a7c15u ^ (uint64_t)y * 0xc2b2ae3d27d4eb4fu ^ (uint64_t)z * 0x165667b19e3779f9u;
    key ^= key >> 29;
    key *= 0xbf58476d1ce4e5b9u;
    return (key ^ (key >> 32)) & hash->mask;
}

void frz_point_hash_insert(frz_point_hash *hash, const frz_vec3 *points, int index)
{
    int64_t cell[3];
    cell_of(hash, points[index], cell);
    const uint64_t bucket = bucket_of(hash, cell[0], cell[1], cell[2]);
    hash->next[index] = hash->heads[bucket];
    hash->heads[bucket] = index;
}

/// The points of one cell; others may share its bucket.
static int collect_cell(const frz_point_hash *hash, const frz_vec3 *points, const int64_t cell[3], frz_vec3 center,
                        double radius, int *found, int count, int limit)
{
    for (int j = hash->heads[bucket_of(hash, cell[0], cell[1], cell[2])]; j >= 0 && count < limit; j = hash->next[j])
    {
        const frz_vec3 d = frz_v3_sub(points[j], center);
        if (frz_v3_dot(d, d) >= radius * radius)
            continue;
        int64_t own[3];
        cell_of(hash, points[j], own);
        if (own[0] == cell[0] && own[1] == cell[1] && own[2] == cell[2])
            found[count++] = j;
    }
    return count;
}

int frz_point_hash_collect(const frz_point_hash *hash, const frz_vec3 *points, frz_vec3 center, double radius,
                           int *found, int limit)
{
    const frz_vec3 r = {radius, radius, radius};
    int64_t low[3];
    int64_t high[3];
    cell_of(hash, frz_v3_sub(center, r), low);
    cell_of(hash, frz_v3_add(center, r), high);
    int count = 0;
    int64_t cell[3];
    for (cell[2] = low[2]; cell[2] <= high[2]; ++cell[2])
    {
        for (cell[1] = low[1]; cell[1] <= high[1]; ++cell[1])
        {
            for (cell[0] = low[0]; cell[0] <= high[0]; ++cell[0])
                count = collect_cell(hash, points, cell, center, radius, found, count, limit);
        }
    }
    return count;
}

// ---- level sets

double frz_sample_gradient(const frz_shape *shape, frz_vec3 point, int dimension, frz_vec3 *normal)
{
    const double distance = frz_shape_gradient(shape, point, normal);
    if (dimension == 2)
    {
        normal->z = 0.0;
        *normal = frz_v3_normalize(*normal);
    }
    return distance;
}

bool frz_sample_project(const frz_shape *shape, double level, double spacing, int dimension, frz_vec3 *point,
                        frz_vec3 *normal)
{
    enum
    {
        steps = 6
    };
    const double tolerance = 1.0e-3 * spacing;
    frz_vec3 p = *point;
    for (int step = 0; step < steps; ++step)
    {
        frz_vec3 n;
        const double error = frz_sample_gradient(shape, p, dimension, &n) - level;
        if (fabs(error) > tolerance)
        {
            p = frz_v3_mad(p, -error, n);
            continue;
        }
        if (frz_v3_length(frz_v3_sub(p, *point)) > spacing)
            return false;
        *point = p;
        if (normal != NULL)
            *normal = n;
        return true;
    }
    return false;
}

double frz_sample_thickness(const frz_shape *shape, frz_vec3 surface, frz_vec3 normal, double limit)
{
    enum
    {
        steps = 64
    };
    const double tolerance = 1.0e-6 * limit;
    const double half = 0.5 * limit;
    if (frz_shape_distance(shape, frz_v3_mad(surface, -half, normal)) <= -half * (1.0 - 1.0e-3))
        return limit;            // the ball around this point is all solid: no other surface within the limit
    double depth = 0.01 * limit; // leaves the near surface behind
    for (int step = 0; step < steps && depth < limit; ++step)
    {
        const double distance = frz_shape_distance(shape, frz_v3_mad(surface, -depth, normal));
        if (distance >= -tolerance)
            return depth;
        depth -= distance;
    }
    return limit;
}

// ---- limits

frz_status frz_sample_check(double spacing, int dimension, frz_diag *diag)
{
    if (!(spacing > 0.0) || !isfinite(spacing))
        return frz_fail(diag, FRZ_ERR_SCENE, "the spacing must be a number > 0, got %g", spacing);
    if (dimension != 2 && dimension != 3)
        return frz_fail(diag, FRZ_ERR_ARGUMENT, "shapes are sampled in 2 or 3 dimensions, not %d", dimension);
    return FRZ_OK;
}

frz_status frz_sample_check_count(double count, double spacing, frz_diag *diag)
{
    if (count <= (double)INT_MAX)
        return FRZ_OK;
    if (!isfinite(count))
        return frz_fail(diag, FRZ_ERR_SCENE,
                        "a shape without end cannot be sampled; cut it with an intersection or a domain");
    return frz_fail(diag, FRZ_ERR_SCENE,
                    "the shape would need about %.3g particles at spacing %g, more than the limit of %d; use a larger "
                    "spacing",
                    count, spacing, INT_MAX);
}

double frz_sample_volume_estimate(const frz_shape *shape, double spacing, int dimension)
{
    return frz_shape_volume(shape, dimension) / (dimension == 2 ? spacing * spacing : spacing * spacing * spacing);
}

double frz_sample_surface_estimate(const frz_shape *shape, double spacing, int dimension)
{
    const double area = frz_shape_area(shape, dimension, frz_bounds_infinite());
    return area / (dimension == 2 ? spacing : spacing * spacing);
}
