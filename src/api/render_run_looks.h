// SPDX-License-Identifier: MIT
// Looks of bodies and materials of a scene in pictures.
#pragma once

#include "render/look.h"
#include "scene/scene.h"

/// Set the look of a mesh, and its colour where the scene gives none: of a body of the scene and its material, -1 for
/// none.
void frz_drawn_look(const frz_scene *scene, int body, int material, frz_render_mesh *mesh);

/// The first liquid body of a material, whose look the liquid has; -1: none.
int frz_drawn_liquid_body(const frz_scene *scene, int material);
