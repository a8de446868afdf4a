// SPDX-License-Identifier: MIT
#include "sim/wall_shape.h"

#include <math.h>

#include "geom/shape.h"
#include "rigid/rigid_body.h"
#include "sim/state.h"

// A place in the pose that the body had at time 0, in which its shape is kept.
static frz_vec3 place_at_start(const frz_model *model, const frz_state *state, int b, frz_vec3 place)
{
    const frz_rigid_body *pose = &state->bodies.rigid[b];
    const frz_vec3 arm = frz_v3_sub(place, frz_rigid_body_frame(pose));
    return frz_v3_add(model->bodies[b].position, frz_quat_rotate(frz_quat_conjugate(pose->rotation), arm));
}

double frz_wall_shape_distance(const frz_model *model, const frz_state *state, int body, frz_vec3 place)
{
    const frz_shape *shape = model->bodies[body].shape;
    return shape != NULL ? frz_shape_distance(shape, place_at_start(model, state, body, place)) : HUGE_VAL;
}

frz_vec3 frz_wall_shape_normal(const frz_model *model, const frz_state *state, int body, frz_vec3 place)
{
    const frz_vec3 normal = frz_shape_normal(model->bodies[body].shape, place_at_start(model, state, body, place));
    return frz_quat_rotate(state->bodies.rigid[body].rotation, normal);
}
