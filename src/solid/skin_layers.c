// SPDX-License-Identifier: MIT
#include "solid/skin_layers.h"

#include <math.h>

#include "base/blocks.h"
#include "space/search.h"

enum
{
    ring_most = 1024 // particles that two bonds lead to; in a lattice 92
};

// An object at frz_solids_places, with cells for searches.
typedef struct standing
{
    frz_solids *solids;
    const frz_solid_space *space;
    const int32_t *number; // of its particles
    const frz_v4 *place;
    bool torn;
    frz_grid grid;
    frz_cell_list cells;
} standing;

static double distance_to(const frz_found *found, int k)
{
    const double dx = (double)found->dx[k], dy = (double)found->dy[k], dz = (double)found->dz[k];
    return sqrt(dx * dx + dy * dy + dz * dz);
}

static int neighbors_of(const standing *s, int n, frz_found *found)
{
    const frz_real at[3] = {s->place[n][0], s->place[n][1], s->place[n][2]};
    frz_cell_run runs[FRZ_RUN_MAX];
    const int run_count = frz_cell_runs_at(&s->grid, &s->cells, at, runs);
    return frz_search(&s->cells, runs, run_count, at, (frz_real)s->space->support, -1, found);
}

static bool hold_together(const standing *s, int a, int b)
{
    const frz_solids *solids = s->solids;
    return !s->torn || (solids->piece[a] == solids->piece[b] && !frz_solids_are_apart(solids, a, b));
}

static frz_real fill_of(const standing *s, int n)
{
    frz_found found;
    const int near = neighbors_of(s, n, &found);
    double sum = 0.0;
    for (int k = 0; k < near; ++k)
        if (hold_together(s, s->number[n], s->number[s->cells.index[frz_lane_index(found.lane[k])]]))
            sum += frz_kernel_value(s->space->kernel, distance_to(&found, k));
    return (frz_real)fmin(s->space->particle_volume * sum, 1.0);
}

static bool is_core(const standing *s, int n)
{
    const frz_solids *solids = s->solids;
    frz_found found;
    bool core = solids->rest_compression[s->number[n]] >= FRZ_SURFACE_COMPRESSION;
    const int near = core ? neighbors_of(s, n, &found) : 0;
    for (int k = 0; k < near && core; ++k)
    {
        const int other = s->number[s->cells.index[frz_lane_index(found.lane[k])]];
        const bool deep =
            hold_together(s, s->number[n], other) && solids->rest_compression[other] >= FRZ_SURFACE_COMPRESSION;
        core = deep || distance_to(&found, k) > FRZ_SKIN_DEPTH * s->space->spacing;
    }
    return core && near >= 0;
}

static bool is_thin(const standing *s, int n)
{
    const frz_solids *solids = s->solids;
    frz_found found;
    bool thin = !frz_solids_is_full(solids, solids->rest_compression[s->number[n]]);
    const int near = thin ? neighbors_of(s, n, &found) : 0;
    for (int k = 0; k < near && thin; ++k)
    {
        const int other = s->number[s->cells.index[frz_lane_index(found.lane[k])]];
        thin = !hold_together(s, s->number[n], other) || !frz_solids_is_full(solids, solids->rest_compression[other]);
    }
    return thin;
}

static frz_status make_cells(standing *s, int count, frz_arena *scratch, frz_diag *diag)
{
    double min[3], max[3];
    for (int a = 0; a < 3; ++a)
    {
        min[a] = s->space->periodic[a] ? s->space->domain_min[a] : HUGE_VAL;
        max[a] = s->space->periodic[a] ? s->space->domain_max[a] : -HUGE_VAL;
        for (int n = 0; n < count && !s->space->periodic[a]; ++n)
        {
            min[a] = fmin(min[a], (double)s->place[n][a]);
            max[a] = fmax(max[a], (double)s->place[n][a]);
        }
    }
    const int64_t most_cells = 8 * (int64_t)count + 64;
    FRZ_TRY(frz_grid_create(min, max, s->space->periodic, s->space->support, s->space->dimension, most_cells, &s->grid,
                            diag));
    FRZ_TRY(frz_cell_list_build(&s->grid, s->place, count, &s->cells, scratch, diag));
    frz_cell_list_fill(&s->cells, s->place, false);
    return FRZ_OK;
}

// Numbers and positions of all particles of the object; returns their number.
static int gather(const frz_solids *solids, const int *first, int object, int32_t *number, frz_v4 *place)
{
    const frz_v4 *from = frz_solids_places(solids);
    int count = 0;
    for (int b = object; b < solids->body_count; ++b) // the object is the lowest of its bodies
        for (int e = first[b]; solids->object[b] == object && e < first[b + 1]; ++e)
        {
            number[count] = e;
            place[count++] = from[e];
        }
    return count;
}

frz_status frz_skin_layers_find(frz_solids *solids, const frz_solid_space *space, const int *first, int object,
                                bool torn, frz_arena *scratch, frz_diag *diag)
{
    const frz_arena_mark mark = frz_arena_here(scratch);
    int64_t room = 0;
    for (int b = object; b < solids->body_count; ++b)
        room += solids->object[b] == object ? first[b + 1] - first[b] : 0;
    if (room == 0)
        return FRZ_OK;
    int32_t *number = FRZ_SCRATCH(scratch, room, int32_t);
    frz_v4 *place = FRZ_SCRATCH(scratch, room, frz_v4);
    if (number == NULL || place == NULL)
        return frz_fail_memory(diag, "the surfaces of solid bodies");
    const int count = gather(solids, first, object, number, place);
    standing s = {.solids = solids, .space = space, .number = number, .place = place, .torn = torn};
    const frz_status status = make_cells(&s, count, scratch, diag);
    if (status == FRZ_OK)
    {
#pragma omp parallel for schedule(static) if (count >= frz_parallel_some)
        for (int n = 0; n < count; ++n)
            solids->rest_compression[number[n]] = fill_of(&s, n);
#pragma omp parallel for schedule(static) if (count >= frz_parallel_some)
        for (int n = 0; n < count; ++n)
        {
            solids->core[number[n]] = is_core(&s, n);
            solids->thin[number[n]] = is_thin(&s, n);
        }
    }
    frz_cell_list_destroy(&s.cells);
    frz_grid_destroy(&s.grid);
    frz_arena_release(scratch, mark);
    return status;
}

static int add_once(int32_t *list, int count, int e)
{
    for (int n = 0; n < count; ++n)
        if (list[n] == e)
            return count;
    if (count < ring_most)
        list[count++] = e;
    return count;
}

// The particle and all particles within two unbroken bonds, which is more than the support of the liquid's kernel.
static int list_rings(const frz_bonds *bonds, int e, int32_t list[ring_most])
{
    int begin = 0, count = add_once(list, 0, e);
    for (int ring = 0; ring < 2; ++ring)
    {
        const int end = count;
        for (; begin < end; ++begin)
            for (int64_t k = bonds->begin[list[begin]]; k < bonds->begin[list[begin] + 1]; ++k)
                if (bonds->weight[k] > 0)
                    count = add_once(list, count, (int)bonds->other[k]);
    }
    return count;
}

// Whether j is thin once e is gone. Bonds reach a little less far than the kernel does.
static bool becomes_thin(const frz_solids *solids, const frz_bonds *bonds, int j, int e)
{
    bool thin = !frz_solids_is_full(solids, solids->rest_compression[j]);
    for (int64_t k = bonds->begin[j]; k < bonds->begin[j + 1] && thin; ++k)
    {
        const int other = (int)bonds->other[k];
        thin = other == e || !(bonds->weight[k] > 0) || !frz_solids_is_full(solids, solids->rest_compression[other]);
    }
    return thin;
}

void frz_skin_layers_leave(frz_solids *solids, const frz_bonds *bonds, const frz_solid_space *space, int e)
{
    const frz_v4 *place = frz_solids_places(solids);
    int32_t list[ring_most];
    const int count = list_rings(bonds, e, list);
    for (int n = 1; n < count; ++n)
    {
        const frz_v4 d = frz_bonds_nearest(bonds, place[list[n]] - place[e]);
        const double r = sqrt((double)frz_v4_dot3(d, d));
        const double less = r < space->support ? space->particle_volume * frz_kernel_value(space->kernel, r) : 0.0;
        solids->rest_compression[list[n]] = (frz_real)fmax((double)solids->rest_compression[list[n]] - less, 0.0);
    }
    for (int n = 1; n < count; ++n)
    {
        const int j = list[n];
        if (solids->rest_compression[j] >= FRZ_SURFACE_COMPRESSION)
            continue;
        solids->core[j] = false;
        for (int64_t k = bonds->begin[j]; k < bonds->begin[j + 1]; ++k) // bonds reach as far as a skin is deep
            solids->core[bonds->other[k]] = false;
    }
    for (int n = 1; n < count; ++n)
        solids->thin[list[n]] = solids->thin[list[n]] || becomes_thin(solids, bonds, list[n], e);
}
