// SPDX-License-Identifier: MIT
// Volumes of static samples, which all boundary methods share.
#pragma once

#include "sim/state.h"

/// Compute the volume of every sample. Akinci et al. 2012, eq. 4, calibrated:
///
///     V_b = V * plane_sum / (V sum_k (n_b . n_k)^2 W_bk), at most V,   over samples k of the same wall, b included
///
/// so that a flat wall sampled at the liquid's spacing gets exactly the particles' volume V, denser samples less, and
/// the liquid's lattice half a spacing from the wall has exactly the rest density.
void frz_boundary_set_volumes(const frz_model *model, frz_state *state);

/// The same, times a factor where the surface is curved (samples.area), for compressions that go with the square of the
/// volumes: samples lie half a spacing behind the surface, where a convex one has less area.
void frz_boundary_set_curved_volumes(const frz_model *model, frz_state *state);
