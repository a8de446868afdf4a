// SPDX-License-Identifier: MIT
// Vector types and the only intrinsics of the project.
//
// frz_v4 is one particle's vector (x, y, z, spare): 16 bytes in single precision, so that a neighbour is one load.
// frz_w8 is eight particles side by side. Arithmetic on both is plain C through the compiler's vector extension; what
// the extension lacks (compaction by mask, half precision, horizontal sums) is here, with a portable form each.
#pragma once

#include <stdint.h>
#include <string.h>

#include "base/real.h"

#ifdef __AVX2__
#include <immintrin.h>
#endif

#if defined(__AVX2__) && defined(__F16C__) && !defined(FRZ_DOUBLE)
#define FRZ_PAIR_HALF 1 // pair data in half precision: memory traffic rules the solvers
#else
#define FRZ_PAIR_HALF 0
#endif

typedef frz_real frz_v4 __attribute__((vector_size(4 * sizeof(frz_real))));
typedef frz_real frz_w8 __attribute__((vector_size(8 * sizeof(frz_real))));
#ifdef FRZ_DOUBLE
typedef int64_t frz_w8_mask __attribute__((vector_size(64)));
#else
typedef int32_t frz_w8_mask __attribute__((vector_size(32)));
#endif

static inline frz_v4 frz_v4_set(frz_real x, frz_real y, frz_real z, frz_real w)
{
    const frz_v4 v = {x, y, z, w};
    return v;
}

static inline frz_v4 frz_v4_splat(frz_real s)
{
    const frz_v4 v = {s, s, s, s};
    return v;
}

static inline frz_v4 frz_v4_zero(void)
{
    const frz_v4 v = {0, 0, 0, 0};
    return v;
}

/// x*x' + y*y' + z*z'; the spare lanes do not matter.
static inline frz_real frz_v4_dot3(frz_v4 a, frz_v4 b)
{
    const frz_v4 p = a * b;
    return p[0] + p[1] + p[2];
}

/// The vector with its spare lane cleared.
static inline frz_v4 frz_v4_xyz(frz_v4 a)
{
    const frz_v4 v = {a[0], a[1], a[2], 0};
    return v;
}

static inline frz_v4 frz_v4_load(const frz_real *source)
{
    frz_v4 v;
    memcpy(&v, source, sizeof v);
    return v;
}

static inline frz_w8 frz_w8_splat(frz_real s)
{
    const frz_w8 v = {s, s, s, s, s, s, s, s};
    return v;
}

static inline frz_w8 frz_w8_load(const frz_real *source)
{
    frz_w8 v;
    memcpy(&v, source, sizeof v);
    return v;
}

/// Two vectors that follow each other in memory.
static inline frz_w8 frz_w8_load_v4(const frz_v4 *source)
{
    frz_w8 v;
    memcpy(&v, source, sizeof v);
    return v;
}

static inline void frz_w8_store(frz_real *target, frz_w8 v)
{
    memcpy(target, &v, sizeof v);
}

static inline frz_w8 frz_w8_select(frz_w8_mask mask, frz_w8 a, frz_w8 b)
{
    return (frz_w8)((mask & (frz_w8_mask)a) | (~mask & (frz_w8_mask)b));
}

static inline frz_w8 frz_w8_max(frz_w8 a, frz_w8 b)
{
#if defined(__AVX2__) && !defined(FRZ_DOUBLE)
    return (frz_w8)_mm256_max_ps((__m256)a, (__m256)b);
#else
    return frz_w8_select(a > b, a, b);
#endif
}

static inline frz_w8 frz_w8_sqrt(frz_w8 a)
{
#if defined(__AVX2__) && !defined(FRZ_DOUBLE)
    return (frz_w8)_mm256_sqrt_ps((__m256)a);
#else
    frz_w8 r;
    for (int l = 0; l < 8; ++l)
        r[l] = (frz_real)__builtin_sqrt((double)a[l]);
    return r;
#endif
}

/// Sum of the lanes in a fixed order.
static inline frz_real frz_w8_sum(frz_w8 a)
{
    return ((a[0] + a[4]) + (a[2] + a[6])) + ((a[1] + a[5]) + (a[3] + a[7]));
}

#if defined(__AVX2__) && !defined(FRZ_DOUBLE)
extern const uint64_t frz_compact_table[256]; ///< lane numbers of the set bits, one byte each, packed to the front

/// Write the lanes whose mask is set to the front of four streams and return how many; up to 8 values are touched.
static inline int frz_w8_compact4(frz_w8_mask mask, const frz_w8 v[4], frz_real *const out[4])
{
    const unsigned bits = (unsigned)_mm256_movemask_ps((__m256)mask);
    const __m256i lanes = _mm256_cvtepu8_epi32(_mm_cvtsi64_si128((long long)frz_compact_table[bits]));
    for (int s = 0; s < 4; ++s)
        _mm256_storeu_ps(out[s], _mm256_permutevar8x32_ps((__m256)v[s], lanes));
    return __builtin_popcount(bits);
}
#else
static inline int frz_w8_compact4(frz_w8_mask mask, const frz_w8 v[4], frz_real *const out[4])
{
    int count = 0;
    for (int l = 0; l < 8; ++l)
    {
        for (int s = 0; s < 4; ++s)
            out[s][count] = v[s][l];
        count += mask[l] != 0;
    }
    return count;
}
#endif

/// Two particles' vectors side by side, their sum, and one number for each.
static inline frz_w8 frz_w8_join(frz_v4 low, frz_v4 high)
{
#if defined(__AVX2__) && !defined(FRZ_DOUBLE)
    return (frz_w8)_mm256_insertf128_ps(_mm256_castps128_ps256((__m128)low), (__m128)high, 1);
#else
    const frz_w8 v = {low[0], low[1], low[2], low[3], high[0], high[1], high[2], high[3]};
    return v;
#endif
}

static inline frz_v4 frz_w8_fold(frz_w8 a)
{
#if defined(__AVX2__) && !defined(FRZ_DOUBLE)
    return (frz_v4)_mm256_castps256_ps128((__m256)a) + (frz_v4)_mm256_extractf128_ps((__m256)a, 1);
#else
    const frz_v4 v = {a[0] + a[4], a[1] + a[5], a[2] + a[6], a[3] + a[7]};
    return v;
#endif
}

/// The low halves of two, side by side; the high halves.
static inline frz_w8 frz_w8_lows(frz_w8 a, frz_w8 b)
{
#if defined(__AVX2__) && !defined(FRZ_DOUBLE)
    return (frz_w8)_mm256_permute2f128_ps((__m256)a, (__m256)b, 0x20);
#else
    const frz_w8 v = {a[0], a[1], a[2], a[3], b[0], b[1], b[2], b[3]};
    return v;
#endif
}

static inline frz_w8 frz_w8_highs(frz_w8 a, frz_w8 b)
{
#if defined(__AVX2__) && !defined(FRZ_DOUBLE)
    return (frz_w8)_mm256_permute2f128_ps((__m256)a, (__m256)b, 0x31);
#else
    const frz_w8 v = {a[4], a[5], a[6], a[7], b[4], b[5], b[6], b[7]};
    return v;
#endif
}

/// a b + c, rounded once where the processor can. (Left to the compiler, either product of a sum of two may be the one
/// that is not rounded.)
static inline frz_w8 frz_w8_fma(frz_w8 a, frz_w8 b, frz_w8 c)
{
#if defined(__AVX2__) && defined(__FMA__) && !defined(FRZ_DOUBLE)
    return (frz_w8)_mm256_fmadd_ps((__m256)a, (__m256)b, (__m256)c);
#else
    return a * b + c;
#endif
}

/// The sums of the halves of two, side by side.
static inline frz_w8 frz_w8_fold2(frz_w8 a, frz_w8 b)
{
#if defined(__AVX2__) && !defined(FRZ_DOUBLE)
    return (frz_w8)_mm256_blend_ps((__m256)a, (__m256)b, 0xf0) +
           (frz_w8)_mm256_permute2f128_ps((__m256)a, (__m256)b, 0x21);
#else
    return frz_w8_lows(a, b) + frz_w8_highs(a, b);
#endif
}

/// Lane c of each half on all lanes of that half; c is a constant.
#if defined(__AVX2__) && !defined(FRZ_DOUBLE)
#define frz_w8_lane(a, c) ((frz_w8)_mm256_permute_ps((__m256)(a), 0x55 * (c)))
#else
static inline frz_w8 frz_w8_lane(frz_w8 a, int c)
{
    const frz_w8 v = {a[c], a[c], a[c], a[c], a[4 + c], a[4 + c], a[4 + c], a[4 + c]};
    return v;
}
#endif

/// Lanes 0 and 1 of each half of a and b in turn (a0 b0 a1 b1); lanes 2 and 3. Lanes 0 and 1 of a, then those of b;
/// lanes 2 and 3.
#if defined(__AVX2__) && !defined(FRZ_DOUBLE)
#define frz_w8_mix_low(a, b)     ((frz_w8)_mm256_unpacklo_ps((__m256)(a), (__m256)(b)))
#define frz_w8_mix_high(a, b)    ((frz_w8)_mm256_unpackhi_ps((__m256)(a), (__m256)(b)))
#define frz_w8_couple_low(a, b)  ((frz_w8)_mm256_shuffle_ps((__m256)(a), (__m256)(b), 0x44))
#define frz_w8_couple_high(a, b) ((frz_w8)_mm256_shuffle_ps((__m256)(a), (__m256)(b), 0xee))
#else
#define FRZ_W8_SHUFFLE(name, i, j, k, l)                                                                               \
    static inline frz_w8 name(frz_w8 a, frz_w8 b)                                                                      \
    {                                                                                                                  \
        const frz_real from[2][8] = {{a[0], a[1], a[2], a[3], b[0], b[1], b[2], b[3]},                                 \
                                     {a[4], a[5], a[6], a[7], b[4], b[5], b[6], b[7]}};                                \
        const frz_w8 v = {from[0][i], from[0][j], from[0][k], from[0][l],                                              \
                          from[1][i], from[1][j], from[1][k], from[1][l]};                                             \
        return v;                                                                                                      \
    }
FRZ_W8_SHUFFLE(frz_w8_mix_low, 0, 4, 1, 5)
FRZ_W8_SHUFFLE(frz_w8_mix_high, 2, 6, 3, 7)
FRZ_W8_SHUFFLE(frz_w8_couple_low, 0, 1, 4, 5)
FRZ_W8_SHUFFLE(frz_w8_couple_high, 2, 3, 6, 7)
#undef FRZ_W8_SHUFFLE
#endif

/// Eight particles' vectors to their components side by side, and back.
static inline void frz_w8_from_v4(const frz_v4 from[8], frz_w8 to[4])
{
    const frz_w8 a = frz_w8_join(from[0], from[4]), b = frz_w8_join(from[1], from[5]),
                 c = frz_w8_join(from[2], from[6]), d = frz_w8_join(from[3], from[7]);
    const frz_w8 ab = frz_w8_mix_low(a, b), cd = frz_w8_mix_low(c, d);
    const frz_w8 ab_high = frz_w8_mix_high(a, b), cd_high = frz_w8_mix_high(c, d);
    to[0] = frz_w8_couple_low(ab, cd);
    to[1] = frz_w8_couple_high(ab, cd);
    to[2] = frz_w8_couple_low(ab_high, cd_high);
    to[3] = frz_w8_couple_high(ab_high, cd_high);
}

static inline void frz_w8_to_v4(const frz_w8 from[4], frz_v4 to[8])
{
    const frz_w8 xy = frz_w8_mix_low(from[0], from[1]), zw = frz_w8_mix_low(from[2], from[3]);
    const frz_w8 xy_high = frz_w8_mix_high(from[0], from[1]), zw_high = frz_w8_mix_high(from[2], from[3]);
    const frz_w8 rows[4] = {frz_w8_couple_low(xy, zw), frz_w8_couple_high(xy, zw), frz_w8_couple_low(xy_high, zw_high),
                            frz_w8_couple_high(xy_high, zw_high)};
    for (int r = 0; r < 4; ++r)
    {
        memcpy(&to[r], &rows[r], sizeof to[r]);
        memcpy(&to[4 + r], (const char *)&rows[r] + sizeof to[r], sizeof to[r]);
    }
}

/// The sums of four particles' four lanes each, (a0, a1) and (a2, a3) side by side as frz_w8_join makes them.
static inline frz_v4 frz_w8_sum4(frz_w8 a01, frz_w8 a23)
{
#if defined(__AVX2__) && !defined(FRZ_DOUBLE)
    const __m256 pairs = _mm256_hadd_ps((__m256)a01, (__m256)a23);
    const __m128 sums = _mm_hadd_ps(_mm256_castps256_ps128(pairs), _mm256_extractf128_ps(pairs, 1)); // a0 a2 a1 a3
    return (frz_v4)_mm_shuffle_ps(sums, sums, _MM_SHUFFLE(3, 1, 2, 0));
#else
    const frz_v4 v = {(a01[0] + a01[1]) + (a01[2] + a01[3]), (a01[4] + a01[5]) + (a01[6] + a01[7]),
                      (a23[0] + a23[1]) + (a23[2] + a23[3]), (a23[4] + a23[5]) + (a23[6] + a23[7])};
    return v;
#endif
}

/// frz_w8_sum4 of two such sets at once.
static inline void frz_w8_sum4_two(frz_w8 a01, frz_w8 a23, frz_w8 b01, frz_w8 b23, frz_v4 *a, frz_v4 *b)
{
#if defined(__AVX2__) && !defined(FRZ_DOUBLE)
    const __m256 sums = _mm256_hadd_ps(_mm256_hadd_ps((__m256)a01, (__m256)a23), // a0 a2 b0 b2, a1 a3 b1 b3
                                       _mm256_hadd_ps((__m256)b01, (__m256)b23));
    const __m128 low = _mm256_castps256_ps128(sums), high = _mm256_extractf128_ps(sums, 1);
    *a = (frz_v4)_mm_unpacklo_ps(low, high);
    *b = (frz_v4)_mm_unpackhi_ps(low, high);
#else
    *a = frz_w8_sum4(a01, a23);
    *b = frz_w8_sum4(b01, b23);
#endif
}

/// The spare lanes of four particles, side by side as in frz_w8_sum4.
static inline frz_v4 frz_w8_spare4(frz_w8 a01, frz_w8 a23)
{
#if defined(__AVX2__) && !defined(FRZ_DOUBLE)
    const __m256 spare = _mm256_shuffle_ps((__m256)a01, (__m256)a23, _MM_SHUFFLE(3, 3, 3, 3)); // 0 0 2 2, 1 1 3 3
    return (frz_v4)_mm_blend_ps(_mm256_castps256_ps128(spare), _mm256_extractf128_ps(spare, 1), 0xa);
#else
    const frz_v4 v = {a01[3], a01[7], a23[3], a23[7]};
    return v;
#endif
}

/// Four numbers, each on the four lanes of its particle.
static inline void frz_w8_splat4(frz_v4 a, frz_w8 *a01, frz_w8 *a23)
{
#if defined(__AVX2__) && !defined(FRZ_DOUBLE)
    const __m256 twice = _mm256_insertf128_ps(_mm256_castps128_ps256((__m128)a), (__m128)a, 1);
    *a01 = (frz_w8)_mm256_permutevar_ps(twice, _mm256_setr_epi32(0, 0, 0, 0, 1, 1, 1, 1));
    *a23 = (frz_w8)_mm256_permutevar_ps(twice, _mm256_setr_epi32(2, 2, 2, 2, 3, 3, 3, 3));
#else
    *a01 = frz_w8_join(frz_v4_splat(a[0]), frz_v4_splat(a[1]));
    *a23 = frz_w8_join(frz_v4_splat(a[2]), frz_v4_splat(a[3]));
#endif
}

static inline frz_w8 frz_w8_splat2(frz_real low, frz_real high)
{
    return frz_w8_join(frz_v4_splat(low), frz_v4_splat(high));
}

/// Eight consecutive indices as lanes (for frz_w8_compact4), and an index back from a lane.
#ifdef FRZ_DOUBLE
static inline frz_w8 frz_w8_indices(int base)
{
    frz_w8 v;
    for (int l = 0; l < 8; ++l)
        v[l] = (frz_real)(base + l);
    return v;
}

static inline int frz_lane_index(frz_real lane)
{
    return (int)lane;
}

static inline frz_real frz_index_lane(int index)
{
    return (frz_real)index;
}

/// Eight indices from lanes.
static inline void frz_lane_indices8(uint32_t *out, const frz_real *lanes)
{
    for (int l = 0; l < 8; ++l)
        out[l] = (uint32_t)lanes[l];
}

/// Lanes whose index is below end and is not excluded.
static inline frz_w8_mask frz_w8_index_mask(frz_w8 indices, int end, int excluded)
{
    return (indices < frz_w8_splat((frz_real)end)) & (indices != frz_w8_splat((frz_real)excluded));
}

/// Lanes whose index is another one.
static inline frz_w8_mask frz_w8_index_other(frz_w8 indices, int excluded)
{
    return indices != frz_w8_splat((frz_real)excluded);
}
#else
static inline frz_w8 frz_w8_indices(int base)
{
    const frz_w8_mask lanes = {0, 1, 2, 3, 4, 5, 6, 7};
    return (frz_w8)(lanes + base);
}

static inline int frz_lane_index(frz_real lane)
{
    int32_t index;
    memcpy(&index, &lane, sizeof index);
    return index;
}

static inline frz_real frz_index_lane(int index)
{
    frz_real lane;
    const int32_t bits = index;
    memcpy(&lane, &bits, sizeof lane);
    return lane;
}

static inline void frz_lane_indices8(uint32_t *out, const frz_real *lanes)
{
    memcpy(out, lanes, 8 * sizeof *out);
}

static inline frz_w8_mask frz_w8_index_mask(frz_w8 indices, int end, int excluded)
{
    return ((frz_w8_mask)indices < end) & ((frz_w8_mask)indices != excluded);
}

static inline frz_w8_mask frz_w8_index_other(frz_w8 indices, int excluded)
{
    return (frz_w8_mask)indices != excluded;
}
#endif

/// What the solvers stream per neighbour: gradient (x, y, z) and kernel value, dimensionless.
#if FRZ_PAIR_HALF
typedef struct frz_pair
{
    uint16_t v[4];
} frz_pair;

static inline frz_v4 frz_pair_load(const frz_pair *pair)
{
    return (frz_v4)_mm_cvtph_ps(_mm_loadl_epi64((const __m128i *)(const void *)pair));
}

/// Two pairs at once.
static inline frz_w8 frz_pair_load2(const frz_pair *pair)
{
    return (frz_w8)_mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)(const void *)pair));
}

/// Store eight pairs from four streams; x, y, z become what will be read back, so that sums made on the fly agree with
/// sums over stored pairs.
static inline void frz_pair_store8(frz_pair *out, frz_w8 *x, frz_w8 *y, frz_w8 *z, frz_w8 w)
{
    const __m128i hx = _mm256_cvtps_ph((__m256)*x, _MM_FROUND_TO_NEAREST_INT);
    const __m128i hy = _mm256_cvtps_ph((__m256)*y, _MM_FROUND_TO_NEAREST_INT);
    const __m128i hz = _mm256_cvtps_ph((__m256)*z, _MM_FROUND_TO_NEAREST_INT);
    const __m128i hw = _mm256_cvtps_ph((__m256)w, _MM_FROUND_TO_NEAREST_INT);
    const __m128i xy_low = _mm_unpacklo_epi16(hx, hy), xy_high = _mm_unpackhi_epi16(hx, hy);
    const __m128i zw_low = _mm_unpacklo_epi16(hz, hw), zw_high = _mm_unpackhi_epi16(hz, hw);
    __m128i *target = (__m128i *)(void *)out;
    _mm_storeu_si128(target + 0, _mm_unpacklo_epi32(xy_low, zw_low));
    _mm_storeu_si128(target + 1, _mm_unpackhi_epi32(xy_low, zw_low));
    _mm_storeu_si128(target + 2, _mm_unpacklo_epi32(xy_high, zw_high));
    _mm_storeu_si128(target + 3, _mm_unpackhi_epi32(xy_high, zw_high));
    *x = (frz_w8)_mm256_cvtph_ps(hx);
    *y = (frz_w8)_mm256_cvtph_ps(hy);
    *z = (frz_w8)_mm256_cvtph_ps(hz);
}
#else
typedef struct frz_pair
{
    frz_real v[4];
} frz_pair;

static inline frz_v4 frz_pair_load(const frz_pair *pair)
{
    frz_v4 v;
    memcpy(&v, pair, sizeof v);
    return v;
}

static inline frz_w8 frz_pair_load2(const frz_pair *pair)
{
    return frz_w8_join(frz_pair_load(pair), frz_pair_load(pair + 1));
}

static inline void frz_pair_store8(frz_pair *out, frz_w8 *x, frz_w8 *y, frz_w8 *z, frz_w8 w)
{
    for (int l = 0; l < 8; ++l)
    {
        out[l].v[0] = (*x)[l];
        out[l].v[1] = (*y)[l];
        out[l].v[2] = (*z)[l];
        out[l].v[3] = w[l];
    }
}
#endif
