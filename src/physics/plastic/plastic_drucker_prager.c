// SPDX-License-Identifier: MIT
// Sand and soil: shear up to the internal friction, no tension (but for cohesion), no change of volume by shear. For
// bodies of material points; see law/plastic_return.h.
#include <math.h>

#include "law/plastic_return.h"
#include "physics/elastic/elastic_hyperelastic.h"
#include "physics/registry.h"

extern const frz_method frz_method_plastic_drucker_prager;

typedef struct drucker_prager
{
    double friction_angle; ///< degrees
    double cohesion;       ///< Pa
    double grain;          ///< m
    double fast_angle;     ///< degrees
    double inertial;       ///< inertial number
} drucker_prager;

static const frz_param drucker_prager_params[] = {
    {"friction_angle", "angle of internal friction, in degrees: a layer slides on slopes that are steeper",
     FRZ_PARAM_REAL, offsetof(drucker_prager, friction_angle), 30.0, 0.0, 90.0, "", NULL},
    {"cohesion", "shear stress that it bears without pressure, as wet sand and clay do", FRZ_PARAM_REAL,
     offsetof(drucker_prager, cohesion), 0.0, 0.0, 1.0e12, "Pa", NULL},
    {"grain", "diameter of the grains: friction then grows with the rate of shear; 0: it does not", FRZ_PARAM_REAL,
     offsetof(drucker_prager, grain), 0.0, 0.0, 1.0, "m", NULL},
    {"fast_friction_angle", "angle of internal friction in fast flow, in degrees; acts with 'grain'", FRZ_PARAM_REAL,
     offsetof(drucker_prager, fast_angle), 32.8, 0.0, 90.0, "", NULL},
    {"inertial_number", "inertial number at which friction is in the middle between both; acts with 'grain'",
     FRZ_PARAM_REAL, offsetof(drucker_prager, inertial), 0.279, 1.0e-6, 1.0e6, "", NULL},
    {0},
};

static const double packing = 0.6; // share of space that grains fill, random, between loose and dense
static const double degree = 3.14159265358979323846 / 180.0;

static void drucker_prager_yield(const frz_model *model, const frz_instance *instance, frz_yield *yield)
{
    const drucker_prager *self = instance->self;
    const double angle = self->friction_angle * degree;
    yield->kind = FRZ_YIELD_DRUCKER_PRAGER;
    yield->sand.slope = frz_drucker_prager_slope(angle);
    yield->sand.tension = self->cohesion > 0.0 ? self->cohesion / tan(angle) : 0.0; // the tip of the cone
    if (!(self->grain > 0.0))
        return;
    const double density = model->materials[instance->material].density / packing;
    yield->sand.rise = frz_drucker_prager_slope(self->fast_angle * degree) - yield->sand.slope;
    yield->sand.inertia = self->inertial / (self->grain * sqrt(density));
}

static frz_status drucker_prager_check(const frz_model *model, const frz_instance *instance, frz_diag *diag)
{
    const drucker_prager *self = instance->self;
    const char *name = model->materials[instance->material].name;
    const frz_instance *elastic = frz_model_method(model, FRZ_SLOT_ELASTIC, instance->material);
    if (!(self->friction_angle > 0.0 && self->friction_angle < 90.0))
        return frz_fail(diag, FRZ_ERR_SCENE,
                        "material '%s': a friction angle lies between 0 and 90 degrees, and is neither; %g is not one",
                        name, self->friction_angle);
    if (self->grain > 0.0 && !(self->fast_angle >= self->friction_angle))
        return frz_fail(
            diag, FRZ_ERR_SCENE,
            "material '%s': friction does not fall with the rate of shear; give it a fast_friction_angle of "
            "at least %g degrees, or no 'grain'",
            name, self->friction_angle);
    if (elastic == NULL) // a liquid flows anyway
        return FRZ_OK;
    char names[FRZ_METHOD_NAMES_LENGTH];
    if ((elastic->method->traits & FRZ_TRAIT_NO_REFERENCE) == 0)
        return frz_fail(diag, FRZ_ERR_SCENE,
                        "material '%s': plastic drucker_prager works with the elastic method %s, not with %s", name,
                        frz_method_names(FRZ_SLOT_ELASTIC, FRZ_TRAIT_NO_REFERENCE, "and", names), elastic->method->key);
    const frz_elastic_hyperelastic *material = elastic->self;
    if (frz_laws[material->law] != frz_law_find("hencky") || material->common.plane == FRZ_PLANE_STRESS)
        return frz_fail(diag, FRZ_ERR_SCENE,
                        "material '%s': plastic drucker_prager returns logarithms of stretches to the yield surface; "
                        "give it 'law: hencky' and plane strain",
                        name);
    return FRZ_OK;
}

const frz_method frz_method_plastic_drucker_prager = {
    .key = "drucker_prager",
    .slot = FRZ_SLOT_PLASTIC,
    .doc = "Internal friction of sand and soil: shear stress is bounded by the pressure, tension by the cohesion.",
    .cite = "Drucker & Prager 1952; Klar et al. 2016, doi:10.1145/2897824.2925906; Tampubolon et al. 2017, "
            "doi:10.1145/3072959.3073651; Jop, Forterre & Pouliquen 2006, doi:10.1038/nature04801",
    .self_size = sizeof(drucker_prager),
    .params = drucker_prager_params,
    .check = drucker_prager_check,
    .yield = drucker_prager_yield,
    .exempt = {[FRZ_CONFORMANCE_ROTATION] = FRZ_MPM_FIXED_NODES, [FRZ_CONFORMANCE_TRANSLATION] = FRZ_MPM_FIXED_NODES},
};
