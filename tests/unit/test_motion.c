// SPDX-License-Identifier: MIT
// Keyframed motion: poses at, between, before and after the keyframes, and velocities that carry the samples.
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "compare.h"
#include <math.h>

#include "core_trial.h"
#include "sim/motion.h"

static const double half_turn = 3.14159265358979323846;
static const double exact = 1e-12;

static void check_pose(const frz_body *body, double time, frz_vec3 place, double angle)
{
    frz_vec3 position;
    frz_quat rotation;
    frz_body_pose(body, time, &position, &rotation);
    assert_less(frz_v3_length(frz_v3_sub(position, place)), exact);
    // turns about z by angle: compare what they do, because q and -q are the same turn
    const frz_vec3 arrow = frz_quat_rotate(rotation, frz_v3(1.0, 0.0, 0.0));
    assert_less(frz_v3_length(frz_v3_sub(arrow, frz_v3(cos(angle), sin(angle), 0.0))), exact);
}

static frz_quat turn(double angle)
{
    return frz_quat_axis_angle(frz_v3(0.0, 0.0, 1.0), angle);
}

// Moves by (2, 0, 0) in the first second, turns by 90 degrees and moves up by 4 in the next two.
static frz_body make(frz_keyframe keys[3], frz_interpolation interpolation, bool periodic)
{
    keys[0] = (frz_keyframe){1.0, frz_v3(0.0, 0.0, 0.0), turn(0.0)};
    keys[1] = (frz_keyframe){2.0, frz_v3(2.0, 0.0, 0.0), turn(0.0)};
    keys[2] = (frz_keyframe){4.0, frz_v3(2.0, 4.0, 0.0), turn(0.5 * half_turn)};
    const frz_body body = {
        .role = FRZ_ROLE_SAMPLE,
        .material = -1,
        .position = frz_v3(10.0, 20.0, 30.0),
        .motion = {.count = 3, .keyframes = keys, .interpolation = interpolation, .periodic = periodic},
    };
    return body;
}

static void a_body_without_motion_stays(void **state)
{
    (void)state;
    const frz_body body = {.position = frz_v3(1.0, 2.0, 3.0)};
    assert_false(frz_body_moves(&body));
    for (int n = -2; n < 6; ++n)
        check_pose(&body, 0.5 * n, frz_v3(1.0, 2.0, 3.0), 0.0);
}

// 0, 720 and -90 degrees about one axis, at 0, 4 and 5 s: two turns forth and two and a quarter back.
static void angles_about_one_axis_count_whole_turns(void **state)
{
    (void)state;
    frz_keyframe keys[3] = {
        {.time = 0.0, .rotation = turn(0.0)},
        {.time = 4.0, .rotation = turn(4.0 * half_turn), .rotation_vector = {0.0, 0.0, 4.0 * half_turn}},
        {.time = 5.0, .rotation = turn(-0.5 * half_turn), .rotation_vector = {0.0, 0.0, -0.5 * half_turn}}};
    const frz_body body = {.role = FRZ_ROLE_SAMPLE, .motion = {.count = 3, .keyframes = keys}};
    for (int n = 0; n <= 16; ++n)
        check_pose(&body, 0.25 * n, frz_v3(0.0, 0.0, 0.0), 0.25 * n * half_turn);
    for (int n = 0; n <= 8; ++n)
        check_pose(&body, 4.0 + 0.125 * n, frz_v3(0.0, 0.0, 0.0), (4.0 - 4.5 * 0.125 * n) * half_turn);
    // a rotation without a known angle takes the shorter arc as before
    keys[1].rotation_vector = frz_v3(0.0, 0.0, 0.0);
    keys[1].rotation = turn(1.5 * half_turn);
    check_pose(&body, 2.0, frz_v3(0.0, 0.0, 0.0), -0.25 * half_turn);
}

static void poses_are_met_at_keyframes_and_held_outside(void **state)
{
    (void)state;
    frz_keyframe keys[3];
    for (int i = 0; i < 2; ++i)
    {
        const frz_body body = make(keys, i == 0 ? FRZ_INTERPOLATION_LINEAR : FRZ_INTERPOLATION_SMOOTH, false);
        check_pose(&body, 0.0, frz_v3(10.0, 20.0, 30.0), 0.0);
        check_pose(&body, 1.0, frz_v3(10.0, 20.0, 30.0), 0.0);
        check_pose(&body, 2.0, frz_v3(12.0, 20.0, 30.0), 0.0);
        check_pose(&body, 4.0, frz_v3(12.0, 24.0, 30.0), 0.5 * half_turn);
        check_pose(&body, 100.0, frz_v3(12.0, 24.0, 30.0), 0.5 * half_turn);
        check_pose(&body, 3.0, frz_v3(12.0, 22.0, 30.0), 0.25 * half_turn); // half way either way
    }
}

static void linear_motion_has_a_constant_speed(void **state)
{
    (void)state;
    frz_keyframe keys[3];
    const frz_body body = make(keys, FRZ_INTERPOLATION_LINEAR, false);
    for (int n = 0; n <= 8; ++n)
    {
        const double t = 0.125 * n;
        check_pose(&body, 1.0 + t, frz_v3(10.0 + 2.0 * t, 20.0, 30.0), 0.0);
        check_pose(&body, 2.0 + 2.0 * t, frz_v3(12.0, 20.0 + 4.0 * t, 30.0), 0.5 * half_turn * t);
    }
}

static void smooth_motion_rests_at_its_keyframes(void **state)
{
    (void)state;
    frz_keyframe keys[3];
    const frz_body body = make(keys, FRZ_INTERPOLATION_SMOOTH, false);
    const double h = 1e-4;
    for (int k = 0; k < 3; ++k)
    {
        frz_vec3 before, after;
        frz_quat ignored;
        frz_body_pose(&body, keys[k].time - h, &before, &ignored);
        frz_body_pose(&body, keys[k].time + h, &after, &ignored);
        // displacement over 2 h falls with h^2, not with h
        assert_less(frz_v3_length(frz_v3_sub(after, before)), 10.0 * 4.0 * h * h);
    }
    check_pose(&body, 1.25, frz_v3(10.0 + 2.0 * 0.15625, 20.0, 30.0), 0.0); // t^2 (3 - 2 t) at 1/4
}

static void periodic_motion_starts_over_after_the_last_keyframe(void **state)
{
    (void)state;
    frz_keyframe keys[3];
    const frz_body body = make(keys, FRZ_INTERPOLATION_LINEAR, true);
    for (int n = 0; n < 12; ++n)
        for (int period = 1; period < 4; ++period)
        {
            const double t = 1.0 + 0.25 * n;
            frz_vec3 first, again;
            frz_quat rotation, rotation_again;
            frz_body_pose(&body, t, &first, &rotation);
            frz_body_pose(&body, t + 3.0 * period, &again, &rotation_again);
            assert_less(frz_v3_length(frz_v3_sub(first, again)), exact);
            assert_near(rotation.z, rotation_again.z, exact);
        }
    check_pose(&body, 0.0, frz_v3(10.0, 20.0, 30.0), 0.0); // before the first keyframe it waits
}

static void turns_take_the_shorter_way(void **state)
{
    (void)state;
    frz_keyframe keys[2] = {{0.0, frz_v3(0.0, 0.0, 0.0), turn(0.0)},
                            {1.0, frz_v3(0.0, 0.0, 0.0), turn(-0.25 * half_turn)}};
    // the same turn with the other sign
    keys[1].rotation = (frz_quat){-keys[1].rotation.w, -keys[1].rotation.x, -keys[1].rotation.y, -keys[1].rotation.z};
    const frz_body body = {.motion = {.count = 2, .keyframes = keys}};
    for (int n = 0; n <= 4; ++n)
        check_pose(&body, 0.25 * n, frz_v3(0.0, 0.0, 0.0), -0.25 * half_turn * 0.25 * n);
}

static const char paddle[] =
    "{dimension: 3, spacing: 0.1, duration: 1, gravity: [0, 0, 0], materials: {water: {density: 1000}}, bodies: ["
    "{name: water, state: liquid, material: water, shape: {box: {min: [0, 0, 0], max: [0.3, 0.3, 0.3]}}},"
    "{name: still, state: static, shape: {box: {min: [-1, 0, 0], max: [-0.8, 0.3, 0.3]}}},"
    "{name: paddle, state: static, position: [2, 0, 0], shape: {box: {min: [0, 0, 0], max: [0.2, 0.5, 0.3]}},"
    " motion: {interpolation: smooth, keyframes: [{time: 0},"
    "  {time: 1, position: [0.5, 0.1, 0], rotation: {axis: [1, 2, 3], angle: 80 deg}}]}}]}";

static void wall_velocities_carry_the_samples_to_their_next_place(void **state)
{
    (void)state;
    frz_sim *sim = core_sim(paddle, 1);
    const frz_model *model = sim->model;
    frz_state *s = sim->state;
    const frz_body *moving = &model->bodies[2];
    const int first = s->particles.first[FRZ_ROLE_SAMPLE], walls = s->particles.count[FRZ_ROLE_SAMPLE];
    assert_true(s->any_motion);
    assert_greater(moving->sample_count, 10);
    for (int n = 0; n < 6; ++n)
    {
        const double dt = 0.3 * pow(0.25, n);
        frz_samples_place(model, s);
        frz_samples_set_velocity(model, s, dt);
        frz_v4 *arrived = FRZ_ALLOC("test", walls, frz_v4);
        assert_non_null(arrived);
        double fastest = 0.0;
        for (int k = 0; k < walls; ++k)
        {
            const frz_v4 v = frz_field_v4(&s->particles, FRZ_FIELD_ID_velocity)[first + k];
            arrived[k] = frz_field_v4(&s->particles, FRZ_FIELD_ID_position)[first + k] + (frz_real)dt * v;
            fastest = fmax(fastest, sqrt((double)frz_v4_dot3(v, v)));
        }
        assert_less_equal(fabs(s->stats.sample_speed - fastest), 1e-6 * fastest);
        s->time += dt;
        frz_samples_place(model, s);
        for (int k = 0; k < walls; ++k)
        {
            const frz_v4 there = frz_field_v4(&s->particles, FRZ_FIELD_ID_position)[first + k];
            for (int a = 0; a < 3; ++a) // to the rounding of coordinates of size 2
                assert_less_equal(fabs((double)(arrived[k][a] - there[a])), 4.0 * FRZ_REAL_EPSILON);
        }
        frz_free(arrived);
    }
    frz_sim_destroy(&sim);
}

static void bodies_without_motion_keep_their_samples_and_have_no_velocity(void **state)
{
    (void)state;
    frz_sim *sim = core_sim(paddle, 1);
    frz_state *s = sim->state;
    const int from = s->particles.first[FRZ_ROLE_SAMPLE] + sim->model->bodies[1].first_sample;
    const int to = from + (int)sim->model->bodies[1].sample_count;
    const frz_v4 before = frz_field_v4(&s->particles, FRZ_FIELD_ID_position)[from];
    core_steps(sim, 3);
    const frz_v4 after = frz_field_v4(&s->particles, FRZ_FIELD_ID_position)[from];
    assert_same(before[0], after[0]);
    assert_same(before[1], after[1]);
    assert_same(before[2], after[2]);
    for (int k = from; k < to; ++k)
    {
        const frz_v4 v = frz_field_v4(&s->particles, FRZ_FIELD_ID_velocity)[k];
        assert_same(v[0], 0);
        assert_same(v[1], 0);
        assert_same(v[2], 0);
    }
    frz_vec3 position;
    frz_quat rotation;
    frz_body_pose(&sim->model->bodies[2], s->time, &position, &rotation);
    assert_same(frz_v3_length(frz_v3_sub(position, s->bodies.rigid[2].position)), 0.0);
    frz_sim_destroy(&sim);
}

// One sample per spacing of the seam's length, also while the wall runs through it.
static void a_wall_across_a_periodic_seam_is_a_belt_without_end(void **state)
{
    (void)state;
    frz_sim *sim =
        core_sim("{dimension: 2, spacing: 0.1, duration: 10, gravity: [0, 0], domain: {min: [0, -1], max: [1, 1], "
                 "periodic: [x]}, time_step: {fixed: 0.01}, materials: {stuff: {density: 1000}}, bodies: ["
                 "{name: a, state: liquid, material: stuff, shape: {box: {min: [0, 0], max: [1, 0.3]}}}, "
                 "{name: b, state: static, shape: {half_space: {point: [0, 0], normal: [0, 1]}}, motion: "
                 "{keyframes: [{time: 0, position: [0, 0]}, {time: 1, position: [3.14, 0]}]}}]}",
                 2);
    const frz_particles *particles = &sim->state->particles;
    assert_int_equal(particles->count[FRZ_ROLE_SAMPLE], 10);
    for (int n = 0; n < 70; ++n)
    {
        core_steps(sim, 1);
        const frz_v4 *at = frz_field_v4(particles, FRZ_FIELD_ID_position) + particles->first[FRZ_ROLE_SAMPLE];
        double phase = 0.0;
        for (int k = 0; k < 10; ++k)
        {
            assert_greater_equal((double)at[k][0], 0.0);
            assert_less((double)at[k][0], 1.0 + 1e-6);
            phase += (double)at[k][0];
        }
        // evenly spaced: their sum is 10 times the first place, which is below one spacing, and 4.5
        assert_greater(phase, 4.5 - 1e-4);
        assert_less(phase, 5.5 + 1e-4);
    }
    frz_sim_destroy(&sim);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_body_without_motion_stays),
        cmocka_unit_test(angles_about_one_axis_count_whole_turns),
        cmocka_unit_test(poses_are_met_at_keyframes_and_held_outside),
        cmocka_unit_test(linear_motion_has_a_constant_speed),
        cmocka_unit_test(smooth_motion_rests_at_its_keyframes),
        cmocka_unit_test(periodic_motion_starts_over_after_the_last_keyframe),
        cmocka_unit_test(turns_take_the_shorter_way),
        cmocka_unit_test(wall_velocities_carry_the_samples_to_their_next_place),
        cmocka_unit_test(bodies_without_motion_keep_their_samples_and_have_no_velocity),
        cmocka_unit_test(a_wall_across_a_periodic_seam_is_a_belt_without_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
