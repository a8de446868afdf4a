// SPDX-License-Identifier: MIT
// A hash grid of points: neighbour searches without bounds and without a sort.
#pragma once

#include <stdint.h>

#include "base/fail.h"
#include "math/vec3.h"

/// Points hashed into cubic cells, for neighbour searches with radii up to the cell size. The points stay outside.
typedef struct frz_point_hash
{
    double cell;
    uint64_t mask; ///< buckets in use, less one
    uint64_t most; ///< of the mask
    int *heads;    ///< per bucket: the point inserted last, or -1
    int *next;     ///< per point
} frz_point_hash;

FRZ_NODISCARD frz_status frz_point_hash_create(frz_point_hash *hash, int64_t capacity, double cell, frz_diag *diag);
void frz_point_hash_destroy(frz_point_hash *hash);
/// Forgets all points; count: how many will come. More may, but few buckets stay in the cache.
void frz_point_hash_clear(frz_point_hash *hash, int64_t count);
void frz_point_hash_insert(frz_point_hash *hash, const frz_vec3 *points, int index);
/// Points within radius (<= cell) of center, at most limit of them; returns how many were found.
int frz_point_hash_collect(const frz_point_hash *hash, const frz_vec3 *points, frz_vec3 center, double radius,
                           int *found, int limit);
/// Whether there is a point within radius (<= cell) of center.
bool frz_point_hash_any(const frz_point_hash *hash, const frz_vec3 *points, frz_vec3 center, double radius);
/// The bucket of a point, and its cell.
uint64_t frz_point_hash_bucket(const frz_point_hash *hash, frz_vec3 point, int64_t cell[3]);
/// The cells of a row along x have buckets that follow each other, in the same lines of the cache.
static inline uint64_t frz_point_hash_bucket_of(const frz_point_hash *hash, const int64_t cell[3])
{
    // odd multipliers derived from the golden ratio and primes; the shift brings the well-mixed high bits down
    uint64_t key = (uint64_t)cell[1] * 0xc2b2ae3d27d4eb4fu ^ (uint64_t)cell[2] * 0x165667b19e3779f9u;
    key ^= key >> 29;
    key *= 0xbf58476d1ce4e5b9u;
    return ((key ^ (key >> 32)) + (uint64_t)cell[0]) & hash->mask;
}
