// SPDX-License-Identifier: MIT
// Saving and restoring a simulation: every number that the next step depends on, and nothing else. Arrays are in
// sim_exchange.c, single values here.
#include <string.h>

#include "api/sim_exchange.h"
#include "sim/motion.h"

enum
{
    value_max = 48
};

typedef struct value_list
{
    int count;
    frz_checkpoint_value values[value_max];
} value_list;

static void add(value_list *list, const char *name, frz_dtype type, void *data, frz_range range)
{
    FRZ_ASSERT(list->count < value_max);
    list->values[list->count++] = (frz_checkpoint_value){name, type, data, range};
}

// Along x, y and z.
static void add_axes(value_list *list, const char *const names[3], double data[3])
{
    for (int a = 0; a < 3; ++a)
        add(list, names[a], FRZ_F64, &data[a], FRZ_RANGE_FINITE);
}

static void list_stats(frz_step_stats *s, value_list *list)
{
    static const char *const min[3] = {"liquid_min_x", "liquid_min_y", "liquid_min_z"};
    static const char *const max[3] = {"liquid_max_x", "liquid_max_y", "liquid_max_z"};
    static const char *const momentum[3] = {"momentum_x", "momentum_y", "momentum_z"};
    const frz_range any = FRZ_RANGE_FINITE, size = FRZ_RANGE_NOT_NEGATIVE, count = FRZ_RANGE(0.0, INT32_MAX);
    add(list, "dt", FRZ_F64, &s->dt, size);
    add(list, "dt_limit", FRZ_I32, &s->dt_limit, FRZ_RANGE(FRZ_DT_FIXED, FRZ_DT_RETRY));
    add(list, "max_speed", FRZ_F64, &s->max_speed, size);
    add(list, "sample_speed", FRZ_F64, &s->sample_speed, size);
    add(list, "pressure_speed", FRZ_F64, &s->pressure_speed, size);
    add(list, "joint_frequency", FRZ_F64, &s->joint_frequency, size);
    add(list, "max_acceleration", FRZ_F64, &s->max_acceleration, size);
    add(list, "kinetic_energy", FRZ_F64, &s->kinetic_energy, size);
    add(list, "potential_energy", FRZ_F64, &s->potential_energy, any);
    add(list, "density_error_average", FRZ_F64, &s->density.error_average, any);
    add(list, "density_error_max", FRZ_F64, &s->density.error_max, any);
    add(list, "density_iterations", FRZ_I32, &s->density.iterations, count);
    add(list, "divergence_error_average", FRZ_F64, &s->divergence.error_average, any);
    add(list, "divergence_error_max", FRZ_F64, &s->divergence.error_max, any);
    add(list, "divergence_iterations", FRZ_I32, &s->divergence.iterations, count);
    add(list, "step_rejected", FRZ_I32, &s->rejected, count);
    add_axes(list, min, s->min);
    add_axes(list, max, s->max);
    add_axes(list, momentum, s->momentum);
}

// The one list of values, for writing and for reading.
static void list_values(frz_state *state, value_list *list)
{
    static const char *const min[3] = {"grid_min_x", "grid_min_y", "grid_min_z"};
    static const char *const max[3] = {"grid_max_x", "grid_max_y", "grid_max_z"};
    list->count = 0;
    add(list, "time", FRZ_F64, &state->time, FRZ_RANGE_NOT_NEGATIVE);
    add(list, "step", FRZ_I64, &state->step, FRZ_RANGE_COUNT);
    add(list, "lost", FRZ_I64, &state->lost, FRZ_RANGE_COUNT);
    add(list, "rejected", FRZ_I64, &state->rejected, FRZ_RANGE_COUNT);
    add(list, "next_id", FRZ_I64, &state->next_id, FRZ_RANGE_COUNT);
    add(list, "flow_marked", FRZ_F64, &state->sources.flow_marked, FRZ_RANGE_NOT_NEGATIVE);
    add(list, "space", FRZ_I32, &state->free_surface, FRZ_RANGE(FRZ_FREE_SURFACE_UNKNOWN, FRZ_FREE_SURFACE_NONE));
    add_axes(list, min, state->neighbors.grid_min);
    add_axes(list, max, state->neighbors.grid_max);
    list_stats(&state->stats, list);
}

frz_status frz_sim_save(const frz_sim *sim, const char *directory, frz_diag *diag)
{
    value_list list;
    list_values(sim->state, &list);
    frz_exchange exchange = {.model = sim->model, .state = sim->state, .diag = diag};
    frz_status status = frz_exchange_all(&exchange);
    const frz_checkpoint checkpoint = {
        .scene_text = sim->scene_text,
        .scene_hash = sim->scene_hash,
        .values = list.values,
        .value_count = list.count,
        .arrays = exchange.arrays,
        .array_count = exchange.count,
    };
    if (status == FRZ_OK)
        status = frz_checkpoint_write(directory, &checkpoint, diag);
    frz_exchange_end(&exchange);
    return status;
}

static frz_status read_state(frz_sim *sim, frz_checkpoint_reader *reader, const char *directory, frz_diag *diag)
{
    frz_state *state = sim->state;
    if (frz_checkpoint_scene_hash(reader) != sim->scene_hash)
        return frz_fail(
            diag, FRZ_ERR_FILE,
            "the checkpoint in %s belongs to another scene than the one given; run the scene anew or restore "
            "the scene it was made from",
            directory);
    value_list list;
    list_values(state, &list);
    for (int v = 0; v < list.count; ++v)
        FRZ_TRY(frz_checkpoint_read_value(reader, &list.values[v], diag));
    frz_exchange exchange = {.model = sim->model, .state = state, .reader = reader, .diag = diag};
    FRZ_TRY(frz_exchange_check_values(&exchange));
    FRZ_TRY(frz_exchange_all(&exchange));
    frz_particles_mirror(&state->particles, FRZ_ROLE_FREE);
    frz_grid_destroy(&state->neighbors.grid); // built again from the restored bounds
    return FRZ_OK;
}

frz_status frz_sim_restore(frz_sim *sim, const char *directory, frz_diag *diag)
{
    frz_checkpoint_reader *reader = NULL;
    bool older = false;
    FRZ_TRY(frz_checkpoint_open(directory, &reader, &older, diag));
    const frz_status status = frz_sim_take(sim, reader, directory, diag);
    frz_checkpoint_close(&reader);
    if (status == FRZ_OK && older && sim->log != NULL)
        sim->log(sim->log_user, FRZ_LOG_WARNING, "the newest checkpoint is damaged; going on from the one before it");
    return status;
}

frz_status frz_sim_take(frz_sim *sim, frz_checkpoint_reader *reader, const char *directory, frz_diag *diag)
{
    FRZ_TRY(read_state(sim, reader, directory, diag));
    for (int e = 0; e < sim->model->emitter_count; ++e)
        sim->announced[e] = sim->state->sources.emitters[e].exhausted != 0;
    for (int b = 0; b < sim->state->bodies.count && b < sim->noted_capacity; ++b)
        sim->missed[b] = sim->state->bodies.rigid[b].parked;
    frz_samples_place(sim->model, sim->state);
    return FRZ_OK;
}
