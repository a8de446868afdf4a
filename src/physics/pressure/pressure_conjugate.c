// SPDX-License-Identifier: MIT
// Conjugate gradients for the bound-constrained quadratic problem of the pressure.
//
// One product with the matrix (two sweeps over the pairs) per iteration, whether bounds are met or not:
//
//     z = max(D^-1 (r - R), -kappa / tau)               projected gradient; D the diagonal, R the response of bodies
//                                                       (pressure_body_preconditioner.c)
//     p = z + beta d,  beta = -(z . A d) / (d . A d)    conjugate to the last step (Hestenes & Stiefel 1952)
//     d = max(0, kappa + tau p) - kappa                 a trial step, bent along the bounds
//     alpha = min(r . d / (d . A d), reach)             exact along d, as far as the bounds allow
//     kappa += alpha d,   r -= alpha A d,   u += alpha u(d)
//
// kappa + d has no negative pressure, so neither has any point between it and kappa: most steps need no test of the
// bounds, and the residual follows by recurrence even when the set of particles without pressure changes. (Methods that
// walk along p up to the first bound, Dostal & Schoeberl 2005, need a second product then, and with 10^5 particles some
// particle is always at its bound.) Without bounds this is preconditioned conjugate gradients for any tau; tau is the
// optimal step length of the last iteration. The energy falls in every iteration. (Unbounded multipliers: see
// pressure_closed.c.)
#include "physics/pressure/pressure_iterate.h"

// bounds of tau; only a useless iteration would exceed them
static const double shortest_trial = 0.5, longest_trial = 20.0;
// multiple of a first guess that is taken at most: corrections start from half of the last one, and one larger than
// that was makes water at rest tremble
static const double most_of_guess = 2.0;

// z; particles that can have no pressure have none to lose
static inline frz_real gradient(const frz_pressure_system *p, int i, frz_real length)
{
    const frz_real residual = p->body_response != NULL ? p->residual[i] - p->body_response[i] : p->residual[i];
    const frz_real free = residual * p->inverse_diagonal[i], most = -p->kappa[i] / length;
    return free > most || p->unbounded ? free : most;
}

// The same of eight particles.
static inline frz_w8 gradient8(const frz_pressure_system *p, int i, frz_w8 inverse_length)
{
    frz_w8 residual = frz_w8_load(p->residual + i);
    if (p->body_response != NULL)
        residual -= frz_w8_load(p->body_response + i);
    const frz_w8 free = residual * frz_w8_load(p->inverse_diagonal + i);
    return p->unbounded ? free : frz_w8_max(free, -(frz_w8_load(p->kappa + i) * inverse_length));
}

// d, and how often it can be gone before a bound (largest).
static void step_block(const frz_pressure_system *p, frz_real conjugate, frz_real length, int b, frz_pressure_sums *out)
{
    const int end = frz_block_end(b, p->pairs->count);
    const frz_w8 part = frz_w8_splat(conjugate), trial = frz_w8_splat(length), inverse = frz_w8_splat(1 / length);
    frz_w8 steepest = frz_w8_splat(0); // largest -d / kappa of each lane
    int i = b * FRZ_BLOCK;
    for (; i + 8 <= end; i += 8)
    {
        const frz_w8 kappa = frz_w8_load(p->kappa + i);
        frz_w8 step = gradient8(p, i, inverse);
        if (conjugate != 0)
            step += part * frz_w8_load(p->step + i);
        step *= trial;
        if (!p->unbounded)
        {
            step = frz_w8_max(step, -kappa);
            const frz_w8_mask falls = -step > steepest * kappa;
            steepest = frz_w8_select(falls, -step / kappa, steepest);
        }
        frz_w8_store(p->step + i, step);
    }
    frz_real nearest = 0;
    for (int l = 0; l < 8; ++l)
        nearest = steepest[l] > nearest ? steepest[l] : nearest;
    for (; i < end; ++i)
    {
        const frz_real kappa = p->kappa[i], last = conjugate != 0 ? p->step[i] : 0;
        frz_real step = length * (gradient(p, i, length) + conjugate * last);
        step = step > -kappa || p->unbounded ? step : -kappa;
        p->step[i] = step;
        if (-step > nearest * kappa && !p->unbounded)
            nearest = -step / kappa;
    }
    out->largest = (double)nearest;
}

// A d of a block where nothing but pairs and walls at rest makes it: a loop of its own, which keeps to the registers.
static void product_of_pairs(const frz_pairs *pairs, const frz_v4 *field, frz_real *product, int b)
{
    for (int i = b * FRZ_BLOCK; i < frz_block_end(b, pairs->count); ++i)
        product[i] = -frz_pair_divergence(pairs, field, b, i);
}

// A d, r . d and d . A d
static void product_block(const frz_pressure_system *p, int b, frz_pressure_sums *out)
{
    double ry = 0.0, sy = 0.0;
    const bool pairs_only = p->affine == NULL && p->links == NULL;
    if (pairs_only)
        product_of_pairs(p->pairs, p->step_displacement, p->product, b);
    for (int i = b * FRZ_BLOCK; i < frz_block_end(b, p->pairs->count); ++i)
    {
        if (!pairs_only)
            p->product[i] =
                frz_pressure_body_flow(p, p->step_motion, i) - frz_pressure_divergence(p, p->step_displacement, b, i);
        ry += (double)(p->residual[i] * p->step[i]);
        sy += (double)(p->step[i] * p->product[i]);
    }
    out->ss = ry;
    out->sy = sy;
}

// Whether the response of bodies at particles in block b changes with the residual.
static bool has_response(const frz_pressure_system *p, int b)
{
    return p->body_response != NULL &&
           p->links->begin[b * FRZ_BLOCK] < p->links->begin[frz_block_end(b, p->pairs->count)];
}

// z . A d of a block, for the next direction.
static double turn_of(const frz_pressure_system *p, frz_real length, int b)
{
    const int end = frz_block_end(b, p->pairs->count);
    double turn = 0.0;
    for (int i = b * FRZ_BLOCK; i < end; ++i)
        turn += (double)(gradient(p, i, length) * p->product[i]);
    return turn;
}

// Go alpha d; the errors there, and z . A d for the next direction; with bodies that is known later.
static void move_block(const frz_pressure_system *p, frz_real alpha, frz_real length, int b, frz_pressure_sums *out)
{
    const int begin = b * FRZ_BLOCK, end = frz_block_end(b, p->pairs->count);
    const frz_w8 far = frz_w8_splat(alpha), inverse = frz_w8_splat(1 / length), zero = frz_w8_splat(0);
    frz_pressure_sums sums = {0};
    frz_w8 turn = zero;
    int i = begin;
    for (; i + 8 <= end; i += 8)
    {
        const frz_w8 product = frz_w8_load(p->product + i);
        const frz_w8 kappa = frz_w8_load(p->kappa + i) + far * frz_w8_load(p->step + i);
        frz_w8_store(p->kappa + i, p->unbounded ? kappa : frz_w8_max(kappa, zero)); // below zero by rounding only
        frz_w8_store(p->residual + i, frz_w8_load(p->residual + i) - far * product);
        turn += gradient8(p, i, inverse) * product;
    }
    sums.yy = (double)frz_w8_sum(turn);
    for (; i < end; ++i)
    {
        const frz_real kappa = p->kappa[i] + alpha * p->step[i];
        p->kappa[i] = kappa > 0 || p->unbounded ? kappa : 0;
        p->residual[i] -= alpha * p->product[i];
        sums.yy += (double)(gradient(p, i, length) * p->product[i]);
    }
    for (i = begin; i < end; ++i)
        p->displacement[i] += alpha * p->step_displacement[i];
    frz_pressure_add_errors(p, begin, end, &sums);
    *out = sums;
}

static void move_body(double alpha, const frz_body_motion *step, frz_body_motion *motion)
{
    motion->force = frz_v3_mad(motion->force, alpha, step->force);
    motion->torque = frz_v3_mad(motion->torque, alpha, step->torque);
    motion->shift = frz_v3_mad(motion->shift, alpha, step->shift);
    motion->turn = frz_v3_mad(motion->turn, alpha, step->turn);
}

// A d, with r . d and d . A d.
static void multiply(const frz_pressure_system *p, double *rd, double *dd)
{
    const int blocks = frz_block_count(p->pairs->count);
    frz_pressure_system of_step = *p;
    of_step.kappa = p->step;
    of_step.displacement = p->step_displacement;
    of_step.motion = p->step_motion;
    of_step.drift = NULL;
    frz_pressure_displace(&of_step);
#pragma omp parallel for schedule(dynamic, frz_block_grain(blocks))
    for (int b = 0; b < blocks; ++b)
        product_block(p, b, &p->block_sums[b]);
    *rd = frz_exact_sum(&p->block_sums->ss, sizeof *p->block_sums, blocks);
    *dd = frz_exact_sum(&p->block_sums->sy, sizeof *p->block_sums, blocks);
}

// Go alpha d; the errors there, and z . A d.
static frz_pressure_sums go(const frz_pressure_system *p, double alpha, double length)
{
    const int blocks = frz_block_count(p->pairs->count);
#pragma omp parallel for schedule(static) if (p->pairs->count >= frz_parallel_least)
    for (int b = 0; b < blocks; ++b)
        move_block(p, (frz_real)alpha, (frz_real)length, b, &p->block_sums[b]);
    double body_change = 0.0;
    for (int b = 0; p->links != NULL && p->strong && b < p->body_count; ++b)
    {
        move_body(alpha, &p->step_motion[b], &p->motion[b]);
        body_change = fmax(body_change, alpha * frz_v3_length(p->step_motion[b].shift));
    }
    frz_pressure_body_precondition(p);
    for (int b = 0; b < blocks; ++b)
        if (has_response(p, b))
            p->block_sums[b].yy = turn_of(p, (frz_real)length, b);
    frz_pressure_sums sums = frz_pressure_total(p);
    sums.body_change = body_change;
    return sums;
}

static double trial_length(double length)
{
    return fmin(fmax(length, shortest_trial), longest_trial);
}

frz_pressure_sums frz_pressure_conjugate_begin(const frz_pressure_system *p, frz_pressure_course *course)
{
#pragma omp parallel for schedule(static) if (p->pairs->count >= frz_parallel_least)
    for (int i = 0; i < p->pairs->count; ++i)
    {
        p->step[i] = p->kappa[i];
        p->kappa[i] = 0;
        p->residual[i] = p->source[i];
        p->displacement[i] = frz_v4_zero();
    }
    for (int b = 0; p->links != NULL && p->strong && b < p->body_count; ++b)
        p->motion[b] = (frz_body_motion){0};
    double rd, dd;
    multiply(p, &rd, &dd);
    const double best = rd > 0.0 && dd > 0.0 ? rd / dd : 0.0;
    course->further = fmin(best, most_of_guess) - 1.0;
    return go(p, 1.0, course->length);
}

frz_pressure_sums frz_pressure_conjugate_advance(const frz_pressure_system *p, frz_pressure_course *course)
{
    const int blocks = frz_block_count(p->pairs->count);
    if (course->further != 0.0) // the first guess was not good enough as it was
        (void)go(p, course->further, course->length);
    course->further = 0.0;
    if (course->plain)
        frz_pressure_body_preconditioner_clear(p);
    else if (course->conjugate == 0.0) // a new problem
        frz_pressure_body_precondition(p);
#pragma omp parallel for schedule(static) if (p->pairs->count >= frz_parallel_least)
    for (int b = 0; b < blocks; ++b)
        step_block(p, (frz_real)course->conjugate, (frz_real)course->length, b, &p->block_sums[b]);
    double nearest = 0.0, rd, dd;
    for (int b = 0; b < blocks; ++b)
        nearest = fmax(nearest, p->block_sums[b].largest);
    multiply(p, &rd, &dd);
    const double best = rd > 0.0 && dd > 0.0 ? rd / dd : 0.0;
    const double alpha = nearest > 0.0 ? fmin(best, 1.0 / nearest) : best;
    course->length = best > 0.0 ? trial_length(best * course->length) : shortest_trial;
    const frz_pressure_sums sums = go(p, alpha, course->length);
    course->conjugate = best > 0.0 ? -sums.yy / dd : 0.0;
    // bounds cut the response of bodies, and the rest may be no descent direction; without their response it always is
    course->plain = p->body_response != NULL && !(best > 0.0);
    return sums;
}
