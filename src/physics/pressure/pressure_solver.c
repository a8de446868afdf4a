// SPDX-License-Identifier: MIT
// Iterations on the bound-constrained quadratic problem of the pressure: kappa >= 0, r <= 0, kappa r = 0.
//
// Several schemes, all with the diagonal as preconditioner; conjugate gradients are in pressure_conjugate.c. An
// iteration is two sweeps over the pairs: multipliers to displacements, displacements to residuals.
#include <math.h>
#include <string.h>

#include "physics/pressure/pressure_iterate.h"

// relaxation of the Jacobi update; 0.5 is safe for any neighbourhood (Ihmsen et al. 2014)
static const double relaxation = 0.5;
static const double longest_step = 20.0;
// an unconverged solution with an error beyond this many tolerances is a failed step
static const double hopeless = 20.0;
// the bound on the largest error is dropped after most_longer times the iterations of the average, plus few_iterations
static const int most_longer = 2, few_iterations = 10;
// allowed change of the force on a body in the last iteration, relative to its weight. Bodies that float in a tank of
// 8400 particles shook with 19 mm/s without such a bound, with 4.5 at a hundredth and with 3 at a thousandth
static const double weight_share = 1e-3;
// the average error that a block of particles may have, over the tolerance: errors are never spread evenly
static const double uneven = 3.0;
// times that contacts of bodies and liquid answer each other in a solve; beyond, the last word is the contacts'
static const int most_rounds = 8;

const char *const frz_pressure_iteration_words[] = {
    [FRZ_PRESSURE_CONJUGATE] = "conjugate_gradients",
    [FRZ_PRESSURE_BARZILAI_BORWEIN] = "barzilai_borwein",
    [FRZ_PRESSURE_CHEBYSHEV] = "chebyshev",
    [FRZ_PRESSURE_JACOBI] = "jacobi",
    NULL,
};

// Residuals of a block where nothing but pairs and walls pushes: a loop of its own, which keeps to the registers.
static void residual_of_pairs(const frz_pairs *pairs, const frz_real *source, const frz_v4 *field, int b, frz_real *out)
{
    for (int i = b * FRZ_BLOCK; i < frz_block_end(b, pairs->count); ++i)
        out[i - b * FRZ_BLOCK] = source[i] + frz_pair_divergence(pairs, field, b, i);
}

// Inner products of the last step of a block, with the residual that it leads to.
static void add_products(const frz_pressure_system *p, const frz_real *next, int b, frz_pressure_sums *sums)
{
    for (int i = b * FRZ_BLOCK; i < frz_block_end(b, p->pairs->count); ++i)
    {
        const frz_real step = p->kappa[i] - p->kappa_before[i];
        const frz_real y = p->residual[i] - next[i - b * FRZ_BLOCK];
        sums->ss += (double)(step * step * p->diagonal[i]);
        sums->sy += (double)(step * y);
        sums->yy += (double)(y * y * p->inverse_diagonal[i]);
    }
}

// r_i = source_i + D(u)_i, its error, and the inner products of the last step, if the scheme needs them.
static void residual_block(const frz_pressure_system *p, int b, bool products, frz_pressure_sums *out)
{
    const frz_pairs *pairs = p->pairs;
    const frz_v4 *moved = p->drift != NULL ? p->step_displacement : p->displacement;
    const int begin = b * FRZ_BLOCK, end = frz_block_end(b, pairs->count);
    frz_pressure_sums sums = {0};
    frz_real next[FRZ_BLOCK];
    if (p->affine == NULL && p->links == NULL && p->solid == NULL)
        residual_of_pairs(pairs, p->source, moved, b, next);
    else
        for (int i = begin; i < end; ++i)
        {
            const frz_real change = !frz_pressure_touches(p, i) ? 0
                                                                : frz_pressure_divergence(p, moved, b, i) -
                                                                      frz_pressure_body_flow(p, p->motion, i);
            next[i - begin] = p->source[i] + change;
        }
    if (products)
        add_products(p, next, b, &sums);
    memcpy(p->residual + begin, next, (size_t)(end - begin) * sizeof *next);
    frz_pressure_add_errors(p, begin, end, &sums);
    *out = sums;
}

frz_pressure_sums frz_pressure_total(const frz_pressure_system *p)
{
    const int blocks = frz_block_count(p->pairs->count);
    const frz_pressure_sums *sums = p->block_sums;
    frz_pressure_sums total = {.error = frz_exact_sum(&sums->error, sizeof *sums, blocks),
                               .hidden = frz_exact_sum(&sums->hidden, sizeof *sums, blocks),
                               .ss = frz_exact_sum(&sums->ss, sizeof *sums, blocks),
                               .sy = frz_exact_sum(&sums->sy, sizeof *sums, blocks),
                               .yy = frz_exact_sum(&sums->yy, sizeof *sums, blocks)};
    for (int b = 0; b < blocks; ++b)
    {
        total.largest = isnan(sums[b].largest) || sums[b].largest > total.largest ? sums[b].largest : total.largest;
        total.worst = fmax(total.worst, sums[b].worst);
        const int members = frz_block_end(b, p->pairs->count) - b * FRZ_BLOCK;
        total.worst_mean = fmax(total.worst_mean, sums[b].error / members);
        total.error_near_bodies = fmax(total.error_near_bodies, sums[b].error_near_bodies);
    }
    return total;
}

// Residual of the present displacement.
static frz_pressure_sums find_residual(const frz_pressure_system *p)
{
    const int blocks = frz_block_count(p->pairs->count);
    const bool products = p->product == NULL || p->sample_fit != NULL; // conjugate gradients have their own
#pragma omp parallel for schedule(dynamic, frz_block_grain(blocks))
    for (int b = 0; b < blocks; ++b)
        residual_block(p, b, products, &p->block_sums[b]);
    return frz_pressure_total(p);
}

// Displacement and residual of kappa.
static frz_pressure_sums evaluate(const frz_pressure_system *p)
{
    frz_pressure_displace(p);
    return find_residual(p);
}

// Errors of the present residual.
static frz_pressure_sums errors_now(const frz_pressure_system *p)
{
    const int blocks = frz_block_count(p->pairs->count);
#pragma omp parallel for schedule(static) if (p->pairs->count >= frz_parallel_least)
    for (int b = 0; b < blocks; ++b)
    {
        frz_pressure_sums sums = {0};
        frz_pressure_add_errors(p, b * FRZ_BLOCK, frz_block_end(b, p->pairs->count), &sums);
        p->block_sums[b] = sums;
    }
    return frz_pressure_total(p);
}

// kappa = max(0, kappa + alpha r / D)
static void update_kappa(const frz_pressure_system *p, double alpha)
{
    const frz_real step = (frz_real)alpha;
#pragma omp parallel for schedule(static) if (p->pairs->count >= frz_parallel_least)
    for (int i = 0; i < p->pairs->count; ++i)
    {
        const frz_real inverse = p->inverse_diagonal[i];
        const frz_real residual = p->body_response != NULL ? p->residual[i] - p->body_response[i] : p->residual[i];
        const frz_real next = inverse > 0 ? p->kappa[i] + step * residual * inverse : 0;
        p->kappa_before[i] = p->kappa[i];
        p->kappa[i] = next > 0 || p->unbounded ? next : 0;
    }
}

// kappa = max(0, before + omega (kappa + alpha r / D - before)): the three-term recurrence of Chebyshev polynomials
static void accelerate_kappa(const frz_pressure_system *p, double omega)
{
    const frz_real weight = (frz_real)omega, step = (frz_real)relaxation;
#pragma omp parallel for schedule(static) if (p->pairs->count >= frz_parallel_least)
    for (int i = 0; i < p->pairs->count; ++i)
    {
        const frz_real inverse = p->inverse_diagonal[i], kappa = p->kappa[i], before = p->kappa_before[i];
        const frz_real next = inverse > 0 ? before + weight * (kappa + step * p->residual[i] * inverse - before) : 0;
        p->kappa_before[i] = kappa;
        p->kappa[i] = next > 0 || p->unbounded ? next : 0;
    }
}

// Walls with a pressure of their own make the matrix unsymmetric, and nonlinear where that pressure meets zero:
// gradient steps bear it, conjugate ones do not.
static frz_pressure_iteration way_of(const frz_pressure_system *p, const frz_pressure_task *task)
{
    if (p->interleaved) // every other way takes the problem to be the same in the next iteration
        return FRZ_PRESSURE_JACOBI;
    return p->sample_fit != NULL && task->iteration == FRZ_PRESSURE_CONJUGATE ? FRZ_PRESSURE_BARZILAI_BORWEIN
                                                                              : task->iteration;
}

// Step length of the projected gradient step, Barzilai & Borwein 1988, alternating the long and the short form.
static double step_length(const frz_pressure_system *p, const frz_pressure_sums *sums, const frz_pressure_task *task,
                          int iteration)
{
    if (way_of(p, task) == FRZ_PRESSURE_JACOBI || iteration == 1 || !(sums->sy > 0.0) || !(sums->yy > 0.0))
        return relaxation;
    const double alpha = iteration % 2 == 0 ? sums->ss / sums->sy : sums->sy / sums->yy;
    return fmin(fmax(alpha, relaxation), longest_step);
}

// State of an iteration scheme.
typedef struct progress
{
    frz_pressure_course course;
    double omega;   // weight of the last Chebyshev step
    double slowest; // smallest Rayleigh quotient of D^-1 A that a step had
    int met;        // first iteration with the average error that is wanted; 0: none so far
} progress;

// An average hides one bad contact: also bound the largest error, more strictly where bodies and liquid move each other
// (Gissler et al. 2019 stop by averages). It also hides the force on a body, which is a difference of pushes from all
// sides: iterate until an iteration changes it by less than a small fraction of the body's weight. Liquid jammed
// between bodies has no solution, so the number of additional iterations is limited.
//
// An average over all particles also hides errors at the bottom of deep water, the more the deeper it is: so the
// averages of blocks, which are neighbours in space, are bounded too. This rule does not depend on the size of a scene.
static bool bounded(const frz_pressure_system *p, const frz_pressure_task *task, const frz_pressure_sums *sums,
                    double tolerance, int iteration, progress *now)
{
    if (p->interleaved || task->plain)
        return true; // as printed, averages decide alone
    if (now->met == 0)
        now->met = iteration;
    const bool steady = !(p->weight > 0.0) || sums->body_change <= weight_share * p->weight;
    const bool near_bodies = !(task->bound > 0.0) || (sums->error_near_bodies <= task->bound && steady);
    const bool anywhere = !(task->most > 0.0) || sums->worst <= task->most;
    const bool in_blocks = sums->worst_mean <= uneven * tolerance;
    return (near_bodies && anywhere && in_blocks) || iteration >= most_longer * now->met + few_iterations;
}

// omega_1 = 1, omega_2 = 2 / (2 - rho^2), omega_n = 4 / (4 - rho^2 omega_(n-1)), with rho the spectral radius of
// Jacobi: Golub & Varga 1961. rho = 1 - relaxation * lambda, lambda the slowest mode so far, from the steps' Rayleigh
// quotients.
static double chebyshev_weight(const frz_pressure_sums *sums, int iteration, progress *now)
{
    if (iteration == 1 || !(sums->ss > 0.0) || !(sums->sy > 0.0))
    {
        now->slowest = 1.0;
        return now->omega = 1.0;
    }
    now->slowest = fmin(now->slowest, sums->sy / sums->ss);
    const double rho = 1.0 - relaxation * now->slowest;
    return now->omega = iteration == 2 ? 2.0 / (2.0 - rho * rho) : 4.0 / (4.0 - rho * rho * now->omega);
}

// From one iterate, whose sums are given, to the next.
static frz_pressure_sums advance(const frz_pressure_system *p, const frz_pressure_task *task,
                                 const frz_pressure_sums *sums, int iteration, progress *now)
{
    if (way_of(p, task) == FRZ_PRESSURE_CONJUGATE)
        return frz_pressure_conjugate_advance(p, &now->course);
    if (way_of(p, task) == FRZ_PRESSURE_CHEBYSHEV)
        accelerate_kappa(p, chebyshev_weight(sums, iteration, now));
    else
        update_kappa(p, step_length(p, sums, task, iteration));
    return evaluate(p);
}

// Errors of the first guess. The energy of the dual problem falls in every iteration, so that a solution after any
// number of iterations removes kinetic energy, if the first guess adds none: the pressures of a past impact would.
static frz_pressure_sums first_guess(const frz_pressure_system *p, double tolerance, double dt)
{
    frz_pressure_displace(p);
    const frz_pressure_work work = dt > 0.0 ? frz_pressure_work_of(p, p->kappa, dt) : (frz_pressure_work){0};
    if (!(dt > 0.0 && work.along + work.square > frz_pressure_unseen(p, &work, tolerance, dt)))
        return find_residual(p);
    const frz_real part = (frz_real)fmax(-work.along / work.square, 0.0); // of it that adds none
#pragma omp parallel for schedule(static) if (p->pairs->count >= frz_parallel_least)
    for (int i = 0; i < p->pairs->count; ++i)
        p->kappa[i] *= part;
    return evaluate(p);
}

// Errors of the first iterate of a solve from zero. Where nothing needs to be corrected the guess is taken as it is: an
// error of the density below the tolerance is no reason for a velocity, least of all in a short step.
static frz_pressure_sums from_source(const frz_pressure_system *p, double count, double tolerance,
                                     frz_pressure_course *course)
{
    frz_pressure_conjugate_zero(p);
    const frz_pressure_sums sums = errors_now(p);
    const bool met = sums.error / count <= tolerance && sums.worst_mean <= uneven * tolerance;
    return met ? frz_pressure_conjugate_take_guess(p, course) : frz_pressure_conjugate_begin(p, course);
}

// No pressures at all.
static void solve_nothing(const frz_pressure_system *p, frz_solver_report *report)
{
#pragma omp parallel for schedule(static) if (p->pairs->count >= frz_parallel_least)
    for (int i = 0; i < p->pairs->count; ++i)
    {
        p->kappa[i] = p->kappa_before[i] = 0;
        p->residual[i] = p->source[i];
        p->displacement[i] = frz_v4_zero();
    }
    report->iterations = 1;
    report->converged = true;
}

frz_status frz_pressure_solve(const frz_pressure_system *p, const frz_pressure_task *task, frz_solver_report *report,
                              frz_diag *diag)
{
    memset(report, 0, sizeof *report);
    if (frz_pressure_is_idle(p))
    {
        solve_nothing(p, report);
        return FRZ_OK;
    }
    const double count = p->rows > 0 ? (double)p->rows : 1.0;
    const double tolerance = p->strictness * task->tolerance;
    double error = 0.0;
    int rounds = 0;
    progress now = {.course = {.conjugate = 0.0, .length = 1.0}};
    const bool from_zero = way_of(p, task) == FRZ_PRESSURE_CONJUGATE && p->drift == NULL && !p->unbounded;
    frz_pressure_sums sums = from_zero && !(task->passive > 0.0) ? from_source(p, count, tolerance, &now.course)
                                                                 : first_guess(p, tolerance, task->passive);
    if (way_of(p, task) == FRZ_PRESSURE_CONJUGATE) // other schemes do not compute it
        sums.body_change = HUGE_VAL;
    for (int iteration = 1;; ++iteration)
    {
        double contact_error;
        FRZ_TRY(frz_pressure_bodies_interleave(p, &contact_error, diag));
        if (p->interleaved)
            sums = errors_now(p);
        error = sums.error / count;
        report->iterations = iteration;
        report->error_average = error + sums.hidden / count;
        report->error_max = sums.largest;
        if (!(error <= hopeless) || isnan(sums.largest))
            return frz_fail(diag, FRZ_ERR_DIVERGED, "the %s solver blew up in iteration %d", task->name, iteration);
        // errors left to later steps count against the tolerance, as far as iterations can compensate them
        const double wanted = fmax(tolerance - sums.hidden / count, 0.5 * tolerance);
        if ((error <= wanted && contact_error <= 1.0 && bounded(p, task, &sums, tolerance, iteration, &now) &&
             iteration >= task->min_iterations) ||
            iteration == task->max_iterations)
        {
            bool changed = false;
            if (rounds++ < most_rounds && iteration < task->max_iterations)
                FRZ_TRY(frz_pressure_bodies_interlink(p, &changed, diag));
            if (!changed)
                break;
            sums = errors_now(p);
            frz_pressure_conjugate_restart(&now.course);
            if (sums.error / count <= wanted && bounded(p, task, &sums, tolerance, iteration, &now))
                break;
        }
        sums = advance(p, task, &sums, iteration, &now);
    }
    // the displacement belongs to kappa before this update; a solution that is taken still gets a cautious step, for
    // the next time step to start from: so the pressure follows even where every first guess is good enough
    frz_pressure_body_precondition(p);
    update_kappa(p, relaxation);
    report->converged = error <= tolerance;
    if (error > hopeless * tolerance)
        return frz_fail(diag, FRZ_ERR_DIVERGED,
                        "the %s solver did not converge in %d iterations (average error %.3g %%, allowed %.3g %%)",
                        task->name, task->max_iterations, 100.0 * error, 100.0 * tolerance);
    return FRZ_OK;
}
