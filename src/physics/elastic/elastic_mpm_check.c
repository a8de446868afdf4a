// SPDX-License-Identifier: MIT
#include "physics/elastic/elastic_mpm_check.h"

#include "sim/model.h"

frz_status frz_elastic_mpm_check_company(const frz_model *model, const frz_instance *instance, frz_diag *diag)
{
    const frz_material *material = &model->materials[instance->material];
    const frz_instance *plastic = frz_model_method(model, FRZ_SLOT_PLASTIC, instance->material);
    if (plastic != NULL && plastic->method->yield == NULL)
        return frz_fail(diag, FRZ_ERR_SCENE,
                        "material '%s': plastic %s needs a body with an undeformed state, which points of mpm do not "
                        "have; take bargteil2007, drucker_prager or snow",
                        material->name, plastic->method->key);
    if (frz_model_method(model, FRZ_SLOT_FRACTURE, instance->material) != NULL)
        return frz_fail(diag, FRZ_ERR_SCENE,
                        "material '%s': fracture breaks bonds, and points of mpm have none; leave it out, or take "
                        "another elastic method",
                        material->name);
    if (material->melting.given && (material->melting.soft || material->melting.form != FRZ_FORM_ELASTIC))
        return frz_fail(
            diag, FRZ_ERR_SCENE,
            "material '%s': points of mpm melt from elastic to liquid only; take 'melting: {solid: elastic, "
            "between: keep}'",
            material->name);
    if (frz_material_depends(material, FRZ_PROPERTY_STIFFNESS) || frz_material_depends(material, FRZ_PROPERTY_YIELD))
        return frz_fail(diag, FRZ_ERR_SCENE,
                        "material '%s': stiffness and yield of points of mpm do not depend on the temperature yet; "
                        "leave that out, or take another elastic method",
                        material->name);
    if (model->event_count > 0)
        return frz_fail(diag, FRZ_ERR_SCENE,
                        "material '%s': events do not act on points of mpm yet; leave the events out, or take another "
                        "elastic method",
                        material->name);
    return FRZ_OK;
}
