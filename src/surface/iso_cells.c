// SPDX-License-Identifier: MIT
// Particles sorted by block and brick of the grid.
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "surface/iso_internal.h"

enum
{
    place_bits = 20, // blocks on either side of the origin: 2^20
    most_images = 8, // of a particle at the corner of a periodic domain
    fixed = 1 << 16  // places are multiples of one over this, in cells
};

// ---- places of particles

typedef struct located
{
    int64_t at[3]; // 1/65536 cells from the origin
} located;

typedef struct sorting
{
    const frz_iso_def *def;
    double cell, reach; // m: how far a particle acts
    frz_iso_cells *out;
    uint64_t *keys; // hash set of blocks with particles
    int *numbers;   // their tables
    uint64_t mask;
} sorting;

static uint64_t pack(frz_iso_place p)
{
    const uint64_t half = 1u << place_bits;
    return ((uint64_t)(p.z + (int64_t)half) << 42) | ((uint64_t)(p.y + (int64_t)half) << 21) |
           (uint64_t)(p.x + (int64_t)half);
}

static frz_iso_place unpack(uint64_t key)
{
    const int half = 1 << place_bits;
    const frz_iso_place p = {(int)(key & 0x1fffff) - half, (int)((key >> 21) & 0x1fffff) - half,
                             (int)((key >> 42) & 0x1fffff) - half};
    return p;
}

/// The particle and its periodic images that may matter; none if it has no place on the grid.
static int locate(const sorting *s, int entry, located *out)
{
    const frz_iso_def *def = s->def;
    const int64_t row = def->rows != NULL ? def->rows[entry] : entry;
    double x[3] = {0.0, 0.0, 0.0};
    for (int c = 0; c < def->dimension; ++c)
        x[c] = frz_array_value(def->position, row, c);
    const double low[3] = {def->domain.min.x, def->domain.min.y, def->domain.min.z};
    const double high[3] = {def->domain.max.x, def->domain.max.y, def->domain.max.z};
    const double origin[3] = {def->origin.x, def->origin.y, def->origin.z};
    double shifts[3][2];
    int counts[3];
    for (int c = 0; c < 3; ++c)
    {
        shifts[c][0] = 0.0;
        counts[c] = 1;
        if ((def->periodic >> c & 1u) == 0)
            continue;
        const double length = high[c] - low[c];
        if (x[c] < low[c] + s->reach)
            shifts[c][counts[c]++] = length;
        else if (x[c] > high[c] - s->reach)
            shifts[c][counts[c]++] = -length;
    }
    int count = 0;
    for (int k = 0; k < counts[2]; ++k)
        for (int j = 0; j < counts[1]; ++j)
            for (int i = 0; i < counts[0]; ++i)
            {
                const double at[3] = {x[0] + shifts[0][i], x[1] + shifts[1][j], x[2] + shifts[2][k]};
                bool good = true;
                for (int c = 0; c < 3; ++c)
                {
                    const double cells = c < def->dimension ? (at[c] - origin[c]) / s->cell : 0.0;
                    good = good && fabs(cells) < (double)((1 << place_bits) - 2) * ISO_BLOCK;
                    out[count].at[c] = good ? (int64_t)floor(cells * fixed + 0.5) : 0;
                }
                count += good;
            }
    return count;
}

static frz_iso_place block_of(const located *p)
{
    const int64_t size = (int64_t)ISO_BLOCK * fixed;
    int64_t b[3];
    for (int c = 0; c < 3; ++c)
        b[c] = p->at[c] >= 0 ? p->at[c] / size : -((size - 1 - p->at[c]) / size);
    const frz_iso_place place = {(int)b[0], (int)b[1], (int)b[2]};
    return place;
}

static int brick_of(const located *p, frz_iso_place block)
{
    const int64_t b[3] = {block.x, block.y, block.z};
    int at[3];
    for (int c = 0; c < 3; ++c)
        at[c] = (int)((p->at[c] - b[c] * ISO_BLOCK * fixed) / ((int64_t)ISO_BRICK * fixed));
    return at[0] + ISO_BRICKS * (at[1] + ISO_BRICKS * at[2]);
}

// ---- the set of blocks

static uint64_t slot_of(const sorting *s, uint64_t key)
{
    uint64_t at = (key * UINT64_C(0x9e3779b97f4a7c15)) >> 20 & s->mask;
    while (s->keys[at] != 0 && s->keys[at] != key + 1)
        at = (at + 1) & s->mask;
    return at;
}

static bool grow_set(sorting *s)
{
    const uint64_t old = s->mask + 1, size = s->keys == NULL ? 1024 : 2 * old;
    uint64_t *before = s->keys;
    s->keys = FRZ_ALLOC("surface blocks", size, uint64_t);
    if (s->keys == NULL)
    {
        s->keys = before;
        return false;
    }
    s->mask = size - 1;
    for (uint64_t k = 0; before != NULL && k < old; ++k)
        if (before[k] != 0)
            s->keys[slot_of(s, before[k] - 1)] = before[k];
    frz_free(before);
    return true;
}

static bool insert(sorting *s, uint64_t key, int *count)
{
    const uint64_t at = slot_of(s, key);
    if (s->keys[at] != 0)
        return true;
    s->keys[at] = key + 1;
    *count += 1;
    return 2 * (uint64_t)*count <= s->mask || grow_set(s);
}

static int compare_keys(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/// Keys of the set, ascending.
static uint64_t *list_keys(const sorting *s, int count)
{
    uint64_t *list = FRZ_ALLOC("surface blocks", count + 1, uint64_t);
    int next = 0;
    for (uint64_t k = 0; list != NULL && k <= s->mask; ++k)
        if (s->keys[k] != 0)
            list[next++] = s->keys[k] - 1;
    if (list != NULL)
        qsort(list, (size_t)count, sizeof *list, compare_keys);
    return list;
}

/// Tables for all blocks with particles; counts the particles.
static frz_status find_tables(sorting *s, frz_diag *diag)
{
    located images[most_images];
    uint64_t last = UINT64_MAX;
    int64_t points = 0;
    int tables = 0;
    if (!grow_set(s))
        return frz_fail_memory(diag, "the blocks of a surface");
    for (int e = 0; e < s->def->count; ++e)
    {
        const int count = locate(s, e, images);
        points += count;
        for (int k = 0; k < count; ++k)
        {
            const uint64_t key = pack(block_of(&images[k]));
            if (key != last && !insert(s, key, &tables))
                return frz_fail_memory(diag, "the blocks of a surface");
            last = key;
        }
    }
    if (points > INT32_MAX)
        return frz_fail(diag, FRZ_ERR_ARGUMENT, "a surface of %lld particles is too large", (long long)points);
    s->out->count = (int)points;
    s->out->table_count = tables;
    return FRZ_OK;
}

/// Sort the particles into the bricks of the tables, which stand in the order of the keys.
static frz_status sort_points(sorting *s, const uint64_t *keys, frz_diag *diag)
{
    frz_iso_cells *out = s->out;
    const int64_t bricks = (int64_t)out->table_count * ISO_TABLE;
    s->numbers = FRZ_ALLOC("surface blocks", s->mask + 1, int);
    out->starts = FRZ_ALLOC("surface bricks", bricks + 2, int);
    out->active = FRZ_ALLOC("surface bricks", bricks + 1, unsigned char);
    out->points = FRZ_ALLOC("surface particles", out->count + 8, frz_v4);
    out->rows = FRZ_ALLOC("surface particles", out->count + 1, int);
    if (s->numbers == NULL || out->starts == NULL || out->active == NULL || out->points == NULL || out->rows == NULL)
        return frz_fail_memory(diag, "the particles of a surface");
    for (int t = 0; t < out->table_count; ++t)
        s->numbers[slot_of(s, keys[t])] = t;
    located images[most_images];
    const double per_cell = pow(out->spacing, out->dimension);
    for (int pass = 0; pass < 2; ++pass)
    {
        uint64_t last = UINT64_MAX;
        int table = 0;
        for (int e = 0; e < s->def->count; ++e)
        {
            const int count = locate(s, e, images);
            for (int k = 0; k < count; ++k)
            {
                const frz_iso_place block = block_of(&images[k]);
                const uint64_t key = pack(block);
                if (key != last)
                    table = s->numbers[slot_of(s, key)];
                last = key;
                int *start = &out->starts[(int64_t)table * ISO_TABLE + brick_of(&images[k], block) + 1];
                if (pass == 0)
                {
                    start[1] += 1;
                    continue;
                }
                const int64_t *at = images[k].at;
                const double volume = s->def->volumes != NULL ? (double)s->def->volumes[e] * per_cell : 0.0;
                const int64_t corner[3] = {(int64_t)block.x * ISO_BLOCK * fixed, (int64_t)block.y * ISO_BLOCK * fixed,
                                           (int64_t)block.z * ISO_BLOCK * fixed};
                out->points[*start] =
                    frz_v4_set((frz_real)(at[0] - corner[0]) / fixed, (frz_real)(at[1] - corner[1]) / fixed,
                               (frz_real)(at[2] - corner[2]) / fixed, (frz_real)volume);
                out->rows[*start] = s->def->rows != NULL ? s->def->rows[e] : e;
                *start += 1;
            }
        }
        // counts stand two places behind their brick: after the sum, the place behind it counts up to its end
        for (int64_t b = 0; b <= bricks && pass == 0; ++b)
            out->starts[b + 1] += out->starts[b];
    }
    return FRZ_OK;
}

// ---- blocks that the surface may reach

static bool brick_range_filled(const frz_iso_cells *cells, int table, const int low[3], const int high[3])
{
    for (int z = low[2]; z <= high[2]; ++z)
        for (int y = low[1]; y <= high[1]; ++y)
            for (int x = low[0]; x <= high[0]; ++x)
            {
                const int64_t b = (int64_t)table * ISO_TABLE + x + ISO_BRICKS * (y + ISO_BRICKS * z);
                if (cells->starts[b + 1] > cells->starts[b])
                    return true;
            }
    return false;
}

/// Add the neighbours that particles in the outer two layers of bricks may reach.
static frz_status find_blocks(sorting *s, const uint64_t *keys, frz_diag *diag)
{
    frz_iso_cells *out = s->out;
    int count = out->table_count;
    for (int t = 0; t < out->table_count; ++t)
    {
        const frz_iso_place p = unpack(keys[t]);
        const int deep = out->dimension == 3;
        for (int dz = -deep; dz <= deep; ++dz)
            for (int dy = -1; dy <= 1; ++dy)
                for (int dx = -1; dx <= 1; ++dx)
                {
                    const int d[3] = {dx, dy, dz};
                    int low[3], high[3];
                    for (int c = 0; c < 3; ++c)
                    {
                        low[c] = d[c] > 0 ? ISO_BRICKS - 2 : 0;
                        high[c] = d[c] < 0 ? 1 : ISO_BRICKS - 1;
                    }
                    const frz_iso_place next = {p.x + dx, p.y + dy, p.z + dz};
                    if (brick_range_filled(out, t, low, high) && !insert(s, pack(next), &count))
                        return frz_fail_memory(diag, "the blocks of a surface");
                }
    }
    uint64_t *all = list_keys(s, count);
    out->blocks = FRZ_ALLOC("surface blocks", count + 1, frz_iso_place);
    out->tables = FRZ_ALLOC("surface blocks", count + 1, int);
    if (all == NULL || out->blocks == NULL || out->tables == NULL)
    {
        frz_free(all);
        return frz_fail_memory(diag, "the blocks of a surface");
    }
    out->block_count = count;
    for (int b = 0, t = 0; b < count; ++b)
    {
        out->blocks[b] = unpack(all[b]);
        const bool own = t < out->table_count && keys[t] == all[b];
        out->tables[b] = own ? t : -1;
        t += own;
    }
    frz_free(all);
    return FRZ_OK;
}

frz_status frz_iso_cells_create(const frz_iso_def *def, frz_iso_cells *out, frz_diag *diag)
{
    const double cell = def->cell * def->spacing;
    *out =
        (frz_iso_cells){.dimension = def->dimension, .cell = cell, .spacing = 1.0 / def->cell, .origin = def->origin};
    if (def->dimension < 3)
        out->origin.z = 0.0;
    sorting s = {.def = def, .cell = cell, .reach = (ISO_REACH + 1) * cell, .out = out};
    frz_status status = find_tables(&s, diag);
    uint64_t *keys = NULL;
    if (status == FRZ_OK && (keys = list_keys(&s, out->table_count)) == NULL)
        status = frz_fail_memory(diag, "the blocks of a surface");
    if (status == FRZ_OK)
        status = sort_points(&s, keys, diag);
    if (status == FRZ_OK)
        status = find_blocks(&s, keys, diag);
    frz_free(keys);
    frz_free(s.keys);
    frz_free(s.numbers);
    if (status != FRZ_OK)
        frz_iso_cells_destroy(out);
    return status;
}

void frz_iso_cells_destroy(frz_iso_cells *cells)
{
    frz_free(cells->points);
    frz_free(cells->rows);
    frz_free(cells->blocks);
    frz_free(cells->tables);
    frz_free(cells->starts);
    frz_free(cells->active);
    *cells = (frz_iso_cells){0};
}

// ---- looking around

int frz_iso_cells_find(const frz_iso_cells *cells, frz_iso_place place)
{
    const uint64_t key = pack(place);
    int low = 0, high = cells->block_count;
    while (low < high)
    {
        const int middle = low + (high - low) / 2;
        if (pack(cells->blocks[middle]) < key)
            low = middle + 1;
        else
            high = middle;
    }
    return low < cells->block_count && pack(cells->blocks[low]) == key ? low : -1;
}

frz_iso_around frz_iso_cells_around(const frz_iso_cells *cells, int block)
{
    frz_iso_around around;
    const frz_iso_place p = cells->blocks[block];
    for (int z = 0; z < 3; ++z)
        for (int y = 0; y < 3; ++y)
            for (int x = 0; x < 3; ++x)
            {
                const frz_iso_place next = {p.x + x - 1, p.y + y - 1, p.z + z - 1};
                const bool flat = cells->dimension < 3 && z != 1;
                around.block[z][y][x] = flat ? -1 : frz_iso_cells_find(cells, next);
            }
    return around;
}

int frz_iso_brick(const frz_iso_cells *cells, const frz_iso_around *around, int x, int y, int z, int *first,
                  frz_v4 *shift)
{
    const int bx = (x + ISO_BRICKS) / ISO_BRICKS, by = (y + ISO_BRICKS) / ISO_BRICKS,
              bz = (z + ISO_BRICKS) / ISO_BRICKS;
    const int block = around->block[bz][by][bx];
    const int table = block >= 0 ? cells->tables[block] : -1;
    if (table < 0)
        return 0;
    const int local =
        (x & (ISO_BRICKS - 1)) + ISO_BRICKS * ((y & (ISO_BRICKS - 1)) + ISO_BRICKS * (z & (ISO_BRICKS - 1)));
    const int64_t at = (int64_t)table * ISO_TABLE + local;
    *first = cells->starts[at];
    *shift = frz_v4_set((frz_real)(ISO_BLOCK * (bx - 1)), (frz_real)(ISO_BLOCK * (by - 1)),
                        (frz_real)(ISO_BLOCK * (bz - 1)), 0);
    return cells->starts[at + 1] - cells->starts[at];
}

// ---- volumes

/// Density of one point, per cell^d.
static double density_at(const frz_iso_cells *cells, const frz_iso_around *around, const frz_iso_kernel *kernel,
                         frz_v4 point)
{
    const int wide = (int)ceil(kernel->support / ISO_BRICK), deep = cells->dimension == 3 ? wide : 0;
    const int at[3] = {(int)point[0] / ISO_BRICK, (int)point[1] / ISO_BRICK, (int)point[2] / ISO_BRICK};
    double sum = 0.0;
    for (int z = at[2] - deep; z <= at[2] + deep; ++z)
        for (int y = at[1] - wide; y <= at[1] + wide; ++y)
            for (int x = at[0] - wide; x <= at[0] + wide; ++x)
            {
                int first = 0;
                frz_v4 shift;
                const int count = frz_iso_brick(cells, around, x, y, z, &first, &shift);
                for (int k = first; k < first + count; ++k)
                {
                    const frz_v4 r = cells->points[k] + shift - point;
                    sum += frz_iso_kernel_value(kernel, (double)frz_v4_dot3(r, r));
                }
            }
    return sum;
}

/// Part of the kernel (1 - q^2)^3 beyond a plane at a distance z (supports) from its middle: the integral over planes
/// is 315/256 (1 - z^2)^4.
static double beyond_plane(double z)
{
    if (z >= 1.0)
        return 0.0;
    z = z > 0.0 ? z : 0.0;
    const double z2 = z * z;
    return 0.5 - 315.0 / 256.0 * z * (1.0 + z2 * (-4.0 / 3.0 + z2 * (6.0 / 5.0 + z2 * (-4.0 / 7.0 + z2 / 9.0))));
}

frz_status frz_iso_cells_measure(const frz_iso_field *field, frz_iso_cells *cells, frz_diag *diag)
{
    float *volumes = FRZ_ALLOC("surface volumes", cells->count + 1, float);
    if (volumes == NULL)
        return frz_fail_memory(diag, "the volumes of particles");
    const frz_iso_kernel kernel = frz_iso_kernel_create(cells->dimension, 2.0 * cells->spacing);
#pragma omp parallel for schedule(dynamic, 4)
    for (int b = 0; b < cells->block_count; ++b)
    {
        if (cells->tables[b] < 0)
            continue;
        const frz_iso_around around = frz_iso_cells_around(cells, b);
        const int64_t table = (int64_t)cells->tables[b] * ISO_TABLE;
        for (int k = cells->starts[table]; k < cells->starts[table + ISO_TABLE]; ++k)
        {
            const frz_v4 p = cells->points[k];
            const frz_vec3 x = frz_iso_node(cells, cells->blocks[b], (double)p[0], (double)p[1], (double)p[2]);
            const double wall = frz_iso_walls_distance(field, x) / (cells->cell * kernel.support);
            volumes[k] = (float)((1.0 - beyond_plane(wall)) / density_at(cells, &around, &kernel, p));
        }
    }
    for (int k = 0; k < cells->count; ++k)
        cells->points[k][3] = (frz_real)volumes[k];
    frz_free(volumes);
    return FRZ_OK;
}
