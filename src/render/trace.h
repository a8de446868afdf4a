// SPDX-License-Identifier: MIT
// The scene as Embree sees it, in picture units (see view.h).
#pragma once

#include <embree3/rtcore.h>

#include "render/raycast.h"
#include "render/vec3f.h"
#include "render/view.h"

enum
{
    FRZ_TRACE_SPHERES = 0, ///< geometry number of the spheres; mesh m is FRZ_TRACE_FIRST_MESH + m
    FRZ_TRACE_FIRST_MESH = 1
};

typedef struct frz_trace_mesh
{
    frz_color color;
    bool see_through;
    bool cavity; ///< see-through walls are thick, and only their inner side is drawn
    int vertex_count, triangle_count;
    float *vertices;              ///< 4 floats each; the last is padding for Embree's wide loads
    unsigned int (*triangles)[3]; ///< only the faces that are drawn
    frz_vec3f *normals;           ///< one per corner: smooth across flat edges, sharp across creases
    const frz_color *colors;      ///< one per vertex; null: color everywhere
    float *later;                 ///< vertices at the end of the shutter's time; null: the same
    int (*between)[2];            ///< of each vertex that a cut has added: the two that it lies between
    const frz_look *look;         ///< null: matte
} frz_trace_mesh;

/// Context of a ray; Embree hands it to the filters of see-through meshes.
typedef struct frz_trace_context
{
    struct RTCIntersectContext embree; ///< first, so that the two can be cast into each other
    bool ignore_see_through;
} frz_trace_context;

typedef struct frz_trace
{
    RTCScene scene;
    float *spheres; ///< 4 floats each; a negative radius marks the ones that are not drawn
    const frz_color *sphere_colors;
    int mesh_count;
    frz_trace_mesh *meshes;
    frz_vec3f low, high; ///< corners of the scene
    float ground_level;  ///< lowest place along the view's world_up
    bool has_ground;     ///< false when there is nothing to stand on
} frz_trace;

FRZ_NODISCARD frz_status frz_trace_create(const frz_render_spheres *spheres, const frz_render_mesh *meshes,
                                          int mesh_count, const frz_render_options *options, const frz_view *view,
                                          frz_trace *out, frz_diag *diag);
void frz_trace_destroy(frz_trace *trace);

/// The place where a ray meets the scene.
typedef struct frz_trace_surface
{
    frz_vec3f point;  ///< on the surface itself
    frz_vec3f facet;  ///< normal of the triangle, turned against the ray
    frz_vec3f normal; ///< smooth normal, on the same side
    bool from_behind; ///< the ray comes from the inner side
    frz_color color;
    const frz_trace_mesh *mesh; ///< null for a sphere
} frz_trace_surface;

/// A ray from one place into a direction, up to a distance.
struct RTCRayHit frz_trace_ray(frz_vec3f origin, frz_vec3f direction, float distance);
/// Where a ray that was traced has met something.
frz_trace_surface frz_trace_surface_at(const frz_trace *trace, const struct RTCRayHit *hit);

/// Corner normals of a mesh whose vertices, triangles and counts are set; allocates mesh->normals.
FRZ_NODISCARD frz_status frz_trace_mesh_smooth(frz_trace_mesh *mesh, frz_diag *diag);
/// Twice the area of a triangle times its unit normal.
frz_vec3f frz_trace_area_normal(const frz_trace_mesh *mesh, int triangle);
