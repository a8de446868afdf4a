// SPDX-License-Identifier: MIT
// Parts of the reading of single values that others need.
#pragma once

#include "scene/schema.h"

typedef struct frz_axis_angle
{
    frz_mark mark;
    bool has_axis;
    frz_vec3 axis;
    double angle; ///< degrees
} frz_axis_angle;

/// The map form of a rotation.
extern const frz_section frz_section_rotation;

/// Letters, digits, _ and -, not beginning with a digit or -, at most 64.
bool frz_name_is_valid(const char *name);
