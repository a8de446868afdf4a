// SPDX-License-Identifier: MIT
// Parameters and time step of the explicit laminar viscosities (morris1997, cleary1998, mueller2003).
#pragma once

#include "sim/state.h"

typedef struct frz_explicit_viscosity
{
    double viscosity; ///< Pa s
    bool slip;        ///< no friction at walls
} frz_explicit_viscosity;

extern const frz_param frz_explicit_viscosity_params[];

/// Dynamic viscosity of each material; those without this method take no part and get 0.
void frz_explicit_viscosity_by_material(const frz_model *model, const frz_method *method, frz_real *mu);

/// 0.125 rho s^2 / mu (Morris et al. 1997, eq. 29). With dashpots along the line of a pair a particle among others at
/// rest stops at the rate 6 mu / (rho s^2), neighbours that move against each other at twice that, beside a wall at 16.
double frz_explicit_viscosity_max_dt(const frz_model *model, const frz_state *state, const frz_instance *instance);
