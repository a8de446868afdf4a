// SPDX-License-Identifier: MIT
// Plastic flow for the elastic methods: the parameters that a method of the slot `plastic` has for a material, and its
// fields per particle.
#pragma once

#include "law/plastic.h"
#include "sim/state.h"

/// The flow of a material within a step; the elastic method calls it with every particle's deformation gradient.
typedef struct frz_plastic_use
{
    frz_plastic_multiplicative plastic;
    double dt;                    ///< 0: the plastic deformation stays constant
    frz_v4 *row[3];               ///< by slot: rows of Fp^-1 - I, so that zeros mean no plastic deformation
    frz_real *hardened;           ///< by slot: equivalent plastic strain; null: the material does not flow
    const int32_t *slot;          ///< by number
    frz_relative_stress relative; ///< of yield stress and hardening
    frz_real *heat;               ///< by slot: energy that becomes heat, J; null: it is lost
    double cell;                  ///< volume of a particle, m^d
} frz_plastic_use;

/// The flow of all materials, from the scratch arena; null when memory is short.
frz_plastic_use *frz_plastic_uses(const frz_model *model, frz_state *state, double dt);

/// That of one material; null if it does not flow. uses may be null: nothing does.
static inline const frz_plastic_use *frz_plastic_use_of(const frz_plastic_use *uses, int material)
{
    return uses != NULL && uses[material].hardened != NULL ? &uses[material] : NULL;
}

/// How much stiffer than at rest the most deformed particle of a material is, seen from the undeformed state: the
/// square of the norm of Fp^-1, or a little more; 1 if the material does not flow.
double frz_plastic_stiffening(const frz_model *model, const frz_state *state, int material);

/// Let particle number e flow at the deformation gradient f; returns Fp^-1. Particles that are gone do not flow.
frz_mat3 frz_plastic_use_flow(const frz_plastic_use *use, const frz_elastic *elastic, frz_mat3 f, int e);
