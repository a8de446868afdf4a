// SPDX-License-Identifier: MIT
// Static and rigid bodies of a run as meshes.
#include "api/surface_bodies.h"

#include <math.h>

#include "api/run_reading.h"
#include "api/run_skins.h"
#include "base/memory.h"

static const double margin = 0.5; // of the largest side: how far bodies without end reach beyond the rest

static bool is_finite(frz_bounds b)
{
    return isfinite(b.min.x) && isfinite(b.min.y) && isfinite(b.min.z) && isfinite(b.max.x) && isfinite(b.max.y) &&
           isfinite(b.max.z);
}

static void join(frz_bounds *to, frz_vec3 low, frz_vec3 high)
{
    to->min = frz_v3(fmin(to->min.x, low.x), fmin(to->min.y, low.y), fmin(to->min.z, low.z));
    to->max = frz_v3(fmax(to->max.x, high.x), fmax(to->max.y, high.y), fmax(to->max.z, high.z));
}

/// Where bodies without end are cut.
static frz_bounds clip_of(const frz_scene *scene, const frz_frame *frame)
{
    frz_bounds clip = {{HUGE_VAL, HUGE_VAL, HUGE_VAL}, {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL}};
    for (int64_t i = 0; i < frame->count; ++i)
    {
        const frz_vec3 x = {frz_array_value(&frame->position, i, 0), frz_array_value(&frame->position, i, 1),
                            frz_array_value(&frame->position, i, 2)};
        if (isfinite(x.x) && isfinite(x.y) && isfinite(x.z))
            join(&clip, x, x);
    }
    for (int b = 0; b < scene->bodies.count; ++b)
    {
        const frz_bounds own = frz_shape_bounds(scene->bodies.items[b].shape);
        if (is_finite(own))
            join(&clip, own.min, own.max);
    }
    if (!is_finite(clip))
        clip = (frz_bounds){{-1.0, -1.0, -1.0}, {1.0, 1.0, 1.0}};
    const frz_vec3 size = frz_v3_sub(clip.max, clip.min);
    const double by = margin * fmax(fmax(size.x, size.y), size.z) + scene->spacing;
    join(&clip, frz_v3_sub(clip.min, frz_v3(by, by, by)), frz_v3_add(clip.max, frz_v3(by, by, by)));
    return clip;
}

static frz_status make_body(const frz_scene *scene, const char *directory, const frz_scene_body *body, frz_bounds clip,
                            frz_surface_body *out, frz_diag *diag)
{
    const frz_bounds own = frz_shape_bounds(body->shape);
    const double cell = frz_triangulation_cell(is_finite(own) ? own : clip, scene->spacing);
    out->body = body;
    FRZ_TRY(frz_run_pose_create(directory, body, &out->pose, diag));
    FRZ_TRY(frz_shape_original(body->shape, &out->mesh, &out->texture, diag));
    if (out->mesh == NULL)
        FRZ_TRY(frz_shape_triangulate(body->shape, cell, clip, &out->mesh, diag));
    out->places = FRZ_ALLOC("bodies", out->mesh->vertex_count + 1, frz_vec3);
    out->velocities = FRZ_ALLOC("bodies", out->mesh->vertex_count + 1, frz_vec3);
    return out->places != NULL && out->velocities != NULL ? FRZ_OK : frz_fail_memory(diag, "the mesh of a body");
}

frz_status frz_surface_bodies_create(const frz_scene *scene, const char *directory, const frz_frame *frame,
                                     frz_surface_bodies *out, frz_diag *diag)
{
    *out = (frz_surface_bodies){0};
    if (scene->dimension < 3)
        return FRZ_OK;
    out->items = FRZ_ALLOC("bodies", scene->bodies.count + 1, frz_surface_body);
    frz_status status = out->items == NULL ? frz_fail_memory(diag, "the bodies of a run") : FRZ_OK;
    const frz_bounds clip = clip_of(scene, frame);
    for (int b = 0; b < scene->bodies.count && status == FRZ_OK; ++b)
    {
        const frz_scene_body *body = &scene->bodies.items[b];
        if ((body->state == FRZ_SCENE_STATIC || body->state == FRZ_SCENE_RIGID) && !body->filled)
            status = make_body(scene, directory, body, clip, &out->items[out->count++], diag);
    }
    if (status != FRZ_OK)
        frz_surface_bodies_destroy(out);
    return status;
}

void frz_surface_bodies_destroy(frz_surface_bodies *bodies)
{
    for (int b = 0; b < bodies->count; ++b)
    {
        frz_run_pose_destroy(&bodies->items[b].pose);
        frz_mesh_destroy(&bodies->items[b].mesh);
        frz_free(bodies->items[b].texture);
        frz_free(bodies->items[b].places);
        frz_free(bodies->items[b].velocities);
    }
    frz_free(bodies->items);
    *bodies = (frz_surface_bodies){0};
}

void frz_surface_body_place(frz_surface_body *body, double time, double step)
{
    frz_vec3 position[3];
    frz_quat rotation[3];
    for (int k = 0; k < 3; ++k)
        frz_run_pose_at(&body->pose, time + 0.5 * (k - 1) * step, &position[k], &rotation[k]);
    for (int v = 0; v < body->mesh->vertex_count; ++v)
    {
        frz_vec3 at[3];
        for (int k = 0; k < 3; ++k)
            at[k] = frz_v3_add(position[k], frz_quat_rotate(rotation[k], body->mesh->vertices[v]));
        body->places[v] = at[1];
        body->velocities[v] = frz_v3_scale(1.0 / step, frz_v3_sub(at[2], at[0]));
    }
}
