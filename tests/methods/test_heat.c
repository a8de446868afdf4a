// SPDX-License-Identifier: MIT
// Conduction of heat: conservation, the enthalpy curve, the surface in the air, walls, buoyancy, restarts.
// labels: tsan
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "compare.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core_trial.h"
#include "physics/heat/heat_system.h"
#include "sim/neighborhood.h"

// Liquid, an elastic and a rigid block that touch, at different temperatures.
static const char *const three_phases =
    "{dimension: 2, spacing: 0.02, duration: 10, gravity: [0, 0], time_step: {max: 0.02 s},"
    " materials: {stuff: {density: 1000, elastic: {method: peer2018, young: 1e5},"
    "   heat: {conductivity: 200, specific_heat: 500, integration: %s},"
    "   melting: {solidus: 350 K, liquidus: 360 K, latent_heat: 20 kJ/kg, solid: none}}},"
    " bodies: [{name: soft, state: elastic, material: stuff, temperature: 310 K, shape: {box: {min: [0, 0], max: [0.2, "
    "0.2]}}},"
    "  {name: hard, state: rigid, fill: particles, material: stuff, temperature: 420 K, shape: {box: {min: [0.2, 0], "
    "max: [0.4, 0.2]}}},"
    "  {name: hard2, state: rigid, fill: particles, material: stuff, temperature: 300 K, shape: {box: {min: [0.2, "
    "0.2], max: [0.4, 0.4]}}},"
    "  {name: water, state: liquid, material: stuff, temperature: 400 K, shape: {box: {min: [0, 0.2], max: [0.2, "
    "0.4]}}}]}";

static frz_sim *three_phases_sim(const char *integration, int threads)
{
    char text[2048];
    snprintf(text, sizeof text, three_phases, integration);
    return core_sim(text, threads);
}

static double hottest(const frz_sim *sim, const char *body)
{
    const frz_particles *particles = &sim->state->particles;
    double most = 0.0;
    for (int i = 0; i < particles->count[FRZ_ROLE_FREE]; ++i)
    {
        const int b = frz_field_i32(particles, FRZ_FIELD_ID_body)[i];
        if (strcmp(sim->model->bodies[b].name, body) == 0)
            most = fmax(most, (double)frz_field_real(particles, sim->model->temperature_field)[i]);
    }
    return most;
}

static void heat_flows_between_all_phases_and_none_is_lost(void **state)
{
    (void)state;
    static const char *const ways[] = {"explicit", "implicit"};
    for (int n = 0; n < 2; ++n)
    {
        frz_sim *sim = three_phases_sim(ways[n], 1);
        core_steps(sim, 60);
        frz_stats stats;
        frz_sim_stats(sim, &stats);
        assert_greater(hottest(sim, "soft"), 315.0);
        assert_greater(hottest(sim, "hard2"), 310.0);
        assert_less(hottest(sim, "water"), 400.0);
        assert_greater(stats.latent_heat, 0.0);
        assert_greater(n == 0 ? stats.heat_substeps : stats.heat_iterations, 0);
        assert_small(stats.heat_drift, 1e-13 * stats.heat);
        frz_sim_destroy(&sim);
    }
}

static void explicit_and_implicit_steps_agree(void **state)
{
    (void)state;
    frz_sim *a = three_phases_sim("explicit", 1), *b = three_phases_sim("implicit", 1);
    core_steps(a, 40);
    core_steps(b, 40);
    double worst = 0.0;
    for (int64_t id = 0; id < frz_sim_particle_count(a, FRZ_SEGMENT_FREE); ++id)
    {
        const double one = (double)frz_field_real(&a->state->particles, a->model->temperature_field)[core_slot(a, id)];
        const double two = (double)frz_field_real(&b->state->particles, b->model->temperature_field)[core_slot(b, id)];
        worst = fmax(worst, fabs(one - two));
    }
    assert_greater(worst, 0.0);
    assert_less(worst, 1.0); // of 120 K
    frz_sim_destroy(&a);
    frz_sim_destroy(&b);
}

// The heat that i gives to j is what j gets from i, in bits: links are there from both ends with the same conductance.
static void links_have_the_same_bits_from_both_ends(void **state)
{
    (void)state;
    frz_sim *sim = three_phases_sim("explicit", 1);
    frz_diag diag = {.status = FRZ_OK};
    core_steps(sim, 3);
    assert_int_equal(frz_neighborhood_update(sim->model, sim->state, &diag), FRZ_OK);
    frz_heat_system s;
    assert_int_equal(frz_heat_system_make(sim->model, sim->state, &s, &diag), FRZ_OK);
    int64_t links = 0;
    for (int i = 0; i < s.count; ++i)
        for (int64_t k = s.begin[i]; k < s.end[i]; ++k, ++links)
        {
            const int j = (int)s.other[k];
            bool found = false;
            for (int64_t back = s.begin[j]; back < s.end[j]; ++back)
                found = found || ((int)s.other[back] == i && s.conductance[back] == s.conductance[k]);
            assert_true(found);
        }
    assert_greater(links, 6 * s.count);
    frz_sim_destroy(&sim);
}

// On the lattice the sum over the links of a parabola is its second derivative, in liquids and in solids.
static void the_sum_over_links_is_the_laplacian(void **state)
{
    (void)state;
    frz_sim *sim = three_phases_sim("explicit", 1);
    frz_diag diag = {.status = FRZ_OK};
    frz_particles *particles = &sim->state->particles;
    assert_int_equal(frz_neighborhood_update(sim->model, sim->state, &diag), FRZ_OK);
    frz_heat_system s;
    assert_int_equal(frz_heat_system_make(sim->model, sim->state, &s, &diag), FRZ_OK);
    int checked = 0;
    for (int i = 0; i < s.count; ++i)
        s.temperature[i] = pow((double)frz_field_v4(particles, FRZ_FIELD_ID_position)[i][0], 2.0);
    for (int i = 0; i < s.count; ++i)
    {
        const frz_v4 x = frz_field_v4(particles, FRZ_FIELD_ID_position)[i];
        const bool inside = fabs(fmod((double)x[0], 0.2) - 0.1) < 0.05 && fabs(fmod((double)x[1], 0.2) - 0.1) < 0.05;
        if (!inside)
            continue;
        checked += 1;
        const double exact = 200.0 * 2.0 * sim->model->cell;
        assert_near(frz_heat_system_flow(&s, s.temperature, i) / exact, 1.0, 1e-4);
    }
    assert_greater(checked, 40);
    frz_sim_destroy(&sim);
}

static void the_enthalpy_curve_is_its_own_inverse(void **state)
{
    (void)state;
    const frz_thermal thermal = {.specific_heat = 4000.0, .solid_specific_heat = 2000.0, .conductivity = 1.0};
    const frz_melting range = {true, 300.0, 320.0, 1e5}, point = {true, 310.0, 310.0, 1e5};
    const frz_melting *const all[] = {&range, &point};
    for (int n = 0; n < 2; ++n)
    {
        const frz_heat_curve curve = frz_heat_curve_make(&thermal, all[n]);
        for (int k = 200; k < 400; ++k)
        {
            const double T = k + 0.5;
            double slope;
            const double h = frz_heat_curve_enthalpy(&curve, T, FRZ_PHASE_LIQUID);
            assert_near(frz_heat_curve_temperature(&curve, h, &slope), T, 1e-10);
            const double up = frz_heat_curve_temperature(&curve, h + 1.0, &slope);
            assert_near(up - T, slope, 1e-10);
        }
        assert_same(frz_heat_curve_fraction(&curve, frz_heat_curve_enthalpy(&curve, 250.0, FRZ_PHASE_RIGID)), 0.0);
        assert_same(frz_heat_curve_fraction(&curve, frz_heat_curve_enthalpy(&curve, 330.0, FRZ_PHASE_RIGID)), 1.0);
    }
    // at a point the phase tells which end it is
    const frz_heat_curve step = frz_heat_curve_make(&thermal, &point);
    assert_same(frz_heat_curve_enthalpy(&step, 310.0, FRZ_PHASE_LIQUID) -
                    frz_heat_curve_enthalpy(&step, 310.0, FRZ_PHASE_ELASTIC),
                1e5);
}

static void a_flat_pool_has_the_area_of_its_surface(void **state)
{
    (void)state;
    for (int dimension = 2; dimension <= 3; ++dimension)
    {
        char text[1024];
        snprintf(
            text, sizeof text,
            "{dimension: %d, spacing: 0.05, duration: 1, gravity: [0, 0, 0], domain: {min: [0, -1, 0], max: [0.5, 1, "
            "%s],"
            " periodic: [x%s]}, materials: {water: {density: 1000, heat: {convection: 10, emissivity: 0.9}}}, bodies:"
            " [{name: pool, state: liquid, material: water, temperature: 350 K, shape: {box: {min: [0, 0, 0], max: "
            "[0.5, 0.4, %s]}}},"
            "  {name: floor, state: static, shape: {half_space: {point: [0, 0, 0], normal: [0, 1, 0]}}}]}",
            dimension, dimension == 3 ? "0.5" : "0", dimension == 3 ? ", z" : "", dimension == 3 ? "0.5" : "0");
        frz_sim *sim = core_sim(text, 1);
        core_steps(sim, 1);
        frz_stats stats;
        frz_sim_stats(sim, &stats);
        const double area = dimension == 3 ? 0.25 : 0.5;
        assert_near(stats.heat_area / area, 1.0, 1e-3);
        const double power =
            area * (10.0 * (350.0 - 293.15) + 0.9 * 5.670374419e-8 * (pow(350.0, 4.0) - pow(293.15, 4.0)));
        assert_near(stats.surface_heat / -power, 1.0, 1e-3);
        frz_sim_destroy(&sim);
    }
}

static void a_ball_has_the_area_of_its_surface(void **state)
{
    (void)state;
    for (int n = 0; n < 6; ++n)
    {
        const int dimension = 2 + n / 3, cells = dimension == 2 ? 5 << (n % 3) : 8 + 2 * (n % 3);
        char text[1024];
        snprintf(
            text, sizeof text,
            "{dimension: %d, spacing: 0.01, duration: 1, gravity: [0, 0, 0], materials: {water: {density: 1000, heat: "
            "{convection: 10}}}, bodies: [{name: ball, state: liquid, material: water, temperature: 350 K, shape: "
            "{sphere: {center: [0, 0, 0], radius: %g}}}]}",
            dimension, 0.01 * cells);
        frz_sim *sim = core_sim(text, 1);
        core_steps(sim, 1);
        frz_stats stats;
        frz_sim_stats(sim, &stats);
        const double radius = 0.01 * cells, pi = 3.14159265358979;
        assert_near(stats.heat_area / (dimension == 2 ? 2.0 * pi * radius : 4.0 * pi * radius * radius), 1.0, 0.08);
        frz_sim_destroy(&sim);
    }
}

static void a_region_gives_its_power(void **state)
{
    (void)state;
    frz_sim *sim = core_sim(
        "{dimension: 2, spacing: 0.05, duration: 1, gravity: [0, 0], materials: {water: {density: 1000, heat: 0.6}},"
        " bodies: [{state: liquid, material: water, shape: {box: {min: [0, 0], max: [1, 0.5]}}}],"
        " regions: [{action: heat, power: 1 MW/m3, shape: {box: {min: [-1, -1], max: [0.5, 1]}}}]}",
        1);
    core_steps(sim, 2);
    frz_stats stats;
    frz_sim_stats(sim, &stats);
    assert_near(stats.region_heat / 0.25e6, 1.0, 1e-6);
    frz_sim_destroy(&sim);
}

static void warm_liquid_rises(void **state)
{
    (void)state;
    frz_sim *sim = core_sim(
        "{dimension: 2, spacing: 0.05, duration: 1, gravity: [0, -10], temperature: 300 K, time_step: 0.001 s,"
        " materials: {water: {density: 1000, heat: {conductivity: 0, expansion: 0.001}}}, bodies:"
        " [{state: liquid, material: water, temperature: 400 K, shape: {box: {min: [0, 0], max: [0.2, 0.2]}}}]}",
        1);
    core_steps(sim, 1);
    const frz_v4 v = frz_field_v4(&sim->state->particles, FRZ_FIELD_ID_velocity)[0];
    assert_near((double)v[1] / -0.009, 1.0, 1e-3); // 10 % of the weight is missing
    frz_sim_destroy(&sim);
}

// ---- phases

// A block beside another, of which a part is heated and cooled again.
static frz_sim *melting_sim(const char *form, const char *extra, int threads)
{
    char text[2048];
    snprintf(
        text, sizeof text,
        "{dimension: 2, spacing: 0.02, duration: 10, gravity: [0, -1], time_step: {max: 0.005 s}, temperature: 300 K,"
        " materials: {wax: {density: 900, elastic: {method: peer2018, young: 1e5}, heat: {conductivity: 10,"
        "   specific_heat: 1000}, melting: {point: 320 K, %s solid: %s}}},"
        " bodies: [{name: a, state: %s, material: wax, shape: {box: {min: [0, 0], max: [0.2, 0.2]}}},"
        "  {name: b, state: %s, material: wax, shape: {box: {min: [0.2, 0], max: [0.4, 0.2]}}},"
        "  {name: floor, state: static, shape: {difference: [{box: {min: [-0.1, -0.1], max: [0.5, 0.3]}},"
        "    {box: {min: [0, 0], max: [0.4, 1]}}]}}],"
        " regions: [{action: heat, power: 400 MW/m3, shape: {box: {min: [0.13, -1], max: [0.27, 1]}},"
        "   schedule: [{stop: 0.15 s}]},"
        "  {action: heat, temperature: 250 K, rate: 20 1/s, shape: {box: {min: [-1, -1], max: [1, 1]}},"
        "   schedule: [{start: 0.3 s}]}]}",
        extra, form, form, form);
    return core_sim(text, threads);
}

static int count_phase(const frz_sim *sim, frz_phase phase)
{
    int count = 0;
    for (int i = 0; i < sim->state->particles.count[FRZ_ROLE_FREE]; ++i)
        count += frz_particles_phase(&sim->state->particles)[i] == phase;
    return count;
}

static int count_solids(const frz_sim *sim)
{
    int count = 0;
    for (int b = 0; b < sim->state->bodies.count; ++b)
        count += frz_body_is(sim->state, b, FRZ_BODY_ELASTIC) || frz_body_is(sim->state, b, FRZ_BODY_RIGID);
    return count;
}

static void heat_melts_and_cold_freezes_into_one_body(void **state)
{
    (void)state;
    static const char *const forms[] = {"rigid", "elastic"};
    for (int n = 0; n < 2; ++n)
    {
        frz_sim *sim = melting_sim(forms[n], "latent_heat: 20 kJ/kg,", 1);
        const frz_phase solid = n == 0 ? FRZ_PHASE_RIGID : FRZ_PHASE_ELASTIC;
        const int all = count_phase(sim, solid);
        assert_int_equal(count_solids(sim), 2);
        while (frz_sim_time(sim) < 0.25)
            core_steps(sim, 1);
        const int molten = count_phase(sim, FRZ_PHASE_LIQUID);
        assert_greater_equal(molten, 50);
        assert_less(molten, all);
        while (frz_sim_time(sim) < 0.8)
            core_steps(sim, 1);
        assert_greater_equal(count_phase(sim, solid), all - 4); // dust may stay liquid
        assert_int_equal(count_solids(sim), 1);
        assert_small(sim->state->heat.drift, 1e-13 * sim->state->stats.heat.content);
        frz_sim_destroy(&sim);
    }
}

// At a melting point without latent heat nothing flickers: each particle melts and freezes once.
static void nothing_flickers_at_a_melting_point(void **state)
{
    (void)state;
    frz_sim *sim = melting_sim("rigid", "", 1);
    while (frz_sim_time(sim) < 0.8)
        core_steps(sim, 1);
    const int all = sim->state->particles.count[FRZ_ROLE_FREE];
    assert_greater_equal(sim->state->changes.changed, 100);
    assert_less_equal(sim->state->changes.changed, 2 * all);
    frz_sim_destroy(&sim);
}

// A step of the heat that stands for eight of the mechanics gives the result of eight steps.
static void slow_heat_waits_and_agrees(void **state)
{
    (void)state;
    static const char *const scene =
        "{dimension: 2, spacing: 0.02, duration: 10, gravity: [0, 0], temperature: 300 K, time_step: {max: 0.01 s},"
        " materials: {stuff: {density: 1000, heat: {conductivity: 20, specific_heat: 500, emissivity: 0.9, every: "
        "%d}}},"
        " bodies: [{name: hot, state: liquid, material: stuff, temperature: 400 K, shape: {box: {min: [0, 0], max: "
        "[0.2, "
        "0.2]}}},"
        "  {name: cold, state: liquid, material: stuff, shape: {box: {min: [0.2, 0], max: [0.4, 0.2]}}}]}";
    frz_sim *sims[2];
    int solved[2] = {0, 0};
    for (int n = 0; n < 2; ++n)
    {
        char text[1024];
        snprintf(text, sizeof text, scene, n == 0 ? 1 : 8);
        sims[n] = core_sim(text, 1);
        for (int step = 0; step < 160; ++step)
        {
            core_steps(sims[n], 1);
            solved[n] += sims[n]->state->stats.heat.span > 0.0;
        }
        assert_small(sims[n]->state->heat.drift, 1e-13 * sims[n]->state->stats.heat.content);
    }
    assert_int_equal(solved[0], 160);
    assert_int_equal(solved[1], 21); // the first, and every eighth
    const double lost = sims[0]->state->heat.entered[FRZ_HEAT_SURFACE];
    assert_less(lost, 0.0);
    assert_near(sims[1]->state->heat.entered[FRZ_HEAT_SURFACE], lost, 2e-3 * fabs(lost));
    double worst = 0.0;
    for (int64_t id = 0; id < frz_sim_particle_count(sims[0], FRZ_SEGMENT_FREE); ++id)
    {
        double T[2];
        for (int n = 0; n < 2; ++n)
            T[n] = (double)frz_field_real(&sims[n]->state->particles,
                                          sims[n]->model->temperature_field)[core_slot(sims[n], id)];
        worst = fmax(worst, fabs(T[0] - T[1]));
    }
    assert_less(worst, 0.1); // of 100 K
    frz_sim_destroy(&sims[0]);
    frz_sim_destroy(&sims[1]);
}

static void melting_goes_on_after_a_restart_as_without(void **state)
{
    (void)state;
    frz_sim *sim = melting_sim("rigid", "latent_heat: 20 kJ/kg,", 2),
            *again = melting_sim("rigid", "latent_heat: 20 kJ/kg,", 1);
    while (count_phase(sim, FRZ_PHASE_LIQUID) < 20 && frz_sim_time(sim) < 1.0)
        core_steps(sim, 1);
    core_steps(sim, 3);
    while (!(sim->state->heat.waiting > 0.0) && frz_sim_time(sim) < 1.0)
        core_steps(sim, 1);
    assert_greater(sim->state->heat.waiting, 0.0); // in the midst of it
    assert_int_equal(core_pass_on(sim, again), FRZ_OK);
    assert_same(core_hash(sim), core_hash(again));
    core_steps(sim, 60);
    core_steps(again, 60);
    assert_same(core_hash(sim), core_hash(again));
    assert_same(sim->state->heat.entered[FRZ_HEAT_REGIONS], again->state->heat.entered[FRZ_HEAT_REGIONS]);
    frz_sim_destroy(&sim);
    frz_sim_destroy(&again);
}

// All features of heat at once: implicit conduction, air and radiation, a mushy range with an elastic stage, regions,
// walls of given temperature and given flux, an emitter with a temperature, viscosity by temperature, heat of friction,
// a second material whose solid is lighter and whose liquid expands.
static frz_sim *everything_sim(int threads)
{
    static const char *const text =
        "{dimension: 2, spacing: 0.02, duration: 10, gravity: [0, -5], time_step: {max: 0.004 s}, temperature: 300 K,"
        " materials: {wax: {density: 900, elastic: {method: becker2009, young: 2e4},"
        "   viscosity: {method: weiler2018, viscosity: 1 Pa s},"
        "   by_temperature: {viscosity: {activation: 1000 K, reference: 340 K}},"
        "   heat: {conductivity: 40, specific_heat: 1000, integration: implicit, convection: 500, emissivity: 0.9,"
        "    friction: true},"
        "   melting: {solidus: 315 K, liquidus: 330 K, latent_heat: 20 kJ/kg, stiffening: 5}},"
        "  water: {density: 1000, viscosity: {method: weiler2018, viscosity: 1 Pa s}, heat: {conductivity: 40,"
        "   specific_heat: 1000, solid_conductivity: 80, expansion: 1e-3},"
        "   melting: {point: 310 K, latent_heat: 5 kJ/kg, solid_density: 917}}},"
        " bodies: [{name: c, state: rigid, material: water, temperature: 309 K,"
        "   shape: {box: {min: [0.42, 0], max: [0.58, 0.06]}}}, {name: a, state: rigid, material: wax, shape: {box: "
        "{min: [0, 0], max: [0.2, 0.16]}}},"
        "  {name: b, state: elastic, material: wax, temperature: 320 K,"
        "   shape: {box: {min: [0.22, 0], max: [0.4, 0.16]}}},"
        "  {name: floor, state: static, temperature: 400 K, heat_transfer: 2000,"
        "   shape: {box: {min: [-0.1, -0.1], max: [0.7, 0]}}},"
        "  {name: wall, state: static, heat_flux: 1e4, shape: {box: {min: [-0.1, 0], max: [0, 0.5]}}},"
        "  {name: end, state: static, shape: {box: {min: [0.6, 0], max: [0.7, 0.5]}}}],"
        " emitters: [{name: tap, material: wax, position: [0.5, 0.3], direction: [0, -1], width: 0.08, speed: 1,"
        "   temperature: 360 K}],"
        " regions: [{action: heat, power: 300 MW/m3, shape: {box: {min: [-1, -1], max: [1, 0.06]}}}]}";
    return core_sim(text, threads);
}

static void all_features_go_on_after_a_restart_for_any_threads(void **state)
{
    (void)state;
    frz_sim *sim = everything_sim(1);
    while (count_phase(sim, FRZ_PHASE_LIQUID) < 60 && frz_sim_time(sim) < 0.5)
        core_steps(sim, 1);
    assert_greater(sim->state->changes.changed, 0);
    assert_greater(count_phase(sim, FRZ_PHASE_ELASTIC), 0);
    assert_greater(count_phase(sim, FRZ_PHASE_RIGID), 0);
    static const int threads[] = {1, 2, 5};
    frz_sim *again[3];
    for (int n = 0; n < 3; ++n)
    {
        again[n] = everything_sim(threads[n]);
        assert_int_equal(core_pass_on(sim, again[n]), FRZ_OK);
    }
    const int64_t changed = sim->state->changes.changed;
    int steps = 20;
    core_steps(sim, steps);
    for (; sim->state->changes.changed == changed && steps < 200; ++steps) // it goes on melting
        core_steps(sim, 1);
    assert_greater(sim->state->changes.changed, changed);
    for (int n = 0; n < 3; ++n)
    {
        core_steps(again[n], steps);
        assert_same(core_hash(sim), core_hash(again[n]));
        for (int k = 0; k < FRZ_HEAT_PORTS; ++k)
            assert_same(sim->state->heat.entered[k], again[n]->state->heat.entered[k]);
        frz_sim_destroy(&again[n]);
    }
    frz_sim_destroy(&sim);
}

static void held_heat_changes_nothing_but_the_motion_goes_on(void **state)
{
    (void)state;
    frz_sim *sim = melting_sim("rigid", "latent_heat: 20 kJ/kg,", 1);
    while (count_phase(sim, FRZ_PHASE_LIQUID) == 0 && frz_sim_time(sim) < 0.3)
        core_steps(sim, 1);
    const int64_t changed = sim->state->changes.changed;
    const double content = sim->state->stats.heat.content, time = frz_sim_time(sim);
    assert_greater(changed, 0);
    frz_sim_hold_heat(sim, true);
    core_steps(sim, 20);
    assert_int_equal(sim->state->changes.changed, changed);
    assert_same(sim->state->stats.heat.content, content);
    assert_greater(frz_sim_time(sim), time);
    frz_sim_hold_heat(sim, false);
    core_steps(sim, 60);
    assert_less(sim->state->stats.heat.content, content); // it cools by now
    assert_greater(sim->state->changes.changed, changed);
    assert_small(sim->state->heat.drift, 1e-13 * content);
    frz_sim_destroy(&sim);
}

static void bits_do_not_depend_on_threads(void **state)
{
    (void)state;
    const int least = frz_parallel_least, some = frz_parallel_some;
    frz_parallel_least = frz_parallel_some = 1; // few particles, too, are shared out
    for (int n = 0; n < 3; ++n)
    {
        frz_sim *sims[2];
        for (int t = 0; t < 2; ++t)
        {
            sims[t] = n < 2 ? three_phases_sim(n == 0 ? "explicit" : "implicit", 1 + 2 * t)
                            : melting_sim("rigid", "latent_heat: 20 kJ/kg,", 1 + 2 * t);
            core_steps(sims[t], n < 2 ? 6 : 28);
        }
        assert_same(core_hash(sims[0]), core_hash(sims[1]));
        assert_true(n < 2 || sims[1]->state->changes.changed > 0);
        frz_sim_destroy(&sims[0]);
        frz_sim_destroy(&sims[1]);
    }
    frz_parallel_least = least;
    frz_parallel_some = some;
}

static void library_materials_are_good_and_scenes_override_them(void **state)
{
    (void)state;
    for (int m = 0; frz_material_name(m) != NULL; ++m)
    {
        char text[512];
        assert_greater(strlen(frz_material_source(m)), 10);
        assert_greater(strlen(frz_material_doc(m)), 3);
        snprintf(text, sizeof text,
                 "{dimension: 2, spacing: 0.02, duration: 10, materials: {stuff: {from: %s, density: 1234, heat: "
                 "{conductivity: 7}}},"
                 " bodies: [{state: liquid, material: stuff, shape: {box: {min: [0, 0], max: [0.1, 0.1]}}}]}",
                 frz_material_name(m));
        frz_sim *sim = core_sim(text, 1);
        const frz_material *stuff = &sim->model->materials[0];
        assert_same(stuff->density, 1234.0);
        assert_same(stuff->curve.conductivity, 7.0);
        assert_true(stuff->melting.given);
        assert_greater(stuff->curve.liquid, 100.0);
        assert_less(stuff->curve.high, 2000.0);
        frz_sim_destroy(&sim);
    }
}

// Cold liquid is stiffer: the same stir dies out sooner.
static void viscosity_follows_the_temperature(void **state)
{
    (void)state;
    double left[2];
    for (int n = 0; n < 2; ++n)
    {
        char text[512];
        snprintf(text, sizeof text,
                 "{dimension: 2, spacing: 0.02, duration: 10, gravity: [0, 0], temperature: %d K, time_step: 0.001 s,"
                 " materials: {lava: {density: 1000, viscosity: {method: weiler2018, viscosity: 1, activation: 10000 K,"
                 "  activation_reference: 400 K}}}, bodies: [{state: liquid, material: lava, shape: {box: {min: [0, 0],"
                 "  max: [0.2, 0.2]}}}]}",
                 n == 0 ? 400 : 360);
        frz_sim *sim = core_sim(text, 1);
        frz_v4 *v = frz_field_v4(&sim->state->particles, FRZ_FIELD_ID_velocity);
        const frz_v4 *x = frz_field_v4(&sim->state->particles, FRZ_FIELD_ID_position);
        for (int i = 0; i < sim->state->particles.count[FRZ_ROLE_FREE]; ++i)
            v[i] = frz_v4_set((frz_real)sin(31.4 * (double)x[i][1]), 0, 0, 0);
        core_steps(sim, 40);
        frz_stats stats;
        frz_sim_stats(sim, &stats);
        left[n] = stats.kinetic_energy;
        frz_sim_destroy(&sim);
    }
    assert_greater(left[0], 0.0);
    assert_less(left[1], 0.9 * left[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(heat_flows_between_all_phases_and_none_is_lost),
        cmocka_unit_test(explicit_and_implicit_steps_agree),
        cmocka_unit_test(links_have_the_same_bits_from_both_ends),
        cmocka_unit_test(the_sum_over_links_is_the_laplacian),
        cmocka_unit_test(the_enthalpy_curve_is_its_own_inverse),
        cmocka_unit_test(a_flat_pool_has_the_area_of_its_surface),
        cmocka_unit_test(a_ball_has_the_area_of_its_surface),
        cmocka_unit_test(a_region_gives_its_power),
        cmocka_unit_test(warm_liquid_rises),
        cmocka_unit_test(bits_do_not_depend_on_threads),
        cmocka_unit_test(heat_melts_and_cold_freezes_into_one_body),
        cmocka_unit_test(nothing_flickers_at_a_melting_point),
        cmocka_unit_test(held_heat_changes_nothing_but_the_motion_goes_on),
        cmocka_unit_test(slow_heat_waits_and_agrees),
        cmocka_unit_test(melting_goes_on_after_a_restart_as_without),
        cmocka_unit_test(all_features_go_on_after_a_restart_for_any_threads),
        cmocka_unit_test(library_materials_are_good_and_scenes_override_them),
        cmocka_unit_test(viscosity_follows_the_temperature),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
