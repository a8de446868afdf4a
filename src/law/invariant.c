// SPDX-License-Identifier: MIT
#include "law/invariant.h"

// in frz_law_point.terms
enum
{
    TERM_A,      // a and its derivatives: a, a', a''
    TERM_B = 3,  // b likewise
    TERM_C2 = 6, // c''
    TERM_SLOPE   // d energy / dJ at fixed |F| and |cof F|
};

void frz_invariant_evaluate(const frz_elastic *elastic, frz_law_point *point)
{
    const frz_mat3 f = point->f;
    const frz_mat3 cofactor = frz_m3_cofactor(f);
    const double first = frz_m3_dot(f, f), second = frz_m3_dot(cofactor, cofactor);
    const frz_law_volume v = elastic->law->volume(elastic, frz_m3_determinant(f));
    const double slope = v.a.first * first + v.b.first * second + v.c.first;
    point->energy = v.a.value * first + v.b.value * second + v.c.value;
    // d|F|^2 = 2 F : dF, d|cof F|^2 = 2 (F x cof F) : dF, dJ = cof F : dF
    frz_mat3 stress = frz_m3_scale(2.0 * v.a.value, f);
    stress = frz_m3_mad(stress, 2.0 * v.b.value, frz_m3_cross(f, cofactor));
    point->stress = frz_m3_mad(stress, slope, cofactor);
    point->memo = cofactor;
    const double terms[8] = {v.a.value, v.a.first, v.a.second, v.b.value, v.b.first, v.b.second, v.c.second, slope};
    for (int i = 0; i < 8; ++i)
        point->terms[i] = terms[i];
}

frz_mat3 frz_invariant_tangent(const frz_elastic *elastic, const frz_law_point *point, frz_mat3 df)
{
    (void)elastic;
    const frz_mat3 f = point->f, cofactor = point->memo;
    const double *a = &point->terms[TERM_A], *b = &point->terms[TERM_B];
    const double first = frz_m3_dot(f, f), second = frz_m3_dot(cofactor, cofactor);
    const frz_mat3 d_cofactor = frz_m3_cross(f, df);
    const double dj = frz_m3_dot(cofactor, df);
    const double d_first = 2.0 * frz_m3_dot(f, df), d_second = 2.0 * frz_m3_dot(cofactor, d_cofactor);
    const double d_slope =
        (a[2] * first + b[2] * second + point->terms[TERM_C2]) * dj + a[1] * d_first + b[1] * d_second;
    frz_mat3 dp = frz_m3_scale(2.0 * a[0], df);
    dp = frz_m3_mad(dp, 2.0 * a[1] * dj, f);
    dp = frz_m3_mad(dp, 2.0 * b[0], frz_m3_add(frz_m3_cross(df, cofactor), frz_m3_cross(f, d_cofactor)));
    dp = frz_m3_mad(dp, 2.0 * b[1] * dj, frz_m3_cross(f, cofactor));
    dp = frz_m3_mad(dp, d_slope, cofactor);
    return frz_m3_mad(dp, point->terms[TERM_SLOPE], d_cofactor);
}

/// The polynomial of second order that agrees with the jet at j0.
static frz_jet taylor(frz_jet at, double j0, double j)
{
    const double d = j - j0;
    return (frz_jet){at.value + d * (at.first + 0.5 * d * at.second), at.first + d * at.second, at.second};
}

frz_jet frz_jet_log(double j, double threshold)
{
    const double x = fmax(j, threshold);
    const frz_jet exact = {log(x), 1.0 / x, -1.0 / (x * x)};
    return j >= threshold ? exact : taylor(exact, threshold, j);
}

frz_jet frz_jet_power(double j, double exponent, double threshold)
{
    const double x = fmax(j, threshold);
    const double value = pow(x, exponent);
    const frz_jet exact = {value, exponent * value / x, exponent * (exponent - 1.0) * value / (x * x)};
    return j >= threshold ? exact : taylor(exact, threshold, j);
}

frz_jet frz_jet_guard(double j, double threshold)
{
    const double t = fmax(1.0 - j / threshold, 0.0);
    return (frz_jet){t * t * t, -3.0 * t * t / threshold, 6.0 * t / (threshold * threshold)};
}

frz_jet frz_jet_square(double j)
{
    return (frz_jet){(j - 1.0) * (j - 1.0), 2.0 * (j - 1.0), 2.0};
}

frz_jet frz_jet_squared(frz_jet f)
{
    return (frz_jet){f.value * f.value, 2.0 * f.value * f.first, 2.0 * (f.first * f.first + f.value * f.second)};
}

frz_jet frz_jet_scale(double x, frz_jet f)
{
    return (frz_jet){x * f.value, x * f.first, x * f.second};
}

frz_jet frz_jet_sum(double x, frz_jet f, double y, frz_jet g)
{
    return (frz_jet){x * f.value + y * g.value, x * f.first + y * g.first, x * f.second + y * g.second};
}
