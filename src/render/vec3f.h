// SPDX-License-Identifier: MIT
// Single-precision vectors for the ray caster, which works in floats because Embree does.
#pragma once

#include <math.h>

#include "math/vec3.h"

typedef struct frz_vec3f
{
    float x, y, z;
} frz_vec3f;

static inline frz_vec3f frz_v3f(float x, float y, float z)
{
    const frz_vec3f v = {x, y, z};
    return v;
}

static inline frz_vec3f frz_v3f_from(frz_vec3 a)
{
    return frz_v3f((float)a.x, (float)a.y, (float)a.z);
}

static inline frz_vec3f frz_v3f_sub(frz_vec3f a, frz_vec3f b)
{
    return frz_v3f(a.x - b.x, a.y - b.y, a.z - b.z);
}

static inline frz_vec3f frz_v3f_add(frz_vec3f a, frz_vec3f b)
{
    return frz_v3f(a.x + b.x, a.y + b.y, a.z + b.z);
}

static inline frz_vec3f frz_v3f_scale(float s, frz_vec3f a)
{
    return frz_v3f(s * a.x, s * a.y, s * a.z);
}

/// a + s b
static inline frz_vec3f frz_v3f_mad(frz_vec3f a, float s, frz_vec3f b)
{
    return frz_v3f(a.x + s * b.x, a.y + s * b.y, a.z + s * b.z);
}

static inline float frz_v3f_dot(frz_vec3f a, frz_vec3f b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline frz_vec3f frz_v3f_cross(frz_vec3f a, frz_vec3f b)
{
    return frz_v3f(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}

/// Unit vector along a; the y axis if a is zero or not finite.
static inline frz_vec3f frz_v3f_normalize(frz_vec3f a)
{
    const float squared = frz_v3f_dot(a, a);
    return squared > 0.0f && squared < INFINITY ? frz_v3f_scale(1.0f / sqrtf(squared), a) : frz_v3f(0.0f, 1.0f, 0.0f);
}

/// Two unit vectors that make a right-handed frame with the unit vector n.
static inline void frz_v3f_frame(frz_vec3f n, frz_vec3f *tangent, frz_vec3f *bitangent)
{
    // Duff et al. 2017, "Building an orthonormal basis, revisited", listing 3: no branch, no loss near n.z = -1
    const float sign = copysignf(1.0f, n.z);
    const float a = -1.0f / (sign + n.z);
    const float b = n.x * n.y * a;
    *tangent = frz_v3f(1.0f + sign * n.x * n.x * a, sign * b, -sign * n.x);
    *bitangent = frz_v3f(b, sign + n.y * n.y * a, -n.y);
}
