// SPDX-License-Identifier: MIT
// Room: what melts under a load is denser than a liquid at rest, and would be pushed apart within a step.
//
// An elastic body that is compressed by a pressure p holds p e / 2 per volume at a volume strain e. As a liquid of rest
// density it must lift its load by e, which takes p e. Done at once, in one step, that is a blow. So the excess of the
// compression that particles have just after a change is forgiven: their `room`. The liquid takes over the pressure of
// the solid where it is. Room is never more than the excess that is left, and fades with a time constant.
#pragma once

#include "base/fail.h"

typedef struct frz_state frz_state;

/// A particle has become liquid: its room, and that of its neighbours, is found with the next densities.
void frz_room_ask(frz_state *state, int slot);

/// Once the densities of a step are known: find room that was asked for, and take it from the compressions.
FRZ_NODISCARD frz_status frz_room_take(frz_state *state, frz_diag *diag);

/// After an accepted step of length dt.
void frz_room_fade(frz_state *state, double dt);
