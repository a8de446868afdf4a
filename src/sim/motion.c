// SPDX-License-Identifier: MIT
// Keyframed motion of static bodies, and the positions and velocities of samples of static and rigid bodies.
#include "sim/motion.h"

#include <math.h>

#include "sim/state.h"

static frz_quat blend(frz_quat a, frz_quat b, double t)
{
    // spherical interpolation along the shorter arc
    double dot = a.w * b.w + a.x * b.x + a.y * b.y + a.z * b.z;
    const double sign = dot < 0.0 ? -1.0 : 1.0;
    dot = fmin(fabs(dot), 1.0);
    const double angle = acos(dot);
    double wa = 1.0 - t, wb = sign * t;
    if (angle > 1e-6)
    {
        wa = sin((1.0 - t) * angle) / sin(angle);
        wb = sign * sin(t * angle) / sin(angle);
    }
    const frz_quat q = {wa * a.w + wb * b.w, wa * a.x + wb * b.x, wa * a.y + wb * b.y, wa * a.z + wb * b.z};
    return frz_quat_normalize(q);
}

// Whether the turns of two keyframes are angles about the same axis.
static bool same_axis(const frz_keyframe *a, const frz_keyframe *b)
{
    const double tolerance = 1e-9; // of the sine between the axes: that of written digits
    const double la = frz_v3_length(a->rotation_vector), lb = frz_v3_length(b->rotation_vector);
    const bool known = (la > 0.0 || fabs(a->rotation.w) == 1.0) && (lb > 0.0 || fabs(b->rotation.w) == 1.0);
    return known && (la > 0.0 || lb > 0.0) &&
           frz_v3_length(frz_v3_cross(a->rotation_vector, b->rotation_vector)) <= tolerance * la * lb;
}

// Between two keyframes. Rotations about one common axis interpolate the angle, through whole turns too; others take
// the shorter arc.
static frz_quat turned(const frz_keyframe *a, const frz_keyframe *b, double t)
{
    if (!same_axis(a, b))
        return blend(a->rotation, b->rotation, t);
    const frz_vec3 way = frz_v3_add(frz_v3_scale(1.0 - t, a->rotation_vector), frz_v3_scale(t, b->rotation_vector));
    const double angle = frz_v3_length(way);
    return angle > 0.0 ? frz_quat_axis_angle(way, angle) : frz_quat_identity();
}

// Pose of the motion alone; keyframes are sorted by time.
static void motion_pose(const frz_motion *motion, double time, frz_vec3 *position, frz_quat *rotation)
{
    const frz_keyframe *key = motion->keyframes;
    const frz_keyframe *last = key + motion->count - 1;
    const double period = last->time - key->time;
    if (motion->periodic && period > 0.0 && time > key->time)
        time = key->time + fmod(time - key->time, period);
    if (time <= key->time || motion->count == 1)
    {
        *position = key->position;
        *rotation = key->rotation;
        return;
    }
    while (key < last && key[1].time < time)
        ++key;
    if (key == last)
    {
        *position = last->position;
        *rotation = last->rotation;
        return;
    }
    double t = (time - key->time) / (key[1].time - key->time);
    if (motion->interpolation == FRZ_INTERPOLATION_SMOOTH)
        t = t * t * (3.0 - 2.0 * t);
    *position = frz_v3_add(frz_v3_scale(1.0 - t, key->position), frz_v3_scale(t, key[1].position));
    *rotation = turned(key, key + 1, t);
}

void frz_body_pose(const frz_body *body, double time, frz_vec3 *position, frz_quat *rotation)
{
    *position = body->position;
    *rotation = frz_quat_identity();
    if (body->motion.count == 0)
        return;
    frz_vec3 moved;
    motion_pose(&body->motion, time, &moved, rotation);
    *position = frz_v3_add(body->position, moved);
}

// A sample that its motion carries out of a periodic domain comes in on the other side: a belt without end.
static frz_v4 wrapped(const frz_model *model, frz_vec3 x)
{
    double at[3] = {x.x, x.y, x.z};
    for (int a = 0; a < 3; ++a) // the third axis is never periodic in the plane
    {
        const double length = model->domain_max[a] - model->domain_min[a];
        if (model->periodic[a] && !(at[a] >= model->domain_min[a] && at[a] < model->domain_max[a]))
            at[a] -= length * floor((at[a] - model->domain_min[a]) / length);
    }
    return frz_v4_set((frz_real)at[0], (frz_real)at[1], (frz_real)at[2], 0);
}

static void mirror_samples(frz_state *state, const frz_body *body, int field)
{
    frz_particles_mirror_rows(&state->particles, FRZ_ROLE_SAMPLE, field, body->first_sample, (int)body->sample_count);
}

void frz_samples_place(const frz_model *model, frz_state *state)
{
    frz_v4 *position = frz_field_v4(&state->particles, FRZ_FIELD_ID_position) + state->particles.first[FRZ_ROLE_SAMPLE];
    for (int b = 0; b < model->body_count; ++b)
    {
        const frz_body *body = &model->bodies[b];
        frz_rigid_body *pose = &state->bodies.rigid[b];
        if (!frz_body_is(state, b, FRZ_BODY_RIGID))
            frz_body_pose(body, state->time, &pose->position, &pose->rotation);
        if (body->role != FRZ_ROLE_SAMPLE || (state->prepared && !frz_body_moves(body)))
            continue;
        for (int k = body->first_sample; k < body->first_sample + (int)body->sample_count; ++k)
        {
            position[k] = wrapped(model, frz_v3_add(pose->position, frz_rigid_body_arm(pose, state->samples.local[k])));
            state->samples.normal[k] = frz_v4_of(frz_quat_rotate(pose->rotation, state->samples.local_normal[k]));
        }
        if (state->prepared)
            mirror_samples(state, body, FRZ_FIELD_ID_position);
        state->samples.moved = true;
    }
    if (state->samples.moved && !state->prepared)
        frz_particles_mirror(&state->particles, FRZ_ROLE_SAMPLE);
}

// Samples of a rigid body have its velocity; the pressure solver adds the change by the forces of the step.
static void carry(const frz_body *body, const frz_rigid_body *now, const frz_vec3 *local, frz_v4 *velocity)
{
    for (int k = body->first_sample; k < body->first_sample + (int)body->sample_count; ++k)
        velocity[k] = frz_v4_of(frz_v3_add(now->velocity, frz_v3_cross(now->spin, frz_rigid_body_arm(now, local[k]))));
}

// Samples of a body with keyframes move straight from where they are to where they will be at the time next.
static void lead(const frz_body *body, double next, double dt, frz_rigid_body *now, const frz_vec3 *local,
                 frz_v4 *velocity)
{
    frz_vec3 position;
    frz_quat rotation;
    frz_body_pose(body, next, &position, &rotation);
    now->velocity = frz_v3_scale(1.0 / dt, frz_v3_sub(position, now->position));
    const frz_quat turn = frz_quat_mul(rotation, frz_quat_conjugate(now->rotation));
    const frz_vec3 axis = frz_v3(turn.x, turn.y, turn.z);
    const double sine = frz_v3_length(axis), angle = 2.0 * atan2(turn.w < 0.0 ? -sine : sine, fabs(turn.w));
    now->spin = sine > 0.0 ? frz_v3_scale(angle / (sine * dt), axis) : frz_v3(0.0, 0.0, 0.0);
    for (int k = body->first_sample; k < body->first_sample + (int)body->sample_count; ++k)
    {
        const frz_vec3 from = frz_v3_add(now->position, frz_quat_rotate(now->rotation, local[k]));
        const frz_vec3 to = frz_v3_add(position, frz_quat_rotate(rotation, local[k]));
        velocity[k] = frz_v4_of(frz_v3_scale(1.0 / dt, frz_v3_sub(to, from)));
    }
}

void frz_samples_set_velocity(const frz_model *model, frz_state *state, double dt)
{
    const int first = state->particles.first[FRZ_ROLE_SAMPLE];
    frz_v4 *velocity = frz_field_v4(&state->particles, FRZ_FIELD_ID_velocity) + first;
    double fastest = 0.0;
    for (int b = 0; b < model->body_count; ++b)
    {
        const frz_body *body = &model->bodies[b];
        if (body->role != FRZ_ROLE_SAMPLE || !frz_body_moves(body))
            continue;
        if (body->kind == FRZ_BODY_RIGID)
            carry(body, &state->bodies.rigid[b], state->samples.local, velocity);
        else
            lead(body, state->time + dt, dt, &state->bodies.rigid[b], state->samples.local, velocity);
        for (int k = body->first_sample; k < body->first_sample + (int)body->sample_count; ++k)
            fastest = fmax(fastest, (double)frz_v4_dot3(velocity[k], velocity[k]));
        mirror_samples(state, body, FRZ_FIELD_ID_velocity);
    }
    state->stats.sample_speed = sqrt(fastest);
}
