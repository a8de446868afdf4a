// SPDX-License-Identifier: MIT
// Friction of elastic bodies: a block on a slope sticks or slides as Coulomb says, and two blocks keep their momentum.
#include "core_trial.h"
#include "compare.h"

static const char slope[] =
    "dimension: 2\nspacing: 0.05\nduration: 1 s\nframe_rate: 10\n"
    "gravity: [4.905, -8.4957]\n" // 30 degrees
    "materials: {rubber: {density: 1000, elastic: {method: becker2009, young: 5e5, damping: %g}}}\n"
    "bodies:\n"
    "  - {name: floor, state: static, friction: %g, shape: {box: {min: [-1, -0.2], max: [4, 0]}}}\n"
    "  - {name: block, state: elastic, material: rubber, friction: %g,\n"
    "     shape: {box: {min: [0, 0], max: [0.6, 0.3]}}}\n";

static frz_sim *sim_of(const char *text)
{
    frz_scene *scene = NULL;
    frz_sim *sim = NULL;
    frz_diag diag = {.status = FRZ_OK};
    frz_sim_def def = frz_sim_def_default();
    def.threads = 1;
    if (frz_scene_parse(text, "friction.yaml", NULL, &scene, &diag) != FRZ_OK ||
        frz_sim_create(scene, &def, &sim, &diag) != FRZ_OK)
        fail_msg("%s", diag.message);
    frz_scene_destroy(&scene);
    return sim;
}

static void advance(frz_sim *sim, double until)
{
    frz_diag diag = {.status = FRZ_OK};
    if (frz_sim_advance(sim, until, &diag) != FRZ_OK)
        fail_msg("%s", diag.message);
}

// Mean of a field's component over the particles.
static double mean(const frz_sim *sim, const char *field, int component)
{
    const frz_field_view view = frz_sim_field(sim, field, FRZ_SEGMENT_FREE);
    double sum = 0.0;
    for (int64_t i = 0; i < view.count; ++i)
        sum += frz_field_value(&view, i, component);
    return sum / (double)view.count;
}

static void a_block_slides_with_the_acceleration_that_friction_leaves(void **unused)
{
    (void)unused;
    const double mu[] = {0.0, 0.3};
    for (int k = 0; k < 2; ++k)
    {
        char text[1000];
        snprintf(text, sizeof text, slope, 0.0, mu[k], mu[k]);
        frz_sim *sim = sim_of(text);
        advance(sim, 0.2);
        const double start = mean(sim, "velocity", 0);
        advance(sim, 0.6);
        const double acceleration = (mean(sim, "velocity", 0) - start) / 0.4, wanted = 4.905 - mu[k] * 8.4957;
        print_message("friction %g: acceleration %.3f, Coulomb %.3f m/s^2\n", mu[k], acceleration, wanted);
        assert_near(acceleration, wanted, 0.02 * 4.905);
        frz_sim_destroy(&sim);
    }
}

static void a_block_that_friction_holds_does_not_creep(void **unused)
{
    (void)unused;
    char text[1000];
    snprintf(text, sizeof text, slope, 20.0, 0.7, 0.7); // without damping it would dance down the slope
    frz_sim *sim = sim_of(text);
    advance(sim, 1.0); // it sags and comes to rest
    const double start = mean(sim, "position", 0);
    advance(sim, 1.5);
    const double creep = (mean(sim, "position", 0) - start) / 0.5 / 0.05;
    print_message("creep %.2g spacings per second\n", creep);
    assert_small(creep, 1e-2);
    frz_sim_destroy(&sim);
}

static void two_blocks_that_rub_keep_their_momentum(void **unused)
{
    (void)unused;
    frz_sim *sim =
        sim_of("dimension: 2\nspacing: 0.05\nduration: 1 s\nframe_rate: 10\ngravity: [0, 0]\n"
               "materials:\n  soft: {density: 1000, elastic: {method: becker2009, young: 2e5}}\n"
               "  hard: {density: 3000, elastic: {method: becker2009, young: 5e5}}\n"
               "bodies:\n"
               "  - {state: elastic, material: soft, friction: 0.5, velocity: [1, -0.5],\n"
               "     shape: {box: {min: [0, 0.02], max: [0.4, 0.32]}}}\n"
               "  - {state: elastic, material: hard, friction: 0.5, shape: {box: {min: [0, -0.3], max: [0.6, 0]}}}\n");
    frz_stats before, after;
    advance(sim, 0.001);
    frz_sim_stats(sim, &before);
    advance(sim, 0.2);
    frz_sim_stats(sim, &after);
    for (int a = 0; a < 2; ++a)
        assert_near(after.momentum[a], before.momentum[a], 1e-4 * fabs(before.momentum[0]));
    assert_less(after.kinetic_energy, before.kinetic_energy);
    frz_sim_destroy(&sim);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_block_slides_with_the_acceleration_that_friction_leaves),
        cmocka_unit_test(a_block_that_friction_holds_does_not_creep),
        cmocka_unit_test(two_blocks_that_rub_keep_their_momentum),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
