// SPDX-License-Identifier: MIT
// What the files of the contact solver share.
#pragma once

#include "rigid/contacts.h"

/// A list that grows and is kept for the next step.
typedef struct frz_contact_list
{
    int count, capacity;
    frz_contact *items;
} frz_contact_list;

struct frz_contacts
{
    frz_contact_options options;
    frz_contact_list list;     ///< of this step, in the order of frz_contact_key_compare
    frz_contact_list previous; ///< of the last one: warm starts
    double previous_dt;        ///< s; 0 if nothing was solved yet
    frz_contact_stats stats;
    frz_joints *joints; ///< owned; null: none
    frz_arena scratch;
};

FRZ_NODISCARD frz_status frz_contact_list_reserve(frz_contact_list *list, int count, frz_diag *diag);

typedef struct frz_contact_query
{
    const frz_rigid_body *toucher, *touched;
    const frz_contact_shape *toucher_shape, *touched_shape;
    double margin; ///< largest gap that matters, m
} frz_contact_query;

/// The contact of a point with another body, refined to where the surfaces are nearest; false if there is none.
/// Then the gap is the distance of the point's inset from the other body.
bool frz_contact_touch(const frz_contact_query *query, int point, frz_contact *contact);

/// One contact for a pair of bodies whose points are deeper in each other than frz_contact_touch can see; false if they are not.
/// The list has all candidates of the pair, those that missed with key.point from frz_contact_miss.
/// It is known by a point one beyond the toucher's last.
bool frz_contact_find_deep(const frz_contacts *contacts, const frz_contact *list, int count,
                           const frz_rigid_body *bodies, const frz_contact_shape *const *shapes, frz_contact *out);

/// Candidates that touch nothing keep their point as a negative number.
static inline void frz_contact_miss(frz_contact_key *key)
{
    key->point = -1 - key->point;
}

static inline int frz_contact_missed_point(const frz_contact_key *key)
{
    return -1 - key->point;
}

/// Contacts first..end of one pair of bodies: drop those whose constraints follow from the others. Returns the new end.
int frz_contacts_reduce(frz_contact *list, int first, int end, double spacing, frz_arena *scratch);

/// By pair of bodies, then by who touches, then by point.
int frz_contact_key_compare(const frz_contact_key *a, const frz_contact_key *b);

static inline frz_vec3 frz_rigid_body_to_world(const frz_rigid_body *body, frz_vec3 place)
{
    return frz_v3_add(body->position, frz_rigid_body_arm(body, place));
}

static inline frz_vec3 frz_rigid_body_to_local(const frz_rigid_body *body, frz_vec3 place)
{
    const frz_vec3 arm = frz_quat_rotate(frz_quat_conjugate(body->rotation), frz_v3_sub(place, body->position));
    return frz_v3_sub(arm, body->origin);
}
