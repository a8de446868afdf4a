// SPDX-License-Identifier: MIT
// Rigid bodies of particles that ties hold to implicit elastic bodies, and the push of liquid on them (sim/response.h).
#pragma once

#include "sim/response.h"

/// Fill in kicks->tied; whether anything touches such a body.
bool frz_tied_find(const frz_state *state, const frz_kicks *kicks);
/// Motion of a rigid body by the impulses as if it were alone.
frz_rigid_motion frz_tied_motion_alone(const frz_state *state, const frz_kicks *kicks, int body);
/// Errors of the estimated answers at particles of tied bodies: of the last step, and for the next one.
void frz_tied_read_missed(const frz_state *state, const frz_kicks *kicks);
void frz_tied_write_missed(const frz_state *state, const frz_kicks *kicks);
/// Update them by the impulses just answered; adds the squares of the changes, and of the estimates.
void frz_tied_correct(const frz_state *state, const frz_kicks *kicks, double *error, double *size);
