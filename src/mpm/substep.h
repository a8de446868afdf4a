// SPDX-License-Identifier: MIT
// One substep of the material point method: points to nodes, nodes against bodies, nodes to points.
#pragma once

#include "mpm/collide.h"
#include "mpm/stress.h"
#include "mpm/transfer.h"

typedef struct frz_mpm_run
{
    frz_mpm_grid grid;
    const frz_mpm_material *materials; ///< by material of a group
    frz_mpm_obstacle *obstacles;
    int obstacle_count;
    frz_mpm_contacts contacts;
    frz_mpm_transfer transfer;
    double flip_share;                 ///< of FLIP in the mix with PIC, in a step
    double kept;                       ///< the same in a substep
    struct frz_mpm_implicit *implicit; ///< null: explicit, stress at the start of a substep
} frz_mpm_run;

/// FRZ_ERR_DIVERGED if a point leaves its window; *culprit is then its slot.
FRZ_NODISCARD frz_status frz_mpm_substep(frz_mpm_run *run, double dt, int *culprit, frz_diag *diag);

/// Masses of nodes, and instead of their velocities the mean vector from a node to the points that reach it, m.
FRZ_NODISCARD frz_status frz_mpm_weigh(frz_mpm_run *run, frz_diag *diag);

/// The end of a step: move points that are inside walls thinner than a cell and a half, which may have no node in the
/// wall, back to the surface, and remove their velocity into it. The same in thicker walls with points deeper than half
/// a cell, and with points that have passed the middle of a wall within the step.
void frz_mpm_catch(frz_mpm_run *run);
