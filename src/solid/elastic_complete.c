// SPDX-License-Identifier: MIT
#include "solid/elastic_complete.h"

#include <math.h>

static const double least_share = 0.01; // moments below this share of the largest are of no bonds (solid/bonds.c)
static const double collapsed = 1e-12;  // lengths and areas below this, relative to rest, have no direction

// A unit vector across u.
static frz_vec3 any_across(frz_vec3 u)
{
    const frz_vec3 helper = fabs(u.x) < 0.6 ? frz_v3(1.0, 0.0, 0.0) : frz_v3(0.0, 1.0, 0.0); // 0.6 > 1 / sqrt(3)
    return frz_v3_normalize(frz_v3_cross(u, helper));
}

// Across a sheet: the unit normal of the deformed sheet.
static frz_mat3 complete_sheet(frz_mat3 h, frz_vec3 normal)
{
    const frz_vec3 a = any_across(normal), b = frz_v3_cross(normal, a);
    const frz_vec3 cross = frz_v3_cross(frz_v3_add(a, frz_m3_apply(h, a)), frz_v3_add(b, frz_m3_apply(h, b)));
    const double area = frz_v3_length(cross);
    if (!(area > collapsed))
        return h;
    const frz_vec3 now = frz_v3_add(normal, frz_m3_apply(h, normal));
    return frz_m3_add(h, frz_m3_outer(frz_v3_mad(frz_v3_scale(-1.0, now), 1.0 / area, cross), normal));
}

// The smallest rotation that takes one unit vector to another. It turns the plane of the two, spanned by `from` and a
// vector across: the formula has no division, so that it is accurate near half a turn, too. `beside` is that vector
// where the two lie on one line.
static frz_mat3 smallest_rotation(frz_vec3 from, frz_vec3 to, frz_vec3 beside)
{
    const double c = frz_v3_dot(from, to);
    const frz_vec3 off = frz_v3_mad(to, -c, from);
    const double s = frz_v3_length(off);
    const frz_vec3 across = s > collapsed ? frz_v3_scale(1.0 / s, off) : beside;
    const frz_vec3 axis = frz_v3_cross(from, across);
    const frz_vec3 turned = frz_v3_sub(frz_v3_scale(c, across), frz_v3_scale(s, from));
    return frz_m3_add(frz_m3_add(frz_m3_outer(to, from), frz_m3_outer(turned, across)), frz_m3_outer(axis, axis));
}

// Around a rod: the smallest rotation that takes it to where it is now.
static frz_mat3 complete_rod(frz_mat3 h, int dimension, frz_vec3 axis)
{
    const frz_vec3 along = frz_v3_normalize(axis); // it was stored in single precision
    const frz_vec3 now = frz_v3_add(along, frz_m3_apply(h, along));
    const double stretch = frz_v3_length(now);
    if (!(stretch > collapsed))
        return h;
    const frz_vec3 to = frz_v3_scale(1.0 / stretch, now);
    const frz_vec3 beside = dimension == 2 ? frz_v3(-along.y, along.x, 0.0) : any_across(along);
    const frz_mat3 r = smallest_rotation(along, to, beside);
    // F = R (I + (stretch - 1) along (x) along)
    return frz_m3_sub(frz_m3_mad(r, stretch - 1.0, frz_m3_outer(to, along)), frz_m3_identity());
}

frz_mat3 frz_elastic_complete(frz_mat3 h, int rank, int dimension, frz_vec3 axis)
{
    if (rank >= dimension)
        return h;
    if (rank == 2)
        return complete_sheet(h, axis);
    return rank == 1 ? complete_rod(h, dimension, axis) : frz_m3_zero();
}

// In the turned frame U = R^T dH. Across a sheet with normal n: U n = -U^T n, less the part along n. Around a rod along
// t: all but U t is the change by a rotation, U = (U t) (x) t - t (x) (U t, its part across t).
frz_mat3 frz_elastic_complete_change(frz_mat3 h, frz_mat3 rotation, int rank, int dimension, frz_vec3 axis)
{
    if (rank >= dimension)
        return h;
    if (rank == 0)
        return frz_m3_zero();
    const frz_mat3 u = frz_m3_mul(frz_m3_transpose(rotation), h);
    if (rank == 1)
    {
        const frz_vec3 along = frz_m3_apply(u, axis);
        const frz_vec3 across = frz_v3_mad(along, -frz_v3_dot(along, axis), axis);
        return frz_m3_mul(rotation, frz_m3_sub(frz_m3_outer(along, axis), frz_m3_outer(axis, across)));
    }
    const frz_vec3 tilt = frz_m3_apply(frz_m3_transpose(u), axis);
    const frz_vec3 across = frz_v3_mad(tilt, -frz_v3_dot(tilt, axis), axis);
    const frz_mat3 in_plane = frz_m3_sub(u, frz_m3_outer(frz_m3_apply(u, axis), axis));
    return frz_m3_mul(rotation, frz_m3_sub(in_plane, frz_m3_outer(across, axis)));
}

// h b := the fit along b, an eigenvector of the moment matrix.
static frz_mat3 fit_along(frz_mat3 h, frz_mat3 sums, frz_mat3 moment, double least, frz_vec3 b)
{
    const double share = frz_v3_dot(b, frz_m3_apply(moment, b));
    if (!(share > least))
        return h;
    const frz_vec3 fit = frz_v3_scale(1.0 / share, frz_m3_apply(sums, b));
    return frz_m3_add(h, frz_m3_outer(frz_v3_sub(fit, frz_m3_apply(h, b)), b));
}

frz_mat3 frz_elastic_fit_across(frz_mat3 h, frz_mat3 sums, frz_mat3 moment, int rank, int dimension, frz_vec3 axis)
{
    if (rank >= dimension || rank == 0)
        return h;
    const frz_vec3 a = frz_v3_normalize(axis);
    if (rank == 2)
        return fit_along(h, sums, moment, least_share * frz_m3_trace(moment), a);
    const double least = least_share * frz_v3_dot(a, frz_m3_apply(moment, a));
    if (dimension == 2)
        return fit_along(h, sums, moment, least, frz_v3(-a.y, a.x, 0.0));
    // the two eigenvectors across a rod
    const frz_vec3 b = any_across(a), c = frz_v3_cross(a, b);
    const double bb = frz_v3_dot(b, frz_m3_apply(moment, b)), cc = frz_v3_dot(c, frz_m3_apply(moment, c));
    const double angle = 0.5 * atan2(2.0 * frz_v3_dot(b, frz_m3_apply(moment, c)), bb - cc);
    const frz_vec3 first = frz_v3_mad(frz_v3_scale(cos(angle), b), sin(angle), c);
    return fit_along(fit_along(h, sums, moment, least, first), sums, moment, least, frz_v3_cross(a, first));
}
