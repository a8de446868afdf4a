// SPDX-License-Identifier: MIT
#include "sph/sample_pairs.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "space/search.h"

static frz_status reserve(int count, frz_sample_pairs *walls, const uint16_t *number, frz_diag *diag)
{
    if (walls->begin == NULL || walls->particle_capacity < count)
    {
        // a number that grows once will grow again
        const int room = walls->begin != NULL ? count + count / 4 : count;
        FRZ_FREE(walls->begin);
        walls->begin = FRZ_ALLOC("wall pairs", room + 1, int64_t);
        walls->particle_capacity = room;
    }
    if (walls->begin == NULL)
        return frz_fail_memory(diag, "the lists of wall neighbours");
    int64_t total = 0;
    for (int i = 0; i < count; ++i)
    {
        walls->begin[i] = total;
        total += number[i];
    }
    walls->begin[count] = total;
    if (walls->pair == NULL || walls->capacity < total)
    {
        FRZ_FREE(walls->pair);
        walls->capacity = total + total / 4 + 64;
        walls->pair = FRZ_ALLOC("wall pairs", walls->capacity, frz_sample_pair);
    }
    return walls->pair != NULL ? FRZ_OK : frz_fail_memory(diag, "the lists of wall neighbours");
}

static void fill(const frz_pairs_input *in, int i, int expected, frz_sample_pair *out)
{
    const frz_v4 x = in->position[i];
    const frz_real at[3] = {x[0], x[1], x[2]};
    frz_cell_run runs[FRZ_RUN_MAX];
    frz_found found;
    const int run_count = frz_cell_runs_at(in->grid, in->sample_cells, at, runs);
    int near = frz_search(in->sample_cells, runs, run_count, at, (frz_real)in->kernel->support, -1, &found);
    if (in->solids != NULL)
        near = frz_pairs_drop_attached(in, i, &found, near);
    FRZ_ASSERT(near == expected);
    for (int n = 0; n < near; ++n)
    {
        const int slot = in->sample_cells->index[frz_lane_index(found.lane[n])];
        const frz_v4 d = frz_v4_set(found.dx[n], found.dy[n], found.dz[n], 0);
        const double r = sqrt((double)frz_v4_dot3(d, d));
        const double volume = (double)in->sample_volume[slot];
        const double slope = r > 0.0 ? volume * frz_kernel_slope(in->kernel, r) / r : 0.0;
        out[n].difference = d;
        out[n].difference[3] = (frz_real)(volume * frz_kernel_value(in->kernel, r));
        out[n].gradient = (frz_real)slope * d;
        out[n].slot = (uint32_t)slot;
        out[n].spare = 0;
    }
}

frz_status frz_sample_pairs_build(const frz_pairs_input *input, int count, const uint16_t *number,
                                  frz_sample_pairs *walls, frz_diag *diag)
{
    FRZ_TRY(reserve(count, walls, number, diag));
#pragma omp parallel for schedule(dynamic, 512)
    for (int i = 0; i < count; ++i)
        if (number[i] > 0)
            fill(input, i, number[i], walls->pair + walls->begin[i]);
    walls->current = true;
    return FRZ_OK;
}

void frz_sample_pairs_destroy(frz_sample_pairs *walls)
{
    FRZ_FREE(walls->begin);
    FRZ_FREE(walls->pair);
    memset(walls, 0, sizeof *walls);
}
