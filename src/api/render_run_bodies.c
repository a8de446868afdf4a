// SPDX-License-Identifier: MIT
// Static and rigid bodies in pictures: triangulated once, placed by their motion, looked into where they hold the
// liquid.
#include "api/render_run_internal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "render/look.h"
#include "render/paint.h"

enum
{
    sweep_stops = 32 // times at which moving bodies are looked at
};

static const double holding_share = 0.5;        // a body around this part of the liquid's box is a container
static const unsigned char default_gray = 0xb4; // sRGB of a body without a colour

/// Part of the box of the liquid that lies inside the bounds.
static double share_inside(frz_bounds liquid, frz_bounds bounds, int dimension)
{
    const double low[3] = {liquid.min.x, liquid.min.y, liquid.min.z};
    const double high[3] = {liquid.max.x, liquid.max.y, liquid.max.z};
    const double from[3] = {bounds.min.x, bounds.min.y, bounds.min.z};
    const double to[3] = {bounds.max.x, bounds.max.y, bounds.max.z};
    double share = 1.0;
    for (int c = 0; c < dimension; ++c)
        share *= fmax(0.0, fmin(high[c], to[c]) - fmax(low[c], from[c])) / (high[c] - low[c]);
    return share;
}

/// Does the body stand around the liquid, so that one must look into it?
static bool is_container(const frz_scene *scene, const frz_scene_body *body, const frz_extent *extent)
{
    const frz_shape_kind kind = frz_shape_kind_of(body->shape);
    const frz_bounds bounds = frz_shape_bounds(body->shape);
    if (!frz_bounds_drawable(bounds, scene->dimension))
        return false; // a ground or a wall without end
    if (kind == FRZ_SHAPE_SHELL || kind == FRZ_SHAPE_DIFFERENCE)
        return true;
    return (frz_bounds_drawable(extent->start, scene->dimension) &&
            share_inside(extent->start, bounds, scene->dimension) > holding_share) ||
           (frz_bounds_drawable(extent->finish, scene->dimension) &&
            share_inside(extent->finish, bounds, scene->dimension) > holding_share);
}

/// A solid body by its shape that is not hidden; bodies of particles are drawn as particles.
static bool is_candidate(const frz_scene_body *body)
{
    return (body->state == FRZ_SCENE_STATIC || body->state == FRZ_SCENE_RIGID) && body->visible != FRZ_SCENE_HIDDEN &&
           !body->filled;
}

/// From inside a solid one sees nothing: a wall without end on the camera's side is left out.
static bool is_left_out(const frz_scene *scene, const frz_scene_body *body, const frz_camera *camera)
{
    return body->visible == FRZ_SCENE_VISIBLE_AUTO && scene->dimension == 3 &&
           !(frz_shape_distance(body->shape, camera->eye) > 0.0);
}

static bool is_camera_placed(const frz_scene *scene)
{
    const frz_scene_camera *camera = &scene->output.camera;
    return camera->has_eye || camera->keyframes.count > 0;
}

static void tell_left_out(const frz_render_def *def, const frz_scene_body *body)
{
    char text[320];
    snprintf(text, sizeof text,
             "the camera is inside the body '%.60s', which is left out of the pictures; move output.camera.eye, or set "
             "bodies.%.60s.visible",
             body->name, body->name);
    if (def->log != NULL)
        def->log(def->log_user, FRZ_LOG_WARNING, text);
}

void frz_drawn_bodies_tell_inside(frz_drawn_bodies *bodies, const frz_render_def *def, const frz_scene *scene,
                                  frz_vec3 eye, double time)
{
    for (int b = 0; b < bodies->count && scene->dimension == 3; ++b)
    {
        frz_drawn_body *drawn = &bodies->bodies[b];
        const frz_scene_body *body = &scene->bodies.items[drawn->body];
        if (drawn->told_inside || bodies->meshes[b].see_through)
            continue;
        frz_vec3 position;
        frz_quat rotation;
        frz_run_pose_at(&drawn->pose, time, &position, &rotation);
        const frz_vec3 at = frz_quat_rotate(frz_quat_conjugate(rotation), frz_v3_sub(eye, position));
        if (!(frz_shape_distance(body->shape, at) < 0.0))
            continue;
        char text[320];
        snprintf(text, sizeof text,
                 "the camera is inside the body '%.60s' at %.4g s, so that nothing else can be seen; move "
                 "output.camera.eye, or set bodies.%.60s.visible to false",
                 body->name, time, body->name);
        drawn->told_inside = true;
        if (def->log != NULL)
            def->log(def->log_user, FRZ_LOG_WARNING, text);
    }
}

/// In 2D only the section z = 0 counts: cut a thin slice out of shapes that end in z, so that nothing stands before it.
static frz_status slice_shape(frz_scene_body *body, const frz_extent *extent, frz_diag *diag)
{
    const frz_bounds bounds = frz_shape_bounds(body->shape);
    if (!isfinite(bounds.min.z) && !isfinite(bounds.max.z))
        return FRZ_OK;
    frz_shape *parts[2] = {body->shape, NULL};
    FRZ_TRY(frz_shape_box(extent->clip.min, extent->clip.max, &parts[1], diag));
    body->shape = NULL;
    return frz_shape_take_combine(FRZ_SHAPE_INTERSECTION, parts, 2, &body->shape, diag);
}

static frz_bounds clipped_bounds(const frz_shape *shape, const frz_extent *extent)
{
    const frz_bounds own = frz_shape_bounds(shape), clip = extent->clip;
    const frz_bounds bounds = {{fmax(own.min.x, clip.min.x), fmax(own.min.y, clip.min.y), fmax(own.min.z, clip.min.z)},
                               {fmin(own.max.x, clip.max.x), fmin(own.max.y, clip.max.y), fmin(own.max.z, clip.max.z)}};
    return bounds;
}

static frz_color body_color(const frz_scene_body *body)
{
    const frz_rgb gray = {true, default_gray, default_gray, default_gray};
    const frz_rgb rgb = body->color.given ? body->color : gray;
    const frz_color color = {frz_srgb_decode((float)rgb.red / 255.0f), frz_srgb_decode((float)rgb.green / 255.0f),
                             frz_srgb_decode((float)rgb.blue / 255.0f)};
    return color;
}

/// Walls in front of the matter that a tank holds are left out. Glass would hide it in pictures without refraction.
static bool is_seen_through(const frz_render_def *def, const frz_scene *scene, const frz_scene_body *body,
                            const frz_look *look, bool container)
{
    const bool dull_glass = look->kind == FRZ_LOOK_CLEAR && !frz_render_follows_paths(def, scene);
    return body->visible == FRZ_SCENE_SEE_THROUGH ||
           (container && (body->visible == FRZ_SCENE_VISIBLE_AUTO || dull_glass));
}

static frz_status add_body(const frz_render_def *def, frz_scene *scene, frz_scene_body *body, const frz_extent *extent,
                           frz_drawn_bodies *out, frz_diag *diag)
{
    frz_drawn_body *drawn = &out->bodies[out->count];
    frz_render_mesh *mesh = &out->meshes[out->count];
    const bool container =
        body->state == FRZ_SCENE_STATIC && scene->dimension == 3 && is_container(scene, body, extent);
    if (scene->dimension < 3)
        FRZ_TRY(slice_shape(body, extent, diag));
    const double cell = frz_triangulation_cell(clipped_bounds(body->shape, extent), scene->spacing);
    FRZ_TRY(frz_shape_triangulate(body->shape, cell, extent->clip, &drawn->mesh, diag));
    drawn->body = (int)(body - scene->bodies.items);
    ++out->count;
    FRZ_TRY(frz_run_pose_create(def->directory, body, &drawn->pose, diag));
    if (body->has_motion || body->state == FRZ_SCENE_RIGID)
    {
        FRZ_TRY(frz_mesh_create(drawn->mesh->vertex_count, drawn->mesh->triangle_count, &drawn->placed, diag));
        drawn->velocities = FRZ_ALLOC("drawn bodies", drawn->mesh->vertex_count + 1, frz_vec3);
        if (drawn->velocities == NULL)
            return frz_fail_memory(diag, "the bodies of a picture");
    }
    if (drawn->placed != NULL && drawn->mesh->triangle_count > 0)
        memcpy(drawn->placed->triangles, drawn->mesh->triangles,
               (size_t)drawn->mesh->triangle_count * sizeof *drawn->mesh->triangles);
    mesh->mesh = drawn->placed != NULL ? drawn->placed : drawn->mesh;
    mesh->color = body_color(body);
    frz_drawn_look(scene, drawn->body, body->material, mesh);
    mesh->see_through = is_seen_through(def, scene, body, mesh->look, container);
    return FRZ_OK;
}

frz_status frz_drawn_bodies_create(const frz_render_def *def, frz_scene *scene, const frz_extent *extent,
                                   const frz_camera *camera, frz_drawn_bodies *out, frz_diag *diag)
{
    *out = (frz_drawn_bodies){0};
    out->bodies = FRZ_ALLOC("drawn bodies", scene->bodies.count, frz_drawn_body);
    out->meshes = FRZ_ALLOC("drawn bodies", scene->bodies.count, frz_render_mesh);
    frz_status status = FRZ_OK;
    if (out->bodies == NULL || out->meshes == NULL)
        status = frz_fail_memory(diag, "the bodies of a picture");
    for (int b = 0; b < scene->bodies.count && status == FRZ_OK; ++b)
    {
        frz_scene_body *body = &scene->bodies.items[b];
        if (is_candidate(body) && !is_left_out(scene, body, camera))
            status = add_body(def, scene, body, extent, out, diag);
        else if (is_candidate(body) && is_camera_placed(scene))
            tell_left_out(def, body);
    }
    if (status != FRZ_OK)
        frz_drawn_bodies_destroy(out);
    return status;
}

void frz_drawn_bodies_destroy(frz_drawn_bodies *bodies)
{
    for (int b = 0; b < bodies->count; ++b)
    {
        frz_mesh_destroy(&bodies->bodies[b].mesh);
        frz_mesh_destroy(&bodies->bodies[b].placed);
        frz_free(bodies->bodies[b].velocities);
        frz_run_pose_destroy(&bodies->bodies[b].pose);
    }
    frz_free(bodies->bodies);
    frz_free(bodies->meshes);
    *bodies = (frz_drawn_bodies){0};
}

/// Velocity of the vertices while the shutter is open.
static void find_velocities(const frz_drawn_body *drawn, double time, double shutter)
{
    frz_vec3 position[2];
    frz_quat rotation[2];
    for (int k = 0; k < 2; ++k)
        frz_run_pose_at(&drawn->pose, time + (k - 0.5) * shutter, &position[k], &rotation[k]);
    for (int v = 0; v < drawn->mesh->vertex_count; ++v)
    {
        frz_vec3 at[2];
        for (int k = 0; k < 2; ++k)
            at[k] = frz_v3_add(position[k], frz_quat_rotate(rotation[k], drawn->mesh->vertices[v]));
        drawn->velocities[v] = frz_v3_scale(1.0 / shutter, frz_v3_sub(at[1], at[0]));
    }
}

void frz_drawn_bodies_place(frz_drawn_bodies *bodies, double time, double shutter)
{
    for (int b = 0; b < bodies->count; ++b)
    {
        const frz_drawn_body *drawn = &bodies->bodies[b];
        if (drawn->placed == NULL)
            continue;
        frz_vec3 position;
        frz_quat rotation;
        frz_run_pose_at(&drawn->pose, time, &position, &rotation);
        for (int v = 0; v < drawn->mesh->vertex_count; ++v)
            drawn->placed->vertices[v] = frz_v3_add(position, frz_quat_rotate(rotation, drawn->mesh->vertices[v]));
        if (shutter > 0.0)
            find_velocities(drawn, time, shutter);
        bodies->meshes[b].velocities = shutter > 0.0 ? drawn->velocities : NULL;
    }
}

/// Join the vertices to bounds, but for those of a body that fell out of the picture.
static void join_vertices(const frz_mesh *mesh, frz_bounds reach, frz_bounds *bounds)
{
    for (int v = 0; mesh != NULL && v < mesh->vertex_count; ++v)
    {
        const frz_vec3 p = mesh->vertices[v];
        const bool near = p.x >= reach.min.x && p.y >= reach.min.y && p.z >= reach.min.z && p.x <= reach.max.x &&
                          p.y <= reach.max.y && p.z <= reach.max.z;
        if (near)
            *bounds = frz_bounds_join(*bounds, (frz_bounds){p, p});
    }
}

void frz_drawn_bodies_sweep(frz_drawn_bodies *bodies, double from, double to, frz_bounds *bounds)
{
    const frz_vec3 size = frz_v3_sub(bounds->max, bounds->min);
    const frz_bounds reach = {frz_v3_sub(bounds->min, size), frz_v3_add(bounds->max, size)};
    for (int b = 0; b < bodies->count; ++b)
        join_vertices(bodies->bodies[b].mesh, reach, bounds);
    for (int k = 0; k <= sweep_stops; ++k)
    {
        frz_drawn_bodies_place(bodies, from + (to - from) * k / sweep_stops, 0.0);
        for (int b = 0; b < bodies->count; ++b)
            join_vertices(bodies->bodies[b].placed, reach, bounds);
    }
}
