// SPDX-License-Identifier: MIT
// Contribution of wall samples to the compression of a particle. With
//
//     T_i = sum_b w_b n_b (x) n_b,     w_b = V_b W_ib     over the samples b near it and their outward normals n_b
//
// (|T| is the plain sum beside one flat wall, the root of the sum of two squares in a corner) there are two laws:
//
//     mirrored    walls_i = m_i sum_j w_ij m_j,   m_i = mirror |T_i|     over liquid particles j, i itself included
//     local       walls_i = gain |T_i|^2 + plain sum_b w_b
//
// The mirrored law is that of liquids with boundary_mirrored. It sums over images of the liquid behind the wall: the
// image of j is as far from i as j is, and behind both. Of a kernel like a Gaussian the sum over images is W(x_i -
// x_j') = W_ij f(d_i) f(d_j) for particles equally far from the wall. So
//   - a uniform pressure exerts no force: walls complete the density with twice the slope of the liquid they replace,
//     once for the constraint of i and once for those of its neighbours,
//   - a layer that is compressed along the wall is resisted as inside the liquid. With a sum that is independent of the
//     neighbours it bears 0.85 of its pressure, sinks, packs a tenth more densely and has a tenth more of pressure.
// A single particle has no neighbours, and with wide kernels (from 2.5 spacings in the plane, 2.3 in space) w_ii m^2
// would let it through: w_ii is raised until it has its rest density at the wall's surface (boundary_mirrored).
// The law is a function of positions with the same pairs for i and j, so its push is a gradient and does no work in a
// circle.
//
// The local law is that of elastic particles, whose neighbours are not in the pairs, and of other boundary methods. A
// square has twice the slope of the liquid that it replaces, so that a uniform pressure exerts no force; it is the
// square of the sum, which is constant along the wall. Where samples have a pressure of their own (boundary_band2018),
// the plain sum has a gain too, and the solvers add the force of that pressure.
//
// Particles of rods and sheets (frz_exclusion.thin) have thin |T_i| instead of gain |T_i|^2, which is the same at one
// spacing from the samples. The multiplier of a particle between a wall and another body pushes it both ways. With
// the slope of the square it would move off the wall, towards the body, as fast as the body moves away.
#pragma once

#include <math.h>
#include <stdbool.h>

#include "base/simd.h"

/// Chosen by the boundary method, see sim/boundary.h.
typedef struct frz_sample_law
{
    double mirror; ///< of |T|; above 0 if liquids have the mirrored law
    double self;   ///< w_ii of the mirrored law: that of the particle, or more
    double gain;   ///< of |T|^2 in the local law
    double plain;  ///< of the plain sum; above 0 if samples have pressures of their own
    double thin;   ///< of |T|, for rods and sheets; 0: they have the local law
} frz_sample_law;

/// Sums over the samples near a particle.
typedef struct frz_sample_sums
{
    frz_v4 t[3]; ///< rows of T
    frz_real value;
} frz_sample_sums;

static inline void frz_sample_sums_add(frz_sample_sums *sums, frz_real value, frz_v4 normal)
{
    const frz_v4 scaled = value * normal;
    for (int r = 0; r < 3; ++r)
        sums->t[r] += scaled[r] * normal;
    sums->value += value;
}

/// |T|^2
static inline frz_real frz_sample_sums_square(const frz_sample_sums *sums)
{
    frz_real square = 0;
    for (int r = 0; r < 3; ++r)
        square += frz_v4_dot3(sums->t[r], sums->t[r]);
    return square;
}

/// walls_i of the local law
static inline frz_real frz_sample_law_value(const frz_sample_law *law, const frz_sample_sums *sums)
{
    frz_real value = (frz_real)law->plain * sums->value;
    for (int r = 0; r < 3; ++r)
        value += (frz_real)law->gain * frz_v4_dot3(sums->t[r], sums->t[r]);
    return value;
}

/// walls_i of rods and sheets
static inline frz_real frz_sample_law_thin(const frz_sample_law *law, const frz_sample_sums *sums)
{
    return (frz_real)(law->thin * sqrt((double)frz_sample_sums_square(sums)));
}

/// m_i, and its derivative with respect to |T|, over |T|. It is 0 where walls are too far away to count, and begins
/// with a slope of 0.
static inline frz_real frz_sample_law_mirror(const frz_sample_law *law, const frz_sample_sums *sums,
                                             frz_real *steepness)
{
    const frz_real least = (frz_real)1e-4, gain = (frz_real)law->mirror;
    const frz_real square = frz_sample_sums_square(sums), size = (frz_real)sqrt((double)square);
    const bool counts = size > least;
    *steepness = counts ? gain * (1 - least * least / square) / size : 0;
    return counts ? gain * (size - least) * (size - least) / size : 0;
}

/// Values of frz_pairs.mirror_own for particles that do not have the mirrored law.
static const frz_real FRZ_OWN_LOCAL = -1, FRZ_OWN_THIN = -2;

/// Multiplier of a sample's n . T n that gives the factor of grad w_b in own times grad m_i, or in the gradient of the
/// local law, or that of rods and sheets, if own says so (frz_pairs.mirror_own).
static inline frz_real frz_sample_law_steepness(const frz_sample_law *law, const frz_sample_sums *sums, frz_real own)
{
    if (own == FRZ_OWN_THIN)
    {
        const double square = (double)frz_sample_sums_square(sums);
        return square > 0.0 ? (frz_real)(law->thin / sqrt(square)) : 0;
    }
    if (own < 0)
        return 2 * (frz_real)law->gain;
    frz_real steepness;
    (void)frz_sample_law_mirror(law, sums, &steepness);
    return own * steepness;
}

/// Contribution of the plain sum to that factor.
static inline frz_real frz_sample_law_plain(const frz_sample_law *law, frz_real own)
{
    return own < 0 ? (frz_real)law->plain : 0;
}

/// steepness n . T n of a sample: with the plain sum's part the factor of grad w_b.
static inline frz_real frz_sample_law_slope(const frz_sample_sums *sums, frz_real steepness, frz_v4 normal)
{
    const frz_v4 tn = normal[0] * sums->t[0] + normal[1] * sums->t[1] + normal[2] * sums->t[2];
    return steepness * frz_v4_dot3(normal, tn);
}
