// SPDX-License-Identifier: MIT
// Total Lagrangian SPH: kernel gradients of the undeformed state, corrected (Bonet & Lok 1999), with any constitutive
// law and zero-energy control after Ganzenmueller 2015. See solid/elastic_sweeps.h for the equations.
#include "physics/elastic/elastic_hyperelastic.h"

static const frz_param tlsph_params[] = {
    FRZ_ELASTIC_PARAM_YOUNG(frz_elastic_hyperelastic),
    FRZ_ELASTIC_PARAM_LAW,
    FRZ_ELASTIC_PARAM_ZERO_ENERGY(frz_elastic_hyperelastic),
    FRZ_ELASTIC_PARAM_REST(frz_elastic_hyperelastic),
    {0},
};

static const frz_field_decl tlsph_fields[] = {FRZ_ELASTIC_ROTATION_FIELD, FRZ_ELASTIC_STIFFENING_FIELD, {0}};

static frz_status tlsph_prepare(const frz_model *model, frz_state *state, const frz_instance *instance, double dt,
                                frz_diag *diag)
{
    (void)dt;
    return frz_elastic_hyperelastic_prepare(model, state, instance, FRZ_BOND_GRADIENT, diag);
}

static frz_status tlsph_force(const frz_model *model, frz_state *state, const frz_instance *instance, double dt,
                              frz_diag *diag)
{
    return frz_elastic_hyperelastic_force(model, state, instance, dt, diag);
}

static frz_status tlsph_energy(const frz_model *model, frz_state *state, const frz_instance *instance, double *energy,
                               frz_diag *diag)
{
    return frz_elastic_hyperelastic_energy(model, state, instance, true, energy, diag);
}

const frz_method frz_method_elastic_tlsph = {
    .key = "tlsph",
    .slot = FRZ_SLOT_ELASTIC,
    .traits = FRZ_TRAIT_PLASTIC_FLOW | FRZ_TRAIT_ANY_LAW,
    .doc = "Total Lagrangian SPH with corrected gradients, any constitutive law and zero-energy control, explicit.",
    .cite = "Ganzenmueller 2015, doi:10.1016/j.cma.2014.12.005; Bonet & Lok 1999, doi:10.1016/S0045-7825(99)00051-1",
    .self_size = sizeof(frz_elastic_hyperelastic),
    .params = tlsph_params,
    .fields = tlsph_fields,
    .run = {[FRZ_STAGE_PREPARE] = tlsph_prepare, [FRZ_STAGE_FORCE] = tlsph_force},
    .max_dt = frz_elastic_hyperelastic_max_dt,
    .energy = tlsph_energy,
    .check = frz_elastic_hyperelastic_check,
};
