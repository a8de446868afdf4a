// SPDX-License-Identifier: MIT
// Generalised neo-Hookean solid: shape and volume are separate, for rubber of limited compressibility.
#include "law/isochoric.h"

static const frz_law_param generalized_params[] = {FRZ_LAW_THRESHOLD, {0}};

static frz_law_volume generalized_volume(const frz_elastic *elastic, double j)
{
    return frz_isochoric_volume(elastic->mu, 0.0, elastic->bulk, j, elastic->params[0]);
}

const frz_law frz_law_neo_hookean_generalized = {
    .key = "neo_hookean_generalized",
    .doc =
        "Rubber of limited compressibility: shape and volume have separate energies. For Poisson's ratios from about "
        "0.45: a bar of 0.3 gives way when pressed below 0.4 of its length.",
    .equation = "mu/2 (J^(-2/3) |F|^2 - 3) + K/2 (J - 1)^2, K = lambda + 2/3 mu",
    .inverted = "the power of J is continued below the threshold t by its Taylor polynomial of second order, plus "
                "3 mu (1 - J/t)^3",
    .cite = "Khadke (thesis), sec. 3; Bower 2009, Applied Mechanics of Solids, sec. 3.5",
    .params = generalized_params,
    .least_poisson = -1.0,
    .evaluate = frz_invariant_evaluate,
    .tangent = frz_invariant_tangent,
    .volume = generalized_volume,
};
