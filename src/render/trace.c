// SPDX-License-Identifier: MIT
// Build the Embree scene: spheres as one geometry, each mesh as another; faces that hide a tank's contents left out.
#include "render/trace_internal.h"

#include <math.h>
#include <pthread.h>
#include <stdint.h>
#include <string.h>

#include "base/memory.h"

static const float undrawn = -1.0f;          // radius of spheres that are not there
static const double farthest = 1e5;          // picture units; beyond this floats cannot resolve a sphere anyway
static const double ground_quantile = 0.001; // spheres that may lie below the ground: leaks and lone drops
static const double ground_reach = 2.0;      // picture units; spheres farther from the target do not count

static const float edge_cosine = 0.75f; // a normal farther (41 degrees) from that of its triangle is of a sharp edge

enum
{
    ground_bins = 4096
};

static RTCDevice shared_device;

static void create_device(void)
{
    // One builder thread: the tree is the same on every machine, and no second pool competes with OpenMP.
    shared_device = rtcNewDevice("threads=1,set_affinity=0");
}

/// The device is made once and kept until the process ends; making one takes longer than a small picture.
RTCDevice frz_trace_device(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    (void)pthread_once(&once, create_device);
    return shared_device;
}

frz_status frz_trace_check(frz_diag *diag)
{
    switch (rtcGetDeviceError(frz_trace_device()))
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
            to[3] = frz_trace_hidden;
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
    RTCGeometry geometry = rtcNewGeometry(frz_trace_device(), RTC_GEOMETRY_TYPE_SPHERE_POINT);
    rtcSetSharedGeometryBuffer(geometry, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT4, trace->spheres, 0,
                               4 * sizeof(float), (size_t)spheres->count);
    rtcCommitGeometry(geometry);
    rtcAttachGeometryByID(trace->scene, geometry, FRZ_TRACE_SPHERES);
    rtcReleaseGeometry(geometry);
    return frz_trace_check(diag);
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
    const int own = from->mesh->vertex_count;
#pragma omp parallel for schedule(static)
    for (int v = 0; v < own; ++v)
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
    for (int v = own; v < mesh->vertex_count; ++v) // of a cut: in the middle of two others
        for (int c = 0; c < 3; ++c)
        {
            const size_t a = 4 * (size_t)mesh->between[v - own][0], b = 4 * (size_t)mesh->between[v - own][1];
            mesh->vertices[4 * (size_t)v + (size_t)c] =
                0.5f * (mesh->vertices[a + (size_t)c] + mesh->vertices[b + (size_t)c]);
            mesh->later[4 * (size_t)v + (size_t)c] = 0.5f * (mesh->later[a + (size_t)c] + mesh->later[b + (size_t)c]);
        }
    return FRZ_OK;
}

RTCGeometry frz_trace_triangles(const frz_trace_mesh *mesh)
{
    RTCGeometry geometry = rtcNewGeometry(frz_trace_device(), RTC_GEOMETRY_TYPE_TRIANGLE);
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

/// Called by Embree for each see-through triangle on the way of an occlusion ray.
static void filter_see_through(const struct RTCFilterFunctionNArguments *arguments)
{
    const frz_trace_context *context = (const frz_trace_context *)arguments->context;
    for (unsigned int i = 0; context->ignore_see_through && i < arguments->N; ++i)
        arguments->valid[i] = 0;
}

/// Corner normals out of given vertex normals. Where a liquid meets a wall its surface has a sharp edge, but a vertex
/// has one normal, between both sides: there the normals of the triangles count.
static frz_status take_normals(frz_trace_mesh *mesh, const frz_vec3 *normals, frz_diag *diag)
{
    FRZ_TRY(frz_trace_mesh_smooth(mesh, diag));
#pragma omp parallel for schedule(static)
    for (int t = 0; t < mesh->triangle_count; ++t)
    {
        const frz_vec3f facet = frz_v3f_normalize(frz_trace_area_normal(mesh, t));
        for (int c = 0; c < 3; ++c)
        {
            const frz_vec3 n = normals[mesh->triangles[t][c]];
            const frz_vec3f given = frz_v3f((float)n.x, (float)n.y, (float)n.z);
            if (!(frz_v3f_dot(given, facet) < edge_cosine)) // triangles without area too
                mesh->normals[3 * (size_t)t + (size_t)c] = given;
        }
    }
    return FRZ_OK;
}

static frz_status attach_mesh(frz_trace *trace, int index, const frz_render_mesh *from, int64_t sphere_count,
                              double shutter, float pixel, const frz_view *view, frz_diag *diag)
{
    frz_trace_mesh *mesh = &trace->meshes[index];
    mesh->color = from->color;
    mesh->colors = from->colors;
    mesh->see_through = from->see_through;
    mesh->look = from->look;
    if (from->mesh == NULL || from->mesh->triangle_count < 1 || from->mesh->vertex_count < 1)
        return FRZ_OK;
    FRZ_TRY(place_mesh(from->mesh, view, mesh, diag));
    FRZ_TRY(from->normals != NULL ? take_normals(mesh, from->normals, diag) : frz_trace_mesh_smooth(mesh, diag));
    if (mesh->see_through && mesh->triangle_count > 0)
        FRZ_TRY(frz_trace_mesh_cut(mesh, trace, sphere_count, pixel, view, diag));
    if (mesh->triangle_count == 0)
        return FRZ_OK;
    if (from->velocities != NULL && shutter > 0.0)
        FRZ_TRY(move_vertices(from, shutter, view, mesh, diag));
    RTCGeometry geometry = frz_trace_triangles(mesh);
    if (mesh->see_through)
    {
        rtcSetGeometryOccludedFilterFunction(geometry, filter_see_through);
        rtcCommitGeometry(geometry);
    }
    rtcAttachGeometryByID(trace->scene, geometry, (unsigned int)(FRZ_TRACE_FIRST_MESH + index));
    rtcReleaseGeometry(geometry);
    return frz_trace_check(diag);
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
    const float pixel = 2.0f * view->half_height / (float)options->height;
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
        FRZ_TRY(attach_mesh(trace, m, &meshes[m], sphere_count, shutter, pixel, view, diag));
    rtcCommitScene(trace->scene);
    FRZ_TRY(frz_trace_check(diag));
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
    if (frz_trace_device() == NULL)
        return frz_fail(diag, FRZ_ERR_PROGRAM, "Embree cannot start on this processor, so no pictures can be made");
    out->mesh_count = mesh_count;
    out->scene = rtcNewScene(frz_trace_device());
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
        frz_free(trace->meshes[m].between);
        frz_free(trace->meshes[m].triangles);
        frz_free(trace->meshes[m].normals);
    }
    frz_free(trace->meshes);
    memset(trace, 0, sizeof *trace);
}
