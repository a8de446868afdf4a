// SPDX-License-Identifier: MIT
// Shared by the iteration schemes of the pressure (pressure_solver.c, pressure_conjugate.c) only.
#pragma once

#include <math.h>

#include "physics/pressure/pressure_system.h"

/// Error of particle i from its residual: compression, or pressure that drives it below rest density (at most as far as
/// removing all its pressure would undo). Solid particles that can have no pressure have none: no iteration would
/// change it.
static inline frz_real frz_pressure_error(const frz_pressure_system *p, int i)
{
    const frz_real residual = p->residual[i], pull = p->kappa[i] * p->diagonal[i];
    if (p->solid != NULL && !(p->inverse_diagonal[i] > 0))
        return 0;
    return residual > 0 ? residual : p->unbounded || -residual < pull ? -residual : pull;
}

/// Add it to the sums, except beside bodies.
static inline void frz_pressure_add_error(const frz_pressure_system *p, int i, frz_pressure_sums *sums)
{
    const double error = (double)frz_pressure_error(p, i);
    const double hidden = p->compression != NULL ? (double)frz_pressure_left_aside(p, p->compression[i] - 1) : 0.0;
    sums->error += error;
    sums->hidden += hidden;
    sums->largest = error + hidden > sums->largest ? error + hidden : sums->largest;
    sums->worst = error > sums->worst ? error : sums->worst;
    if (p->residual[i] != p->residual[i])
        sums->largest = NAN;
}

/// The same for particles begin .. end, eight at a time; sums over lanes cover a block at most, for which single
/// precision suffices.
static inline void frz_pressure_add_errors(const frz_pressure_system *p, int begin, int end, frz_pressure_sums *sums)
{
    const frz_w8 zero = frz_w8_splat(0), one = frz_w8_splat(1), rest = frz_w8_splat(p->correction);
    const frz_w8 left = frz_w8_splat(1 - p->excess_rate);
    frz_w8 error_sum = zero, hidden_sum = zero, largest = zero, worst = zero, odd = zero;
    int i = begin;
    for (; i + 8 <= end; i += 8)
    {
        const frz_w8 residual = frz_w8_load(p->residual + i);
        const frz_w8 pull = frz_w8_load(p->kappa + i) * frz_w8_load(p->diagonal + i);
        const frz_w8 below = p->unbounded ? -residual : frz_w8_select(-residual < pull, -residual, pull);
        frz_w8 error = frz_w8_select(residual > zero, residual, below);
        if (p->solid != NULL)
            error = frz_w8_select(frz_w8_load(p->inverse_diagonal + i) > zero, error, zero);
        frz_w8 hidden = zero;
        if (p->compression != NULL)
            hidden = left * frz_w8_max(frz_w8_load(p->compression + i) - one - rest, zero);
        error_sum += error;
        hidden_sum += hidden;
        largest = frz_w8_max(error + hidden, largest);
        worst = frz_w8_max(error, worst);
        odd += zero * residual; // not a number if one of them is not finite
    }
    sums->error += (double)frz_w8_sum(error_sum);
    sums->hidden += (double)frz_w8_sum(hidden_sum);
    for (int l = 0; l < 8; ++l)
    {
        sums->largest = (double)largest[l] > sums->largest ? (double)largest[l] : sums->largest;
        sums->worst = (double)worst[l] > sums->worst ? (double)worst[l] : sums->worst;
    }
    if (!(frz_w8_sum(odd) <= 0))
        sums->largest = NAN;
    for (; i < end; ++i)
        frz_pressure_add_error(p, i, sums);
    // most blocks have no particle beside a body
    if (p->links != NULL && p->links->begin[begin] < p->links->begin[end])
        for (i = begin; i < end; ++i)
            if (p->links->begin[i] < p->links->begin[i + 1])
                sums->error_near_bodies = fmax(sums->error_near_bodies, (double)frz_pressure_error(p, i));
}

/// The blocks' sums, added in order.
frz_pressure_sums frz_pressure_total(const frz_pressure_system *p);

/// State of conjugate gradients between iterations.
typedef struct frz_pressure_course
{
    double conjugate; ///< part of the last step in the next direction
    bool plain;       ///< the next direction excludes the response of bodies
    double length;    ///< of the last step along its direction
    bool smoothed;    ///< kappa, residual and displacement are smoothed: the iterate has its own in rough
} frz_pressure_course;

/// Begin at zero, where the residual is the source; the first guess, the present kappa, becomes the first step.
void frz_pressure_conjugate_zero(const frz_pressure_system *p);
/// From there to the guess as it is.
frz_pressure_sums frz_pressure_conjugate_take_guess(const frz_pressure_system *p, frz_pressure_course *course);
/// Or the first iteration, along the sum of the guess and the gradient.
frz_pressure_sums frz_pressure_conjugate_begin(const frz_pressure_system *p, frz_pressure_course *course);

/// Continue from the smoothed iterate without a direction: the next problem is another one.
static inline void frz_pressure_conjugate_restart(frz_pressure_course *course)
{
    course->conjugate = 0.0;
    course->smoothed = false;
}

/// One iteration: updates kappa, displacement and residual; returns sums of the new errors.
frz_pressure_sums frz_pressure_conjugate_advance(const frz_pressure_system *p, frz_pressure_course *course);
