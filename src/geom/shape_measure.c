// SPDX-License-Identifier: MIT
// Measures of whole shapes: volume by integration, thinnest wall.
#include "geom/shape_internal.h"

enum
{
    block_count_axis = 16, ///< blocks along each axis, the unit of parallel work
    block_depth = 3,       ///< halvings inside a block: 128 cells along each axis where the surface passes
    block_depth_2d = 6,    ///< 1024 cells along each axis
    thickness_blocks = 8,  ///< along each axis, of the grid from which surface points are sought
    thickness_side = 5,    ///< cells of such a block along each axis
    thickness_blocks_2d = 16,
    thickness_side_2d = 16,
    newton_steps = 4,
    march_steps = 100
};

// ---- volume

/// Filled volume of a cell. A distance is never larger than the true one, so a cell is full or empty as soon as
/// its centre is further from the surface than its corners are from the centre.
static double cell_volume(const frz_shape *shape, frz_vec3 center, frz_vec3 half, int dimension, int depth)
{
    const double volume = dimension == 2 ? 4.0 * half.x * half.y : 8.0 * half.x * half.y * half.z;
    const double distance = frz_shape_distance(shape, center);
    const double radius = frz_v3_length(half);
    if (distance >= radius)
        return 0.0;
    if (distance <= -radius)
        return volume;
    if (depth == 0) // a plane across the cell, to first order
    {
        const double width = dimension == 2 ? sqrt(volume) : cbrt(volume);
        return volume * fmin(fmax(0.5 - distance / width, 0.0), 1.0);
    }
    const frz_vec3 quarter = frz_v3_scale(0.5, half);
    double sum = 0.0;
    for (int corner = 0; corner < (dimension == 2 ? 4 : 8); ++corner)
    {
        const frz_vec3 shift = {(corner & 1) ? quarter.x : -quarter.x, (corner & 2) ? quarter.y : -quarter.y,
                                dimension == 2 ? 0.0
                                : (corner & 4) ? quarter.z
                                               : -quarter.z};
        sum += cell_volume(shape, frz_v3_add(center, shift), quarter, dimension, depth - 1);
    }
    return sum;
}

static double integrate(const frz_shape *shape, int dimension)
{
    const frz_bounds bounds = shape->bounds;
    const int n = block_count_axis;
    const int layers = dimension == 2 ? 1 : n;
    const int depth = dimension == 2 ? block_depth_2d : block_depth;
    double sums[block_count_axis * block_count_axis * block_count_axis];
    frz_vec3 half = frz_v3_scale(0.5 / n, frz_v3_sub(bounds.max, bounds.min));
    if (dimension == 2)
        half.z = 0.0;
#pragma omp parallel for schedule(dynamic)
    for (int block = 0; block < n * n * layers; ++block)
    {
        const int i = block % n;
        const int j = block / n % n;
        const int k = block / (n * n);
        const frz_vec3 center = {bounds.min.x + (2 * i + 1) * half.x, bounds.min.y + (2 * j + 1) * half.y,
                                 dimension == 2 ? 0.0 : bounds.min.z + (2 * k + 1) * half.z};
        sums[block] = cell_volume(shape, center, half, dimension, depth);
    }
    double total = 0.0;
    for (int block = 0; block < n * n * layers; ++block)
        total += sums[block];
    return total;
}

double frz_shape_volume(const frz_shape *shape, int dimension)
{
    const frz_shape_class *class = frz_shape_class_of(shape);
    const double exact = class->volume != NULL ? class->volume(shape, dimension) : -1.0;
    if (exact >= 0.0)
        return exact;
    if (frz_bounds_is_empty(shape->bounds, dimension))
        return 0.0;
    return frz_bounds_is_finite(shape->bounds, dimension) ? integrate(shape, dimension) : HUGE_VAL;
}

// ---- thickness

/// Unit normal in the plane z = 0 for 2D.
static frz_vec3 flat_normal(const frz_shape *shape, frz_vec3 point, int dimension)
{
    frz_vec3 n = frz_shape_normal(shape, point);
    if (dimension == 2)
    {
        n.z = 0.0;
        n = frz_v3_normalize(n);
    }
    return n;
}

/// Thickness under the surface point next to point, or limit.
static double thickness_near(const frz_shape *shape, frz_vec3 point, int dimension, double limit)
{
    const double tolerance = 1.0e-6 * limit;
    const double facing = 0.7; // cosine: the far side must face the near one, or any wedge would be thin at its edge
    double distance = frz_shape_distance(shape, point);
    for (int step = 0; step < newton_steps && fabs(distance) > tolerance; ++step)
    {
        point = frz_v3_mad(point, -distance, flat_normal(shape, point, dimension));
        distance = frz_shape_distance(shape, point);
    }
    if (fabs(distance) > tolerance)
        return limit;
    const double start = 1.0e-3 * limit;
    const frz_vec3 normal =
        flat_normal(shape, frz_v3_mad(point, start, flat_normal(shape, point, dimension)), dimension);
    double depth = start;
    for (int step = 0; step < march_steps && depth < limit; ++step)
    {
        const frz_vec3 p = frz_v3_mad(point, -depth, normal);
        const double d = frz_shape_distance(shape, p);
        if (d >= -tolerance)
        {
            if (step == 0 || frz_v3_dot(flat_normal(shape, p, dimension), normal) > -facing)
                return limit;
            return depth;
        }
        depth += fmax(-d, tolerance);
    }
    return limit;
}

/// The grid from whose cells next to the surface thickness is looked for, in blocks.
typedef struct thickness_grid
{
    const frz_shape *shape;
    frz_vec3 corner, cell;
    int dimension, side; // side: cells of a block along each axis
    double limit;
} thickness_grid;

/// Centre of a cuboid of cells from i, j, k on, size along each axis.
static frz_vec3 cuboid_center(const thickness_grid *grid, const int at[3], int size)
{
    const double half = 0.5 * size;
    return (frz_vec3){grid->corner.x + (at[0] + half) * grid->cell.x, grid->corner.y + (at[1] + half) * grid->cell.y,
                      grid->dimension == 2 ? 0.0 : grid->corner.z + (at[2] + half) * grid->cell.z};
}

/// A cuboid is left out as a whole if the surface cannot pass through it: a distance is never larger than the true one.
static bool may_hold_surface(const thickness_grid *grid, frz_vec3 center, int size)
{
    return fabs(frz_shape_distance(grid->shape, center)) <= 0.5 * size * frz_v3_length(grid->cell);
}

static double thickness_in_block(const thickness_grid *grid, const int first[3])
{
    double thinnest = grid->limit;
    if (!may_hold_surface(grid, cuboid_center(grid, first, grid->side), grid->side))
        return thinnest;
    for (int k = 0; k < (grid->dimension == 2 ? 1 : grid->side); ++k)
        for (int j = 0; j < grid->side; ++j)
            for (int i = 0; i < grid->side; ++i)
            {
                const frz_vec3 p = cuboid_center(grid, (int[]){first[0] + i, first[1] + j, first[2] + k}, 1);
                if (may_hold_surface(grid, p, 1))
                    thinnest = fmin(thinnest, thickness_near(grid->shape, p, grid->dimension, grid->limit));
            }
    return thinnest;
}

double frz_shape_min_thickness(const frz_shape *shape, int dimension, double limit)
{
    if (shape->kind == FRZ_SHAPE_CAPSULE || (shape->kind == FRZ_SHAPE_SPHERE && dimension == 3))
        return fmin(limit, 2.0 * shape->u.round.radius_a);
    const double reach = 50.0 * limit; // part of an unbounded shape that is sampled
    frz_bounds window = {{-reach, -reach, -reach}, {reach, reach, reach}};
    for (int axis = 0; axis < 3; ++axis)
    {
        if (isfinite(frz_v3_get(shape->bounds.min, axis)))
            frz_v3_set(&window.min, axis, frz_v3_get(shape->bounds.min, axis));
        if (isfinite(frz_v3_get(shape->bounds.max, axis)))
            frz_v3_set(&window.max, axis, frz_v3_get(shape->bounds.max, axis));
    }
    const int n = dimension == 2 ? thickness_blocks_2d : thickness_blocks;
    const int side = dimension == 2 ? thickness_side_2d : thickness_side;
    frz_vec3 cell = frz_v3_scale(1.0 / (n * side), frz_v3_sub(window.max, window.min));
    if (dimension == 2)
        cell.z = 0.0;
    const thickness_grid grid = {shape, window.min, cell, dimension, side, limit};
    const int blocks = dimension == 2 ? n * n : n * n * n;
    double thinnest = limit;
#pragma omp parallel for schedule(dynamic, 4) reduction(min : thinnest) // a minimum does not depend on the order
    for (int block = 0; block < blocks; ++block)
    {
        const int first[3] = {block % n * side, block / n % n * side, block / (n * n) * side};
        thinnest = fmin(thinnest, thickness_in_block(&grid, first));
    }
    return thinnest;
}
