// SPDX-License-Identifier: MIT
#include "physics/viscosity/viscosity_implicit.h"

bool frz_viscosity_solves(const frz_model *model, const frz_instance *instance)
{
    for (const frz_instance *other = model->instances; other < instance; ++other)
        if (other->method == instance->method)
            return false;
    return true;
}

frz_status frz_viscosity_check_alone(const frz_model *model, const frz_instance *instance, frz_diag *diag)
{
    for (int n = 0; n < model->instance_count; ++n)
    {
        const frz_instance *other = &model->instances[n];
        if (other->method->slot == FRZ_SLOT_VISCOSITY && other->method != instance->method &&
            (other->method->traits & FRZ_TRAIT_RUBS_ALL) == 0)
            return frz_fail(diag, FRZ_ERR_SCENE,
                            "the viscosity %s of '%s' and %s of '%s' have no friction with each other; choose the "
                            "same method for both materials",
                            instance->method->key, model->materials[instance->material].name, other->method->key,
                            model->materials[other->material].name);
    }
    return FRZ_OK;
}
