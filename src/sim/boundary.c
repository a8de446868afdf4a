// SPDX-License-Identifier: MIT
#include "sim/boundary.h"

#include "sim/model.h"

frz_sample_law frz_boundary_law(const frz_model *model)
{
    const frz_instance *instance = frz_model_method(model, FRZ_SLOT_BOUNDARY, -1);
    frz_sample_law law = instance->method->boundary->law(model, instance->self);
    law.thin = law.plain > 0.0 ? 0.0 : model->wall_plain_gain;
    return law;
}

void frz_boundary_prepare(const frz_model *model, frz_state *state)
{
    frz_model_method(model, FRZ_SLOT_BOUNDARY, -1)->method->boundary->volumes(model, state);
}
