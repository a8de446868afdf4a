// SPDX-License-Identifier: MIT
// Sharp convex edges and corners of a shape, from its triangles.
#include "rigid/contact_shape.h"

#include "base/grow.h"
#include "base/memory.h"
#include "geom/mesh.h"
#include "geom/shape_internal.h"

static const double sharp_cosine =
    0.766; ///< cos 40 degrees: triangles that meet at a smaller angle are a smooth surface
static const double corner_cosine =
    0.94; ///< cos 20 degrees: a vertex whose faces all lie this near to their mean is smooth
static const double same_cosine = 0.866; ///< cos 30 degrees: faces of a vertex that count as one
static const double edge_step = 1.0;     ///< points along edges, in spacings
static const double probe_step = 0.05;   ///< how far outside an edge is checked to be free, in spacings
static const double free_share = 0.3;    ///< of that, the least distance found there
static const double surface_error =
    0.05; ///< points of approximate triangulations further from the surface fall out, in spacings

typedef struct feature_list
{
    const frz_contact_shape_def *def;
    frz_contact_outline *out;
    frz_diag *diag;
} feature_list;

static frz_vec3 triangle_normal(const frz_mesh *mesh, int t)
{
    const int *v = mesh->triangles[t];
    const frz_vec3 ab = frz_v3_sub(mesh->vertices[v[1]], mesh->vertices[v[0]]);
    const frz_vec3 ac = frz_v3_sub(mesh->vertices[v[2]], mesh->vertices[v[0]]);
    return frz_v3_cross(ab, ac); // twice the area long
}

/// Free space in front of every face: sorts out concave edges and those that only the clip made.
static bool is_open(const feature_list *list, const frz_contact_point *point)
{
    const double step = probe_step * list->def->spacing;
    if (fabs(frz_shape_distance(list->def->shape, point->position)) > surface_error * list->def->spacing)
        return false;
    for (int k = 0; k < point->normal_count; ++k)
    {
        const frz_vec3 probe = frz_v3_mad(point->position, step, point->normal[k]);
        if (frz_shape_distance(list->def->shape, probe) < free_share * step)
            return false;
    }
    return true;
}

static frz_status append(feature_list *list, frz_contact_point point)
{
    if (list->def->dimension == 2)
    {
        point.position.z = 0.0;
        for (int k = 0; k < point.normal_count; ++k)
        {
            point.normal[k].z = 0.0;
            point.normal[k] = frz_v3_normalize(point.normal[k]);
        }
    }
    if (!frz_bounds_contain(list->def->clip, point.position, list->def->dimension) || !is_open(list, &point))
        return FRZ_OK;
    frz_contact_outline *out = list->out;
    frz_contact_point *points = frz_grow("contact points", out->points, &out->capacity, out->count + 1,
                                         frz_grow_spare(out->count), sizeof *points);
    if (points == NULL)
        return frz_fail_memory(list->diag, "the contact points of a body");
    out->points = points;
    out->points[out->count++] = point;
    return FRZ_OK;
}

/// Points between the ends of a sharp edge; in 2D the one where it meets the plane.
static frz_status sample_edge(feature_list *list, frz_vec3 a, frz_vec3 b, frz_vec3 first, frz_vec3 second)
{
    frz_contact_point point = {.normal = {first, second}, .normal_count = 2};
    const frz_vec3 along = frz_v3_sub(b, a);
    if (list->def->dimension == 2)
    {
        if ((a.z < 0.0) == (b.z < 0.0))
            return FRZ_OK;
        point.position = frz_v3_mad(a, -a.z / along.z, along);
        return append(list, point);
    }
    const int parts = (int)ceil(frz_v3_length(along) / (edge_step * list->def->spacing));
    for (int k = 1; k < parts; ++k)
    {
        point.position = frz_v3_mad(a, (double)k / parts, along);
        FRZ_TRY(append(list, point));
    }
    return FRZ_OK;
}

static frz_status sample_edges(feature_list *list, const frz_mesh *mesh, const frz_mesh_edge *edges)
{
    const int64_t count = 3 * (int64_t)mesh->triangle_count;
    for (int64_t e = 0; e + 1 < count; ++e)
    {
        const frz_mesh_edge *one = &edges[e], *two = &edges[e + 1];
        if (one->a != two->a || one->b != two->b || one->forward == two->forward)
            continue;
        const frz_vec3 first = frz_v3_normalize(triangle_normal(mesh, one->triangle));
        const frz_vec3 second = frz_v3_normalize(triangle_normal(mesh, two->triangle));
        if (frz_v3_dot(first, second) > sharp_cosine)
            continue;
        FRZ_TRY(sample_edge(list, mesh->vertices[one->a], mesh->vertices[one->b], first, second));
    }
    return FRZ_OK;
}

/// One more face of a corner: joined to one that looks the same way, else a new one.
static void add_normal(frz_contact_point *point, frz_vec3 normal)
{
    const frz_vec3 unit = frz_v3_normalize(normal);
    for (int k = 0; k < point->normal_count; ++k)
    {
        if (frz_v3_dot(unit, frz_v3_normalize(point->normal[k])) > same_cosine)
        {
            point->normal[k] = frz_v3_add(point->normal[k], normal);
            return;
        }
    }
    if (point->normal_count < FRZ_CONTACT_NORMALS)
        point->normal[point->normal_count++] = normal;
}

static frz_status sample_vertices(feature_list *list, const frz_mesh *mesh, frz_vec3 *mean, frz_contact_point *corners)
{
    for (int t = 0; t < mesh->triangle_count; ++t)
    {
        const frz_vec3 unit = frz_v3_normalize(triangle_normal(mesh, t));
        for (int c = 0; c < 3; ++c)
            mean[mesh->triangles[t][c]] = frz_v3_add(mean[mesh->triangles[t][c]], unit);
    }
    for (int t = 0; t < mesh->triangle_count; ++t)
    {
        const frz_vec3 normal = triangle_normal(mesh, t);
        for (int c = 0; c < 3; ++c)
            add_normal(&corners[mesh->triangles[t][c]], normal);
    }
    for (int v = 0; v < mesh->vertex_count; ++v)
    {
        frz_contact_point *corner = &corners[v];
        const frz_vec3 center = frz_v3_normalize(mean[v]);
        bool sharp = false;
        for (int k = 0; k < corner->normal_count; ++k)
        {
            corner->normal[k] = frz_v3_normalize(corner->normal[k]);
            sharp = sharp || frz_v3_dot(center, corner->normal[k]) < corner_cosine;
        }
        corner->position = mesh->vertices[v];
        if (sharp && corner->normal_count > 1)
            FRZ_TRY(append(list, *corner));
    }
    return FRZ_OK;
}

static frz_status collect_features(feature_list *list, const frz_mesh *mesh)
{
    frz_mesh_edge *edges = frz_mesh_edges(mesh);
    if (edges == NULL)
        return frz_fail_memory(list->diag, "the edges of a body");
    frz_status status = sample_edges(list, mesh, edges);
    frz_free(edges);
    if (status != FRZ_OK || list->def->dimension == 2)
        return status;
    frz_vec3 *mean = FRZ_ALLOC("corner normals", mesh->vertex_count, frz_vec3);
    frz_contact_point *corners = FRZ_ALLOC("corner normals", mesh->vertex_count, frz_contact_point);
    status = mean != NULL && corners != NULL ? sample_vertices(list, mesh, mean, corners)
                                             : frz_fail_memory(list->diag, "the corners of a body");
    frz_free(mean);
    frz_free(corners);
    return status;
}

/// Corners and centres of triangles.
static frz_status take_places(feature_list *list, const frz_mesh *mesh)
{
    frz_contact_outline *out = list->out;
    out->places = FRZ_ALLOC("contact places", (int64_t)mesh->vertex_count + mesh->triangle_count, frz_vec3);
    if (out->places == NULL)
        return frz_fail_memory(list->diag, "the contact points of a body");
    for (int v = 0; v < mesh->vertex_count; ++v)
        out->places[out->place_count++] = mesh->vertices[v];
    for (int t = 0; t < mesh->triangle_count; ++t)
    {
        const int *v = mesh->triangles[t];
        const frz_vec3 sum = frz_v3_add(mesh->vertices[v[0]], frz_v3_add(mesh->vertices[v[1]], mesh->vertices[v[2]]));
        out->places[out->place_count++] = frz_v3_scale(1.0 / 3.0, sum);
    }
    for (int n = 0; n < out->place_count && list->def->dimension == 2; ++n)
        out->places[n].z = 0.0;
    return FRZ_OK;
}

static frz_status outline_mesh(feature_list *list, frz_mesh *mesh)
{
    if (mesh->triangle_count == 0)
        return FRZ_OK;
    if (frz_mesh_weld(mesh, 0.0) < 0)
        return frz_fail_memory(list->diag, "the triangles of a body");
    FRZ_TRY(collect_features(list, mesh));
    return take_places(list, mesh);
}

frz_status frz_contact_features(const frz_contact_shape_def *def, frz_contact_outline *outline, frz_diag *diag)
{
    frz_bounds clip = def->clip;
    if (def->dimension == 2)
    {
        // a slice around the plane is enough, and the only finite part of plane shapes
        clip.min.z = -2.0 * def->spacing;
        clip.max.z = 2.0 * def->spacing;
    }
    frz_mesh *mesh = NULL;
    feature_list list = {.def = def, .out = outline, .diag = diag};
    FRZ_TRY(frz_shape_triangulate(def->shape, def->spacing, clip, &mesh, diag));
    const frz_status status = outline_mesh(&list, mesh);
    frz_mesh_destroy(&mesh);
    return status;
}

void frz_contact_outline_clear(frz_contact_outline *outline)
{
    frz_free(outline->points);
    frz_free(outline->places);
    *outline = (frz_contact_outline){0};
}
