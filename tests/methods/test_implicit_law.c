// SPDX-License-Identifier: MIT
// Implicit steps with any law (zhou2013): the tangent is the derivative of the stress, and long steps lead to the same rest as short
// explicit ones.
#include "core_trial.h"

#include "physics/elastic/elastic_lawful.h"

enum
{
    particles = 8
};

static void fill(frz_elastic_chunk *chunk, const double *h, const double *change, double step)
{
    memset(chunk, 0, sizeof *chunk);
    chunk->count = particles;
    for (int k = 0; k < 9; ++k)
        for (int n = 0; n < particles; ++n)
            chunk->h[k][n] = (frz_real)(h[9 * n + k] + step * change[9 * n + k]);
}

static void the_tangent_is_the_derivative_of_the_stress(void **state)
{
    (void)state;
    const char *const laws[] = {"corotated", "st_venant_kirchhoff", "neo_hookean_log", "mooney_rivlin"};
    for (int m = 0; m < 4; ++m)
    {
        frz_elastic_def def = frz_elastic_def_default(frz_law_find(laws[m]));
        def.youngs_modulus = 1.0;
        def.poisson_ratio = 0.3;
        frz_v4 rotation[particles];
        frz_law_point points[particles];
        frz_elastic_law_material material = {.rotation = rotation, .points = points};
        frz_diag diag;
        assert_int_equal(frz_elastic_prepare(&def, &material.elastic, &diag), FRZ_OK);
        uint64_t seed = 7;
        double h[9 * particles], change[9 * particles];
        for (int k = 0; k < 9 * particles; ++k)
        {
            h[k] = 0.4 * (core_random(&seed) - 0.5);
            change[k] = core_random(&seed) - 0.5;
        }
        static frz_elastic_chunk here, low, high;
        const double step = 1e-2;
        for (int n = 0; n < particles; ++n)
            rotation[n] = frz_v4_set(0, 0, 0, 1);
        fill(&low, h, change, -step);
        frz_elastic_law_stress(&material, &low);
        fill(&high, h, change, step);
        frz_elastic_law_stress(&material, &high);
        fill(&here, h, change, 0.0);
        frz_elastic_law_stress(&material, &here);
        for (int k = 0; k < 9 * particles; ++k)
            here.h[k % 9][k / 9] = (frz_real)change[k];
        frz_elastic_law_tangent(&material, &here);
        for (int k = 0; k < 9; ++k)
            for (int n = 0; n < particles; ++n)
            {
                const double slope = (double)(high.p[k][n] - low.p[k][n]) / (2.0 * step);
                assert_true(fabs(slope - (double)here.p[k][n]) < 1e-3);
            }
    }
}

// Force that holds a bar stretched by a third, N.
static double holding_force(const char *how)
{
    char text[2048];
    snprintf(
        text, sizeof text,
        "{dimension: 3, spacing: 0.1, duration: 10, gravity: [0, 0, 0], time_step: {max: 10 ms}, materials: {rubber: "
        "{density: 1000, elastic: {method: zhou2013, young: 1e5, poisson: 0.4, damping: 20, %s}}}, bodies: [{name: "
        "bar, "
        "state: elastic, material: rubber, shape: {box: {min: [0, 0, 0], max: [1, 0.3, 0.3]}}}], attachments: [{shape: "
        "{box: {min: [-1, -1, -1], max: [0.2, 1, 1]}}}, {shape: {box: {min: [0.8, -1, -1], max: [3, 1, 1]}}, motion: "
        "{keyframes: [{time: 0, position: [0, 0, 0]}, {time: 0.3, position: [0.23, 0, 0]}]}}]}",
        how);
    frz_sim *sim = core_sim(text, 1);
    frz_diag diag = {.status = FRZ_OK};
    assert_int_equal(frz_sim_advance(sim, 1.0, &diag), FRZ_OK);
    const double force = frz_sim_attachment(sim, 1).force[0];
    print_message("%s: %.5g N in %d steps\n", how, force, (int)sim->state->step);
    frz_sim_destroy(&sim);
    return force;
}

static void long_implicit_steps_lead_to_the_same_rest(void **state)
{
    (void)state;
    const double force = holding_force("law: neo_hookean_log");
    assert_true(fabs(holding_force("law: neo_hookean_log, integration: implicit") - force) < 2e-3 * force);
    assert_true(fabs(holding_force("law: neo_hookean_log, integration: implicit, scheme: midpoint") - force) <
                2e-3 * force);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_tangent_is_the_derivative_of_the_stress),
        cmocka_unit_test(long_implicit_steps_lead_to_the_same_rest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
