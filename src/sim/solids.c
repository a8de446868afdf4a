// SPDX-License-Identifier: MIT
// Elastic particles by their own numbers: what they were made as, and where they are now.
#include <math.h>

#include "sim/state.h"
#include "space/search.h"

// Bonds reach to the diagonal neighbours of the lattice. Further ones would blur the strain near surfaces, where all of
// them lie on one side: a plate of n layers bends with 1 - 2.3 / n^2 of its stiffness, but with 1 - 5.9 / n^2 if bonds
// reach as far as the liquid's kernel (2.1 spacings). Spacings.
static const double bond_reach = 1.6;

static const int64_t not_elastic = INT64_MIN;
// supports within which particles of one body are never in contact with each other: a body pressed to half its length
// must not begin to touch itself
static const double contact_free = 2.0;
// where searches find nothing, m; its square is still a number
static const frz_real nowhere = (frz_real)1e15;

// The compiler of the scene gives ids in the order of the bodies, so that a number is an id less what came before.
static frz_status number_bodies(const frz_model *model, frz_solids *solids, frz_diag *diag)
{
    solids->offset = FRZ_ALLOC("solids", model->body_count + 1, int64_t);
    solids->reach = FRZ_ALLOC("solids", model->body_count + 1, double);
    if (solids->offset == NULL || solids->reach == NULL)
        return frz_fail_memory(diag, "the elastic bodies");
    int64_t next_id = 0;
    for (int b = 0; b < model->body_count; ++b)
    {
        const frz_body *body = &model->bodies[b];
        const bool elastic = body->kind == FRZ_BODY_ELASTIC;
        solids->reach[b] = body->self_contact ? contact_free * model->support : HUGE_VAL;
        solids->offset[b] = elastic ? solids->count - next_id : not_elastic;
        next_id += body->sample_count;
        solids->count += elastic ? (int)body->sample_count : 0;
    }
    return FRZ_OK;
}

// The neighbours of free particle i, where they are now.
static int neighbors_of(const frz_model *model, const frz_state *state, int i, frz_found *found)
{
    const frz_v4 *position = frz_field_v4(&state->particles, FRZ_FIELD_ID_position);
    const frz_real at[3] = {position[i][0], position[i][1], position[i][2]};
    frz_cell_run runs[FRZ_RUN_MAX];
    const int run_count = frz_cell_runs(
        &state->grid, &state->free_cells, frz_grid_coordinate(&state->grid, 0, (double)at[0]),
        frz_grid_coordinate(&state->grid, 1, (double)at[1]), frz_grid_coordinate(&state->grid, 2, (double)at[2]), runs);
    return frz_search(&state->free_cells, runs, run_count, at, (frz_real)model->support, i, found);
}

static double distance_to(const frz_found *found, int k)
{
    const double dx = (double)found->dx[k], dy = (double)found->dy[k], dz = (double)found->dz[k];
    return sqrt(dx * dx + dy * dy + dz * dz);
}

// Compression of a particle by those of its own body. Crowded places of a body are its own affair, not a contact.
static frz_real own_fill(const frz_model *model, const frz_state *state, int i)
{
    const int32_t *body = frz_field_i32(&state->particles, FRZ_FIELD_ID_body);
    frz_found found;
    const int near = neighbors_of(model, state, i, &found);
    double sum = frz_kernel_value(&model->kernel, 0.0);
    for (int k = 0; k < near; ++k)
        if (body[frz_lane_index(found.lane[k])] == body[i])
            sum += frz_kernel_value(&model->kernel, distance_to(&found, k));
    return (frz_real)fmin(model->particle_volume * sum, 1.0);
}

static bool is_core(const frz_model *model, const frz_state *state, int e)
{
    const frz_solids *solids = &state->solids;
    frz_found found;
    const int near = neighbors_of(model, state, solids->slot[e], &found);
    bool core = solids->rest_compression[e] >= FRZ_SURFACE_COMPRESSION;
    for (int k = 0; k < near && core; ++k)
    {
        const int other = solids->index_of_slot[frz_lane_index(found.lane[k])];
        const bool deep = other >= 0 && solids->body[other] == solids->body[e] &&
                          solids->rest_compression[other] >= FRZ_SURFACE_COMPRESSION;
        core = deep || distance_to(&found, k) > FRZ_SKIN_DEPTH * model->spacing;
    }
    return core;
}

// Time 0: the undeformed bodies.
static void remember(const frz_model *model, const frz_state *state, frz_solids *solids)
{
    const frz_v4 *position = frz_field_v4(&state->particles, FRZ_FIELD_ID_position);
    const int32_t *body = frz_field_i32(&state->particles, FRZ_FIELD_ID_body);
#pragma omp parallel for schedule(static)
    for (int e = 0; e < solids->count; ++e)
    {
        solids->body[e] = body[solids->slot[e]];
        solids->reference[e] = position[solids->slot[e]];
        solids->rest_compression[e] = own_fill(model, state, solids->slot[e]);
    }
#pragma omp parallel for schedule(static)
    for (int e = 0; e < solids->count; ++e)
        solids->core[e] = is_core(model, state, e);
}

static frz_status create(const frz_model *model, frz_solids *solids, frz_diag *diag)
{
    FRZ_TRY(number_bodies(model, solids, diag));
    solids->slot = FRZ_ALLOC("solids", solids->count + 1, int32_t);
    solids->body = FRZ_ALLOC("solids", solids->count + 1, int32_t);
    solids->reference = FRZ_ALLOC("solids", solids->count + 1, frz_v4);
    solids->rest_compression = FRZ_ALLOC("solids", solids->count + 1, frz_real);
    solids->core = FRZ_ALLOC("solids", solids->count + 1, bool);
    solids->isolated = FRZ_ALLOC("solids", solids->count + 1, bool);
    solids->isolated_at = FRZ_ALLOC("solids", solids->count + 1, frz_v4);
    solids->piece = FRZ_ALLOC("solids", solids->count + 1, int32_t);
    if (solids->piece == NULL || solids->core == NULL || solids->slot == NULL || solids->body == NULL ||
        solids->reference == NULL || solids->rest_compression == NULL || solids->isolated == NULL ||
        solids->isolated_at == NULL)
        return frz_fail_memory(diag, "the elastic bodies");
    return FRZ_OK;
}

static frz_status make_room(frz_solids *solids, int slots, frz_diag *diag)
{
    if (solids->index_of_slot != NULL && solids->slot_capacity >= slots)
        return FRZ_OK;
    int32_t *number = frz_realloc("solids", solids->index_of_slot, (size_t)slots + 1, sizeof *number);
    if (number == NULL)
        return frz_fail_memory(diag, "the elastic bodies");
    solids->index_of_slot = number;
    FRZ_FREE(solids->reference_by_slot);
    FRZ_FREE(solids->group);
    solids->reference_by_slot = FRZ_ALLOC("solids", slots + 1, frz_v4);
    solids->group = FRZ_ALLOC("solids", slots + 1, int32_t);
    if (solids->reference_by_slot == NULL || solids->group == NULL)
        return frz_fail_memory(diag, "the elastic bodies");
    solids->slot_capacity = slots;
    return FRZ_OK;
}

void frz_solids_ready_search(frz_state *state)
{
    const frz_solids *solids = &state->solids;
    const int count = solids->count > 0 ? state->particles.count[FRZ_ROLE_FREE] : 0;
#pragma omp parallel for schedule(static) if (count >= FRZ_PARALLEL_SOME)
    for (int i = 0; i < count; ++i)
    {
        const int e = solids->index_of_slot[i];
        solids->group[i] = e < 0 ? -1 : solids->cracked ? solids->piece[e] : solids->body[e];
        solids->reference_by_slot[i] = e < 0 ? frz_v4_zero() : solids->reference[e];
        if (e >= 0 && solids->core[e])
            state->free_cells.x[i] = nowhere;
    }
}

frz_status frz_solids_update(const frz_model *model, frz_state *state, frz_diag *diag)
{
    frz_solids *solids = &state->solids;
    const bool first = solids->offset == NULL;
    if (first)
        FRZ_TRY(create(model, solids, diag));
    if (solids->count == 0)
        return FRZ_OK;
    FRZ_TRY(make_room(solids, state->particles.capacity[FRZ_ROLE_FREE], diag));
    const int32_t *body = frz_field_i32(&state->particles, FRZ_FIELD_ID_body);
    const int64_t *id = frz_field_i64(&state->particles, FRZ_FIELD_ID_id);
    const int count = state->particles.count[FRZ_ROLE_FREE];
    for (int e = 0; e < solids->count; ++e)
        solids->slot[e] = -1;
    solids->present = 0;
    for (int i = 0; i < count; ++i)
    {
        const int64_t offset = solids->offset[body[i]];
        solids->index_of_slot[i] = offset != not_elastic ? (int32_t)(id[i] + offset) : -1;
        if (offset == not_elastic)
            continue;
        solids->slot[solids->index_of_slot[i]] = i;
        solids->present += 1;
    }
    if (first)
        remember(model, state, solids);
    return FRZ_OK;
}

frz_status frz_state_bonds(const frz_model *model, frz_state *state, frz_diag *diag)
{
    const frz_solids *solids = &state->solids;
    if (state->bonds.begin == NULL)
    {
        const frz_kernel kernel = frz_kernel_make(model->kernel.id, bond_reach * model->spacing, model->dimension);
        frz_bonds_input input = {
            .count = solids->count,
            .reference = solids->reference,
            .body = solids->body,
            .body_count = model->body_count,
            .kernel = &kernel,
            .spacing = model->spacing,
        };
        for (int a = 0; a < 3; ++a)
        {
            input.periodic[a] = model->periodic[a];
            input.domain_min[a] = model->domain_min[a];
            input.domain_max[a] = model->domain_max[a];
        }
        FRZ_TRY(frz_bonds_build(&input, &state->bonds, diag));
    }
    if (solids->present == solids->count)
        return FRZ_OK;
    for (int e = 0; e < solids->count; ++e)
        if (solids->slot[e] < 0 && state->bonds.rank[e] > 0)
        {
            frz_bonds_detach(&state->bonds, e);
            state->solids.stale = state->solids.cracked;
        }
    return FRZ_OK;
}
