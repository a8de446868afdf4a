// SPDX-License-Identifier: MIT
// Pairs of bodies that may touch within the step, by a sweep over their bounds; and the record of a pair, as long as
// its bodies have hardly moved against each other since the last search.
//
// Bodies at rest against each other keep their contacts: the same points, carried along with the bodies. Bodies further
// apart than their margins need no search before they have come that much nearer. Both depend on poses alone, and the
// record belongs to the state that is saved and undone.
#include <stdlib.h>

#include "base/grow.h"
#include "base/memory.h"
#include "geom/shape_internal.h"
#include "rigid/contacts_internal.h"

static const double margin_least = 0.1; ///< contacts are looked for at least this far ahead, in spacings
static const double margin_most = 2.0;  ///< and at most this far: the width of the distance grids

// ---- bounds

/// Bounds of a box turned and moved; without end in all directions if the box has no end in one.
static frz_bounds place_bounds(frz_bounds box, frz_quat rotation, frz_vec3 position)
{
    if (!frz_bounds_is_finite(box, 3))
        return frz_bounds_infinite();
    const frz_mat3 r = frz_m3_from_quat(rotation);
    const frz_vec3 half = frz_v3_scale(0.5, frz_v3_sub(box.max, box.min));
    const frz_vec3 center = frz_v3_add(position, frz_m3_apply(r, frz_v3_scale(0.5, frz_v3_add(box.max, box.min))));
    const frz_vec3 size = {fabs(r.m[0][0]) * half.x + fabs(r.m[0][1]) * half.y + fabs(r.m[0][2]) * half.z,
                           fabs(r.m[1][0]) * half.x + fabs(r.m[1][1]) * half.y + fabs(r.m[1][2]) * half.z,
                           fabs(r.m[2][0]) * half.x + fabs(r.m[2][1]) * half.y + fabs(r.m[2][2]) * half.z};
    const frz_bounds placed = {frz_v3_sub(center, size), frz_v3_add(center, size)};
    return placed;
}

frz_contact_extent frz_contact_extent_of(const frz_contacts *contacts, const frz_rigid_body *body,
                                         const frz_contact_shape *shape, int number, double dt)
{
    const double spacing = contacts->options.spacing;
    frz_bounds box = shape->bounds;
    if (shape->dimension == 2)
    {
        box.min.z = -spacing;
        box.max.z = spacing;
    }
    const bool finite = frz_bounds_is_finite(box, 3);
    double radius = 0.0;
    if (finite)
        radius = frz_v3_length(
            frz_v3(fmax(-box.min.x, box.max.x), fmax(-box.min.y, box.max.y), fmax(-box.min.z, box.max.z)));
    const double turn = dt * frz_v3_length(body->spin);
    const double gain = frz_rigid_body_yields(body) ? contacts->options.acceleration * dt : 0.0;
    frz_contact_extent e = {
        .box = place_bounds(box, frz_contact_shape_axes(shape, body->rotation), frz_rigid_body_frame(body)),
        .drift = frz_v3_scale(dt, body->velocity),
        .sway = 0.5 * margin_least * spacing + radius * turn + gain * dt,
        .stray = 0.5 * margin_least * spacing + gain * dt + 0.5 * radius * turn * turn,
        .radius = finite ? radius : HUGE_VAL,
        .body = number};
    e.reach = fmin(e.sway + frz_v3_length(e.drift), margin_most * spacing);
    e.box = frz_bounds_grow(e.box, e.reach);
    return e;
}

double frz_contact_margin(const frz_contacts *contacts, const frz_contact_extent *a, const frz_contact_extent *b)
{
    // either goes on, or stops at a third body: bodies that fly together approach by the displacement of one of them at
    // most
    const double apart = frz_v3_length(frz_v3_sub(a->drift, b->drift));
    const double way = fmax(apart, fmax(frz_v3_length(a->drift), frz_v3_length(b->drift)));
    return fmin(a->sway + b->sway + way, margin_most * contacts->options.spacing);
}

// ---- sweep

static int compare_extents(const void *a, const void *b)
{
    const frz_contact_extent *p = a, *q = b;
    if (p->box.min.x != q->box.min.x)
        return p->box.min.x < q->box.min.x ? -1 : 1;
    return (p->body > q->body) - (p->body < q->body);
}

typedef struct pair_key
{
    int low, high;
} pair_key;

static int compare_keys(const void *a, const void *b)
{
    const pair_key *p = a, *q = b;
    if (p->low != q->low)
        return p->low < q->low ? -1 : 1;
    return (p->high > q->high) - (p->high < q->high);
}

int frz_contact_pair_compare(const void *a, const void *b)
{
    const frz_contact_pair *p = a, *q = b;
    return compare_keys(&(pair_key){p->low, p->high}, &(pair_key){q->low, q->high});
}

static bool do_overlap(const frz_contact_extent *a, const frz_contact_extent *b)
{
    return a->box.min.y <= b->box.max.y && b->box.min.y <= a->box.max.y && a->box.min.z <= b->box.max.z &&
           b->box.min.z <= a->box.max.z;
}

static frz_status add_pair(frz_contact_pair_list *list, int a, int b, frz_diag *diag)
{
    FRZ_TRY(frz_contact_pairs_reserve(list, list->count + 1, diag));
    list->items[list->count++] = (frz_contact_pair){.low = a < b ? a : b, .high = a < b ? b : a};
    return FRZ_OK;
}

frz_status frz_contact_pairs_reserve(frz_contact_pair_list *list, int count, frz_diag *diag)
{
    frz_contact_pair *items =
        frz_grow("contact pairs", list->items, &list->capacity, count, frz_grow_spare(count), sizeof *items);
    if (items == NULL)
        return frz_fail_memory(diag, "pairs of bodies");
    list->items = items;
    return FRZ_OK;
}

/// Of pairs that are only numbers yet: their numbers are sorted, which are much smaller than they are.
static frz_status sort_pairs(frz_contact_pair_list *list, frz_arena *scratch, frz_diag *diag)
{
    pair_key *keys = FRZ_SCRATCH(scratch, list->count, pair_key);
    if (keys == NULL)
        return frz_fail_memory(diag, "pairs of bodies");
    for (int n = 0; n < list->count; ++n)
        keys[n] = (pair_key){list->items[n].low, list->items[n].high};
    if (list->count > 1)
        qsort(keys, (size_t)list->count, sizeof *keys, compare_keys);
    for (int n = 0; n < list->count; ++n)
        list->items[n] = (frz_contact_pair){.low = keys[n].low, .high = keys[n].high};
    return FRZ_OK;
}

frz_status frz_contact_pairs_find(frz_contacts *contacts, const frz_rigid_body *bodies,
                                  const frz_contact_extent *extents, int count, frz_diag *diag)
{
    frz_contact_pair_list *list = &contacts->pairs;
    list->count = 0;
    frz_contact_extent *sorted = FRZ_SCRATCH(&contacts->scratch, count, frz_contact_extent);
    if (sorted == NULL)
        return frz_fail_memory(diag, "the bounds of bodies");
    int present = 0;
    for (int b = 0; b < count; ++b)
    {
        if (extents[b].body >= 0 && !bodies[b].parked)
            sorted[present++] = extents[b];
    }
    if (present > 1)
        qsort(sorted, (size_t)present, sizeof *sorted, compare_extents);
    for (int i = 0; i < present; ++i)
    {
        for (int j = i + 1; j < present && sorted[j].box.min.x <= sorted[i].box.max.x; ++j)
        {
            const int a = sorted[i].body, b = sorted[j].body;
            if (!do_overlap(&sorted[i], &sorted[j]) ||
                (!frz_rigid_body_yields(&bodies[a]) && !frz_rigid_body_yields(&bodies[b])) ||
                (contacts->joints != NULL && frz_joints_keep_apart(contacts->joints, a, b)))
                continue;
            FRZ_TRY(add_pair(list, a, b, diag));
        }
    }
    return sort_pairs(list, &contacts->scratch, diag);
}

// ---- record of a pair

void frz_contact_pair_pose(frz_contact_pair *pair, const frz_rigid_body *bodies, const frz_contact_extent *extents)
{
    const bool swap = extents[pair->high].radius < extents[pair->low].radius;
    const frz_rigid_body *small = &bodies[swap ? pair->high : pair->low],
                         *large = &bodies[swap ? pair->low : pair->high];
    const frz_mat3 back = frz_m3_transpose(frz_m3_from_quat(large->rotation));
    pair->turn = frz_m3_mul(back, frz_m3_from_quat(small->rotation));
    pair->shift = frz_m3_apply(back, frz_v3_sub(frz_rigid_body_frame(small), frz_rigid_body_frame(large)));
}

bool frz_contact_pair_holds(const frz_contact_pair *before, const frz_contact_pair *now,
                            const frz_contact_extent *extents, double margin)
{
    // a rotation by an angle moves unit vectors by 2 sin(angle/2) at most: the norm of the difference over the root of
    // 2
    const double radius = fmin(extents[now->low].radius, extents[now->high].radius) + margin;
    const double turned = sqrt(0.5) * frz_m3_norm(frz_m3_sub(now->turn, before->turn));
    const double moved = frz_v3_length(frz_v3_sub(now->shift, before->shift)) + turned * radius;
    return moved <= before->slack && moved + margin <= before->margin;
}

void frz_contact_carry(frz_contact *c, const frz_rigid_body *bodies)
{
    const frz_rigid_body *toucher = &bodies[c->key.toucher], *touched = &bodies[c->key.touched];
    const frz_vec3 on_toucher = frz_rigid_body_to_world(toucher, c->anchor[0]);
    const frz_vec3 on_touched = frz_rigid_body_to_world(touched, c->anchor[1]);
    c->normal = frz_quat_rotate(touched->rotation, c->axis);
    c->gap = frz_v3_dot(c->normal, frz_v3_sub(on_toucher, on_touched));
    c->place = frz_v3_scale(0.5, frz_v3_add(on_toucher, on_touched));
}
