// SPDX-License-Identifier: MIT
// See-through meshes: which of their faces are drawn, so that one looks into a tank, cut where that changes.
#include <math.h>
#include <string.h>

#include "base/grow.h"
#include "base/memory.h"
#include "render/trace_internal.h"

static const float probe_offset = 1e-4f; // picture units; steps over the face that a probe starts from
static const float clearance = 1.5e-3f;  // picture units; beyond a wall whose side is not quite even beside its edges
static const float near_corner = 0.9f;   // of the way from the middle of a triangle to a corner

enum
{
    cavity_votes = 256, // spheres that are asked which kind of container they are in
    most_halvings = 8   // of a triangle that is partly drawn
};

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
    const frz_vec3f behind = frz_v3f_add(from, frz_v3f_scale(wall.ray.tfar + clearance, sight));
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
        if (!(s[3] > 0.0f) && s[3] != frz_trace_hidden)
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

/// One mesh as it is cut.
typedef struct cutting
{
    RTCScene probe; ///< of the whole mesh
    bool cavity;    ///< the liquid is between thick walls, not inside of a closed surface
    float pixel;    ///< smallest part that matters
    const frz_view *view;
} cutting;

/// Whether a place on a see-through mesh is drawn. Of a closed surface these are the faces turned away from the camera
/// (and with no more surface behind them); of thick walls around a cavity, the faces turned to the camera that have
/// only their own wall behind them: the floor and the far walls, seen from inside.
static bool is_far_side(const cutting *c, frz_vec3f place, frz_vec3f normal)
{
    const frz_view *view = c->view;
    const frz_vec3f sight = view->orthographic ? view->forward : frz_v3f_normalize(frz_v3f_sub(place, view->eye));
    const float away = frz_v3f_dot(normal, sight);
    if (c->cavity)
        return away < 0.0f && count_hits(c->probe, place, sight) < 2 &&
               !leaves_into_cavity(c->probe, place, sight, view);
    return away > 0.0f && count_hits(c->probe, place, sight) < 1;
}

// ---- triangles that are partly drawn

/// A triangle, or a part of one.
typedef struct piece
{
    unsigned int vertex[3];
    frz_vec3f place[3], normal[3];
} piece;

typedef enum share
{
    none_of_it,
    part_of_it,
    all_of_it
} share;

static piece piece_of(const frz_trace_mesh *mesh, int triangle)
{
    piece p;
    for (int c = 0; c < 3; ++c)
    {
        p.vertex[c] = mesh->triangles[triangle][c];
        const float *v = mesh->vertices + 4 * (size_t)p.vertex[c];
        p.place[c] = frz_v3f(v[0], v[1], v[2]);
        p.normal[c] = mesh->normals[3 * (size_t)triangle + (size_t)c];
    }
    return p;
}

static frz_vec3f middle_of(const piece *p)
{
    return frz_v3f_scale(1.0f / 3.0f, frz_v3f_add(frz_v3f_add(p->place[0], p->place[1]), p->place[2]));
}

static frz_vec3f facet_of(const piece *p)
{
    return frz_v3f_cross(frz_v3f_sub(p->place[1], p->place[0]), frz_v3f_sub(p->place[2], p->place[0]));
}

/// Asked in the middle and near the corners; not at these, where faces meet.
static share share_drawn(const cutting *c, const piece *p)
{
    const frz_vec3f facet = facet_of(p), middle = middle_of(p);
    int drawn = is_far_side(c, middle, facet) ? 1 : 0;
    for (int k = 0; k < 3; ++k)
        drawn += is_far_side(c, frz_v3f_mad(frz_v3f_scale(1.0f - near_corner, middle), near_corner, p->place[k]), facet)
                     ? 1
                     : 0;
    return drawn == 0 ? none_of_it : drawn == 4 ? all_of_it : part_of_it;
}

/// Longest side as it appears.
static float apparent_size(const cutting *c, const piece *p)
{
    float longest = 0.0f;
    for (int k = 0; k < 3; ++k)
    {
        const frz_vec3f side = frz_v3f_sub(p->place[(k + 1) % 3], p->place[k]);
        longest = fmaxf(longest, frz_v3f_dot(side, side));
    }
    const frz_vec3f sight = frz_v3f_sub(middle_of(p), c->view->eye);
    const float distance = c->view->orthographic ? 1.0f : sqrtf(frz_v3f_dot(sight, sight));
    return sqrtf(longest) / fmaxf(distance, 1e-6f);
}

/// The mesh without its slivers.
typedef struct remains
{
    frz_trace_mesh *mesh;
    int own; ///< vertices before the cut
    int vertex_count, triangle_count;
    int64_t vertex_room, between_room, triangle_room, normal_room;
    float *vertices; ///< new ones, 4 floats each
    int (*between)[2];
    unsigned int (*triangles)[3];
    frz_vec3f *normals;
    bool failed; ///< memory is short
} remains;

static void add_piece(remains *r, const piece *p)
{
    const int64_t count = r->triangle_count + 1, spare = frz_grow_spare(count);
    void *triangles = frz_grow("picture mesh", r->triangles, &r->triangle_room, count, spare, sizeof *r->triangles);
    void *normals = frz_grow("picture mesh", r->normals, &r->normal_room, 3 * count, 3 * spare, sizeof *r->normals);
    r->triangles = triangles != NULL ? triangles : r->triangles;
    r->normals = normals != NULL ? normals : r->normals;
    r->failed = r->failed || triangles == NULL || normals == NULL;
    if (r->failed)
        return;
    memcpy(r->triangles[r->triangle_count], p->vertex, sizeof p->vertex);
    memcpy(r->normals + 3 * (size_t)r->triangle_count, p->normal, sizeof p->normal);
    r->triangle_count += 1;
}

static unsigned int add_middle(remains *r, const piece *p, int a, int b)
{
    const int64_t count = r->vertex_count + 1, spare = frz_grow_spare(count);
    void *vertices = frz_grow("picture mesh", r->vertices, &r->vertex_room, count, spare, 4 * sizeof *r->vertices);
    void *between = frz_grow("picture mesh", r->between, &r->between_room, count, spare, sizeof *r->between);
    r->vertices = vertices != NULL ? vertices : r->vertices;
    r->between = between != NULL ? between : r->between;
    r->failed = r->failed || vertices == NULL || between == NULL;
    if (r->failed)
        return 0;
    const frz_vec3f place = frz_v3f_scale(0.5f, frz_v3f_add(p->place[a], p->place[b]));
    float *v = r->vertices + 4 * (size_t)r->vertex_count;
    v[0] = place.x;
    v[1] = place.y;
    v[2] = place.z;
    r->between[r->vertex_count][0] = (int)p->vertex[a];
    r->between[r->vertex_count][1] = (int)p->vertex[b];
    return (unsigned int)(r->own + r->vertex_count++);
}

/// The four parts of a triangle between its corners and the middles of its sides.
static void split(remains *r, const piece *p, piece parts[4])
{
    piece inner;
    for (int k = 0; k < 3; ++k) // of the side opposite to corner k
    {
        const int a = (k + 1) % 3, b = (k + 2) % 3;
        inner.vertex[k] = add_middle(r, p, a, b);
        inner.place[k] = frz_v3f_scale(0.5f, frz_v3f_add(p->place[a], p->place[b]));
        inner.normal[k] = frz_v3f_normalize(frz_v3f_add(p->normal[a], p->normal[b]));
    }
    for (int k = 0; k < 3; ++k)
    {
        parts[k] = inner;
        parts[k].vertex[k] = p->vertex[k];
        parts[k].place[k] = p->place[k];
        parts[k].normal[k] = p->normal[k];
        // corner k with the middles of the sides that meet there, in the order of the triangle
        const int a = (k + 1) % 3, b = (k + 2) % 3;
        parts[k].vertex[a] = inner.vertex[b];
        parts[k].place[a] = inner.place[b];
        parts[k].normal[a] = inner.normal[b];
        parts[k].vertex[b] = inner.vertex[a];
        parts[k].place[b] = inner.place[a];
        parts[k].normal[b] = inner.normal[a];
    }
    parts[3] = inner;
}

/// Halve a triangle that is partly drawn until its parts are drawn or not, or as small as a pixel.
static void cut_piece(const cutting *c, const piece *whole, remains *r)
{
    struct
    {
        piece p;
        int depth;
    } stack[4 * most_halvings + 1];
    int count = 0;
    stack[count].p = *whole;
    stack[count++].depth = 0;
    while (count > 0 && !r->failed)
    {
        const piece p = stack[count - 1].p;
        const int depth = stack[--count].depth;
        const share drawn = share_drawn(c, &p);
        const bool small = depth == most_halvings || apparent_size(c, &p) < c->pixel;
        if (drawn == all_of_it || (drawn == part_of_it && small && is_far_side(c, middle_of(&p), facet_of(&p))))
            add_piece(r, &p);
        if (drawn != part_of_it || small)
            continue;
        piece parts[4];
        split(r, &p, parts);
        for (int k = 0; k < 4; ++k)
        {
            stack[count].p = parts[k];
            stack[count++].depth = depth + 1;
        }
    }
}

/// Replace the mesh by it.
static frz_status take_remains(remains *r, frz_diag *diag)
{
    frz_trace_mesh *mesh = r->mesh;
    const size_t own = 4 * (size_t)r->own, added = 4 * (size_t)r->vertex_count;
    float *vertices = r->failed ? NULL : FRZ_ALLOC("picture mesh", own + added + 4, float);
    if (vertices == NULL)
    {
        frz_free(r->triangles);
        frz_free(r->normals);
        frz_free(r->vertices);
        frz_free(r->between);
        return frz_fail_memory(diag, "the meshes of a picture");
    }
    memcpy(vertices, mesh->vertices, own * sizeof *vertices);
    if (added > 0)
        memcpy(vertices + own, r->vertices, added * sizeof *vertices);
    frz_free(r->vertices);
    frz_free(mesh->vertices);
    frz_free(mesh->triangles);
    frz_free(mesh->normals);
    mesh->vertices = vertices;
    mesh->vertex_count = r->own + r->vertex_count;
    mesh->between = r->between;
    mesh->triangles = r->triangles;
    mesh->normals = r->normals;
    mesh->triangle_count = r->triangle_count;
    return FRZ_OK;
}

frz_status frz_trace_mesh_cut(frz_trace_mesh *mesh, const frz_trace *trace, int64_t sphere_count, float pixel,
                              const frz_view *view, frz_diag *diag)
{
    share *drawn = FRZ_ALLOC("picture mesh", mesh->triangle_count, share);
    if (drawn == NULL)
        return frz_fail_memory(diag, "the meshes of a picture");
    RTCScene probe = rtcNewScene(frz_trace_device());
    RTCGeometry geometry = frz_trace_triangles(mesh);
    rtcAttachGeometry(probe, geometry);
    rtcReleaseGeometry(geometry);
    rtcCommitScene(probe);
    frz_status status = frz_trace_check(diag);
    remains r = {.mesh = mesh, .own = mesh->vertex_count};
    if (status == FRZ_OK)
    {
        mesh->cavity = has_cavity(probe, trace, sphere_count, view);
        const cutting c = {probe, mesh->cavity, pixel, view};
        const bool whole = mesh->colors != NULL; // new vertices would have no colour
#pragma omp parallel for schedule(dynamic, 256)
        for (int t = 0; t < mesh->triangle_count; ++t)
        {
            const piece p = piece_of(mesh, t);
            drawn[t] = !whole                                         ? share_drawn(&c, &p)
                       : is_far_side(&c, middle_of(&p), facet_of(&p)) ? all_of_it
                                                                      : none_of_it;
        }
        for (int t = 0; t < mesh->triangle_count; ++t)
        {
            const piece p = piece_of(mesh, t);
            if (drawn[t] == all_of_it)
                add_piece(&r, &p);
            else if (drawn[t] == part_of_it)
                cut_piece(&c, &p, &r);
        }
    }
    rtcReleaseScene(probe);
    frz_free(drawn);
    return status == FRZ_OK ? take_remains(&r, diag) : status;
}
