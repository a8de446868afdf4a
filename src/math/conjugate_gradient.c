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

typedef double wide_double __attribute__((vector_size(4 * sizeof(double))));

static inline wide_double widen(frz_v4 a)
{
    return __builtin_convertvector(a, wide_double);
}

// a . b over the first three lanes of particles begin .. end, in double precision
static double dot_range(const frz_v4 *a, const frz_v4 *b, const frz_real *w, int begin, int end)
{
    wide_double even = {0.0}, odd = {0.0}; // two sums, so that no addition waits for the one before
    int i = begin;
    for (; w == NULL && i + 1 < end; i += 2)
    {
        even += widen(a[i]) * widen(b[i]);
        odd += widen(a[i + 1]) * widen(b[i + 1]);
    }
    for (; i < end; ++i)
        even += (w != NULL ? (double)w[i] : 1.0) * (widen(a[i]) * widen(b[i]));
    const wide_double sum = even + odd;
    return sum[0] + sum[1] + sum[2];
}

double frz_cg_dot(int count, const frz_v4 *a, const frz_v4 *b, const frz_real *w, double *partial)
{
    const int blocks = frz_block_count(count);
#pragma omp parallel for schedule(static) if (count >= FRZ_PARALLEL_LEAST)
    for (int k = 0; k < blocks; ++k)
        partial[k] = dot_range(a, b, w, k * FRZ_BLOCK, frz_block_end(k, count));
    return frz_blocks_sum(partial, blocks);
}

// out = a + s b; out may be a or b
static void combine(int count, const frz_v4 *a, double s, const frz_v4 *b, frz_v4 *out)
{
    const frz_real factor = (frz_real)s;
#pragma omp parallel for schedule(static) if (count >= FRZ_PARALLEL_LEAST)
    for (int i = 0; i < count; ++i)
        out[i] = a[i] + factor * b[i];
}

// x += s d, r -= s A d, and the size of r: one pass over all of them
static void advance(const frz_cg *cg, const work *w, double s, frz_v4 *x, frz_cg_report *report)
{
    const int blocks = frz_block_count(cg->count);
    const frz_real factor = (frz_real)s;
#pragma omp parallel for schedule(static) if (cg->count >= FRZ_PARALLEL_LEAST)
    for (int k = 0; k < blocks; ++k)
    {
        const int begin = k * FRZ_BLOCK, end = frz_block_end(k, cg->count);
        for (int i = begin; i < end; ++i)
        {
            x[i] += factor * w->direction[i];
            w->residual[i] -= factor * w->image[i];
        }
        w->partial[k] = dot_range(w->residual, w->residual, cg->weight, begin, end);
    }
    report->residual = sqrt(frz_blocks_sum(w->partial, blocks));
}

// z = P^-1 r and r . z; without a preconditioner z is r itself
static const frz_v4 *condition(const frz_cg *cg, const work *w, double residual, double *rho)
{
    const frz_v4 *z = w->residual;
    if (cg->precondition != NULL)
    {
        cg->precondition(cg->user, w->residual, w->conditioned);
        z = w->conditioned;
    }
    const bool known = cg->precondition == NULL && cg->weight == NULL;
    *rho = known ? residual * residual : frz_cg_dot(cg->count, w->residual, z, NULL, w->partial);
    return z;
}

static void iterate(const frz_cg *cg, const work *w, frz_v4 *x, frz_cg_report *report)
{
    double rho;
    const frz_v4 *z = condition(cg, w, report->residual, &rho);
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
        advance(cg, w, rho / curvature, x, report);
        if (!(report->residual > cg->tolerance))
            return;
        double next;
        z = condition(cg, w, report->residual, &next);
        combine(cg->count, z, next / rho, w->direction, w->direction);
        rho = next;
    }
}

// The residual of the guess, or of the multiple of it at which the error's energy is least: x . (b - A s x) = 0.
static void begin_with_guess(const frz_cg *cg, const work *w, const frz_v4 *b, frz_v4 *x)
{
    double scale = 1.0;
    cg->apply(cg->user, x, w->image);
    if (cg->scale_guess)
    {
        const double curvature = frz_cg_dot(cg->count, x, w->image, NULL, w->partial);
        scale = curvature > 0.0 ? frz_cg_dot(cg->count, x, b, NULL, w->partial) / curvature : 0.0;
        combine(cg->count, x, scale - 1.0, x, x);
    }
    combine(cg->count, b, -scale, w->image, w->residual);
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
        begin_with_guess(cg, &w, b, x);
    report->residual = sqrt(frz_cg_dot(cg->count, w.residual, w.residual, cg->weight, w.partial));
    if (report->residual > cg->tolerance)
        iterate(cg, &w, x, report);
    if (cg->remainder != NULL)
        memcpy(cg->remainder, w.residual, (size_t)cg->count * sizeof *cg->remainder);
    report->converged = report->residual <= cg->tolerance;
    frz_arena_release(scratch, mark);
    return FRZ_OK;
}
