// SPDX-License-Identifier: MIT
// 3x3 matrices in double precision: algebra, singular values, eigenvalues, polar decomposition. In two dimensions the
// upper left 2x2 block is used and the z axis maps to itself.
#pragma once

#include <stdbool.h>

#include "math/quat.h"
#include "math/vec3.h"

typedef struct frz_mat3
{
    double m[3][3]; ///< row, column
} frz_mat3;

static inline frz_mat3 frz_m3_diagonal(double x, double y, double z)
{
    const frz_mat3 a = {{{x, 0.0, 0.0}, {0.0, y, 0.0}, {0.0, 0.0, z}}};
    return a;
}

static inline frz_mat3 frz_m3_identity(void)
{
    return frz_m3_diagonal(1.0, 1.0, 1.0);
}

static inline frz_mat3 frz_m3_zero(void)
{
    return frz_m3_diagonal(0.0, 0.0, 0.0);
}

static inline frz_mat3 frz_m3_scale(double s, frz_mat3 a)
{
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            a.m[i][j] *= s;
    return a;
}

/// a + s b
static inline frz_mat3 frz_m3_mad(frz_mat3 a, double s, frz_mat3 b)
{
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            a.m[i][j] += s * b.m[i][j];
    return a;
}

static inline frz_mat3 frz_m3_add(frz_mat3 a, frz_mat3 b)
{
    return frz_m3_mad(a, 1.0, b);
}

static inline frz_mat3 frz_m3_sub(frz_mat3 a, frz_mat3 b)
{
    return frz_m3_mad(a, -1.0, b);
}

static inline frz_mat3 frz_m3_transpose(frz_mat3 a)
{
    frz_mat3 t;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            t.m[i][j] = a.m[j][i];
    return t;
}

static inline frz_mat3 frz_m3_mul(frz_mat3 a, frz_mat3 b)
{
    frz_mat3 c;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            c.m[i][j] = a.m[i][0] * b.m[0][j] + a.m[i][1] * b.m[1][j] + a.m[i][2] * b.m[2][j];
    return c;
}

static inline frz_vec3 frz_m3_apply(frz_mat3 a, frz_vec3 v)
{
    return frz_v3(a.m[0][0] * v.x + a.m[0][1] * v.y + a.m[0][2] * v.z,
                  a.m[1][0] * v.x + a.m[1][1] * v.y + a.m[1][2] * v.z,
                  a.m[2][0] * v.x + a.m[2][1] * v.y + a.m[2][2] * v.z);
}

/// a b^T
static inline frz_mat3 frz_m3_outer(frz_vec3 a, frz_vec3 b)
{
    const frz_mat3 c = {
        {{a.x * b.x, a.x * b.y, a.x * b.z}, {a.y * b.x, a.y * b.y, a.y * b.z}, {a.z * b.x, a.z * b.y, a.z * b.z}}};
    return c;
}

/// (a + a^T) / 2
static inline frz_mat3 frz_m3_symmetric(frz_mat3 a)
{
    return frz_m3_scale(0.5, frz_m3_add(a, frz_m3_transpose(a)));
}

static inline double frz_m3_trace(frz_mat3 a)
{
    return a.m[0][0] + a.m[1][1] + a.m[2][2];
}

/// a : b, the sum of the products of the entries
static inline double frz_m3_dot(frz_mat3 a, frz_mat3 b)
{
    double sum = 0.0;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            sum += a.m[i][j] * b.m[i][j];
    return sum;
}

/// Frobenius norm.
static inline double frz_m3_norm(frz_mat3 a)
{
    return sqrt(frz_m3_dot(a, a));
}

/// a - tr(a) / 3 I
static inline frz_mat3 frz_m3_deviator(frz_mat3 a)
{
    return frz_m3_mad(a, -frz_m3_trace(a) / 3.0, frz_m3_identity());
}

/// Tensor cross product (Bonet, Gil & Ortigosa 2015): cof(a + b) - cof(a) - cof(b). So a x a = 2 cof(a), and
/// d cof(F) = F x dF. Symmetric in both arguments, and (a x b) : c is symmetric in all three.
static inline frz_mat3 frz_m3_cross(frz_mat3 a, frz_mat3 b)
{
    frz_mat3 c;
    for (int i = 0; i < 3; ++i)
    {
        const int p = (i + 1) % 3, q = (i + 2) % 3;
        for (int j = 0; j < 3; ++j)
        {
            const int r = (j + 1) % 3, s = (j + 2) % 3;
            c.m[i][j] = a.m[p][r] * b.m[q][s] - a.m[p][s] * b.m[q][r] + b.m[p][r] * a.m[q][s] - b.m[p][s] * a.m[q][r];
        }
    }
    return c;
}

/// The derivative of the determinant: det(a) a^-T, but defined for every matrix.
static inline frz_mat3 frz_m3_cofactor(frz_mat3 a)
{
    return frz_m3_scale(0.5, frz_m3_cross(a, a));
}

static inline double frz_m3_determinant(frz_mat3 a)
{
    return a.m[0][0] * (a.m[1][1] * a.m[2][2] - a.m[1][2] * a.m[2][1]) -
           a.m[0][1] * (a.m[1][0] * a.m[2][2] - a.m[1][2] * a.m[2][0]) +
           a.m[0][2] * (a.m[1][0] * a.m[2][1] - a.m[1][1] * a.m[2][0]);
}

frz_mat3 frz_m3_from_quat(frz_quat q);

/// v with a - a^T = 2 [v]x, that is v = (a32 - a23, a13 - a31, a21 - a12) / 2.
static inline frz_vec3 frz_m3_axial(frz_mat3 a)
{
    return frz_v3(0.5 * (a.m[2][1] - a.m[1][2]), 0.5 * (a.m[0][2] - a.m[2][0]), 0.5 * (a.m[1][0] - a.m[0][1]));
}

/// a = u diag(s) v^T with proper rotations u and v, s[0] >= s[1] >= |s[2]| (up to rounding), and the sign of det(a) on
/// s[2] (the convention of invertible elasticity: Irving, Teran & Fedkiw 2004).
typedef struct frz_svd3
{
    frz_mat3 u, v;
    double s[3];
} frz_svd3;

/// Defined for every finite matrix, zero included; small singular values are accurate relative to their columns.
frz_svd3 frz_m3_svd(frz_mat3 a);

/// u diag(s) v^T
frz_mat3 frz_m3_compose(frz_mat3 u, const double s[3], frz_mat3 v);

/// Symmetric a = v diag(s) v^T with a proper rotation v and s[0] >= s[1] >= s[2]. Only the upper triangle is read.
typedef struct frz_eigen3
{
    frz_mat3 v;
    double s[3];
} frz_eigen3;

frz_eigen3 frz_m3_eigen(frz_mat3 a);

/// The rotation nearest to a: the one that makes tr(R^T a) largest, also for inverted a (where it is u v^T of the
/// decomposition above). Starts from *rotation, which should be the result of the last step or the identity, and
/// leaves the result there. Falls back on the singular values where the iteration finds no maximum.
frz_mat3 frz_m3_rotation(frz_mat3 a, frz_quat *rotation);

/// The unit quaternion of a rotation matrix.
frz_quat frz_quat_from_m3(frz_mat3 r);

/// x with a x = b for a symmetric positive definite a; false if a is not one (x is then untouched).
bool frz_m3_solve_definite(frz_mat3 a, frz_vec3 b, frz_vec3 *x);

/// Solve (tr(s) I - s) x = b for symmetric s: the change of the rotation of a polar decomposition. Where the sum of two
/// stretches is zero to rounding the rotation jumps and has no derivative; there it is taken not to change.
frz_vec3 frz_m3_solve_spin(frz_mat3 s, frz_vec3 b);
