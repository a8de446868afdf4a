// SPDX-License-Identifier: MIT
// Material points, liquid, elastic and rigid bodies in one scene: loads that last, momentum, energy, walls.
// labels: tsan
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "compare.h"

#include <math.h>

#include "core_trial.h"
#include "sim/energy.h"

// ---- loads that last

typedef struct heights
{
    double lowest, mean;
    int points;
} heights;

static heights heights_of(const frz_sim *sim)
{
    const frz_particles *store = &sim->state->particles;
    const uint8_t *phase = frz_particles_phase(store);
    heights h = {.lowest = HUGE_VAL};
    for (int i = 0; i < store->count[FRZ_ROLE_FREE]; ++i)
        if (phase[i] == FRZ_PHASE_POINT)
        {
            const double y = (double)frz_field_v4(store, FRZ_FIELD_ID_position)[i][1];
            h.lowest = fmin(h.lowest, y);
            h.mean += y;
            h.points += 1;
        }
    h.mean /= h.points;
    return h;
}

// Three layers of sand below 0.6 m of water, in a tank with walls of three spacings.
static void sand_below_water_does_not_creep_into_the_floor(void **state)
{
    (void)state;
    frz_sim *sim = core_sim(
        "{dimension: 2, spacing: 0.02, duration: 10, materials: {water: {density: 1000}, sand: {density: 1600, "
        "elastic: "
        "{method: mpm, law: hencky, young: 1e6}, plastic: {method: drucker_prager, friction_angle: 30}}}, bodies: "
        "[{name: sand, state: elastic, material: sand, shape: {box: {min: [0, 0], max: [0.3, 0.06]}}}, {name: water, "
        "state: liquid, material: water, shape: {box: {min: [0, 0.06], max: [0.3, 0.66]}}}, {name: tank, state: "
        "static, "
        "shape: {difference: [{box: {min: [-0.06, -0.06], max: [0.36, 0.9]}}, {box: {min: [0, 0], max: [0.3, 1]}}]}}]}",
        1);
    while (frz_sim_time(sim) < 0.1)
        core_steps(sim, 1);
    const heights before = heights_of(sim);
    core_steps(sim, 100);
    const heights after = heights_of(sim);
    assert_greater(frz_sim_time(sim), 0.3);
    print_message("sand fell by %.4f spacings, its lowest point is %.3f spacings above the floor\n",
                  (before.mean - after.mean) / 0.02, after.lowest / 0.02);
    assert_less(fabs(before.mean - after.mean), 0.02 * 0.02);
    assert_greater(after.lowest, 0.25 * 0.02);
    frz_sim_destroy(&sim);
}

// ---- momentum

typedef struct totals
{
    double linear[2], points; // the latter: along x, of the points alone
} totals;

static totals totals_of(const frz_sim *sim, int ball)
{
    const frz_particles *store = &sim->state->particles;
    const frz_rigid_body *body = &sim->state->bodies.rigid[ball];
    totals sum = {{body->mass * body->velocity.x, body->mass * body->velocity.y}, 0.0};
    for (int i = 0; i < store->count[FRZ_ROLE_FREE]; ++i)
    {
        const double m = frz_particle_mass(sim->model, frz_particles_inverse_density(store)[i]);
        const frz_v4 v = frz_field_v4(store, FRZ_FIELD_ID_velocity)[i];
        for (int a = 0; a < 2; ++a)
            sum.linear[a] += m * (double)v[a];
        if (frz_particles_phase(store)[i] == FRZ_PHASE_POINT)
            sum.points += m * (double)v[0];
    }
    return sum;
}

// Water, an elastic block and a ball hit a block of points from three sides.
static const char *const crash =
    "{dimension: 2, spacing: 0.04, duration: 10, gravity: [0, 0], domain: {min: [-9, -9], max: [9, 9]}, materials: "
    "{water: {density: 1000}, rubber: {density: 900, elastic: {young: 1e5}}, jelly: {density: 700, elastic: "
    "{method: "
    "mpm, young: 5e4}}}, bodies: [{name: jelly, state: elastic, material: jelly, shape: {box: {min: [-0.2, -0.2], "
    "max: [0.2, 0.2]}}}, {name: water, state: liquid, material: water, velocity: [1, 0.1], shape: {box: {min: "
    "[-0.6, "
    "-0.2], max: [-0.2, 0.1]}}}, {name: block, state: elastic, material: rubber, velocity: [0, -1], shape: {box: "
    "{min: [-0.2, 0.24], max: [0.1, 0.5]}}}, {name: ball, state: rigid, density: 400, velocity: [-1, 0], shape: "
    "{sphere: {center: [0.42, 0.05], radius: 0.16}}}]}";

static void all_that_hits_points_keeps_the_momentum(void **state)
{
    (void)state;
    frz_sim *sim = core_sim(crash, 1);
    const int ball = 3;
    const totals before = totals_of(sim, ball);
    const double speed = sim->state->bodies.rigid[ball].velocity.x;
    core_steps(sim, 60);
    const totals after = totals_of(sim, ball);
    const double size = 0.12 * 1000.0; // of the water, kg m/s per metre
    print_message("ball %.2f to %.2f m/s, points got %.1f kg m/s, the sum changed by %.1e, %.1e of %.0f\n", speed,
                  sim->state->bodies.rigid[ball].velocity.x, after.points - before.points,
                  after.linear[0] - before.linear[0], after.linear[1] - before.linear[1], size);
    assert_greater(sim->state->bodies.rigid[ball].velocity.x, speed + 0.3);
    assert_greater(fabs(after.points - before.points), 1.0);
    for (int a = 0; a < 2; ++a)
        assert_near(after.linear[a], before.linear[a], 3e-6 * size);
    frz_sim_destroy(&sim);
}

static void a_crash_has_the_same_bits_for_any_number_of_threads(void **state)
{
    (void)state;
    frz_sim *sim[2] = {core_sim(crash, 1), core_sim(crash, 3)};
    for (int n = 0; n < 2; ++n)
        core_steps(sim[n], 30);
    const frz_particles *a = &sim[0]->state->particles, *b = &sim[1]->state->particles;
    const size_t bytes = (size_t)a->count[FRZ_ROLE_FREE] * sizeof(frz_v4);
    assert_memory_equal(frz_field_v4(a, FRZ_FIELD_ID_position), frz_field_v4(b, FRZ_FIELD_ID_position), bytes);
    assert_memory_equal(frz_field_v4(a, FRZ_FIELD_ID_velocity), frz_field_v4(b, FRZ_FIELD_ID_velocity), bytes);
    for (int n = 0; n < 2; ++n)
        frz_sim_destroy(&sim[n]);
}

// ---- energy

// A soft block is let go half above the water.
static void a_soft_block_that_falls_into_water_makes_no_energy(void **state)
{
    (void)state;
    frz_sim *sim = core_sim(
        "{dimension: 2, spacing: 0.03, duration: 10, materials: {water: {density: 1000}, jelly: {density: 1000, "
        "elastic: "
        "{method: mpm, young: 1e4}}}, bodies: [{name: jelly, state: elastic, material: jelly, shape: {box: {min: [0.3, "
        "0.3], max: [0.6, 0.48]}}}, {name: water, state: liquid, material: water, shape: {difference: [{box: {min: [0, "
        "0], max: [0.9, 0.39]}}, {box: {min: [0.3, 0.3], max: [0.6, 0.48]}}]}}, {name: tank, state: static, shape: "
        "{difference: [{box: {min: [-0.12, -0.12], max: [1.02, 0.9]}}, {box: {min: [0, 0], max: [0.9, 1]}}]}}]}",
        1);
    double most = 0.0, moved = 0.0;
    while (frz_sim_time(sim) < 0.5)
    {
        frz_energy energy;
        bool told;
        int body;
        core_steps(sim, 1);
        assert_int_equal(frz_energy_audit(sim->model, sim->state, &energy, &told, &body, NULL), FRZ_OK);
        most = fmax(most, sim->state->energy.made);
        moved = fmax(moved, energy.kinetic);
    }
    print_message("%.2f J were made, at most %.1f J moved\n", most, moved);
    assert_greater(moved, 3.0);
    assert_less(most, 0.15 * moved);
    frz_sim_destroy(&sim);
}

// ---- sources

// Sand that pours onto a floor through an inlet.
static void an_emitter_of_sand_makes_a_heap_of_points(void **state)
{
    (void)state;
    frz_sim *sim = core_sim("{dimension: 2, spacing: 0.02, duration: 10, materials: {sand: {density: 1500, elastic: "
                            "{method: mpm, law: hencky, "
                            "young: 3e6}, plastic: {method: drucker_prager, friction_angle: 35}}}, emitters: [{name: "
                            "chute, material: sand, "
                            "position: [0, 0.3], direction: [0, -1], width: 0.12, speed: 1}], bodies: [{name: floor, "
                            "state: static, friction: 0.6, shape: {box: "
                            "{min: [-0.8, -0.2], max: [0.8, 0]}}}]}",
                            1);
    while (frz_sim_time(sim) < 0.8)
        core_steps(sim, 1);
    const frz_particles *store = &sim->state->particles;
    int low = 0, points = 0, near = 0;
    double spread = 0.0;
    for (int i = 0; i < store->count[FRZ_ROLE_FREE]; ++i)
    {
        const frz_v4 x = frz_field_v4(store, FRZ_FIELD_ID_position)[i];
        points += frz_particles_phase(store)[i] == FRZ_PHASE_POINT;
        low += x[1] < 0 && fabs((double)x[0]) < 0.8;
        near += fabs((double)x[0]) < 0.3;
        spread = fmax(spread, fabs((double)x[0]));
    }
    print_message("%d points, %d of them within 0.3 m of the middle\n", points, near);
    assert_int_equal(points, store->count[FRZ_ROLE_FREE]);
    assert_greater(points, 200); // 6 x 40
    assert_int_equal(low, 0);
    assert_greater(spread, 0.15);       // it has slid
    assert_greater(near, 0.9 * points); // and did not flow away like water
    frz_sim_destroy(&sim);
}

// ---- attachments

// A block hangs from its top; its weight is what holds it.
static void an_attachment_tells_the_weight_of_the_points_that_hang_on_it(void **state)
{
    (void)state;
    frz_sim *sim = core_sim(
        "{dimension: 2, spacing: 0.02, duration: 10, gravity: [0, -9.81], materials: {rubber: {density: 1000, elastic: "
        "{method: mpm, young: 1e5, damping: 50}}}, bodies: [{name: block, state: elastic, material: rubber, shape: "
        "{box: {min: [0, 0], max: [0.1, 0.2]}}}], attachments: [{name: hook, shape: {box: {min: [-0.1, 0.16], max: "
        "[0.2, 0.3]}}}]}",
        1);
    while (frz_sim_time(sim) < 0.5)
        core_steps(sim, 1);
    const frz_vec3 force = sim->state->attachments.item[0].force;
    const double weight = 0.1 * 0.2 * 1000.0 * 9.81; // N per metre
    print_message("%.4f of the weight, %.1e of it sideways\n", force.y / weight, force.x / weight);
    assert_near(force.y, weight, 0.01 * weight);
    assert_near(force.x, 0.0, 0.01 * weight);
    frz_sim_destroy(&sim);
}

// A block is pulled longer and held: it stores the work, less what its swings lose.
static void pulling_points_does_the_work_that_they_store(void **state)
{
    (void)state;
    frz_sim *sim = core_sim(
        "{dimension: 2, spacing: 0.02, duration: 10, gravity: [0, 0], materials: {rubber: {density: 1000, elastic: "
        "{method: mpm, transfer: aflip, young: 1e5}}}, bodies: [{name: block, state: elastic, material: rubber, shape: "
        "{box: {min: [0, 0], max: [0.4, 0.1]}}}], attachments: [{name: wall, shape: {box: {min: [-0.1, -1], max: "
        "[0.04, 1]}}}, {name: grip, shape: {box: {min: [0.36, -1], max: [0.6, 1]}}, motion: {interpolation: smooth, "
        "keyframes: [{time: 0, position: [0, 0]}, {time: 0.3, position: [0.04, 0]}]}}]}",
        1);
    while (frz_sim_time(sim) < 0.5)
        core_steps(sim, 1);
    double stored = 0.0;
    assert_int_equal(frz_energy_elastic(sim->model, sim->state, &stored, NULL), FRZ_OK);
    print_message("%.3f J of work, %.3f J stored\n", sim->state->energy.work, stored);
    assert_greater(stored, 10.0);
    assert_near(sim->state->energy.work, stored, 0.02 * stored);
    frz_sim_destroy(&sim);
}

// ---- memory

// A block of points on a floor, alone or with another body; what only company needs.
static void points_alone_have_no_pushes_and_no_samples_of_walls(void **state)
{
    (void)state;
    static const char *const company[] = {
        "", ", {name: water, state: liquid, material: water, shape: {box: {min: [0.5, 0], max: [0.7, 0.2]}}}",
        ", {name: rubber, state: elastic, material: rubber, shape: {box: {min: [0.5, 0], max: [0.7, 0.2]}}}"};
    for (int n = 0; n < 3; ++n)
    {
        char text[1024];
        snprintf(text, sizeof text,
                 "{dimension: 2, spacing: 0.02, duration: 10, materials: {water: {density: 1000}, rubber: {density: "
                 "1000, elastic: {method: tlsph, young: 1e5}}, sand: {density: 1600, elastic: {method: mpm, law: "
                 "hencky, young: 1e6}, plastic: drucker_prager}}, bodies: [{name: sand, state: elastic, material: "
                 "sand, shape: {box: {min: [0, 0], max: [0.3, 0.1]}}}, {name: floor, state: static, shape: {box: "
                 "{min: [-0.2, -0.1], max: [1, 0]}}}%s]}",
                 company[n]);
        frz_sim *sim = core_sim(text, 1);
        double stored = 0.0;
        core_steps(sim, 5);
        assert_int_equal(frz_energy_elastic(sim->model, sim->state, &stored, NULL), FRZ_OK);
        assert_greater(stored, 0.0);
        assert_int_equal(frz_particles_find(&sim->state->particles, "point_push") >= 0, n > 0);
        assert_int_equal(frz_particles_find(&sim->state->particles, "solid") >= 0, n == 2);
        assert_int_equal(sim->state->particles.count[FRZ_ROLE_SAMPLE] > 0, n > 0);
        frz_sim_destroy(&sim);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sand_below_water_does_not_creep_into_the_floor),
        cmocka_unit_test(all_that_hits_points_keeps_the_momentum),
        cmocka_unit_test(a_crash_has_the_same_bits_for_any_number_of_threads),
        cmocka_unit_test(a_soft_block_that_falls_into_water_makes_no_energy),
        cmocka_unit_test(an_emitter_of_sand_makes_a_heap_of_points),
        cmocka_unit_test(an_attachment_tells_the_weight_of_the_points_that_hang_on_it),
        cmocka_unit_test(pulling_points_does_the_work_that_they_store),
        cmocka_unit_test(points_alone_have_no_pushes_and_no_samples_of_walls),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
