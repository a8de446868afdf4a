// SPDX-License-Identifier: MIT
// Sleeping bodies of scenes: restarts in their sleep, threads, floors with keyframes, and liquid that comes.
// labels: tsan
#include "core_trial.h"
#include "compare.h"

static const char scene[] =
    "spacing: 0.02\nduration: 4\ntime_step: 4 ms\ncontact: {method: distance, sleep: 0.1 s}\nbodies:\n"
    "  - {name: floor, state: static, friction: 0.5%s, shape: {box: {min: [-0.15, -0.06, -0.15], max: [0.15, 0, "
    "0.15]}}}\n"
    "  - {name: low, state: rigid, density: 1000, friction: 0.5, shape: {box: {min: [-0.05, 0, -0.05], max: [0.05, "
    "0.1, 0.05]}}}\n"
    "  - {name: high, state: rigid, density: 500, friction: 0.5, shape: {box: {min: [-0.03, 0.1, -0.05], max: [0.07, "
    "0.2, 0.05]}}}\n"
    "%s";
static const char ball[] = "  - {name: ball, state: rigid, density: 1000, friction: 0.5, shape: {sphere: {center: "
                           "[0.02, 1.5, 0], radius: 0.04}}}\n";

enum
{
    asleep_at = 100, // steps; the ball needs 128 to the stack
    hit_at = 130
};

static frz_sim *make(const char *floor, const char *more, int threads)
{
    char text[2000];
    snprintf(text, sizeof text, scene, floor, more);
    return core_sim(text, threads);
}

static int count_asleep(const frz_sim *sim)
{
    int count = 0;
    for (int b = 0; b < sim->state->bodies.count; ++b)
        count += sim->state->bodies.rigid[b].asleep;
    return count;
}

static void a_restart_in_the_middle_of_sleep_changes_no_bit(void **unused)
{
    (void)unused;
    frz_sim *straight = make("", ball, 1), *resumed = make("", ball, 2);
    core_steps(straight, asleep_at);
    assert_int_equal(count_asleep(straight), 2);
    assert_int_equal(core_pass_on(straight, resumed), FRZ_OK);
    assert_int_equal(count_asleep(resumed), 2);
    core_steps(straight, hit_at - asleep_at);
    core_steps(resumed, hit_at - asleep_at);
    assert_int_equal(count_asleep(straight), 0); // the ball has woken them
    assert_same(core_hash(straight), core_hash(resumed));
    frz_sim_destroy(&straight);
    frz_sim_destroy(&resumed);
}

static void a_restart_just_before_sleep_changes_no_bit(void **unused)
{
    (void)unused;
    frz_sim *straight = make("", "", 1), *resumed = make("", "", 3);
    core_steps(straight, 20);
    assert_int_equal(count_asleep(straight), 0);
    assert_greater(straight->state->bodies.rigid[1].rest_time, 0.0);
    assert_int_equal(core_pass_on(straight, resumed), FRZ_OK);
    core_steps(straight, 30);
    core_steps(resumed, 30);
    assert_int_equal(count_asleep(straight), 2);
    assert_same(core_hash(straight), core_hash(resumed));
    frz_sim_destroy(&straight);
    frz_sim_destroy(&resumed);
}

static void a_floor_with_keyframes_wakes_them(void **unused)
{
    (void)unused;
    frz_sim *sim =
        make(", motion: {keyframes: [{time: 0.6, position: [0, 0, 0]}, {time: 1, position: [0, 0.1, 0]}]}", "", 1);
    core_steps(sim, 140);
    assert_int_equal(count_asleep(sim), 2);
    core_steps(sim, 60);
    assert_int_equal(count_asleep(sim), 0);
    assert_near(sim->state->bodies.rigid[1].velocity.y, 0.25, 0.01);
    frz_sim_destroy(&sim);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_restart_in_the_middle_of_sleep_changes_no_bit),
        cmocka_unit_test(a_restart_just_before_sleep_changes_no_bit),
        cmocka_unit_test(a_floor_with_keyframes_wakes_them),
    };
    return cmocka_run_group_tests_name("sleep", tests, NULL, NULL);
}
