// SPDX-License-Identifier: MIT
// Nodes with children: union, intersection, difference, shell and transform.
#include "geom/shape_internal.h"

// ---- union, intersection, difference

/// The child whose surface decides at a point, the sign with which it enters, and the combined distance.
typedef struct decision
{
    const frz_shape *child;
    double sign;
    double distance;
} decision;

/// Children further away than the present distance cannot change it. Not for intersections, where far children decide.
static bool is_out_of_question(const frz_shape *shape, const frz_shape *child, frz_vec3 point, double decided)
{
    return shape->kind != FRZ_SHAPE_INTERSECTION &&
           frz_shape_is_beyond(child, point, shape->kind == FRZ_SHAPE_UNION ? decided : -decided);
}

/// Distance of a child, and its gradient if it is wanted and costs no more.
static double ask(const frz_shape *child, frz_vec3 point, frz_vec3 *normal)
{
    return normal != NULL && frz_shape_class_of(child)->gradient != NULL ? frz_shape_gradient(child, point, normal)
                                                                         : frz_shape_distance(child, point);
}

/// normal may be null; else it gets the gradient of the child that decides, if that child has a function for it.
static decision decide(const frz_shape *shape, frz_vec3 point, frz_vec3 *normal)
{
    decision best = {shape->children[0], 1.0, ask(shape->children[0], point, normal)};
    for (int i = 1; i < shape->child_count; ++i)
    {
        if (is_out_of_question(shape, shape->children[i], point, best.distance))
            continue;
        const double sign = shape->kind == FRZ_SHAPE_DIFFERENCE ? -1.0 : 1.0;
        frz_vec3 other;
        const double distance = sign * ask(shape->children[i], point, normal != NULL ? &other : NULL);
        const bool wins = shape->kind == FRZ_SHAPE_UNION ? distance < best.distance : distance > best.distance;
        if (wins)
        {
            best.child = shape->children[i];
            best.sign = sign;
            best.distance = distance;
            if (normal != NULL && frz_shape_class_of(best.child)->gradient != NULL)
                *normal = other;
        }
    }
    return best;
}

static double combine_distance(const frz_shape *shape, frz_vec3 point)
{
    return decide(shape, point, NULL).distance;
}

static double combine_gradient(const frz_shape *shape, frz_vec3 point, frz_vec3 *normal)
{
    const decision best = decide(shape, point, normal);
    if (frz_shape_class_of(best.child)->gradient == NULL)
        *normal = frz_shape_normal(best.child, point);
    *normal = frz_v3_scale(best.sign, *normal);
    return best.distance;
}

static frz_bounds combine_bounds(const frz_shape *shape)
{
    frz_bounds bounds = shape->children[0]->bounds;
    if (shape->kind == FRZ_SHAPE_DIFFERENCE)
        return bounds;
    for (int i = 1; i < shape->child_count; ++i)
    {
        const frz_bounds b = shape->children[i]->bounds;
        if (shape->kind == FRZ_SHAPE_INTERSECTION)
        {
            bounds = frz_bounds_intersect(bounds, b);
            continue;
        }
        bounds.min = frz_v3(fmin(bounds.min.x, b.min.x), fmin(bounds.min.y, b.min.y), fmin(bounds.min.z, b.min.z));
        bounds.max = frz_v3(fmax(bounds.max.x, b.max.x), fmax(bounds.max.y, b.max.y), fmax(bounds.max.z, b.max.z));
    }
    return bounds;
}

static double combine_area(const frz_shape *shape, int dimension, frz_bounds window)
{
    double area = 0.0;
    for (int i = 0; i < shape->child_count; ++i)
        area += frz_shape_area(shape->children[i], dimension, window);
    return area;
}

const frz_shape_class frz_shape_class_union = {.name = "union",
                                               .distance = combine_distance,
                                               .bounds = combine_bounds,
                                               .gradient = combine_gradient,
                                               .area = combine_area};
const frz_shape_class frz_shape_class_intersection = {.name = "intersection",
                                                      .distance = combine_distance,
                                                      .bounds = combine_bounds,
                                                      .gradient = combine_gradient,
                                                      .area = combine_area};
const frz_shape_class frz_shape_class_difference = {.name = "difference",
                                                    .distance = combine_distance,
                                                    .bounds = combine_bounds,
                                                    .gradient = combine_gradient,
                                                    .area = combine_area};

static frz_status check_children(frz_shape_kind kind, frz_shape *const *children, int count, frz_diag *diag)
{
    if (kind != FRZ_SHAPE_UNION && kind != FRZ_SHAPE_INTERSECTION && kind != FRZ_SHAPE_DIFFERENCE)
        return frz_fail(diag, FRZ_ERR_ARGUMENT, "only union, intersection and difference combine shapes");
    if (count < 1)
        return frz_fail(diag, FRZ_ERR_SCENE, "union, intersection and difference need at least one shape");
    for (int i = 0; i < count; ++i)
    {
        if (children[i] == NULL)
            return frz_fail(diag, FRZ_ERR_ARGUMENT, "shape %d of the combination is missing", i + 1);
    }
    return FRZ_OK;
}

frz_status frz_shape_take_combine(frz_shape_kind kind, frz_shape **children, int count, frz_shape **out, frz_diag *diag)
{
    *out = NULL;
    frz_status status = check_children(kind, children, count, diag);
    frz_shape *shape = status == FRZ_OK ? frz_shape_new(kind, count) : NULL;
    if (status == FRZ_OK && shape == NULL)
        status = frz_fail_memory(diag, "a combined shape");
    for (int i = 0; i < count; ++i)
    {
        if (shape == NULL)
        {
            frz_shape_destroy(&children[i]);
            continue;
        }
        shape->children[i] = children[i];
        children[i] = NULL;
    }
    if (shape == NULL)
        return status;
    frz_shape_finish(shape);
    *out = shape;
    return FRZ_OK;
}

// ---- shell

static frz_vec3 clamp_point(frz_bounds to, frz_vec3 p)
{
    return frz_v3(frz_smaller(frz_larger(p.x, to.min.x), to.max.x), frz_smaller(frz_larger(p.y, to.min.y), to.max.y),
                  frz_smaller(frz_larger(p.z, to.min.z), to.max.z));
}

/// Distance to the child grown by outer. Boxes keep sharp edges, as a builder of tanks expects; others are rounded.
static double outer_distance(const frz_shape *shape, frz_vec3 point)
{
    const frz_shape *child = shape->children[0];
    const double outer = shape->u.shell.outer;
    if (child->kind != FRZ_SHAPE_BOX)
        return frz_shape_distance(child, point) - outer;
    const frz_bounds grown = frz_bounds_grow(child->bounds, outer);
    return frz_box_distance(grown.min, grown.max, point);
}

static double shell_distance(const frz_shape *shape, frz_vec3 point)
{
    const frz_shape_shell_data *s = &shape->u.shell;
    // On open sides the cavity continues as its cross-section, so no thin film with distance 0 is left at the opening.
    const double cavity = frz_shape_distance(shape->children[0], clamp_point(s->clamp, point)) + s->inner;
    const double wall = frz_larger(outer_distance(shape, point), -cavity);
    if (s->open_mask == 0)
        return wall;
    return frz_larger(wall, frz_box_distance(s->cut.min, s->cut.max, point));
}

static frz_bounds shell_bounds(const frz_shape *shape)
{
    const frz_shape_shell_data *s = &shape->u.shell;
    return frz_bounds_intersect(frz_bounds_grow(shape->children[0]->bounds, s->outer), s->cut);
}

static double shell_area(const frz_shape *shape, int dimension, frz_bounds window)
{
    const frz_shape *child = shape->children[0];
    (void)window; // the wall's two surfaces lie up to outer beside the child's, so they are measured as a whole
    const double area = frz_shape_area(child, dimension, child->bounds);
    const double growth = 1.0 + 2.0 * shape->u.shell.outer / child->size;
    return area * (1.0 + (dimension == 2 ? growth : growth * growth));
}

const frz_shape_class frz_shape_class_shell = {
    .name = "shell", .distance = shell_distance, .bounds = shell_bounds, .area = shell_area};

/// Where the wall is cut off and where the cavity begins to be drawn out, on the open sides.
static void set_openings(frz_shape *shape, double thickness)
{
    frz_shape_shell_data *s = &shape->u.shell;
    const frz_bounds child = shape->children[0]->bounds;
    s->cut = frz_bounds_infinite();
    s->clamp = frz_bounds_infinite();
    for (int axis = 0; axis < 3; ++axis)
    {
        const double low = frz_v3_get(child.min, axis);
        const double high = frz_v3_get(child.max, axis);
        if (!isfinite(low) || !isfinite(high))
            continue;
        // one wall thickness below the cavity's end, but not beyond the middle
        const double depth = fmin(s->inner + thickness, 0.5 * (high - low));
        if (s->open_mask & (1u << (2 * axis)))
        {
            frz_v3_set(&s->cut.min, axis, low);
            frz_v3_set(&s->clamp.min, axis, low + depth);
        }
        if (s->open_mask & (1u << (2 * axis + 1)))
        {
            frz_v3_set(&s->cut.max, axis, high);
            frz_v3_set(&s->clamp.max, axis, high - depth);
        }
    }
}

frz_status frz_shape_take_shell(frz_shape *child, double thickness, frz_shell_side side, unsigned open_mask,
                                frz_shape **out, frz_diag *diag)
{
    enum
    {
        all_sides = 0x3f
    };
    *out = NULL;
    if (child == NULL)
        return frz_fail(diag, FRZ_ERR_ARGUMENT, "shell: it has no shape to follow");
    frz_status status = FRZ_OK;
    if (!(thickness > 0.0) || !isfinite(thickness))
        status = frz_fail(diag, FRZ_ERR_SCENE, "shell: thickness must be a number > 0, got %g", thickness);
    else if ((open_mask & ~(unsigned)all_sides) != 0)
        status = frz_fail(diag, FRZ_ERR_ARGUMENT, "shell: open_mask has bits beyond the six sides (0x%x)", open_mask);
    frz_shape *shape = status == FRZ_OK ? frz_shape_new(FRZ_SHAPE_SHELL, 1) : NULL;
    if (shape == NULL)
    {
        frz_shape_destroy(&child);
        return status != FRZ_OK ? status : frz_fail_memory(diag, "a shell");
    }
    shape->children[0] = child;
    const double inner[] = {
        [FRZ_SHELL_INSIDE] = thickness, [FRZ_SHELL_OUTSIDE] = 0.0, [FRZ_SHELL_CENTER] = 0.5 * thickness};
    shape->u.shell.inner = inner[side];
    shape->u.shell.outer = thickness - inner[side];
    shape->u.shell.open_mask = open_mask;
    set_openings(shape, thickness);
    frz_shape_finish(shape);
    *out = shape;
    return FRZ_OK;
}

// ---- transform

frz_vec3 frz_shape_transform_apply(const frz_shape_transform_data *t, frz_vec3 point)
{
    return frz_v3_mad(t->translation, t->scale, frz_quat_rotate(t->rotation, point));
}

frz_vec3 frz_shape_transform_invert(const frz_shape_transform_data *t, frz_vec3 point)
{
    const frz_vec3 local = frz_v3_sub(point, t->translation);
    return frz_v3_scale(1.0 / t->scale, frz_quat_rotate(frz_quat_conjugate(t->rotation), local));
}

/// Bounds of scale * rotation * box, by intervals: an infinite extent counts only where the matrix lets it through.
static frz_bounds rotate_bounds(frz_quat rotation, double scale, frz_bounds bounds)
{
    const double negligible = 1.0e-14; // rounding in the entries of a rotation matrix
    frz_bounds out = {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
    for (int column = 0; column < 3; ++column)
    {
        const frz_vec3 unit = {column == 0, column == 1, column == 2};
        const frz_vec3 image = frz_v3_scale(scale, frz_quat_rotate(rotation, unit));
        for (int row = 0; row < 3; ++row)
        {
            const double m = frz_v3_get(image, row);
            if (fabs(m) < negligible * scale)
                continue;
            const double a = m * frz_v3_get(bounds.min, column);
            const double b = m * frz_v3_get(bounds.max, column);
            frz_v3_set(&out.min, row, frz_v3_get(out.min, row) + fmin(a, b));
            frz_v3_set(&out.max, row, frz_v3_get(out.max, row) + fmax(a, b));
        }
    }
    return out;
}

frz_bounds frz_shape_transform_bounds(const frz_shape_transform_data *t, frz_bounds bounds)
{
    frz_bounds out = rotate_bounds(t->rotation, t->scale, bounds);
    out.min = frz_v3_add(out.min, t->translation);
    out.max = frz_v3_add(out.max, t->translation);
    return out;
}

frz_bounds frz_shape_transform_invert_bounds(const frz_shape_transform_data *t, frz_bounds bounds)
{
    bounds.min = frz_v3_sub(bounds.min, t->translation);
    bounds.max = frz_v3_sub(bounds.max, t->translation);
    return rotate_bounds(frz_quat_conjugate(t->rotation), 1.0 / t->scale, bounds);
}

bool frz_shape_transform_is_planar(const frz_shape_transform_data *t)
{
    return t->rotation.x == 0.0 && t->rotation.y == 0.0 && t->translation.z == 0.0;
}

static double transform_distance(const frz_shape *shape, frz_vec3 point)
{
    const frz_shape_transform_data *t = &shape->u.transform;
    return t->scale * frz_shape_distance(shape->children[0], frz_shape_transform_invert(t, point));
}

static double transform_gradient(const frz_shape *shape, frz_vec3 point, frz_vec3 *normal)
{
    const frz_shape_transform_data *t = &shape->u.transform;
    frz_vec3 local;
    const double distance = frz_shape_gradient(shape->children[0], frz_shape_transform_invert(t, point), &local);
    *normal = frz_quat_rotate(t->rotation, local);
    return t->scale * distance;
}

static frz_bounds transform_bounds(const frz_shape *shape)
{
    return frz_shape_transform_bounds(&shape->u.transform, shape->children[0]->bounds);
}

static double transform_volume(const frz_shape *shape, int dimension)
{
    const frz_shape_transform_data *t = &shape->u.transform;
    if (dimension == 2)
        return frz_shape_transform_is_planar(t) ? t->scale * t->scale * frz_shape_volume(shape->children[0], 2) : -1.0;
    return t->scale * t->scale * t->scale * frz_shape_volume(shape->children[0], 3);
}

static double transform_area(const frz_shape *shape, int dimension, frz_bounds window)
{
    const frz_shape_transform_data *t = &shape->u.transform;
    const frz_bounds local = frz_shape_transform_invert_bounds(t, window);
    if (dimension == 3)
        return t->scale * t->scale * frz_shape_area(shape->children[0], 3, local);
    if (frz_shape_transform_is_planar(t))
        return t->scale * frz_shape_area(shape->children[0], 2, local);
    const frz_vec3 d = frz_v3_sub(window.max, window.min); // a slanted section: the rectangle around it
    return 2.0 * (d.x + d.y);
}

const frz_shape_class frz_shape_class_transform = {.name = "transform",
                                                   .distance = transform_distance,
                                                   .bounds = transform_bounds,
                                                   .gradient = transform_gradient,
                                                   .volume = transform_volume,
                                                   .area = transform_area};

frz_status frz_shape_take_transform(frz_shape *child, double scale, frz_quat rotation, frz_vec3 translation,
                                    frz_shape **out, frz_diag *diag)
{
    *out = NULL;
    if (child == NULL)
        return frz_fail(diag, FRZ_ERR_ARGUMENT, "transform: it has no shape to move");
    frz_status status = FRZ_OK;
    const double norm2 =
        rotation.w * rotation.w + rotation.x * rotation.x + rotation.y * rotation.y + rotation.z * rotation.z;
    if (!(scale > 0.0) || !isfinite(scale))
        status = frz_fail(diag, FRZ_ERR_SCENE, "transform: scale must be a number > 0, got %g", scale);
    else if (!isfinite(norm2) || norm2 <= 0.0)
        status = frz_fail(diag, FRZ_ERR_SCENE, "transform: the rotation must be four finite numbers, not all zero");
    else if (!frz_v3_is_finite(translation))
        status = frz_fail(diag, FRZ_ERR_SCENE, "transform: the translation must be three finite numbers");
    frz_shape *shape = status == FRZ_OK ? frz_shape_new(FRZ_SHAPE_TRANSFORM, 1) : NULL;
    if (shape == NULL)
    {
        frz_shape_destroy(&child);
        return status != FRZ_OK ? status : frz_fail_memory(diag, "a transformed shape");
    }
    shape->children[0] = child;
    shape->u.transform.scale = scale;
    shape->u.transform.rotation = frz_quat_normalize(rotation);
    shape->u.transform.translation = translation;
    frz_shape_finish(shape);
    *out = shape;
    return FRZ_OK;
}
