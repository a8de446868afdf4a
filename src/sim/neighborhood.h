// SPDX-License-Identifier: MIT
// From positions to pairs: grid, sort, cell lists, pair data, densities.
#pragma once

#include "base/fail.h"
#include "sph/affine.h"
#include "sph/sample_slope.h"

typedef struct frz_model frz_model;
typedef struct frz_state frz_state;

/// Grid, sort, cell lists and pairs for the present positions.
FRZ_NODISCARD frz_status frz_neighborhood_update(const frz_model *model, frz_state *state, frz_diag *diag);

/// What the neighbour passes read.
frz_pairs_input frz_state_pairs_input(const frz_model *model, const frz_state *state);

/// Make state->neighbors.sample_pairs current; costs nothing if another method has asked for them in this step.
FRZ_NODISCARD frz_status frz_state_sample_pairs(const frz_model *model, frz_state *state, frz_diag *diag);

/// Corrections of the divergence for the present neighbourhood, by particle; null if no liquid needs them or the
/// pressure method has no use for them.
FRZ_NODISCARD frz_status frz_state_affine(const frz_model *model, frz_state *state, const frz_affine **of,
                                          frz_diag *diag);

/// Make state->neighbors.sample_pairs and state->neighbors.sample_fit current, for boundary methods that give walls a pressure.
FRZ_NODISCARD frz_status frz_state_sample_fit(const frz_model *model, frz_state *state, frz_diag *diag);
