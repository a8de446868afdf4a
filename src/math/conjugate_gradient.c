// SPDX-License-Identifier: MIT
#include "math/conjugate_gradient.h"

#include <math.h>
#include <string.h>

#include "base/blocks.h"

typedef struct work
{
    frz_v4 *residual, *direction, *image, *conditioned;
    double *partial, *partial_next;
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
#pragma omp parallel for schedule(static) if (count >= frz_parallel_least)
    for (int k = 0; k < blocks; ++k)
        partial[k] = dot_range(a, b, w, k * FRZ_BLOCK, frz_block_end(k, count));
    return frz_blocks_sum(partial, blocks);
}

// out = a + s b; out may be a or b
static void combine(int count, const frz_v4 *a, double s, const frz_v4 *b, frz_v4 *out)
{
    const frz_real factor = (frz_real)s;
#pragma omp parallel for schedule(static) if (count >= frz_parallel_least)
    for (int i = 0; i < count; ++i)
        out[i] = a[i] + factor * b[i];
}

// Without preconditioner and weights the next direction depends only on the residual and the last direction.
static bool is_plain(const frz_cg *cg)
{
    return cg->precondition == NULL && cg->weight == NULL;
}

// x += s d, r -= s A d of a block, and the size of its part of r
static double advance_block(const frz_cg *cg, const work *w, frz_real s, int k, frz_v4 *x)
{
    const int begin = k * FRZ_BLOCK, end = frz_block_end(k, cg->count);
    for (int i = begin; i < end; ++i)
    {
        x[i] += s * w->direction[i];
        w->residual[i] -= s * w->image[i];
    }
    return dot_range(w->residual, w->residual, cg->weight, begin, end);
}

// Go as far as is best along the direction and find the size of the residual; if it is not small enough and the
// iteration is plain, the next direction. All in one parallel region, in which every thread adds up the same sums: for
// small systems waking threads up costs as much as a loop. Returns the curvature d . A d.
static double advance(const frz_cg *cg, const work *w, double rho, frz_v4 *x, frz_cg_report *report)
{
    const int blocks = frz_block_count(cg->count);
    double curvature = 0.0, residual = report->residual;
#pragma omp parallel if (cg->count >= frz_parallel_some)
    {
#pragma omp for schedule(static)
        for (int k = 0; k < blocks; ++k)
            w->partial[k] = dot_range(w->direction, w->image, NULL, k * FRZ_BLOCK, frz_block_end(k, cg->count));
        const double bend = frz_blocks_sum(w->partial, blocks);
        if (bend > 0.0 && rho > 0.0)
        {
#pragma omp for schedule(static)
            for (int k = 0; k < blocks; ++k)
                w->partial_next[k] = advance_block(cg, w, (frz_real)(rho / bend), k, x);
            const double size = sqrt(frz_blocks_sum(w->partial_next, blocks));
            const frz_real keep = (frz_real)(size * size / rho);
            if (is_plain(cg) && size > cg->tolerance)
            {
#pragma omp for schedule(static) nowait
                for (int i = 0; i < cg->count; ++i)
                    w->direction[i] = w->residual[i] + keep * w->direction[i];
            }
#pragma omp master
            residual = size;
        }
#pragma omp master
        curvature = bend;
    }
    report->residual = residual;
    return curvature;
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
    *rho = is_plain(cg) ? residual * residual : frz_cg_dot(cg->count, w->residual, z, NULL, w->partial);
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
        const double curvature = advance(cg, w, rho, x, report);
        report->iterations += 1;
        if (!(curvature > 0.0) || !(rho > 0.0))
        {
            // a zero direction is a solution that rounding keeps from looking like one; all else is a wrong matrix
            report->definite = curvature == 0.0 || rho == 0.0;
            report->residual = isnan(curvature) || isnan(rho) ? NAN : report->residual;
            return;
        }
        if (!(report->residual > cg->tolerance))
            return;
        double next;
        z = condition(cg, w, report->residual, &next);
        if (!is_plain(cg))
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
        .partial_next = FRZ_SCRATCH(scratch, frz_block_count(cg->count) + 1, double),
    };
    *report = (frz_cg_report){.definite = true};
    if (w.residual == NULL || w.direction == NULL || w.image == NULL || w.conditioned == NULL || w.partial == NULL ||
        w.partial_next == NULL)
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
