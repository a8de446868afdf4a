// SPDX-License-Identifier: MIT
// Decompositions of 3x3 matrices. All are Jacobi or Newton iterations with a bounded number of rounds, so that NaN in
// gives NaN out and nothing hangs.
#include "math/mat3.h"

#include <float.h>

enum
{
    sweep_limit = 30,   // Jacobi converges quadratically; 4 to 6 sweeps are usual
    rotation_limit = 20 // Newton steps of the rotation before the fallback to singular values
};

static const double orthogonal_enough = 4.0 * DBL_EPSILON; // cosine of the angle between two columns
static const double rotation_converged = 1e-15;            // squared angle of the last step, whose error is its square
static const double least_pair_sum = 1e-9;                 // of two stretches, relative: see frz_m3_solve_spin

static frz_vec3 column(const frz_mat3 *a, int j)
{
    return frz_v3(a->m[0][j], a->m[1][j], a->m[2][j]);
}

static void set_column(frz_mat3 *a, int j, frz_vec3 v)
{
    a->m[0][j] = v.x;
    a->m[1][j] = v.y;
    a->m[2][j] = v.z;
}

/// Columns p and q become c p - s q and s p + c q.
static void rotate_columns(frz_mat3 *a, int p, int q, double c, double s)
{
    for (int i = 0; i < 3; ++i)
    {
        const double x = a->m[i][p], y = a->m[i][q];
        a->m[i][p] = c * x - s * y;
        a->m[i][q] = s * x + c * y;
    }
}

/// Swap two columns and turn one round, so that the determinant stays.
static void exchange_columns(frz_mat3 *a, int p, int q)
{
    rotate_columns(a, p, q, 0.0, 1.0);
}

/// Cosine and sine of the smaller rotation that makes [[app apq] [apq aqq]] diagonal.
static void jacobi_angle(double app, double apq, double aqq, double *c, double *s)
{
    const double theta = (aqq - app) / (2.0 * apq);
    const double t = (theta >= 0.0 ? 1.0 : -1.0) / (fabs(theta) + sqrt(1.0 + theta * theta));
    *c = 1.0 / sqrt(1.0 + t * t);
    *s = t * *c;
}

/// Any unit vector perpendicular to the unit vector u.
static frz_vec3 perpendicular(frz_vec3 u)
{
    const double x = fabs(u.x), y = fabs(u.y), z = fabs(u.z);
    const frz_vec3 axis = x <= y && x <= z ? frz_v3(1.0, 0.0, 0.0)
                          : y <= z         ? frz_v3(0.0, 1.0, 0.0)
                                           : frz_v3(0.0, 0.0, 1.0);
    return frz_v3_normalize(frz_v3_cross(u, axis));
}

/// The direction of a perpendicular to the unit vector u. Where a has none (a column of rounding noise, whose singular
/// value is zero to rounding) any will do.
static frz_vec3 direction_across(frz_vec3 u, frz_vec3 a)
{
    const frz_vec3 along = frz_v3_normalize(a);
    const frz_vec3 across = frz_v3_mad(along, -frz_v3_dot(u, along), u);
    return frz_v3_dot(across, across) > 0.5 ? frz_v3_normalize(across) : perpendicular(u);
}

/// Rotate the columns of a until they are orthogonal (one-sided Jacobi, Hestenes 1958); v collects the rotations.
static void orthogonalize(frz_mat3 *a, frz_mat3 *v)
{
    static const int pairs[3][2] = {{0, 1}, {0, 2}, {1, 2}};
    for (int sweep = 0; sweep < sweep_limit; ++sweep)
    {
        bool done = true;
        for (int k = 0; k < 3; ++k)
        {
            const int p = pairs[k][0], q = pairs[k][1];
            const frz_vec3 ap = column(a, p), aq = column(a, q);
            const double pp = frz_v3_dot(ap, ap), pq = frz_v3_dot(ap, aq), qq = frz_v3_dot(aq, aq);
            if (!(fabs(pq) > orthogonal_enough * sqrt(pp) * sqrt(qq)))
                continue;
            double c, s;
            jacobi_angle(pp, pq, qq, &c, &s);
            rotate_columns(a, p, q, c, s);
            rotate_columns(v, p, q, c, s);
            done = false;
        }
        if (done)
            return;
    }
}

static double largest_entry(const frz_mat3 *a)
{
    double most = 0.0;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            most = fmax(most, fabs(a->m[i][j]));
    return most;
}

/// Longest column first.
static void sort_columns(frz_mat3 *a, frz_mat3 *v)
{
    static const int order[3][2] = {{0, 1}, {0, 2}, {1, 2}};
    for (int k = 0; k < 3; ++k)
    {
        const int p = order[k][0], q = order[k][1];
        if (frz_v3_length(column(a, p)) >= frz_v3_length(column(a, q)))
            continue;
        exchange_columns(a, p, q);
        exchange_columns(v, p, q);
    }
}

frz_svd3 frz_m3_svd(frz_mat3 a)
{
    frz_svd3 out = {frz_m3_identity(), frz_m3_identity(), {0.0, 0.0, 0.0}};
    const double scale = largest_entry(&a);
    if (!(scale > 0.0))
        return out;
    a = frz_m3_scale(1.0 / scale, a); // squares must neither overflow nor vanish
    orthogonalize(&a, &out.v);
    sort_columns(&a, &out.v);
    const frz_vec3 u0 = frz_v3_normalize(column(&a, 0));
    const frz_vec3 a1 = column(&a, 1);
    const frz_vec3 u1 = direction_across(u0, a1);
    const frz_vec3 u2 = frz_v3_cross(u0, u1);
    set_column(&out.u, 0, u0);
    set_column(&out.u, 1, u1);
    set_column(&out.u, 2, u2);
    out.s[0] = scale * frz_v3_length(column(&a, 0));
    out.s[1] = scale * frz_v3_dot(u1, a1);
    out.s[2] = scale * frz_v3_dot(u2, column(&a, 2)); // carries the sign of the determinant
    return out;
}

frz_mat3 frz_m3_compose(frz_mat3 u, const double s[3], frz_mat3 v)
{
    frz_mat3 out;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            out.m[i][j] = u.m[i][0] * s[0] * v.m[j][0] + u.m[i][1] * s[1] * v.m[j][1] + u.m[i][2] * s[2] * v.m[j][2];
    return out;
}

/// One rotation of the cyclic Jacobi method: a becomes J^T a J with entry (p, q) zero.
static void rotate_symmetric(frz_mat3 *a, frz_mat3 *v, int p, int q)
{
    double c, s;
    jacobi_angle(a->m[p][p], a->m[p][q], a->m[q][q], &c, &s);
    rotate_columns(a, p, q, c, s);
    *a = frz_m3_transpose(*a);
    rotate_columns(a, p, q, c, s);
    a->m[p][q] = a->m[q][p] = 0.0;
    rotate_columns(v, p, q, c, s);
}

frz_eigen3 frz_m3_eigen(frz_mat3 a)
{
    static const int pairs[3][2] = {{0, 1}, {0, 2}, {1, 2}};
    frz_eigen3 out = {.v = frz_m3_identity()};
    for (int k = 0; k < 3; ++k)
        a.m[pairs[k][1]][pairs[k][0]] = a.m[pairs[k][0]][pairs[k][1]];
    const double negligible = DBL_EPSILON * DBL_EPSILON * largest_entry(&a);
    for (int sweep = 0; sweep < sweep_limit; ++sweep)
    {
        bool done = true;
        for (int k = 0; k < 3; ++k)
        {
            const int p = pairs[k][0], q = pairs[k][1];
            if (!(fabs(a.m[p][q]) > negligible))
                continue;
            rotate_symmetric(&a, &out.v, p, q);
            done = false;
        }
        if (done)
            break;
    }
    for (int i = 0; i < 3; ++i)
        out.s[i] = a.m[i][i];
    for (int k = 0; k < 3; ++k)
    {
        const int p = pairs[k][0], q = pairs[k][1];
        if (out.s[p] >= out.s[q])
            continue;
        const double swap = out.s[p];
        out.s[p] = out.s[q];
        out.s[q] = swap;
        exchange_columns(&out.v, p, q);
    }
    return out;
}

frz_mat3 frz_m3_from_quat(frz_quat q)
{
    frz_mat3 r;
    set_column(&r, 0, frz_quat_rotate(q, frz_v3(1.0, 0.0, 0.0)));
    set_column(&r, 1, frz_quat_rotate(q, frz_v3(0.0, 1.0, 0.0)));
    set_column(&r, 2, frz_quat_rotate(q, frz_v3(0.0, 0.0, 1.0)));
    return r;
}

frz_quat frz_quat_from_m3(frz_mat3 r)
{
    // Shepperd 1978: divide by the largest of the four components
    const double t[4] = {frz_m3_trace(r), r.m[0][0], r.m[1][1], r.m[2][2]};
    int most = 0;
    for (int i = 1; i < 4; ++i)
        most = t[i] > t[most] ? i : most;
    const double wx = r.m[2][1] - r.m[1][2], wy = r.m[0][2] - r.m[2][0], wz = r.m[1][0] - r.m[0][1];
    const double xy = r.m[1][0] + r.m[0][1], xz = r.m[0][2] + r.m[2][0], yz = r.m[2][1] + r.m[1][2];
    const double own = 1.0 - t[0] + 2.0 * t[most]; // four times the square of the component
    const frz_quat q[4] = {{1.0 + t[0], wx, wy, wz}, {wx, own, xy, xz}, {wy, xy, own, yz}, {wz, xz, yz, own}};
    return frz_quat_normalize(q[most]);
}

bool frz_m3_solve_definite(frz_mat3 a, frz_vec3 b, frz_vec3 *x)
{
    // Sylvester: all leading minors positive; then Cramer through the cofactors
    const frz_mat3 c = frz_m3_cofactor(a);
    const double determinant = a.m[0][0] * c.m[0][0] + a.m[0][1] * c.m[0][1] + a.m[0][2] * c.m[0][2];
    const double size = largest_entry(&a);
    if (!(a.m[0][0] > 0.0 && c.m[2][2] > 0.0 && determinant > least_pair_sum * size * size * size))
        return false;
    *x = frz_v3_scale(1.0 / determinant, frz_m3_apply(c, b));
    return true;
}

/// tr(s) I - s
static frz_mat3 spin_matrix(frz_mat3 s)
{
    return frz_m3_mad(frz_m3_scale(-1.0, s), frz_m3_trace(s), frz_m3_identity());
}

frz_mat3 frz_m3_rotation(frz_mat3 a, frz_quat *rotation)
{
    frz_quat q = *rotation;
    for (int k = 0; k < rotation_limit; ++k)
    {
        const frz_mat3 r = frz_m3_from_quat(q);
        const frz_mat3 s = frz_m3_mul(frz_m3_transpose(r), a);
        const frz_vec3 slope = frz_v3_scale(2.0, frz_m3_axial(s));
        // Mueller et al. 2016, eq. 7, divides by |tr(S)|; where tr(R^T a) is concave this is Newton's method instead,
        // which converges quadratically and only to a maximum
        frz_vec3 spin;
        const bool concave = frz_m3_solve_definite(spin_matrix(frz_m3_symmetric(s)), slope, &spin);
        if (!concave)
            spin = frz_v3_scale(1.0 / (fabs(frz_m3_trace(s)) + DBL_EPSILON * frz_m3_norm(a) + DBL_MIN), slope);
        const double angle = frz_v3_length(spin);
        q = frz_quat_normalize(frz_quat_mul(q, frz_quat_axis_angle(spin, angle)));
        if (concave && angle * angle <= rotation_converged)
        {
            *rotation = q;
            return frz_m3_from_quat(q);
        }
    }
    const frz_svd3 svd = frz_m3_svd(a);
    const frz_mat3 r = frz_m3_mul(svd.u, frz_m3_transpose(svd.v));
    *rotation = frz_quat_from_m3(r);
    return r;
}

frz_vec3 frz_m3_solve_spin(frz_mat3 s, frz_vec3 b)
{
    frz_vec3 x;
    if (frz_m3_solve_definite(spin_matrix(s), b, &x))
        return x;
    const frz_eigen3 eigen = frz_m3_eigen(spin_matrix(s));
    const double least = least_pair_sum * fmax(fabs(eigen.s[0]), fabs(eigen.s[2]));
    double inverse[3];
    for (int i = 0; i < 3; ++i)
        inverse[i] = eigen.s[i] > least ? 1.0 / eigen.s[i] : 0.0;
    return frz_m3_apply(frz_m3_compose(eigen.v, inverse, eigen.v), b);
}
