// SPDX-License-Identifier: MIT
// The compaction table: for each 8-bit mask the numbers of its set bits, lowest first, one byte each.
#include "base/simd.h"

#if FRZ_AVX2

// entry(m) by recursion over the bits from the highest down: a set bit b moves the later entries up by one byte
#define BIT(m, b)       (((m) >> (b)) & 1)
#define PUT(m, b, rest) (((uint64_t)(rest) << (8 * BIT(m, b))) | (uint64_t)(BIT(m, b) * (b)))
#define E7(m)           PUT(m, 7, 0)
#define E6(m)           PUT(m, 6, E7(m))
#define E5(m)           PUT(m, 5, E6(m))
#define E4(m)           PUT(m, 4, E5(m))
#define E3(m)           PUT(m, 3, E4(m))
#define E2(m)           PUT(m, 2, E3(m))
#define E1(m)           PUT(m, 1, E2(m))
#define E0(m)           PUT(m, 0, E1(m))
#define ROW4(m)         E0(m), E0((m) + 1), E0((m) + 2), E0((m) + 3)
#define ROW16(m)        ROW4(m), ROW4((m) + 4), ROW4((m) + 8), ROW4((m) + 12)
#define ROW64(m)        ROW16(m), ROW16((m) + 16), ROW16((m) + 32), ROW16((m) + 48)

const uint64_t frz_compact_table[256] = {ROW64(0), ROW64(64), ROW64(128), ROW64(192)};

#else
typedef int frz_simd_is_portable;
#endif
