// SPDX-License-Identifier: MIT
// Generalised Mooney-Rivlin solid: a part of the shear stiffness belongs to the second invariant.
#include "law/isochoric.h"

static const frz_law_param mooney_params[] = {
    FRZ_LAW_THRESHOLD,
    {"share", "part of the shear modulus in the second invariant (0: neo-Hookean)", 0.2, 0.0, 1.0},
    {0}};

static frz_law_volume mooney_volume(const frz_elastic *elastic, double j)
{
    const double share = elastic->params[1];
    return frz_isochoric_volume((1.0 - share) * elastic->mu, share * elastic->mu, elastic->bulk, j, elastic->params[0]);
}

const frz_law frz_law_mooney_rivlin = {
    .key = "mooney_rivlin",
    .doc = "Rubber whose stress falls below the neo-Hookean one at large extension, as measured. For Poisson's ratios "
           "from about 0.45, like neo_hookean_generalized.",
    .equation = "(1-w) mu/2 (J^(-2/3) |F|^2 - 3) + w mu/2 (J^(-4/3) |cof F|^2 - 3) + K/2 (J - 1)^2, w the share, "
                "K = lambda + 2/3 mu",
    .inverted = "the powers of J are continued below the threshold t by their Taylor polynomials of second order, plus "
                "3 mu (1 - J/t)^3",
    .cite = "Khadke (thesis), sec. 3; Bower 2009, Applied Mechanics of Solids, sec. 3.5",
    .params = mooney_params,
    .least_poisson = -1.0,
    .evaluate = frz_invariant_evaluate,
    .tangent = frz_invariant_tangent,
    .volume = mooney_volume,
};
