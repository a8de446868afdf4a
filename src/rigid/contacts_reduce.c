// SPDX-License-Identifier: MIT
// Fewer contacts with the same effect: where two plane faces touch, non-penetration at the corners of the common area
// implies it everywhere between them, and forces at the corners can be combined to any pressure in between.
#include "rigid/contacts_internal.h"

#include <stdlib.h>

static const double same_place =
    0.2; ///< contacts nearer to each other than this, with like normals, are one; in spacings
static const double same_cosine = 0.95;          ///< between their normals
static const double like_cosine = 0.9998;        ///< about 1 degree: one plane
static const double like_plane = 0.01;           ///< deviation from the common plane that is neglected, in spacings
static const double straight = 0.01;             ///< corners of the common area flatter than this are none, in spacings
static const double facing_tie = 1.0e-6;         ///< cosines that differ less say nothing
static const double facing_exact = 1.0 - 1.0e-5; ///< from here on surfaces oppose each other: a quarter of a degree
static const double line_share = 1.0e-6;         ///< of second moments: places that lie on a line
static const double gap_tie =
    1.0e-3; ///< gaps that differ less are equal, in spacings: the choice is then the same every step

enum
{
    window = 512 ///< contacts of a pair that are compared with each other; bounds the cost of large patches
};

typedef struct spot
{
    double x, y;
    int index;
} spot;

static frz_vec3 oriented_normal(const frz_contact *c)
{
    return c->key.toucher < c->key.touched ? c->normal : frz_v3_scale(-1.0, c->normal);
}

static int compare_spots(const void *a, const void *b)
{
    const spot *p = a, *q = b;
    if (p->x != q->x)
        return p->x < q->x ? -1 : 1;
    if (p->y != q->y)
        return p->y < q->y ? -1 : 1;
    return (p->index > q->index) - (p->index < q->index);
}

/// Of two contacts at the same place: the one that is nearer to where surfaces touch, then the deeper one, then the
/// first.
static bool is_better(const frz_contact *a, const frz_contact *b, double spacing)
{
    if (fabs(a->facing - b->facing) > facing_tie)
        return a->facing > b->facing;
    if (fabs(a->gap - b->gap) > gap_tie * spacing)
        return a->gap < b->gap;
    return frz_contact_key_compare(&a->key, &b->key) < 0;
}

static void drop_doubles(const frz_contact *list, int first, int end, double spacing, spot *spots, bool *keep)
{
    const int count = end - first;
    for (int n = 0; n < count; ++n)
    {
        spots[n] = (spot){list[first + n].place.x, list[first + n].place.y, first + n};
        keep[n] = true;
    }
    qsort(spots, (size_t)count, sizeof *spots, compare_spots);
    const double near = same_place * spacing;
    for (int n = 0; n < count; ++n)
    {
        const frz_contact *a = &list[spots[n].index];
        for (int m = n + 1; m < count && spots[m].x - spots[n].x < near && keep[spots[n].index - first]; ++m)
        {
            const frz_contact *b = &list[spots[m].index];
            if (!keep[spots[m].index - first] || frz_v3_length(frz_v3_sub(a->place, b->place)) >= near ||
                frz_v3_dot(oriented_normal(a), oriented_normal(b)) < same_cosine)
                continue;
            keep[spots[is_better(a, b, spacing) ? m : n].index - first] = false;
        }
    }
}

/// Whether a contact is at the place where the bodies are nearest, found from the other side of one that is not.
static bool outdoes(const frz_contact *a, const frz_contact *b)
{
    return a->key.toucher == b->key.touched && a->facing > facing_exact && a->facing > b->facing + facing_tie &&
           a->gap <= b->gap && frz_v3_dot(oriented_normal(a), oriented_normal(b)) > same_cosine;
}

/// Points of plane faces see round bodies, edges and corners from the side, too. There the bodies are nearest at other
/// places, which points of the other body have found. Held at this one as well, a body that rolls would be stopped by
/// points ahead of it, because a gap is taken to close at the velocity that it has now.
static void drop_sidelong(const frz_contact *list, int first, int end, bool *keep)
{
    double best = 0.0;
    for (int n = first; n < end; ++n)
        best = fmax(best, list[n].facing);
    for (int n = first; n < end; ++n)
    {
        const bool sidelong = list[n].facing < best - facing_tie;
        for (int m = first; m < end && keep[n - first] && sidelong; ++m)
            keep[n - first] = !keep[m - first] || !outdoes(&list[m], &list[n]);
    }
}

static double turn(const spot *o, const spot *a, const spot *b)
{
    return (a->x - o->x) * (b->y - o->y) - (a->y - o->y) * (b->x - o->x);
}

/// Is a, between o and b, no corner: within tolerance of the line or on its left (the inner side).
static bool is_inner(const spot *o, const spot *a, const spot *b, double tolerance)
{
    const double base = hypot(b->x - o->x, b->y - o->y);
    return turn(o, a, b) <= tolerance * base;
}

/// One side of the convex hull (monotone chain, Andrew 1979) of sorted spots; marks its corners.
static void mark_chain(const spot *spots, int count, int step, double tolerance, spot *stack, bool *keep, int first)
{
    int top = 0;
    for (int k = 0; k < count; ++k)
    {
        const spot *s = &spots[step > 0 ? k : count - 1 - k];
        while (top >= 2 && is_inner(&stack[top - 2], &stack[top - 1], s, tolerance))
            --top;
        stack[top++] = *s;
    }
    for (int k = 0; k < top; ++k)
        keep[stack[k].index - first] = true;
}

/// Keep contacts of a group that are deeper than a plane through its gaps: not both surfaces are plane there, and the
/// corners do not imply them. The plane is that of least squares, along the principal axes of the places.
static void keep_deeper(const frz_contact *list, const spot *spots, int count, int first, double spacing, bool *keep)
{
    double x = 0.0, y = 0.0, gap = 0.0, xx = 0.0, xy = 0.0, yy = 0.0, xg = 0.0, yg = 0.0;
    for (int k = 0; k < count; ++k)
    {
        x += spots[k].x / count;
        y += spots[k].y / count;
        gap += list[spots[k].index].gap / count;
    }
    for (int k = 0; k < count; ++k)
    {
        const double dx = spots[k].x - x, dy = spots[k].y - y, dg = list[spots[k].index].gap - gap;
        xx += dx * dx;
        xy += dx * dy;
        yy += dy * dy;
        xg += dx * dg;
        yg += dy * dg;
    }
    const double angle = 0.5 * atan2(2.0 * xy, xx - yy), c = cos(angle), s = sin(angle);
    const double along = c * c * xx + 2.0 * c * s * xy + s * s * yy, across = xx + yy - along;
    const double slope = along > 0.0 ? (c * xg + s * yg) / along : 0.0;
    const double side = across > line_share * along ? (c * yg - s * xg) / across : 0.0;
    for (int k = 0; k < count; ++k)
    {
        const double dx = spots[k].x - x, dy = spots[k].y - y;
        const double plane = gap + slope * (c * dx + s * dy) + side * (c * dy - s * dx);
        if (list[spots[k].index].gap < plane - frz_contact_flat_sine * spacing)
            keep[spots[k].index - first] = true;
    }
}

/// Keep the corners of the convex hull of a plane group.
static void keep_corners(const frz_contact *list, const int *members, int count, int first, double spacing, spot *spots,
                         bool *keep)
{
    const frz_contact *seed = &list[members[0]];
    const frz_vec3 n = oriented_normal(seed);
    const frz_vec3 side =
        frz_v3_normalize(frz_v3_cross(n, fabs(n.x) < 0.5 ? frz_v3(1.0, 0.0, 0.0) : frz_v3(0.0, 1.0, 0.0)));
    const frz_vec3 other = frz_v3_cross(n, side);
    for (int k = 0; k < count; ++k)
    {
        const frz_vec3 d = frz_v3_sub(list[members[k]].place, seed->place);
        spots[k] = (spot){frz_v3_dot(d, side), frz_v3_dot(d, other), members[k]};
        keep[members[k] - first] = false;
    }
    qsort(spots, (size_t)count, sizeof *spots, compare_spots);
    mark_chain(spots, count, 1, straight * spacing, spots + count, keep, first);
    mark_chain(spots, count, -1, straight * spacing, spots + count, keep, first);
    keep_deeper(list, spots, count, first, spacing, keep);
}

/// Unite contacts in one plane, seed by seed.
static void reduce_planes(const frz_contact *list, int first, int end, double spacing, spot *spots, int *members,
                          bool *grouped, bool *keep)
{
    for (int s = first; s < end; ++s)
    {
        if (grouped[s - first] || !keep[s - first])
            continue;
        const frz_vec3 n = oriented_normal(&list[s]);
        int count = 0;
        const int last = s + window < end ? s + window : end;
        for (int k = s; k < last; ++k)
        {
            if (grouped[k - first] || !keep[k - first] || frz_v3_dot(n, oriented_normal(&list[k])) < like_cosine ||
                fabs(frz_v3_dot(n, frz_v3_sub(list[k].place, list[s].place))) > like_plane * spacing)
                continue;
            grouped[k - first] = true;
            members[count++] = k;
        }
        if (count > 2)
            keep_corners(list, members, count, first, spacing, spots, keep);
    }
}

int frz_contacts_reduce(frz_contact *list, int first, int end, double spacing, frz_arena *scratch)
{
    const int count = end - first;
    if (count < 2)
        return end;
    const frz_arena_mark mark = frz_arena_here(scratch);
    spot *spots = FRZ_SCRATCH(scratch, 2 * count, spot);
    int *members = FRZ_SCRATCH(scratch, count, int);
    bool *keep = FRZ_SCRATCH(scratch, 2 * count, bool);
    int kept = first;
    if (spots == NULL || members == NULL || keep == NULL)
    {
        frz_arena_release(scratch, mark);
        return end; // short of memory: all stay, which is right too
    }
    bool *grouped = keep + count;
    for (int k = 0; k < count; ++k)
        grouped[k] = false;
    drop_doubles(list, first, end, spacing, spots, keep);
    drop_sidelong(list, first, end, keep);
    reduce_planes(list, first, end, spacing, spots, members, grouped, keep);
    for (int k = 0; k < count; ++k)
    {
        if (keep[k])
            list[kept++] = list[first + k];
    }
    frz_arena_release(scratch, mark);
    return kept;
}
