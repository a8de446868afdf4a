// SPDX-License-Identifier: MIT
// Triangles of one block: marching cubes, and in 2D filled marching squares with their outline.
#include <math.h>

#include "base/grow.h"
#include "base/memory.h"
#include "surface/iso_internal.h"

enum
{
    side = ISO_BLOCK + 1 // nodes along an edge that cells of the block have
};

void frz_iso_piece_destroy(frz_iso_piece *piece)
{
    frz_free(piece->codes);
    frz_free(piece->vertices);
    frz_free(piece->normals);
    frz_free(piece->walls);
    frz_free(piece->triangles);
    frz_free(piece->edges);
    *piece = (frz_iso_piece){0};
}

static int code_of(int x, int y, int z, int axis)
{
    return 4 * (x + side * (y + side * z)) + axis;
}

// ---- signs

/// Which nodes are inside, one bit each; bit x + 1 of row (y, z).
typedef struct signs
{
    uint64_t rows[ISO_NODES][ISO_NODES]; ///< [z - base][y + 1]
} signs;

static void find_signs(const frz_iso_block *block, signs *out)
{
    for (int z = 0; z < block->layers; ++z)
        for (int y = 0; y < ISO_NODES; ++y)
        {
            const frz_real *row = block->value + z * ISO_LAYER + y * ISO_STRIDE;
            uint64_t bits = 0;
            for (int x = 0; x < ISO_NODES; ++x)
                bits |= (uint64_t)(row[x] >= 0) << x;
            out->rows[z][y] = bits;
        }
}

// ---- vertices

static bool make_room(frz_iso_piece *piece)
{
    if (piece->vertex_count < piece->vertex_room)
        return true;
    int64_t rooms[4] = {piece->vertex_room, piece->vertex_room, piece->vertex_room, piece->vertex_room};
    const int64_t count = piece->vertex_count + 1, spare = frz_grow_spare(count) + 1024;
    void *codes = frz_grow("surface vertices", piece->codes, &rooms[0], count, spare, sizeof *piece->codes);
    piece->codes = codes != NULL ? codes : piece->codes;
    void *vertices = frz_grow("surface vertices", piece->vertices, &rooms[1], count, spare, sizeof *piece->vertices);
    piece->vertices = vertices != NULL ? vertices : piece->vertices;
    void *normals = frz_grow("surface vertices", piece->normals, &rooms[2], count, spare, sizeof *piece->normals);
    piece->normals = normals != NULL ? normals : piece->normals;
    void *walls = frz_grow("surface vertices", piece->walls, &rooms[3], count, spare, sizeof *piece->walls);
    piece->walls = walls != NULL ? walls : piece->walls;
    if (codes == NULL || vertices == NULL || normals == NULL || walls == NULL)
        return false;
    piece->vertex_room = rooms[0];
    return true;
}

static frz_vec3 slope_at(const frz_iso_block *block, const frz_real *value, int at)
{
    const frz_real *v = value + at;
    const bool deep = block->layers > 1;
    return frz_v3((double)(v[1] - v[-1]), (double)(v[ISO_STRIDE] - v[-ISO_STRIDE]),
                  deep ? (double)(v[ISO_LAYER] - v[-ISO_LAYER]) : 0.0);
}

/// The vertex on the edge from a node along an axis; axis 3: at the node itself.
static bool add_vertex(const frz_iso_block *block, int x, int y, int z, int axis, int *lookup, frz_iso_piece *piece)
{
    static const int steps[4] = {1, ISO_STRIDE, ISO_LAYER, 0};
    if (!make_room(piece))
        return false;
    const int a = frz_iso_index(block, x, y, z), b = a + steps[axis];
    const int outer = block->value[a] < block->value[b] ? a : b;
    const bool wall = axis < 3 && block->walled && block->wall[outer] < 0;
    // walls by their exact distance; the free surface as if there were no walls
    const frz_real *value = wall ? block->wall : block->walled ? block->uncut : block->value;
    const double t = axis == 3 ? 0.0 : (double)value[a] / ((double)value[a] - (double)value[b]);
    const double at[3] = {x + (axis == 0 ? t : 0.0), y + (axis == 1 ? t : 0.0), z + (axis == 2 ? t : 0.0)};
    const frz_vec3 slope = frz_v3_mad(frz_v3_scale(1.0 - t, slope_at(block, value, a)), t, slope_at(block, value, b));
    const double length = frz_v3_length(slope);
    const int v = piece->vertex_count++;
    piece->codes[v] = code_of(x, y, z, axis);
    piece->vertices[v] = frz_iso_node(block->field->cells, block->place, at[0], at[1], at[2]);
    if (wall)
        piece->normals[v] = frz_iso_walls_normal(block->field, piece->vertices[v]);
    else
        piece->normals[v] = length > 0.0 ? frz_v3_scale(-1.0 / length, slope) : frz_v3(0.0, 1.0, 0.0);
    piece->walls[v] = wall;
    lookup[piece->codes[v]] = v;
    return true;
}

/// Vertices on all edges that begin at nodes of the block, in the order of their codes.
static bool add_vertices(const frz_iso_block *block, const signs *s, int *lookup, frz_iso_piece *piece)
{
    const uint64_t own = ((UINT64_C(1) << ISO_BLOCK) - 1) << 1;
    for (int z = 0; z < ISO_BLOCK; ++z)
        for (int y = 0; y < ISO_BLOCK; ++y)
        {
            const uint64_t row = s->rows[z + 1][y + 1];
            const uint64_t cross[3] = {(row ^ row >> 1) & own, (row ^ s->rows[z + 1][y + 2]) & own,
                                       (row ^ s->rows[z + 2][y + 1]) & own};
            for (uint64_t left = cross[0] | cross[1] | cross[2]; left != 0; left &= left - 1)
            {
                const int bit = __builtin_ctzll(left);
                for (int axis = 0; axis < 3; ++axis)
                    if ((cross[axis] >> bit & 1) && !add_vertex(block, bit - 1, y, z, axis, lookup, piece))
                        return false;
            }
        }
    return true;
}

/// The vertex of an edge: an own one, or the code of the edge if another block owns it.
static int vertex_of(const int *lookup, int x, int y, int z, int axis)
{
    const int code = code_of(x, y, z, axis);
    return x < ISO_BLOCK && y < ISO_BLOCK && z < ISO_BLOCK ? lookup[code] : -1 - code;
}

static bool add_triangle(frz_iso_piece *piece, const int corners[3])
{
    const int64_t count = piece->triangle_count + 1;
    void *grown = frz_grow("surface triangles", piece->triangles, &piece->triangle_room, count,
                           frz_grow_spare(count) + 2048, sizeof *piece->triangles);
    if (grown == NULL)
        return false;
    piece->triangles = grown;
    for (int k = 0; k < 3; ++k)
        piece->triangles[piece->triangle_count][k] = corners[k];
    piece->triangle_count += 1;
    return true;
}

static bool add_cell(const frz_iso_case *form, const int *lookup, int x, int y, int z, frz_iso_piece *piece)
{
    for (int t = 0; t < form->count; ++t)
    {
        int corners[3];
        for (int k = 0; k < 3; ++k)
        {
            const int axis = form->edges[t][k] / 4, number = form->edges[t][k] % 4;
            int at[3] = {x, y, z};
            at[(axis + 1) % 3] += number & 1;
            at[(axis + 2) % 3] += number >> 1;
            corners[k] = vertex_of(lookup, at[0], at[1], at[2], axis);
        }
        if (!add_triangle(piece, corners))
            return false;
    }
    return true;
}

bool frz_iso_march_cubes(const frz_iso_block *block, const frz_iso_case *cases, int *lookup, frz_iso_piece *piece)
{
    signs s = {.rows = {{0}}};
    find_signs(block, &s);
    if (!add_vertices(block, &s, lookup, piece))
        return false;
    const uint64_t own = ((UINT64_C(1) << ISO_BLOCK) - 1) << 1;
    for (int z = 0; z < ISO_BLOCK; ++z)
        for (int y = 0; y < ISO_BLOCK; ++y)
        {
            const uint64_t rows[4] = {s.rows[z + 1][y + 1], s.rows[z + 1][y + 2], s.rows[z + 2][y + 1],
                                      s.rows[z + 2][y + 2]};
            uint64_t any = 0, all = UINT64_MAX;
            for (int r = 0; r < 4; ++r)
            {
                any |= rows[r] | rows[r] >> 1;
                all &= rows[r] & rows[r] >> 1;
            }
            for (uint64_t left = any & ~all & own; left != 0; left &= left - 1)
            {
                const int bit = __builtin_ctzll(left);
                int inside = 0;
                for (int r = 0; r < 4; ++r)
                    inside |= (int)(rows[r] >> bit & 3) << 2 * r;
                if (!add_cell(&cases[inside], lookup, bit - 1, y, z, piece))
                    return false;
            }
        }
    return true;
}

// ---- squares

static bool add_edge(frz_iso_piece *piece, int from, int to)
{
    const int64_t count = piece->edge_count + 1;
    void *grown = frz_grow("surface outline", piece->edges, &piece->edge_room, count, frz_grow_spare(count),
                           sizeof *piece->edges);
    if (grown == NULL)
        return false;
    piece->edges = grown;
    piece->edges[piece->edge_count][0] = from;
    piece->edges[piece->edge_count][1] = to;
    piece->edge_count += 1;
    return true;
}

/// Vertices on edges and at inside nodes.
static bool add_flat_vertices(const frz_iso_block *block, const signs *s, int *lookup, frz_iso_piece *piece)
{
    for (int y = 0; y < ISO_BLOCK; ++y)
        for (int x = 0; x < ISO_BLOCK; ++x)
        {
            const uint64_t row = s->rows[0][y + 1] >> (x + 1), above = s->rows[0][y + 2] >> (x + 1);
            const bool here = row & 1;
            if ((here != (row >> 1 & 1) && !add_vertex(block, x, y, 0, 0, lookup, piece)) ||
                (here != (above & 1) && !add_vertex(block, x, y, 0, 1, lookup, piece)) ||
                (here && !add_vertex(block, x, y, 0, 3, lookup, piece)))
                return false;
        }
    return true;
}

/// Corners and crossings of a square that bound its inside, counter-clockwise: one polygon, or two if opposite corners
/// are cut off on their own.
static bool add_square(const int *lookup, const bool inside[4], int x, int y, frz_iso_piece *piece)
{
    static const int corner[4][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
    static const int edge[4][3] = {{0, 0, 0}, {1, 0, 1}, {0, 1, 0}, {0, 0, 1}}; // node and axis of edge k -> k + 1
    const bool split = inside[0] == inside[2] && inside[1] == inside[3] && inside[0] != inside[1];
    for (int start = 0; start < 4; ++start)
    {
        if (split ? !inside[start] : start > 0)
            continue;
        int polygon[8], length = 0;
        bool crossing[8];
        for (int k = 0; k < 4; ++k)
        {
            if (split && k != start)
                continue;
            const int before = (k + 3) % 4;
            if (split)
            {
                polygon[length] = vertex_of(lookup, x + edge[before][0], y + edge[before][1], 0, edge[before][2]);
                crossing[length++] = true;
            }
            if (inside[k])
            {
                polygon[length] = vertex_of(lookup, x + corner[k][0], y + corner[k][1], 0, 3);
                crossing[length++] = false;
            }
            if (inside[k] != inside[(k + 1) % 4])
            {
                polygon[length] = vertex_of(lookup, x + edge[k][0], y + edge[k][1], 0, edge[k][2]);
                crossing[length++] = true;
            }
        }
        for (int k = 0; k < length; ++k)
            if (crossing[k] && crossing[(k + 1) % length] && !add_edge(piece, polygon[k], polygon[(k + 1) % length]))
                return false;
        for (int k = 1; k + 1 < length; ++k)
            if (!add_triangle(piece, (const int[3]){polygon[0], polygon[k], polygon[k + 1]}))
                return false;
    }
    return true;
}

bool frz_iso_march_squares(const frz_iso_block *block, int *lookup, frz_iso_piece *piece)
{
    signs s = {.rows = {{0}}};
    find_signs(block, &s);
    if (!add_flat_vertices(block, &s, lookup, piece))
        return false;
    for (int y = 0; y < ISO_BLOCK; ++y)
        for (int x = 0; x < ISO_BLOCK; ++x)
        {
            const uint64_t row = s.rows[0][y + 1] >> (x + 1), above = s.rows[0][y + 2] >> (x + 1);
            const bool inside[4] = {row & 1, row >> 1 & 1, above >> 1 & 1, above & 1};
            if ((inside[0] || inside[1] || inside[2] || inside[3]) && !add_square(lookup, inside, x, y, piece))
                return false;
        }
    return true;
}
