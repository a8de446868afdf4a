// SPDX-License-Identifier: MIT
// Contact methods as scenes choose them: rest, reactions, the stopping rule, threads, refusals.
// labels: tsan
#include "core_trial.h"
#include "compare.h"

static const char stack_scene[] = "spacing: 0.02\nduration: 1\ntime_step: 4 ms\ncontact: %s\n"
                                  "bodies:\n"
                                  "  - {name: floor, state: static, friction: 0.5, shape: {box: {min: [-0.15, -0.06, "
                                  "-0.15], max: [0.15, 0, 0.15]}}}\n"
                                  "  - {name: low, state: rigid, density: 1000, friction: 0.5, shape: {box: {min: "
                                  "[-0.05, 0.002, -0.05], max: [0.05, 0.102, 0.05]}}}\n"
                                  "  - {name: high, state: rigid, density: 500, friction: 0.5%s, shape: {box: {min: "
                                  "[-0.03, 0.104, -0.05], max: [0.07, 0.204, 0.05]}}}\n";

static frz_sim *make_stack(const char *method, int threads)
{
    char text[2000];
    snprintf(text, sizeof text, stack_scene, method, "");
    return core_sim(text, threads);
}

// Whatever the method: after a while the floor carries the weight, and the solver says what it left.
static void a_stack_rests_and_the_floor_carries_it(void **unused)
{
    (void)unused;
    static const char *const methods[] = {"distance", "gissler2019", "{method: gissler2019, friction: solved}"};
    for (int m = 0; m < 3; ++m)
    {
        frz_sim *sim = make_stack(methods[m], 1);
        core_steps(sim, 75);
        double force = 0.0; // explicit friction lets the load swing a little from step to step
        const int steps = 25;
        for (int n = 0; n < steps; ++n)
        {
            core_steps(sim, 1);
            force -= sim->state->bodies.loads[0].contact_force.y / steps;
        }
        frz_stats stats;
        frz_sim_stats(sim, &stats);
        assert_near(force / (1.5 * 9.81), 1.0, 0.02);
        assert_greater(stats.contacts, 0);
        assert_greater(stats.contact_iterations, 0);
        assert_less_equal(stats.contact_error_average, 0.1);
        assert_less_equal(stats.contact_error_max, 1.0);
        assert_near(sim->state->bodies.rigid[1].position.y, 0.05, 0.1 * 0.02);
        assert_near(sim->state->bodies.rigid[2].position.y, 0.15, 0.2 * 0.02);
        frz_sim_destroy(&sim);
    }
}

static void tolerances_bound_what_is_left(void **unused)
{
    (void)unused;
    int iterations[2];
    for (int k = 0; k < 2; ++k)
    {
        frz_sim *sim = make_stack(k == 0 ? "{method: gissler2019, tolerance: 1, max_tolerance: 10}"
                                         : "{method: gissler2019, tolerance: 0.01, max_tolerance: 0.02}",
                                  1);
        iterations[k] = 0;
        for (int n = 0; n < 40; ++n)
        {
            core_steps(sim, 1);
            frz_stats stats;
            frz_sim_stats(sim, &stats);
            iterations[k] += stats.contact_iterations;
            assert_less_equal(stats.contact_error_average, (k == 0 ? 1.0 : 0.01));
            assert_less_equal(stats.contact_error_max, (k == 0 ? 10.0 : 0.02));
        }
        frz_sim_destroy(&sim);
    }
    assert_greater(iterations[1], 2 * iterations[0]);
}

static void threads_change_nothing(void **unused)
{
    (void)unused;
    frz_rigid_body last[2];
    for (int k = 0; k < 2; ++k)
    {
        frz_sim *sim = make_stack("{method: gissler2019, friction: solved}", 1 + 2 * k);
        core_steps(sim, 10);
        last[k] = sim->state->bodies.rigid[2];
        frz_sim_destroy(&sim);
    }
    assert_memory_equal(&last[0].position, &last[1].position, sizeof last[0].position);
    assert_memory_equal(&last[0].velocity, &last[1].velocity, sizeof last[0].velocity);
    assert_memory_equal(&last[0].spin, &last[1].spin, sizeof last[0].spin);
}

static void bounces_are_refused_by_name(void **unused)
{
    (void)unused;
    char text[2000];
    snprintf(text, sizeof text, stack_scene, "gissler2019", ", restitution: 0.5");
    core_refused(text, "contact gissler2019 knows no restitution, and body 'high' has one of 0.5");
}

// Hundreds of contacts of two threads share the weight of a bolt, more than determine it. Once it rests, its loads stay
// where they are: a contact that opens by a hair keeps its own, instead of handing it on in a thousand sweeps.
static void a_bolt_at_rest_needs_few_sweeps(void **unused)
{
    (void)unused;
    frz_sim *sim = core_sim("spacing: 2 mm\nduration: 1\ntime_step: 10 ms\nbodies:\n"
                            "  - {name: nut, state: static, friction: 0.3, shape: {difference: [{cylinder: {from: [0, "
                            "-0.01, 0], to: [0, 0.01, 0], radius: 0.022}}, {thread: {from: [0, -0.048, 0], to: [0, "
                            "0.048, 0], radius: 0.012, pitch: 0.006, depth: 0.003, clearance: 0.0003}}]}}\n"
                            "  - {name: bolt, state: rigid, density: 7800, friction: 0.3, shape: {thread: {from: [0, "
                            "-0.018, 0], to: [0, 0.03, 0], radius: 0.012, pitch: 0.006, depth: 0.003}}}\n",
                            1);
    int sweeps = 0;
    for (int step = 0; step < 40; ++step)
    {
        frz_stats stats;
        core_steps(sim, 1);
        frz_sim_stats(sim, &stats);
        sweeps += step >= 30 ? stats.contact_iterations : 0;
    }
    print_message("%.1f sweeps a step\n", 0.1 * sweeps);
    assert_less(sweeps, 100);
    frz_sim_destroy(&sim);
}

static void a_body_that_falls_fast_takes_no_step_twice(void **unused)
{
    (void)unused;
    enum
    {
        steps = 190 // in 0.76 s it would fall by 2.8 m
    };
    frz_sim *sim = core_sim("spacing: 0.02\nduration: 1\ntime_step: 4 ms\nbodies:\n"
                            "  - {name: floor, state: static, shape: {box: {min: [-0.1, -0.06, -0.1], max: [0.1, 0, "
                            "0.1]}}}\n"
                            "  - {name: ball, state: rigid, density: 1000, shape: {sphere: {center: [0, 3, 0], radius: "
                            "0.04}}}\n",
                            1);
    core_steps(sim, steps);
    frz_stats stats;
    frz_sim_stats(sim, &stats);
    assert_less(stats.time, 0.004 * steps - 0.05); // steps in which it would go by more than a spacing are halved
    assert_int_equal(stats.rejected_total, 0);
    frz_sim_destroy(&sim);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_stack_rests_and_the_floor_carries_it),
        cmocka_unit_test(tolerances_bound_what_is_left),
        cmocka_unit_test(threads_change_nothing),
        cmocka_unit_test(bounces_are_refused_by_name),
        cmocka_unit_test(a_bolt_at_rest_needs_few_sweeps),
        cmocka_unit_test(a_body_that_falls_fast_takes_no_step_twice),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
