// SPDX-License-Identifier: MIT
// Shared by the files that compile a scene.
#pragma once

#include "geom/sampling.h"
#include "scene/compile.h"

/// The part of the world in which static bodies are sampled: the domain, or the scene's extent with a margin.
frz_bounds frz_compile_clip(const frz_scene *scene, const frz_model *model);

/// Take out samples that lie in a body of higher priority; counts them in the model.
FRZ_NODISCARD frz_status frz_compile_carve(const frz_scene *scene, frz_model *model, frz_point_set *sets,
                                           frz_diag *diag);

/// Say everything that is suspicious.
void frz_compile_warn(const frz_scene *scene, const frz_model *model, const frz_state *state, frz_log_fn *log,
                      void *log_user);
