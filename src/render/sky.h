// SPDX-License-Identifier: MIT
// The light of path-traced pictures: a clear sky with a sun, or a picture of the surroundings; and the ground.
#pragma once

#include "render/environment.h"
#include "render/random_sequence.h"
#include "render/trace.h"

typedef struct frz_sky
{
    frz_vec3f up;
    frz_vec3f sun, sun_tangent, sun_bitangent; ///< direction to the middle of the sun, and its frame
    const frz_environment *environment;        ///< null: sky and sun
    bool has_ground;
    float ground_level;
    frz_color ground_albedo; ///< such that ground in full light looks like the horizon
} frz_sky;

/// Light that arrives from one direction, chosen at random in proportion to its strength.
typedef struct frz_sky_light
{
    frz_vec3f direction;
    frz_color irradiance; ///< on a plane across the direction, divided by the probability of the choice
    float density;        ///< per steradian; 0: the sun, which other rays do not see
} frz_sky_light;

frz_sky frz_sky_create(const frz_render_options *options, const frz_view *view, const frz_trace *trace);

/// Radiance from a direction; the sun only if asked for.
frz_color frz_sky_radiance(const frz_sky *sky, frz_vec3f direction, bool with_sun);

/// A direction to a light for direct illumination.
frz_sky_light frz_sky_sample(const frz_sky *sky, frz_point2f random);

/// Density of frz_sky_sample for a direction that something else has chosen; 0 where only the sun is sampled.
float frz_sky_density(const frz_sky *sky, frz_vec3f direction);
