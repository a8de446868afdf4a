// SPDX-License-Identifier: MIT
// Small pictures: what is drawn where, and that it never depends on the number of threads.
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "compare.h"

#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "render/raycast.h"

static const frz_color red = {0.8f, 0.02f, 0.02f};
static const frz_color green = {0.02f, 0.7f, 0.02f};

static frz_render_options small_options(void)
{
    frz_render_options options = frz_render_options_default();
    options.width = 96;
    options.height = 64;
    options.occlusion_samples = 2;
    return options;
}

static frz_camera front_camera(void)
{
    const frz_camera camera = {.eye = {0.0, 0.0, 5.0}, .target = {0.0, 0.0, 0.0}, .up = {0.0, 1.0, 0.0}, 0.8, 0.0};
    return camera;
}

static const unsigned char *pixel(const frz_image *image, int x, int y)
{
    return image->rgb + 3 * ((size_t)y * (size_t)image->width + (size_t)x);
}

static bool is_red(const unsigned char *p)
{
    return p[0] > 60 && p[0] > 2 * p[1] && p[0] > 2 * p[2];
}

static bool is_green(const unsigned char *p)
{
    return p[1] > 60 && p[1] > 2 * p[0] && p[1] > 2 * p[2];
}

/// The box from (-1,-1,-1) to (1,1,1), counter-clockwise seen from outside.
static frz_vec3 box_vertices[8];
static int box_triangles[12][3] = {{0, 4, 6}, {0, 6, 2}, {1, 3, 7}, {1, 7, 5}, {0, 1, 5}, {0, 5, 4},
                                   {2, 6, 7}, {2, 7, 3}, {0, 2, 3}, {0, 3, 1}, {4, 5, 7}, {4, 7, 6}};

static frz_mesh box_mesh(void)
{
    for (int i = 0; i < 8; ++i)
        box_vertices[i] = frz_v3(i & 1 ? 1.0 : -1.0, i & 2 ? 1.0 : -1.0, i & 4 ? 1.0 : -1.0);
    const frz_mesh mesh = {8, 12, box_vertices, box_triangles};
    return mesh;
}

static frz_image draw(const frz_render_spheres *spheres, const frz_render_mesh *meshes, int mesh_count,
                      const frz_camera *camera, const frz_render_legend *legend)
{
    const frz_render_options options = small_options();
    frz_image image;
    frz_diag diag = {0};
    const frz_status status = frz_raycast(spheres, meshes, mesh_count, camera, legend, &options, &image, &diag);
    assert_string_equal(diag.message, "");
    assert_int_equal(status, FRZ_OK);
    return image;
}

static void spheres_appear_where_they_are(void **state)
{
    (void)state;
    const float xyzr[] = {-1.0f, 0.0f, 0.0f, 0.4f, 1.0f, 0.5f, 0.0f, 0.4f};
    const frz_color colors[] = {red, green};
    const frz_render_spheres spheres = {2, xyzr, colors};
    const frz_camera camera = front_camera();
    frz_image image = draw(&spheres, NULL, 0, &camera, NULL);
    // a point (x, y, 0) lies at 32 / (5 tan 0.4) = 15.1 pixels per metre from the middle
    assert_true(is_red(pixel(&image, 48 - 15, 32)));
    assert_true(is_green(pixel(&image, 48 + 15, 32 - 8)));
    assert_false(is_red(pixel(&image, 48, 32)));
    assert_false(is_green(pixel(&image, 48, 5)));
    frz_image_destroy(&image);
}

static void nearer_spheres_hide_farther_ones(void **state)
{
    (void)state;
    const float xyzr[] = {0.0f, 0.0f, -1.0f, 0.6f, 0.0f, 0.0f, 1.0f, 0.3f};
    const frz_color colors[] = {red, green};
    const frz_render_spheres spheres = {2, xyzr, colors};
    const frz_camera camera = front_camera();
    frz_image image = draw(&spheres, NULL, 0, &camera, NULL);
    assert_true(is_green(pixel(&image, 48, 32)));
    assert_true(is_red(pixel(&image, 48 - 7, 32)));
    frz_image_destroy(&image);
}

static void every_thread_count_gives_the_same_bits(void **state)
{
    (void)state;
    enum
    {
        count = 2000
    };
    static float xyzr[4 * count];
    static frz_color colors[count];
    for (int i = 0; i < count; ++i)
    {
        const int column = i % 20, row = i / 20 % 10, layer = i / 200;
        xyzr[4 * i] = (float)column * 0.1f - 1.0f;
        xyzr[4 * i + 1] = (float)row * 0.1f - 0.5f;
        xyzr[4 * i + 2] = (float)layer * 0.1f - 0.5f;
        xyzr[4 * i + 3] = 0.05f;
        assert_true(frz_colormap_lookup("turbo", (double)i / count, &colors[i]));
    }
    const frz_render_spheres spheres = {count, xyzr, colors};
    const frz_mesh box = box_mesh();
    const frz_render_mesh mesh = {&box, {0.6f, 0.6f, 0.6f}, true};
    frz_camera camera = front_camera();
    camera.eye = frz_v3(2.0, 2.0, 5.0);
    const int threads_before = omp_get_max_threads();
    omp_set_num_threads(1);
    frz_image one = draw(&spheres, &mesh, 1, &camera, NULL);
    omp_set_num_threads(3);
    frz_image three = draw(&spheres, &mesh, 1, &camera, NULL);
    omp_set_num_threads(threads_before);
    assert_memory_equal(one.rgb, three.rgb, (size_t)3 * 96 * 64);
    frz_image_destroy(&one);
    frz_image_destroy(&three);
}

static void a_solid_mesh_hides_what_is_inside_and_a_see_through_one_does_not(void **state)
{
    (void)state;
    const float xyzr[] = {0.0f, 0.0f, 0.0f, 0.5f};
    const frz_render_spheres spheres = {1, xyzr, &red};
    const frz_mesh box = box_mesh();
    frz_render_mesh mesh = {&box, green, false};
    const frz_camera camera = front_camera();
    frz_image image = draw(&spheres, &mesh, 1, &camera, NULL);
    assert_true(is_green(pixel(&image, 48, 32)));
    frz_image_destroy(&image);

    mesh.see_through = true;
    image = draw(&spheres, &mesh, 1, &camera, NULL);
    assert_true(is_red(pixel(&image, 48, 32)));
    assert_true(is_green(pixel(&image, 48 + 11, 32))); // the back wall beside the sphere
    frz_image_destroy(&image);
}

static void one_looks_into_a_tank_with_thick_walls(void **state)
{
    (void)state;
    // outer box and, turned inside out, the cavity
    frz_vec3 vertices[16];
    int triangles[24][3];
    const frz_mesh box = box_mesh();
    for (int i = 0; i < 8; ++i)
    {
        vertices[i] = box.vertices[i];
        vertices[8 + i] = frz_v3_scale(0.9, box.vertices[i]);
    }
    for (int t = 0; t < 12; ++t)
    {
        for (int c = 0; c < 3; ++c)
        {
            triangles[t][c] = box.triangles[t][c];
            triangles[12 + t][c] = 8 + box.triangles[t][2 - c];
        }
    }
    const frz_mesh tank = {16, 24, vertices, triangles};
    const frz_render_mesh mesh = {&tank, green, true};
    const float xyzr[] = {0.0f, 0.0f, 0.0f, 0.5f};
    const frz_render_spheres spheres = {1, xyzr, &red};
    const frz_camera camera = front_camera();
    frz_image image = draw(&spheres, &mesh, 1, &camera, NULL);
    assert_true(is_red(pixel(&image, 48, 32)));
    assert_true(is_green(pixel(&image, 48 + 11, 32)));
    frz_image_destroy(&image);
}

/// A tank with thick walls, open above, in triangles of about a size.
static frz_mesh *make_tank(double cell)
{
    frz_diag diag = {0};
    frz_shape *parts[2] = {NULL, NULL}, *tank = NULL;
    frz_mesh *mesh = NULL;
    assert_int_equal(frz_shape_box(frz_v3(-1.2, -1.2, -1.2), frz_v3(1.2, 1.0, 1.2), &parts[0], &diag), FRZ_OK);
    assert_int_equal(frz_shape_box(frz_v3(-1.0, -1.0, -1.0), frz_v3(1.0, 2.0, 1.0), &parts[1], &diag), FRZ_OK);
    assert_int_equal(frz_shape_take_combine(FRZ_SHAPE_DIFFERENCE, parts, 2, &tank, &diag), FRZ_OK);
    const frz_bounds clip = {{-2.0, -2.0, -2.0}, {2.0, 2.0, 2.0}};
    assert_int_equal(frz_shape_triangulate(tank, cell, clip, &mesh, &diag), FRZ_OK);
    frz_shape_destroy(&tank);
    return mesh;
}

static void a_tank_is_cut_the_same_whatever_its_triangles_are(void **state)
{
    (void)state;
    const float xyzr[] = {0.0f, -0.8f, 0.0f, 0.15f};
    const frz_color colors[] = {red};
    const frz_render_spheres spheres = {1, xyzr, colors};
    const frz_camera camera = {.eye = {1.5, 2.5, 6.0}, .target = {0.0, -0.2, 0.0}, .up = {0.0, 1.0, 0.0}, 0.6, 0.0};
    const double cells[] = {0.04, 0.12};
    frz_image images[2];
    for (int k = 0; k < 2; ++k)
    {
        frz_mesh *tank = make_tank(cells[k]);
        const frz_render_mesh mesh = {.mesh = tank, .color = green, .see_through = true};
        images[k] = draw(&spheres, &mesh, 1, &camera, NULL);
        frz_mesh_destroy(&tank);
    }
    int differ = 0;
    for (int p = 0; p < images[0].width * images[0].height; ++p)
        differ += is_green(images[0].rgb + 3 * (size_t)p) != is_green(images[1].rgb + 3 * (size_t)p);
    assert_less(differ, 12); // of some 1500 green pixels, along 200 pixels of edges
    frz_image_destroy(&images[0]);
    frz_image_destroy(&images[1]);
}

static void an_empty_scene_is_plain_background(void **state)
{
    (void)state;
    const frz_camera camera = front_camera();
    const frz_render_spheres none = {0, NULL, NULL};
    frz_image a = draw(NULL, NULL, 0, &camera, NULL), b = draw(&none, NULL, 0, &camera, NULL);
    assert_memory_equal(a.rgb, b.rgb, (size_t)3 * 96 * 64);
    assert_in_range(abs(pixel(&a, 10, 32)[0] - pixel(&a, 80, 32)[0]), 0, 1); // no more than the dither
    frz_image_destroy(&a);
    frz_image_destroy(&b);
}

static void broken_and_huge_spheres_are_skipped(void **state)
{
    (void)state;
    const float xyzr[] = {NAN,  0.0f, 0.0f, 0.4f, 0.0f, INFINITY, 0.0f, 0.4f, 1e30f, 0.0f,
                          0.0f, 1.0f, 0.0f, 0.0f, 2.0f, NAN,      0.0f, 0.0f, 2.0f,  -1.0f};
    const frz_color colors[] = {red, red, red, red, red};
    const frz_render_spheres spheres = {5, xyzr, colors};
    const frz_camera camera = front_camera();
    frz_image drawn = draw(&spheres, NULL, 0, &camera, NULL), empty = draw(NULL, NULL, 0, &camera, NULL);
    assert_memory_equal(drawn.rgb, empty.rgb, (size_t)3 * 96 * 64);
    frz_image_destroy(&drawn);
    frz_image_destroy(&empty);
}

static void the_scale_of_a_scene_does_not_matter(void **state)
{
    (void)state;
    const double scales[] = {1e-9, 1e12};
    for (int i = 0; i < 2; ++i)
    {
        const float size = (float)scales[i];
        const float xyzr[] = {0.0f, 0.0f, 0.0f, 0.5f * size};
        const frz_render_spheres spheres = {1, xyzr, &red};
        frz_camera camera = front_camera();
        camera.eye = frz_v3(0.0, 0.0, 5.0 * scales[i]);
        frz_image image = draw(&spheres, NULL, 0, &camera, NULL);
        assert_true(is_red(pixel(&image, 48, 32)));
        assert_false(is_red(pixel(&image, 48 + 12, 32)));
        frz_image_destroy(&image);
    }
}

static void bad_requests_are_refused(void **state)
{
    (void)state;
    frz_camera camera = front_camera();
    frz_image image;
    frz_diag diag;
    frz_render_options options = small_options();
    options.width = 0;
    assert_int_equal(frz_raycast(NULL, NULL, 0, &camera, NULL, &options, &image, &diag), FRZ_ERR_ARGUMENT);
    options.width = 16385;
    assert_int_equal(frz_raycast(NULL, NULL, 0, &camera, NULL, &options, &image, &diag), FRZ_ERR_ARGUMENT);
    options = small_options();
    options.samples = 0;
    assert_int_equal(frz_raycast(NULL, NULL, 0, &camera, NULL, &options, &image, &diag), FRZ_ERR_ARGUMENT);
    options = small_options();
    const frz_render_legend legend = {"speed [m/s]", "nosuchmap", 0.0, 1.0, NULL};
    assert_int_equal(frz_raycast(NULL, NULL, 0, &camera, &legend, &options, &image, &diag), FRZ_ERR_ARGUMENT);
    assert_non_null(strstr(diag.message, "nosuchmap"));
    camera.target = camera.eye;
    assert_int_equal(frz_raycast(NULL, NULL, 0, &camera, NULL, &options, &image, &diag), FRZ_ERR_ARGUMENT);
    assert_null(image.rgb);
}

static void the_legend_is_drawn_for_any_range(void **state)
{
    (void)state;
    const double ranges[][2] = {{0.0, 3.0}, {-1e-7, 1e-7}, {5.0, 5.0},  {0.0, 4e8},
                                {2.0, 1.0}, {NAN, 1.0},    {0.0, 1e308}};
    const frz_camera camera = front_camera();
    frz_image plain = draw(NULL, NULL, 0, &camera, NULL);
    for (size_t i = 0; i < sizeof ranges / sizeof ranges[0]; ++i)
    {
        const frz_render_legend legend = {"density [kg/m^3]", "viridis", ranges[i][0], ranges[i][1], "t = 1 s"};
        frz_image image = draw(NULL, NULL, 0, &camera, &legend);
        int changed_right = 0, changed_bottom = 0;
        for (int y = 0; y < image.height; ++y)
        {
            for (int x = 0; x < image.width; ++x)
            {
                const int change = abs(pixel(&image, x, y)[1] - pixel(&plain, x, y)[1]);
                changed_right += x > 48 && change > 40;
                changed_bottom += x < 30 && y > 40 && change > 40;
            }
        }
        assert_greater(changed_right, 50);
        assert_greater(changed_bottom, 5);
        frz_image_destroy(&image);
    }
    frz_image_destroy(&plain);
}

static void colour_maps_have_the_right_ends_and_clamp(void **state)
{
    (void)state;
    frz_color low, high, beyond;
    assert_true(frz_colormap_lookup("viridis", 0.0, &low));
    assert_float_equal(low.r, 0.0578, 1e-3); // #440154 in linear light
    assert_float_equal(low.b, 0.0887, 1e-3);
    assert_true(frz_colormap_lookup("viridis", 1.0, &high));
    assert_true(frz_colormap_lookup("viridis", 7.0, &beyond));
    assert_memory_equal(&high, &beyond, sizeof high);
    assert_true(frz_colormap_lookup("viridis", NAN, &beyond));
    assert_memory_equal(&low, &beyond, sizeof low);
    assert_false(frz_colormap_lookup("nosuchmap", 0.5, &low));
    assert_false(frz_colormap_lookup(NULL, 0.5, &low));
    int count = 0;
    for (const char *const *name = frz_colormap_names(); *name != NULL; ++name, ++count)
        assert_true(frz_colormap_lookup(*name, 0.5, &low));
    assert_int_equal(count, 6);
}

static void the_gray_map_rises_steadily(void **state)
{
    (void)state;
    frz_color last = {-1.0f, -1.0f, -1.0f};
    for (int i = 0; i <= 100; ++i)
    {
        frz_color color;
        assert_true(frz_colormap_lookup("gray", i / 100.0, &color));
        assert_greater(color.r, last.r);
        assert_greater(color.g, last.g);
        assert_greater(color.b, last.b);
        last = color;
    }
}

static void the_automatic_camera_shows_all_of_the_bounds(void **state)
{
    (void)state;
    const frz_bounds bounds = {{-3.0, 0.0, 10.0}, {5.0, 1.0, 11.0}};
    const frz_camera camera = frz_camera_auto(bounds, 3, 1.5);
    float xyzr[32];
    frz_color colors[8];
    for (int i = 0; i < 8; ++i)
    {
        xyzr[4 * i] = i & 1 ? 5.0f : -3.0f;
        xyzr[4 * i + 1] = i & 2 ? 1.0f : 0.0f;
        xyzr[4 * i + 2] = i & 4 ? 11.0f : 10.0f;
        xyzr[4 * i + 3] = 0.12f;
        colors[i] = red;
        const frz_render_spheres one = {1, &xyzr[4 * i], &colors[i]};
        frz_image image = draw(&one, NULL, 0, &camera, NULL);
        int seen = 0;
        for (int p = 0; p < image.width * image.height; ++p)
            seen += is_red(image.rgb + 3 * (size_t)p);
        assert_greater_equal(seen, 1);
        frz_image_destroy(&image);
    }
    const frz_bounds unbounded = {{-HUGE_VAL, 0.0, -HUGE_VAL}, {HUGE_VAL, HUGE_VAL, HUGE_VAL}};
    const frz_bounds empty = {{1.0, 1.0, 1.0}, {-1.0, -1.0, -1.0}};
    frz_camera odd = frz_camera_auto(unbounded, 3, 1.5);
    assert_true(isfinite(odd.eye.x) && isfinite(odd.eye.y) && isfinite(odd.eye.z));
    odd = frz_camera_auto(empty, 3, 0.0);
    assert_true(isfinite(odd.eye.x) && isfinite(odd.eye.y) && isfinite(odd.eye.z));
}

static void two_dimensions_are_seen_straight_on_with_true_colours(void **state)
{
    (void)state;
    const frz_bounds bounds = {{0.0, 0.0, -HUGE_VAL}, {3.0, 2.0, HUGE_VAL}};
    const frz_camera camera = frz_camera_auto(bounds, 2, 1.5);
    assert_less_equal(camera.vertical_fov, 0.0);
    assert_greater(camera.eye.z, 0.0);
    assert_float_equal(camera.eye.x, 1.5, 1e-12);
    const float xyzr[] = {1.5f, 1.0f, 0.0f, 0.5f};
    const frz_color color = {0.25f, 0.5f, 0.1f};
    const frz_render_spheres spheres = {1, xyzr, &color};
    frz_image image = draw(&spheres, NULL, 0, &camera, NULL);
    const unsigned char *p = pixel(&image, 48, 32);
    assert_in_range(p[0], 136, 138); // sRGB of 0.25, 0.5, 0.1
    assert_in_range(p[1], 187, 189);
    assert_in_range(p[2], 88, 90);
    frz_image_destroy(&image);
}

static void a_contact_sheet_holds_all_pictures(void **state)
{
    (void)state;
    frz_image images[3], sheet;
    frz_diag diag;
    for (int i = 0; i < 3; ++i)
    {
        assert_int_equal(frz_image_create(100, 60 + i, &images[i], &diag), FRZ_OK);
        memset(images[i].rgb, 0, (size_t)3 * 100 * (size_t)(60 + i));
    }
    const char *const captions[] = {"first", NULL, "a caption that is much too long for so small a picture"};
    assert_int_equal(frz_contact_sheet(images, captions, 3, 2, "title", &sheet, &diag), FRZ_OK);
    assert_greater_equal(sheet.width, 200);
    assert_less(sheet.width, 280);
    assert_greater_equal(sheet.height, 124);
    assert_less(sheet.height, 280);
    int black = 0;
    for (int p = 0; p < sheet.width * sheet.height; ++p)
        black += sheet.rgb[3 * (size_t)p] == 0;
    assert_int_equal(black, 100 * (60 + 61 + 62));
    frz_image_destroy(&sheet);
    assert_int_equal(frz_contact_sheet(images, NULL, 3, 1, NULL, &sheet, &diag), FRZ_OK);
    assert_less(sheet.width, 140);
    frz_image_destroy(&sheet);
    assert_int_equal(frz_contact_sheet(images, NULL, 0, 1, NULL, &sheet, &diag), FRZ_ERR_ARGUMENT);
    assert_int_equal(frz_contact_sheet(images, NULL, 3, 0, NULL, &sheet, &diag), FRZ_ERR_ARGUMENT);
    for (int i = 0; i < 3; ++i)
        frz_image_destroy(&images[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(spheres_appear_where_they_are),
        cmocka_unit_test(nearer_spheres_hide_farther_ones),
        cmocka_unit_test(every_thread_count_gives_the_same_bits),
        cmocka_unit_test(a_solid_mesh_hides_what_is_inside_and_a_see_through_one_does_not),
        cmocka_unit_test(one_looks_into_a_tank_with_thick_walls),
        cmocka_unit_test(a_tank_is_cut_the_same_whatever_its_triangles_are),
        cmocka_unit_test(an_empty_scene_is_plain_background),
        cmocka_unit_test(broken_and_huge_spheres_are_skipped),
        cmocka_unit_test(the_scale_of_a_scene_does_not_matter),
        cmocka_unit_test(bad_requests_are_refused),
        cmocka_unit_test(the_legend_is_drawn_for_any_range),
        cmocka_unit_test(colour_maps_have_the_right_ends_and_clamp),
        cmocka_unit_test(the_gray_map_rises_steadily),
        cmocka_unit_test(the_automatic_camera_shows_all_of_the_bounds),
        cmocka_unit_test(two_dimensions_are_seen_straight_on_with_true_colours),
        cmocka_unit_test(a_contact_sheet_holds_all_pictures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
