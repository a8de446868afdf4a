// SPDX-License-Identifier: MIT
// Rigid bodies made of particles in an implicit viscosity; viscosity_bodies.h is for bodies with a shape.
//
// A dashpot between liquid particle i and particle j of body B pulls along their line, q (q . (R_j U_B - v_i)). So the
// body is pulled at x_j, or equivalently at x_i. As in viscosity_bodies.h, the motion of each body is eliminated:
//
//     (1 + M^-1 c K) U = U0 + M^-1 c sum_j R_j^T sum_i q q . v_i,     K = sum_j R_j^T (sum_i q q^T) R_j
//
// and the reduced matrix is symmetric. Particles of bodies are no unknowns: their rows are empty, and the product with
// a vector fills in the velocities of the bodies at their particles.
#pragma once

#include "sim/state.h"

typedef struct frz_viscous_particles
{
    const frz_state *state;   ///< null: no such bodies; all calls do nothing
    double spacing;           ///< m
    double mass_unit;         ///< c, kg
    const uint8_t *phase;     ///< by slot
    frz_mat3 *grip;           ///< by position in the list of driven particles: sum_i q q^T; the caller fills it in
    frz_vec3 *push;           ///< the same: sum_i q q . v_i; the caller fills it in before each gathering
    double (*response)[6][6]; ///< by body: (1 + M^-1 c K)^-1 M^-1 c
    double (*own)[6];         ///< by body: (1 + M^-1 c K)^-1 U0; velocity, and spin times spacing
    double (*motion)[6];      ///< by body: response to the forces gathered last
    frz_v4 *full;             ///< by slot: velocities, those of bodies filled in
} frz_viscous_particles;

/// Allocate the data; scratch memory lives until the caller's release.
FRZ_NODISCARD frz_status frz_viscous_particles_make(const frz_model *model, frz_state *state, double mass_unit,
                                                    frz_viscous_particles *p, frz_diag *diag);

static inline bool frz_viscous_particles_has(const frz_viscous_particles *p, int slot)
{
    return p->state != NULL && p->phase[slot] == FRZ_PHASE_RIGID;
}

/// Response and own motion, once the grips are known.
void frz_viscous_particles_factor(const frz_viscous_particles *p);
/// motion = response to the pushes; whole: plus the own motion.
void frz_viscous_particles_gather(const frz_viscous_particles *p, bool whole);
/// full = velocities x (null: zero) of liquid and solids, those of the bodies' motion at their particles.
void frz_viscous_particles_fill(const frz_viscous_particles *p, const frz_v4 *x);
/// Set motion to the own motion alone.
void frz_viscous_particles_start(const frz_viscous_particles *p);
/// Apply the reactions to bodies; the pushes are those of the solution, and its whole motion is gathered.
void frz_viscous_particles_react(frz_state *state, const frz_viscous_particles *p, double dt);
