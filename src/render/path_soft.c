// SPDX-License-Identifier: MIT
// Light below a soft surface (wax, milk, jelly): a random walk until it comes out again, with even scattering. The
// albedo of one scattering follows from the colour wanted (Chiang, Kutz & Burley 2016, "Practical and controllable
// subsurface scattering for production path tracing", eq. 2).
#include "render/path_internal.h"

static const float pi = 3.14159265f;

enum
{
    most_scatterings = 128
};

static float single_albedo(float wanted)
{
    const float c = fminf(fmaxf(wanted, 0.0f), 0.98f);
    return 1.0f - expf(c * (-5.09406f + c * (2.61188f - 4.31805f * c)));
}

static frz_vec3f any_direction(frz_point2f random)
{
    const float z = 1.0f - 2.0f * random.x, radius = sqrtf(fmaxf(1.0f - z * z, 0.0f));
    return frz_v3f(radius * cosf(2.0f * pi * random.y), radius * sinf(2.0f * pi * random.y), z);
}

/// The path leaves through the surface, scattered evenly.
static void come_out(const frz_path_scene *scene, frz_path *path, frz_vec3f place, frz_vec3f outward, frz_color *sum)
{
    const frz_vec3f point = frz_path_offset(place, outward);
    *sum = frz_color_add(*sum, frz_color_mul(path->weight, frz_path_direct(scene, path, point, outward)));
    path->origin = point;
    path->direction = frz_path_cosine(outward, frz_path_random_next(path->random));
    path->density = fmaxf(frz_v3f_dot(path->direction, outward), 0.0f) / pi;
}

/// Light on its way below soft surfaces.
typedef struct walk
{
    frz_vec3f place, direction;
    frz_color albedo; ///< of one scattering
    float free_path;  ///< picture units
    int depth;        ///< soft bodies around the place; those of one wax overlap where they touch
} walk;

static void set_medium(const frz_path_scene *scene, const frz_trace_surface *at, walk *w)
{
    const frz_color wanted = at->color;
    w->albedo = (frz_color){single_albedo(wanted.r), single_albedo(wanted.g), single_albedo(wanted.b)};
    w->free_path = at->mesh->look->free_path * scene->size;
}

static bool is_kind(const frz_trace_surface *at, frz_look_kind kind)
{
    return at->mesh != NULL && at->mesh->look != NULL && at->mesh->look->kind == kind;
}

/// Meet a surface on the way: soft bodies that touch are one, clear ones are passed, others scatter the light back.
static void meet(const frz_path_scene *scene, frz_path *path, const frz_trace_surface *at, walk *w)
{
    const bool soft = is_kind(at, FRZ_LOOK_SOFT), clear = is_kind(at, FRZ_LOOK_CLEAR);
    if (!soft && !clear)
    {
        w->place = frz_path_offset(at->point, at->facet);
        w->direction = frz_path_cosine(at->facet, frz_path_random_next(path->random));
        path->weight = frz_color_mul(path->weight, at->color);
        return;
    }
    w->place = frz_path_offset(at->point, frz_v3f_scale(-1.0f, at->facet));
    if (soft)
        w->depth += at->from_behind ? -1 : 1;
    else if (at->from_behind)
        frz_path_media_leave(&path->media, (int)(at->mesh - scene->trace->meshes));
    else
        frz_path_media_enter(&path->media, (int)(at->mesh - scene->trace->meshes));
    if (soft && !at->from_behind)
        set_medium(scene, at, w);
}

/// End dim paths at random, and make the others carry more.
static bool stays(frz_path *path, float random)
{
    const float peak = frz_color_peak(path->weight);
    if (random > peak)
        return false;
    if (peak < 1.0f)
        path->weight = frz_color_scale(1.0f / peak, path->weight);
    return true;
}

bool frz_path_wander(const frz_path_scene *scene, frz_path *path, const frz_trace_surface *at, frz_color *sum)
{
    const frz_vec3f inward = frz_v3f_scale(-1.0f, at->facet);
    walk w = {.place = frz_path_offset(at->point, inward),
              .direction = frz_path_cosine(inward, frz_path_random_next(path->random)),
              .depth = 1};
    set_medium(scene, at, &w);
    for (int k = 0; k < most_scatterings; ++k)
    {
        const frz_point2f random = frz_path_random_next(path->random);
        const float way = -logf(1.0f - random.x) * w.free_path;
        const struct RTCRayHit hit = frz_path_shoot(scene, w.place, w.direction, way, path->time);
        if (hit.hit.geomID != RTC_INVALID_GEOMETRY_ID)
        {
            const frz_trace_surface border = frz_trace_surface_at(scene->trace, &hit);
            meet(scene, path, &border, &w);
            if (w.depth == 0)
            {
                // from within, the facet is turned inwards
                come_out(scene, path, border.point, frz_v3f_scale(-1.0f, border.facet), sum);
                return true;
            }
        }
        else
        {
            w.place = frz_v3f_mad(w.place, way, w.direction);
            path->weight = frz_color_mul(path->weight, w.albedo);
            w.direction = any_direction(frz_path_random_next(path->random));
        }
        if (!stays(path, random.y))
            return false;
    }
    return false;
}
