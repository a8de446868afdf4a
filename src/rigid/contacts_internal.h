// SPDX-License-Identifier: MIT
// Shared by the files of the contact solver.
#pragma once

#include "rigid/contacts.h"
#include "rigid/contacts_near.h"

/// A list that grows and is kept for the next step.
typedef struct frz_contact_list
{
    int count;
    int64_t capacity;
    frz_contact *items;
} frz_contact_list;

typedef struct frz_contact_pair_list
{
    int count;
    int64_t capacity;
    frz_contact_pair *items;
} frz_contact_pair_list;

/// A point that may touch another body, and the result of its test.
typedef struct frz_contact_candidate
{
    frz_contact_key key;
    int near;    ///< among the near points
    double base; ///< m; room of that near point minus the distance of its inset
    double gap;  ///< m; that of the contact if there is one, else the distance of the point's inset from the other body
} frz_contact_candidate;

typedef struct frz_contact_candidate_list
{
    int count;
    int64_t capacity;
    frz_contact_candidate *items;
} frz_contact_candidate_list;

struct frz_contacts
{
    frz_contact_options options;
    frz_contact_list list;                 ///< of this step, in the order of frz_contact_key_compare
    frz_contact_list previous;             ///< of the last one: warm starts
    frz_contact_candidate_list candidates; ///< of this step; during the test a contact has the index of its candidate
    frz_contact_pair_list pairs, previous_pairs; ///< of the same steps, sorted
    frz_contact_near near;                       ///< speeds up the search without any effect on the result
    double previous_dt;                          ///< s; 0 if nothing was solved yet
    frz_contact_stats stats;
    frz_joints *joints; ///< owned; null: none
    frz_arena scratch;
};

/// Swap the lists of this step with those of the last one, which the next step and undo need.
void frz_contacts_change_lists(frz_contacts *contacts);

FRZ_NODISCARD frz_status frz_contact_list_reserve(frz_contact_list *list, int count, frz_diag *diag);
FRZ_NODISCARD frz_status frz_contact_pairs_reserve(frz_contact_pair_list *list, int count, frz_diag *diag);

/// Extent of a body now and within the step.
typedef struct frz_contact_extent
{
    frz_bounds box; ///< world
    double reach;   ///< largest displacement of any point of the body within the step
    frz_vec3 drift; ///< displacement by its present velocity
    double sway;    ///< reach without the drift
    double stray;   ///< largest deviation from the motion by its present velocities
    double radius;  ///< about the frame of its shape; HUGE_VAL: infinite
    int body;       ///< -1: it touches nothing
} frz_contact_extent;

frz_contact_extent frz_contact_extent_of(const frz_contacts *contacts, const frz_rigid_body *body,
                                         const frz_contact_shape *shape, int number, double dt);
/// Largest gap of contacts that the search of two bodies wants, m.
double frz_contact_margin(const frz_contacts *contacts, const frz_contact_extent *a, const frz_contact_extent *b);
/// All pairs of bodies that may touch, at least one of them movable; extents are by body.
FRZ_NODISCARD frz_status frz_contact_pairs_find(frz_contacts *contacts, const frz_rigid_body *bodies,
                                                const frz_contact_extent *extents, int count, frz_diag *diag);
/// By bodies; for qsort.
int frz_contact_pair_compare(const void *a, const void *b);
/// Present relative pose of the bodies of a pair.
void frz_contact_pair_pose(frz_contact_pair *pair, const frz_rigid_body *bodies, const frz_contact_extent *extents);
/// Whether the record of a pair is still valid for its present pose, and for contacts with gaps up to a margin.
bool frz_contact_pair_holds(const frz_contact_pair *before, const frz_contact_pair *now,
                            const frz_contact_extent *extents, double margin);
/// Update position, normal and gap of a contact whose bodies have moved a little since it was found.
void frz_contact_carry(frz_contact *contact, const frz_rigid_body *bodies);

/// A body whose points touch, and one whose surface is touched.
typedef struct frz_contact_query
{
    const frz_rigid_body *toucher, *touched;
    const frz_contact_shape *toucher_shape, *touched_shape;
    double margin; ///< largest gap that matters, m
    bool directed; ///< gaps that cannot close within the step do not count either
    double least;  ///< m; then: gaps up to this always count
    double around; ///< m; the same with the larger motion of the surroundings of a point
    frz_vec3 way[2],
        sweep[2];  ///< displacement and rotation vector of toucher and touched in the step, axes of the toucher's shape
    double limit;  ///< distances beyond it do not matter, m
    frz_mat3 turn; ///< from axes of the toucher's shape to those of the touched one
    frz_vec3 shift; ///< origin of the toucher's shape, in axes of the touched one
} frz_contact_query;

frz_contact_query frz_contact_query_make(const frz_rigid_body *toucher, const frz_contact_shape *toucher_shape,
                                         const frz_rigid_body *touched, const frz_contact_shape *touched_shape,
                                         double margin);

/// A position in the toucher's shape in axes of the touched one.
static inline frz_vec3 frz_contact_query_carry(const frz_contact_query *query, frz_vec3 place)
{
    return frz_v3_add(frz_m3_apply(query->turn, place), query->shift);
}

/// Count only gaps that can close within the step, and gaps up to a least one.
void frz_contact_query_direct(frz_contact_query *query, double least, double dt);

/// The query of a step, a touching b: of bodies that move against each other only gaps that can close within it count.
frz_contact_query frz_contacts_query(const frz_contacts *contacts, const frz_rigid_body *bodies,
                                     const frz_contact_shape *const *shapes, const frz_contact_extent *a,
                                     const frz_contact_extent *b, double dt);

/// Largest gap that counts at a point with this inset.
double frz_contact_query_margin(const frz_contact_query *query, frz_vec3 inset);

/// The contact of a point with another body, refined to where the surfaces are nearest; false if there is none.
/// Then the gap is the distance of the point's inset from the other body.
bool frz_contact_touch(const frz_contact_query *query, int point, frz_contact *contact);

/// Candidates and hits of a pair of bodies.
typedef struct frz_contact_findings
{
    const frz_contact_candidate *candidates; ///< those that missed with key.point from frz_contact_miss
    int candidate_count;
    const frz_contact *hits;
    int hit_count;
} frz_contact_findings;

/// One contact for a pair of bodies that overlap more deeply than frz_contact_touch can resolve; false if they do not.
/// Its point is one beyond the toucher's last.
bool frz_contact_find_deep(const frz_contacts *contacts, const frz_contact_findings *found,
                           const frz_rigid_body *bodies, const frz_contact_shape *const *shapes, frz_contact *out);
/// Whether a hit opposes a motion, which is that of the body with the lower number.
bool frz_contact_opposes(const frz_contact *hit, frz_vec3 way);

/// Values of frz_contact_key.kept.
enum
{
    FRZ_CONTACT_MOVING,  ///< its bodies move against each other by more than frz_contact_still within the step
    FRZ_CONTACT_KEPT,    ///< carried along from an earlier step
    FRZ_CONTACT_RESTING, ///< searched in this step, but its bodies hardly move against each other
};

/// Relative motion of bodies, in spacings, up to which contacts are carried along without a new search: on surfaces
/// whose radius of curvature is a spacing, gaps are then wrong by a hundred thousandth of a spacing, and normals by a
/// quarter of a degree.
extern const double frz_contact_still;

/// Candidates that touch nothing keep their point as a negative number.
static inline void frz_contact_miss(frz_contact_key *key)
{
    key->point = -1 - key->point;
}

static inline int frz_contact_missed_point(const frz_contact_key *key)
{
    return -1 - key->point;
}

/// Near points of a pair for this step: those of the last one if they are still valid, else by walks down the trees.
/// queries have the lower body as toucher, then the higher one; radius is that of the smaller body. Pairs come in
/// order; _keep only keeps the near points of a pair that is not searched.
FRZ_NODISCARD frz_status frz_contact_near_look(frz_contact_near *near, const frz_contact_pair *pair,
                                               const frz_contact_query queries[2], double radius, frz_diag *diag);
FRZ_NODISCARD frz_status frz_contact_near_keep(frz_contact_near *near, const frz_contact_pair *pair, frz_diag *diag);
/// Candidates among the near points of the pair searched last, at most as many as these; returns their number.
int frz_contact_near_collect(frz_contact_near *near, const frz_contact_query queries[2], frz_contact_candidate *to);
/// Store the distance of a candidate that touches nothing: it is skipped for some time.
void frz_contact_near_learn(frz_contact_near *near, const frz_contact_candidate *missed);

/// Contacts first..end of one pair of bodies: drop those whose constraints follow from the others. Returns the new end.
int frz_contacts_reduce(frz_contact *list, int first, int end, double spacing, frz_arena *scratch);

/// At the end of a step: bodies at rest fall asleep. moved: by body, its displacement by corrections, m. Takes scratch
/// memory, which the caller releases.
FRZ_NODISCARD frz_status frz_contacts_sleep(frz_contacts *contacts, frz_rigid_body *bodies, int count,
                                            const double *moved, double dt, frz_diag *diag);

/// Order by pair of bodies, then by toucher, then by point.
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
