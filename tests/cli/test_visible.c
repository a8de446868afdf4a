// SPDX-License-Identifier: MIT
// The key visible of a body, in pictures.
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "compare.h"

#include <png.h>

#include "cli/scene_folder.h"

static const char scene[] = "dimension: 2\n"
                            "spacing: 0.05\n"
                            "duration: 0.01\n"
                            "materials: {ink: {density: 1000, color: red}}\n"
                            "bodies:\n"
                            "  - {state: liquid, material: ink, shape: {box: {min: [0, 0], max: [0.5, 0.5]}}}\n"
                            "  - {state: static, shape: {box: {min: [-0.5, -0.1], max: [1, 0]}}}\n";

static int set_up(void **state)
{
    (void)state;
    return enter_scratch("ink.yaml", scene);
}

static int count_red(const char *path)
{
    png_image image = {.version = PNG_IMAGE_VERSION};
    assert_different(png_image_begin_read_from_file(&image, path), 0);
    image.format = PNG_FORMAT_RGB;
    unsigned char *pixels = malloc(PNG_IMAGE_SIZE(image));
    assert_non_null(pixels);
    assert_different(png_image_finish_read(&image, NULL, pixels, 0, NULL), 0);
    int count = 0;
    for (size_t k = 0; k < PNG_IMAGE_SIZE(image); k += 3)
        count += pixels[k] > pixels[k + 1] + 60 && pixels[k] > pixels[k + 2] + 60;
    free(pixels);
    return count;
}

/// Red pixels of a picture in which the liquid is shown in this way.
static int red_with(const char *visible)
{
    char setting[64];
    snprintf(setting, sizeof setting, "bodies.0.visible=%s", visible);
    assert_int_equal(RUN(scratch, "run", "ink.yaml", "-o", "o", "--force", "--quiet", "--set", setting)->code, 0);
    assert_int_equal(RUN(scratch, "render", "o", "--size", "128x128", "--field", "none", "--frames", "0:1")->code, 0);
    return count_red("o/images/frame_000000.png");
}

static void surfaces_of_hidden_liquids_are_hidden(void **state)
{
    (void)state;
    static const char *const words[] = {"bodies.0.visible=true", "bodies.0.visible=false"};
    int red[2];
    for (int k = 0; k < 2; ++k)
    {
        assert_int_equal(RUN(scratch, "render", "o", "--size", "128x128", "--field", "none", "--frames", "0:1",
                             "--style", "surface", "--set", words[k])
                             ->code,
                         0);
        red[k] = count_red("o/images/frame_000000.png");
    }
    assert_greater(red[0], 100);
    assert_same(red[1], 0);
}

static void liquids_are_hidden_or_seen_through_if_the_scene_says_so(void **state)
{
    (void)state;
    const int all = red_with("true"), some = red_with("see_through"), none = red_with("false");
    if (!(none == 0 && some > all / 50 && some < all / 2))
        fail_msg("red pixels: %d if visible, %d if see-through, %d if hidden", all, some, none);
}

static const char tank[] = "spacing: 0.05\n"
                           "duration: 0.01\n"
                           "materials: {ink: {density: 1000, color: red}}\n"
                           "bodies:\n"
                           "  - {state: liquid, material: ink, shape: {box: {min: [0, 0, 0], max: [0.5, 0.5, 0.5]}}}\n"
                           "  - {state: static, visible: true, shape: {shell: {of: {box: {min: [0, 0, 0], max: [0.5, "
                           "0.6, 0.5]}}, thickness: 0.1, open: [+y]}}}\n"
                           "output: {camera: {eye: [0.25, 0.25, 3], target: [0.25, 0.25, 0]}}\n";

/// Red pixels of a picture with simple shading through walls with this look.
static int red_behind(const char *look)
{
    char setting[64];
    snprintf(setting, sizeof setting, "bodies.1.look=%s", look);
    assert_int_equal(RUN(scratch, "render", "t", "--size", "64x64", "--frames", "0", "--style", "surface", "--preview",
                         "--set", setting)
                         ->code,
                     0);
    return count_red("t/images/frame_000000.png");
}

static void simple_shading_looks_through_glass(void **state)
{
    (void)state;
    assert_int_equal(write_scene("tank.yaml", tank), 0);
    assert_int_equal(RUN(scratch, "run", "tank.yaml", "-o", "t", "--quiet")->code, 0);
    assert_same(red_behind("matte"), 0);
    assert_greater(red_behind("glass"), 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(liquids_are_hidden_or_seen_through_if_the_scene_says_so),
        cmocka_unit_test(surfaces_of_hidden_liquids_are_hidden),
        cmocka_unit_test(simple_shading_looks_through_glass),
    };
    return cmocka_run_group_tests_name("visible", tests, set_up, tear_down);
}
