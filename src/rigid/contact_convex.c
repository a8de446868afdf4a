// SPDX-License-Identifier: MIT
// Convex solids with plane faces: their planes, and from these their exact edges and corners.
#include "rigid/contact_shape.h"

#include "base/grow.h"
#include "base/memory.h"
#include "geom/mesh.h"
#include "geom/shape_internal.h"

static const double parallel = 1.0e-9;    ///< 1 - cosine between planes that are one, or meet nowhere
static const double plane_error = 1.0e-7; ///< of plane faces, relative to the size of the solid
static const double edge_step = 1.0;      ///< points along edges, in spacings
static const double flat_cosine = 0.985;  ///< cos 10 degrees: faces that meet at less make no edge

enum
{
    most_planes = 32 ///< beyond this a grid is faster
};

typedef struct plane_list
{
    int count;
    double error; ///< m
    frz_contact_plane planes[most_planes];
} plane_list;

static bool add_plane(plane_list *list, frz_contact_plane plane)
{
    for (int k = 0; k < list->count; ++k)
    {
        if (1.0 - frz_v3_dot(plane.normal, list->planes[k].normal) < parallel &&
            fabs(plane.offset - list->planes[k].offset) < list->error)
            return true;
    }
    if (list->count == most_planes)
        return false;
    list->planes[list->count++] = plane;
    return true;
}

static bool add_box(plane_list *list, const frz_shape_box_data *box)
{
    for (int axis = 0; axis < 3; ++axis)
    {
        for (int side = 0; side < 2; ++side)
        {
            const double sign = side == 0 ? -1.0 : 1.0;
            frz_contact_plane plane = {.offset = sign * frz_v3_get(side == 0 ? box->min : box->max, axis)};
            frz_v3_set(&plane.normal, axis, sign);
            if (isfinite(plane.offset) && !add_plane(list, plane))
                return false;
        }
    }
    return true;
}

static bool add_mesh(plane_list *list, const frz_mesh *mesh)
{
    for (int t = 0; t < mesh->triangle_count; ++t)
    {
        const frz_vec3 a = mesh->vertices[mesh->triangles[t][0]], b = mesh->vertices[mesh->triangles[t][1]],
                       c = mesh->vertices[mesh->triangles[t][2]];
        frz_contact_plane plane = {.normal = frz_v3_normalize(frz_v3_cross(frz_v3_sub(b, a), frz_v3_sub(c, a)))};
        plane.offset = frz_v3_dot(plane.normal, a);
        for (int v = 0; v < mesh->vertex_count; ++v)
        {
            if (frz_v3_dot(plane.normal, mesh->vertices[v]) > plane.offset + list->error)
                return false; // hollow there
        }
        if (!add_plane(list, plane))
            return false;
    }
    return true;
}

static bool add_shape(plane_list *list, const frz_shape *shape);

static bool add_transform(plane_list *list, const frz_shape *shape)
{
    const frz_shape_transform_data *t = &shape->u.transform;
    plane_list inner = {.count = 0, .error = list->error / t->scale};
    if (!add_shape(&inner, shape->children[0]))
        return false;
    for (int k = 0; k < inner.count; ++k)
    {
        frz_contact_plane plane = {.normal = frz_quat_rotate(t->rotation, inner.planes[k].normal)};
        plane.offset = t->scale * inner.planes[k].offset + frz_v3_dot(plane.normal, t->translation);
        if (!add_plane(list, plane))
            return false;
    }
    return true;
}

/// False if the shape is none of plane faces, not convex, or has too many of them.
static bool add_shape(plane_list *list, const frz_shape *shape)
{
    switch (shape->kind)
    {
    case FRZ_SHAPE_BOX:
        return add_box(list, &shape->u.box);
    case FRZ_SHAPE_HALF_SPACE:
    {
        const frz_shape_round_data *half = &shape->u.round;
        return add_plane(list, (frz_contact_plane){half->axis, frz_v3_dot(half->axis, half->a)});
    }
    case FRZ_SHAPE_MESH:
        return add_mesh(list, shape->u.mesh.mesh);
    case FRZ_SHAPE_TRANSFORM:
        return add_transform(list, shape);
    case FRZ_SHAPE_INTERSECTION:
        for (int n = 0; n < shape->child_count; ++n)
        {
            if (!add_shape(list, shape->children[n]))
                return false;
        }
        return true;
    default:
        return false;
    }
}

frz_status frz_contact_convex_planes(const frz_shape *shape, frz_contact_plane **planes, int *count, frz_diag *diag)
{
    *planes = NULL;
    *count = 0;
    plane_list list = {.count = 0, .error = plane_error * shape->size};
    if (!add_shape(&list, shape) || list.count == 0)
        return FRZ_OK;
    *planes = FRZ_ALLOC("contact planes", list.count, frz_contact_plane);
    if (*planes == NULL)
        return frz_fail_memory(diag, "the planes of a body");
    for (int k = 0; k < list.count; ++k)
        (*planes)[k] = list.planes[k];
    *count = list.count;
    return FRZ_OK;
}

// ---- edges and corners

typedef struct solid
{
    const frz_contact_shape_def *def;
    const frz_contact_plane *planes;
    int plane_count;
    double error;
    int count;
    int64_t capacity;
    frz_contact_point *points;
    frz_diag *diag;
} solid;

static frz_status append(solid *s, frz_contact_point point)
{
    if (s->def->dimension == 2)
    {
        for (int k = 0; k < point.normal_count; ++k)
        {
            point.normal[k].z = 0.0;
            point.normal[k] = frz_v3_normalize(point.normal[k]);
        }
    }
    if (!frz_bounds_contain(s->def->clip, point.position, s->def->dimension))
        return FRZ_OK;
    frz_contact_point *points =
        frz_grow("contact points", s->points, &s->capacity, s->count + 1, frz_grow_spare(s->count), sizeof *points);
    if (points == NULL)
        return frz_fail_memory(s->diag, "the contact points of a body");
    s->points = points;
    s->points[s->count++] = point;
    return FRZ_OK;
}

/// The corner at a place, unless it is there already: all faces that meet in it.
static frz_status add_corner(solid *s, frz_vec3 place)
{
    for (int n = 0; n < s->count; ++n)
    {
        if (frz_v3_length(frz_v3_sub(place, s->points[n].position)) < 10.0 * s->error)
            return FRZ_OK;
    }
    frz_contact_point corner = {.position = place};
    for (int k = 0; k < s->plane_count && corner.normal_count < FRZ_CONTACT_NORMALS; ++k)
    {
        if (fabs(frz_v3_dot(s->planes[k].normal, place) - s->planes[k].offset) < 10.0 * s->error)
            corner.normal[corner.normal_count++] = s->planes[k].normal;
    }
    return append(s, corner);
}

/// The part of a line place + t along that all planes but two leave; false if nothing is left.
static bool cut_line(const solid *s, int i, int j, frz_vec3 place, frz_vec3 along, double range[2])
{
    range[0] = -HUGE_VAL;
    range[1] = HUGE_VAL;
    for (int k = 0; k < s->plane_count; ++k)
    {
        const double slope = frz_v3_dot(s->planes[k].normal, along);
        const double height = s->planes[k].offset - frz_v3_dot(s->planes[k].normal, place);
        if (k == i || k == j)
            continue;
        if (fabs(slope) > parallel)
            range[slope > 0.0 ? 1 : 0] = slope > 0.0 ? fmin(range[1], height / slope) : fmax(range[0], height / slope);
        else if (height < -s->error)
            return false;
    }
    return range[1] - range[0] > 10.0 * s->error;
}

static frz_status sample_edge(solid *s, int i, int j)
{
    const frz_contact_plane *a = &s->planes[i], *b = &s->planes[j];
    const double cosine = frz_v3_dot(a->normal, b->normal);
    if (cosine > flat_cosine || 1.0 + cosine < parallel)
        return FRZ_OK;
    const frz_vec3 along = frz_v3_normalize(frz_v3_cross(a->normal, b->normal));
    const double square = 1.0 - cosine * cosine; // of the sine
    const frz_vec3 place = frz_v3_add(frz_v3_scale((a->offset - cosine * b->offset) / square, a->normal),
                                      frz_v3_scale((b->offset - cosine * a->offset) / square, b->normal));
    double range[2];
    if (!cut_line(s, i, j, place, along, range))
        return FRZ_OK;
    frz_contact_point point = {.normal = {a->normal, b->normal}, .normal_count = 2};
    if (s->def->dimension == 2)
    {
        const double crossing = fabs(along.z) > parallel ? -place.z / along.z : HUGE_VAL;
        if (!(crossing >= range[0] && crossing <= range[1]))
            return FRZ_OK;
        point.position = frz_v3_mad(place, crossing, along);
        point.position.z = 0.0;
        return append(s, point);
    }
    if (!isfinite(range[0]) || !isfinite(range[1]))
        return FRZ_OK; // an edge without end has no corners, and its sharpness is felt by the samples next to it
    FRZ_TRY(add_corner(s, frz_v3_mad(place, range[0], along)));
    FRZ_TRY(add_corner(s, frz_v3_mad(place, range[1], along)));
    const int parts = (int)ceil((range[1] - range[0]) / (edge_step * s->def->spacing));
    for (int k = 1; k < parts; ++k)
    {
        point.position = frz_v3_mad(place, range[0] + (range[1] - range[0]) * k / parts, along);
        FRZ_TRY(append(s, point));
    }
    return FRZ_OK;
}

frz_status frz_contact_convex_features(const frz_contact_shape_def *def, const frz_contact_plane *planes,
                                       int plane_count, frz_contact_outline *outline, frz_diag *diag)
{
    solid s = {.def = def,
               .planes = planes,
               .plane_count = plane_count,
               .error = plane_error * def->shape->size,
               .diag = diag};
    frz_status status = FRZ_OK;
    for (int i = 0; i < plane_count && status == FRZ_OK; ++i)
    {
        for (int j = i + 1; j < plane_count && status == FRZ_OK; ++j)
            status = sample_edge(&s, i, j);
    }
    outline->points = s.points;
    outline->count = s.count;
    outline->capacity = s.capacity;
    return status;
}
