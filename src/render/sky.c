// SPDX-License-Identifier: MIT
// A clear sky with a sun beside the viewer.
#include "render/sky.h"

#include <math.h>

static const float pi = 3.14159265f;

// The sun stands to the left of the viewer: light from the side shows shapes.
static const float sun_right = -0.8f, sun_up = 1.0f, sun_back = 0.1f;
static const float sun_radius = 0.045f; // rad; ten times the real one, for shadows with soft edges
static const frz_color sun_irradiance = {3.10f, 2.84f, 2.42f};
static const frz_color zenith = {0.08f, 0.18f, 0.40f};
static const frz_color horizon = {0.56f, 0.60f, 0.65f};
static const float ground_gap = 1e-3f;    // picture units below everything, so that no face lies in the ground
static const float horizon_width = 0.22f; // of the pale band at the horizon, as the sine of its height

static frz_color mix(frz_color a, frz_color b, float t)
{
    const frz_color mixed = {a.r + t * (b.r - a.r), a.g + t * (b.g - a.g), a.b + t * (b.b - a.b)};
    return mixed;
}

static frz_color clear_sky(float height)
{
    // smooth at the horizon, so that the ground, which has its colour, ends without a line
    const float h = fmaxf(height, 0.0f) / horizon_width;
    return mix(horizon, zenith, h * h / (0.25f + h + h * h));
}

/// Irradiance of level ground by sun and sky, without anything that casts a shadow.
static frz_color open_irradiance(const frz_sky *sky)
{
    enum
    {
        rings = 64
    };
    const float facing = fmaxf(frz_v3f_dot(sky->sun, sky->up), 0.0f);
    frz_color sum = {facing * sun_irradiance.r, facing * sun_irradiance.g, facing * sun_irradiance.b};
    for (int k = 0; k < rings; ++k) // equal shares of the cosine-weighted hemisphere
    {
        const frz_color light = clear_sky(sqrtf(1.0f - ((float)k + 0.5f) / (float)rings));
        sum.r += pi * light.r / (float)rings;
        sum.g += pi * light.g / (float)rings;
        sum.b += pi * light.b / (float)rings;
    }
    return sum;
}

frz_sky frz_sky_create(const frz_render_options *options, const frz_view *view, const frz_trace *trace)
{
    frz_vec3f right = frz_v3f_cross(view->forward, view->world_up);
    frz_vec3f back = frz_v3f_cross(right, view->world_up);
    if (!(frz_v3f_dot(right, right) > 1e-6f)) // looking straight down
    {
        right = view->right;
        back = frz_v3f_scale(-1.0f, view->up);
    }
    const frz_vec3f aside = frz_v3f_mad(frz_v3f_scale(sun_right, frz_v3f_normalize(right)), sun_up, view->world_up);
    frz_sky sky = {.up = view->world_up,
                   .sun = frz_v3f_normalize(frz_v3f_mad(aside, -sun_back, frz_v3f_normalize(back))),
                   .environment = options->paths.environment,
                   .has_ground = options->ground_shadow && trace->has_ground,
                   .ground_level = trace->ground_level - ground_gap};
    frz_v3f_frame(sky.sun, &sky.sun_tangent, &sky.sun_bitangent);
    const frz_color light = open_irradiance(&sky);
    sky.ground_albedo = (frz_color){pi * horizon.r / light.r, pi * horizon.g / light.g, pi * horizon.b / light.b};
    if (sky.environment != NULL)
        sky.ground_albedo = (frz_color){0.5f, 0.5f, 0.5f};
    return sky;
}

frz_color frz_sky_radiance(const frz_sky *sky, frz_vec3f direction, bool with_sun)
{
    if (sky->environment != NULL)
        return frz_environment_radiance(sky->environment, direction, sky->up);
    frz_color light = clear_sky(frz_v3f_dot(direction, sky->up));
    if (with_sun && frz_v3f_dot(direction, sky->sun) > cosf(sun_radius))
    {
        const float solid_angle = 2.0f * pi * (1.0f - cosf(sun_radius));
        light.r += sun_irradiance.r / solid_angle;
        light.g += sun_irradiance.g / solid_angle;
        light.b += sun_irradiance.b / solid_angle;
    }
    return light;
}

frz_sky_light frz_sky_sample(const frz_sky *sky, frz_point2f random)
{
    if (sky->environment != NULL)
    {
        frz_sky_light light = {.density = 0.0f};
        light.direction = frz_environment_sample(sky->environment, random, sky->up, &light.density);
        const frz_color radiance = frz_environment_radiance(sky->environment, light.direction, sky->up);
        const float share = light.density > 0.0f ? 1.0f / light.density : 0.0f;
        light.irradiance = (frz_color){share * radiance.r, share * radiance.g, share * radiance.b};
        return light;
    }
    const float radius = tanf(sun_radius) * sqrtf(random.x), angle = 2.0f * pi * random.y;
    const frz_vec3f aside =
        frz_v3f_mad(frz_v3f_scale(radius * cosf(angle), sky->sun_tangent), radius * sinf(angle), sky->sun_bitangent);
    const frz_sky_light light = {.direction = frz_v3f_normalize(frz_v3f_add(sky->sun, aside)),
                                 .irradiance = sun_irradiance};
    return light;
}

float frz_sky_density(const frz_sky *sky, frz_vec3f direction)
{
    return sky->environment != NULL ? frz_environment_density(sky->environment, direction, sky->up) : 0.0f;
}
