// SPDX-License-Identifier: MIT
// Answer of points to impulses within a step: through the nodes, as the grid would move them, without stress.
//
// With W the weights of points at nodes, M the masses of nodes and f impulses on points, velocities change by W^T M^-1
// W f: symmetric, never larger than f / m, and nothing where nodes are held. Only points in contact take part.
#pragma once

#include "mpm/substep.h"

typedef struct frz_mpm_give
{
    int count;         ///< points
    int reach;         ///< nodes of a stencil
    int32_t *slot;     ///< by point
    frz_real *mass;    ///< by point, kg
    int32_t *node;     ///< by point and node of its stencil
    frz_real *weight;  ///< the same
    int nodes;         ///< that these reach
    int32_t *begin;    ///< by node, and one more: in from
    int32_t *from;     ///< place in weight
    frz_real *inverse; ///< by node: 1 / mass, 1/kg; 0: it is held
    frz_v4 *wall;      ///< by node: normal along which it is held; zero: none
    frz_v4 *value;     ///< by node: scratch
} frz_mpm_give;

/// At the places of the start of a step, before its first substep. touched: by slot.
FRZ_NODISCARD frz_status frz_mpm_give_make(frz_mpm_run *run, const bool *touched, frz_arena *scratch,
                                           frz_mpm_give *give, frz_diag *diag);

/// field, by slot: in, changes of velocity of the points alone; out, those through the grid.
void frz_mpm_give_apply(const frz_mpm_give *give, frz_v4 *field);
