// SPDX-License-Identifier: MIT
#include "math/mat3_wide.h"

#include <string.h>

enum
{
    newton_limit = 6, // steps; with the rotation of the step before to start from it takes one or two
    jacobi_sweeps = 5 // of the eigenvalues: each squares the off-diagonal entries, and one more in double precision
};

// keeps 0 / 0 from happening, and is lost in everything else
static const frz_real tiny = (frz_real)1e-30;

// Square of the last turn at which to stop: Newton's method squares the error, so that the next turn would be below
// rounding.
static const frz_real converged = FRZ_REAL_EPSILON;

// One step: spin with (tr(S) I - S) spin = 2 axial(S), S the symmetric part of R^T a. Lanes where the matrix is not
// positive definite are no maximum's neighbourhood; their mask is cleared.
static frz_w8_mask newton_spin(const frz_wide3 *s, frz_w8 spin[3])
{
    const frz_w8 half = frz_w8_splat((frz_real)0.5);
    const frz_w8 xy = -half * (s->m[0][1] + s->m[1][0]), xz = -half * (s->m[0][2] + s->m[2][0]),
                 yz = -half * (s->m[1][2] + s->m[2][1]);
    const frz_w8 xx = s->m[1][1] + s->m[2][2], yy = s->m[0][0] + s->m[2][2], zz = s->m[0][0] + s->m[1][1];
    const frz_w8 b[3] = {s->m[2][1] - s->m[1][2], s->m[0][2] - s->m[2][0], s->m[1][0] - s->m[0][1]};
    const frz_w8 cxx = yy * zz - yz * yz, cxy = xz * yz - xy * zz, cxz = xy * yz - xz * yy;
    const frz_w8 cyy = xx * zz - xz * xz, cyz = xy * xz - xx * yz, czz = xx * yy - xy * xy;
    const frz_w8 determinant = xx * cxx + xy * cxy + xz * cxz;
    const frz_w8 trace = xx + yy + zz;
    // relative to a matrix with three equal stretches the determinant may shrink this far before the sums are all
    // rounding
    const frz_w8 least = frz_w8_splat((frz_real)1e-4) * trace * trace * trace;
    const frz_w8_mask definite = (xx > frz_w8_splat(0)) & (czz > frz_w8_splat(0)) & (determinant > least);
    const frz_w8 inverse = frz_w8_splat(1) / frz_w8_select(definite, determinant, frz_w8_splat(1));
    spin[0] = inverse * (cxx * b[0] + cxy * b[1] + cxz * b[2]);
    spin[1] = inverse * (cxy * b[0] + cyy * b[1] + cyz * b[2]);
    spin[2] = inverse * (cxz * b[0] + cyz * b[1] + czz * b[2]);
    return definite;
}

// q (1, spin / 2), normalised: the turn by spin up to its third power.
static void turn(frz_wide_quat *q, const frz_w8 spin[3])
{
    const frz_w8 half = frz_w8_splat((frz_real)0.5);
    const frz_w8 x = half * spin[0], y = half * spin[1], z = half * spin[2];
    const frz_wide_quat p = {q->w - q->x * x - q->y * y - q->z * z, q->x + q->w * x + q->y * z - q->z * y,
                             q->y + q->w * y + q->z * x - q->x * z, q->z + q->w * z + q->x * y - q->y * x};
    const frz_w8 length = frz_w8_sqrt(p.w * p.w + p.x * p.x + p.y * p.y + p.z * p.z);
    const frz_w8 inverse = frz_w8_splat(1) / length;
    *q = (frz_wide_quat){inverse * p.w, inverse * p.x, inverse * p.y, inverse * p.z};
}

static bool all_lanes(frz_w8_mask mask)
{
    bool all = true;
    for (int l = 0; l < 8; ++l)
        all &= mask[l] != 0; // without a branch per lane
    return all;
}

bool frz_wide3_rotation(const frz_wide3 *a, frz_wide_quat *rotation)
{
    for (int n = 0; n < newton_limit; ++n)
    {
        frz_w8 spin[3];
        const frz_wide3 r = frz_wide3_from_quat(rotation);
        const frz_wide3 s = frz_wide3_mul_left(&r, a);
        const frz_w8_mask definite = newton_spin(&s, spin);
        if (!all_lanes(definite))
            return false;
        turn(rotation, spin);
        if (all_lanes(spin[0] * spin[0] + spin[1] * spin[1] + spin[2] * spin[2] < frz_w8_splat(converged)))
            return true;
    }
    return false;
}

frz_wide_quat frz_wide_quat_load(const frz_v4 *from, int count)
{
    frz_v4 rows[8];
    frz_w8 q[4];
    for (int l = 0; l < 8; ++l)
        rows[l] = l < count ? from[l] : frz_v4_set(0, 0, 0, 1);
    frz_w8_from_v4(rows, q);
    return (frz_wide_quat){.x = q[0], .y = q[1], .z = q[2], .w = q[3]};
}

void frz_wide_quat_store(const frz_wide_quat *q, frz_v4 *to, int count)
{
    const frz_w8 from[4] = {q->x, q->y, q->z, q->w};
    frz_v4 rows[8];
    frz_w8_to_v4(from, rows);
    memcpy(to, rows, (size_t)count * sizeof *to);
}

// Turn rows and columns p and q of a symmetric matrix so that a[p][q] becomes zero; r is the third.
static void annihilate(frz_wide3 *a, frz_wide3 *v, int p, int q, int r)
{
    const frz_w8 zero = frz_w8_splat(0), one = frz_w8_splat(1);
    const frz_w8 off = a->m[p][q], gap = a->m[q][q] - a->m[p][p];
    const frz_w8 size = frz_w8_max(gap, -gap);
    // the smaller of the two tangents; nothing is turned where there is nothing to turn
    const frz_w8 root = frz_w8_sqrt(gap * gap + frz_w8_splat(4) * off * off);
    const frz_w8 twice = off + off,
                 tangent = frz_w8_select(gap < zero, -twice, twice) / (size + root + frz_w8_splat(tiny));
    const frz_w8 cosine = one / frz_w8_sqrt(one + tangent * tangent), sine = tangent * cosine;
    a->m[p][p] -= tangent * off;
    a->m[q][q] += tangent * off;
    a->m[p][q] = a->m[q][p] = zero;
    const frz_w8 rp = a->m[r][p], rq = a->m[r][q];
    a->m[r][p] = a->m[p][r] = cosine * rp - sine * rq;
    a->m[r][q] = a->m[q][r] = sine * rp + cosine * rq;
    for (int k = 0; k < 3; ++k)
    {
        const frz_w8 vp = v->m[k][p], vq = v->m[k][q];
        v->m[k][p] = cosine * vp - sine * vq;
        v->m[k][q] = sine * vp + cosine * vq;
    }
}

void frz_wide3_eigen(const frz_wide3 *a, frz_wide3 *v, frz_w8 s[3])
{
    const frz_w8 zero = frz_w8_splat(0), one = frz_w8_splat(1);
    frz_wide3 d = *a;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < i; ++j)
            d.m[i][j] = d.m[j][i];
    *v = (frz_wide3){{{one, zero, zero}, {zero, one, zero}, {zero, zero, one}}};
    for (int n = 0; n < jacobi_sweeps; ++n)
    {
        annihilate(&d, v, 0, 1, 2);
        annihilate(&d, v, 0, 2, 1);
        annihilate(&d, v, 1, 2, 0);
    }
    for (int i = 0; i < 3; ++i)
        s[i] = d.m[i][i];
}
