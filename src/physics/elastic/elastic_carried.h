// SPDX-License-Identifier: MIT
// Rigid bodies in the implicit step of an elastic body that is attached to them, or whose bonds lead to their particles
// (solid/anchors.c).
//
// A body B that carries particles k of the elastic body adds an unknown to the step, its velocity W = (V, spin) at the
// time t + tau. With T_k the map from W to the velocity at k, and M the mass matrix of the body with the carried
// particles,
//
//     M (W - W*) = tau sum_k T_k^T f_k(x + tau w)          W*: the velocity by all other forces
//
// so that no stiffness of the attachment limits the step, however light the body is. In y with W = W* + S y, S S^T = m
// M^-1 and m the mass of a particle, this is y = (tau / m) S^T sum T_k^T f_k: the rows of bodies look like those of
// particles, the matrix stays symmetric, and y in directions in which a joint holds the body stays zero by itself. Two
// rows stand for a body: of its velocity and of its spin.
#pragma once

#include "physics/elastic/elastic_system.h"

typedef struct frz_elastic_row
{
    int body;
    frz_mat3 shift, turn; ///< S, for velocity and spin
    frz_vec3 velocity, spin;
    frz_v4 y[2];
} frz_elastic_row;

/// The bodies that carry particles of one elastic body.
typedef struct frz_elastic_rows
{
    int count;
    frz_elastic_row *row;
    int carried_count;
    frz_driven **carried; ///< of the elastic body, and its anchors
    int32_t *row_of;      ///< by carried
    int32_t *local;       ///< by carried: its number, from the first of the elastic body; anchors lie outside of it
    int own;              ///< particles of the elastic body
    frz_v4 *start;        ///< by carried: its displacement (in local bodies its position) at the beginning, m
    int32_t *first;       ///< by row, and one more: its first in by_row
    int32_t *by_row;      ///< carried ones row by row
    frz_vec3 *arm;        ///< by carried: its last position, from the body's position
    double tau;           ///< s
} frz_elastic_rows;

/// Rows of an elastic body whose particles have the given mass, for the time tau of a step dt. Scratch memory lives
/// until the caller's release.
FRZ_NODISCARD frz_status frz_elastic_rows_make(frz_state *state, int body, double mass, double tau, double dt,
                                               frz_elastic_rows *out, frz_diag *diag);

/// Velocities of carried particles for the rows' present velocities.
void frz_elastic_rows_velocity(const frz_elastic_rows *rows, frz_v4 *velocity);
/// Their displacements after tau; stores the arms. Arrays count from the first number of the elastic body.
void frz_elastic_rows_place(const frz_elastic_rows *rows, frz_elastic_place *place);
/// The same for a change of the rows, x, linear about the stored arms.
void frz_elastic_rows_vary(const frz_elastic_rows *rows, const frz_v4 *x, frz_elastic_place *place);
/// out = scale S^T sum T^T f, two entries per row, for forces by number in the elastic body.
void frz_elastic_rows_sum(const frz_elastic_rows *rows, const frz_v4 *force, double scale, frz_v4 *out);
/// y of a velocity and spin of the body, without directions in which a joint holds it; and these of y.
void frz_elastic_row_coordinates(const frz_elastic_row *row, frz_vec3 velocity, frz_vec3 spin, frz_v4 y[2]);
void frz_elastic_row_motion(const frz_elastic_row *row, const frz_v4 y[2], frz_vec3 *velocity, frz_vec3 *spin);
/// y += x
void frz_elastic_rows_add(const frz_elastic_rows *rows, const frz_v4 *x);
/// The end of the step (tau = theta dt): velocities of bodies and of the particles that they carry, and the record of
/// forces.
void frz_elastic_rows_finish(frz_state *state, const frz_elastic_rows *rows, const frz_v4 *force, double theta);
