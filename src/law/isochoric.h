// SPDX-License-Identifier: MIT
// The terms of laws that split shape from volume, on the invariants that do not depend on the volume:
// J^(-2/3) |F|^2 - 3 and J^(-4/3) |cof F|^2 - 3.
#pragma once

#include "law/invariant.h"

/// w1/2 (first - 3) + w2/2 (second - 3) + bulk/2 (J - 1)^2, continued below the threshold. Weights in Pa.
static inline frz_law_volume frz_isochoric_volume(double w1, double w2, double bulk, double j, double threshold)
{
    // Continued powers are smaller than the exact ones, and both invariants would fall below 3 towards total collapse,
    // so that collapse would release energy. Twice the guard outweighs this at every J: see docs/theory.md.
    static const double guard = 2.0;
    frz_law_volume v;
    v.a = frz_jet_scale(0.5 * w1, frz_jet_power(j, -2.0 / 3.0, threshold));
    v.b = frz_jet_scale(0.5 * w2, frz_jet_power(j, -4.0 / 3.0, threshold));
    v.c = frz_jet_sum(0.5 * bulk, frz_jet_square(j), 1.5 * (w1 + w2) * guard, frz_jet_guard(j, threshold));
    v.c.value -= 1.5 * (w1 + w2);
    return v;
}
