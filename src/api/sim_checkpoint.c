// SPDX-License-Identifier: MIT
// Saving and restoring a simulation: every number that the next step depends on, and nothing else.
#include <stdio.h>
#include <string.h>

#include "api/sim_internal.h"
#include "base/memory.h"
#include "io/checkpoint_file.h"

enum
{
    value_max = 48
};

typedef struct value_list
{
    int count;
    frz_checkpoint_value values[value_max];
    int64_t counts[5]; // integers that are stored wider than they are kept
} value_list;

static void add(value_list *list, const char *name, frz_dtype type, void *data)
{
    FRZ_ASSERT(list->count < value_max);
    list->values[list->count++] = (frz_checkpoint_value){name, type, data};
}

// The one list of scalars, for writing and for reading.
static void list_values(frz_state *state, value_list *list)
{
    static const char *const min_names[3] = {"grid_min_x", "grid_min_y", "grid_min_z"};
    static const char *const max_names[3] = {"grid_max_x", "grid_max_y", "grid_max_z"};
    static const char *const liquid_min[3] = {"liquid_min_x", "liquid_min_y", "liquid_min_z"};
    static const char *const liquid_max[3] = {"liquid_max_x", "liquid_max_y", "liquid_max_z"};
    static const char *const momentum[3] = {"momentum_x", "momentum_y", "momentum_z"};
    frz_step_stats *s = &state->stats;
    memset(list, 0, sizeof *list);
    add(list, "time", FRZ_F64, &state->time);
    add(list, "step", FRZ_I64, &state->step);
    add(list, "lost", FRZ_I64, &state->lost);
    add(list, "rejected", FRZ_I64, &state->rejected);
    add(list, "next_id", FRZ_I64, &state->next_id);
    add(list, "flow_marked", FRZ_F64, &state->flow_marked);
    add(list, "dt", FRZ_F64, &s->dt);
    add(list, "max_speed", FRZ_F64, &s->max_speed);
    add(list, "sample_speed", FRZ_F64, &s->sample_speed);
    add(list, "pressure_speed", FRZ_F64, &s->pressure_speed);
    add(list, "joint_frequency", FRZ_F64, &s->joint_frequency);
    add(list, "max_acceleration", FRZ_F64, &s->max_acceleration);
    add(list, "kinetic_energy", FRZ_F64, &s->kinetic_energy);
    add(list, "potential_energy", FRZ_F64, &s->potential_energy);
    add(list, "density_error_average", FRZ_F64, &s->density.error_average);
    add(list, "density_error_max", FRZ_F64, &s->density.error_max);
    add(list, "divergence_error_average", FRZ_F64, &s->divergence.error_average);
    add(list, "divergence_error_max", FRZ_F64, &s->divergence.error_max);
    for (int a = 0; a < 3; ++a)
    {
        add(list, min_names[a], FRZ_F64, &state->grid_min[a]);
        add(list, max_names[a], FRZ_F64, &state->grid_max[a]);
        add(list, liquid_min[a], FRZ_F64, &s->min[a]);
        add(list, liquid_max[a], FRZ_F64, &s->max[a]);
        add(list, momentum[a], FRZ_F64, &s->momentum[a]);
    }
    list->counts[0] = s->density.iterations;
    list->counts[1] = s->divergence.iterations;
    list->counts[2] = (int64_t)s->dt_limit;
    list->counts[3] = s->rejected;
    list->counts[4] = (int64_t)state->free_surface;
    add(list, "density_iterations", FRZ_I64, &list->counts[0]);
    add(list, "divergence_iterations", FRZ_I64, &list->counts[1]);
    add(list, "dt_limit", FRZ_I64, &list->counts[2]);
    add(list, "step_rejected", FRZ_I64, &list->counts[3]);
    add(list, "space", FRZ_I64, &list->counts[4]);
}

enum
{
    array_max = FRZ_FIELD_MAX + 12,
    body_values = sizeof(frz_rigid_body) / sizeof(int64_t),
    load_values = sizeof(frz_body_load) / sizeof(int64_t),
    contact_values = sizeof(frz_contact) / sizeof(int64_t),
    pair_values = sizeof(frz_contact_pair) / sizeof(int64_t),
    joint_values = sizeof(frz_joint_memory) / sizeof(double),
    emitter_values = sizeof(frz_emitter_state) / sizeof(int64_t),
    flow_values = sizeof(frz_flow_state) / sizeof(int64_t)
};

static void add_array(frz_array_desc *arrays, int *count, const char *name, frz_dtype type, int64_t rows, void *data)
{
    if (rows > 0)
        arrays[(*count)++] = (frz_array_desc){
            .name = name, .unit = "", .type = type, .components = 1, .stride = 1, .rows = rows, .data = data};
}

// What emitters, regions and probes have counted, as plain numbers one after the other.
static int list_sources(const frz_model *model, const frz_state *state, frz_array_desc *arrays)
{
    int count = 0;
    const int emitters = model->emitter_count;
    add_array(arrays, &count, "emitter_travelled", FRZ_F64, emitters, state->emitter_travelled);
    add_array(arrays, &count, "emitter_counts", FRZ_I64, (int64_t)emitters * emitter_values, state->emitters);
    add_array(arrays, &count, "region_killed", FRZ_I64, model->region_count, state->killed);
    add_array(arrays, &count, "probe_flows", FRZ_I64, (int64_t)model->probe_count * flow_values, state->flows);
    return count;
}

static bool has_rigid(const frz_model *model)
{
    bool any = false;
    for (int b = 0; b < model->body_count; ++b)
        any = any || model->bodies[b].kind == FRZ_BODY_RIGID;
    return any;
}

static int list_arrays(const frz_model *model, const frz_state *state, frz_array_desc *arrays)
{
    const frz_particles *particles = &state->particles;
    int count = list_sources(model, state, arrays);
    const int64_t bodies = has_rigid(model) ? model->body_count : 0;
    add_array(arrays, &count, "bodies", FRZ_I64, bodies * body_values, state->bodies);
    add_array(arrays, &count, "body_loads", FRZ_I64, bodies * load_values, state->loads);
    frz_joints *joints = state->contacts != NULL ? frz_contacts_joints(state->contacts) : NULL;
    if (joints != NULL)
        add_array(arrays, &count, "joints", FRZ_F64, (int64_t)frz_joints_count(joints) * joint_values,
                  frz_joints_memory(joints));
    for (int f = 0; f < particles->field_count; ++f)
        if ((particles->fields[f].decl.flags & FRZ_FIELD_SAVE) != 0)
            arrays[count++] = frz_particles_view(particles, f, FRZ_ROLE_FREE);
    return count;
}

// Contacts of the last step, from which the next one goes on; there may be any number of them.
static int list_contacts(const frz_state *state, frz_contacts_memory *memory, frz_array_desc *arrays)
{
    int count = 0;
    if (state->contacts == NULL)
        return 0;
    add_array(arrays, &count, "contacts_last_dt", FRZ_F64, 1, &memory->last_dt);
    add_array(arrays, &count, "contacts", FRZ_I64, (int64_t)memory->count * contact_values, memory->list);
    add_array(arrays, &count, "contact_pairs", FRZ_I64, (int64_t)memory->pair_count * pair_values, memory->pairs);
    return count;
}

static int64_t count_saved(frz_checkpoint_reader *reader, const char *name, int values)
{
    const int64_t rows = frz_checkpoint_rows(reader, name);
    return rows > 0 ? rows / values : 0;
}

static frz_status read_contacts(frz_state *state, frz_checkpoint_reader *reader, frz_diag *diag)
{
    const int64_t number = count_saved(reader, "contacts", contact_values);
    const int64_t pairs = count_saved(reader, "contact_pairs", pair_values);
    frz_contacts_memory memory = {.list = FRZ_ALLOC("contacts", number + 1, frz_contact),
                                  .pairs = FRZ_ALLOC("contacts", pairs + 1, frz_contact_pair),
                                  .count = (int)number,
                                  .pair_count = (int)pairs};
    frz_status status = FRZ_OK;
    if (memory.list == NULL || memory.pairs == NULL)
        status = frz_fail_memory(diag, "the contacts of bodies");
    frz_array_desc arrays[3];
    const int count = list_contacts(state, &memory, arrays);
    for (int a = 0; a < count && status == FRZ_OK; ++a)
        status = frz_checkpoint_read_array(reader, &arrays[a], diag);
    if (status == FRZ_OK)
        status = frz_contacts_put(state->contacts, &memory, diag);
    frz_free(memory.list);
    frz_free(memory.pairs);
    return status;
}

// Bonds that have broken: where they stood follows from the scene.
static frz_status list_broken(const frz_state *state, int64_t **place, frz_array_desc *arrays, int *count,
                              frz_diag *diag)
{
    const int64_t number = frz_pieces_list_broken(state, NULL);
    *place = FRZ_ALLOC("checkpoint", number + 1, int64_t);
    if (*place == NULL)
        return frz_fail_memory(diag, "the broken bonds");
    (void)frz_pieces_list_broken(state, *place);
    add_array(arrays, count, "broken_bonds", FRZ_I64, number, *place);
    return FRZ_OK;
}

static frz_status read_broken(frz_state *state, frz_checkpoint_reader *reader, frz_diag *diag)
{
    if (state->solids.cracked)
        return frz_fail(diag, FRZ_ERR_ARGUMENT,
                        "bodies of this simulation have broken already, which cannot be undone; make it anew from the "
                        "scene and restore that");
    const int64_t rows = frz_checkpoint_rows(reader, "broken_bonds");
    if (rows <= 0)
        return FRZ_OK;
    int64_t *place = FRZ_ALLOC("checkpoint", rows, int64_t);
    if (place == NULL)
        return frz_fail_memory(diag, "the broken bonds");
    int count = 0;
    frz_array_desc array;
    add_array(&array, &count, "broken_bonds", FRZ_I64, rows, place);
    frz_status status = frz_checkpoint_read_array(reader, &array, diag);
    if (status == FRZ_OK)
        status = frz_pieces_put_broken(state, place, rows, diag);
    frz_free(place);
    return status;
}

frz_status frz_sim_save(const frz_sim *sim, const char *directory, frz_diag *diag)
{
    value_list list;
    frz_array_desc arrays[array_max];
    list_values(sim->state, &list);
    int count = list_arrays(sim->model, sim->state, arrays);
    frz_contacts_memory memory = {0};
    if (sim->state->contacts != NULL)
        memory = frz_contacts_recall(sim->state->contacts);
    count += list_contacts(sim->state, &memory, arrays + count);
    int64_t *broken = NULL;
    FRZ_TRY(list_broken(sim->state, &broken, arrays, &count, diag));
    const frz_checkpoint checkpoint = {
        .scene_text = sim->scene_text,
        .scene_hash = sim->scene_hash,
        .values = list.values,
        .value_count = list.count,
        .arrays = arrays,
        .array_count = count,
    };
    const frz_status status = frz_checkpoint_write(directory, &checkpoint, diag);
    frz_free(broken);
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
    const int64_t rows = frz_checkpoint_rows(reader, "position");
    const int capacity = state->particles.capacity[FRZ_ROLE_FREE];
    if (rows < 0 || rows > INT32_MAX / 2 || (rows > capacity && sim->model->emitter_count == 0))
        return frz_fail(diag, FRZ_ERR_FILE, "the checkpoint in %s holds %lld particles, but the scene has room for %d",
                        directory, (long long)rows, capacity);
    FRZ_TRY(frz_particles_grow(&state->particles, FRZ_ROLE_FREE, (int)rows, diag));
    value_list list;
    list_values(state, &list);
    for (int v = 0; v < list.count; ++v)
        FRZ_TRY(frz_checkpoint_read_value(reader, &list.values[v], diag));
    state->stats.density.iterations = (int)list.counts[0];
    state->stats.divergence.iterations = (int)list.counts[1];
    state->stats.dt_limit = (frz_dt_limit)list.counts[2];
    state->stats.rejected = (int)list.counts[3];
    state->free_surface = (frz_free_surface)list.counts[4];
    state->particles.count[FRZ_ROLE_FREE] = (int)rows;
    frz_array_desc arrays[array_max];
    const int count = list_arrays(sim->model, state, arrays);
    for (int a = 0; a < count; ++a)
        FRZ_TRY(frz_checkpoint_read_array(reader, &arrays[a], diag));
    if (state->contacts != NULL)
        FRZ_TRY(read_contacts(state, reader, diag));
    FRZ_TRY(read_broken(state, reader, diag));
    frz_particles_mirror(&state->particles, FRZ_ROLE_FREE);
    frz_grid_destroy(&state->grid); // built again from the restored bounds
    return FRZ_OK;
}

frz_status frz_sim_restore(frz_sim *sim, const char *directory, frz_diag *diag)
{
    frz_checkpoint_reader *reader = NULL;
    bool older = false;
    FRZ_TRY(frz_checkpoint_open(directory, &reader, &older, diag));
    const frz_status status = read_state(sim, reader, directory, diag);
    frz_checkpoint_close(&reader);
    if (status != FRZ_OK)
        return status;
    if (older && sim->log != NULL)
        sim->log(sim->log_user, FRZ_LOG_WARNING, "the newest checkpoint is damaged; going on from the one before it");
    for (int e = 0; e < sim->model->emitter_count; ++e)
        sim->announced[e] = sim->state->emitters[e].exhausted != 0;
    for (int b = 0; b < sim->state->body_count && b < sim->noted_capacity; ++b)
        sim->missed[b] = sim->state->bodies[b].parked;
    frz_samples_place(sim->model, sim->state);
    return FRZ_OK;
}
