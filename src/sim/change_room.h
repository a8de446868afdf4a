// SPDX-License-Identifier: MIT
// Room: excess compression that a particle may keep after a change of phase. Particles that change their phase under a
// load may be denser than the new phase at rest; the pressure solver would push them apart within one step.
//
// An elastic body that is compressed by a pressure p holds p e / 2 per volume at a volume strain e. As a liquid of rest
// density it must lift its load by e, which takes p e. Done in one step, that is an impact. So the pressure solver
// tolerates the excess compression of particles just after a change, and of their neighbours: it is their `room`. So
// the liquid starts with the pressure of the solid, and the pressure solver does not push freezing particles that bonds
// and contacts hold. The excess is that of the solver's compression, with volumes that heat has changed. Room never
// exceeds the remaining excess compression, and decays with a time constant, slowly enough that the resulting flow is
// slow compared with a fall over a spacing.
//
// (The room of the faces of a crack, physics/fracture/fracture_bodies.h, is different: it belongs to the reference
// state, in which the faces do not fit, and only shrinks as they part. If it decayed, it would push the faces apart.)
#pragma once

#include "base/fail.h"

typedef struct frz_model frz_model;
typedef struct frz_state frz_state;

/// A particle has changed its phase: compute its room, and that of its neighbours, with the next densities.
void frz_room_ask(frz_state *state, int slot);

/// Once the compressions of a step are known: compute the requested room, and subtract all room from the compressions.
FRZ_NODISCARD frz_status frz_room_take(frz_state *state, frz_diag *diag);

/// After an accepted step of length dt. Returns the work against the pressure of growing to the volume at rest, J; the
/// change of phase is charged with it.
double frz_room_fade(const frz_model *model, frz_state *state, double dt);

/// Rate of change of a volume, or of a compression, that is slow enough to have no visible effect, 1/s.
double frz_room_rate(const frz_model *model);
