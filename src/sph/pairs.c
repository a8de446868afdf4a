// SPDX-License-Identifier: MIT
#include "sph/pairs.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "space/search.h"
#include "sph/pair_walls.h"

enum
{
    list_padding = 4,
    wide = 8
};

// distances below this fraction of the support count as coincident
static const double coincident = 1e-6;

// Constants of the pass in working precision.
typedef struct pass
{
    frz_real support, inverse_support, smallest;
    frz_real value;      // sigma / R^d * V
    frz_real slope;      // sigma / R^(d+1) * V * s
    frz_real self_value; // w_ii
    double inverse_spacing;
    int dimension;
} pass;

// Accumulated over the neighbours of one particle.
typedef struct sums
{
    frz_w8 x, y, z, square, value, virial;
    frz_w8 mirrored; // sum_j w_ij m_j
} sums;

static frz_status grow_block(frz_pair_block *block, int used, int needed, frz_diag *diag)
{
    const int capacity = needed + needed / 4;
    frz_pair *pair = FRZ_ALLOC("pairs", capacity, frz_pair);
    uint32_t *index = FRZ_ALLOC("pairs", capacity, uint32_t);
    if (pair == NULL || index == NULL)
    {
        frz_free(pair);
        frz_free(index);
        return frz_fail_memory(diag, "the neighbour lists");
    }
    if (used > 0)
    {
        memcpy(pair, block->pair, (size_t)used * sizeof *pair);
        memcpy(index, block->index, (size_t)used * sizeof *index);
    }
    if (block->own)
    {
        frz_free(block->pair);
        frz_free(block->index);
    }
    *block = (frz_pair_block){capacity, true, pair, index};
    return FRZ_OK;
}

// Give every block an equal part of the slab.
static frz_status share_slab(frz_pairs *pairs, int share, frz_diag *diag)
{
    const int64_t total = (int64_t)share * pairs->block_capacity + 1;
    pairs->pair_slab = FRZ_ALLOC("pairs", total, frz_pair);
    pairs->index_slab = FRZ_ALLOC("pairs", total, uint32_t);
    if (pairs->pair_slab == NULL || pairs->index_slab == NULL)
        return frz_fail_memory(diag, "the neighbour lists");
    for (int b = 0; b < pairs->block_capacity; ++b)
        pairs->blocks[b] = (frz_pair_block){share, false, pairs->pair_slab + (int64_t)share * b,
                                            pairs->index_slab + (int64_t)share * b};
    return FRZ_OK;
}

static frz_status reserve(const frz_pairs_input *input, int count, frz_pairs *pairs, frz_diag *diag)
{
    if (pairs->begin == NULL || pairs->capacity < count)
    {
        // a number that grows once will grow again
        const int room = pairs->begin != NULL ? count + count / 4 : count;
        frz_pairs_destroy(pairs);
        pairs->capacity = room;
        pairs->block_capacity = frz_block_count(room);
        pairs->begin = FRZ_ALLOC("pairs", room + 1, uint32_t);
        pairs->end = FRZ_ALLOC("pairs", room + 1, uint32_t);
        pairs->sample_count = FRZ_ALLOC("pairs", room + 1, uint16_t);
        pairs->gradient_sum = FRZ_ALLOC("pairs", room + 1, frz_v4);
        pairs->virial = FRZ_ALLOC("pairs", room + 1, frz_real);
        pairs->diagonal = FRZ_ALLOC("pairs", room + 1, frz_real);
        pairs->sample_gradient = FRZ_ALLOC("pairs", room + 1, frz_v4);
        pairs->sample_flow = FRZ_ALLOC("pairs", room + 1, frz_real);
        pairs->mirror = FRZ_ALLOC("pairs", room + 1, frz_real);
        pairs->mirror_own = FRZ_ALLOC("pairs", room + 1, frz_real);
        pairs->wall_strain = FRZ_ALLOC("pairs", input->wants_wall_strain ? room + 1 : 1, frz_wall_strain);
        pairs->blocks = FRZ_ALLOC("pairs", pairs->block_capacity + 1, frz_pair_block);
        if (pairs->begin == NULL || pairs->end == NULL || pairs->sample_count == NULL || pairs->gradient_sum == NULL ||
            pairs->virial == NULL || pairs->diagonal == NULL || pairs->sample_gradient == NULL ||
            pairs->sample_flow == NULL || pairs->mirror == NULL || pairs->mirror_own == NULL ||
            pairs->wall_strain == NULL || pairs->blocks == NULL)
            return frz_fail_memory(diag, "the neighbour lists");
        // expected neighbours: lattice points within the support, with a margin for padding and disorder
        const double reach = input->kernel->support / input->spacing;
        const double expected =
            input->kernel->dimension == 3 ? 4.18879 * reach * reach * reach : 3.14159 * reach * reach;
        const bool none = input->point != NULL && input->touchable[count] == 0; // points have no pairs with each other
        const int share = FRZ_BLOCK * (int)(expected * 0.95 + 2.0) + 2 * FRZ_NEIGHBOR_BUFFER;
        FRZ_TRY(share_slab(pairs, none ? 0 : share, diag));
    }
    pairs->count = count;
    return FRZ_OK;
}

// Kernel and gradient of eight pairs; adds the terms that liquid and wall neighbours have in common to the sums.
static inline __attribute__((always_inline)) void evaluate(const pass *p, frz_kernel_wide_fn *kernel,
                                                           const frz_found *f, int k, frz_w8 *gx, frz_w8 *gy,
                                                           frz_w8 *gz, frz_w8 *w)
{
    const frz_w8 dx = frz_w8_load(f->dx + k), dy = frz_w8_load(f->dy + k), dz = frz_w8_load(f->dz + k);
    const frz_w8 r = frz_w8_sqrt(dx * dx + dy * dy + dz * dz);
    frz_w8 value, slope;
    kernel(r * frz_w8_splat(p->inverse_support), p->dimension, &value, &slope);
    const frz_w8 factor = frz_w8_splat(p->slope) * slope / frz_w8_max(r, frz_w8_splat(p->smallest));
    *gx = factor * dx;
    *gy = factor * dy;
    *gz = factor * dz;
    *w = frz_w8_splat(p->value) * value;
}

// x_ij . g_ij of eight pairs
static inline frz_w8 along(const frz_found *f, int k, frz_w8 gx, frz_w8 gy, frz_w8 gz)
{
    return frz_w8_load(f->dx + k) * gx + frz_w8_load(f->dy + k) * gy + frz_w8_load(f->dz + k) * gz;
}

// Fill the lanes behind the last neighbour with something outside the support: eight, without asking how many it takes.
static inline void pad(const pass *p, frz_found *f, int count, int index)
{
    frz_w8_store(f->dx + count, frz_w8_splat(2 * p->support));
    frz_w8_store(f->dy + count, frz_w8_splat(0));
    frz_w8_store(f->dz + count, frz_w8_splat(0));
    frz_w8_store(f->lane + count, frz_w8_splat(frz_index_lane(index)));
}

static inline __attribute__((always_inline)) void add_liquid(const frz_pairs_input *in, const pass *p,
                                                             frz_kernel_wide_fn *kernel, const frz_found *f, int count,
                                                             frz_pair *pair, uint32_t *index, const frz_real *mirror,
                                                             int i, sums *s)
{
    for (int k = 0; k < count; k += wide)
    {
        frz_w8 gx, gy, gz, w;
        evaluate(p, kernel, f, k, &gx, &gy, &gz, &w);
        frz_lane_indices8(index + k, f->lane + k);
        if (mirror[i] > 0)
        {
            frz_w8 images;
            for (int l = 0; l < wide; ++l)
                images[l] = mirror[index[k + l]];
            const frz_w8 both = frz_w8_splat(1) + frz_w8_splat(mirror[i]) * images;
            gx *= both;
            gy *= both;
            gz *= both;
            s->mirrored += w * images;
        }
        frz_pair_store8(pair + k, &gx, &gy, &gz, w);
        frz_w8 weight = frz_w8_splat(1);
        if (!in->one_density)
            for (int l = 0; l < wide; ++l)
                weight[l] = in->inverse_density[index[k + l]];
        s->x += gx;
        s->y += gy;
        s->z += gz;
        s->square += weight * (gx * gx + gy * gy + gz * gz);
        s->value += w;
        s->virial += along(f, k, gx, gy, gz);
    }
}

// Remove the reference neighbours of elastic particle i from the found ones.
static int drop_bonded(const frz_pairs_input *in, int i, frz_found *f, int count)
{
    const frz_exclusion *solids = in->solids;
    const double reach = solids->reach[in->body[i]];
    int kept = 0;
    for (int k = 0; k < count; ++k)
    {
        const int j = frz_lane_index(f->lane[k]);
        const bool drop = frz_exclusion_holds(solids, i, j, reach);
        // written in any case: the order of bonded neighbours is random, and a branch would be mispredicted
        f->dx[kept] = f->dx[k];
        f->dy[kept] = f->dy[k];
        f->dz[kept] = f->dz[k];
        f->lane[kept] = f->lane[k];
        kept += !drop;
    }
    return kept;
}

// Compression of a particle of a rod or a sheet by the solids and walls that it touches. Its own body fills so little
// of its support that another one fits in as well, and bodies of one line would pass through each other. For contacts
// it counts as part of a flat face, so that it stands one spacing off, as faces do. A sheet in a pile has contacts on
// two sides: the side of the neighbour with the largest weight counts, the opposite one does not. 0: no contact.
static frz_real contact_compression(const frz_pairs_input *in, const frz_found *f, int near, const frz_pair *pair,
                                    frz_real walls, frz_v4 wall_gradient)
{
    frz_v4 away[FRZ_NEIGHBOR_BUFFER + 1]; // unit vector, and w in the last lane
    int count = 0, heaviest = 0;
    const frz_real steep = frz_v4_dot3(wall_gradient, wall_gradient);
    if (walls > 0 && steep > 0)
    {
        away[count] = (frz_real)(-1.0 / sqrt((double)steep)) * wall_gradient;
        away[count++][3] = walls;
    }
    for (int k = 0; k < near; ++k)
    {
        const int j = frz_lane_index(f->lane[k]);
        const frz_v4 d = frz_v4_set(f->dx[k], f->dy[k], f->dz[k], 0);
        const frz_real square = frz_v4_dot3(d, d), w = frz_pair_load(&pair[k])[3];
        if ((in->solids->index_of_slot[j] < 0 && !(in->point != NULL && in->point[j])) || !(square > 0) || !(w > 0))
            continue;
        away[count] = (frz_real)(1.0 / sqrt((double)square)) * d;
        away[count][3] = w;
        heaviest = w > away[heaviest][3] ? count : heaviest;
        count += 1;
    }
    frz_real sum = 0;
    for (int k = 0; k < count; ++k)
    {
        const frz_real c = frz_v4_dot3(away[k], away[heaviest]), opposite = 2 * c * c;
        sum += away[k][3] * (c < 0 ? 1 - (opposite < 1 ? opposite : 1) : 1);
    }
    return count > 0 ? in->solids->flat_compression + sum : 0;
}

// A particle deep inside an elastic body, or isolated from all others, has no neighbours here.
static void leave_alone(int i, frz_real alone, frz_pairs *pairs, frz_real *compression)
{
    pairs->sample_count[i] = 0;
    pairs->gradient_sum[i] = pairs->sample_gradient[i] = frz_v4_zero();
    pairs->diagonal[i] = pairs->virial[i] = pairs->sample_flow[i] = 0;
    compression[i] = alone;
}

// Neighbour candidates of the particles of a cell.
typedef struct surroundings
{
    int end; // the last particle of the cell, or of the block, is before this one
    int cell[3];
    int run_count; // negative: not computed yet
    int touchable; // particles that a material point can touch; negative: not computed yet
    frz_cell_run runs[FRZ_RUN_MAX];
    frz_pack pack;
} surroundings;

// Enter the cell of particle i, its first in the block. Particles are sorted by cell, so the next ones up to
// around->end are in it too. end: of the block.
static void enter_cell(const frz_pairs_input *in, int i, int end, surroundings *around)
{
    int *cell = around->cell;
    for (int a = 0; a < 3; ++a)
        cell[a] = frz_grid_coordinate(in->grid, a, (double)in->position[i][a]);
    const int last = in->free_cells->start[frz_grid_cell(in->grid, cell[0], cell[1], cell[2]) + 1];
    around->end = last < end ? last : end;
    around->run_count = around->pack.count = around->touchable = -1;
}

// Whether there is anything around the cell that a material point can touch.
static bool can_touch(const frz_pairs_input *in, surroundings *around)
{
    const int *cell = around->cell;
    if (around->touchable >= 0)
        return around->touchable > 0;
    frz_cell_run runs[FRZ_RUN_MAX];
    const int count = frz_cell_runs(in->grid, in->free_cells, cell[0], cell[1], cell[2], runs);
    around->touchable = 0;
    for (int r = 0; r < count; ++r)
        around->touchable += in->touchable[runs[r].end] - in->touchable[runs[r].begin];
    return around->touchable > 0;
}

// Material points do not push at each other here, and rigid bodies not at them: the grid does that (src/mpm). Of the
// neighbours found near a point only particles that it can touch remain; near a rigid particle all but points remain.
static int drop_points(const frz_pairs_input *in, bool point, frz_found *f, int count)
{
    int kept = 0;
    for (int k = 0; k < count; ++k)
    {
        const int j = frz_lane_index(f->lane[k]);
        const bool keep = point ? in->touchable[j + 1] > in->touchable[j] : !in->point[j];
        f->dx[kept] = f->dx[k];
        f->dy[kept] = f->dy[k];
        f->dz[kept] = f->dz[k];
        f->lane[kept] = f->lane[k];
        kept += keep;
    }
    return kept;
}

// Free particles near particle i, which is in the cell; negative if there are too many.
static inline __attribute__((always_inline)) int search_free(const frz_pairs_input *in, frz_real support, int i,
                                                             const frz_real at[3], surroundings *around,
                                                             frz_found *found)
{
    if (around->run_count < 0)
    {
        const int *cell = around->cell;
        around->run_count = frz_cell_runs(in->grid, in->free_cells, cell[0], cell[1], cell[2], around->runs);
        frz_pack_group(in->free_cells, around->runs, around->run_count, in->position, i, around->end, support,
                       &around->pack);
    }
    return around->pack.count >= 0 ? frz_pack_search(&around->pack, at, support, i, found)
                                   : frz_search(in->free_cells, around->runs, around->run_count, at, support, i, found);
}

// Sums over the neighbours and walls of particle i. alone: its compression without them. With
// h = sum_j w_ij m_j, i included, the mirrored law adds m_i h, and grad m_i counts h + w_ii m_i times as i moves alone.
// If all move, 2 h times: half of that is in the virial.
static inline __attribute__((always_inline)) void write_sums(const frz_pairs_input *in, const pass *p, int i,
                                                             frz_real alone, const sums *s, frz_pairs *pairs,
                                                             frz_real *compression)
{
    const frz_v4 own = frz_w8_sums(s->x, s->y, s->z, s->square);
    const frz_v4 rest = frz_w8_sums(s->value, s->virial, s->value, s->virial);
    const frz_real mirror = pairs->mirror[i], image = (frz_real)in->sample_law.self * mirror;
    const frz_real images = mirror > 0 ? image + frz_w8_sum(s->mirrored) : 0;
    const frz_v4 walls = (mirror > 0 ? images + image : 1) * pairs->sample_gradient[i];
    const frz_v4 sum = frz_v4_xyz(own) + walls;
    const frz_real inverse_density = in->inverse_density[i];
    const frz_real square = own[3] * (in->one_density ? inverse_density : 1);
    pairs->gradient_sum[i] = sum;
    pairs->diagonal[i] = frz_v4_dot3(sum, sum) * inverse_density + square;
    const frz_real wall_virial = (mirror > 0 ? images : 1) * pairs->virial[i];
    pairs->virial[i] = -(rest[1] + wall_virial) * (frz_real)(p->inverse_spacing / p->dimension);
    pairs->sample_gradient[i] = walls;
    pairs->sample_flow[i] *= mirror > 0 ? images + image : 1;
    if (mirror > 0)
        pairs->mirror_own[i] = images + image;
    compression[i] = alone + rest[0] + (mirror > 0 ? mirror * images : compression[i]);
}

static inline __attribute__((always_inline)) frz_status build_block(const frz_pairs_input *in, const pass *p,
                                                                    frz_kernel_wide_fn *kernel, int b, int count,
                                                                    frz_pairs *pairs, frz_real *compression,
                                                                    int64_t *pair_count, int *culprit, frz_diag *diag)
{
    frz_pair_block *block = &pairs->blocks[b];
    frz_found found;
    surroundings around; // of no cell yet
    around.end = around.cell[0] = around.cell[1] = around.cell[2] = 0;
    around.run_count = around.touchable = -1;
    const int end = frz_block_end(b, count);
    int used = 0;
    *pair_count = 0;
    for (int i = b * FRZ_BLOCK; i < end; ++i)
    {
        const int number = in->solids != NULL ? in->solids->index_of_slot[i] : -1;
        const bool core = number >= 0 && in->solids->core[number];
        const bool clear = number >= 0 && in->solids->isolated_known && in->solids->isolated[number];
        const frz_v4 x = in->position[i];
        const frz_real at[3] = {x[0], x[1], x[2]};
        if (!core && i >= around.end)
            enter_cell(in, i, end, &around);
        const bool point = in->point != NULL && in->point[i];
        if (core || (clear && pairs->sample_count[i] == 0) || (point && !can_touch(in, &around)))
        {
            pairs->begin[i] = pairs->end[i] = (uint32_t)used;
            leave_alone(i, core || clear ? in->solids->rest_compression[number] : 0, pairs, compression);
            continue;
        }
        if (used + FRZ_NEIGHBOR_BUFFER > block->capacity)
            FRZ_TRY(grow_block(block, used, used + FRZ_NEIGHBOR_BUFFER, diag));

        sums s;
        memset(&s, 0, sizeof s);
        int near = clear ? 0 : search_free(in, p->support, i, at, &around, &found);
        if (near < 0)
        {
            *culprit = i;
            return FRZ_ERR_DIVERGED;
        }
        frz_real alone = number >= 0 ? in->solids->rest_compression[number] : p->self_value;
        if (number >= 0)
            near = drop_bonded(in, i, &found, near);
        if (point || (in->point != NULL && number >= 0 && in->solids->reference_by_slot[i][3] > 0))
            near = drop_points(in, point, &found, near);
        pad(p, &found, near, i);
        add_liquid(in, p, kernel, &found, near, block->pair + used, block->index + used, pairs->mirror, i, &s);

        pairs->begin[i] = (uint32_t)used;
        used += (near + list_padding - 1) / list_padding * list_padding;
        pairs->end[i] = (uint32_t)used;
        *pair_count += near;
        frz_real contact = 0;
        if (number >= 0 && !point && in->solids->thin[number] && (near > 0 || pairs->sample_count[i] > 0))
            contact = contact_compression(in, &found, near, block->pair + pairs->begin[i], compression[i],
                                          pairs->sample_gradient[i]);
        write_sums(in, p, i, alone, &s, pairs, compression);
        compression[i] = contact > compression[i] ? contact : compression[i];
        if (point) // its own stress is its pressure; neighbours push it, it does not push them (docs/theory.md)
            compression[i] = 0;
    }
    return FRZ_OK;
}

static frz_status build_block_cubic(const frz_pairs_input *in, const pass *p, int b, int count, frz_pairs *pairs,
                                    frz_real *compression, int64_t *pair_count, int *culprit, frz_diag *diag)
{
    return build_block(in, p, frz_kernel_wide_cubic, b, count, pairs, compression, pair_count, culprit, diag);
}

static frz_status build_block_c2(const frz_pairs_input *in, const pass *p, int b, int count, frz_pairs *pairs,
                                 frz_real *compression, int64_t *pair_count, int *culprit, frz_diag *diag)
{
    return build_block(in, p, frz_kernel_wide_wendland_c2, b, count, pairs, compression, pair_count, culprit, diag);
}

// One wide function per remaining kernel, so that all go through the same block code.
#define KERNEL_WIDE(name, id)                                                                                          \
    static void wide_##name(frz_w8 q, int dimension, frz_w8 *value, frz_w8 *slope)                                     \
    {                                                                                                                  \
        frz_kernel_wide_any(id, q, dimension, value, slope);                                                           \
    }
KERNEL_WIDE(c4, FRZ_KERNEL_WENDLAND_C4)
KERNEL_WIDE(poly6, FRZ_KERNEL_POLY6)
KERNEL_WIDE(spiky, FRZ_KERNEL_SPIKY)
KERNEL_WIDE(viscosity, FRZ_KERNEL_VISCOSITY)
KERNEL_WIDE(cosine, FRZ_KERNEL_COSINE)
#undef KERNEL_WIDE

static frz_kernel_wide_fn *const other_kernels[FRZ_KERNEL_COUNT] = {
    [FRZ_KERNEL_WENDLAND_C4] = wide_c4,      [FRZ_KERNEL_POLY6] = wide_poly6,   [FRZ_KERNEL_SPIKY] = wide_spiky,
    [FRZ_KERNEL_VISCOSITY] = wide_viscosity, [FRZ_KERNEL_COSINE] = wide_cosine,
};

static frz_status build_any(const frz_pairs_input *in, const pass *p, int b, int count, frz_pairs *pairs,
                            frz_real *compression, int64_t *pair_count, int *culprit, frz_diag *diag)
{
    switch (in->kernel->id)
    {
    case FRZ_KERNEL_CUBIC_SPLINE:
        return build_block_cubic(in, p, b, count, pairs, compression, pair_count, culprit, diag);
    case FRZ_KERNEL_WENDLAND_C2:
        return build_block_c2(in, p, b, count, pairs, compression, pair_count, culprit, diag);
    default:
        return build_block(in, p, other_kernels[in->kernel->id], b, count, pairs, compression, pair_count, culprit,
                           diag);
    }
}

// One pass over the blocks: the walls (p is null), then the pairs. pair_count: of all blocks.
static frz_status over_blocks(const frz_pairs_input *input, const pass *p, int count, frz_pairs *pairs,
                              frz_real *compression, int64_t *pair_count, int *culprit, frz_diag *diag)
{
    const int blocks = frz_block_count(count);
    frz_status status = FRZ_OK;
    int64_t total = 0;
    int worst = -1;
#pragma omp parallel for schedule(dynamic, frz_block_grain(blocks)) reduction(+ : total)
    for (int b = 0; b < blocks; ++b)
    {
        frz_diag local = {.status = FRZ_OK};
        int64_t found = 0;
        int bad = -1;
        const frz_status result = p == NULL ? frz_pair_walls_block(input, b, count, pairs, compression, &bad)
                                            : build_any(input, p, b, count, pairs, compression, &found, &bad, &local);
        total += found;
        if (result == FRZ_OK)
            continue;
#pragma omp critical(frz_pairs_failure)
        if (status == FRZ_OK || (bad >= 0 && bad < worst)) // the lowest particle, whichever thread came first
        {
            status = result;
            worst = bad;
            if (diag != NULL)
                *diag = local;
        }
    }
    *pair_count = total;
    *culprit = worst;
    return status;
}

frz_status frz_pairs_build(const frz_pairs_input *input, int count, frz_pairs *pairs, frz_real *compression,
                           int *culprit, frz_diag *diag)
{
    FRZ_TRY(reserve(input, count, pairs, diag));
    const frz_kernel *kernel = input->kernel;
    const pass p = {
        .support = (frz_real)kernel->support,
        .inverse_support = (frz_real)(1.0 / kernel->support),
        .smallest = (frz_real)(coincident * kernel->support),
        .value = (frz_real)(kernel->value_factor * input->particle_volume),
        .slope = (frz_real)(kernel->slope_factor * input->particle_volume * input->spacing),
        .self_value = (frz_real)(frz_kernel_value(kernel, 0.0) * input->particle_volume),
        .inverse_spacing = 1.0 / input->spacing,
        .dimension = kernel->dimension,
    };
    int64_t total = 0;
    FRZ_TRY(over_blocks(input, NULL, count, pairs, compression, &total, culprit, diag));
    return over_blocks(input, &p, count, pairs, compression, &pairs->pair_count, culprit, diag);
}

void frz_pairs_destroy(frz_pairs *pairs)
{
    for (int b = 0; pairs->blocks != NULL && b < pairs->block_capacity; ++b)
        if (pairs->blocks[b].own)
        {
            frz_free(pairs->blocks[b].pair);
            frz_free(pairs->blocks[b].index);
        }
    FRZ_FREE(pairs->pair_slab);
    FRZ_FREE(pairs->index_slab);
    FRZ_FREE(pairs->blocks);
    FRZ_FREE(pairs->begin);
    FRZ_FREE(pairs->end);
    FRZ_FREE(pairs->sample_count);
    FRZ_FREE(pairs->gradient_sum);
    FRZ_FREE(pairs->sample_gradient);
    FRZ_FREE(pairs->virial);
    FRZ_FREE(pairs->diagonal);
    FRZ_FREE(pairs->sample_flow);
    FRZ_FREE(pairs->mirror);
    FRZ_FREE(pairs->mirror_own);
    FRZ_FREE(pairs->wall_strain);
    memset(pairs, 0, sizeof *pairs);
}
