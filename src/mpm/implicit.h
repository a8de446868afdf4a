// SPDX-License-Identifier: MIT
// An implicit step of material points: velocities v of nodes at the end of the step that make
//
//     E(v) = sum_i m_i |v_i - v*_i|^2 / 2 + sum_p V_p psi((I + dt grad v) F_p)
//
// stationary, with v* their velocities by all forces but stress, psi the energy of the law and gradients of the splines
// as they are at the start of the step: backward Euler, on the grid (Stomakhin et al. 2013, sec. 7; Gast et al. 2015).
// Newton's method with the laws' tangents; its linear systems, m + dt^2 K, are solved by conjugate gradients without a
// matrix, and E never grows in an iteration. Nodes in walls keep their normal velocity as long as the wall pushes; then
// friction takes at most mu times that push.
#pragma once

#include "mpm/substep.h"

enum
{
    FRZ_MPM_NEWTON_MAX = 30
};

typedef struct frz_mpm_implicit
{
    frz_arena *scratch;
    double tolerance;      ///< of the velocities, m/s
    int newton, conjugate; ///< iterations so far
} frz_mpm_implicit;

/// Change the velocities of the grid's nodes, v*, to v. Points must be elastic, and bodies that touch them immovable.
/// FRZ_ERR_DIVERGED if it does not converge.
FRZ_NODISCARD frz_status frz_mpm_implicit_solve(frz_mpm_run *run, double dt, frz_diag *diag);

/// For tests: dt sum_p V_p P((I + dt grad v) F) F^T grad w at the nodes (out), and sum_p V_p psi. With change: instead
/// of the first its derivative along that change of v.
FRZ_NODISCARD frz_status frz_mpm_implicit_force(frz_mpm_run *run, double dt, const frz_v4 *v, const frz_v4 *change,
                                                frz_v4 *out, double *energy, frz_diag *diag);
