// SPDX-License-Identifier: MIT
// Particles at the surface of a body, and the compression of a particle by its own body.
#pragma once

#include "base/arena.h"
#include "solid/solids.h"

/// rest_compression, core and thin of the particles of an object, at frz_solids_places. first: by body, and one more,
/// its first particle. torn: it has cracks.
FRZ_NODISCARD frz_status frz_skin_layers_find(frz_solids *solids, const frz_solid_space *space, const int *first,
                                              int object, bool torn, frz_arena *scratch, frz_diag *diag);

/// The same around particle e before it leaves, while it still has its bonds.
void frz_skin_layers_leave(frz_solids *solids, const frz_bonds *bonds, const frz_solid_space *space, int e);
