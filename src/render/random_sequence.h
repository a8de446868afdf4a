// SPDX-License-Identifier: MIT
// Well-spread sample points that depend on the pixel only, never on the thread: a scrambled (0,2)-sequence.
#pragma once

#include <stdint.h>

typedef struct frz_point2f
{
    float x, y; ///< in [0, 1)
} frz_point2f;

/// Mix the bits of three integers.
static inline uint32_t frz_hash3(uint32_t a, uint32_t b, uint32_t c)
{
    // multiply-and-shift rounds with odd constants (golden ratio and large primes); quality is ample for dithering
    uint32_t h = a * 0x9e3779b1u ^ b * 0x85ebca6bu ^ c * 0xc2b2ae35u;
    h ^= h >> 16;
    h *= 0x7feb352du;
    h ^= h >> 15;
    h *= 0x846ca68bu;
    h ^= h >> 16;
    return h;
}

/// The top 24 bits as a number in [0, 1).
static inline float frz_unit_float(uint32_t bits)
{
    return (float)(bits >> 8) * 0x1p-24f;
}

/// A sequence that belongs to one pixel and one purpose.
typedef struct frz_sequence
{
    uint32_t x, y;
} frz_sequence;

static inline uint32_t frz_reverse_bits(uint32_t x)
{
    x = (x >> 1 & 0x55555555u) | (x & 0x55555555u) << 1;
    x = (x >> 2 & 0x33333333u) | (x & 0x33333333u) << 2;
    x = (x >> 4 & 0x0f0f0f0fu) | (x & 0x0f0f0f0fu) << 4;
    return __builtin_bswap32(x);
}

/// Point number index of the (0,2)-sequence (van der Corput and Sobol') as two words, combined with a start; every
/// aligned run of 2^k points is stratified in all dyadic ways. Kollig and Keller 2002, "Efficient multidimensional
/// sampling". The generator matrix of the second word is Pascal's triangle modulo 2, the fifth Kronecker power of
/// ((1, 1), (0, 1)): five shifts.
static inline frz_sequence frz_sequence_words(uint32_t index, frz_sequence start)
{
    const uint32_t x = frz_reverse_bits(index);
    uint32_t y = x ^ (x & 0x55555555u) << 1;
    y ^= (y & 0x33333333u) << 2;
    y ^= (y & 0x0f0f0f0fu) << 4;
    y ^= (y & 0x00ff00ffu) << 8;
    y ^= y << 16;
    const frz_sequence words = {start.x ^ x, start.y ^ y};
    return words;
}

static inline frz_point2f frz_sequence_point(frz_sequence sequence, uint32_t index)
{
    const frz_sequence words = frz_sequence_words(index, sequence);
    const frz_point2f point = {frz_unit_float(words.x), frz_unit_float(words.y)};
    return point;
}

enum
{
    FRZ_PIXEL_ORDER_LEVELS = 10 ///< the order of the pixels repeats every 2^10 pixels
};

/// Place of a pixel on a shuffled Z-order curve. Pixels take consecutive runs of one long sequence along it, so that
/// neighbours complete each other and the noise is fine-grained: Ahmed and Wonka 2020, "Screen-space blue-noise
/// diffusion of Monte Carlo sampling error via hierarchical ordering of pixels".
static inline uint32_t frz_pixel_order(uint32_t x, uint32_t y)
{
    uint32_t order = 0;
    for (uint32_t level = FRZ_PIXEL_ORDER_LEVELS; level-- > 0;)
    {
        const uint32_t quadrant = (x >> level & 1u) | (y >> level & 1u) << 1;
        order = order << 2 | (quadrant ^ (frz_hash3(order, level, 0) & 3u));
    }
    return order;
}

/// The sequence of a pixel that takes up to count points for some purpose.
static inline frz_sequence frz_sequence_of_pixel(uint32_t order, uint32_t purpose, uint32_t count)
{
    uint32_t run = 1; // a power of two, so that the points of a run are those of the first one, shifted bit by bit
    while (run < count && run < 1u << (32 - 2 * FRZ_PIXEL_ORDER_LEVELS))
        run <<= 1;
    const frz_sequence start = {frz_hash3(purpose, 1, 1), frz_hash3(purpose, 2, 2)};
    return frz_sequence_words(order * run, start);
}
