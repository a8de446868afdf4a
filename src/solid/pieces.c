// SPDX-License-Identifier: MIT
// Pieces of solid bodies: the components connected by unbroken bonds. Particles of different pieces touch like those of
// different bodies; so do the faces of a crack that does not part a body (crack_faces.c).
#include <math.h>

#include "base/arena.h"
#include "solid/skin_layers.h"
#include "solid/solids.h"
#include "space/search.h"

// The undeformed bodies, to be searched.
typedef struct undeformed
{
    const frz_solid_space *space;
    frz_solids *solids;
    frz_grid grid;
    frz_cell_list cells;
} undeformed;

static int find_root(const int32_t *piece, int e)
{
    while (piece[e] != e)
        e = piece[e];
    return e;
}

// The lowest number in a piece identifies it, for any order of the bonds.
static void find_pieces(const frz_bonds *bonds, int32_t *piece)
{
    for (int i = 0; i < bonds->count; ++i)
        piece[i] = i;
    for (int i = 0; i < bonds->count; ++i)
        for (int64_t k = bonds->begin[i]; k < bonds->begin[i + 1]; ++k)
        {
            if (!(bonds->weight[k] > 0) || (int)bonds->other[k] > i)
                continue;
            const int a = find_root(piece, i), b = find_root(piece, (int)bonds->other[k]);
            piece[a > b ? a : b] = a < b ? a : b;
        }
    for (int i = 0; i < bonds->count; ++i)
        piece[i] = piece[piece[i]]; // lower entries already hold their roots
}

static frz_status search_undeformed(undeformed *u, frz_arena *scratch, frz_diag *diag)
{
    const frz_solids *solids = u->solids;
    const frz_solid_space *space = u->space;
    double min[3], max[3];
    for (int a = 0; a < 3; ++a)
    {
        min[a] = space->periodic[a] ? space->domain_min[a] : HUGE_VAL;
        max[a] = space->periodic[a] ? space->domain_max[a] : -HUGE_VAL;
        for (int e = 0; e < solids->count && !space->periodic[a]; ++e)
        {
            min[a] = fmin(min[a], (double)solids->reference[e][a]);
            max[a] = fmax(max[a], (double)solids->reference[e][a]);
        }
    }
    FRZ_TRY(frz_grid_create(min, max, space->periodic, space->support, space->dimension, space->cell_budget, &u->grid,
                            diag));
    FRZ_TRY(frz_cell_list_build(&u->grid, solids->reference, solids->count, &u->cells, scratch, diag));
    frz_cell_list_fill(&u->cells, solids->reference, false);
    return FRZ_OK;
}

static int neighbors_of(const undeformed *u, int e, frz_found *found)
{
    const frz_v4 x = u->solids->reference[e];
    const frz_real at[3] = {x[0], x[1], x[2]};
    frz_cell_run runs[FRZ_RUN_MAX];
    const int run_count = frz_cell_runs_at(&u->grid, &u->cells, at, runs);
    return frz_search(&u->cells, runs, run_count, at, (frz_real)u->space->support, -1, found);
}

static double distance_to(const frz_found *found, int k)
{
    const double dx = (double)found->dx[k], dy = (double)found->dy[k], dz = (double)found->dz[k];
    return sqrt(dx * dx + dy * dy + dz * dz);
}

static bool hold_together(const frz_solids *solids, int a, int b)
{
    return solids->piece[a] == solids->piece[b] && !frz_solids_are_apart(solids, a, b);
}

// Compression of a particle by its own piece in the reference state.
static frz_real piece_fill(const undeformed *u, int e)
{
    frz_found found;
    const int near = neighbors_of(u, e, &found);
    double sum = 0.0;
    for (int k = 0; k < near; ++k)
        if (hold_together(u->solids, e, u->cells.index[frz_lane_index(found.lane[k])]))
            sum += frz_kernel_value(u->space->kernel, distance_to(&found, k));
    return (frz_real)fmin(u->space->particle_volume * sum, 1.0);
}

static bool is_still_core(const undeformed *u, int e)
{
    const frz_solids *solids = u->solids;
    frz_found found;
    bool core = solids->core[e];
    const int near = core ? neighbors_of(u, e, &found) : 0;
    for (int k = 0; k < near && core; ++k)
    {
        const int other = u->cells.index[frz_lane_index(found.lane[k])];
        const bool deep = hold_together(solids, e, other) && solids->rest_compression[other] >= FRZ_SURFACE_COMPRESSION;
        core = deep || distance_to(&found, k) > FRZ_SKIN_DEPTH * u->space->spacing;
    }
    return core;
}

static bool is_thin(const undeformed *u, int e)
{
    const frz_solids *solids = u->solids;
    frz_found found;
    bool thin = !frz_solids_is_full(solids, solids->rest_compression[e]);
    const int near = thin ? neighbors_of(u, e, &found) : 0;
    for (int k = 0; k < near && thin; ++k)
    {
        const int other = u->cells.index[frz_lane_index(found.lane[k])];
        thin = !hold_together(solids, e, other) || !frz_solids_is_full(solids, solids->rest_compression[other]);
    }
    return thin;
}

// After changes of bodies their undeformed states may overlap, so each object is treated by itself.
static frz_status part_bodies(frz_solids *solids, const frz_bonds *bonds, const frz_solid_space *space,
                              frz_arena *scratch, frz_diag *diag)
{
    for (int b = 0; b < bonds->body_count; ++b)
        if (solids->object[b] == b)
            FRZ_TRY(frz_skin_layers_find(solids, space, bonds->first, b, true, scratch, diag));
    FRZ_TRY(frz_solids_find_near(solids, bonds, scratch, diag));
    solids->stale = false;
    return FRZ_OK;
}

frz_status frz_solids_part(frz_solids *solids, const frz_bonds *bonds, const frz_solid_space *space, frz_arena *scratch,
                           frz_diag *diag)
{
    if (!solids->stale)
        return FRZ_OK;
    find_pieces(bonds, solids->piece);
    undeformed u = {.space = space, .solids = solids};
    const frz_arena_mark mark = frz_arena_here(scratch);
    frz_status status = frz_crack_faces_find(solids, bonds, scratch, diag);
    if (solids->changed)
    {
        if (status == FRZ_OK)
            status = part_bodies(solids, bonds, space, scratch, diag);
        frz_arena_release(scratch, mark);
        return status;
    }
    if (status == FRZ_OK)
        status = search_undeformed(&u, scratch, diag);
    if (status == FRZ_OK)
    {
#pragma omp parallel for schedule(static)
        for (int e = 0; e < solids->count; ++e)
            solids->rest_compression[e] = piece_fill(&u, e);
#pragma omp parallel for schedule(static)
        for (int e = 0; e < solids->count; ++e)
        {
            solids->core[e] = is_still_core(&u, e);
            solids->thin[e] = is_thin(&u, e);
        }
        solids->stale = false;
    }
    frz_cell_list_destroy(&u.cells);
    frz_grid_destroy(&u.grid);
    frz_arena_release(scratch, mark);
    return status;
}

void frz_solids_break(frz_solids *solids, frz_bonds *bonds, int i, int64_t k)
{
    const int body = solids->body[i];
    frz_bonds_break(bonds, i, k);
    frz_sparse_cholesky_destroy(&bonds->factor[body]); // it is of a matrix with the bond
    solids->cracked = solids->stale = true;
}

int64_t frz_solids_list_broken(const frz_solids *solids, const frz_bonds *bonds, int64_t *place)
{
    int64_t count = 0;
    for (int i = 0; i < bonds->count && solids->cracked; ++i)
        for (int64_t k = bonds->begin[i]; k < bonds->begin[i + 1]; ++k)
        {
            if ((int)bonds->other[k] <= i || bonds->weight[k] > 0)
                continue;
            if (place != NULL)
                place[count] = k;
            count += 1;
        }
    return count;
}

frz_status frz_solids_put_broken(frz_solids *solids, frz_bonds *bonds, const int64_t *place, int64_t count,
                                 frz_diag *diag)
{
    int i = 0;
    for (int64_t n = 0; n < count; ++n)
    {
        if (place[n] < 0 || bonds->count == 0 || place[n] >= bonds->begin[bonds->count] ||
            (n > 0 && place[n] <= place[n - 1]))
            return frz_fail(diag, FRZ_ERR_FILE,
                            "the checkpoint says that bond %lld is broken, which the bodies of the scene do not have; "
                            "it is damaged, run the scene anew",
                            (long long)place[n]);
        while (bonds->begin[i + 1] <= place[n])
            i += 1;
        frz_solids_break(solids, bonds, i, place[n]);
    }
    for (int e = 0; e < bonds->count && count > 0; ++e)
        frz_bonds_correct(bonds, e);
    return FRZ_OK;
}
