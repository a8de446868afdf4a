// SPDX-License-Identifier: MIT
// Neighbour lists of many points at once, for loops that visit the same neighbours again and again.
#pragma once

#include <stdint.h>

#include "geom/point_hash.h"

/// One point in the order of the buckets.
typedef struct frz_point_entry
{
    frz_vec3 point;
    int64_t cell[3];
    int index;
} frz_point_entry;

/// Neighbours of chosen points; zeroed before it is created.
typedef struct frz_point_lists
{
    frz_point_hash hash;      ///< its heads are the first entries of the buckets here
    frz_point_entry *entries; ///< points by bucket, in a bucket from the last one to the first
    int *number;              ///< by chosen point: how many neighbours it has
    int *list;                ///< neighbours, a point itself not among them: of chosen point m from m * stride on
    int64_t stride;
    uint8_t *stale; ///< by bucket: its points get new lists
} frz_point_lists;

/// For so many points, and neighbours closer than radius.
FRZ_NODISCARD frz_status frz_point_lists_create(frz_point_lists *lists, int count, double radius, frz_diag *diag);
void frz_point_lists_destroy(frz_point_lists *lists);

/// Find the neighbours of the points with a rank (0 to chosen - 1; others have -1), at most limit of each. The order in
/// a list depends on the points alone: cells by z, y, x, and in a cell from the last point to the first. With moved (by
/// point) only lists that a moved point can be on are updated; NULL updates all.
FRZ_NODISCARD frz_status frz_point_lists_make(frz_point_lists *lists, const frz_vec3 *points, int count,
                                              const int *rank, int chosen, int limit, const uint8_t *moved,
                                              frz_diag *diag);
