// SPDX-License-Identifier: MIT
// Which points of which bodies touch: sweep over bounds, candidates from cells of points, then each by itself.
#include "rigid/contacts_internal.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "geom/shape_internal.h"

static const double margin_least = 0.1; ///< contacts are looked for at least this far ahead, in spacings
static const double margin_most = 2.0;  ///< and at most this far: the width of the distance grids
static const double deep = 0.1;         ///< overlap that is reported, in spacings

static const double surroundings =
    2.0; ///< how far a point looks for surfaces beyond the margin (contact_touch.c), in spacings
static const double half_diagonal = 0.86602540378443864676; ///< of a cube of edge 1

enum
{
    worth_a_look = 4 ///< points of a cell from which one look at the cell saves time
};

typedef struct extent
{
    frz_bounds box; ///< world
    double reach;   ///< how far the body may move within the step
    int body;
} extent;

typedef struct finder
{
    frz_contacts *contacts;
    const frz_rigid_body *bodies;
    const frz_contact_shape *const *shapes;
    int count;
    double dt;
    frz_diag *diag;
} finder;

frz_contact_options frz_contact_options_default(double spacing)
{
    const frz_contact_options options = {
        .spacing = spacing,
        .tolerance =
            1.0e-7, // warm starts make it cheap, and what rests then stays within a ten thousandth of a spacing
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
    if (count <= list->capacity)
        return FRZ_OK;
    const int capacity = count + count / 2 + 64; // with room, so that a settled scene allocates nothing
    frz_contact *items = frz_realloc("contacts", list->items, (size_t)capacity, sizeof *items);
    if (items == NULL)
        return frz_fail_memory(diag, "the contacts between bodies");
    list->items = items;
    list->capacity = capacity;
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

static extent measure(const finder *f, int b)
{
    const frz_rigid_body *body = &f->bodies[b];
    const double spacing = f->contacts->options.spacing;
    frz_bounds box = f->shapes[b]->bounds;
    if (f->shapes[b]->dimension == 2)
    {
        box.min.z = -spacing;
        box.max.z = spacing;
    }
    double radius = 0.0;
    if (frz_bounds_is_finite(box, 3))
        radius = frz_v3_length(
            frz_v3(fmax(-box.min.x, box.max.x), fmax(-box.min.y, box.max.y), fmax(-box.min.z, box.max.z)));
    const double speed = frz_v3_length(body->velocity) + radius * frz_v3_length(body->spin);
    extent e = {place_bounds(box, body->rotation, frz_rigid_body_frame(body)), 0.0, b};
    const double gain = frz_rigid_body_yields(body) ? f->contacts->options.acceleration * f->dt : 0.0;
    e.reach = fmin(0.5 * margin_least * spacing + (speed + gain) * f->dt, margin_most * spacing);
    e.box = frz_bounds_grow(e.box, e.reach);
    return e;
}

static int compare_extents(const void *a, const void *b)
{
    const extent *p = a, *q = b;
    if (p->box.min.x != q->box.min.x)
        return p->box.min.x < q->box.min.x ? -1 : 1;
    return (p->body > q->body) - (p->body < q->body);
}

// ---- candidates

/// Points of a body as a whole: whether the other body may be near enough to any of them.
typedef struct approach
{
    const finder *f;
    const extent *toucher, *touched;
    double limit; ///< m; a point whose surroundings are further away has no contact
} approach;

/// No point of the toucher within a radius of a place (its body axes) can touch: distances are never too large.
static bool is_far(const approach *a, frz_vec3 place, double radius)
{
    const frz_rigid_body *from = &a->f->bodies[a->toucher->body], *to = &a->f->bodies[a->touched->body];
    const frz_vec3 there = frz_rigid_body_to_local(to, frz_rigid_body_to_world(from, place));
    frz_vec3 normal;
    const double limit = a->limit + radius;
    return frz_contact_shape_distance(a->f->shapes[a->touched->body], there, limit, &normal) > limit;
}

static bool is_body_far(const approach *a)
{
    const frz_bounds box = a->f->shapes[a->toucher->body]->bounds;
    if (!frz_bounds_is_finite(box, 3))
        return false;
    return is_far(a, frz_v3_scale(0.5, frz_v3_add(box.min, box.max)),
                  0.5 * frz_v3_length(frz_v3_sub(box.max, box.min)));
}

static bool is_cell_far(const approach *a, const frz_contact_shape *s, int x, int y, int z)
{
    const frz_vec3 middle =
        frz_v3_mad(s->cell_origin, s->cell_size, frz_v3((double)x + 0.5, (double)y + 0.5, (double)z + 0.5));
    return is_far(a, middle, half_diagonal * s->cell_size);
}

/// Points of one body that lie in the bounds of the other.
static frz_status collect_points(finder *f, const extent *toucher, const extent *touched)
{
    const frz_contact_shape *s = f->shapes[toucher->body];
    const frz_rigid_body *body = &f->bodies[toucher->body];
    frz_bounds box = frz_bounds_intersect(toucher->box, touched->box);
    int low[3] = {0, 0, 0}, high[3] = {s->cells[0] - 1, s->cells[1] - 1, s->cells[2] - 1};
    if (frz_bounds_is_finite(box, 3))
    {
        const frz_quat back = frz_quat_conjugate(body->rotation);
        const frz_bounds local =
            place_bounds(box, back, frz_quat_rotate(back, frz_v3_scale(-1.0, frz_rigid_body_frame(body))));
        for (int axis = 0; axis < 3; ++axis)
        {
            const double start = frz_v3_get(s->cell_origin, axis);
            const double from = (frz_v3_get(local.min, axis) - start) / s->cell_size;
            const double to = (frz_v3_get(local.max, axis) - start) / s->cell_size;
            low[axis] = (int)fmin(fmax(from, 0.0), (double)high[axis]);
            high[axis] = (int)fmin(fmax(to, 0.0), (double)high[axis]);
        }
    }
    const double spacing = f->contacts->options.spacing;
    const approach a = {f, toucher, touched,
                        fmin(toucher->reach + touched->reach, margin_most * spacing) + surroundings * spacing};
    if (is_body_far(&a))
        return FRZ_OK;
    frz_contact_list *list = &f->contacts->list;
    for (int z = low[2]; z <= high[2]; ++z)
    {
        for (int y = low[1]; y <= high[1]; ++y)
        {
            const int row = s->cells[0] * (y + s->cells[1] * z);
            for (int x = low[0]; x <= high[0]; ++x)
            {
                const int begin = s->cell_start[row + x], end = s->cell_start[row + x + 1];
                if (begin == end || (end - begin >= worth_a_look && is_cell_far(&a, s, x, y, z)))
                    continue;
                FRZ_TRY(frz_contact_list_reserve(list, list->count + end - begin, f->diag));
                for (int p = begin; p < end; ++p)
                    list->items[list->count++].key = (frz_contact_key){toucher->body, touched->body, p};
            }
        }
    }
    return FRZ_OK;
}

static bool do_overlap(const extent *a, const extent *b)
{
    return a->box.min.y <= b->box.max.y && b->box.min.y <= a->box.max.y && a->box.min.z <= b->box.max.z &&
           b->box.min.z <= a->box.max.z;
}

typedef struct pair
{
    int low, high; ///< bodies
} pair;

static int compare_pairs(const void *a, const void *b)
{
    const pair *p = a, *q = b;
    if (p->low != q->low)
        return p->low < q->low ? -1 : 1;
    return (p->high > q->high) - (p->high < q->high);
}

/// Pairs of bodies with overlapping bounds, of which one can move; sorted. With pairs = null they are only counted.
static int sweep(const finder *f, const extent *sorted, int count, pair *pairs)
{
    int found = 0;
    for (int i = 0; i < count; ++i)
    {
        for (int j = i + 1; j < count && sorted[j].box.min.x <= sorted[i].box.max.x; ++j)
        {
            const int a = sorted[i].body, b = sorted[j].body;
            if (!do_overlap(&sorted[i], &sorted[j]) ||
                (!frz_rigid_body_yields(&f->bodies[a]) && !frz_rigid_body_yields(&f->bodies[b])) ||
                (f->contacts->joints != NULL && frz_joints_keep_apart(f->contacts->joints, a, b)))
                continue;
            if (pairs != NULL)
                pairs[found] = (pair){a < b ? a : b, a < b ? b : a};
            ++found;
        }
    }
    if (pairs != NULL)
        qsort(pairs, (size_t)found, sizeof *pairs, compare_pairs);
    return found;
}

/// Candidates of all pairs, pair after pair. extents is by body.
static frz_status collect_pairs(finder *f, const extent *extents)
{
    frz_arena *scratch = &f->contacts->scratch;
    extent *sorted = FRZ_SCRATCH(scratch, f->count, extent);
    if (sorted == NULL)
        return frz_fail_memory(f->diag, "the bounds of bodies");
    int count = 0;
    for (int b = 0; b < f->count; ++b)
    {
        if (f->shapes[b] != NULL && !f->bodies[b].parked)
            sorted[count++] = extents[b];
    }
    qsort(sorted, (size_t)count, sizeof *sorted, compare_extents);
    const int pair_count = sweep(f, sorted, count, NULL);
    pair *pairs = FRZ_SCRATCH(scratch, pair_count, pair);
    if (pairs == NULL)
        return frz_fail_memory(f->diag, "pairs of bodies");
    (void)sweep(f, sorted, count, pairs);
    f->contacts->list.count = 0;
    for (int n = 0; n < pair_count; ++n)
    {
        FRZ_TRY(collect_points(f, &extents[pairs[n].low], &extents[pairs[n].high]));
        FRZ_TRY(collect_points(f, &extents[pairs[n].high], &extents[pairs[n].low]));
    }
    return FRZ_OK;
}

// ---- contacts

static void touch_all(finder *f, const extent *extents)
{
    frz_contact_list *list = &f->contacts->list;
#pragma omp parallel for schedule(dynamic, 64) if (list->count > FRZ_CONTACT_FEW)
    for (int n = 0; n < list->count; ++n)
    {
        frz_contact *c = &list->items[n];
        const int a = c->key.toucher, b = c->key.touched;
        const frz_contact_query query = {
            &f->bodies[a], &f->bodies[b], f->shapes[a], f->shapes[b],
            fmin(extents[a].reach + extents[b].reach, margin_most * f->contacts->options.spacing)};
        c->impulse = frz_v3(0.0, 0.0, 0.0);
        if (!frz_contact_touch(&query, c->key.point, c))
        {
            frz_contact_miss(&c->key);
            continue;
        }
        const frz_vec3 relative = frz_v3_sub(frz_rigid_body_velocity_at(&f->bodies[a], c->place),
                                             frz_rigid_body_velocity_at(&f->bodies[b], c->place));
        c->approach = frz_v3_dot(relative, c->normal);
    }
}

static bool is_same_pair(const frz_contact_key *a, const frz_contact_key *b)
{
    return (a->toucher == b->toucher && a->touched == b->touched) ||
           (a->toucher == b->touched && a->touched == b->toucher);
}

/// Take the hits of a pair's candidates together at their beginning; returns their end.
static int gather_hits(frz_contact *items, int first, int last)
{
    int end = first;
    for (int n = first; n < last; ++n)
    {
        if (items[n].key.point >= 0)
            items[end++] = items[n];
    }
    return end;
}

/// Take the hits together, and thin them out pair by pair.
static void compact(finder *f)
{
    frz_contacts *contacts = f->contacts;
    frz_contact_list *list = &contacts->list;
    const double spacing = contacts->options.spacing;
    int kept = 0;
    for (int first = 0, last = 0; first < list->count; first = last)
    {
        for (last = first; last < list->count && is_same_pair(&list->items[first].key, &list->items[last].key);)
            ++last;
        frz_contact whole;
        const bool is_deep =
            frz_contact_find_deep(contacts, &list->items[first], last - first, f->bodies, f->shapes, &whole);
        int end = gather_hits(list->items, first, last);
        if (is_deep)
        { // what its points see are chance glimpses; a missed candidate left room for it
            list->items[first] = whole;
            end = first + 1;
        }
        double deepest = 0.0;
        for (int n = first; n < end; ++n)
            deepest = fmin(deepest, list->items[n].gap);
        contacts->stats.overlapping += deepest < -deep * spacing;
        contacts->stats.deepest = fmax(contacts->stats.deepest, -deepest);
        end = frz_contacts_reduce(list->items, first, end, spacing, &contacts->scratch);
        memmove(&list->items[kept], &list->items[first], (size_t)(end - first) * sizeof *list->items);
        kept += end - first;
    }
    list->count = kept;
    contacts->stats.contacts = kept;
}

static void begin_joints(frz_contacts *contacts, const frz_rigid_body *bodies, double dt)
{
    frz_rope *ropes = NULL;
    frz_joints_begin(contacts->joints, bodies, dt, contacts->previous_dt);
    contacts->stats.ropes = frz_joints_ropes(contacts->joints, &ropes);
}

frz_status frz_contacts_find(frz_contacts *contacts, const frz_rigid_body *bodies,
                             const frz_contact_shape *const *shapes, int count, double dt, frz_diag *diag)
{
    finder f = {contacts, bodies, shapes, count, dt, diag};
    const frz_contact_list old = contacts->previous;
    contacts->previous = contacts->list;
    contacts->list = old;
    contacts->stats = (frz_contact_stats){0};
    if (contacts->joints != NULL)
        begin_joints(contacts, bodies, dt);
    const frz_arena_mark mark = frz_arena_here(&contacts->scratch);
    extent *extents = FRZ_SCRATCH(&contacts->scratch, count, extent);
    frz_status status = FRZ_OK;
    if (extents == NULL)
        status = frz_fail_memory(diag, "the bounds of bodies");
    for (int b = 0; b < count && extents != NULL; ++b)
    {
        if (shapes[b] != NULL)
            extents[b] = measure(&f, b);
    }
    if (status == FRZ_OK)
        status = collect_pairs(&f, extents);
    if (status == FRZ_OK)
    {
        touch_all(&f, extents);
        compact(&f);
    }
    else
        contacts->list.count = 0;
    frz_arena_release(&contacts->scratch, mark);
    return status;
}
