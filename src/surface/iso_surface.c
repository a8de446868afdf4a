// SPDX-License-Identifier: MIT
// The surface of particles, from the field to the smoothed mesh.
#include "surface/iso_surface.h"

#include "base/memory.h"
#include "base/timers.h"
#include "surface/iso_internal.h"

static const double default_cell = 0.5; // spacings
static const int default_rounds = 50;   // of smoothing
static const int default_least = 3;     // neighbours of a particle that is no spray
static const double flat_volume = 1.1;  // largest of a particle in a flat surface, in those of a lattice
static const double thin_share = 0.83;  // of the volume by density that particles of thin parts have

enum
{
    lookup_size = 4 * (ISO_BLOCK + 1) * (ISO_BLOCK + 1) * (ISO_BLOCK + 1)
};

frz_iso_def frz_iso_def_default(void)
{
    const frz_iso_def def = {.dimension = 3, .smoothing = -1, .spray_least = -1};
    return def;
}

void frz_surface_mesh_destroy(frz_surface_mesh **mesh)
{
    if (mesh == NULL || *mesh == NULL)
        return;
    frz_mesh_destroy(&(*mesh)->mesh);
    frz_free((*mesh)->normals);
    frz_free((*mesh)->velocities);
    frz_free((*mesh)->values);
    frz_free((*mesh)->walls);
    frz_free((*mesh)->edges);
    frz_free((*mesh)->spray);
    frz_free(*mesh);
    *mesh = NULL;
}

/// Triangles of all blocks, each in a piece of its own.
static frz_status march_blocks(const frz_iso_field *field, frz_iso_piece *pieces, frz_diag *diag)
{
    const frz_iso_cells *cells = field->cells;
    static const char what[] = "the field of a surface";
    frz_iso_case cases[256];
    frz_iso_table_create(cases);
    bool failed = false;
#pragma omp parallel
    {
        frz_iso_block block;
        int *lookup = FRZ_ALLOC("surface field", lookup_size, int);
        const bool ready = frz_iso_block_create(field, &block, NULL) == FRZ_OK && lookup != NULL;
        bool good = ready;
#pragma omp for schedule(dynamic, 1)
        for (int b = 0; b < cells->block_count; ++b)
        {
            if (!good || !frz_iso_block_fill(&block, b))
                continue;
            good = cells->dimension == 3 ? frz_iso_march_cubes(&block, cases, lookup, &pieces[b])
                                         : frz_iso_march_squares(&block, lookup, &pieces[b]);
        }
        if (!good)
        {
#pragma omp atomic write
            failed = true;
        }
        frz_iso_block_destroy(&block);
        frz_free(lookup);
    }
    return failed ? frz_fail_memory(diag, what) : FRZ_OK;
}

static frz_status make_triangles(const frz_iso_field *field, frz_surface_mesh *out, frz_diag *diag)
{
    const int blocks = field->cells->block_count;
    frz_iso_piece *pieces = FRZ_ALLOC("surface blocks", blocks + 1, frz_iso_piece);
    if (pieces == NULL)
        return frz_fail_memory(diag, "the blocks of a surface");
    frz_status status = march_blocks(field, pieces, diag);
    if (status == FRZ_OK)
        status = frz_iso_stitch(field->cells, pieces, out, diag);
    for (int b = 0; b < blocks; ++b)
        frz_iso_piece_destroy(&pieces[b]);
    frz_free(pieces);
    return status;
}

/// Velocities and fields, then smoothing.
static frz_status dress(const frz_iso_def *def, const frz_iso_field *field, int rounds, frz_surface_mesh *out,
                        frz_diag *diag)
{
    float *neighbors = FRZ_ALLOC("surface mesh", out->mesh->vertex_count + 1, float);
    if (neighbors == NULL)
        return frz_fail_memory(diag, "a surface");
    frz_status status = frz_iso_carry(def, field->cells, out, neighbors, diag);
    if (status == FRZ_OK && rounds > 0)
        status = frz_iso_smooth(field, neighbors, rounds, out, diag);
    for (int v = 0; v < out->mesh->vertex_count && def->dimension < 3; ++v)
        out->normals[v] = frz_v3(0.0, 0.0, 1.0);
    frz_free(neighbors);
    return status;
}

/// Particles of sheets, strands and small drops have few neighbours, hence a density far too low: with the volumes from
/// it a sheet of one layer would be 1.53 layers thick. None is much larger than one in a flat surface, but for what
/// keeps strands and drops in sight: sheets, strands (2.8 spacings^3 by density) and single particles (5.1) all have
/// the right volume with about the same share of it.
static void limit_volumes(const frz_iso_field *field, frz_iso_cells *cells)
{
    const frz_real most = (frz_real)(flat_volume * frz_iso_lattice_volume(field, 0));
    for (int k = 0; k < cells->count; ++k)
    {
        const frz_real volume = cells->points[k][3], limit = (frz_real)thin_share * volume;
        cells->points[k][3] = volume < most ? volume : limit > most ? limit : most;
    }
}

static frz_status make(const frz_iso_def *def, frz_iso_cells *cells, frz_surface_mesh *out, frz_diag *diag)
{
    const frz_iso_method *method = def->method;
    frz_iso_field field = {.cells = cells,
                           .method = method,
                           .kernel = frz_iso_kernel_create(def->dimension, method->support * cells->spacing),
                           .walls = def->walls,
                           .wall_count = def->wall_count,
                           .periodic = def->periodic,
                           .domain = def->domain};
    field.reach = field.kernel.support;
    frz_status status = def->volumes == NULL ? frz_iso_cells_measure(&field, cells, diag) : FRZ_OK;
    limit_volumes(&field, cells);
    method->calibrate(&field);
    frz_iso_activate(&field, cells);
    if (status == FRZ_OK && method->prepare != NULL)
        status = method->prepare(&field, cells, diag);
    if (status == FRZ_OK)
        status = make_triangles(&field, out, diag);
    if (method->release != NULL)
        method->release(&field);
    double start = frz_cpu_now();
    if (status == FRZ_OK && def->dimension == 3)
        status = frz_iso_snap(cells, out, diag);
    if (status == FRZ_OK)
        status = dress(def, &field, def->smoothing, out, diag);
    if (status == FRZ_OK && def->dimension == 3 && def->decimate > 0.0 && def->decimate < 1.0)
        status = frz_iso_decimate(def->decimate, def->spacing, out, diag);
    out->dress_seconds = frz_cpu_lap(&start);
    return status;
}

frz_status frz_iso_surface_create(const frz_iso_def *wish, frz_surface_mesh **out, frz_diag *diag)
{
    frz_iso_def def = *wish;
    def.method = def.method != NULL ? def.method : frz_iso_method_find(NULL);
    def.cell = def.cell > 0.0 ? def.cell : default_cell;
    def.smoothing = def.smoothing >= 0 ? def.smoothing : default_rounds;
    def.spray_least = def.spray_least >= 0 ? def.spray_least : default_least;
    *out = NULL;
    if (!(def.cell >= FRZ_ISO_CELL_LEAST && def.cell <= FRZ_ISO_CELL_MOST))
        return frz_fail(diag, FRZ_ERR_ARGUMENT, "the cells of a surface can be %g to %g spacings wide, got %g",
                        FRZ_ISO_CELL_LEAST, FRZ_ISO_CELL_MOST, def.cell);
    frz_surface_mesh *mesh = FRZ_ALLOC("surface mesh", 1, frz_surface_mesh);
    if (mesh == NULL)
        return frz_fail_memory(diag, "a surface");
    frz_iso_cells cells;
    frz_status status = frz_iso_cells_create(&def, &cells, diag);
    if (status == FRZ_OK && def.spray_least > 0)
        status = frz_iso_spray(&cells, def.spray_least, mesh, diag);
    if (status == FRZ_OK)
        status = make(&def, &cells, mesh, diag);
    frz_iso_cells_destroy(&cells);
    if (status != FRZ_OK)
        frz_surface_mesh_destroy(&mesh);
    *out = mesh;
    return status;
}
