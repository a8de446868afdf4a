// SPDX-License-Identifier: MIT
// Plain SPH on the total displacement: Solenthaler, Schlaefli & Pajarola 2007. The gradient is not corrected, so that
// it is wrong near surfaces, and a rotation is felt as a strain there: for the comparison with becker2009.
//
//   eps = (J^T J - I) / 2,  J = I + H;   the factor 2 of its eq. 12 belongs to a strain without the 1/2
#include "physics/elastic/elastic_corotated.h"
#include "physics/elastic/elastic_method.h"

typedef struct solenthaler
{
    frz_elastic_params common;
} solenthaler;

static const frz_param solenthaler_params[] = {
    FRZ_ELASTIC_PARAM_YOUNG(solenthaler),
    FRZ_ELASTIC_PARAM_REST(solenthaler),
    {0},
};

static const frz_elastic_linear solenthaler_linear = {.weight = FRZ_BOND_GRADIENT, .green = true};

static frz_status solenthaler_prepare(const frz_model *model, frz_state *state, const frz_instance *instance, double dt,
                                      frz_diag *diag)
{
    (void)dt;
    return frz_elastic_linear_prepare(model, state, instance, &solenthaler_linear, diag);
}

static frz_status solenthaler_force(const frz_model *model, frz_state *state, const frz_instance *instance, double dt,
                                    frz_diag *diag)
{
    return frz_elastic_linear_force(model, state, instance, &solenthaler_linear, dt, diag);
}

static frz_status solenthaler_energy(const frz_model *model, frz_state *state, const frz_instance *instance,
                                     double *energy, frz_diag *diag)
{
    return frz_elastic_linear_energy(model, state, instance, &solenthaler_linear, energy, diag);
}

const frz_method frz_method_elastic_solenthaler2007 = {
    .key = "solenthaler2007",
    .slot = FRZ_SLOT_ELASTIC,
    .doc = "Plain SPH without correction or rotation, explicit: for comparison; surfaces distort when the body turns.",
    .cite = "Solenthaler, Schlaefli & Pajarola 2007, doi:10.1002/cav.162",
    .self_size = sizeof(solenthaler),
    .params = solenthaler_params,
    .run = {[FRZ_STAGE_PREPARE] = solenthaler_prepare, [FRZ_STAGE_FORCE] = solenthaler_force},
    .max_dt = frz_elastic_max_dt,
    .energy = solenthaler_energy,
    .check = frz_elastic_check,
    .exempt = {[FRZ_CONFORMANCE_ROTATION] = "without correction a rotation strains the surface"},
};
