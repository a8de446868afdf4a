// SPDX-License-Identifier: MIT
// The hash grid of points: chains of points per bucket; a walk along a chain compares the cells.
#include "geom/point_hash.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"

static const double cell_rounding = 1.0e-9; ///< of places over the length of a cell, in cells

static uint64_t mask_for(int64_t count)
{
    uint64_t buckets = 64;
    while (buckets < 2 * (uint64_t)count)
        buckets *= 2;
    return buckets - 1;
}

frz_status frz_point_hash_create(frz_point_hash *hash, int64_t capacity, double cell, frz_diag *diag)
{
    hash->cell = cell;
    hash->most = mask_for(capacity);
    hash->heads = FRZ_ALLOC("point hash", hash->most + 1, int);
    hash->next = FRZ_ALLOC("point hash", capacity > 0 ? capacity : 1, int);
    if (hash->heads == NULL || hash->next == NULL)
    {
        frz_point_hash_destroy(hash);
        return frz_fail_memory(diag, "the search grid of points");
    }
    frz_point_hash_clear(hash, capacity);
    return FRZ_OK;
}

void frz_point_hash_destroy(frz_point_hash *hash)
{
    FRZ_FREE(hash->heads);
    FRZ_FREE(hash->next);
}

void frz_point_hash_clear(frz_point_hash *hash, int64_t count)
{
    const uint64_t mask = mask_for(count);
    hash->mask = mask < hash->most ? mask : hash->most;
    memset(hash->heads, -1, (size_t)(hash->mask + 1) * sizeof *hash->heads);
}

static void cell_of(const frz_point_hash *hash, frz_vec3 p, int64_t cell[3])
{
    cell[0] = (int64_t)floor(p.x / hash->cell);
    cell[1] = (int64_t)floor(p.y / hash->cell);
    cell[2] = (int64_t)floor(p.z / hash->cell);
}

uint64_t frz_point_hash_bucket(const frz_point_hash *hash, frz_vec3 point, int64_t cell[3])
{
    cell_of(hash, point, cell);
    return frz_point_hash_bucket_of(hash, cell);
}

void frz_point_hash_insert(frz_point_hash *hash, const frz_vec3 *points, int index)
{
    int64_t cell[3];
    const uint64_t bucket = frz_point_hash_bucket(hash, points[index], cell);
    hash->next[index] = hash->heads[bucket];
    hash->heads[bucket] = index;
}

/// The points of one cell; others may share its bucket.
static int collect_cell(const frz_point_hash *hash, const frz_vec3 *points, const int64_t cell[3], frz_vec3 center,
                        double radius, int *found, int count, int limit)
{
    for (int j = hash->heads[frz_point_hash_bucket_of(hash, cell)]; j >= 0 && count < limit; j = hash->next[j])
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

bool frz_point_hash_any(const frz_point_hash *hash, const frz_vec3 *points, frz_vec3 center, double radius)
{
    const frz_vec3 r = {radius, radius, radius};
    int64_t own[3], low[3], high[3], cell[3];
    int found;
    cell_of(hash, center, own); // where one is most likely
    if (collect_cell(hash, points, own, center, radius, &found, 0, 1) > 0)
        return true;
    cell_of(hash, frz_v3_sub(center, r), low);
    cell_of(hash, frz_v3_add(center, r), high);
    for (cell[2] = low[2]; cell[2] <= high[2]; ++cell[2])
        for (cell[1] = low[1]; cell[1] <= high[1]; ++cell[1])
            for (cell[0] = low[0]; cell[0] <= high[0]; ++cell[0])
                if (collect_cell(hash, points, cell, center, radius, &found, 0, 1) > 0)
                    return true;
    return false;
}

/// Squared distance of a place from a row of cells along one axis, less what rounding may have put into another cell.
static double beyond(const frz_point_hash *hash, double at, int64_t index)
{
    const double low = hash->cell * (double)index, high = low + hash->cell;
    const double away = (at < low ? low - at : at > high ? at - high : 0.0) - cell_rounding * hash->cell;
    return away > 0.0 ? away * away : 0.0;
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
        const double z = beyond(hash, center.z, cell[2]);
        for (cell[1] = low[1]; cell[1] <= high[1]; ++cell[1])
        {
            const double y = z + beyond(hash, center.y, cell[1]);
            for (cell[0] = low[0]; cell[0] <= high[0]; ++cell[0])
                if (y + beyond(hash, center.x, cell[0]) < radius * radius)
                    count = collect_cell(hash, points, cell, center, radius, found, count, limit);
        }
    }
    return count;
}
