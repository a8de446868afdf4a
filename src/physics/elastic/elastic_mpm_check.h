// SPDX-License-Identifier: MIT
// Checks of the other keys of a material with the material point method.
#pragma once

#include "sim/method.h"

/// Refuse keys that act on bonds, or on pairs of particles that points do not have.
FRZ_NODISCARD frz_status frz_elastic_mpm_check_company(const frz_model *model, const frz_instance *instance,
                                                       frz_diag *diag);
