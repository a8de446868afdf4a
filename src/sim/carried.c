// SPDX-License-Identifier: MIT
#include "sim/carried.h"

#include <math.h>
#include <string.h>

#include "sim/state.h"

// Bonds that lie between a carried particle and one that may touch the carrier: as far as particles of one body never
// touch each other (two supports), for the same reason. What is pressed to half its length must not begin to push at
// what it is fixed to.
static const int glue_rings = 3;

static frz_v4 v4_of(frz_vec3 v)
{
    return frz_v4_set((frz_real)v.x, (frz_real)v.y, (frz_real)v.z, 0);
}

// The body that carries what an attachment holds now; -1 if none does.
static int carrier(const frz_model *model, const frz_state *state, int a)
{
    const int body = model->attachments[a].body;
    const bool rigid = body >= 0 && model->bodies[body].kind == FRZ_BODY_RIGID;
    return rigid && frz_attachments_hold_now(model, state, a) ? body : -1;
}

// Where the particle is in the body that carries it, body axes, from where its shape is counted from.
static frz_vec3 place_in(const frz_model *model, const frz_state *state, int body, int number)
{
    return frz_v3_sub(frz_v3_of(state->solids.reference[number]), model->bodies[body].position);
}

static double mass_of(const frz_model *model, const frz_state *state, int number)
{
    return frz_particle_mass(model, frz_particles_inverse_density(&state->particles)[state->solids.slot[number]]);
}

static bool has_attachments(const frz_model *model, int body)
{
    bool any = false;
    for (int a = 0; a < model->attachment_count; ++a)
        any = any || model->attachments[a].body == body;
    return any && model->bodies[body].kind == FRZ_BODY_RIGID;
}

void frz_carried_load(const frz_model *model, frz_state *state)
{
    for (int b = 0; b < model->body_count; ++b)
    {
        if (!has_attachments(model, b))
            continue;
        frz_rigid_load load = {.second = frz_m3_zero()};
        for (int a = 0; a < model->attachment_count; ++a)
            for (int k = 0; carrier(model, state, a) == b && k < state->attachments[a].count; ++k)
            {
                const int e = state->attachments[a].number[k];
                if (state->solids.slot[e] < 0)
                    continue;
                const frz_vec3 place = place_in(model, state, b, e);
                const double mass = mass_of(model, state, e);
                load.mass += mass;
                load.first = frz_v3_mad(load.first, mass, place);
                load.second = frz_m3_mad(load.second, mass, frz_m3_outer(place, place));
            }
        frz_rigid_body_load(&state->bodies[b], &model->bodies[b].rigid, &load, model->dimension);
    }
}

// Hand the glue on, ring by ring; each ring grows from the one before whatever the order.
static frz_status spread(const frz_bonds *bonds, int32_t *glue, frz_arena *scratch, frz_diag *diag)
{
    const frz_arena_mark mark = frz_arena_here(scratch);
    uint8_t *ring = FRZ_SCRATCH(scratch, bonds->count + 1, uint8_t);
    if (ring == NULL)
        return frz_fail_memory(diag, "the attachments");
    for (int e = 0; e < bonds->count; ++e)
        ring[e] = glue[e] > 0;
    for (int r = 1; r <= glue_rings; ++r)
        for (int e = 0; e < bonds->count; ++e)
            for (int64_t k = bonds->begin[e]; ring[e] == 0 && k < bonds->begin[e + 1]; ++k)
                if (ring[bonds->other[k]] == r && bonds->weight[k] > 0)
                {
                    glue[e] = glue[bonds->other[k]];
                    ring[e] = (uint8_t)(r + 1);
                }
    frz_arena_release(scratch, mark);
    return FRZ_OK;
}

frz_status frz_carried_mark_attached(const frz_model *model, frz_state *state, frz_diag *diag)
{
    frz_solids *solids = &state->solids;
    bool changed = false;
    for (int a = 0; a < state->attachment_count; ++a)
    {
        changed = changed || state->attachments[a].glued != (carrier(model, state, a) >= 0);
        state->attachments[a].glued = carrier(model, state, a) >= 0;
    }
    if (!changed)
        return FRZ_OK;
    if (solids->attached_body == NULL)
        solids->attached_body = FRZ_ALLOC("solids", solids->count + 1, int32_t);
    if (solids->attached_body == NULL)
        return frz_fail_memory(diag, "the attachments");
    memset(solids->attached_body, 0, (size_t)solids->count * sizeof *solids->attached_body);
    for (int a = 0; a < state->attachment_count; ++a)
        for (int k = 0; state->attachments[a].glued && k < state->attachments[a].count; ++k)
            solids->attached_body[state->attachments[a].number[k]] = 1 + model->attachments[a].body;
    return state->bonds.count == solids->count ? spread(&state->bonds, solids->attached_body, &state->scratch, diag)
                                               : FRZ_OK;
}

frz_status frz_carried_find(const frz_model *model, frz_state *state, frz_diag *diag)
{
    int room = 0;
    state->carried = NULL;
    state->carried_count = 0;
    for (int a = 0; a < state->attachment_count; ++a)
        room += carrier(model, state, a) >= 0 ? state->attachments[a].count : 0;
    if (room == 0)
        return FRZ_OK;
    state->carried = FRZ_SCRATCH(&state->scratch, room, frz_carried);
    if (state->carried == NULL)
        return frz_fail_memory(diag, "the attachments");
    const frz_v4 *velocity = frz_field_v4(&state->particles, FRZ_FIELD_ID_velocity);
    for (int a = 0; a < state->attachment_count; ++a)
    {
        const int b = carrier(model, state, a);
        for (int k = 0; b >= 0 && k < state->attachments[a].count; ++k)
        {
            const int e = state->attachments[a].number[k], slot = state->solids.slot[e];
            if (slot < 0)
                continue;
            state->carried[state->carried_count++] =
                (frz_carried){.slot = slot,
                              .number = e,
                              .body = b,
                              .attachment = a,
                              .arm = frz_rigid_body_arm(&state->bodies[b], place_in(model, state, b, e)),
                              .mass = mass_of(model, state, e),
                              .given = velocity[slot]};
        }
        if (b >= 0)
            state->attachments[a].force = frz_v3(0.0, 0.0, 0.0);
    }
    return FRZ_OK;
}

void frz_carried_push(frz_state *state, const frz_carried *carried, frz_vec3 impulse, double dt)
{
    frz_attachment_state *by = &state->attachments[carried->attachment];
    frz_rigid_body_act(&state->bodies[carried->body], impulse, frz_v3_cross(carried->arm, impulse));
    by->force = frz_v3_mad(by->force, -1.0 / dt, impulse);
}

void frz_carried_transfer_forces(const frz_model *model, frz_state *state, double dt)
{
    const frz_v4 *acceleration = frz_field_v4(&state->particles, FRZ_FIELD_ID_acceleration);
    const frz_vec3 gravity = frz_v3(model->gravity[0], model->gravity[1], model->gravity[2]);
    for (int n = 0; n < state->carried_count; ++n)
    {
        const frz_carried *c = &state->carried[n];
        const frz_vec3 other = frz_v3_sub(frz_v3_of(acceleration[c->slot]), gravity);
        frz_carried_push(state, c, frz_v3_scale(c->mass * dt, other), dt);
    }
}

void frz_carried_transfer_impulse(frz_state *state, double dt)
{
    const frz_v4 *velocity = frz_field_v4(&state->particles, FRZ_FIELD_ID_velocity);
    for (int n = 0; n < state->carried_count; ++n)
    {
        frz_carried *c = &state->carried[n];
        frz_carried_push(state, c, frz_v3_scale(c->mass, frz_v3_of(velocity[c->slot] - c->given)), dt);
        c->given = velocity[c->slot];
    }
}

void frz_carried_set_velocity(frz_state *state, bool touched)
{
    frz_v4 *velocity = frz_field_v4(&state->particles, FRZ_FIELD_ID_velocity);
    for (int n = 0; n < state->carried_count; ++n)
    {
        frz_carried *c = &state->carried[n];
        const frz_rigid_body *body = &state->bodies[c->body];
        frz_vec3 v = frz_v3_add(body->velocity, frz_v3_cross(body->spin, c->arm));
        const frz_rigid_motion *kick = &state->contact_change[c->body];
        if (touched)
            v = frz_v3_add(v, frz_v3_add(kick->velocity, frz_v3_cross(kick->spin, c->arm)));
        velocity[c->slot] = c->given = v4_of(v);
    }
}

void frz_carried_place(const frz_model *model, frz_state *state, double dt)
{
    const frz_v4 *position = frz_field_v4(&state->particles, FRZ_FIELD_ID_position);
    frz_v4 *velocity = frz_field_v4(&state->particles, FRZ_FIELD_ID_velocity);
    for (int n = 0; n < state->carried_count; ++n)
    {
        const frz_carried *c = &state->carried[n];
        const frz_rigid_body *body = &state->bodies[c->body];
        const frz_vec3 arm = frz_rigid_body_arm(body, place_in(model, state, c->body, c->number));
        const frz_v4 way = v4_of(frz_v3_add(body->position, arm)) - position[c->slot];
        velocity[c->slot] = (frz_real)(1.0 / dt) * frz_minimum_image(&state->grid, frz_v4_xyz(way));
    }
}
