// SPDX-License-Identifier: MIT
// Coulomb friction of elastic bodies.
#pragma once

#include "base/fail.h"

typedef struct frz_model frz_model;
typedef struct frz_state frz_state;
typedef struct frz_kicks frz_kicks;

/// Friction of elastic bodies, after the pressure solve has set the normal forces.
FRZ_NODISCARD frz_status frz_solids_apply_friction(const frz_model *model, frz_state *state, double dt, frz_diag *diag);

/// Friction of implicit bodies, which the function above skips: added to the impulses of their contacts, in proportion
/// to the solved pressures.
FRZ_NODISCARD frz_status frz_solids_kick_friction(const frz_model *model, frz_state *state, frz_kicks *kicks, double dt,
                                                  frz_diag *diag);
/// Add its forces on walls, with the final factors of the impulses, to state->bodies.loads.
void frz_solids_note_friction(const frz_model *model, frz_state *state, const frz_kicks *kicks, double dt);
