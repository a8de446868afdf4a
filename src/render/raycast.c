// SPDX-License-Identifier: MIT
// Draw a picture: check the request, build the scene, shade every pixel, add the legend.
#include "render/raycast.h"

#include <math.h>

#include "render/color.h"
#include "render/denoise.h"
#include "render/diagram.h"
#include "render/paint.h"
#include "render/path.h"
#include "render/random_sequence.h"
#include "render/ray_through.h"

enum
{
    tile_side = 16,      // pixels; small enough to share the work evenly, large enough for coherent rays
    most_samples = 4096, // per pixel or per hit; beyond this nothing changes any more
    salt_dither = 7      // of the random numbers for rounding
};

static const float shoulder = 0.80f; // linear light below this is kept as it is, so that colours match the legend

frz_render_options frz_render_options_default(void)
{
    const frz_render_options options = {.width = 1280,
                                        .height = 720,
                                        .samples = 4,
                                        .occlusion_samples = 4,
                                        .occlusion_distance = 0.0, // chosen from the camera's distance
                                        .background_top = {0.62f, 0.74f, 0.87f},
                                        .background_bottom = {0.92f, 0.93f, 0.94f},
                                        .ground_shadow = true,
                                        .standing = {{1.0, 1.0, 1.0}, {-1.0, -1.0, -1.0}}};
    return options;
}

/// Compress what is brighter than white smoothly, all channels by the same factor so that the hue stays.
static frz_color tone_map(frz_color c)
{
    const float peak = fmaxf(fmaxf(c.r, c.g), c.b);
    if (!(peak > shoulder))
        return c;
    const float room = 1.0f - shoulder;
    const float scale = (shoulder + room * (1.0f - expf((shoulder - peak) / room))) / peak;
    const frz_color mapped = {scale * c.r, scale * c.g, scale * c.b};
    return mapped;
}

static unsigned char quantize(float linear, float dither)
{
    const float value = frz_srgb_encode(linear) * 255.0f + dither;
    return (unsigned char)fminf(fmaxf(value, 0.0f), 255.0f);
}

/// plain: no light is brighter than white.
static void put_pixel(frz_image *image, int x, int y, frz_color light, bool plain)
{
    const frz_color mapped = plain ? light : tone_map(light);
    // rounding up or down at random keeps smooth gradients free of bands
    const float dither = frz_unit_float(frz_hash3((uint32_t)x, (uint32_t)y, salt_dither));
    unsigned char *pixel = image->rgb + 3 * ((size_t)y * (size_t)image->width + (size_t)x);
    pixel[0] = quantize(mapped.r, dither);
    pixel[1] = quantize(mapped.g, dither);
    pixel[2] = quantize(mapped.b, dither);
}

static void draw_pixel(const frz_shader *shader, int samples, int x, int y, frz_image *image)
{
    frz_color sum = {0.0f, 0.0f, 0.0f};
    frz_sample sample = frz_sample_create(shader, x, y, samples);
    for (int s = 0; s < samples; ++s)
    {
        sample.index = (uint32_t)s;
        const frz_point2f place =
            samples == 1 ? (frz_point2f){0.5f, 0.5f} : frz_sequence_point(sample.place, sample.index);
        const frz_ray ray = frz_ray_through(shader->view, ((float)x + place.x) / (float)image->width,
                                            ((float)y + place.y) / (float)image->height);
        const frz_color color = frz_shade(shader, &ray, sample);
        sum.r += color.r;
        sum.g += color.g;
        sum.b += color.b;
    }
    const float weight = 1.0f / (float)samples;
    put_pixel(image, x, y, (frz_color){weight * sum.r, weight * sum.g, weight * sum.b}, shader->diagram);
}

typedef void draw_fn(const void *user, int x, int y);

/// Draw all pixels, tile by tile.
static void draw_tiles(const frz_image *image, draw_fn *draw, const void *user)
{
    const int tiles_across = (image->width + tile_side - 1) / tile_side;
    const int tiles_down = (image->height + tile_side - 1) / tile_side;
#pragma omp parallel for schedule(dynamic, 4)
    for (int tile = 0; tile < tiles_across * tiles_down; ++tile)
    {
        const int first_x = tile % tiles_across * tile_side, first_y = tile / tiles_across * tile_side;
        for (int y = first_y; y < first_y + tile_side && y < image->height; ++y)
        {
            for (int x = first_x; x < first_x + tile_side && x < image->width; ++x)
                draw(user, x, y);
        }
    }
}

// ---- one hit per ray

typedef struct cast
{
    const frz_shader *shader;
    int samples;
    frz_image *image;
} cast;

static void draw_cast_pixel(const void *user, int x, int y)
{
    const cast *c = user;
    draw_pixel(c->shader, c->samples, x, y, c->image);
}

static frz_status draw_cast(const frz_render_options *options, const frz_view *view, const frz_trace *trace,
                            frz_image *image, frz_diag *diag)
{
    const frz_shader shader = frz_shader_create(options, view, trace);
    const cast c = {&shader, options->samples, image};
    draw_tiles(image, draw_cast_pixel, &c);
    if (!options->diagram)
        return FRZ_OK;
    FRZ_TRY(frz_diagram_lines(view, trace, image, diag));
    if (view->orthographic)
        frz_scale_paint(image, 2.0 * (double)view->half_height * view->unit / image->height);
    return FRZ_OK;
}

// ---- paths

typedef struct tracing
{
    const frz_path_scene *scene;
    int samples;
    frz_noisy_picture *picture;
} tracing;

static void trace_pixel(const void *user, int x, int y)
{
    const tracing *t = user;
    frz_noisy_picture *picture = t->picture;
    frz_color sum = {0.0f, 0.0f, 0.0f}, albedo = sum, straight_albedo = sum;
    frz_vec3f normal = {0.0f, 0.0f, 0.0f};
    int straight = 0;                  // paths that did not stray: chance would make their albedo as noisy as the light
    float first = 0.0f, second = 0.0f; // moments of the brightness
    for (int s = 0; s < t->samples; ++s)
    {
        frz_path_random random = frz_path_random_start(x, y, s, t->samples);
        const frz_point2f place = frz_path_random_next(&random), time = frz_path_random_next(&random);
        const frz_ray ray = frz_ray_through(t->scene->view, ((float)x + place.x) / (float)picture->width,
                                            ((float)y + place.y) / (float)picture->height);
        frz_path_features features;
        const frz_color light = frz_path_radiance(t->scene, ray.origin, ray.direction, time.x, random, &features);
        sum = frz_color_add(sum, light);
        albedo = frz_color_add(albedo, features.albedo);
        if (features.scattered && !features.strayed)
        {
            straight_albedo = frz_color_add(straight_albedo, features.albedo);
            ++straight;
        }
        normal = frz_v3f_add(normal, features.normal);
        first += frz_color_luminance(light);
        second += frz_color_luminance(light) * frz_color_luminance(light);
    }
    const float weight = 1.0f / (float)t->samples;
    const size_t at = (size_t)y * (size_t)picture->width + (size_t)x;
    picture->color[at] = frz_color_scale(weight, sum);
    picture->albedo[at] =
        straight > 0 ? frz_color_scale(1.0f / (float)straight, straight_albedo) : frz_color_scale(weight, albedo);
    picture->normal[at] = frz_v3f_scale(weight, normal);
    picture->variance[at] = fmaxf(weight * second - weight * weight * first * first, 0.0f) * weight;
}

static frz_status trace_picture(const frz_render_options *options, const frz_path_scene *scene, frz_image *image,
                                frz_diag *diag)
{
    frz_noisy_picture picture;
    FRZ_TRY(frz_noisy_picture_create(image->width, image->height, &picture, diag));
    const tracing t = {scene, options->samples, &picture};
    draw_tiles(image, trace_pixel, &t);
    const frz_status status = options->paths.denoise ? frz_denoise(&picture, diag) : FRZ_OK;
    for (int y = 0; y < image->height && status == FRZ_OK; ++y)
        for (int x = 0; x < image->width; ++x)
            put_pixel(image, x, y, picture.color[(size_t)y * (size_t)image->width + (size_t)x], false);
    frz_noisy_picture_destroy(&picture);
    return status;
}

static frz_status draw_paths(const frz_render_options *options, const frz_view *view, const frz_trace *trace,
                             frz_image *image, frz_diag *diag)
{
    frz_path_scene scene;
    FRZ_TRY(frz_path_scene_create(options, view, trace, &scene, diag));
    const frz_status status = trace_picture(options, &scene, image, diag);
    frz_path_scene_destroy(&scene);
    return status;
}

static frz_status check_request(const frz_render_spheres *spheres, const frz_render_mesh *meshes, int mesh_count,
                                const frz_render_legend *legend, const frz_render_options *options, frz_diag *diag)
{
    frz_color unused;
    if (options->samples < 1 || options->samples > most_samples || options->occlusion_samples > most_samples)
        return frz_fail(diag, FRZ_ERR_ARGUMENT, "a picture needs 1 to %d samples per pixel, got %d", most_samples,
                        options->samples);
    if (mesh_count < 0 || (mesh_count > 0 && meshes == NULL))
        return frz_fail(diag, FRZ_ERR_ARGUMENT, "the list of meshes for a picture is missing");
    if (spheres != NULL && spheres->count > 0 && (spheres->xyzr == NULL || spheres->colors == NULL))
        return frz_fail(diag, FRZ_ERR_ARGUMENT, "the spheres of a picture need positions and colours");
    if (spheres != NULL && (spheres->count < 0 || spheres->count > INT32_MAX))
        return frz_fail(diag, FRZ_ERR_ARGUMENT, "a picture can hold 0 to %d spheres, got %lld", INT32_MAX,
                        (long long)spheres->count);
    if (legend != NULL && legend->title != NULL && !frz_colormap_lookup(legend->colormap, 0.0, &unused))
        return frz_fail(diag, FRZ_ERR_ARGUMENT,
                        "unknown colour map '%s'; use viridis, turbo, water, heat, coolwarm or gray",
                        legend->colormap != NULL ? legend->colormap : "");
    return FRZ_OK;
}

frz_status frz_raycast(const frz_render_spheres *spheres, const frz_render_mesh *meshes, int mesh_count,
                       const frz_camera *camera, const frz_render_legend *legend, const frz_render_options *options,
                       frz_image *out, frz_diag *diag)
{
    *out = (frz_image){0, 0, NULL};
    if (camera == NULL || options == NULL)
        return frz_fail(diag, FRZ_ERR_ARGUMENT, "a picture needs a camera and options");
    FRZ_TRY(check_request(spheres, meshes, mesh_count, legend, options, diag));
    FRZ_TRY(frz_image_create(options->width, options->height, out, diag));
    frz_view view;
    frz_trace trace;
    frz_status status = frz_view_create(camera, (double)options->width / (double)options->height, &view, diag);
    if (status == FRZ_OK)
        status = frz_trace_create(spheres, meshes, mesh_count, options, &view, &trace, diag);
    if (status != FRZ_OK)
    {
        frz_image_destroy(out);
        return status;
    }
    if (legend != NULL)
        frz_view_reserve_right(&view, frz_legend_width(out->width, out->height, legend) / (float)out->width);
    status = options->paths.on && !view.flat && !options->diagram ? draw_paths(options, &view, &trace, out, diag)
                                                                  : draw_cast(options, &view, &trace, out, diag);
    frz_trace_destroy(&trace);
    if (status != FRZ_OK)
        frz_image_destroy(out);
    else if (legend != NULL)
        frz_legend_paint(out, legend);
    return status;
}
