// SPDX-License-Identifier: MIT
// Rigid bodies within a step: forces of the outside world, motion, and how a step is undone.
#include <math.h>
#include <string.h>

#include "sim/state.h"

// a body whose position moves more than this many spacings in a step has passed the liquid without touching it
static const double gross_move = 1.0;
// rad; a turn beyond this in a step is no motion that samples could follow
static const double gross_turn = 1.0;

void frz_bodies_begin(const frz_model *model, frz_state *state)
{
    memcpy(state->bodies_before, state->bodies, (size_t)model->body_count * sizeof *state->bodies);
    memset(state->loads, 0, (size_t)model->body_count * sizeof *state->loads);
}

void frz_bodies_restore(const frz_model *model, frz_state *state)
{
    memcpy(state->bodies, state->bodies_before, (size_t)model->body_count * sizeof *state->bodies);
}

void frz_bodies_kick(const frz_model *model, frz_state *state, double dt)
{
    const frz_vec3 gravity = frz_v3(model->gravity[0], model->gravity[1], model->gravity[2]);
    for (int b = 0; b < model->body_count; ++b)
    {
        const frz_body *made = &model->bodies[b];
        frz_rigid_body *body = &state->bodies[b];
        if (made->kind != FRZ_BODY_RIGID || !frz_rigid_body_yields(body))
            continue;
        const frz_vec3 force = frz_v3_mad(made->force, body->mass, gravity);
        const frz_vec3 arm = frz_quat_rotate(body->rotation, body->center);
        const frz_vec3 torque = frz_v3_add(made->torque, frz_v3_cross(arm, force));
        frz_rigid_body_act(body, frz_v3_scale(dt, force), frz_v3_scale(dt, torque));
        body->velocity = frz_v3_scale(exp(-made->damping * dt), body->velocity);
        body->spin = frz_v3_scale(exp(-made->angular_damping * dt), body->spin);
    }
}

frz_status frz_bodies_move(const frz_model *model, frz_state *state, double dt, frz_diag *diag)
{
    for (int b = 0; b < model->body_count; ++b)
    {
        if (model->bodies[b].kind != FRZ_BODY_RIGID)
            continue;
        frz_rigid_body *body = &state->bodies[b];
        const double speed = frz_v3_length(body->velocity), spin = frz_v3_length(body->spin);
        if (!(speed < HUGE_VAL && spin < HUGE_VAL))
            return frz_fail(diag, FRZ_ERR_DIVERGED, "the velocity of the rigid body '%s' is not a finite number",
                            model->bodies[b].name);
        if (speed * dt > gross_move * model->spacing)
            return frz_fail(diag, FRZ_ERR_DIVERGED,
                            "the rigid body '%s' moves %.2g spacings in one step (speed %.3g m/s)",
                            model->bodies[b].name, speed * dt / model->spacing, speed);
        if (spin * dt > gross_turn)
            return frz_fail(diag, FRZ_ERR_DIVERGED, "the rigid body '%s' turns by %.2g rad in one step (%.3g rad/s)",
                            model->bodies[b].name, spin * dt, spin);
        frz_rigid_body_move(body, dt);
    }
    return FRZ_OK;
}
