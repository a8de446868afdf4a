// SPDX-License-Identifier: MIT
// The surface energy of tension_cahn1958: its two terms, and their constants from a flat lattice surface.
#pragma once

#include "sim/state.h"

typedef struct frz_tension_lattice
{
    double norm;     ///< N, so that a and c are 1 inside the lattice
    double gradient; ///< g_0: |g| of the outermost layer
    double mix;      ///< mu
    double energy;   ///< sum over the layers of phi + mu psi: the energy per column of the lattice, over K
    double wall;     ///< weight of a wall sample with which one layer of them replaces the half space behind
    double volume;   ///< volume of a particle; samples have the weight of their volume over it
} frz_tension_lattice;

frz_tension_lattice frz_tension_lattice_make(const frz_model *model);

/// Sum of |g| over the layers of a flat lattice surface; their mean depth in spacings, weighted with psi'.
void frz_tension_layers(const frz_model *model, const frz_tension_lattice *lattice, double *sum, double *depth);

/// K in J: the energy of a flat surface that has settled is tension times area.
double frz_tension_energy_scale(const frz_model *model, const frz_tension_lattice *lattice, double tension);

double frz_tension_cohesion(double c);       ///< phi
double frz_tension_cohesion_slope(double c); ///< phi'
double frz_tension_area(double ratio);       ///< psi, of |g| / g_0
double frz_tension_area_slope(double ratio); ///< psi' by its argument

/// 1 - r^2 / R^2, at least 0: the kernel is its cube.
static inline frz_real frz_tension_inside(frz_v4 x, frz_real inverse_square)
{
    const frz_real u = 1 - frz_v4_dot3(x, x) * inverse_square;
    return u > 0 ? u : 0;
}

/// Weight of the sample of wall pair k, in particles.
static inline frz_real frz_tension_wall_weight(const frz_state *state, const frz_tension_lattice *lattice, int64_t k)
{
    const frz_real *volume =
        frz_field_real(&state->particles, FRZ_FIELD_ID_volume) + state->particles.first[FRZ_ROLE_SAMPLE];
    return (frz_real)(lattice->wall / lattice->volume) * volume[state->neighbors.sample_pairs.pair[k].slot];
}
