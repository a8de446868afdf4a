// SPDX-License-Identifier: MIT
// Results of events: names, friction, and which bodies they mean in a periodic domain.
#include "core_trial.h"
#include "compare.h"

static const char scene[] =
    "dimension: 2\nspacing: 0.02\nduration: 1\ngravity: [0, 0]\ntime_step: 1 ms\n"
    "domain: {min: [-0.5, -0.5], max: [0.5, 0.5], periodic: [x]}\n"
    "materials:\n  wax: {density: 1000, elastic: {method: tlsph, young: 1e5, poisson: 0.3}}\n"
    "bodies:\n"
    "  - {name: bar, state: elastic, material: wax, friction: 0.1, shape: {box: {min: [-0.2, 0], max: [0.2, 0.1]}}}\n"
    "  - {name: a, state: rigid, material: wax, fill: particles, friction: 0.1, shape: {box: {min: [-0.2, 0.2], max: "
    "[-0.1, 0.3]}}}\n"
    "  - {name: b, state: rigid, material: wax, fill: particles, friction: 0.1, shape: {box: {min: [-0.1, 0.2], max: "
    "[0, 0.3]}}}\n"
    "  - {name: seam, state: rigid, material: wax, fill: particles, shape: {box: {min: [0.42, -0.3], max: [0.62, "
    "-0.2]}}}\n"
    "events:\n  - {at: 0, do: %s}\n";

static frz_sim *run_event(const char *event)
{
    char text[3000];
    snprintf(text, sizeof text, scene, event);
    frz_sim *sim = core_sim(text, 1);
    core_steps(sim, 2);
    return sim;
}

// Number of a living body by its name; -1: there is none.
static int find_body(const frz_sim *sim, const char *name)
{
    for (int b = 0; b < sim->state->bodies.count; ++b)
    {
        char text[FRZ_BODY_NAME_SIZE];
        frz_bodies_name(sim->model, sim->state, b, text);
        if (sim->state->bodies.identity[b].alive != 0 && strcmp(text, name) == 0)
            return b;
    }
    return -1;
}

static void check_body(const frz_sim *sim, const char *name, frz_body_kind kind, int64_t particles, double friction)
{
    const int b = find_body(sim, name);
    assert_greater_equal(b, 0);
    assert_int_equal(sim->state->bodies.identity[b].kind, kind);
    assert_int_equal(sim->state->bodies.identity[b].particles, particles);
    assert_near(sim->state->bodies.rigid[b].friction, friction, 1e-12);
}

static void a_hardened_part_has_the_name_and_friction_of_the_event(void **unused)
{
    (void)unused;
    frz_sim *sim = run_event("harden, of: bar, name: stone, friction: 0.9, in: {box: {min: [0, -1], max: [1, 1]}}");
    check_body(sim, "stone", FRZ_BODY_RIGID, 50, 0.9);
    check_body(sim, "bar", FRZ_BODY_ELASTIC, 50, 0.1);
    frz_sim_destroy(&sim);
}

static void a_part_without_a_name_came_off_its_body(void **unused)
{
    (void)unused;
    frz_sim *sim = run_event("harden, of: bar, in: {box: {min: [0.02, -1], max: [1, 1]}}");
    check_body(sim, "bar/2", FRZ_BODY_RIGID, 45, 0.1);
    check_body(sim, "bar", FRZ_BODY_ELASTIC, 55, 0.1);
    frz_sim_destroy(&sim);
}

static void a_body_that_hardens_or_softens_whole_is_named_or_keeps_its_name(void **unused)
{
    (void)unused;
    frz_sim *sim = run_event("harden, of: bar, friction: 0.7");
    check_body(sim, "bar", FRZ_BODY_RIGID, 100, 0.7);
    frz_sim_destroy(&sim);
    sim = run_event("soften, of: a, name: jelly");
    check_body(sim, "jelly", FRZ_BODY_ELASTIC, 25, 0.1);
    assert_int_equal(find_body(sim, "a"), -1);
    frz_sim_destroy(&sim);
}

static void joined_bodies_have_the_name_and_friction_of_the_event(void **unused)
{
    (void)unused;
    frz_sim *sim = run_event("join, of: [a, b], name: pair, friction: 0.4");
    check_body(sim, "pair", FRZ_BODY_RIGID, 50, 0.4);
    assert_int_equal(find_body(sim, "a"), -1);
    assert_int_equal(find_body(sim, "b"), -1);
    frz_sim_destroy(&sim);
    sim = run_event("join, of: [a, b]");
    check_body(sim, "a", FRZ_BODY_RIGID, 50, 0.1);
    frz_sim_destroy(&sim);
}

// Its particles lie on both sides of the domain; their mean is far from all of them.
static void a_body_across_a_periodic_seam_is_where_its_centre_is(void **unused)
{
    (void)unused;
    frz_sim *sim = run_event("melt, whole: true, in: {box: {min: [-0.2, -0.5], max: [0.2, -0.1]}}");
    check_body(sim, "seam", FRZ_BODY_RIGID, 50, 0.3);
    frz_sim_destroy(&sim);
    sim = run_event("melt, whole: true, in: {box: {min: [-0.6, -0.5], max: [-0.4, -0.1]}}");
    assert_int_equal(find_body(sim, "seam"), -1);
    frz_sim_destroy(&sim);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_hardened_part_has_the_name_and_friction_of_the_event),
        cmocka_unit_test(a_part_without_a_name_came_off_its_body),
        cmocka_unit_test(a_body_that_hardens_or_softens_whole_is_named_or_keeps_its_name),
        cmocka_unit_test(joined_bodies_have_the_name_and_friction_of_the_event),
        cmocka_unit_test(a_body_across_a_periodic_seam_is_where_its_centre_is),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
