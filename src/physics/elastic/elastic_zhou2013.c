// SPDX-License-Identifier: MIT
// Least-squares deformation gradients: Khadke's thesis after Zhou et al. 2013. F is the fit of the neighbours' places
// with kernel weights, F = (sum w q p^T) (sum w p p^T)^-1 (eq. 4, whose norm is squared), the force the derivative of
// the energy (eq. 6, with the material and a volume that it leaves out).
//
// Implicit steps are Newton's method on the same forces (elastic_implicit.h), with the law's own tangent. It has the
// stiffness of stressed parts that turn, which may be negative: a step too long for the solver then is tried again at
// half its length. Plastic bodies flow at the place where a step finds them, and keep their plastic strain within it.
#include <math.h>

#include "physics/elastic/elastic_hyperelastic.h"

typedef struct zhou2013
{
    frz_elastic_hyperelastic lawful;
    int integration; // 0 explicit, 1 implicit
    frz_elastic_step_params step;
} zhou2013;

static const char *const integrations[] = {"explicit", "implicit", NULL};

static const frz_param zhou2013_params[] = {
    FRZ_ELASTIC_PARAM_YOUNG(frz_elastic_hyperelastic),
    FRZ_ELASTIC_PARAM_LAW,
    FRZ_ELASTIC_PARAM_ZERO_ENERGY(frz_elastic_hyperelastic),
    {"integration", "explicit: small cheap steps; implicit: steps as long as the motion allows", FRZ_PARAM_WORD,
     offsetof(zhou2013, integration), 0, 0, 0, "", integrations},
    FRZ_ELASTIC_PARAM_STEP(zhou2013),
    FRZ_ELASTIC_PARAM_REST(frz_elastic_hyperelastic),
    {0},
};

static const frz_field_decl zhou2013_fields[] = {FRZ_ELASTIC_IMPLICIT_FIELDS, FRZ_ELASTIC_STIFFENING_FIELD, {0}};

static bool is_implicit(const frz_instance *instance)
{
    const zhou2013 *self = instance->self;
    return self->integration == 1;
}

static frz_status zhou2013_prepare(const frz_model *model, frz_state *state, const frz_instance *instance, double dt,
                                   frz_diag *diag)
{
    (void)dt;
    return frz_elastic_hyperelastic_prepare(model, state, instance, FRZ_BOND_KERNEL, diag);
}

static frz_status zhou2013_force(const frz_model *model, frz_state *state, const frz_instance *instance, double dt,
                                 frz_diag *diag)
{
    return is_implicit(instance) ? FRZ_OK : frz_elastic_hyperelastic_force(model, state, instance, dt, diag);
}

static frz_status zhou2013_velocity(const frz_model *model, frz_state *state, const frz_instance *instance, double dt,
                                    frz_diag *diag)
{
    const zhou2013 *self = instance->self;
    return is_implicit(instance) ? frz_elastic_hyperelastic_velocity(model, state, instance, &self->step, dt, diag)
                                 : FRZ_OK;
}

static double zhou2013_max_dt(const frz_model *model, const frz_state *state, const frz_instance *instance)
{
    return is_implicit(instance) ? HUGE_VAL : frz_elastic_hyperelastic_max_dt(model, state, instance);
}

static frz_status zhou2013_energy(const frz_model *model, frz_state *state, const frz_instance *instance,
                                  double *energy, frz_diag *diag)
{
    return frz_elastic_hyperelastic_energy(model, state, instance, !is_implicit(instance), energy, diag);
}

static bool zhou2013_mixes(const void *self, const void *other)
{
    return ((const zhou2013 *)self)->integration == ((const zhou2013 *)other)->integration;
}

const frz_method frz_method_elastic_zhou2013 = {
    .key = "zhou2013",
    .slot = FRZ_SLOT_ELASTIC,
    .traits = FRZ_TRAIT_PLASTIC_FLOW | FRZ_TRAIT_ANY_LAW,
    .doc = "Least-squares deformation gradients with kernel weights, any constitutive law; explicit or implicit.",
    .cite = "Zhou, Lun, Kalogerakis & Wang 2013, Pacific Graphics; Khadke (thesis), eqs. 4-6",
    .self_size = sizeof(zhou2013),
    .params = zhou2013_params,
    .fields = zhou2013_fields,
    .run = {[FRZ_STAGE_PREPARE] = zhou2013_prepare,
            [FRZ_STAGE_FORCE] = zhou2013_force,
            [FRZ_STAGE_VELOCITY] = zhou2013_velocity},
    .max_dt = zhou2013_max_dt,
    .energy = zhou2013_energy,
    .mixes = zhou2013_mixes,
    .check = frz_elastic_hyperelastic_check,
};
