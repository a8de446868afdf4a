// SPDX-License-Identifier: MIT
#include "sph/sample_slope.h"

#include <math.h>

#include "space/search.h"

// From the n-th sample that was found.
static frz_v4 apart(const frz_found *found, int n)
{
    return frz_v4_set(found->dx[n], found->dy[n], found->dz[n], 0);
}

// How often grad m_i counts where it is m: m_i and the sum over neighbours j grow alike, by as many as there are, at
// most as many as a full layer has.
static frz_real own_at(const frz_pairs_input *input, const frz_pairs *pairs, int i, frz_real m)
{
    const frz_sample_law *law = &input->sample_law;
    const frz_real self = (frz_real)law->self;
    const frz_real layer = (frz_real)(law->gain / (law->mirror * law->mirror)) - self;
    const frz_real before = pairs->mirror[i], others = pairs->mirror_own[i] - 2 * self * before;
    const frz_real near = others < layer * before ? others / before : layer;
    return pairs->mirror_own[i] + (m - before) * (2 * self + near);
}

frz_sample_slope frz_sample_slope_at(const frz_pairs_input *input, const frz_pairs *pairs, int i, frz_v4 place)
{
    frz_sample_slope slope = {frz_v4_zero(), 0, 0};
    const frz_cell_list *cells = input->sample_cells;
    const frz_real at[3] = {place[0], place[1], place[2]};
    frz_cell_run runs[FRZ_RUN_MAX];
    frz_found found;
    const int run_count = frz_cell_runs_at(input->grid, cells, at, runs);
    int near = frz_search(cells, runs, run_count, at, (frz_real)input->kernel->support, -1, &found);
    if (near > 0 && input->solids != NULL)
        near = frz_pairs_drop_attached(input, i, &found, near);
    frz_sample_sums sums = {{frz_v4_zero(), frz_v4_zero(), frz_v4_zero()}, 0};
    for (int n = 0; n < near; ++n)
    {
        const int slot = cells->index[frz_lane_index(found.lane[n])];
        const double r = sqrt((double)frz_v4_dot3(apart(&found, n), apart(&found, n)));
        const double value = (double)input->sample_volume[slot] * frz_kernel_value(input->kernel, r);
        frz_sample_sums_add(&sums, (frz_real)value, input->sample_normal[slot]);
    }
    slope.own = pairs->mirror_own[i];
    frz_real steepness;
    if (slope.own >= 0)
        slope.own = own_at(input, pairs, i, frz_sample_law_mirror(&input->sample_law, &sums, &steepness));
    steepness = frz_sample_law_steepness(&input->sample_law, &sums, slope.own);
    const double plain = (double)frz_sample_law_plain(&input->sample_law, slope.own);
    for (int n = 0; n < near; ++n)
    {
        const int slot = cells->index[frz_lane_index(found.lane[n])];
        const frz_v4 d = apart(&found, n);
        const double r = sqrt((double)frz_v4_dot3(d, d));
        if (!(r > 0.0))
            continue;
        const double steep = (double)frz_sample_law_slope(&sums, steepness, input->sample_normal[slot]);
        const double scale = (steep + plain) * (double)input->sample_volume[slot] * input->spacing;
        const frz_v4 g = (frz_real)(scale * frz_kernel_slope(input->kernel, r) / r) * d;
        slope.gradient += g;
        if (input->sample_velocity != NULL)
            slope.flow += frz_v4_dot3(g, input->sample_velocity[slot]);
    }
    return slope;
}
