// SPDX-License-Identifier: MIT
#include "base/exact.h"

#include <math.h>

enum
{
    digit_bits = 32,
    mantissa_bits = 53,
    lowest_exponent = -1074
};

// Normalise digits to 0 .. 2^32 - 1 without changing the value; false if the value is negative: then the last digit is.
static bool carry(int64_t *digit)
{
    for (int n = 0; n + 1 < FRZ_EXACT_DIGITS; ++n)
    {
        const int64_t rest = digit[n] & 0xffffffff;
        digit[n + 1] += (digit[n] - rest) / (INT64_C(1) << digit_bits);
        digit[n] = rest;
    }
    return digit[FRZ_EXACT_DIGITS - 1] >= 0;
}

// The number that starts with digit top, which is not zero.
static double round_digits(const int64_t *digit, int top)
{
    // 65 to 96 leading bits, and whether anything is left behind them
    unsigned __int128 lead = 0;
    for (int n = top; n > top - 3; --n)
        lead = lead << digit_bits | (uint64_t)(n >= 0 ? digit[n] : 0);
    bool left = false;
    for (int n = 0; n < top - 2; ++n)
        left = left || digit[n] != 0;
    const int length = 3 * digit_bits - __builtin_clz((unsigned)digit[top]), dropped = length - mantissa_bits;
    const uint64_t half = UINT64_C(1) << (dropped - 1), tail = (uint64_t)lead & (2 * half - 1);
    uint64_t mantissa = (uint64_t)(lead >> dropped);
    mantissa += tail > half || (tail == half && (left || mantissa % 2 == 1));
    // results below the normal numbers have no more than 52 bits, so that they are not rounded again
    return ldexp((double)mantissa, digit_bits * (top - 2) + dropped + lowest_exponent);
}

double frz_exact_value(const frz_exact *sum)
{
    if (sum->special != 0)
        return sum->special == FRZ_EXACT_INFINITE         ? HUGE_VAL
               : sum->special == FRZ_EXACT_MINUS_INFINITE ? -HUGE_VAL
                                                          : (double)NAN;
    int64_t digit[FRZ_EXACT_DIGITS];
    memcpy(digit, sum->digit, sizeof digit);
    const bool negative = !carry(digit);
    if (negative)
    {
        for (int n = 0; n < FRZ_EXACT_DIGITS; ++n)
            digit[n] = -sum->digit[n];
        (void)carry(digit);
    }
    int top = FRZ_EXACT_DIGITS - 1;
    while (top >= 0 && digit[top] == 0)
        --top;
    const double size = top >= 0 ? round_digits(digit, top) : 0.0;
    return negative ? -size : size;
}

// The same sum in one integer of 128 bits, which holds the terms of most sums: false where it does not.
static bool sum_narrow(const double *first, size_t step, int count, double *out)
{
    unsigned least = UINT32_MAX, most = 0;
    for (int n = 0; n < count; ++n)
    {
        const frz_double_parts x = frz_double_split(first[(size_t)n * step]);
        most = x.place > most ? x.place : most;
        least = x.place < least && x.mantissa != 0 ? x.place : least;
    }
    if (least > most && most < 2046u) // nothing but zeros
    {
        *out = 0.0;
        return true;
    }
    const unsigned carries = (unsigned)(digit_bits - __builtin_clz((unsigned)count));
    if (most == 2046u || most - least + mantissa_bits + carries > 127)
        return false;
    __int128 sum = 0;
    for (int n = 0; n < count; ++n)
    {
        const frz_double_parts x = frz_double_split(first[(size_t)n * step]);
        const __int128 term = (__int128)x.mantissa << (x.mantissa != 0 ? x.place - least : 0);
        sum += x.negative ? -term : term;
    }
    *out = ldexp((double)sum, (int)least + lowest_exponent);
    return true;
}

double frz_exact_sum(const double *first, size_t stride, int count)
{
    const size_t step = stride / sizeof *first;
    if (count <= 2) // one addition is rounded once anyway; a zero has no sign
        return 0.0 + (count > 0 ? first[0] : 0.0) + (count > 1 ? first[step] : 0.0);
    double narrow;
    if (sum_narrow(first, step, count, &narrow))
        return narrow;
    frz_exact sum;
    memset(&sum, 0, sizeof sum);
    for (int n = 0; n < count; ++n)
        frz_exact_add(&sum, first[(size_t)n * step]);
    return frz_exact_value(&sum);
}
