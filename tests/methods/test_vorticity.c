// SPDX-License-Identifier: MIT
// Micropolar liquid: spin settles at half the vorticity, and swirl lasts longer with it. (That momentum is
// kept is a test of the conformance suite.)
#include "core_trial.h"
#include "compare.h"

// A free square of liquid (on its lattice: no overlaps to resolve), about 1 m wide. It turns about the origin at rate
// (1 - shear r^2 / 0.25) rad/s: slowly enough to stay together while it is watched.
static frz_sim *square(const char *methods, double shear)
{
    char text[1024];
    snprintf(
        text, sizeof text,
        "{dimension: 2, spacing: 0.04, duration: 10, gravity: [0, 0], time_step: {max: 0.002}, domain: {min: [-2, "
        "-2], max: [2, 2]}, materials: {water: {density: 1000, %s}}, bodies: [{name: water, state: liquid, material: "
        "water, shape: {box: {min: [-0.48, -0.48], max: [0.48, 0.48]}}}]}",
        methods);
    frz_sim *sim = core_sim(text, 2);
    frz_particles *store = &sim->state->particles;
    for (int i = 0; i < store->count[FRZ_ROLE_FREE]; ++i)
    {
        const frz_v4 x = frz_field_v4(store, FRZ_FIELD_ID_position)[i];
        const frz_real rate = 1 - (frz_real)(shear / 0.25) * frz_v4_dot3(x, x);
        frz_field_v4(store, FRZ_FIELD_ID_velocity)[i] = frz_v4_set(-rate * x[1], rate * x[0], 0, 0);
    }
    sim->state->stats.max_speed = 1.0;
    return sim;
}

static frz_stats square_after(const char *methods, double until)
{
    frz_diag diag = {.status = FRZ_OK};
    frz_stats stats;
    frz_sim *sim = square(methods, 1.0);
    if (frz_sim_advance(sim, until, &diag) != FRZ_OK)
        fail_msg("%s", diag.message);
    frz_sim_stats(sim, &stats);
    frz_sim_destroy(&sim);
    return stats;
}

static void a_vortex_with_spin_loses_less_energy_to_friction(void **state)
{
    (void)state;
    const frz_stats start = square_after("viscosity: 0", 0.001);
    const frz_stats plain = square_after("viscosity: 2", 0.1);
    const frz_stats spinning = square_after("viscosity: 2, vorticity: {method: micropolar, transfer: 0.002}", 0.1);
    print_message("kinetic energy %.3f J/m: %.3f without, %.3f with spin\n", start.kinetic_energy, plain.kinetic_energy,
                  spinning.kinetic_energy);
    assert_less(plain.kinetic_energy, 0.99 * start.kinetic_energy);
    assert_greater(spinning.kinetic_energy, plain.kinetic_energy);
    assert_less(spinning.kinetic_energy, start.kinetic_energy);
}

static void spin_settles_at_half_the_vorticity(void **state)
{
    (void)state;
    frz_sim *sim = square("vorticity: {method: micropolar, transfer: 0.05}", 0.0);
    core_steps(sim, 60);
    const frz_particles *store = &sim->state->particles;
    const frz_field_view spin = frz_sim_field(sim, "spin", FRZ_SEGMENT_FREE);
    double sum = 0.0;
    int inside = 0;
    for (int i = 0; i < store->count[FRZ_ROLE_FREE]; ++i)
    {
        const frz_v4 x = frz_field_v4(store, FRZ_FIELD_ID_position)[i];
        assert_same(frz_field_value(&spin, i, 0), 0.0);
        assert_same(frz_field_value(&spin, i, 1), 0.0);
        if (frz_v4_dot3(x, x) > 0.3 * 0.3)
            continue;
        sum += frz_field_value(&spin, i, 2);
        inside += 1;
    }
    print_message("spin %.4f rad/s in a square that turns at 1 rad/s\n", sum / inside);
    assert_near(sum / inside, 1.0, 0.05);
    frz_sim_destroy(&sim);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_vortex_with_spin_loses_less_energy_to_friction),
        cmocka_unit_test(spin_settles_at_half_the_vorticity),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
