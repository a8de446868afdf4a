// SPDX-License-Identifier: MIT
// Between points and nodes: MLS-MPM with APIC (Hu et al. 2018, doi:10.1145/3197517.3201293; Jiang et al. 2015,
// doi:10.1145/2766996).
//
// A point adds to node i
//     w_i (m v + (m C - dt V0 tau D^-1) (x_i - x)),   w_i m,
// with tau = P F^T the Kirchhoff stress, V0 its volume at rest, and D = dx^2 / 4 (quadratic) or dx^2 / 3 (cubic). Back
// come v = sum w_i v_i and C = sum w_i v_i (x_i - x)^T D^-1. Mass, momentum and angular momentum are kept to rounding.
#pragma once

#include "mpm/mpm_grid.h"

/// How velocities come back to points.
typedef enum frz_mpm_transfer
{
    FRZ_MPM_APIC, ///< with their gradient
    FRZ_MPM_FLIP, ///< their changes, mixed with PIC
    FRZ_MPM_PIC
} frz_mpm_transfer;

/// Values of a group that it adds to its window: momentum, and how that grows per cell.
typedef struct frz_mpm_load
{
    frz_w8 momentum[3];
    frz_wide3 slope;
} frz_mpm_load;

/// Add a group to a window. Returns whether all its stencils are within it.
bool frz_mpm_scatter(const frz_mpm_grid *grid, const frz_mpm_group *group, const frz_mpm_load *load, frz_v4 *window);

/// Sum the windows into a block of nodes: momentum and mass.
void frz_mpm_reduce(const frz_mpm_grid *grid, int nodes, frz_v4 *to);

/// Copy the nodes that a block's points reach into a window.
void frz_mpm_collect(const frz_mpm_grid *grid, const frz_v4 *node, int block, frz_v4 *window);

/// Velocity at the points of a group, and its gradient (null: not asked), 1/s.
void frz_mpm_gather(const frz_mpm_grid *grid, const frz_mpm_group *group, const frz_v4 *window, frz_w8 v[3],
                    frz_wide3 *gradient);

enum
{
    FRZ_MPM_WINDOW_MAX = 9 * 9 * 9 ///< nodes of a window
};

/// 1 / D in cells: 4 or 3.
static inline double frz_mpm_stiffness(int degree)
{
    return degree == 2 ? 4.0 : 3.0;
}
