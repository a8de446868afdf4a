// SPDX-License-Identifier: MIT
#include "sph/affine.h"

#include <string.h>

#include "base/blocks.h"
#include "base/memory.h"
#include "math/mat3.h"

// det M over that of a lattice: below this neighbours are nearly in a line, and A has large numbers
static const double least_determinant = 0.5;
// least ratio of the determinants of M and of M + W: below, walls make nearly all of the density
static const double least_share = 0.05;

// M and W.
typedef struct moments
{
    frz_mat3 pairs, walls;
} moments;

static bool is_liquid(const frz_pairs_input *in, uint32_t slot)
{
    return in->solids == NULL || in->solids->index_of_slot[slot] < 0;
}

static void add_strain(const frz_wall_strain *strain, double weight, frz_mat3 *sum)
{
    static const int row[6] = {0, 1, 2, 0, 0, 1}, column[6] = {0, 1, 2, 1, 2, 2};
    for (int k = 0; k < 6; ++k)
    {
        sum->m[row[k]][column[k]] += weight * (double)strain->n[k];
        if (row[k] != column[k])
            sum->m[column[k]][row[k]] += weight * (double)strain->n[k];
    }
}

// False if something else has a part in the density of particle i.
static bool gather(const frz_pairs_input *in, const frz_pairs *pairs, int b, int i, moments *sum)
{
    const frz_pair_block *block = &pairs->blocks[b];
    const bool mirrored = pairs->mirror[i] > 0, local = pairs->mirror_own[i] < 0;
    memset(sum, 0, sizeof *sum);
    if ((pairs->sample_count[i] > 0 && local) || !is_liquid(in, (uint32_t)i))
        return false;
    for (uint32_t k = pairs->begin[i]; k < pairs->end[i]; ++k)
    {
        const uint32_t j = block->index[k];
        if (!is_liquid(in, j))
            return false;
        const frz_v4 x = frz_minimum_image(in->grid, in->position[i] - in->position[j]);
        const frz_v4 g = frz_pair_load(&block->pair[k]);
        for (int r = 0; r < 3; ++r)
            for (int c = 0; c < 3; ++c)
                sum->pairs.m[r][c] += (double)g[r] * (double)x[c];
        if (mirrored && pairs->mirror[j] > 0)
            add_strain(&pairs->wall_strain[j], (double)(pairs->mirror[i] * g[3]), &sum->walls);
    }
    if (mirrored)
        add_strain(&pairs->wall_strain[i], (double)pairs->mirror_own[i], &sum->walls);
    return true;
}

// A without the part of walls along their normals. M and W over c.
static frz_mat3 beside_walls(frz_mat3 a, const frz_mat3 *m, const frz_mat3 *w)
{
    const frz_eigen3 axes = frz_m3_eigen(*w);
    for (int k = 0; k < 3; ++k)
        if (axes.s[k] > 0.0)
        {
            const frz_vec3 n = frz_v3(axes.v.m[0][k], axes.v.m[1][k], axes.v.m[2][k]);
            a = frz_m3_mad(a, -axes.s[k] / frz_v3_dot(n, frz_m3_apply(*m, n)), frz_m3_outer(n, n));
        }
    return a;
}

// E; zero if it would have large numbers.
static frz_affine correction(const moments *sum, int dimension)
{
    frz_affine e;
    memset(&e, 0, sizeof e);
    const double mean = (frz_m3_trace(sum->pairs) + frz_m3_trace(sum->walls)) / dimension;
    if (!(mean < 0.0)) // no neighbours
        return e;
    frz_mat3 m = frz_m3_symmetric(frz_m3_scale(1.0 / mean, sum->pairs));
    const frz_mat3 w = frz_m3_scale(1.0 / mean, sum->walls);
    if (dimension < 3)
        m.m[2][2] = 1.0;
    const double determinant = frz_m3_determinant(m);
    const double usual = frz_m3_determinant(frz_m3_sub(frz_m3_identity(), w));
    if (!(usual > least_share && determinant > least_determinant * usual))
        return e;
    frz_mat3 a = frz_m3_scale(1.0 / determinant, frz_m3_cofactor(m)); // the inverse: it is symmetric
    if (frz_m3_trace(w) > 0.0)
        a = beside_walls(a, &m, &w);
    for (int c = 0; c < dimension; ++c)
        for (int r = 0; r < dimension; ++r)
            e.column[c][r] = (frz_real)(a.m[r][c] - (r == c ? 1.0 : 0.0));
    return e;
}

frz_status frz_affine_build(const frz_pairs_input *input, const frz_pairs *pairs, int dimension, frz_affine_list *list,
                            frz_diag *diag)
{
    const int count = pairs->count, blocks = frz_block_count(count);
    if (list->of == NULL || list->capacity < count)
    {
        // a number that grows once will grow again
        const int room = list->of != NULL ? count + count / 4 : count;
        FRZ_FREE(list->of);
        list->of = FRZ_ALLOC("pairs", room + 1, frz_affine);
        list->capacity = room;
    }
    if (list->of == NULL)
        return frz_fail_memory(diag, "the corrections of the divergence");
#pragma omp parallel for schedule(dynamic, 4)
    for (int b = 0; b < blocks; ++b)
        for (int i = b * FRZ_BLOCK; i < frz_block_end(b, count); ++i)
        {
            moments sum;
            if (gather(input, pairs, b, i, &sum))
                list->of[i] = correction(&sum, dimension);
            else
                memset(&list->of[i], 0, sizeof list->of[i]);
        }
    list->current = true;
    return FRZ_OK;
}

void frz_affine_destroy(frz_affine_list *list)
{
    FRZ_FREE(list->of);
    memset(list, 0, sizeof *list);
}
