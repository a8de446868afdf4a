// SPDX-License-Identifier: MIT
// The ray through a place of the picture.
#pragma once

#include "render/shade.h"

/// screen_x from 0 at the left to 1 at the right, screen_y from 0 at the top to 1 at the bottom.
static inline frz_ray frz_ray_through(const frz_view *view, float screen_x, float screen_y)
{
    const float right = (2.0f * screen_x - 1.0f) * view->half_width + view->shift_x;
    const float up = (1.0f - 2.0f * screen_y) * view->half_height;
    const frz_vec3f aside = frz_v3f_mad(frz_v3f_scale(right, view->right), up, view->up);
    frz_ray ray = {.origin = view->eye, .direction = view->forward, .screen_height = 1.0f - screen_y};
    if (view->orthographic)
        ray.origin = frz_v3f_add(view->eye, aside);
    else
        ray.direction = frz_v3f_normalize(frz_v3f_add(view->forward, aside));
    return ray;
}
