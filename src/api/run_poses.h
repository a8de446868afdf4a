// SPDX-License-Identifier: MIT
// Poses of the static and rigid bodies of a run at a time: from their keyframes, or from the rows of bodies.csv.
#pragma once

#include "scene/scene.h"
#include "sim/model.h"

/// Poses of a rigid body of the run in a directory, one for every frame.
FRZ_NODISCARD frz_status frz_body_track_read(const char *directory, const char *name, frz_motion *out, frz_diag *diag);

/// Motion of one body.
typedef struct frz_run_pose
{
    const frz_scene_body *body;
    frz_motion motion; ///< keyframes of the scene, or poses of a rigid body at the frames; none: at rest
    bool tracked;      ///< poses at the frames; the first is that of the shape
} frz_run_pose;

/// Read the motion of a body. The scene must outlive the pose.
FRZ_NODISCARD frz_status frz_run_pose_create(const char *directory, const frz_scene_body *body, frz_run_pose *out,
                                             frz_diag *diag);
void frz_run_pose_destroy(frz_run_pose *pose);

/// A point x of the shape as the scene places it is at position + rotation x at a time.
void frz_run_pose_at(const frz_run_pose *pose, double time, frz_vec3 *position, frz_quat *rotation);
