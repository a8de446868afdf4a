// SPDX-License-Identifier: MIT
// Rigid bodies as unknowns of a viscosity that seeks velocities (viscosity_peer2015.c). Behind the particles a vector
// has two rows for each body, velocity V and spin W times the spacing.
//
// Methods that fit velocities to each other have terms k |v_i - v_b - t|^2 / 2 with the velocity of a body's surface,
// v_b = V + W x a. Their derivatives by v_i, V and W are
//
//     k (v_i - v_b - t),     -k (v_i - v_b - t),     -a x k (v_i - v_b - t)
//
// so that the matrix stays symmetric, and with the masses of particles and bodies as preconditioner momentum is kept:
// the first two cancel. All samples of a body near a particle are one term, a their mean place.
#pragma once

#include "physics/viscosity/viscosity_bodies.h"

typedef struct frz_viscous_rows
{
    const frz_body_links *links; ///< null: no movable body; all calls do nothing
    const frz_state *state;
    int first; ///< row of the first body: number of the particles
    int count; ///< of all rows
    double spacing;
    double mass_unit;          ///< unit of the masses of particles, kg
    frz_real *grip;            ///< by link: k
    frz_v4 *arm;               ///< by link: a over the spacing, times k until all samples are in
    frz_v4 *wanted;            ///< by link: k t
    frz_viscous_motion *piece; ///< scratch by piece of links
} frz_viscous_rows;

/// Rows for all bodies behind the particles; grips are zero. Scratch memory lives until the caller's release.
FRZ_NODISCARD frz_status frz_viscous_rows_make(const frz_model *model, frz_state *state, double mass_unit,
                                               frz_viscous_rows *rows, frz_diag *diag);

/// The link of particle i with a body; -1: it is immovable.
int frz_viscous_rows_link(const frz_viscous_rows *rows, int i, int body);

/// A sample of its body with this weight, from whose surface it is `away` to the particle, m.
void frz_viscous_rows_add(const frz_viscous_rows *rows, int link, frz_real weight, frz_v4 away);
/// All samples of particle i are in.
void frz_viscous_rows_close(const frz_viscous_rows *rows, int i);

/// Velocity of a link's surface, bodies moving as they did at the start of the step, and by the rows of x.
frz_v4 frz_viscous_rows_before(const frz_viscous_rows *rows, int link);

/// sum k (x_i - v_b(x)) of particle i.
frz_v4 frz_viscous_rows_pull(const frz_viscous_rows *rows, const frz_v4 *x, int i);
/// The rows of the bodies in the product with x.
void frz_viscous_rows_apply(const frz_viscous_rows *rows, const frz_v4 *x, frz_v4 *out);
/// The targets k t as the right-hand side of the bodies' rows.
void frz_viscous_rows_source(const frz_viscous_rows *rows, frz_v4 *out);
/// Velocities and spins at the start of the step.
void frz_viscous_rows_start(const frz_viscous_rows *rows, frz_v4 *out);
/// out = c M^-1 x
void frz_viscous_rows_divide(const frz_viscous_rows *rows, const frz_v4 *x, frz_v4 *out);
/// Bodies take the change x of their motion, on record.
void frz_viscous_rows_move(frz_state *state, const frz_viscous_rows *rows, const frz_v4 *x, double dt);
