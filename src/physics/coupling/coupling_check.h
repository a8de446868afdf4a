// SPDX-License-Identifier: MIT
// Checks that coupling methods share.
#pragma once

#include "sim/method.h"
#include "sim/model.h"

/// Refuse a pressure method that does not solve for the pressure beside rigid bodies. key names the coupling.
FRZ_NODISCARD frz_status frz_coupling_check_pressure(const frz_model *model, const char *key, frz_diag *diag);

/// Whether the scene has rigid bodies.
bool frz_coupling_has_bodies(const frz_model *model);
