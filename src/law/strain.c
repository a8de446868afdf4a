// SPDX-License-Identifier: MIT
#include "law/strain.h"

frz_mat3 frz_strain_of(frz_strain_kind kind, frz_mat3 f, frz_mat3 r)
{
    switch (kind)
    {
    case FRZ_STRAIN_SMALL:
        return frz_m3_sub(frz_m3_symmetric(f), frz_m3_identity());
    case FRZ_STRAIN_COROTATED:
        return frz_m3_sub(frz_m3_symmetric(frz_m3_mul(frz_m3_transpose(r), f)), frz_m3_identity());
    default:
        return frz_m3_scale(0.5, frz_m3_sub(frz_m3_mul(frz_m3_transpose(f), f), frz_m3_identity()));
    }
}

frz_mat3 frz_strain_piola(const frz_elastic *elastic, frz_strain_kind kind, frz_mat3 strain, frz_mat3 f, frz_mat3 r)
{
    const frz_mat3 stress = frz_strain_stress(elastic, strain);
    switch (kind)
    {
    case FRZ_STRAIN_SMALL:
        return stress;
    case FRZ_STRAIN_COROTATED:
        return frz_m3_mul(r, stress);
    default:
        return frz_m3_mul(f, stress);
    }
}
