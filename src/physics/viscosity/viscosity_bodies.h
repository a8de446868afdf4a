// SPDX-License-Identifier: MIT
// Rigid bodies in an implicit viscosity: they move with the liquid that grips them, within the solve.
//
// A particle that body B holds with the friction k_iB (over the mass unit c) pulls it at the particle's position, R_i U
// = V + W x a_i:
//
//     U_B = U0_B + M_B^-1 c sum_i k_iB R_i^T (v_i - R_i U_B)
//  => U_B = (1 + M_B^-1 c K)^-1 (U0_B + M_B^-1 c sum_i k_iB R_i^T v_i)
//
// with K = sum k R^T R: six unknowns per body, eliminated. The remaining system is symmetric and positive,
//
//     f_i = k_iB (R_i U_B(v) - v_i)
//
// and the reaction -c f_i on the body at x_i keeps momentum and angular momentum. A light body in honey follows it; an
// explicit reaction to an implicit force would throw the body about.
#pragma once

#include "sim/state.h"

/// Velocity and spin times spacing; or force and torque over the spacing.
typedef struct frz_viscous_motion
{
    double v[6];
} frz_viscous_motion;

typedef struct frz_viscous_bodies
{
    const frz_body_links *links; ///< null: no movable body; all calls do nothing
    int body_count;
    double spacing;             ///< m
    double mass_unit;           ///< c, kg
    frz_real *grip;             ///< k of each link of a particle; the caller fills it in
    double (*response)[6][6];   ///< by body: (1 + M^-1 c K)^-1 M^-1 c
    frz_viscous_motion *own;    ///< by body: U without friction by the liquid's velocity, (1 + M^-1 c K)^-1 U0
    frz_viscous_motion *motion; ///< by body: response to the last gathered velocities
    frz_viscous_motion *piece;  ///< scratch by piece of links
    double (*piece_grip)[6][6]; ///< the same
} frz_viscous_bodies;

/// Allocate the data of all bodies; grips are zero. Scratch memory lives until the caller's release.
FRZ_NODISCARD frz_status frz_viscous_bodies_make(const frz_model *model, frz_state *state, double mass_unit,
                                                 frz_viscous_bodies *bodies, frz_diag *diag);
/// The grip of a body on particle i; null if that body is immovable.
frz_real *frz_viscous_bodies_grip(const frz_viscous_bodies *bodies, int i, int body);
/// Response and own motion, once the grips are known.
void frz_viscous_bodies_factor(const frz_state *state, const frz_viscous_bodies *bodies);
/// motion = response to the velocities x.
void frz_viscous_bodies_gather(const frz_viscous_bodies *bodies, const frz_v4 *x);
/// sum_B k_iB R_i U0_B, the bodies' own motion, and sum_B k_iB. Only with links.
frz_v4 frz_viscous_bodies_pull(const frz_viscous_bodies *bodies, int i, frz_real *grip);
/// sum_B k_iB (R_i U_B - v_i) for the motion that was gathered, whole: with the bodies' own one. Only with links.
frz_v4 frz_viscous_bodies_force(const frz_viscous_bodies *bodies, frz_v4 velocity, bool whole, int i);
/// Apply the reactions to bodies at the velocities x (gathered).
void frz_viscous_bodies_react(frz_state *state, const frz_viscous_bodies *bodies, const frz_v4 *x, double dt);
