// SPDX-License-Identifier: MIT
// Colours of liquids in pictures of surfaces.
#include "run_trial.h"

#include "frazil/render.h"

// A format: materials beside the brown one.
static const char pool[] =
    "spacing: 50 mm\n"
    "duration: 1 ms\n"
    "frame_rate: 1000\n"
    "gravity: [0, 0, 0]\n"
    "materials: {%sbrown: {density: 1200 kg/m3, look: wax, color: \"#5a3420\"}}\n"
    "bodies:\n"
    "  - {name: pool, state: liquid, material: brown, shape: {box: {min: [0, 0, 0], max: [0.4, 0.2, 0.2]}}}\n";

static char *picture(const char *folder, const char *others, size_t *length)
{
    char scene[1024];
    frz_diag diag = {.status = FRZ_OK};
    snprintf(scene, sizeof scene, pool, others);
    const trial_session session = {.scene = scene, .folder = folder, .threads = 1};
    if (trial_run(&session, &diag) != FRZ_OK)
        fail_msg("%s", diag.message);
    frz_render_def def = frz_render_def_default();
    char image[128];
    def.directory = trial_path(folder);
    def.style = FRZ_RENDER_SURFACE;
    def.preview = true;
    def.field = "none";
    def.width = 64;
    def.height = 36;
    def.samples = 1;
    def.threads = 1;
    if (frz_render_run(&def, NULL, &diag) != FRZ_OK)
        fail_msg("%s", diag.message);
    snprintf(image, sizeof image, "%s/images/frame_000000.png", folder);
    return trial_read(trial_path(image), length);
}

/// Liquids that look alike are one mesh: it has the colour of what is in it, not of the first material of that look.
static void a_liquid_has_its_own_colour_beside_materials_of_the_same_look(void **state)
{
    (void)state;
    static const char white[] = "white: {density: 1300 kg/m3, look: wax, color: \"#f3e8d2\"}, ";
    size_t alone_length, beside_length;
    char *alone = picture("alone", "", &alone_length), *beside = picture("beside", white, &beside_length);
    assert_int_equal(alone_length, beside_length);
    assert_memory_equal(alone, beside, alone_length);
    frz_free(alone);
    frz_free(beside);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_liquid_has_its_own_colour_beside_materials_of_the_same_look, trial_setup,
                                        trial_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
