// SPDX-License-Identifier: MIT
// The solids of a state: calls of src/solid for its particles.
#pragma once

#include "base/fail.h"
#include "solid/solids.h"

typedef struct frz_model frz_model;
typedef struct frz_state frz_state;

/// Parameters of src/solid.
frz_solid_space frz_state_solid_space(const frz_model *model, const frz_state *state);
/// Distance in the reference state below which particles of a solid body never touch, m.
double frz_state_solid_reach(const frz_model *model, const frz_state *state, int body);

/// Update the slots of solid particles after a sort; at the first call (time 0) also their reference positions.
FRZ_NODISCARD frz_status frz_solids_update(const frz_model *model, frz_state *state, frz_diag *diag);

/// Before a neighbour search: fill its data on solid particles by slot. It skips those deep inside their bodies until
/// the next sort.
void frz_solids_ready_search(frz_state *state);
/// Mark solid particles that searches may skip, because no other particle can have come near them (solid/clearance.c).
void frz_solids_find_isolated(const frz_model *model, frz_state *state);

/// Update the pieces if bonds have broken: particles connected by bonds, and particles at a surface.
FRZ_NODISCARD frz_status frz_pieces_update(const frz_model *model, frz_state *state, frz_diag *diag);
/// Break the bond at position k of elastic particle i's list. Only at the end of a step: a repeated step must find it
/// unbroken. Then call frz_bonds_correct for both ends.
void frz_pieces_break(frz_state *state, int i, int64_t k);

/// Positions of the broken bonds in the lists, one for both directions, in rising order; returns their number. place
/// may be null.
int64_t frz_pieces_list_broken(const frz_state *state, int64_t *place);
/// Break these, in a state without broken bonds.
FRZ_NODISCARD frz_status frz_pieces_put_broken(frz_state *state, const int64_t *place, int64_t count, frz_diag *diag);

/// Make state->bonds at the first call, and remove the particles that have left since. The stiffness is that of the
/// present temperatures.
FRZ_NODISCARD frz_status frz_state_bonds(const frz_model *model, frz_state *state, frz_diag *diag);

/// After a batch of changes (solid/changes.h): compute missing weights and highest frequencies of bodies.
FRZ_NODISCARD frz_status frz_state_prepare_solids(const frz_model *model, frz_state *state, frz_diag *diag);
