// SPDX-License-Identifier: MIT
// Random numbers of paths: one long (0,2)-sequence over all pixels and samples, shuffled and scrambled anew for every
// pair of dimensions (Burley 2020, "Practical hash-based Owen scrambling"), so that the pairs are independent and each
// is well spread.
#include "render/path.h"

/// Permutation in which each bit depends on the lower ones only (Laine & Karras 2011, constants of Burley 2020).
static uint32_t permute(uint32_t x, uint32_t seed)
{
    x += seed;
    x ^= x * 0x6c50b47cu;
    x ^= x * 0xb82f1e52u;
    x ^= x * 0xc7afe638u;
    x ^= x * 0x8d22f6e6u;
    return x;
}

/// Owen's scrambling: each bit is changed by a function of the higher ones.
static uint32_t scramble(uint32_t x, uint32_t seed)
{
    return frz_reverse_bits(permute(frz_reverse_bits(x), seed));
}

frz_path_random frz_path_random_start(int x, int y, int index, int count)
{
    uint32_t run = 1;
    while (run < (uint32_t)count && run < 1u << (32 - 2 * FRZ_PIXEL_ORDER_LEVELS))
        run <<= 1;
    const uint32_t order = frz_pixel_order((uint32_t)x, (uint32_t)y);
    const frz_path_random random = {.index = order * run + (uint32_t)index};
    return random;
}

frz_point2f frz_path_random_next(frz_path_random *random)
{
    const uint32_t dimension = random->dimension++;
    const uint32_t shuffled = scramble(random->index, frz_hash3(dimension, 11, 3));
    const frz_sequence words = frz_sequence_words(shuffled, (frz_sequence){0, 0});
    const frz_point2f point = {frz_unit_float(scramble(words.x, frz_hash3(dimension, 13, 5))),
                               frz_unit_float(scramble(words.y, frz_hash3(dimension, 17, 7)))};
    return point;
}
