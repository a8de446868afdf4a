// SPDX-License-Identifier: MIT
// Finding the neighbours of one particle among the candidates of its cell's runs.
#pragma once

#include "space/grid.h"

enum
{
    FRZ_NEIGHBOR_MAX = 504,                        ///< more neighbours than this is a collapse, not a liquid
    FRZ_NEIGHBOR_BUFFER = FRZ_NEIGHBOR_MAX + 2 * 8 ///< room for wide stores behind the last one
};

/// Neighbours of one particle: differences (own minus neighbour's position) and index in the cell list.
typedef struct frz_found
{
    frz_real dx[FRZ_NEIGHBOR_BUFFER];
    frz_real dy[FRZ_NEIGHBOR_BUFFER];
    frz_real dz[FRZ_NEIGHBOR_BUFFER];
    frz_real lane[FRZ_NEIGHBOR_BUFFER]; ///< see frz_lane_index
} frz_found;

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
