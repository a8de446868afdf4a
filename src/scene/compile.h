// SPDX-License-Identifier: MIT
// From a checked scene to a model and the state at time 0.
#pragma once

#include "scene/scene.h"
#include "sim/state.h"

/// Samples the bodies, carves overlaps by priority and looks for probable mistakes. log (may be null) gets warnings.
FRZ_NODISCARD frz_status frz_scene_compile(const frz_scene *scene, frz_log_fn *log, void *log_user, frz_model **model,
                                           frz_state **state, frz_diag *diag);

/// Bounds that contain liquid and walls (m); liquid beyond them counts as lost.
frz_bounds frz_scene_extent(const frz_scene *scene);

/// The model's view of one body: name, role, place and motion (samples are not made).
FRZ_NODISCARD frz_status frz_scene_body_model(const frz_scene_body *from, frz_body *to, frz_diag *diag);
