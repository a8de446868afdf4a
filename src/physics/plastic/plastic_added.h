// SPDX-License-Identifier: MIT
// Plastic strain that adds to the elastic one, for the elastic methods: the parameters of obrien2002 for a material,
// and its fields per particle. The strain is that of the method (small, corotated or Green's), in the axes of the
// undeformed body.
#pragma once

#include "law/plastic.h"
#include "law/strain.h"
#include "sim/state.h"

typedef struct frz_plastic_added
{
    frz_plastic_additive plastic;
    double dt;
    bool flows;                   ///< else the plastic strain stays constant
    frz_v4 *diagonal;             ///< by slot: xx, yy, zz of the plastic strain
    frz_v4 *shear;                ///< by slot: yz, zx, xy
    frz_real *amount;             ///< by slot: equivalent plastic strain so far; null: the material has none
    const int32_t *slot;          ///< by number
    frz_relative_stress relative; ///< of the yield stress
    frz_real *heat;               ///< by slot: energy that becomes heat, J; null: it is lost
    double cell;                  ///< volume of a particle, m^d
} frz_plastic_added;

/// The plastic strains of all materials, from the scratch arena; null when memory is short. dt 0: plastic strains stay
/// constant.
frz_plastic_added *frz_plastic_added_all(const frz_model *model, frz_state *state, double dt);

/// That of one material; null if it has no such plasticity. all may be null: none has.
static inline const frz_plastic_added *frz_plastic_added_of(const frz_plastic_added *all, int material)
{
    return all != NULL && all[material].amount != NULL ? &all[material] : NULL;
}

/// The plastic strain of particle number e, after it has flown at the given strain if it does. elastic: Lame's
/// constants are read.
frz_mat3 frz_plastic_added_strain(const frz_plastic_added *use, const frz_elastic *elastic, frz_mat3 strain, int e);

/// The strain in which the law is linear; false if there is none.
bool frz_plastic_added_kind(const frz_law *law, frz_strain_kind *kind);
