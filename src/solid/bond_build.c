// SPDX-License-Identifier: MIT
// Making all bonds of bodies from their undeformed positions.
#include <math.h>

#include "base/arena.h"
#include "base/memory.h"
#include "solid/bonds_internal.h"
#include "space/search.h"

typedef struct builder
{
    const frz_bonds_input *input;
    frz_bonds *bonds;
    frz_grid grid;
    frz_cell_list cells;
    frz_arena scratch;
} builder;

static void copy_input(const frz_bonds_input *input, frz_bonds *bonds)
{
    int e = 0;
    for (int b = 0; b < input->body_count; ++b)
    {
        bonds->first[b] = e;
        for (; e < input->count && input->body[e] == b; ++e)
        {
            bonds->body[e] = b;
            bonds->reference[e] = frz_v4_xyz(input->reference[e]);
        }
    }
    FRZ_ASSERT(e == input->count); // in the order of the bodies
    bonds->first[input->body_count] = e;
}

static frz_status make_grid(builder *b, frz_diag *diag)
{
    const frz_bonds_input *input = b->input;
    double min[3], max[3];
    for (int a = 0; a < 3; ++a)
    {
        min[a] = HUGE_VAL;
        max[a] = -HUGE_VAL;
        for (int e = 0; e < input->count; ++e)
        {
            min[a] = fmin(min[a], (double)input->reference[e][a]);
            max[a] = fmax(max[a], (double)input->reference[e][a]);
        }
        if (input->periodic[a])
        {
            min[a] = input->domain_min[a];
            max[a] = input->domain_max[a];
        }
    }
    const int64_t most_cells = 8 * (int64_t)input->count + (1 << 16); // more would cost more than they save
    FRZ_TRY(frz_grid_create(min, max, input->periodic, input->kernel->support, input->kernel->dimension, most_cells,
                            &b->grid, diag));
    FRZ_TRY(frz_cell_list_build(&b->grid, input->reference, input->count, &b->cells, &b->scratch, diag));
    frz_cell_list_fill(&b->cells, input->reference, false);
    return FRZ_OK;
}

// The particles of i's body within the support, in order; -1 if there are too many.
static int neighbors(const builder *b, int i, int *list)
{
    const frz_bonds_input *input = b->input;
    frz_found found;
    frz_cell_run runs[FRZ_RUN_MAX];
    FRZ_ASSERT(b->cells.index != NULL && b->cells.x != NULL && b->cells.y != NULL && b->cells.z != NULL);
    const frz_real at[3] = {input->reference[i][0], input->reference[i][1], input->reference[i][2]};
    const int run_count = frz_cell_runs_at(&b->grid, &b->cells, at, runs);
    const int all = frz_search(&b->cells, runs, run_count, at, (frz_real)input->kernel->support, -1, &found);
    int count = all < 0 ? -1 : 0;
    for (int k = 0; k < all; ++k)
    {
        const int j = b->cells.index[frz_lane_index(found.lane[k])];
        if (j == i || input->body[j] != input->body[i])
            continue;
        int place = count++;
        for (; place > 0 && list[place - 1] > j; --place)
            list[place] = list[place - 1];
        list[place] = j;
    }
    return count;
}

static frz_status count_bonds(builder *b, frz_diag *diag)
{
    frz_bonds *bonds = b->bonds;
    int crowded = bonds->count;
#pragma omp parallel for schedule(dynamic, 64) reduction(min : crowded)
    for (int i = 0; i < bonds->count; ++i)
    {
        int list[FRZ_NEIGHBOR_BUFFER];
        const int count = neighbors(b, i, list);
        crowded = count < 0 && i < crowded ? i : crowded;
        bonds->begin[i + 1] = count < 0 ? 0 : count; // a count; becomes a position below
    }
    if (crowded < bonds->count)
        return frz_fail(diag, FRZ_ERR_SCENE,
                        "elastic particle %lld has more than %d neighbours at rest: bodies lie in the same place",
                        (long long)crowded, FRZ_NEIGHBOR_MAX);
    for (int i = 0; i < bonds->count; ++i)
    {
        bonds->bond_count += bonds->begin[i + 1];
        const int64_t padded = (bonds->begin[i + 1] + FRZ_BOND_PADDING - 1) / FRZ_BOND_PADDING * FRZ_BOND_PADDING;
        bonds->begin[i + 1] = bonds->begin[i] + padded;
    }
    return FRZ_OK;
}

static frz_status fill_bonds(builder *b, frz_diag *diag)
{
    frz_bonds *bonds = b->bonds;
    FRZ_TRY(frz_bonds_allocate_lists(bonds, diag));
    const frz_bond_weigher w = frz_bond_weigher_of(bonds, FRZ_BOND_GRADIENT);
#pragma omp parallel for schedule(dynamic, 64)
    for (int i = 0; i < bonds->count; ++i)
    {
        int list[FRZ_NEIGHBOR_BUFFER];
        const int count = neighbors(b, i, list);
        for (int64_t k = bonds->begin[i]; k < bonds->begin[i + 1]; ++k)
        {
            const int n = (int)(k - bonds->begin[i]);
            bonds->other[k] = (uint32_t)(n < count ? list[n] : i);
            const frz_v4 rest = frz_bonds_rest(bonds, i, k);
            bonds->weight[k] = (frz_real)frz_bond_weigh(&w, sqrt((double)frz_v4_dot3(rest, rest)));
        }
        frz_bonds_correct(bonds, i);
    }
    return FRZ_OK;
}

frz_status frz_bonds_build(const frz_bonds_input *input, frz_bonds *bonds, frz_diag *diag)
{
    frz_bonds_destroy(bonds);
    bonds->dimension = input->kernel->dimension;
    bonds->spacing = input->spacing;
    bonds->volume = pow(input->spacing, input->kernel->dimension);
    bonds->kernel = *input->kernel;
    for (int a = 0; a < 3; ++a)
    {
        bonds->periodic[a] = input->periodic[a];
        bonds->period[a] = input->periodic[a] ? (frz_real)(input->domain_max[a] - input->domain_min[a]) : 0;
        bonds->any_periodic = bonds->any_periodic || input->periodic[a];
    }
    builder b = {.input = input, .bonds = bonds};
    frz_status status = frz_bonds_allocate(bonds, input->count, input->body_count, diag);
    if (status == FRZ_OK)
        copy_input(input, bonds);
    if (status == FRZ_OK && input->count > 0)
        status = make_grid(&b, diag);
    if (status == FRZ_OK && input->count > 0)
        status = count_bonds(&b, diag);
    if (status == FRZ_OK)
        status = fill_bonds(&b, diag);
    frz_cell_list_destroy(&b.cells);
    frz_grid_destroy(&b.grid);
    frz_arena_destroy(&b.scratch);
    if (status != FRZ_OK)
        frz_bonds_destroy(bonds);
    return status;
}
