// SPDX-License-Identifier: MIT
// Who is at the surface of a body, and how full of its own body a particle's surroundings are.
#pragma once

#include "base/arena.h"
#include "solid/solids.h"

/// rest_compression and core of the particles first .. last - 1, which are a body, at the given places (by number, m).
/// torn: cracks part it.
FRZ_NODISCARD frz_status frz_skin_layers_find(frz_solids *solids, const frz_solid_space *space, int first, int last,
                                              const frz_v4 *place, bool torn, frz_arena *scratch, frz_diag *diag);

/// The same around particle e, which is about to leave, as long as it has its bonds. place: by number.
void frz_skin_layers_leave(frz_solids *solids, const frz_bonds *bonds, const frz_solid_space *space, int e,
                           const frz_v4 *place);
