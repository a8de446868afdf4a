// SPDX-License-Identifier: MIT
// Bodies that start inside each other, as a scene may have them by mistake: a warning, a slow way apart, no explosion.
#include "core_trial.h"
#include "compare.h"

static const double spacing = 0.02;

typedef struct trial
{
    const char *bodies; ///< of the scene
    bool liquid;        ///< in a tank of water, else without gravity
    int steps;          ///< of 5 ms
} trial;

static frz_sim *make(const trial *t)
{
    static const char dry[] = "dimension: 2\nspacing: 0.02\nduration: 9\ntime_step: 5 ms\ngravity: [0, 0]\n"
                              "domain: {min: [-2, -2], max: [2, 2]}\nbodies:\n%s";
    static const char wet[] =
        "dimension: 2\nspacing: 0.02\nduration: 9\ntime_step: 5 ms\nmaterials: {water: {density: 1000}}\nbodies:\n"
        "  - {name: tank, state: static, shape: {shell: {of: {box: {min: [-0.5, -0.2], max: [0.5, 0.8]}}, thickness: "
        "0.06, open: [+y]}}}\n"
        "  - {name: water, state: liquid, material: water, shape: {box: {min: [-0.5, -0.2], max: [0.5, 0.2]}}}\n%s";
    char text[3000];
    snprintf(text, sizeof text, t->liquid ? wet : dry, t->bodies);
    return core_sim(text, 1);
}

static bool warns(const frz_sim *sim)
{
    for (int i = 0; frz_sim_warning(sim, i) != NULL; ++i)
        if (strstr(frz_sim_warning(sim, i), "inside each other, by up to") != NULL)
            return true;
    return false;
}

// Returns the largest speed of a body on the way.
static double fastest(frz_sim *sim, int steps)
{
    double speed = 0.0;
    for (int n = 0; n < steps; ++n)
    {
        core_steps(sim, 1);
        for (int b = 0; b < sim->model->body_count; ++b)
            speed = fmax(speed, frz_v3_length(sim->state->bodies.rigid[b].velocity));
    }
    return speed;
}

static void come_apart(const trial *t, double speed_limit)
{
    frz_sim *sim = make(t);
    assert_true(warns(sim));
    const double speed = fastest(sim, t->steps);
    frz_stats stats;
    frz_sim_stats(sim, &stats);
    if (!(speed < speed_limit))
        fail_msg("a body reached %g m/s", speed);
    if (!(stats.contact_depth < 0.1 * spacing))
        fail_msg("bodies are still %g m inside each other", stats.contact_depth);
    assert_less(stats.max_speed, 2.0);
    frz_sim_destroy(&sim);
}

// Pushing apart moves poses, ten spacings per second at most, and gives no velocity: without gravity nothing moves
// afterwards.
static void bodies_come_apart_without_speed(void **unused)
{
    (void)unused;
    static const trial trials[] = {
        {"  - {name: a, state: rigid, density: 500, shape: {box: {center: [0, 0], size: [0.12, 0.12]}}}\n"
         "  - {name: b, state: rigid, density: 500, shape: {box: {center: [0.05, 0.01], size: [0.12, 0.12]}}}\n",
         false, 200},
        {"  - {name: same, state: rigid, density: 500, shape: {box: {center: [0, 0], size: [0.12, 0.12]}}}\n"
         "  - {name: place, state: rigid, density: 900, shape: {box: {center: [0, 0], size: [0.12, 0.12]}}}\n",
         false, 300},
        {"  - {name: inner, state: rigid, density: 500, shape: {sphere: {center: [0.02, 0.01], radius: 0.05}}}\n"
         "  - {name: outer, state: rigid, density: 500, shape: {sphere: {center: [0, 0], radius: 0.12}}}\n",
         false, 400},
    };
    for (size_t k = 0; k < sizeof trials / sizeof trials[0]; ++k)
        come_apart(&trials[k], 0.02);
}

// Arms and walls that cross each other: what one point sees would push them back in.
static void concave_bodies_come_apart_without_speed(void **unused)
{
    (void)unused;
    static const char trough[] =
        "{difference: [{box: {center: [0, 0], size: [0.2, 0.2]}}, {box: {center: [0, 0.06], size: "
        "[0.1, 0.2]}}]}";
    static const char cross[] =
        "{union: [{box: {center: [0, 0], size: [0.2, 0.05]}}, {box: {center: [0, 0], size: [0.05, "
        "0.2]}}]}";
    static const char ring[] =
        "{difference: [{sphere: {center: [0, 0], radius: 0.12}}, {sphere: {center: [0, 0], radius: "
        "0.07}}]}";
    static const struct
    {
        const char *shape, *place;
    } pairs[] = {{trough, "position: [0.03, 0.02]"},
                 {trough, "position: [0.08, 0.05], rotation: 90"},
                 {cross, "position: [0.06, 0.08]"},
                 {cross, "position: [0.02, 0.01], rotation: 45"},
                 {ring, "position: [0.03, 0.01]"}};
    for (size_t k = 0; k < sizeof pairs / sizeof pairs[0]; ++k)
    {
        char text[1000];
        snprintf(text, sizeof text,
                 "  - {name: a, state: rigid, density: 500, shape: %s}\n"
                 "  - {name: b, state: rigid, density: 500, %s, shape: %s}\n",
                 pairs[k].shape, pairs[k].place, pairs[k].shape);
        come_apart(&(trial){text, false, 450}, 0.02);
    }
}

// The water around presses bodies that are inside each other together: its pressure is on one side of each only. What
// that can give them is the speed of a jet out of their depth, sqrt(2 g 0.2 m).
static void bodies_in_a_liquid_come_apart_without_a_splash(void **unused)
{
    (void)unused;
    come_apart(
        &(trial){"  - {name: a, state: rigid, density: 900, shape: {box: {center: [0, 0], size: [0.12, 0.12]}}}\n"
                 "  - {name: b, state: rigid, density: 900, shape: {box: {center: [0.04, 0.02], size: [0.12, "
                 "0.12]}}}\n",
                 true, 200},
        sqrt(2.0 * 9.81 * 0.2));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bodies_come_apart_without_speed),
        cmocka_unit_test(concave_bodies_come_apart_without_speed),
        cmocka_unit_test(bodies_in_a_liquid_come_apart_without_a_splash),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
