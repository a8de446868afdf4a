// SPDX-License-Identifier: MIT
// Hooke's law on the linear strain.
#include "law/strain.h"

static void hooke_evaluate(const frz_elastic *elastic, frz_law_point *point)
{
    const frz_mat3 strain = frz_m3_sub(frz_m3_symmetric(point->f), frz_m3_identity());
    point->stress = frz_strain_stress(elastic, strain);
    point->energy = 0.5 * frz_m3_dot(strain, point->stress);
}

static frz_mat3 hooke_tangent(const frz_elastic *elastic, const frz_law_point *point, frz_mat3 df)
{
    (void)point;
    return frz_strain_stress(elastic, frz_m3_symmetric(df));
}

const frz_law frz_law_hooke = {
    .key = "hooke",
    .doc = "Linear in the displacement: exact for small strains and small rotations, and nothing else; rotation swells "
           "it.",
    .equation = "mu |e|^2 + lambda/2 tr(e)^2, e = (F + F^T)/2 - I",
    .inverted = "quadratic everywhere; nothing happens at J = 0",
    .cite = "Koschier et al. 2019 (SPH tutorial), elastic solids",
    .least_poisson = -1.0,
    .small_strain = true,
    .evaluate = hooke_evaluate,
    .tangent = hooke_tangent,
};
