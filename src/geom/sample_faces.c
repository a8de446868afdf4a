// SPDX-License-Identifier: MIT
// Regular grids of boundary particles behind plane faces: boxes (rotated, shelled, cut by CSG) and half spaces.
//
// Every face of every box in the tree gets a grid; a grid node counts if the face really is the surface of the whole
// shape there. Where a face ends at a concave edge (the corner of a tank), the grid continues behind the neighbouring
// face, so that the corner has no hole.
#include "geom/sample_internal.h"

#include <string.h>

#include "base/grow.h"
#include "base/memory.h"

static const double same_gap = 0.75;     ///< closer nodes of two faces are one particle, in spacings
static const double stretch = 0.1;       ///< spare length for which no further row is made, in spacings
static const double closest_row = 0.7;   ///< rows behind an edge nearer to the last one are left out, in spacings
static const double probe = 0.02;        ///< how far outside a node must be free, in spacings
static const double on_surface = 1.0e-4; ///< distance that counts as on the surface, in spacings
static const double clearance = 0.6;     ///< least depth of a node, as a fraction of that of its position in the grid
static const double corner_least = 0.9;  ///< least depth of nodes behind an edge, as a fraction of the layer's depth
static const double corner_most = 0.9; ///< greatest depth of nodes behind an edge, in spacings (sqrt(3)/2 in a corner)

typedef struct face
{
    frz_vec3 origin;  ///< the corner from which u and v run
    frz_vec3 axis[2]; ///< unit vectors
    double length[2]; ///< 0 for the second in 2D
    bool endless[2];  ///< cut by the window only
    frz_vec3 normal;  ///< out of the solid
    bool cavity;      ///< the face of something cut away
} face;

typedef struct face_list
{
    int count;
    int64_t capacity;
    face *faces;
} face_list;

typedef struct context
{
    const frz_shape *shape;
    double spacing;
    int dimension;
    frz_bounds window;
} context;

static frz_status add_face(face_list *list, face f, frz_diag *diag)
{
    face *faces =
        frz_grow("faces", list->faces, &list->capacity, list->count + 1, frz_grow_spare(list->count), sizeof *faces);
    if (faces == NULL)
        return frz_fail_memory(diag, "the faces of a shape");
    list->faces = faces;
    list->faces[list->count++] = f;
    return FRZ_OK;
}

// ---- collecting faces

static frz_status add_box(const context *c, const frz_shape_transform_data *place, frz_bounds box, bool cavity,
                          face_list *list, frz_diag *diag)
{
    const frz_bounds local = frz_shape_transform_invert_bounds(place, c->window);
    const frz_bounds cut = frz_bounds_intersect(box, local);
    for (int side = 0; side < 2 * c->dimension; ++side)
    {
        const int axis = side / 2;
        const double plane = side % 2 == 0 ? frz_v3_get(box.min, axis) : frz_v3_get(box.max, axis);
        if (!isfinite(plane))
            continue;
        face f;
        memset(&f, 0, sizeof f);
        frz_vec3 corner = {0.0, 0.0, 0.0};
        frz_v3_set(&corner, axis, plane);
        frz_vec3 normal = {0.0, 0.0, 0.0};
        frz_v3_set(&normal, axis, (side % 2 == 0) == cavity ? 1.0 : -1.0);
        for (int t = 0; t < c->dimension - 1; ++t)
        {
            const int along = (axis + 1 + t) % c->dimension;
            double low = frz_v3_get(box.min, along);
            double high = frz_v3_get(box.max, along);
            f.endless[t] = !isfinite(low) || !isfinite(high);
            low = isfinite(low) ? low : frz_v3_get(cut.min, along);
            high = isfinite(high) ? high : frz_v3_get(cut.max, along);
            frz_v3_set(&corner, along, low);
            const frz_vec3 unit = {along == 0, along == 1, along == 2};
            f.axis[t] = frz_quat_rotate(place->rotation, unit);
            f.length[t] = place->scale * (high - low);
        }
        f.origin = frz_shape_transform_apply(place, corner);
        f.normal = frz_quat_rotate(place->rotation, normal);
        f.cavity = cavity;
        FRZ_TRY(add_face(list, f, diag));
    }
    return FRZ_OK;
}

/// The walls of a shell around a box: the grown box, and the shrunk one cut out of it; open sides end at the cut.
static frz_status add_shell(const context *c, const frz_shape_transform_data *place, const frz_shape *shell,
                            bool cavity, face_list *list, frz_diag *diag)
{
    const frz_shape_shell_data *s = &shell->u.shell;
    frz_bounds inner = frz_bounds_grow(shell->children[0]->bounds, -s->inner);
    for (int axis = 0; axis < 3; ++axis)
    {
        if (s->open_mask & (1u << (2 * axis)))
            frz_v3_set(&inner.min, axis, frz_v3_get(shell->bounds.min, axis));
        if (s->open_mask & (1u << (2 * axis + 1)))
            frz_v3_set(&inner.max, axis, frz_v3_get(shell->bounds.max, axis));
    }
    FRZ_TRY(add_box(c, place, shell->bounds, cavity, list, diag));
    if (frz_bounds_is_empty(inner, 3))
        return FRZ_OK;
    return add_box(c, place, inner, !cavity, list, diag);
}

/// Extent of the window along a direction, seen from a point.
static void window_extent(frz_bounds window, int dimension, frz_vec3 origin, frz_vec3 axis, double *low, double *high)
{
    *low = HUGE_VAL;
    *high = -HUGE_VAL;
    for (int corner = 0; corner < (dimension == 2 ? 4 : 8); ++corner)
    {
        const frz_vec3 p = {(corner & 1) ? window.max.x : window.min.x, (corner & 2) ? window.max.y : window.min.y,
                            dimension == 2 ? 0.0
                            : (corner & 4) ? window.max.z
                                           : window.min.z};
        const double t = frz_v3_dot(frz_v3_sub(p, origin), axis);
        *low = fmin(*low, t);
        *high = fmax(*high, t);
    }
}

static frz_status add_plane(const context *c, const frz_shape_transform_data *place, const frz_shape *node, bool cavity,
                            face_list *list, frz_diag *diag)
{
    face f;
    memset(&f, 0, sizeof f);
    const frz_vec3 n = frz_quat_rotate(place->rotation, node->u.round.axis);
    if (c->dimension == 2 && n.z != 0.0)
        return FRZ_OK;
    f.origin = frz_shape_transform_apply(place, node->u.round.a);
    f.normal = frz_v3_scale(cavity ? -1.0 : 1.0, n);
    f.cavity = cavity;
    // along the coordinate axes where the plane allows it, so that the grid is in line with the liquid's lattice
    const frz_vec3 ax = {fabs(n.x), fabs(n.y), fabs(n.z)};
    const frz_vec3 helper = ax.x <= ax.y && ax.x <= ax.z ? frz_v3(1.0, 0.0, 0.0)
                            : ax.y <= ax.z               ? frz_v3(0.0, 1.0, 0.0)
                                                         : frz_v3(0.0, 0.0, 1.0);
    if (c->dimension == 2)
        f.axis[0] = frz_v3(fabs(n.y), n.y < 0.0 ? n.x : -n.x, 0.0);
    else
        f.axis[0] = frz_v3_normalize(frz_v3_mad(helper, -frz_v3_dot(helper, n), n));
    f.axis[1] = frz_v3_cross(n, f.axis[0]);
    const frz_vec3 point = f.origin;
    for (int t = 0; t < c->dimension - 1; ++t)
    {
        double low;
        double high;
        // u positive along its main coordinate: the grid then starts at the window's lower end
        if (f.axis[t].x + f.axis[t].y + f.axis[t].z < 0.0)
            f.axis[t] = frz_v3_scale(-1.0, f.axis[t]);
        window_extent(c->window, c->dimension, point, f.axis[t], &low, &high);
        f.origin = frz_v3_mad(f.origin, low, f.axis[t]);
        f.length[t] = high - low;
        f.endless[t] = true;
    }
    return add_face(list, f, diag);
}

static frz_status collect(const context *c, const frz_shape_transform_data *place, const frz_shape *node, bool cavity,
                          face_list *list, frz_diag *diag)
{
    if (c->dimension == 2 && (place->rotation.x != 0.0 || place->rotation.y != 0.0))
        return FRZ_OK; // a slanted cross-section: no face keeps its rectangle
    switch (node->kind)
    {
    case FRZ_SHAPE_BOX:
        return add_box(c, place, node->bounds, cavity, list, diag);
    case FRZ_SHAPE_HALF_SPACE:
        return add_plane(c, place, node, cavity, list, diag);
    case FRZ_SHAPE_SHELL:
        if (node->children[0]->kind == FRZ_SHAPE_BOX)
            return add_shell(c, place, node, cavity, list, diag);
        return FRZ_OK;
    case FRZ_SHAPE_TRANSFORM:
    {
        const frz_shape_transform_data *t = &node->u.transform;
        frz_shape_transform_data inner;
        inner.scale = place->scale * t->scale;
        inner.rotation = frz_quat_normalize(frz_quat_mul(place->rotation, t->rotation));
        inner.translation = frz_shape_transform_apply(place, t->translation);
        return collect(c, &inner, node->children[0], cavity, list, diag);
    }
    default:
        for (int i = 0; i < node->child_count; ++i)
        {
            const bool cut_away = node->kind == FRZ_SHAPE_DIFFERENCE && i > 0;
            FRZ_TRY(collect(c, place, node->children[i], cavity != cut_away, list, diag));
        }
        return FRZ_OK;
    }
}

// ---- the grid of a face

typedef struct grid
{
    int64_t first[2], size[2]; ///< range of indices: the face has 0 .. rows - 1, and one more at each end
    int64_t rows[2];
    double step[2];
    double *depth; ///< per node: depth of the particle below the face, 0 for none
} grid;

static void lay_out(const context *c, const face *f, grid *g)
{
    for (int t = 0; t < 2; ++t)
    {
        g->first[t] = 0;
        g->size[t] = 1;
        g->rows[t] = 1;
        g->step[t] = c->spacing;
        if (t >= c->dimension - 1)
            continue;
        g->rows[t] = (int64_t)fmax(1.0, ceil(f->length[t] / c->spacing - stretch));
        if (!f->endless[t])
            g->step[t] = f->length[t] / (double)g->rows[t];
        double low;
        double high;
        window_extent(c->window, c->dimension, f->origin, f->axis[t], &low, &high);
        const double from = fmax(-1.0, floor(low / g->step[t]) - 1.0);
        const double to = fmin((double)g->rows[t], ceil(high / g->step[t]) + 1.0);
        g->first[t] = (int64_t)from;
        g->size[t] = (int64_t)fmax(0.0, to - from + 1.0);
    }
}

/// Coordinate of a row: rows beyond the ends lie as deep behind the neighbouring face as the layer behind this one.
static double row_position(const face *f, const grid *g, int t, int64_t index, double depth)
{
    if (!f->endless[t] && index < 0)
        return -depth;
    if (!f->endless[t] && index >= g->rows[t])
        return f->length[t] + depth;
    return ((double)index + 0.5) * g->step[t];
}

static frz_vec3 node_position(const context *c, const face *f, const grid *g, int64_t i, int64_t j, double depth)
{
    frz_vec3 p = frz_v3_mad(f->origin, row_position(f, g, 0, i, depth), f->axis[0]);
    if (c->dimension == 3)
        p = frz_v3_mad(p, row_position(f, g, 1, j, depth), f->axis[1]);
    return p;
}

static bool is_beyond(const face *f, const grid *g, int t, int64_t index)
{
    return !f->endless[t] && (index < 0 || index >= g->rows[t]);
}

/// In thin walls the row behind an edge would almost touch the last one on the face, which covers the edge as well.
static bool is_crowded(const context *c, const face *f, const grid *g, int t, int64_t index, double depth)
{
    return t < c->dimension - 1 && is_beyond(f, g, t, index) && 0.5 * g->step[t] + depth < closest_row * c->spacing;
}

/// Depth of the particle under a node where the face is the surface of the shape, or 0.
static double examine(const context *c, const face *f, const grid *g, int64_t i, int64_t j)
{
    const double s = c->spacing;
    if (is_beyond(f, g, 0, i) || (c->dimension == 3 && is_beyond(f, g, 1, j)))
        return 0.0;
    const frz_vec3 p = node_position(c, f, g, i, j, 0.0);
    if (fabs(frz_shape_distance(c->shape, p)) > on_surface * s)
        return 0.0;
    if (frz_shape_distance(c->shape, frz_v3_mad(p, probe * s, f->normal)) <= 0.0)
        return 0.0; // an inner wall between two solids that touch
    const double cavity = frz_sample_side_gradient(c->shape, FRZ_SAMPLE_CAVITY, p, c->dimension, NULL);
    const frz_sample_side side = fabs(cavity) <= on_surface * s ? FRZ_SAMPLE_CAVITY : FRZ_SAMPLE_PLAIN;
    const double depth = frz_sample_layer_depth(c->shape, side, p, f->normal, s, c->dimension);
    if (depth == 0.0)
        return 0.0;
    double promised = fmin(depth, 0.5 * g->step[0]);
    if (c->dimension == 3)
        promised = fmin(promised, 0.5 * g->step[1]);
    const double distance = frz_shape_distance(c->shape, frz_v3_mad(p, -depth, f->normal));
    return distance <= -clearance * promised ? depth : 0.0;
}

/// A node that is not on the surface itself but beside one that is: it counts if it lies behind a concave edge.
static double examine_corner(const context *c, const face *f, const grid *g, const double *on_face, int64_t a,
                             int64_t b)
{
    double depth = 0.0;
    for (int n = 0; n < 9; ++n)
    {
        const int64_t na = a + n % 3 - 1;
        const int64_t nb = b + n / 3 - 1;
        if (na >= 0 && na < g->size[0] && nb >= 0 && nb < g->size[1])
            depth = fmax(depth, on_face[na + g->size[0] * nb]);
    }
    if (depth == 0.0 || is_crowded(c, f, g, 0, g->first[0] + a, depth) ||
        is_crowded(c, f, g, 1, g->first[1] + b, depth))
        return 0.0;
    const frz_vec3 p = node_position(c, f, g, g->first[0] + a, g->first[1] + b, depth);
    const double distance = frz_shape_distance(c->shape, frz_v3_mad(p, -depth, f->normal));
    return distance <= -corner_least * depth && distance >= -corner_most * c->spacing ? depth : 0.0;
}

/// Append the nodes that count; neighbours from other faces (before first) win over them.
static frz_status append_nodes(const context *c, const face *f, const grid *g, frz_point_hash *hash, frz_point_set *out,
                               frz_diag *diag)
{
    // particles lie half a spacing behind a surface that may lie on the window's edge
    const frz_bounds reach = frz_bounds_grow(c->window, (0.5 + on_surface) * c->spacing);
    const int64_t first = out->count;
    for (int64_t n = 0; n < g->size[0] * g->size[1]; ++n)
    {
        if (g->depth[n] == 0.0)
            continue;
        const int64_t i = g->first[0] + n % g->size[0];
        const int64_t j = g->first[1] + n / g->size[0];
        frz_vec3 p = frz_v3_mad(node_position(c, f, g, i, j, g->depth[n]), -g->depth[n], f->normal);
        if (c->dimension == 2)
            p.z = 0.0;
        int near;
        if (!frz_bounds_contain(reach, p, c->dimension) ||
            frz_point_hash_collect(hash, out->points, p, same_gap * c->spacing, &near, 1) > 0)
            continue;
        FRZ_TRY(frz_sample_check_count((double)out->count + 1.0, c->spacing, diag));
        FRZ_TRY(frz_point_set_append(out, p, diag));
    }
    // entered only now: nodes of the same face keep their grid, for any width
    if (out->count > first)
    {
        frz_point_hash_destroy(hash);
        FRZ_TRY(frz_point_hash_create(hash, out->count, c->spacing, diag));
        for (int64_t n = 0; n < out->count; ++n)
            frz_point_hash_insert(hash, out->points, (int)n);
    }
    return FRZ_OK;
}

static frz_status sample_face(const context *c, const face *f, frz_point_hash *hash, frz_point_set *out, frz_diag *diag)
{
    grid g;
    lay_out(c, f, &g);
    const int64_t count = g.size[0] * g.size[1];
    if (count == 0)
        return FRZ_OK;
    double *on_face = FRZ_ALLOC("face grid", count, double);
    g.depth = FRZ_ALLOC("face grid", count, double);
    if (on_face == NULL || g.depth == NULL)
    {
        frz_free(on_face);
        frz_free(g.depth);
        return frz_fail_memory(diag, "the grid on a face");
    }
#pragma omp parallel for schedule(dynamic, 256)
    for (int64_t n = 0; n < count; ++n)
        on_face[n] = examine(c, f, &g, g.first[0] + n % g.size[0], g.first[1] + n / g.size[0]);
#pragma omp parallel for schedule(dynamic, 256)
    for (int64_t n = 0; n < count; ++n)
    {
        const bool known = on_face[n] > 0.0;
        g.depth[n] = known ? on_face[n] : examine_corner(c, f, &g, on_face, n % g.size[0], n / g.size[0]);
    }
    const frz_status status = append_nodes(c, f, &g, hash, out, diag);
    frz_free(on_face);
    frz_free(g.depth);
    return status;
}

frz_status frz_sample_faces(const frz_shape *shape, double spacing, int dimension, frz_bounds window,
                            frz_point_set *out, frz_diag *diag)
{
    const frz_shape_transform_data identity = {1.0, frz_quat_identity(), {0.0, 0.0, 0.0}};
    const context c = {shape, spacing, dimension, window};
    face_list list = {0, 0, NULL};
    frz_point_hash hash = {0};
    frz_status status = collect(&c, &identity, shape, false, &list, diag);
    if (status == FRZ_OK)
        status = frz_point_hash_create(&hash, 0, spacing, diag);
    // cavities first: they hold the liquid, so their grids must stay complete in thin walls
    for (int pass = 0; pass < 2; ++pass)
    {
        for (int n = 0; n < list.count && status == FRZ_OK; ++n)
        {
            if (list.faces[n].cavity == (pass == 0))
                status = sample_face(&c, &list.faces[n], &hash, out, diag);
        }
    }
    frz_point_hash_destroy(&hash);
    frz_free(list.faces);
    return status;
}
