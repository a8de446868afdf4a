// SPDX-License-Identifier: MIT
// Attachments, and elastic bodies with a rigid part: the part becomes a rigid body behind the others of the scene, and
// an attachment ties the elastic body to it. All other code handles rigid bodies and attachments only.
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "geom/shape_moments.h"
#include "scene/schema_check.h"

enum
{
    name_size = 300 // bytes of a name
};

frz_status frz_check_rigid_part(frz_parse *parse, const frz_node *node, void *data)
{
    const frz_scene_rigid_part *part = data;
    if (part->density > 0.0 && part->mass > 0.0)
        return FRZ_PARSE_FAIL(parse, frz_mark_at(node, "mass"), "rigid_part: expected density or mass, got both");
    if (part->has_hinge && part->has_slider)
        return FRZ_PARSE_FAIL(parse, frz_mark_at(node, "slider"), "rigid_part: expected a hinge or a slider, got both");
    return FRZ_OK;
}

frz_status frz_check_attachment(frz_parse *parse, const frz_node *node, void *data)
{
    const frz_scene_attachment *attachment = data;
    if (attachment->shape == NULL && (attachment->to == NULL || strcmp(attachment->to, "world") == 0))
        return FRZ_PARSE_FAIL(parse, node->mark,
                              "an attachment to the world needs the key 'shape': the space whose particles are held");
    return FRZ_OK;
}

// The whole body moves as one at the start: about its position, not about the centre of the part.
static frz_vec3 velocity_of(const frz_scene_body *body, int dimension)
{
    const frz_moments moments = frz_shape_moments(body->rigid_part.shape, dimension);
    if (!(moments.volume > 0.0 && moments.volume < HUGE_VAL))
        return body->velocity; // refused when the body is made
    const frz_vec3 center = frz_v3_scale(1.0 / moments.volume, moments.first);
    const frz_vec3 arm = frz_v3_sub(center, body->position);
    return frz_v3_add(body->velocity, frz_v3_cross(body->angular_velocity, arm));
}

static frz_status name_part(frz_parse *parse, const frz_scene *scene, const frz_scene_body *body, char *name)
{
    snprintf(name, name_size, "%.250s_rigid", body->name);
    bool taken = false;
    for (int b = 0; b < scene->bodies.count; ++b)
        taken = taken || strcmp(scene->bodies.items[b].name, name) == 0;
    for (int a = 0; a < scene->attachments.count; ++a)
        taken = taken || strcmp(scene->attachments.items[a].name, name) == 0;
    if (taken)
        return FRZ_PARSE_FAIL(parse, body->rigid_part.mark,
                              "the rigid part of '%s' is called '%s', and something else has that name", body->name,
                              name);
    return FRZ_OK;
}

// Takes the shape of the part.
static void make_body(const frz_scene *scene, frz_scene_body *from, const char *name, frz_scene_body *to)
{
    frz_scene_rigid_part *part = &from->rigid_part;
    memset(to, 0, sizeof *to);
    to->mark = to->shape_mark = part->mark;
    to->name = frz_strdup(name);
    to->state = FRZ_SCENE_RIGID;
    to->has_fill = true; // of its shape: it carries the elastic body
    to->material = -1;
    to->velocity = velocity_of(from, scene->dimension);
    to->angular_velocity = from->angular_velocity;
    to->has_temperature = from->has_temperature;
    to->temperature = from->temperature;
    to->shape = part->shape;
    part->shape = NULL;
    to->rotation = frz_quat_identity();
    to->scale = 1.0;
    to->mass = part->mass;
    to->density = part->density;
    if (!(to->mass > 0.0 || to->density > 0.0))
        to->density = scene->materials.items[from->material].density;
    to->force = part->force;
    to->torque = part->torque;
    to->driven = part->driven;
    to->has_hinge = part->has_hinge;
    to->hinge = part->hinge;
    to->has_slider = part->has_slider;
    to->slider = part->slider;
    to->friction = from->friction;
    to->priority = from->priority + 1;
    to->color = part->color;
    to->visible = from->visible;
    to->look = from->look;
}

static frz_status add_part(frz_parse *parse, frz_scene *scene, int b)
{
    char name[name_size];
    FRZ_TRY(name_part(parse, scene, &scene->bodies.items[b], name));
    frz_scene_body *bodies = frz_realloc("scene", scene->bodies.items, (size_t)scene->bodies.count + 1, sizeof *bodies);
    if (bodies == NULL)
        return frz_fail_memory(parse->diag, "the scene");
    scene->bodies.items = bodies;
    make_body(scene, &bodies[b], name, &bodies[scene->bodies.count]);
    const frz_scene_body *made = &bodies[scene->bodies.count++];
    frz_scene_attachment *attachments =
        frz_realloc("scene", scene->attachments.items, (size_t)scene->attachments.count + 1, sizeof *attachments);
    if (attachments == NULL)
        return frz_fail_memory(parse->diag, "the scene");
    scene->attachments.items = attachments;
    frz_scene_attachment *to = &attachments[scene->attachments.count++];
    *to = (frz_scene_attachment){
        .mark = made->mark, .name = frz_strdup(name), .of = frz_strdup(bodies[b].name), .to = frz_strdup(name)};
    if (made->name == NULL || to->name == NULL || to->of == NULL || to->to == NULL)
        return frz_fail_memory(parse->diag, "the scene");
    return FRZ_OK;
}

frz_status frz_check_parts(frz_parse *parse, frz_scene *scene)
{
    const int count = scene->bodies.count;
    for (int b = 0; b < count; ++b)
        if (scene->bodies.items[b].has_rigid_part)
            FRZ_TRY(add_part(parse, scene, b));
    return FRZ_OK;
}
