// SPDX-License-Identifier: MIT
// The weight of a pair in implicit friction, and the constants that make it a physical viscosity.
//
// Any positive weight g(r) of the pairs gives a viscous force (Espanol & Revenga 2003); its moments determine the size:
//
//     plain     f_i = mu C_p / s^2 sum_j g_ij (v_j - v_i)              C_p = 2 d / sum g r^2 / s^2
//     central   f_i = mu C_c / s^2 sum_j g_ij e e . (v_j - v_i)        C_c = 2 d (d + 2) / sum g r^2 / s^2
//
// per volume, both mu laplace(v) for a velocity without divergence. The sums are over the liquid's own lattice, so that
// there the viscosity is exact (plain) or exact on average over all directions of shear (central). The central form
// needs fourth moments that are the same in all directions, and there the usual g = |W'| / r is poor for short
// supports: it weighs the nearest shell so heavily that a lattice sheared along its axes shows 0.65 of its viscosity in
// the plane and 0.69 in space (support of 2.1 spacings), and 0.74 and 0.78 once its layers have slid past each other.
// g = (1 - q^2)^(7/4), whose shells balance on the square and on the cubic lattice, shows 1.00, 1.00, 1.00 and 0.96;
// see tests/unit/test_shear_weight.c.
#pragma once

#include <math.h>

#include "base/real.h"

typedef struct frz_shear_weight
{
    frz_real inverse_square; ///< 1 / support^2
    double plain;            ///< C_p
    double central;          ///< C_c
    double own;              ///< C_c sum g / d: rate of a particle among neighbours at rest, in mu / (rho s^2)
    double wall;             ///< C_p for one flat layer of samples instead of a half space of lattice
} frz_shear_weight;

frz_shear_weight frz_shear_weight_make(double spacing, double support, int dimension);

/// g at a squared distance; zero outside the support.
static inline frz_real frz_shear_weight_at(const frz_shear_weight *weight, frz_real r2)
{
    const frz_real left = 1 - r2 * weight->inverse_square, u = left > 0 ? left : 0;
#ifdef FRZ_DOUBLE
    const double root = sqrt(u);
    return u * root * sqrt(root);
#else
    const float root = sqrtf(u);
    return u * root * sqrtf(root);
#endif
}
