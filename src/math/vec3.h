// SPDX-License-Identifier: MIT
// Small vectors in double precision, for geometry and rigid motion. Particle fields use base/simd.h instead.
#pragma once

#include <math.h>

#include "base/exact.h"
#include "base/simd.h"

typedef struct frz_vec3
{
    double x, y, z;
} frz_vec3;

static inline frz_vec3 frz_v3(double x, double y, double z)
{
    const frz_vec3 v = {x, y, z};
    return v;
}

static inline frz_vec3 frz_v3_add(frz_vec3 a, frz_vec3 b)
{
    return frz_v3(a.x + b.x, a.y + b.y, a.z + b.z);
}

static inline frz_vec3 frz_v3_sub(frz_vec3 a, frz_vec3 b)
{
    return frz_v3(a.x - b.x, a.y - b.y, a.z - b.z);
}

static inline frz_vec3 frz_v3_scale(double s, frz_vec3 a)
{
    return frz_v3(s * a.x, s * a.y, s * a.z);
}

/// Exact sum of count vectors that lie stride bytes apart.
static inline frz_vec3 frz_v3_exact_sum(const frz_vec3 *first, size_t stride, int count)
{
    return frz_v3(frz_exact_sum(&first->x, stride, count), frz_exact_sum(&first->y, stride, count),
                  frz_exact_sum(&first->z, stride, count));
}

/// a + s b
static inline frz_vec3 frz_v3_mad(frz_vec3 a, double s, frz_vec3 b)
{
    return frz_v3(a.x + s * b.x, a.y + s * b.y, a.z + s * b.z);
}

static inline double frz_v3_dot(frz_vec3 a, frz_vec3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline frz_vec3 frz_v3_cross(frz_vec3 a, frz_vec3 b)
{
    return frz_v3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}

static inline double frz_v3_length(frz_vec3 a)
{
    return sqrt(frz_v3_dot(a, a));
}

/// Unit vector along a; the x axis if a is zero.
static inline frz_vec3 frz_v3_normalize(frz_vec3 a)
{
    const double length = frz_v3_length(a);
    return length > 0.0 ? frz_v3_scale(1.0 / length, a) : frz_v3(1.0, 0.0, 0.0);
}

/// In working precision; the spare lane is zero.
static inline frz_v4 frz_v4_of(frz_vec3 v)
{
    return frz_v4_set((frz_real)v.x, (frz_real)v.y, (frz_real)v.z, 0);
}

/// From a particle field, without the fourth lane.
static inline frz_vec3 frz_v3_of(frz_v4 v)
{
    return frz_v3((double)v[0], (double)v[1], (double)v[2]);
}

static inline double frz_v3_get(frz_vec3 v, int axis)
{
    return axis == 0 ? v.x : axis == 1 ? v.y : v.z;
}

static inline void frz_v3_set(frz_vec3 *v, int axis, double value)
{
    *(axis == 0 ? &v->x : axis == 1 ? &v->y : &v->z) = value;
}
