// SPDX-License-Identifier: MIT
// Laws of the invariants: energy = a(J) |F|^2 + b(J) |cof F|^2 + c(J), with J = det F. They are polynomial in F except
// for the functions of J, so that neither an inverse nor singular values are needed, and collapse only requires the
// continuation of three scalar functions. This header also has these continuations.
#pragma once

#include "law/law.h"

void frz_invariant_evaluate(const frz_elastic *elastic, frz_law_point *point);
frz_mat3 frz_invariant_tangent(const frz_elastic *elastic, const frz_law_point *point, frz_mat3 df);

/// log J; below the threshold its Taylor polynomial of second order there, which falls ever more steeply.
frz_jet frz_jet_log(double j, double threshold);

/// J^exponent for a negative exponent, continued in the same way.
frz_jet frz_jet_power(double j, double exponent, double threshold);

/// Zero down to the threshold, then (1 - J / threshold)^3: grows under compression and inversion, and joins with
/// continuous second derivative.
frz_jet frz_jet_guard(double j, double threshold);

/// (J - 1)^2
frz_jet frz_jet_square(double j);

/// f^2
frz_jet frz_jet_squared(frz_jet f);

/// x f
frz_jet frz_jet_scale(double x, frz_jet f);

/// x f + y g
frz_jet frz_jet_sum(double x, frz_jet f, double y, frz_jet g);

/// The parameter that all laws with such functions share.
#define FRZ_LAW_THRESHOLD                                                                                              \
    {                                                                                                                  \
        "threshold", "volume ratio J below which the energy is continued smoothly through collapse and inversion",     \
            0.1, 1e-3, 0.9                                                                                             \
    }
