// SPDX-License-Identifier: MIT
// Path-traced pictures against results known in advance: even surroundings, glass plates, moving bodies.
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "compare.h"

#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "geom/shape.h"
#include "render/color.h"
#include "render/denoise.h"
#include "render/environment.h"
#include "render/look.h"
#include "render/path_internal.h"

enum
{
    side = 24,           // pixels of a picture
    even_exponent = 128, // of a pixel of radiance mantissa / 256
    even_columns = 16,
    even_rows = 8
};

/// A picture of the surroundings with the same radiance everywhere, as the bytes of a file.
static size_t even_file(unsigned char mantissa, unsigned char *bytes)
{
    const int head =
        sprintf((char *)bytes, "#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y %d +X %d\n", even_rows, even_columns);
    for (int k = 0; k < even_rows * even_columns; ++k)
    {
        memset(bytes + head + 4 * k, mantissa, 3);
        bytes[head + 4 * k + 3] = even_exponent;
    }
    return (size_t)head + 4 * even_rows * even_columns;
}

static frz_environment *even_environment(unsigned char mantissa)
{
    unsigned char bytes[1024];
    frz_environment *environment = NULL;
    frz_diag diag = {0};
    const size_t size = even_file(mantissa, bytes);
    assert_int_equal(frz_environment_parse(bytes, size, "even.hdr", &environment, &diag), FRZ_OK);
    return environment;
}

static frz_mesh *ball(double radius)
{
    frz_shape *shape = NULL;
    frz_mesh *mesh = NULL;
    frz_diag diag = {0};
    const frz_bounds clip = {{-2.0, -2.0, -2.0}, {2.0, 2.0, 2.0}};
    assert_int_equal(frz_shape_sphere(frz_v3(0.0, 0.0, 0.0), radius, &shape, &diag), FRZ_OK);
    assert_int_equal(frz_shape_triangulate(shape, 0.1, clip, &mesh, &diag), FRZ_OK);
    frz_shape_destroy(&shape);
    return mesh;
}

/// A plate across the view.
static frz_mesh *plate_between(double half, double back, double front)
{
    frz_shape *shape = NULL;
    frz_mesh *mesh = NULL;
    frz_diag diag = {0};
    const frz_bounds clip = {{-99.0, -99.0, -99.0}, {99.0, 99.0, 99.0}};
    assert_int_equal(frz_shape_box(frz_v3(-half, -half, back), frz_v3(half, half, front), &shape, &diag), FRZ_OK);
    assert_int_equal(frz_shape_triangulate(shape, 1.0, clip, &mesh, &diag), FRZ_OK);
    frz_shape_destroy(&shape);
    return mesh;
}

static frz_mesh *plate(double half, double thickness)
{
    return plate_between(half, -0.5 * thickness, 0.5 * thickness);
}

static frz_camera front_camera(void)
{
    const frz_camera camera = {.eye = {0.0, 0.0, 5.0}, .target = {0.0, 0.0, 0.0}, .up = {0.0, 1.0, 0.0}, 0.5, 0.0};
    return camera;
}

static frz_render_options options_in(const frz_environment *environment, int samples)
{
    frz_render_options options = frz_render_options_default();
    options.width = side;
    options.height = side;
    options.samples = samples;
    options.ground_shadow = false;
    options.paths = (frz_render_paths){.on = true, .scene_size = 1.0, .environment = environment};
    return options;
}

/// Mean radiance at the middle of a picture, from paths alone.
static frz_color middle_radiance_of(const frz_render_mesh *meshes, int count, const frz_environment *environment,
                                    int samples)
{
    const frz_render_options options = options_in(environment, samples);
    const frz_camera camera = front_camera();
    frz_view view;
    frz_trace trace;
    frz_path_scene scene;
    frz_diag diag = {0};
    assert_int_equal(frz_view_create(&camera, 1.0, &view, &diag), FRZ_OK);
    assert_int_equal(frz_trace_create(NULL, meshes, count, &options, &view, &trace, &diag), FRZ_OK);
    assert_int_equal(frz_path_scene_create(&options, &view, &trace, &scene, &diag), FRZ_OK);
    frz_color sum = {0.0f, 0.0f, 0.0f};
    for (int s = 0; s < samples; ++s)
    {
        frz_path_features features;
        const frz_path_random random = frz_path_random_start(3, 5, s, samples);
        sum = frz_color_add(sum, frz_path_radiance(&scene, view.eye, view.forward, 0.5f, random, &features));
    }
    frz_path_scene_destroy(&scene);
    frz_trace_destroy(&trace);
    return frz_color_scale(1.0f / (float)samples, sum);
}

static frz_color middle_radiance(const frz_render_mesh *mesh, const frz_environment *environment, int samples)
{
    return middle_radiance_of(mesh, 1, environment, samples);
}

static void white_and_clear_bodies_vanish_in_even_light(void **state)
{
    (void)state;
    frz_environment *even = even_environment(128);
    frz_mesh *mesh = ball(1.0);
    frz_render_mesh white = {.mesh = mesh, .color = {1.0f, 1.0f, 1.0f}};
    assert_float_equal(middle_radiance(&white, even, 256).g, 0.5f, 0.01f);
    frz_look clear = *frz_look_find("glass");
    clear.color = (frz_color){1.0f, 1.0f, 1.0f};
    const frz_render_mesh glass = {.mesh = mesh, .look = &clear};
    assert_float_equal(middle_radiance(&glass, even, 256).g, 0.5f, 0.005f);
    white.color.g = 0.5f; // and a grey one does not
    assert_float_equal(middle_radiance(&white, even, 256).g, 0.25f, 0.01f);
    frz_mesh_destroy(&mesh);
    frz_environment_destroy(&even);
}

static void soft_bodies_give_back_their_colour(void **state)
{
    (void)state;
    frz_environment *even = even_environment(128);
    frz_mesh *mesh = ball(1.0);
    frz_look soft = *frz_look_find("wax");
    soft.refraction = 1.0f; // no coat
    soft.free_path = 0.01f;
    const frz_render_mesh wax = {.mesh = mesh, .look = &soft, .color = {0.8f, 0.5f, 0.2f}};
    const frz_color seen = middle_radiance(&wax, even, 2048);
    // the fit of the albedo is one of published accuracy; a walk that is cut short loses a little of the brightest
    assert_float_equal(seen.r, 0.5f * 0.8f, 0.05f);
    assert_float_equal(seen.g, 0.5f * 0.5f, 0.03f);
    assert_float_equal(seen.b, 0.5f * 0.2f, 0.02f);
    frz_mesh_destroy(&mesh);
    frz_environment_destroy(&even);
}

/// A core of the same wax is not seen, a white one makes it brighter and a black one darker.
static void soft_bodies_that_touch_are_one(void **state)
{
    (void)state;
    frz_environment *even = even_environment(128);
    frz_mesh *mesh = ball(1.0), *core = ball(0.98);
    frz_look soft = *frz_look_find("wax");
    soft.refraction = 1.0f; // no coat
    soft.free_path = 0.02f;
    const frz_color colour = {0.6f, 0.6f, 0.6f};
    frz_render_mesh meshes[2] = {{.mesh = mesh, .look = &soft, .color = colour},
                                 {.mesh = core, .look = &soft, .color = colour}};
    const float alone = middle_radiance(meshes, even, 4096).g;
    assert_float_equal(middle_radiance_of(meshes, 2, even, 4096).g, alone, 0.01f);
    meshes[1].look = NULL;
    meshes[1].color = (frz_color){1.0f, 1.0f, 1.0f};
    assert_greater(middle_radiance_of(meshes, 2, even, 4096).g, alone + 0.03f);
    meshes[1].color = (frz_color){0.0f, 0.0f, 0.0f};
    assert_less(middle_radiance_of(meshes, 2, even, 4096).g, alone - 0.03f);
    frz_mesh_destroy(&mesh);
    frz_mesh_destroy(&core);
    frz_environment_destroy(&even);
}

static void reflection_follows_fresnel(void **state)
{
    (void)state;
    assert_float_equal(frz_path_fresnel(1.0f / 1.5f, 1.0f), 0.04f, 1e-5f);
    assert_float_equal(frz_path_fresnel(1.5f, 1.0f), 0.04f, 1e-5f);
    assert_float_equal(frz_path_fresnel(1.5f, cosf(0.75f)), 1.0f, 0.0f); // beyond the critical angle of 0.7297 rad
    const float brewster = atanf(1.5f);                                  // only light across the plane is reflected
    const float across = (1.0f - 1.5f * 1.5f) / (1.0f + 1.5f * 1.5f);
    assert_float_equal(frz_path_fresnel(1.0f / 1.5f, cosf(brewster)), 0.5f * across * across, 1e-5f);
}

static void absorbing_plate_shows_the_series_of_its_reflections(void **state)
{
    (void)state;
    frz_environment *even = even_environment(128);
    frz_mesh *mesh = plate(30.0, 1.0);
    frz_look clear = *frz_look_find("glass");
    clear.refraction = 1.5f;
    clear.color = (frz_color){0.3f, 0.6f, 0.9f};
    const frz_render_mesh glass = {.mesh = mesh, .look = &clear};
    const frz_color seen = middle_radiance(&glass, even, 4096);
    const float left[3] = {0.3f, 0.6f, 0.9f}, got[3] = {seen.r, seen.g, seen.b};
    for (int c = 0; c < 3; ++c)
    {
        const float r = 0.04f, a = left[c], back = 1.0f - r * r * a * a;
        const float expected = r + r * (1.0f - r) * (1.0f - r) * a * a / back + (1.0f - r) * (1.0f - r) * a / back;
        assert_float_equal(got[c], 0.5f * expected, 2e-3f);
    }
    frz_mesh_destroy(&mesh);
    frz_environment_destroy(&even);
}

static frz_image draw(const frz_render_mesh *mesh, const frz_render_options *options)
{
    const frz_camera camera = front_camera();
    frz_image image;
    frz_diag diag = {0};
    assert_int_equal(frz_raycast(NULL, mesh, 1, &camera, NULL, options, &image, &diag), FRZ_OK);
    return image;
}

static void pictures_do_not_depend_on_the_number_of_threads(void **state)
{
    (void)state;
    frz_mesh *mesh = ball(0.8);
    frz_vec3 *velocities = FRZ_ALLOC("test", mesh->vertex_count, frz_vec3);
    for (int v = 0; v < mesh->vertex_count; ++v)
        velocities[v] = frz_v3(1.0, 0.0, 0.0);
    const int before = omp_get_max_threads();
    static const char *const looks[] = {"water", "wax", "metal", "chocolate", "matte"};
    for (size_t k = 0; k < sizeof looks / sizeof looks[0]; ++k)
    {
        const frz_render_mesh body = {
            .mesh = mesh, .color = {0.7f, 0.4f, 0.2f}, .velocities = velocities, .look = frz_look_find(looks[k])};
        frz_render_options options = options_in(NULL, 4);
        options.ground_shadow = true;
        options.paths.denoise = true;
        options.paths.shutter = 0.1;
        omp_set_num_threads(1);
        frz_image first = draw(&body, &options);
        static const int threads[] = {2, 5};
        for (size_t t = 0; t < 2; ++t)
        {
            omp_set_num_threads(threads[t]);
            frz_image other = draw(&body, &options);
            assert_memory_equal(first.rgb, other.rgb, (size_t)3 * side * side);
            frz_image_destroy(&other);
        }
        frz_image_destroy(&first);
    }
    omp_set_num_threads(before);
    frz_free(velocities);
    frz_mesh_destroy(&mesh);
}

static int dark_pixels(const frz_image *image)
{
    int count = 0;
    for (int p = 0; p < side * side; ++p)
        count += image->rgb[3 * p] < 100;
    return count;
}

static void open_shutter_blurs_what_moves(void **state)
{
    (void)state;
    frz_environment *even = even_environment(200);
    frz_mesh *mesh = ball(0.5);
    frz_vec3 *velocities = FRZ_ALLOC("test", mesh->vertex_count, frz_vec3);
    for (int v = 0; v < mesh->vertex_count; ++v)
        velocities[v] = frz_v3(10.0, 0.0, 0.0);
    const frz_render_mesh body = {.mesh = mesh, .color = {0.0f, 0.0f, 0.0f}, .velocities = velocities};
    frz_render_options options = options_in(even, 16);
    frz_image sharp = draw(&body, &options);
    options.paths.shutter = 0.2; // moves by 2 m, twice its diameter
    frz_image blurred = draw(&body, &options);
    assert_greater(dark_pixels(&sharp), 20);
    assert_less(2 * dark_pixels(&blurred), dark_pixels(&sharp)); // each place is covered for a part of the time only
    frz_image_destroy(&sharp);
    frz_image_destroy(&blurred);
    frz_free(velocities);
    frz_mesh_destroy(&mesh);
    frz_environment_destroy(&even);
}

static void smoothing_takes_noise_and_leaves_edges(void **state)
{
    (void)state;
    enum
    {
        wide = 64
    };
    frz_noisy_picture picture;
    frz_diag diag = {0};
    assert_int_equal(frz_noisy_picture_create(wide, wide, &picture, &diag), FRZ_OK);
    double before = 0.0, after = 0.0;
    for (int p = 0; p < wide * wide; ++p)
    {
        const bool right = p % wide >= wide / 2;
        const float truth = right ? 0.8f : 0.1f, noise = frz_unit_float(frz_hash3((uint32_t)p, 1, 2)) - 0.5f;
        picture.albedo[p] = (frz_color){truth, truth, truth};
        picture.normal[p] = frz_v3f(0.0f, 0.0f, 1.0f);
        const float value = truth * (1.0f + noise);
        picture.color[p] = (frz_color){value, value, value};
        picture.variance[p] = truth * truth / 12.0f;
        before += (double)((value - truth) * (value - truth));
    }
    assert_int_equal(frz_denoise(&picture, &diag), FRZ_OK);
    for (int p = 0; p < wide * wide; ++p)
    {
        const float truth = p % wide >= wide / 2 ? 0.8f : 0.1f, error = picture.color[p].g - truth;
        assert_small(error, 0.25f * truth); // beside the edge, too
        after += (double)(error * error);
    }
    assert_less(after, before / 30.0);
    frz_noisy_picture_destroy(&picture);
}

/// White noise on a red surface: in its little green and blue the noise is many times the light.
static void white_noise_on_red_is_taken(void **state)
{
    (void)state;
    enum
    {
        wide = 64
    };
    const frz_color red = {0.33f, 0.02f, 0.03f};
    frz_noisy_picture picture;
    frz_diag diag = {0};
    assert_int_equal(frz_noisy_picture_create(wide, wide, &picture, &diag), FRZ_OK);
    double before = 0.0, after = 0.0;
    for (int p = 0; p < wide * wide; ++p)
    {
        const float glint = 0.1f * (frz_unit_float(frz_hash3((uint32_t)p, 3, 4)) - 0.5f);
        const float body = 1.0f + 1.5f * (frz_unit_float(frz_hash3((uint32_t)p, 5, 6)) - 0.5f);
        picture.albedo[p] = red;
        picture.normal[p] = frz_v3f(0.0f, 0.0f, 1.0f);
        picture.color[p] = (frz_color){red.r * body + glint, red.g * body + glint, red.b * body + glint};
        const float part = 1.5f * frz_color_luminance(red);
        picture.variance[p] = (0.01f + part * part) / 12.0f;
        before += (double)((picture.color[p].g - red.g) * (picture.color[p].g - red.g));
    }
    assert_int_equal(frz_denoise(&picture, &diag), FRZ_OK);
    for (int p = 0; p < wide * wide; ++p)
        after += (double)((picture.color[p].g - red.g) * (picture.color[p].g - red.g));
    assert_less(after, before / 30.0);
    frz_noisy_picture_destroy(&picture);
}

/// Many paths through three panes are reflected or end by chance: an even wall behind them is even all the same.
static void a_wall_behind_panes_is_even(void **state)
{
    (void)state;
    enum
    {
        panes = 3
    };
    frz_environment *even = even_environment(128);
    frz_render_mesh meshes[panes + 1];
    frz_mesh *owned[panes + 1];
    for (int k = 0; k <= panes; ++k)
    {
        owned[k] = plate_between(30.0, 0.5 * k - 1.0, 0.5 * k - 0.9);
        meshes[k] = (frz_render_mesh){.mesh = owned[k], .look = frz_look_find(k == 0 ? "matte" : "glass")};
        meshes[k].color = k == 0 ? (frz_color){0.5f, 0.1f, 0.1f} : meshes[k].look->color;
    }
    frz_render_options options = options_in(even, 16);
    options.paths.denoise = true;
    const frz_camera camera = front_camera();
    frz_image image;
    frz_diag diag = {0};
    assert_int_equal(frz_raycast(NULL, meshes, panes + 1, &camera, NULL, &options, &image, &diag), FRZ_OK);
    int least = 255, most = 0;
    for (int k = 0; k < side * side; ++k)
    {
        const int red = image.rgb[3 * k];
        least = red < least ? red : least;
        most = red > most ? red : most;
    }
    assert_greater(least, 20); // the wall is lit
    assert_less(most - least, 12);
    frz_image_destroy(&image);
    for (int k = 0; k <= panes; ++k)
        frz_mesh_destroy(&owned[k]);
    frz_environment_destroy(&even);
}

static void damaged_surroundings_are_refused(void **state)
{
    (void)state;
    unsigned char bytes[1024];
    const size_t size = even_file(128, bytes);
    frz_environment *environment = NULL;
    for (size_t cut = 0; cut < size; ++cut) // every file that ends too soon
    {
        frz_diag diag = {0};
        assert_int_equal(frz_environment_parse(bytes, cut, "cut.hdr", &environment, &diag), FRZ_ERR_FILE);
        assert_null(environment);
        assert_non_null(strstr(diag.message, "cut.hdr"));
    }
    for (size_t k = 0; k < size; ++k) // and with every byte changed nothing is read outside
    {
        const unsigned char kept = bytes[k];
        for (int change = 1; change < 256; change += 37)
        {
            bytes[k] = (unsigned char)(kept + change);
            if (frz_environment_parse(bytes, size, "changed.hdr", &environment, NULL) == FRZ_OK)
                frz_environment_destroy(&environment);
        }
        bytes[k] = kept;
    }
}

static void coded_rows_are_read(void **state)
{
    (void)state;
    static const char head[] = "#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y 1 +X 8\n";
    unsigned char bytes[128];
    size_t size = sizeof head - 1;
    memcpy(bytes, head, size);
    static const unsigned char row[] = {2, 2, 0, 8, 128 + 8, 128, 8, 1, 2, 3, 4, 5, 6, 7, 8, 128 + 8, 0, 128 + 8, 128};
    memcpy(bytes + size, row, sizeof row);
    size += sizeof row;
    frz_environment *environment = NULL;
    frz_diag diag = {0};
    assert_int_equal(frz_environment_parse(bytes, size, "row.hdr", &environment, &diag), FRZ_OK);
    for (int x = 0; x < 8; ++x)
    {
        assert_float_equal(environment->pixels[x].r, 0.5f, 0.0f);
        assert_float_equal(environment->pixels[x].g, (float)(x + 1) / 256.0f, 0.0f);
        assert_float_equal(environment->pixels[x].b, 0.0f, 0.0f);
    }
    frz_environment_destroy(&environment);
}

static void surroundings_are_sampled_by_their_light(void **state)
{
    (void)state;
    unsigned char bytes[1024];
    const size_t size = even_file(16, bytes);
    bytes[size - 4 * (even_columns * 5 + 7)] = 255; // one bright pixel
    frz_environment *environment = NULL;
    frz_diag diag = {0};
    assert_int_equal(frz_environment_parse(bytes, size, "spot.hdr", &environment, &diag), FRZ_OK);
    const frz_vec3f up = {0.0f, 1.0f, 0.0f};
    double total = 0.0;
    enum
    {
        draws = 4096
    };
    for (int k = 0; k < draws; ++k)
    {
        const int across = k % 64, down = k / 64;
        const frz_point2f random = {((float)across + 0.5f) / 64.0f, ((float)down + 0.5f) / 64.0f};
        float density = 0.0f;
        const frz_vec3f direction = frz_environment_sample(environment, random, up, &density);
        assert_float_equal(frz_environment_density(environment, direction, up), density, 1e-3f * density);
        total += 1.0 / (double)density;
    }
    assert_near(total / draws, 4.0 * 3.14159265, 0.05); // the whole sphere
    frz_environment_destroy(&environment);
}

/// Single pixels that are noise go; lines, and pixels without noise, stay.
static void the_denoiser_removes_specks(void **state)
{
    (void)state;
    enum
    {
        edge = 16
    };
    frz_noisy_picture picture;
    frz_diag diag = {0};
    assert_int_equal(frz_noisy_picture_create(edge, edge, &picture, &diag), FRZ_OK);
    for (int k = 0; k < edge * edge; ++k)
    {
        const bool line = k / edge == 12, speck = k == 4 * edge + 4, sure = k == 4 * edge + 10;
        const float light = line || speck || sure ? 5.0f : 0.5f;
        picture.color[k] = (frz_color){light, light, light};
        picture.albedo[k] = (frz_color){1.0f, 1.0f, 1.0f};
        picture.normal[k] = frz_v3f(0.0f, 0.0f, line ? -1.0f : 1.0f);
        picture.variance[k] = speck ? 1.0f : 0.0f;
    }
    assert_int_equal(frz_denoise(&picture, &diag), FRZ_OK);
    assert_less((double)picture.color[4 * edge + 4].g, 1.0);
    assert_greater((double)picture.color[4 * edge + 10].g, 4.0);
    assert_greater((double)picture.color[12 * edge + 8].g, 4.0);
    frz_noisy_picture_destroy(&picture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(white_and_clear_bodies_vanish_in_even_light),
                                       cmocka_unit_test(soft_bodies_give_back_their_colour),
                                       cmocka_unit_test(soft_bodies_that_touch_are_one),
                                       cmocka_unit_test(reflection_follows_fresnel),
                                       cmocka_unit_test(absorbing_plate_shows_the_series_of_its_reflections),
                                       cmocka_unit_test(pictures_do_not_depend_on_the_number_of_threads),
                                       cmocka_unit_test(open_shutter_blurs_what_moves),
                                       cmocka_unit_test(smoothing_takes_noise_and_leaves_edges),
                                       cmocka_unit_test(white_noise_on_red_is_taken),
                                       cmocka_unit_test(a_wall_behind_panes_is_even),
                                       cmocka_unit_test(damaged_surroundings_are_refused),
                                       cmocka_unit_test(coded_rows_are_read),
                                       cmocka_unit_test(surroundings_are_sampled_by_their_light),
                                       cmocka_unit_test(the_denoiser_removes_specks)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
