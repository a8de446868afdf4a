// SPDX-License-Identifier: MIT
// Forecast of the pressure force of this step from that of the last one.
#pragma once

#include "base/fail.h"
#include "base/simd.h"

typedef struct frz_model frz_model;
typedef struct frz_state frz_state;

/// Add the effect of the last step's pressure over this step to velocities, if the pressure method acts after the
/// velocity stage. For implicit forces, which must work on the velocity at the end of the step: see
/// viscosity_weiler2018.
FRZ_NODISCARD frz_status frz_state_forecast(const frz_model *model, frz_state *state, double dt, frz_v4 *velocity,
                                            frz_diag *diag);
