// SPDX-License-Identifier: MIT
// How implicit elastic methods step time, on the smallest body that swings: two particles and their bond. Order of
// convergence, what becomes of oscillations that steps cannot resolve, and rest under a load.
#include "core_trial.h"
#include "compare.h"

static const double pair_spacing = 0.1; // m

static frz_sim *pair_sim(const char *scheme, double young, double dt)
{
    char text[1024];
    snprintf(text, sizeof text,
             "{dimension: 2, spacing: %g, duration: 10, gravity: [0, 0], time_step: %.9g s, materials: {rubber: "
             "{density: 1000, elastic: {method: peer2018, young: %g, poisson: 0, max_error: 0.001, scheme: %s}}}, "
             "bodies: [{name: pair, state: elastic, material: rubber, shape: {box: {min: [0, 0], max: [0.2, 0.1]}}}]}",
             pair_spacing, dt, young, scheme);
    return core_sim(text, 1);
}

// Speed at which the particles come apart, and how far they are beyond their distance at rest.
static double opening(const frz_sim *sim, double *stretch)
{
    const frz_state *s = sim->state;
    const frz_v4 *x = frz_field_v4(&s->particles, FRZ_FIELD_ID_position);
    const frz_v4 *v = frz_field_v4(&s->particles, FRZ_FIELD_ID_velocity);
    const int a = x[0][0] < x[1][0] ? 0 : 1, b = 1 - a;
    *stretch = (double)(x[b][0] - x[a][0]) - pair_spacing;
    return (double)(v[b][0] - v[a][0]);
}

static void set_opening(const frz_sim *sim, double speed)
{
    const frz_v4 *x = frz_field_v4(&sim->state->particles, FRZ_FIELD_ID_position);
    frz_v4 *v = frz_field_v4(&sim->state->particles, FRZ_FIELD_ID_velocity);
    assert_int_equal(sim->state->particles.count[FRZ_ROLE_FREE], 2);
    for (int i = 0; i < 2; ++i)
        v[i][0] = (frz_real)(x[i][0] > x[1 - i][0] ? 0.5 * speed : -0.5 * speed);
}

// Opening speed after a twentieth of a second of small oscillations, over that at the start.
static double speed_after(const char *scheme, double dt)
{
    const double speed = 0.02; // m/s: stretches of a percent
    frz_sim *sim = pair_sim(scheme, 1e5, dt);
    double stretch;
    set_opening(sim, speed);
    core_steps(sim, (int)lround(0.05 / dt));
    const double result = opening(sim, &stretch) / speed;
    frz_sim_destroy(&sim);
    return result;
}

static void errors_of(const char *scheme, double exact, double error[3])
{
    for (int k = 0; k < 3; ++k)
        error[k] = fabs(speed_after(scheme, 5e-4 / (1 << k)) - exact);
    print_message("%s: errors %.3e %.3e %.3e\n", scheme, error[0], error[1], error[2]);
}

static void errors_shrink_with_the_order_of_the_scheme(void **state)
{
    (void)state;
    const double exact = speed_after("midpoint", 1e-3 / 32.0);
    double euler[3], damped[3], middle[3];
    errors_of("backward_euler", exact, euler);
    errors_of("damped", exact, damped);
    errors_of("midpoint", exact, middle);
    assert_less(euler[2], 0.65 * euler[1]);
    assert_less(damped[2], 0.55 * damped[1]);
    assert_greater(damped[2], 0.4 * damped[1]);
    assert_less(middle[2], 0.3 * middle[1]);
    assert_greater(middle[2], 0.2 * middle[1]);
    assert_less(damped[2], 0.45 * euler[2]); // (2 theta - 1) of it, a third
}

// A bond that swings hundreds of times in a step: the factor is (1 - 1 / theta).
static void what_steps_cannot_resolve_is_halved_in_every_step(void **state)
{
    (void)state;
    static const struct
    {
        const char *scheme;
        double factor;
    } cases[] = {{"backward_euler", 0.0}, {"damped", -0.5}, {"midpoint", -1.0}};
    for (int n = 0; n < 3; ++n)
    {
        frz_sim *sim = pair_sim(cases[n].scheme, 1e10, 0.02);
        double speed = 0.01, stretch;
        set_opening(sim, speed);
        for (int k = 0; k < 4; ++k)
        {
            core_steps(sim, 1);
            const double next = opening(sim, &stretch);
            assert_near(next, cases[n].factor * speed, 2e-3 * 0.01);
            speed = next;
        }
        assert_small(stretch, 1e-5 * pair_spacing);
        frz_sim_destroy(&sim);
    }
}

// Speed of the fastest particle of a soft block on a floor, over its last tenth of a second of one.
static double fastest_at_rest(const char *scheme)
{
    char text[1024];
    snprintf(text, sizeof text,
             "{dimension: 2, spacing: 0.05, duration: 10, time_step: {max: 4 ms}, materials: {rubber: {density: 1000, "
             "elastic: {method: peer2018, young: 2e5, poisson: 0.3, damping: 20, scheme: %s}}}, bodies: [{name: block, "
             "state: elastic, material: rubber, shape: {box: {min: [0, 0], max: [0.5, 0.3]}}}, {name: floor, state: "
             "static, shape: {box: {min: [-1, -0.2], max: [1.5, 0]}}}]}",
             scheme);
    frz_sim *sim = core_sim(text, 1);
    frz_diag diag = {.status = FRZ_OK};
    assert_int_equal(frz_sim_advance(sim, 0.9, &diag), FRZ_OK);
    double fastest = 0.0;
    while (sim->state->time < 1.0)
    {
        core_steps(sim, 1);
        fastest = fmax(fastest, sim->state->stats.max_speed);
    }
    print_message("%s: %.2e m/s\n", scheme, fastest);
    frz_sim_destroy(&sim);
    return fastest;
}

// Contacts act at the end of a step, behind elasticity: a body that leans on them must not be moved by what the two
// cancel. (What weight does in a step is 39 mm/s.)
static void a_block_comes_to_rest_on_the_floor(void **state)
{
    (void)state;
    assert_less(fastest_at_rest("backward_euler"), 2e-3);
    assert_less(fastest_at_rest("damped"), 2e-3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(errors_shrink_with_the_order_of_the_scheme),
        cmocka_unit_test(what_steps_cannot_resolve_is_halved_in_every_step),
        cmocka_unit_test(a_block_comes_to_rest_on_the_floor),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
