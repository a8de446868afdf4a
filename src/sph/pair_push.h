// SPDX-License-Identifier: MIT
// Push of the constraints' multipliers on one particle, and the change of the constraints by its motion.
#pragma once

#include "sph/pairs.h"

/// Contribution of the neighbours' multipliers to that of particle i at a mirroring wall: sum_j w_ij m_j P_j over the
/// coefficient of grad m_i in its own constraint.
static inline frz_real frz_pair_mirrored(const frz_pairs *pairs, const frz_real *multiplier, int b, int i)
{
    if (!(pairs->mirror[i] > 0))
        return 0;
    const frz_pair *pair = pairs->blocks[b].pair + pairs->begin[i];
    const uint32_t *index = pairs->blocks[b].index + pairs->begin[i];
    const uint32_t *end = pairs->blocks[b].index + pairs->end[i];
    const frz_real *mirror = pairs->mirror;
    frz_w8 sum0 = frz_w8_splat(0), sum1 = sum0;
    for (; index < end; index += 4, pair += 4)
    {
        sum0 += frz_w8_splat2(mirror[index[0]] * multiplier[index[0]], mirror[index[1]] * multiplier[index[1]]) *
                frz_pair_load2(pair);
        sum1 += frz_w8_splat2(mirror[index[2]] * multiplier[index[2]], mirror[index[3]] * multiplier[index[3]]) *
                frz_pair_load2(pair + 2);
    }
    return frz_w8_fold(sum0 + sum1)[3] / pairs->mirror_own[i];
}

/// P_i S_i + sum_j P_j g_ij of particle i in block b, and the part of neighbours at a wall: minus its push, in units of
/// the multipliers P.
static inline frz_v4 frz_pair_push(const frz_pairs *pairs, const frz_real *multiplier, int b, int i)
{
    const frz_pair *pair = pairs->blocks[b].pair + pairs->begin[i];
    const uint32_t *index = pairs->blocks[b].index + pairs->begin[i];
    const uint32_t *end = pairs->blocks[b].index + pairs->end[i];
    frz_w8 sum0 = frz_w8_splat(0), sum1 = sum0;
    if (!(pairs->mirror[i] > 0))
    {
        for (; index < end; index += 4, pair += 4)
        {
            sum0 += frz_w8_splat2(multiplier[index[0]], multiplier[index[1]]) * frz_pair_load2(pair);
            sum1 += frz_w8_splat2(multiplier[index[2]], multiplier[index[3]]) * frz_pair_load2(pair + 2);
        }
        return multiplier[i] * pairs->gradient_sum[i] + frz_w8_fold(sum0 + sum1);
    }
    // the same, and frz_pair_mirrored, with the pairs loaded once
    const frz_real *mirror = pairs->mirror;
    frz_w8 images = sum0;
    for (; index < end; index += 4, pair += 4)
    {
        const frz_w8 pair01 = frz_pair_load2(pair), pair23 = frz_pair_load2(pair + 2);
        const frz_w8 push01 = frz_w8_splat2(multiplier[index[0]], multiplier[index[1]]) * pair01;
        const frz_w8 push23 = frz_w8_splat2(multiplier[index[2]], multiplier[index[3]]) * pair23;
        sum0 += push01;
        sum1 += push23;
        images += frz_w8_splat2(mirror[index[0]], mirror[index[1]]) * push01 +
                  frz_w8_splat2(mirror[index[2]], mirror[index[3]]) * push23;
    }
    const frz_real image = frz_w8_fold(images)[3] / pairs->mirror_own[i];
    return multiplier[i] * pairs->gradient_sum[i] + frz_w8_fold(sum0 + sum1) + image * pairs->sample_gradient[i];
}

/// Value of the spare lane of a field of displacements at particle i, for frz_pressure_divergence: the change of m_i,
/// from by_walls, the change of its compression by walls as it moves alone.
static inline frz_real frz_pair_mirror_change(const frz_pairs *pairs, frz_real by_walls, int i)
{
    return pairs->mirror[i] > 0 ? by_walls / pairs->mirror_own[i] : 0;
}

/// How the compression of particle i in block b changes with displacements of the particles; the spare lane: see
/// frz_pair_mirror_change.
static inline frz_real frz_pair_divergence(const frz_pairs *pairs, const frz_v4 *field, int b, int i)
{
    const frz_pair *pair = pairs->blocks[b].pair + pairs->begin[i];
    const uint32_t *index = pairs->blocks[b].index + pairs->begin[i];
    const uint32_t *end = pairs->blocks[b].index + pairs->end[i];
    frz_w8 sum0 = frz_w8_splat(0), sum1 = sum0;
    for (; index < end; index += 4, pair += 4)
    {
        sum0 += frz_w8_join(field[index[0]], field[index[1]]) * frz_pair_load2(pair);
        sum1 += frz_w8_join(field[index[2]], field[index[3]]) * frz_pair_load2(pair + 2);
    }
    const frz_v4 sum = frz_w8_fold(sum0 + sum1);
    const frz_v4 own = field[i] * pairs->gradient_sum[i];
    const frz_v4 difference = own - sum;
    return difference[0] + difference[1] + difference[2] + pairs->mirror[i] * sum[3];
}
