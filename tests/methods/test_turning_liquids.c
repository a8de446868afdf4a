// SPDX-License-Identifier: MIT
// Friction leaves alone liquids that turn as a whole, in the open and with their vessel.
#include "core_trial.h"
#include "compare.h"

enum
{
    text_size = 2048
};

static frz_v4 *positions(const frz_sim *sim)
{
    return frz_field_v4(&sim->state->particles, FRZ_FIELD_ID_position);
}

static frz_v4 *velocities(const frz_sim *sim)
{
    return frz_field_v4(&sim->state->particles, FRZ_FIELD_ID_velocity);
}

static int liquid_count(const frz_sim *sim)
{
    return sim->state->particles.count[FRZ_ROLE_FREE];
}

static double angular_momentum(const frz_sim *sim)
{
    double sum = 0.0;
    for (int i = 0; i < liquid_count(sim); ++i)
    {
        const frz_v4 x = positions(sim)[i], v = velocities(sim)[i];
        sum += (double)x[0] * (double)v[1] - (double)x[1] * (double)v[0];
    }
    return sum;
}

static double moment_of_inertia(const frz_sim *sim)
{
    double sum = 0.0;
    for (int i = 0; i < liquid_count(sim); ++i)
    {
        const frz_v4 x = positions(sim)[i];
        sum += (double)x[0] * (double)x[0] + (double)x[1] * (double)x[1];
    }
    return sum;
}

// A drop in the open that turns, of a viscosity.
static frz_sim *turning_drop(int dimension, const char *viscosity, const char *step)
{
    char text[text_size];
    const char *z = dimension == 3 ? ", 0" : "", *spin = dimension == 3 ? "[0, 0, 3]" : "3";
    snprintf(text, sizeof text,
             "{dimension: %d, spacing: 0.01, duration: 10, gravity: [0, 0%s], time_step: {fixed: %s}, materials: {oil: "
             "{density: 900, viscosity: %s}}, bodies: [{name: drop, state: liquid, material: oil, angular_velocity: "
             "%s, shape: {sphere: {center: [0, 0%s], radius: 0.06}}}]}",
             dimension, z, step, viscosity, spin, z);
    return core_sim(text, 2);
}

static void a_drop_of_oil_keeps_its_angular_momentum(void **state)
{
    (void)state;
    for (int dimension = 2; dimension <= 3; ++dimension)
    {
        frz_sim *sim = turning_drop(dimension, "{method: cleary1998, viscosity: 5}", "1e-3");
        assert_string_equal(frz_model_method(sim->model, FRZ_SLOT_VISCOSITY, 0)->method->key, "cleary1998");
        const double before = angular_momentum(sim);
        core_steps(sim, 100);
        assert_near(angular_momentum(sim) / before, 1.0, 5e-4); // morris1997: 0.8
        frz_sim_destroy(&sim);
    }
}

static frz_v4 shear(frz_v4 x)
{
    return frz_v4_set((frz_real)sin(60.0 * (double)x[1]), 0, 0, 0);
}

// Velocities after one step in which friction changes them by a hundredth.
static frz_vec3 *sheared(const char *viscosity, int *count)
{
    frz_sim *sim = turning_drop(2, viscosity, "1e-4");
    const int64_t *id = frz_field_i64(&sim->state->particles, FRZ_FIELD_ID_id);
    *count = liquid_count(sim);
    frz_vec3 *out = FRZ_ALLOC("test", *count, frz_vec3);
    assert_non_null(out);
    for (int i = 0; i < *count; ++i)
        velocities(sim)[i] = shear(positions(sim)[i]);
    core_steps(sim, 1);
    id = frz_field_i64(&sim->state->particles, FRZ_FIELD_ID_id);
    for (int i = 0; i < *count; ++i)
        out[id[i]] = frz_v3_of(velocities(sim)[i]);
    frz_sim_destroy(&sim);
    return out;
}

static void a_short_step_is_that_of_the_implicit_method(void **state)
{
    (void)state;
    int count;
    frz_vec3 *none = sheared("{method: cleary1998, viscosity: 0}", &count);
    frz_vec3 *explicit_step = sheared("{method: cleary1998, viscosity: 2}", &count);
    frz_vec3 *implicit_step = sheared("{method: weiler2018, viscosity: 2, max_error: 1e-3}", &count);
    double change = 0.0, difference = 0.0;
    for (int i = 0; i < count; ++i)
    {
        change = fmax(change, frz_v3_length(frz_v3_sub(explicit_step[i], none[i])));
        difference = fmax(difference, frz_v3_length(frz_v3_sub(explicit_step[i], implicit_step[i])));
    }
    assert_greater(change, 1e-3);
    assert_less(difference, 0.05 * change);
    frz_free(none);
    frz_free(explicit_step);
    frz_free(implicit_step);
}

// With the velocity of the samples, which lie half a spacing further out, liquid would turn 10 % faster than its ring.
static void liquid_turns_as_fast_as_the_ring_around_it(void **state)
{
    (void)state;
    const char *const viscosity[] = {"{method: cleary1998, viscosity: 5}", "{method: weiler2018, viscosity: 5}"};
    for (size_t m = 0; m < sizeof viscosity / sizeof *viscosity; ++m)
    {
        char text[text_size];
        snprintf(text, sizeof text,
                 "{dimension: 2, spacing: 0.01, duration: 10, gravity: [0, 0], materials: {oil: {density: 900, "
                 "viscosity: %s}}, bodies: [{name: oil, state: liquid, material: oil, angular_velocity: 10, shape: "
                 "{sphere: {center: [0, 0], radius: 0.1}}}, {name: ring, state: rigid, driven: true, density: 2000, "
                 "angular_velocity: 10, shape: {difference: [{sphere: {center: [0, 0], radius: 0.13}}, {sphere: "
                 "{center: [0, 0], radius: 0.1}}]}}]}",
                 viscosity[m]);
        frz_sim *sim = core_sim(text, 2);
        while (sim->state->time < 0.3)
            core_steps(sim, 1);
        assert_near(angular_momentum(sim) / moment_of_inertia(sim), 10.0, 0.15);
        frz_sim_destroy(&sim);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_drop_of_oil_keeps_its_angular_momentum),
        cmocka_unit_test(a_short_step_is_that_of_the_implicit_method),
        cmocka_unit_test(liquid_turns_as_fast_as_the_ring_around_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
