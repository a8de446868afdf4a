// SPDX-License-Identifier: MIT
// Points of two bodies that are near each other, kept while the bodies move: a walk down the trees is good for many
// steps, and the motion of the bodies since the last test of a point excludes most points.
//
// It has no effect on results: points that it leaves out cannot touch. So it is no part of the saved state.
#pragma once

#include "rigid/contact_shape.h"

/// A point that may come near the other body.
typedef struct frz_contact_near_point
{
    double room; ///< m; slack: distance of the other body beyond the point's reach, plus the pair's travel at that time
    int point;
    int side; ///< 0: of the body with the lower number
} frz_contact_near_point;

typedef struct frz_contact_near_pair
{
    int low, high; ///< bodies
    int first, count;
    double complete; ///< m; all points with less room than this are in the list
    double travel;   ///< m; bound of the motion of any point of one body against the other since the list was made
    frz_vec3 shift;  ///< pose up to which travel is summed, as that of frz_contact_pair
    frz_mat3 turn;
} frz_contact_near_pair;

typedef struct frz_contact_near_list
{
    int pair_count, point_count;
    int64_t pair_capacity, point_capacity;
    frz_contact_near_pair *pairs; ///< sorted by bodies
    frz_contact_near_point *points;
} frz_contact_near_list;

typedef struct frz_contact_near
{
    frz_contact_near_list now, before; ///< of this step, as far as it is done, and of the last one
    int at;                            ///< the first pair of before that has not been passed
} frz_contact_near;

void frz_contact_near_clear(frz_contact_near *near);            ///< forget everything
void frz_contact_near_forget(frz_contact_near *near, int body); ///< everything about a body
void frz_contact_near_destroy(frz_contact_near *near);          ///< the same, with its memory
void frz_contact_near_begin(frz_contact_near *near);            ///< a step, in which pairs come in order
