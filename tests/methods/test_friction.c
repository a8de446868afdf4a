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

// Kinetic, potential and elastic energy and the heat of friction, J.
static double sum_of_energies(frz_sim *sim)
{
    frz_diag diag = {.status = FRZ_OK};
    frz_energies e;
    assert_int_equal(frz_sim_energies(sim, &e, &diag), FRZ_OK);
    return e.kinetic + e.potential + e.elastic + sim->state->energy.friction;
}

// A block slides on a floor until it rests: all its energy has become heat of friction.
static void slide_to_rest(const char *block, double kinetic, double least, double most)
{
    char text[1024];
    snprintf(
        text, sizeof text,
        "{dimension: 2, spacing: 0.02, duration: 1, materials: {m: {density: 1000, elastic: {method: tlsph, young: "
        "1e6, poisson: 0.3}}, n: {density: 1000, elastic: {method: peer2018, young: 1e6, poisson: 0.3}}}, bodies: "
        "[{name: block, friction: 0.5, velocity: [1, 0], shape: {box: {min: [0, 0], max: [0.4, 0.1]}}, %s}, "
        "{name: floor, state: static, friction: 0.5, shape: {box: {min: [-1, -0.1], max: [3, 0]}}}]}",
        block);
    frz_sim *sim = core_sim(text, 1);
    frz_diag diag = {.status = FRZ_OK};
    const double start = sum_of_energies(sim);
    double highest = 0.0;
    while (sim->state->time < 0.4)
    {
        assert_int_equal(frz_sim_step(sim, 0.4 - sim->state->time, &diag), FRZ_OK);
        highest = fmax(highest, sum_of_energies(sim) - start);
    }
    const double heat = sim->state->energy.friction, left = sum_of_energies(sim) - start;
    print_message("%s: heat %.6f of %.6f J, sum changes by %.2g, rises by %.2g\n", block, heat, kinetic, left / kinetic,
                  highest / kinetic);
    assert_greater_equal(heat / kinetic, least);
    assert_less_equal(heat / kinetic, most);
    assert_less(highest, 1e-3 * kinetic);
    frz_sim_destroy(&sim);
}

static void what_friction_takes_becomes_heat(void **state)
{
    (void)state;
    slide_to_rest("state: rigid, density: 1000", 20.0, 1.0 - 1e-6, 1.0 + 1e-6);
    slide_to_rest("state: elastic, material: m", 20.0, 0.97, 1.0);
    slide_to_rest("state: elastic, material: n", 20.0, 0.97, 1.01);
}

// Friction warms: of the heat at a wall the block gets half, of that between two blocks all.
static void heat_of_friction_warms_who_rubs(void **state)
{
    (void)state;
    for (int two = 0; two < 2; ++two)
    {
        char text[1200];
        snprintf(text, sizeof text,
                 "{dimension: 2, spacing: 0.02, duration: 1, gravity: [0, %s], materials: {m: {density: 1000, elastic: "
                 "{method: becker2009, young: 1e6}, heat: {conductivity: 1, specific_heat: 1000, friction: true, "
                 "every: 1}}}, "
                 "bodies: [{name: block, state: elastic, material: m, friction: 0.5, velocity: [1, %s], shape: {box: "
                 "{min: [0, 0], max: [0.4, 0.1]}}}, {name: floor, %s, friction: 0.5, shape: {box: {min: [-0.4, -0.1], "
                 "max: [0.8, 0]}}}]}",
                 two ? "0" : "-9.81", two ? "-0.5" : "0", two ? "state: elastic, material: m" : "state: static");
        frz_sim *sim = sim_of(text);
        frz_stats start, end;
        core_steps(sim, 1);
        frz_sim_stats(sim, &start);
        core_steps(sim, 300);
        frz_sim_stats(sim, &end);
        const double made = end.friction_heat - start.friction_heat, got = end.heat - start.heat;
        print_message("%d elastic blocks: %.6f of %.6f J\n", 1 + two, got, made);
        assert_greater(made, 0.5);
        assert_near(got / made, two ? 1.0 : 0.5, 1e-4);
        frz_sim_destroy(&sim);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_block_slides_with_the_acceleration_that_friction_leaves),
        cmocka_unit_test(a_block_that_friction_holds_does_not_creep),
        cmocka_unit_test(two_blocks_that_rub_keep_their_momentum),
        cmocka_unit_test(what_friction_takes_becomes_heat),
        cmocka_unit_test(heat_of_friction_warms_who_rubs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
