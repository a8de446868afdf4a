// SPDX-License-Identifier: MIT
// Light and material: a soft key light, a sky with ambient occlusion, a little light from the camera, gloss on drops.
#include "render/shade.h"

#include <math.h>

#include "render/color.h"

static const float offset = 5e-5f; // picture units; start of secondary rays above the surface
static const float pi = 3.14159265f;

// the key light stands behind the viewer's left shoulder, so that shadows fall away from the viewer
static const float key_right = -0.55f, key_up = 1.0f, key_back = 0.62f;
static const float key_spread = 0.13f; // tangent of half the light's angular size: soft but still a direction
static const float key_light = 0.80f;
static const float sky_light = 0.62f, ground_light = 0.30f; // light from above and from below
static const float camera_light = 0.06f;
static const float transmission = 0.75f; // of light from behind through a see-through wall

static const float gloss_exponent = 48.0f, gloss_strength = 0.38f;  // Blinn-Phong highlight of the drops
static const float water_reflectance = 0.02f, rim_strength = 0.28f; // Fresnel at normal incidence; sky at the rim

static const float ground_shadow_strength = 0.31f, ground_occlusion_strength = 0.55f;
static const float ground_fade_start = 0.35f, ground_fade_end = 1.15f; // picture units from below the target

static const float auto_occlusion_distance = 0.09f;                                   // picture units
static const float outline_start = 0.42f, outline_end = 0.30f, outline_shade = 0.62f; // by cosine, flat pictures

static const float edge_on_shade = 0.6f; // of faces seen from the side, diagrams

// salts that keep the random numbers of different purposes apart
enum
{
    salt_place = 1,
    salt_light = 3,
    salt_occlusion = 5
};

enum
{
    light_probes = 2, // rays to the light from a plain surface
    light_rays = 8,   // the same where the light is partly hidden
    matte_factor = 2  // plain surfaces get more occlusion rays, because no texture hides the grain
};

static float mixf(float a, float b, float t)
{
    return a + (b - a) * t;
}

static float smooth_step(float from, float to, float x)
{
    const float t = fminf(fmaxf((x - from) / (to - from), 0.0f), 1.0f);
    return t * t * (3.0f - 2.0f * t);
}

frz_shader frz_shader_create(const frz_render_options *options, const frz_view *view, const frz_trace *trace)
{
    frz_shader shader = {.view = view,
                         .trace = trace,
                         .occlusion_samples = options->occlusion_samples > 0 ? options->occlusion_samples : 0,
                         .ground_shadow = options->ground_shadow && trace->has_ground && !options->diagram,
                         .diagram = options->diagram,
                         .background_top = options->background_top,
                         .background_bottom = options->background_bottom};
    // the light follows the camera around the vertical axis, never below the horizon
    const frz_vec3f up = view->world_up;
    const frz_vec3f back = frz_v3f_scale(-1.0f, view->forward);
    const frz_vec3f level = frz_v3f_normalize(frz_v3f_mad(back, -frz_v3f_dot(back, up), up));
    const frz_vec3f side = frz_v3f_scale(key_right, view->right);
    const frz_vec3f key = frz_v3f_mad(frz_v3f_mad(side, key_up, up), key_back, level);
    shader.key_direction = frz_v3f_normalize(key);
    frz_v3f_frame(shader.key_direction, &shader.key_tangent, &shader.key_bitangent);
    const double distance = options->occlusion_distance / view->unit;
    shader.occlusion_distance = distance > 0.0 ? (float)distance : auto_occlusion_distance;
    return shader;
}

typedef enum blockers
{
    all_blockers,
    solid_blockers ///< walls drawn see-through let the light pass
} blockers;

static bool is_blocked(const frz_shader *shader, blockers kind, frz_vec3f from, frz_vec3f direction, float distance)
{
    struct RTCRay ray = {.org_x = from.x,
                         .org_y = from.y,
                         .org_z = from.z,
                         .dir_x = direction.x,
                         .dir_y = direction.y,
                         .dir_z = direction.z,
                         .tnear = 0.0f,
                         .tfar = distance,
                         .mask = UINT32_MAX};
    frz_trace_context context = {.ignore_see_through = kind == solid_blockers};
    rtcInitIntersectContext(&context.embree);
    rtcOccluded1(shader->trace->scene, &context.embree, &ray);
    return ray.tfar < 0.0f;
}

/// A direction to a random place of the area light.
static frz_vec3f key_sample(const frz_shader *shader, frz_sequence sequence, uint32_t index)
{
    const frz_point2f u = frz_sequence_point(sequence, index);
    const float radius = key_spread * sqrtf(u.x), angle = 2.0f * pi * u.y;
    const frz_vec3f aside = frz_v3f_mad(frz_v3f_scale(radius * cosf(angle), shader->key_tangent), radius * sinf(angle),
                                        shader->key_bitangent);
    return frz_v3f_normalize(frz_v3f_add(shader->key_direction, aside));
}

/// Visible part of the area light: a few rays, and more of them where these disagree.
static float light_share(const frz_shader *shader, blockers kind, frz_vec3f point, frz_sample sample)
{
    int lighted = 0, count = 0;
    for (int target = light_probes; count < target;)
    {
        const uint32_t index = sample.index * light_rays + (uint32_t)count;
        const frz_vec3f direction = key_sample(shader, sample.light, index);
        lighted += is_blocked(shader, kind, point, direction, INFINITY) ? 0 : 1;
        ++count;
        if (count == light_probes && lighted > 0 && lighted < count)
            target = light_rays;
    }
    return (float)lighted / (float)count;
}

/// True if a point is too far from everything to be occluded.
static bool is_far_outside(const frz_shader *shader, frz_vec3f point)
{
    const frz_vec3f low = frz_v3f_sub(shader->trace->low, point), high = frz_v3f_sub(point, shader->trace->high);
    const float gap = fmaxf(fmaxf(fmaxf(low.x, high.x), fmaxf(low.y, high.y)), fmaxf(low.z, high.z));
    return gap > shader->occlusion_distance;
}

/// Open part of the hemisphere over a surface, weighted by the cosine: 1 is open, 0 is closed.
static float openness(const frz_shader *shader, frz_vec3f point, frz_vec3f normal, int rays, frz_sample sample)
{
    if (rays == 0 || is_far_outside(shader, point))
        return 1.0f;
    frz_vec3f tangent, bitangent;
    frz_v3f_frame(normal, &tangent, &bitangent);
    int open = 0;
    for (int k = 0; k < rays; ++k)
    {
        const frz_point2f u = frz_sequence_point(sample.occlusion, sample.index * (uint32_t)rays + (uint32_t)k);
        // cosine-weighted direction: a point of the unit disc, lifted to the hemisphere
        const float radius = sqrtf(u.x), angle = 2.0f * pi * u.y;
        frz_vec3f direction = frz_v3f_scale(sqrtf(1.0f - u.x), normal);
        direction = frz_v3f_mad(direction, radius * cosf(angle), tangent);
        direction = frz_v3f_mad(direction, radius * sinf(angle), bitangent);
        open += is_blocked(shader, all_blockers, point, direction, shader->occlusion_distance) ? 0 : 1;
    }
    return (float)open / (float)rays;
}

frz_sample frz_sample_create(const frz_shader *shader, int x, int y, int count)
{
    const uint32_t order = frz_pixel_order((uint32_t)x, (uint32_t)y), samples = (uint32_t)count;
    const uint32_t rays = samples * matte_factor * (uint32_t)shader->occlusion_samples;
    const frz_sample sample = {.place = frz_sequence_of_pixel(order, salt_place, samples),
                               .light = frz_sequence_of_pixel(order, salt_light, samples * light_rays),
                               .occlusion = frz_sequence_of_pixel(order, salt_occlusion, rays)};
    return sample;
}

static frz_color background(const frz_shader *shader, float screen_height)
{
    const float t = smooth_step(0.0f, 1.0f, screen_height);
    const frz_color low = shader->background_bottom, high = shader->background_top;
    const frz_color mixed = {mixf(low.r, high.r, t), mixf(low.g, high.g, t), mixf(low.b, high.b, t)};
    return mixed;
}

/// The background, darkened where an invisible ground lies in shadow.
static frz_color shade_miss(const frz_shader *shader, const frz_ray *ray, frz_sample sample)
{
    const frz_color sky = background(shader, ray->screen_height);
    const frz_vec3f up = shader->view->world_up;
    const float descent = -frz_v3f_dot(ray->direction, up);
    const float height = frz_v3f_dot(ray->origin, up) - shader->trace->ground_level;
    if (!shader->ground_shadow || !(descent > 1e-4f) || !(height > 0.0f))
        return sky;
    const frz_vec3f place = frz_v3f_mad(ray->origin, height / descent, ray->direction);
    const frz_vec3f level = frz_v3f_mad(place, -frz_v3f_dot(place, up), up);
    const float fade = 1.0f - smooth_step(ground_fade_start, ground_fade_end, sqrtf(frz_v3f_dot(level, level)));
    if (!(fade > 0.0f))
        return sky;
    const frz_vec3f start = frz_v3f_mad(place, offset, up);
    const float shadow = 1.0f - light_share(shader, all_blockers, start, sample);
    const float closed = 1.0f - openness(shader, start, up, matte_factor * shader->occlusion_samples, sample);
    const float direct = 1.0f - fade * ground_shadow_strength * shadow;
    return frz_color_scale(direct * (1.0f - fade * ground_occlusion_strength * closed), sky);
}

typedef struct surface
{
    frz_vec3f point, normal;
    frz_color color;
    bool glossy;
    bool see_through;
} surface;

static surface surface_at(const frz_shader *shader, const struct RTCRayHit *hit)
{
    const frz_trace_surface at = frz_trace_surface_at(shader->trace, hit);
    const surface found = {.point = frz_v3f_mad(at.point, offset, at.facet),
                           .normal = at.normal,
                           .color = at.color,
                           .glossy = at.mesh == NULL,
                           .see_through = at.mesh != NULL && at.mesh->see_through};
    return found;
}

/// Flat pictures of 2D scenes: the colour itself, with a thin darker rim that keeps neighbours apart.
static frz_color shade_flat(const surface *at, float facing)
{
    const float rim = at->glossy ? 1.0f - smooth_step(outline_end, outline_start, facing) : 0.0f;
    return frz_color_scale(mixf(1.0f, outline_shade, rim), at->color);
}

/// Light from the sky with the light that the surroundings throw back: the geometric series of an evenly closed cavity.
static float with_bounces(float open, float albedo)
{
    return open / (1.0f - fminf(albedo, 0.95f) * (1.0f - open));
}

static frz_color shade_hit(const frz_shader *shader, const frz_ray *ray, const surface *at, frz_sample sample)
{
    const frz_vec3f toward = frz_v3f_scale(-1.0f, ray->direction);
    const float facing = fmaxf(frz_v3f_dot(at->normal, toward), 0.0f);
    if (shader->diagram)
        return frz_color_scale(shader->view->flat ? 1.0f : mixf(edge_on_shade, 1.0f, facing), at->color);
    if (shader->view->flat)
        return shade_flat(at, facing);

    const frz_vec3f light = at->glossy ? key_sample(shader, sample.light, sample.index) : shader->key_direction;
    float lit = frz_v3f_dot(at->normal, light);
    if (at->see_through && lit < 0.0f)
        lit *= -transmission;
    float visible = 0.0f;
    if (lit > 0.0f && at->glossy)
        visible = is_blocked(shader, solid_blockers, at->point, light, INFINITY) ? 0.0f : 1.0f;
    else if (lit > 0.0f)
        visible = light_share(shader, solid_blockers, at->point, sample);
    const float direct = key_light * fmaxf(lit, 0.0f) * visible;
    const int rays = (at->glossy ? 1 : matte_factor) * shader->occlusion_samples;
    const float open = openness(shader, at->point, at->normal, rays, sample);
    const float above = 0.5f + 0.5f * frz_v3f_dot(at->normal, shader->view->world_up);
    const float sky = mixf(ground_light, sky_light, above);
    const float camera = camera_light * facing;

    frz_color out = {at->color.r * (direct + camera + sky * with_bounces(open, at->color.r)),
                     at->color.g * (direct + camera + sky * with_bounces(open, at->color.g)),
                     at->color.b * (direct + camera + sky * with_bounces(open, at->color.b))};
    if (at->glossy)
    {
        const frz_vec3f half = frz_v3f_normalize(frz_v3f_add(light, toward));
        const float aligned = fmaxf(frz_v3f_dot(at->normal, half), 0.0f);
        const float shine = visible * gloss_strength * powf(aligned, gloss_exponent);
        // Schlick 1994, eq. 15: the rim of a drop reflects the sky
        const float grazing = 1.0f - facing, squared = grazing * grazing;
        const float fresnel = water_reflectance + (1.0f - water_reflectance) * squared * squared * grazing;
        const float rim = rim_strength * fresnel * open * above;
        const frz_color reflected = shader->background_top;
        out.r += shine + rim * reflected.r;
        out.g += shine + rim * reflected.g;
        out.b += shine + rim * reflected.b;
    }
    return out;
}

frz_color frz_shade(const frz_shader *shader, const frz_ray *ray, frz_sample sample)
{
    struct RTCRayHit hit = frz_trace_ray(ray->origin, ray->direction, INFINITY);
    struct RTCIntersectContext context;
    rtcInitIntersectContext(&context);
    context.flags = RTC_INTERSECT_CONTEXT_FLAG_COHERENT;
    rtcIntersect1(shader->trace->scene, &context, &hit);
    if (hit.hit.geomID == RTC_INVALID_GEOMETRY_ID)
        return shade_miss(shader, ray, sample);
    const surface found = surface_at(shader, &hit);
    return shade_hit(shader, ray, &found, sample);
}
