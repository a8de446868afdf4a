// SPDX-License-Identifier: MIT
// Paths of light from the camera backwards. Scattering surfaces ask for the light of the sun (or of the picture of the
// surroundings) directly; the sky is met by the paths themselves. At its first clear surface a path is divided into the
// reflected and the refracted one; later one of them is chosen at random. Light through clear bodies onto what they
// cover comes straight, dimmed: a path tracer would hardly ever find the bent way to a small sun, so there are no
// caustics.
#include "render/path.h"

#include <string.h>

#include "base/memory.h"
#include "render/path_internal.h"

static const float pi = 3.14159265f;
static const float brightest = 12.0f;       // light of one bounced path; more would be a spot that no smoothing removes
static const float least_roughness = 0.02f; // smoother coats are mirrors
// Light from below a soft surface depends less on its normal than light that it scatters: the normal that the denoiser
// compares is turned towards the viewer by this share.
static const float soft_turn = 1.0f;

enum
{
    most_bounces = 14,
    sure_bounces = 4 // then a path ends at random, the sooner the less light it carries
};

frz_status frz_path_scene_create(const frz_render_options *options, const frz_view *view, const frz_trace *trace,
                                 frz_path_scene *out, frz_diag *diag)
{
    const double size = options->paths.scene_size > 0.0 ? options->paths.scene_size : view->unit;
    *out = (frz_path_scene){.view = view, .trace = trace, .sky = frz_sky_create(options, view, trace)};
    const double clear = (options->paths.clear_size > 0.0 ? options->paths.clear_size : size) / view->unit;
    out->size = (float)(size / view->unit);
    out->absorption = FRZ_ALLOC("picture media", trace->mesh_count + 1, frz_color);
    if (out->absorption == NULL)
        return frz_fail_memory(diag, "the media of a picture");
    for (int m = 0; m < trace->mesh_count; ++m)
    {
        const frz_look *look = trace->meshes[m].look;
        if (look == NULL || look->kind != FRZ_LOOK_CLEAR)
            continue;
        out->has_clear = true;
        const frz_color c = look->own_color ? look->color : trace->meshes[m].color;
        const frz_color passed = {logf(fmaxf(c.r, 1e-6f)), logf(fmaxf(c.g, 1e-6f)), logf(fmaxf(c.b, 1e-6f))};
        out->absorption[m] = frz_color_scale((float)(-1.0 / clear), passed);
    }
    return FRZ_OK;
}

void frz_path_scene_destroy(frz_path_scene *scene)
{
    frz_free(scene->absorption);
    *scene = (frz_path_scene){.size = 0.0f};
}

struct RTCRayHit frz_path_shoot(const frz_path_scene *scene, frz_vec3f origin, frz_vec3f direction, float distance,
                                float time)
{
    struct RTCRayHit hit = frz_trace_ray(origin, direction, distance);
    struct RTCIntersectContext context;
    rtcInitIntersectContext(&context);
    hit.ray.time = time;
    rtcIntersect1(scene->trace->scene, &context, &hit);
    return hit;
}

frz_vec3f frz_path_cosine(frz_vec3f normal, frz_point2f random)
{
    frz_vec3f tangent, bitangent;
    frz_v3f_frame(normal, &tangent, &bitangent);
    const float radius = sqrtf(random.x), angle = 2.0f * pi * random.y;
    frz_vec3f direction = frz_v3f_scale(sqrtf(1.0f - random.x), normal);
    direction = frz_v3f_mad(direction, radius * cosf(angle), tangent);
    return frz_v3f_normalize(frz_v3f_mad(direction, radius * sinf(angle), bitangent));
}

/// Share of a light that was sampled directly, where paths may find it too (balance heuristic, Veach 1997).
static float light_share(float sampled, float found)
{
    return sampled > 0.0f ? sampled / (sampled + found) : 1.0f;
}

frz_color frz_path_direct(const frz_path_scene *scene, const frz_path *path, frz_vec3f point, frz_vec3f normal)
{
    const frz_sky_light light = frz_sky_sample(&scene->sky, frz_path_random_next(path->random));
    const float cosine = frz_v3f_dot(light.direction, normal);
    if (!(cosine > 0.0f))
        return (frz_color){0.0f, 0.0f, 0.0f};
    const frz_color visible = frz_path_visible(scene, path, point, light.direction);
    const float share = light_share(light.density, cosine / pi);
    return frz_color_scale(share * cosine / pi, frz_color_mul(visible, light.irradiance));
}

// ---- rough reflection: GGX (Walter et al. 2007, "Microfacet models for refraction through rough surfaces")

typedef struct gloss
{
    float alpha;
    frz_color head_on; ///< reflected share at normal incidence
} gloss;

static frz_color schlick(frz_color head_on, float cosine)
{
    const float g = 1.0f - fminf(fmaxf(cosine, 0.0f), 1.0f), grazing = g * g * g * g * g;
    const frz_color out = {head_on.r + (1.0f - head_on.r) * grazing, head_on.g + (1.0f - head_on.g) * grazing,
                           head_on.b + (1.0f - head_on.b) * grazing};
    return out;
}

static float shadowing(float alpha, float cosine)
{
    const float c2 = cosine * cosine;
    return 2.0f * cosine / (cosine + sqrtf(alpha * alpha + (1.0f - alpha * alpha) * c2));
}

/// Light of a direct sample that the coat reflects towards the viewer.
static frz_color gloss_direct(const frz_path_scene *scene, const frz_path *path, frz_vec3f point, frz_vec3f normal,
                              gloss coat)
{
    const frz_color none = {0.0f, 0.0f, 0.0f};
    const frz_sky_light light = frz_sky_sample(&scene->sky, frz_path_random_next(path->random));
    const frz_vec3f view = frz_v3f_scale(-1.0f, path->direction);
    const float nl = frz_v3f_dot(normal, light.direction), nv = fmaxf(frz_v3f_dot(normal, view), 1e-3f);
    if (!(nl > 0.0f) || light.density > 0.0f) // a picture of the surroundings is found by the reflected rays
        return none;
    const frz_vec3f half = frz_v3f_normalize(frz_v3f_add(view, light.direction));
    const float nh = frz_v3f_dot(normal, half), a2 = coat.alpha * coat.alpha;
    const float base = nh * nh * (a2 - 1.0f) + 1.0f;
    const float term = a2 / (pi * base * base) * shadowing(coat.alpha, nl) * shadowing(coat.alpha, nv) / (4.0f * nv);
    if (!(term > 1e-5f))
        return none;
    const frz_color share = schlick(coat.head_on, frz_v3f_dot(half, view));
    const frz_color visible = frz_path_visible(scene, path, point, light.direction);
    return frz_color_scale(term, frz_color_mul(share, frz_color_mul(visible, light.irradiance)));
}

/// A reflected direction, and its weight without Fresnel's share; false below the surface.
static bool gloss_bounce(frz_path *path, frz_vec3f normal, float alpha, frz_vec3f *half, float *weight)
{
    const frz_vec3f view = frz_v3f_scale(-1.0f, path->direction);
    *half = normal;
    *weight = 1.0f;
    path->density = 0.0f;
    if (alpha >= least_roughness)
    {
        const frz_point2f random = frz_path_random_next(path->random);
        const float cosine = sqrtf((1.0f - random.x) / (1.0f + (alpha * alpha - 1.0f) * random.x));
        const float sine = sqrtf(fmaxf(1.0f - cosine * cosine, 0.0f));
        frz_vec3f tangent, bitangent;
        frz_v3f_frame(normal, &tangent, &bitangent);
        *half = frz_v3f_mad(frz_v3f_scale(cosine, normal), sine * cosf(2.0f * pi * random.y), tangent);
        *half = frz_v3f_normalize(frz_v3f_mad(*half, sine * sinf(2.0f * pi * random.y), bitangent));
    }
    const float vh = frz_v3f_dot(view, *half);
    path->direction = frz_v3f_sub(frz_v3f_scale(2.0f * vh, *half), view);
    const float nl = frz_v3f_dot(path->direction, normal), nv = fmaxf(frz_v3f_dot(view, normal), 1e-3f);
    if (!(nl > 0.0f) || !(vh > 0.0f))
        return false;
    if (alpha >= least_roughness)
    {
        const float nh = fmaxf(frz_v3f_dot(normal, *half), 1e-3f);
        *weight = fminf(shadowing(alpha, nl) * shadowing(alpha, nv) * vh / (nv * nh), 4.0f);
        path->density = -1.0f; // chosen by the coat: the sun, which was asked directly, is not counted again
    }
    return true;
}

// ---- surfaces

static bool bounce_diffuse(const frz_path_scene *scene, frz_path *path, frz_vec3f point, frz_vec3f normal,
                           frz_color albedo, frz_color *sum)
{
    path->weight = frz_color_mul(path->weight, albedo);
    *sum = frz_color_add(*sum, frz_color_mul(path->weight, frz_path_direct(scene, path, point, normal)));
    path->origin = point;
    path->direction = frz_path_cosine(normal, frz_path_random_next(path->random));
    path->density = fmaxf(frz_v3f_dot(path->direction, normal), 0.0f) / pi;
    return true;
}

static bool bounce_metal(const frz_path_scene *scene, frz_path *path, const frz_trace_surface *at, frz_vec3f point,
                         frz_color *sum)
{
    const gloss coat = {at->mesh->look->roughness, at->color};
    if (coat.alpha >= least_roughness)
    {
        const frz_color light = gloss_direct(scene, path, point, at->normal, coat);
        *sum = frz_color_add(*sum, frz_color_mul(path->weight, light));
    }
    frz_vec3f half;
    float weight;
    const frz_vec3f view = frz_v3f_scale(-1.0f, path->direction);
    if (!gloss_bounce(path, at->normal, coat.alpha, &half, &weight))
        return false;
    path->origin = point;
    path->weight = frz_color_scale(
        weight, frz_color_mul(path->weight, schlick(coat.head_on, fmaxf(frz_v3f_dot(view, half), 0.0f))));
    return true;
}

static frz_color follow(const frz_path_scene *scene, frz_path path, frz_path_features *features);

/// Let the coat reflect a path; false below the surface.
static bool reflect_coated(frz_path *path, const frz_trace_surface *at, frz_vec3f point, float alpha)
{
    frz_vec3f half;
    float weight;
    if (!gloss_bounce(path, at->normal, alpha, &half, &weight))
        return false;
    path->origin = point;
    path->weight = frz_color_scale(weight, path->weight);
    return true;
}

/// A coat above something that scatters. The first time both are followed, later one of them.
static bool bounce_coated(const frz_path_scene *scene, frz_path *path, const frz_trace_surface *at, frz_vec3f point,
                          frz_color *sum)
{
    const frz_look *look = at->mesh != NULL ? at->mesh->look : frz_look_find("glossy");
    const float step = (look->refraction - 1.0f) / (look->refraction + 1.0f), head_on = step * step;
    const gloss coat = {look->roughness, {head_on, head_on, head_on}};
    if (coat.alpha >= least_roughness)
    {
        const frz_color light = gloss_direct(scene, path, point, at->normal, coat);
        *sum = frz_color_add(*sum, frz_color_mul(path->weight, light));
    }
    const float facing = fmaxf(-frz_v3f_dot(path->direction, at->normal), 0.0f);
    const float share = schlick(coat.head_on, facing).r;
    if (!path->split && path->bounces == 0)
    {
        frz_path_features unused = {.scattered = false};
        path->split = true;
        frz_path mirrored = *path;
        mirrored.weight = frz_color_scale(share, path->weight);
        mirrored.bounces += 1;
        if (reflect_coated(&mirrored, at, point, coat.alpha))
            *sum = frz_color_add(*sum, follow(scene, mirrored, &unused));
        path->weight = frz_color_scale(1.0f - share, path->weight);
    }
    else if (frz_path_random_next(path->random).x < share)
        return reflect_coated(path, at, point, coat.alpha);
    if (look->kind == FRZ_LOOK_SOFT)
        return frz_path_wander(scene, path, at, sum);
    return bounce_diffuse(scene, path, point, at->normal, at->color, sum);
}

static frz_path reflected(const frz_path *path, const frz_trace_surface *at, float share)
{
    frz_path out = *path;
    const frz_vec3f view = frz_v3f_scale(-1.0f, path->direction);
    out.direction = frz_v3f_sub(frz_v3f_scale(2.0f * frz_v3f_dot(view, at->normal), at->normal), view);
    if (!(frz_v3f_dot(out.direction, at->facet) > 0.0f)) // the smooth normal leans too far
        out.direction = frz_v3f_sub(frz_v3f_scale(2.0f * frz_v3f_dot(view, at->facet), at->facet), view);
    out.origin = frz_path_offset(at->point, at->facet);
    out.weight = frz_color_scale(share, path->weight);
    out.density = 0.0f;
    out.bounces += 1;
    return out;
}

static void refract(frz_path *path, const frz_trace_surface *at, frz_path_media beyond, float eta, float cosine)
{
    const float across = sqrtf(fmaxf(1.0f - eta * eta * (1.0f - cosine * cosine), 0.0f));
    path->direction =
        frz_v3f_normalize(frz_v3f_mad(frz_v3f_scale(eta, path->direction), eta * cosine - across, at->normal));
    path->origin = frz_path_offset(at->point, frz_v3f_scale(-1.0f, at->facet));
    path->media = beyond;
    path->density = 0.0f;
}

/// A clear surface reflects and refracts. The first time both are followed, later one of them.
static void meet_clear(const frz_path_scene *scene, frz_path *path, const frz_trace_surface *at,
                       frz_path_features *features, frz_color *sum)
{
    const int mesh = (int)(at->mesh - scene->trace->meshes), before = frz_path_medium(scene, &path->media);
    frz_path_media beyond = path->media;
    if (at->from_behind)
        frz_path_media_leave(&beyond, mesh);
    else
        frz_path_media_enter(&beyond, mesh);
    const int after = frz_path_medium(scene, &beyond);
    const float cosine = fminf(fmaxf(-frz_v3f_dot(path->direction, at->normal), 1e-3f), 1.0f);
    const float eta = frz_path_refraction(scene, before) / frz_path_refraction(scene, after);
    if (before == after) // hidden by a medium of higher priority
    {
        path->origin = frz_path_offset(at->point, frz_v3f_scale(-1.0f, at->facet));
        path->media = beyond;
        return;
    }
    const float share = frz_path_fresnel(eta, cosine);
    if (!path->split && share < 1.0f)
    {
        path->split = true;
        frz_path_features unused = {.scattered = false};
        *sum = frz_color_add(*sum, follow(scene, reflected(path, at, share), &unused));
        path->weight = frz_color_scale(1.0f - share, path->weight);
        refract(path, at, beyond, eta, cosine);
    }
    else if (share >= 1.0f)
        *path = reflected(path, at, 1.0f);
    else
    {
        const bool reflects = frz_path_random_next(path->random).x < share;
        features->strayed = features->strayed || (!features->scattered && reflects != (share > 0.5f));
        if (reflects)
            *path = reflected(path, at, 1.0f);
        else
            refract(path, at, beyond, eta, cosine);
    }
}

/// Distance to the ground along a ray; infinite if it does not meet it.
static float ground_distance(const frz_sky *sky, const frz_path *path)
{
    const float descent = -frz_v3f_dot(path->direction, sky->up);
    const float height = frz_v3f_dot(path->origin, sky->up) - sky->ground_level;
    return sky->has_ground && descent > 1e-4f && height > 0.0f ? height / descent : INFINITY;
}

static void note_scatter(frz_path_features *features, const frz_path *path, frz_color color)
{
    if (!features->scattered)
        features->albedo = frz_color_mul(path->weight, color);
    features->scattered = true;
}

static bool meet_surface(const frz_path_scene *scene, frz_path *path, const frz_trace_surface *at,
                         frz_path_features *features, frz_color *sum)
{
    const frz_look *look = at->mesh != NULL ? at->mesh->look : NULL;
    const frz_look_kind kind = at->mesh == NULL ? FRZ_LOOK_COATED : look != NULL ? look->kind : FRZ_LOOK_DIFFUSE;
    if (frz_path_is_hidden_side(at))
    {
        path->origin = frz_path_offset(at->point, frz_v3f_scale(-1.0f, at->facet));
        return true;
    }
    if (path->bounces == 0)
        features->normal = kind == FRZ_LOOK_SOFT
                               ? frz_v3f_normalize(frz_v3f_mad(at->normal, -soft_turn, path->direction))
                               : at->normal;
    if (kind == FRZ_LOOK_CLEAR)
    {
        meet_clear(scene, path, at, features, sum);
        return true;
    }
    note_scatter(features, path, at->color);
    const frz_vec3f point = frz_path_offset(at->point, at->facet);
    switch (kind)
    {
    case FRZ_LOOK_METAL:
        return bounce_metal(scene, path, at, point, sum);
    case FRZ_LOOK_COATED:
    case FRZ_LOOK_SOFT:
        return bounce_coated(scene, path, at, point, sum);
    default:
        return bounce_diffuse(scene, path, point, at->normal, at->color, sum);
    }
}

/// The path leaves the scene: the sky, as far as it was not asked directly.
static frz_color meet_sky(const frz_path_scene *scene, const frz_path *path, frz_path_features *features)
{
    note_scatter(features, path, (frz_color){1.0f, 1.0f, 1.0f});
    const frz_color light = frz_sky_radiance(&scene->sky, path->direction, path->density == 0.0f);
    const float sampled = path->density > 0.0f ? frz_sky_density(&scene->sky, path->direction) : 0.0f;
    const float share = sampled > 0.0f ? 1.0f - light_share(sampled, path->density) : 1.0f;
    return frz_color_mul(path->weight, frz_color_scale(share, light));
}

/// End paths that carry little light at random, and make the others carry more.
static bool goes_on(frz_path *path)
{
    const float peak = frz_color_peak(path->weight);
    if (!(peak > 1e-4f))
        return false;
    if (path->bounces < sure_bounces || peak >= 1.0f)
        return true;
    const float chance = fminf(peak, 0.95f);
    if (frz_path_random_next(path->random).x >= chance)
        return false;
    path->weight = frz_color_scale(1.0f / chance, path->weight);
    return true;
}

static frz_color follow(const frz_path_scene *scene, frz_path path, frz_path_features *features)
{
    frz_color sum = {0.0f, 0.0f, 0.0f};
    for (; goes_on(&path); ++path.bounces)
    {
        if (path.bounces == most_bounces) // caught between clear surfaces: the sky is near, black is not
            return frz_color_add(sum, meet_sky(scene, &path, features));

        const float ground = ground_distance(&scene->sky, &path);
        const struct RTCRayHit hit = frz_path_shoot(scene, path.origin, path.direction, ground, path.time);
        const bool missed = hit.hit.geomID == RTC_INVALID_GEOMETRY_ID;
        if (missed && !(ground < INFINITY))
        {
            sum = frz_color_add(sum, meet_sky(scene, &path, features));
            break;
        }
        const frz_color left = frz_path_transmittance(scene, &path.media, hit.ray.tfar);
        path.weight = frz_color_mul(path.weight, left);
        bool alive = true;
        if (missed)
        {
            const frz_vec3f place = frz_v3f_mad(path.origin, ground, path.direction);
            if (path.bounces == 0)
                features->normal = scene->sky.up;
            note_scatter(features, &path, scene->sky.ground_albedo);
            alive = bounce_diffuse(scene, &path, frz_path_offset(place, scene->sky.up), scene->sky.up,
                                   scene->sky.ground_albedo, &sum);
        }
        else
        {
            const frz_trace_surface at = frz_trace_surface_at(scene->trace, &hit);
            alive = meet_surface(scene, &path, &at, features, &sum);
        }
        if (!alive)
            break;
    }
    return sum;
}

frz_color frz_path_radiance(const frz_path_scene *scene, frz_vec3f origin, frz_vec3f direction, float time,
                            frz_path_random random, frz_path_features *features)
{
    *features = (frz_path_features){.scattered = false};
    const frz_path path = {
        .origin = origin, .direction = direction, .time = time, .weight = {1.0f, 1.0f, 1.0f}, .random = &random};
    const frz_color light = follow(scene, path, features);
    const float peak = frz_color_peak(light);
    return peak > brightest ? frz_color_scale(brightest / peak, light) : light;
}
