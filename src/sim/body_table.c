// SPDX-License-Identifier: MIT
#include "sim/body_table.h"

#include <stdio.h>
#include <string.h>

#include "sim/state.h"

// Grow one array; new rows are zero. The old one stays if memory is short.
static bool grow(void *array, int from, int to, size_t size)
{
    void **place = array;
    char *bigger = frz_realloc("bodies", *place, (size_t)to + 1, size);
    if (bigger == NULL)
        return false;
    memset(bigger + (size_t)from * size, 0, ((size_t)(to - from) + 1) * size);
    *place = bigger;
    return true;
}

frz_status frz_bodies_reserve(frz_state *state, int capacity, frz_diag *diag)
{
    const int from = state->bodies.capacity;
    if (capacity <= from && state->bodies.rigid != NULL)
        return FRZ_OK;
    const int to = capacity > from + from / 2 ? capacity : from + from / 2;
    const bool good = grow(&state->bodies.identity, from, to, sizeof *state->bodies.identity) &&
                      grow(&state->bodies.rigid, from, to, sizeof *state->bodies.rigid) &&
                      grow(&state->bodies.before, from, to, sizeof *state->bodies.before) &&
                      grow(&state->contact.scratch, from, to, sizeof *state->contact.scratch) &&
                      grow(&state->contact.change, from, to, sizeof *state->contact.change) &&
                      grow(&state->bodies.position_theta, from, to, sizeof *state->bodies.position_theta) &&
                      grow(&state->contact.shapes, from, to, sizeof(void *)) &&
                      grow(&state->bodies.loads, from, to, sizeof *state->bodies.loads);
    if (!good)
        return frz_fail_memory(diag, "the bodies");
    state->bodies.capacity = to;
    return FRZ_OK;
}

frz_status frz_bodies_create(const frz_model *model, frz_state *state, frz_diag *diag)
{
    FRZ_TRY(frz_bodies_reserve(state, model->body_count, diag));
    state->bodies.last_piece = FRZ_ALLOC("bodies", model->body_count + model->event_count + 1, int32_t);
    if (state->bodies.last_piece == NULL)
        return frz_fail_memory(diag, "the bodies");
    for (int b = 0; b < model->body_count; ++b)
    {
        const frz_body *body = &model->bodies[b];
        state->bodies.identity[b] = (frz_body_identity){
            .made = b,
            .named_by = -1,
            .material = body->material,
            .kind = (int32_t)body->kind,
            .alive = 1,
            .filled = body->filled,
            .intact = 1,
            .object = b,
        };
        state->bodies.last_piece[b] = 1;
    }
    state->bodies.count = model->body_count;
    return FRZ_OK;
}

void frz_bodies_destroy(frz_state *state)
{
    for (int b = 0; state->contact.shapes != NULL && b < state->bodies.count; ++b)
        frz_contact_shape_destroy(&state->contact.shapes[b]);
    frz_free(state->contact.shapes);
    frz_free(state->contact.kept);
    frz_free(state->contact.kept_before);
    frz_free(state->bodies.identity);
    frz_free(state->bodies.last_piece);
    frz_free(state->bodies.rigid);
    frz_free(state->bodies.before);
    frz_free(state->contact.scratch);
    frz_free(state->contact.change);
    frz_free(state->bodies.position_theta);
    frz_free(state->bodies.loads);
}

int frz_bodies_birth(const frz_model *model, frz_state *state, int made, int named_by, frz_body_kind kind)
{
    FRZ_ASSERT(state->bodies.count < state->bodies.capacity);
    const int slot = state->bodies.count++;
    int32_t *last = &state->bodies.last_piece[named_by >= 0 ? model->body_count + named_by : made];
    *last += 1;
    state->bodies.identity[slot] = (frz_body_identity){
        .made = made,
        .named_by = named_by,
        .piece = *last > 1 ? *last : 0,
        .material = model->bodies[made].material,
        .kind = (int32_t)kind,
        .alive = 1,
        .filled = 1,
        .object = slot,
    };
    state->bodies.rigid[slot] = (frz_rigid_body){.rotation = {.w = 1.0}, .axis = {0.0, 0.0, 1.0}};
    state->bodies.loads[slot] = (frz_body_load){0};
    return slot;
}

void frz_bodies_name(const frz_model *model, const frz_state *state, int slot, char out[FRZ_BODY_NAME_SIZE])
{
    const frz_body_identity *id = &state->bodies.identity[slot];
    const char *name = id->named_by >= 0 ? model->events[id->named_by].name : model->bodies[id->made].name;
    if (id->piece == 0)
        snprintf(out, FRZ_BODY_NAME_SIZE, "%.140s", name);
    else if (id->piece == FRZ_BODY_MELT)
        snprintf(out, FRZ_BODY_NAME_SIZE, "%.140s/melt", name);
    else
        snprintf(out, FRZ_BODY_NAME_SIZE, "%.140s/%d", name, id->piece);
}
