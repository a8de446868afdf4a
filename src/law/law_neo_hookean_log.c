// SPDX-License-Identifier: MIT
// Compressible neo-Hookean solid with log J in the volume term.
#include "law/invariant.h"

static const frz_law_param log_params[] = {FRZ_LAW_THRESHOLD, {0}};

static frz_law_volume log_volume(const frz_elastic *elastic, double j)
{
    const frz_jet log_j = frz_jet_log(j, elastic->params[0]);
    frz_law_volume v = {.a = {.value = 0.5 * elastic->mu}};
    v.c = frz_jet_sum(-elastic->mu, log_j, 0.5 * elastic->lambda, frz_jet_squared(log_j));
    v.c.value -= 1.5 * elastic->mu;
    return v;
}

const frz_law frz_law_neo_hookean_log = {
    .key = "neo_hookean_log",
    .doc = "Rubber and soft solids at large stretch; stiffens without bound in compression.",
    .equation = "mu/2 (|F|^2 - 3) - mu log J + lambda/2 (log J)^2",
    .inverted = "log J is continued below the threshold by its Taylor polynomial of second order",
    .cite = "Khadke (thesis), eq. 15; Bonet & Wood 2008, doi:10.1017/CBO9780511755446",
    .params = log_params,
    .least_poisson = 0.0,
    .evaluate = frz_invariant_evaluate,
    .tangent = frz_invariant_tangent,
    .volume = log_volume,
};
