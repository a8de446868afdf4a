// SPDX-License-Identifier: MIT
#include "physics/coupling/coupling_check.h"

#include "physics/registry.h"

bool frz_coupling_has_bodies(const frz_model *model)
{
    bool any = false;
    for (int b = 0; b < model->body_count; ++b)
        any = any || model->bodies[b].kind == FRZ_BODY_RIGID;
    return any;
}

frz_status frz_coupling_check_pressure(const frz_model *model, const char *key, frz_diag *diag)
{
    for (int n = 0; frz_coupling_has_bodies(model) && n < model->instance_count; ++n)
    {
        const frz_method *method = model->instances[n].method;
        if (method->slot == FRZ_SLOT_PRESSURE && (method->traits & FRZ_TRAIT_SOLVES_PRESSURE) == 0)
        {
            char names[FRZ_METHOD_NAMES_LENGTH];
            return frz_fail(diag, FRZ_ERR_SCENE,
                            "coupling %s needs a pressure method that solves for the pressure (%s), not %s; choose "
                            "one of these, or coupling: weak",
                            key, frz_method_names(FRZ_SLOT_PRESSURE, FRZ_TRAIT_SOLVES_PRESSURE, "or", names),
                            method->key);
        }
    }
    return FRZ_OK;
}
