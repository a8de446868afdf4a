// SPDX-License-Identifier: MIT
// Rigid bodies within a step: forces of the outside world, contacts, motion, and how a step is undone.
#include <math.h>
#include <string.h>

#include "sim/state.h"

// Timers are known by their address. What interlinked solvers ask of contacts in between is the pressure's time.
static const char solve_timer[] = "contact solve";
// rad; a turn beyond this in a step is no motion that samples could follow
static const double gross_turn = 1.0;

void frz_bodies_begin(const frz_model *model, frz_state *state, double dt)
{
    state->try_dt = dt;
    memcpy(state->bodies_before, state->bodies, (size_t)state->body_count * sizeof *state->bodies);
    memset(state->contact_change, 0, (size_t)state->body_count * sizeof *state->contact_change);
    memset(state->position_theta, 0, (size_t)state->body_count * sizeof *state->position_theta);
    state->contacts_found = false;
    memset(state->loads, 0, (size_t)state->body_count * sizeof *state->loads);
    if (state->any_motion)
        frz_samples_set_velocity(model, state, dt);
}

void frz_bodies_restore(frz_state *state)
{
    memcpy(state->bodies, state->bodies_before, (size_t)state->body_count * sizeof *state->bodies);
    if (state->contacts_found)
        frz_contacts_undo(state->contacts, state->contacts_last_dt);
    state->contacts_found = false;
}

frz_status frz_bodies_find_contacts(frz_state *state, int count, double dt, frz_diag *diag)
{
    if (state->contacts == NULL || state->contact_pressure != NULL)
        return FRZ_OK;
    const double start = frz_now();
    state->contacts_last_dt = frz_contacts_last_dt(state->contacts);
    FRZ_TRY(frz_contacts_find(state->contacts, state->bodies, (const frz_contact_shape *const *)state->contact_shapes,
                              count, dt, diag));
    state->contacts_found = true;
    frz_timer_lap(&state->timers, frz_timer_index(&state->timers, "contact search"), start);
    return FRZ_OK;
}

static frz_status solve_contacts(frz_state *state, int count, bool again, frz_diag *diag)
{
    if (state->contact_pressure != NULL)
        return frz_contact_pressure_solve(state->contact_pressure, state->contact_scratch,
                                          (const frz_contact_shape *const *)state->contact_shapes, count, state->try_dt,
                                          diag);
    return again ? frz_contacts_solve_again(state->contacts, state->contact_scratch, count, state->try_dt, diag)
                 : frz_contacts_solve(state->contacts, state->contact_scratch, count, state->try_dt, diag);
}

frz_contact_stats frz_bodies_contact_stats(const frz_state *state)
{
    if (state->contacts == NULL)
        return (frz_contact_stats){0};
    if (state->contact_pressure == NULL)
        return frz_contacts_stats(state->contacts);
    const frz_contact_pressure_stats s = frz_contact_pressure_report(state->contact_pressure);
    return (frz_contact_stats){.contacts = s.contacts,
                               .iterations = s.iterations,
                               .error = s.error,
                               .max_error = s.max_error,
                               .islands_given_up = s.given_up,
                               .visits = s.visits};
}

frz_status frz_bodies_solve_contacts(frz_state *state, const frz_rigid_body *free, int count, bool again,
                                     frz_diag *diag)
{
    if (state->contacts == NULL)
        return FRZ_OK;
    if (free != state->contact_scratch)
        memcpy(state->contact_scratch, free, (size_t)count * sizeof *free);
    for (int b = 0; b < count; ++b)
        state->contact_change[b] =
            (frz_rigid_motion){state->contact_scratch[b].velocity, state->contact_scratch[b].spin};
    FRZ_TRY(solve_contacts(state, count, again, diag));
    for (int b = 0; b < count; ++b)
    {
        frz_rigid_motion *kick = &state->contact_change[b];
        kick->velocity = frz_v3_sub(state->contact_scratch[b].velocity, kick->velocity);
        kick->spin = frz_v3_sub(state->contact_scratch[b].spin, kick->spin);
    }
    return FRZ_OK;
}

static void record_pressure(frz_state *state, int count)
{
    for (int b = 0; b < count; ++b)
    {
        const frz_contact_pressure_load from = frz_contact_pressure_load_of(state->contact_pressure, b);
        state->loads[b].contact_force = frz_v3_scale(1.0 / state->try_dt, from.impulse);
        state->loads[b].contact_torque = frz_v3_scale(1.0 / state->try_dt, from.moment);
    }
}

// Force and torque of the impulses on both bodies of each contact.
static void record(frz_state *state)
{
    const frz_contact *list = NULL;
    const int count = frz_contacts_view(state->contacts, &list);
    for (int k = 0; k < count; ++k)
    {
        const frz_contact *c = &list[k];
        const frz_vec3 impulse =
            frz_v3_mad(frz_v3_mad(frz_v3_scale(c->impulse.x, c->normal), c->impulse.y, c->tangent[0]), c->impulse.z,
                       c->tangent[1]);
        for (int side = 0; side < 2; ++side)
        {
            const int b = side == 0 ? c->key.toucher : c->key.touched;
            const frz_vec3 force = frz_v3_scale((side == 0 ? 1.0 : -1.0) / state->try_dt, impulse);
            const frz_vec3 arm = frz_v3_sub(c->place, state->bodies[b].position);
            frz_body_load *load = &state->loads[b];
            load->contact_force = frz_v3_add(load->contact_force, force);
            load->contact_torque = frz_v3_add(load->contact_torque, frz_v3_cross(arm, force));
        }
    }
}

static void add_load(frz_state *state, int body, frz_vec3 impulse, frz_vec3 moment)
{
    frz_body_load *load = &state->loads[body];
    load->contact_force = frz_v3_mad(load->contact_force, 1.0 / state->try_dt, impulse);
    load->contact_torque = frz_v3_mad(load->contact_torque, 1.0 / state->try_dt, moment);
}

// The same of joints.
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
    const int rope_count = frz_joints_ropes(joints, &ropes);
    for (int r = 0; r < rope_count; ++r)
        for (int side = 0; side < 2; ++side)
        {
            const int b = ropes[r].body[side];
            const frz_vec3 impulse = frz_v3_scale((side == 0 ? 1.0 : -1.0) * ropes[r].impulse, ropes[r].normal);
            if (b < count)
                add_load(state, b, impulse,
                         frz_v3_cross(frz_v3_sub(ropes[r].place[side], state->bodies[b].position), impulse));
        }
}

frz_status frz_bodies_predict_contacts(frz_state *state, frz_diag *diag)
{
    if (state->contacts == NULL)
        return FRZ_OK;
    const double start = frz_now();
    FRZ_TRY(frz_bodies_solve_contacts(state, state->bodies, state->body_count, false, diag));
    frz_timer_lap(&state->timers, frz_timer_index(&state->timers, solve_timer), start);
    return FRZ_OK;
}

frz_status frz_bodies_finish_contacts(frz_state *state, frz_diag *diag)
{
    if (state->contacts == NULL)
        return FRZ_OK;
    const double start = frz_now();
    const bool again = state->particles.count[FRZ_ROLE_FREE] > 0; // without particles nobody asked before
    FRZ_TRY(frz_bodies_solve_contacts(state, state->bodies, state->body_count, again, diag));
    for (int b = 0; b < state->body_count; ++b)
    {
        state->bodies[b].velocity = state->contact_scratch[b].velocity;
        state->bodies[b].spin = state->contact_scratch[b].spin;
    }
    if (state->contact_pressure != NULL)
        record_pressure(state, state->body_count);
    else
        record(state);
    frz_joints *joints = frz_contacts_joints(state->contacts);
    if (joints != NULL)
    {
        record_joints(state, joints, state->body_count);
        state->stats.joint_frequency = frz_joints_frequency(joints, state->bodies, state->try_dt);
    }
    frz_timer_lap(&state->timers, frz_timer_index(&state->timers, solve_timer), start);
    return FRZ_OK;
}

void frz_bodies_push(frz_state *state, int body, frz_vec3 force, frz_vec3 torque, double dt)
{
    frz_body_load *load = &state->loads[body];
    frz_rigid_body_act(&state->bodies[body], frz_v3_scale(dt, force), frz_v3_scale(dt, torque));
    load->fluid_force = frz_v3_add(load->fluid_force, force);
    load->fluid_torque = frz_v3_add(load->fluid_torque, torque);
}

void frz_bodies_kick(const frz_model *model, frz_state *state, double dt)
{
    const frz_vec3 gravity = frz_v3(model->gravity[0], model->gravity[1], model->gravity[2]);
    for (int b = 0; b < state->body_count; ++b)
    {
        const frz_body *made = frz_body_made(model, state, b);
        frz_rigid_body *body = &state->bodies[b];
        if (!frz_body_is(state, b, FRZ_BODY_RIGID) || !frz_rigid_body_yields(body))
            continue;
        const bool whole = b == state->identity[b].made; // pieces are not pushed
        const frz_vec3 given = whole ? made->force : frz_v3(0.0, 0.0, 0.0);
        const frz_vec3 force = frz_v3_mad(given, body->mass, gravity);
        const frz_vec3 arm = frz_quat_rotate(body->rotation, body->center);
        const frz_vec3 twist = whole ? made->torque : frz_v3(0.0, 0.0, 0.0);
        const frz_vec3 torque = frz_v3_add(twist, frz_v3_cross(arm, force));
        frz_rigid_body_act(body, frz_v3_scale(dt, force), frz_v3_scale(dt, torque));
        body->velocity = frz_v3_scale(exp(-made->damping * dt), body->velocity);
        body->spin = frz_v3_scale(exp(-made->angular_damping * dt), body->spin);
    }
}

static bool is_outside(const frz_model *model, frz_vec3 x)
{
    const double at[3] = {x.x, x.y, x.z};
    bool outside = false;
    for (int a = 0; a < 3 && a < model->dimension; ++a)
        outside = outside || (!model->periodic[a] && !(at[a] >= model->domain_min[a] && at[a] < model->domain_max[a]));
    return outside;
}

// Whether all of a body is beyond open limits. Most are not, which their position tells.
static bool has_left(const frz_model *model, const frz_state *state, int b)
{
    const frz_body *made = frz_body_made(model, state, b);
    const frz_rigid_body *body = &state->bodies[b];
    if (!frz_body_is(state, b, FRZ_BODY_RIGID) || state->identity[b].filled != 0 || !is_outside(model, body->position))
        return false; // bodies of particles lose these one by one
    for (int k = made->first_sample; k < made->first_sample + (int)made->sample_count; ++k)
        if (!is_outside(
                model, frz_v3_add(frz_rigid_body_frame(body), frz_quat_rotate(body->rotation, state->sample_local[k]))))
            return false;
    return true;
}

void frz_bodies_park(const frz_model *model, frz_state *state)
{
    const frz_joints *joints = state->contacts != NULL ? frz_contacts_joints(state->contacts) : NULL;
    for (int b = 0; b < state->body_count; ++b)
    {
        if (state->bodies[b].parked || !has_left(model, state, b))
            continue;
        bool all = true; // what hangs on a body that is still inside goes on moving with it
        for (int other = 0; other < state->body_count && joints != NULL && all; ++other)
            all = frz_joints_group(joints, other) != frz_joints_group(joints, b) || state->bodies[other].parked ||
                  has_left(model, state, other);
        if (all)
            frz_rigid_body_park(&state->bodies[b]);
    }
}

// A change of motion that came in the course of the step has not moved the body for all of it. Turning back keeps the
// angular momentum.
static void take_back(const frz_rigid_body *before, double time, frz_rigid_body *body)
{
    const frz_vec3 turn = frz_v3_scale(-time, frz_v3_sub(body->spin, before->spin));
    body->position = frz_v3_mad(body->position, -time, frz_v3_sub(body->velocity, before->velocity));
    if (!(frz_v3_dot(turn, turn) > 0.0))
        return;
    const frz_vec3 momentum = frz_rigid_body_angular_momentum(body, body->position);
    body->rotation = frz_quat_normalize(frz_quat_mul(frz_quat_from_vector(turn), body->rotation));
    frz_rigid_body_refresh(body);
    if (body->joint == FRZ_JOINT_NONE)
        body->spin = frz_m3_apply(body->inverse_inertia_world, momentum);
}

static frz_status move_bodies(const frz_model *model, frz_state *state, double dt, frz_diag *diag)
{
    for (int b = 0; b < state->body_count; ++b)
    {
        if (!frz_body_is(state, b, FRZ_BODY_RIGID))
            continue;
        frz_rigid_body *body = &state->bodies[b];
        const double speed = frz_v3_length(body->velocity), spin = frz_v3_length(body->spin);
        char name[FRZ_BODY_NAME_SIZE];
        frz_bodies_name(model, state, b, name);
        if (!(speed < HUGE_VAL && spin < HUGE_VAL))
            return frz_fail(diag, FRZ_ERR_DIVERGED, "the velocity of the rigid body '%s' is not a finite number", name);
        if (speed * dt > frz_gross_move * model->spacing)
            return frz_fail(diag, FRZ_ERR_DIVERGED,
                            "the rigid body '%s' moves %.2g spacings in one step (speed %.3g m/s)", name,
                            speed * dt / model->spacing, speed);
        if (spin * dt > gross_turn)
            return frz_fail(diag, FRZ_ERR_DIVERGED, "the rigid body '%s' turns by %.2g rad in one step (%.3g rad/s)",
                            name, spin * dt, spin);
        if (state->position_theta[b] > 0.0)
            take_back(&state->bodies_before[b], state->position_theta[b] * dt, body);
        frz_rigid_body_move(body, dt);
    }
    return FRZ_OK;
}

frz_status frz_bodies_move(const frz_model *model, frz_state *state, double dt, frz_diag *diag)
{
    const double start = frz_now();
    FRZ_TRY(move_bodies(model, state, dt, diag));
    if (state->contacts != NULL && state->contact_pressure == NULL)
        FRZ_TRY(frz_contacts_separate(state->contacts, state->bodies, state->body_count, dt, diag));
    if (state->contacts != NULL)
        frz_timer_lap(&state->timers, frz_timer_index(&state->timers, "move bodies"), start);
    return FRZ_OK;
}
