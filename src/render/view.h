// SPDX-License-Identifier: MIT
// The camera as an orthonormal frame in picture units, for the ray caster.
#pragma once

#include "render/raycast.h"
#include "render/vec3f.h"

/// Everything is traced in units of the distance from eye to target, with the target at the origin: a film of
/// a nanometre and of a galaxy then meet the same rounding errors and the same tolerances.
typedef struct frz_view
{
    frz_vec3 origin; ///< the target, m
    double unit;     ///< m per picture unit
    frz_vec3f eye, right, up, forward;
    float half_width, half_height; ///< of the picture: at distance 1 (perspective), or as such (orthographic)
    float shift_x;                 ///< of the picture's middle to the right of the line of sight, in the same measure
    bool orthographic;
    bool flat;          ///< orthographic along the z axis: a 2D scene, drawn without light and shade
    frz_vec3f world_up; ///< axis closest to the camera's up
} frz_view;

FRZ_NODISCARD frz_status frz_view_create(const frz_camera *camera, double aspect, frz_view *out, frz_diag *diag);

/// Fit the camera's frame into the picture without its rightmost part (a share of the width), which is for a legend.
void frz_view_reserve_right(frz_view *view, float share);
