// SPDX-License-Identifier: MIT
// Emitters, regions and surfaces that count flow.
// labels: tsan
#include "core_trial.h"
#include "compare.h"

static const char jet_2d[] =
    "dimension: 2\nspacing: 1 cm\nduration: 10\ngravity: [0, 0]\n"
    "domain: {min: [0, -1], max: [0.5, 1]}\n"
    "materials: {water: {density: 1000}}\n"
    "bodies: [{name: far, state: static, shape: {box: {min: [0.1, 0.8], max: [0.2, 0.9]}}}]\n"
    "emitters: [{name: tap, material: water, position: [0, 0], direction: [1, 0], width: 12 cm, speed: 0.5}]\n"
    "regions: [{name: drain, action: kill, shape: {box: {min: [0.4, -1], max: [0.6, 1]}}}]\n"
    "probes: [{name: gate, position: [0.2, 0], normal: [1, 0], width: 1},"
    " {name: back, position: [0.2, 0], normal: [-1, 0], radius: 1}]\n";

static const frz_emitter_state *emitter(const frz_sim *sim)
{
    return &sim->state->sources.emitters[0];
}

static int liquid(const frz_sim *sim)
{
    return sim->state->particles.count[FRZ_ROLE_FREE];
}

static double position_of(const frz_sim *sim, int i, int axis)
{
    return (double)frz_field_v4(&sim->state->particles, FRZ_FIELD_ID_position)[i][axis];
}

// ---- schedules and inlets

static void on_time_adds_up_over_intervals_and_periods(void **state)
{
    (void)state;
    frz_interval intervals[] = {{0.1, 0.3}, {0.5, 0.6}};
    const frz_schedule always = {0}, once = {2, intervals, 0.0}, again = {2, intervals, 1.0};
    assert_near(frz_schedule_on_time(&always, 2.0, 5.5), 3.5, 1e-12);
    assert_near(frz_schedule_on_time(&once, 0.0, 9.0), 0.3, 1e-12);
    assert_near(frz_schedule_on_time(&again, 0.0, 9.0), 2.7, 1e-12);
    assert_near(frz_schedule_on_time(&again, 3.2, 4.15), (0.1 + 0.1 + 0.05), 1e-12);
    assert_true(frz_schedule_is_on(&always, 7.0));
    assert_true(frz_schedule_is_on(&once, 0.1) && !frz_schedule_is_on(&once, 0.3) && !frz_schedule_is_on(&once, 1.15));
    assert_true(frz_schedule_is_on(&again, 7.15) && !frz_schedule_is_on(&again, 7.4));
}

static void a_disc_has_as_many_sites_as_its_area_asks_for(void **state)
{
    (void)state;
    static const double radii[] = {2.0, 3.5, 6.0, 10.0, 25.0};
    for (int k = 0; k < 5; ++k)
    {
        frz_emitter disc = {.patch = frz_patch_make(frz_v3(0, 0, 0), frz_v3(1, 2, 3), frz_v3(0, 1, 0), 3)};
        disc.patch.radius = radii[k];
        assert_int_equal(frz_emitter_lay_sites(&disc, 1.0, 3, NULL), FRZ_OK);
        const double area = frz_patch_area(&disc.patch, 3);
        assert_greater(disc.site_count, 0.7 * area);
        assert_less(disc.site_count, 1.05 * area);
        for (int s = 0; s < disc.site_count; ++s)
        {
            assert_less_equal(frz_v3_length(disc.sites[s]), radii[k]);
            assert_small(frz_v3_dot(disc.sites[s], disc.patch.normal), 1e-12);
            for (int t = 0; t < s; ++t)
                assert_greater(frz_v3_length(frz_v3_sub(disc.sites[s], disc.sites[t])), 1.0 - 1e-12);
        }
        frz_emitter_destroy(&disc);
    }
}

// ---- emission

static void the_volume_emitted_is_speed_times_area_times_time(void **state)
{
    (void)state;
    frz_sim *sim = core_sim(jet_2d, 1);
    for (int n = 0; n < 60; ++n)
    {
        core_steps(sim, 1);
        const double due = 0.5 * sim->state->time / 0.01 * 12.0; // particles
        assert_less_equal(fabs((double)emitter(sim)->emitted - due), 6.0 + 1e-6);
        assert_int_equal(emitter(sim)->blocked, 0);
    }
    assert_greater(emitter(sim)->emitted, 120);
    frz_sim_destroy(&sim);
}

static void a_flow_rate_is_met_whatever_the_lattice(void **state)
{
    (void)state;
    frz_sim *sim = core_sim("spacing: 1 cm\nduration: 1\ngravity: [0, 0, 0]\nmaterials: {water: {density: 1000}}\n"
                            "emitters: [{material: water, position: [0, 0, 0], direction: [1, 1, 0], radius: 33 mm,"
                            " flow_rate: 2 l/s}]\n",
                            1);
    const frz_emitter_info info = frz_sim_emitter(sim, 0);
    assert_near(info.flow_rate, 2e-3, 1e-12);
    core_steps(sim, 40);
    const double due = 2e-3 * sim->state->time / 1e-6; // particles
    assert_less_equal(fabs((double)emitter(sim)->emitted - due), 0.5 * info.sites + 1e-6);
    assert_greater(emitter(sim)->layers, 4);
    frz_sim_destroy(&sim);
}

static void schedules_switch_the_flow(void **state)
{
    (void)state;
    char text[2000];
    snprintf(text, sizeof text, "%s", jet_2d);
    char *speed = strstr(text, "speed: 0.5");
    assert_non_null(speed);
    snprintf(speed, (size_t)(text + sizeof text - speed), "%s",
             "speed: 0.5, schedule: {on: [{start: 0.05, stop: 0.1}], period: 0.2}}]\n");
    frz_sim *sim = core_sim(text, 1);
    frz_diag diag;
    assert_int_equal(frz_sim_advance(sim, 0.049, &diag), FRZ_OK);
    assert_int_equal(emitter(sim)->emitted, 0);
    assert_int_equal(frz_sim_advance(sim, 0.5, &diag), FRZ_OK);
    // on for 0.15 s at 0.5 m/s: 7.5 layers
    assert_true(emitter(sim)->layers == 7 || emitter(sim)->layers == 8);
    assert_int_equal(emitter(sim)->emitted, 12 * emitter(sim)->layers);
    frz_sim_destroy(&sim);
}

static void the_stream_has_the_density_of_rest(void **state)
{
    (void)state;
    frz_sim *sim = core_sim(jet_2d, 1);
    core_steps(sim, 150);
    const frz_real *density = frz_field_real(&sim->state->particles, FRZ_FIELD_ID_density);
    int inside = 0;
    for (int i = 0; i < liquid(sim); ++i)
    {
        const double x = position_of(sim, i, 0), y = position_of(sim, i, 1);
        if (x < 0.025 || x > 0.2 || fabs(y) > 0.035)
            continue;
        assert_near((double)density[i], 1000.0, 20.0);
        inside += 1;
    }
    assert_greater(inside, 80);
    frz_sim_destroy(&sim);
}

static void what_comes_in_is_there_or_was_removed(void **state)
{
    (void)state;
    frz_sim *sim = core_sim(jet_2d, 1);
    for (int n = 0; n < 300; ++n)
    {
        core_steps(sim, 1);
        const int64_t gone = sim->state->sources.killed[0] + sim->state->lost;
        assert_int_equal(emitter(sim)->emitted, liquid(sim) + gone);
        // behind the gate is what has passed it
        int beyond = 0;
        for (int i = 0; i < liquid(sim); ++i)
            beyond += !(position_of(sim, i, 0) - 0.2 < 0.0);
        assert_int_equal(sim->state->sources.flows[0].crossed, beyond + gone);
        assert_int_equal(sim->state->sources.flows[1].crossed, -sim->state->sources.flows[0].crossed);
    }
    assert_greater(sim->state->sources.killed[0], 100);
    assert_int_equal(sim->state->lost, 0);
    assert_near(frz_sim_flow(sim, 0), 1e-4 * (double)sim->state->sources.flows[0].crossed, 1e-12);
    frz_sim_destroy(&sim);
}

static void the_store_grows_and_walls_stay_where_they_are(void **state)
{
    (void)state;
    frz_sim *sim = core_sim(jet_2d, 1);
    const frz_particles *store = &sim->state->particles;
    const int walls = store->count[FRZ_ROLE_SAMPLE];
    frz_v4 *before = calloc((size_t)walls, sizeof *before);
    assert_non_null(before);
    memcpy(before, frz_field_v4(store, FRZ_FIELD_ID_position) + store->first[FRZ_ROLE_SAMPLE],
           (size_t)walls * sizeof *before);
    assert_int_equal(store->capacity[FRZ_ROLE_FREE], 0);
    core_steps(sim, 120);
    assert_greater_equal(store->capacity[FRZ_ROLE_FREE], liquid(sim));
    assert_greater(liquid(sim), 200);
    assert_memory_equal(before, frz_field_v4(store, FRZ_FIELD_ID_position) + store->first[FRZ_ROLE_SAMPLE],
                        (size_t)walls * sizeof *before);
    const int64_t *id = frz_field_i64(store, FRZ_FIELD_ID_id);
    for (int i = 0; i < liquid(sim); ++i)
    {
        assert_greater_equal(id[i], walls);
        assert_less(id[i], sim->state->next_id);
        assert_int_equal(core_slot(sim, id[i]), i); // no id twice
    }
    free(before);
    frz_sim_destroy(&sim);
}

static void rejected_tries_make_nothing(void **state)
{
    (void)state;
    char text[2000];
    snprintf(text, sizeof text, "%stime_step: 50 ms\n", jet_2d); // 2.5 spacings: too far
    frz_sim *sim = core_sim(text, 1);
    for (int n = 0; n < 12; ++n)
    {
        sim->state->stats.max_speed = 0.0; // from which the step would halve_if_too_fast it
        core_steps(sim, 1);
        const double due = 0.5 * sim->state->time / 0.01 * 12.0;
        assert_less_equal(fabs((double)emitter(sim)->emitted - due), 6.0 + 1e-6);
    }
    assert_greater(sim->state->rejected, 5);
    frz_sim_destroy(&sim);
}

static void steps_too_long_for_the_last_speed_are_not_tried(void **state)
{
    (void)state;
    char text[2000];
    snprintf(text, sizeof text, "%stime_step: 50 ms\n", jet_2d); // 2.5 spacings
    frz_sim *sim = core_sim(text, 1);
    core_steps(sim, 2);
    const int64_t rejected = sim->state->rejected;
    for (int n = 0; n < 10; ++n)
    {
        core_steps(sim, 1);
        assert_less_equal(sim->state->stats.dt, 0.0125 + 1e-9);
    }
    assert_less_equal(sim->state->rejected - rejected, 1); // what grows in a step cannot be foreseen
    frz_sim_destroy(&sim);
}

static void the_largest_number_ends_the_emission(void **state)
{
    (void)state;
    char text[2000];
    snprintf(text, sizeof text, "%s", jet_2d);
    char *speed = strstr(text, "speed: 0.5");
    assert_non_null(speed);
    snprintf(speed, (size_t)(text + sizeof text - speed), "%s", "speed: 0.5, max_particles: 100}]\n");
    frz_sim *sim = core_sim(text, 1);
    core_steps(sim, 100);
    assert_int_equal(emitter(sim)->emitted, 100);
    assert_true(emitter(sim)->exhausted && sim->announced[0]);
    assert_true(frz_sim_emitter(sim, 0).exhausted);
    frz_sim_destroy(&sim);
}

static void a_full_vessel_blocks_the_inlet(void **state)
{
    (void)state;
    frz_sim *sim = core_sim("dimension: 2\nspacing: 1 cm\nduration: 10\n"
                            "materials: {water: {density: 1000}}\n"
                            "bodies: [{name: box, state: static, shape: {shell: {of: {box: {min: [0, 0], max: [0.12, "
                            "0.1]}}, thickness: 3 cm}}}]\n"
                            "emitters: [{material: water, position: [0.02, 0.05], direction: [1, 0], width: 4 cm,"
                            " speed: 0.4}]\n",
                            1);
    core_steps(sim, 400);
    const frz_real *compression = frz_field_real(&sim->state->particles, FRZ_FIELD_ID_compression);
    double largest = 0.0;
    for (int i = 0; i < liquid(sim); ++i)
        largest = fmax(largest, (double)compression[i]);
    assert_greater(emitter(sim)->blocked, 50);
    assert_less(liquid(sim), 126); // 12 x 10 fit, and five per cent
    assert_less(largest, 1.3);
    frz_sim_destroy(&sim);
}

static void a_pipe_under_water_keeps_its_rate_and_the_density(void **state)
{
    (void)state;
    frz_sim *sim = core_sim("dimension: 2\nspacing: 1 cm\nduration: 10\nmaterials: {water: {density: 1000}}\n"
                            "bodies: [{state: liquid, material: water, shape: {box: {min: [0, 0], max: [0.5, 0.2]}}},\n"
                            " {state: static, shape: {shell: {of: {box: {min: [0, 0], max: [0.5, 0.6]}}, thickness: 3 "
                            "cm, open: [+y]}}},\n"
                            " {state: static, shape: {box: {min: [0, 0.08], max: [0.05, 0.1]}}},\n"
                            " {state: static, shape: {box: {min: [0, 0], max: [0.05, 0.02]}}}]\n"
                            "emitters: [{material: water, position: [0.005, 0.05], direction: [1, 0], width: 6 cm,"
                            " speed: 0.5}]\n"
                            "probes: [{position: [0.02, 0.05], normal: [1, 0], width: 6 cm}]\n",
                            1);
    frz_diag diag;
    assert_int_equal(frz_sim_advance(sim, 0.2, &diag), FRZ_OK); // what was in the way is gone
    const int64_t before = emitter(sim)->emitted, passed = sim->state->sources.flows[0].crossed;
    assert_int_equal(frz_sim_advance(sim, 0.5, &diag), FRZ_OK);
    const double due = 0.5 * 0.3 / 0.01 * 6.0;
    assert_near((double)(emitter(sim)->emitted - before), due, 0.1 * due);
    assert_near((double)(sim->state->sources.flows[0].crossed - passed), due, 0.1 * due);
    const frz_real *compression = frz_field_real(&sim->state->particles, FRZ_FIELD_ID_compression);
    double sum = 0.0;
    int near = 0;
    for (int i = 0; i < liquid(sim); ++i)
    {
        if (position_of(sim, i, 0) < 0.02 || position_of(sim, i, 0) > 0.1 || position_of(sim, i, 1) > 0.1)
            continue;
        sum += (double)compression[i];
        near += 1;
        assert_less(compression[i], (frz_real)1.05);
    }
    assert_greater(near, 60);
    assert_near(sum / near, 1.0, 0.02);
    frz_sim_destroy(&sim);
}

static void nothing_is_born_in_a_wall_that_moves_in(void **state)
{
    (void)state;
    frz_sim *sim = core_sim("dimension: 2\nspacing: 1 cm\nduration: 10\ngravity: [0, 0]\n"
                            "materials: {water: {density: 1000}}\n"
                            "bodies: [{name: lid, state: static, shape: {box: {min: [-0.1, 0.3], max: [0.1, 0.5]}},"
                            " motion: {keyframes: [{time: 0}, {time: 0.2, position: [0, -0.4]}]}}]\n"
                            "emitters: [{material: water, position: [0, 0], direction: [1, 0], width: 4 cm,"
                            " speed: 0.4, schedule: [{start: 0.2}]}]\n",
                            1);
    core_steps(sim, 150);
    assert_greater(sim->state->time, 0.3);
    assert_int_equal(emitter(sim)->emitted, 0);
    assert_greater(emitter(sim)->blocked, 4);
    frz_sim_destroy(&sim);
}

// ---- periodic domains

static void inlets_regions_and_surfaces_reach_over_periodic_seams(void **state)
{
    (void)state;
    frz_sim *sim = core_sim("dimension: 2\nspacing: 1 cm\nduration: 10\ngravity: [0, 0]\n"
                            "domain: {min: [0, 0], max: [0.3, 0.2], periodic: [x, y]}\n"
                            "materials: {water: {density: 1000}}\n"
                            "emitters: [{material: water, position: [0.25, 0], direction: [1, 0], width: 6 cm,"
                            " speed: 0.5}]\n"
                            "regions: [{action: kill, shape: {box: {min: [0.1, -0.1], max: [0.15, 0.1]}}}]\n"
                            "probes: [{position: [0, 0], normal: [1, 0], width: 0.19}]\n",
                            1);
    core_steps(sim, 150);
    int beyond = 0, left = 0;
    for (int i = 0; i < liquid(sim); ++i)
    {
        beyond += position_of(sim, i, 0) < 0.15;
        left += position_of(sim, i, 1) > 0.1;
        assert_true(position_of(sim, i, 0) < 0.1 || position_of(sim, i, 0) >= 0.25 - 1e-6);
    }
    assert_int_equal(emitter(sim)->blocked, 0);
    assert_greater(left, 20);
    assert_greater(sim->state->sources.killed[0], 100);
    assert_int_equal(emitter(sim)->emitted, liquid(sim) + sim->state->sources.killed[0]);
    assert_int_equal(sim->state->sources.flows[0].crossed, beyond + sim->state->sources.killed[0]);
    frz_sim_destroy(&sim);
}

// ---- forces

static void regions_push_and_drag_exactly(void **state)
{
    (void)state;
    frz_sim *sim =
        core_sim("dimension: 2\nspacing: 1 cm\nduration: 10\ngravity: [0, 0]\n"
                 "materials: {water: {density: 1000}, oil: {density: 900}}\n"
                 "bodies: [{state: liquid, material: water, shape: {box: {min: [0, 0], max: [0.01, 0.01]}}},"
                 " {state: liquid, material: oil, shape: {box: {min: [0, 0.2], max: [0.01, 0.21]}}},"
                 " {state: liquid, material: water, shape: {box: {min: [0, 0.4], max: [0.01, 0.41]}}}]\n"
                 "regions: [{action: force, acceleration: [2, 0], material: water,"
                 " shape: {box: {min: [-1, -1], max: [1, 0.3]}}, schedule: [{start: 0, stop: 9}]},"
                 " {action: force, velocity: [0, 1], drag: 30, shape: {box: {min: [-1, 0.35], max: [1, 3]}}}]\n",
                 1);
    core_steps(sim, 40);
    const frz_v4 *velocity = frz_field_v4(&sim->state->particles, FRZ_FIELD_ID_velocity);
    const double t = sim->state->time;
    const frz_v4 pushed = velocity[core_slot(sim, 0)], other = velocity[core_slot(sim, 1)],
                 dragged = velocity[core_slot(sim, 2)];
    assert_greater(t, 0.1);
    assert_near((double)pushed[0], 2.0 * t, 1e-5);
    assert_small((double)pushed[1], 1e-6);
    assert_less(fabs((double)other[0]) + fabs((double)other[1]), 1e-6);
    assert_near((double)dragged[1], (1.0 - exp(-30.0 * t)), 1e-5);
    frz_sim_destroy(&sim);
}

static void threads_change_no_bit(void **state)
{
    (void)state;
    frz_sim *one = core_sim(jet_2d, 1), *three = core_sim(jet_2d, 3);
    core_steps(one, 120);
    core_steps(three, 120);
    assert_same(core_hash(one), core_hash(three));
    assert_memory_equal(one->state->sources.flows, three->state->sources.flows, 2 * sizeof(frz_flow_state));
    frz_sim_destroy(&one);
    frz_sim_destroy(&three);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(on_time_adds_up_over_intervals_and_periods),
        cmocka_unit_test(a_disc_has_as_many_sites_as_its_area_asks_for),
        cmocka_unit_test(the_volume_emitted_is_speed_times_area_times_time),
        cmocka_unit_test(a_flow_rate_is_met_whatever_the_lattice),
        cmocka_unit_test(schedules_switch_the_flow),
        cmocka_unit_test(the_stream_has_the_density_of_rest),
        cmocka_unit_test(what_comes_in_is_there_or_was_removed),
        cmocka_unit_test(the_store_grows_and_walls_stay_where_they_are),
        cmocka_unit_test(rejected_tries_make_nothing),
        cmocka_unit_test(steps_too_long_for_the_last_speed_are_not_tried),
        cmocka_unit_test(the_largest_number_ends_the_emission),
        cmocka_unit_test(a_full_vessel_blocks_the_inlet),
        cmocka_unit_test(a_pipe_under_water_keeps_its_rate_and_the_density),
        cmocka_unit_test(nothing_is_born_in_a_wall_that_moves_in),
        cmocka_unit_test(inlets_regions_and_surfaces_reach_over_periodic_seams),
        cmocka_unit_test(regions_push_and_drag_exactly),
        cmocka_unit_test(threads_change_no_bit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
