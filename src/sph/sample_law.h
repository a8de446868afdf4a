// SPDX-License-Identifier: MIT
// How wall samples count in the compression of a particle:
//
//     walls_i = gain |T_i|^2 + plain sum_b w_b,     T_i = sum_b w_b n_b (x) n_b,     w_b = V_b W_ib
//     grad walls_i = sum_b (2 gain n_b . T_i n_b + plain) grad w_b
//
// over the samples b near it and their outward normals n_b. |T|^2 is the square of the plain sum beside one flat wall,
// the sum of two squares in a corner.
//
// Why a square: a wall sample has no constraint of its own, so a pressure field meets it half as often as it meets a
// liquid particle, and for a uniform pressure to push nowhere a wall must fill up the density with twice the slope of
// the liquid it stands for. Why of the sum: it is flat along the wall, where a sum of squares has hollows that the
// liquid packs into. Being the gradient of something, the push does no work in a circle: water at rest stays at rest.
// With the plain sum the first layer is driven into the wall; mirrored pressure (twice the force for the same density)
// heats the liquid along rough walls. Where samples have a pressure of their own (boundary_band2018), the plain sum has
// a gain too, and the solvers add the force of that pressure.
#pragma once

#include "base/simd.h"

/// Chosen by the boundary method, see sim/boundary.h.
typedef struct frz_sample_law
{
    double gain;  ///< of |T|^2
    double plain; ///< of the plain sum; above 0 if samples have pressures of their own
} frz_sample_law;

/// Sums over the samples near a particle.
typedef struct frz_sample_sums
{
    frz_v4 t[3]; ///< rows of T
    frz_real value;
} frz_sample_sums;

static inline void frz_sample_sums_add(frz_sample_sums *sums, frz_real value, frz_v4 normal)
{
    const frz_v4 scaled = value * normal;
    for (int r = 0; r < 3; ++r)
        sums->t[r] += scaled[r] * normal;
    sums->value += value;
}

/// walls_i
static inline frz_real frz_sample_law_value(const frz_sample_law *law, const frz_sample_sums *sums)
{
    frz_real value = (frz_real)law->plain * sums->value;
    for (int r = 0; r < 3; ++r)
        value += (frz_real)law->gain * frz_v4_dot3(sums->t[r], sums->t[r]);
    return value;
}

/// 2 gain n . T n of a sample: with plain, the factor of grad w_b.
static inline frz_real frz_sample_law_slope(const frz_sample_law *law, const frz_sample_sums *sums, frz_v4 normal)
{
    const frz_v4 tn = normal[0] * sums->t[0] + normal[1] * sums->t[1] + normal[2] * sums->t[2];
    return 2 * (frz_real)law->gain * frz_v4_dot3(normal, tn);
}
