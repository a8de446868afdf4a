// SPDX-License-Identifier: MIT
// Exact sums of doubles: one rounding at the end, so the bits depend neither on the order of the terms nor on how they
// were divided among threads or processes.
//
// A finite double is a whole multiple of 2^-1074 and below 2^1024. The sum is kept as a number of that unit in digits
// of 32 bits. A term touches three digits; each is 64 bits wide, so that carries can wait until the end: 2^30 terms
// fit. Two such sums are added digit by digit, in integers.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum
{
    FRZ_EXACT_DIGITS = 68, // 2098 bits of doubles, and bits for carries
    FRZ_EXACT_INFINITE = 1,
    FRZ_EXACT_MINUS_INFINITE = 2,
    FRZ_EXACT_NAN = 4
};

/// A sum; zeroed memory is an empty one.
typedef struct frz_exact
{
    int64_t digit[FRZ_EXACT_DIGITS]; ///< lowest first, in units of 2^(32 n - 1074)
    uint32_t special;                ///< terms that are no finite number: FRZ_EXACT_INFINITE and others
} frz_exact;

/// A finite double is sign * mantissa * 2^(place - 1074).
typedef struct frz_double_parts
{
    uint64_t mantissa; ///< below 2^53
    unsigned place;    ///< 0 to 2045; 2046: not finite
    bool negative;
} frz_double_parts;

static inline frz_double_parts frz_double_split(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    const unsigned exponent = (unsigned)(bits >> 52) & 2047u;
    const uint64_t fraction = bits & ((UINT64_C(1) << 52) - 1);
    // numbers below 2^-1022 have the place of those just above, without the leading bit
    return (frz_double_parts){fraction | (uint64_t)(exponent > 0) << 52, exponent - (exponent > 0), bits >> 63 != 0};
}

static inline void frz_exact_add(frz_exact *sum, double term)
{
    const frz_double_parts x = frz_double_split(term);
    if (x.place == 2046u)
    {
        sum->special |= term != term ? FRZ_EXACT_NAN : x.negative ? FRZ_EXACT_MINUS_INFINITE : FRZ_EXACT_INFINITE;
        return;
    }
    const unsigned shift = x.place & 31u;
    const uint64_t low = (x.mantissa & 0xffffffffu) << shift, high = (x.mantissa >> 32) << shift;
    const int64_t sign = x.negative ? -1 : 1;
    int64_t *digit = sum->digit + (x.place >> 5);
    digit[0] += sign * (int64_t)(low & 0xffffffffu);
    digit[1] += sign * (int64_t)((low >> 32) + (high & 0xffffffffu)); // below 2^33
    digit[2] += sign * (int64_t)(high >> 32);
}

/// The sum, rounded once (to nearest, ties to even). Zero is +0; a term that is not finite makes it not finite.
double frz_exact_value(const frz_exact *sum);

/// Exact sum of count numbers that lie stride bytes apart, as one member of an array of structs does.
double frz_exact_sum(const double *first, size_t stride, int count);
