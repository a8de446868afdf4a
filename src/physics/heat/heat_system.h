// SPDX-License-Identifier: MIT
// The heat of all particles as one system: conduction between particles, and heat that comes in and goes out.
//
//     m_i dh_i/dt = sum_j K_ij (T_j - T_i) + sum over ports (gain_i - loss_i T_i),     T_i = T(h_i)
//
// K_ij = s^(d-2) C_p g(r_ij) k_ij, with the weight g and the constant C_p of sph/shear_weight.h, which make the sum the
// Laplacian on the lattice, and k_ij the harmonic mean of both conductivities: half of the way from i to j lies in each
// matter, so that resistances add up (Cleary & Monaghan 1999). Inside a solid the pairs are its bonds, with their
// length at rest; else they are the neighbours of the step, and those of rigid bodies that touch each other.
//
// K_ij has the same bits seen from both ends, and the difference of temperatures is taken in double precision: the heat
// that i gives is the heat that j gets. Sums lose roundings only.
#pragma once

#include "sim/state.h"

typedef struct frz_heat_system
{
    int count;
    const frz_heat_curve **curve; ///< by particle
    double *mass;                 ///< kg
    double *start;                ///< enthalpy at the start of the step, J/kg
    double *enthalpy;             ///< present one
    double *temperature, *slope;  ///< of the present one, K, and its derivative, kg K/J
    int64_t *begin, *end;         ///< links of a particle
    uint32_t *other;              ///< by link: the particle at the other end
    frz_real *conductance;        ///< by link, W/K
    frz_real *moment;             ///< by link: its part of the trace of the second moments, m^d
    double *gain[FRZ_HEAT_PORTS]; ///< W; null: nothing comes through this port
    double *loss[FRZ_HEAT_PORTS]; ///< W/K
    double *diagonal;             ///< sum of conductances and losses, W/K
    double surface_area;          ///< m^(d-1)
    double *partial;              ///< by block, for sums
} frz_heat_system;

/// Make the system from the present pairs, bonds and walls. Memory is scratch.
FRZ_NODISCARD frz_status frz_heat_system_make(const frz_model *model, frz_state *state, frz_heat_system *s,
                                              frz_diag *diag);

/// Let the work of this step come in as heat.
FRZ_NODISCARD frz_status frz_heat_system_add_work(const frz_model *model, frz_state *state, double dt,
                                                  frz_heat_system *s, frz_diag *diag);

/// Temperatures and slopes of the present enthalpies.
void frz_heat_system_refresh(const frz_heat_system *s);

/// Heat that comes to particle i, W.
static inline double frz_heat_system_flow(const frz_heat_system *s, const double *temperature, int i)
{
    const double own = temperature[i];
    double sum = 0.0;
    for (int64_t k = s->begin[i]; k < s->end[i]; ++k)
        sum += (double)s->conductance[k] * (temperature[s->other[k]] - own);
    for (int p = 0; p < FRZ_HEAT_PORTS; ++p)
        if (s->gain[p] != NULL)
            sum += s->gain[p][i] - s->loss[p][i] * own;
    return sum;
}

/// How a step is taken.
typedef struct frz_heat_rules
{
    int integration; ///< 0: the cheaper one, 1: explicit, 2: implicit
    double max_error;
    int max_iterations;
} frz_heat_rules;

/// Take the enthalpies through a step of dt: s->enthalpy and the figures of the step change.
FRZ_NODISCARD frz_status frz_heat_solve(frz_heat_system *s, frz_state *state, const frz_heat_rules *rules, double dt,
                                        double entered[FRZ_HEAT_PORTS], frz_diag *diag);
