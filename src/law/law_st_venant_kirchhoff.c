// SPDX-License-Identifier: MIT
// St. Venant-Kirchhoff: Hooke's law on the Green strain. The energy is even in every stretch, so that a mirrored body
// would be at rest (Khadke, eq. 13, fig. 5); a guard on J below the threshold pushes it back.
#include "law/invariant.h"
#include "law/strain.h"

static const frz_law_param svk_params[] = {FRZ_LAW_THRESHOLD, {0}};

/// The guard's scale: its push at J = 0 is 3 (lambda + 2 mu), far above the steepest slope of the hill between the body
/// and its mirror image, (lambda + 2 mu) / sqrt(27).
static frz_jet guard_of(const frz_elastic *elastic, double j)
{
    const double scale = (elastic->lambda + 2.0 * elastic->mu) * elastic->params[0];
    return frz_jet_scale(scale, frz_jet_guard(j, elastic->params[0]));
}

static void svk_evaluate(const frz_elastic *elastic, frz_law_point *point)
{
    const frz_mat3 strain = frz_strain_of(FRZ_STRAIN_GREEN, point->f, frz_m3_identity());
    const frz_mat3 stress = frz_strain_stress(elastic, strain);
    const frz_jet guard = guard_of(elastic, frz_m3_determinant(point->f));
    point->energy = 0.5 * frz_m3_dot(strain, stress) + guard.value;
    point->stress = frz_m3_mad(frz_m3_mul(point->f, stress), guard.first, frz_m3_cofactor(point->f));
    point->memo = stress;
    point->terms[0] = guard.first;
    point->terms[1] = guard.second;
}

static frz_mat3 svk_tangent(const frz_elastic *elastic, const frz_law_point *point, frz_mat3 df)
{
    const frz_mat3 f = point->f, cofactor = frz_m3_cofactor(f);
    const frz_mat3 d_strain = frz_m3_symmetric(frz_m3_mul(frz_m3_transpose(f), df));
    frz_mat3 dp = frz_m3_mul(df, point->memo);
    dp = frz_m3_add(dp, frz_m3_mul(f, frz_strain_stress(elastic, d_strain)));
    dp = frz_m3_mad(dp, point->terms[0], frz_m3_cross(f, df));
    return frz_m3_mad(dp, point->terms[1] * frz_m3_dot(cofactor, df), cofactor);
}

const frz_law frz_law_st_venant_kirchhoff = {
    .key = "st_venant_kirchhoff",
    .doc =
        "Linear in the Green strain: any rotation, moderate stretch; softens when pressed below a stretch of 0.58, and "
        "a bar pulled to sqrt(1 + 1/nu) has no thickness left.",
    .equation = "mu |E|^2 + lambda/2 tr(E)^2, E = (F^T F - I)/2",
    .inverted = "plus (lambda + 2 mu) t (1 - J/t)^3 for J below the threshold t, or the mirror image would be at rest",
    .cite = "Khadke (thesis), eq. 13; Bonet & Wood 2008, doi:10.1017/CBO9780511755446",
    .params = svk_params,
    .least_poisson = -1.0,
    .evaluate = svk_evaluate,
    .tangent = svk_tangent,
};
