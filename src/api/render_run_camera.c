// SPDX-License-Identifier: MIT
// A camera that moves: along keyframes, around its target, with a body.
#include "api/render_run_internal.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "scene/suggest.h"

static const double degree = 0.017453292519943295; // rad

enum
{
    most_knots = 3 // numbers that a keyframe interpolates at once
};

/// Cubic curve through the values at knots (Catmull & Rom 1974, slopes by the times of the neighbours), held beyond the
/// ends.
static frz_vec3 curve(const double *times, const frz_vec3 *values, int count, double time)
{
    if (count == 1 || time <= times[0])
        return values[0];
    if (time >= times[count - 1])
        return values[count - 1];
    int k = 0;
    while (times[k + 1] < time)
        ++k;
    const int before = k > 0 ? k - 1 : k, after = k + 2 < count ? k + 2 : k + 1;
    const double length = times[k + 1] - times[k], s = (time - times[k]) / length;
    const frz_vec3 from =
        frz_v3_scale(length / (times[k + 1] - times[before]), frz_v3_sub(values[k + 1], values[before]));
    const frz_vec3 to = frz_v3_scale(length / (times[after] - times[k]), frz_v3_sub(values[after], values[k]));
    const double s2 = s * s, s3 = s2 * s;
    frz_vec3 out = frz_v3_scale(2.0 * s3 - 3.0 * s2 + 1.0, values[k]);
    out = frz_v3_mad(out, s3 - 2.0 * s2 + s, from);
    out = frz_v3_mad(out, 3.0 * s2 - 2.0 * s3, values[k + 1]);
    return frz_v3_mad(out, s3 - s2, to);
}

/// Keyframes that leave a value out keep that of the one before; the first takes the camera's own.
static frz_status set_keyframes(frz_moving_camera *camera, const frz_scene_camera *wish, frz_diag *diag)
{
    const int count = wish->keyframes.count;
    camera->times = FRZ_ALLOC("camera", count, double);
    for (int c = 0; c < most_knots; ++c)
        camera->values[c] = FRZ_ALLOC("camera", count, frz_vec3);
    if (camera->times == NULL || camera->values[0] == NULL || camera->values[1] == NULL || camera->values[2] == NULL)
        return frz_fail_memory(diag, "the path of the camera");
    frz_vec3 eye = camera->start.eye, target = camera->start.target;
    frz_vec3 fov = frz_v3(camera->start.vertical_fov, 0.0, 0.0);
    for (int k = 0; k < count; ++k)
    {
        const frz_scene_camera_keyframe *from = &wish->keyframes.items[k];
        eye = from->has_eye ? from->eye : eye;
        target = from->has_target ? from->target : target;
        fov.x = from->has_fov ? from->fov * degree : fov.x;
        camera->times[k] = from->time;
        camera->values[0][k] = eye;
        camera->values[1][k] = target;
        camera->values[2][k] = fov;
    }
    camera->keyframes = count;
    return FRZ_OK;
}

static int find_body(const frz_scene *scene, const char *name)
{
    for (int b = 0; b < scene->bodies.count; ++b)
        if (strcmp(scene->bodies.items[b].name, name) == 0)
            return b;
    return -1;
}

/// Middle of the particles of a body in a frame; false if there are none.
static bool particle_middle(const frz_frame *frame, int body, frz_vec3 *out)
{
    const frz_array_desc *bodies = frz_frame_field(frame, "body");
    int64_t count = 0;
    frz_vec3 sum = {0.0, 0.0, 0.0};
    for (int64_t i = 0; bodies != NULL && i < frame->count; ++i)
    {
        if (frz_array_value(bodies, i, 0) != (double)body)
            continue;
        sum = frz_v3_add(sum, frz_v3(frz_array_value(&frame->position, i, 0), frz_array_value(&frame->position, i, 1),
                                     frz_array_value(&frame->position, i, 2)));
        ++count;
    }
    *out = count > 0 ? frz_v3_scale(1.0 / (double)count, sum) : sum;
    return count > 0;
}

/// Where the body that is followed is: its pose, or the middle of its particles.
static frz_vec3 followed_place(const frz_moving_camera *camera, const frz_frame *frame)
{
    frz_vec3 place;
    frz_quat rotation;
    if (camera->track.count > 0)
    {
        const frz_body mover = {.motion = camera->track};
        frz_body_pose(&mover, frame->time, &place, &rotation);
        return place;
    }
    return particle_middle(frame, camera->body, &place) ? place : camera->place;
}

static frz_status set_followed(frz_moving_camera *camera, const char *directory, const frz_scene *scene,
                               const frz_frame *first, frz_diag *diag)
{
    const char *name = scene->output.camera.follow;
    camera->body = find_body(scene, name);
    if (camera->body < 0)
    {
        frz_suggestion suggestion = {.word = name};
        char hint[160];
        for (int b = 0; b < scene->bodies.count; ++b)
            frz_suggestion_offer(&suggestion, scene->bodies.items[b].name);
        return frz_fail(diag, FRZ_ERR_ARGUMENT, "there is no body '%.60s' that the camera could follow%s", name,
                        frz_suggestion_text(&suggestion, hint, sizeof hint));
    }
    const frz_scene_body *body = &scene->bodies.items[camera->body];
    if (body->state == FRZ_SCENE_RIGID && !body->filled)
        FRZ_TRY(frz_body_track_read(directory, name, &camera->track, diag));
    camera->place = followed_place(camera, first);
    // an eye without a target looks at the body, which the middle of the scene may leave at the picture's edge
    const frz_scene_camera *wish = &scene->output.camera;
    if (scene->dimension == 3 && wish->has_eye && !wish->has_target && wish->keyframes.count == 0)
        camera->start.target = camera->place;
    return FRZ_OK;
}

frz_status frz_moving_camera_create(const char *directory, const frz_scene *scene, const frz_extent *extent,
                                    const frz_frame_plan *plan, double aspect, frz_moving_camera *out, frz_diag *diag)
{
    const frz_scene_camera *wish = &scene->output.camera;
    *out = (frz_moving_camera){.start = frz_camera_choose(scene, extent, aspect), .body = -1};
    const double last = frz_frame_plan_at(plan, plan->count - 1);
    out->from = plan->first / scene->frame_rate;
    out->to = last / scene->frame_rate;
    out->turn = wish->turntable * degree;
    frz_status status = FRZ_OK;
    if (wish->keyframes.count > 0)
        status = set_keyframes(out, wish, diag);
    frz_frame_data data;
    if (status == FRZ_OK && wish->follow != NULL)
        status = frz_frame_read(directory, plan->first, &data, diag);
    if (status == FRZ_OK && wish->follow != NULL)
    {
        status = set_followed(out, directory, scene, &data.frame, diag);
        frz_frame_data_destroy(&data);
    }
    if (status != FRZ_OK)
        frz_moving_camera_destroy(out);
    return status;
}

void frz_moving_camera_destroy(frz_moving_camera *camera)
{
    frz_free(camera->times);
    for (int c = 0; c < most_knots; ++c)
        frz_free(camera->values[c]);
    frz_free(camera->track.keyframes);
    *camera = (frz_moving_camera){.body = -1};
}

bool frz_moving_camera_moves(const frz_moving_camera *camera)
{
    return camera->keyframes > 0 || camera->body >= 0 || camera->turn != 0.0;
}

frz_camera frz_moving_camera_at(const frz_moving_camera *camera, const frz_frame *frame)
{
    frz_camera view = camera->start;
    if (camera->keyframes > 0)
    {
        view.eye = curve(camera->times, camera->values[0], camera->keyframes, frame->time);
        view.target = curve(camera->times, camera->values[1], camera->keyframes, frame->time);
        view.vertical_fov = curve(camera->times, camera->values[2], camera->keyframes, frame->time).x;
    }
    if (camera->turn != 0.0 && camera->to > camera->from)
    {
        const double angle = camera->turn * (frame->time - camera->from) / (camera->to - camera->from);
        const frz_quat turn = frz_quat_axis_angle(view.up, angle);
        view.eye = frz_v3_add(view.target, frz_quat_rotate(turn, frz_v3_sub(view.eye, view.target)));
    }
    if (camera->body >= 0)
    {
        const frz_vec3 way = frz_v3_sub(followed_place(camera, frame), camera->place);
        view.eye = frz_v3_add(view.eye, way);
        view.target = frz_v3_add(view.target, way);
    }
    return view;
}
