// SPDX-License-Identifier: MIT
// Elastic particles by their own numbers: what they were made as, and where they are now.
#include <math.h>

#include "sim/state.h"
#include "space/search.h"

static const int64_t not_elastic = INT64_MIN;

// The compiler of the scene gives ids in the order of the bodies, so that a number is an id less what came before.
static frz_status number_bodies(const frz_model *model, frz_solids *solids, frz_diag *diag)
{
    solids->offset = FRZ_ALLOC("solids", model->body_count + 1, int64_t);
    if (solids->offset == NULL)
        return frz_fail_memory(diag, "the elastic bodies");
    int64_t next_id = 0;
    for (int b = 0; b < model->body_count; ++b)
    {
        const frz_body *body = &model->bodies[b];
        const bool elastic = body->kind == FRZ_BODY_ELASTIC;
        solids->offset[b] = elastic ? solids->count - next_id : not_elastic;
        next_id += body->sample_count;
        solids->count += elastic ? (int)body->sample_count : 0;
    }
    return FRZ_OK;
}

// Compression of a particle by those of its own body, where they are now.
static double own_fill(const frz_model *model, const frz_state *state, int i, frz_found *found)
{
    const frz_v4 *position = frz_field_v4(&state->particles, FRZ_FIELD_ID_position);
    const int32_t *body = frz_field_i32(&state->particles, FRZ_FIELD_ID_body);
    const frz_real at[3] = {position[i][0], position[i][1], position[i][2]};
    frz_cell_run runs[FRZ_RUN_MAX];
    const int run_count = frz_cell_runs(
        &state->grid, &state->liquid_cells, frz_grid_coordinate(&state->grid, 0, (double)at[0]),
        frz_grid_coordinate(&state->grid, 1, (double)at[1]), frz_grid_coordinate(&state->grid, 2, (double)at[2]), runs);
    const int near = frz_search(&state->liquid_cells, runs, run_count, at, (frz_real)model->support, i, found);
    double sum = frz_kernel_value(&model->kernel, 0.0);
    for (int k = 0; k < near; ++k)
        if (body[frz_lane_index(found->lane[k])] == body[i])
        {
            const double dx = (double)found->dx[k], dy = (double)found->dy[k], dz = (double)found->dz[k];
            sum += frz_kernel_value(&model->kernel, sqrt(dx * dx + dy * dy + dz * dz));
        }
    return model->particle_volume * sum;
}

// Time 0: places and densities of the undeformed bodies. Crowded places of a body are its own affair, not a contact.
static void remember(const frz_model *model, const frz_state *state, frz_solids *solids)
{
    const frz_v4 *position = frz_field_v4(&state->particles, FRZ_FIELD_ID_position);
    const int32_t *body = frz_field_i32(&state->particles, FRZ_FIELD_ID_body);
#pragma omp parallel for schedule(static)
    for (int e = 0; e < solids->count; ++e)
    {
        frz_found found;
        const int i = solids->slot[e];
        solids->body[e] = body[i];
        solids->reference[e] = position[i];
        solids->fill[e] = (frz_real)fmin(own_fill(model, state, i, &found), 1.0);
    }
}

static frz_status create(const frz_model *model, frz_solids *solids, frz_diag *diag)
{
    FRZ_TRY(number_bodies(model, solids, diag));
    solids->reach = model->support;
    solids->slot = FRZ_ALLOC("solids", solids->count + 1, int32_t);
    solids->body = FRZ_ALLOC("solids", solids->count + 1, int32_t);
    solids->reference = FRZ_ALLOC("solids", solids->count + 1, frz_v4);
    solids->fill = FRZ_ALLOC("solids", solids->count + 1, frz_real);
    if (solids->slot == NULL || solids->body == NULL || solids->reference == NULL || solids->fill == NULL)
        return frz_fail_memory(diag, "the elastic bodies");
    return FRZ_OK;
}

static frz_status make_room(frz_solids *solids, int slots, frz_diag *diag)
{
    if (solids->number != NULL && solids->number_capacity >= slots)
        return FRZ_OK;
    int32_t *number = frz_realloc("solids", solids->number, (size_t)slots + 1, sizeof *number);
    if (number == NULL)
        return frz_fail_memory(diag, "the elastic bodies");
    solids->number = number;
    solids->number_capacity = slots;
    return FRZ_OK;
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
        solids->number[i] = offset != not_elastic ? (int32_t)(id[i] + offset) : -1;
        if (offset == not_elastic)
            continue;
        solids->slot[solids->number[i]] = i;
        solids->present += 1;
    }
    if (first)
        remember(model, state, solids);
    return FRZ_OK;
}
