// SPDX-License-Identifier: MIT
// Where a ray meets the scene: place, normals and colour.
#include "render/trace.h"

#include <stdint.h>

struct RTCRayHit frz_trace_ray(frz_vec3f origin, frz_vec3f direction, float distance)
{
    const struct RTCRayHit hit = {.ray = {.org_x = origin.x,
                                          .org_y = origin.y,
                                          .org_z = origin.z,
                                          .dir_x = direction.x,
                                          .dir_y = direction.y,
                                          .dir_z = direction.z,
                                          .tnear = 0.0f,
                                          .tfar = distance,
                                          .mask = UINT32_MAX},
                                  .hit = {.geomID = RTC_INVALID_GEOMETRY_ID}};
    return hit;
}

/// Colour of a place in a triangle, u and v being the shares of its second and third corner.
static frz_color mesh_color(const frz_trace_mesh *mesh, unsigned int triangle, float u, float v)
{
    if (mesh->colors == NULL)
        return mesh->color;
    const unsigned int *corner = mesh->triangles[triangle];
    const frz_color a = mesh->colors[corner[0]], b = mesh->colors[corner[1]], c = mesh->colors[corner[2]];
    const float w = 1.0f - u - v;
    const frz_color color = {w * a.r + u * b.r + v * c.r, w * a.g + u * b.g + v * c.g, w * a.b + u * b.b + v * c.b};
    return color;
}

static frz_vec3f corner_normal(const frz_trace_mesh *mesh, unsigned int triangle, float u, float v)
{
    const frz_vec3f *corner = mesh->normals + 3 * (size_t)triangle;
    const frz_vec3f mixed = frz_v3f_mad(frz_v3f_scale(1.0f - u - v, corner[0]), u, corner[1]);
    return frz_v3f_normalize(frz_v3f_mad(mixed, v, corner[2]));
}

frz_trace_surface frz_trace_surface_at(const frz_trace *trace, const struct RTCRayHit *hit)
{
    const struct RTCRay *ray = &hit->ray;
    const frz_vec3f direction = frz_v3f(ray->dir_x, ray->dir_y, ray->dir_z);
    const frz_vec3f facet = frz_v3f_normalize(frz_v3f(hit->hit.Ng_x, hit->hit.Ng_y, hit->hit.Ng_z));
    const bool behind = frz_v3f_dot(facet, direction) > 0.0f;
    frz_trace_surface at = {.point = frz_v3f_mad(frz_v3f(ray->org_x, ray->org_y, ray->org_z), ray->tfar, direction),
                            .facet = behind ? frz_v3f_scale(-1.0f, facet) : facet,
                            .from_behind = behind};
    at.normal = at.facet;
    if (hit->hit.geomID == FRZ_TRACE_SPHERES)
    {
        at.color = trace->sphere_colors[hit->hit.primID];
        return at;
    }
    at.mesh = &trace->meshes[hit->hit.geomID - FRZ_TRACE_FIRST_MESH];
    at.color = mesh_color(at.mesh, hit->hit.primID, hit->hit.u, hit->hit.v);
    const frz_vec3f smooth = corner_normal(at.mesh, hit->hit.primID, hit->hit.u, hit->hit.v);
    at.normal = frz_v3f_dot(smooth, at.facet) < 0.0f ? frz_v3f_scale(-1.0f, smooth) : smooth;
    return at;
}
