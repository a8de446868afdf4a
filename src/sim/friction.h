// SPDX-License-Identifier: MIT
// Coulomb friction of elastic bodies.
#pragma once

#include "base/fail.h"

typedef struct frz_model frz_model;
typedef struct frz_state frz_state;

/// Friction of elastic bodies, once the pressure has made the normal forces.
FRZ_NODISCARD frz_status frz_solids_apply_friction(const frz_model *model, frz_state *state, double dt, frz_diag *diag);
