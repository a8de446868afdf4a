// SPDX-License-Identifier: MIT
// The view of a run's pictures: what space matters, and the camera that shows it.
#include "api/render_run_internal.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"

enum
{
    bounds_samples = 200000, // particles looked at in a frame
    bounds_frames = 9        // frames looked at, spread over those drawn
};

static const double close_share = 0.4; // of the largest side of the action: ends of static bodies within this are shown
static const double margin_share = 0.05; // the same: what is shown of others

static const double stray_share = 0.005; // of the particles on each side that may be strays
static const double stray_reach = 0.5;   // a stray is farther out than this part of the extent of the others
static const double side_margin = 1.5;   // of the largest side: how far a ground without end reaches beyond the scene
static const double deep_margin = 0.1;   // the same along gravity
static const double degree = 0.017453292519943295; // rad

frz_bounds frz_bounds_none(void)
{
    const frz_bounds bounds = {{HUGE_VAL, HUGE_VAL, HUGE_VAL}, {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL}};
    return bounds;
}

frz_bounds frz_bounds_join(frz_bounds a, frz_bounds b)
{
    const frz_bounds joined = {{fmin(a.min.x, b.min.x), fmin(a.min.y, b.min.y), fmin(a.min.z, b.min.z)},
                               {fmax(a.max.x, b.max.x), fmax(a.max.y, b.max.y), fmax(a.max.z, b.max.z)}};
    return joined;
}

bool frz_bounds_drawable(frz_bounds bounds, int dimension)
{
    const bool flat = bounds.min.x <= bounds.max.x && bounds.min.y <= bounds.max.y && isfinite(bounds.min.x) &&
                      isfinite(bounds.min.y) && isfinite(bounds.max.x) && isfinite(bounds.max.y);
    return flat &&
           (dimension < 3 || (bounds.min.z <= bounds.max.z && isfinite(bounds.min.z) && isfinite(bounds.max.z)));
}

static frz_bounds grow(frz_bounds bounds, double by)
{
    const frz_vec3 step = frz_v3(by, by, by);
    const frz_bounds grown = {frz_v3_sub(bounds.min, step), frz_v3_add(bounds.max, step)};
    return grown;
}

static int compare_floats(const void *a, const void *b)
{
    const float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

/// Where the particles are along an axis, but for a few that flew far away from all others.
static void axis_bounds(const frz_array_desc *position, int axis, float *values, double *min, double *max)
{
    const int64_t stride = position->rows / bounds_samples + 1;
    int count = 0;
    for (int64_t i = 0; i < position->rows; i += stride)
    {
        const float value = (float)frz_array_value(position, i, axis);
        if (isfinite(value))
            values[count++] = value;
    }
    *min = HUGE_VAL;
    *max = -HUGE_VAL;
    if (count == 0)
        return;
    qsort(values, (size_t)count, sizeof *values, compare_floats);
    const int skipped = (int)(stray_share * count);
    const double low = (double)values[skipped], high = (double)values[count - 1 - skipped];
    const double reach = stray_reach * (high - low);
    *min = fmax((double)values[0], low - reach);
    *max = fmin((double)values[count - 1], high + reach);
}

static frz_status liquid_bounds(const char *directory, int index, double radius, frz_bounds *out, frz_diag *diag)
{
    frz_bounds bounds = frz_bounds_none();
    frz_frame_data data;
    FRZ_TRY(frz_frame_read(directory, index, &data, diag));
    float *values = FRZ_ALLOC("bounds", bounds_samples + 1, float);
    if (values != NULL)
    {
        axis_bounds(&data.frame.position, 0, values, &bounds.min.x, &bounds.max.x);
        axis_bounds(&data.frame.position, 1, values, &bounds.min.y, &bounds.max.y);
        axis_bounds(&data.frame.position, 2, values, &bounds.min.z, &bounds.max.z);
    }
    const frz_status status = values != NULL ? FRZ_OK : frz_fail_memory(diag, "the bounds of a frame");
    frz_free(values);
    frz_frame_data_destroy(&data);
    *out = grow(bounds, radius);
    return status;
}

/// Wide across gravity and flat along it: a floor without end looks like one, a wall does not tower.
static frz_bounds clip_bounds(const frz_scene *scene, frz_bounds all)
{
    const frz_vec3 size = frz_v3_sub(all.max, all.min);
    const double largest = fmax(fmax(size.x, size.y), size.z);
    const frz_vec3 g = {fabs(scene->gravity.x), fabs(scene->gravity.y), fabs(scene->gravity.z)};
    const double strongest = fmax(fmax(g.x, g.y), g.z);
    const frz_vec3 margin = {largest * (g.x == strongest && strongest > 0.0 ? deep_margin : side_margin),
                             largest * (g.y == strongest ? deep_margin : side_margin),
                             largest * (g.z == strongest && strongest > 0.0 ? deep_margin : side_margin)};
    frz_bounds clip = {frz_v3_sub(all.min, margin), frz_v3_add(all.max, margin)};
    if (scene->dimension < 3)
    {
        clip.min.z = all.min.z;
        clip.max.z = all.max.z;
    }
    return clip;
}

/// Join to bounds where a rigid body is at a time, unless it went far away.
static void join_rigid(const frz_run_pose *pose, frz_bounds own, double time, frz_bounds reach, frz_bounds *bounds)
{
    frz_vec3 position;
    frz_quat rotation;
    frz_run_pose_at(pose, time, &position, &rotation);
    for (int corner = 0; corner < 8; ++corner)
    {
        const frz_vec3 at = {(corner & 1) != 0 ? own.max.x : own.min.x, (corner & 2) != 0 ? own.max.y : own.min.y,
                             (corner & 4) != 0 ? own.max.z : own.min.z};
        const frz_vec3 p = frz_v3_add(position, frz_quat_rotate(rotation, at));
        if (p.x >= reach.min.x && p.y >= reach.min.y && p.z >= reach.min.z && p.x <= reach.max.x &&
            p.y <= reach.max.y && p.z <= reach.max.z)
            *bounds = frz_bounds_join(*bounds, (frz_bounds){p, p});
    }
}

/// Join the ways of the rigid bodies and the moving walls.
static frz_status join_movers(const frz_render_def *def, const frz_scene *scene, const frz_frame_plan *plan,
                              frz_bounds *action, frz_diag *diag)
{
    const double from = plan->first / scene->frame_rate,
                 to = frz_frame_plan_at(plan, plan->count - 1) / scene->frame_rate;
    frz_bounds reach = *action;
    for (int b = 0; b < scene->bodies.count; ++b)
        if (scene->bodies.items[b].state == FRZ_SCENE_RIGID)
            reach = frz_bounds_join(reach, frz_shape_bounds(scene->bodies.items[b].shape));
    const frz_vec3 size = frz_v3_sub(reach.max, reach.min);
    reach = grow(reach, 2.0 * fmax(fmax(size.x, size.y), size.z));
    for (int b = 0; b < scene->bodies.count; ++b)
    {
        const frz_scene_body *body = &scene->bodies.items[b];
        const frz_bounds own = frz_shape_bounds(body->shape);
        const bool moves =
            (body->state == FRZ_SCENE_RIGID && !body->filled) || (body->state == FRZ_SCENE_STATIC && body->has_motion);
        if (!moves || body->visible == FRZ_SCENE_HIDDEN || !frz_bounds_drawable(own, scene->dimension))
            continue;
        frz_run_pose pose;
        FRZ_TRY(frz_run_pose_create(def->directory, body, &pose, diag));
        for (int k = 0; k < bounds_frames; ++k)
            join_rigid(&pose, own, from + (to - from) * k / (bounds_frames - 1), reach, action);
        frz_run_pose_destroy(&pose);
    }
    return FRZ_OK;
}

/// One end of a static body along an axis: shown if it lies close to the action, else a margin beside the action.
static double close_end(double own, double end, double sign, double size)
{
    const double beyond = sign * (own - end);
    return beyond <= close_share * size ? own : end + sign * margin_share * size;
}

/// The part of a static body to show, as far as it touches the surroundings of the action.
static frz_bounds close_part(frz_bounds own, frz_bounds action)
{
    const frz_vec3 sides = frz_v3_sub(action.max, action.min);
    const double size = fmax(fmax(sides.x, sides.y), sides.z);
    const frz_bounds part = {
        {close_end(own.min.x, action.min.x, -1.0, size), close_end(own.min.y, action.min.y, -1.0, size),
         close_end(own.min.z, action.min.z, -1.0, size)},
        {close_end(own.max.x, action.max.x, 1.0, size), close_end(own.max.y, action.max.y, 1.0, size),
         close_end(own.max.z, action.max.z, 1.0, size)}};
    const bool any = part.min.x <= part.max.x && part.min.y <= part.max.y && part.min.z <= part.max.z;
    return any ? part : frz_bounds_none();
}

frz_status frz_extent_find(const frz_render_def *def, const frz_scene *scene, const frz_frame_plan *plan,
                           frz_extent *out, frz_diag *diag)
{
    const double radius = 0.5 * scene->spacing;
    const int dimension = scene->dimension, frames = plan->count < bounds_frames ? plan->count : (int)bounds_frames;
    frz_extent extent = {.all = frz_bounds_none()};
    for (int k = 0; k < frames; ++k)
    {
        const int index = frz_frame_plan_at(plan, frz_frame_plan_spread(plan, k, frames));
        FRZ_TRY(liquid_bounds(def->directory, index, radius, &extent.finish, diag));
        extent.start = k == 0 ? extent.finish : extent.start;
        extent.all = frz_bounds_join(extent.all, extent.finish);
    }
    frz_bounds action = extent.all;
    FRZ_TRY(join_movers(def, scene, plan, &action, diag));
    extent.action = action;
    for (int b = 0; b < scene->bodies.count && def->static_bodies; ++b)
    {
        const frz_scene_body *body = &scene->bodies.items[b];
        const frz_bounds bounds = frz_shape_bounds(body->shape);
        if ((body->state == FRZ_SCENE_STATIC || body->state == FRZ_SCENE_RIGID) && body->visible != FRZ_SCENE_HIDDEN &&
            frz_bounds_drawable(bounds, dimension))
            extent.all = frz_bounds_join(extent.all, bounds);
        if (body->state == FRZ_SCENE_STATIC && !body->has_motion && body->visible != FRZ_SCENE_HIDDEN &&
            frz_bounds_drawable(bounds, dimension) && frz_bounds_drawable(action, dimension))
            extent.action = frz_bounds_join(extent.action, close_part(bounds, action));
    }
    if (!frz_bounds_drawable(extent.all, dimension))
        extent.all = (frz_bounds){{-0.5, -0.5, -0.5}, {0.5, 0.5, 0.5}};
    if (dimension < 3)
    {
        extent.all.min.z = -scene->spacing;
        extent.all.max.z = scene->spacing;
    }
    if (!frz_bounds_drawable(extent.action, dimension))
        extent.action = extent.all;
    if (dimension < 3)
    {
        extent.action.min.z = extent.all.min.z;
        extent.action.max.z = extent.all.max.z;
    }
    extent.clip = clip_bounds(scene, extent.all);
    *out = extent;
    return FRZ_OK;
}

frz_camera frz_camera_choose(const frz_scene *scene, const frz_extent *extent, double aspect)
{
    const frz_scene_camera *wish = &scene->output.camera;
    const frz_camera automatic = frz_camera_auto(extent->action, scene->dimension, aspect);
    frz_camera camera = automatic;
    camera.up = wish->up;
    if (wish->has_target)
        camera.target = wish->target;
    if (wish->has_height)
    {
        camera.vertical_fov = 0.0;
        camera.ortho_height = wish->height;
    }
    else if (wish->has_fov || (wish->has_eye && scene->dimension == 3))
        camera.vertical_fov = wish->fov * degree;
    if (wish->has_eye)
    {
        camera.eye = wish->eye;
        return camera;
    }
    // the automatic direction; another angle of view needs another distance for the same picture
    double distance = 1.0;
    if (camera.vertical_fov > 0.0 && automatic.vertical_fov > 0.0)
        distance = tan(0.5 * automatic.vertical_fov) / tan(0.5 * camera.vertical_fov);
    else if (camera.vertical_fov > 0.0)
        distance = 0.5 * automatic.ortho_height / tan(0.5 * camera.vertical_fov) /
                   frz_v3_length(frz_v3_sub(automatic.eye, automatic.target));
    camera.eye = frz_v3_mad(camera.target, distance, frz_v3_sub(automatic.eye, automatic.target));
    return camera;
}
