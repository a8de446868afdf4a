// SPDX-License-Identifier: MIT
// Rods of one line of particles and sheets of one layer touch each other, walls and themselves as thick bodies do.
#include "core_trial.h"
#include "compare.h"
#include "sim/neighborhood.h"

#define RUBBER "materials: {rubber: {density: 1000, elastic: {method: %s, young: 1e6, poisson: 0.3}}}\n"

static const char rod_on_rod[] = "spacing: 0.02\nduration: 1 s\n" RUBBER "bodies:\n"
                                 "  - {name: held, state: elastic, material: rubber, shape: {box: {min: [-0.14, 0, "
                                 "-0.01], max: [0.14, 0.02, 0.01]}}}\n"
                                 "  - {name: rod, state: elastic, material: rubber, velocity: [0, -1, 0],\n"
                                 "     shape: {box: {min: [-0.01, 0.045, -0.12], max: [0.01, 0.065, 0.12]}}}\n"
                                 "attachments:\n"
                                 "  - {name: ends, shape: {union: [{box: {min: [-1, -1, -1], max: [-0.09, 1, 1]}},\n"
                                 "                                 {box: {min: [0.09, -1, -1], max: [1, 1, 1]}}]}}\n";

static const char rod_on_sheet[] =
    "spacing: 0.02\nduration: 1 s\n" RUBBER "bodies:\n"
    "  - {name: sheet, state: elastic, material: rubber, shape: {box: {min: [-0.12, 0, -0.12], max: [0.12, 0.02, "
    "0.12]}}}\n"
    "  - {name: rod, state: elastic, material: rubber, velocity: [0, -1, 0],\n"
    "     shape: {box: {min: [-0.01, 0.045, -0.08], max: [0.01, 0.065, 0.08]}}}\n"
    "attachments:\n"
    "  - {name: rim, shape: {difference: [{box: {min: [-1, -1, -1], max: [1, 1, 1]}},\n"
    "                                     {box: {min: [-0.09, -2, -0.09], max: [0.09, 2, 0.09]}}]}}\n";

static const char rod_on_floor[] =
    "spacing: 0.02\nduration: 1 s\n" RUBBER "bodies:\n"
    "  - {name: floor, state: static, shape: {box: {min: [-0.2, -0.1, -0.2], max: [0.2, 0, 0.2]}}}\n"
    "  - {name: rod, state: elastic, material: rubber, velocity: [0, -1, 0],\n"
    "     shape: {box: {min: [-0.01, 0.03, -0.08], max: [0.01, 0.05, 0.08]}}}\n";

static frz_sim *sim_of(const char *text, const char *method)
{
    char scene[1500];
    snprintf(scene, sizeof scene, text, method);
    return core_sim(scene, 1);
}

static double energy_of(frz_sim *sim)
{
    frz_diag diag = {.status = FRZ_OK};
    frz_energies e;
    assert_int_equal(frz_sim_energies(sim, &e, &diag), FRZ_OK);
    return e.kinetic + e.potential + e.elastic;
}

// Least height of the rod above the body below: of its particle above the middle of the other body over that body's
// there, in spacings; over the floor if there is no such body.
static double height_of(const frz_sim *sim, bool floor)
{
    const frz_field_view at = frz_sim_field(sim, "position", FRZ_SEGMENT_FREE);
    const frz_field_view body = frz_sim_field(sim, "body", FRZ_SEGMENT_FREE);
    double height[2] = {0.0, 0.0}, weight[2] = {0.0, 0.0};
    for (int64_t i = 0; i < at.count; ++i)
    {
        const double x = frz_field_value(&at, i, 0), z = frz_field_value(&at, i, 2);
        const int rod = floor || frz_field_value(&body, i, 0) > 0.5;
        const double w = fmax(0.0, 1.0 - sqrt(x * x + z * z) / 0.03);
        height[rod] += w * frz_field_value(&at, i, 1);
        weight[rod] += w;
    }
    assert_greater(weight[1], 0.0);
    return (height[1] / weight[1] - (floor ? -0.01 : height[0] / weight[0])) / 0.02;
}

// Drop it, and watch it for a time; energies are those of the whole scene.
static void drop(const char *name, const char *text, const char *method, bool floor)
{
    frz_sim *sim = sim_of(text, method);
    core_steps(sim, 1);
    int thin = 0;
    for (int e = 0; e < sim->state->solids.count; ++e)
        thin += sim->state->solids.thin[e];
    assert_int_equal(thin, sim->state->solids.count);
    const double start = energy_of(sim);
    double least = HUGE_VAL, most = -HUGE_VAL;
    frz_diag diag = {.status = FRZ_OK};
    for (int n = 1; n <= 40; ++n)
    {
        assert_int_equal(frz_sim_advance(sim, 0.01 * n, &diag), FRZ_OK);
        least = fmin(least, height_of(sim, floor));
        most = fmax(most, energy_of(sim));
    }
    print_message("%s, %s: nearest %.2f spacings, energy at most %+.1e J of the start\n", name, method, least,
                  most - start);
    assert_less(least, 1.1); // it has arrived
    assert_greater(least, 0.7);
    assert_less(most, start + 1e-5);
    frz_sim_destroy(&sim);
}

static void a_rod_that_falls_across_a_rod_stays_above_it(void **unused)
{
    (void)unused;
    const char *const methods[] = {"peer2018", "tlsph"};
    for (int m = 0; m < 2; ++m)
        drop("rod on rod", rod_on_rod, methods[m], false);
}

static void a_rod_that_falls_onto_a_sheet_stays_above_it(void **unused)
{
    (void)unused;
    drop("rod on sheet", rod_on_sheet, "peer2018", false);
}

static void a_rod_that_falls_onto_a_floor_stays_above_it(void **unused)
{
    (void)unused;
    drop("rod on floor", rod_on_floor, "peer2018", true);
}

// Momentum of two free rods that meet, crosswise and off centre.
static void rods_that_meet_keep_their_momentum(void **unused)
{
    (void)unused;
    frz_sim *sim = sim_of("spacing: 0.02\nduration: 1 s\ngravity: [0, 0, 0]\n" RUBBER "bodies:\n"
                          "  - {name: a, state: elastic, material: rubber, shape: {box: {min: [-0.1, 0, -0.01], max: "
                          "[0.1, 0.02, 0.01]}}}\n"
                          "  - {name: b, state: elastic, material: rubber, velocity: [0.1, -1, 0.2],\n"
                          "     shape: {box: {min: [0.03, 0.03, -0.1], max: [0.05, 0.05, 0.1]}}}\n",
                          "peer2018");
    core_steps(sim, 1);
    frz_stats before, after;
    frz_diag diag = {.status = FRZ_OK};
    frz_sim_stats(sim, &before);
    assert_int_equal(frz_sim_advance(sim, 0.1, &diag), FRZ_OK);
    frz_sim_stats(sim, &after);
    print_message("momentum %g -> %g, kinetic energy %g -> %g\n", before.momentum[1], after.momentum[1],
                  before.kinetic_energy, after.kinetic_energy);
    assert_less(after.kinetic_energy, 0.9 * before.kinetic_energy); // they have met
    for (int a = 0; a < 3; ++a)
        assert_near(after.momentum[a], before.momentum[a], 1e-6 * fabs(before.momentum[1]));
    frz_sim_destroy(&sim);
}

// Compression of the middle particle of a sheet by another one at this distance on one side, or on both.
static double compression_at(double distance, bool both)
{
    char scene[1500];
    snprintf(scene, sizeof scene,
             "spacing: 0.02\nduration: 1 s\ngravity: [0, 0, 0]\nkernel: {support: 2}\n"
             "materials: {rubber: {density: 1000, elastic: {method: peer2018, young: 1e6}}}\nbodies:\n"
             "  - {state: elastic, material: rubber, shape: {box: {min: [-0.09, 0, -0.09], max: [0.09, 0.02, 0.09]}}}\n"
             "  - {state: elastic, material: rubber, position: [0, %.9g, 0],\n"
             "     shape: {box: {min: [-0.09, 0, -0.09], max: [0.09, 0.02, 0.09]}}}\n"
             "  - {state: elastic, material: rubber, position: [0, %.9g, 0],\n"
             "     shape: {box: {min: [-0.09, 0, -0.09], max: [0.09, 0.02, 0.09]}}}\n",
             0.02 * distance, both ? -0.02 * distance : -1.0);
    frz_sim *sim = core_sim(scene, 1);
    frz_diag diag = {.status = FRZ_OK};
    assert_int_equal(frz_neighborhood_update(sim->model, sim->state, &diag), FRZ_OK);
    const frz_v4 *position = frz_field_v4(&sim->state->particles, FRZ_FIELD_ID_position);
    const frz_real *compression = frz_field_real(&sim->state->particles, FRZ_FIELD_ID_compression);
    double value = 0.0;
    for (int i = 0; i < sim->state->particles.count[FRZ_ROLE_FREE]; ++i)
        if (hypot((double)position[i][0], hypot((double)position[i][1] - 0.01, (double)position[i][2])) < 1e-4)
            value = (double)compression[i];
    frz_sim_destroy(&sim);
    return value;
}

// At one spacing a sheet touches, as faces of thick bodies do; in a pile it does on either side.
static void sheets_stand_one_spacing_apart(void **unused)
{
    (void)unused;
    assert_near(compression_at(1.0, false), 1.0, 2e-3);
    assert_near(compression_at(1.0, true), 1.0,
                2e-3 + 0.03); // its own layer and both others fill a little more than it
    assert_greater(compression_at(0.9, false), 1.02);
    assert_less(compression_at(1.1, false), 0.98);
}

// A hollow sphere thinner than a spacing: all particles lie on its middle, as many as its area has room for.
static void a_curved_sheet_is_one_layer(void **unused)
{
    (void)unused;
    frz_sim *sim = core_sim("spacing: 0.02\nduration: 1 s\n"
                            "materials: {rubber: {density: 1000, elastic: {method: peer2018, young: 1e6}}}\nbodies:\n"
                            "  - {state: elastic, sheet: true, material: rubber, shape: {difference: [\n"
                            "     {sphere: {center: [0, 0, 0], radius: 0.105}},\n"
                            "     {sphere: {center: [0, 0, 0], radius: 0.095}}]}}\n",
                            1);
    core_steps(sim, 1);
    const frz_solids *solids = &sim->state->solids;
    for (int e = 0; e < solids->count; ++e)
    {
        const frz_v4 x = solids->reference[e];
        assert_near(sqrt((double)frz_v4_dot3(x, x)), 0.1, 1e-3);
        assert_true(solids->thin[e]);
    }
    const double expected = 4.0 * 3.14159265 * 0.1 * 0.1 / (0.02 * 0.02);
    print_message("%d particles, %.0f squares of a spacing\n", solids->count, expected);
    assert_near(solids->count, expected, 0.1 * expected);
    frz_sim_destroy(&sim);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sheets_stand_one_spacing_apart),
        cmocka_unit_test(a_curved_sheet_is_one_layer),
        cmocka_unit_test(a_rod_that_falls_across_a_rod_stays_above_it),
        cmocka_unit_test(a_rod_that_falls_onto_a_sheet_stays_above_it),
        cmocka_unit_test(a_rod_that_falls_onto_a_floor_stays_above_it),
        cmocka_unit_test(rods_that_meet_keep_their_momentum),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
