// SPDX-License-Identifier: MIT
// Who is at the surface of a body, and how full of its own body a particle's surroundings are.
#pragma once

#include "base/arena.h"
#include "solid/solids.h"

/// rest_compression, core and thin of the particles of an object, at frz_solids_places. first: by body, and one more, its
/// first particle. torn: cracks part it.
FRZ_NODISCARD frz_status frz_skin_layers_find(frz_solids *solids, const frz_solid_space *space, const int *first,
                                              int object, bool torn, frz_arena *scratch, frz_diag *diag);

/// The same around particle e, which is about to leave, as long as it has its bonds.
void frz_skin_layers_leave(frz_solids *solids, const frz_bonds *bonds, const frz_solid_space *space, int e);
