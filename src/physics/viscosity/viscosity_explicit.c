// SPDX-License-Identifier: MIT
#include "physics/viscosity/viscosity_explicit.h"

#include <math.h>

const frz_param frz_explicit_viscosity_params[] = {
    {"viscosity", "dynamic viscosity", FRZ_PARAM_REAL, offsetof(frz_explicit_viscosity, viscosity), 1.0e-3, 0.0, 1.0e6,
     "Pa s"},
    {"slip", "let the liquid slide along walls without friction", FRZ_PARAM_BOOL,
     offsetof(frz_explicit_viscosity, slip), 0, 0, 1, ""},
    {0},
};

static const double stability = 0.125;

void frz_explicit_viscosity_by_material(const frz_model *model, const frz_method *method, frz_real *mu)
{
    for (int m = 0; m < model->material_count; ++m)
    {
        const frz_instance *other = frz_model_method(model, FRZ_SLOT_VISCOSITY, m);
        const bool ours = other != NULL && other->method == method;
        mu[m] = ours ? (frz_real)((const frz_explicit_viscosity *)other->self)->viscosity : 0;
    }
}

double frz_explicit_viscosity_max_dt(const frz_model *model, const frz_state *state, const frz_instance *instance)
{
    (void)state;
    const double mu = ((const frz_explicit_viscosity *)instance->self)->viscosity;
    const double density = model->materials[instance->material].density;
    return mu > 0.0 ? stability * density * model->spacing * model->spacing / mu : HUGE_VAL;
}
