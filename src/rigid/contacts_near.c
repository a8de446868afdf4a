// SPDX-License-Identifier: MIT
// See contacts_near.h. Distances change by no more than the place that is looked at moves in axes of the touched body,
// so that a distance that was found is a bound later on, too.
#include "base/grow.h"
#include "base/memory.h"
#include "rigid/contact_tree.h"
#include "rigid/contacts_internal.h"

static const double skin = 0.5;         ///< how much further than they are needed points are remembered, in spacings
static const double skin_margins = 2.0; ///< and in margins, which are about how far bodies move in a step
/// Places that may touch the smaller body within a step are at most this far beyond its bounds, in spacings: the widest
/// margin and the longest reach, times the root of 3 for intersections, whose distance is the largest of their parts'.
static const double beyond = 6.0;
static const double rounding = 1.0e-6; ///< of sums of ways and distances, in spacings

void frz_contact_near_clear(frz_contact_near *near)
{
    near->now.pair_count = near->now.point_count = 0;
    near->before.pair_count = near->before.point_count = 0;
}

void frz_contact_near_forget(frz_contact_near *near, int body)
{
    frz_contact_near_list *lists[2] = {&near->now, &near->before};
    for (int k = 0; k < 2; ++k)
    {
        for (int n = 0; n < lists[k]->pair_count; ++n)
        {
            frz_contact_near_pair *pair = &lists[k]->pairs[n];
            if (pair->low == body || pair->high == body)
                pair->complete = -HUGE_VAL; // no point is known to be among those that matter
        }
    }
}

static void destroy_list(frz_contact_near_list *list)
{
    frz_free(list->pairs);
    frz_free(list->points);
    *list = (frz_contact_near_list){0};
}

void frz_contact_near_destroy(frz_contact_near *near)
{
    destroy_list(&near->now);
    destroy_list(&near->before);
}

void frz_contact_near_begin(frz_contact_near *near)
{
    const frz_contact_near_list list = near->before;
    near->before = near->now;
    near->now = list;
    near->now.pair_count = near->now.point_count = 0;
    near->at = 0;
}

// A list grows as bodies come nearer: room for the points of a few of them from the start.
enum
{
    few_points = 256
};

static frz_status reserve_points(frz_contact_near_list *list, int count, frz_diag *diag)
{
    if (count <= list->point_capacity)
        return FRZ_OK;
    frz_contact_near_point *points =
        frz_grow("near points", list->points, &list->point_capacity, count, frz_grow_spare(count), sizeof *points);
    if (points == NULL)
        return frz_fail_memory(diag, "the points where bodies may touch");
    list->points = points;
    return FRZ_OK;
}

static frz_status add_pair(frz_contact_near_list *list, const frz_contact_near_pair *pair, frz_diag *diag)
{
    FRZ_TRY(reserve_points(list, few_points, diag));
    frz_contact_near_pair *pairs = frz_grow("near pairs", list->pairs, &list->pair_capacity, list->pair_count + 1,
                                            frz_grow_spare(list->pair_count), sizeof *pairs);
    if (pairs == NULL)
        return frz_fail_memory(diag, "the pairs of bodies that may touch");
    list->pairs = pairs;
    pairs[list->pair_count] = *pair;
    pairs[list->pair_count].first = list->point_count;
    pairs[list->pair_count++].count = 0;
    return FRZ_OK;
}

/// The former list of a pair; null: none.
static const frz_contact_near_pair *find_before(frz_contact_near *near, const frz_contact_pair *pair)
{
    const frz_contact_near_list *old = &near->before;
    for (; near->at < old->pair_count; ++near->at)
    {
        const frz_contact_near_pair *known = &old->pairs[near->at];
        if (known->low > pair->low || (known->low == pair->low && known->high >= pair->high))
            return known->low == pair->low && known->high == pair->high ? known : NULL;
    }
    return NULL;
}

static frz_status take_over(frz_contact_near *near, const frz_contact_near_pair *known, frz_diag *diag)
{
    frz_contact_near_list *list = &near->now;
    FRZ_TRY(add_pair(list, known, diag));
    FRZ_TRY(reserve_points(list, list->point_count + known->count, diag));
    for (int n = 0; n < known->count; ++n)
        list->points[list->point_count + n] = near->before.points[known->first + n];
    list->point_count += known->count;
    list->pairs[list->pair_count - 1].count = known->count;
    return FRZ_OK;
}

frz_status frz_contact_near_keep(frz_contact_near *near, const frz_contact_pair *pair, frz_diag *diag)
{
    const frz_contact_near_pair *known = find_before(near, pair);
    return known != NULL ? take_over(near, known, diag) : FRZ_OK;
}

// ---- the walk

/// How far the touched body is at least from a place of the toucher; negative inside, where that may be less.
static double room_at(const frz_contact_query *query, frz_vec3 place)
{
    return frz_contact_shape_room(query->touched_shape, frz_contact_query_carry(query, place));
}

/// Points of one body that have no more than some room; least gets the least room of those that have more.
static frz_status walk(frz_contact_near_list *list, const frz_contact_query *query, int side, double most,
                       double *least, frz_diag *diag)
{
    const frz_contact_tree *tree = query->toucher_shape->tree;
    for (int n = 0; n < tree->sphere_count;)
    {
        const frz_contact_sphere *s = &tree->spheres[n];
        const double around = room_at(query, s->center) - s->radius;
        if (around > most)
        {
            *least = around < *least ? around : *least;
            n = s->next;
            continue;
        }
        FRZ_TRY(reserve_points(list, list->point_count + s->end - s->begin, diag));
        for (int p = s->begin; p < s->end; ++p)
        {
            const double room = room_at(query, tree->spots[p].inset) - tree->spots[p].reach;
            if (room <= most)
                list->points[list->point_count++] = (frz_contact_near_point){room, p, side};
            else
                *least = room < *least ? room : *least;
        }
        ++n;
    }
    return FRZ_OK;
}

static frz_status look_anew(frz_contact_near_list *list, const frz_contact_pair *pair,
                            const frz_contact_query queries[2], frz_diag *diag)
{
    const double margin = queries[0].margin;
    const double most = margin + skin * queries[0].touched_shape->spacing + skin_margins * margin;
    double least = HUGE_VAL;
    const frz_contact_near_pair fresh = {
        .low = pair->low, .high = pair->high, .shift = pair->shift, .turn = pair->turn};
    FRZ_TRY(add_pair(list, &fresh, diag));
    for (int side = 0; side < 2; ++side)
        FRZ_TRY(walk(list, &queries[side], side, most, &least, diag));
    frz_contact_near_pair *made = &list->pairs[list->pair_count - 1];
    made->count = list->point_count - made->first;
    made->complete = least;
    return FRZ_OK;
}

/// How far a pair has moved since its ways were counted.
static double way_since(const frz_contact_near_pair *known, const frz_contact_pair *pair, double radius, double spacing)
{
    // as for frz_contact_pair_holds
    const double turned = sqrt(0.5) * frz_m3_norm(frz_m3_sub(pair->turn, known->turn));
    return frz_v3_length(frz_v3_sub(pair->shift, known->shift)) + turned * (radius + beyond * spacing) +
           rounding * spacing;
}

frz_status frz_contact_near_look(frz_contact_near *near, const frz_contact_pair *pair,
                                 const frz_contact_query queries[2], double radius, frz_diag *diag)
{
    frz_contact_near_list *list = &near->now;
    const frz_contact_near_pair *known = find_before(near, pair);
    const double spacing = queries[0].touched_shape->spacing;
    const double travel = known != NULL ? known->travel + way_since(known, pair, radius, spacing) : HUGE_VAL;
    if (!(travel + queries[0].margin < (known != NULL ? known->complete : 0.0)))
        return look_anew(list, pair, queries, diag);
    FRZ_TRY(take_over(near, known, diag));
    frz_contact_near_pair *now = &list->pairs[list->pair_count - 1];
    now->travel = travel;
    now->shift = pair->shift;
    now->turn = pair->turn;
    return FRZ_OK;
}

/// Grids interpolate, and means of particles are no bounds either.
static bool tells_bounds(const frz_contact_shape *shape)
{
    return shape->grid == NULL && shape->particles == NULL;
}

int frz_contact_near_collect(frz_contact_near *near, const frz_contact_query queries[2], frz_contact_candidate *to)
{
    const frz_contact_near_list *list = &near->now;
    const frz_contact_near_pair *pair = &list->pairs[list->pair_count - 1];
    const double most = queries[0].margin + pair->travel;
    int count = 0;
    for (int n = pair->first; n < pair->first + pair->count; ++n)
    {
        frz_contact_near_point *p = &list->points[n];
        if (p->room > most)
            continue;
        const frz_contact_query *query = &queries[p->side];
        const frz_contact_spot *spot = &query->toucher_shape->tree->spots[p->point];
        const double wanted = frz_contact_query_margin(query, spot->inset) + pair->travel;
        if (p->room > wanted)
            continue;
        const double base = pair->travel - spot->reach, room = base + room_at(query, spot->inset);
        p->room = room > p->room ? room : p->room;
        if (p->room > wanted)
            continue;
        const int toucher = p->side == 0 ? pair->low : pair->high, touched = p->side == 0 ? pair->high : pair->low;
        to[count++] = (frz_contact_candidate){.key = {toucher, touched, p->point, FRZ_CONTACT_MOVING},
                                              .near = n,
                                              .base = tells_bounds(query->touched_shape) ? base : -HUGE_VAL};
    }
    return count;
}

void frz_contact_near_learn(frz_contact_near *near, const frz_contact_candidate *missed)
{
    frz_contact_near_point *p = &near->now.points[missed->near];
    const double room = missed->base + missed->gap;
    p->room = room > p->room ? room : p->room;
}
