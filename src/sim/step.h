// SPDX-License-Identifier: MIT
// Steps of a simulation: their length, their stages, rejection and retry.
#pragma once

#include "sim/state.h"

/// One step of at most dt_limit seconds (the time left to the next frame). On failure the state is the last good one.
FRZ_NODISCARD frz_status frz_state_step(const frz_model *model, frz_state *state, double dt_limit, frz_diag *diag);

/// Largest sensible time step now, and its limit.
double frz_state_time_step(const frz_model *model, const frz_state *state, frz_dt_limit *limit);

/// "speed", "force", ...
const char *frz_dt_limit_name(frz_dt_limit limit);
