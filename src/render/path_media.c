// SPDX-License-Identifier: MIT
// Clear bodies: the medium that a path is in, its absorption, light that passes through on its way to a place. Where
// bodies overlap, the one of higher priority counts, of equal ones the first (Schmidt & Budge 2002, "Simple nested
// dielectrics in ray traced images").
#include "render/path_internal.h"

enum
{
    most_passed = 12 // clear surfaces on the way of a light; then it counts as stopped
};

int frz_path_medium(const frz_path_scene *scene, const frz_path_media *media)
{
    int best = -1;
    for (int k = 0; k < media->count; ++k)
    {
        const int mesh = media->mesh[k], priority = scene->trace->meshes[mesh].look->priority;
        const int most = best >= 0 ? scene->trace->meshes[best].look->priority : 0;
        if (best < 0 || priority > most || (priority == most && mesh < best))
            best = mesh;
    }
    return best;
}

float frz_path_refraction(const frz_path_scene *scene, int mesh)
{
    return mesh < 0 ? 1.0f : scene->trace->meshes[mesh].look->refraction;
}

void frz_path_media_enter(frz_path_media *media, int mesh)
{
    if (media->count < FRZ_PATH_MEDIA_MOST)
        media->mesh[media->count++] = mesh;
}

void frz_path_media_leave(frz_path_media *media, int mesh)
{
    for (int k = media->count; k-- > 0;)
    {
        if (media->mesh[k] != mesh)
            continue;
        for (int j = k + 1; j < media->count; ++j)
            media->mesh[j - 1] = media->mesh[j];
        media->count -= 1;
        return;
    }
}

frz_color frz_path_transmittance(const frz_path_scene *scene, const frz_path_media *media, float distance)
{
    const int mesh = frz_path_medium(scene, media);
    if (mesh < 0)
        return (frz_color){1.0f, 1.0f, 1.0f};
    const frz_color a = scene->absorption[mesh];
    const frz_color left = {expf(-a.r * distance), expf(-a.g * distance), expf(-a.b * distance)};
    return left;
}

float frz_path_fresnel(float eta, float cosine)
{
    const float sine_squared = eta * eta * (1.0f - cosine * cosine);
    if (!(sine_squared < 1.0f))
        return 1.0f;
    const float beyond = sqrtf(1.0f - sine_squared);
    const float across = (eta * cosine - beyond) / (eta * cosine + beyond);
    const float along = (cosine - eta * beyond) / (cosine + eta * beyond);
    return 0.5f * (across * across + along * along);
}

/// Pass a clear surface straight on: its reflection, and the medium beyond.
static float pass_surface(const frz_path_scene *scene, frz_path_media *media, const frz_trace_surface *at,
                          frz_vec3f direction)
{
    const int mesh = (int)(at->mesh - scene->trace->meshes), before = frz_path_medium(scene, media);
    if (at->from_behind)
        frz_path_media_leave(media, mesh);
    else
        frz_path_media_enter(media, mesh);
    const int after = frz_path_medium(scene, media);
    if (before == after)
        return 1.0f;
    // The real light would be bent; without total reflection a straight ray stands for those that arrive nearby.
    const float eta = frz_path_refraction(scene, before) / frz_path_refraction(scene, after);
    const float cosine = fabsf(frz_v3f_dot(at->normal, direction));
    return 1.0f - frz_path_fresnel(fminf(eta, 1.0f / eta), cosine);
}

/// Light falls in through see-through walls, so that one sees what they hold, but not through them onto what is behind.
/// Followed back to its source it leaves the cavity through the inner side of a wall, and then perhaps its outer side.
static bool stops_light(const frz_trace_surface *at, const frz_trace_mesh **left_through)
{
    if (!at->mesh->cavity)
        return !at->from_behind;
    if (!at->from_behind)
        *left_through = at->mesh;
    return at->from_behind && *left_through != at->mesh;
}

bool frz_path_is_hidden_side(const frz_trace_surface *at)
{
    return at->from_behind && at->mesh != NULL && at->mesh->look != NULL && at->mesh->look->kind == FRZ_LOOK_SOFT;
}

frz_color frz_path_visible(const frz_path_scene *scene, const frz_path *path, frz_vec3f from, frz_vec3f direction)
{
    frz_color left = {1.0f, 1.0f, 1.0f};
    const frz_color none = {0.0f, 0.0f, 0.0f};
    frz_path_media media = path->media;
    const frz_trace_mesh *left_through = NULL;
    for (int passed = 0; passed < most_passed; ++passed)
    {
        const struct RTCRayHit hit = frz_path_shoot(scene, from, direction, INFINITY, path->time);
        if (hit.hit.geomID == RTC_INVALID_GEOMETRY_ID)
            return left;
        const frz_trace_surface at = frz_trace_surface_at(scene->trace, &hit);
        if (frz_path_is_hidden_side(&at))
        {
            from = frz_path_offset(at.point, frz_v3f_scale(-1.0f, at.facet));
            continue;
        }
        const bool wall = at.mesh != NULL && at.mesh->see_through;
        const bool clear = at.mesh != NULL && at.mesh->look != NULL && at.mesh->look->kind == FRZ_LOOK_CLEAR;
        if ((!wall && !clear) || (wall && stops_light(&at, &left_through)))
            return none;
        left = frz_color_mul(left, frz_path_transmittance(scene, &media, hit.ray.tfar));
        if (!wall)
            left = frz_color_scale(pass_surface(scene, &media, &at, direction), left);
        from = frz_path_offset(at.point, frz_v3f_scale(-1.0f, at.facet));
        if (frz_color_peak(left) < 1e-3f)
            return none;
    }
    return none;
}
