// SPDX-License-Identifier: MIT
// Plastic flow of the corotated material of implicit methods: once per step, before it is solved for.
#pragma once

#include "physics/elastic/elastic_corotated.h"

/// Plastic flow at the present positions; sets material->back (from the scratch arena) to the plastic deformation. Does
/// nothing without a plastic method. dt 0: no further flow. Starts from the rotations of material->rotation and updates
/// them.
FRZ_NODISCARD frz_status frz_elastic_let_flow(const frz_model *model, frz_state *state, const frz_instance *instance,
                                              double dt, frz_elastic_corotated *material, frz_diag *diag);
