// SPDX-License-Identifier: MIT
#include "math/conjugate_gradient.h"

#include <math.h>
#include <string.h>

#include "base/blocks.h"

typedef struct work
{
    frz_v4 *residual, *direction, *image, *conditioned;
    double *partial;
} work;

double frz_cg_dot(int count, const frz_v4 *a, const frz_v4 *b, const frz_real *w, double *partial)
{
    const int blocks = frz_block_count(count);
#pragma omp parallel for schedule(static)
    for (int k = 0; k < blocks; ++k)
    {
        double sum = 0.0;
        for (int i = k * FRZ_BLOCK; i < frz_block_end(k, count); ++i)
        {
            const double product = (double)a[i][0] * (double)b[i][0] + (double)a[i][1] * (double)b[i][1] +
                                   (double)a[i][2] * (double)b[i][2];
            sum += w != NULL ? (double)w[i] * product : product;
        }
        partial[k] = sum;
    }
    return frz_blocks_sum(partial, blocks);
}

// out = a + s b; out may be a or b
static void combine(int count, const frz_v4 *a, double s, const frz_v4 *b, frz_v4 *out)
{
    const frz_real factor = (frz_real)s;
#pragma omp parallel for schedule(static)
    for (int i = 0; i < count; ++i)
        out[i] = a[i] + factor * b[i];
}

// z = P^-1 r; without a preconditioner z is r itself
static const frz_v4 *condition(const frz_cg *cg, const work *w)
{
    if (cg->precondition == NULL)
        return w->residual;
    cg->precondition(cg->user, w->residual, w->conditioned);
    return w->conditioned;
}

static double size_of(const frz_cg *cg, const work *w)
{
    return sqrt(frz_cg_dot(cg->count, w->residual, w->residual, cg->weight, w->partial));
}

static void iterate(const frz_cg *cg, const work *w, frz_v4 *x, frz_cg_report *report)
{
    const frz_v4 *z = condition(cg, w);
    double rho = frz_cg_dot(cg->count, w->residual, z, NULL, w->partial);
    memcpy(w->direction, z, (size_t)cg->count * sizeof *w->direction);
    while (report->iterations < cg->max_iterations && report->residual > cg->tolerance)
    {
        cg->apply(cg->user, w->direction, w->image);
        const double curvature = frz_cg_dot(cg->count, w->direction, w->image, NULL, w->partial);
        report->iterations += 1;
        if (!(curvature > 0.0) || !(rho > 0.0))
        {
            // a zero direction is a solution that rounding keeps from looking like one; all else is a wrong matrix
            report->definite = curvature == 0.0 || rho == 0.0;
            report->residual = isnan(curvature) || isnan(rho) ? NAN : report->residual;
            return;
        }
        const double alpha = rho / curvature;
        combine(cg->count, x, alpha, w->direction, x);
        combine(cg->count, w->residual, -alpha, w->image, w->residual);
        report->residual = size_of(cg, w);
        z = condition(cg, w);
        const double next = frz_cg_dot(cg->count, w->residual, z, NULL, w->partial);
        combine(cg->count, z, next / rho, w->direction, w->direction);
        rho = next;
    }
}

frz_status frz_cg_solve(const frz_cg *cg, const frz_v4 *b, frz_v4 *x, frz_arena *scratch, frz_cg_report *report,
                        frz_diag *diag)
{
    const frz_arena_mark mark = frz_arena_here(scratch);
    const work w = {
        .residual = FRZ_SCRATCH(scratch, cg->count + 1, frz_v4),
        .direction = FRZ_SCRATCH(scratch, cg->count + 1, frz_v4),
        .image = FRZ_SCRATCH(scratch, cg->count + 1, frz_v4),
        .conditioned = FRZ_SCRATCH(scratch, cg->count + 1, frz_v4),
        .partial = FRZ_SCRATCH(scratch, frz_block_count(cg->count) + 1, double),
    };
    *report = (frz_cg_report){.definite = true};
    if (w.residual == NULL || w.direction == NULL || w.image == NULL || w.conditioned == NULL || w.partial == NULL)
        return frz_fail_memory(diag, "a linear solver");
    if (cg->from_zero)
        memcpy(w.residual, b, (size_t)cg->count * sizeof *b);
    else
    {
        cg->apply(cg->user, x, w.image);
        combine(cg->count, b, -1.0, w.image, w.residual);
    }
    report->residual = size_of(cg, &w);
    if (report->residual > cg->tolerance)
        iterate(cg, &w, x, report);
    report->converged = report->residual <= cg->tolerance;
    frz_arena_release(scratch, mark);
    return FRZ_OK;
}
