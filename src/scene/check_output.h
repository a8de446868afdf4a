// SPDX-License-Identifier: MIT
// Names in the output section that the tables of fields and colour maps must know.
#pragma once

#include "scene/scene.h"

/// Refuse fields that no particle will have, a colouring by a field that the frames will not hold, and unknown colour
/// maps (maps: their names, ending with null). Needs no particles, so it can run before sampling.
FRZ_NODISCARD frz_status frz_scene_check_output(const frz_scene *scene, const char *const *maps, frz_diag *diag);
