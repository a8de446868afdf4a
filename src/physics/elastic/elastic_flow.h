// SPDX-License-Identifier: MIT
// Plastic flow of the corotated material of implicit methods: once per step, before it is solved for.
#pragma once

#include "physics/elastic/elastic_corotated.h"

/// Let the material flow where it is now, and set material->back (from the scratch arena) to what it has flown; nothing
/// if it has no plastic method. dt 0: it does not flow any further. Takes the rotations of material->rotation to start
/// from and leaves those of now.
FRZ_NODISCARD frz_status frz_elastic_let_flow(const frz_model *model, frz_state *state, const frz_instance *instance,
                                              double dt, frz_elastic_corotated *material, frz_diag *diag);
