// SPDX-License-Identifier: MIT
// Compression by walls at an arbitrary position; pairs.h has it at the positions of the particles.
#pragma once

#include "sph/pairs.h"

/// The sums of pairs.h over the samples near a position.
typedef struct frz_sample_slope
{
    frz_v4 gradient; ///< sum_b g_ib
    frz_real flow;   ///< sum_b v_b . g_ib
    frz_real own;    ///< mirror_own
} frz_sample_slope;

/// As if particle i were at that position, and its neighbours along the wall had come nearer to it by the same
/// distance; zero if no sample is near, or too many are.
frz_sample_slope frz_sample_slope_at(const frz_pairs_input *input, const frz_pairs *pairs, int i, frz_v4 place);
