// SPDX-License-Identifier: MIT
// The field on the nodes of one block, where the surface can be.
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "surface/iso_internal.h"

static const double full_share = 0.6;   // of the particles of a brick at rest, from which on it counts as full
static const double inside_value = 4.0; // cells: what nodes get that are deep inside
static const double wall_slope = 0.5;   // of the distance to walls: small, so that the wall decides near it

// ---- which bricks matter

static bool brick_is_full(const frz_iso_cells *cells, const frz_iso_around *around, int x, int y, int z)
{
    int first = 0;
    frz_v4 shift;
    const double rest = pow(ISO_BRICK / cells->spacing, cells->dimension);
    return frz_iso_brick(cells, around, x, y, z, &first, &shift) >= full_share * rest;
}

static void activate_table(const frz_iso_field *field, frz_iso_cells *cells, int block)
{
    const frz_iso_around around = frz_iso_cells_around(cells, block);
    const int deep = cells->dimension == 3, layers = deep ? ISO_BRICKS : 1;
    unsigned char *active = cells->active + (int64_t)cells->tables[block] * ISO_TABLE;
    unsigned char full[ISO_BRICKS + 2][ISO_BRICKS + 2][ISO_BRICKS + 2] = {{{0}}};
    for (int z = -deep; z < layers + deep; ++z)
        for (int y = -1; y <= ISO_BRICKS; ++y)
            for (int x = -1; x <= ISO_BRICKS; ++x)
                full[z + 1][y + 1][x + 1] = brick_is_full(cells, &around, x, y, z);
    const double half = 0.5 * ISO_BLOCK;
    const frz_vec3 middle = frz_iso_node(cells, cells->blocks[block], half, half, deep ? half : 0.0);
    const bool walled = frz_iso_walls_near(field, middle, sqrt(3.0) * (half + 1.0) * cells->cell);
    const double reach = sqrt(3.0) * (0.5 * ISO_BRICK + 1.0) * cells->cell;
    for (int z = 0; z < layers; ++z)
        for (int y = 0; y < ISO_BRICKS; ++y)
            for (int x = 0; x < ISO_BRICKS; ++x)
            {
                bool inside = true;
                for (int dz = -deep; dz <= deep && inside; ++dz)
                    for (int dy = -1; dy <= 1 && inside; ++dy)
                        for (int dx = -1; dx <= 1 && inside; ++dx)
                            inside = full[z + dz + 1][y + dy + 1][x + dx + 1];
                const double b = ISO_BRICK;
                if (inside && walled)
                    inside = !frz_iso_walls_near(field,
                                                 frz_iso_node(cells, cells->blocks[block], (x + 0.5) * b, (y + 0.5) * b,
                                                              deep ? (z + 0.5) * b : 0.0),
                                                 reach);
                active[x + ISO_BRICKS * (y + ISO_BRICKS * z)] = !inside;
            }
}

void frz_iso_activate(const frz_iso_field *field, frz_iso_cells *cells)
{
#pragma omp parallel for schedule(dynamic, 4)
    for (int b = 0; b < cells->block_count; ++b)
        if (cells->tables[b] >= 0)
            activate_table(field, cells, b);
}

/// Which bricks in and around the block are active; those without particles are.
static bool look_around(frz_iso_block *block)
{
    const frz_iso_cells *cells = block->field->cells;
    const int deep = cells->dimension == 3;
    bool any = false;
    memset(block->active, 1, sizeof block->active);
    for (int z = deep ? -4 : 0; z < (deep ? ISO_AROUND - 4 : 1); ++z)
        for (int y = -4; y < ISO_AROUND - 4; ++y)
            for (int x = -4; x < ISO_AROUND - 4; ++x)
            {
                const int of = block->around.block[(z + 8) / 8][(y + 8) / 8][(x + 8) / 8];
                const int table = of >= 0 ? cells->tables[of] : -1;
                const bool active =
                    table < 0 || cells->active[(int64_t)table * ISO_TABLE + (x & 7) + 8 * ((y & 7) + 8 * (z & 7))];
                block->active[z + 4][y + 4][x + 4] = active;
                any = any || (active && x >= -1 && y >= -1 && x <= 8 && y <= 8 && z >= -deep && z <= 8 * deep);
            }
    return any;
}

// ---- memory

frz_status frz_iso_block_create(const frz_iso_field *field, frz_iso_block *out, frz_diag *diag)
{
    const bool deep = field->cells->dimension == 3;
    const int size = deep ? ISO_SIZE : ISO_LAYER, arrays = field->method->channels + 4;
    *out = (frz_iso_block){.field = field, .layers = deep ? ISO_NODES : 1, .base = deep ? -1 : 0};
    out->memory = FRZ_ALLOC("surface field", (size_t)(size + 16) * (size_t)arrays, frz_real);
    if (out->memory == NULL)
        return frz_fail_memory(diag, "the field of a surface");
    for (int c = 0; c < field->method->channels; ++c)
        out->channel[c] = out->memory + (size_t)(size + 16) * (size_t)c;
    out->value = out->memory + (size_t)(size + 16) * (size_t)(arrays - 4);
    out->uncut = out->memory + (size_t)(size + 16) * (size_t)(arrays - 3);
    out->wall = out->memory + (size_t)(size + 16) * (size_t)(arrays - 2);
    out->shade = out->memory + (size_t)(size + 16) * (size_t)(arrays - 1);
    return FRZ_OK;
}

void frz_iso_block_destroy(frz_iso_block *block)
{
    frz_free(block->memory);
    *block = (frz_iso_block){0};
}

// ---- sums

/// Whether any brick within `wide` of one is active.
static bool is_needed(const frz_iso_block *block, int x, int y, int z, int wide)
{
    const int deep = block->layers > 1 ? wide : 0;
    for (int dz = -deep; dz <= deep; ++dz)
        for (int dy = -wide; dy <= wide; ++dy)
            for (int dx = -wide; dx <= wide; ++dx)
                if (block->active[z + dz + 4][y + dy + 4][x + dx + 4])
                    return true;
    return false;
}

/// Add all particles that reach the block, in an order that all blocks share.
static void splat_all(frz_iso_block *block)
{
    const frz_iso_field *field = block->field;
    const int wide = (int)ceil(field->reach / ISO_BRICK), deep = block->layers > 1;
    const frz_real reach = (frz_real)field->reach, most = ISO_BLOCK + 1;
    for (int z = deep ? -2 : 0; z < (deep ? ISO_SPAN - 2 : 1); ++z)
        for (int y = -2; y < ISO_SPAN - 2; ++y)
            for (int x = -2; x < ISO_SPAN - 2; ++x)
            {
                int first = 0;
                frz_v4 shift;
                const int count = frz_iso_brick(field->cells, &block->around, x, y, z, &first, &shift);
                if (count == 0 || !is_needed(block, x, y, z, wide))
                    continue;
                for (int k = first; k < first + count; ++k)
                {
                    frz_v4 p = field->cells->points[k] + shift;
                    const bool near = p[0] > -1 - reach && p[1] > -1 - reach && p[0] < most + reach &&
                                      p[1] < most + reach && (!deep || (p[2] > -1 - reach && p[2] < most + reach));
                    if (near)
                        field->method->splat(block, p, k);
                    block->any = block->any || near;
                }
            }
}

/// Nodes that belong to no active brick got parts of their sums only: they are inside.
static void fill_inside(frz_iso_block *block)
{
    const int deep = block->layers > 1;
    const frz_real value = (frz_real)inside_value;
    for (int z = deep ? -1 : 0; z < (deep ? ISO_BRICKS + 1 : 1); ++z)
        for (int y = -1; y <= ISO_BRICKS; ++y)
            for (int x = -1; x <= ISO_BRICKS; ++x)
            {
                if (block->active[z + 4][y + 4][x + 4])
                    continue;
                bool inside[8]; // per set of axes on which the node lies on the brick's lower face
                for (int m = 0; m < 8; ++m)
                {
                    inside[m] = true;
                    for (int s = 1; s < 8; ++s)
                        if ((s & m) == s && !((s & 4) && !deep))
                            inside[m] =
                                inside[m] && !block->active[z + 4 - (s >> 2)][y + 4 - (s >> 1 & 1)][x + 4 - (s & 1)];
                }
                for (int k = 0; k < (deep ? ISO_BRICK : 1); ++k)
                    for (int j = 0; j < ISO_BRICK; ++j)
                        for (int i = 0; i < ISO_BRICK; ++i)
                        {
                            const int at[3] = {ISO_BRICK * x + i, ISO_BRICK * y + j, ISO_BRICK * z + k};
                            const int mask = (i == 0) | (j == 0) << 1 | (deep && k == 0) << 2;
                            if (inside[mask] && at[0] >= -1 && at[1] >= -1 && at[2] >= block->base &&
                                at[0] <= ISO_BLOCK + 1 && at[1] <= ISO_BLOCK + 1 && at[2] < block->base + block->layers)
                                block->value[frz_iso_index(block, at[0], at[1], at[2])] = value;
                        }
            }
}

static void cut_by_walls(frz_iso_block *block)
{
    const int size = block->layers * ISO_LAYER;
    const frz_real slope = (frz_real)wall_slope;
    for (int i = 0; i < size; ++i) // inside of a wall the wall alone decides, so that wet nodes next to it touch it
    {
        const frz_real wall = slope * block->wall[i];
        block->uncut[i] = block->value[i];
        block->value[i] = wall < 0 || wall < block->value[i] ? wall : block->value[i];
    }
}

bool frz_iso_block_fill(frz_iso_block *block, int number)
{
    const frz_iso_field *field = block->field;
    block->place = field->cells->blocks[number];
    block->around = frz_iso_cells_around(field->cells, number);
    block->any = block->walled = false;
    if (!look_around(block))
    {
        // all inside: no surface in space, but a part of the area that is filled in 2D
        for (int i = 0; i < ISO_LAYER && block->layers == 1; ++i)
            block->value[i] = (frz_real)inside_value;
        return block->layers == 1;
    }
    const size_t size = (size_t)(block->layers * ISO_LAYER) * sizeof(frz_real);
    for (int c = 0; c < field->method->channels; ++c)
        memset(block->channel[c], 0, size);
    splat_all(block);
    if (!block->any)
        return false;
    if (field->wall_count > 0 || field->periodic != 0)
        frz_iso_walls_fill(block);
    field->method->finish(block);
    fill_inside(block);
    if (block->walled)
        cut_by_walls(block);
    return true;
}
