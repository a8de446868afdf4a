// SPDX-License-Identifier: MIT
// Eight 3x3 matrices side by side in working precision, and the rotations nearest to them.
#pragma once

#include "base/simd.h"
#include "math/mat3.h"

typedef struct frz_wide3
{
    frz_w8 m[3][3]; ///< row, column
} frz_wide3;

/// Unit quaternions (w, x, y, z).
typedef struct frz_wide_quat
{
    frz_w8 w, x, y, z;
} frz_wide_quat;

/// a b
static inline frz_wide3 frz_wide3_mul(const frz_wide3 *a, const frz_wide3 *b)
{
    frz_wide3 c;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            c.m[i][j] = a->m[i][0] * b->m[0][j] + a->m[i][1] * b->m[1][j] + a->m[i][2] * b->m[2][j];
    return c;
}

/// a^T b
static inline frz_wide3 frz_wide3_mul_left(const frz_wide3 *a, const frz_wide3 *b)
{
    frz_wide3 c;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            c.m[i][j] = a->m[0][i] * b->m[0][j] + a->m[1][i] * b->m[1][j] + a->m[2][i] * b->m[2][j];
    return c;
}

static inline frz_wide3 frz_wide3_from_quat(const frz_wide_quat *q)
{
    const frz_w8 one = frz_w8_splat(1), x2 = q->x + q->x, y2 = q->y + q->y, z2 = q->z + q->z;
    const frz_w8 xx = q->x * x2, xy = q->x * y2, xz = q->x * z2, yy = q->y * y2, yz = q->y * z2, zz = q->z * z2;
    const frz_w8 wx = q->w * x2, wy = q->w * y2, wz = q->w * z2;
    return (frz_wide3){
        {{one - yy - zz, xy - wz, xz + wy}, {xy + wz, one - xx - zz, yz - wx}, {xz - wy, yz + wx, one - xx - yy}}};
}

/// a b^T
static inline frz_wide3 frz_wide3_mul_right(const frz_wide3 *a, const frz_wide3 *b)
{
    frz_wide3 c;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            c.m[i][j] = a->m[i][0] * b->m[j][0] + a->m[i][1] * b->m[j][1] + a->m[i][2] * b->m[j][2];
    return c;
}

static inline frz_w8 frz_wide3_determinant(const frz_wide3 *a)
{
    return a->m[0][0] * (a->m[1][1] * a->m[2][2] - a->m[1][2] * a->m[2][1]) -
           a->m[0][1] * (a->m[1][0] * a->m[2][2] - a->m[1][2] * a->m[2][0]) +
           a->m[0][2] * (a->m[1][0] * a->m[2][1] - a->m[1][1] * a->m[2][0]);
}

/// Up to eight quaternions kept as (x, y, z, w); missing ones do not turn.
frz_wide_quat frz_wide_quat_load(const frz_v4 *from, int count);
void frz_wide_quat_store(const frz_wide_quat *q, frz_v4 *to, int count);

/// Symmetric a = v diag(s) v^T, in no order; only the upper triangle is read. To the working precision of |a|.
void frz_wide3_eigen(const frz_wide3 *a, frz_wide3 *v, frz_w8 s[3]);

/// The rotations nearest to eight matrices, as frz_m3_rotation: Newton's method from *rotation, in working precision.
/// True if it has converged for all; where it has not, the lanes' quaternions are of no use.
bool frz_wide3_rotation(const frz_wide3 *a, frz_wide_quat *rotation);
