// SPDX-License-Identifier: MIT
// Positions after a step, and the measurements on the way.
#pragma once

#include "base/fail.h"

typedef struct frz_model frz_model;
typedef struct frz_state frz_state;

/// Spacings that a particle, or the position of a body, may move in a step; beyond, it has outrun its neighbours.
extern const double frz_gross_move;

/// Positions, bounds, energies after the velocities are final; driven particles are placed, not moved. Reports NaN and
/// gross CFL violations.
FRZ_NODISCARD frz_status frz_integrate(const frz_model *model, frz_state *state, double dt, frz_diag *diag);
