// SPDX-License-Identifier: MIT
// Matter whose solid and liquid have different densities: mass is kept, the volume changes, and nothing bursts.
// labels: tsan
#include "core_trial.h"
#include "compare.h"

// A tank of 0.2 m that a body of ice or water fills to 0.1 m; heat comes evenly, at W/m3.
static const char *const tank =
    "{dimension: 2, spacing: 0.01, duration: 10, time_step: {max: 2 ms},"
    " materials: {water: {density: 1000, viscosity: {method: weiler2018, viscosity: 1 Pa s},"
    "   heat: {conductivity: 0.6, specific_heat: 1000}, melting: {point: 300 K, latent_heat: 50 kJ/kg, "
    "solid_density: %s}}},"
    " bodies: [{name: block, state: %s, material: water, temperature: %s, shape: {box: {min: [0, 0], max: [0.2, "
    "0.1]}}},"
    "  {name: tank, state: static, friction: 0, shape: {difference: [{box: {min: [-0.1, -0.1], max: [0.3, 0.3]}},"
    "   {box: {min: [0, 0], max: [0.2, 0.4]}}]}}],"
    " regions: [{name: heater, action: heat, power: %s, shape: {box: {min: [-1, -1], max: [1, 1]}}}]}";

static frz_sim *make(const char *density, const char *state, const char *temperature, const char *power, int threads)
{
    char text[1600];
    snprintf(text, sizeof text, tank, density, state, temperature, power);
    return core_sim(text, threads);
}

typedef struct outcome
{
    double mass, centre, fastest; // kg/m, m, m/s
    int phase[3];
} outcome;

static outcome run(frz_sim *sim, double until)
{
    outcome o = {0};
    while (sim->state->time < until)
    {
        core_steps(sim, 1);
        o.fastest = fmax(o.fastest, sim->state->stats.max_speed);
    }
    const frz_particles *particles = &sim->state->particles;
    for (int i = 0; i < particles->count[FRZ_ROLE_FREE]; ++i)
    {
        const double m = frz_particle_mass(sim->model, frz_particles_inverse_density(particles)[i]);
        o.mass += m;
        o.centre += m * (double)frz_field_v4(particles, FRZ_FIELD_ID_position)[i][1];
        o.phase[frz_particles_phase(particles)[i]] += 1;
    }
    o.centre /= o.mass;
    return o;
}

// Ice of 900 kg/m3 becomes water of 1000 kg/m3: its level falls to 0.9.
static void ice_that_melts_shrinks(void **state)
{
    (void)state;
    frz_sim *sim = make("900", "rigid", "299 K", "2e8", 1);
    const outcome o = run(sim, 1.0);
    assert_int_equal(o.phase[FRZ_PHASE_LIQUID], 200);
    assert_near(o.mass, 0.02 * 900.0, 1e-4);
    assert_near(o.centre / 0.05, 0.9, 0.02);
    assert_less(o.fastest, 0.3);
    frz_sim_destroy(&sim);
}

// Wax of 1100 kg/m3 becomes liquid of 1000 kg/m3: its level rises to 1.1, without a splash.
static void wax_that_melts_grows(void **state)
{
    (void)state;
    frz_sim *sim = make("1100", "rigid", "299 K", "2e8", 1);
    const outcome o = run(sim, 1.0);
    assert_int_equal(o.phase[FRZ_PHASE_LIQUID], 200);
    assert_near(o.mass, 0.02 * 1100.0, 1e-4);
    assert_near(o.centre / 0.05, 1.1, 0.02);
    assert_less(o.fastest, 0.3);
    frz_sim_destroy(&sim);
}

static void water_that_freezes_grows_before_it_is_solid(void **state)
{
    (void)state;
    frz_sim *sim = make("900", "liquid", "301 K", "-1e8", 1);
    const outcome o = run(sim, 1.0);
    assert_int_equal(o.phase[FRZ_PHASE_RIGID], 200);
    assert_near(o.mass, 0.02 * 1000.0, 1e-4);
    assert_near(o.centre / 0.05, 1.0 / 0.9, 0.02);
    assert_less(o.fastest, 0.3);
    frz_sim_destroy(&sim);
}

// All that is saved of the particles.
static void assert_same_particles(const frz_sim *a, const frz_sim *b)
{
    const frz_particles *one = &a->state->particles, *two = &b->state->particles;
    for (int f = 0; f < one->field_count; ++f)
    {
        const frz_array_desc x = frz_particles_view(one, f, FRZ_ROLE_FREE),
                             y = frz_particles_view(two, f, FRZ_ROLE_FREE);
        const size_t stride = frz_dtype_size(x.type) * (size_t)x.stride;
        assert_int_equal(x.rows, y.rows);
        for (int64_t i = 0; i < x.rows && (one->fields[f].decl.flags & FRZ_FIELD_SAVE) != 0; ++i)
            assert_memory_equal((const char *)x.data + (size_t)i * stride, (const char *)y.data + (size_t)i * stride,
                                core_row(&x));
    }
}

static void threads_and_a_restart_change_no_bit(void **state)
{
    (void)state;
    frz_sim *one = make("900", "rigid", "299 K", "2e8", 1), *five = make("900", "rigid", "299 K", "2e8", 5),
            *again = make("900", "rigid", "299 K", "2e8", 1);
    (void)run(one, 0.3);
    (void)run(five, 0.3);
    assert_int_equal(core_pass_on(one, again), FRZ_OK);
    (void)run(one, 0.4);
    (void)run(five, 0.4);
    (void)run(again, 0.4);
    assert_same_particles(one, five);
    assert_same_particles(one, again);
    frz_sim_destroy(&one);
    frz_sim_destroy(&five);
    frz_sim_destroy(&again);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ice_that_melts_shrinks),
        cmocka_unit_test(wax_that_melts_grows),
        cmocka_unit_test(water_that_freezes_grows_before_it_is_solid),
        cmocka_unit_test(threads_and_a_restart_change_no_bit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
