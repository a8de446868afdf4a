// SPDX-License-Identifier: MIT
// Temperatures: who has one, and that it stays with its particle.
#include "core_trial.h"
#include "compare.h"

/// 2D: a hot and a cold tap above a warm pool in a tank of room temperature; a drain takes what spills.
static const char taps[] =
    "dimension: 2\nspacing: 2 cm\nduration: 10\ntemperature: 20 degC\n"
    "domain: {min: [-0.4, -0.2], max: [0.4, 0.8]}\n"
    "materials: {water: {density: 1000, viscosity: {method: xsph, coefficient: 0.1}}}\n"
    "bodies:\n"
    "  - {name: pool, state: liquid, material: water, temperature: 310, shape: {box: {min: [-0.1, 0], max: [0.1, "
    "0.1]}}}\n"
    "  - {name: floor, state: static, shape: {box: {min: [-0.15, -0.06], max: [0.15, 0]}}}\n"
    "  - {name: plate, state: static, temperature: 90 degC, shape: {box: {min: [-0.21, 0], max: [-0.15, 0.05]}}}\n"
    "emitters:\n"
    "  - {name: hot, material: water, position: [-0.06, 0.3], direction: [0.3, -1], width: 8 cm, speed: 1, "
    "temperature: 60 degC}\n"
    "  - {name: cold, material: water, position: [0.06, 0.3], direction: [-0.3, -1], width: 8 cm, speed: 1.5,"
    " temperature: 5 degC}\n"
    "regions: [{name: drain, action: kill, shape: {box: {min: [-0.4, -0.2], max: [0.4, -0.1]}}}]\n";

static const char plain[] = "dimension: 2\nspacing: 2 cm\nduration: 10\nmaterials: {water: {density: 1000}}\n"
                            "bodies: [{name: pool, state: liquid, material: water,"
                            " shape: {box: {min: [0, 0], max: [0.1, 0.1]}}}]\n";

static const double zero_celsius = 273.15; // K
static const double single = 1e-4;         // rounding of a temperature in single precision, K

static double given_temperature(const frz_sim *sim, int64_t row, frz_segment segment)
{
    static const double of_body[] = {310.0, 20.0 + 273.15, 90.0 + 273.15, 60.0 + 273.15, 5.0 + 273.15};
    const frz_field_view body = frz_sim_field(sim, "body", segment);
    return of_body[(int)frz_field_value(&body, row, 0)];
}

static void all_have_what_they_were_given(const frz_sim *sim, frz_segment segment)
{
    const frz_field_view view = frz_sim_field(sim, "temperature", segment);
    assert_non_null(view.data);
    assert_string_equal(view.unit, "K");
    for (int64_t i = 0; i < view.count; ++i)
        assert_near(frz_field_value(&view, i, 0), given_temperature(sim, i, segment), single);
}

static void a_scene_that_speaks_of_none_stores_none(void **state)
{
    (void)state;
    frz_sim *sim = core_sim(plain, 1);
    double value = 1.0;
    const double inside[3] = {0.05, 0.05, 0.0};
    assert_null(frz_sim_field(sim, "temperature", FRZ_SEGMENT_FREE).data);
    assert_false(frz_sim_probe_field(sim, "temperature", inside, &value));
    assert_same(value, 0.0);
    frz_sim_destroy(&sim);
}

static void any_key_that_speaks_of_it_stores_it(void **state)
{
    (void)state;
    static const char *const more[] = {"temperature: 300\n", "output: {fields: [temperature]}\n",
                                       "output: {color: temperature}\n",
                                       "probes: [{position: [0, 0], fields: [temperature]}]\n"};
    for (int k = 0; k < 4; ++k)
    {
        char text[1000];
        snprintf(text, sizeof text, "%s%s", plain, more[k]);
        frz_sim *sim = core_sim(text, 1);
        const frz_field_view view = frz_sim_field(sim, "temperature", FRZ_SEGMENT_FREE);
        assert_non_null(view.data);
        assert_near(frz_field_value(&view, 0, 0), (k == 0 ? 300.0 : 20.0 + zero_celsius), single);
        frz_sim_destroy(&sim);
    }
}

static void particles_keep_theirs_through_sorting_birth_and_death(void **state)
{
    (void)state;
    frz_sim *sim = core_sim(taps, 2);
    all_have_what_they_were_given(sim, FRZ_SEGMENT_SAMPLES);
    for (int n = 0; n < 10; ++n)
    {
        core_steps(sim, 20);
        all_have_what_they_were_given(sim, FRZ_SEGMENT_FREE);
        all_have_what_they_were_given(sim, FRZ_SEGMENT_SAMPLES);
    }
    assert_greater(sim->state->sources.killed[0], 0);
    assert_greater(sim->state->sources.emitters[0].emitted, 40);
    assert_greater(sim->state->sources.emitters[1].emitted, 40);
    frz_sim_destroy(&sim);
}

static void a_rigid_part_is_as_warm_as_its_body(void **state)
{
    (void)state;
    frz_sim *sim = core_sim("dimension: 2\nspacing: 2 cm\nduration: 1\n"
                            "materials: {rubber: {density: 1000, elastic: 10 kPa}}\n"
                            "bodies: [{name: finger, state: elastic, material: rubber, temperature: 37 degC,"
                            " shape: {box: {min: [0, 0], max: [0.4, 0.2]}},"
                            " rigid_part: {shape: {box: {min: [0.06, 0.06], max: [0.34, 0.14]}}}}]\n",
                            1);
    for (int s = 0; s < 2; ++s)
    {
        const frz_field_view view = frz_sim_field(sim, "temperature", s == 0 ? FRZ_SEGMENT_FREE : FRZ_SEGMENT_SAMPLES);
        assert_greater(view.count, 0);
        for (int64_t i = 0; i < view.count; ++i)
            assert_near(frz_field_value(&view, i, 0), 310.15, single);
    }
    frz_sim_destroy(&sim);
}

static void probes_measure_the_mean_around_them(void **state)
{
    (void)state;
    frz_sim *sim = core_sim("dimension: 2\nspacing: 2 cm\nduration: 10\ngravity: [0, 0]\n"
                            "materials: {water: {density: 1000}}\n"
                            "bodies:\n"
                            "  - {name: cold, state: liquid, material: water, temperature: 280,"
                            " shape: {box: {min: [0, 0], max: [0.2, 0.2]}}}\n"
                            "  - {name: hot, state: liquid, material: water, temperature: 320,"
                            " shape: {box: {min: [0.2, 0], max: [0.4, 0.2]}}}\n",
                            1);
    const double cold[3] = {0.1, 0.1, 0.0}, hot[3] = {0.3, 0.1, 0.0}, between[3] = {0.2, 0.1, 0.0}, far[3] = {3, 3, 0};
    double value = 0.0;
    assert_true(frz_sim_probe_field(sim, "temperature", cold, &value));
    assert_near(value, 280.0, single);
    assert_true(frz_sim_probe_field(sim, "temperature", hot, &value));
    assert_near(value, 320.0, single);
    assert_true(frz_sim_probe_field(sim, "temperature", between, &value));
    assert_near(value, 300.0, 0.01);
    assert_false(frz_sim_probe_field(sim, "temperature", far, &value));
    assert_false(frz_sim_probe_field(sim, "velocity", cold, &value)); // more than one number
    assert_false(frz_sim_probe_field(sim, "id", cold, &value));       // not a real one
    frz_sim_destroy(&sim);
}

static void a_caller_may_set_them_but_not_below_zero(void **state)
{
    (void)state;
    frz_sim *without = core_sim(plain, 1), *sim = core_sim(taps, 1);
    frz_diag diag = {.status = FRZ_OK};
    enum
    {
        most = 200
    };
    double values[most];
    const int64_t count = frz_sim_particle_count(sim, FRZ_SEGMENT_FREE);
    assert_greater(count, 1);
    assert_less_equal(count, most);
    for (int64_t i = 0; i < count; ++i)
        values[i] = 300.0 + (double)i;
    assert_int_equal(frz_sim_set_temperature(without, values, 25, &diag), FRZ_ERR_ARGUMENT);
    assert_non_null(strstr(diag.message, "no temperature"));
    assert_int_equal(frz_sim_set_temperature(sim, values, count - 1, &diag), FRZ_ERR_ARGUMENT);
    assert_int_equal(frz_sim_set_temperature(sim, values, count, &diag), FRZ_OK);
    const frz_field_view view = frz_sim_field(sim, "temperature", FRZ_SEGMENT_FREE);
    for (int64_t i = 0; i < count; ++i)
        assert_same(frz_field_value(&view, i, 0), values[i]);
    values[1] = -1.0;
    assert_int_equal(frz_sim_set_temperature(sim, values, count, &diag), FRZ_ERR_ARGUMENT);
    assert_non_null(strstr(diag.message, "particle 1"));
    values[1] = NAN;
    assert_int_equal(frz_sim_set_temperature(sim, values, count, &diag), FRZ_ERR_ARGUMENT);
    assert_same(frz_field_value(&view, 1, 0), 301.0);
    frz_sim_destroy(&without);
    frz_sim_destroy(&sim);
}

static void a_checkpoint_brings_them_back(void **state)
{
    (void)state;
    frz_sim *sim = core_sim(taps, 1), *again = core_sim(taps, 1);
    core_steps(sim, 60);
    assert_int_equal(core_pass_on(sim, again), FRZ_OK);
    for (int n = 0; n < 2; ++n)
    {
        const frz_field_view a = frz_sim_field(sim, "temperature", FRZ_SEGMENT_FREE);
        const frz_field_view b = frz_sim_field(again, "temperature", FRZ_SEGMENT_FREE);
        assert_int_equal(a.count, b.count);
        for (int64_t i = 0; i < a.count; ++i)
            assert_same(frz_field_value(&a, i, 0), frz_field_value(&b, i, 0));
        core_steps(sim, 40);
        core_steps(again, 40);
    }
    all_have_what_they_were_given(again, FRZ_SEGMENT_SAMPLES);
    frz_sim_destroy(&sim);
    frz_sim_destroy(&again);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_scene_that_speaks_of_none_stores_none),
        cmocka_unit_test(any_key_that_speaks_of_it_stores_it),
        cmocka_unit_test(particles_keep_theirs_through_sorting_birth_and_death),
        cmocka_unit_test(a_rigid_part_is_as_warm_as_its_body),
        cmocka_unit_test(probes_measure_the_mean_around_them),
        cmocka_unit_test(a_caller_may_set_them_but_not_below_zero),
        cmocka_unit_test(a_checkpoint_brings_them_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
