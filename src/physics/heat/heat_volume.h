// SPDX-License-Identifier: MIT
// Volume of matter that melts and freezes. A particle keeps its mass; the volume that it fills is
//
//     V = m (f / rho_l + (1 - f) / rho_s)          f: molten part by its enthalpy
//
// while it is liquid, and stays as it was while it is solid: a solid is as large as it froze. With w = V / spacing^d
// the sum of the kernels over the neighbours is 1 / w at rest (number density, Solenthaler & Pajarola 2008). The
// pressure solver asks for 1, so its input is the sum plus 1 - 1 / w; nothing else changes.
//
// Particles that change their phase under pressure may be nearer to neighbours than the new phase has them: this is
// tolerated for a while (sim/change_room.h), and volumes approach their targets at the same rate.
#pragma once

#include "sim/state.h"

/// The field of the method.
#define FRZ_HEAT_VOLUME_FIELD                                                                                          \
    {                                                                                                                  \
        "swelling", 1, "", FRZ_FIELD_SAVE | FRZ_FIELD_SORT | FRZ_FIELD_HALO,                                           \
            "volume of the particle over that of the lattice, less 1; heat"                                            \
    }

/// Force stage: the compression for the pressure solver.
void frz_heat_volume_apply(frz_state *state, int field);

/// End of a step: advance the volumes. Their growth against the pressure is work of heat.
FRZ_NODISCARD frz_status frz_heat_volume_relax(const frz_model *model, frz_state *state, int field, double dt,
                                               frz_diag *diag);
