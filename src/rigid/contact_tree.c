// SPDX-License-Identifier: MIT
// Most points of bodies whose bounds overlap are far from the other surface. A walk down a tree of spheres excludes
// them in large groups, with one table look-up instead of a distance for each. The remaining points are tested exactly.
#include "rigid/contact_tree.h"

#include <stdlib.h>

#include "base/memory.h"
#include "geom/shape_internal.h"

static const double table_cell = 0.5;  ///< in spacings: looks are then wrong by about a quarter of a spacing
static const double table_reach = 2.0; ///< around the body, in spacings; beyond, the distance to its bounds will do
static const double most_fine_cells = 1.0e5; ///< tables with more have cells of at least two of these
static const double most_cells = 1.0e6;
static const double table_unit = 0.125; ///< in cells: the largest number is then 15 cells

enum
{
    leaf_points = 8,
    key_bits = 20 ///< per axis of the curve that points are sorted along
};

// ---- spheres

typedef struct ranked
{
    uint64_t key;
    int point;
} ranked;

static int compare_ranks(const void *a, const void *b)
{
    const ranked *p = a, *q = b;
    if (p->key != q->key)
        return p->key < q->key ? -1 : 1;
    return (p->point > q->point) - (p->point < q->point);
}

/// Bits of the three coordinates in turn (Morton 1966): near places get near numbers.
static uint64_t curve_key(frz_vec3 place, frz_bounds box)
{
    const double steps = (double)(1 << key_bits) - 1.0;
    uint64_t at[3], key = 0;
    for (int axis = 0; axis < 3; ++axis)
    {
        const double low = frz_v3_get(box.min, axis), extent = frz_v3_get(box.max, axis) - low;
        at[axis] = extent > 0.0 ? (uint64_t)(steps * (frz_v3_get(place, axis) - low) / extent) : 0;
    }
    for (int bit = key_bits - 1; bit >= 0; --bit)
        for (int axis = 0; axis < 3; ++axis)
            key = key << 1 | (at[axis] >> bit & 1u);
    return key;
}

static frz_bounds box_of(const frz_contact_point *points, int begin, int end)
{
    frz_bounds box = {points[begin].inset, points[begin].inset};
    for (int n = begin + 1; n < end; ++n)
    {
        const frz_vec3 p = points[n].inset;
        box.min = frz_v3(fmin(box.min.x, p.x), fmin(box.min.y, p.y), fmin(box.min.z, p.z));
        box.max = frz_v3(fmax(box.max.x, p.x), fmax(box.max.y, p.y), fmax(box.max.z, p.z));
    }
    return box;
}

static frz_status sort_points(frz_contact_shape *s, frz_diag *diag)
{
    ranked *ranks = FRZ_ALLOC("contact points", s->point_count, ranked);
    frz_contact_point *sorted = FRZ_ALLOC("contact points", s->point_count, frz_contact_point);
    if (ranks == NULL || sorted == NULL)
    {
        frz_free(ranks);
        frz_free(sorted);
        return frz_fail_memory(diag, "the contact points of a body");
    }
    const frz_bounds box = box_of(s->points, 0, s->point_count);
    for (int n = 0; n < s->point_count; ++n)
        ranks[n] = (ranked){curve_key(s->points[n].inset, box), n};
    qsort(ranks, (size_t)s->point_count, sizeof *ranks, compare_ranks);
    for (int n = 0; n < s->point_count; ++n)
        sorted[n] = s->points[ranks[n].point];
    frz_free(ranks);
    frz_free(s->points);
    s->points = sorted;
    return FRZ_OK;
}

/// The sphere of points begin..end, and those inside it. Halves of the sorted points are near together.
static void grow_tree(frz_contact_tree *tree, const frz_contact_point *points, int begin, int end)
{
    const int number = tree->sphere_count++;
    frz_contact_sphere *s = &tree->spheres[number];
    const frz_bounds box = box_of(points, begin, end);
    *s = (frz_contact_sphere){.center = frz_v3_scale(0.5, frz_v3_add(box.min, box.max))};
    for (int n = begin; n < end; ++n)
        s->radius = fmax(s->radius, frz_v3_length(frz_v3_sub(points[n].inset, s->center)) + tree->spots[n].reach);
    if (end - begin <= leaf_points)
    {
        s->begin = begin;
        s->end = end;
    }
    else
    {
        const int middle = begin + (end - begin) / 2;
        grow_tree(tree, points, begin, middle);
        grow_tree(tree, points, middle, end);
    }
    s->next = tree->sphere_count;
}

/// Surfaces further from the inset than this and the margin do not touch: the gap there and how much less it may be
/// beside the point (frz_contact_touch) go with the cosine and the sine of one angle.
static double reach_of(const frz_contact_shape *shape, const frz_contact_point *point)
{
    const double depth = frz_v3_length(frz_v3_sub(point->position, point->inset));
    const bool alone = point->flat || point->normal_count > 2;
    return alone ? depth : hypot(depth, frz_contact_refine_reach * shape->spacing);
}

frz_status frz_contact_tree_create(frz_contact_shape *shape, frz_diag *diag)
{
    frz_contact_tree *tree = FRZ_ALLOC("contact tree", 1, frz_contact_tree);
    shape->tree = tree;
    if (tree == NULL)
        return frz_fail_memory(diag, "the contact points of a body");
    if (shape->point_count == 0)
        return FRZ_OK;
    FRZ_TRY(sort_points(shape, diag));
    // halves of more than leaf_points have at least half as many, so there are fewer leaves than points
    tree->spheres = FRZ_ALLOC("contact tree", 2 * (int64_t)shape->point_count, frz_contact_sphere);
    tree->spots = FRZ_ALLOC("contact tree", shape->point_count, frz_contact_spot);
    if (tree->spheres == NULL || tree->spots == NULL)
        return frz_fail_memory(diag, "the contact points of a body");
    for (int n = 0; n < shape->point_count; ++n)
    {
        tree->spots[n] = (frz_contact_spot){shape->points[n].inset, reach_of(shape, &shape->points[n])};
    }
    grow_tree(tree, shape->points, 0, shape->point_count);
    return FRZ_OK;
}

void frz_contact_tree_destroy(frz_contact_tree **tree)
{
    if (tree == NULL || *tree == NULL)
        return;
    frz_free((*tree)->spheres);
    frz_free((*tree)->spots);
    FRZ_FREE(*tree);
}

// ---- clearance

/// As many cells as it takes, but not too many: large bodies get large cells.
static void lay_out_cells(frz_clearance *c, frz_bounds bounds, double spacing, int dimension)
{
    c->box = bounds;
    frz_bounds box = frz_bounds_grow(bounds, table_reach * spacing);
    c->cell = 0.5 * table_cell * spacing;
    double total;
    do
    {
        c->cell *= 2.0;
        total = 1.0;
        if (dimension == 2)
        { // one layer of cells around the plane
            box.min.z = -0.5 * c->cell;
            box.max.z = 0.5 * c->cell;
        }
        for (int axis = 0; axis < 3; ++axis)
        {
            const double extent = frz_v3_get(box.max, axis) - frz_v3_get(box.min, axis);
            const double cells = dimension == 2 && axis == 2 ? 1.0 : ceil(extent / c->cell);
            total *= cells;
            c->cells[axis] = (int)fmin(cells, most_cells);
        }
    } while (total > (c->cell > table_cell * spacing ? most_cells : most_fine_cells));
    c->origin = box.min;
    c->per_cell = 1.0 / c->cell;
}

frz_status frz_clearance_create(frz_contact_shape *shape, frz_diag *diag)
{
    if (!frz_bounds_is_finite(shape->bounds, shape->dimension))
        return FRZ_OK;
    frz_clearance *c = FRZ_ALLOC("clearance", 1, frz_clearance);
    shape->clearance = c;
    if (c == NULL)
        return frz_fail_memory(diag, "the surroundings of a body");
    lay_out_cells(c, shape->bounds, shape->spacing, shape->dimension);
    const int count = c->cells[0] * c->cells[1] * c->cells[2];
    c->unit = table_unit * c->cell;
    c->number = FRZ_ALLOC("clearance", count, int8_t);
    if (c->number == NULL)
        return frz_fail_memory(diag, "the surroundings of a body");
#pragma omp parallel for schedule(dynamic, 256) if (count > FRZ_CONTACT_FEW)
    for (int n = 0; n < count; ++n)
    {
        const int row = n / c->cells[0], x = n % c->cells[0], y = row % c->cells[1], z = row / c->cells[1];
        const frz_vec3 center = frz_v3_mad(c->origin, c->cell, frz_v3(x + 0.5, y + 0.5, z + 0.5));
        const double distance = frz_shape_distance(shape->shape, frz_v3_add(center, shape->origin));
        c->number[n] = (int8_t)fmin(fmax(floor(distance / c->unit), INT8_MIN), INT8_MAX);
    }
    return FRZ_OK;
}

void frz_clearance_destroy(frz_clearance **clearance)
{
    if (clearance == NULL || *clearance == NULL)
        return;
    frz_free((*clearance)->number);
    FRZ_FREE(*clearance);
}
