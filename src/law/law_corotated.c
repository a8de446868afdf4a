// SPDX-License-Identifier: MIT
// Corotated linear elasticity: Hooke's law in the frame of the nearest rotation R, F = R S.
#include "law/strain.h"

static void corotated_evaluate(const frz_elastic *elastic, frz_law_point *point)
{
    const frz_mat3 r = frz_m3_rotation(point->f, &point->rotation);
    const frz_mat3 s = frz_m3_symmetric(frz_m3_mul(frz_m3_transpose(r), point->f));
    const frz_mat3 strain = frz_m3_sub(s, frz_m3_identity());
    const frz_mat3 stress = frz_strain_stress(elastic, strain);
    point->energy = 0.5 * frz_m3_dot(strain, stress);
    point->stress = frz_m3_mul(r, stress);
    point->memo = r;
}

static frz_mat3 corotated_tangent(const frz_elastic *elastic, const frz_law_point *point, frz_mat3 df)
{
    // P = 2 mu (F - R) + lambda tr(S - I) R. From R^T F symmetric: dR = R [w]x, (tr(S) I - S) w = 2 axial(R^T dF)
    const frz_mat3 r = point->memo, rt = frz_m3_transpose(r);
    const frz_mat3 s = frz_m3_symmetric(frz_m3_mul(rt, point->f));
    const frz_mat3 turned = frz_m3_mul(rt, df);
    const frz_vec3 w = frz_m3_solve_spin(s, frz_v3_scale(2.0, frz_m3_axial(turned)));
    const frz_mat3 spin = {{{0.0, -w.z, w.y}, {w.z, 0.0, -w.x}, {-w.y, w.x, 0.0}}};
    const double volume = elastic->lambda * (frz_m3_trace(s) - 3.0);
    frz_mat3 dp = frz_m3_scale(2.0 * elastic->mu, df);
    dp = frz_m3_mad(dp, volume - 2.0 * elastic->mu, frz_m3_mul(r, spin));
    return frz_m3_mad(dp, elastic->lambda * frz_m3_trace(turned), r);
}

const frz_law frz_law_corotated = {
    .key = "corotated",
    .doc = "Linear stress and strain in the frame of the nearest rotation: any rotation, small to moderate strains.",
    .equation = "mu |F - R|^2 + lambda/2 tr(R^T F - I)^2, R the rotation nearest to F",
    .inverted = "R stays a rotation, so that an inverted F has a negative stretch and is pushed back; the stress jumps "
                "where the two smallest stretches are opposite, because R does",
    .cite = "Becker, Ihmsen & Teschner 2009; Mueller et al. 2016, doi:10.1145/2994258.2994269 (rotation)",
    .least_poisson = -1.0,
    .evaluate = corotated_evaluate,
    .tangent = corotated_tangent,
};
