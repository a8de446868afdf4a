// SPDX-License-Identifier: MIT
// Volume of matter that melts and freezes. A particle keeps its mass; the volume that it fills is
//
//     V = m (f / rho_l + (1 - f) / rho_s)          f: molten part by its enthalpy
//
// while it is liquid, and stays as it was while it is solid: a solid is as large as it froze. With w = V / spacing^d
// the sum of the kernels over the neighbours is 1 / w at rest (number density, Solenthaler & Pajarola 2008). The
// pressure solver asks for 1, so that it is told the sum and 1 - 1 / w more: nothing else changes.
//
// What changes its phase under pressure may be nearer to its neighbours than its new phase would have it: bonds and
// contacts bear more than the pressure solver allows. The excess is its room, which the solver is not told of either;
// neighbours get some, too.
//
// Volume and room go to their aims at a limited rate, so that the flow that they make is slow compared with a fall over
// a spacing: no burst.
#pragma once

#include "sim/state.h"

/// Fields of the method, from FRZ_HEAT_FIRST_VOLUME on.
#define FRZ_HEAT_VOLUME_FIELDS                                                                                         \
    {"swelling", 1, "", FRZ_FIELD_SAVE | FRZ_FIELD_SORT | FRZ_FIELD_HALO,                                              \
     "volume of the particle over that of the lattice, less 1; heat"},                                                 \
        {"melt_room", 1, "", FRZ_FIELD_SAVE | FRZ_FIELD_SORT, "compression that a change of phase left behind; heat"}, \
    {                                                                                                                  \
        "phase_known", 1, "", FRZ_FIELD_SAVE | FRZ_FIELD_SORT, "phase at the last look, and 1; 0: never seen; heat"    \
    }

/// Force stage: the compression as the pressure solver is to see it. first: of the fields.
FRZ_NODISCARD frz_status frz_heat_volume_apply(const frz_model *model, frz_state *state, int first, frz_diag *diag);

/// End of a step: volumes and rooms go on.
void frz_heat_volume_relax(const frz_model *model, frz_state *state, int first, double dt);
