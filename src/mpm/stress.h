// SPDX-License-Identifier: MIT
// Stress of material points: any law of src/law point by point in double precision; sand and the default law eight
// points at once.
#pragma once

#include "law/plastic_return.h"
#include "mpm/points.h"

typedef struct frz_mpm_material
{
    frz_elastic elastic;
    frz_yield yield;
    bool is_common; ///< its law is neo_hookean_log without plane stress, which is done eight points at once
    double density; ///< at rest, kg/m^3
    double volume;  ///< of a point at rest, m^d
    double damping; ///< 1/s
} frz_mpm_material;

/// The stretch V of F = V R of a point: the square root of F F^T.
frz_mat3 frz_mpm_stretch(const frz_mpm_group *group, int lane);

/// Plastic flow of the points of a group for dt seconds; computes their Kirchhoff stress P F^T, Pa.
void frz_mpm_stress(const frz_mpm_material *material, double dt, frz_mpm_group *group, frz_wide3 *tau);

/// Elastic energy of the points of a group after plastic flow, J each; changes nothing.
frz_w8 frz_mpm_energy(const frz_mpm_material *material, const frz_mpm_group *group);

/// Square of the speed of the fastest wave at the present deformation of any point of a group, m^2/s^2.
double frz_mpm_wave_square(const frz_mpm_material *material, const frz_mpm_group *group);
