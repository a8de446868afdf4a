// SPDX-License-Identifier: MIT
// Friction of liquids at walls without slip, for viscosities with the weights of sph/shear_weight.
//
// Samples lie half a spacing behind the surface, where the velocity is prescribed, not at the sample. A profile that is
// linear between the particle (distance a) and the surface continues to the sample with (v_i - v_wall)(1 + s / 2a)
// (Morris et al. 1997, eq. 28); with the slip length b of Navier it is zero at b behind the surface. v_wall is the
// velocity of the body at the particle's place, so that liquid which turns with its vessel has no friction.
#pragma once

#include "sim/neighborhood.h"
#include "sph/shear_weight.h"

/// Force per volume on the particle of the pair, over its viscosity and over v_wall - v_i; 1/m^2. 0 for a face that
/// looks elsewhere.
double frz_viscosity_wall_weight(const frz_model *model, const frz_state *state, const frz_shear_weight *weight,
                                 const frz_sample_pair *pair, double slip_length);
