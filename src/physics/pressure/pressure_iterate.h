// SPDX-License-Identifier: MIT
// Shared by the ways to iterate the pressure (pressure_solver.c, pressure_conjugate.c) only.
#pragma once

#include <math.h>

#include "physics/pressure/pressure_system.h"

/// Add what is wrong at particle i with its residual: compression, or pressure that drives it below rest density (at most as far
/// as taking all its pressure away would undo).
static inline void frz_pressure_add_error(const frz_pressure_system *p, int i, frz_pressure_sums *sums)
{
    const frz_real residual = p->residual[i], pull = p->kappa[i] * p->diagonal[i];
    const double error = (double)(residual > 0 ? residual : p->unbounded || -residual < pull ? -residual : pull);
    const double hidden = p->compression != NULL ? (double)frz_pressure_left_aside(p, p->compression[i] - 1) : 0.0;
    sums->error += error;
    sums->hidden += hidden;
    sums->largest = error + hidden > sums->largest ? error + hidden : sums->largest;
    if (p->strong && p->links->begin[i] < p->links->begin[i + 1] && error > sums->beside)
        sums->beside = error;
    if (residual != residual)
        sums->largest = NAN;
}

/// The blocks' sums, added in order.
frz_pressure_sums frz_pressure_total(const frz_pressure_system *p);

/// What conjugate gradients remember from one iteration to the next.
typedef struct frz_pressure_course
{
    double conjugate; ///< part of the last step in the next direction
    double length;    ///< of the last step along its direction
} frz_pressure_course;

/// One iteration: kappa, displacement and residual move on together; sums of the new errors.
frz_pressure_sums frz_pressure_conjugate_advance(const frz_pressure_system *p, frz_pressure_course *course);
