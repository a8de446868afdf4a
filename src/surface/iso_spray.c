// SPDX-License-Identifier: MIT
// Lone drops: particles with hardly any neighbours, which are drawn as points and not as blobs.
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "surface/iso_internal.h"

typedef struct sieve
{
    const frz_iso_cells *cells;
    int least;
    unsigned char *lone; // per particle
} sieve;

/// Neighbours of a particle within two spacings, as far as they must be counted.
static int count_neighbors(const sieve *s, const frz_iso_around *around, int particle)
{
    const frz_iso_cells *cells = s->cells;
    const frz_v4 point = cells->points[particle];
    const double reach = 2.0 * cells->spacing;
    const int wide = (int)ceil(reach / ISO_BRICK), deep = cells->dimension == 3 ? wide : 0;
    const int at[3] = {(int)point[0] / ISO_BRICK, (int)point[1] / ISO_BRICK, (int)point[2] / ISO_BRICK};
    int near = -1; // it finds itself
    for (int z = -deep; z <= deep; ++z)
        for (int y = -wide; y <= wide; ++y)
            for (int x = -wide; x <= wide; ++x)
            {
                int first = 0;
                frz_v4 shift;
                const int count = frz_iso_brick(cells, around, at[0] + x, at[1] + y, at[2] + z, &first, &shift);
                for (int k = first; k < first + count && near < s->least; ++k)
                {
                    const frz_v4 r = cells->points[k] + shift - point;
                    near += (double)frz_v4_dot3(r, r) < reach * reach;
                }
            }
    return near;
}

/// Bricks that are half full have no spray and are not looked into.
static void sift_block(const sieve *s, int block)
{
    const frz_iso_cells *cells = s->cells;
    const frz_iso_around around = frz_iso_cells_around(cells, block);
    const int64_t table = (int64_t)cells->tables[block] * ISO_TABLE;
    const double rest = pow(ISO_BRICK / cells->spacing, cells->dimension);
    for (int b = 0; b < ISO_TABLE; ++b)
    {
        const int first = cells->starts[table + b], end = cells->starts[table + b + 1];
        if (end - first > s->least && end - first >= 0.5 * rest)
            continue;
        for (int k = first; k < end; ++k)
            s->lone[k] = count_neighbors(s, &around, k) < s->least;
    }
}

/// Take the lone particles out of the cells; their rows, ascending, go into the mesh.
static void take_out(frz_iso_cells *cells, const unsigned char *lone, frz_surface_mesh *out)
{
    const int64_t bricks = (int64_t)cells->table_count * ISO_TABLE;
    int kept = 0, k = 0;
    for (int64_t b = 0; b < bricks; ++b)
    {
        const int end = cells->starts[b + 1];
        cells->starts[b] = kept;
        for (; k < end; ++k)
        {
            if (lone[k])
                out->spray[out->spray_count++] = cells->rows[k];
            else
            {
                cells->points[kept] = cells->points[k];
                cells->rows[kept++] = cells->rows[k];
            }
        }
    }
    cells->starts[bricks] = kept;
    cells->count = kept;
}

static int compare_rows(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

frz_status frz_iso_spray(frz_iso_cells *cells, int least, frz_surface_mesh *out, frz_diag *diag)
{
    unsigned char *lone = FRZ_ALLOC("spray", cells->count + 1, unsigned char);
    if (lone == NULL)
        return frz_fail_memory(diag, "the spray of a surface");
    const sieve s = {cells, least, lone};
#pragma omp parallel for schedule(dynamic, 4)
    for (int b = 0; b < cells->block_count; ++b)
        if (cells->tables[b] >= 0)
            sift_block(&s, b);
    int64_t count = 0;
    for (int k = 0; k < cells->count; ++k)
        count += lone[k];
    out->spray = FRZ_ALLOC("spray", count + 1, int64_t);
    if (out->spray != NULL)
        take_out(cells, lone, out);
    frz_free(lone);
    if (out->spray == NULL)
        return frz_fail_memory(diag, "the spray of a surface");
    qsort(out->spray, (size_t)out->spray_count, sizeof *out->spray, compare_rows);
    int64_t different = 0; // periodic images have the same row
    for (int64_t k = 0; k < out->spray_count; ++k)
        if (k == 0 || out->spray[k] != out->spray[k - 1])
            out->spray[different++] = out->spray[k];
    out->spray_count = different;
    return FRZ_OK;
}
