// SPDX-License-Identifier: MIT
#include "mpm/mpm_grid.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum
{
    digit_bits = 11,
    digits = 1 << digit_bits,
    lanes = 8,
    first_mark = INT32_MIN // of the first slot of a block and material
};

// blocks from the origin beyond which coordinates are no places any more
static const double farthest = 1e8;

// Blocks in rows: the box that holds all of them, with a border for their neighbours.
typedef struct rows
{
    int64_t low[3], size[3];
    const int32_t *period;
} rows;

static uint64_t key_of(const rows *r, const int64_t at[3])
{
    return ((uint64_t)(at[2] - r->low[2]) * (uint64_t)r->size[1] + (uint64_t)(at[1] - r->low[1])) *
               (uint64_t)r->size[0] +
           (uint64_t)(at[0] - r->low[0]);
}

static void coordinates_of(const rows *r, uint64_t key, int32_t at[3])
{
    at[0] = (int32_t)((int64_t)(key % (uint64_t)r->size[0]) + r->low[0]);
    key /= (uint64_t)r->size[0];
    at[1] = (int32_t)((int64_t)(key % (uint64_t)r->size[1]) + r->low[1]);
    at[2] = (int32_t)((int64_t)(key / (uint64_t)r->size[1]) + r->low[2]);
}

static int64_t wrap(int64_t at, int32_t period)
{
    return period > 0 ? (at % period + period) % period : at;
}

static void block_of(const frz_mpm_space *space, frz_v4 x, int64_t at[3])
{
    at[2] = 0;
    for (int a = 0; a < space->dimension; ++a)
    {
        const double cell = frz_mpm_base(space->degree, ((double)x[a] - space->origin[a]) / space->cell[a]);
        at[a] = wrap((int64_t)floor(cell / FRZ_MPM_EDGE), space->period[a]);
    }
}

static frz_status find_rows(const frz_mpm_space *space, const frz_v4 *position, const int32_t *slot, int count, rows *r,
                            frz_diag *diag)
{
    int64_t high[3] = {INT64_MIN, INT64_MIN, INT64_MIN};
    r->period = space->period;
    for (int a = 0; a < 3; ++a)
        r->low[a] = INT64_MAX;
    for (int n = 0; n < count; ++n)
    {
        int64_t at[3] = {0, 0, 0};
        const frz_v4 x = position[slot[n]];
        for (int a = 0; a < space->dimension; ++a)
            if (!(fabs((double)x[a] - space->origin[a]) < farthest * space->cell[a]))
                return frz_fail(diag, FRZ_ERR_DIVERGED, "a material point is %g m from the origin", (double)x[a]);
        block_of(space, x, at);
        for (int a = 0; a < 3; ++a)
        {
            r->low[a] = at[a] < r->low[a] ? at[a] : r->low[a];
            high[a] = at[a] > high[a] ? at[a] : high[a];
        }
    }
    for (int a = 0; a < 3; ++a)
    {
        const bool used = a < space->dimension;
        r->low[a] -= used ? 1 : 0;
        high[a] += used ? 1 : 0;
        if (space->period[a] > 0) // neighbours may be at the other end
        {
            r->low[a] = 0;
            high[a] = space->period[a] - 1;
        }
        r->size[a] = high[a] - r->low[a] + 1;
    }
    return FRZ_OK;
}

// A point with its block and material.
typedef struct place
{
    uint64_t key;
    int32_t slot;
} place;

// Least significant digit first; equal keys keep their order.
static place *sort_places(place *from, place *spare, int count)
{
    uint64_t most = 0;
    for (int n = 0; n < count; ++n)
        most = from[n].key > most ? from[n].key : most;
    for (int shift = 0; shift < 64 && most >> shift != 0; shift += digit_bits)
    {
        int start[digits + 1] = {0};
        for (int n = 0; n < count; ++n)
            start[(from[n].key >> shift & (digits - 1)) + 1] += 1;
        for (int d = 0; d < digits; ++d)
            start[d + 1] += start[d];
        for (int n = 0; n < count; ++n)
            spare[start[from[n].key >> shift & (digits - 1)]++] = from[n];
        place *sorted = spare;
        spare = from;
        from = sorted;
    }
    return from;
}

static int by_key(const void *a, const void *b)
{
    const uint64_t p = *(const uint64_t *)a, q = *(const uint64_t *)b;
    return p < q ? -1 : p > q;
}

static int find_key(const uint64_t *keys, int count, uint64_t key)
{
    const uint64_t *found = bsearch(&key, keys, (size_t)count, sizeof *keys, by_key);
    return found != NULL ? (int)(found - keys) : -1;
}

// The key of a neighbour; false: it is beyond the box.
static bool neighbor_key(const rows *r, const int32_t at[3], int n, int sign, uint64_t *key)
{
    const int offset[3] = {n % 3 - 1, n / 3 % 3 - 1, n / 9 - 1};
    int64_t to[3];
    for (int a = 0; a < 3; ++a)
    {
        to[a] = wrap(at[a] + sign * offset[a], r->period[a]);
        if (to[a] < r->low[a] || to[a] >= r->low[a] + r->size[a])
            return false;
    }
    *key = key_of(r, to);
    return true;
}

// Neighbours that a dimension has, by number.
static bool is_used(const frz_mpm_space *space, int n)
{
    return space->dimension == 3 || n / 9 == 1;
}

static int unique(uint64_t *keys, int count)
{
    int kept = 0;
    for (int n = 0; n < count; ++n)
        if (kept == 0 || keys[n] != keys[kept - 1])
            keys[kept++] = keys[n];
    return kept;
}

static void link_blocks(frz_mpm_grid *grid, const rows *r, const uint64_t *block_key, const uint64_t *node_key)
{
#pragma omp parallel for schedule(static)
    for (int b = 0; b < grid->block_count; ++b)
        for (int n = 0; n < FRZ_MPM_NEAR; ++n)
        {
            uint64_t key;
            frz_mpm_block *block = &grid->block[b];
            const bool any = is_used(&grid->space, n) && neighbor_key(r, block->at, n, 1, &key);
            block->near[n] = any ? find_key(node_key, grid->nodes_count, key) : -1;
        }
#pragma omp parallel for schedule(static)
    for (int b = 0; b < grid->nodes_count; ++b)
        for (int n = 0; n < FRZ_MPM_NEAR; ++n)
        {
            uint64_t key;
            frz_mpm_nodes *nodes = &grid->nodes[b];
            const bool any = is_used(&grid->space, n) && neighbor_key(r, nodes->at, n, -1, &key);
            nodes->from[n] = any ? find_key(block_key, grid->block_count, key) : -1;
        }
}

static frz_status make_nodes(frz_mpm_grid *grid, const rows *r, const uint64_t *block_key, frz_arena *scratch,
                             frz_diag *diag)
{
    uint64_t *keys = FRZ_SCRATCH(scratch, (size_t)grid->block_count * FRZ_MPM_NEAR + 1, uint64_t);
    if (keys == NULL)
        return frz_fail_memory(diag, "the grid of the material points");
    int count = 0;
    for (int n = 0; n < FRZ_MPM_NEAR; ++n)
        for (int b = 0; b < grid->block_count && is_used(&grid->space, n); ++b)
            count += neighbor_key(r, grid->block[b].at, n, 1, &keys[count]);
    qsort(keys, (size_t)count, sizeof *keys, by_key);
    grid->nodes_count = unique(keys, count);
    const size_t windows = (size_t)grid->block_count * (size_t)grid->window_nodes;
    const size_t all = (size_t)grid->nodes_count * (size_t)grid->block_nodes;
    grid->nodes = FRZ_SCRATCH(scratch, grid->nodes_count + 1, frz_mpm_nodes);
    grid->spread = FRZ_SCRATCH(scratch, windows + 1, frz_v4);
    grid->node = FRZ_SCRATCH(scratch, all + 1, frz_v4);
    if (grid->nodes == NULL || grid->spread == NULL || grid->node == NULL)
        return frz_fail_memory(diag, "the grid of the material points");
    for (int b = 0; b < grid->nodes_count; ++b)
    {
        grid->nodes[b].contact = grid->nodes[b].contact_end = 0;
        coordinates_of(r, keys[b], grid->nodes[b].at);
    }
    link_blocks(grid, r, block_key, keys);
    return FRZ_OK;
}

// Sort the slots by block and material; the first one of each has the mark. Also counts blocks and groups.
static frz_status sort_slots(const frz_mpm_space *space, const rows *r, const frz_v4 *position, const uint8_t *material,
                             int32_t *slot, int count, frz_arena *scratch, frz_mpm_grid *grid, frz_diag *diag)
{
    const frz_arena_mark here = frz_arena_here(scratch);
    place *places = FRZ_SCRATCH(scratch, count, place), *spare = FRZ_SCRATCH(scratch, count, place);
    if (places == NULL || spare == NULL)
        return frz_fail_memory(diag, "the material points");
#pragma omp parallel for schedule(static)
    for (int n = 0; n < count; ++n)
    {
        int64_t at[3];
        block_of(space, position[slot[n]], at);
        places[n] = (place){key_of(r, at) * FRZ_MPM_MATERIALS + material[slot[n]], slot[n]};
    }
    places = sort_places(places, spare, count);
    int filled = 0;
    for (int n = 0; n < count; ++n)
    {
        const bool fresh = n == 0 || places[n].key != places[n - 1].key;
        grid->block_count += n == 0 || places[n].key / FRZ_MPM_MATERIALS != places[n - 1].key / FRZ_MPM_MATERIALS;
        filled = fresh || filled == lanes ? 0 : filled;
        grid->group_count += filled == 0;
        filled += 1;
        slot[n] = fresh ? places[n].slot | first_mark : places[n].slot;
    }
    frz_arena_release(scratch, here);
    return FRZ_OK;
}

// Blocks and their groups from sorted slots.
static void fill_groups(frz_mpm_grid *grid, const rows *r, const frz_v4 *position, const uint8_t *material,
                        const int32_t *slot, int count, uint64_t *block_key)
{
    int b = -1, g = -1;
    for (int n = 0; n < count; ++n)
    {
        const bool fresh = slot[n] < 0;
        const int32_t i = slot[n] & ~first_mark;
        if (fresh)
        {
            int64_t at[3] = {0, 0, 0};
            block_of(&grid->space, position[i], at);
            const uint64_t key = key_of(r, at);
            if (b < 0 || key != block_key[b])
            {
                block_key[++b] = key;
                grid->block[b].first = g + 1;
                coordinates_of(r, key, grid->block[b].at);
            }
        }
        if (fresh || grid->group[g].count == lanes)
        {
            memset(&grid->group[++g], 0, sizeof *grid->group);
            grid->group[g].material = material[i];
        }
        grid->block[b].end = g + 1;
        frz_mpm_group *group = &grid->group[g];
        group->slot[group->count++] = i;
    }
    const frz_mpm_space *space = &grid->space;
#pragma omp parallel for schedule(static)
    for (int k = 0; k < grid->block_count; ++k)
        for (int m = grid->block[k].first; m < grid->block[k].end; ++m)
            for (int l = 0; l < grid->group[m].count; ++l)
                for (int a = 0; a < space->dimension; ++a)
                {
                    const double x = (double)position[grid->group[m].slot[l]][a];
                    const double at = (x - space->origin[a]) / space->cell[a];
                    const double whole = floor(frz_mpm_base(space->degree, at) / FRZ_MPM_EDGE); // not wrapped
                    grid->group[m].x[a][l] = (frz_real)(at - whole * FRZ_MPM_EDGE);
                }
}

frz_status frz_mpm_grid_build(const frz_mpm_space *space, const frz_v4 *position, const uint8_t *material,
                              int32_t *slot, int count, frz_arena *scratch, frz_mpm_grid *grid, frz_diag *diag)
{
    const int window = FRZ_MPM_MARGIN + FRZ_MPM_EDGE + space->degree + 1;
    const bool solid = space->dimension == 3;
    *grid = (frz_mpm_grid){.space = *space, .window = window};
    grid->window_nodes = window * window * (solid ? window : 1);
    grid->block_nodes = FRZ_MPM_EDGE * FRZ_MPM_EDGE * (solid ? FRZ_MPM_EDGE : 1);
    if (count == 0)
        return FRZ_OK;
    rows r;
    FRZ_TRY(find_rows(space, position, slot, count, &r, diag));
    FRZ_TRY(sort_slots(space, &r, position, material, slot, count, scratch, grid, diag));
    grid->group = FRZ_SCRATCH(scratch, grid->group_count, frz_mpm_group);
    grid->groups_end = frz_arena_here(scratch);
    grid->block = FRZ_SCRATCH(scratch, grid->block_count, frz_mpm_block);
    uint64_t *block_key = FRZ_SCRATCH(scratch, grid->block_count, uint64_t);
    if (grid->block == NULL || grid->group == NULL || block_key == NULL)
        return frz_fail_memory(diag, "the material points");
    fill_groups(grid, &r, position, material, slot, count, block_key);
    return make_nodes(grid, &r, block_key, scratch, diag);
}
