// SPDX-License-Identifier: MIT
// Preconditioned conjugate gradients for A x = b with a symmetric positive matrix, given as a function that multiplies
// it with a vector. Vectors have one frz_v4 per particle, whose spare lane stays zero. Hestenes & Stiefel 1952;
// Shewchuk 1994, B3.
//
// Inner products are taken in double precision over blocks that are added in order: the same bits for any number of
// threads, if the callbacks keep to that rule too.
#pragma once

#include <stdbool.h>

#include "base/arena.h"
#include "base/fail.h"
#include "base/simd.h"

/// out = A x, or out = P^-1 x; out and x never overlap. The spare lane of out must be zero.
typedef void frz_cg_map_fn(const void *user, const frz_v4 *x, frz_v4 *out);

typedef struct frz_cg
{
    int count;                   ///< vectors have this many entries
    const void *user;            ///< passed to the callbacks
    frz_cg_map_fn *apply;        ///< the matrix
    frz_cg_map_fn *precondition; ///< approximate inverse of the matrix, symmetric and positive; null: none
    const frz_real *weight;      ///< of each entry in the size of the residual; null: 1
    double tolerance;            ///< stop when sqrt(sum weight |b - A x|^2) is at most this
    int max_iterations;
    bool from_zero;    ///< the guess is zero, which saves an application of the matrix
    frz_v4 *remainder; ///< output: b - A x from the recurrence; null: not wanted
    bool scale_guess;  ///< use the best multiple of the guess, which is never worse than zero
} frz_cg;

typedef struct frz_cg_report
{
    int iterations;  ///< applications of the matrix, except the first one
    double residual; ///< sqrt(sum weight |b - A x|^2) from the recurrence; NaN after a breakdown
    bool converged;  ///< residual <= tolerance
    bool definite;   ///< no direction was met in which the matrix is not positive
} frz_cg_report;

/// Solve from the guess in x. Scratch memory is taken between a mark and a release; fails only for lack of it.
FRZ_NODISCARD frz_status frz_cg_solve(const frz_cg *cg, const frz_v4 *b, frz_v4 *x, frz_arena *scratch,
                                      frz_cg_report *report, frz_diag *diag);

/// sum_i w_i a_i . b_i over the first three lanes (w null: 1), in blocks; partial holds one number per block.
double frz_cg_dot(int count, const frz_v4 *a, const frz_v4 *b, const frz_real *w, double *partial);
