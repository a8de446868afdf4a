// SPDX-License-Identifier: MIT
// A step of the heat: explicit in as many parts as stability asks for, or implicit.
//
// Implicit: backward Euler in the enthalpy,
//
//     R_i(h) = m_i (h_i^0 - h_i) + dt flow_i(T(h)) = 0
//
// by Newton's method. With the change of temperature as unknown the matrix m_i dh/dT + dt (conduction and losses) is
// symmetric and positive; conjugate gradients solve it. At a melting point dh/dT is without bound: the temperature
// stays, and all that flows changes the enthalpy, dh = (R + dt flow(dT)) / m. A particle that would jump over its
// whole melting range in one pass stops at the near end, so that passes do not swing to and fro. At the end the
// enthalpies are h^0 + dt flow(T) / m of the last temperatures: these flows are equal and opposite whatever is left of
// the residual.

#include <float.h>
#include <math.h>
#include <string.h>

#include "physics/heat/heat_system.h"

enum
{
    explicit_most = 12, // substeps that cost less than an implicit step
    most_passes = 40,   // of Newton's method
    most_parts = 64     // of an implicit step that does not converge
};
// of the longest step in which no temperature can leave the range of those around it
static const double safety = 0.9;
// dh/dT at a melting point, in specific heats: so large that the temperature stays
static const double steep = 1e9;

// part of the temperature around it that a particle may take on in one step of the heat that stands for several of the
// mechanics, and the change of temperature by ports, K: the latter as melting and freezing are told apart by
static const double slow = 0.1, slow_degrees = 1.0;

// Power of the ports at the present temperature of a particle.
static double power_at(const frz_heat_system *s, int i)
{
    double power = 0.0;
    for (int p = 0; p < FRZ_HEAT_PORTS; ++p)
        if (s->gain[p] != NULL)
            power += s->gain[p][i] - s->loss[p][i] * s->temperature[i];
    return power;
}

// Longest explicit step, and for how long the next one may wait, s; DBL_MAX: nothing conducts.
static double longest(const frz_heat_system *s, double *patience)
{
    const int blocks = frz_block_count(s->count);
    double rate = 0.0, heating = 0.0;
#pragma omp parallel for schedule(static) reduction(max : rate, heating) if (s->count >= frz_parallel_some)
    for (int b = 0; b < blocks; ++b)
        for (int i = b * FRZ_BLOCK; i < frz_block_end(b, s->count); ++i)
        {
            const double capacity = s->mass[i] * s->curve[i]->least;
            rate = fmax(rate, s->diagonal[i] / capacity);
            heating = fmax(heating, fabs(power_at(s, i)) / capacity);
        }
    const double swiftest = fmax(rate / slow, heating / slow_degrees);
    *patience = swiftest > 0.0 ? 1.0 / swiftest : DBL_MAX;
    return rate > 0.0 ? safety / rate : DBL_MAX;
}

// Add what came in through the ports at the present temperatures in a time.
static void count_entered(const frz_heat_system *s, double dt, double entered[FRZ_HEAT_PORTS])
{
    const int blocks = frz_block_count(s->count);
    for (int p = 0; p < FRZ_HEAT_PORTS; ++p)
    {
        if (s->gain[p] == NULL)
            continue;
#pragma omp parallel for schedule(static) if (s->count >= frz_parallel_some)
        for (int b = 0; b < blocks; ++b)
        {
            double sum = 0.0;
            for (int i = b * FRZ_BLOCK; i < frz_block_end(b, s->count); ++i)
                sum += s->gain[p][i] - s->loss[p][i] * s->temperature[i];
            s->partial[b] = sum;
        }
        entered[p] += dt * frz_blocks_sum(s->partial, blocks);
    }
}

// enthalpy = start + dt flow(temperature) / m
static void advance(const frz_heat_system *s, const double *start, double dt)
{
#pragma omp parallel for schedule(dynamic, FRZ_BLOCK) if (s->count >= frz_parallel_some)
    for (int i = 0; i < s->count; ++i)
        s->enthalpy[i] = start[i] + dt / s->mass[i] * frz_heat_system_flow(s, s->temperature, i);
}

static void run_explicit(frz_heat_system *s, double dt, int substeps, double entered[FRZ_HEAT_PORTS])
{
    const double part = dt / substeps;
    for (int n = 0; n < substeps; ++n)
    {
        if (n > 0)
            frz_heat_system_refresh(s);
        count_entered(s, part, entered);
        advance(s, s->enthalpy, part);
    }
    frz_heat_system_refresh(s);
}

// ---- the linear system

typedef struct newton
{
    const frz_heat_system *s;
    double dt;
    double *start;    // enthalpies at the start of the part
    double *capacity; // m dh/dT
    double *residual, *change, *direction, *product, *scaled;
    double *weight; // 1 / (m c): turns heat into a temperature
    double *diagonal;
} newton;

static double dot(const newton *w, const double *a, const double *b)
{
    const int blocks = frz_block_count(w->s->count);
#pragma omp parallel for schedule(static) if (w->s->count >= frz_parallel_some)
    for (int k = 0; k < blocks; ++k)
    {
        double sum = 0.0;
        for (int i = k * FRZ_BLOCK; i < frz_block_end(k, w->s->count); ++i)
            sum += a[i] * b[i];
        w->s->partial[k] = sum;
    }
    return frz_blocks_sum(w->s->partial, blocks);
}

// dt (conduction and losses) of a field of temperatures
static inline double spread(const newton *w, const double *x, int i)
{
    const frz_heat_system *s = w->s;
    double sum = 0.0;
    for (int64_t k = s->begin[i]; k < s->end[i]; ++k)
        sum += (double)s->conductance[k] * x[s->other[k]];
    return w->dt * (s->diagonal[i] * x[i] - sum);
}

static void apply(const newton *w, const double *x, double *out)
{
#pragma omp parallel for schedule(dynamic, FRZ_BLOCK) if (w->s->count >= frz_parallel_some)
    for (int i = 0; i < w->s->count; ++i)
        out[i] = w->capacity[i] * x[i] + spread(w, x, i);
}

// Largest |residual| as a temperature.
static double size_of(const newton *w, const double *residual)
{
    double most = 0.0;
#pragma omp parallel for schedule(static) reduction(max : most) if (w->s->count >= frz_parallel_some)
    for (int i = 0; i < w->s->count; ++i)
        most = fmax(most, fabs(residual[i]) * w->weight[i]);
    return most;
}

// change from the residual, which is used up; Jacobi preconditioner. Returns the iterations.
static int conjugate_gradients(const newton *w, double tolerance, int most)
{
    const int count = w->s->count;
    for (int i = 0; i < count; ++i)
    {
        w->change[i] = 0.0;
        w->scaled[i] = w->direction[i] = w->residual[i] / w->diagonal[i];
    }
    double slope = dot(w, w->residual, w->scaled);
    int n = 0;
    for (; n < most && slope > 0.0 && size_of(w, w->residual) > tolerance; ++n)
    {
        apply(w, w->direction, w->product);
        const double step = slope / dot(w, w->direction, w->product);
#pragma omp parallel for schedule(static) if (count >= frz_parallel_least)
        for (int i = 0; i < count; ++i)
        {
            w->change[i] += step * w->direction[i];
            w->residual[i] -= step * w->product[i];
            w->scaled[i] = w->residual[i] / w->diagonal[i];
        }
        const double next = dot(w, w->residual, w->scaled);
#pragma omp parallel for schedule(static) if (count >= frz_parallel_least)
        for (int i = 0; i < count; ++i)
            w->direction[i] = w->scaled[i] + next / slope * w->direction[i];
        slope = next;
    }
    return n;
}

// ---- Newton's method

static frz_status reserve(frz_heat_system *s, frz_state *state, newton *w, frz_diag *diag)
{
    double **const arrays[] = {&w->start,   &w->capacity, &w->residual, &w->change,  &w->direction,
                               &w->product, &w->scaled,   &w->weight,   &w->diagonal};
    w->s = s;
    for (size_t n = 0; n < sizeof arrays / sizeof arrays[0]; ++n)
    {
        *arrays[n] = FRZ_SCRATCH(&state->scratch, s->count + 1, double);
        if (*arrays[n] == NULL)
            return frz_fail_memory(diag, "the implicit step of the heat");
    }
    for (int i = 0; i < s->count; ++i)
        w->weight[i] = 1.0 / (s->mass[i] * s->curve[i]->least);
    return FRZ_OK;
}

// Residual and matrix at the present temperatures.
static void linearise(const newton *w)
{
    const frz_heat_system *s = w->s;
#pragma omp parallel for schedule(dynamic, FRZ_BLOCK) if (w->s->count >= frz_parallel_some)
    for (int i = 0; i < s->count; ++i)
    {
        const frz_heat_curve *curve = s->curve[i];
        w->residual[i] =
            s->mass[i] * (w->start[i] - s->enthalpy[i]) + w->dt * frz_heat_system_flow(s, s->temperature, i);
        w->capacity[i] = s->mass[i] * fmin(1.0 / s->slope[i], steep * curve->least);
        w->diagonal[i] = w->capacity[i] + w->dt * s->diagonal[i];
    }
}

// The enthalpy after a pass; no particle jumps over its melting range.
static double limited(const frz_heat_curve *curve, double from, double to)
{
    if (from < curve->melts && to > curve->molten)
        return curve->melts;
    if (from > curve->molten && to < curve->melts)
        return curve->molten;
    return to;
}

static void correct(const newton *w, const double *residual)
{
    const frz_heat_system *s = w->s;
#pragma omp parallel for schedule(dynamic, FRZ_BLOCK) if (w->s->count >= frz_parallel_some)
    for (int i = 0; i < s->count; ++i)
        s->enthalpy[i] =
            limited(s->curve[i], s->enthalpy[i], s->enthalpy[i] + (residual[i] - spread(w, w->change, i)) / s->mass[i]);
}

// One implicit step from w->start; false if it does not converge.
static bool newton_step(const newton *w, const frz_heat_rules *rules, int *iterations)
{
    const frz_heat_system *s = w->s;
    for (int pass = 0; pass < most_passes; ++pass)
    {
        frz_heat_system_refresh(s);
        linearise(w);
        if (size_of(w, w->residual) <= rules->max_error)
        {
            advance(s, w->start, w->dt);
            return true;
        }
        // the product is free until the iteration begins, and the residual is needed afterwards
        *iterations += conjugate_gradients(w, 0.1 * rules->max_error, rules->max_iterations);
        linearise(w);
        correct(w, w->residual);
    }
    return false;
}

static bool run_implicit(const frz_heat_system *s, newton *w, const frz_heat_rules *rules, double dt, int parts,
                         int *iterations, double entered[FRZ_HEAT_PORTS])
{
    w->dt = dt / parts;
    memcpy(s->enthalpy, s->start, (size_t)s->count * sizeof(double));
    for (int n = 0; n < parts; ++n)
    {
        memcpy(w->start, s->enthalpy, (size_t)s->count * sizeof(double));
        if (!newton_step(w, rules, iterations))
            return false;
        count_entered(s, w->dt, entered);
    }
    frz_heat_system_refresh(s);
    return true;
}

frz_status frz_heat_solve(frz_heat_system *s, frz_state *state, const frz_heat_rules *rules, double dt,
                          double entered[FRZ_HEAT_PORTS], frz_diag *diag)
{
    frz_heat_stats *stats = &state->stats.heat;
    memset(entered, 0, FRZ_HEAT_PORTS * sizeof *entered);
    stats->substeps = stats->iterations = 0;
    const double parts = ceil(dt / longest(s, &stats->patience));
    if (rules->integration == 1 || (rules->integration == 0 && parts <= explicit_most))
    {
        stats->substeps = (int)fmin(fmax(parts, 1.0), 1e9);
        run_explicit(s, dt, stats->substeps, entered);
        return FRZ_OK;
    }
    newton w = {.dt = dt};
    FRZ_TRY(reserve(s, state, &w, diag));
    for (int n = 1; n <= most_parts; n *= 2)
    {
        memset(entered, 0, FRZ_HEAT_PORTS * sizeof *entered);
        if (run_implicit(s, &w, rules, dt, n, &stats->iterations, entered))
            return FRZ_OK;
    }
    return frz_fail(diag, FRZ_ERR_DIVERGED, "the heat does not converge: temperatures change too fast");
}
