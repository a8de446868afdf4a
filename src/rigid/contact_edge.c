// SPDX-License-Identifier: MIT
// Edges and corners of a surface that is known by its signed distance alone.
//
// Next to an edge, a little way into each of its faces, the distance tells the tangent plane of that face; where these
// planes meet is the edge. Triangles, from which edges are known at first, only come near to it, and those of a thin
// round wall have edges where there are none.
#include "rigid/contact_shape.h"

static const double steps[] = {0.15, 0.05, 0.02}; ///< how far into the faces, in spacings
static const double same_face = 0.5;              ///< cosine between the normal expected of a face and that found
static const double circle_trial = 0.75;          ///< as far as points slide an edge must be a circle, in spacings
static const double smooth_cosine = 0.866;        ///< cos 30 degrees: planes that meet at less are one round face

enum
{
    step_count = sizeof steps / sizeof steps[0],
    projections = 12 ///< onto all planes in turn; exact after the first for planes at right angles
};

/// From an edge or a corner into its face k.
static frz_vec3 way_into(const frz_contact_point *point, int k)
{
    frz_vec3 sum = {0.0, 0.0, 0.0};
    for (int j = 0; j < point->normal_count; ++j)
    {
        if (j != k)
            sum = frz_v3_sub(sum, point->normal[j]);
    }
    return frz_v3_normalize(frz_v3_mad(sum, -frz_v3_dot(sum, point->normal[k]), point->normal[k]));
}

/// Tangent planes a step into the faces; returns how many of the faces are there.
static int find_planes(const frz_contact_shape *shape, double step, bool last, frz_contact_point *point, double *offset)
{
    int kept = 0;
    const frz_contact_point from = *point;
    for (int k = 0; k < from.normal_count; ++k)
    {
        frz_vec3 normal;
        const frz_vec3 place = frz_v3_mad(from.position, step, way_into(&from, k));
        const double distance = frz_contact_shape_distance(shape, place, HUGE_VAL, &normal);
        const bool found = frz_v3_dot(normal, from.normal[k]) > same_face && fabs(distance) < step;
        if (!found && last)
            continue;
        bool is_new = true; // else one round face
        for (int j = 0; j < kept && found; ++j)
            is_new = is_new && frz_v3_dot(normal, point->normal[j]) < smooth_cosine;
        point->normal[kept] = found ? normal : from.normal[k];
        offset[kept] = found ? frz_v3_dot(normal, place) - distance : frz_v3_dot(from.normal[k], from.position);
        kept += is_new;
    }
    return kept;
}

bool frz_contact_edge_settle(const frz_contact_shape *shape, bool near, frz_contact_point *point)
{
    double offset[FRZ_CONTACT_NORMALS];
    if (near)
    {
        frz_vec3 normal;
        const double distance = frz_contact_shape_distance(shape, point->position, HUGE_VAL, &normal);
        point->position = frz_v3_mad(point->position, -distance, normal);
    }
    for (int n = near ? 1 : 0; n < step_count && point->normal_count > 1; ++n)
    {
        point->normal_count = find_planes(shape, steps[n] * shape->spacing, n + 1 == step_count, point, offset);
        for (int m = 0; m < projections * point->normal_count; ++m)
        {
            const int k = m % point->normal_count;
            const double off = offset[k] - frz_v3_dot(point->normal[k], point->position);
            point->position = frz_v3_mad(point->position, off, point->normal[k]);
        }
    }
    return point->normal_count > 1;
}

frz_vec3 frz_contact_edge_tangent(const frz_contact_point *point)
{
    return frz_v3_normalize(frz_v3_cross(point->normal[0], point->normal[1]));
}

/// A circle's point a way further, and its normals.
static void turn_along(const frz_contact_point *point, double way, frz_contact_point *to)
{
    const double radius = frz_v3_length(point->center), angle = way / radius, c = cos(angle) - 1.0, s = sin(angle);
    const frz_vec3 along = frz_contact_edge_tangent(point), inward = frz_v3_scale(1.0 / radius, point->center);
    *to = *point;
    to->position = frz_v3_mad(frz_v3_mad(point->position, s * radius, along), -c * radius, inward);
    for (int k = 0; k < point->normal_count; ++k)
    {
        const double ahead = frz_v3_dot(point->normal[k], along), in = frz_v3_dot(point->normal[k], inward);
        to->normal[k] = frz_v3_mad(frz_v3_mad(point->normal[k], c * ahead - s * in, along), s * ahead + c * in, inward);
    }
}

static bool settle_beside(const frz_contact_shape *shape, const frz_contact_point *point, double way,
                          frz_contact_point *to)
{
    *to = *point;
    to->position = frz_v3_mad(point->position, way, frz_contact_edge_tangent(point));
    return frz_contact_edge_settle(shape, true, to);
}

bool frz_contact_edge_follow(const frz_contact_shape *shape, const frz_contact_point *point, double way,
                             frz_contact_point *to)
{
    if (frz_v3_dot(point->center, point->center) == 0.0)
        return settle_beside(shape, point, way, to);
    turn_along(point, way, to);
    return true;
}

/// Whether the edge goes through two points as the circle does.
static bool fits_circle(const frz_contact_shape *shape, const frz_contact_point *point, double way)
{
    frz_contact_point there, expected;
    if (!settle_beside(shape, point, way, &there) || there.normal_count != point->normal_count)
        return false;
    const frz_vec3 chord = frz_v3_sub(there.position, point->position);
    const double radius = frz_v3_length(point->center);
    turn_along(point, copysign(2.0 * radius * asin(fmin(0.5 * frz_v3_length(chord) / radius, 1.0)), way), &expected);
    double off = frz_v3_length(frz_v3_sub(there.position, expected.position)) / shape->spacing;
    for (int k = 0; k < there.normal_count; ++k)
        off = fmax(off, frz_v3_length(frz_v3_sub(there.normal[k], expected.normal[k])));
    return off < frz_contact_flat_sine;
}

bool frz_contact_edge_is_round(const frz_contact_shape *shape, frz_contact_point *point)
{
    const double trial = frz_contact_trial * shape->spacing;
    const frz_vec3 along = frz_contact_edge_tangent(point);
    frz_vec3 ways[2];
    point->center = frz_v3(0.0, 0.0, 0.0);
    for (int side = 0; side < 2; ++side)
    {
        frz_contact_point other;
        if (!settle_beside(shape, point, side == 0 ? -trial : trial, &other))
            return false;
        ways[side] = frz_v3_sub(other.position, point->position);
        if (frz_v3_length(frz_v3_mad(ways[side], -frz_v3_dot(ways[side], along), along)) <
            frz_contact_flat_sine * trial)
            return false;
    }
    // chords of a circle of radius r to both sides: the square of their length is r times that of their sum
    const frz_vec3 sum = frz_v3_add(ways[0], ways[1]);
    const double square = 0.5 * (frz_v3_dot(ways[0], ways[0]) + frz_v3_dot(ways[1], ways[1]));
    point->center = frz_v3_scale(square / frz_v3_dot(sum, sum), sum);
    if (!fits_circle(shape, point, -circle_trial * shape->spacing) ||
        !fits_circle(shape, point, circle_trial * shape->spacing))
        point->center = frz_v3(0.0, 0.0, 0.0);
    return true;
}
