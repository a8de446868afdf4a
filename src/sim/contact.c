// SPDX-License-Identifier: MIT
#include "sim/contact.h"

#include <string.h>

#include "sim/coupling.h"
#include "sim/state.h"

// Timers are known by their address. Solves within the pressure solve count as the time of the pressure.
static const char solve_timer[] = "contact solve";

frz_status frz_contact_prepare(const frz_model *model, frz_state *state, frz_diag *diag)
{
    const frz_instance *instance = frz_model_method(model, FRZ_SLOT_CONTACT, -1);
    frz_contact_destroy(&state->contact);
    state->contact.ops = instance->method->contact;
    state->contact.interleaved = frz_coupling_is_interleaved(model);
    return state->contact.set != NULL ? state->contact.ops->prepare(model, state, instance->self, diag) : FRZ_OK;
}

void frz_contact_destroy(frz_contact_state *contact)
{
    if (contact->own != NULL)
        contact->ops->destroy(contact->own);
    contact->own = NULL;
    contact->begun = false;
}

// Numbers of samples that methods keep: those of a step that was undone are gone.
static void begin_kept(frz_contact_state *contact)
{
    if (contact->kept == NULL)
        return;
    frz_contact_kept *from = contact->undone ? contact->kept_before : contact->kept,
                     *to = contact->undone ? contact->kept : contact->kept_before;
    memcpy(to, from, (size_t)contact->kept_count * sizeof *to);
    contact->undone = false;
}

frz_status frz_contact_begin(frz_state *state, double dt, frz_diag *diag)
{
    if (state->contact.set == NULL || state->contact.ops->begin == NULL)
        return FRZ_OK;
    const double start = frz_now();
    begin_kept(&state->contact);
    FRZ_TRY(state->contact.ops->begin(state, dt, diag));
    state->contact.begun = true;
    frz_timer_lap(&state->timers, frz_timer_index(&state->timers, "contact search"), start);
    return FRZ_OK;
}

void frz_contact_undo(frz_state *state)
{
    if (state->contact.begun && state->contact.ops->undo != NULL)
        state->contact.ops->undo(state);
    state->contact.undone = state->contact.begun;
    state->contact.begun = false;
}

frz_contact_stats frz_contact_report(const frz_state *state)
{
    return state->contact.set != NULL ? state->contact.ops->report(state) : (frz_contact_stats){0};
}

// Change of the velocities of contact.scratch since they were noted in contact.change.
static void note_change(frz_state *state)
{
    for (int b = 0; b < state->bodies.count; ++b)
    {
        frz_rigid_motion *kick = &state->contact.change[b];
        kick->velocity = frz_v3_sub(state->contact.scratch[b].velocity, kick->velocity);
        kick->spin = frz_v3_sub(state->contact.scratch[b].spin, kick->spin);
    }
}

static void note_velocities(frz_state *state, const frz_rigid_body *free)
{
    if (free != state->contact.scratch)
        memcpy(state->contact.scratch, free, (size_t)state->bodies.count * sizeof *free);
    for (int b = 0; b < state->bodies.count; ++b)
        state->contact.change[b] =
            (frz_rigid_motion){state->contact.scratch[b].velocity, state->contact.scratch[b].spin};
}

frz_status frz_contact_answer(frz_state *state, const frz_rigid_body *free, bool again, frz_diag *diag)
{
    if (state->contact.set == NULL)
        return FRZ_OK;
    note_velocities(state, free);
    FRZ_TRY(state->contact.ops->solve(state, state->contact.scratch, again, diag));
    note_change(state);
    return FRZ_OK;
}

bool frz_contact_can_sweep(const frz_state *state)
{
    return state->contact.set != NULL && state->contact.ops->sweep != NULL;
}

frz_status frz_contact_sweep(frz_state *state, const frz_rigid_body *free, double *error, frz_diag *diag)
{
    note_velocities(state, free);
    FRZ_TRY(state->contact.ops->sweep(state, state->contact.scratch, error, diag));
    note_change(state);
    return FRZ_OK;
}

// Bodies with the push that liquid gave them in the last step. Liquid bears part of their weight: without it contacts
// would bear all, and liquid and contacts would have to find out again in every step who bears how much. Bodies on
// joints get the motion that their mechanism has by the push: the answer of joints to the liquid is part of the
// pressure solve, and would be counted twice as a change by contacts. Null: none is pushed.
static const frz_rigid_body *push_as_before(frz_state *state)
{
    frz_rigid_body *pushed = state->contact.scratch;
    frz_rigid_motion *motion = state->contact.change; // unused so far
    frz_joints *joints = frz_contacts_joints(state->contact.set);
    bool any = false;
    memcpy(pushed, state->bodies.rigid, (size_t)state->bodies.count * sizeof *pushed);
    for (int b = 0; b < state->bodies.count; ++b)
    {
        const frz_vec3 impulse = frz_v3_scale(state->attempt.dt, state->bodies.loads[b].last_force);
        const frz_vec3 moment = frz_v3_scale(state->attempt.dt, state->bodies.loads[b].last_torque);
        frz_rigid_body_act(&pushed[b], impulse, moment);
        motion[b].velocity = frz_v3_sub(pushed[b].velocity, state->bodies.rigid[b].velocity);
        motion[b].spin = frz_v3_sub(pushed[b].spin, state->bodies.rigid[b].spin);
        any = any || frz_v3_dot(impulse, impulse) + frz_v3_dot(moment, moment) > 0.0;
    }
    if (any && joints != NULL)
        frz_joints_project(joints, motion, true);
    for (int b = 0; b < state->bodies.count && any && joints != NULL; ++b)
    {
        pushed[b].velocity = frz_v3_add(state->bodies.rigid[b].velocity, motion[b].velocity);
        pushed[b].spin = frz_v3_add(state->bodies.rigid[b].spin, motion[b].spin);
    }
    return any ? pushed : NULL;
}

frz_status frz_contact_predict(frz_state *state, frz_diag *diag)
{
    if (state->contact.set == NULL)
        return FRZ_OK;
    const double start = frz_now();
    double error = 0.0;
    const frz_rigid_body *pushed = push_as_before(state);
    FRZ_TRY(state->contact.interleaved && frz_contact_can_sweep(state)
                ? frz_contact_sweep(state, state->bodies.rigid, &error, diag)
                : frz_contact_answer(state, pushed != NULL ? pushed : state->bodies.rigid, false, diag));
    frz_timer_lap(&state->timers, frz_timer_index(&state->timers, solve_timer), start);
    return FRZ_OK;
}

static void add_load(frz_state *state, int body, frz_vec3 impulse, frz_vec3 moment)
{
    frz_body_load *load = &state->bodies.loads[body];
    load->contact_force = frz_v3_mad(load->contact_force, 1.0 / state->attempt.dt, impulse);
    load->contact_torque = frz_v3_mad(load->contact_torque, 1.0 / state->attempt.dt, moment);
}

// Force and torque of joints on their bodies.
static void record_joints(frz_state *state, frz_joints *joints, int count)
{
    const frz_pair_joint *list = frz_joints_view(joints);
    for (int j = 0; j < frz_joints_count(joints); ++j)
        for (int side = 0; side < 2; ++side)
        {
            frz_vec3 moment;
            const frz_vec3 impulse = frz_joints_impulse(joints, j, side, &moment);
            if (list[j].body[side] >= 0)
                add_load(state, list[j].body[side], impulse, moment);
        }
    frz_rope *ropes = NULL;
    const int rope_count = frz_joints_ropes(joints, count, &ropes);
    for (int r = 0; r < rope_count; ++r)
        for (int side = 0; side < 2; ++side)
        {
            const int b = ropes[r].body[side];
            const frz_vec3 impulse = frz_v3_scale((side == 0 ? 1.0 : -1.0) * ropes[r].impulse, ropes[r].normal);
            if (b < count)
                add_load(state, b, impulse,
                         frz_v3_cross(frz_v3_sub(ropes[r].place[side], state->bodies.rigid[b].position), impulse));
        }
}

frz_status frz_contact_finish(frz_state *state, frz_diag *diag)
{
    if (state->contact.set == NULL)
        return FRZ_OK;
    const double start = frz_now();
    const bool again = state->particles.count[FRZ_ROLE_FREE] > 0; // only the pressure solver asks before
    FRZ_TRY(frz_contact_answer(state, state->bodies.rigid, again, diag));
    for (int b = 0; b < state->bodies.count; ++b)
    {
        state->bodies.rigid[b].velocity = state->contact.scratch[b].velocity;
        state->bodies.rigid[b].spin = state->contact.scratch[b].spin;
    }
    state->contact.ops->record(state);
    frz_joints *joints = frz_contacts_joints(state->contact.set);
    if (joints != NULL)
    {
        record_joints(state, joints, state->bodies.count);
        state->stats.joint_frequency = frz_joints_frequency(joints, state->bodies.rigid, state->attempt.dt);
    }
    frz_timer_lap(&state->timers, frz_timer_index(&state->timers, solve_timer), start);
    return FRZ_OK;
}

frz_status frz_contact_separate(frz_state *state, double dt, frz_diag *diag)
{
    if (state->contact.set == NULL || state->contact.ops->separate == NULL)
        return FRZ_OK;
    return state->contact.ops->separate(state, dt, diag);
}
