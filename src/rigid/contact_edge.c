// SPDX-License-Identifier: MIT
// Edges and corners of a surface that is known by its signed distance alone.
//
// Next to an edge, a little way into each of its faces, the distance tells the tangent plane of that face; where these
// planes meet is the edge. Triangles, from which edges are known at first, only come near to it, and those of a thin
// round wall have edges where there are none.
#include "rigid/contact_shape.h"

static const double steps[] = {0.15, 0.05, 0.02}; ///< how far into the faces, in spacings
static const double same_face = 0.5;              ///< cosine between the normal expected of a face and that found
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

bool frz_contact_edge_is_round(const frz_contact_shape *shape, const frz_contact_point *point)
{
    const double trial = frz_contact_trial * shape->spacing;
    const frz_vec3 along = frz_contact_edge_tangent(point);
    for (int side = -1; side <= 1; side += 2)
    {
        frz_contact_point other = *point;
        other.position = frz_v3_mad(point->position, side * trial, along);
        if (!frz_contact_edge_settle(shape, true, &other))
            return false;
        const frz_vec3 way = frz_v3_sub(other.position, point->position);
        if (frz_v3_length(frz_v3_mad(way, -frz_v3_dot(way, along), along)) < frz_contact_flat_sine * trial)
            return false;
    }
    return true;
}
