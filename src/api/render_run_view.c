// SPDX-License-Identifier: MIT
// The view of a run's pictures: what space matters, and the camera that shows it.
#include "api/render_run_internal.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"

enum
{
    bounds_samples = 200000 // particles looked at in a frame
};

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

frz_status frz_extent_find(const frz_render_def *def, const frz_scene *scene, const frz_frame_plan *plan,
                           frz_extent *out, frz_diag *diag)
{
    const double radius = 0.5 * scene->spacing;
    const int dimension = scene->dimension, half = frz_frame_plan_at(plan, plan->count / 2),
              last = frz_frame_plan_at(plan, plan->count - 1);
    frz_extent extent = {0};
    frz_bounds middle;
    FRZ_TRY(liquid_bounds(def->directory, plan->first, radius, &extent.start, diag));
    FRZ_TRY(liquid_bounds(def->directory, half, radius, &middle, diag));
    FRZ_TRY(liquid_bounds(def->directory, last, radius, &extent.finish, diag));
    extent.all = frz_bounds_join(frz_bounds_join(extent.start, middle), extent.finish);
    for (int b = 0; b < scene->bodies.count && def->static_bodies; ++b)
    {
        const frz_scene_body *body = &scene->bodies.items[b];
        const frz_bounds bounds = frz_shape_bounds(body->shape);
        if ((body->state == FRZ_SCENE_STATIC || body->state == FRZ_SCENE_RIGID) && body->visible != FRZ_SCENE_HIDDEN &&
            frz_bounds_drawable(bounds, dimension))
            extent.all = frz_bounds_join(extent.all, bounds);
    }
    if (!frz_bounds_drawable(extent.all, dimension))
        extent.all = (frz_bounds){{-0.5, -0.5, -0.5}, {0.5, 0.5, 0.5}};
    if (dimension < 3)
    {
        extent.all.min.z = -scene->spacing;
        extent.all.max.z = scene->spacing;
    }
    extent.clip = clip_bounds(scene, extent.all);
    *out = extent;
    return FRZ_OK;
}

frz_camera frz_camera_choose(const frz_scene *scene, const frz_extent *extent, double aspect)
{
    const frz_scene_camera *wish = &scene->output.camera;
    const frz_camera automatic = frz_camera_auto(extent->all, scene->dimension, aspect);
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
