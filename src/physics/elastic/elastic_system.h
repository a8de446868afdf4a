// SPDX-License-Identifier: MIT
// Input of the sweeps of solid/elastic_sweeps.h from the state.
#pragma once

#include "sim/state.h"
#include "solid/elastic_sweeps.h"

/// Displacement of a particle of the store in twice the working precision, its position if its body is local; the spare
/// lanes are zero.
frz_elastic_wide frz_elastic_displacement(const frz_state *state, int number);

/// Its position in twice the working precision.
frz_elastic_wide frz_elastic_position(const frz_state *state, int number);

/// Displacements of the particles of a body, and positions of its anchors, from the store. Particles that have left do
/// not move.
void frz_elastic_gather(const frz_state *state, int body, frz_elastic_work *work);
