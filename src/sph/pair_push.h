// SPDX-License-Identifier: MIT
// Push of the multipliers of the constraints on one particle.
#pragma once

#include "sph/pairs.h"

/// P_i S_i + sum_j P_j g_ij of particle i in block b: minus its push, in the units of the multipliers P.
static inline frz_v4 frz_pair_push(const frz_pairs *pairs, const frz_real *multiplier, int b, int i)
{
    const frz_pair *pair = pairs->blocks[b].pair + pairs->begin[i];
    const uint32_t *index = pairs->blocks[b].index + pairs->begin[i];
    const uint32_t *end = pairs->blocks[b].index + pairs->end[i];
    frz_w8 sum0 = frz_w8_splat(0), sum1 = sum0;
    for (; index < end; index += 4, pair += 4)
    {
        sum0 += frz_w8_splat2(multiplier[index[0]], multiplier[index[1]]) * frz_pair_load2(pair);
        sum1 += frz_w8_splat2(multiplier[index[2]], multiplier[index[3]]) * frz_pair_load2(pair + 2);
    }
    return multiplier[i] * pairs->gradient_sum[i] + frz_w8_fold(sum0 + sum1);
}
