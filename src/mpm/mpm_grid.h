// SPDX-License-Identifier: MIT
// The sparse grid of the material point method: blocks of 4^d nodes where there are points, and around them.
//
// A block of cells owns the points whose stencil begins in it at the start of the step. In a step a point moves by
// less than a cell, so that its stencil stays within the block's window: the nodes -1 .. 6 along each axis (7 with
// cubic splines). Points add to a copy of the window that belongs to their block alone; then each block of nodes
// gathers from the windows around it, in a fixed order. Nothing is added atomically, and sums have the same bits for
// any number of threads.
//
// All memory is scratch of a step.
#pragma once

#include "base/arena.h"
#include "base/fail.h"
#include "mpm/points.h"

enum
{
    FRZ_MPM_EDGE = 4,   ///< nodes of a block along an axis
    FRZ_MPM_NEAR = 27,  ///< blocks around one, itself included
    FRZ_MPM_MARGIN = 1, ///< nodes of a window before the block's first
    FRZ_MPM_MATERIALS = 256
};

typedef struct frz_mpm_space
{
    int dimension;     ///< 2 or 3
    int degree;        ///< of the splines: 2 or 3
    double cell[3];    ///< distance of nodes, m
    double origin[3];  ///< a node, m
    int32_t period[3]; ///< blocks of a period; 0: open
} frz_mpm_space;

/// Cells with points.
typedef struct frz_mpm_block
{
    int32_t at[3];
    int32_t first, end;         ///< groups
    int32_t near[FRZ_MPM_NEAR]; ///< blocks of nodes that its window overlaps, by offset
    double friction;            ///< Coulomb coefficient of its points, on average
} frz_mpm_block;

/// Nodes.
typedef struct frz_mpm_nodes
{
    int32_t at[3];
    int32_t from[FRZ_MPM_NEAR];   ///< blocks of cells whose window overlaps it, by the offset from there; -1: none
    int32_t contact, contact_end; ///< its contacts with obstacles
} frz_mpm_nodes;

typedef struct frz_mpm_grid
{
    frz_mpm_space space;
    int window;       ///< nodes of a window along an axis
    int window_nodes; ///< in total
    int block_nodes;  ///< 4^d
    int block_count;
    frz_mpm_block *block;
    int group_count;
    frz_mpm_group *group; ///< of one block after the other
    int nodes_count;
    frz_mpm_nodes *nodes;
    frz_v4 *spread;            ///< windows of the blocks: momentum and mass
    frz_v4 *node;              ///< of the blocks of nodes: velocity and mass
    frz_v4 *before;            ///< velocities without forces; null: not needed
    bool weighed;              ///< frz_mpm_weigh was called
    frz_arena_mark groups_end; ///< of the scratch memory: data behind it is not needed after the last substep
    double dt;                 ///< of the step, s
    double speed;              ///< of the fastest point, m/s
} frz_mpm_grid;

/// Overlap of a window with a neighbour along an axis: first node in the window and in the block, and their number.
typedef struct frz_mpm_overlap
{
    int window, block, count;
} frz_mpm_overlap;

static inline frz_mpm_overlap frz_mpm_overlap_of(int offset, int window)
{
    if (offset < 0)
        return (frz_mpm_overlap){0, FRZ_MPM_EDGE - FRZ_MPM_MARGIN, FRZ_MPM_MARGIN};
    if (offset == 0)
        return (frz_mpm_overlap){FRZ_MPM_MARGIN, 0, FRZ_MPM_EDGE};
    return (frz_mpm_overlap){FRZ_MPM_MARGIN + FRZ_MPM_EDGE, 0, window - FRZ_MPM_MARGIN - FRZ_MPM_EDGE};
}

/// First node of the stencil of a coordinate in cells.
static inline double frz_mpm_base(int degree, double coordinate)
{
    return degree == 2 ? __builtin_floor(coordinate - 0.5) : __builtin_floor(coordinate) - 1.0;
}

/// Sort the points into blocks and make all blocks with their neighbours. slot: of the points; they are sorted.
/// position, material: by slot. Groups get slot, count, material and place; the other members are zero.
FRZ_NODISCARD frz_status frz_mpm_grid_build(const frz_mpm_space *space, const frz_v4 *position, const uint8_t *material,
                                            int32_t *slot, int count, frz_arena *scratch, frz_mpm_grid *grid,
                                            frz_diag *diag);

/// Position of a node of a block, m.
static inline double frz_mpm_node_place(const frz_mpm_grid *grid, const frz_mpm_nodes *nodes, int axis, int n)
{
    return grid->space.origin[axis] + grid->space.cell[axis] * ((double)nodes->at[axis] * FRZ_MPM_EDGE + (double)n);
}

/// Node (i, j, k) of a block.
static inline int frz_mpm_node_index(int i, int j, int k)
{
    return (k * FRZ_MPM_EDGE + j) * FRZ_MPM_EDGE + i;
}
