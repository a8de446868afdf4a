// SPDX-License-Identifier: MIT
// Vector types and the only intrinsics of the project.
//
// frz_v4 is one particle's vector (x, y, z, spare): 16 bytes in single precision, so that a neighbour is one load.
// frz_w8 is eight particles side by side. Arithmetic on both is plain C through the compiler's vector extension. This
// header adds the operations that the extension lacks (compaction by mask, half precision, horizontal sums), with a
// portable form each.
//
// The processor's instructions are called by the builtin names common to gcc and clang, not through <immintrin.h>:
// reading that header takes four fifths of the time of compiling an ordinary file of ours.
#pragma once

#include <stdint.h>
#include <string.h>

#include "base/real.h"

#if defined(__AVX2__) && !defined(FRZ_DOUBLE) && (defined(__clang__) || __GNUC__ >= 12) // __builtin_shufflevector
#define FRZ_AVX2 1
#else
#define FRZ_AVX2 0
#endif

#if FRZ_AVX2 && defined(__F16C__)
#define FRZ_PAIR_HALF 1 // pair data in half precision: memory traffic limits the solvers
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
#if FRZ_AVX2
    return __builtin_ia32_maxps256(a, b);
#else
    return frz_w8_select(a > b, a, b);
#endif
}

static inline frz_w8 frz_w8_sqrt(frz_w8 a)
{
#if FRZ_AVX2
    return __builtin_ia32_sqrtps256(a);
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

#if FRZ_AVX2
extern const uint64_t frz_compact_table[256]; ///< lane numbers of the set bits, one byte each, packed to the front

/// Eight bytes to eight numbers. (clang has no name for the instruction, gcc does not find it for the conversion.)
static inline frz_w8_mask frz_w8_widen(uint64_t packed)
{
#ifdef __clang__
    typedef uint8_t bytes __attribute__((vector_size(8)));
    return __builtin_convertvector((bytes)packed, frz_w8_mask);
#else
    typedef char bytes __attribute__((vector_size(16)));
    const uint64_t __attribute__((vector_size(16))) low = {packed, 0};
    return __builtin_ia32_pmovzxbd256((bytes)low);
#endif
}

/// Write the lanes whose mask is set to the front of four streams and return their number; up to 8 values are written.
static inline int frz_w8_compact4(frz_w8_mask mask, const frz_w8 v[4], frz_real *const out[4])
{
    typedef float loose __attribute__((vector_size(32), aligned(4), may_alias));
    const unsigned bits = (unsigned)__builtin_ia32_movmskps256((frz_w8)mask);
    const frz_w8_mask lanes = frz_w8_widen(frz_compact_table[bits]);
    for (int s = 0; s < 4; ++s)
        *(loose *)(void *)out[s] = __builtin_ia32_permvarsf256(v[s], lanes);
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

/// The first and the last four lanes.
static inline frz_v4 frz_w8_low(frz_w8 a)
{
#if FRZ_AVX2 && !defined(__clang__)
    return __builtin_ia32_ps_ps256(a);
#else
    const frz_v4 v = {a[0], a[1], a[2], a[3]};
    return v;
#endif
}

static inline frz_v4 frz_w8_high(frz_w8 a)
{
#if FRZ_AVX2
    return __builtin_ia32_vextractf128_ps256(a, 1);
#else
    const frz_v4 v = {a[4], a[5], a[6], a[7]};
    return v;
#endif
}

/// Two particles' vectors side by side, their sum, and one number for each.
static inline frz_w8 frz_w8_join(frz_v4 low, frz_v4 high)
{
#if FRZ_AVX2 && !defined(__clang__)
    return __builtin_ia32_vinsertf128_ps256(__builtin_ia32_ps256_ps(low), high, 1);
#else
    const frz_w8 v = {low[0], low[1], low[2], low[3], high[0], high[1], high[2], high[3]};
    return v;
#endif
}

static inline frz_v4 frz_w8_fold(frz_w8 a)
{
    return frz_w8_low(a) + frz_w8_high(a);
}

/// The low halves of two, side by side; the high halves.
static inline frz_w8 frz_w8_lows(frz_w8 a, frz_w8 b)
{
#if FRZ_AVX2
    return __builtin_ia32_vperm2f128_ps256(a, b, 0x20);
#else
    return frz_w8_join(frz_w8_low(a), frz_w8_low(b));
#endif
}

static inline frz_w8 frz_w8_highs(frz_w8 a, frz_w8 b)
{
#if FRZ_AVX2
    return __builtin_ia32_vperm2f128_ps256(a, b, 0x31);
#else
    return frz_w8_join(frz_w8_high(a), frz_w8_high(b));
#endif
}

/// a b + c, rounded once where the processor can. (Left to the compiler, either product of a sum of two may be the one
/// that is not rounded.)
static inline frz_w8 frz_w8_fma(frz_w8 a, frz_w8 b, frz_w8 c)
{
#if FRZ_AVX2 && defined(__FMA__)
    return __builtin_ia32_vfmaddps256(a, b, c);
#else
    return a * b + c;
#endif
}

/// The sums of the halves of two, side by side.
static inline frz_w8 frz_w8_fold2(frz_w8 a, frz_w8 b)
{
#if FRZ_AVX2
    return __builtin_ia32_blendps256(a, b, 0xf0) + __builtin_ia32_vperm2f128_ps256(a, b, 0x21);
#else
    return frz_w8_lows(a, b) + frz_w8_highs(a, b);
#endif
}

/// Lane c of each half on all lanes of that half; c is a constant.
#if FRZ_AVX2
#define frz_w8_lane(a, c) __builtin_ia32_vpermilps256(a, 0x55 * (c))
#else
static inline frz_w8 frz_w8_lane(frz_w8 a, int c)
{
    const frz_w8 v = {a[c], a[c], a[c], a[c], a[4 + c], a[4 + c], a[4 + c], a[4 + c]};
    return v;
}
#endif

/// Lanes 0 and 1 of each half of a and b in turn (a0 b0 a1 b1); lanes 2 and 3. Lanes 0 and 1 of a, then those of b;
/// lanes 2 and 3.
#if FRZ_AVX2
#define frz_w8_mix_low(a, b)     __builtin_shufflevector(a, b, 0, 8, 1, 9, 4, 12, 5, 13)
#define frz_w8_mix_high(a, b)    __builtin_shufflevector(a, b, 2, 10, 3, 11, 6, 14, 7, 15)
#define frz_w8_couple_low(a, b)  __builtin_ia32_shufps256(a, b, 0x44)
#define frz_w8_couple_high(a, b) __builtin_ia32_shufps256(a, b, 0xee)
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
#if FRZ_AVX2
    const frz_w8 pairs = __builtin_ia32_haddps256(a01, a23);
    const frz_v4 sums = __builtin_ia32_haddps(frz_w8_low(pairs), frz_w8_high(pairs)); // a0 a2 a1 a3
    return __builtin_shufflevector(sums, sums, 0, 2, 1, 3);
#else
    const frz_v4 v = {(a01[0] + a01[1]) + (a01[2] + a01[3]), (a01[4] + a01[5]) + (a01[6] + a01[7]),
                      (a23[0] + a23[1]) + (a23[2] + a23[3]), (a23[4] + a23[5]) + (a23[6] + a23[7])};
    return v;
#endif
}

/// frz_w8_sum of four at once: the lanes are added in the same order, side by side instead of one after the other.
static inline frz_v4 frz_w8_sums(frz_w8 a, frz_w8 b, frz_w8 c, frz_w8 d)
{
    const frz_w8 ab = frz_w8_fold2(a, b), cd = frz_w8_fold2(c, d); // of each the sums of lanes n and n + 4
    const frz_w8 even_odd = frz_w8_couple_low(ab, cd) + frz_w8_couple_high(ab, cd); // a a c c, b b d d
    const frz_v4 ac = frz_w8_low(even_odd), bd = frz_w8_high(even_odd);
    const frz_v4 even = {ac[0], bd[0], ac[2], bd[2]}, odd = {ac[1], bd[1], ac[3], bd[3]};
    return even + odd;
}

/// frz_w8_sum4 of two such sets at once.
static inline void frz_w8_sum4_two(frz_w8 a01, frz_w8 a23, frz_w8 b01, frz_w8 b23, frz_v4 *a, frz_v4 *b)
{
#if FRZ_AVX2
    const frz_w8 sums = __builtin_ia32_haddps256(__builtin_ia32_haddps256(a01, a23), // a0 a2 b0 b2, a1 a3 b1 b3
                                                 __builtin_ia32_haddps256(b01, b23));
    const frz_v4 low = frz_w8_low(sums), high = frz_w8_high(sums);
    *a = __builtin_shufflevector(low, high, 0, 4, 1, 5);
    *b = __builtin_shufflevector(low, high, 2, 6, 3, 7);
#else
    *a = frz_w8_sum4(a01, a23);
    *b = frz_w8_sum4(b01, b23);
#endif
}

/// The spare lanes of four particles, side by side as in frz_w8_sum4.
static inline frz_v4 frz_w8_spare4(frz_w8 a01, frz_w8 a23)
{
#if FRZ_AVX2
    const frz_w8 spare = __builtin_ia32_shufps256(a01, a23, 0xff); // 0 0 2 2, 1 1 3 3
    return __builtin_ia32_blendps(frz_w8_low(spare), frz_w8_high(spare), 0xa);
#else
    const frz_v4 v = {a01[3], a01[7], a23[3], a23[7]};
    return v;
#endif
}

/// Four numbers, each on the four lanes of its particle.
static inline void frz_w8_splat4(frz_v4 a, frz_w8 *a01, frz_w8 *a23)
{
#if FRZ_AVX2
    const frz_w8_mask first = {0, 0, 0, 0, 1, 1, 1, 1}, second = {2, 2, 2, 2, 3, 3, 3, 3};
    const frz_w8 twice = frz_w8_join(a, a);
    *a01 = __builtin_ia32_vpermilvarps256(twice, first);
    *a23 = __builtin_ia32_vpermilvarps256(twice, second);
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

/// Data of a neighbour in the solvers' loops: gradient (x, y, z) and kernel value, dimensionless.
#if FRZ_PAIR_HALF
typedef struct frz_pair
{
    uint16_t v[4];
} frz_pair;

typedef short frz_half8 __attribute__((vector_size(16)));

static inline frz_v4 frz_pair_load(const frz_pair *pair)
{
    uint64_t bits;
    memcpy(&bits, pair, sizeof bits);
    const uint64_t __attribute__((vector_size(16))) low = {bits, 0};
    return __builtin_ia32_vcvtph2ps((frz_half8)low);
}

/// Two pairs at once.
static inline frz_w8 frz_pair_load2(const frz_pair *pair)
{
    frz_half8 half;
    memcpy(&half, pair, sizeof half);
    return __builtin_ia32_vcvtph2ps256(half);
}

/// Store eight pairs from four streams; x, y, z become the values that later loads return, so that sums made on the fly
/// agree with sums over stored pairs.
static inline void frz_pair_store8(frz_pair *out, frz_w8 *x, frz_w8 *y, frz_w8 *z, frz_w8 w)
{
    enum
    {
        to_nearest = 0 // the instruction's rounding: to the nearest, ties to even
    };
    const frz_half8 hx = __builtin_ia32_vcvtps2ph256(*x, to_nearest), hy = __builtin_ia32_vcvtps2ph256(*y, to_nearest);
    const frz_half8 hz = __builtin_ia32_vcvtps2ph256(*z, to_nearest), hw = __builtin_ia32_vcvtps2ph256(w, to_nearest);
    typedef int words __attribute__((vector_size(16)));
    typedef int loose __attribute__((vector_size(16), aligned(2), may_alias));
    const words xy_low = (words)__builtin_shufflevector(hx, hy, 0, 8, 1, 9, 2, 10, 3, 11);
    const words xy_high = (words)__builtin_shufflevector(hx, hy, 4, 12, 5, 13, 6, 14, 7, 15);
    const words zw_low = (words)__builtin_shufflevector(hz, hw, 0, 8, 1, 9, 2, 10, 3, 11);
    const words zw_high = (words)__builtin_shufflevector(hz, hw, 4, 12, 5, 13, 6, 14, 7, 15);
    loose *target = (loose *)(void *)out;
    target[0] = __builtin_shufflevector(xy_low, zw_low, 0, 4, 1, 5);
    target[1] = __builtin_shufflevector(xy_low, zw_low, 2, 6, 3, 7);
    target[2] = __builtin_shufflevector(xy_high, zw_high, 0, 4, 1, 5);
    target[3] = __builtin_shufflevector(xy_high, zw_high, 2, 6, 3, 7);
    *x = __builtin_ia32_vcvtph2ps256(hx);
    *y = __builtin_ia32_vcvtph2ps256(hy);
    *z = __builtin_ia32_vcvtph2ps256(hz);
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
