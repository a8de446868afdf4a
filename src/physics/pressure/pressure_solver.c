// SPDX-License-Identifier: MIT
// Iterations on the bound-constrained quadratic problem of the pressure: kappa >= 0, r <= 0, kappa r = 0.
//
// Projected gradients with the diagonal as preconditioner. An iteration is two sweeps over the pairs: multipliers to
// displacements, displacements to residuals.
#include <math.h>
#include <string.h>

#include "physics/pressure/pressure_system.h"

// relaxation of the Jacobi update; 0.5 is safe for any neighbourhood (Ihmsen et al. 2014)
static const double relaxation = 0.5;
static const double longest_step = 20.0;
// an unconverged solution with an error beyond this many tolerances is a failed step
static const double hopeless = 20.0;

// r_i = source_i + D(u)_i, its error, and the inner products of the last step.
static void residual_block(const frz_pressure_system *p, int b, frz_pressure_sums *out)
{
    const frz_pairs *pairs = p->pairs;
    frz_pressure_sums sums = {0};
    for (int i = b * FRZ_BLOCK; i < frz_block_end(b, pairs->count); ++i)
    {
        const frz_real residual = p->source[i] + frz_pressure_divergence(pairs, p->displacement, b, i);
        const frz_real diagonal = p->diagonal[i];
        // what is wrong: compression, or pressure that drives a particle below rest density (at most as far as taking
        // all its pressure away would undo)
        const frz_real pull = p->kappa[i] * diagonal;
        const bool whole = p->full || -residual < pull;
        const double error = (double)(residual > 0 ? residual : whole ? -residual : pull);
        const double hidden = p->compression != NULL ? (double)frz_pressure_left_aside(p, p->compression[i] - 1) : 0.0;
        sums.error += error;
        sums.hidden += hidden;
        sums.largest = error + hidden > sums.largest ? error + hidden : sums.largest;
        if (residual != residual)
            sums.largest = NAN;
        const frz_real step = p->kappa[i] - p->kappa_before[i];
        const frz_real y = p->residual[i] - residual;
        sums.ss += (double)(step * step * diagonal);
        sums.sy += (double)(step * y);
        sums.yy += (double)(y * y * p->inverse_diagonal[i]);
        p->residual[i] = residual;
    }
    *out = sums;
}

static frz_pressure_sums sweep_residual(const frz_pressure_system *p)
{
    const int blocks = frz_block_count(p->pairs->count);
#pragma omp parallel for schedule(dynamic, 4)
    for (int b = 0; b < blocks; ++b)
        residual_block(p, b, &p->block_sums[b]);
    frz_pressure_sums total = {0};
    for (int b = 0; b < blocks; ++b)
    {
        const frz_pressure_sums *s = &p->block_sums[b];
        total.error += s->error;
        total.hidden += s->hidden;
        total.largest = isnan(s->largest) || s->largest > total.largest ? s->largest : total.largest;
        total.ss += s->ss;
        total.sy += s->sy;
        total.yy += s->yy;
    }
    return total;
}

// kappa = max(0, kappa + alpha r / D)
static void update_kappa(const frz_pressure_system *p, double alpha)
{
    const frz_real step = (frz_real)alpha;
#pragma omp parallel for schedule(static)
    for (int i = 0; i < p->pairs->count; ++i)
    {
        const frz_real inverse = p->inverse_diagonal[i];
        const frz_real next = inverse > 0 ? p->kappa[i] + step * p->residual[i] * inverse : 0;
        p->kappa_before[i] = p->kappa[i];
        p->kappa[i] = next > 0 || p->full ? next : 0;
    }
}

// Step length of the projected gradient step, Barzilai & Borwein 1988, alternating the long and the short form.
static double step_length(const frz_pressure_sums *sums, const frz_pressure_task *task, int iteration)
{
    if (task->iteration == FRZ_PRESSURE_JACOBI || iteration == 1 || !(sums->sy > 0.0) || !(sums->yy > 0.0))
        return relaxation;
    const double alpha = iteration % 2 == 0 ? sums->ss / sums->sy : sums->sy / sums->yy;
    return fmin(fmax(alpha, relaxation), longest_step);
}

frz_status frz_pressure_solve(const frz_pressure_system *p, const frz_pressure_task *task, frz_solver_report *report,
                              frz_diag *diag)
{
    memset(report, 0, sizeof *report);
    const double count = p->pairs->count > 0 ? (double)p->pairs->count : 1.0;
    const double tolerance = p->strictness * task->tolerance;
    double error = 0.0;
    bool taken = false;
    for (int iteration = 1; !taken; ++iteration)
    {
        frz_pressure_displace(p);
        const frz_pressure_sums sums = sweep_residual(p);
        error = sums.error / count;
        report->iterations = iteration;
        report->error_average = error + sums.hidden / count;
        report->error_max = sums.largest;
        if (!(error <= hopeless) || isnan(sums.largest))
            return frz_fail(diag, FRZ_ERR_DIVERGED, "the %s solver blew up in iteration %d", task->name, iteration);
        // what is left aside counts against the tolerance, as far as iterating can make up for it
        const double wanted = fmax(tolerance - sums.hidden / count, 0.5 * tolerance);
        taken = (error <= wanted && iteration >= task->min_iterations) || iteration == task->max_iterations;
        // the displacement belongs to kappa before this update; a solution that is taken still gets a cautious step, for
        // the next time step to start from: so the pressure follows even where every first guess is good enough
        update_kappa(p, taken ? relaxation : step_length(&sums, task, iteration));
    }
    report->converged = error <= tolerance;
    if (error > hopeless * tolerance)
        return frz_fail(diag, FRZ_ERR_DIVERGED,
                        "the %s solver did not converge in %d iterations (average error %.3g %%, allowed %.3g %%)",
                        task->name, task->max_iterations, 100.0 * error, 100.0 * tolerance);
    return FRZ_OK;
}
