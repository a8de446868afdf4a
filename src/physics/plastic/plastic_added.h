// SPDX-License-Identifier: MIT
// Plastic strain that adds to the elastic one, as the elastic methods see it: what obrien2002 says about a material,
// and what it keeps per particle. The strain is that of the method (small, corotated or Green's), in the axes of the
// undeformed body.
#pragma once

#include "law/plastic.h"
#include "law/strain.h"
#include "sim/state.h"

typedef struct frz_plastic_added
{
    frz_plastic_additive plastic;
    double dt;
    bool flows;                   ///< else what has flown stays as it is
    frz_v4 *diagonal;             ///< by slot: xx, yy, zz of the plastic strain
    frz_v4 *shear;                ///< by slot: yz, zx, xy
    frz_real *amount;             ///< by slot: equivalent plastic strain so far
    const int32_t *slot;          ///< by number
    frz_relative_stress relative; ///< of the yield stress
    frz_real *heat;               ///< by slot: energy that becomes heat, J; null: it is lost
    double cell;                  ///< volume of a particle, m^d
} frz_plastic_added;

/// False if the material has no such plasticity. dt 0: what has flown stays as it is.
bool frz_plastic_added_of(const frz_model *model, const frz_state *state, int material, double dt,
                          frz_plastic_added *use);

/// The plastic strain of particle number e, after it has flown at the given strain if it does. elastic: Lame's
/// constants are read.
frz_mat3 frz_plastic_added_strain(const frz_plastic_added *use, const frz_elastic *elastic, frz_mat3 strain, int e);

/// Which strain the law is linear in; false if it is not linear in any.
bool frz_plastic_added_kind(const frz_law *law, frz_strain_kind *kind);
