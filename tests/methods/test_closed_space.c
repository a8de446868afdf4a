// SPDX-License-Identifier: MIT
// Liquids that fill their space, without a free surface: closed tanks and periodic boxes, one liquid or two.
// labels: numbers
#include "core_trial.h"
#include "compare.h"

static const double gravity = 9.81; // m/s^2

// A closed tank, 0.8 m wide and high, one liquid below and one above; both fill it.
static frz_sim *tank(double below, double above, double lid)
{
    char text[1200];
    snprintf(
        text, sizeof text,
        "{dimension: 2, spacing: 0.04, duration: 9, materials: {low: {density: %g, viscosity: 0.05}, high: "
        "{density: %g, viscosity: 0.05}}, bodies: ["
        "{name: low, state: liquid, material: low, shape: {box: {min: [0, 0], max: [0.8, 0.4]}}}, "
        "{name: high, state: liquid, material: high, shape: {box: {min: [0, 0.4], max: [0.8, 0.8]}}}, "
        "{name: tank, state: static, shape: {shell: {of: {box: {min: [0, 0], max: [0.8, %g]}}, thickness: 0.12}}}]}",
        below, above, lid);
    return core_sim(text, 1);
}

// Until a time; the fastest that anything was in the second half, and the worst compression.
static void watch(frz_sim *sim, double until, double *fastest, double *worst)
{
    *fastest = *worst = 0.0;
    while (frz_sim_time(sim) < until)
    {
        core_steps(sim, 1);
        *worst = fmax(*worst, sim->state->stats.density.error_max);
        if (frz_sim_time(sim) > 0.5 * until)
            *fastest = fmax(*fastest, sim->state->stats.max_speed);
    }
}

// Mean pressure of two rows: those of a lattice have pressures too high and too low in turn (docs/theory.md, Walls).
static double layer_pressure(const frz_sim *sim, double height)
{
    const frz_field_view x = frz_sim_field(sim, "position", FRZ_SEGMENT_FREE);
    const frz_field_view p = frz_sim_field(sim, "pressure", FRZ_SEGMENT_FREE);
    double sum = 0.0, number = 0.0;
    for (int64_t i = 0; i < x.count; ++i)
        if (fabs(frz_field_value(&x, i, 1) - height) < 0.04)
        {
            sum += frz_field_value(&p, i, 0);
            number += 1.0;
        }
    assert_greater(number, 5.0);
    return sum / number;
}

static void liquids_at_rest_stay_so_and_bear_their_own_weight(void **state)
{
    (void)state;
    static const double above[] = {1000.0, 500.0, 100.0, 10.0};
    enum
    {
        averaged = 80 // steps
    };
    for (int k = 0; k < 4; ++k)
    {
        frz_sim *sim = tank(1000.0, above[k], 0.8);
        double fastest, worst, rise = 0.0, top = 0.0;
        watch(sim, 0.6, &fastest, &worst);
        assert_int_equal(sim->state->free_surface, FRZ_FREE_SURFACE_NONE);
        assert_less(fastest, 0.25 * sqrt(2.0 * gravity * 0.8)); // of a fall through the tank
        assert_less(worst, 0.01);
        for (int n = 0; n < averaged; ++n, core_steps(sim, 1))
        {
            rise += (layer_pressure(sim, 0.12) - layer_pressure(sim, 0.68)) / averaged;
            top += layer_pressure(sim, 0.78) / averaged;
        }
        const double expected = gravity * 0.28 * (1000.0 + above[k]);
        if (!(fabs(rise - expected) < 0.05 * expected))
            fail_msg("density %g above: pressure rises by %g Pa, should be %g", above[k], rise, expected);
        assert_less(top, 0.2 * expected); // the level is not far above what the weight needs
        frz_sim_destroy(&sim);
    }
}

static void a_liquid_does_not_fall_from_its_ceiling(void **state)
{
    (void)state;
    frz_sim *sim = tank(1000.0, 1000.0, 0.8);
    double fastest, worst, height = 0.0;
    watch(sim, 1.5, &fastest, &worst);
    const frz_field_view x = frz_sim_field(sim, "position", FRZ_SEGMENT_FREE);
    for (int64_t i = 0; i < x.count; ++i)
        height += frz_field_value(&x, i, 1) / (double)x.count;
    assert_near(height, 0.4, 0.002);
    frz_sim_destroy(&sim);
}

static void a_tank_with_room_under_its_lid_has_a_surface(void **state)
{
    (void)state;
    frz_sim *sim = tank(1000.0, 500.0, 1.0);
    core_steps(sim, 2);
    assert_int_equal(sim->state->free_surface, FRZ_FREE_SURFACE_FOUND);
    frz_sim_destroy(&sim);
}

// A square drop of another liquid, whose surface energy is all the energy there is.
static void tension_makes_no_energy_in_a_periodic_box(void **state)
{
    (void)state;
    static const double around[] = {1000.0, 100.0};
    for (int k = 0; k < 2; ++k)
    {
        char text[1200];
        snprintf(text, sizeof text,
                 "{dimension: 2, spacing: 0.04, duration: 9, gravity: [0, 0], domain: {min: [0, 0], max: [0.8, 0.8], "
                 "periodic: [x, y]}, materials: {drop: {density: 1000, tension: 1, viscosity: 0.01}, around: {density: "
                 "%g, tension: 1, viscosity: 0.01}}, bodies: ["
                 "{state: liquid, material: drop, priority: 5, shape: {box: {min: [0.2, 0.2], max: [0.6, 0.6]}}}, "
                 "{state: liquid, material: around, shape: {box: {min: [0, 0], max: [0.8, 0.8]}}}]}",
                 around[k]);
        frz_sim *sim = core_sim(text, 1);
        const double surface = 2.0 * 1.0 * 1.6; // tensions times perimeter, J per metre of depth
        while (frz_sim_time(sim) < 0.5)
        {
            core_steps(sim, 1);
            assert_less(sim->state->stats.kinetic_energy, surface);
            assert_less(sim->state->stats.density.error_max, 0.1);
        }
        frz_sim_destroy(&sim);
    }
}

// Moves of places that overshoot throw rows of particles upon each other, first where the flow squeezes them: in a
// corner. A body that rises, by gravity or by a force, makes such a flow.
static void a_light_body_leaves_no_lumps_in_a_full_tank(void **state)
{
    (void)state;
    static const char *const drives[] = {"gravity: [0, -9.81], ", "gravity: [0, 0], "};
    for (int k = 0; k < 2; ++k)
    {
        char text[1200];
        snprintf(
            text, sizeof text,
            "{dimension: 2, spacing: 0.02, duration: 9, %smaterials: {water: {density: 1000}}, bodies: ["
            "{name: water, state: liquid, material: water, shape: {difference: [{box: {min: [0, 0], max: [0.6, 0.6]}}, "
            "{box: {min: [0.2, 0.1], max: [0.4, 0.3]}}]}}, "
            "{name: tank, state: static, shape: {shell: {of: {box: {min: [0, 0], max: [0.6, 0.6]}}, thickness: 0.1}}}, "
            "{name: box, state: rigid, density: 100, force: [0, %g], shape: {box: {min: [0.2, 0.1], max: [0.4, "
            "0.3]}}}]}",
            drives[k], k == 0 ? 0.0 : 350.0);
        frz_sim *sim = core_sim(text, 1);
        double least = 1.0, most = 1.0;
        while (frz_sim_time(sim) < 0.8)
        {
            core_steps(sim, 1);
            const frz_field_view c = frz_sim_field(sim, "compression", FRZ_SEGMENT_FREE);
            for (int64_t i = 0; i < c.count; ++i)
            {
                least = fmin(least, frz_field_value(&c, i, 0));
                most = fmax(most, frz_field_value(&c, i, 0));
            }
        }
        assert_int_equal(sim->state->free_surface, FRZ_FREE_SURFACE_NONE);
        assert_greater(sim->state->bodies.rigid[2].position.y, 0.4); // as far as a hundredth of the error takes it
        if (!(least > 0.75 && most < 1.3))
            fail_msg("drive %d: compression between %g and %g", k, least, most);
        frz_sim_destroy(&sim);
    }
}

static void a_piston_that_squeezes_a_full_tank_is_named(void **state)
{
    (void)state;
    frz_sim *sim = core_sim(
        "{dimension: 2, spacing: 0.04, duration: 9, materials: {water: {density: 1000}}, bodies: ["
        "{name: water, state: liquid, material: water, shape: {box: {min: [0, 0], max: [0.6, 0.6]}}}, "
        "{name: tank, state: static, shape: {shell: {of: {box: {min: [0, 0], max: [0.6, 0.6]}}, thickness: 0.12, "
        "open: [+y]}}}, "
        "{name: piston, state: static, shape: {box: {min: [0, 0.6], max: [0.6, 0.72]}}, "
        "motion: {keyframes: [{time: 0, position: [0, 0]}, {time: 1, position: [0, -0.2]}]}}]}",
        1);
    frz_diag diag = {.status = FRZ_OK};
    frz_status status = FRZ_OK;
    while (status == FRZ_OK && frz_sim_time(sim) < 0.5) // a tenth of the volume is gone after 0.3 s
        status = frz_sim_step(sim, HUGE_VAL, &diag);
    assert_int_equal(status, FRZ_ERR_DIVERGED);
    assert_non_null(strstr(diag.message, "cannot get out of the way of 'piston'"));
    frz_sim_destroy(&sim);
}

static void a_closed_space_is_remembered_by_checkpoints(void **state)
{
    (void)state;
    frz_sim *sim = tank(1000.0, 100.0, 0.8), *again = tank(1000.0, 100.0, 0.8);
    core_steps(sim, 20);
    assert_int_equal(core_pass_on(sim, again), FRZ_OK);
    assert_int_equal(again->state->free_surface, FRZ_FREE_SURFACE_NONE);
    frz_sim_destroy(&sim);
    frz_sim_destroy(&again);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(liquids_at_rest_stay_so_and_bear_their_own_weight),
        cmocka_unit_test(a_liquid_does_not_fall_from_its_ceiling),
        cmocka_unit_test(a_tank_with_room_under_its_lid_has_a_surface),
        cmocka_unit_test(tension_makes_no_energy_in_a_periodic_box),
        cmocka_unit_test(a_light_body_leaves_no_lumps_in_a_full_tank),
        cmocka_unit_test(a_piston_that_squeezes_a_full_tank_is_named),
        cmocka_unit_test(a_closed_space_is_remembered_by_checkpoints),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
