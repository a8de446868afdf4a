// SPDX-License-Identifier: MIT
// The corrected divergence of viscous liquids: affine motion is seen exactly in any disorder, along walls too, forces
// are its transpose and keep both momenta, and liquids without need of it have none.
#include "core_trial.h"
#include "physics/pressure/pressure_system.h"
#include "sim/bodies.h"
#include "sim/neighborhood.h"
#include "compare.h"

static const char viscous[] = "{method: weiler2018, viscosity: 10}";

// A disordered block of liquid in the open, on a floor or not.
static frz_sim *make_with(int dimension, const char *viscosity, bool floor, const char *more)
{
    char text[1500];
    const char *low = dimension == 2 ? "" : ", 0", *high = dimension == 2 ? "" : ", 0.5";
    snprintf(text, sizeof text,
             "dimension: %d\nspacing: 0.05\nduration: 1\ngravity: [0, 0, 0]\ntime_step: 1 ms\n"
             "materials: {oil: {density: 1000, viscosity: %s}}\n"
             "bodies:\n"
             "  - {state: liquid, material: oil, disorder: 0.2, shape: {box: {min: [0, 0%s], max: [0.6, 0.6%s]}}}\n"
             "%s%s",
             dimension, viscosity, low, high,
             !floor ? ""
             : dimension == 2
                 ? "  - {name: floor, state: static, shape: {half_space: {point: [0, 0], normal: [0, 1]}}}\n"
                 : "  - {name: floor, state: static, "
                   "shape: {half_space: {point: [0, 0, 0], normal: [0, 1, 0]}}}\n",
             more);
    return core_sim(text, 1);
}

static frz_sim *make(int dimension, const char *viscosity, bool floor)
{
    return make_with(dimension, viscosity, floor, "");
}

static void begin_step(frz_sim *sim, frz_pressure_system *p)
{
    frz_diag diag = {.status = FRZ_OK};
    frz_bodies_begin(sim->model, sim->state, 0.001);
    assert_int_equal(frz_neighborhood_update(sim->model, sim->state, &diag), FRZ_OK);
    assert_int_equal(frz_pressure_system_make_iterative(sim->model, sim->state, FRZ_PRESSURE_CONJUGATE, p, &diag),
                     FRZ_OK);
    assert_int_equal(frz_state_affine(sim->model, sim->state, &p->affine, &diag), FRZ_OK);
    p->drift = NULL;
}

// Stretch along x, shear and a turn, without expansion.
static frz_v4 affine_motion(frz_v4 x, int dimension)
{
    const frz_real z = dimension == 3 ? x[2] : 0;
    return frz_v4_set(x[0] + (frz_real)0.7 * x[1], -2 * x[0] - x[1] + (frz_real)0.4 * z,
                      dimension == 3 ? (frz_real)0.3 * x[0] : 0, 0);
}

static bool is_corrected(const frz_affine *e)
{
    return frz_v4_dot3(e->column[0], e->column[0]) > 0;
}

static void affine_motion_without_expansion_has_no_divergence(void **unused)
{
    (void)unused;
    for (int dimension = 2; dimension <= 3; ++dimension)
    {
        frz_sim *sim = make(dimension, viscous, false);
        frz_pressure_system p;
        begin_step(sim, &p);
        assert_non_null(p.affine);
        const frz_v4 *position = frz_field_v4(&sim->state->particles, FRZ_FIELD_ID_position);
        for (int i = 0; i < p.pairs->count; ++i)
            p.displacement[i] = affine_motion(position[i], dimension);
        frz_pressure_system plain = p;
        plain.affine = NULL;
        double exact = 0.0, usual = 0.0;
        int corrected = 0;
        for (int i = 0; i < p.pairs->count; ++i)
            if (is_corrected(&p.affine[i]))
            {
                corrected += 1;
                exact = fmax(exact, fabs((double)frz_pressure_divergence(&p, p.displacement, i / FRZ_BLOCK, i)));
                usual = fmax(usual, fabs((double)frz_pressure_divergence(&plain, p.displacement, i / FRZ_BLOCK, i)));
            }
        assert_greater(2 * corrected, p.pairs->count);
        assert_less(exact, 1e-3 * usual);
        frz_sim_destroy(&sim);
    }
}

static void expansion_is_seen_as_by_the_plain_sum(void **unused)
{
    (void)unused;
    frz_sim *sim = make(3, viscous, false);
    frz_pressure_system p;
    begin_step(sim, &p);
    const frz_v4 *position = frz_field_v4(&sim->state->particles, FRZ_FIELD_ID_position);
    for (int i = 0; i < p.pairs->count; ++i)
        p.displacement[i] = frz_v4_xyz(position[i]);
    frz_pressure_system plain = p;
    plain.affine = NULL;
    for (int i = 0; i < p.pairs->count; ++i)
    {
        const double usual = (double)frz_pressure_divergence(&plain, p.displacement, i / FRZ_BLOCK, i);
        assert_near(frz_pressure_divergence(&p, p.displacement, i / FRZ_BLOCK, i), usual, 1e-4 * fabs(usual) + 1e-7);
    }
    frz_sim_destroy(&sim);
}

// -D(u(x)) . y with u the displacements by multipliers x
static double product(frz_pressure_system *p, const frz_real *x, const frz_real *y)
{
    const int count = p->pairs->count;
    memcpy(p->kappa, x, (size_t)count * sizeof *x);
    frz_pressure_displace(p);
    double sum = 0.0;
    for (int i = 0; i < count; ++i)
        sum -= (double)(y[i] * frz_pressure_divergence(p, p->displacement, i / FRZ_BLOCK, i));
    return sum;
}

static void forces_are_the_transpose_and_keep_both_momenta(void **unused)
{
    (void)unused;
    for (int dimension = 2; dimension <= 3; ++dimension)
    {
        frz_sim *sim = make(dimension, viscous, false);
        frz_pressure_system p;
        begin_step(sim, &p);
        const int count = p.pairs->count;
        frz_real *x = FRZ_ALLOC("test", count, frz_real), *y = FRZ_ALLOC("test", count, frz_real);
        uint64_t seed = 5;
        for (int i = 0; i < count; ++i)
        {
            x[i] = (frz_real)core_random(&seed);
            y[i] = (frz_real)core_random(&seed);
        }
        const double yx = product(&p, y, x), xy = product(&p, x, y);
        assert_near(xy, yx, 2e-5 * fabs(xy));
        const frz_v4 *position = frz_field_v4(&sim->state->particles, FRZ_FIELD_ID_position);
        frz_vec3 push = frz_v3(0.0, 0.0, 0.0), torque = push;
        double size = 0.0;
        for (int i = 0; i < count; ++i)
        {
            const frz_vec3 u = frz_v3_of(p.displacement[i]);
            push = frz_v3_add(push, u);
            torque = frz_v3_add(torque, frz_v3_cross(frz_v3_of(position[i]), u));
            size += frz_v3_length(u);
        }
        assert_small(frz_v3_length(push), 1e-6 * size);
        assert_small(frz_v3_length(torque), 1e-4 * size); // half precision: gradients are not quite along their pairs
        frz_free(x);
        frz_free(y);
        frz_sim_destroy(&sim);
    }
}

// Shear and stretch without expansion along a floor at y = 0, about a place on it.
static frz_v4 motion_along_floor(frz_v4 x, frz_v4 about, int dimension)
{
    const frz_real along = x[0] - about[0], across = dimension == 3 ? x[2] - about[2] : 0;
    const frz_real stretch = (frz_real)(dimension == 3 ? 1.0 : 1.5);
    return frz_v4_set(stretch * along + (frz_real)0.7 * x[1] + (frz_real)0.2 * across, (frz_real)-1.5 * x[1],
                      dimension == 3 ? (frz_real)0.5 * across + (frz_real)0.4 * x[1] : 0, 0);
}

static void motion_along_a_wall_has_no_divergence(void **unused)
{
    (void)unused;
    for (int dimension = 2; dimension <= 3; ++dimension)
    {
        frz_sim *sim = make(dimension, viscous, true);
        frz_pressure_system p;
        begin_step(sim, &p);
        frz_pressure_system plain = p;
        plain.affine = NULL;
        const frz_v4 *position = frz_field_v4(&sim->state->particles, FRZ_FIELD_ID_position);
        double exact = 0.0, usual = 0.0;
        int beside = 0, corrected = 0;
        for (int i = 0; i < p.pairs->count; ++i)
        {
            beside += p.pairs->mirror[i] > 0;
            if (!(p.pairs->mirror[i] > 0) || !is_corrected(&p.affine[i]))
                continue;
            corrected += 1;
            // about the place below it: a floor of samples is a little rough
            for (int j = 0; j < p.pairs->count; ++j)
                p.displacement[j] = motion_along_floor(position[j], position[i], dimension);
            frz_pressure_note_mirrors(&p, NULL, 0, p.displacement);
            const double d = (double)frz_pressure_divergence(&p, p.displacement, i / FRZ_BLOCK, i);
            const double u = (double)frz_pressure_divergence(&plain, p.displacement, i / FRZ_BLOCK, i);
            exact += d * d;
            usual += u * u;
        }
        assert_greater(10 * corrected, 9 * beside);
        assert_less(sqrt(exact), 0.05 * sqrt(usual));
        frz_sim_destroy(&sim);
    }
}

static void thin_liquids_have_it_on_request_only(void **unused)
{
    (void)unused;
    const char *const thin = "{method: xsph, coefficient: 0.1}";
    frz_pressure_system p;
    frz_sim *sim = make(2, thin, false);
    begin_step(sim, &p);
    assert_null(p.affine);
    frz_sim_destroy(&sim);
    sim = make_with(2, thin, false, "pressure: {method: dfsph, shear_free: always}\n");
    begin_step(sim, &p);
    assert_non_null(p.affine);
    frz_sim_destroy(&sim);
    sim = make_with(2, viscous, false, "pressure: {method: dfsph, shear_free: never}\n");
    begin_step(sim, &p);
    assert_null(p.affine);
    frz_sim_destroy(&sim);
}

// A pool of oil, 20 layers of 10 mm, after 0.4 s.
static frz_sim *make_pool(const char *heat)
{
    char text[1500];
    snprintf(text, sizeof text,
             "dimension: 2\nspacing: 10 mm\nduration: 1\n%s"
             "materials: {oil: {density: 1000, viscosity: {method: weiler2018, viscosity: 0.1}%s}}\n"
             "bodies:\n"
             "  - {state: liquid, material: oil, shape: {box: {min: [0, 0], max: [0.4, 0.2]}}}\n"
             "  - {state: static, shape: {shell: {of: {box: {min: [0, 0], max: [0.4, 0.4]}}, thickness: 30 mm}}}\n",
             *heat != '\0' ? "temperature: 300 K\n" : "", heat);
    frz_sim *sim = core_sim(text, 1);
    core_steps(sim, 130);
    return sim;
}

// Largest number of a correction in the lower half of the pool, where the pressure is not small.
static frz_real largest_correction(const frz_sim *sim)
{
    frz_real most = 0;
    const frz_v4 *position = frz_field_v4(&sim->state->particles, FRZ_FIELD_ID_position);
    for (int i = 0; i < sim->state->neighbors.pairs.count; ++i)
        for (int a = 0; a < 2 && position[i][1] < (frz_real)0.1; ++a)
            for (int b = 0; b < 2; ++b)
                most = fmaxf((float)most, fabsf((float)sim->state->neighbors.affine.of[i].column[a][b]));
    return most;
}

// With the whole correction its particles moved with 0.1 J for ever.
static void a_pool_of_oil_comes_to_rest(void **unused)
{
    (void)unused;
    frz_sim *sim = make_pool("");
    frz_energies energy;
    frz_diag diag = {.status = FRZ_OK};
    assert_int_equal(frz_sim_energies(sim, &energy, &diag), FRZ_OK);
    assert_non_null(sim->state->neighbors.affine.of);
    assert_greater(largest_correction(sim), 0);
    assert_less(largest_correction(sim), 0.1);
    assert_less(energy.kinetic, 0.02);
    frz_sim_destroy(&sim);
}

static void liquids_that_buoyancy_drives_have_all_of_it(void **unused)
{
    (void)unused;
    frz_sim *sim = make_pool(", heat: {conductivity: 1, specific_heat: 1000, expansion: 1e-3}");
    assert_greater(largest_correction(sim), 0.2);
    frz_sim_destroy(&sim);
}

static void particles_beside_walls_of_other_laws_have_none(void **unused)
{
    (void)unused;
    frz_pressure_system p;
    frz_sim *sim = make_with(2, viscous, true, "boundary: akinci2012\n");
    begin_step(sim, &p);
    int beside = 0;
    for (int i = 0; i < p.pairs->count; ++i)
        if (p.pairs->sample_count[i] > 0)
        {
            beside += 1;
            assert_false(is_corrected(&p.affine[i]));
        }
    assert_greater(beside, 0);
    frz_sim_destroy(&sim);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(affine_motion_without_expansion_has_no_divergence),
        cmocka_unit_test(expansion_is_seen_as_by_the_plain_sum),
        cmocka_unit_test(forces_are_the_transpose_and_keep_both_momenta),
        cmocka_unit_test(motion_along_a_wall_has_no_divergence),
        cmocka_unit_test(thin_liquids_have_it_on_request_only),
        cmocka_unit_test(a_pool_of_oil_comes_to_rest),
        cmocka_unit_test(liquids_that_buoyancy_drives_have_all_of_it),
        cmocka_unit_test(particles_beside_walls_of_other_laws_have_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
