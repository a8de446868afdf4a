// SPDX-License-Identifier: MIT
// Bounds that exclude points of a body before exact tests: spheres around its points, and lower bounds of the distance
// to its surface.
#pragma once

#include <stdint.h>

#include "rigid/contact_shape.h"

/// A sphere of a tree in the order of a walk down it, children after their parent.
typedef struct frz_contact_sphere
{
    frz_vec3 center;
    double radius;  ///< around the surroundings of all its points
    int begin, end; ///< its points, if it is a leaf; else none
    int next;       ///< sphere behind all those inside it
} frz_contact_sphere;

/// Data of a point for the first test of a search.
typedef struct frz_contact_spot
{
    frz_vec3 inset;
    double reach; ///< m; a surface further away than this plus the margin has no contact with the point
} frz_contact_spot;

struct frz_contact_tree
{
    int sphere_count;
    frz_contact_sphere *spheres;
    frz_contact_spot *spots; ///< by point
};

/// Lower bounds of the distance to a body, cell by cell.
struct frz_clearance
{
    frz_bounds box;  ///< of the body; its axes
    frz_vec3 origin; ///< of the cells
    double cell;     ///< m
    double per_cell; ///< 1/m
    int cells[3];
    double unit;    ///< m; of the numbers
    int8_t *number; ///< by cell: the distance at its centre is at least this many units
};

/// Sorts the shape's points, so that near points are next to each other.
FRZ_NODISCARD frz_status frz_contact_tree_create(frz_contact_shape *shape, frz_diag *diag);
void frz_contact_tree_destroy(frz_contact_tree **tree);

/// Null for infinite shapes.
FRZ_NODISCARD frz_status frz_clearance_create(frz_contact_shape *shape, frz_diag *diag);
void frz_clearance_destroy(frz_clearance **clearance);

static inline double frz_clearance_beyond(double low, double high, double at)
{
    return at < low ? low - at : at > high ? at - high : 0.0;
}

/// Lower bound of the distance of the body from a position (body axes); 0 or less where that may be inside.
static inline double frz_clearance_at(const frz_clearance *c, frz_vec3 place)
{
    const double x = c->per_cell * (place.x - c->origin.x), y = c->per_cell * (place.y - c->origin.y),
                 z = c->per_cell * (place.z - c->origin.z);
    if (x >= 0.0 && y >= 0.0 && z >= 0.0 && x < c->cells[0] && y < c->cells[1] && z < c->cells[2])
    {
        const int i = (int)x, j = (int)y, k = (int)z;
        const frz_vec3 off = {x - i - 0.5, y - j - 0.5, z - k - 0.5};
        const double known = c->unit * c->number[i + c->cells[0] * (j + c->cells[1] * k)];
        return known - c->cell * sqrt(frz_v3_dot(off, off));
    }
    const frz_vec3 away = {frz_clearance_beyond(c->box.min.x, c->box.max.x, place.x),
                           frz_clearance_beyond(c->box.min.y, c->box.max.y, place.y),
                           frz_clearance_beyond(c->box.min.z, c->box.max.z, place.z)};
    return sqrt(frz_v3_dot(away, away));
}
