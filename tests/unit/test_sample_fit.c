// SPDX-License-Identifier: MIT
// Moving least squares at walls: exact for linear fields, harmless for anything that is no field.
#include "core_trial.h"
#include "sim/neighborhood.h"
#include "sph/sample_fit.h"
#include "compare.h"

enum
{
    most = 64
};

static const double spacing = 0.1;

static double uniform(uint64_t *seed, double low, double high)
{
    return low + (high - low) * core_random(seed);
}

static void a_linear_field_is_carried_on_exactly(void **state)
{
    (void)state;
    uint64_t seed = 7;
    for (int trial = 0; trial < 100; ++trial)
    {
        frz_vec3 offset[most];
        double importance[most], weight[most];
        const int count = 24 + trial % 40; // enough that no cloud is flat by chance
        for (int n = 0; n < count; ++n)
        {
            offset[n] = frz_v3(uniform(&seed, -2.0, 2.0) * spacing, uniform(&seed, -2.0, 2.0) * spacing,
                               uniform(&seed, 0.5, 3.5) * spacing);
            importance[n] = uniform(&seed, 0.1, 1.0);
        }
        frz_fit_weights(offset, importance, count, spacing, weight);
        double value = 0.0;
        for (int n = 0; n < count; ++n)
            value += weight[n] * (3.0 + 5.0 * offset[n].x - 7.0 * offset[n].y + 11.0 * offset[n].z);
        assert_near(value, 3.0, 1e-12);
    }
}

// What the fit makes of points that leave one or more directions open: average there, and weights of ordinary size.
static void check_degenerate(const frz_vec3 *offset, int count)
{
    double importance[most] = {0.0}, weight[most] = {0.0}, sum = 0.0, along = 0.0;
    for (int n = 0; n < count; ++n)
        importance[n] = 1.0 + 0.1 * n;
    frz_fit_weights(offset, importance, count, spacing, weight);
    for (int n = 0; n < count; ++n)
    {
        assert_true(isfinite(weight[n]));
        assert_small(weight[n], 2.0);
        sum += weight[n];
        along += weight[n] * offset[n].z;
    }
    assert_near(sum, 1.0, 1e-12);
    assert_near(along, spacing, 0.11 * spacing); // not carried on across the film, which is one spacing away
}

static void films_rows_and_single_particles_give_averages(void **state)
{
    (void)state;
    frz_vec3 single[1] = {frz_v3(0.3 * spacing, 0.0, spacing)}, same[3], row[5], film[25], uneven[25];
    for (int n = 0; n < 3; ++n)
        same[n] = single[0];
    for (int n = 0; n < 5; ++n)
        row[n] = frz_v3((n - 1.7) * spacing, 0.2 * spacing, spacing);
    uint64_t seed = 3;
    for (int n = 0; n < 25; ++n)
    {
        const int x = n % 5, y = n / 5;
        film[n] = frz_v3((x - 2) * spacing, (y - 2) * spacing, spacing);
        uneven[n] = film[n];
        uneven[n].z += uniform(&seed, -0.1, 0.1) * spacing;
    }
    check_degenerate(single, 1);
    check_degenerate(same, 3);
    check_degenerate(row, 5);
    check_degenerate(film, 25);
    check_degenerate(uneven, 25);
}

static void the_samples_of_a_tank_read_the_field_of_the_liquid(void **state)
{
    (void)state;
    frz_sim *sim = core_sim(
        "{dimension: 3, spacing: 0.05, duration: 1, boundary: {method: band2018}, materials: {water: {density: "
        "1000}}, bodies: [{name: water, state: liquid, material: water, shape: {box: {min: [0, 0, 0], max: "
        "[0.4, 0.4, 0.4]}}}, {name: tank, state: static, shape: {shell: {of: {box: {min: [0, 0, 0], max: [0.4, "
        "0.6, 0.4]}}, thickness: 0.1, open: [+y]}}}]}",
        2);
    frz_diag diag = {.status = FRZ_OK};
    assert_int_equal(frz_state_sample_fit(sim->model, sim->state, &diag), FRZ_OK);
    const frz_particles *particles = &sim->state->particles;
    const frz_v4 *x = frz_field_v4(particles, FRZ_FIELD_ID_position);
    const int liquid = particles->count[FRZ_ROLE_FREE], first = particles->first[FRZ_ROLE_SAMPLE];
    frz_real *field = FRZ_ALLOC("test", liquid, frz_real),
             *read = FRZ_ALLOC("test", particles->count[FRZ_ROLE_SAMPLE], frz_real);
    assert_non_null(field);
    assert_non_null(read);
    for (int i = 0; i < liquid; ++i)
        field[i] = 10 + x[i][0] - 8 * x[i][1] + 3 * x[i][2];
    frz_sample_fit_extrapolate(&sim->state->neighbors.sample_fit, field, read);
    int wet = 0;
    for (int n = 0; n < sim->state->neighbors.sample_fit.count; ++n)
    {
        const uint32_t b = sim->state->neighbors.sample_fit.slot[n];
        const frz_v4 at = x[first + (int)b];
        // near the surface and behind an edge a sample may see one layer only, and takes the average across it
        const int outside = (at[0] < 0) + (at[0] > 0.4) + (at[1] < 0) + (at[2] < 0) + (at[2] > 0.4);
        if (at[1] > 0.3 || outside > 1)
            continue;
        wet += 1;
        assert_small((double)(read[b] - (10 + at[0] - 8 * at[1] + 3 * at[2])), 1e-4);
    }
    assert_greater(wet, 200);
    frz_free(field);
    frz_free(read);
    frz_sim_destroy(&sim);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_linear_field_is_carried_on_exactly),
        cmocka_unit_test(films_rows_and_single_particles_give_averages),
        cmocka_unit_test(the_samples_of_a_tank_read_the_field_of_the_liquid),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
