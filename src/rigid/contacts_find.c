// SPDX-License-Identifier: MIT
// Which points of which bodies touch: candidates from trees of points, then each by itself.
#include "rigid/contacts_internal.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/memory.h"
#include "rigid/contact_tree.h"

static const double deep = 0.1;      ///< overlap that is reported, in spacings
static const double crushed = 0.5;   ///< overlap from which bodies may be crushed, in spacings
static const double closing = 0.001; ///< way of bodies into each other in a step from which they are, in spacings
static const double ahead =
    0.01; ///< contacts are looked for this much further ahead, so that they can be kept; in spacings

const double frz_contact_still = 0.005;

enum
{
    block_points = 64 ///< candidates that a thread takes at a time
};

typedef struct finder
{
    frz_contacts *contacts;
    const frz_rigid_body *bodies;
    const frz_contact_shape *const *shapes;
    const frz_contact_extent *extents; ///< by body
    double dt;
    frz_diag *diag;
} finder;

frz_contact_options frz_contact_options_default(double spacing)
{
    const frz_contact_options options = {
        .spacing = spacing,
        .tolerance =
            1.0e-7, // warm starts make it cheap, and bodies at rest then stay within a ten thousandth of a spacing
        .max_tolerance = 1.0e-6,
        .max_iterations = 1000,
        .push_speed = 10.0 * spacing, // per second: an overlap of one spacing is gone in a tenth of a second
        .restitution_speed = 0.05,    // m/s: below this a bounce is not seen
    };
    return options;
}

frz_status frz_contacts_create(const frz_contact_options *options, frz_contacts **out, frz_diag *diag)
{
    *out = FRZ_ALLOC("contacts", 1, frz_contacts);
    if (*out == NULL)
        return frz_fail_memory(diag, "the contacts between bodies");
    (*out)->options = *options;
    return FRZ_OK;
}

void frz_contacts_destroy(frz_contacts **contacts)
{
    if (contacts == NULL || *contacts == NULL)
        return;
    frz_free((*contacts)->list.items);
    frz_free((*contacts)->previous.items);
    frz_free((*contacts)->candidates.items);
    frz_contact_near_destroy(&(*contacts)->near);
    frz_free((*contacts)->pairs.items);
    frz_free((*contacts)->previous_pairs.items);
    frz_joints_destroy(&(*contacts)->joints);
    frz_arena_destroy(&(*contacts)->scratch);
    FRZ_FREE(*contacts);
}

frz_contact_stats frz_contacts_stats(const frz_contacts *contacts)
{
    return contacts->stats;
}

int frz_contacts_view(const frz_contacts *contacts, const frz_contact **list)
{
    *list = contacts->list.items;
    return contacts->list.count;
}

frz_status frz_contact_list_reserve(frz_contact_list *list, int count, frz_diag *diag)
{
    frz_contact *items =
        frz_grow("contacts", list->items, &list->capacity, count, frz_grow_spare(count), sizeof *items);
    if (items == NULL)
        return frz_fail_memory(diag, "the contacts between bodies");
    list->items = items;
    return FRZ_OK;
}

int frz_contact_key_compare(const frz_contact_key *a, const frz_contact_key *b)
{
    const int low[2] = {a->toucher < a->touched ? a->toucher : a->touched,
                        b->toucher < b->touched ? b->toucher : b->touched};
    if (low[0] != low[1])
        return low[0] < low[1] ? -1 : 1;
    const int high[2] = {a->toucher + a->touched - low[0], b->toucher + b->touched - low[1]};
    if (high[0] != high[1])
        return high[0] < high[1] ? -1 : 1;
    if (a->toucher != b->toucher)
        return a->toucher < b->toucher ? -1 : 1;
    return (a->point > b->point) - (a->point < b->point);
}

// ---- candidates

/// Whether two bodies move so much against each other that their contacts are of no use in the next step.
static bool is_moving(const frz_contact_extent *a, const frz_contact_extent *b, const frz_rigid_body *bodies, double dt,
                      double spacing)
{
    const frz_rigid_body *first = &bodies[a->body], *second = &bodies[b->body];
    const bool swap = b->radius < a->radius;
    const frz_rigid_body *small = swap ? second : first, *large = swap ? first : second;
    const frz_vec3 passes = frz_v3_sub(small->velocity, frz_rigid_body_velocity_at(large, small->position));
    const double turns = frz_v3_length(frz_v3_sub(small->spin, large->spin));
    return (frz_v3_length(passes) + fmin(a->radius, b->radius) * turns) * dt > frz_contact_still * spacing;
}

frz_contact_query frz_contacts_query(const frz_contacts *contacts, const frz_rigid_body *bodies,
                                     const frz_contact_shape *const *shapes, const frz_contact_extent *a,
                                     const frz_contact_extent *b, double dt)
{
    const double spacing = contacts->options.spacing, beyond = ahead * spacing;
    frz_contact_query query = frz_contact_query_make(&bodies[a->body], shapes[a->body], &bodies[b->body],
                                                     shapes[b->body], frz_contact_margin(contacts, a, b) + beyond);
    if (is_moving(a, b, bodies, dt, spacing))
        frz_contact_query_direct(&query, a->stray + b->stray + beyond, dt);
    return query;
}

static frz_contact_query make_query(const finder *f, int toucher, int touched)
{
    return frz_contacts_query(f->contacts, f->bodies, f->shapes, &f->extents[toucher], &f->extents[touched], f->dt);
}

static frz_status reserve_candidates(frz_contacts *contacts, int count, frz_diag *diag)
{
    frz_contact_candidate_list *list = &contacts->candidates;
    FRZ_TRY(frz_contact_list_reserve(&contacts->list, count, diag));
    frz_contact_candidate *items =
        frz_grow("contact candidates", list->items, &list->capacity, count, frz_grow_spare(count), sizeof *items);
    if (items == NULL)
        return frz_fail_memory(diag, "the contacts between bodies");
    list->items = items;
    return FRZ_OK;
}

/// The contacts of a pair as they were found before.
static frz_status keep_contacts(const finder *f, const frz_contact_pair *before, frz_contact_pair *pair)
{
    frz_contacts *contacts = f->contacts;
    const int first = pair->first;
    FRZ_TRY(frz_contact_near_keep(&contacts->near, pair, f->diag));
    *pair = *before;
    pair->first = first;
    pair->fresh = 0;
    FRZ_TRY(reserve_candidates(contacts, first + before->count, f->diag));
    for (int n = first; n < first + before->count; ++n)
    {
        frz_contact *c = &contacts->list.items[n];
        *c = contacts->previous.items[before->first + n - first];
        c->key.kept = FRZ_CONTACT_KEPT;
        contacts->candidates.items[n].key = c->key;
    }
    contacts->candidates.count += before->count;
    return FRZ_OK;
}

/// Candidates of a pair.
static frz_status look_at(const finder *f, frz_contact_pair *pair)
{
    frz_contacts *contacts = f->contacts;
    const frz_contact_query queries[2] = {make_query(f, pair->low, pair->high), make_query(f, pair->high, pair->low)};
    const double radius = fmin(f->extents[pair->low].radius, f->extents[pair->high].radius);
    pair->fresh = 1;
    FRZ_TRY(frz_contact_near_look(&contacts->near, pair, queries, radius, f->diag));
    const frz_contact_near_list *near = &contacts->near.now;
    FRZ_TRY(reserve_candidates(contacts, pair->first + near->pairs[near->pair_count - 1].count, f->diag));
    pair->count = frz_contact_near_collect(&contacts->near, queries, &contacts->candidates.items[pair->first]);
    contacts->candidates.count += pair->count;
    return FRZ_OK;
}

/// Contacts that are kept and candidates, pair after pair.
static frz_status collect_pairs(const finder *f)
{
    frz_contacts *contacts = f->contacts;
    const frz_contact_pair_list *old = &contacts->previous_pairs;
    contacts->candidates.count = 0;
    frz_contact_near_begin(&contacts->near);
    int at = 0;
    for (int n = 0; n < contacts->pairs.count; ++n)
    {
        frz_contact_pair *pair = &contacts->pairs.items[n];
        pair->first = contacts->candidates.count;
        frz_contact_pair_pose(pair, f->bodies, f->extents);
        while (at < old->count && frz_contact_pair_compare(&old->items[at], pair) < 0)
            ++at;
        const double margin = frz_contact_margin(contacts, &f->extents[pair->low], &f->extents[pair->high]);
        if (at < old->count && frz_contact_pair_compare(&old->items[at], pair) == 0 &&
            frz_contact_pair_holds(&old->items[at], pair, f->extents, margin))
            FRZ_TRY(keep_contacts(f, &old->items[at], pair));
        else
            FRZ_TRY(look_at(f, pair));
    }
    return FRZ_OK;
}

// ---- contacts

static void touch_block(const finder *f, int begin, int end)
{
    const double slow = frz_contact_still * f->contacts->options.spacing;
    frz_contact_query query = {.toucher = NULL};
    for (int n = begin; n < end; ++n)
    {
        frz_contact_candidate *candidate = &f->contacts->candidates.items[n];
        frz_contact *c = &f->contacts->list.items[n];
        const int a = candidate->key.toucher, b = candidate->key.touched;
        if (candidate->key.kept == FRZ_CONTACT_KEPT)
            frz_contact_carry(c, f->bodies);
        else
        {
            if (query.toucher != &f->bodies[a] || query.touched != &f->bodies[b])
                query = make_query(f, a, b);
            const bool touches = frz_contact_touch(&query, candidate->key.point, c);
            candidate->gap = c->gap;
            if (!touches)
            {
                frz_contact_miss(&candidate->key);
                continue;
            }
            c->key = candidate->key;
        }
        c->impulse = frz_v3(0.0, 0.0, 0.0);
        const frz_vec3 relative = frz_v3_sub(frz_rigid_body_velocity_at(&f->bodies[a], c->place),
                                             frz_rigid_body_velocity_at(&f->bodies[b], c->place));
        c->approach = frz_v3_dot(relative, c->normal);
        if (c->key.kept == FRZ_CONTACT_MOVING && frz_v3_length(relative) * f->dt <= slow)
            c->key.kept = FRZ_CONTACT_RESTING;
    }
}

static void touch_all(const finder *f)
{
    const int count = f->contacts->candidates.count, blocks = (count + block_points - 1) / block_points;
#pragma omp parallel for schedule(dynamic, 1) if (count > FRZ_CONTACT_FEW)
    for (int n = 0; n < blocks; ++n)
    {
        const int begin = n * block_points, end = begin + block_points;
        touch_block(f, begin, end < count ? end : count);
    }
}

/// Take the hits of a pair's candidates together at their beginning; returns their end.
static int gather_hits(frz_contacts *contacts, int first, int last)
{
    int end = first;
    for (int n = first; n < last; ++n)
    {
        const frz_contact_candidate *candidate = &contacts->candidates.items[n];
        if (candidate->key.point < 0)
            frz_contact_near_learn(&contacts->near, candidate);
        else if (end++ < n)
            contacts->list.items[end - 1] = contacts->list.items[n];
    }
    return end;
}

/// Of the hits first..end of a pair deep in each other those stay that do not hold it back on its way out: they
/// keep their loads. The contact that drives the pair apart comes to its place by key; returns the end.
static int drive_apart(frz_contact *items, int first, int end, const frz_contact *whole)
{
    int kept = first;
    for (int n = first; n < end; ++n)
    {
        if (!frz_contact_opposes(&items[n], whole->normal))
            items[kept++] = items[n];
    }
    int at = kept++;
    for (; at > first && frz_contact_key_compare(&whole->key, &items[at - 1].key) < 0; --at)
        items[at] = items[at - 1];
    items[at] = *whole;
    return kept;
}

/// Of the candidates of a pair those that touch, thinned out; returns their end.
static int thin_out(const finder *f, frz_contact_pair *pair)
{
    frz_contacts *contacts = f->contacts;
    frz_contact *items = contacts->list.items;
    const double spacing = contacts->options.spacing;
    const int first = pair->first, last = first + pair->count;
    int end = gather_hits(contacts, first, last);
    const frz_contact_findings found = {&contacts->candidates.items[first], pair->count, &items[first], end - first};
    frz_contact whole;
    const bool is_deep = first < last && frz_contact_find_deep(contacts, &found, f->bodies, f->shapes, &whole);
    if (is_deep)
        end = drive_apart(items, first, end, &whole); // a missed candidate left room for it
    const bool moves = is_moving(&f->extents[pair->low], &f->extents[pair->high], f->bodies, f->dt, spacing);
    pair->slack = is_deep || moves ? -1.0 : frz_contact_still * spacing;
    pair->margin = frz_contact_margin(contacts, &f->extents[pair->low], &f->extents[pair->high]) + ahead * spacing;
    pair->points = end - first;
    return frz_contacts_reduce(items, first, end, spacing, &contacts->scratch);
}

/// Whether contacts of a pair took part in the last step, at surfaces that had met.
static bool was_held(const frz_contacts *contacts, const frz_contact_pair *pair)
{
    const frz_contact_pair *before = NULL;
    if (contacts->previous_pairs.count > 0)
        before = bsearch(pair, contacts->previous_pairs.items, (size_t)contacts->previous_pairs.count, sizeof *pair,
                         frz_contact_pair_compare);
    bool held = false;
    for (int k = 0; before != NULL && k < before->count; ++k)
        held = held || contacts->previous.items[before->first + k].gap < 0.0;
    return held;
}

/// Solved contacts leave no body approaching another, unless that is impossible: then the body between is crushed.
static void note_crushed(const finder *f, const frz_contact_pair *pair, const frz_contact *deepest)
{
    frz_contact_stats *stats = &f->contacts->stats;
    const double spacing = f->contacts->options.spacing;
    if (-deepest->gap < fmax(crushed * spacing, stats->crushed_by) || deepest->approach * f->dt > -closing * spacing ||
        !was_held(f->contacts, pair))
        return;
    stats->crushed[0] = pair->low;
    stats->crushed[1] = pair->high;
    stats->crushed_by = -deepest->gap;
}

/// Take the contacts of all pairs together.
static void compact(const finder *f)
{
    frz_contacts *contacts = f->contacts;
    frz_contact *items = contacts->list.items;
    frz_contact_stats *stats = &contacts->stats;
    int kept = 0;
    for (int n = 0; n < contacts->pairs.count; ++n)
    {
        frz_contact_pair *pair = &contacts->pairs.items[n];
        const int first = pair->first, end = pair->fresh ? thin_out(f, pair) : first + pair->count;
        double deepest = 0.0;
        const frz_contact *which = NULL;
        for (int k = first; k < end; ++k)
        {
            if (items[k].gap < deepest)
                which = &items[k];
            deepest = fmin(deepest, items[k].gap);
        }
        if (which != NULL)
            note_crushed(f, pair, which);
        stats->overlapping += deepest < -deep * contacts->options.spacing;
        stats->deepest = fmax(stats->deepest, -deepest);
        stats->points += pair->points;
        stats->pairs_looked_at += pair->fresh;
        if (end > first)
            memmove(&items[kept], &items[first], (size_t)(end - first) * sizeof *items);
        pair->first = kept;
        pair->count = end - first;
        kept += pair->count;
    }
    contacts->list.count = kept;
    stats->contacts = kept;
    stats->pairs = contacts->pairs.count;
}

static void begin_joints(frz_contacts *contacts, const frz_rigid_body *bodies, int count, double dt)
{
    frz_rope *ropes = NULL;
    frz_joints_begin(contacts->joints, bodies, dt, contacts->previous_dt);
    contacts->stats.ropes = frz_joints_ropes(contacts->joints, count, &ropes);
}

static frz_status find_all(frz_contacts *contacts, const frz_rigid_body *bodies, const frz_contact_shape *const *shapes,
                           int count, double dt, frz_diag *diag)
{
    frz_contact_extent *extents = FRZ_SCRATCH(&contacts->scratch, count, frz_contact_extent);
    if (extents == NULL)
        return frz_fail_memory(diag, "the bounds of bodies");
    for (int b = 0; b < count; ++b)
    {
        extents[b].body = -1;
        if (shapes[b] != NULL)
            extents[b] = frz_contact_extent_of(contacts, &bodies[b], shapes[b], b, dt);
    }
    FRZ_TRY(frz_contact_pairs_find(contacts, bodies, extents, count, diag));
    const finder f = {contacts, bodies, shapes, extents, dt, diag};
    FRZ_TRY(collect_pairs(&f));
    touch_all(&f);
    compact(&f);
    return FRZ_OK;
}

frz_status frz_contacts_find(frz_contacts *contacts, const frz_rigid_body *bodies,
                             const frz_contact_shape *const *shapes, int count, double dt, frz_diag *diag)
{
    frz_contacts_change_lists(contacts);
    contacts->stats = (frz_contact_stats){0};
    if (contacts->joints != NULL)
        begin_joints(contacts, bodies, count, dt);
    const frz_arena_mark mark = frz_arena_here(&contacts->scratch);
    const frz_status status = find_all(contacts, bodies, shapes, count, dt, diag);
    frz_arena_release(&contacts->scratch, mark);
    if (status != FRZ_OK)
        contacts->list.count = contacts->pairs.count = 0;
    return status;
}
