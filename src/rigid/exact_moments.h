// SPDX-License-Identifier: MIT
// Mass, centre of mass and inertia of a body made of particles, as sums of integers.
//
// Integers add and subtract exactly, so that removing a particle gives the bits of a sum without it, in any order.
// Every particle is a cube with a side of one spacing: a box filled by a lattice has the inertia of the box, and a
// single particle has one too.
#pragma once

#include <stdint.h>

#include "rigid/rigid_body.h"

__extension__ typedef __int128 frz_int128;

/// Sums over particles of m, m r and m r r^T, in units; r: places from the frame of the body, its axes.
typedef struct frz_exact_moments
{
    frz_int128 mass, first[3];
    frz_int128 second[6]; ///< xx, yy, zz, xy, xz, yz
    int64_t count;        ///< of particles
} frz_exact_moments;

/// Units of the integers, as powers of two: the same for all bodies whose moments are merged.
typedef struct frz_moment_units
{
    int mass, first, second; ///< exponents, of kg, kg m and kg m^2
    double spacing;          ///< m; side of a particle
} frz_moment_units;

/// Inertia of a cube (in the plane: of a square) about its centre, any axis, kg m^2.
static inline double frz_cube_inertia(double mass, double side)
{
    return mass * side * side / 6.0;
}

/// Units for particles of a mass up to largest_mass at places with coordinates up to largest_extent (m): terms are then
/// rounded at 2^-80 of the largest one, and most_particles of them cannot overflow. Fails if there are no such units.
FRZ_NODISCARD frz_status frz_moment_units_make(double largest_mass, double largest_extent, int64_t most_particles,
                                               double spacing, frz_moment_units *out, frz_diag *diag);

/// Add a particle, or remove one that is in the sum, with the same mass and position.
void frz_moments_add(frz_exact_moments *moments, const frz_moment_units *units, double mass, frz_vec3 place);
void frz_moments_remove(frz_exact_moments *moments, const frz_moment_units *units, double mass, frz_vec3 place);
/// Particles of another body counted from the same frame.
void frz_moments_merge(frz_exact_moments *moments, const frz_exact_moments *other);

/// Of at least one particle. In two dimensions the inertia has its zz entry only.
frz_mass_properties frz_moments_properties(const frz_exact_moments *moments, const frz_moment_units *units,
                                           int dimension);
