// SPDX-License-Identifier: MIT
// Shapes apart from where they stand: so that equal bodies share the tables of their shape.
#include <string.h>

#include "geom/shape_internal.h"

frz_vec3 frz_placement_apply(const frz_placement *placement, frz_vec3 point)
{
    return frz_v3_add(placement->translation, frz_quat_rotate(placement->rotation, point));
}

frz_vec3 frz_placement_invert(const frz_placement *placement, frz_vec3 point)
{
    return frz_quat_rotate(frz_quat_conjugate(placement->rotation), frz_v3_sub(point, placement->translation));
}

frz_status frz_shape_unplace(frz_shape *shape, int dimension, frz_shape **own, frz_placement *placement, frz_diag *diag)
{
    *placement = (frz_placement){frz_quat_identity(), frz_v3(0.0, 0.0, 0.0)};
    if (shape->kind != FRZ_SHAPE_TRANSFORM || (dimension == 2 && !frz_shape_transform_is_planar(&shape->u.transform)))
    {
        *own = frz_shape_share(shape);
        return FRZ_OK;
    }
    const frz_shape_transform_data *t = &shape->u.transform;
    *placement = (frz_placement){t->rotation, t->translation};
    *own = frz_shape_share(shape->children[0]);
    return t->scale == 1.0
               ? FRZ_OK
               : frz_shape_take_transform(*own, t->scale, frz_quat_identity(), frz_v3(0.0, 0.0, 0.0), own, diag);
}

// ---- equality

static bool vectors_equal(frz_vec3 a, frz_vec3 b)
{
    return a.x == b.x && a.y == b.y && a.z == b.z;
}

static bool bounds_equal(frz_bounds a, frz_bounds b)
{
    return vectors_equal(a.min, b.min) && vectors_equal(a.max, b.max);
}

static bool rounds_equal(const frz_shape_round_data *a, const frz_shape_round_data *b)
{
    return vectors_equal(a->a, b->a) && vectors_equal(a->b, b->b) && vectors_equal(a->axis, b->axis) &&
           a->radius_a == b->radius_a && a->radius_b == b->radius_b;
}

static bool threads_equal(const frz_shape_thread_data *a, const frz_shape_thread_data *b)
{
    return vectors_equal(a->from, b->from) && vectors_equal(a->axis, b->axis) && vectors_equal(a->side, b->side) &&
           a->length == b->length && a->pitch == b->pitch && a->major == b->major && a->minor == b->minor &&
           a->crest == b->crest && a->chamfer == b->chamfer;
}

static bool meshes_equal(const frz_mesh *a, const frz_mesh *b)
{
    return a == b || (a->vertex_count == b->vertex_count && a->triangle_count == b->triangle_count &&
                      memcmp(a->vertices, b->vertices, (size_t)a->vertex_count * sizeof *a->vertices) == 0 &&
                      memcmp(a->triangles, b->triangles, (size_t)a->triangle_count * sizeof *a->triangles) == 0);
}

static bool shells_equal(const frz_shape_shell_data *a, const frz_shape_shell_data *b)
{
    return a->inner == b->inner && a->outer == b->outer && a->open_mask == b->open_mask;
}

static bool transforms_equal(const frz_shape_transform_data *a, const frz_shape_transform_data *b, bool anywhere)
{
    const frz_quat p = a->rotation, q = b->rotation;
    return a->scale == b->scale && (anywhere || (vectors_equal(a->translation, b->translation) && p.w == q.w &&
                                                 p.x == q.x && p.y == q.y && p.z == q.z));
}

static bool nodes_equal(const frz_shape *a, const frz_shape *b)
{
    switch (a->kind)
    {
    case FRZ_SHAPE_BOX:
        return vectors_equal(a->u.box.min, b->u.box.min) && vectors_equal(a->u.box.max, b->u.box.max);
    case FRZ_SHAPE_THREAD:
        return threads_equal(&a->u.thread, &b->u.thread);
    case FRZ_SHAPE_MESH:
    case FRZ_SHAPE_HEIGHTFIELD:
        return meshes_equal(a->u.mesh.mesh, b->u.mesh.mesh);
    case FRZ_SHAPE_SHELL:
        return shells_equal(&a->u.shell, &b->u.shell);
    case FRZ_SHAPE_TRANSFORM:
        return transforms_equal(&a->u.transform, &b->u.transform, false);
    case FRZ_SHAPE_UNION:
    case FRZ_SHAPE_INTERSECTION:
    case FRZ_SHAPE_DIFFERENCE:
        return true;
    default:
        return rounds_equal(&a->u.round, &b->u.round);
    }
}

// NOLINTNEXTLINE(misc-no-recursion): shapes are trees of limited depth
static bool trees_equal(const frz_shape *a, const frz_shape *b)
{
    if (a == b)
        return true;
    bool equal = a->kind == b->kind && a->child_count == b->child_count && bounds_equal(a->bounds, b->bounds) &&
                 nodes_equal(a, b);
    for (int c = 0; equal && c < a->child_count; ++c)
        equal = trees_equal(a->children[c], b->children[c]);
    return equal;
}

bool frz_shape_is_like(const frz_shape *a, const frz_shape *b, int dimension)
{
    const bool moved = a->kind == FRZ_SHAPE_TRANSFORM && b->kind == FRZ_SHAPE_TRANSFORM &&
                       (dimension == 3 || (frz_shape_transform_is_planar(&a->u.transform) &&
                                           frz_shape_transform_is_planar(&b->u.transform)));
    return moved
               ? transforms_equal(&a->u.transform, &b->u.transform, true) && trees_equal(a->children[0], b->children[0])
               : trees_equal(a, b);
}
