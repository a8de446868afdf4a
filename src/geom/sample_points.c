// SPDX-License-Identifier: MIT
// Point sets, level-set walking, the sides of walls and count estimates shared by the samplers.
#include "geom/sample_internal.h"

#include <string.h>

#include "base/grow.h"
#include "base/memory.h"

// ---- point set

void frz_point_set_destroy(frz_point_set *set)
{
    if (set == NULL)
        return;
    frz_free(set->points);
    memset(set, 0, sizeof *set);
}

frz_status frz_point_set_reserve(frz_point_set *set, int64_t count, frz_diag *diag)
{
    frz_vec3 *points = frz_grow("sample points", set->points, &set->capacity, count, 0, sizeof *points);
    if (points == NULL)
        return frz_fail_memory(diag, "sample points");
    set->points = points;
    return FRZ_OK;
}

frz_status frz_point_set_append(frz_point_set *set, frz_vec3 point, frz_diag *diag)
{
    if (set->count == set->capacity)
        FRZ_TRY(frz_point_set_reserve(set, set->count + 1 + frz_grow_spare(set->count), diag));
    set->points[set->count++] = point;
    return FRZ_OK;
}

// ---- level sets

double frz_sample_gradient(const frz_shape *shape, frz_vec3 point, int dimension, frz_vec3 *normal)
{
    const double distance = frz_shape_gradient(shape, point, normal);
    if (dimension == 2)
    {
        normal->z = 0.0;
        *normal = frz_v3_normalize(*normal);
    }
    return distance;
}

bool frz_sample_project(const frz_shape *shape, double level, double spacing, int dimension, frz_vec3 *point,
                        frz_vec3 *normal)
{
    enum
    {
        steps = 6
    };
    const double tolerance = 1.0e-3 * spacing;
    frz_vec3 p = *point;
    for (int step = 0; step < steps; ++step)
    {
        frz_vec3 n;
        const double error = frz_sample_gradient(shape, p, dimension, &n) - level;
        if (fabs(error) > tolerance)
        {
            p = frz_v3_mad(p, -error, n);
            continue;
        }
        if (frz_v3_length(frz_v3_sub(p, *point)) > spacing)
            return false;
        *point = p;
        if (normal != NULL)
            *normal = n;
        return true;
    }
    return false;
}

// ---- the sides of walls

static const double single_layer = 1.9; ///< walls thinner than this hold one layer, in spacings
static const double facing = 0.55; ///< cosine: the far side of a wall faces the near one; 1/sqrt(3) behind a corner
static const double near_surface = 0.02; ///< closer points say little about the direction to the surface, in spacings

bool frz_sample_has_cavity(const frz_shape *shape)
{
    if (shape->kind == FRZ_SHAPE_SHELL || (shape->kind == FRZ_SHAPE_DIFFERENCE && shape->child_count > 1))
        return true;
    for (int i = 0; i < shape->child_count; ++i)
    {
        if (frz_sample_has_cavity(shape->children[i]))
            return true;
    }
    return false;
}

/// The two terms of which the distance of a shell is the maximum.
static double shell_side(const frz_shape *shape, frz_sample_side side, frz_vec3 p)
{
    const frz_shape_shell_data *s = &shape->u.shell;
    const frz_shape *child = shape->children[0];
    if (side == FRZ_SAMPLE_CAVITY)
    {
        const frz_vec3 clamped = {fmin(fmax(p.x, s->clamp.min.x), s->clamp.max.x),
                                  fmin(fmax(p.y, s->clamp.min.y), s->clamp.max.y),
                                  fmin(fmax(p.z, s->clamp.min.z), s->clamp.max.z)};
        return -frz_shape_distance(child, clamped) - s->inner;
    }
    const frz_bounds grown = frz_bounds_grow(child->bounds, s->outer);
    const double outer = child->kind == FRZ_SHAPE_BOX ? frz_box_distance(grown.min, grown.max, p)
                                                      : frz_shape_distance(child, p) - s->outer;
    return s->open_mask == 0 ? outer : fmax(outer, frz_box_distance(s->cut.min, s->cut.max, p));
}

static double shell_side_gradient(const frz_shape *shape, frz_sample_side side, frz_vec3 p, frz_vec3 *normal)
{
    const double step = 1.0e-6 * shape->size;
    frz_vec3 gradient = {0.0, 0.0, 0.0};
    for (int axis = 0; axis < 3; ++axis) // central differences: on the diagonal behind an edge others may be all zero
    {
        frz_vec3 shift = {0.0, 0.0, 0.0};
        frz_v3_set(&shift, axis, step);
        frz_v3_set(&gradient, axis,
                   shell_side(shape, side, frz_v3_add(p, shift)) - shell_side(shape, side, frz_v3_sub(p, shift)));
    }
    *normal = frz_v3_normalize(gradient);
    return shell_side(shape, side, p);
}

static double side_distance(const frz_shape *shape, frz_sample_side side, frz_vec3 p, frz_vec3 *normal);

/// Contribution of child i of a combination to a side.
static double part_distance(const frz_shape *shape, int i, frz_sample_side side, frz_vec3 p, frz_vec3 *normal)
{
    const frz_shape *child = shape->children[i];
    if (shape->kind != FRZ_SHAPE_DIFFERENCE || i == 0)
        return side_distance(child, side, p, normal);
    if (side == FRZ_SAMPLE_PLAIN)
        return -HUGE_VAL;
    if (normal == NULL)
        return -frz_shape_distance(child, p);
    const double distance = frz_shape_gradient(child, p, normal);
    *normal = frz_v3_scale(-1.0, *normal);
    return -distance;
}

static double no_side(frz_vec3 *normal)
{
    if (normal != NULL)
        *normal = frz_v3(1.0, 0.0, 0.0);
    return -HUGE_VAL;
}

static double combine_side(const frz_shape *shape, frz_sample_side side, frz_vec3 p, frz_vec3 *normal)
{
    int best = 0;
    double most = -HUGE_VAL;
    if (side == FRZ_SAMPLE_CAVITY && !frz_sample_has_cavity(shape))
        return no_side(normal);
    for (int i = 0; i < shape->child_count; ++i)
    {
        const bool taken_away = shape->kind == FRZ_SHAPE_DIFFERENCE && i > 0;
        if ((taken_away || shape->kind == FRZ_SHAPE_UNION) && frz_shape_is_beyond(shape->children[i], p, -most))
            continue;
        // in a union the child that decides brings its own walls along
        const double distance = shape->kind == FRZ_SHAPE_UNION ? -frz_shape_distance(shape->children[i], p)
                                                               : part_distance(shape, i, side, p, NULL);
        if (distance > most)
        {
            most = distance;
            best = i;
        }
    }
    if (shape->kind != FRZ_SHAPE_UNION && normal == NULL)
        return most;
    return part_distance(shape, best, side, p, normal);
}

static double side_distance(const frz_shape *shape, frz_sample_side side, frz_vec3 p, frz_vec3 *normal)
{
    switch (shape->kind)
    {
    case FRZ_SHAPE_UNION:
    case FRZ_SHAPE_INTERSECTION:
    case FRZ_SHAPE_DIFFERENCE:
        return combine_side(shape, side, p, normal);
    case FRZ_SHAPE_SHELL:
        return normal == NULL ? shell_side(shape, side, p) : shell_side_gradient(shape, side, p, normal);
    case FRZ_SHAPE_TRANSFORM:
    {
        const frz_shape_transform_data *t = &shape->u.transform;
        const frz_vec3 local = frz_shape_transform_invert(t, p);
        const double distance = t->scale * side_distance(shape->children[0], side, local, normal);
        if (normal != NULL)
            *normal = frz_quat_rotate(t->rotation, *normal);
        return distance;
    }
    default:
        if (side == FRZ_SAMPLE_CAVITY)
            return no_side(normal);
        return normal == NULL ? frz_shape_distance(shape, p) : frz_shape_gradient(shape, p, normal);
    }
}

double frz_sample_side_gradient(const frz_shape *shape, frz_sample_side side, frz_vec3 point, int dimension,
                                frz_vec3 *normal)
{
    const double distance = side_distance(shape, side, point, normal);
    if (normal != NULL && dimension == 2)
    {
        normal->z = 0.0;
        *normal = frz_v3_normalize(*normal);
    }
    return distance;
}

/// Newton steps to the zero set of one side, whether or not it is surface of the shape there.
static bool project_side(const frz_shape *shape, frz_sample_side side, double spacing, double reach, int dimension,
                         frz_vec3 *point, frz_vec3 *normal)
{
    enum
    {
        steps = 8
    };
    const double tolerance = 1.0e-4 * spacing;
    const double straight = 0.95; // cosine: a path that bends more led to a concave edge along one of its faces
    const frz_vec3 start = *point;
    bool from_inside = false;
    for (int step = 0; step < steps; ++step)
    {
        frz_vec3 n;
        const double error = frz_sample_side_gradient(shape, side, *point, dimension, &n);
        if (!(fabs(error) < reach))
            return false;
        if (step == 0)
            from_inside = error < -near_surface * spacing;
        if (fabs(error) > near_surface * spacing || step == 0)
            *normal = n;
        if (fabs(error) > tolerance)
        {
            *point = frz_v3_mad(*point, -error, n);
            continue;
        }
        const frz_vec3 way = frz_v3_sub(*point, start);
        const double length = frz_v3_length(way);
        if (from_inside && frz_v3_dot(way, *normal) < straight * length)
            *normal = frz_v3_scale(1.0 / length, way);
        return length <= reach;
    }
    return false;
}

bool frz_sample_find_surface(const frz_shape *shape, frz_sample_side side, double spacing, int dimension,
                             frz_vec3 *point, frz_vec3 *normal)
{
    const double slack = 0.01 * spacing;
    if (!project_side(shape, side, spacing, spacing, dimension, point, normal))
        return false;
    return fabs(frz_shape_distance(shape, *point)) < slack &&
           frz_shape_distance(shape, frz_v3_mad(*point, near_surface * spacing, *normal)) > 0.0;
}

/// How far the solid reaches from the surface point against normal, or limit if that is less.
static double thickness_under(const frz_shape *shape, frz_vec3 surface, frz_vec3 normal, double limit)
{
    enum
    {
        steps = 64
    };
    const double tolerance = 1.0e-6 * limit;
    const double half = 0.5 * limit;
    if (frz_shape_distance(shape, frz_v3_mad(surface, -half, normal)) <= -half * (1.0 - 1.0e-3))
        return limit;            // the ball around this point is all solid: no other surface within the limit
    double depth = 0.01 * limit; // leaves the near surface behind
    for (int step = 0; step < steps && depth < limit; ++step)
    {
        const double distance = frz_shape_distance(shape, frz_v3_mad(surface, -depth, normal));
        if (distance >= -tolerance)
            return depth;
        depth -= distance;
    }
    return limit;
}

/// Whether the surface beyond the point far faces back against normal.
static bool is_far_side(const frz_shape *shape, frz_vec3 far, frz_vec3 normal, double spacing, int dimension)
{
    frz_vec3 far_normal; // taken a little outside, where the near side does not disturb it
    (void)frz_sample_gradient(shape, frz_v3_mad(far, -near_surface * spacing, normal), dimension, &far_normal);
    return frz_v3_dot(far_normal, normal) < -facing;
}

/// Whether a plain surface belongs to a wall whose cavity is so near that one layer is enough. The thickness is
/// measured from the cavity: only from there the wall is as thick behind a corner and under its rim as elsewhere.
static bool is_behind_cavity(const frz_shape *shape, frz_vec3 surface, frz_vec3 normal, double spacing, int dimension)
{
    const double below = 0.1 * spacing; // off the cavity's edges, where the nearest outside is not unique
    const double thin = single_layer * spacing;
    const double reach = sqrt(3.0) * thin; // from a corner of the outside to that of the cavity
    frz_vec3 inside = frz_v3_mad(surface, -0.5 * spacing, normal);
    if (frz_shape_distance(shape, inside) >= 0.0)
        inside = frz_v3_mad(surface, -near_surface * spacing, normal);
    frz_vec3 at = inside;
    frz_vec3 n;
    if (side_distance(shape, FRZ_SAMPLE_CAVITY, inside, NULL) < -reach ||
        !project_side(shape, FRZ_SAMPLE_CAVITY, spacing, reach + spacing, dimension, &at, &n))
        return false;
    const double thickness = thickness_under(shape, at, n, reach);
    if (thickness < frz_v3_length(frz_v3_sub(at, inside)) - below)
        return false; // the wall of that cavity ends before
    if (thickness < thin && is_far_side(shape, frz_v3_mad(at, -thickness, n), n, spacing, dimension))
        return true;
    frz_vec3 out;
    at = frz_v3_mad(at, -below, n);
    const double depth = below - frz_sample_side_gradient(shape, FRZ_SAMPLE_PLAIN, at, dimension, &out);
    return depth < thin && frz_v3_dot(out, n) < -facing;
}

double frz_sample_layer_depth(const frz_shape *shape, frz_sample_side side, frz_vec3 surface, frz_vec3 normal,
                              double spacing, int dimension)
{
    const double most = 0.5 * spacing;
    if (side == FRZ_SAMPLE_PLAIN && is_behind_cavity(shape, surface, normal, spacing, dimension))
        return 0.0;
    const double limit = single_layer * spacing;
    const double thickness = thickness_under(shape, surface, normal, limit);
    if (thickness >= limit)
        return most;
    const frz_vec3 far = frz_v3_mad(surface, -thickness, normal);
    if (!is_far_side(shape, far, normal, spacing, dimension))
        return most;
    const bool far_cavity =
        side_distance(shape, FRZ_SAMPLE_CAVITY, far, NULL) > side_distance(shape, FRZ_SAMPLE_PLAIN, far, NULL);
    return side == FRZ_SAMPLE_CAVITY && !far_cavity ? fmin(most, 0.5 * thickness) : 0.5 * thickness;
}

/// Gradient of the distance, by differences over half a spacing: a sample under an edge is equally near to both faces,
/// and gets their mean normal.
static frz_vec3 smooth_normal(const frz_shape *shape, frz_vec3 at, double spacing, int dimension, frz_vec3 fallback)
{
    const double step = 0.25 * spacing;
    frz_vec3 normal = {0.0, 0.0, 0.0};
    for (int axis = 0; axis < dimension; ++axis)
    {
        frz_vec3 before = at, behind = at;
        frz_v3_set(&before, axis, frz_v3_get(at, axis) - step);
        frz_v3_set(&behind, axis, frz_v3_get(at, axis) + step);
        frz_v3_set(&normal, axis, frz_shape_distance(shape, behind) - frz_shape_distance(shape, before));
    }
    return frz_v3_length(normal) > step ? frz_v3_normalize(normal) : fallback;
}

frz_vec3 frz_sample_normal(const frz_shape *shape, frz_vec3 at, double spacing, int dimension)
{
    const double behind = 0.9 * spacing; // half a spacing below the cavity, sqrt(3) times that in a corner
    const double step = near_surface * spacing;
    frz_vec3 normal, cavity;
    (void)frz_sample_gradient(shape, at, dimension, &normal);
    const double outer = frz_shape_distance(shape, frz_v3_mad(at, step, normal));
    const double inner = frz_shape_distance(shape, frz_v3_mad(at, -step, normal));
    // 2 steps where one side alone is near, 1 under an edge, 0 half way between two sides
    const bool between = outer - inner < 0.5 * step;
    if (frz_sample_side_gradient(shape, FRZ_SAMPLE_CAVITY, at, dimension, &cavity) > -behind &&
        (between || frz_v3_dot(normal, cavity) < -facing))
        return cavity;
    const double seen = 1.0e-3; // more than rounding
    const double sign = fabs(normal.y) > seen ? normal.y : fabs(normal.x) > seen ? normal.x : normal.z;
    if (between)
        return sign < 0.0 ? frz_v3_scale(-1.0, normal) : normal;
    return smooth_normal(shape, at, spacing, dimension, normal);
}

// ---- limits

frz_status frz_sample_check(double spacing, int dimension, frz_diag *diag)
{
    if (!(spacing > 0.0) || !isfinite(spacing))
        return frz_fail(diag, FRZ_ERR_SCENE, "the spacing must be a number > 0, got %g", spacing);
    if (dimension != 2 && dimension != 3)
        return frz_fail(diag, FRZ_ERR_ARGUMENT, "shapes are sampled in 2 or 3 dimensions, not %d", dimension);
    return FRZ_OK;
}

frz_status frz_sample_check_count(double count, double spacing, frz_diag *diag)
{
    if (count <= (double)INT_MAX)
        return FRZ_OK;
    if (!isfinite(count))
        return frz_fail(diag, FRZ_ERR_SCENE,
                        "a shape without end cannot be sampled; cut it with an intersection or a domain");
    return frz_fail(diag, FRZ_ERR_SCENE,
                    "the shape would need about %.3g particles at spacing %g, more than the limit of %d; use a larger "
                    "spacing",
                    count, spacing, INT_MAX);
}

double frz_sample_volume_estimate(const frz_shape *shape, double spacing, int dimension)
{
    return frz_shape_volume(shape, dimension) / (dimension == 2 ? spacing * spacing : spacing * spacing * spacing);
}

double frz_sample_surface_estimate(const frz_shape *shape, double spacing, int dimension)
{
    const double margin = 1.15; // rows behind edges and the densest blue noise
    const double area = frz_shape_area(shape, dimension, frz_bounds_infinite());
    return margin * area / (dimension == 2 ? spacing : spacing * spacing);
}
