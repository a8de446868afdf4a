// SPDX-License-Identifier: MIT
// Heat of material points: conduction between points and to other particles, and melting.
// labels: tsan
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "compare.h"

#include <math.h>

#include "core_trial.h"

// The profile of a bar of points, half warm and half cold, without gravity, against that of an endless one:
// T = mean + half erf(x / (2 sqrt(a t))), a = k / (rho c) = 0.01 m^2/s.
static void points_conduct_like_a_continuum(void **state)
{
    (void)state;
    frz_sim *sim = core_sim(
        "{dimension: 2, spacing: 0.02, duration: 10, gravity: [0, 0], temperature: 300, materials: {ice: {density: "
        "1000, elastic: {method: mpm, young: 1e5}, heat: {conductivity: 1e4, specific_heat: 1000}}}, bodies: [{name: "
        "cold, state: elastic, material: ice, temperature: 290, shape: {box: {min: [-1, 0], max: [0, 0.1]}}}, {name: "
        "warm, state: elastic, material: ice, temperature: 310, shape: {box: {min: [0, 0], max: [1, 0.1]}}}]}",
        1);
    while (frz_sim_time(sim) < 1.0)
        core_steps(sim, 1);
    const frz_particles *store = &sim->state->particles;
    const double width = 2.0 * sqrt(0.01 * frz_sim_time(sim));
    double worst = 0.0;
    for (int i = 0; i < store->count[FRZ_ROLE_FREE]; ++i)
    {
        const double x = (double)frz_field_v4(store, FRZ_FIELD_ID_position)[i][0];
        const double T = (double)frz_field_real(store, sim->model->temperature_field)[i];
        worst = fmax(worst, fabs(T - 300.0 - 10.0 * erf(x / width)));
    }
    print_message("largest error %.3f K of 20 K\n", worst);
    assert_less(worst, 0.02);
    assert_less(fabs(sim->state->heat.drift), 1e-10 * sim->state->stats.heat.content);
    frz_sim_destroy(&sim);
}

static double mass_of(const frz_sim *sim)
{
    double sum = 0.0;
    for (int i = 0; i < sim->state->particles.count[FRZ_ROLE_FREE]; ++i)
        sum += frz_particle_mass(sim->model, frz_particles_inverse_density(&sim->state->particles)[i]);
    return sum;
}

static int count_of(const frz_sim *sim, frz_phase phase)
{
    int count = 0;
    for (int i = 0; i < sim->state->particles.count[FRZ_ROLE_FREE]; ++i)
        count += frz_particles_phase(&sim->state->particles)[i] == phase;
    return count;
}

// Cold grains beside warm water, which has heat enough for all of them, in free space: they melt, and heat, mass and
// momentum stay.
static void grains_melt_in_warm_water(void **state)
{
    (void)state;
    frz_sim *sim = core_sim(
        "{dimension: 2, spacing: 0.02, duration: 10, gravity: [0, 0], temperature: 300, materials: {ice: {density: "
        "917, elastic: {method: mpm, law: hencky, young: 1e5}, plastic: {method: drucker_prager, friction_angle: 30}, "
        "heat: {conductivity: 2e4, specific_heat: 4000, solid_specific_heat: 2000}, melting: {point: 273, latent_heat: "
        "2e4, solid: elastic, between: keep}}, water: {density: 1000, heat: {conductivity: 2e4, specific_heat: "
        "4000}}}, "
        "bodies: [{name: ice, state: elastic, material: ice, temperature: 270, velocity: [0.05, 0], shape: {box: {min: "
        "[0, 0], max: [0.1, 0.2]}}}, {name: water, state: liquid, material: water, temperature: 350, velocity: [-0.05, "
        "0], shape: {box: {min: [0.1, 0], max: [0.4, 0.2]}}}]}",
        1);
    const double mass = mass_of(sim);
    core_steps(sim, 1);
    const double heat = sim->state->stats.heat.content, momentum = sim->state->stats.momentum[0];
    int before = count_of(sim, FRZ_PHASE_POINT), between = before;
    while (frz_sim_time(sim) < 1.5 && count_of(sim, FRZ_PHASE_POINT) > 0)
    {
        core_steps(sim, 1);
        const int now = count_of(sim, FRZ_PHASE_POINT);
        assert_less(now, before + 1); // none comes back
        before = now;
        between = now > 0 && now < between ? now : between;
    }
    print_message("all molten after %.2f s; heat changed by %.2g of it, momentum by %.2g kg m/s\n", frz_sim_time(sim),
                  sim->state->stats.heat.content / heat - 1.0, sim->state->stats.momentum[0] - momentum);
    assert_int_equal(before, 0);
    assert_less(between, 50); // and not all at once
    assert_int_equal(count_of(sim, FRZ_PHASE_LIQUID), sim->state->particles.count[FRZ_ROLE_FREE]);
    assert_less(fabs(mass_of(sim) - mass), 1e-14 * mass); // the sum is in another order
    assert_less(fabs(sim->state->stats.heat.content - heat), 1e-10 * heat);
    assert_less(fabs(sim->state->stats.momentum[0] - momentum), 1e-6);
    assert_int_equal(sim->state->bodies.identity[0].alive, 0);
    frz_sim_destroy(&sim);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(points_conduct_like_a_continuum),
        cmocka_unit_test(grains_melt_in_warm_water),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
