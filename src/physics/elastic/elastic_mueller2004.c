// SPDX-License-Identifier: MIT
// Corotated moving least squares: the gradient of Mueller et al. 2004 (eq. 12-14: a fit of the neighbours'
// displacements weighted with the kernel) in the turning frame of Becker 2009, whose comparison this is. The weights
// are the only difference to becker2009 with correction: kernel values here, kernel slopes there.
#include "physics/elastic/elastic_corotated.h"
#include "physics/elastic/elastic_method.h"

typedef struct mueller
{
    frz_elastic_params common;
} mueller;

static const frz_param mueller_params[] = {
    FRZ_ELASTIC_PARAM_YOUNG(mueller),
    FRZ_ELASTIC_PARAM_ZERO_ENERGY(mueller),
    FRZ_ELASTIC_PARAM_REST(mueller),
    {0},
};

static const frz_field_decl mueller_fields[] = {FRZ_ELASTIC_ROTATION_FIELD, {0}};

static const frz_elastic_linear mueller_linear = {.weight = FRZ_BOND_KERNEL, .correction = true, .turning = true};

static frz_status mueller_prepare(const frz_model *model, frz_state *state, const frz_instance *instance, double dt,
                                  frz_diag *diag)
{
    (void)dt;
    return frz_elastic_linear_prepare(model, state, instance, &mueller_linear, diag);
}

static frz_status mueller_force(const frz_model *model, frz_state *state, const frz_instance *instance, double dt,
                                frz_diag *diag)
{
    return frz_elastic_linear_force(model, state, instance, &mueller_linear, dt, diag);
}

static frz_status mueller_energy(const frz_model *model, frz_state *state, const frz_instance *instance, double *energy,
                                 frz_diag *diag)
{
    return frz_elastic_linear_energy(model, state, instance, &mueller_linear, energy, diag);
}

const frz_method frz_method_elastic_mueller2004 = {
    .key = "mueller2004",
    .slot = FRZ_SLOT_ELASTIC,
    .doc = "Corotated moving least squares, explicit: as becker2009, with kernel values as weights.",
    .cite = "Mueller, Keiser, Nealen, Pauly, Gross & Alexa 2004, doi:10.1145/1028523.1028542",
    .self_size = sizeof(mueller),
    .params = mueller_params,
    .fields = mueller_fields,
    .run = {[FRZ_STAGE_PREPARE] = mueller_prepare, [FRZ_STAGE_FORCE] = mueller_force},
    .max_dt = frz_elastic_max_dt,
    .energy = mueller_energy,
    .check = frz_elastic_check,
};
