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
//
// Energy is not the error that a solve stops by: where a smooth error is left, an iteration that lowers the energy most
// brings in a rough one of several times its size, and some ten more take that out again. So the solution is another
// sequence, smoothed (Schoenauer 1987, Weiss 1994), whose iterate goes the part eta of its way to each new one:
//
//     s += eta (r - s),  eta in [0, 1] with the smallest s . D^-1 s      over particles with kappa + D^-1 s > 0
//
// Without bounds this is the method of minimal residuals. Between iterates without negative pressures there are none,
// and no energy above that of both ends. Products with s cost no sweep of their own. With bodies that yield there is
// no smoothing, for their motion is kept for one iterate only; nor in a space without free surface, where errors below
// the bound of the average have nowhere to go (1.3 instead of 1 % of a particle in a full tank); nor with liquids of
// several densities, for light ones are fast where the error is small; nor with corrected gradients, whose errors the
// density solve sees otherwise (syrup took twice the iterations).
//
// The first direction from zero, where the residual is known, is the guess and the gradient together: the guess has the
// smooth part of the solution, the gradient the rough one, which changes from step to step.
#include "physics/pressure/pressure_iterate.h"

// bounds of tau; only a useless iteration would exceed them
static const double shortest_trial = 0.5, longest_trial = 20.0;
// multiple of the first direction that is taken at most: corrections start from half of the last one, and one larger
// than that was makes water at rest tremble
static const double most_of_guess = 2.0;

// Eight numbers from i on, zeros behind the end.
static inline frz_w8 load(const frz_real *from, int i, int end)
{
    if (i + 8 <= end)
        return frz_w8_load(from + i);
    frz_w8 some = frz_w8_splat(0);
    for (int l = 0; i + l < end; ++l)
        some[l] = from[i + l];
    return some;
}

static inline void store(frz_real *to, int i, int end, frz_w8 v)
{
    if (i + 8 <= end)
        frz_w8_store(to + i, v);
    else
        for (int l = 0; i + l < end; ++l)
            to[i + l] = v[l];
}

// z; particles that can have no pressure have none to lose
static inline frz_w8 gradient(const frz_pressure_system *p, frz_w8 kappa, frz_w8 residual, frz_w8 inverse_length, int i,
                              int end)
{
    if (p->body_response != NULL)
        residual -= load(p->body_response, i, end);
    const frz_w8 free = residual * load(p->inverse_diagonal, i, end);
    return p->unbounded ? free : frz_w8_max(free, -(kappa * inverse_length));
}

// d, and how often it can be gone before a bound (nearest).
static void step_block(const frz_pressure_system *p, const frz_pressure_course *course, int b,
                       frz_pressure_products *out)
{
    const int end = frz_block_end(b, p->pairs->count);
    const frz_w8 part = frz_w8_splat((frz_real)course->conjugate), trial = frz_w8_splat((frz_real)course->length);
    const frz_w8 inverse = frz_w8_splat(1 / (frz_real)course->length);
    frz_w8 steepest = frz_w8_splat(0); // largest -d / kappa of each lane
    for (int i = b * FRZ_BLOCK; i < end; i += 8)
    {
        const frz_w8 kappa = load(course->smoothed ? p->rough : p->kappa, i, end);
        const frz_w8 residual = load(course->smoothed ? p->rough_residual : p->residual, i, end);
        frz_w8 step = gradient(p, kappa, residual, inverse, i, end);
        if (course->conjugate != 0.0)
            step += part * load(p->step, i, end);
        step *= trial;
        if (!p->unbounded)
        {
            step = frz_w8_max(step, -kappa);
            const frz_w8_mask falls = -step > steepest * kappa;
            steepest = frz_w8_select(falls, -step / kappa, steepest);
        }
        store(p->step, i, end, step);
    }
    out->nearest = 0.0;
    for (int l = 0; l < 8; ++l)
        out->nearest = fmax(out->nearest, (double)steepest[l]);
}

// A d of a block where nothing but pairs and walls at rest makes it: a loop of its own, which keeps to the registers.
static void product_of_pairs(const frz_pairs *pairs, const frz_v4 *field, frz_real *product, int b)
{
    for (int i = b * FRZ_BLOCK; i < frz_block_end(b, pairs->count); ++i)
        product[i] = -frz_pair_divergence(pairs, field, b, i);
}

// Inner products of a block with A d.
static void products_of(const frz_pressure_system *p, bool smoothed, int b, frz_pressure_products *out)
{
    const int end = frz_block_end(b, p->pairs->count);
    const frz_w8 zero = frz_w8_splat(0);
    frz_w8 rd = zero, dd = zero, sq = zero, qq = zero, sy = zero, qy = zero, yy = zero;
    for (int i = b * FRZ_BLOCK; i < end; i += 8)
    {
        const frz_w8 s = load(p->residual, i, end), d = load(p->step, i, end), y = load(p->product, i, end);
        const frz_w8 q = smoothed ? load(p->rough_residual, i, end) - s : zero;
        const frz_w8 kappa = load(p->kappa, i, end);
        const frz_w8 inverse = load(p->inverse_diagonal, i, end);
        // the error of others is what is left of their pressure, whatever their residual
        const frz_w8_mask free = kappa + s * inverse > zero;
        const frz_w8 weight = frz_w8_select(free, inverse, zero);
        rd += (s + q) * d;
        dd += d * y;
        sq += weight * s * q;
        qq += weight * q * q;
        sy += weight * s * y;
        qy += weight * q * y;
        yy += weight * y * y;
    }
    out->rd = (double)frz_w8_sum(rd);
    out->dd = (double)frz_w8_sum(dd);
    out->sq = (double)frz_w8_sum(sq);
    out->qq = (double)frz_w8_sum(qq);
    out->sy = (double)frz_w8_sum(sy);
    out->qy = (double)frz_w8_sum(qy);
    out->yy = (double)frz_w8_sum(yy);
}

static void product_block(const frz_pressure_system *p, bool smoothed, int b, frz_pressure_products *out)
{
    if (p->affine == NULL && p->links == NULL)
        product_of_pairs(p->pairs, p->step_displacement, p->product, b);
    else
        for (int i = b * FRZ_BLOCK; i < frz_block_end(b, p->pairs->count); ++i)
            p->product[i] =
                frz_pressure_body_flow(p, p->step_motion, i) - frz_pressure_divergence(p, p->step_displacement, b, i);
    products_of(p, smoothed, b, out);
}

// Whether the response of bodies at particles in block b changes with the residual.
static bool has_response(const frz_pressure_system *p, int b)
{
    return p->body_response != NULL &&
           p->links->begin[b * FRZ_BLOCK] < p->links->begin[frz_block_end(b, p->pairs->count)];
}

// z . A d of a block, for the next direction; without smoothing.
static double turn_of(const frz_pressure_system *p, double length, int b)
{
    const int end = frz_block_end(b, p->pairs->count);
    const frz_w8 inverse = frz_w8_splat(1 / (frz_real)length);
    frz_w8 turn = frz_w8_splat(0);
    for (int i = b * FRZ_BLOCK; i < end; i += 8)
        turn +=
            gradient(p, load(p->kappa, i, end), load(p->residual, i, end), inverse, i, end) * load(p->product, i, end);
    return (double)frz_w8_sum(turn);
}

// A move of the iterate by alpha d, and of the smoothed one by the part eta towards it.
typedef struct move
{
    frz_real alpha, eta;
    frz_real length;           // tau of the next step
    bool smoothed, smooth_now; // they differ, before and after
} move;

// Multipliers and residuals, and z . A d for the next direction; with bodies that is known later.
static void move_block(const frz_pressure_system *p, const move *m, int b, frz_pressure_products *out)
{
    const int end = frz_block_end(b, p->pairs->count);
    const frz_w8 far = frz_w8_splat(m->alpha), part = frz_w8_splat(m->eta), zero = frz_w8_splat(0);
    const frz_w8 inverse = frz_w8_splat(1 / m->length);
    frz_w8 turn = zero;
    for (int i = b * FRZ_BLOCK; i < end; i += 8)
    {
        const frz_w8 product = load(p->product, i, end);
        frz_w8 kappa = load(m->smoothed ? p->rough : p->kappa, i, end) + far * load(p->step, i, end);
        const frz_w8 residual = load(m->smoothed ? p->rough_residual : p->residual, i, end) - far * product;
        if (!p->unbounded) // below zero by rounding only
            kappa = frz_w8_max(kappa, zero);
        turn += gradient(p, kappa, residual, inverse, i, end) * product;
        if (!m->smooth_now)
        {
            store(p->kappa, i, end, kappa);
            store(p->residual, i, end, residual);
            continue;
        }
        const frz_w8 last = load(p->kappa, i, end), last_residual = load(p->residual, i, end);
        store(p->rough, i, end, kappa);
        store(p->rough_residual, i, end, residual);
        store(p->kappa, i, end, last + part * (kappa - last));
        store(p->residual, i, end, last_residual + part * (residual - last_residual));
    }
    out->turn = (double)frz_w8_sum(turn);
}

// The displacement.
static void shift_block(const frz_pressure_system *p, const move *m, int b)
{
    const frz_v4 *rough = m->smoothed ? p->rough_displacement : p->displacement;
    for (int i = b * FRZ_BLOCK; i < frz_block_end(b, p->pairs->count); ++i)
    {
        const frz_v4 u = rough[i] + m->alpha * p->step_displacement[i], last = p->displacement[i];
        p->displacement[i] = m->smooth_now ? last + m->eta * (u - last) : u;
        if (m->smooth_now)
            p->rough_displacement[i] = u;
    }
}

static void move_body(double alpha, const frz_body_motion *step, frz_body_motion *motion)
{
    motion->force = frz_v3_mad(motion->force, alpha, step->force);
    motion->torque = frz_v3_mad(motion->torque, alpha, step->torque);
    motion->shift = frz_v3_mad(motion->shift, alpha, step->shift);
    motion->turn = frz_v3_mad(motion->turn, alpha, step->turn);
}

// Sum of an inner product over all blocks, by the address of the first one's.
static double total(const frz_pressure_system *p, const double *first)
{
    return frz_exact_sum(first, sizeof *p->block_products, frz_block_count(p->pairs->count));
}

// A d, and inner products with it.
static void multiply(const frz_pressure_system *p, bool smoothed)
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
        product_block(p, smoothed, b, &p->block_products[b]);
}

// Energy falls most along d at this multiple of it; 0 if d leads upwards.
static double best_length(const frz_pressure_system *p)
{
    const double rd = total(p, &p->block_products->rd), dd = total(p, &p->block_products->dd);
    return rd > 0.0 && dd > 0.0 ? rd / dd : 0.0;
}

// eta, after a step alpha d
static double smoothing(const frz_pressure_system *p, double alpha)
{
    const frz_pressure_products *first = p->block_products;
    const double along = total(p, &first->sq) - alpha * total(p, &first->sy);
    const double square = total(p, &first->qq) + alpha * (alpha * total(p, &first->yy) - 2.0 * total(p, &first->qy));
    return square > 0.0 ? fmin(fmax(-along / square, 0.0), 1.0) : 1.0;
}

// Go alpha d, and with the smoothed iterate the part eta towards it; the errors there.
static frz_pressure_sums go(const frz_pressure_system *p, double alpha, double eta, frz_pressure_course *course)
{
    const int blocks = frz_block_count(p->pairs->count);
    const move m = {(frz_real)alpha, (frz_real)eta, (frz_real)course->length, course->smoothed, eta < 1.0};
#pragma omp parallel for schedule(static) if (p->pairs->count >= frz_parallel_least)
    for (int b = 0; b < blocks; ++b)
    {
        frz_pressure_sums sums = {0};
        move_block(p, &m, b, &p->block_products[b]);
        shift_block(p, &m, b);
        frz_pressure_add_errors(p, b * FRZ_BLOCK, frz_block_end(b, p->pairs->count), &sums);
        p->block_sums[b] = sums;
    }
    course->smoothed = m.smooth_now;
    double body_change = 0.0;
    for (int b = 0; p->links != NULL && p->strong && b < p->body_count; ++b)
    {
        move_body(alpha, &p->step_motion[b], &p->motion[b]);
        body_change = fmax(body_change, alpha * frz_v3_length(p->step_motion[b].shift));
    }
    frz_pressure_body_precondition(p);
    for (int b = 0; b < blocks; ++b)
        if (has_response(p, b))
            p->block_products[b].turn = turn_of(p, course->length, b);
    frz_pressure_sums sums = frz_pressure_total(p);
    sums.body_change = body_change;
    return sums;
}

static double trial_length(double length)
{
    return fmin(fmax(length, shortest_trial), longest_trial);
}

// Go along d as far as it lowers the energy, at most so often.
static frz_pressure_sums descend(const frz_pressure_system *p, double most, frz_pressure_course *course)
{
    multiply(p, course->smoothed);
    const double best = best_length(p), alpha = fmin(best, most);
    course->length = best > 0.0 ? trial_length(best * course->length) : shortest_trial;
    const bool smooth = p->links == NULL && p->mobility == NULL && p->affine == NULL && !p->closed;
    const frz_pressure_sums sums = go(p, alpha, smooth ? smoothing(p, alpha) : 1.0, course);
    course->conjugate = best > 0.0 ? -total(p, &p->block_products->turn) / total(p, &p->block_products->dd) : 0.0;
    // bounds cut the response of bodies, and the rest may be no descent direction; without their response it always is
    course->plain = p->body_response != NULL && !(best > 0.0);
    return sums;
}

void frz_pressure_conjugate_zero(const frz_pressure_system *p)
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
}

frz_pressure_sums frz_pressure_conjugate_take_guess(const frz_pressure_system *p, frz_pressure_course *course)
{
    multiply(p, false);
    return go(p, 1.0, 1.0, course);
}

frz_pressure_sums frz_pressure_conjugate_begin(const frz_pressure_system *p, frz_pressure_course *course)
{
#pragma omp parallel for schedule(static) if (p->pairs->count >= frz_parallel_least)
    for (int i = 0; i < p->pairs->count; ++i)
    {
        const frz_real step = p->step[i] + p->residual[i] * p->inverse_diagonal[i];
        p->step[i] = step > 0 ? step : 0;
    }
    return descend(p, most_of_guess, course);
}

frz_pressure_sums frz_pressure_conjugate_advance(const frz_pressure_system *p, frz_pressure_course *course)
{
    const int blocks = frz_block_count(p->pairs->count);
    if (course->plain)
        frz_pressure_body_preconditioner_clear(p);
    else if (course->conjugate == 0.0) // a new problem
        frz_pressure_body_precondition(p);
#pragma omp parallel for schedule(static) if (p->pairs->count >= frz_parallel_least)
    for (int b = 0; b < blocks; ++b)
        step_block(p, course, b, &p->block_products[b]);
    double nearest = 0.0;
    for (int b = 0; b < blocks; ++b)
        nearest = fmax(nearest, p->block_products[b].nearest);
    return descend(p, nearest > 0.0 ? 1.0 / nearest : HUGE_VAL, course);
}
