// SPDX-License-Identifier: MIT
// The solid bodies of the state (src/solid) in the course of a step.
#include "sim/state_solids.h"

#include <math.h>

#include "base/blocks.h"
#include "sim/state.h"

// supports within which particles of one body are never in contact with each other: a body pressed to half its length
// must not begin to touch itself
static const double contact_free = 2.0;

frz_solid_space frz_state_solid_space(const frz_model *model, const frz_state *state)
{
    frz_solid_space space = {
        .dimension = model->dimension,
        .spacing = model->spacing,
        .support = model->support,
        .kernel = &model->kernel,
        .bond_kernel = &model->bond_kernel,
        .particle_volume = model->particle_volume,
        .cell_budget = state->neighbors.cell_budget,
    };
    for (int a = 0; a < 3; ++a)
    {
        space.periodic[a] = model->periodic[a];
        space.domain_min[a] = model->domain_min[a];
        space.domain_max[a] = model->domain_max[a];
    }
    return space;
}

double frz_state_solid_reach(const frz_model *model, const frz_state *state, int body)
{
    const frz_body *made = frz_body_made(model, state, body);
    const bool touches =
        state->bodies.identity[body].kind == FRZ_BODY_ELASTIC && (made->self_contact || made->kind != FRZ_BODY_ELASTIC);
    return touches ? contact_free * model->support : HUGE_VAL;
}

// Time 0.
static frz_status create(const frz_model *model, frz_state *state, frz_diag *diag)
{
    frz_solids *solids = &state->solids;
    FRZ_TRY(frz_solids_reserve_bodies(solids, model->body_count, diag));
    for (int b = 0; b < model->body_count; ++b)
        solids->reach[b] = frz_state_solid_reach(model, state, b);
    return frz_solids_number(solids, &state->particles, state->fields.solid, diag);
}

// The reference position of a rigid particle is its position in the axes of its body.
static void count_from_frames(const frz_model *model, frz_solids *solids)
{
    for (int e = 0; e < solids->count; ++e)
    {
        const frz_body *body = &model->bodies[solids->body[e]];
        if (body->kind == FRZ_BODY_RIGID)
            solids->reference[e] -= frz_v4_of(body->position);
    }
}

frz_status frz_solids_update(const frz_model *model, frz_state *state, frz_diag *diag)
{
    frz_solids *solids = &state->solids;
    if (state->fields.solid < 0)
        return FRZ_OK;
    const bool first = solids->reach == NULL;
    if (first)
        FRZ_TRY(create(model, state, diag));
    FRZ_TRY(frz_solids_locate(solids, &state->particles, state->fields.solid, diag));
    if (first)
    {
        const frz_solid_space space = frz_state_solid_space(model, state);
        frz_solids_remember(solids, &space, &state->particles, &state->neighbors.grid, &state->neighbors.free_cells);
        count_from_frames(model, solids);
    }
    // changes need bonds without an elastic method, too, and the length of bonds before any particle is solid
    return first && model->can_change ? frz_state_bonds(model, state, diag) : FRZ_OK;
}

void frz_solids_ready_search(frz_state *state)
{
    if (state->solids.count > 0)
        frz_solids_show(&state->solids, state->particles.count[FRZ_ROLE_FREE], &state->neighbors.free_cells);
}

void frz_solids_find_isolated(const frz_model *model, frz_state *state)
{
    const frz_solid_space space = frz_state_solid_space(model, state);
    if (state->solids.count > 0)
        frz_solids_isolate(&state->solids, &space, &state->particles, &state->neighbors.grid,
                           &state->neighbors.free_cells, state->stats.max_speed * state->attempt.dt);
}

// Factors of Young's modulus at the present temperatures.
static void scale_stiffness(const frz_model *model, frz_state *state)
{
    frz_bonds *bonds = &state->bonds;
    bool any = false;
    for (int m = 0; m < model->material_count && model->has_temperature; ++m)
        any = any || frz_material_depends(&model->materials[m], FRZ_PROPERTY_STIFFNESS);
    bonds->any_scaled = any;
    if (!any)
        return;
    const frz_real *temperature = frz_field_real(&state->particles, model->temperature_field);
    const uint8_t *material = frz_particles_material(&state->particles);
#pragma omp parallel for schedule(static) if (bonds->count >= frz_parallel_some)
    for (int e = 0; e < bonds->count; ++e)
    {
        const int slot = state->solids.slot[e];
        bonds->scale[e] = slot < 0 ? 0
                                   : (frz_real)frz_material_factor(&model->materials[material[slot]],
                                                                   FRZ_PROPERTY_STIFFNESS, (double)temperature[slot]);
    }
}

frz_status frz_state_bonds(const frz_model *model, frz_state *state, frz_diag *diag)
{
    const frz_solid_space space = frz_state_solid_space(model, state);
    if (state->bonds.begin == NULL)
        FRZ_TRY(frz_solids_bond(&state->solids, &space, &state->bonds, diag));
    frz_solids_detach_lost(&state->solids, &state->bonds);
    scale_stiffness(model, state);
    return FRZ_OK;
}

frz_status frz_pieces_update(const frz_model *model, frz_state *state, frz_diag *diag)
{
    const frz_solid_space space = frz_state_solid_space(model, state);
    return frz_solids_part(&state->solids, &state->bonds, &space, &state->scratch, diag);
}

void frz_pieces_break(frz_state *state, int i, int64_t k)
{
    frz_solids_break(&state->solids, &state->bonds, i, k);
}

int64_t frz_pieces_list_broken(const frz_state *state, int64_t *place)
{
    return frz_solids_list_broken(&state->solids, &state->bonds, place);
}

frz_status frz_pieces_put_broken(frz_state *state, const int64_t *place, int64_t count, frz_diag *diag)
{
    return frz_solids_put_broken(&state->solids, &state->bonds, place, count, diag);
}

frz_status frz_state_prepare_solids(const frz_model *model, frz_state *state, frz_diag *diag)
{
    for (int n = 0; n < model->instance_count; ++n)
    {
        const frz_instance *instance = &model->instances[n];
        // cppcheck-suppress AssignmentIntegerToAddress ; a function pointer from a table
        frz_stage_fn *run = instance->method->run[FRZ_STAGE_PREPARE];
        if (instance->method->slot == FRZ_SLOT_ELASTIC && run != NULL)
            FRZ_TRY(run(model, state, instance, 0.0, diag));
    }
    return FRZ_OK;
}
