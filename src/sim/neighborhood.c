// SPDX-License-Identifier: MIT
// From positions to pairs: grid, sort, cell lists, pair data, densities.
#include "sim/neighborhood.h"

#include <math.h>
#include <string.h>

#include "sim/boundary.h"
#include "sim/state.h"
#include "sim/state_solids.h"

// margin of a new grid over the bounds of the particles, so that it does not grow in every step
static const double growth = 0.25;

// Make sure that the grid fits the liquid; *rebuilt: the grid is new.
static frz_status fit_grid(const frz_model *model, frz_state *state, bool *rebuilt, frz_diag *diag)
{
    *rebuilt = state->neighbors.grid.row_rank == NULL;
    for (int a = 0; a < model->dimension; ++a)
    {
        if (model->periodic[a])
            continue;
        const double size = state->neighbors.grid_max[a] - state->neighbors.grid_min[a];
        if (state->stats.min[a] < state->neighbors.grid_min[a])
        {
            state->neighbors.grid_min[a] = state->stats.min[a] - growth * size;
            *rebuilt = true;
        }
        if (state->stats.max[a] > state->neighbors.grid_max[a])
        {
            state->neighbors.grid_max[a] = state->stats.max[a] + growth * size;
            *rebuilt = true;
        }
    }
    if (!*rebuilt)
        return FRZ_OK;
    frz_grid_destroy(&state->neighbors.grid);
    return frz_grid_create(state->neighbors.grid_min, state->neighbors.grid_max, model->periodic, model->support,
                           model->dimension, state->neighbors.cell_budget, &state->neighbors.grid, diag);
}

static frz_status prepare(const frz_model *model, frz_state *state, frz_diag *diag)
{
    if (state->prepared)
        return FRZ_OK;
    frz_boundary_prepare(model, state);
    FRZ_TRY(frz_contact_prepare(model, state, diag));
    for (int n = 0; n < model->instance_count; ++n)
    {
        // cppcheck-suppress AssignmentIntegerToAddress ; a function pointer from a table, which cppcheck takes for a
        // call
        frz_stage_fn *run = model->instances[n].method->run[FRZ_STAGE_PREPARE];
        if (run != NULL)
            FRZ_TRY(run(model, state, &model->instances[n], 0.0, diag));
    }
    state->prepared = true;
    return FRZ_OK;
}

static void write_density(frz_state *state)
{
    const frz_real *compression = frz_field_real(&state->particles, FRZ_FIELD_ID_compression);
    frz_real *density = frz_field_real(&state->particles, FRZ_FIELD_ID_density);
    const bool *point = state->attempt.points.is_one; // its own method knows better
    const frz_real *inverse_density = frz_particles_inverse_density(&state->particles);
#pragma omp parallel for schedule(static) if (state->particles.count[FRZ_ROLE_FREE] >= frz_parallel_least)
    for (int i = 0; i < state->particles.count[FRZ_ROLE_FREE]; ++i)
        density[i] = (point != NULL && point[i] ? 1 : compression[i]) / inverse_density[i];
}

static frz_affine_use affine_use(const frz_model *model)
{
    bool viscous = false, buoyant = false;
    for (int n = 0; n < model->instance_count; ++n)
    {
        const frz_instance *instance = &model->instances[n];
        viscous = viscous || (instance->method->traits & FRZ_TRAIT_NEEDS_AFFINE) != 0;
        buoyant = buoyant || (instance->method->buoyant != NULL && instance->method->buoyant(instance->self));
    }
    const frz_affine_use wanted = !viscous ? FRZ_AFFINE_NONE : buoyant ? FRZ_AFFINE_FULL : FRZ_AFFINE_BY_FRICTION;
    frz_affine_use use = FRZ_AFFINE_NONE;
    for (int n = 0; n < model->instance_count && use == FRZ_AFFINE_NONE; ++n)
        if (model->instances[n].method->affine != NULL)
            use = model->instances[n].method->affine(model->instances[n].self, wanted);
    return use;
}

// Forces of the corrected divergence have no energy: particles under a pressure P are driven by a fraction of the
// acceleration P / (rho s) for ever, at rest too, with oscillations of the frequency w, w^2 = P / (rho s^2). Friction
// with the rate r damps them where r exceeds w. So the correction has the fraction r^2 / (r^2 + w^2): nearly all in
// syrup, little in oil.
static frz_status weigh_affine(const frz_model *model, frz_state *state, frz_diag *diag)
{
    const frz_instance *viscosity = frz_model_friction(model);
    if (viscosity == NULL)
        return FRZ_OK;
    const frz_arena_mark mark = frz_arena_here(&state->scratch);
    const int count = state->neighbors.pairs.count;
    frz_real *rate = FRZ_SCRATCH(&state->scratch, count + 1, frz_real);
    if (rate == NULL)
        return frz_fail_memory(diag, "the corrections of the divergence");
    FRZ_TRY(viscosity->method->friction_rate(model, state, viscosity, rate, diag));
    const frz_real *pressure = frz_field_real(&state->particles, FRZ_FIELD_ID_pressure);
    const frz_real *inverse_density = frz_particles_inverse_density(&state->particles);
    const frz_real unit = (frz_real)(1.0 / (model->spacing * model->spacing));
    frz_affine *of = state->neighbors.affine.of;
#pragma omp parallel for schedule(static) if (count >= frz_parallel_least)
    for (int i = 0; i < count; ++i)
    {
        const frz_real square = rate[i] * rate[i];
        const frz_real driven = pressure[i] > 0 ? unit * inverse_density[i] * pressure[i] : 0;
        const frz_real fraction = square > 0 ? square / (square + driven) : 0;
        for (int a = 0; a < 3; ++a)
            of[i].column[a] *= fraction;
    }
    frz_arena_release(&state->scratch, mark);
    return FRZ_OK;
}

frz_pairs_input frz_state_pairs_input(const frz_model *model, const frz_state *state)
{
    const frz_particles *particles = &state->particles;
    const int walls = particles->first[FRZ_ROLE_SAMPLE];
    return (frz_pairs_input){
        .grid = &state->neighbors.grid,
        .free_cells = &state->neighbors.free_cells,
        .sample_cells = &state->neighbors.sample_cells,
        .kernel = &model->kernel,
        .spacing = model->spacing,
        .particle_volume = model->particle_volume,
        .position = frz_field_v4(particles, FRZ_FIELD_ID_position),
        .body = frz_field_i32(particles, FRZ_FIELD_ID_body),
        .inverse_density = frz_particles_inverse_density(particles),
        .one_density = state->one_density,
        .solids = state->solids.count > 0 ? &state->solids.exclusion : NULL,
        .point = state->attempt.points.is_one,
        .touchable = state->attempt.points.touchable,
        .sample_law = frz_boundary_law(model),
        .sample_body = frz_field_i32(particles, FRZ_FIELD_ID_body) + walls,
        .sample_normal = state->samples.normal,
        .sample_volume = frz_field_real(particles, FRZ_FIELD_ID_volume) + walls,
        .sample_velocity = state->any_motion ? frz_field_v4(particles, FRZ_FIELD_ID_velocity) + walls : NULL,
        .wants_wall_strain = affine_use(model) != FRZ_AFFINE_NONE,
    };
}

frz_status frz_state_sample_pairs(const frz_model *model, frz_state *state, frz_diag *diag)
{
    if (state->neighbors.sample_pairs.current)
        return FRZ_OK;
    const frz_pairs_input input = frz_state_pairs_input(model, state);
    return frz_sample_pairs_build(&input, state->neighbors.pairs.count, state->neighbors.pairs.sample_count,
                                  &state->neighbors.sample_pairs, diag);
}

frz_status frz_state_sample_fit(const frz_model *model, frz_state *state, frz_diag *diag)
{
    FRZ_TRY(frz_state_sample_pairs(model, state, diag));
    const frz_pairs_input input = frz_state_pairs_input(model, state);
    return frz_sample_fit_build(&input, &state->neighbors.sample_fit, diag);
}

frz_status frz_state_affine(const frz_model *model, frz_state *state, const frz_affine **of, frz_diag *diag)
{
    *of = NULL;
    const frz_affine_use use = affine_use(model);
    if (use == FRZ_AFFINE_NONE)
        return FRZ_OK;
    if (!state->neighbors.affine.current)
    {
        const frz_pairs_input input = frz_state_pairs_input(model, state);
        FRZ_TRY(frz_affine_build(&input, &state->neighbors.pairs, model->dimension, &state->neighbors.affine, diag));
        if (use == FRZ_AFFINE_BY_FRICTION)
            FRZ_TRY(weigh_affine(model, state, diag));
    }
    *of = state->neighbors.affine.of;
    return FRZ_OK;
}

// Which particles are material points, and which of the others these can touch.
static frz_status mark_points(const frz_model *model, frz_state *state, frz_diag *diag)
{
    bool any = false;
    for (int m = 0; m < model->material_count; ++m)
        any = any || frz_model_has_points(model, m);
    if (!any)
        return FRZ_OK;
    const int count = state->particles.count[FRZ_ROLE_FREE];
    const uint8_t *phase = frz_particles_phase(&state->particles);
    bool *point = FRZ_SCRATCH(&state->scratch, count + 1, bool);
    if (point == NULL)
        return frz_fail_memory(diag, "the material points");
    for (int i = 0; i < count; ++i)
        point[i] = phase[i] == FRZ_PHASE_POINT;
    state->attempt.points.is_one = point;
    if (frz_model_only_points(model))
        return FRZ_OK;
    int32_t *touchable = FRZ_SCRATCH(&state->scratch, count + 1, int32_t);
    if (touchable == NULL)
        return frz_fail_memory(diag, "the material points");
    touchable[0] = 0;
    for (int i = 0; i < count; ++i)
        touchable[i + 1] = touchable[i] + (phase[i] == FRZ_PHASE_LIQUID || phase[i] == FRZ_PHASE_ELASTIC);
    state->attempt.points.touchable = touchable;
    return FRZ_OK;
}

static frz_status build_pairs(const frz_model *model, frz_state *state, frz_diag *diag)
{
    const frz_particles *particles = &state->particles;
    const frz_pairs_input input = frz_state_pairs_input(model, state);
    state->neighbors.sample_pairs.current = state->neighbors.affine.current = false;
    if (frz_model_only_points(model)) // the arrays are never made
        return FRZ_OK;
    int culprit = -1;
    const frz_status status = frz_pairs_build(&input, particles->count[FRZ_ROLE_FREE], &state->neighbors.pairs,
                                              frz_field_real(particles, FRZ_FIELD_ID_compression), &culprit, diag);
    if (status == FRZ_ERR_DIVERGED)
    {
        const frz_v4 at = input.position[culprit];
        return frz_fail(diag, FRZ_ERR_DIVERGED,
                        "particle %lld at (%g, %g, %g) has more neighbours than a liquid can have: it is being crushed",
                        (long long)frz_field_i64(particles, FRZ_FIELD_ID_id)[culprit], (double)at[0], (double)at[1],
                        (double)at[2]);
    }
    return status;
}

// A NaN would spread over the neighbours; checking here names the first particle that has one.
static frz_status check_finite(const frz_particles *particles, frz_diag *diag)
{
    const frz_v4 *position = frz_field_v4(particles, FRZ_FIELD_ID_position);
    const frz_v4 *velocity = frz_field_v4(particles, FRZ_FIELD_ID_velocity);
    const int count = particles->count[FRZ_ROLE_FREE];
    int bad = count;
#pragma omp parallel for schedule(static) reduction(min : bad) if (count >= frz_parallel_least)
    for (int i = 0; i < count; ++i)
        if (!(frz_v4_dot3(position[i], position[i]) + frz_v4_dot3(velocity[i], velocity[i]) < HUGE_VAL))
            bad = i < bad ? i : bad;
    if (bad == count)
        return FRZ_OK;
    return frz_fail(diag, FRZ_ERR_DIVERGED, "the velocity or position of particle %lld is not a finite number",
                    (long long)frz_field_i64(particles, FRZ_FIELD_ID_id)[bad]);
}

// Free particles in the order of their cells; the try keeps the order, in case it is rejected.
static frz_status sort(frz_state *state, frz_diag *diag)
{
    frz_particles *particles = &state->particles;
    const int count = particles->count[FRZ_ROLE_FREE];
    int *order = FRZ_SCRATCH(&state->scratch, count + 1, int);
    const frz_arena_mark mark = frz_arena_here(&state->scratch);
    void *rows = frz_arena_alloc(&state->scratch, (size_t)count + 1, frz_particles_widest(particles));
    if (order == NULL || rows == NULL)
        return frz_fail_memory(diag, "the sort of the particles");
    memcpy(order, state->neighbors.free_cells.index, (size_t)count * sizeof *order);
    frz_particles_permute(particles, FRZ_ROLE_FREE, order, count, rows);
    frz_arena_release(&state->scratch, mark);
    state->attempt.order = order;
    state->attempt.rows = rows;
    return FRZ_OK;
}

frz_status frz_neighborhood_update(const frz_model *model, frz_state *state, frz_diag *diag)
{
    double start = frz_now();
    frz_particles *particles = &state->particles;
    bool rebuilt = false;
    FRZ_TRY(check_finite(particles, diag));
    FRZ_TRY(fit_grid(model, state, &rebuilt, diag));
    const int count = particles->count[FRZ_ROLE_FREE];
    if (rebuilt || (state->samples.moved && count > 0)) // only free particles need the samples' cells
    {
        const frz_v4 *walls = frz_field_v4(particles, FRZ_FIELD_ID_position) + particles->first[FRZ_ROLE_SAMPLE];
        FRZ_TRY(frz_cell_list_build(&state->neighbors.grid, walls, particles->count[FRZ_ROLE_SAMPLE],
                                    &state->neighbors.sample_cells, &state->scratch, diag));
        frz_cell_list_fill(&state->neighbors.sample_cells, walls, false);
        state->samples.moved = false;
    }
    const int *starts = state->neighbors.free_cells.start;
    if (rebuilt || count > 0 || starts == NULL ||
        starts[state->neighbors.grid.cell_count] > 0) // else it is still empty
        FRZ_TRY(frz_cell_list_build(&state->neighbors.grid, frz_field_v4(particles, FRZ_FIELD_ID_position), count,
                                    &state->neighbors.free_cells, &state->scratch, diag));
    FRZ_TRY(sort(state, diag));
    frz_cell_list_fill(&state->neighbors.free_cells, frz_field_v4(particles, FRZ_FIELD_ID_position), true);
    FRZ_TRY(frz_solids_update(model, state, diag));
    FRZ_TRY(frz_attachments_prepare(model, state, diag));
    FRZ_TRY(prepare(model, state, diag));
    FRZ_TRY(frz_pieces_update(model, state, diag));
    FRZ_TRY(frz_attachments_mark_bodies(model, state, diag));
    frz_solids_ready_search(state);
    start = frz_timer_lap(&state->timers, frz_timer_index(&state->timers, "sort"), start);
    frz_solids_find_isolated(model, state);
    FRZ_TRY(mark_points(model, state, diag));
    FRZ_TRY(build_pairs(model, state, diag));
    write_density(state);
    frz_timer_lap(&state->timers, frz_timer_index(&state->timers, "neighbours and density"), start);
    return FRZ_OK;
}
