// SPDX-License-Identifier: MIT
#include "sim/attachments.h"

#include <math.h>

#include "base/memory.h"
#include "sim/state.h"

static bool holds(const frz_attachment *attachment, int body, frz_vec3 x)
{
    return (attachment->of < 0 || attachment->of == body) &&
           frz_shape_distance(attachment->shape, x) < attachment->margin;
}

// A particle in several shapes belongs to the first.
static int attachment_at(const frz_model *model, const frz_solids *solids, int e)
{
    for (int a = 0; a < model->attachment_count; ++a)
        if (holds(&model->attachments[a], solids->body[e], frz_v3_of(solids->reference[e])))
            return a;
    return -1;
}

frz_status frz_attachments_prepare(const frz_model *model, frz_state *state, frz_diag *diag)
{
    const frz_solids *solids = &state->solids;
    if (model->attachment_count == 0 || state->attachments != NULL)
        return FRZ_OK;
    state->attachments = FRZ_ALLOC("attachments", model->attachment_count, frz_attachment_state);
    if (state->attachments == NULL)
        return frz_fail_memory(diag, "the attachments");
    state->attachment_count = model->attachment_count;
    for (int e = 0; e < solids->count; ++e)
    {
        const int a = attachment_at(model, solids, e);
        if (a >= 0)
            state->attachments[a].count += 1;
    }
    for (int a = 0; a < model->attachment_count; ++a)
    {
        frz_attachment_state *to = &state->attachments[a];
        to->number = FRZ_ALLOC("attachments", to->count + 1, int32_t);
        if (to->number == NULL)
            return frz_fail_memory(diag, "the attachments");
        to->count = 0;
    }
    for (int e = 0; e < solids->count; ++e)
    {
        const int a = attachment_at(model, solids, e);
        if (a >= 0)
            state->attachments[a].number[state->attachments[a].count++] = e;
    }
    frz_carried_load(model, state);
    return FRZ_OK;
}

void frz_attachments_destroy(frz_state *state)
{
    for (int a = 0; a < state->attachment_count; ++a)
        frz_free(state->attachments[a].number);
    FRZ_FREE(state->attachments);
}

bool frz_attachments_hold_now(const frz_model *model, const frz_state *state, int a)
{
    return state->time < model->attachments[a].until;
}

frz_status frz_attachments_mark_held(const frz_model *model, frz_state *state, frz_diag *diag)
{
    if (state->attachments == NULL)
        return FRZ_OK;
    const int count = state->particles.count[FRZ_ROLE_FREE];
    int32_t *held = FRZ_SCRATCH(&state->scratch, count + 1, int32_t);
    if (held == NULL)
        return frz_fail_memory(diag, "the attachments");
    for (int i = 0; i < count; ++i)
        held[i] = state->held != NULL ? state->held[i] : 0;
    for (int a = 0; a < model->attachment_count; ++a)
        for (int k = 0; frz_attachments_hold_now(model, state, a) && k < state->attachments[a].count; ++k)
        {
            const int slot = state->solids.slot[state->attachments[a].number[k]];
            if (slot >= 0)
                held[slot] = 1 + model->emitter_count + a;
        }
    state->held = held;
    return frz_carried_find(model, state, diag);
}

void frz_attachments_let_go(const frz_model *model, frz_state *state, double before)
{
    bool any = false;
    for (int a = 0; a < state->attachment_count; ++a)
        any = any || (before < model->attachments[a].until && !frz_attachments_hold_now(model, state, a));
    if (any)
        frz_carried_load(model, state);
}

// Where what is attached is taken at a time: pivot + arm becomes position + R arm.
static void attachment_pose(const frz_model *model, const frz_attachment *attachment, double time, frz_vec3 *pivot,
                            frz_vec3 *position, frz_quat *rotation)
{
    const frz_body anchor = {.position = attachment->pivot, .motion = attachment->motion};
    const frz_body *body = attachment->body >= 0 ? &model->bodies[attachment->body] : &anchor;
    *pivot = body->position;
    frz_body_pose(body, time, position, rotation);
}

// Rigid bodies are no masters of their motion: see carried.
static bool is_carried(const frz_model *model, int a)
{
    const int body = model->attachments[a].body;
    return body >= 0 && model->bodies[body].kind == FRZ_BODY_RIGID;
}

void frz_attachments_hold(const frz_model *model, frz_state *state, double dt, bool first)
{
    if (state->attachments == NULL)
        return;
    const frz_v4 *x = frz_field_v4(&state->particles, FRZ_FIELD_ID_position);
    frz_v4 *velocity = frz_field_v4(&state->particles, FRZ_FIELD_ID_velocity);
    const frz_real *inverse_density = frz_particles_inverse_density(&state->particles);
    for (int a = 0; a < model->attachment_count; ++a)
    {
        if (is_carried(model, a))
            continue;
        frz_attachment_state *to = &state->attachments[a];
        frz_vec3 pivot, position, impulse = frz_v3(0.0, 0.0, 0.0); // sums are few and in order
        frz_quat rotation;
        attachment_pose(model, &model->attachments[a], state->time + dt, &pivot, &position, &rotation);
        for (int k = 0; frz_attachments_hold_now(model, state, a) && k < to->count; ++k)
        {
            const int e = to->number[k], slot = state->solids.slot[e];
            if (slot < 0)
                continue;
            const frz_vec3 arm = frz_v3_sub(frz_v3_of(state->solids.reference[e]), pivot);
            const frz_vec3 place = frz_v3_add(position, frz_quat_rotate(rotation, arm));
            frz_v4 way = frz_v4_set((frz_real)place.x, (frz_real)place.y, (frz_real)place.z, 0) - x[slot];
            way = frz_minimum_image(&state->grid, frz_v4_xyz(way));
            const frz_v4 wanted = (frz_real)(1.0 / dt) * way;
            const double mass = frz_particle_mass(model, inverse_density[slot]);
            impulse = frz_v3_mad(impulse, mass, frz_v3_of(wanted - velocity[slot]));
            velocity[slot] = wanted;
        }
        to->force = frz_v3_mad(first ? frz_v3(0.0, 0.0, 0.0) : to->force, 1.0 / dt, impulse);
    }
}
