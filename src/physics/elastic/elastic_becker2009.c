// SPDX-License-Identifier: MIT
// Corotated SPH: Becker, Ihmsen & Teschner 2009. The gradient of the displacement is taken in a frame that turns with
// each particle's neighbourhood, so that linear elasticity bears any rotation.
//
// Differences from the paper:
//   - Its eq. 16 takes the mean of both particles' forces, which halves the stiffness; the derivative of the energy is
//     the sum.
//   - The gradient is corrected (exact for affine maps) unless that is switched off; then it is the paper's.
//   - The rotation is that of the gradient itself, not of a second moment matrix with kernel weights.
#include "physics/elastic/elastic_corotated.h"
#include "physics/elastic/elastic_method.h"

typedef struct becker
{
    frz_elastic_params common;
    bool correction;
    int strain;
} becker;

static const char *const strains[] = {"linear", "green", NULL};

static const frz_param becker_params[] = {
    FRZ_ELASTIC_PARAM_YOUNG(becker),
    {"strain", "strain in the turned frame", FRZ_PARAM_WORD, offsetof(becker, strain), 0, 0, 0, "", strains},
    {"correction", "correct the gradient, so that affine maps are exact", FRZ_PARAM_BOOL, offsetof(becker, correction),
     1, 0, 1, ""},
    FRZ_ELASTIC_PARAM_ZERO_ENERGY(becker),
    FRZ_ELASTIC_PARAM_REST(becker),
    {0},
};

static const frz_field_decl becker_fields[] = {FRZ_ELASTIC_ROTATION_FIELD, {0}};

static frz_elastic_linear linear_of(const becker *self)
{
    return (frz_elastic_linear){
        .weight = FRZ_BOND_GRADIENT, .correction = self->correction, .green = self->strain == 1, .turning = true};
}

static frz_status becker_prepare(const frz_model *model, frz_state *state, const frz_instance *instance, double dt,
                                 frz_diag *diag)
{
    (void)dt;
    const frz_elastic_linear linear = linear_of(instance->self);
    return frz_elastic_linear_prepare(model, state, instance, &linear, diag);
}

static frz_status becker_force(const frz_model *model, frz_state *state, const frz_instance *instance, double dt,
                               frz_diag *diag)
{
    const frz_elastic_linear linear = linear_of(instance->self);
    return frz_elastic_linear_force(model, state, instance, &linear, dt, diag);
}

static frz_status becker_energy(const frz_model *model, frz_state *state, const frz_instance *instance, double *energy,
                                frz_diag *diag)
{
    const frz_elastic_linear linear = linear_of(instance->self);
    return frz_elastic_linear_energy(model, state, instance, &linear, energy, diag);
}

static bool becker_mixes(const void *self, const void *other)
{
    const becker *a = self, *b = other;
    return a->correction == b->correction && a->strain == b->strain;
}

const frz_method frz_method_elastic_becker2009 = {
    .key = "becker2009",
    .slot = FRZ_SLOT_ELASTIC,
    .doc =
        "Corotated SPH, explicit: linear elasticity in a frame that turns with each particle; the quickest per step.",
    .cite = "Becker, Ihmsen & Teschner 2009, Corotated SPH for deformable solids, Eurographics Workshop on Natural "
            "Phenomena",
    .self_size = sizeof(becker),
    .params = becker_params,
    .fields = becker_fields,
    .run = {[FRZ_STAGE_PREPARE] = becker_prepare, [FRZ_STAGE_FORCE] = becker_force},
    .max_dt = frz_elastic_max_dt,
    .energy = becker_energy,
    .mixes = becker_mixes,
    .check = frz_elastic_check,
};
