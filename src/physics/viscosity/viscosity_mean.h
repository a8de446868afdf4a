// SPDX-License-Identifier: MIT
// Viscosity between particles of two liquids: half of the distance lies in each liquid, so that resistances add up and
// the mean is harmonic (Cleary 1998).
#pragma once

#include "base/simd.h"
#include "sim/state.h"

/// Zero where either is zero: a liquid without viscosity transmits no shear.
static inline frz_real frz_harmonic_mean(frz_real a, frz_real b)
{
    return a > 0 && b > 0 ? 2 * a * b / (a + b) : 0;
}

/// Viscosity acts on particles that are liquid now, by phase and not by material: it gives solids no friction among
/// each other or at walls, only with the liquid beside them. By slot: phases; null: all is liquid.
static inline const uint8_t *frz_viscosity_phases(const frz_state *state)
{
    return state->solids.count > 0 ? frz_particles_phase(&state->particles) : NULL;
}

static inline bool frz_viscosity_is_liquid(const uint8_t *phase, int i)
{
    return phase == NULL || phase[i] == FRZ_PHASE_LIQUID;
}

static inline bool frz_viscosity_is_rigid(const uint8_t *phase, int i)
{
    return phase != NULL && phase[i] == FRZ_PHASE_RIGID;
}

static inline bool frz_viscosity_is_between(const uint8_t *phase, int i, int j)
{
    return phase == NULL || phase[i] == FRZ_PHASE_LIQUID || phase[j] == FRZ_PHASE_LIQUID;
}
