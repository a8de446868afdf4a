// SPDX-License-Identifier: MIT
// Walls: solids that the liquid ends at. Near them a part of every kernel lies in the solid (its shade); sums divided
// by the rest go on into the wall as if it were liquid where the liquid is, and are cut by the exact distance.
#include <math.h>

#include "surface/iso_internal.h"

enum
{
    solid_cube = 8,                        // cells along an edge of the cubes that the solid is looked at in
    wet_bricks = ISO_NODES / ISO_BRICK + 1 // along the nodes of a block
};

static const double far = 1.0e6; // cells: no wall within reach

static double wall_distance(const frz_surface_wall *wall, frz_vec3 x)
{
    return frz_shape_distance(wall->shape,
                              frz_quat_rotate(frz_quat_conjugate(wall->rotation), frz_v3_sub(x, wall->position)));
}

double frz_iso_walls_distance(const frz_iso_field *field, frz_vec3 point)
{
    double least = HUGE_VAL;
    for (int w = 0; w < field->wall_count; ++w)
        least = fmin(least, wall_distance(&field->walls[w], point));
    return least;
}

/// Distance to the ends of a periodic domain, positive inside.
static double domain_distance(const frz_iso_field *field, frz_vec3 x)
{
    const frz_bounds d = field->domain;
    double least = HUGE_VAL;
    if (field->periodic & 1u)
        least = fmin(least, fmin(x.x - d.min.x, d.max.x - x.x));
    if (field->periodic & 2u)
        least = fmin(least, fmin(x.y - d.min.y, d.max.y - x.y));
    if (field->periodic & 4u)
        least = fmin(least, fmin(x.z - d.min.z, d.max.z - x.z));
    return least;
}

bool frz_iso_walls_near(const frz_iso_field *field, frz_vec3 point, double reach)
{
    return domain_distance(field, point) < reach || frz_iso_walls_distance(field, point) < reach;
}

frz_vec3 frz_iso_walls_normal(const frz_iso_field *field, frz_vec3 point)
{
    const double step = 1.0e-3 * field->cells->cell;
    double slope[3] = {0.0, 0.0, 0.0};
    for (int c = 0; c < field->cells->dimension; ++c)
        for (int side = -1; side <= 1; side += 2)
        {
            const frz_vec3 at = {point.x + (c == 0 ? side * step : 0.0), point.y + (c == 1 ? side * step : 0.0),
                                 point.z + (c == 2 ? side * step : 0.0)};
            slope[c] += side * fmin(frz_iso_walls_distance(field, at), domain_distance(field, at));
        }
    const frz_vec3 into = {-slope[0], -slope[1], -slope[2]};
    const double length = frz_v3_length(into);
    return length > 0.0 ? frz_v3_scale(1.0 / length, into) : frz_v3(0.0, -1.0, 0.0);
}

/// Distances on the nodes of a brick (4^3 nodes) that the liquid reaches.
static bool fill_brick(frz_iso_block *block, int x, int y, int z, double reach)
{
    const frz_iso_field *field = block->field;
    const double cell = field->cells->cell, middle = 0.5 * (ISO_BRICK - 1);
    const int deep = block->layers > 1 ? ISO_BRICK : 1;
    bool wet = false;
    for (int k = 0; k < deep && !wet; ++k)
        for (int j = 0; j < ISO_BRICK && !wet; ++j)
            for (int i = 0; i < ISO_BRICK && !wet; ++i)
                wet = x + i <= ISO_BLOCK + 1 && y + j <= ISO_BLOCK + 1 && z + k <= ISO_BLOCK + 1 &&
                      block->channel[0][frz_iso_index(block, x + i, y + j, z + k)] > 0;
    const frz_vec3 center = frz_iso_node(field->cells, block->place, x + middle, y + middle, deep > 1 ? z + middle : z);
    if (!wet || !frz_iso_walls_near(field, center, reach + sqrt(3.0) * middle * cell))
        return false;
    for (int k = 0; k < deep; ++k)
        for (int j = 0; j < ISO_BRICK; ++j)
            for (int i = 0; i < ISO_BRICK; ++i)
            {
                if (x + i > ISO_BLOCK + 1 || y + j > ISO_BLOCK + 1 || z + k > ISO_BLOCK + 1)
                    continue;
                const frz_vec3 at = frz_iso_node(field->cells, block->place, x + i, y + j, z + k);
                const double distance = fmin(frz_iso_walls_distance(field, at), domain_distance(field, at)) / cell;
                block->wall[frz_iso_index(block, x + i, y + j, z + k)] = (frz_real)fmax(fmin(distance, far), -far);
            }
    return true;
}

/// Part of a cube of an edge (cells) that lies in the walls, about.
static double solid_part(const frz_iso_field *field, frz_vec3 center, double edge)
{
    const double distance = frz_iso_walls_distance(field, center) / (edge * field->cells->cell);
    return fmin(fmax(0.5 - distance, 0.0), 1.0);
}

/// Add the solid in a cube of 8 cells from a corner on: points on a lattice of about one spacing.
static void add_solid(frz_iso_block *block, int x, int y, int z, int step)
{
    const frz_iso_field *field = block->field;
    const double half = 0.5 * step, volume = pow(step, field->cells->dimension);
    const bool deep = block->layers > 1;
    const double middle = 0.5 * solid_cube, reach = sqrt(3.0) * (middle + half) * field->cells->cell;
    const frz_vec3 center = frz_iso_node(field->cells, block->place, x + middle, y + middle, deep ? z + middle : 0.0);
    if (frz_iso_walls_distance(field, center) > reach)
        return;
    for (int k = 0; k < (deep ? solid_cube : 1); k += step)
        for (int j = 0; j < solid_cube; j += step)
            for (int i = 0; i < solid_cube; i += step)
            {
                const double at[3] = {x + i + half, y + j + half, deep ? z + k + half : 0.0};
                const double part =
                    solid_part(field, frz_iso_node(field->cells, block->place, at[0], at[1], at[2]), step);
                if (part > 0.0)
                    frz_iso_splat_kernel(
                        block, frz_v4_set((frz_real)at[0], (frz_real)at[1], (frz_real)at[2], (frz_real)(part * volume)),
                        block->shade);
            }
}

/// Whether a node within two bricks of a cube of 8 cells is wet and near a wall.
static bool is_wet(const unsigned char (*wet)[wet_bricks][wet_bricks], int x, int y, int z, bool deep)
{
    const int at[3] = {(x + 1) / ISO_BRICK, (y + 1) / ISO_BRICK, (z + 1) / ISO_BRICK}; // from brick 0 at node -1
    for (int k = deep ? at[2] - 2 : 0; k <= (deep ? at[2] + 4 : 0); ++k)
        for (int j = at[1] - 2; j <= at[1] + 4; ++j)
            for (int i = at[0] - 2; i <= at[0] + 4; ++i)
                if (i >= 0 && j >= 0 && k >= 0 && i < wet_bricks && j < wet_bricks && k < wet_bricks && wet[k][j][i])
                    return true;
    return false;
}

/// The part of the kernel that the solid takes, on nodes near the wet bricks.
static void fill_shade(frz_iso_block *block, const unsigned char (*wet)[wet_bricks][wet_bricks])
{
    const int spacing = (int)fmax(1.0, floor(block->field->cells->spacing + 0.5));
    const int step = solid_cube % spacing == 0 ? spacing : 1; // points have the same places for all blocks
    const bool deep = block->layers > 1;
    for (int z = deep ? -solid_cube : 0; z < (deep ? ISO_BLOCK + 1 + solid_cube : 1); z += solid_cube)
        for (int y = -solid_cube; y < ISO_BLOCK + 1 + solid_cube; y += solid_cube)
            for (int x = -solid_cube; x < ISO_BLOCK + 1 + solid_cube; x += solid_cube)
                if (is_wet(wet, x, y, z, deep))
                    add_solid(block, x, y, z, step);
}

void frz_iso_walls_fill(frz_iso_block *block)
{
    const frz_iso_field *field = block->field;
    const int size = block->layers * ISO_LAYER, deep = block->layers > 1;
    const double half = 0.5 * ISO_BLOCK, cell = field->cells->cell, reach = field->kernel.support * cell;
    const frz_vec3 middle = frz_iso_node(field->cells, block->place, half, half, deep ? half : 0.0);
    const double radius = sqrt(3.0) * (half + 2.0) * cell + reach;
    if (!frz_iso_walls_near(field, middle, radius))
        return;
    for (int i = 0; i < size; ++i)
        block->wall[i] = (frz_real)far;
    for (int i = 0; i < size; ++i)
        block->shade[i] = 0;
    unsigned char wet[wet_bricks][wet_bricks][wet_bricks] = {{{0}}};
    for (int z = 0; z < (deep ? wet_bricks : 1); ++z)
        for (int y = 0; y < wet_bricks; ++y)
            for (int x = 0; x < wet_bricks; ++x)
            {
                wet[z][y][x] =
                    fill_brick(block, ISO_BRICK * x - 1, ISO_BRICK * y - 1, ISO_BRICK * z + block->base, reach);
                block->walled = block->walled || wet[z][y][x];
            }
    if (block->walled && frz_iso_walls_distance(field, middle) < radius)
        fill_shade(block, wet);
}
