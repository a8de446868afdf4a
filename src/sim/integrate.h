// SPDX-License-Identifier: MIT
// Positions after a step, energies and bounds.
#pragma once

#include "base/fail.h"

typedef struct frz_model frz_model;
typedef struct frz_state frz_state;

/// Largest displacement of a particle or a body in a step, in spacings; beyond, its neighbour list is wrong.
extern const double frz_gross_move;

/// Positions, bounds, energies after the velocities are final; driven particles are placed, not moved. Reports NaN and
/// gross CFL violations.
FRZ_NODISCARD frz_status frz_integrate(const frz_model *model, frz_state *state, double dt, frz_diag *diag);
