// SPDX-License-Identifier: MIT
// Meshes as shapes: signed distance by Embree's closest-point search, sign by angle-weighted pseudo-normals.
//
// Embree works in single precision, so it only proposes triangles; distances are computed here in double, and the
// search radius is kept a little larger than the best distance so that rounding cannot hide the nearest triangle.
#include "geom/shape_internal.h"

#include <embree3/rtcore.h>

#include "base/memory.h"

struct frz_mesh_query
{
    const frz_mesh *mesh;
    frz_vec3 center; ///< Embree's coordinates are relative to it, to keep their digits
    double margin;   ///< search radius beyond the best distance, for rounding in single precision
    RTCDevice device;
    RTCScene scene;
    frz_vec3 *vertex_normals;    ///< angle-weighted sums of face normals (Baerentzen & Aanaes 2005, eq. 2)
    frz_vec3 (*edge_normals)[3]; ///< per triangle: sum of the normals of the faces at the edge corner, corner + 1
    frz_vec3 *face_normals;
};

typedef enum feature
{
    ON_FACE,
    ON_EDGE,  ///< from corner to corner + 1
    ON_VERTEX ///< corner
} feature;

typedef struct closest
{
    const frz_mesh_query *query;
    frz_vec3 point;
    double distance2;
    frz_vec3 nearest;
    int triangle;
    feature feature;
    int corner;
} closest;

// ---- closest point on a triangle

static frz_vec3 set_feature(feature *kind, int *corner, feature f, int c, frz_vec3 p)
{
    *kind = f;
    *corner = c;
    return p;
}

/// Ericson, Real-Time Collision Detection (2005), section 5.1.5: by the Voronoi regions of the triangle.
static frz_vec3 closest_on_triangle(frz_vec3 p, frz_vec3 a, frz_vec3 b, frz_vec3 c, feature *kind, int *corner)
{
    const frz_vec3 ab = frz_v3_sub(b, a);
    const frz_vec3 ac = frz_v3_sub(c, a);
    const frz_vec3 ap = frz_v3_sub(p, a);
    const double d1 = frz_v3_dot(ab, ap);
    const double d2 = frz_v3_dot(ac, ap);
    if (d1 <= 0.0 && d2 <= 0.0)
        return set_feature(kind, corner, ON_VERTEX, 0, a);
    const frz_vec3 bp = frz_v3_sub(p, b);
    const double d3 = frz_v3_dot(ab, bp);
    const double d4 = frz_v3_dot(ac, bp);
    if (d3 >= 0.0 && d4 <= d3)
        return set_feature(kind, corner, ON_VERTEX, 1, b);
    const double vc = d1 * d4 - d3 * d2;
    if (vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0)
        return set_feature(kind, corner, ON_EDGE, 0, frz_v3_mad(a, d1 / (d1 - d3), ab));
    const frz_vec3 cp = frz_v3_sub(p, c);
    const double d5 = frz_v3_dot(ab, cp);
    const double d6 = frz_v3_dot(ac, cp);
    if (d6 >= 0.0 && d5 <= d6)
        return set_feature(kind, corner, ON_VERTEX, 2, c);
    const double vb = d5 * d2 - d1 * d6;
    if (vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0)
        return set_feature(kind, corner, ON_EDGE, 2, frz_v3_mad(a, d2 / (d2 - d6), ac));
    const double va = d3 * d6 - d5 * d4;
    if (va <= 0.0 && d4 - d3 >= 0.0 && d5 - d6 >= 0.0)
        return set_feature(kind, corner, ON_EDGE, 1,
                           frz_v3_mad(b, (d4 - d3) / ((d4 - d3) + (d5 - d6)), frz_v3_sub(c, b)));
    const double scale = 1.0 / (va + vb + vc);
    return set_feature(kind, corner, ON_FACE, 0, frz_v3_mad(frz_v3_mad(a, vb * scale, ab), vc * scale, ac));
}

static frz_vec3 closest_on(const frz_mesh *mesh, int triangle, frz_vec3 point, feature *kind, int *corner)
{
    const int *t = mesh->triangles[triangle];
    return closest_on_triangle(point, mesh->vertices[t[0]], mesh->vertices[t[1]], mesh->vertices[t[2]], kind, corner);
}

/// Radius in which Embree cannot overlook a triangle at the given distance.
static float search_radius(const frz_mesh_query *query, double distance2)
{
    const double rounding = 1.0e-6; // a few units in the last place of a float
    return (float)(sqrt(distance2) * (1.0 + rounding) + query->margin);
}

static bool visit_triangle(struct RTCPointQueryFunctionArguments *args)
{
    closest *best = args->userPtr;
    const int t = (int)args->primID;
    feature kind = ON_FACE;
    int corner = 0;
    const frz_vec3 nearest = closest_on(best->query->mesh, t, best->point, &kind, &corner);
    const frz_vec3 d = frz_v3_sub(best->point, nearest);
    const double distance2 = frz_v3_dot(d, d);
    if (distance2 > best->distance2 || (distance2 == best->distance2 && t > best->triangle))
        return false; // of equally near triangles the first counts, for any order of visits
    best->distance2 = distance2;
    best->nearest = nearest;
    best->triangle = t;
    best->feature = kind;
    best->corner = corner;
    const float radius = search_radius(best->query, distance2);
    if (radius >= args->query->radius)
        return false;
    args->query->radius = radius;
    return true;
}

/// Upper bound of the distance from the triangle that the thread's last query ended at: queries come in rows, and the
/// bound saves most of the search. It only narrows the search and has no influence on the answer, so it may be stale.
static float first_radius(const frz_mesh_query *query, frz_vec3 point, int last_triangle)
{
    if (last_triangle < 0 || last_triangle >= query->mesh->triangle_count)
        return HUGE_VALF;
    feature kind;
    int corner;
    const frz_vec3 d = frz_v3_sub(point, closest_on(query->mesh, last_triangle, point, &kind, &corner));
    return search_radius(query, frz_v3_dot(d, d));
}

double frz_mesh_query_distance(const frz_mesh_query *query, frz_vec3 point, frz_vec3 *gradient)
{
    static _Thread_local int last_triangle = -1;
    closest best = {.query = query, .point = point, .distance2 = HUGE_VAL};
    struct RTCPointQuery search = {.x = (float)(point.x - query->center.x),
                                   .y = (float)(point.y - query->center.y),
                                   .z = (float)(point.z - query->center.z),
                                   .time = 0.0f,
                                   .radius = first_radius(query, point, last_triangle)};
    struct RTCPointQueryContext context;
    rtcInitPointQueryContext(&context);
    rtcPointQuery(query->scene, &search, &context, visit_triangle, &best);
    const int t = best.triangle;
    last_triangle = t;
    const frz_vec3 normal = best.feature == ON_FACE   ? query->face_normals[t]
                            : best.feature == ON_EDGE ? query->edge_normals[t][best.corner]
                                                      : query->vertex_normals[query->mesh->triangles[t][best.corner]];
    const frz_vec3 d = frz_v3_sub(point, best.nearest);
    const double sign = frz_v3_dot(d, normal) < 0.0 ? -1.0 : 1.0;
    const double distance = sqrt(best.distance2);
    if (gradient != NULL)
    {
        // on the surface itself the difference has no direction left
        const bool touching = distance <= 1.0e-3 * query->margin;
        *gradient = touching ? frz_v3_normalize(normal) : frz_v3_scale(sign / distance, d);
    }
    return sign * distance;
}

// ---- building

static double angle_at(frz_vec3 corner, frz_vec3 left, frz_vec3 right)
{
    const frz_vec3 l = frz_v3_sub(left, corner);
    const frz_vec3 r = frz_v3_sub(right, corner);
    return atan2(frz_v3_length(frz_v3_cross(l, r)), frz_v3_dot(l, r));
}

static void sum_vertex_normals(frz_mesh_query *query)
{
    const frz_mesh *mesh = query->mesh;
    for (int t = 0; t < mesh->triangle_count; ++t)
    {
        const int *v = mesh->triangles[t];
        const frz_vec3 p[3] = {mesh->vertices[v[0]], mesh->vertices[v[1]], mesh->vertices[v[2]]};
        query->face_normals[t] = frz_v3_normalize(frz_v3_cross(frz_v3_sub(p[1], p[0]), frz_v3_sub(p[2], p[0])));
        for (int corner = 0; corner < 3; ++corner)
        {
            const double angle = angle_at(p[corner], p[(corner + 1) % 3], p[(corner + 2) % 3]);
            frz_vec3 *sum = &query->vertex_normals[v[corner]];
            *sum = frz_v3_mad(*sum, angle, query->face_normals[t]);
        }
    }
}

static bool make_normals(frz_mesh_query *query)
{
    const frz_mesh *mesh = query->mesh;
    query->vertex_normals = FRZ_ALLOC("mesh normals", mesh->vertex_count, frz_vec3);
    query->edge_normals = frz_alloc("mesh normals", (size_t)mesh->triangle_count, sizeof *query->edge_normals);
    query->face_normals = FRZ_ALLOC("mesh normals", mesh->triangle_count, frz_vec3);
    frz_mesh_edge *edges = frz_mesh_edges(mesh);
    const bool complete =
        query->vertex_normals != NULL && query->edge_normals != NULL && query->face_normals != NULL && edges != NULL;
    if (complete)
    {
        sum_vertex_normals(query);
        const size_t count = 3 * (size_t)mesh->triangle_count;
        for (size_t first = 0, last = 0; first < count; first = last)
        {
            frz_vec3 sum = {0.0, 0.0, 0.0};
            for (; last < count && edges[last].a == edges[first].a && edges[last].b == edges[first].b; ++last)
                sum = frz_v3_add(sum, query->face_normals[edges[last].triangle]);
            for (size_t k = first; k < last; ++k)
                query->edge_normals[edges[k].triangle][edges[k].corner] = sum;
        }
    }
    frz_free(edges);
    return complete;
}

static frz_status build_scene(frz_mesh_query *query, frz_diag *diag)
{
    const frz_mesh *mesh = query->mesh;
    // one thread: the same tree, hence the same tie between equally near triangles, on every machine
    query->device = rtcNewDevice("threads=1");
    if (query->device == NULL)
        return frz_fail(diag, FRZ_ERR_MEMORY, "cannot start Embree (error %d); is its library complete?",
                        (int)rtcGetDeviceError(NULL));
    query->scene = rtcNewScene(query->device);
    rtcSetSceneFlags(query->scene, RTC_SCENE_FLAG_ROBUST);
    RTCGeometry geometry = rtcNewGeometry(query->device, RTC_GEOMETRY_TYPE_TRIANGLE);
    float *vertices = rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT3, 3 * sizeof(float),
                                              (size_t)mesh->vertex_count);
    unsigned *indices = rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT3,
                                                3 * sizeof(unsigned), (size_t)mesh->triangle_count);
    if (vertices != NULL && indices != NULL)
    {
        for (int i = 0; i < mesh->vertex_count; ++i)
        {
            const frz_vec3 v = frz_v3_sub(mesh->vertices[i], query->center);
            vertices[3 * (size_t)i + 0] = (float)v.x;
            vertices[3 * (size_t)i + 1] = (float)v.y;
            vertices[3 * (size_t)i + 2] = (float)v.z;
        }
        for (int t = 0; t < mesh->triangle_count; ++t)
        {
            for (int corner = 0; corner < 3; ++corner)
                indices[3 * (size_t)t + (size_t)corner] = (unsigned)mesh->triangles[t][corner];
        }
        rtcCommitGeometry(geometry);
        rtcAttachGeometry(query->scene, geometry);
        rtcCommitScene(query->scene);
    }
    rtcReleaseGeometry(geometry);
    if (rtcGetDeviceError(query->device) != RTC_ERROR_NONE || vertices == NULL || indices == NULL)
        return frz_fail_memory(diag, "the search tree of a mesh");
    return FRZ_OK;
}

frz_status frz_mesh_query_create(const frz_mesh *mesh, frz_mesh_query **out, frz_diag *diag)
{
    *out = NULL;
    frz_mesh_query *query = FRZ_ALLOC("mesh query", 1, frz_mesh_query);
    if (query == NULL)
        return frz_fail_memory(diag, "a mesh");
    const frz_bounds bounds = frz_mesh_bounds(mesh);
    query->mesh = mesh;
    query->center = frz_v3_scale(0.5, frz_v3_add(bounds.min, bounds.max));
    query->margin = 1.0e-6 * frz_v3_length(frz_v3_sub(bounds.max, bounds.min));
    frz_status status = make_normals(query) ? FRZ_OK : frz_fail_memory(diag, "the normals of a mesh");
    if (status == FRZ_OK)
        status = build_scene(query, diag);
    if (status != FRZ_OK)
        frz_mesh_query_destroy(&query);
    *out = query;
    return status;
}

void frz_mesh_query_destroy(frz_mesh_query **query)
{
    if (query == NULL || *query == NULL)
        return;
    if ((*query)->scene != NULL)
        rtcReleaseScene((*query)->scene);
    if ((*query)->device != NULL)
        rtcReleaseDevice((*query)->device);
    frz_free((*query)->vertex_normals);
    frz_free((*query)->edge_normals);
    frz_free((*query)->face_normals);
    frz_free(*query);
    *query = NULL;
}

// ---- the shape

static double mesh_distance(const frz_shape *shape, frz_vec3 point)
{
    return frz_mesh_query_distance(shape->u.mesh.query, point, NULL);
}

static double mesh_gradient(const frz_shape *shape, frz_vec3 point, frz_vec3 *normal)
{
    return frz_mesh_query_distance(shape->u.mesh.query, point, normal);
}

static frz_bounds mesh_bounds(const frz_shape *shape)
{
    return shape->u.mesh.bounds;
}

static double mesh_volume(const frz_shape *shape, int dimension)
{
    return dimension == 2 ? -1.0 : frz_mesh_volume(shape->u.mesh.mesh);
}

static double mesh_area(const frz_shape *shape, int dimension, frz_bounds window)
{
    (void)window;
    return frz_mesh_area(shape->u.mesh.mesh, dimension);
}

static void mesh_release(frz_shape *shape)
{
    frz_mesh_query_destroy(&shape->u.mesh.query);
    frz_mesh_destroy(&shape->u.mesh.mesh);
    frz_free(shape->u.mesh.root);
    frz_free(shape->u.mesh.path);
}

const frz_shape_class frz_shape_class_mesh = {.name = "mesh",
                                              .distance = mesh_distance,
                                              .bounds = mesh_bounds,
                                              .gradient = mesh_gradient,
                                              .volume = mesh_volume,
                                              .area = mesh_area,
                                              .release = mesh_release};
// A height field is a mesh that was made here instead of read from a file.
const frz_shape_class frz_shape_class_heightfield = {.name = "heightfield",
                                                     .distance = mesh_distance,
                                                     .bounds = mesh_bounds,
                                                     .gradient = mesh_gradient,
                                                     .volume = mesh_volume,
                                                     .area = mesh_area,
                                                     .release = mesh_release};

frz_status frz_shape_take_mesh(frz_mesh *mesh, frz_shape **out, frz_diag *diag)
{
    *out = NULL;
    if (mesh == NULL)
        return frz_fail(diag, FRZ_ERR_ARGUMENT, "mesh: there is none");
    frz_mesh_report report;
    frz_status status = frz_mesh_examine(mesh, &report, diag);
    if (status == FRZ_OK)
        status = frz_mesh_judge(&report, "in memory", diag);
    frz_shape *shape = status == FRZ_OK ? frz_shape_new(FRZ_SHAPE_MESH, 0) : NULL;
    if (shape == NULL)
    {
        frz_mesh_destroy(&mesh);
        return status != FRZ_OK ? status : frz_fail_memory(diag, "a mesh");
    }
    shape->u.mesh.mesh = mesh;
    shape->u.mesh.bounds = frz_mesh_bounds(mesh);
    status = frz_mesh_query_create(mesh, &shape->u.mesh.query, diag);
    if (status != FRZ_OK)
    {
        frz_shape_destroy(&shape);
        return status;
    }
    frz_shape_finish(shape);
    *out = shape;
    return FRZ_OK;
}
