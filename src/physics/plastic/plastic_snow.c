// SPDX-License-Identifier: MIT
// Snow: stretches stay within limits, and compressed snow is stiffer. For bodies of material points; see
// law/plastic_return.h. Defaults are those of the paper's table 2.
#include "law/plastic_return.h"
#include "physics/elastic/elastic_hyperelastic.h"
#include "physics/registry.h"

extern const frz_method frz_method_plastic_snow;

typedef struct snow
{
    double compression, stretch, hardening, hardest;
} snow;

static const frz_param snow_params[] = {
    {"compression", "strain at which it is crushed", FRZ_PARAM_REAL, offsetof(snow, compression), 2.5e-2, 1.0e-6, 0.9,
     "", NULL},
    {"stretch", "strain at which it comes apart", FRZ_PARAM_REAL, offsetof(snow, stretch), 7.5e-3, 1.0e-6, 1.0, "",
     NULL},
    {"hardening", "how fast it stiffens as it is packed: exp(hardening (1 - Jp))", FRZ_PARAM_REAL,
     offsetof(snow, hardening), 10.0, 0.0, 100.0, "", NULL},
    {"hardest", "most that it stiffens by", FRZ_PARAM_REAL, offsetof(snow, hardest), 50.0, 1.0, 1.0e4, "", NULL},
    {0},
};

static void snow_yield(const frz_model *model, const frz_instance *instance, frz_yield *yield)
{
    (void)model;
    const snow *self = instance->self;
    yield->kind = FRZ_YIELD_SNOW;
    yield->snow = (frz_snow){self->compression, self->stretch, self->hardening, self->hardest};
}

static frz_status snow_check(const frz_model *model, const frz_instance *instance, frz_diag *diag)
{
    const char *name = model->materials[instance->material].name;
    const frz_instance *elastic = frz_model_method(model, FRZ_SLOT_ELASTIC, instance->material);
    if (elastic == NULL)
        return FRZ_OK;
    char names[FRZ_METHOD_NAMES_LENGTH];
    if ((elastic->method->traits & FRZ_TRAIT_NO_REFERENCE) == 0)
        return frz_fail(diag, FRZ_ERR_SCENE,
                        "material '%s': plastic snow works with the elastic method %s, not with %s", name,
                        frz_method_names(FRZ_SLOT_ELASTIC, FRZ_TRAIT_NO_REFERENCE, "and", names), elastic->method->key);
    const frz_elastic_hyperelastic *material = elastic->self;
    if (frz_laws[material->law]->small_strain || material->common.plane == FRZ_PLANE_STRESS)
        return frz_fail(diag, FRZ_ERR_SCENE,
                        "material '%s': plastic snow needs a law for large deformation and plane strain; take 'law: "
                        "corotated'",
                        name);
    return FRZ_OK;
}

const frz_method frz_method_plastic_snow = {
    .key = "snow",
    .slot = FRZ_SLOT_PLASTIC,
    .doc = "Snow: critical compression and stretch, and hardening where it is packed.",
    .cite = "Stomakhin et al. 2013, doi:10.1145/2461912.2461948",
    .self_size = sizeof(snow),
    .params = snow_params,
    .check = snow_check,
    .yield = snow_yield,
    .exempt = {[FRZ_CONFORMANCE_ROTATION] = FRZ_MPM_FIXED_NODES, [FRZ_CONFORMANCE_TRANSLATION] = FRZ_MPM_FIXED_NODES},
};
