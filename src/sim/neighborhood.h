// SPDX-License-Identifier: MIT
// From positions to pairs: grid, sort, cell lists, pair data, densities.
#pragma once

#include "base/fail.h"
#include "space/grid.h"
#include "sph/affine.h"
#include "sph/pairs.h"
#include "sph/sample_fit.h"
#include "sph/sample_slope.h"

typedef struct frz_model frz_model;
typedef struct frz_state frz_state;

/// Neighbour search and the lists that it makes.
typedef struct frz_neighborhood
{
    // saved
    double grid_min[3], grid_max[3];

    // derived
    int64_t cell_budget; ///< cells that the search grid may have; the same after a restart
    frz_grid grid;
    frz_cell_list free_cells, sample_cells;
    frz_pairs pairs;
    frz_sample_pairs sample_pairs; ///< on demand, see frz_state_sample_pairs
    frz_sample_fit sample_fit;     ///< if walls have pressures
    frz_affine_list affine;        ///< on demand, see frz_state_affine
} frz_neighborhood;

/// Grid, sort, cell lists and pairs for the present positions.
FRZ_NODISCARD frz_status frz_neighborhood_update(const frz_model *model, frz_state *state, frz_diag *diag);

/// Input of the neighbour passes.
frz_pairs_input frz_state_pairs_input(const frz_model *model, const frz_state *state);

/// Update sample_pairs; free of cost if another method has requested them in this step.
FRZ_NODISCARD frz_status frz_state_sample_pairs(const frz_model *model, frz_state *state, frz_diag *diag);

/// Corrections of the divergence for the present neighbourhood, by particle; null if no liquid needs them or the
/// pressure method does not use them.
FRZ_NODISCARD frz_status frz_state_affine(const frz_model *model, frz_state *state, const frz_affine **of,
                                          frz_diag *diag);

/// Update sample_pairs and sample_fit, for boundary methods that give walls a pressure.
FRZ_NODISCARD frz_status frz_state_sample_fit(const frz_model *model, frz_state *state, frz_diag *diag);
