// SPDX-License-Identifier: MIT
#include "sph/affine.h"

#include <string.h>

#include "base/blocks.h"
#include "base/memory.h"

// of M d / tr M, whose determinant is 1 on a lattice: below this neighbours are nearly in a line, and A has large
// numbers
static const double least_determinant = 0.5;

// Symmetric: xx, yy, zz, xy, xz, yz.
typedef struct moments
{
    double m[6];
} moments;

static bool is_liquid(const frz_pairs_input *in, uint32_t slot)
{
    return in->solids == NULL || in->solids->index_of_slot[slot] < 0;
}

// M_i; false if it is not all.
static bool gather(const frz_pairs_input *in, const frz_pairs *pairs, int b, int i, moments *sum)
{
    const frz_pair_block *block = &pairs->blocks[b];
    memset(sum, 0, sizeof *sum);
    if (pairs->sample_count[i] > 0 || !is_liquid(in, (uint32_t)i))
        return false;
    for (uint32_t k = pairs->begin[i]; k < pairs->end[i]; ++k)
    {
        const uint32_t j = block->index[k];
        if (!is_liquid(in, j))
            return false;
        const frz_v4 x = frz_minimum_image(in->grid, in->position[i] - in->position[j]);
        const frz_v4 g = frz_pair_load(&block->pair[k]);
        const double at[3] = {(double)x[0], (double)x[1], (double)x[2]};
        sum->m[0] += (double)g[0] * at[0];
        sum->m[1] += (double)g[1] * at[1];
        sum->m[2] += (double)g[2] * at[2];
        sum->m[3] += (double)g[0] * at[1];
        sum->m[4] += (double)g[0] * at[2];
        sum->m[5] += (double)g[1] * at[2];
    }
    return true;
}

// (M / c)^-1 - 1; zero if it would have large numbers.
static frz_affine correction(const moments *sum, int dimension)
{
    frz_affine e;
    memset(&e, 0, sizeof e);
    const double mean = (sum->m[0] + sum->m[1] + sum->m[2]) / dimension;
    if (!(mean < 0.0)) // no neighbours
        return e;
    const double xx = sum->m[0] / mean, yy = sum->m[1] / mean, zz = dimension == 3 ? sum->m[2] / mean : 1.0;
    const double xy = sum->m[3] / mean, xz = sum->m[4] / mean, yz = sum->m[5] / mean;
    const double a = yy * zz - yz * yz, b = xz * yz - xy * zz, c = xy * yz - xz * yy;
    const double determinant = xx * a + xy * b + xz * c, scale = 1.0 / determinant;
    if (!(determinant > least_determinant))
        return e;
    const double across = scale * (xy * xz - xx * yz);
    e.column[0] = frz_v4_set((frz_real)(scale * a - 1.0), (frz_real)(scale * b), (frz_real)(scale * c), 0);
    e.column[1] = frz_v4_set((frz_real)(scale * b), (frz_real)(scale * (xx * zz - xz * xz) - 1.0), (frz_real)across, 0);
    e.column[2] = frz_v4_set((frz_real)(scale * c), (frz_real)across, (frz_real)(scale * (xx * yy - xy * xy) - 1.0), 0);
    if (dimension < 3)
        e.column[2] = frz_v4_zero();
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
