// SPDX-License-Identifier: MIT
#include "sph/sample_fit.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "math/mat3.h"
#include "space/search.h"

// Variance of the liquid's positions, in squared spacings, up to which a direction counts as without extent, and from
// which the fit is fully linear in it; between the two it fades, so that nothing jumps. A layer that is uneven by a
// tenth of a spacing has 0.01; beside a flat wall the lattice has 0.14 across it and 0.3 along it.
static const double flat = 0.02;
static const double solid = 0.08;
// fraction of the support within which particles count: at its very end a weight could round to zero
static const double reach = 0.999;

// Inverse of a variance, faded out where it is small.
static double faded_inverse(double variance, double spacing)
{
    const double low = flat * spacing * spacing, high = solid * spacing * spacing;
    if (variance <= low)
        return 0.0;
    const double t = fmin(1.0, (variance - low) / (high - low));
    return t * t * (3.0 - 2.0 * t) / variance;
}

// After Band et al. 2018 (MLS pressure boundaries): a line through the weighted centre, its slope by least squares.
void frz_fit_weights(const frz_vec3 *offset, const double *importance, int count, double spacing, double *weight)
{
    double total = 0.0;
    frz_vec3 centre = frz_v3(0.0, 0.0, 0.0);
    for (int n = 0; n < count; ++n)
    {
        total += importance[n];
        centre = frz_v3_mad(centre, importance[n], offset[n]);
    }
    centre = frz_v3_scale(1.0 / total, centre);
    frz_mat3 moment = {{{0.0}}};
    for (int n = 0; n < count; ++n)
    {
        const frz_vec3 d = frz_v3_sub(offset[n], centre);
        const double x[3] = {d.x, d.y, d.z};
        for (int r = 0; r < 3; ++r)
            for (int c = r; c < 3; ++c)
                moment.m[r][c] += importance[n] / total * x[r] * x[c];
    }
    const frz_eigen3 spread = frz_m3_eigen(moment);
    frz_vec3 lever = frz_v3(0.0, 0.0, 0.0); // inverse moment times the vector from the centre to the origin
    for (int k = 0; k < 3; ++k)
    {
        const frz_vec3 direction = frz_v3(spread.v.m[0][k], spread.v.m[1][k], spread.v.m[2][k]);
        const double along = -frz_v3_dot(direction, centre) * faded_inverse(spread.s[k], spacing);
        lever = frz_v3_mad(lever, along, direction);
    }
    for (int n = 0; n < count; ++n)
        weight[n] = importance[n] / total * (1.0 + frz_v3_dot(lever, frz_v3_sub(offset[n], centre)));
}

// Liquid in front of a sample.
typedef struct front
{
    frz_vec3 offset[FRZ_NEIGHBOR_BUFFER]; // from the sample
    double importance[FRZ_NEIGHBOR_BUFFER];
    uint32_t index[FRZ_NEIGHBOR_BUFFER];
    int count;
} front;

// The k-th sample in the order of cells; with count_only nothing but the number is filled in.
static void look(const frz_pairs_input *in, int k, bool count_only, front *out)
{
    const frz_cell_list *walls = in->sample_cells;
    const frz_v4 normal = in->sample_normal[walls->index[k]];
    const frz_real s = (frz_real)in->spacing;
    frz_real at[3] = {walls->x[k] + s * normal[0], walls->y[k] + s * normal[1], walls->z[k] + s * normal[2]};
    for (int a = 0; a < 3; ++a)
    {
        const frz_real low = (frz_real)in->grid->origin[a], period = (frz_real)in->grid->period[a];
        if (in->grid->periodic[a])
            at[a] += at[a] < low ? period : at[a] >= low + period ? -period : 0;
    }
    frz_cell_run runs[FRZ_RUN_MAX];
    frz_found found;
    const int run_count = frz_cell_runs_at(in->grid, in->free_cells, at, runs);
    const int near =
        frz_search(in->free_cells, runs, run_count, at, (frz_real)(reach * in->kernel->support), -1, &found);
    const frz_vec3 forward = frz_v3_of(normal);
    out->count = 0;
    for (int n = 0; n < near; ++n)
    {
        const frz_vec3 d = frz_v3((double)found.dx[n], (double)found.dy[n], (double)found.dz[n]);
        const frz_vec3 offset = frz_v3_sub(frz_v3_scale(in->spacing, forward), d);
        if (!(frz_v3_dot(offset, forward) > 0.0))
            continue;
        const int m = out->count++;
        if (count_only)
            continue;
        out->offset[m] = offset;
        out->importance[m] = frz_kernel_value(in->kernel, frz_v3_length(d));
        out->index[m] = (uint32_t)in->free_cells->index[frz_lane_index(found.lane[n])];
    }
}

static frz_status reserve_samples(int samples, frz_sample_fit *fit, frz_diag *diag)
{
    if (fit->number != NULL && fit->sample_capacity >= samples)
        return FRZ_OK;
    frz_sample_fit_destroy(fit);
    fit->sample_capacity = samples;
    fit->number = FRZ_ALLOC("wall fits", samples + 1, uint32_t);
    fit->cell = FRZ_ALLOC("wall fits", samples + 1, uint32_t);
    fit->slot = FRZ_ALLOC("wall fits", samples + 1, uint32_t);
    fit->begin = FRZ_ALLOC("wall fits", samples + 1, int64_t);
    if (fit->number == NULL || fit->cell == NULL || fit->slot == NULL || fit->begin == NULL)
    {
        frz_sample_fit_destroy(fit);
        return frz_fail_memory(diag, "the pressures of walls");
    }
    return FRZ_OK;
}

// Lists of the samples that have liquid, one behind the other.
static frz_status lay_out(const frz_cell_list *walls, frz_sample_fit *fit, frz_diag *diag)
{
    int64_t total = 0;
    fit->count = 0;
    for (int k = 0; k < walls->count; ++k)
    {
        if (fit->number[k] == 0)
            continue;
        fit->cell[fit->count] = (uint32_t)k;
        fit->slot[fit->count] = (uint32_t)walls->index[k];
        fit->begin[fit->count++] = total;
        total += fit->number[k];
    }
    fit->begin[fit->count] = total;
    if (fit->index != NULL && fit->capacity >= total)
        return FRZ_OK;
    FRZ_FREE(fit->index);
    FRZ_FREE(fit->weight);
    fit->capacity = total + total / 4 + 64; // a number that grows once will grow again
    fit->index = FRZ_ALLOC("wall fits", fit->capacity, uint32_t);
    fit->weight = FRZ_ALLOC("wall fits", fit->capacity, frz_real);
    if (fit->index != NULL && fit->weight != NULL)
        return FRZ_OK;
    fit->capacity = 0;
    fit->count = 0;
    return frz_fail_memory(diag, "the pressures of walls");
}

frz_status frz_sample_fit_build(const frz_pairs_input *input, frz_sample_fit *fit, frz_diag *diag)
{
    const frz_cell_list *walls = input->sample_cells;
    FRZ_TRY(reserve_samples(walls->count, fit, diag));
#pragma omp parallel for schedule(dynamic, 256)
    for (int k = 0; k < walls->count; ++k)
    {
        front liquid;
        look(input, k, true, &liquid);
        fit->number[k] = (uint32_t)liquid.count;
    }
    FRZ_TRY(lay_out(walls, fit, diag));
#pragma omp parallel for schedule(dynamic, 256)
    for (int n = 0; n < fit->count; ++n)
    {
        front liquid;
        double weight[FRZ_NEIGHBOR_BUFFER];
        look(input, (int)fit->cell[n], false, &liquid);
        frz_fit_weights(liquid.offset, liquid.importance, liquid.count, input->spacing, weight);
        for (int m = 0; m < liquid.count; ++m)
        {
            fit->index[fit->begin[n] + m] = liquid.index[m];
            fit->weight[fit->begin[n] + m] = (frz_real)weight[m];
        }
    }
    return FRZ_OK;
}

void frz_sample_fit_destroy(frz_sample_fit *fit)
{
    FRZ_FREE(fit->number);
    FRZ_FREE(fit->cell);
    FRZ_FREE(fit->slot);
    FRZ_FREE(fit->begin);
    FRZ_FREE(fit->index);
    FRZ_FREE(fit->weight);
    memset(fit, 0, sizeof *fit);
}

void frz_sample_fit_extrapolate(const frz_sample_fit *fit, const frz_real *liquid, frz_real *sample)
{
#pragma omp parallel for schedule(static)
    for (int n = 0; n < fit->count; ++n)
    {
        frz_real sum = 0;
        for (int64_t k = fit->begin[n]; k < fit->begin[n + 1]; ++k)
            sum += fit->weight[k] * liquid[fit->index[k]];
        sample[fit->slot[n]] = sum > 0 ? sum : 0;
    }
}
