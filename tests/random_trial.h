// SPDX-License-Identifier: MIT
// The same random numbers every time.
#pragma once

#include <stdint.h>

static uint64_t random_state = 88172645463325252ULL;

/// Uniform in -1 ... 1 (xorshift64*, Vigna 2016).
static inline double draw(void)
{
    random_state ^= random_state >> 12;
    random_state ^= random_state << 25;
    random_state ^= random_state >> 27;
    return (double)((random_state * 2685821657736338717ULL) >> 11) * 0x1p-52 - 1.0;
}
