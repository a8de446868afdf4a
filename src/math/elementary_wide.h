// SPDX-License-Identifier: MIT
// Exponential and logarithm of eight numbers at once, to a few units of the last place.
#pragma once

#include <math.h>

#include "base/simd.h"

#ifdef FRZ_DOUBLE
static inline frz_w8 frz_w8_exp(frz_w8 x)
{
    frz_w8 y;
    for (int l = 0; l < 8; ++l)
        y[l] = exp(x[l]);
    return y;
}

static inline frz_w8 frz_w8_log(frz_w8 x)
{
    frz_w8 y;
    for (int l = 0; l < 8; ++l)
        y[l] = log(x[l]);
    return y;
}
#else
/// For |x| below 87. x = n log 2 + r with |r| <= log(2) / 2, whose power series has seven significant terms.
static inline frz_w8 frz_w8_exp(frz_w8 x)
{
    const float per_log2 = 1.44269504f;
    const float log2_high = 0.693145752f, log2_low = 1.42860677e-6f; // their sum is log 2; n log2_high is exact
    const float rounder = 12582912.0f;                               // 1.5 2^23: adding it rounds to whole numbers
    const frz_w8 shifted = x * frz_w8_splat(per_log2) + frz_w8_splat(rounder);
    const frz_w8 n = shifted - frz_w8_splat(rounder);
    const frz_w8 r = (x - n * frz_w8_splat(log2_high)) - n * frz_w8_splat(log2_low);
    frz_w8 sum = frz_w8_splat(1.0f / 5040.0f);
    static const float inverse_factorial[] = {1.0f / 720.0f, 1.0f / 120.0f, 1.0f / 24.0f, 1.0f / 6.0f,
                                              0.5f,          1.0f,          1.0f};
    for (int k = 0; k < 7; ++k)
        sum = sum * r + frz_w8_splat(inverse_factorial[k]);
    const frz_w8_mask exponent = ((frz_w8_mask)shifted - (frz_w8_mask)frz_w8_splat(rounder) + 127) << 23;
    return sum * (frz_w8)exponent;
}

/// For normal x > 0. x = 2^n m with m in [sqrt(1/2), sqrt(2)), log m = 2 artanh(t) with t = (m - 1) / (m + 1), |t| <
/// 0.172.
static inline frz_w8 frz_w8_log(frz_w8 x)
{
    const float log2_all = 0.693147181f;
    const int32_t least = 0x3f3504f3; // bits of sqrt(1/2)
    const frz_w8_mask offset = (frz_w8_mask)x - least;
    const frz_w8_mask n = offset >> 23;
    const frz_w8 m = (frz_w8)((frz_w8_mask)x - (n << 23));
    const frz_w8 exponent = __builtin_convertvector(n, frz_w8);
    const frz_w8 t = (m - frz_w8_splat(1)) / (m + frz_w8_splat(1)), tt = t * t;
    frz_w8 sum = frz_w8_splat(1.0f / 9.0f);
    static const float inverse_odd[] = {1.0f / 7.0f, 1.0f / 5.0f, 1.0f / 3.0f};
    for (int k = 0; k < 3; ++k)
        sum = sum * tt + frz_w8_splat(inverse_odd[k]);
    const frz_w8 twice = t + t;
    return exponent * frz_w8_splat(log2_all) + (twice + twice * tt * sum);
}
#endif
