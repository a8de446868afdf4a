// SPDX-License-Identifier: MIT
// Arithmetic of colours in linear light.
#pragma once

#include <math.h>

#include "render/raycast.h"

static inline frz_color frz_color_scale(float s, frz_color c)
{
    const frz_color out = {s * c.r, s * c.g, s * c.b};
    return out;
}

static inline frz_color frz_color_mul(frz_color a, frz_color b)
{
    const frz_color out = {a.r * b.r, a.g * b.g, a.b * b.b};
    return out;
}

static inline frz_color frz_color_add(frz_color a, frz_color b)
{
    const frz_color out = {a.r + b.r, a.g + b.g, a.b + b.b};
    return out;
}

static inline float frz_color_peak(frz_color c)
{
    return fmaxf(fmaxf(c.r, c.g), c.b);
}

/// Relative luminance (ITU-R BT.709).
static inline float frz_color_luminance(frz_color c)
{
    return 0.2126f * c.r + 0.7152f * c.g + 0.0722f * c.b;
}
