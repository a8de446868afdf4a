// SPDX-License-Identifier: MIT
// The bodies of the state as the sweeps of solid/elastic_sweeps.h see them.
#pragma once

#include "sim/state.h"
#include "solid/elastic_sweeps.h"

/// Displacement of a particle of the store in twice the working precision, its place if its body is local; the spare
/// lanes are zero.
frz_elastic_wide frz_elastic_displacement(const frz_state *state, int number);

/// Its place in twice the working precision.
frz_elastic_wide frz_elastic_position(const frz_state *state, int number);

/// Displacements of the particles of a body, and places of its anchors, from their positions in the store. Particles
/// that are gone do not move.
void frz_elastic_gather(const frz_state *state, int body, frz_elastic_work *work);
