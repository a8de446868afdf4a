// SPDX-License-Identifier: MIT
// The push of elastic bodies on static and rigid ones, as a user reads it in bodies.csv.
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "compare.h"

#include <stdio.h>
#include <string.h>

#include "frazil/sim.h"

static const char scene_text[] =
    "dimension: 2\n"
    "spacing: 5 cm\n"
    "duration: 10 s\n"
    "gravity: [%g, -9.81]\n"
    "materials: {rubber: {density: 1000, elastic: {method: peer2018, young: 1e6, poisson: 0.3}}}\n"
    "bodies:\n"
    "  - {name: block, state: elastic, material: rubber, shape: {box: {min: [-0.25, 0], max: [0.25, 0.25]}}}\n"
    "  - {name: plate, %s, shape: {box: {min: [-0.5, -0.1], max: [0.5, 0]}}}\n"
    "  - {name: floor, state: static, shape: {box: {min: [-1, -0.2], max: [1, -0.1]}}}\n";

static const double weight = 1000.0 * 0.5 * 0.25 * 9.81; // N/m

typedef struct pushes
{
    double liquid[3], contact[3]; ///< mean over the steps that were looked at, N/m
} pushes;

/// Mean forces on the body once all is at rest.
static pushes rest_on(const char *plate, double pull, int body)
{
    char text[sizeof scene_text + 200];
    snprintf(text, sizeof text, scene_text, pull, plate);
    frz_scene *scene = NULL;
    frz_sim *sim = NULL;
    frz_diag diag = {0};
    frz_sim_def def = frz_sim_def_default();
    def.threads = 1;
    if (frz_scene_parse(text, "test", NULL, &scene, &diag) != FRZ_OK ||
        frz_sim_create(scene, &def, &sim, &diag) != FRZ_OK)
        fail_msg("%s", diag.message);
    pushes mean = {{0.0}, {0.0}};
    double looked = 0.0;
    const double settled = 1.5, end = 2.0; // s
    while (frz_sim_time(sim) < end)
    {
        frz_body_info bodies[8];
        frz_stats stats;
        if (frz_sim_step(sim, HUGE_VAL, &diag) != FRZ_OK)
            fail_msg("%s", diag.message);
        frz_sim_stats(sim, &stats);
        if (frz_sim_time(sim) < settled)
            continue;
        assert_in_range(frz_sim_body_count(sim), 3, 8);
        frz_sim_bodies(sim, bodies);
        for (int a = 0; a < 3; ++a)
        {
            mean.liquid[a] += stats.dt * bodies[body].force[a];
            mean.contact[a] += stats.dt * bodies[body].contact_force[a];
        }
        looked += stats.dt;
    }
    for (int a = 0; a < 3; ++a)
    {
        mean.liquid[a] /= looked;
        mean.contact[a] /= looked;
    }
    frz_sim_destroy(&sim);
    frz_scene_destroy(&scene);
    return mean;
}

static void a_static_plate_carries_the_weight_of_an_elastic_block(void **state)
{
    (void)state;
    const pushes mean = rest_on("state: static", 0.0, 1);
    assert_near(mean.contact[1], -weight, 0.01 * weight);
    assert_near(mean.contact[0], 0.0, 0.01 * weight);
    assert_same(mean.liquid[1], 0.0);
}

static void a_rigid_plate_passes_the_weight_on(void **state)
{
    (void)state;
    const double own = 500.0 * 1.0 * 0.1 * 9.81; // N/m
    const pushes mean = rest_on("state: rigid, density: 500", 0.0, 1);
    // from above the block, from below the floor with both weights
    assert_near(mean.contact[1], own, 0.01 * weight);
    assert_near(mean.liquid[1], 0.0, 0.01 * weight);
}

static void friction_is_part_of_the_push(void **state)
{
    (void)state;
    const double pull = 2.0, across = 1000.0 * 0.5 * 0.25 * pull; // m/s^2, N/m
    const pushes mean = rest_on("state: static", pull, 1);
    assert_near(mean.contact[0], across, 0.01 * weight);
    assert_near(mean.contact[1], -weight, 0.01 * weight);
    assert_same(mean.liquid[0], 0.0);
}

static void a_rigid_plate_passes_friction_on(void **state)
{
    (void)state;
    const double pull = 1.0, own = 500.0 * 1.0 * 0.1 * pull; // m/s^2, N/m
    const pushes mean = rest_on("state: rigid, density: 500", pull, 1);
    // from above the block's, from below the floor's with both
    assert_near(mean.contact[0], -own, 0.05 * own);
    assert_near(mean.liquid[0], 0.0, 0.01 * own);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_static_plate_carries_the_weight_of_an_elastic_block),
        cmocka_unit_test(a_rigid_plate_passes_the_weight_on),
        cmocka_unit_test(friction_is_part_of_the_push),
        cmocka_unit_test(a_rigid_plate_passes_friction_on),
    };
    return cmocka_run_group_tests_name("elastic push", tests, NULL, NULL);
}
