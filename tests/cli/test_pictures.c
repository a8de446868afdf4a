// SPDX-License-Identifier: MIT
// Pictures at default settings, diagrams, motion blur of bodies, and a camera in a wall.
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "compare.h"

#include <png.h>

#include "cli/scene_folder.h"

static const char flat[] = "dimension: 2\n"
                           "spacing: 0.05\n"
                           "duration: 0.01\n"
                           "gravity: [0, 0]\n"
                           "materials: {ink: {density: 1000}, oil: {density: 900}}\n"
                           "bodies:\n"
                           "  - {state: liquid, material: ink, shape: {box: {min: [0, 0], max: [0.5, 0.5]}}}\n"
                           "  - {state: liquid, material: oil, shape: {box: {min: [0.6, 0], max: [1.1, 0.5]}}}\n";

static const char solid[] =
    "spacing: 0.05\n"
    "duration: 0.1\n"
    "frame_rate: 20\n"
    "gravity: [0, 0, 0]\n"
    "materials: {water: {density: 1000}}\n"
    "bodies:\n"
    "  - {state: liquid, material: water, shape: {box: {min: [0, -0.4, 0], max: [0.1, -0.3, 0.1]}}}\n"
    "  - {name: wall, state: static, shape: {box: {min: [-1, -0.7, -1], max: [1, -0.6, 1]}}}\n"
    "  - {name: bat, state: rigid, density: 800, driven: true, velocity: [4, 0, 0], color: red,\n"
    "     shape: {box: {min: [-0.5, 0, 0], max: [-0.3, 0.2, 0.2]}}}\n"
    "output: {camera: {eye: [0, 0, 3], target: [0, 0, 0], fov: 40}}\n";

static const char wide[] =
    "spacing: 0.05\n"
    "duration: 0.1\n"
    "frame_rate: 20\n"
    "materials: {water: {density: 1000}}\n"
    "bodies:\n"
    "  - {state: liquid, material: water, shape: {box: {min: [0, 0.1, 0], max: [0.2, 0.3, 0.2]}}}\n"
    "  - {state: static, shape: {box: {min: [-3, -0.1, -3], max: [3, 0, 3]}}}\n"
    "  - {name: ball, state: rigid, density: 800, color: red, shape: {sphere: {center: [-0.3, 0.1, 0.1], radius: "
    "0.1}}}\n";

typedef struct picture
{
    int width, height;
    unsigned char *rgb;
} picture;

static int set_up(void **state)
{
    (void)state;
    if (enter_scratch("flat.yaml", flat) != 0 || write_scene("solid.yaml", solid) != 0 ||
        write_scene("wide.yaml", wide) != 0)
        return -1;
    return RUN(scratch, "run", "wide.yaml", "-o", "wide", "--quiet")->code != 0 ||
           RUN(scratch, "run", "flat.yaml", "-o", "flat", "--quiet")->code != 0 ||
           RUN(scratch, "run", "solid.yaml", "-o", "solid", "--quiet")->code != 0;
}

static picture read_picture(const char *path)
{
    png_image image = {.version = PNG_IMAGE_VERSION};
    assert_different(png_image_begin_read_from_file(&image, path), 0);
    image.format = PNG_FORMAT_RGB;
    picture p = {(int)image.width, (int)image.height, malloc(PNG_IMAGE_SIZE(image))};
    assert_non_null(p.rgb);
    assert_different(png_image_finish_read(&image, NULL, p.rgb, 0, NULL), 0);
    return p;
}

static bool is_blue(const unsigned char *p)
{
    return p[2] > p[0] + 60 && p[2] > p[1] + 30;
}

static bool is_orange(const unsigned char *p)
{
    return p[0] > p[2] + 60 && p[1] > p[2] + 30;
}

/// Part of the rectangle around the pixels of a colour that has it.
static double share_filled(const picture *p, bool (*is)(const unsigned char *), int *count)
{
    int low[2] = {p->width, p->height}, high[2] = {-1, -1};
    *count = 0;
    for (int y = 0; y < p->height; ++y)
        for (int x = 0; x < p->width; ++x)
        {
            if (!is(p->rgb + 3 * ((size_t)y * (size_t)p->width + (size_t)x)))
                continue;
            *count += 1;
            low[0] = x < low[0] ? x : low[0];
            low[1] = y < low[1] ? y : low[1];
            high[0] = x > high[0] ? x : high[0];
            high[1] = y > high[1] ? y : high[1];
        }
    return *count > 0 ? *count / ((high[0] - low[0] + 1.0) * (high[1] - low[1] + 1.0)) : 0.0;
}

static void materials_are_told_apart_and_dots_leave_no_gaps(void **state)
{
    (void)state;
    assert_int_equal(RUN(scratch, "render", "flat", "--size", "256x128", "--frames", "0")->code, 0);
    picture p = read_picture("flat/images/frame_000000.png");
    int blue, orange;
    assert_greater(share_filled(&p, is_blue, &blue), 0.94); // corners are round
    assert_greater(share_filled(&p, is_orange, &orange), 0.94);
    assert_greater(blue, 1000);
    assert_greater(orange, 1000);
    free(p.rgb);
}

static void diagrams_are_plain_colours_with_lines_on_white(void **state)
{
    (void)state;
    picture p[2];
    static const char *const threads[] = {"1", "2"};
    for (int k = 0; k < 2; ++k)
    {
        assert_int_equal(RUN(scratch, "render", "flat", "--size", "256x128", "--frames", "0", "--style", "diagram",
                             "--threads", threads[k])
                             ->code,
                         0);
        p[k] = read_picture("flat/images/frame_000000.png");
    }
    assert_memory_equal(p[0].rgb, p[1].rgb, (size_t)(3 * p[0].width * p[0].height));
    int dark = 0, blue;
    for (int k = 0; k < p[0].width * p[0].height; ++k)
        dark += p[0].rgb[3 * k] < 90 && p[0].rgb[3 * k + 2] < 90;
    assert_greater(dark, 200); // around two squares of some 90 pixels
    assert_greater(share_filled(&p[0], is_blue, &blue), 0.9);
    assert_greater_equal((int)p[0].rgb[0], 254);
    free(p[0].rgb);
    free(p[1].rgb);
}

/// Columns of pixels in which the body is seen.
static int red_columns(const char *shutter)
{
    assert_int_equal(RUN(scratch, "render", "solid", "--size", "160x90", "--frames", "1", "--style", "surface",
                         "--samples", "16", "--no-denoise", "--shutter", shutter)
                         ->code,
                     0);
    picture p = read_picture("solid/images/frame_000001.png");
    int count = 0;
    for (int x = 0; x < p.width; ++x)
    {
        int red = 0;
        for (int y = 0; y < p.height / 2; ++y) // above the wall and the water
            red += p.rgb[3 * (y * p.width + x)] > p.rgb[3 * (y * p.width + x) + 1] + 5;
        count += red > 3;
    }
    free(p.rgb);
    return count;
}

static void rigid_bodies_are_blurred_along_their_way(void **state)
{
    (void)state;
    const int sharp = red_columns("0"), blurred = red_columns("1"); // 0.2 m wide, 0.2 m on its way
    assert_greater(sharp, 6);
    assert_greater(blurred, sharp + 1);
}

static void a_camera_in_a_wall_is_told(void **state)
{
    (void)state;
    const outcome *said = RUN(scratch, "render", "solid", "--size", "64x36", "--frames", "0", "--camera",
                              "{eye: [0, -0.65, 0], target: [1, -0.65, 0.1]}");
    assert_int_equal(said->code, 0);
    assert_said(said->err, "the camera is inside the body 'wall', which is left out");
    said = RUN(scratch, "render", "solid", "--size", "64x36", "--frames", "0", "--camera",
               "{eye: [-0.4, 0.1, 0.1], target: [1, 0, 0.1]}", "--set", "bodies.bat.visible=true");
    assert_int_equal(said->code, 0);
    assert_said(said->err, "the camera is inside the body 'bat' at 0 s");
}

static bool is_red(const unsigned char *p)
{
    return p[0] > p[1] + 60 && p[0] > p[2] + 60;
}

static void the_camera_frames_what_moves_not_the_floor(void **state)
{
    (void)state;
    assert_int_equal(RUN(scratch, "render", "wide", "--size", "160x90", "--frames", "0:2")->code, 0);
    picture p = read_picture("wide/images/frame_000000.png");
    int red;
    (void)share_filled(&p, is_red, &red);
    assert_greater(red, 60); // a ball of 0.2 m on a floor of 6 m: 6 pixels with all of the floor in the picture
    free(p.rgb);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(materials_are_told_apart_and_dots_leave_no_gaps),
        cmocka_unit_test(diagrams_are_plain_colours_with_lines_on_white),
        cmocka_unit_test(rigid_bodies_are_blurred_along_their_way),
        cmocka_unit_test(a_camera_in_a_wall_is_told),
        cmocka_unit_test(the_camera_frames_what_moves_not_the_floor),
    };
    return cmocka_run_group_tests_name("pictures", tests, set_up, tear_down);
}
