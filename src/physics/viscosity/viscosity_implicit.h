// SPDX-License-Identifier: MIT
// Common to implicit viscosities: one system for all materials that have the method.
#pragma once

#include "sim/state.h"

/// Whether the instance is the one that solves: the first material with its method does so for all.
bool frz_viscosity_solves(const frz_model *model, const frz_instance *instance);

/// Refuse another viscosity beside this one, unless that has the friction between the two: otherwise there would be
/// none, without a message.
FRZ_NODISCARD frz_status frz_viscosity_check_alone(const frz_model *model, const frz_instance *instance,
                                                   frz_diag *diag);
