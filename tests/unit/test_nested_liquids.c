// SPDX-License-Identifier: MIT
// Clear liquids in pictures: the mesh of one goes on over another.
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "compare.h"

#include <math.h>

#include "mesh_trial.h"
#include "run_trial.h"

#include "api/run_reading.h"
#include "api/run_surfaces.h"
#include "geom/mesh.h"

static const char side_by_side[] =
    "spacing: 50 mm\n"
    "duration: 1 ms\n"
    "frame_rate: 1000\n"
    "materials: {first: {density: 1000 kg/m3, look: %s}, second: {density: 800 kg/m3, look: %s}}\n"
    "bodies:\n"
    "  - {name: left, state: liquid, material: first, shape: {box: {min: [0, 0, 0], max: [0.5, 0.3, 0.3]}}}\n"
    "  - {name: right, state: liquid, material: second, shape: {box: {min: [0.5, 0, 0], max: [1, 0.3, 0.3]}}}\n";

/// Where two clear liquids meet, both are round; the mesh of the one that gives way in pictures goes on over the other,
/// above its surface, so that no air is between them. That one is as it is alone.
static void clear_liquids_have_no_groove_between_them(void **state)
{
    (void)state;
    const double spacing = 0.05;
    const char *const looks[2][2] = {{"tinted", "tinted"}, {"water", "honey"}};
    for (int trial = 0; trial < 2; ++trial)
    {
        char text[sizeof side_by_side + 16];
        const char *const folder = trial == 0 ? "beside" : "beside_honey";
        snprintf(text, sizeof text, side_by_side, looks[trial][0], looks[trial][1]);
        frz_scene *scene = NULL;
        frz_diag diag = {.status = FRZ_OK};
        const trial_session session = {.scene = text, .folder = folder, .threads = 1};
        assert_int_equal(trial_run(&session, &diag), FRZ_OK);
        frz_frame_data data;
        frz_run_surfaces surfaces;
        frz_frame_surfaces made;
        const frz_surface_options options = frz_surface_options_default();
        assert_int_equal(frz_scene_parse(text, "beside.yaml", NULL, &scene, &diag), FRZ_OK);
        assert_int_equal(frz_frame_read(trial_path(folder), 1, &data, &diag), FRZ_OK);
        assert_int_equal(frz_run_surfaces_create(scene, trial_path(folder), NULL, &options, &surfaces, &diag), FRZ_OK);
        surfaces.nested = true;
        assert_int_equal(frz_run_surfaces_make(&surfaces, &data.frame, &made, &diag), FRZ_OK);
        assert_int_equal(made.count, 2);
        const int wide = trial == 0 ? 1 : 0; // water gives way to honey, of two alike the second does
        const frz_mesh *const over = made.items[wide].mesh->mesh, *const alone = made.items[1 - wide].mesh->mesh;
        assert_int_equal(made.items[wide].nesting, 1);
        assert_int_equal(made.items[1 - wide].nesting, 0);
        assert_int_equal(made.items[wide].mesh->value_count, 0);
        assert_less(top_between(alone, wide == 1 ? 0.6 : -1.0, wide == 1 ? 2.0 : 0.4), -1.0e9);
        const double own = top_between(over, wide == 1 ? 0.7 : 0.2, wide == 1 ? 0.8 : 0.3);
        const double border = top_between(over, 0.5 - 0.6 * spacing, 0.5 + 0.6 * spacing);
        assert_near(border, own, 0.15 * spacing);
        assert_greater(top_between(over, wide == 1 ? 0.2 : 0.7, wide == 1 ? 0.3 : 0.8), own + 0.05 * spacing);
        frz_frame_surfaces_destroy(&made);
        frz_run_surfaces_destroy(&surfaces);
        frz_frame_data_destroy(&data);
        frz_scene_destroy(&scene);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(clear_liquids_have_no_groove_between_them),
    };
    return cmocka_run_group_tests(tests, trial_setup, trial_teardown);
}
