// SPDX-License-Identifier: MIT
// Pairs of particles that may bond at their present positions.
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "solid/changes.h"
#include "space/search.h"

// Particles that seek bonds, in the order of their slots.
typedef struct seekers
{
    const frz_new_bonds_input *in;
    const int32_t *number;
    const uint8_t *phase;
    double reach;
    int count;
    int32_t *slot;
    frz_v4 *place;
    frz_grid grid;
    frz_cell_list cells;
} seekers;

static bool are_bonded(const frz_bonds *bonds, int e, int f)
{
    bool whole = false;
    for (int64_t k = bonds->begin[e]; k < bonds->begin[e + 1] && !whole; ++k)
        whole = (int)bonds->other[k] == f && bonds->weight[k] > 0;
    return whole;
}

// Do bonds keep two particles of one body from touching, as frz_exclusion_holds would say?
static bool holds(const frz_new_bonds_input *in, int e, int f)
{
    const frz_solids *solids = in->solids;
    if (solids->body[e] != solids->body[f] || (solids->cracked && solids->piece[e] != solids->piece[f]))
        return frz_exclusion_lists(solids->near_begin, solids->near, e, f) ||
               frz_exclusion_lists(solids->near_begin, solids->near, f, e);
    const frz_v4 d = frz_bonds_between(in->bonds, e, f);
    const double reach = solids->reach[solids->body[e]];
    if ((double)frz_v4_dot3(d, d) < reach * reach)
        return !frz_solids_are_apart(solids, e, f);
    return frz_exclusion_lists(solids->near_begin, solids->near, e, f);
}

static bool may_bond(const seekers *s, int i, int j)
{
    const frz_new_bonds_input *in = s->in;
    const int e = s->number[i], f = s->number[j];
    if (in->wish[i] == FRZ_BOND_WISH_NEW || in->wish[j] == FRZ_BOND_WISH_NEW)
        return e < 0 || f < 0 || !are_bonded(in->bonds, e, f);
    const bool joined = in->join != NULL && in->join[i] >= 0 && in->join[i] == in->join[j];
    return joined && e >= 0 && f >= 0 && !are_bonded(in->bonds, e, f) && !holds(in, e, f);
}

// Partners of seeker n in higher slots, ascending; -1 if there are too many.
static int partners(const seekers *s, int n, int32_t list[FRZ_NEIGHBOR_BUFFER])
{
    frz_cell_run runs[FRZ_RUN_MAX];
    frz_found found;
    const frz_real at[3] = {s->place[n][0], s->place[n][1], s->place[n][2]};
    const int run_count = frz_cell_runs_at(&s->grid, &s->cells, at, runs);
    const int near = frz_search(&s->cells, runs, run_count, at, (frz_real)s->reach, -1, &found);
    int count = near < 0 ? -1 : 0;
    for (int k = 0; k < near; ++k)
    {
        const int m = s->cells.index[frz_lane_index(found.lane[k])];
        if (m <= n || !may_bond(s, s->slot[n], s->slot[m]))
            continue;
        int at_place = count++;
        for (; at_place > 0 && list[at_place - 1] > s->slot[m]; --at_place)
            list[at_place] = list[at_place - 1];
        list[at_place] = s->slot[m];
    }
    return count;
}

static frz_status gather(seekers *s, frz_arena *scratch, frz_diag *diag)
{
    const frz_new_bonds_input *in = s->in;
    const frz_v4 *position = frz_field_v4(in->particles, FRZ_FIELD_ID_position);
    const int free = in->particles->count[FRZ_ROLE_FREE];
    s->slot = FRZ_SCRATCH(scratch, free + 1, int32_t);
    s->place = FRZ_SCRATCH(scratch, free + 1, frz_v4);
    if (s->slot == NULL || s->place == NULL)
        return frz_fail_memory(diag, "the search for new bonds");
    double min[3] = {HUGE_VAL, HUGE_VAL, HUGE_VAL}, max[3] = {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL};
    for (int i = 0; i < free; ++i)
    {
        if (in->wish[i] == FRZ_BOND_WISH_NONE)
            continue;
        s->slot[s->count] = i;
        s->place[s->count++] = position[i];
        for (int a = 0; a < 3; ++a)
        {
            min[a] = fmin(min[a], (double)position[i][a]);
            max[a] = fmax(max[a], (double)position[i][a]);
        }
    }
    if (s->count == 0)
        return FRZ_OK;
    for (int a = 0; a < 3; ++a)
    {
        min[a] = in->space->periodic[a] ? in->space->domain_min[a] : min[a];
        max[a] = in->space->periodic[a] ? in->space->domain_max[a] : max[a];
    }
    const int64_t most_cells = 8 * (int64_t)s->count + (1 << 12);
    FRZ_TRY(frz_grid_create(min, max, in->space->periodic, s->reach, in->space->dimension, most_cells, &s->grid, diag));
    FRZ_TRY(frz_cell_list_build(&s->grid, s->place, s->count, &s->cells, scratch, diag));
    frz_cell_list_fill(&s->cells, s->place, false);
    return FRZ_OK;
}

static frz_status list_pairs(const seekers *s, frz_arena *scratch, frz_slot_pairs *out, frz_diag *diag)
{
    int64_t *begin = FRZ_SCRATCH(scratch, s->count + 1, int64_t);
    if (begin == NULL)
        return frz_fail_memory(diag, "the search for new bonds");
    int crowded = s->count;
    begin[0] = 0;
#pragma omp parallel for schedule(dynamic, 64) reduction(min : crowded)
    for (int n = 0; n < s->count; ++n)
    {
        int32_t list[FRZ_NEIGHBOR_BUFFER];
        const int count = partners(s, n, list);
        crowded = count < 0 && n < crowded ? n : crowded;
        begin[n + 1] = count; // a count; becomes a position below
    }
    if (crowded < s->count)
        return frz_fail(diag, FRZ_ERR_DIVERGED,
                        "particle %lld has too many neighbours to become part of a solid body: it is being crushed",
                        (long long)frz_field_i64(s->in->particles, FRZ_FIELD_ID_id)[s->slot[crowded]]);
    for (int n = 0; n < s->count; ++n)
        begin[n + 1] += begin[n];
    out->count = begin[s->count];
    out->pair = FRZ_ALLOC("bonds", out->count + 1, frz_slot_pair);
    if (out->pair == NULL)
        return frz_fail_memory(diag, "new bonds");
#pragma omp parallel for schedule(dynamic, 64)
    for (int n = 0; n < s->count; ++n)
    {
        int32_t list[FRZ_NEIGHBOR_BUFFER];
        const int count = partners(s, n, list);
        for (int k = 0; k < count; ++k)
            out->pair[begin[n] + k] = (frz_slot_pair){s->slot[n], list[k]};
    }
    return FRZ_OK;
}

frz_status frz_solids_find_new_bonds(const frz_new_bonds_input *input, frz_arena *scratch, frz_slot_pairs *out,
                                     frz_diag *diag)
{
    *out = (frz_slot_pairs){0};
    seekers s = {.in = input,
                 .number = frz_field_i32(input->particles, input->field),
                 .phase = frz_particles_phase(input->particles),
                 .reach = input->space->bond_kernel->support};
    const frz_arena_mark mark = frz_arena_here(scratch);
    frz_status status = gather(&s, scratch, diag);
    if (status == FRZ_OK && s.count > 0)
        status = list_pairs(&s, scratch, out, diag);
    frz_cell_list_destroy(&s.cells);
    frz_grid_destroy(&s.grid);
    frz_arena_release(scratch, mark);
    if (status != FRZ_OK)
        frz_slot_pairs_destroy(out);
    return status;
}

void frz_slot_pairs_destroy(frz_slot_pairs *pairs)
{
    frz_free(pairs->pair);
    *pairs = (frz_slot_pairs){0};
}
