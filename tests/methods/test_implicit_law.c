// SPDX-License-Identifier: MIT
// Implicit steps with any law (zhou2013): the tangent is the derivative of the stress, long steps lead to the same rest
// as short explicit ones, also if bodies flow, and the bar of eight particles has the force and the frequency that
// theory gives it.
#include "core_trial.h"

#include "physics/elastic/elastic_hyperelastic.h"
#include "compare.h"

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

// The tangent against central differences; plastic: null, or the plastic strain.
static void compare_tangents(const frz_plastic_use *plastic)
{
    const char *const laws[] = {"corotated", "st_venant_kirchhoff", "neo_hookean_log", "mooney_rivlin"};
    for (int m = 0; m < 4; ++m)
    {
        frz_elastic_def def = frz_elastic_def_default(frz_law_find(laws[m]));
        def.youngs_modulus = 1.0;
        def.poisson_ratio = 0.3;
        frz_v4 rotation[particles];
        frz_law_point points[particles];
        frz_elastic_law_material material = {.rotation = rotation, .points = points, .plastic = plastic};
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
                assert_near(slope, (double)here.p[k][n], 1e-3);
            }
    }
}

static void the_tangent_is_the_derivative_of_the_stress(void **state)
{
    (void)state;
    compare_tangents(NULL);
}

static void the_tangent_of_what_has_flown_is_the_derivative_of_its_stress(void **state)
{
    (void)state;
    frz_v4 row[3][particles];
    frz_real hardened[particles] = {0};
    int32_t slot[particles];
    uint64_t seed = 3;
    for (int n = 0; n < particles; ++n)
    {
        slot[n] = n;
        for (int r = 0; r < 3; ++r)
            row[r][n] =
                frz_v4_set((frz_real)(0.3 * (core_random(&seed) - 0.5)), (frz_real)(0.3 * (core_random(&seed) - 0.5)),
                           (frz_real)(0.3 * (core_random(&seed) - 0.5)), 0);
    }
    const frz_plastic_use plastic = {.row = {row[0], row[1], row[2]}, .hardened = hardened, .slot = slot};
    compare_tangents(&plastic);
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
    assert_near(holding_force("law: neo_hookean_log, integration: implicit"), force, 2e-3 * force);
    assert_near(holding_force("law: neo_hookean_log, integration: implicit, scheme: midpoint"), force, 2e-3 * force);
}

// A bar is stretched beyond its yield and released: how much longer it stays, m, and the mean plastic strain.
static double left_over(const char *how, const char *plastic, double *strain)
{
    char text[2048];
    snprintf(
        text, sizeof text,
        "{dimension: 3, spacing: 0.1, duration: 10, gravity: [0, 0, 0], time_step: {max: 5 ms}, materials: {clay: "
        "{density: 1000, elastic: {method: zhou2013, young: 1e5, poisson: 0.3, damping: 20, %s}, plastic: %s}}, "
        "bodies: "
        "[{name: bar, state: elastic, material: clay, shape: {box: {min: [0, 0, 0], max: [1, 0.3, 0.3]}}}], "
        "attachments: "
        "[{shape: {box: {min: [-1, -1, -1], max: [0.1, 1, 1]}}}, {shape: {box: {min: [0.9, -1, -1], max: [3, 1, 1]}}, "
        "until: 0.5, motion: {keyframes: [{time: 0, position: [0, 0, 0]}, {time: 0.4, position: [0.2, 0, 0]}]}}]}",
        how, plastic);
    frz_sim *sim = core_sim(text, 1);
    frz_diag diag = {.status = FRZ_OK};
    if (frz_sim_advance(sim, 1.2, &diag) != FRZ_OK)
        fail_msg("%s", diag.message);
    const frz_field_view x = frz_sim_field(sim, "position", FRZ_SEGMENT_FREE);
    const frz_field_view flown = frz_sim_field(sim, "plastic_strain", FRZ_SEGMENT_FREE);
    double longest = 0.0;
    *strain = 0.0;
    for (int64_t i = 0; i < x.count; ++i)
    {
        longest = fmax(longest, frz_field_value(&x, i, 0));
        *strain += frz_field_value(&flown, i, 0) / (double)x.count;
    }
    print_message("%s, %s: longer by %.4f, plastic strain %.4f, %d steps\n", how, plastic, longest - 0.95, *strain,
                  (int)sim->state->step);
    frz_sim_destroy(&sim);
    return longest - 0.95;
}

static void implicit_bodies_flow_as_explicit_ones_do(void **state)
{
    (void)state;
    const struct
    {
        const char *law, *plastic;
    } cases[] = {{"law: neo_hookean_log", "{yield: 5e3, hardening: 1e4}"},
                 {"law: corotated", "{method: obrien2002, yield: 5e3, limit: 1}"}};
    for (int n = 0; n < 2; ++n)
    {
        char how[100];
        double strain[2];
        const double wanted = left_over(cases[n].law, cases[n].plastic, &strain[0]);
        snprintf(how, sizeof how, "%s, integration: implicit", cases[n].law);
        const double found = left_over(how, cases[n].plastic, &strain[1]);
        assert_greater(wanted, 0.1);
        assert_near(found, wanted, 0.02 * wanted);
        assert_near(strain[1], strain[0], 0.02 * strain[0]);
    }
}

// ---- the bar of 8 particles, as in the case bar-8: held at one end, pulled, held, and let go

static const double bar_spacing = 0.01, bar_young = 100.0, bar_density = 100.0; // m, Pa, kg/m^3
static const double bar_release = 0.3, bar_end = 0.7;                           // s

static frz_sim *make_bar(const char *law, double extension)
{
    char text[2048];
    snprintf(text, sizeof text,
             "{dimension: 3, spacing: %g, duration: 10, gravity: [0, 0, 0], time_step: 1 ms, materials: {soft: "
             "{density: %g, elastic: {method: zhou2013, law: %s, young: %g, poisson: 0, zero_energy: 1, integration: "
             "implicit, scheme: midpoint, passes: 3}}}, bodies: [{name: bar, state: elastic, material: soft, shape: "
             "{box: {min: [-0.005, -0.01, -0.01], max: [0.015, 0.01, 0.01]}}}], attachments: [{shape: {box: {min: "
             "[-0.005, -1, -1], max: [0.005, 1, 1]}}}, {shape: {box: {min: [0.005, -1, -1], max: [0.015, 1, 1]}}, "
             "until: %g, motion: {interpolation: smooth, keyframes: [{time: 0, position: [0, 0, 0]}, {time: 0.2, "
             "position: [%.9g, 0, 0]}]}}]}",
             bar_spacing, bar_density, law, bar_young, bar_release, extension * bar_spacing);
    return core_sim(text, 1);
}

// Mean time between upward crossings of the end's place at rest, s.
static double period_of(frz_sim *sim)
{
    frz_diag diag = {.status = FRZ_OK};
    double before = 1.0, time = 0.0, first = 0.0, last = 0.0;
    int crossings = 0;
    while (sim->state->time < bar_end)
    {
        assert_int_equal(frz_sim_step(sim, HUGE_VAL, &diag), FRZ_OK);
        const frz_v4 *x = frz_field_v4(&sim->state->particles, FRZ_FIELD_ID_position);
        double farthest = 0.0; // the free end is, as long as the bar does not turn over
        for (int i = 0; i < sim->state->particles.count[FRZ_ROLE_FREE]; ++i)
            farthest = fmax(farthest, (double)x[i][0]);
        const double now = farthest - bar_spacing;
        if (before < 0.0 && now >= 0.0)
        {
            last = time + (sim->state->time - time) * before / (before - now);
            first = crossings == 0 ? last : first;
            crossings += 1;
        }
        before = now;
        time = sim->state->time;
    }
    assert_greater(crossings, 5);
    return (last - first) / (crossings - 1);
}

static void an_implicit_bar_has_the_force_and_the_frequency_of_a_spring(void **state)
{
    (void)state;
    // the bar's volume over its length, which is that between the end sections
    const double area = 8.0 * bar_spacing * bar_spacing, stiffness = bar_young * area / bar_spacing;
    const double mass = 4.0 * bar_density * bar_spacing * bar_spacing * bar_spacing; // of the free section
    const double period = 2.0 * 3.14159265358979323846 * sqrt(mass / stiffness);
    const struct
    {
        const char *law;
        double extension;
    } cases[] = {{"corotated", 0.002}, {"corotated", 0.2}, {"neo_hookean_log", 0.002}};
    for (int n = 0; n < 3; ++n)
    {
        frz_sim *sim = make_bar(cases[n].law, cases[n].extension);
        frz_diag diag = {.status = FRZ_OK};
        assert_int_equal(frz_sim_advance(sim, 0.99 * bar_release, &diag), FRZ_OK);
        const double force = frz_sim_attachment(sim, 1).force[0] / (stiffness * cases[n].extension * bar_spacing);
        const double swing = period_of(sim) / period;
        print_message("%s, %g: force %.5f, period %.5f of theory\n", cases[n].law, cases[n].extension, force, swing);
        frz_sim_destroy(&sim);
        assert_near(force, 1.0, 0.01);
        assert_near(swing, 1.0, 0.02);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_tangent_is_the_derivative_of_the_stress),
        cmocka_unit_test(the_tangent_of_what_has_flown_is_the_derivative_of_its_stress),
        cmocka_unit_test(long_implicit_steps_lead_to_the_same_rest),
        cmocka_unit_test(implicit_bodies_flow_as_explicit_ones_do),
        cmocka_unit_test(an_implicit_bar_has_the_force_and_the_frequency_of_a_spring),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
