// SPDX-License-Identifier: MIT
// Finding the neighbours of one particle among the candidates of its cell's runs.
#pragma once

#include "space/grid.h"

enum
{
    FRZ_NEIGHBOR_MAX = 504,                        ///< more neighbours than this mean a collapse
    FRZ_NEIGHBOR_BUFFER = FRZ_NEIGHBOR_MAX + 2 * 8 ///< allows wide stores behind the last one
};

/// Neighbours of one particle: differences (own minus neighbour's position) and index in the cell list.
typedef struct frz_found
{
    frz_real dx[FRZ_NEIGHBOR_BUFFER];
    frz_real dy[FRZ_NEIGHBOR_BUFFER];
    frz_real dz[FRZ_NEIGHBOR_BUFFER];
    frz_real lane[FRZ_NEIGHBOR_BUFFER]; ///< see frz_lane_index
} frz_found;

enum
{
    FRZ_PACK_MAX = 2048,  ///< candidates; a cell with more is searched run by run
    FRZ_PACK_SMALLEST = 3 ///< particles of a cell for which it pays to pack the candidates
};

/// The candidates of a group of particles in one cell side by side. Candidates far from the whole group are left out. A
/// search is then one loop of predictable length, where each of many short runs would cost a branch misprediction.
typedef struct frz_pack
{
    frz_real x[FRZ_PACK_MAX + 16];
    frz_real y[FRZ_PACK_MAX + 16];
    frz_real z[FRZ_PACK_MAX + 16];
    frz_real lane[FRZ_PACK_MAX + 16];
    int count; ///< padded to whole vectors; -1 if the candidates do not fit or lie across a periodic seam
} frz_pack;

/// Lanes of eight coordinates: how far outside [min, max].
static inline frz_w8 frz_w8_outside(frz_w8 x, frz_real min, frz_real max)
{
    return frz_w8_max(frz_w8_max(frz_w8_splat(min) - x, x - frz_w8_splat(max)), frz_w8_splat(0));
}

/// Pack the candidates within support of a box (slightly enlarged, so that rounding excludes none).
static inline void frz_pack_fill(const frz_cell_list *list, const frz_cell_run *runs, int run_count,
                                 const frz_real min[3], const frz_real max[3], frz_real support, frz_pack *pack)
{
    // too far away to be a neighbour, small enough not to overflow when squared
    const frz_real nowhere = (frz_real)1e15, slack = (frz_real)1.0001;
    const frz_w8 limit = frz_w8_splat(slack * support * support);
    int count = 0;
    pack->count = -1;
    for (int r = 0; r < run_count; ++r)
    {
        if (count + (runs[r].end - runs[r].begin) > FRZ_PACK_MAX || runs[r].shift[0] != 0 || runs[r].shift[1] != 0 ||
            runs[r].shift[2] != 0)
            return;
        for (int k = runs[r].begin; k < runs[r].end; k += 8)
        {
            const frz_w8 v[4] = {frz_w8_load(list->x + k), frz_w8_load(list->y + k), frz_w8_load(list->z + k),
                                 frz_w8_indices(k)};
            const frz_w8 dx = frz_w8_outside(v[0], min[0], max[0]), dy = frz_w8_outside(v[1], min[1], max[1]),
                         dz = frz_w8_outside(v[2], min[2], max[2]);
            const frz_w8_mask near = (dx * dx + dy * dy + dz * dz < limit) & frz_w8_index_mask(v[3], runs[r].end, -1);
            frz_real *const out[4] = {pack->x + count, pack->y + count, pack->z + count, pack->lane + count};
            count += frz_w8_compact4(near, v, out);
        }
    }
    pack->count = (count + 7) / 8 * 8;
    for (int k = count; k < pack->count; ++k)
    {
        pack->x[k] = pack->y[k] = pack->z[k] = nowhere;
        pack->lane[k] = frz_index_lane(0);
    }
}

/// Pack the candidates of the particles first to end, which lie in one cell.
static inline void frz_pack_group(const frz_cell_list *list, const frz_cell_run *runs, int run_count,
                                  const frz_v4 *position, int first, int end, frz_real support, frz_pack *pack)
{
    frz_v4 min = position[first], max = min;
    for (int i = first + 1; i < end; ++i)
        for (int a = 0; a < 3; ++a)
        {
            const frz_real x = position[i][a];
            min[a] = x < min[a] ? x : min[a];
            max[a] = x > max[a] ? x : max[a];
        }
    pack->count = -1;
    if (end - first < FRZ_PACK_SMALLEST)
        return;
    const frz_real low[3] = {min[0], min[1], min[2]}, high[3] = {max[0], max[1], max[2]};
    frz_pack_fill(list, runs, run_count, low, high, support, pack);
}

/// frz_search among packed candidates; finds the same in the same order.
static inline int frz_pack_search(const frz_pack *pack, const frz_real at[3], frz_real support, int self,
                                  frz_found *found)
{
    const frz_w8 px = frz_w8_splat(at[0]), py = frz_w8_splat(at[1]), pz = frz_w8_splat(at[2]);
    const frz_w8 limit = frz_w8_splat(support * support);
    int count = 0;
    for (int k = 0; k < pack->count; k += 8)
    {
        const frz_w8 v[4] = {px - frz_w8_load(pack->x + k), py - frz_w8_load(pack->y + k),
                             pz - frz_w8_load(pack->z + k), frz_w8_load(pack->lane + k)};
        const frz_w8 r2 = v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
        const frz_w8_mask near = (r2 < limit) & frz_w8_index_other(v[3], self);
        frz_real *const out[4] = {found->dx + count, found->dy + count, found->dz + count, found->lane + count};
        count += frz_w8_compact4(near, v, out);
        if (count > FRZ_NEIGHBOR_MAX)
            return -1;
    }
    return count;
}

/// All particles of the list within support of (x, y, z), leaving out the one with index self (-1 for none). Returns
/// their number, or -1 if there are more than FRZ_NEIGHBOR_MAX. The order is that of the list.
static inline int frz_search(const frz_cell_list *list, const frz_cell_run *runs, int run_count, const frz_real at[3],
                             frz_real support, int self, frz_found *found)
{
    const frz_w8 px = frz_w8_splat(at[0]), py = frz_w8_splat(at[1]), pz = frz_w8_splat(at[2]);
    const frz_w8 limit = frz_w8_splat(support * support);
    int count = 0;
    for (int r = 0; r < run_count; ++r)
    {
        const frz_w8 sx = frz_w8_splat(runs[r].shift[0]), sy = frz_w8_splat(runs[r].shift[1]),
                     sz = frz_w8_splat(runs[r].shift[2]);
        for (int k = runs[r].begin; k < runs[r].end; k += 8)
        {
            // (own - other) - shift, in this order: the difference seen from the other side has the same bits, negated
            frz_w8 v[4] = {(px - frz_w8_load(list->x + k)) - sx, (py - frz_w8_load(list->y + k)) - sy,
                           (pz - frz_w8_load(list->z + k)) - sz, frz_w8_indices(k)};
            const frz_w8 r2 = v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
            const frz_w8_mask near = (r2 < limit) & frz_w8_index_mask(v[3], runs[r].end, self);
            frz_real *const out[4] = {found->dx + count, found->dy + count, found->dz + count, found->lane + count};
            count += frz_w8_compact4(near, v, out);
            if (count > FRZ_NEIGHBOR_MAX)
                return -1;
        }
    }
    return count;
}
