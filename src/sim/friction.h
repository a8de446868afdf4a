// SPDX-License-Identifier: MIT
// Coulomb friction of elastic bodies.
#pragma once

#include "base/fail.h"

typedef struct frz_model frz_model;
typedef struct frz_state frz_state;
typedef struct frz_kicks frz_kicks;

/// Friction of elastic bodies, once the pressure has made the normal forces.
FRZ_NODISCARD frz_status frz_solids_apply_friction(const frz_model *model, frz_state *state, double dt, frz_diag *diag);

/// That of implicit bodies, which the former leaves alone: added to the impulses of their contacts, in proportion to
/// the pressures that these were solved with.
FRZ_NODISCARD frz_status frz_solids_kick_friction(const frz_model *model, frz_state *state, frz_kicks *kicks, double dt,
                                                  frz_diag *diag);
/// Its forces on walls, with the factors of the impulses, which have been applied and recorded: to state->bodies.loads.
void frz_solids_note_friction(const frz_model *model, frz_state *state, const frz_kicks *kicks, double dt);
