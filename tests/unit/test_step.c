// SPDX-License-Identifier: MIT
// The step: failed tries leave no trace, the reason is named, frame times are met, and the steady state allocates
// nothing. labels: tsan
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "compare.h"

#include <math.h>
#include <string.h>

#include "core_trial.h"

static const char column[] =
    "{dimension: 2, spacing: 0.05, duration: 2, materials: {water: {density: 1000, viscosity: {method: xsph}}}, "
    "bodies: ["
    "{name: water, state: liquid, material: water, shape: {box: {min: [0, 0], max: [0.4, 0.6]}}},"
    "{name: tank, state: static, shape: {shell: {of: {box: {min: [0, 0], max: [0.4, 0.9]}}, thickness: 0.1, open: "
    "[+y]}}}]}";
static const char loose[] =
    "{dimension: 2, spacing: 0.05, duration: 2, gravity: [0, 0], time_step: {max: 0.01, min: 1e-9 s},"
    " domain: {min: [-100, -100], max: [100, 100]}, materials: {water: {density: 1000}}, bodies: ["
    "{name: water, state: liquid, material: water, shape: {box: {min: [0, 0], max: [0.1, 0.1]}}}]}";

// Twenty particles too far apart to feel each other.
static frz_sim *lonely_particles(void)
{
    frz_sim *sim = core_sim(loose, 1);
    core_particle row[20] = {0};
    for (int i = 0; i < 20; ++i)
    {
        row[i].x[0] = 0.02 * i;
        row[i].x[1] = 0.2 * (19 - i);
        row[i].v[1] = 0.1;
    }
    core_refill(sim, row, 20);
    return sim;
}

static void set_velocity(frz_sim *sim, int64_t id, double vx)
{
    const int slot = core_slot(sim, id);
    assert_greater_equal(slot, 0);
    frz_field_v4(&sim->state->particles, FRZ_FIELD_ID_velocity)[slot] = frz_v4_set((frz_real)vx, 0, 0, 0);
}

static void a_step_that_goes_too_far_is_repeated_smaller(void **state)
{
    (void)state;
    frz_sim *sim = lonely_particles();
    // at the longest step of 0.01 s this is 5.6 spacings: three halvings bring it below one
    set_velocity(sim, 7, 28.0);
    core_steps(sim, 1);
    frz_stats stats;
    frz_sim_stats(sim, &stats);
    assert_int_equal(stats.rejected, 3);
    assert_int_equal(stats.rejected_total, 3);
    assert_int_equal(stats.step, 1);
    assert_string_equal(stats.dt_limit, "retry");
    assert_near(stats.dt, 0.01 / 8.0, 1e-12);
    assert_same(stats.time, stats.dt);
    frz_sim_destroy(&sim);
}

static void rejected_tries_leave_no_trace_in_the_result(void **state)
{
    (void)state;
    frz_diag diag = {.status = FRZ_OK};
    frz_sim *retried = core_sim(column, 1), *direct = core_sim(column, 1);
    core_steps(retried, 3);
    core_steps(direct, 3);
    // the same push to both; one is told the size of step that the other has to find
    set_velocity(retried, 5, 60.0);
    set_velocity(direct, 5, 60.0);
    core_steps(retried, 1);
    frz_stats stats;
    frz_sim_stats(retried, &stats);
    assert_greater(stats.rejected, 0);
    assert_int_equal(frz_sim_step(direct, stats.dt, &diag), FRZ_OK);
    frz_stats direct_stats;
    frz_sim_stats(direct, &direct_stats);
    assert_int_equal(direct_stats.rejected, 0);
    assert_same(core_hash(retried), core_hash(direct));
    core_steps(retried, 5);
    core_steps(direct, 5);
    assert_same(core_hash(retried), core_hash(direct));
    frz_sim_destroy(&retried);
    frz_sim_destroy(&direct);
}

static void after_the_last_try_the_state_is_the_one_before_and_the_culprit_is_named(void **state)
{
    (void)state;
    frz_diag diag = {.status = FRZ_OK};
    frz_sim *sim = lonely_particles();
    core_steps(sim, 2);
    set_velocity(sim, 13, 1e8);
    const uint64_t before = core_hash(sim);
    const double time = frz_sim_time(sim);
    frz_stats stats_before, stats_after;
    frz_sim_stats(sim, &stats_before);
    assert_int_equal(frz_sim_step(sim, HUGE_VAL, &diag), FRZ_ERR_DIVERGED);
    assert_int_equal(diag.status, FRZ_ERR_DIVERGED);
    char at[64];
    snprintf(at, sizeof at, "step 3 at t = %.6g s", time);
    assert_non_null(strstr(diag.message, at));
    assert_non_null(strstr(diag.message, "particle 13 "));
    assert_same(core_hash(sim), before);
    frz_sim_stats(sim, &stats_after);
    assert_same(stats_after.step, stats_before.step);
    assert_same(stats_after.max_speed, stats_before.max_speed);
    assert_same(stats_after.kinetic_energy, stats_before.kinetic_energy);
    // and it goes on once the cause is gone
    set_velocity(sim, 13, 0.0);
    core_steps(sim, 2);
    assert_int_equal(frz_sim_step_count(sim), 4);
    frz_sim_destroy(&sim);
}

static void a_failed_step_in_a_full_tank_leaves_every_bit(void **state)
{
    (void)state;
    frz_diag diag = {.status = FRZ_OK};
    frz_sim *sim = core_sim(column, 2);
    core_steps(sim, 4);
    set_velocity(sim, 50, 1e9);
    const uint64_t before = core_hash(sim);
    assert_int_equal(frz_sim_step(sim, HUGE_VAL, &diag), FRZ_ERR_DIVERGED);
    assert_same(core_hash(sim), before);
    assert_int_equal(frz_sim_step(sim, HUGE_VAL, &diag), FRZ_ERR_DIVERGED);
    assert_same(core_hash(sim), before);
    frz_sim_destroy(&sim);
}

static void a_velocity_that_is_no_number_is_a_named_error(void **state)
{
    (void)state;
    const double odd[] = {NAN, INFINITY, -INFINITY};
    for (int n = 0; n < 3; ++n)
        for (int full = 0; full < 2; ++full)
        {
            frz_diag diag = {.status = FRZ_OK};
            frz_sim *sim = full ? core_sim(column, 1) : lonely_particles();
            core_steps(sim, 1);
            set_velocity(sim, 11, odd[n]);
            const uint64_t before = core_hash(sim);
            assert_int_equal(frz_sim_step(sim, HUGE_VAL, &diag), FRZ_ERR_DIVERGED);
            if (strstr(diag.message, "particle ") == NULL)
                fail_msg("no particle is named: %s", diag.message);
            if (!full)
                assert_non_null(strstr(diag.message, "particle 11 "));
            assert_same(core_hash(sim), before);
            frz_sim_destroy(&sim);
        }
}

static void a_position_that_is_no_number_is_a_named_error(void **state)
{
    (void)state;
    frz_diag diag = {.status = FRZ_OK};
    frz_sim *sim = lonely_particles();
    core_steps(sim, 1);
    frz_field_v4(&sim->state->particles, FRZ_FIELD_ID_position)[core_slot(sim, 4)] = frz_v4_set((frz_real)NAN, 0, 0, 0);
    assert_int_equal(frz_sim_step(sim, HUGE_VAL, &diag), FRZ_ERR_DIVERGED);
    assert_non_null(strstr(diag.message, "particle 4 "));
    frz_sim_destroy(&sim);
}

static void the_steady_state_allocates_nothing(void **state)
{
    (void)state;
    frz_sim *sim = core_sim(column, 2);
    core_steps(sim, 3);
    const int64_t count = frz_memory_allocation_count();
    core_steps(sim, 60);
    assert_int_equal(frz_memory_allocation_count(), count);
    frz_sim_destroy(&sim);
}

static void a_fixed_step_meets_the_frames(void **state)
{
    (void)state;
    frz_diag diag = {.status = FRZ_OK};
    frz_sim *sim = lonely_particles();
    sim->model->time_step.fixed = 0.003; // does not divide a frame of 0.01 s: four equal steps
    frz_stats stats;
    for (int frame = 1; frame <= 10; ++frame)
    {
        assert_int_equal(frz_sim_advance(sim, 0.01 * frame, &diag), FRZ_OK);
        frz_sim_stats(sim, &stats);
        assert_near(stats.time, 0.01 * frame, 1e-12);
        assert_int_equal(stats.step, 4 * frame);
        assert_near(stats.dt, 0.0025, 1e-9);
    }
    sim->model->time_step.fixed = 0.0025; // divides it
    assert_int_equal(frz_sim_advance(sim, 0.2, &diag), FRZ_OK);
    frz_sim_stats(sim, &stats);
    assert_int_equal(stats.step, 80);
    assert_near(stats.time, 0.2, 1e-12);
    frz_sim_destroy(&sim);
}

static void an_adaptive_step_meets_the_frames_without_slivers(void **state)
{
    (void)state;
    frz_diag diag = {.status = FRZ_OK};
    frz_sim *sim = core_sim(column, 1);
    for (int frame = 1; frame <= 10; ++frame)
    {
        double shortest = HUGE_VAL, longest = 0.0;
        while (frz_sim_time(sim) < 0.02 * frame - 1e-12)
        {
            frz_stats stats;
            assert_int_equal(frz_sim_step(sim, 0.02 * frame - frz_sim_time(sim), &diag), FRZ_OK);
            frz_sim_stats(sim, &stats);
            shortest = fmin(shortest, stats.dt);
            longest = fmax(longest, stats.dt);
        }
        assert_near(frz_sim_time(sim), 0.02 * frame, 1e-12);
        assert_greater(shortest, 0.3 * longest);
    }
    frz_sim_destroy(&sim);
}

static void a_frame_nearer_than_the_shortest_step_is_met(void **state)
{
    (void)state;
    frz_diag diag = {.status = FRZ_OK};
    frz_sim *sim = core_sim(column, 1);
    const double min = sim->model->time_step.min;
    assert_int_equal(frz_sim_advance(sim, 0.02, &diag), FRZ_OK);
    frz_stats before, after;
    frz_sim_stats(sim, &before);
    assert_int_equal(frz_sim_advance(sim, 0.02 + 0.5 * min, &diag), FRZ_OK);
    frz_sim_stats(sim, &after);
    assert_int_equal(after.step, before.step + 1);
    assert_near(after.time - before.time, 0.5 * min, 1e-12);
    assert_near(after.max_speed, before.max_speed, 0.02 * before.max_speed);
    sim->model->time_step.max = 1.4 * min; // twice 0.75 shortest steps are two steps that are allowed
    assert_int_equal(frz_sim_advance(sim, 0.02 + 2.0 * min, &diag), FRZ_OK);
    sim->model->time_step.max = 0.9 * min;
    assert_int_equal(frz_sim_advance(sim, 0.03, &diag), FRZ_ERR_DIVERGED);
    frz_sim_destroy(&sim);
}

static void a_limit_that_is_no_time_is_refused(void **state)
{
    (void)state;
    const double odd[] = {0.0, -1.0, NAN};
    frz_sim *sim = lonely_particles();
    for (int n = 0; n < 3; ++n)
    {
        frz_diag diag = {.status = FRZ_OK};
        assert_int_equal(frz_sim_step(sim, odd[n], &diag), FRZ_ERR_ARGUMENT);
    }
    assert_int_equal(frz_sim_step_count(sim), 0);
    frz_sim_destroy(&sim);
}

static void free_particles_fly_straight_and_fall_as_they_should(void **state)
{
    (void)state;
    frz_diag diag = {.status = FRZ_OK};
    frz_sim *sim = lonely_particles();
    sim->model->gravity[0] = 2.0;
    assert_int_equal(frz_sim_advance(sim, 0.5, &diag), FRZ_OK);
    const frz_v4 v = frz_field_v4(&sim->state->particles, FRZ_FIELD_ID_velocity)[core_slot(sim, 3)];
    const frz_v4 x = frz_field_v4(&sim->state->particles, FRZ_FIELD_ID_position)[core_slot(sim, 3)];
    assert_near((double)v[0], 1.0, 1e-5);
    assert_near((double)v[1], 0.1, 1e-6);
    // velocity first, then position: the fall is longer by half a step's worth of speed
    assert_near((double)x[0], (0.06 + 0.25), 0.5 * 1.0 * 0.01 + 1e-5);
    assert_near((double)x[1], (3.2 + 0.05), 1e-5);
    frz_sim_destroy(&sim);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_step_that_goes_too_far_is_repeated_smaller),
        cmocka_unit_test(rejected_tries_leave_no_trace_in_the_result),
        cmocka_unit_test(after_the_last_try_the_state_is_the_one_before_and_the_culprit_is_named),
        cmocka_unit_test(a_failed_step_in_a_full_tank_leaves_every_bit),
        cmocka_unit_test(a_velocity_that_is_no_number_is_a_named_error),
        cmocka_unit_test(a_position_that_is_no_number_is_a_named_error),
        cmocka_unit_test(the_steady_state_allocates_nothing),
        cmocka_unit_test(a_fixed_step_meets_the_frames),
        cmocka_unit_test(an_adaptive_step_meets_the_frames_without_slivers),
        cmocka_unit_test(a_frame_nearer_than_the_shortest_step_is_met),
        cmocka_unit_test(a_limit_that_is_no_time_is_refused),
        cmocka_unit_test(free_particles_fly_straight_and_fall_as_they_should),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
