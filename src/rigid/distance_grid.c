// SPDX-License-Identifier: MIT
// Two levels: coarse blocks with the distance at their centres, and nodes inside the blocks that the surface is near
// to.
#include "rigid/distance_grid.h"

#include "base/memory.h"
#include "geom/shape_internal.h"

enum
{
    block_cells = 8,
    block_nodes = block_cells + 1, // a block holds its upper faces too: no query needs two blocks
    nodes_per_block = block_nodes * block_nodes * block_nodes
};

static const double most_blocks = 5.0e7; ///< coarse blocks: 600 MB

struct frz_distance_grid
{
    frz_vec3 origin;
    double cell;
    int blocks[3];
    float *coarse; ///< distance at the block's centre
    int *first;    ///< number of the block's nodes in fine, or -1
    float *fine;
    int fine_count;
};

void frz_distance_grid_destroy(frz_distance_grid **grid)
{
    if (grid == NULL || *grid == NULL)
        return;
    frz_free((*grid)->coarse);
    frz_free((*grid)->first);
    frz_free((*grid)->fine);
    FRZ_FREE(*grid);
}

static frz_vec3 block_corner(const frz_distance_grid *g, int64_t block)
{
    const double edge = block_cells * g->cell;
    const int64_t x = block % g->blocks[0];
    const int64_t y = block / g->blocks[0] % g->blocks[1];
    const int64_t z = block / g->blocks[0] / g->blocks[1];
    return frz_v3_add(g->origin, frz_v3((double)x * edge, (double)y * edge, (double)z * edge));
}

static int64_t count_blocks(const frz_distance_grid *g)
{
    return (int64_t)g->blocks[0] * g->blocks[1] * g->blocks[2];
}

/// Distances at the centres; blocks that the band may reach are numbered.
static void survey(frz_distance_grid *g, const frz_shape *shape, double band)
{
    const double half = 0.5 * block_cells * g->cell;
    const double reach = band + sqrt(3.0) * half;
    const int64_t count = count_blocks(g);
#pragma omp parallel for schedule(dynamic, 16)
    for (int64_t b = 0; b < count; ++b)
    {
        const frz_vec3 center = frz_v3_add(block_corner(g, b), frz_v3(half, half, half));
        g->coarse[b] = (float)frz_shape_distance(shape, center);
    }
    for (int64_t b = 0; b < count; ++b)
        g->first[b] = fabs((double)g->coarse[b]) <= reach ? g->fine_count++ : -1;
}

static void fill(frz_distance_grid *g, const frz_shape *shape)
{
    const int64_t count = count_blocks(g);
#pragma omp parallel for schedule(dynamic, 4)
    for (int64_t b = 0; b < count; ++b)
    {
        if (g->first[b] < 0)
            continue;
        const frz_vec3 corner = block_corner(g, b);
        float *nodes = &g->fine[(int64_t)g->first[b] * nodes_per_block];
        for (int n = 0; n < nodes_per_block; ++n)
        {
            const int x = n % block_nodes, y = n / block_nodes % block_nodes, z = n / block_nodes / block_nodes;
            nodes[n] =
                (float)frz_shape_distance(shape, frz_v3_add(corner, frz_v3(x * g->cell, y * g->cell, z * g->cell)));
        }
    }
}

frz_status frz_distance_grid_create(const frz_shape *shape, frz_bounds bounds, double cell, double band,
                                    frz_distance_grid **out, frz_diag *diag)
{
    *out = NULL;
    const frz_bounds box = frz_bounds_grow(bounds, band + cell);
    frz_distance_grid *g = FRZ_ALLOC("distance grid", 1, frz_distance_grid);
    if (g == NULL)
        return frz_fail_memory(diag, "the distance grid of a body");
    g->origin = box.min;
    g->cell = cell;
    double total = 1.0;
    for (int axis = 0; axis < 3; ++axis)
    {
        const double extent = frz_v3_get(box.max, axis) - frz_v3_get(box.min, axis);
        const double blocks = ceil(extent / (block_cells * cell));
        total *= blocks;
        g->blocks[axis] = total <= most_blocks ? (int)fmax(blocks, 1.0) : 0;
    }
    if (!(total <= most_blocks))
    {
        frz_distance_grid_destroy(&g);
        return frz_fail(
            diag, FRZ_ERR_SCENE,
            "the distance grid of a body would need %.3g blocks of %g m: make the spacing larger or the body "
            "smaller",
            total, block_cells * cell);
    }
    g->coarse = FRZ_ALLOC("distance grid", count_blocks(g), float);
    g->first = FRZ_ALLOC("distance grid", count_blocks(g), int);
    if (g->coarse != NULL && g->first != NULL)
    {
        survey(g, shape, band);
        g->fine = FRZ_ALLOC("distance grid", (int64_t)g->fine_count * nodes_per_block + 1, float);
    }
    if (g->fine == NULL)
    {
        frz_distance_grid_destroy(&g);
        return frz_fail_memory(diag, "the distance grid of a body");
    }
    fill(g, shape);
    *out = g;
    return FRZ_OK;
}

/// Trilinear interpolation, and its gradient (not normalised).
static double interpolate(const float *nodes, const int at[3], const double f[3], frz_vec3 *gradient)
{
    const float *n = &nodes[at[0] + block_nodes * (at[1] + block_nodes * at[2])];
    double along_x[4], slope_x[4];
    for (int k = 0; k < 4; ++k)
    {
        const int offset = (k & 1) * block_nodes + (k >> 1) * block_nodes * block_nodes;
        slope_x[k] = (double)n[offset + 1] - (double)n[offset];
        along_x[k] = (double)n[offset] + f[0] * slope_x[k];
    }
    const double low = along_x[0] + f[1] * (along_x[1] - along_x[0]);
    const double high = along_x[2] + f[1] * (along_x[3] - along_x[2]);
    gradient->x = (1.0 - f[2]) * (slope_x[0] + f[1] * (slope_x[1] - slope_x[0])) +
                  f[2] * (slope_x[2] + f[1] * (slope_x[3] - slope_x[2]));
    gradient->y = (1.0 - f[2]) * (along_x[1] - along_x[0]) + f[2] * (along_x[3] - along_x[2]);
    gradient->z = high - low;
    return low + f[2] * (high - low);
}

double frz_distance_grid_at(const frz_distance_grid *g, frz_vec3 place, frz_vec3 *normal)
{
    const frz_vec3 d = frz_v3_sub(place, g->origin);
    int block[3], at[3];
    double f[3];
    double outside = 0.0; // how far beyond the grid
    for (int axis = 0; axis < 3; ++axis)
    {
        const double c = frz_v3_get(d, axis) / g->cell;
        const int most = g->blocks[axis] * block_cells - 1;
        const double held = fmin(fmax(c, 0.0), (double)most + 1.0);
        outside += fabs(c - held) * g->cell;
        const int cell = (int)fmin(held, (double)most);
        block[axis] = cell / block_cells;
        at[axis] = cell % block_cells;
        f[axis] = held - (double)cell;
    }
    const int64_t b = block[0] + (int64_t)g->blocks[0] * (block[1] + (int64_t)g->blocks[1] * block[2]);
    if (g->first[b] >= 0)
    {
        const double value = interpolate(&g->fine[(int64_t)g->first[b] * nodes_per_block], at, f, normal);
        *normal = frz_v3_normalize(*normal);
        return value + outside / sqrt(3.0);
    }
    *normal = frz_v3(1.0, 0.0, 0.0);
    const double half_diagonal = 0.5 * sqrt(3.0) * block_cells * g->cell;
    const double coarse = (double)g->coarse[b];
    return copysign(fabs(coarse) - half_diagonal, coarse) + outside / sqrt(3.0);
}
