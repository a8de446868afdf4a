// SPDX-License-Identifier: MIT
// Compressible neo-Hookean solid with (J - 1)^2 in the volume term.
#include "law/invariant.h"

static const frz_law_param quadratic_params[] = {FRZ_LAW_THRESHOLD, {0}};

static frz_law_volume quadratic_volume(const frz_elastic *elastic, double j)
{
    frz_law_volume v = {.a = {.value = 0.5 * elastic->mu}};
    v.c = frz_jet_sum(-elastic->mu, frz_jet_log(j, elastic->params[0]), 0.5 * elastic->lambda, frz_jet_square(j));
    v.c.value -= 1.5 * elastic->mu;
    return v;
}

const frz_law frz_law_neo_hookean_quadratic = {
    .key = "neo_hookean_quadratic",
    .doc = "Rubber and soft solids at large stretch; unlike with log J the volume stiffens in extension too.",
    .equation = "mu/2 (|F|^2 - 3) - mu log J + lambda/2 (J - 1)^2",
    .inverted = "log J is continued below the threshold by its Taylor polynomial of second order",
    .cite = "Khadke (thesis), eq. 16; Stomakhin et al. 2012, doi:10.2312/SCA/SCA12/025-032",
    .params = quadratic_params,
    .least_poisson = 0.0,
    .evaluate = frz_invariant_evaluate,
    .tangent = frz_invariant_tangent,
    .volume = quadratic_volume,
};
