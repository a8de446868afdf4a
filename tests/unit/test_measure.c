// SPDX-License-Identifier: MIT
// Probes and forces on bodies.
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "compare.h"

#include <math.h>
#include <stdio.h>

#include "core_trial.h"

static const char block_2d[] =
    "{dimension: 2, spacing: 0.05, duration: 1, gravity: [0, 0], materials: {water: {density: 1000}}, bodies: ["
    "{name: water, state: liquid, material: water, shape: {box: {min: [0, 0], max: [1, 1]}}}]}";
static const char block_3d[] =
    "{dimension: 3, spacing: 0.1, duration: 1, gravity: [0, 0, 0], materials: {water: {density: 1000}}, bodies: ["
    "{name: water, state: liquid, material: water, shape: {box: {min: [0, 0, 0], max: [1, 1, 1]}}}]}";

static double field_at(const double x[3])
{
    return 5000.0 + 300.0 * x[0] - 700.0 * x[1] + 200.0 * x[2];
}

static frz_sim *linear_field(const char *text)
{
    frz_sim *sim = core_sim(text, 1);
    frz_particles *particles = &sim->state->particles;
    for (int i = 0; i < particles->count[FRZ_ROLE_FREE]; ++i)
    {
        const frz_v4 at = frz_field_v4(particles, FRZ_FIELD_ID_position)[i];
        const double x[3] = {(double)at[0], (double)at[1], (double)at[2]};
        frz_field_real(particles, FRZ_FIELD_ID_pressure)[i] = (frz_real)field_at(x);
        frz_field_real(particles, FRZ_FIELD_ID_density)[i] = 1234;
        frz_field_v4(particles, FRZ_FIELD_ID_velocity)[i] = frz_v4_set(at[1], -at[0], at[2], 0);
    }
    return sim;
}

static void a_probe_reads_a_linear_field(void **state)
{
    (void)state;
    const char *const texts[] = {block_2d, block_3d};
    for (int n = 0; n < 2; ++n)
    {
        frz_sim *sim = linear_field(texts[n]);
        uint64_t seed = 3;
        for (int k = 0; k < 200; ++k)
        {
            double point[3], pressure, density, velocity[3];
            for (int a = 0; a < 3; ++a)
                point[a] = a < sim->model->dimension ? 0.3 + 0.4 * core_random(&seed) : 0.0;
            assert_true(frz_sim_probe(sim, point, &pressure, velocity, &density));
            // a weighted average is off by the distance of its centre of weight, a few percent of a spacing
            const double off = 0.1 * sim->model->spacing;
            assert_near(pressure, field_at(point), 700.0 * off);
            assert_near(density, 1234.0, 1e-3);
            assert_near(velocity[0], point[1], off);
            assert_small(velocity[1] + point[0], off);
        }
        frz_sim_destroy(&sim);
    }
}

static void a_probe_at_a_point_of_symmetry_is_exact(void **state)
{
    (void)state;
    frz_sim *sim = linear_field(block_2d);
    for (int y = 5; y < 15; ++y)
        for (int x = 5; x < 15; ++x)
        {
            // on a particle and between four of them
            const double points[2][3] = {{0.05 * (x + 0.5), 0.05 * (y + 0.5), 0.0}, {0.05 * x, 0.05 * y, 0.0}};
            for (int k = 0; k < 2; ++k)
            {
                double pressure;
                assert_true(frz_sim_probe(sim, points[k], &pressure, NULL, NULL));
                assert_near(pressure, field_at(points[k]), 1e4 * 20.0 * FRZ_REAL_EPSILON);
            }
        }
    frz_sim_destroy(&sim);
}

static void a_probe_in_the_dry_says_so(void **state)
{
    (void)state;
    frz_sim *sim = linear_field(block_2d);
    const double far_away[3] = {5.0, -3.0, 0.0}, just_outside[3] = {-0.2, 0.5, 0.0};
    double pressure = 1.0, density = 1.0, velocity[3] = {1.0, 1.0, 1.0};
    assert_false(frz_sim_probe(sim, far_away, &pressure, velocity, &density));
    assert_same(pressure, 0.0);
    assert_same(density, 0.0);
    assert_same(velocity[0], 0.0);
    assert_same(velocity[2], 0.0);
    assert_false(frz_sim_probe(sim, just_outside, NULL, NULL, NULL));
    frz_sim_destroy(&sim);
}

static const char tank[] =
    "{dimension: 2, spacing: 0.05, duration: 2, pressure: {method: dfsph, max_divergence_error: 0.01},"
    " materials: {water: {density: 1000, viscosity: {method: xsph, coefficient: 0.2}}}, bodies: ["
    "{name: water, state: liquid, material: water, shape: {box: {min: [0, 0], max: [0.6, 0.6]}}},"
    "{name: tank, state: static, position: [0.3, 0], shape: {transform: {of: {shell: {of: {box: {min: [0, 0], max: "
    "[0.6, "
    "0.9]}}, thickness: 0.1, open: [+y]}}, position: [-0.3, 0]}}}]}";

static void the_tank_carries_the_weight_of_the_water(void **state)
{
    (void)state;
    frz_sim *sim = core_sim(tank, 2);
    frz_diag diag = {.status = FRZ_OK};
    assert_int_equal(frz_sim_advance(sim, 1.2, &diag), FRZ_OK);
    // mean over what is left of the sloshing
    double force[3] = {0.0, 0.0, 0.0}, torque = 0.0;
    int samples = 0;
    for (; samples < 200; ++samples)
    {
        frz_body_info bodies[2];
        core_steps(sim, 1);
        frz_sim_bodies(sim, bodies);
        for (int a = 0; a < 3; ++a)
            force[a] += bodies[1].force[a];
        torque += bodies[1].torque[2];
        assert_same(bodies[0].force[0], 0.0);
        assert_same(bodies[0].force[1], 0.0);
    }
    const double weight = 1000.0 * 9.81 * (double)frz_sim_particle_count(sim, FRZ_SEGMENT_FREE) * 0.05 * 0.05;
    print_message("force / weight: %.4f %.4f, torque / (weight width): %.4f\n", force[0] / samples / weight,
                  force[1] / samples / weight, torque / samples / weight / 0.6);
    assert_small(force[1] / samples / weight + 1.0, 0.03);
    assert_small(force[0] / samples / weight, 0.03);
    assert_same(force[2], 0.0);
    assert_small(torque / samples / weight / 0.6, 0.03); // about a point below the middle: symmetric
    frz_sim_destroy(&sim);
}

// A row of isolated particles that fly out of the domain one after the other.
static void what_is_read_after_a_particle_left_belongs_to_the_others(void **state)
{
    (void)state;
    frz_sim *sim =
        core_sim("{dimension: 2, spacing: 0.05, duration: 1, gravity: [0, 0], time_step: {fixed: 0.01},"
                 " domain: {min: [0, -1], max: [2, 1]}, materials: {water: {density: 1000}}, bodies: ["
                 "{name: water, state: liquid, material: water, shape: {box: {min: [0.5, 0], max: [0.7, 0.1]}}}]}",
                 1);
    core_particle row[8] = {0};
    for (int i = 0; i < 8; ++i)
    {
        row[i].x[0] = 0.01 + 0.2 * i;
        row[i].v[0] = i == 0 ? -4.0 : 0.1 * i;
    }
    core_refill(sim, row, 8);
    core_steps(sim, 1);
    assert_int_equal(frz_sim_particle_count(sim, FRZ_SEGMENT_FREE), 7);
    for (int i = 1; i < 8; ++i)
    {
        double velocity[3];
        assert_true(frz_sim_probe(sim, row[i].x, NULL, velocity, NULL));
        assert_near(velocity[0], 0.1 * i, 1e-6);
    }
    assert_false(frz_sim_probe(sim, row[0].x, NULL, NULL, NULL));
    frz_sim_destroy(&sim);
}

static void measuring_right_after_a_restore_is_safe(void **state)
{
    (void)state;
    frz_sim *sim = core_sim(tank, 1);
    frz_body_info bodies[2];
    const double point[3] = {0.3, 0.3, 0.0};
    core_steps(sim, 2);
    assert_int_equal(core_pass_on(sim, sim), FRZ_OK);
    (void)frz_sim_probe(sim, point, NULL, NULL, NULL);
    frz_sim_bodies(sim, bodies);
    core_steps(sim, 1);
    assert_true(frz_sim_probe(sim, point, NULL, NULL, NULL));
    frz_sim_destroy(&sim);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_probe_reads_a_linear_field),
        cmocka_unit_test(a_probe_at_a_point_of_symmetry_is_exact),
        cmocka_unit_test(a_probe_in_the_dry_says_so),
        cmocka_unit_test(the_tank_carries_the_weight_of_the_water),
        cmocka_unit_test(what_is_read_after_a_particle_left_belongs_to_the_others),
        cmocka_unit_test(measuring_right_after_a_restore_is_safe),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
