// SPDX-License-Identifier: MIT
#include "sim/coupling.h"

#include "sim/state.h"

static const frz_coupling_ops *ops_of(const frz_model *model)
{
    return frz_model_method(model, FRZ_SLOT_COUPLING, -1)->method->coupling;
}

frz_status frz_coupling_begin(const frz_model *model, frz_state *state, frz_diag *diag)
{
    const double start = frz_now();
    FRZ_TRY(ops_of(model)->link(model, state, diag));
    if (state->links.count > 0)
        frz_timer_lap(&state->timers, frz_timer_index(&state->timers, "body links"), start);
    return FRZ_OK;
}

bool frz_coupling_is_strong(const frz_model *model)
{
    return ops_of(model)->strong;
}

bool frz_coupling_is_interleaved(const frz_model *model)
{
    return ops_of(model)->interleaved;
}
