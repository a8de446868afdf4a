// SPDX-License-Identifier: MIT
// Strains and the linear stress on them, for the laws and the plasticity that add strains.
#pragma once

#include "law/law.h"

/// Which strain a solid measures.
typedef enum frz_strain_kind
{
    FRZ_STRAIN_SMALL,     ///< (F + F^T)/2 - I
    FRZ_STRAIN_COROTATED, ///< R^T F - I
    FRZ_STRAIN_GREEN      ///< (F^T F - I)/2
} frz_strain_kind;

/// 2 mu e + lambda tr(e) I
static inline frz_mat3 frz_strain_stress(const frz_elastic *elastic, frz_mat3 strain)
{
    return frz_m3_mad(frz_m3_scale(2.0 * elastic->mu, strain), elastic->lambda * frz_m3_trace(strain),
                      frz_m3_identity());
}

/// The strain of F; r is the rotation of F, read for the corotated strain only.
frz_mat3 frz_strain_of(frz_strain_kind kind, frz_mat3 f, frz_mat3 r);

/// First Piola-Kirchhoff stress of a linear material with the given elastic strain, in the measure of kind.
frz_mat3 frz_strain_piola(const frz_elastic *elastic, frz_strain_kind kind, frz_mat3 strain, frz_mat3 f, frz_mat3 r);
