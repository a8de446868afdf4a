// SPDX-License-Identifier: MIT
// Least-squares deformation gradients: Khadke's thesis after Zhou et al. 2013. F is the fit of the neighbours' places with
// kernel weights, F = (sum w q p^T) (sum w p p^T)^-1 (eq. 4, whose norm is squared), the force the derivative of the energy
// (eq. 6, with the material and a volume that it leaves out).
#include "physics/elastic/elastic_lawful.h"

static const frz_param zhou2013_params[] = {
    FRZ_ELASTIC_PARAM_YOUNG(frz_elastic_lawful),
    FRZ_ELASTIC_PARAM_LAW,
    FRZ_ELASTIC_PARAM_ZERO_ENERGY(frz_elastic_lawful),
    FRZ_ELASTIC_PARAM_REST(frz_elastic_lawful),
    {0},
};

static const frz_field_decl zhou2013_fields[] = {FRZ_ELASTIC_ROTATION_FIELD, FRZ_ELASTIC_STIFFENING_FIELD, {0}};

static frz_status zhou2013_prepare(const frz_model *model, frz_state *state, const frz_instance *instance, double dt,
                                   frz_diag *diag)
{
    (void)dt;
    return frz_elastic_lawful_prepare(model, state, instance, FRZ_BOND_KERNEL, diag);
}

static frz_status zhou2013_force(const frz_model *model, frz_state *state, const frz_instance *instance, double dt,
                                 frz_diag *diag)
{
    return frz_elastic_lawful_force(model, state, instance, dt, diag);
}

const frz_method frz_method_elastic_zhou2013 = {
    .key = "zhou2013",
    .slot = FRZ_SLOT_ELASTIC,
    .doc = "Least-squares deformation gradients with kernel weights, any constitutive law, explicit.",
    .cite = "Zhou, Lun, Kalogerakis & Wang 2013, Pacific Graphics; Khadke (thesis), eqs. 4-6",
    .self_size = sizeof(frz_elastic_lawful),
    .params = zhou2013_params,
    .fields = zhou2013_fields,
    .run = {[FRZ_STAGE_PREPARE] = zhou2013_prepare, [FRZ_STAGE_FORCE] = zhou2013_force},
    .max_dt = frz_elastic_lawful_max_dt,
    .check = frz_elastic_lawful_check,
};
