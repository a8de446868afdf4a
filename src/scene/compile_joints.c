// SPDX-License-Identifier: MIT
// Joints between bodies: from positions in the world to positions in bodies.
#include <math.h>

#include "base/memory.h"
#include "scene/compile_internal.h"

static frz_vec3 to_body(const frz_model *model, int body, frz_vec3 place)
{
    return body < 0 ? place : frz_v3_sub(place, model->bodies[body].position); // axes are the world's at the start
}

static frz_vec3 in_plane(const frz_model *model, frz_vec3 v)
{
    return frz_v3(v.x, v.y, model->dimension == 2 ? 0.0 : v.z);
}

static frz_pair_joint make_joint(const frz_model *model, const frz_scene_pair_joint *from)
{
    static const frz_pair_joint_kind kinds[] = {
        [FRZ_SCENE_JOINT_BALL] = FRZ_PAIR_BALL,     [FRZ_SCENE_JOINT_HINGE] = FRZ_PAIR_HINGE,
        [FRZ_SCENE_JOINT_SLIDER] = FRZ_PAIR_SLIDER, [FRZ_SCENE_JOINT_FIXED] = FRZ_PAIR_FIXED,
        [FRZ_SCENE_JOINT_GEAR] = FRZ_PAIR_GEAR,     [FRZ_SCENE_JOINT_ROPE] = FRZ_PAIR_ROPE,
    };
    frz_pair_joint to = {.kind = kinds[from->type],
                         .body = {from->body[0], from->body[1]},
                         .axis = frz_v3_normalize(from->axis),
                         .length = from->has_length ? from->length : frz_v3_length(frz_v3_sub(from->to, from->point)),
                         .ratio = from->ratio,
                         .collide = from->collide};
    // without a point: the centre of a body that moves
    const int middle = from->body[0] >= 0 && model->bodies[from->body[0]].kind == FRZ_BODY_RIGID ? 0 : 1;
    const frz_vec3 point = in_plane(model, from->has_point ? from->point : model->bodies[from->body[middle]].position);
    to.anchor[0] = to_body(model, from->body[0], point);
    to.anchor[1] = to_body(model, from->body[1], from->has_to ? in_plane(model, from->to) : point);
    for (int side = 0; side < 2 && to.kind == FRZ_PAIR_GEAR; ++side)
        to.anchor[side] = model->bodies[from->body[side]].position; // from where a slider counts
    return to;
}

frz_status frz_compile_joints(const frz_scene *scene, frz_model *model, frz_diag *diag)
{
    model->joints = FRZ_ALLOC("joints", scene->joints.count + 1, frz_pair_joint);
    if (model->joints == NULL)
        return frz_fail_memory(diag, "the joints");
    for (; model->joint_count < scene->joints.count; ++model->joint_count)
        model->joints[model->joint_count] = make_joint(model, &scene->joints.items[model->joint_count]);
    return FRZ_OK;
}

void frz_compile_warn_joints(const frz_scene *scene, const frz_warning_sink *to)
{
    for (int j = 0; j < scene->joints.count; ++j)
    {
        const frz_scene_pair_joint *joint = &scene->joints.items[j];
        for (int side = 0; side < 2 && joint->has_point; ++side)
        {
            const frz_vec3 place = side == 1 && joint->has_to ? joint->to : joint->point;
            if (joint->body[side] < 0)
                continue;
            const frz_scene_body *body = &scene->bodies.items[joint->body[side]];
            const double away = frz_shape_distance(body->shape, place);
            if (away > scene->spacing && joint->name != NULL)
                frz_warn(to, "joint '%s' is %.3g m outside body '%s': it holds as if by a rod without mass",
                         joint->name, away, body->name);
        }
    }
}
