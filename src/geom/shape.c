// SPDX-License-Identifier: MIT
// The shape tree: nodes, the table of kinds, and the functions that dispatch through it.
#include "geom/shape_internal.h"

#include "base/memory.h"

/// Step of the central differences, relative to the size of the shape: half the digits of a double, a little more.
static const double difference_step = 1.0e-6;

static const frz_shape_class *const classes[] = {
    [FRZ_SHAPE_BOX] = &frz_shape_class_box,
    [FRZ_SHAPE_SPHERE] = &frz_shape_class_sphere,
    [FRZ_SHAPE_CYLINDER] = &frz_shape_class_cylinder,
    [FRZ_SHAPE_CAPSULE] = &frz_shape_class_capsule,
    [FRZ_SHAPE_CONE] = &frz_shape_class_cone,
    [FRZ_SHAPE_TORUS] = &frz_shape_class_torus,
    [FRZ_SHAPE_THREAD] = &frz_shape_class_thread,
    [FRZ_SHAPE_HALF_SPACE] = &frz_shape_class_half_space,
    [FRZ_SHAPE_HEIGHTFIELD] = &frz_shape_class_heightfield,
    [FRZ_SHAPE_MESH] = &frz_shape_class_mesh,
    [FRZ_SHAPE_UNION] = &frz_shape_class_union,
    [FRZ_SHAPE_INTERSECTION] = &frz_shape_class_intersection,
    [FRZ_SHAPE_DIFFERENCE] = &frz_shape_class_difference,
    [FRZ_SHAPE_SHELL] = &frz_shape_class_shell,
    [FRZ_SHAPE_TRANSFORM] = &frz_shape_class_transform,
};

const frz_shape_class *frz_shape_class_of(const frz_shape *shape)
{
    return classes[shape->kind];
}

frz_shape *frz_shape_new(frz_shape_kind kind, int child_count)
{
    frz_shape *shape = FRZ_ALLOC("shape", 1, frz_shape);
    if (shape == NULL)
        return NULL;
    shape->kind = kind;
    if (child_count > 0)
    {
        shape->children = FRZ_ALLOC("shape children", child_count, frz_shape *);
        if (shape->children == NULL)
        {
            frz_free(shape);
            return NULL;
        }
        shape->child_count = child_count;
    }
    return shape;
}

void frz_shape_finish(frz_shape *shape)
{
    shape->bounds = frz_shape_class_of(shape)->bounds(shape);
    shape->size = 0.0;
    for (int axis = 0; axis < 3; ++axis)
    {
        const double extent = frz_v3_get(shape->bounds.max, axis) - frz_v3_get(shape->bounds.min, axis);
        if (isfinite(extent) && extent > shape->size)
            shape->size = extent;
    }
    if (shape->size <= 0.0)
        shape->size = 1.0;
}

frz_shape *frz_shape_share(frz_shape *shape)
{
    __atomic_fetch_add(&shape->more_owners, 1, __ATOMIC_RELAXED);
    return shape;
}

void frz_shape_destroy(frz_shape **shape)
{
    if (shape == NULL || *shape == NULL)
        return;
    frz_shape *node = *shape;
    *shape = NULL;
    if (__atomic_fetch_sub(&node->more_owners, 1, __ATOMIC_ACQ_REL) > 0)
        return;
    for (int i = 0; i < node->child_count; ++i)
        frz_shape_destroy(&node->children[i]);
    if (frz_shape_class_of(node)->release != NULL)
        frz_shape_class_of(node)->release(node);
    frz_free(node->children);
    frz_free(node);
}

frz_shape_kind frz_shape_kind_of(const frz_shape *shape)
{
    return shape->kind;
}

// NOLINTNEXTLINE(misc-no-recursion): shapes are trees of limited depth
bool frz_shape_contains(const frz_shape *shape, frz_shape_kind kind)
{
    bool found = shape->kind == kind;
    for (int c = 0; c < shape->child_count && !found; ++c)
        found = frz_shape_contains(shape->children[c], kind);
    return found;
}

double frz_shape_distance(const frz_shape *shape, frz_vec3 point)
{
    return frz_shape_class_of(shape)->distance(shape, point);
}

double frz_shape_gradient(const frz_shape *shape, frz_vec3 point, frz_vec3 *normal)
{
    const frz_shape_class *class = frz_shape_class_of(shape);
    if (class->gradient != NULL)
        return class->gradient(shape, point, normal);
    const double step = difference_step * shape->size;
    frz_vec3 gradient = {0.0, 0.0, 0.0};
    for (int axis = 0; axis < 3; ++axis)
    {
        frz_vec3 above = point;
        frz_vec3 below = point;
        frz_v3_set(&above, axis, frz_v3_get(point, axis) + step);
        frz_v3_set(&below, axis, frz_v3_get(point, axis) - step);
        frz_v3_set(&gradient, axis, class->distance(shape, above) - class->distance(shape, below));
    }
    *normal = frz_v3_normalize(gradient);
    return class->distance(shape, point);
}

frz_vec3 frz_shape_normal(const frz_shape *shape, frz_vec3 point)
{
    frz_vec3 normal;
    (void)frz_shape_gradient(shape, point, &normal);
    return normal;
}

frz_bounds frz_shape_bounds(const frz_shape *shape)
{
    return shape->bounds;
}

double frz_shape_area(const frz_shape *shape, int dimension, frz_bounds window)
{
    const frz_bounds part = frz_bounds_intersect(shape->bounds, window);
    if (frz_bounds_is_empty(part, dimension))
        return 0.0;
    return frz_shape_class_of(shape)->area(shape, dimension, part);
}

frz_bounds frz_bounds_infinite(void)
{
    const frz_bounds all = {{-HUGE_VAL, -HUGE_VAL, -HUGE_VAL}, {HUGE_VAL, HUGE_VAL, HUGE_VAL}};
    return all;
}

frz_bounds frz_bounds_intersect(frz_bounds a, frz_bounds b)
{
    const frz_bounds both = {{fmax(a.min.x, b.min.x), fmax(a.min.y, b.min.y), fmax(a.min.z, b.min.z)},
                             {fmin(a.max.x, b.max.x), fmin(a.max.y, b.max.y), fmin(a.max.z, b.max.z)}};
    return both;
}

frz_bounds frz_bounds_grow(frz_bounds bounds, double by)
{
    const frz_vec3 d = {by, by, by};
    const frz_bounds grown = {frz_v3_sub(bounds.min, d), frz_v3_add(bounds.max, d)};
    return grown;
}

bool frz_bounds_is_empty(frz_bounds bounds, int dimension)
{
    if (dimension == 2 && (bounds.min.z > 0.0 || bounds.max.z < 0.0))
        return true;
    return bounds.min.x > bounds.max.x || bounds.min.y > bounds.max.y || bounds.min.z > bounds.max.z;
}

bool frz_bounds_is_finite(frz_bounds bounds, int dimension)
{
    if (dimension == 2)
    {
        bounds.min.z = 0.0;
        bounds.max.z = 0.0;
    }
    return frz_v3_is_finite(bounds.min) && frz_v3_is_finite(bounds.max);
}

bool frz_bounds_contain(frz_bounds bounds, frz_vec3 point, int dimension)
{
    const bool inside =
        point.x >= bounds.min.x && point.x <= bounds.max.x && point.y >= bounds.min.y && point.y <= bounds.max.y;
    return inside && (dimension == 2 || (point.z >= bounds.min.z && point.z <= bounds.max.z));
}
