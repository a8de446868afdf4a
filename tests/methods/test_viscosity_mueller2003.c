// SPDX-License-Identifier: MIT
// Viscosity as printed by Solenthaler et al. 2007, eq. 8, against a sum over all pairs; and their whole liquid, with
// poly6 for the density, spiky for the pressure and the viscosity kernel for friction.
#include "core_trial.h"
#include "compare.h"

enum
{
    side = 6,
    count = side * side * side
};

static const double spacing = 0.05, density = 1000.0, viscosity = 300.0, stiffness = 400.0;

// A cube in free space with random velocities, its particles this many spacings apart. Where that is loose nothing is
// compressed, so that nothing but friction acts.
static frz_sim *make_cube(core_particle *particles, double apart)
{
    char text[512];
    uint64_t seed = 7;
    snprintf(text, sizeof text,
             "{dimension: 3, spacing: %g, duration: 1, gravity: [0, 0, 0], time_step: 0.01 ms, pressure: {method: "
             "sesph, stiffness: %g, printed: true}, kernel: {name: poly6, support: 2.2}, materials: {stuff: {density: "
             "%g, viscosity: {method: mueller2003, viscosity: "
             "%g}}}, bodies: [{name: stuff, state: liquid, material: stuff, shape: {box: {min: [0, 0, 0], max: [0.3, "
             "0.3, 0.3]}}}]}",
             spacing, stiffness, density, viscosity);
    frz_sim *sim = core_sim(text, 1);
    memset(particles, 0, count * sizeof *particles);
    for (int i = 0; i < count; ++i)
    {
        const int place[3] = {i % side, i / side % side, i / side / side};
        for (int a = 0; a < 3; ++a)
        {
            particles[i].x[a] = spacing * (apart * place[a] + 0.1 * (core_random(&seed) - 0.5));
            particles[i].v[a] = core_random(&seed) - 0.5;
        }
    }
    core_refill(sim, particles, count);
    return sim;
}

static double distance(const core_particle *a, const core_particle *b)
{
    return hypot(hypot(a->x[0] - b->x[0], a->x[1] - b->x[1]), a->x[2] - b->x[2]);
}

static double density_ratio(const frz_model *model, const core_particle *particles, int i)
{
    double delta = 0.0;
    for (int j = 0; j < count; ++j)
        delta += model->particle_volume * frz_kernel_value(&model->kernel, distance(&particles[i], &particles[j]));
    return delta;
}

// Eq. 8 over the density, with 45 / (pi h^6) (h - r), the Laplacian of Mueller et al. 2003, eq. 22.
static double printed_acceleration(const frz_model *model, const core_particle *particles, int i, int axis)
{
    const double pi = 3.14159265358979323846, h = model->support;
    double sum = 0.0;
    for (int j = 0; j < count; ++j)
    {
        const double r = distance(&particles[i], &particles[j]);
        if (r < h)
            sum += model->particle_volume / density_ratio(model, particles, j) * viscosity *
                   (particles[j].v[axis] - particles[i].v[axis]) * 45.0 / (pi * pow(h, 6.0)) * (h - r);
    }
    return sum / (density * density_ratio(model, particles, i));
}

// Eq. 7 over the density, with the gradient of 15 / (pi h^6) (h - r)^3, Mueller et al. 2003, eq. 21.
static double printed_push(const frz_model *model, const core_particle *particles, int i, int axis)
{
    const double pi = 3.14159265358979323846, h = model->support, mine = density_ratio(model, particles, i);
    double sum = 0.0;
    for (int j = 0; j < count; ++j)
    {
        const double r = distance(&particles[i], &particles[j]), other = density_ratio(model, particles, j);
        const double both = stiffness * density * (fmax(mine - 1.0, 0.0) + fmax(other - 1.0, 0.0));
        if (r > 0.0 && r < h)
            sum += model->particle_volume / other * 0.5 * both * 45.0 / (pi * pow(h, 6.0)) * (h - r) * (h - r) *
                   (particles[i].x[axis] - particles[j].x[axis]) / r;
    }
    return sum / (density * mine);
}

static void compare_with_the_paper(double apart, double least_push)
{
    static core_particle particles[count];
    frz_sim *sim = make_cube(particles, apart);
    core_steps(sim, 1);
    double largest = 0.0, difference = 0.0, pushed = 0.0;
    for (int i = 0; i < count; i += 7)
    {
        const frz_v4 v = frz_field_v4(&sim->state->particles, FRZ_FIELD_ID_velocity)[core_slot(sim, i)];
        for (int a = 0; a < 3; ++a)
        {
            const double push = printed_push(sim->model, particles, i, a) * sim->state->stats.dt;
            const double printed = printed_acceleration(sim->model, particles, i, a) * sim->state->stats.dt + push;
            pushed = fmax(pushed, fabs(push));
            largest = fmax(largest, fabs(printed));
            difference = fmax(difference, fabs((double)v[a] - particles[i].v[a] - printed));
        }
    }
    print_message("%g spacings apart: velocities change by %.3g m/s, of which pressure %.3g, wrong by %.1e\n", apart,
                  largest, pushed, difference);
    assert_greater(largest, 1e-4); // m/s: friction acts
    assert_greater_equal(pushed, least_push);
    assert_less(difference, 2e-3 * largest);
    frz_sim_destroy(&sim);
}

static void friction_is_the_printed_sum_over_all_pairs(void **state)
{
    (void)state;
    compare_with_the_paper(1.2, 0.0);
}

static void the_papers_liquid_has_all_three_kernels(void **state)
{
    (void)state;
    compare_with_the_paper(0.9, 1e-3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(friction_is_the_printed_sum_over_all_pairs),
                                       cmocka_unit_test(the_papers_liquid_has_all_three_kernels)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
