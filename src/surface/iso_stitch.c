// SPDX-License-Identifier: MIT
// The pieces of all blocks as one mesh: numbers of vertices follow (block, cell, edge).
#include <limits.h>
#include <string.h>

#include "base/memory.h"
#include "surface/iso_internal.h"

enum
{
    side = ISO_BLOCK + 1
};

/// Number in its piece of the vertex with a code.
static int find_code(const frz_iso_piece *piece, int code)
{
    int low = 0, high = piece->vertex_count;
    while (low < high)
    {
        const int middle = low + (high - low) / 2;
        if (piece->codes[middle] < code)
            low = middle + 1;
        else
            high = middle;
    }
    FRZ_ASSERT(low < piece->vertex_count && piece->codes[low] == code);
    return low;
}

typedef struct stitching
{
    const frz_iso_cells *cells;
    const frz_iso_piece *pieces;
    const int *first; // number of the first vertex of each block
} stitching;

static int resolve(const stitching *s, int block, const frz_iso_around *around, int corner)
{
    if (corner >= 0)
        return s->first[block] + corner;
    const int code = -1 - corner, axis = code % 4, node = code / 4;
    const int at[3] = {node % side, node / side % side, node / (side * side)};
    int over[3], local[3];
    for (int c = 0; c < 3; ++c)
    {
        over[c] = at[c] == ISO_BLOCK;
        local[c] = over[c] ? 0 : at[c];
    }
    const int owner = around->block[1 + over[2]][1 + over[1]][1 + over[0]];
    FRZ_ASSERT(owner >= 0);
    return s->first[owner] + find_code(&s->pieces[owner], 4 * (local[0] + side * (local[1] + side * local[2])) + axis);
}

static void copy_piece(const stitching *s, int b, int triangle, int edge, frz_surface_mesh *out)
{
    const frz_iso_piece *piece = &s->pieces[b];
    const frz_iso_around around = frz_iso_cells_around(s->cells, b);
    for (int v = 0; v < piece->vertex_count; ++v)
    {
        out->mesh->vertices[s->first[b] + v] = piece->vertices[v];
        out->normals[s->first[b] + v] = piece->normals[v];
        out->walls[s->first[b] + v] = piece->walls[v];
    }
    for (int t = 0; t < piece->triangle_count; ++t)
        for (int k = 0; k < 3; ++k)
            out->mesh->triangles[triangle + t][k] = resolve(s, b, &around, piece->triangles[t][k]);
    for (int e = 0; e < piece->edge_count; ++e)
        for (int k = 0; k < 2; ++k)
            out->edges[edge + e][k] = resolve(s, b, &around, piece->edges[e][k]);
}

static frz_status allocate(int64_t vertices, int64_t triangles, int64_t edges, frz_surface_mesh *out, frz_diag *diag)
{
    if (vertices > INT_MAX || triangles > INT_MAX)
        return frz_fail(diag, FRZ_ERR_ARGUMENT, "a surface of %lld triangles is too large; take larger cells",
                        (long long)triangles);
    FRZ_TRY(frz_mesh_create((int)vertices, (int)triangles, &out->mesh, diag));
    out->normals = FRZ_ALLOC("surface mesh", vertices + 1, frz_vec3);
    out->walls = FRZ_ALLOC("surface mesh", vertices + 1, unsigned char);
    out->edges = frz_alloc("surface mesh", (size_t)edges + 1, sizeof *out->edges);
    out->edge_count = (int)edges;
    if (out->normals == NULL || out->walls == NULL || out->edges == NULL)
        return frz_fail_memory(diag, "a surface");
    return FRZ_OK;
}

frz_status frz_iso_stitch(const frz_iso_cells *cells, frz_iso_piece *pieces, frz_surface_mesh *out, frz_diag *diag)
{
    const int blocks = cells->block_count;
    int *first = FRZ_ALLOC("surface blocks", 3 * ((int64_t)blocks + 1), int);
    if (first == NULL)
        return frz_fail_memory(diag, "a surface");
    int *triangle = first + blocks + 1, *edge = triangle + blocks + 1;
    int64_t vertices = 0, triangles = 0, edges = 0;
    for (int b = 0; b < blocks; ++b)
    {
        first[b] = (int)vertices;
        triangle[b] = (int)triangles;
        edge[b] = (int)edges;
        vertices += pieces[b].vertex_count;
        triangles += pieces[b].triangle_count;
        edges += pieces[b].edge_count;
    }
    const frz_status status = allocate(vertices, triangles, edges, out, diag);
    const stitching s = {cells, pieces, first};
    if (status == FRZ_OK)
    {
#pragma omp parallel for schedule(dynamic, 16)
        for (int b = 0; b < blocks; ++b)
            if (pieces[b].vertex_count > 0 || pieces[b].triangle_count > 0)
                copy_piece(&s, b, triangle[b], edge[b], out);
    }
    frz_free(first);
    return status;
}
