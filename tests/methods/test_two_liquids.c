// SPDX-License-Identifier: MIT
// Two liquids of different density beside each other: whatever acts between them keeps their momentum.
#include "core_trial.h"
#include "compare.h"

// They rub along their common face, in empty space.
static frz_sim *make_pair(const char *scene, const char *first, const char *second)
{
    char text[2000];
    snprintf(
        text, sizeof text,
        "dimension: 2\nspacing: 0.05\nduration: 1\ngravity: [0, 0]\ntime_step: 1 ms\n%s\n"
        "materials: {heavy: {density: 1000%s}, light: {density: 100%s}}\n"
        "bodies:\n"
        "  - {state: liquid, material: heavy, velocity: [0, 0.5], shape: {box: {min: [0, 0], max: [0.3, 0.5]}}}\n"
        "  - {state: liquid, material: light, velocity: [-0.2, -1], shape: {box: {min: [0.3, 0], max: [0.6, 0.5]}}}\n",
        scene, first, second);
    return core_sim(text, 1);
}

// Sum of the momenta; scale is that of their sizes.
static frz_v4 momentum_of(const frz_sim *sim, double *scale)
{
    const frz_v4 *velocity = frz_field_v4(&sim->state->particles, FRZ_FIELD_ID_velocity);
    const int32_t *body = frz_field_i32(&sim->state->particles, FRZ_FIELD_ID_body);
    double sum[2] = {0.0, 0.0};
    *scale = 0.0;
    for (int i = 0; i < sim->state->particles.count[FRZ_ROLE_FREE]; ++i)
    {
        const double mass = sim->model->materials[sim->model->bodies[body[i]].material].density;
        for (int a = 0; a < 2; ++a)
            sum[a] += mass * (double)velocity[i][a];
        *scale += mass * sqrt((double)frz_v4_dot3(velocity[i], velocity[i]));
    }
    return frz_v4_set((frz_real)sum[0], (frz_real)sum[1], 0, 0);
}

static void the_momentum_of_two_liquids_is_kept(void **state)
{
    (void)state;
    static const char *const trials[][3] = {
        {"", "", ""},
        {"pressure: iisph", "", ""},
        {"pressure: pcisph", "", ""},
        {"pressure: {method: wcsph, speed_of_sound: 10}", "", ""},
        {"pressure: {method: sesph, stiffness: 100}", "", ""},
        {"", ", viscosity: 20", ", viscosity: 1"},
        {"", ", viscosity: {method: weiler2018, viscosity: 100}", ", viscosity: {method: weiler2018, viscosity: 1}"},
        {"", ", viscosity: {method: peer2015, shear_time: 0.1}", ", viscosity: {method: peer2015, shear_time: 0.01}"},
        {"", ", viscosity: {method: xsph, coefficient: 0.1}", ", viscosity: {method: xsph, coefficient: 0.3}"},
        {"", ", viscosity: {method: xsph, coefficient: 0.3}", ""},
        {"", "", ", viscosity: {method: xsph, coefficient: 0.3}"},
        {"", ", viscosity: 20", ", viscosity: {method: xsph, coefficient: 0.3}"},
        {"", ", tension: 5", ", tension: 2"},
        {"", ", tension: {method: akinci2013, coefficient: 1}", ", tension: {method: akinci2013, coefficient: 5}"},
        {"", ", vorticity: {method: micropolar, transfer: 0.01}", ", vorticity: {method: micropolar, transfer: 0.001}"},
    };
    for (size_t n = 0; n < sizeof trials / sizeof trials[0]; ++n)
    {
        frz_sim *sim = make_pair(trials[n][0], trials[n][1], trials[n][2]);
        double scale = 0.0, ignored = 0.0;
        const frz_v4 before = momentum_of(sim, &scale);
        core_steps(sim, 20);
        const frz_v4 change = momentum_of(sim, &ignored) - before;
        const double drift = sqrt((double)frz_v4_dot3(change, change)) / scale;
        if (!(drift < 2e-6))
            fail_msg("'%s' '%s' '%s': momentum by %.3g", trials[n][0], trials[n][1], trials[n][2], drift);
        frz_sim_destroy(&sim);
    }
}

// Friction takes the difference of their speeds away.
static void two_liquids_of_xsph_drag_each_other_along(void **state)
{
    (void)state;
    double left[2];
    for (int n = 0; n < 2; ++n)
    {
        const char *viscosity = n == 0 ? "" : ", viscosity: {method: xsph, coefficient: 0.2}";
        frz_sim *sim = make_pair("", viscosity, viscosity);
        core_steps(sim, 20);
        const frz_v4 *velocity = frz_field_v4(&sim->state->particles, FRZ_FIELD_ID_velocity);
        const int32_t *body = frz_field_i32(&sim->state->particles, FRZ_FIELD_ID_body);
        left[n] = 0.0;
        for (int i = 0; i < sim->state->particles.count[FRZ_ROLE_FREE]; ++i)
            if (body[i] == 1)
                left[n] -= (double)velocity[i][1] / 60.0; // of the light one's 60 particles
        frz_sim_destroy(&sim);
    }
    print_message("speed of the light liquid: %.3f m/s without, %.3f m/s with friction\n", left[0], left[1]);
    assert_greater(left[0], 0.9);
    assert_less(left[1], 0.9 * left[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_momentum_of_two_liquids_is_kept),
        cmocka_unit_test(two_liquids_of_xsph_drag_each_other_along),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
