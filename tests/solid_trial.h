// SPDX-License-Identifier: MIT
// Batches of changes of solid bodies for tests: the least that a change stage does.
#pragma once

#include "core_trial.h"
#include "sim/state_solids.h"
#include "solid/changes.h"
#include "solid/saved.h"
#include "compare.h"

/// Input of a batch; arrays by slot.
typedef struct solid_batch
{
    int8_t *wish;
    int32_t *join, *component, *part, *body;
    double *reach;
    int body_count;
    frz_slot_pairs pairs;
} solid_batch;

static inline solid_batch solid_batch_make(const frz_sim *sim, int body_count)
{
    const int count = sim->state->particles.count[FRZ_ROLE_FREE];
    solid_batch batch = {.wish = calloc((size_t)count + 1, 1),
                         .join = calloc((size_t)count + 1, sizeof(int32_t)),
                         .component = calloc((size_t)count + 1, sizeof(int32_t)),
                         .part = calloc((size_t)count + 1, sizeof(int32_t)),
                         .body = calloc((size_t)count + 1, sizeof(int32_t)),
                         .reach = calloc((size_t)body_count + 1, sizeof(double)),
                         .body_count = body_count};
    assert_non_null(batch.wish);
    assert_non_null(batch.join);
    assert_non_null(batch.component);
    assert_non_null(batch.part);
    assert_non_null(batch.body);
    assert_non_null(batch.reach);
    for (int b = 0; b < body_count; ++b)
        batch.reach[b] = 2.0 * sim->model->support;
    return batch;
}

static inline void solid_batch_destroy(solid_batch *batch)
{
    free(batch->wish);
    free(batch->join);
    free(batch->component);
    free(batch->part);
    free(batch->body);
    free(batch->reach);
    frz_slot_pairs_destroy(&batch->pairs);
}

/// New pairs and components.
static inline void solid_batch_search(frz_sim *sim, solid_batch *batch)
{
    frz_state *s = sim->state;
    frz_diag diag = {.status = FRZ_OK};
    const frz_solid_space space = frz_state_solid_space(sim->model, s);
    const frz_new_bonds_input input = {.space = &space,
                                       .particles = &s->particles,
                                       .field = s->fields.solid,
                                       .solids = &s->solids,
                                       .bonds = &s->bonds,
                                       .wish = batch->wish,
                                       .join = batch->join};
    if (frz_solids_find_new_bonds(&input, &s->scratch, &batch->pairs, &diag) != FRZ_OK)
        fail_msg("%s", diag.message);
    const frz_solid_parts parts = {.object = batch->component, .part = batch->part};
    assert_int_equal(frz_solids_components(&s->solids, &s->bonds, &s->particles, s->fields.solid, NULL, &batch->pairs,
                                           &parts, &s->scratch, &diag),
                     FRZ_OK);
}

/// New numbers; the bodies of the batch become those of the particles.
static inline void solid_batch_renumber(frz_sim *sim, solid_batch *batch)
{
    frz_state *s = sim->state;
    frz_diag diag = {.status = FRZ_OK};
    const frz_solid_space space = frz_state_solid_space(sim->model, s);
    const frz_solids_plan plan = {.space = &space,
                                  .particles = &s->particles,
                                  .field = s->fields.solid,
                                  .low = frz_state_position_rest(s),
                                  .body_count = batch->body_count,
                                  .body = batch->body,
                                  .reach = batch->reach,
                                  .pairs = &batch->pairs,
                                  .step = s->step};
    int32_t *body = frz_field_i32(&s->particles, FRZ_FIELD_ID_body);
    for (int i = 0; i < s->particles.count[FRZ_ROLE_FREE]; ++i)
        body[i] = batch->body[i] >= 0 ? batch->body[i] : body[i];
    if (frz_solids_renumber(&s->solids, &s->bonds, &plan, &s->scratch, &diag) != FRZ_OK)
        fail_msg("%s", diag.message);
}

/// Join all bodies that touch; each takes the lowest body of its component. Returns the number of new bonds.
static inline int64_t solid_join_all(frz_sim *sim)
{
    frz_state *s = sim->state;
    frz_diag diag = {.status = FRZ_OK};
    solid_batch batch = solid_batch_make(sim, sim->model->body_count);
    const int count = s->particles.count[FRZ_ROLE_FREE];
    const int32_t *body = frz_field_i32(&s->particles, FRZ_FIELD_ID_body);
    int32_t *lowest = calloc((size_t)count + 1, sizeof *lowest);
    assert_non_null(lowest);
    for (int i = 0; i < count; ++i)
        batch.wish[i] = FRZ_BOND_WISH_JOIN;
    solid_batch_search(sim, &batch);
    for (int i = 0; i < count; ++i)
        lowest[i] = INT32_MAX;
    for (int i = 0; i < count; ++i)
        lowest[batch.component[i]] = body[i] < lowest[batch.component[i]] ? body[i] : lowest[batch.component[i]];
    for (int i = 0; i < count; ++i)
        batch.body[i] = lowest[batch.component[i]];
    solid_batch_renumber(sim, &batch);
    assert_int_equal(frz_state_prepare_solids(sim->model, s, &diag), FRZ_OK);
    frz_particles_mirror(&s->particles, FRZ_ROLE_FREE);
    const int64_t found = batch.pairs.count;
    free(lowest);
    solid_batch_destroy(&batch);
    return found;
}

static inline int64_t solid_rows_of(const frz_solid_array *arrays, int count, const char *name)
{
    for (int n = 0; n < count; ++n)
        if (strcmp(arrays[n].array.name, name) == 0)
            return arrays[n].array.rows;
    fail_msg("no array %s", name);
    return 0;
}

/// A copy through the lists, as a file would make it.
static inline void solid_copy_saved(frz_state *from, frz_solids_saved *to)
{
    frz_solid_array source[FRZ_SOLID_ARRAYS], target[FRZ_SOLID_ARRAYS];
    frz_diag diag = {.status = FRZ_OK};
    const int count = frz_solids_saved_list(&from->solids, &from->bonds, source);
    const frz_solids_rows rows = {.bodies = solid_rows_of(source, count, "solids.body_phase"),
                                  .particles = solid_rows_of(source, count, "solids.body"),
                                  .bonds = solid_rows_of(source, count, "bonds.other"),
                                  .rest = solid_rows_of(source, count, "bonds.rest"),
                                  .rest_far = solid_rows_of(source, count, "bonds.rest_far")};
    assert_greater(rows.particles, 100);
    assert_greater(rows.bonds, 800);
    assert_int_equal(frz_solids_saved_room(&rows, &from->bonds, to, &diag), FRZ_OK);
    assert_int_equal(frz_solids_saved_list(&to->solids, &to->bonds, target), count);
    for (int n = 0; n < count; ++n)
    {
        assert_string_equal(source[n].array.name, target[n].array.name);
        assert_int_equal(source[n].array.rows, target[n].array.rows);
        const size_t row = frz_dtype_size(source[n].array.type) * (size_t)source[n].array.stride;
        if (source[n].array.rows > 0)
            memcpy(target[n].array.data, source[n].array.data, (size_t)source[n].array.rows * row);
    }
}
