// SPDX-License-Identifier: MIT
// Neo-Hookean solid whose resistance to compression stays finite: below the bound the volume term continues with its
// slope there.
#include "law/invariant.h"

static const frz_law_param bounded_params[] = {
    {"bound", "volume ratio J below which the resistance to compression does not grow any more", 0.4, 1e-3, 0.99}, {0}};

static frz_law_volume bounded_volume(const frz_elastic *elastic, double j)
{
    const double bound = elastic->params[0];
    const frz_jet log_j = frz_jet_log(fmax(j, bound), bound);
    frz_law_volume v = {.a = {.value = 0.5 * elastic->mu}};
    v.c = frz_jet_sum(-elastic->mu, log_j, 0.5 * elastic->lambda, frz_jet_squared(log_j));
    v.c.value -= 1.5 * elastic->mu;
    if (j < bound)
    {
        v.c.value += v.c.first * (j - bound);
        v.c.second = 0.0;
    }
    return v;
}

const frz_law frz_law_neo_hookean_bounded = {
    .key = "neo_hookean_bounded",
    .doc = "Neo-Hookean with log J whose stress in compression is bounded, so that explicit steps survive crushing.",
    .equation =
        "mu/2 (|F|^2 - 3) + g(J), g = -mu log J + lambda/2 (log J)^2 for J above the bound b, else g(b) + g'(b) "
        "(J - b)",
    .inverted = "the pressure below the bound is constant, -g'(b) = (mu - lambda log b)/b, at any J, negative ones "
                "included; the tangent jumps at the bound",
    .cite = "Khadke (thesis), fig. 7; Irving, Teran & Fedkiw 2004, doi:10.1145/1028523.1028541",
    .params = bounded_params,
    .least_poisson = 0.0,
    .evaluate = frz_invariant_evaluate,
    .tangent = frz_invariant_tangent,
    .volume = bounded_volume,
};
