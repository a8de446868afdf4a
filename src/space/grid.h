// SPDX-License-Identifier: MIT
// Uniform cell grid with cells of one support radius.
//
// Cells are numbered row by row: x runs along a row, and the rows (y, z) follow a Morton curve, so that particles
// sorted by cell have their neighbours close in memory while the three cells at x-1, x, x+1 are still one contiguous
// run. A search around a particle is therefore at most 9 runs (3 in 2D), split further only at periodic seams.
#pragma once

#include "base/arena.h"
#include "base/fail.h"
#include "base/simd.h"

/// Geometry of the cells; shared by all roles. A pure function of its inputs, saved with checkpoints.
typedef struct frz_grid
{
    double origin[3];
    double inverse_cell[3]; ///< 1 / cell
    double cell[3];         ///< edge length, >= support; on periodic axes a whole number of cells fills the period
    int cells[3];           ///< 1 along z in 2D
    bool periodic[3];
    double period[3]; ///< length of the domain on periodic axes, else 0
    int *row_rank;    ///< [y + cells[1] * z] -> number of the row along the Morton curve
    int row_count;
    int64_t cell_count;
} frz_grid;

/// Particles of one role in cell order, one array per coordinate for wide loads (padded behind the end).
typedef struct frz_cell_list
{
    int count;
    int capacity;
    int *start; ///< [cell_count + 1]
    int64_t start_capacity;
    int *index; ///< slot in the store of the k-th particle in cell order; -1 once it has been removed
    frz_real *x, *y, *z;
} frz_cell_list;

/// Grid over [min, max]. Cells are made larger than the support where the box would need more than max_cells: searches
/// stay correct, but get slower. Fails with a message if a periodic axis is shorter than three support radii.
FRZ_NODISCARD frz_status frz_grid_create(const double min[3], const double max[3], const bool periodic[3],
                                         double support, int dimension, int64_t max_cells, frz_grid *out,
                                         frz_diag *diag);
void frz_grid_destroy(frz_grid *grid);

/// Cell coordinate along an axis; positions outside fall into the border cells. (Clamping never takes two positions
/// further apart, so a search finds every neighbour at any positions; the grid only has to fit for speed.) A NaN falls
/// into the first cell, and is reported at the end of the step.
static inline int frz_grid_coordinate(const frz_grid *grid, int axis, double position)
{
    const double c = (position - grid->origin[axis]) * grid->inverse_cell[axis];
    const int last = grid->cells[axis] - 1;
    return c >= (double)last ? last : c > 0.0 ? (int)c : 0;
}

/// A difference of positions, reduced to the nearest periodic image.
static inline frz_v4 frz_minimum_image(const frz_grid *grid, frz_v4 difference)
{
    for (int a = 0; a < 3; ++a)
    {
        const frz_real period = (frz_real)grid->period[a];
        if (grid->periodic[a] && difference[a] > period / 2)
            difference[a] -= period;
        else if (grid->periodic[a] && difference[a] < -period / 2)
            difference[a] += period;
    }
    return difference;
}

static inline int frz_grid_cell(const frz_grid *grid, int x, int y, int z)
{
    return grid->row_rank[y + grid->cells[1] * z] * grid->cells[0] + x;
}

static inline int frz_grid_cell_at(const frz_grid *grid, frz_v4 x)
{
    return frz_grid_cell(grid, frz_grid_coordinate(grid, 0, (double)x[0]), frz_grid_coordinate(grid, 1, (double)x[1]),
                         frz_grid_coordinate(grid, 2, (double)x[2]));
}

/// Count-sort particles into cells: fills start and index (stable). position points at the role's first particle;
/// index holds slots relative to it. fill_coordinates then copies coordinates, which lets the store be permuted
/// between.
FRZ_NODISCARD frz_status frz_cell_list_build(const frz_grid *grid, const frz_v4 *position, int count,
                                             frz_cell_list *list, frz_arena *scratch, frz_diag *diag);
/// Copy coordinates in cell order; with identity the particles are already in cell order.
void frz_cell_list_fill(frz_cell_list *list, const frz_v4 *position, bool identity);
void frz_cell_list_destroy(frz_cell_list *list);

/// One contiguous run of candidates for the particles of a cell.
typedef struct frz_cell_run
{
    int begin, end;
    frz_real shift[3]; ///< added to the candidate's coordinates (periodic images)
} frz_cell_run;

enum
{
    FRZ_RUN_MAX = 27
};

/// The runs of candidates around cell (x, y, z) in a list; empty ones are left out. Returns their number.
int frz_cell_runs(const frz_grid *grid, const frz_cell_list *list, int x, int y, int z, frz_cell_run runs[FRZ_RUN_MAX]);
/// The same around a point.
static inline int frz_cell_runs_at(const frz_grid *grid, const frz_cell_list *list, const frz_real at[3],
                                   frz_cell_run runs[FRZ_RUN_MAX])
{
    return frz_cell_runs(grid, list, frz_grid_coordinate(grid, 0, (double)at[0]),
                         frz_grid_coordinate(grid, 1, (double)at[1]), frz_grid_coordinate(grid, 2, (double)at[2]),
                         runs);
}
