// SPDX-License-Identifier: MIT
// What walls add to the pair sums, without asking for the form of the wall function: it fills up the density of a
// lattice, its gradient is its derivative, moving walls carry their flow, and nothing is felt beyond the support.
// labels: tsan
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "compare.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sph/pair_push.h"
#include "core_trial.h"
#include "sim/neighborhood.h"

static const double spacing = 0.05;

// Two liquids in a tank; kernel is a name of the kernel table.
static const char *boundary = "akinci2012";

static frz_sim *tank(int dimension, const char *kernel, int threads)
{
    char text[2048];
    const char *const z = dimension == 3 ? ", 0" : "", *const top = dimension == 3 ? ", 0.3" : "";
    snprintf(
        text, sizeof text,
        "{dimension: %d, spacing: %g, duration: 1, boundary: %s, kernel: {name: %s}, materials: {light: {density: "
        "800}, heavy: "
        "{density: 1300}}, bodies: [{state: liquid, material: heavy, shape: {box: {min: [0, 0%s], max: [0.6, 0.3%s]}}},"
        "{state: liquid, material: light, shape: {box: {min: [0, 0.3%s], max: [0.6, 0.6%s]}}},"
        "{state: static, shape: {shell: {of: {box: {min: [0, 0%s], max: [0.6, 0.7%s]}}, thickness: 0.2, open: "
        "[+y]}}}]}",
        dimension, spacing, boundary, kernel, z, top, z, top, z, top);
    return core_sim(text, threads);
}

// Disorder, always the same, by the number of the particle.
static void shake(frz_sim *sim)
{
    frz_v4 *position = frz_field_v4(&sim->state->particles, FRZ_FIELD_ID_position);
    for (int64_t id = 0; id < frz_sim_particle_count(sim, FRZ_SEGMENT_FREE); ++id)
    {
        uint64_t seed = (uint64_t)id + 1;
        frz_v4 *x = &position[core_slot(sim, id)];
        for (int a = 0; a < sim->model->dimension; ++a)
        {
            (void)core_random(&seed);
            (*x)[a] += (frz_real)(0.3 * spacing * (core_random(&seed) - 0.5));
        }
    }
}

static void update(frz_sim *sim)
{
    frz_diag diag = {.status = FRZ_OK};
    assert_int_equal(frz_neighborhood_update(sim->model, sim->state, &diag), FRZ_OK);
}

// Sum over the stored pairs of one particle: gradients, and their squares over the neighbours' densities.
static double stored_sum(const frz_sim *sim, int i, double sum[3])
{
    const frz_pairs *pairs = &sim->state->neighbors.pairs;
    const frz_pair_block *block = &pairs->blocks[i / FRZ_BLOCK];
    const frz_real *inverse_density = frz_particles_inverse_density(&sim->state->particles);
    double square = 0.0;
    sum[0] = sum[1] = sum[2] = 0.0;
    for (uint32_t k = pairs->begin[i]; k < pairs->end[i]; ++k)
    {
        const frz_v4 g = frz_pair_load(&block->pair[k]);
        for (int a = 0; a < 3; ++a)
            sum[a] += (double)g[a];
        square += (double)frz_v4_dot3(g, g) * (double)inverse_density[block->index[k]];
    }
    return square;
}

// The walls' part of the gradient sum.
static void wall_gradient(const frz_sim *sim, int i, double gradient[3])
{
    double liquid[3];
    (void)stored_sum(sim, i, liquid);
    for (int a = 0; a < 3; ++a)
        gradient[a] = (double)sim->state->neighbors.pairs.gradient_sum[i][a] - liquid[a];
}

static double nearest_wall(const frz_sim *sim, int i)
{
    const frz_particles *particles = &sim->state->particles;
    const frz_v4 *position = frz_field_v4(particles, FRZ_FIELD_ID_position);
    const int first = particles->first[FRZ_ROLE_SAMPLE];
    double nearest = HUGE_VAL;
    for (int k = first; k < first + particles->count[FRZ_ROLE_SAMPLE]; ++k)
    {
        const frz_v4 d = position[i] - position[k];
        nearest = fmin(nearest, sqrt((double)frz_v4_dot3(d, d)));
    }
    return nearest;
}

static void a_lattice_beside_a_flat_wall_has_the_rest_density(void **state)
{
    (void)state;
    for (int dimension = 2; dimension <= 3; ++dimension)
    {
        frz_sim *sim = tank(dimension, "cubic_spline", 1);
        int seen = 0;
        for (int i = 0; i < sim->state->particles.count[FRZ_ROLE_FREE]; ++i)
        {
            const frz_v4 x = frz_field_v4(&sim->state->particles, FRZ_FIELD_ID_position)[i];
            // below the surface, away from the edges between walls
            const bool middle = x[0] > 0.15 && x[0] < 0.45 && (dimension == 2 || (x[2] > 0.12 && x[2] < 0.18));
            if (!middle || x[1] > 0.4)
                continue;
            seen += 1;
            const double compression = (double)frz_field_real(&sim->state->particles, FRZ_FIELD_ID_compression)[i];
            if (!(fabs(compression - 1.0) < 0.01))
                fail_msg("a particle at (%g, %g, %g) has %g of the rest density", (double)x[0], (double)x[1],
                         (double)x[2], compression);
        }
        assert_greater(seen, 10);
        frz_sim_destroy(&sim);
    }
}

static void walls_are_felt_within_the_support_and_not_beyond(void **state)
{
    (void)state;
    for (int dimension = 2; dimension <= 3; ++dimension)
    {
        frz_sim *sim = tank(dimension, "cubic_spline", 1);
        shake(sim);
        update(sim);
        int near = 0, away = 0;
        for (int i = 0; i < sim->state->particles.count[FRZ_ROLE_FREE]; ++i)
        {
            double g[3];
            const double distance = nearest_wall(sim, i);
            wall_gradient(sim, i, g);
            const double size = fabs(g[0]) + fabs(g[1]) + fabs(g[2]);
            if (distance > sim->model->support)
            {
                assert_less(size, 100.0 * FRZ_REAL_EPSILON);
                away += 1;
            }
            else if (distance < 1.2 * spacing)
            {
                assert_greater(size, 0.01);
                near += 1;
            }
        }
        assert_greater(near, 10);
        assert_greater(away, 10);
        frz_sim_destroy(&sim);
    }
}

// Compression by number of particle, after shifting the whole liquid: only the walls' part can change.
static void shifted_compression(frz_sim *sim, int axis, double shift, double *compression)
{
    frz_v4 *position = frz_field_v4(&sim->state->particles, FRZ_FIELD_ID_position);
    const int count = sim->state->particles.count[FRZ_ROLE_FREE];
    for (int i = 0; i < count; ++i)
        position[i][axis] += (frz_real)shift;
    update(sim);
    const int64_t *id = frz_field_i64(&sim->state->particles, FRZ_FIELD_ID_id);
    for (int i = 0; i < count; ++i)
        compression[id[i]] = (double)frz_field_real(&sim->state->particles, FRZ_FIELD_ID_compression)[i];
}

// What the images of the neighbours add as all move along an axis: m_i sum_j w_ij grad m_j.
static double image_gradient(const frz_sim *sim, int i, int axis)
{
    const frz_pairs *pairs = &sim->state->neighbors.pairs;
    const frz_pair_block *block = &pairs->blocks[i / FRZ_BLOCK];
    double sum = 0.0;
    for (uint32_t k = pairs->begin[i]; k < pairs->end[i]; ++k)
    {
        const int j = (int)block->index[k];
        if (j != i)
            sum += (double)(frz_pair_load(&block->pair[k])[3] *
                            frz_pair_mirror_change(pairs, pairs->sample_gradient[j][axis], j));
    }
    return (double)pairs->mirror[i] * sum;
}

static void check_gradient(frz_sim *sim, int axis, double *gradient, double *forward, double *backward)
{
    const int count = sim->state->particles.count[FRZ_ROLE_FREE];
    const int64_t *id = frz_field_i64(&sim->state->particles, FRZ_FIELD_ID_id);
    for (int i = 0; i < count; ++i)
    {
        double g[3];
        wall_gradient(sim, i, g);
        gradient[id[i]] = g[axis] + image_gradient(sim, i, axis);
    }
    const double step = 0.01 * spacing;
    shifted_compression(sim, axis, step, forward);
    shifted_compression(sim, axis, -2.0 * step, backward);
    for (int i = 0; i < count; ++i)
    {
        const double slope = (forward[i] - backward[i]) * spacing / (2.0 * step);
        // the difference is good to its step squared and to the rounding of compressions over the step
        if (!(fabs(slope - gradient[i]) < 2e-3 * (1.0 + fabs(gradient[i])) + 4.0 * FRZ_REAL_EPSILON / 0.01))
            fail_msg("particle %d: the walls' gradient along %c is %g, the compression changes by %g", i, "xyz"[axis],
                     gradient[i], slope);
    }
}

static void check_gradients(void)
{
    for (int k = 0; k < FRZ_KERNEL_COUNT; ++k)
        for (int dimension = 2; dimension <= 3 && frz_kernels[k].for_density; ++dimension)
        {
            if (dimension == 3 && k > 0)
                continue; // the form does not depend on the kernel; one is enough in space
            frz_sim *sim = tank(dimension, frz_kernels[k].key, 1);
            const int count = sim->state->particles.count[FRZ_ROLE_FREE];
            double *values = FRZ_ALLOC("test", 3 * count, double);
            assert_non_null(values);
            shake(sim);
            for (int axis = 0; axis < dimension; ++axis)
            {
                update(sim);
                check_gradient(sim, axis, values, values + count, values + 2 * count);
            }
            frz_free(values);
            frz_sim_destroy(&sim);
        }
}

static void the_gradient_is_the_derivative_of_the_compression(void **state)
{
    (void)state;
    static const char *const methods[] = {"mirrored", "akinci2012"};
    for (int m = 0; m < 2; ++m)
    {
        boundary = methods[m];
        check_gradients();
    }
}

static void the_diagonal_is_made_of_the_sums(void **state)
{
    (void)state;
    frz_sim *sim = tank(2, "cubic_spline", 2);
    assert_false(sim->state->one_density);
    shake(sim);
    update(sim);
    const frz_real *inverse_density = frz_particles_inverse_density(&sim->state->particles);
    for (int i = 0; i < sim->state->particles.count[FRZ_ROLE_FREE]; ++i)
    {
        double liquid[3];
        const frz_v4 sum = sim->state->neighbors.pairs.gradient_sum[i];
        const double expected = stored_sum(sim, i, liquid) + (double)frz_v4_dot3(sum, sum) * (double)inverse_density[i];
        assert_near((double)sim->state->neighbors.pairs.diagonal[i] / expected, 1.0, 200.0 * FRZ_REAL_EPSILON);
    }
    frz_sim_destroy(&sim);
}

static void walls_that_move_together_carry_the_flow_of_their_gradient(void **state)
{
    (void)state;
    const double v[3] = {0.7, -0.4, 0.2};
    for (int dimension = 2; dimension <= 3; ++dimension)
    {
        frz_sim *sim = tank(dimension, "cubic_spline", 2);
        frz_particles *particles = &sim->state->particles;
        shake(sim);
        update(sim);
        for (int i = 0; i < particles->count[FRZ_ROLE_FREE]; ++i)
            assert_same(sim->state->neighbors.pairs.sample_flow[i], 0);
        for (int k = 0; k < particles->count[FRZ_ROLE_SAMPLE]; ++k)
            frz_field_v4(particles, FRZ_FIELD_ID_velocity)[particles->first[FRZ_ROLE_SAMPLE] + k] =
                frz_v4_set((frz_real)v[0], (frz_real)v[1], dimension == 3 ? (frz_real)v[2] : 0, 0);
        frz_particles_mirror(particles, FRZ_ROLE_SAMPLE);
        sim->state->any_motion = true;
        update(sim);
        for (int i = 0; i < particles->count[FRZ_ROLE_FREE]; ++i)
        {
            double g[3];
            wall_gradient(sim, i, g);
            const double flow = v[0] * g[0] + v[1] * g[1] + (dimension == 3 ? v[2] * g[2] : 0.0);
            assert_near((double)sim->state->neighbors.pairs.sample_flow[i], flow, 200.0 * FRZ_REAL_EPSILON);
        }
        frz_sim_destroy(&sim);
    }
}

static uint64_t hash_of(const frz_sim *sim)
{
    const frz_pairs *pairs = &sim->state->neighbors.pairs;
    const frz_real *compression = frz_field_real(&sim->state->particles, FRZ_FIELD_ID_compression);
    uint64_t hash = 14695981039346656037u; // FNV-1a
    for (int i = 0; i < pairs->count; ++i)
    {
        frz_real values[7] = {compression[i], pairs->diagonal[i], pairs->virial[i], pairs->sample_flow[i]};
        for (int a = 0; a < 3; ++a)
            values[4 + a] = pairs->gradient_sum[i][a];
        for (size_t k = 0; k < sizeof values; ++k)
            hash = (hash ^ ((const unsigned char *)values)[k]) * 1099511628211u;
    }
    return hash;
}

static void one_two_and_five_threads_give_the_same_bits(void **state)
{
    (void)state;
    static const int threads[] = {1, 2, 5};
    uint64_t hash[3];
    for (int n = 0; n < 3; ++n)
    {
        frz_sim *sim = tank(2, "wendland_c2", threads[n]);
        shake(sim);
        update(sim);
        hash[n] = hash_of(sim);
        frz_sim_destroy(&sim);
    }
    assert_same(hash[0], hash[1]);
    assert_same(hash[0], hash[2]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_lattice_beside_a_flat_wall_has_the_rest_density),
        cmocka_unit_test(walls_are_felt_within_the_support_and_not_beyond),
        cmocka_unit_test(the_gradient_is_the_derivative_of_the_compression),
        cmocka_unit_test(the_diagonal_is_made_of_the_sums),
        cmocka_unit_test(walls_that_move_together_carry_the_flow_of_their_gradient),
        cmocka_unit_test(one_two_and_five_threads_give_the_same_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
