// SPDX-License-Identifier: MIT
// Unit quaternions (w, x, y, z) for orientation.
#pragma once

#include "math/vec3.h"

typedef struct frz_quat
{
    double w, x, y, z;
} frz_quat;

static inline frz_quat frz_quat_identity(void)
{
    const frz_quat q = {1.0, 0.0, 0.0, 0.0};
    return q;
}

static inline frz_quat frz_quat_mul(frz_quat a, frz_quat b)
{
    const frz_quat q = {a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z, a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
                        a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x, a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w};
    return q;
}

static inline frz_quat frz_quat_conjugate(frz_quat a)
{
    const frz_quat q = {a.w, -a.x, -a.y, -a.z};
    return q;
}

static inline frz_quat frz_quat_normalize(frz_quat a)
{
    const double n = sqrt(a.w * a.w + a.x * a.x + a.y * a.y + a.z * a.z);
    if (n <= 0.0)
        return frz_quat_identity();
    const frz_quat q = {a.w / n, a.x / n, a.y / n, a.z / n};
    return q;
}

/// Rotation by angle (radians) about axis (any length but zero).
static inline frz_quat frz_quat_axis_angle(frz_vec3 axis, double angle)
{
    const frz_vec3 u = frz_v3_normalize(axis);
    const double s = sin(0.5 * angle);
    const frz_quat q = {cos(0.5 * angle), s * u.x, s * u.y, s * u.z};
    return q;
}

static inline frz_vec3 frz_quat_rotate(frz_quat q, frz_vec3 v)
{
    const frz_vec3 u = frz_v3(q.x, q.y, q.z);
    const frz_vec3 t = frz_v3_scale(2.0, frz_v3_cross(u, v));
    return frz_v3_add(frz_v3_mad(v, q.w, t), frz_v3_cross(u, t));
}
