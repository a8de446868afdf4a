// SPDX-License-Identifier: MIT
#include "space/grid.h"

#include <math.h>
#include <string.h>

#include "base/blocks.h"
#include "base/memory.h"

enum
{
    wide = 8 // candidates are read eight at a time, past the end of a run
};

// far enough to be no neighbour of anything, near enough not to overflow when squared
static const frz_real nowhere = (frz_real)1e15;

// Number the rows of a square of the (y, z) plane along the Morton curve; squares outside the grid are passed over.
static int rank_square(frz_grid *grid, int y, int z, int side, int rank)
{
    if (y >= grid->cells[1] || z >= grid->cells[2])
        return rank;
    if (side == 1)
    {
        grid->row_rank[y + grid->cells[1] * z] = rank;
        return rank + 1;
    }
    const int half = side / 2;
    rank = rank_square(grid, y, z, half, rank);
    rank = rank_square(grid, y + half, z, half, rank);
    rank = rank_square(grid, y, z + half, half, rank);
    return rank_square(grid, y + half, z + half, half, rank);
}

static void rank_rows(frz_grid *grid)
{
    int side = 1;
    while (side < grid->cells[1] || side < grid->cells[2])
        side *= 2;
    const int ranked = rank_square(grid, 0, 0, side, 0);
    FRZ_ASSERT(ranked == grid->row_count);
}

static frz_status fit_axis(frz_grid *grid, int axis, double min, double max, double support, frz_diag *diag)
{
    const double extent = max - min;
    grid->origin[axis] = min;
    if (grid->periodic[axis])
    {
        const double fit = floor(extent / support * (1.0 + 1e-9));
        if (fit < 3.0)
            return frz_fail(
                diag, FRZ_ERR_SCENE,
                "the periodic domain is %g m long along %c, but must hold at least three support radii (%g m)", extent,
                "xyz"[axis], 3.0 * support);
        grid->cells[axis] = (int)fmin(fit, 1e9);
        grid->cell[axis] = extent / grid->cells[axis];
        grid->period[axis] = extent;
        return FRZ_OK;
    }
    grid->cell[axis] = support;
    grid->cells[axis] = (int)fmin(floor(extent / support) + 1.0, 1e9);
    return FRZ_OK;
}

frz_status frz_grid_create(const double min[3], const double max[3], const bool periodic[3], double support,
                           int dimension, int64_t max_cells, frz_grid *out, frz_diag *diag)
{
    memset(out, 0, sizeof *out);
    double edge = support;
    double total = 0.0;
    for (int a = 0; a < 3; ++a)
        out->periodic[a] = a < dimension && periodic[a];
    do
    {
        for (int a = 0; a < dimension; ++a)
            FRZ_TRY(fit_axis(out, a, min[a], max[a], out->periodic[a] ? support : edge, diag));
        if (dimension == 2)
        {
            out->cells[2] = 1;
            out->cell[2] = support;
            out->origin[2] = -0.5 * support;
        }
        total = (double)out->cells[0] * out->cells[1] * out->cells[2];
        edge *= 1.25;
    } while (total > (double)max_cells && edge < 1e6 * support);
    if (total > (double)max_cells)
        return frz_fail(diag, FRZ_ERR_SCENE, "the periodic domain needs %.3g search cells; make the spacing larger",
                        total);
    for (int a = 0; a < 3; ++a)
        out->inverse_cell[a] = 1.0 / out->cell[a];
    out->row_count = out->cells[1] * out->cells[2];
    out->cell_count = (int64_t)total;
    out->row_rank = FRZ_ALLOC("grid", out->row_count, int);
    if (out->row_rank == NULL)
        return frz_fail_memory(diag, "the search grid");
    rank_rows(out);
    return FRZ_OK;
}

void frz_grid_destroy(frz_grid *grid)
{
    FRZ_FREE(grid->row_rank);
}

static frz_status reserve(const frz_grid *grid, int count, frz_cell_list *list, frz_diag *diag)
{
    if (list->start_capacity < grid->cell_count + 1)
    {
        FRZ_FREE(list->start);
        list->start = FRZ_ALLOC("cells", grid->cell_count + 1, int);
        list->start_capacity = grid->cell_count + 1;
    }
    if (list->index == NULL || list->capacity < count)
    {
        // a number that grows once will grow again
        const int room = list->index != NULL ? count + count / 4 : count;
        FRZ_FREE(list->index);
        FRZ_FREE(list->x);
        FRZ_FREE(list->y);
        FRZ_FREE(list->z);
        list->capacity = room;
        list->index = FRZ_ALLOC("cells", room + 1, int);
        list->x = FRZ_ALLOC("cells", room + wide, frz_real);
        list->y = FRZ_ALLOC("cells", room + wide, frz_real);
        list->z = FRZ_ALLOC("cells", room + wide, frz_real);
    }
    if (list->start == NULL || list->index == NULL || list->x == NULL || list->y == NULL || list->z == NULL)
        return frz_fail_memory(diag, "the search grid");
    return FRZ_OK;
}

frz_status frz_cell_list_build(const frz_grid *grid, const frz_v4 *position, int count, frz_cell_list *list,
                               frz_arena *scratch, frz_diag *diag)
{
    FRZ_TRY(reserve(grid, count, list, diag));
    const frz_arena_mark mark = frz_arena_here(scratch);
    int *cell = FRZ_SCRATCH(scratch, count + 1, int);
    if (cell == NULL)
        return frz_fail_memory(diag, "the search grid");
#pragma omp parallel for schedule(static) if (count >= frz_parallel_some)
    for (int i = 0; i < count; ++i)
    {
        const frz_v4 p = position[i];
        cell[i] = frz_grid_cell(grid, frz_grid_coordinate(grid, 0, (double)p[0]),
                                frz_grid_coordinate(grid, 1, (double)p[1]), frz_grid_coordinate(grid, 2, (double)p[2]));
    }
    // serial on purpose: a stable counting sort of an almost sorted list costs about 1 % of a step
    int *start = list->start;
    memset(start, 0, (size_t)(grid->cell_count + 1) * sizeof *start);
    for (int i = 0; i < count; ++i)
        start[cell[i]] += 1;
    int sum = 0;
    for (int64_t c = 0; c <= grid->cell_count; ++c)
    {
        const int here = start[c];
        start[c] = sum;
        sum += here;
    }
    for (int i = 0; i < count; ++i)
        list->index[start[cell[i]]++] = i;
    // each start has moved to its end, which is the next cell's start
    memmove(start + 1, start, (size_t)grid->cell_count * sizeof *start);
    start[0] = 0;
    list->count = count;
    frz_arena_release(scratch, mark);
    return FRZ_OK;
}

void frz_cell_list_fill(frz_cell_list *list, const frz_v4 *position, bool identity)
{
#pragma omp parallel for schedule(static) if (list->count >= frz_parallel_some)
    for (int k = 0; k < list->count; ++k)
    {
        const frz_v4 p = position[identity ? k : list->index[k]];
        list->x[k] = p[0];
        list->y[k] = p[1];
        list->z[k] = p[2];
        if (identity)
            list->index[k] = k;
    }
    for (int k = list->count; k < list->count + wide; ++k)
        list->x[k] = list->y[k] = list->z[k] = nowhere;
}

void frz_cell_list_destroy(frz_cell_list *list)
{
    FRZ_FREE(list->start);
    FRZ_FREE(list->index);
    FRZ_FREE(list->x);
    FRZ_FREE(list->y);
    FRZ_FREE(list->z);
    memset(list, 0, sizeof *list);
}

// Wrap a cell coordinate on a periodic axis. Returns false outside an open axis.
static bool wrap(const frz_grid *grid, int axis, int *coordinate, double *shift)
{
    *shift = 0.0;
    const int n = grid->cells[axis];
    if (*coordinate >= 0 && *coordinate < n)
        return true;
    if (!grid->periodic[axis])
        return false;
    *shift = *coordinate < 0 ? -grid->period[axis] : grid->period[axis];
    *coordinate += *coordinate < 0 ? n : -n;
    return true;
}

static int add_run(const frz_grid *grid, const frz_cell_list *list, int row, int from, int to, const double shift[3],
                   frz_cell_run *runs, int count)
{
    const int base = row * grid->cells[0];
    const int begin = list->start[base + from], end = list->start[base + to + 1];
    if (begin == end)
        return count;
    runs[count].begin = begin;
    runs[count].end = end;
    for (int a = 0; a < 3; ++a)
        runs[count].shift[a] = (frz_real)shift[a];
    return count + 1;
}

int frz_cell_runs(const frz_grid *grid, const frz_cell_list *list, int x, int y, int z, frz_cell_run runs[FRZ_RUN_MAX])
{
    int count = 0;
    if (list->count == 0)
        return 0;
    const int nx = grid->cells[0];
    for (int dz = -1; dz <= 1; ++dz)
        for (int dy = -1; dy <= 1; ++dy)
        {
            double shift[3] = {0.0, 0.0, 0.0};
            int cy = y + dy, cz = z + dz;
            if (!wrap(grid, 1, &cy, &shift[1]) || !wrap(grid, 2, &cz, &shift[2]))
                continue;
            const int row = grid->row_rank[cy + grid->cells[1] * cz];
            const int from = x > 0 ? x - 1 : 0, to = x < nx - 1 ? x + 1 : nx - 1;
            count = add_run(grid, list, row, from, to, shift, runs, count);
            if (grid->periodic[0] && x == 0)
            {
                shift[0] = -grid->period[0];
                count = add_run(grid, list, row, nx - 1, nx - 1, shift, runs, count);
            }
            if (grid->periodic[0] && x == nx - 1)
            {
                shift[0] = grid->period[0];
                count = add_run(grid, list, row, 0, 0, shift, runs, count);
            }
        }
    return count;
}
