// SPDX-License-Identifier: MIT
// Plastic flow as pure functions of the elastic deformation gradient alone: they map a deformation beyond yield to one
// on the yield surface. For methods without a reference state. Each model keeps one number per particle, its memory.
#pragma once

#include <math.h>

#include "law/plastic.h"

typedef enum frz_yield_kind
{
    FRZ_YIELD_NEVER,          ///< elastic
    FRZ_YIELD_VON_MISES,      ///< law/plastic.h; memory: equivalent plastic strain
    FRZ_YIELD_DRUCKER_PRAGER, ///< memory: logarithm of the volume ratio of its dilation
    FRZ_YIELD_SNOW            ///< memory: logarithm of the plastic volume ratio Jp
} frz_yield_kind;

/// Sand (Klar et al. 2016): shear stress up to slope times the pressure, no tension. Its law is Hencky's. Where grains
/// have a size, friction grows with the inertial number I = rate of shear * diameter / sqrt(pressure / density of
/// grains) (Jop, Forterre & Pouliquen 2006): slope + rise / (1 + middle / I).
typedef struct frz_drucker_prager
{
    double slope;   ///< |deviator of tau| over pressure, see frz_drucker_prager_slope; of slow flow
    double tension; ///< mean stress at which it separates, Pa; 0 without cohesion
    double rise;    ///< of the slope from slow to fast flow; 0: friction does not depend on the rate
    double inertia; ///< I of half of the rise over diameter and root of the density of grains
} frz_drucker_prager;

/// Times the step, the shear modulus and the root of the pressure: the stress that flow takes away in a step at half of
/// the rise.
static inline double frz_drucker_prager_half(const frz_drucker_prager *sand, double mu, double dt)
{
    return sand->rise > 0.0 ? sqrt(2.0) * mu * dt * sand->inertia : 0.0;
}

/// Snow (Stomakhin et al. 2013): stretches within limits; stiffer after compression.
typedef struct frz_snow
{
    double compression, stretch; ///< critical ones
    double hardening;
    double hardest; ///< largest factor of the stiffness
} frz_snow;

typedef struct frz_yield
{
    frz_yield_kind kind;
    frz_plastic_multiplicative von_mises;
    frz_drucker_prager sand;
    frz_snow snow;
} frz_yield;

/// The slope for a friction angle (rad): tan(angle) is shear stress over pressure in shear flow, as on a slope or in a
/// shear cell (Jop, Forterre & Pouliquen 2006). Shear without change of volume makes the three normal stresses equal,
/// so that |deviator| = sqrt(2) tan(angle) p. (Mohr and Coulomb's cone of triaxial compression would let sand in space
/// bear slopes that are steeper than the angle; their plane one would let layers slide on flatter ones, since its flow
/// has a ratio of sin(angle) only: Davis 1968.)
double frz_drucker_prager_slope(double angle);

/// Let it flow for dt seconds.
frz_mat3 frz_yield_flow(const frz_yield *yield, const frz_elastic *elastic, frz_mat3 fe, double dt, double *memory);

/// Factor of the law's stiffness.
double frz_yield_hardness(const frz_yield *yield, double memory);
