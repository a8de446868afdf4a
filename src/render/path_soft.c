// SPDX-License-Identifier: MIT
// Light below a soft surface (wax, milk, jelly): a random walk until it comes out again, with even scattering. The
// albedo of one scattering follows from the colour wanted (Chiang, Kutz & Burley 2016, "Practical and controllable
// subsurface scattering for production path tracing", eq. 2).
#include "render/path_internal.h"

static const float pi = 3.14159265f;

enum
{
    most_scatterings = 48
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

bool frz_path_wander(const frz_path_scene *scene, frz_path *path, const frz_trace_surface *at, frz_color *sum)
{
    const frz_look *look = at->mesh->look;
    const frz_color wanted = at->color;
    const frz_color albedo = {single_albedo(wanted.r), single_albedo(wanted.g), single_albedo(wanted.b)};
    const float free_path = look->free_path * scene->size;
    const frz_vec3f inward = frz_v3f_scale(-1.0f, at->facet);
    frz_vec3f place = frz_path_offset(at->point, inward);
    frz_vec3f direction = frz_path_cosine(inward, frz_path_random_next(path->random));
    for (int k = 0; k < most_scatterings; ++k)
    {
        const frz_point2f random = frz_path_random_next(path->random);
        const float way = -logf(1.0f - random.x) * free_path;
        const struct RTCRayHit hit = frz_path_shoot(scene, place, direction, way, path->time);
        if (hit.hit.geomID != RTC_INVALID_GEOMETRY_ID)
        {
            const frz_trace_surface border = frz_trace_surface_at(scene->trace, &hit);
            if (border.mesh != at->mesh)
                return false; // something dark inside
            // from within, the facet is turned inwards
            come_out(scene, path, border.point, frz_v3f_scale(-1.0f, border.facet), sum);
            return true;
        }
        place = frz_v3f_mad(place, way, direction);
        path->weight = frz_color_mul(path->weight, albedo);
        const float peak = frz_color_peak(path->weight);
        if (random.y > peak)
            return false;
        if (peak < 1.0f)
            path->weight = frz_color_scale(1.0f / peak, path->weight);
        direction = any_direction(frz_path_random_next(path->random));
    }
    return false;
}
