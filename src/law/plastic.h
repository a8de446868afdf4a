// SPDX-License-Identifier: MIT
// Plastic flow as pure functions: the permanent part of a deformation. Two models: strains that add (small to moderate
// deformation) and deformation gradients that multiply (any deformation). Both yield by von Mises' criterion and keep
// the volume.
#pragma once

#include "law/law.h"

/// Result of one call.
typedef struct frz_plastic_flow
{
    double amount; ///< equivalent plastic strain that was added; 0: elastic
    double work;   ///< elastic energy dissipated by the flow, J per m^3 of rest volume; never negative
} frz_plastic_flow;

/// sqrt(3/2) |deviator of stress|
double frz_plastic_von_mises(frz_mat3 stress);

// ---- added strains: O'Brien, Bargteil & Hodgins 2002, as used by Solenthaler, Schlaefli & Pajarola 2007

typedef struct frz_plastic_additive
{
    double yield_stress;  ///< von Mises stress at which the material flows, Pa
    double plastic_limit; ///< largest |plastic strain| (Frobenius norm); HUGE_VAL: none
    double creep_rate;    ///< how fast the excess relaxes, 1/s; 0: at once
} frz_plastic_additive;

/// Rejects invalid parameters.
FRZ_NODISCARD frz_status frz_plastic_additive_check(const frz_plastic_additive *plastic, frz_diag *diag);

/// Norm of the deviatoric elastic strain at which the yield stress is reached: gamma_1 of the paper.
double frz_plastic_elastic_limit(const frz_plastic_additive *plastic, const frz_elastic *elastic);

/// The elastic strain is strain - *plastic_strain, and the stress linear in it (law/strain.h). If it is beyond yield,
/// move *plastic_strain (symmetric, without trace) for dt seconds.
frz_plastic_flow frz_plastic_additive_flow(const frz_plastic_additive *plastic, const frz_elastic *elastic,
                                           frz_mat3 strain, double dt, frz_mat3 *plastic_strain);

// ---- multiplied gradients: Bargteil et al. 2007 (Khadke, sec. 2), F = Fe Fp

typedef struct frz_plastic_multiplicative
{
    double yield_stress; ///< von Mises stress (of the Cauchy stress) at which the unhardened material flows, Pa
    double hardening;    ///< growth of the yield stress per equivalent plastic strain, Pa
    double creep_rate;   ///< how fast the excess relaxes, 1/s; HUGE_VAL: at once
} frz_plastic_multiplicative;

typedef struct frz_plastic_state
{
    frz_mat3 inverse; ///< Fp^-1, with determinant 1: Fe = F Fp^-1
    double hardened;  ///< equivalent plastic strain so far
} frz_plastic_state;

static inline frz_plastic_state frz_plastic_state_virgin(void)
{
    const frz_plastic_state state = {.inverse = frz_m3_identity()};
    return state;
}

/// Rejects invalid parameters, and those that contradict the material.
FRZ_NODISCARD frz_status frz_plastic_multiplicative_check(const frz_plastic_multiplicative *plastic,
                                                          const frz_elastic *elastic, frz_diag *diag);

/// Let the material flow for dt seconds at the deformation gradient f.
frz_plastic_flow frz_plastic_multiplicative_flow(const frz_plastic_multiplicative *plastic, const frz_elastic *elastic,
                                                 frz_mat3 f, double dt, frz_plastic_state *state);
