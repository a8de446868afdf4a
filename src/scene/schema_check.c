// SPDX-License-Identifier: MIT
// Checks of combinations of keys.
#include "scene/schema_check.h"

#include <math.h>
#include <string.h>

#include "geom/mesh.h"
#include "particles/matter.h"
#include "scene/suggest.h"

enum
{
    phrase_size = 400, // bytes of a part of a message
    path_size = 4096   // bytes, PATH_MAX of Linux
};

// Harder bodies carve softer ones that overlap them.
static const int default_priority[] = {
    [FRZ_SCENE_LIQUID] = 0, [FRZ_SCENE_STATIC] = 100, [FRZ_SCENE_ELASTIC] = 50, [FRZ_SCENE_RIGID] = 100};

frz_mark frz_mark_at(const frz_node *node, const char *key)
{
    const frz_node *child = frz_node_find(node, key);
    return child != NULL ? child->mark : node->mark;
}

frz_status frz_check_time_step(frz_parse *parse, const frz_node *node, void *data)
{
    const frz_scene_time_step *step = data;
    if (node->kind == FRZ_NODE_MAP && step->fixed > 0.0 && node->count > 1)
        return FRZ_PARSE_FAIL(parse, frz_mark_at(node, "fixed"),
                              "time_step: expected either fixed alone, or max, min and cfl, got both");
    if (step->max > 0.0 && step->max < step->min)
        return FRZ_PARSE_FAIL(parse, frz_mark_at(node, "max"),
                              "time_step: expected max of at least min (%g s), got %g s", step->min, step->max);
    return FRZ_OK;
}

frz_status frz_check_domain(frz_parse *parse, const frz_node *node, void *data)
{
    const frz_scene_domain *domain = data;
    const int axes = parse->dimension == 2 ? 2 : 3;
    const double min[] = {domain->min.x, domain->min.y, domain->min.z};
    const double max[] = {domain->max.x, domain->max.y, domain->max.z};
    if (domain->periodic != 0 && (!domain->has_min || !domain->has_max))
        return FRZ_PARSE_FAIL(parse, frz_mark_at(node, "periodic"),
                              "domain: periodic needs min and max, the two sides that are joined");
    if ((domain->periodic >> axes) != 0)
        return FRZ_PARSE_FAIL(parse, frz_mark_at(node, "periodic"),
                              "domain: expected x or y as periodic axis in a 2D scene, got z");
    for (int c = 0; c < axes && domain->has_min && domain->has_max; ++c)
        if (!(min[c] < max[c]))
            return FRZ_PARSE_FAIL(parse, frz_mark_at(node, "max"),
                                  "domain: expected max above min (%g m) along %c, got %g m", min[c], "xyz"[c], max[c]);
    return FRZ_OK;
}

frz_status frz_check_motion(frz_parse *parse, const frz_node *node, void *data)
{
    (void)node;
    const frz_scene_motion *motion = data;
    for (int i = 1; i < motion->keyframes.count; ++i)
        if (motion->keyframes.items[i].time <= motion->keyframes.items[i - 1].time)
            return FRZ_PARSE_FAIL(parse, motion->keyframes.items[i].mark,
                                  "motion: expected a time after the last keyframe's (%g s), got %g s",
                                  motion->keyframes.items[i - 1].time, motion->keyframes.items[i].time);
    if (motion->periodic && motion->keyframes.count < 2)
        return FRZ_PARSE_FAIL(parse, motion->mark, "motion: periodic needs at least two keyframes, got %d",
                              motion->keyframes.count);
    return FRZ_OK;
}

frz_status frz_check_hinge(frz_parse *parse, const frz_node *node, void *data)
{
    const frz_scene_joint *hinge = data;
    if (parse->dimension == 2 && (hinge->axis.x != 0.0 || hinge->axis.y != 0.0))
        return FRZ_PARSE_FAIL(parse, frz_mark_at(node, "axis"),
                              "hinge: expected the axis [0, 0, 1] in a 2D scene, got one that leaves z");
    return FRZ_OK;
}

/// Refuse a start velocity that a hinge or slider would remove in the first step.
static frz_status check_start(frz_parse *parse, const frz_node *node, const frz_scene_body *body)
{
    const double tolerance = 1.0e-6; // relative: that of written digits
    const double speed = frz_v3_length(body->velocity);
    if (body->has_hinge && speed > 0.0)
        return FRZ_PARSE_FAIL(parse, frz_mark_at(node, "velocity"),
                              "a rigid body on a hinge has no velocity, but may have angular_velocity");
    if (!body->has_slider)
        return FRZ_OK;
    if (frz_v3_length(frz_v3_cross(body->velocity, frz_v3_normalize(body->slider.axis))) > tolerance * speed)
        return FRZ_PARSE_FAIL(parse, frz_mark_at(node, "velocity"),
                              "a rigid body on a slider moves along its axis; its velocity points elsewhere");
    if (frz_v3_length(body->angular_velocity) > 0.0)
        return FRZ_PARSE_FAIL(parse, frz_mark_at(node, "angular_velocity"),
                              "a rigid body on a slider does not turn, but may have a velocity");
    return FRZ_OK;
}

static frz_status check_rigid_keys(frz_parse *parse, const frz_node *node, const frz_scene_body *body)
{
    // particles have a material, and may have a mass of their own besides
    const bool filled = body->has_fill && body->fill == FRZ_SCENE_FILL_PARTICLES;
    const int own = (body->density > 0.0) + (body->mass > 0.0), given = own + (body->material_name != NULL);
    if (given != 1 && !(filled && own == 1))
        return FRZ_PARSE_FAIL(parse, node->mark,
                              "a rigid body needs exactly one of the keys 'density', 'mass' and 'material', got %d",
                              given);
    if (body->has_hinge && body->has_slider)
        return FRZ_PARSE_FAIL(parse, frz_mark_at(node, "slider"),
                              "a rigid body may have a hinge or a slider, got both");
    if (body->has_motion)
        return FRZ_PARSE_FAIL(parse, frz_mark_at(node, "motion"),
                              "motion is for static bodies; a rigid body may have velocity and angular_velocity, and "
                              "keeps them with driven: true");
    return check_start(parse, node, body);
}

/// Keys that make sense for one state only.
static frz_status check_state_keys(frz_parse *parse, const frz_node *node, const frz_scene_body *body)
{
    static const char *const liquid_keys[] = {"velocity", "angular_velocity", NULL};
    static const char *const rigid_keys[] = {"density",         "mass",  "driven", "force", "torque", "damping",
                                             "angular_damping", "hinge", "slider", "fill",  NULL};
    for (int i = 0; body->state != FRZ_SCENE_RIGID && rigid_keys[i] != NULL; ++i)
        if (frz_node_find(node, rigid_keys[i]) != NULL)
            return FRZ_PARSE_FAIL(parse, frz_mark_at(node, rigid_keys[i]), "%s is for rigid bodies (state: rigid)",
                                  rigid_keys[i]);
    if (body->has_rigid_part && body->state != FRZ_SCENE_ELASTIC)
        return FRZ_PARSE_FAIL(parse, frz_mark_at(node, "rigid_part"),
                              "rigid_part is for elastic bodies (state: elastic)");
    static const char *const elastic_keys[] = {"self_contact", "sheet", NULL};
    for (int i = 0; body->state != FRZ_SCENE_ELASTIC && elastic_keys[i] != NULL; ++i)
        if (frz_node_find(node, elastic_keys[i]) != NULL)
            return FRZ_PARSE_FAIL(parse, frz_mark_at(node, elastic_keys[i]),
                                  "%s is for elastic bodies (state: elastic)", elastic_keys[i]);
    if (body->state != FRZ_SCENE_LIQUID && frz_node_find(node, "disorder") != NULL)
        return FRZ_PARSE_FAIL(parse, frz_mark_at(node, "disorder"), "disorder is for liquid bodies (state: liquid)");
    if (body->state == FRZ_SCENE_LIQUID && frz_node_find(node, "friction") != NULL)
        return FRZ_PARSE_FAIL(parse, frz_mark_at(node, "friction"),
                              "friction is for solid bodies; a liquid has the key 'viscosity' of its material");
    if ((body->state == FRZ_SCENE_LIQUID || body->state == FRZ_SCENE_ELASTIC) &&
        frz_node_find(node, "restitution") != NULL)
        return FRZ_PARSE_FAIL(parse, frz_mark_at(node, "restitution"), "restitution is for static and rigid bodies");
    if (body->state == FRZ_SCENE_RIGID)
        return check_rigid_keys(parse, node, body);
    if (body->state == FRZ_SCENE_LIQUID || body->state == FRZ_SCENE_ELASTIC)
    {
        const char *what = body->state == FRZ_SCENE_LIQUID ? "a liquid" : "an elastic";
        if (body->material_name == NULL)
            return FRZ_PARSE_FAIL(parse, node->mark,
                                  "%s body needs the key 'material': the name of one of the materials", what);
        if (body->has_motion)
            return FRZ_PARSE_FAIL(parse, frz_mark_at(node, "motion"),
                                  "motion is for static bodies; %s body may have velocity and angular_velocity", what);
        return FRZ_OK;
    }
    for (int i = 0; liquid_keys[i] != NULL; ++i)
        if (frz_node_find(node, liquid_keys[i]) != NULL)
            return FRZ_PARSE_FAIL(parse, frz_mark_at(node, liquid_keys[i]),
                                  "%s is for bodies that move by themselves; a static body moves by the key 'motion'",
                                  liquid_keys[i]);
    return FRZ_OK;
}

/// A skin must be readable before the run, not only when its pictures are drawn.
static frz_status check_skin(frz_parse *parse, const frz_node *node, const frz_scene_body *body)
{
    const frz_mark mark = frz_mark_at(node, "skin");
    if (!body->has_skin)
        return FRZ_OK;
    if (body->state != FRZ_SCENE_ELASTIC)
        return FRZ_PARSE_FAIL(parse, mark, "skin is for elastic bodies; this one is drawn as its %s",
                              body->state == FRZ_SCENE_LIQUID ? "particles" : "shape");
    char path[path_size];
    if (body->skin.mesh[0] == '\0' || !frz_scene_path(parse->scene, body->skin.mesh, path, sizeof path))
        return FRZ_PARSE_FAIL(parse, mark, "mesh: expected the path of a mesh, got %s",
                              body->skin.mesh[0] == '\0' ? "an empty text" : "one that is too long");
    frz_mesh *mesh = NULL;
    frz_diag reason = {0};
    frz_status status = frz_mesh_import(frz_scene_root(parse->scene), path, body->skin.scale, &mesh, &reason);
    for (int v = 0; status == FRZ_OK && v < mesh->vertex_count; ++v)
    {
        const frz_vec3 x = mesh->vertices[v];
        const double reach = fabs(x.x) + fabs(x.y) + fabs(x.z);
        if (!isfinite(reach))
            status = frz_fail(&reason, FRZ_ERR_SCENE, "mesh '%s' has vertices that are not finite numbers", path);
        else if (reach > FRZ_MESH_LARGEST)
            status = frz_fail(&reason, FRZ_ERR_SCENE, "mesh '%s' is larger than %g m", path, FRZ_MESH_LARGEST);
    }
    frz_mesh_destroy(&mesh);
    if (status == FRZ_ERR_MEMORY)
        return frz_fail(parse->diag, status, "%s", reason.message);
    return status == FRZ_OK ? FRZ_OK : FRZ_PARSE_FAIL(parse, mark, "skin: %s", reason.message);
}

int frz_body_priority(frz_scene_state state)
{
    return default_priority[state];
}

static bool is_placed(const frz_scene_body *body)
{
    const frz_vec3 p = body->position;
    const frz_quat r = body->rotation;
    return p.x != 0.0 || p.y != 0.0 || p.z != 0.0 || r.x != 0.0 || r.y != 0.0 || r.z != 0.0 || body->scale != 1.0;
}

// Scale, turn and move a shape as the body says.
static frz_status place(frz_parse *parse, const frz_node *node, const frz_scene_body *body, frz_shape **shape)
{
    frz_diag reason = {0};
    frz_shape *from = *shape;
    *shape = NULL;
    if (frz_shape_take_transform(from, body->scale, body->rotation, body->position, shape, &reason) != FRZ_OK)
        return FRZ_PARSE_FAIL(parse, node->mark, "%s", reason.message);
    return FRZ_OK;
}

frz_status frz_check_body(frz_parse *parse, const frz_node *node, void *data)
{
    frz_scene_body *body = data;
    body->material = -1;
    body->shape_mark = frz_mark_at(node, "shape");
    if (body->name != NULL && (strcmp(body->name, "world") == 0 || strcmp(body->name, "free") == 0))
        return FRZ_PARSE_FAIL(parse, frz_mark_at(node, "name"),
                              "name: expected another name than '%s', which has a meaning for joints and chains",
                              body->name);
    FRZ_TRY(check_state_keys(parse, node, body));
    FRZ_TRY(check_skin(parse, node, body));
    FRZ_TRY(frz_check_wall_heat(parse, node, body));
    if (!body->has_priority)
        body->priority = frz_body_priority((frz_scene_state)body->state);
    if (!is_placed(body))
        return FRZ_OK;
    FRZ_TRY(place(parse, node, body, &body->shape));
    return body->has_rigid_part ? place(parse, node, body, &body->rigid_part.shape) : FRZ_OK;
}

static frz_status check_camera_keyframes(frz_parse *parse, const frz_node *node, const frz_scene_camera *camera)
{
    const frz_scene_camera_keyframe *items = camera->keyframes.items;
    if (camera->has_height && camera->keyframes.count > 0)
        return FRZ_PARSE_FAIL(parse, frz_mark_at(node, "height"),
                              "camera: expected keyframes or height (parallel projection), got both");
    for (int k = 1; k < camera->keyframes.count; ++k)
        if (!(items[k].time > items[k - 1].time))
            return FRZ_PARSE_FAIL(parse, items[k].mark, "camera: expected a keyframe after %g s, got one at %g s",
                                  items[k - 1].time, items[k].time);
    return FRZ_OK;
}

frz_status frz_check_camera(frz_parse *parse, const frz_node *node, void *data)
{
    const frz_scene_camera *camera = data;
    if (camera->has_fov && camera->has_height)
        return FRZ_PARSE_FAIL(parse, frz_mark_at(node, "height"),
                              "camera: expected fov (perspective) or height (parallel projection), got both");
    FRZ_TRY(check_camera_keyframes(parse, node, camera));
    if (!camera->has_eye || !camera->has_target)
        return FRZ_OK;
    const frz_vec3 view = frz_v3_sub(camera->target, camera->eye);
    const frz_vec3 side = frz_v3_cross(view, camera->up);
    if (!(frz_v3_length(view) > 0.0))
        return FRZ_PARSE_FAIL(parse, frz_mark_at(node, "target"),
                              "camera: expected a target away from the eye, got the same point");
    if (!(frz_v3_length(side) > 0.0))
        return FRZ_PARSE_FAIL(parse, frz_mark_at(node, "up"),
                              "camera: expected an up direction across the view, got one along it");
    return FRZ_OK;
}

frz_status frz_check_coloring(frz_parse *parse, const frz_node *node, void *data)
{
    const frz_scene_coloring *color = data;
    if (color->has_min && color->has_max && !(color->min < color->max))
        return FRZ_PARSE_FAIL(parse, frz_mark_at(node, "max"), "color: expected max above min (%g), got %g", color->min,
                              color->max);
    return FRZ_OK;
}

frz_status frz_resolve_material(frz_parse *parse, const char *name, const frz_node *node, int *out)
{
    const frz_scene *scene = parse->scene;
    char hint[phrase_size];
    frz_suggestion suggestion = {.word = name};
    *out = -1;
    if (name == NULL)
        return FRZ_OK;
    for (int i = 0; i < scene->materials.count; ++i)
    {
        frz_suggestion_offer(&suggestion, scene->materials.items[i].name);
        if (strcmp(scene->materials.items[i].name, name) == 0)
        {
            *out = i;
            return FRZ_OK;
        }
    }
    return FRZ_PARSE_FAIL(parse, frz_mark_at(node, "material"),
                          "material: expected the name of one of the materials, got '%s'%s", name,
                          frz_suggestion_text(&suggestion, hint, sizeof hint));
}

// The support that a method requests, or 2.1 spacings: with it lattice sums are accurate at few neighbours.
static double support_of(const frz_choice *choices)
{
    double support = 2.1;
    for (int s = 0; s < FRZ_SLOT_COUNT; ++s)
        support = choices[s].method != NULL ? fmax(support, choices[s].method->support) : support;
    return support;
}

static void choose_support(frz_scene *scene)
{
    if (scene->kernel.support > 0.0)
        return;
    scene->kernel.support = support_of(scene->methods);
    for (int m = 0; m < scene->materials.count; ++m)
        scene->kernel.support = fmax(scene->kernel.support, support_of(scene->materials.items[m].methods));
    const frz_method *walls = scene->methods[FRZ_SLOT_BOUNDARY].method;
    bool any = scene->chains.count > 0;
    for (int b = 0; b < scene->bodies.count; ++b)
        any =
            any || scene->bodies.items[b].state == FRZ_SCENE_STATIC || scene->bodies.items[b].state == FRZ_SCENE_RIGID;
    if (any && walls != NULL && walls->most_support > 0.0)
        scene->kernel.support = fmin(scene->kernel.support, walls->most_support);
}

// Materials are looked up by name once all are known.
frz_status frz_check_scene(frz_parse *parse, const frz_node *node, void *data)
{
    frz_scene *scene = data;
    const frz_node *bodies = frz_node_find(node, "bodies");
    if (scene->bodies.count == 0 && scene->emitters.count == 0 && scene->chains.count == 0)
        return bodies == NULL ? FRZ_PARSE_FAIL(parse, node->mark, "a scene needs the key 'bodies' (or 'emitters')")
                              : FRZ_PARSE_FAIL(parse, bodies->mark,
                                               "bodies: expected at least one entry, or an emitter, got none");
    if (scene->materials.count > FRZ_MATERIAL_MAX)
        return FRZ_PARSE_FAIL(parse, frz_mark_at(node, "materials"),
                              "materials: expected at most %d, got %d; give bodies of the same stuff one material",
                              (int)FRZ_MATERIAL_MAX, scene->materials.count);
    const frz_node *body = bodies != NULL ? bodies->first : NULL;
    for (int i = 0; i < scene->bodies.count && body != NULL; ++i, body = body->next)
    {
        frz_scene_body *to = &scene->bodies.items[i];
        FRZ_TRY(frz_resolve_material(parse, to->material_name, body, &to->material));
    }
    choose_support(scene);
    FRZ_TRY(frz_check_parts(parse, scene));
    FRZ_TRY(frz_check_sources(parse, node, scene));
    FRZ_TRY(frz_check_joints(parse, node, scene));
    FRZ_TRY(frz_check_heat(parse, scene));
    return frz_check_events(parse, node, scene); // last: parts and links are bodies too
}
