// SPDX-License-Identifier: MIT
// Rigid bodies within a step: forces of the outside world, motion, and how a step is undone.
#include "sim/bodies.h"

#include <math.h>
#include <string.h>

#include "sim/integrate.h"
#include "sim/motion.h"
#include "sim/state.h"

// rad; a turn beyond this in a step is no motion that samples could follow
static const double gross_turn = 1.0;

void frz_bodies_begin(const frz_model *model, frz_state *state, double dt)
{
    state->attempt = (frz_attempt){.dt = dt};
    memcpy(state->bodies.before, state->bodies.rigid, (size_t)state->bodies.count * sizeof *state->bodies.rigid);
    memset(state->contact.change, 0, (size_t)state->bodies.count * sizeof *state->contact.change);
    memset(state->bodies.position_theta, 0, (size_t)state->bodies.count * sizeof *state->bodies.position_theta);
    state->contact.begun = false;
    for (int b = 0; b < state->bodies.count; ++b)
    {
        const frz_body_load last = state->bodies.loads[b];
        state->bodies.loads[b] =
            (frz_body_load){.last_force = last.pressure_force, .last_torque = last.pressure_torque};
    }
    if (state->any_motion)
        frz_samples_set_velocity(model, state, dt);
}

void frz_bodies_restore(frz_state *state)
{
    memcpy(state->bodies.rigid, state->bodies.before, (size_t)state->bodies.count * sizeof *state->bodies.rigid);
    for (int b = 0; b < state->bodies.count; ++b) // those of the failed try may be anything
    {
        frz_body_load *load = &state->bodies.loads[b];
        load->pressure_force = load->last_force;
        load->pressure_torque = load->last_torque;
    }
    frz_contact_undo(state);
}

void frz_bodies_push(frz_state *state, int body, frz_vec3 force, frz_vec3 torque, double dt)
{
    frz_body_load *load = &state->bodies.loads[body];
    frz_rigid_body_act(&state->bodies.rigid[body], frz_v3_scale(dt, force), frz_v3_scale(dt, torque));
    load->fluid_force = frz_v3_add(load->fluid_force, force);
    load->fluid_torque = frz_v3_add(load->fluid_torque, torque);
}

void frz_bodies_kick(const frz_model *model, frz_state *state, double dt)
{
    const frz_vec3 gravity = frz_v3(model->gravity[0], model->gravity[1], model->gravity[2]);
    for (int b = 0; b < state->bodies.count; ++b)
    {
        const frz_body *made = frz_body_made(model, state, b);
        frz_rigid_body *body = &state->bodies.rigid[b];
        if (!frz_body_is(state, b, FRZ_BODY_RIGID) || !frz_rigid_body_yields(body) || body->asleep)
            continue;
        const bool whole = b == state->bodies.identity[b].made; // pieces are not pushed
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

// Whether the whole body is beyond open limits. The position alone excludes most bodies.
static bool has_left(const frz_model *model, const frz_state *state, int b)
{
    const frz_body *made = frz_body_made(model, state, b);
    const frz_rigid_body *body = &state->bodies.rigid[b];
    if (!frz_body_is(state, b, FRZ_BODY_RIGID) || state->bodies.identity[b].filled != 0 ||
        !is_outside(model, body->position))
        return false; // bodies of particles lose these one by one
    for (int k = made->first_sample; k < made->first_sample + (int)made->sample_count; ++k)
        if (!is_outside(model, frz_v3_add(frz_rigid_body_frame(body),
                                          frz_quat_rotate(body->rotation, state->samples.local[k]))))
            return false;
    return true;
}

void frz_bodies_park(const frz_model *model, frz_state *state)
{
    const frz_joints *joints = state->contact.set != NULL ? frz_contacts_joints(state->contact.set) : NULL;
    for (int b = 0; b < state->bodies.count; ++b)
    {
        if (state->bodies.rigid[b].parked || !has_left(model, state, b))
            continue;
        bool all = true; // a body jointed to one that is still inside keeps moving with it
        for (int other = 0; other < state->bodies.count && joints != NULL && all; ++other)
            all = frz_joints_group(joints, other) != frz_joints_group(joints, b) || state->bodies.rigid[other].parked ||
                  has_left(model, state, other);
        if (all)
            frz_rigid_body_park(&state->bodies.rigid[b]);
    }
}

// A change of motion within the step has not moved the body for the whole step. Turning back keeps the angular
// momentum.
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
    for (int b = 0; b < state->bodies.count; ++b)
    {
        if (!frz_body_is(state, b, FRZ_BODY_RIGID))
            continue;
        frz_rigid_body *body = &state->bodies.rigid[b];
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
        if (state->bodies.position_theta[b] > 0.0)
            take_back(&state->bodies.before[b], state->bodies.position_theta[b] * dt, body);
        frz_rigid_body_move(body, dt);
    }
    return FRZ_OK;
}

double frz_bodies_speed(const frz_model *model, const frz_state *state, double dt)
{
    const frz_vec3 gravity = frz_v3(model->gravity[0], model->gravity[1], model->gravity[2]);
    double fastest = 0.0;
    for (int b = 0; b < state->bodies.count; ++b)
    {
        const frz_rigid_body *body = &state->bodies.rigid[b];
        const double falls = body->inverse_mass > 0.0 && !body->asleep ? dt : 0.0;
        if (frz_body_is(state, b, FRZ_BODY_RIGID))
            fastest = fmax(fastest, frz_v3_length(frz_v3_mad(body->velocity, falls, gravity)));
    }
    return fastest;
}

static void add_friction(frz_state *state)
{
    for (int b = 0; b < state->bodies.count; ++b)
    {
        frz_body_load *load = &state->bodies.loads[b];
        load->contact_force = frz_v3_add(load->contact_force, load->friction_force);
        load->contact_torque = frz_v3_add(load->contact_torque, load->friction_torque);
        load->friction_force = load->friction_torque = frz_v3(0.0, 0.0, 0.0);
    }
}

// Work of bodies that move as they are told, by contacts, joints and friction, and of the forces that a scene gives to
// others.
static void add_work(const frz_model *model, frz_state *state, double dt)
{
    for (int b = 0; b < state->bodies.count; ++b)
    {
        const frz_rigid_body *body = &state->bodies.rigid[b];
        const frz_body_load *load = &state->bodies.loads[b];
        const bool rigid = frz_body_is(state, b, FRZ_BODY_RIGID);
        if (rigid && frz_rigid_body_yields(body))
        {
            const frz_body *made = b == state->bodies.identity[b].made ? frz_body_made(model, state, b) : NULL;
            if (made != NULL)
                state->stats.work +=
                    dt * (frz_v3_dot(made->force, body->velocity) + frz_v3_dot(made->torque, body->spin));
        }
        else if (rigid || frz_body_is(state, b, FRZ_BODY_STATIC))
            state->stats.work -=
                dt * (frz_v3_dot(load->contact_force, body->velocity) + frz_v3_dot(load->contact_torque, body->spin));
    }
}

frz_status frz_bodies_move(const frz_model *model, frz_state *state, double dt, frz_diag *diag)
{
    const double start = frz_now();
    add_friction(state);
    add_work(model, state, dt);
    FRZ_TRY(move_bodies(model, state, dt, diag));
    FRZ_TRY(frz_contact_separate(state, dt, diag));
    if (state->contact.set != NULL)
        frz_timer_lap(&state->timers, frz_timer_index(&state->timers, "move bodies"), start);
    return FRZ_OK;
}
