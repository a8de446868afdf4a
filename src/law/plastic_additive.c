// SPDX-License-Identifier: MIT
// Plastic strain that adds to the elastic one.
#include "law/plastic.h"

double frz_plastic_von_mises(frz_mat3 stress)
{
    return sqrt(1.5) * frz_m3_norm(frz_m3_deviator(stress));
}

frz_status frz_plastic_additive_check(const frz_plastic_additive *plastic, frz_diag *diag)
{
    if (!(plastic->yield_stress >= 0.0))
        return frz_fail(diag, FRZ_ERR_SCENE, "the yield stress must not be negative, but is %g Pa",
                        plastic->yield_stress);
    if (!(plastic->plastic_limit >= 0.0))
        return frz_fail(diag, FRZ_ERR_SCENE, "the plastic limit must not be negative, but is %g",
                        plastic->plastic_limit);
    if (!(plastic->creep_rate >= 0.0))
        return frz_fail(diag, FRZ_ERR_SCENE, "the creep rate must not be negative, but is %g 1/s", plastic->creep_rate);
    return FRZ_OK;
}

double frz_plastic_elastic_limit(const frz_plastic_additive *plastic, const frz_elastic *elastic)
{
    return plastic->yield_stress / (sqrt(6.0) * elastic->mu); // the deviatoric stress is 2 mu times the strain
}

frz_plastic_flow frz_plastic_additive_flow(const frz_plastic_additive *plastic, const frz_elastic *elastic,
                                           frz_mat3 strain, double dt, frz_mat3 *plastic_strain)
{
    const frz_mat3 before = frz_m3_deviator(frz_m3_sub(strain, *plastic_strain));
    const double norm = frz_m3_norm(before), limit = frz_plastic_elastic_limit(plastic, elastic);
    if (!(norm > limit))
        return (frz_plastic_flow){0};
    // O'Brien et al. 2002: back to the yield surface, or with creep the part of the way that the time allows, then into
    // the ball of the plastic limit. The ball is convex and holds the old strain, so that the step never points against
    // the stress: work is not negative.
    const double part = plastic->creep_rate > 0.0 ? -expm1(-plastic->creep_rate * dt) : 1.0;
    frz_mat3 moved = frz_m3_mad(*plastic_strain, part * (1.0 - limit / norm), before);
    const double size = frz_m3_norm(moved);
    if (size > plastic->plastic_limit)
        moved = frz_m3_scale(plastic->plastic_limit / size, moved);
    const frz_mat3 step = frz_m3_sub(moved, *plastic_strain);
    *plastic_strain = moved;
    // mu (|before|^2 - |before - step|^2), without the difference of large numbers
    const double work = elastic->mu * (2.0 * frz_m3_dot(before, step) - frz_m3_dot(step, step));
    return (frz_plastic_flow){.amount = sqrt(2.0 / 3.0) * frz_m3_norm(step), .work = fmax(work, 0.0)};
}
