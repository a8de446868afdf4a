// SPDX-License-Identifier: MIT
// The implicit step of material points: its tangent against differences, momentum, energy, long steps, threads.
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
#include "mpm/implicit.h"
#include "random_trial.h"
#include "sim/energy.h"

enum
{
    some = 150,
    nodes_max = 1 << 14
};

static frz_v4 drawn(double size)
{
    return frz_v4_set((frz_real)(size * draw()), (frz_real)(size * draw()), (frz_real)(size * draw()), 0);
}

static double dot(const frz_v4 *a, const frz_v4 *b, int count)
{
    double sum = 0.0;
    for (int n = 0; n < count; ++n)
        sum += (double)frz_v4_dot3(a[n], b[n]);
    return sum;
}

// Points anywhere, strained at random.
static void make_run(const char *law, frz_mpm_material *material, frz_arena *arena, frz_mpm_implicit *implicit,
                     frz_mpm_run *run)
{
    static frz_v4 position[some];
    static int32_t slot[some];
    static const uint8_t of_slot[some];
    const frz_mpm_space space = {.dimension = 3, .degree = 2, .cell = {0.5, 0.5, 0.5}};
    *material = (frz_mpm_material){.density = 1000.0, .volume = 0.01};
    *implicit = (frz_mpm_implicit){.scratch = arena};
    *run = (frz_mpm_run){.implicit = implicit, .materials = material};
    frz_elastic_def def = frz_elastic_def_default(frz_law_find(law));
    def.youngs_modulus = 1e3;
    def.poisson_ratio = 0.3;
    assert_int_equal(frz_elastic_prepare(&def, &material->elastic, NULL), FRZ_OK);
    for (int n = 0; n < some; ++n)
    {
        position[n] = drawn(1.0);
        slot[n] = n;
    }
    assert_int_equal(frz_mpm_grid_build(&space, position, of_slot, slot, some, arena, &run->grid, NULL), FRZ_OK);
    for (int g = 0; g < run->grid.group_count; ++g)
        for (int l = 0; l < run->grid.group[g].count; ++l)
        {
            run->grid.group[g].mass[l] = 1;
            for (int k = 0; k < 6; ++k)
                run->grid.group[g].e[k][l] = (frz_real)(0.1 * draw());
        }
    assert_int_equal(frz_mpm_weigh(run, NULL), FRZ_OK);
}

static void the_tangent_is_the_change_of_the_force_and_that_of_the_energy(void **state)
{
    (void)state;
    static const char *const laws[] = {"neo_hookean_log", "corotated", "hencky", "st_venant_kirchhoff"};
    static frz_v4 v[nodes_max], u[nodes_max], w[nodes_max], shifted[nodes_max], f[nodes_max], ku[nodes_max],
        kw[nodes_max], plus[nodes_max], minus[nodes_max];
    const double dt = 0.05, h = 0.02;
    for (int k = 0; k < 4; ++k)
    {
        frz_mpm_material material;
        frz_arena arena = {0};
        frz_mpm_implicit implicit;
        frz_mpm_run run;
        double energy, high, low;
        make_run(laws[k], &material, &arena, &implicit, &run);
        const int count = run.grid.nodes_count * run.grid.block_nodes;
        assert_less_equal(count, nodes_max);
        for (int n = 0; n < count; ++n)
        {
            v[n] = drawn(0.5);
            u[n] = drawn(1.0);
            w[n] = drawn(1.0);
        }
        assert_int_equal(frz_mpm_implicit_force(&run, dt, v, NULL, f, &energy, NULL), FRZ_OK);
        assert_int_equal(frz_mpm_implicit_force(&run, dt, v, u, ku, &energy, NULL), FRZ_OK);
        assert_int_equal(frz_mpm_implicit_force(&run, dt, v, w, kw, &energy, NULL), FRZ_OK);
        for (int n = 0; n < count; ++n)
            shifted[n] = v[n] + (frz_real)h * u[n];
        assert_int_equal(frz_mpm_implicit_force(&run, dt, shifted, NULL, plus, &high, NULL), FRZ_OK);
        for (int n = 0; n < count; ++n)
            shifted[n] = v[n] - (frz_real)h * u[n];
        assert_int_equal(frz_mpm_implicit_force(&run, dt, shifted, NULL, minus, &low, NULL), FRZ_OK);
        double error = 0.0;
        for (int n = 0; n < count; ++n)
        {
            const frz_v4 rest = (plus[n] - minus[n]) / (frz_real)(2.0 * h) - ku[n];
            error += (double)frz_v4_dot3(rest, rest);
        }
        assert_less(sqrt(error / dot(ku, ku, count)), 2e-3);
        assert_near(dot(w, ku, count), dot(u, kw, count), 1e-5 * sqrt(dot(ku, ku, count) * dot(w, w, count)));
        assert_near((high - low) / (2.0 * h), dot(f, u, count), 2e-3 * sqrt(dot(f, f, count) * dot(u, u, count)));
        frz_arena_destroy(&arena);
    }
}

static const char *const block_text =
    "{dimension: 2, spacing: 0.02, duration: 10, gravity: [0, %g], materials: {m: {density: 2000, elastic: {method: "
    "mpm, "
    "young: %g, poisson: 0.3, step: %s}}}, bodies: [{name: block, state: elastic, material: m, friction: %g, velocity: "
    "[%g, 0], shape: {box: {min: [0, %g], max: [0.2, 0.4]}}}%s]}";

static frz_sim *block_sim(double gravity, double young, const char *step, double friction, double speed, double low,
                          bool floor, int threads)
{
    char text[1024], below[200] = "";
    if (floor)
        snprintf(below, sizeof below,
                 ", {name: floor, state: static, friction: %g, shape: {box: {min: [-1, -0.2], max: [2, 0]}}}",
                 friction);
    snprintf(text, sizeof text, block_text, gravity, young, step, friction, speed, low, below);
    return core_sim(text, threads);
}

static frz_stats stats_of(const frz_sim *sim)
{
    frz_stats stats;
    frz_sim_stats(sim, &stats);
    return stats;
}

static double elastic_energy(frz_sim *sim)
{
    double energy = 0.0;
    assert_int_equal(frz_energy_elastic(sim->model, sim->state, &energy, NULL), FRZ_OK);
    return energy;
}

static void a_free_block_that_rings_keeps_its_momentum(void **state)
{
    (void)state;
    frz_sim *sim = block_sim(0.0, 1e6, "implicit", 0.0, 0.3, 0.0, false, 1);
    const frz_particles *store = &sim->state->particles;
    double before = 0.0, after = 0.0;
    for (int i = 0; i < store->count[FRZ_ROLE_FREE]; ++i)
    {
        const frz_v4 x = frz_field_v4(store, FRZ_FIELD_ID_position)[i];
        frz_field_v4(store, FRZ_FIELD_ID_velocity)[i][1] = (frz_real)(x[1] - (frz_real)0.2); // stretched
        before += (double)frz_field_v4(store, FRZ_FIELD_ID_velocity)[i][0];
    }
    core_steps(sim, 30);
    for (int i = 0; i < store->count[FRZ_ROLE_FREE]; ++i)
        after += (double)frz_field_v4(store, FRZ_FIELD_ID_velocity)[i][0];
    assert_near(after, before, 1e-5 * before);
    assert_greater(stats_of(sim).elastic_iterations, 0);
    frz_sim_destroy(&sim);
}

// It falls on a floor, slides and comes to rest, in steps of many explicit ones; energy never grows.
static void a_stiff_block_that_falls_and_slides_makes_no_energy(void **state)
{
    (void)state;
    frz_sim *sim = block_sim(-9.81, 1e8, "implicit", 0.4, 0.5, 0.04, true, 1);
    double least = HUGE_VAL, first = 0.0, longest = 0.0;
    for (int n = 0; n < 90; ++n)
    {
        core_steps(sim, 1);
        const frz_stats s = stats_of(sim);
        const double energy = s.kinetic_energy + s.potential_energy + elastic_energy(sim);
        if (n == 0)
            first = energy;
        assert_less_equal(energy, least + 2e-3 * first);
        least = fmin(least, energy);
        longest = fmax(longest, s.dt);
    }
    const double wave = sqrt(1e8 * 0.7 / (1.3 * 0.4) / 2000.0), explicit_step = 0.3 * 0.04 / wave;
    print_message("steps of %.0f explicit substeps\n", longest / explicit_step);
    assert_greater(longest, 50.0 * explicit_step);
    assert_less(stats_of(sim).kinetic_energy, 1e-3 * first);
    frz_sim_destroy(&sim);
}

// A column under its weight: W (rho g)^2 H^3 (1 - nu^2) / (6 E), on a floor without friction.
static void a_stiff_column_stores_the_energy_of_its_weight(void **state)
{
    (void)state;
    const double young = 1e8, load = 2000.0 * 9.81;
    frz_sim *sim = block_sim(-9.81, young, "implicit", 0.0, 0.0, 0.0, true, 1);
    core_steps(sim, 80);
    const double expected = 0.2 * load * load * 0.4 * 0.4 * 0.4 * (1.0 - 0.09) / (6.0 * young);
    assert_near(elastic_energy(sim), expected, 0.1 * expected);
    frz_sim_destroy(&sim);
}

static void an_implicit_step_has_the_same_bits_for_any_number_of_threads(void **state)
{
    (void)state;
    static const int threads[] = {1, 2, 5};
    static frz_v4 first[4096];
    for (int n = 0; n < 3; ++n)
    {
        frz_sim *sim = block_sim(-9.81, 1e7, "implicit", 0.4, 0.5, 0.0, true, threads[n]);
        core_steps(sim, 10);
        const frz_particles *store = &sim->state->particles;
        const frz_v4 *x = frz_field_v4(store, FRZ_FIELD_ID_velocity);
        const size_t size = (size_t)store->count[FRZ_ROLE_FREE] * sizeof *x;
        assert_less_equal(size, sizeof first);
        if (n == 0)
            memcpy(first, x, size);
        assert_memory_equal(first, x, size);
        frz_sim_destroy(&sim);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_tangent_is_the_change_of_the_force_and_that_of_the_energy),
        cmocka_unit_test(a_free_block_that_rings_keeps_its_momentum),
        cmocka_unit_test(a_stiff_block_that_falls_and_slides_makes_no_energy),
        cmocka_unit_test(a_stiff_column_stores_the_energy_of_its_weight),
        cmocka_unit_test(an_implicit_step_has_the_same_bits_for_any_number_of_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
