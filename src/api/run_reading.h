// SPDX-License-Identifier: MIT
// Reading a run: its scene, the selection of frames, values of their fields.
#pragma once

#include "io/frame_file.h"
#include "scene/scene.h"

/// The scene of the run in a folder. Owner: the caller.
FRZ_NODISCARD frz_status frz_run_scene_load(const char *directory, frz_scene **out, frz_diag *diag);

/// The selected frames: first, first + every, ... ; count of them.
typedef struct frz_frame_plan
{
    int first, every, count;
} frz_frame_plan;

/// The frames that a user requests; last < 0: to the end, every < 1: each one.
typedef struct frz_frame_wish
{
    const char *directory;
    int first, last, every;
    frz_log_fn *log; ///< may be null; gets a warning when last lies beyond the end, or a frame is missing
    void *log_user;
} frz_frame_wish;

/// Fails when the run has no such frames.
FRZ_NODISCARD frz_status frz_frame_plan_make(const frz_frame_wish *wish, frz_frame_plan *out, frz_diag *diag);

static inline int frz_frame_plan_at(const frz_frame_plan *plan, int position)
{
    return plan->first + position * plan->every;
}

/// Position in the plan of number `index` of `wanted` frames spread evenly over it.
static inline int frz_frame_plan_spread(const frz_frame_plan *plan, int index, int wanted)
{
    return wanted < 2 ? 0 : (int)((int64_t)index * (plan->count - 1) / (wanted - 1));
}

/// A field of a frame by name, or null.
const frz_array_desc *frz_frame_field(const frz_frame *frame, const char *name);
