// SPDX-License-Identifier: MIT
// Any constitutive law of src/law as the material of the sweeps, particle by particle in double precision. For tlsph
// and zhou2013, which differ in the weights of the bonds.
#pragma once

#include "physics/elastic/elastic_implicit.h"
#include "physics/elastic/elastic_method.h"
#include "physics/plastic/plastic_added.h"
#include "physics/plastic/plastic_flow.h"

/// Parameters of a method that lets the user choose the law.
typedef struct frz_elastic_hyperelastic
{
    frz_elastic_params common;
    int law; ///< index into frz_laws
} frz_elastic_hyperelastic;

extern const char *const frz_elastic_law_words[]; ///< keys of frz_laws

/// Reason why methods of material points are exempt from rotations and translations in the conformance suite; test_mpm
/// has motions that take nodes to nodes.
#define FRZ_MPM_FIXED_NODES                                                                                            \
    "the nodes of the grid stay where they are: a motion that does not take nodes to nodes changes the weights"

enum
{
    FRZ_ELASTIC_LAW_DEFAULT = 3 ///< neo_hookean_log
};

#define FRZ_ELASTIC_PARAM_LAW                                                                                          \
    {                                                                                                                  \
        "law", "constitutive law", FRZ_PARAM_WORD, offsetof(frz_elastic_hyperelastic, law), FRZ_ELASTIC_LAW_DEFAULT,   \
            0, 0, "", frz_elastic_law_words                                                                            \
    }

/// The material that these parameters describe.
FRZ_NODISCARD frz_status frz_elastic_hyperelastic_material(const frz_model *model, const frz_instance *instance,
                                                           frz_elastic *elastic, frz_diag *diag);

/// A frz_method_check_fn.
frz_status frz_elastic_hyperelastic_check(const frz_model *model, const frz_instance *instance, frz_diag *diag);

/// The method's second field, behind the rotations.
#define FRZ_ELASTIC_STIFFENING_FIELD                                                                                   \
    {                                                                                                                  \
        "stiffening", 1, "", FRZ_FIELD_SAVE | FRZ_FIELD_SORT | FRZ_FIELD_RESET,                                        \
            "modulus of the fastest wave on top of the deformation, over that at rest; elastic method"                 \
    }

/// Of a frz_energy_fn.
FRZ_NODISCARD frz_status frz_elastic_hyperelastic_energy(const frz_model *model, frz_state *state,
                                                         const frz_instance *instance, bool is_explicit, double *energy,
                                                         frz_diag *diag);
/// A frz_max_dt_fn: the limit by the highest frequency at rest, shorter where the law has stiffened since.
double frz_elastic_hyperelastic_max_dt(const frz_model *model, const frz_state *state, const frz_instance *instance);

/// The stages.
FRZ_NODISCARD frz_status frz_elastic_hyperelastic_prepare(const frz_model *model, frz_state *state,
                                                          const frz_instance *instance, frz_bond_weight weight,
                                                          frz_diag *diag);
FRZ_NODISCARD frz_status frz_elastic_hyperelastic_force(const frz_model *model, frz_state *state,
                                                        const frz_instance *instance, double dt, frz_diag *diag);

/// The velocity stage of an implicit method.
FRZ_NODISCARD frz_status frz_elastic_hyperelastic_velocity(const frz_model *model, frz_state *state,
                                                           const frz_instance *instance,
                                                           const frz_elastic_step_params *step, double dt,
                                                           frz_diag *diag);

/// A material of a law for frz_elastic_use.
typedef struct frz_elastic_law_material
{
    frz_elastic elastic;
    frz_v4 *rotation;               ///< by number: quaternion (x, y, z, w), a first guess for laws that use it
    const frz_plastic_use *flows;   ///< of all materials; null: nothing flows
    const frz_plastic_added *adds;  ///< the same for strains that add
    const frz_plastic_use *plastic; ///< of this material; null: it does not flow
    const frz_plastic_added *added; ///< the same for strains that add, of a law that is linear in one of this kind
    frz_strain_kind kind;
    frz_law_point *points; ///< by number, out: for the tangent; null: not wanted
    frz_real *stiffening;  ///< by number, out: FRZ_ELASTIC_STIFFENING_FIELD; null: not wanted
} frz_elastic_law_material;

/// A frz_elastic_stress_fn; context is a frz_elastic_law_material.
void frz_elastic_law_stress(const void *context, frz_elastic_chunk *chunk);
/// The change of that stress for a change of the gradient, about its stored points.
void frz_elastic_law_tangent(const void *context, frz_elastic_chunk *chunk);
