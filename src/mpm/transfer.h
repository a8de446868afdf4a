// SPDX-License-Identifier: MIT
// Transfer between points and nodes, with B-splines w of second or third degree (Khadke, eqs. 20 to 28; APIC: Jiang et
// al. 2015, doi:10.1145/2766996).
//
// A point adds to node i
//     w_i (m v + m C (x_i - x)) - dt V0 tau grad w_i,   and w_i m,
// with tau = P F^T the Kirchhoff stress and V0 its volume at rest. Back come v = sum w_i v_i, the gradient L = sum v_i
// grad w_i^T, which deforms it, and C = sum w_i v_i (x_i - x)^T D^-1 with D = dx^2 / 4 (quadratic) or dx^2 / 3 (cubic).
// Mass, momentum and angular momentum are kept to rounding. (With C in place of L and w_i D^-1 (x_i - x) in place of
// grad w_i, as in MLS-MPM, points that move across cells forget their strain: docs/theory.md.)
#pragma once

#include "mpm/mpm_grid.h"

/// Transfer of velocities to points.
typedef enum frz_mpm_transfer
{
    FRZ_MPM_APIC, ///< with their gradient
    FRZ_MPM_FLIP, ///< their changes, mixed with PIC
    FRZ_MPM_PIC,
    FRZ_MPM_AFLIP ///< changes, mixed with APIC (Fei et al. 2021)
} frz_mpm_transfer;

/// Values of a group for its window: momentum, its gradient per cell, and impulse of the stress.
typedef struct frz_mpm_load
{
    frz_w8 momentum[3];
    frz_wide3 slope;
    frz_wide3 push; ///< by the gradients of the splines
} frz_mpm_load;

/// Add a group to a window. Returns whether all its stencils are within it.
bool frz_mpm_scatter(const frz_mpm_grid *grid, const frz_mpm_group *group, const frz_mpm_load *load, frz_v4 *window);

/// Sum the windows into a block of nodes: momentum and mass.
void frz_mpm_reduce(const frz_mpm_grid *grid, int nodes, frz_v4 *to);

/// Copy the nodes that a block's points reach into a window.
void frz_mpm_collect(const frz_mpm_grid *grid, const frz_v4 *node, int block, frz_v4 *window);

/// Velocity at the points of a group, C and L (both or neither may be null), 1/s.
void frz_mpm_gather(const frz_mpm_grid *grid, const frz_mpm_group *group, const frz_v4 *window, frz_w8 v[3],
                    frz_wide3 *affine, frz_wide3 *gradient);

enum
{
    FRZ_MPM_WINDOW_MAX = 9 * 9 * 9 ///< nodes of a window
};

/// 1 / D in cells: 4 or 3.
static inline double frz_mpm_stiffness(int degree)
{
    return degree == 2 ? 4.0 : 3.0;
}
