// SPDX-License-Identifier: MIT
// What two liquids that touch have in common: half of the way from one particle to the other lies in each, so that
// resistances add up and the mean is harmonic (Cleary 1998).
#pragma once

#include "base/simd.h"

/// Zero where either is zero: a liquid without friction holds nothing.
static inline frz_real frz_harmonic_mean(frz_real a, frz_real b)
{
    return a > 0 && b > 0 ? 2 * a * b / (a + b) : 0;
}
