// SPDX-License-Identifier: MIT
// Which points of two bodies are near each other, remembered while the bodies move: a walk down the trees tells it for
// many steps, and most points stay ruled out by how far the bodies have moved since each was looked at.
//
// Nothing but time depends on it: points that it leaves out cannot touch. So it is no part of the state that is saved
// or undone.
#pragma once

#include "rigid/contact_shape.h"

/// A point that may come near the other body.
typedef struct frz_contact_near_point
{
    double room; ///< m; the other body is this far beyond the point's reach, once the pair has travelled nothing
    int point;
    int side; ///< 0: of the body with the lower number
} frz_contact_near_point;

typedef struct frz_contact_near_pair
{
    int low, high; ///< bodies
    int first, count;
    double complete; ///< m; points with less room than this, once the pair has travelled nothing, are among them
    double travel;   ///< m; how far any place of one body may have moved against the other since then
    frz_vec3 shift;  ///< pose up to which that is counted, as that of frz_contact_pair
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
    frz_contact_near_list now, before; ///< of this step, as far as it has been made, and of the last one
    int at;                            ///< the first pair of before that may be wanted
} frz_contact_near;

void frz_contact_near_clear(frz_contact_near *near);            ///< forget everything
void frz_contact_near_forget(frz_contact_near *near, int body); ///< everything about a body
void frz_contact_near_destroy(frz_contact_near *near);          ///< the same, with its memory
void frz_contact_near_begin(frz_contact_near *near);            ///< a step, in which pairs come in order
