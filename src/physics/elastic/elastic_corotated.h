// SPDX-License-Identifier: MIT
// Linear elasticity in the frame of the nearest rotation, eight particles at once. For becker2009, mueller2004 and,
// without rotation, solenthaler2007.
#pragma once

#include "physics/elastic/elastic_method.h"
#include "physics/plastic/plastic_added.h"

typedef struct frz_elastic_corotated
{
    double lambda, mu;               ///< Lame's constants (of plane stress if chosen), Pa
    bool green;                      ///< Green's strain in the turned frame, else the linear one
    const frz_bond_matrices *moment; ///< without correction: A, which takes the place of I; else null
    frz_v4 *rotation;  ///< by number: quaternion (x, y, z, w); of the last step, then of this one. Null: no rotation
    frz_real *back[9]; ///< by number: rows of Fp^-1 (with correction); null: no plastic flow
    const frz_plastic_added *adds;  ///< plastic strains of all materials; null: none
    const frz_plastic_added *added; ///< of this material: subtracted from the strain; null: none
} frz_elastic_corotated;

/// A frz_elastic_stress_fn; context is a frz_elastic_corotated.
void frz_elastic_corotated_stress(const void *context, frz_elastic_chunk *chunk);

/// The change of that stress (linear strain) for a change of the gradient, the rotations staying as they are: linear.
void frz_elastic_corotated_tangent(const void *context, frz_elastic_chunk *chunk);

/// A frz_elastic_adapt_fn.
frz_status frz_elastic_corotated_adapt(const frz_model *model, const frz_instance *instance, void *context,
                                       frz_elastic_use *use, frz_diag *diag);

/// Options of a method of this family. One with rotations (turning) has FRZ_ELASTIC_ROTATION_FIELD as its first field.
typedef struct frz_elastic_linear
{
    frz_bond_weight weight;
    bool correction;
    bool green;
    bool turning;
} frz_elastic_linear;

/// The stages of such a method.
FRZ_NODISCARD frz_status frz_elastic_linear_prepare(const frz_model *model, frz_state *state,
                                                    const frz_instance *instance, const frz_elastic_linear *linear,
                                                    frz_diag *diag);
FRZ_NODISCARD frz_status frz_elastic_linear_force(const frz_model *model, frz_state *state,
                                                  const frz_instance *instance, const frz_elastic_linear *linear,
                                                  double dt, frz_diag *diag);
FRZ_NODISCARD frz_status frz_elastic_linear_energy(const frz_model *model, frz_state *state,
                                                   const frz_instance *instance, const frz_elastic_linear *linear,
                                                   double *energy, frz_diag *diag);
