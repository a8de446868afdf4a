// SPDX-License-Identifier: MIT
// Properties that depend on the temperature, and the elastic state between solidus and liquidus.
// labels: tsan
#include "core_trial.h"
#include "compare.h"

// Melts between 320 and 340 K, with latent heat.
static const frz_thermal thermal = {.specific_heat = 2000.0, .conductivity = 1.0};

static frz_material soft_material(frz_solid_form form)
{
    frz_material material = {.melting = {.given = true,
                                         .solidus = 320.0,
                                         .liquidus = 340.0,
                                         .latent_heat = 1e5,
                                         .form = form,
                                         .soft = true,
                                         .stiffening = 11.0}};
    material.curve = frz_heat_curve_make(&thermal, &material.melting);
    return material;
}

static void stiffness_and_viscosity_are_linear_between_solidus_and_liquidus(void **state)
{
    (void)state;
    const frz_material m = soft_material(FRZ_FORM_RIGID);
    assert_near(frz_material_factor(&m, FRZ_PROPERTY_STIFFNESS, 300.0), 1.0, 1e-12);
    assert_near(frz_material_factor(&m, FRZ_PROPERTY_STIFFNESS, 325.0), 0.75, 1e-12);
    assert_near(frz_material_factor(&m, FRZ_PROPERTY_STIFFNESS, 335.0), 0.25, 1e-12);
    assert_near(frz_material_factor(&m, FRZ_PROPERTY_STIFFNESS, 350.0), 1e-3, 1e-12);
    assert_near(frz_material_factor(&m, FRZ_PROPERTY_VISCOSITY, 300.0), 11.0, 1e-12);
    assert_near(frz_material_factor(&m, FRZ_PROPERTY_VISCOSITY, 335.0), 3.5, 1e-12);
    assert_near(frz_material_factor(&m, FRZ_PROPERTY_VISCOSITY, 360.0), 1.0, 1e-12);
}

// Phases on the way up or down in enthalpy, in small steps; returns how often the phase changed.
static int sweep(const frz_material *m, double from, double to, frz_phase start, frz_phase seen[4])
{
    frz_phase phase = start;
    int changes = 0;
    seen[0] = phase;
    for (int n = 0; n <= 1000; ++n)
    {
        const double h =
            frz_heat_curve_enthalpy(&m->curve, from, phase) +
            n / 1000.0 *
                (frz_heat_curve_enthalpy(&m->curve, to, phase) - frz_heat_curve_enthalpy(&m->curve, from, phase));
        const frz_phase next = frz_heat_curve_phase(&m->curve, h, phase, &m->melting);
        if (next != phase && changes < 3)
            seen[++changes] = next;
        phase = next;
    }
    return changes;
}

static void matter_is_elastic_between_its_points_and_skips_that_where_they_are_equal(void **state)
{
    (void)state;
    frz_phase seen[4];
    frz_material m = soft_material(FRZ_FORM_RIGID);
    assert_int_equal(sweep(&m, 300.0, 360.0, FRZ_PHASE_RIGID, seen), 2);
    assert_int_equal(seen[1], FRZ_PHASE_ELASTIC);
    assert_int_equal(seen[2], FRZ_PHASE_LIQUID);
    assert_int_equal(sweep(&m, 360.0, 300.0, FRZ_PHASE_LIQUID, seen), 2);
    assert_int_equal(seen[1], FRZ_PHASE_ELASTIC);
    assert_int_equal(seen[2], FRZ_PHASE_RIGID);
    m = soft_material(FRZ_FORM_ELASTIC);
    assert_int_equal(sweep(&m, 300.0, 360.0, FRZ_PHASE_ELASTIC, seen), 1);
    assert_int_equal(sweep(&m, 360.0, 300.0, FRZ_PHASE_LIQUID, seen), 1);
    assert_int_equal(seen[1], FRZ_PHASE_ELASTIC);
    m.melting = (frz_melting){.given = true, .solidus = 330.0, .liquidus = 330.0, .latent_heat = 1e5};
    m.curve = frz_heat_curve_make(&thermal, &m.melting);
    assert_int_equal(sweep(&m, 300.0, 360.0, FRZ_PHASE_RIGID, seen), 1);
    assert_int_equal(seen[1], FRZ_PHASE_LIQUID);
    assert_int_equal(sweep(&m, 360.0, 300.0, FRZ_PHASE_LIQUID, seen), 1);
    assert_int_equal(seen[1], FRZ_PHASE_RIGID);
}

static void a_particle_at_a_boundary_does_not_flicker(void **state)
{
    (void)state;
    const frz_material m = soft_material(FRZ_FORM_RIGID);
    const double edges[] = {m.curve.melts, m.curve.molten};
    for (int k = 0; k < 2; ++k)
    {
        frz_phase phase = k == 0 ? FRZ_PHASE_RIGID : FRZ_PHASE_ELASTIC;
        int changes = 0;
        for (int n = 0; n < 100; ++n)
        {
            const double h = edges[k] + (n % 2 == 0 ? 100.0 : -100.0); // J/kg, a twentieth of a kelvin
            const frz_phase next = frz_heat_curve_phase(&m.curve, h, phase, &m.melting);
            changes += next != phase;
            phase = next;
        }
        assert_int_equal(changes, 0);
    }
}

// A bar that hangs from its upper end, all at one temperature.
static double sag_of(const char *method, const char *temperature)
{
    char text[1400];
    snprintf(text, sizeof text,
             "{dimension: 2, spacing: 0.05, duration: 10, time_step: {max: 0.01 s}, temperature: %s,"
             " materials: {gum: {density: 1000, elastic: {method: %s, young: 1e5, poisson: 0, damping: 20},"
             "  by_temperature: {stiffness: [{temperature: 300 K, factor: 1}, {temperature: 320 K, factor: 0.2}]}}},"
             " bodies: [{name: bar, state: elastic, material: gum, shape: {box: {min: [0, 0], max: [0.2, 1]}}}],"
             " attachments: [{shape: {box: {min: [-0.1, 0.9], max: [0.3, 1.1]}}}]}",
             temperature, method);
    frz_sim *sim = core_sim(text, 1);
    while (sim->state->time < 1.0)
        core_steps(sim, 1);
    const double lowest = sim->state->stats.min[1];
    frz_sim_destroy(&sim);
    return 0.025 - lowest;
}

static void a_bar_sags_by_the_inverse_of_its_stiffness(void **state)
{
    (void)state;
    static const char *const methods[] = {"becker2009", "peer2018"};
    for (int m = 0; m < 2; ++m)
    {
        const double cold = sag_of(methods[m], "300 K"), warm = sag_of(methods[m], "310 K"),
                     hot = sag_of(methods[m], "350 K");
        assert_near(warm / cold, 1.0 / 0.6, 0.05);
        assert_near(hot / cold, 1.0 / 0.2, 0.3);
    }
}

// Couette flow between walls of different temperature: the stress is the same everywhere, so that the velocity has its
// kink where the viscosity changes.
static void a_warm_layer_takes_the_shear(void **state)
{
    (void)state;
    const char *text =
        "{dimension: 2, spacing: 0.05, duration: 100, gravity: [0, 0], domain: {min: [0, -0.3], max: [0.4, 1.3],"
        "  periodic: [x]}, time_step: {max: 0.02 s},"
        " materials: {oil: {density: 1000, viscosity: {method: weiler2018, viscosity: 1000 Pa s, max_error: 1e-3},"
        "  by_temperature: {viscosity: {activation: 5000 K, reference: 300 K}}}},"
        " bodies: [{name: low, state: liquid, material: oil, temperature: 300 K, shape: {box: {min: [0, 0], max: [0.4,"
        " 0.5]}}},"
        "  {name: high, state: liquid, material: oil, temperature: 313.636 K, shape: {box: {min: [0, 0.5], max: [0.4, "
        "1]}}},"
        "  {name: floor, state: static, shape: {box: {min: [0, -0.2], max: [0.4, 0]}}},"
        "  {name: lid, state: static, shape: {box: {min: [0, 1], max: [0.4, 1.2]}},"
        "   motion: [{time: 0}, {time: 100, position: [10, 0]}]}]}";
    frz_sim *sim = core_sim(text, 1);
    core_steps(sim, 100);
    // exp(5000 (1/300 - 1/313.636)) = 2.064: the upper half shears that much more
    const double ratio = exp(5000.0 * (1.0 / 300.0 - 1.0 / 313.636)), middle = 0.1 / (1.0 + ratio);
    double worst = 0.0;
    for (int i = 0; i < sim->state->particles.count[FRZ_ROLE_FREE]; ++i)
    {
        const double y = (double)frz_field_v4(&sim->state->particles, FRZ_FIELD_ID_position)[i][1];
        const double v = (double)frz_field_v4(&sim->state->particles, FRZ_FIELD_ID_velocity)[i][0];
        const double exact = y < 0.5 ? middle * y / 0.5 : middle + (0.1 - middle) * (y - 0.5) / 0.5;
        worst = fmax(worst, fabs(v - exact));
    }
    assert_less(worst, 0.003);
    frz_sim_destroy(&sim);
}

// The yield stress follows the temperature by itself, and not with the modulus.
static void a_warm_bar_flows_where_a_cold_one_does_not(void **state)
{
    (void)state;
    for (int warm = 0; warm < 2; ++warm)
    {
        char text[1500];
        snprintf(text, sizeof text,
                 "{dimension: 2, spacing: 0.05, duration: 10, gravity: [0, -10], temperature: %s,"
                 " materials: {clay: {density: 1000, elastic: {method: peer2018, young: 1e6, damping: 10},"
                 "  plastic: {method: bargteil2007, yield: 30 kPa},"
                 "  by_temperature: {yield: [{temperature: 300 K, factor: 1}, {temperature: 340 K, factor: 0.1}],"
                 "   stiffness: [{temperature: 300 K, factor: 1}, {temperature: 340 K, factor: 0.5}]}}},"
                 " bodies: [{name: bar, state: elastic, material: clay, shape: {box: {min: [0, 0], max: [0.2, 1]}}}],"
                 " attachments: [{shape: {box: {min: [-0.1, 0.9], max: [0.3, 1.1]}}}]}",
                 warm != 0 ? "340 K" : "300 K");
        frz_sim *sim = core_sim(text, 1);
        core_steps(sim, 30);
        const frz_field_view strain = frz_sim_field(sim, "plastic_strain", FRZ_SEGMENT_FREE);
        double most = 0.0;
        for (int64_t i = 0; i < frz_sim_particle_count(sim, FRZ_SEGMENT_FREE); ++i)
            most = fmax(most, frz_field_value(&strain, i, 0));
        if (warm != 0)
            assert_greater(most, 1e-3);
        else
            assert_same(most, 0.0);
        frz_sim_destroy(&sim);
    }
}

// A disc of clay that is pulled apart: the energy that flows away is the heat that comes in.
static void plastic_work_becomes_heat(void **state)
{
    (void)state;
    static const char *const methods[] = {"bargteil2007", "obrien2002"};
    for (int m = 0; m < 2; ++m)
    {
        char text[1200];
        snprintf(
            text, sizeof text,
            "{dimension: 2, spacing: 0.02, duration: 10, gravity: [0, 0],"
            " materials: {clay: {density: 1000, elastic: {method: %s, young: 1e6},"
            "  plastic: {method: %s, yield: 10 kPa}, heat: {conductivity: 1, specific_heat: 1000, plastic_work: "
            "true, every: 1}}},"
            " bodies: [{name: a, state: elastic, material: clay, velocity: [0.5, 0], shape: {box: {min: [0, 0], max: "
            "[0.2, 0.2]}}}, {name: wall, state: static, friction: 0, shape: {box: {min: [0.2, -0.2], max: [0.3, "
            "0.4]}}}]}",
            m == 0 ? "tlsph" : "becker2009", methods[m]);
        frz_sim *sim = core_sim(text, 1);
        frz_stats start, end;
        core_steps(sim, 1);
        frz_sim_stats(sim, &start);
        double work = 0.0;
        for (int n = 0; n < 150; ++n)
        {
            core_steps(sim, 1);
            frz_sim_stats(sim, &end);
            work += end.work_heat * sim->state->stats.dt;
        }
        printf("%s: %.3g J of %.3g J became heat\n", methods[m], work, start.kinetic_energy);
        assert_greater(work, 0.1 * start.kinetic_energy);
        assert_less(work, start.kinetic_energy);
        assert_near((end.heat - start.heat) / work, 1.0, 1e-6);
        assert_small(end.heat_drift, 1e-13 * end.heat);
        frz_sim_destroy(&sim);
    }
}

// A rigid block on a hot plate goes through all three states; mass and heat are kept.
static const char *const block =
    "{dimension: 2, spacing: 0.02, duration: 10, time_step: {max: 2 ms},"
    " materials: {wax: {density: 900, elastic: {method: tlsph, young: 2e5}, viscosity: {method: weiler2018, "
    "viscosity: 1 Pa s},"
    "   heat: {conductivity: 3000, specific_heat: 1000},"
    "   melting: {solidus: 305 K, liquidus: 345 K, latent_heat: 10 kJ/kg, stiffening: 5}}},"
    " bodies: [{name: block, state: rigid, material: wax, temperature: 300 K, shape: {box: {min: [0.1, 0], max: [0.3, "
    "0.2]}}},"
    "  {name: plate, state: static, temperature: 400 K, shape: {difference: [{box: {min: [-0.1, -0.1], max: [0.5, "
    "0.4]}}, {box: {min: [0, 0], max: [0.4, 0.5]}}]}}]}";

static void count_phases(const frz_sim *sim, int count[3])
{
    memset(count, 0, 3 * sizeof *count);
    for (int i = 0; i < sim->state->particles.count[FRZ_ROLE_FREE]; ++i)
        count[frz_particles_phase(&sim->state->particles)[i]] += 1;
}

static void a_block_goes_from_rigid_over_elastic_to_liquid(void **state)
{
    (void)state;
    frz_sim *sim = core_sim(block, 1);
    int count[3] = {0}, most_elastic = 0, all_three = 0;
    for (int n = 0; n < 60; ++n)
    {
        core_steps(sim, 8);
        count_phases(sim, count);
        most_elastic = count[FRZ_PHASE_ELASTIC] > most_elastic ? count[FRZ_PHASE_ELASTIC] : most_elastic;
        all_three += count[0] > 0 && count[1] > 0 && count[2] > 0;
    }
    frz_stats stats;
    frz_sim_stats(sim, &stats);
    assert_greater(most_elastic, 10);
    assert_greater(all_three, 0);
    assert_greater(count[FRZ_PHASE_LIQUID], 0);
    assert_small(stats.heat_drift, 1e-12 * stats.heat); // across the ties of rigid and elastic particles, too
    frz_sim_destroy(&sim);
}

// What is pressed and melts must not fly apart: the rows of the block that are left stand on a film of liquid.
static void melting_under_a_load_makes_no_energy(void **state)
{
    (void)state;
    frz_sim *sim = core_sim(block, 1);
    double most = 0.0, lowest = 1e9;
    for (int n = 0; n < 500; ++n)
    {
        core_steps(sim, 1);
        const frz_step_stats *stats = &sim->state->stats;
        const double now = stats->kinetic_energy + stats->potential_energy;
        lowest = fmin(lowest, now);
        most = fmax(most, now - lowest);
    }
    assert_greater(sim->state->changes.changed, 20);
    // of 35 J of potential energy; elastic energy comes and goes
    assert_less(most, 0.35);
    frz_sim_destroy(&sim);
}

static void implicit_methods_are_refused_where_rigid_and_elastic_are_tied(void **state)
{
    (void)state;
    char text[2048];
    snprintf(text, sizeof text, "%s", block);
    char *at = strstr(text, "tlsph, young");
    assert_non_null(at);
    char implicit[2100];
    snprintf(implicit, sizeof implicit, "%.*speer2018%s", (int)(at - text), text, at + strlen("tlsph"));
    core_refused(implicit, "Use an explicit one, such as tlsph");
}

static void threads_and_a_restart_change_no_bit_of_a_block_that_melts(void **state)
{
    (void)state;
    frz_sim *one = core_sim(block, 1), *five = core_sim(block, 5), *again = core_sim(block, 2);
    core_steps(one, 100);
    core_steps(five, 100);
    assert_int_equal(core_pass_on(one, again), FRZ_OK);
    core_steps(one, 60);
    core_steps(five, 60);
    core_steps(again, 60);
    int count[3];
    count_phases(one, count);
    assert_greater(count[FRZ_PHASE_ELASTIC], 0);
    assert_int_equal(core_hash(one), core_hash(five));
    assert_int_equal(core_hash(one), core_hash(again));
    frz_sim_destroy(&one);
    frz_sim_destroy(&five);
    frz_sim_destroy(&again);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stiffness_and_viscosity_are_linear_between_solidus_and_liquidus),
        cmocka_unit_test(matter_is_elastic_between_its_points_and_skips_that_where_they_are_equal),
        cmocka_unit_test(a_particle_at_a_boundary_does_not_flicker),
        cmocka_unit_test(a_bar_sags_by_the_inverse_of_its_stiffness),
        cmocka_unit_test(a_warm_layer_takes_the_shear),
        cmocka_unit_test(a_warm_bar_flows_where_a_cold_one_does_not),
        cmocka_unit_test(plastic_work_becomes_heat),
        cmocka_unit_test(a_block_goes_from_rigid_over_elastic_to_liquid),
        cmocka_unit_test(melting_under_a_load_makes_no_energy),
        cmocka_unit_test(implicit_methods_are_refused_where_rigid_and_elastic_are_tied),
        cmocka_unit_test(threads_and_a_restart_change_no_bit_of_a_block_that_melts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
