// SPDX-License-Identifier: MIT
// Where bodies were: keyframes of the scene, or rows of bodies.csv, which has one for every frame.
#include "api/run_poses.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "io/file_replace.h"
#include "io/text_file.h"

enum
{
    pose_values = 7 // position and orientation
};

// Numbers after the name, if the line is a row of that body.
static bool read_row(const char *line, const char *name, frz_keyframe *pose)
{
    char *end = NULL;
    (void)strtoll(line, &end, 10);
    if (end == line || *end != ',')
        return false;
    pose->time = strtod(end + 1, &end);
    const size_t length = strlen(name);
    if (*end != ',' || strncmp(end + 1, name, length) != 0 || end[1 + length] != ',')
        return false;
    double value[pose_values];
    end += 1 + length;
    for (int k = 0; k < pose_values; ++k)
    {
        if (*end != ',')
            return false;
        value[k] = strtod(end + 1, &end);
    }
    pose->position = frz_v3(value[0], value[1], value[2]);
    pose->rotation = (frz_quat){value[3], value[4], value[5], value[6]};
    return true;
}

frz_status frz_body_track_read(const char *directory, const char *name, frz_motion *out, frz_diag *diag)
{
    char path[FRZ_PATH_SIZE];
    char *text = NULL;
    size_t length = 0;
    *out = (frz_motion){0};
    FRZ_TRY(frz_path_format(path, diag, "%s/bodies.csv", directory));
    FRZ_TRY(frz_text_read(path, &text, &length, diag));
    frz_keyframe row;
    int rows = 0;
    for (const char *line = text; line != NULL; line = strchr(line, '\n'), line = line != NULL ? line + 1 : NULL)
        rows += read_row(line, name, &row);
    out->keyframes = FRZ_ALLOC("poses of bodies", rows + 1, frz_keyframe);
    if (out->keyframes == NULL)
    {
        frz_free(text);
        return frz_fail_memory(diag, "the poses of bodies");
    }
    for (const char *line = text; line != NULL; line = strchr(line, '\n'), line = line != NULL ? line + 1 : NULL)
        if (read_row(line, name, &out->keyframes[out->count]))
            out->count += 1;
    frz_free(text);
    if (out->count > 0)
        return FRZ_OK;
    FRZ_FREE(out->keyframes);
    return frz_fail(diag, FRZ_ERR_FILE, "%s has no row of the rigid body '%s'", path, name);
}

static frz_status copy_keyframes(const frz_scene_motion *motion, frz_motion *out, frz_diag *diag)
{
    out->keyframes = FRZ_ALLOC("keyframes", motion->keyframes.count + 1, frz_keyframe);
    if (out->keyframes == NULL)
        return frz_fail_memory(diag, "the motion of a body");
    for (int k = 0; k < motion->keyframes.count; ++k)
    {
        const frz_scene_keyframe *from = &motion->keyframes.items[k];
        out->keyframes[k] =
            (frz_keyframe){from->time, from->position, from->rotation.rotation, from->rotation.rotation_vector};
    }
    out->count = motion->keyframes.count;
    out->periodic = motion->periodic;
    out->interpolation =
        motion->interpolation == FRZ_SCENE_SMOOTH ? FRZ_INTERPOLATION_SMOOTH : FRZ_INTERPOLATION_LINEAR;
    return FRZ_OK;
}

frz_status frz_run_pose_create(const char *directory, const frz_scene_body *body, frz_run_pose *out, frz_diag *diag)
{
    *out = (frz_run_pose){.body = body, .tracked = body->state == FRZ_SCENE_RIGID};
    if (out->tracked)
        return frz_body_track_read(directory, body->name, &out->motion, diag);
    return body->has_motion ? copy_keyframes(&body->motion, &out->motion, diag) : FRZ_OK;
}

void frz_run_pose_destroy(frz_run_pose *pose)
{
    frz_free(pose->motion.keyframes);
    *pose = (frz_run_pose){0};
}

void frz_run_pose_at(const frz_run_pose *pose, double time, frz_vec3 *position, frz_quat *rotation)
{
    *position = frz_v3(0.0, 0.0, 0.0);
    *rotation = frz_quat_identity();
    if (pose->motion.count == 0)
        return;
    // the shape is in its pose at time 0: only the motion since then applies
    const frz_vec3 pivot = pose->tracked ? pose->motion.keyframes[0].position : pose->body->position;
    const frz_body mover = {.position = pose->tracked ? frz_v3(0.0, 0.0, 0.0) : pivot, .motion = pose->motion};
    frz_body_pose(&mover, time, position, rotation);
    if (pose->tracked)
        *rotation = frz_quat_mul(*rotation, frz_quat_conjugate(pose->motion.keyframes[0].rotation));
    *position = frz_v3_sub(*position, frz_quat_rotate(*rotation, pivot));
}
