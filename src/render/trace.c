// SPDX-License-Identifier: MIT
// Build the Embree scene: spheres as one geometry, each mesh as another; faces that hide a tank's contents left out.
#include "render/trace.h"

#include <math.h>
#include <pthread.h>
#include <stdint.h>
#include <string.h>

#include "base/memory.h"

static const float undrawn = -1.0f, hidden = -2.0f; // radii of spheres that are not there, or tell only where liquid is
static const double farthest = 1e5;                 // picture units; beyond this floats cannot resolve a sphere anyway
static const float probe_offset = 1e-4f;            // picture units; steps over the face that a probe starts from
static const double ground_quantile = 0.001;        // spheres that may lie below the ground: leaks and lone drops
static const double ground_reach = 2.0;             // picture units; spheres farther from the target do not count

enum
{
    ground_bins = 4096,
    cavity_votes = 256 // spheres that are asked which kind of container they are in
};

static RTCDevice shared_device;

static void create_device(void)
{
    // One builder thread: the tree is the same on every machine, and no second pool competes with OpenMP.
    shared_device = rtcNewDevice("threads=1,set_affinity=0");
}

/// The device is made once and kept until the process ends; making one takes longer than a small picture.
static RTCDevice get_device(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    (void)pthread_once(&once, create_device);
    return shared_device;
}

static frz_status check_device(frz_diag *diag)
{
    switch (rtcGetDeviceError(get_device()))
    {
    case RTC_ERROR_NONE:
        return FRZ_OK;
    case RTC_ERROR_OUT_OF_MEMORY:
        return frz_fail_memory(diag, "the ray-casting tree of a picture");
    case RTC_ERROR_UNSUPPORTED_CPU:
        return frz_fail(diag, FRZ_ERR_PROGRAM, "Embree does not support this processor, so no pictures can be made");
    default:
        return frz_fail(diag, FRZ_ERR_PROGRAM, "Embree failed while a picture was being prepared");
    }
}

static bool place_point(const frz_view *view, double x, double y, double z, float out[3])
{
    const double px = (x - view->origin.x) / view->unit;
    const double py = (y - view->origin.y) / view->unit;
    const double pz = (z - view->origin.z) / view->unit;
    out[0] = (float)px;
    out[1] = (float)py;
    out[2] = (float)pz;
    return fabs(px) < farthest && fabs(py) < farthest && fabs(pz) < farthest; // false for NaN
}

static void place_spheres(const frz_render_spheres *spheres, const frz_view *view, float *placed)
{
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < spheres->count; ++i)
    {
        const float *from = spheres->xyzr + 4 * i;
        float *to = placed + 4 * i;
        const double radius = (double)from[3] / view->unit;
        const bool good = place_point(view, (double)from[0], (double)from[1], (double)from[2], to);
        to[3] = (float)radius;
        if (!good || !(fabs(radius) > 0.0) || !(fabs(radius) < farthest))
        {
            memset(to, 0, 3 * sizeof *to);
            to[3] = undrawn;
        }
        else if (radius < 0.0)
            to[3] = hidden;
    }
}

static frz_status attach_spheres(frz_trace *trace, const frz_render_spheres *spheres, const frz_view *view,
                                 frz_diag *diag)
{
    // one sphere more than needed, because Embree reads 16 bytes past the last one
    trace->spheres = FRZ_ALLOC("picture spheres", 4 * ((size_t)spheres->count + 1), float);
    if (trace->spheres == NULL)
        return frz_fail_memory(diag, "the spheres of a picture");
    place_spheres(spheres, view, trace->spheres);
    trace->sphere_colors = spheres->colors;
    RTCGeometry geometry = rtcNewGeometry(get_device(), RTC_GEOMETRY_TYPE_SPHERE_POINT);
    rtcSetSharedGeometryBuffer(geometry, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT4, trace->spheres, 0,
                               4 * sizeof(float), (size_t)spheres->count);
    rtcCommitGeometry(geometry);
    rtcAttachGeometryByID(trace->scene, geometry, FRZ_TRACE_SPHERES);
    rtcReleaseGeometry(geometry);
    return check_device(diag);
}

/// Copy a mesh into picture units; triangles with bad corners are dropped.
static frz_status place_mesh(const frz_mesh *mesh, const frz_view *view, frz_trace_mesh *out, frz_diag *diag)
{
    out->vertices = FRZ_ALLOC("picture mesh", 4 * ((size_t)mesh->vertex_count + 1), float);
    out->triangles = frz_alloc("picture mesh", (size_t)mesh->triangle_count, sizeof *out->triangles);
    bool *good = FRZ_ALLOC("picture mesh", mesh->vertex_count, bool);
    if (out->vertices == NULL || out->triangles == NULL || good == NULL)
    {
        frz_free(good);
        return frz_fail_memory(diag, "the meshes of a picture");
    }
    out->vertex_count = mesh->vertex_count;
    for (int v = 0; v < mesh->vertex_count; ++v)
    {
        const frz_vec3 p = mesh->vertices[v];
        good[v] = place_point(view, p.x, p.y, p.z, out->vertices + 4 * (size_t)v);
    }
    for (int t = 0; t < mesh->triangle_count; ++t)
    {
        bool usable = true;
        for (int c = 0; c < 3; ++c)
        {
            const int vertex = mesh->triangles[t][c];
            usable = usable && vertex >= 0 && vertex < mesh->vertex_count && good[vertex];
            out->triangles[out->triangle_count][c] = (unsigned int)vertex;
        }
        out->triangle_count += usable ? 1 : 0;
    }
    frz_free(good);
    return FRZ_OK;
}

/// Vertices at both ends of the time that the shutter is open: half of it before and half of it after the frame.
static frz_status move_vertices(const frz_render_mesh *from, double shutter, const frz_view *view, frz_trace_mesh *mesh,
                                frz_diag *diag)
{
    mesh->later = FRZ_ALLOC("picture mesh", 4 * ((size_t)mesh->vertex_count + 1), float);
    if (mesh->later == NULL)
        return frz_fail_memory(diag, "the meshes of a picture");
    const double half = 0.5 * shutter / view->unit;
#pragma omp parallel for schedule(static)
    for (int v = 0; v < mesh->vertex_count; ++v)
    {
        const frz_vec3 way = frz_v3_scale(half, from->velocities[v]);
        const double length = frz_v3_length(way);
        const frz_vec3f step = length < 1.0 ? frz_v3f_from(way) : frz_v3f(0.0f, 0.0f, 0.0f); // false for NaN
        float *early = mesh->vertices + 4 * (size_t)v, *late = mesh->later + 4 * (size_t)v;
        late[0] = early[0] + step.x;
        late[1] = early[1] + step.y;
        late[2] = early[2] + step.z;
        early[0] -= step.x;
        early[1] -= step.y;
        early[2] -= step.z;
    }
    return FRZ_OK;
}

static RTCGeometry create_triangles(const frz_trace_mesh *mesh)
{
    RTCGeometry geometry = rtcNewGeometry(get_device(), RTC_GEOMETRY_TYPE_TRIANGLE);
    if (mesh->later != NULL)
        rtcSetGeometryTimeStepCount(geometry, 2);
    rtcSetSharedGeometryBuffer(geometry, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT3, mesh->vertices, 0,
                               4 * sizeof(float), (size_t)mesh->vertex_count);
    if (mesh->later != NULL)
        rtcSetSharedGeometryBuffer(geometry, RTC_BUFFER_TYPE_VERTEX, 1, RTC_FORMAT_FLOAT3, mesh->later, 0,
                                   4 * sizeof(float), (size_t)mesh->vertex_count);
    rtcSetSharedGeometryBuffer(geometry, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT3, mesh->triangles, 0,
                               sizeof *mesh->triangles, (size_t)mesh->triangle_count);
    rtcCommitGeometry(geometry);
    return geometry;
}

static struct RTCRayHit shoot(RTCScene scene, frz_vec3f from, frz_vec3f direction, float near)
{
    struct RTCRayHit hit = frz_trace_ray(from, direction, INFINITY);
    hit.ray.tnear = near;
    struct RTCIntersectContext context;
    rtcInitIntersectContext(&context);
    rtcIntersect1(scene, &context, &hit);
    return hit;
}

/// How many more times (up to 2) a ray meets the mesh.
static int count_hits(RTCScene scene, frz_vec3f from, frz_vec3f direction)
{
    float near = probe_offset;
    for (int count = 0; count < 2; ++count)
    {
        const struct RTCRayHit hit = shoot(scene, from, direction, near);
        if (hit.hit.geomID == RTC_INVALID_GEOMETRY_ID)
            return count;
        near = hit.ray.tfar + probe_offset;
    }
    return 2;
}

/// Whether a ray that has left a wall is above a floor of the same mesh: in its cavity, although it may leave through a
/// hole.
static bool leaves_into_cavity(RTCScene probe, frz_vec3f from, frz_vec3f sight, const frz_view *view)
{
    const float slant = 0.02f; // away from the wall, so that the ray downwards does not run along it
    const struct RTCRayHit wall = shoot(probe, from, sight, probe_offset);
    if (wall.hit.geomID == RTC_INVALID_GEOMETRY_ID)
        return false;
    const frz_vec3f behind = frz_v3f_add(from, frz_v3f_scale(wall.ray.tfar + probe_offset, sight));
    const frz_vec3f down = frz_v3f_normalize(frz_v3f_sub(frz_v3f_scale(slant, sight), view->world_up));
    return shoot(probe, behind, down, probe_offset).hit.geomID != RTC_INVALID_GEOMETRY_ID;
}

/// True if the spheres lie in the cavity of a mesh with thick walls, false if inside of its closed surface. A ray
/// downwards meets the floor from its outer side in the first case, from its inner side in the second. A vessel that is
/// still empty is drawn as it will be when it is filled.
static bool has_cavity(RTCScene probe, const frz_trace *trace, int64_t sphere_count, const frz_view *view)
{
    // nearly straight down; slanted so that it does not run along walls and edges
    const frz_vec3f slant = frz_v3f(0.0123f, 0.0101f, 0.0173f);
    const frz_vec3f down = frz_v3f_normalize(frz_v3f_sub(slant, view->world_up));
    const int64_t stride = sphere_count / cavity_votes + 1;
    int outside = 0, inside = 0;
    for (int64_t i = 0; i < sphere_count; i += stride)
    {
        const float *s = trace->spheres + 4 * i;
        if (!(s[3] > 0.0f) && s[3] != hidden)
            continue;
        const struct RTCRayHit hit = shoot(probe, frz_v3f(s[0], s[1], s[2]), down, 0.0f);
        if (hit.hit.geomID == RTC_INVALID_GEOMETRY_ID)
            continue;
        if (frz_v3f_dot(frz_v3f(hit.hit.Ng_x, hit.hit.Ng_y, hit.hit.Ng_z), down) > 0.0f)
            ++inside;
        else
            ++outside;
    }
    return outside >= inside;
}

/// Whether a triangle of a see-through mesh is drawn. Of a closed surface these are the faces turned away from the
/// camera (and with no more surface behind them); of thick walls around a cavity, the faces turned to the camera
/// that have only their own wall behind them: the floor and the far walls, seen from inside.
static bool is_far_side(const frz_trace_mesh *mesh, RTCScene probe, bool cavity, const frz_view *view, int triangle)
{
    frz_vec3f corner[3];
    for (int c = 0; c < 3; ++c)
    {
        const float *v = mesh->vertices + 4 * (size_t)mesh->triangles[triangle][c];
        corner[c] = frz_v3f(v[0], v[1], v[2]);
    }
    const frz_vec3f sum = frz_v3f_add(frz_v3f_add(corner[0], corner[1]), corner[2]);
    const frz_vec3f center = frz_v3f_scale(1.0f / 3.0f, sum);
    const frz_vec3f normal = frz_v3f_cross(frz_v3f_sub(corner[1], corner[0]), frz_v3f_sub(corner[2], corner[0]));
    const frz_vec3f sight = view->orthographic ? view->forward : frz_v3f_normalize(frz_v3f_sub(center, view->eye));
    const float away = frz_v3f_dot(normal, sight);
    if (cavity)
        return away < 0.0f && count_hits(probe, center, sight) < 2 && !leaves_into_cavity(probe, center, sight, view);
    return away > 0.0f && count_hits(probe, center, sight) < 1;
}

/// Keep only the faces that do not stand between the camera and the inside of the mesh.
static frz_status drop_near_faces(frz_trace_mesh *mesh, const frz_trace *trace, int64_t sphere_count,
                                  const frz_view *view, frz_diag *diag)
{
    bool *keep = FRZ_ALLOC("picture mesh", mesh->triangle_count, bool);
    if (keep == NULL)
        return frz_fail_memory(diag, "the meshes of a picture");
    RTCScene probe = rtcNewScene(get_device());
    RTCGeometry geometry = create_triangles(mesh);
    rtcAttachGeometry(probe, geometry);
    rtcReleaseGeometry(geometry);
    rtcCommitScene(probe);
    const frz_status status = check_device(diag);
    if (status == FRZ_OK)
    {
        const bool cavity = has_cavity(probe, trace, sphere_count, view);
#pragma omp parallel for schedule(static)
        for (int t = 0; t < mesh->triangle_count; ++t)
            keep[t] = is_far_side(mesh, probe, cavity, view, t);
        int kept = 0;
        for (int t = 0; t < mesh->triangle_count; ++t)
        {
            if (keep[t])
            {
                memmove(mesh->triangles[kept], mesh->triangles[t], sizeof *mesh->triangles);
                ++kept;
            }
        }
        mesh->triangle_count = kept;
    }
    rtcReleaseScene(probe);
    frz_free(keep);
    return status;
}

/// Called by Embree for each see-through triangle on the way of an occlusion ray.
static void filter_see_through(const struct RTCFilterFunctionNArguments *arguments)
{
    const frz_trace_context *context = (const frz_trace_context *)arguments->context;
    for (unsigned int i = 0; context->ignore_see_through && i < arguments->N; ++i)
        arguments->valid[i] = 0;
}

/// Corner normals out of given vertex normals.
static frz_status take_normals(frz_trace_mesh *mesh, const frz_vec3 *normals, frz_diag *diag)
{
    mesh->normals = FRZ_ALLOC("picture mesh", 3 * (size_t)mesh->triangle_count, frz_vec3f);
    if (mesh->normals == NULL)
        return frz_fail_memory(diag, "the meshes of a picture");
#pragma omp parallel for schedule(static)
    for (int t = 0; t < mesh->triangle_count; ++t)
        for (int c = 0; c < 3; ++c)
        {
            const frz_vec3 n = normals[mesh->triangles[t][c]];
            mesh->normals[3 * (size_t)t + (size_t)c] = frz_v3f((float)n.x, (float)n.y, (float)n.z);
        }
    return FRZ_OK;
}

static frz_status attach_mesh(frz_trace *trace, int index, const frz_render_mesh *from, int64_t sphere_count,
                              double shutter, const frz_view *view, frz_diag *diag)
{
    frz_trace_mesh *mesh = &trace->meshes[index];
    mesh->color = from->color;
    mesh->colors = from->colors;
    mesh->see_through = from->see_through;
    mesh->look = from->look;
    if (from->mesh == NULL || from->mesh->triangle_count < 1 || from->mesh->vertex_count < 1)
        return FRZ_OK;
    FRZ_TRY(place_mesh(from->mesh, view, mesh, diag));
    if (mesh->see_through && mesh->triangle_count > 0)
        FRZ_TRY(drop_near_faces(mesh, trace, sphere_count, view, diag));
    if (mesh->triangle_count == 0)
        return FRZ_OK;
    FRZ_TRY(from->normals != NULL ? take_normals(mesh, from->normals, diag) : frz_trace_mesh_smooth(mesh, diag));
    if (from->velocities != NULL && shutter > 0.0)
        FRZ_TRY(move_vertices(from, shutter, view, mesh, diag));
    RTCGeometry geometry = create_triangles(mesh);
    if (mesh->see_through)
    {
        rtcSetGeometryOccludedFilterFunction(geometry, filter_see_through);
        rtcCommitGeometry(geometry);
    }
    rtcAttachGeometryByID(trace->scene, geometry, (unsigned int)(FRZ_TRACE_FIRST_MESH + index));
    rtcReleaseGeometry(geometry);
    return check_device(diag);
}

/// Height above which all but a few of the spheres near the target lie; HUGE_VALF if there are none.
static float sphere_ground(const frz_trace *trace, int64_t count, frz_vec3f up)
{
    int64_t bins[ground_bins] = {0};
    int64_t total = 0;
    for (int64_t i = 0; i < count; ++i)
    {
        const float *s = trace->spheres + 4 * i;
        const double low = (double)(frz_v3f_dot(frz_v3f(s[0], s[1], s[2]), up) - s[3]);
        if (s[3] > 0.0f && fabs(low) < ground_reach)
        {
            const int bin = (int)((low + ground_reach) / (2.0 * ground_reach) * ground_bins);
            ++bins[bin < ground_bins ? bin : ground_bins - 1];
            ++total;
        }
    }
    if (total == 0)
        return HUGE_VALF;
    int64_t below = bins[0];
    int bin = 0;
    while (bin < ground_bins - 1 && (double)below <= ground_quantile * (double)total)
        below += bins[++bin];
    return (float)(2.0 * ground_reach * bin / ground_bins - ground_reach);
}

/// The lowest corner of what stands on the ground, if that is told.
static bool told_ground(const frz_bounds *standing, const frz_view *view, float *level)
{
    if (!(standing->min.x <= standing->max.x))
        return false;
    const frz_vec3f up = view->world_up;
    const frz_vec3 lowest = {up.x >= 0.0f ? standing->min.x : standing->max.x,
                             up.y >= 0.0f ? standing->min.y : standing->max.y,
                             up.z >= 0.0f ? standing->min.z : standing->max.z};
    const frz_vec3 away = frz_v3_scale(1.0 / view->unit, frz_v3_sub(lowest, view->origin));
    *level = frz_v3f_dot(frz_v3f((float)away.x, (float)away.y, (float)away.z), up);
    return true;
}

static void find_ground(frz_trace *trace, int64_t sphere_count, const frz_bounds *standing, const frz_view *view)
{
    trace->has_ground = !view->orthographic;
    if (told_ground(standing, view, &trace->ground_level))
        return;
    float level = sphere_count > 0 ? sphere_ground(trace, sphere_count, view->world_up) : HUGE_VALF;
    for (int m = 0; m < trace->mesh_count; ++m)
    {
        const frz_trace_mesh *mesh = &trace->meshes[m];
        for (int t = 0; t < mesh->triangle_count; ++t)
        {
            for (int c = 0; c < 3; ++c)
            {
                const float *v = mesh->vertices + 4 * (size_t)mesh->triangles[t][c];
                level = fminf(level, frz_v3f_dot(frz_v3f(v[0], v[1], v[2]), view->world_up));
            }
        }
    }
    trace->has_ground = trace->has_ground && level < HUGE_VALF;
    trace->ground_level = level;
}

static frz_status fill_trace(frz_trace *trace, const frz_render_spheres *spheres, const frz_render_mesh *meshes,
                             const frz_render_options *options, const frz_view *view, frz_diag *diag)
{
    const double shutter = options->paths.on ? options->paths.shutter : 0.0;
    const int64_t sphere_count = spheres != NULL ? spheres->count : 0;
    if (sphere_count > 0)
        FRZ_TRY(attach_spheres(trace, spheres, view, diag));
    if (trace->mesh_count > 0)
    {
        trace->meshes = FRZ_ALLOC("picture mesh", trace->mesh_count, frz_trace_mesh);
        if (trace->meshes == NULL)
            return frz_fail_memory(diag, "the meshes of a picture");
    }
    for (int m = 0; m < trace->mesh_count; ++m)
        FRZ_TRY(attach_mesh(trace, m, &meshes[m], sphere_count, shutter, view, diag));
    rtcCommitScene(trace->scene);
    FRZ_TRY(check_device(diag));
    struct RTCBounds bounds;
    rtcGetSceneBounds(trace->scene, &bounds);
    trace->low = frz_v3f(bounds.lower_x, bounds.lower_y, bounds.lower_z);
    trace->high = frz_v3f(bounds.upper_x, bounds.upper_y, bounds.upper_z);
    find_ground(trace, sphere_count, &options->standing, view);
    return FRZ_OK;
}

frz_status frz_trace_create(const frz_render_spheres *spheres, const frz_render_mesh *meshes, int mesh_count,
                            const frz_render_options *options, const frz_view *view, frz_trace *out, frz_diag *diag)
{
    memset(out, 0, sizeof *out);
    if (get_device() == NULL)
        return frz_fail(diag, FRZ_ERR_PROGRAM, "Embree cannot start on this processor, so no pictures can be made");
    out->mesh_count = mesh_count;
    out->scene = rtcNewScene(get_device());
    const frz_status status = fill_trace(out, spheres, meshes, options, view, diag);
    if (status != FRZ_OK)
        frz_trace_destroy(out);
    return status;
}

void frz_trace_destroy(frz_trace *trace)
{
    if (trace->scene != NULL)
        rtcReleaseScene(trace->scene);
    frz_free(trace->spheres);
    for (int m = 0; trace->meshes != NULL && m < trace->mesh_count; ++m)
    {
        frz_free(trace->meshes[m].vertices);
        frz_free(trace->meshes[m].later);
        frz_free(trace->meshes[m].triangles);
        frz_free(trace->meshes[m].normals);
    }
    frz_free(trace->meshes);
    memset(trace, 0, sizeof *trace);
}
