// SPDX-License-Identifier: MIT
// The pressure methods beyond what every method must do: forces against an energy, predictions against sums, mixtures.
#include "core_trial.h"
#include "sim/neighborhood.h"
#include "compare.h"

static const double spacing = 0.05;
static const double density = 1000.0;

enum
{
    side = 6,
    count = side * side * side
};

static const char *const solvers[] = {"dfsph", "iisph", "pcisph", "wcsph", "sesph"};

enum
{
    solver_count = sizeof solvers / sizeof *solvers
};

// A drop in free space with a pressure method.
static frz_sim *drop(const char *pressure)
{
    char text[1024];
    snprintf(text, sizeof text,
             "{dimension: 3, spacing: %g, duration: 1, gravity: [0, 0, 0], time_step: 0.1 ms, pressure: %s, materials: "
             "{stuff: {density: %g}}, bodies: [{name: stuff, state: liquid, material: stuff, shape: {box: {min: [0, 0, "
             "0], max: [0.3, 0.3, 0.3]}}}]}",
             spacing, pressure, density);
    return core_sim(text, 1);
}

// A crowded, disordered cube at rest: everything is compressed.
static void crowd(core_particle *particles)
{
    uint64_t seed = 3;
    memset(particles, 0, count * sizeof *particles);
    for (int i = 0; i < count; ++i)
    {
        const int place[3] = {i % side, i / side % side, i / side / side};
        for (int a = 0; a < 3; ++a)
            particles[i].x[a] = spacing * (0.8 * place[a] + 0.1 * (core_random(&seed) - 0.5));
    }
}

// e with de/ddelta = P: what a state equation stores per rest volume.
typedef double energy_fn(double delta, double sound);

static double linear_energy(double delta, double sound)
{
    return delta > 1.0 ? density * sound * sound * (log(delta) + 1.0 / delta - 1.0) : 0.0;
}

static double tait_energy(double delta, double sound)
{
    return delta > 1.0 ? density * sound * sound / 7.0 * (pow(delta, 6.0) / 6.0 + 1.0 / delta - 7.0 / 6.0) : 0.0;
}

// Energy of all particles, by brute force.
static double energy(const frz_model *model, const core_particle *particles, energy_fn *of, double sound)
{
    double total = 0.0;
    for (int i = 0; i < count; ++i)
    {
        double delta = 0.0;
        for (int j = 0; j < count; ++j)
        {
            double square = 0.0;
            for (int a = 0; a < 3; ++a)
                square += pow(particles[i].x[a] - particles[j].x[a], 2.0);
            delta += model->particle_volume * frz_kernel_value(&model->kernel, sqrt(square));
        }
        total += of(delta, sound) * pow(model->spacing, 3.0);
    }
    return total;
}

static void check_energy(const char *pressure, energy_fn *of, double sound)
{
    static core_particle particles[count];
    static const int tried[] = {0, 7, 100, 129, 215};
    crowd(particles);
    frz_sim *sim = drop(pressure);
    core_refill(sim, particles, count);
    core_steps(sim, 1);
    const double dt = sim->state->stats.dt, mass = density * pow(spacing, 3.0), h = 1e-4 * spacing;
    double largest = 0.0, difference = 0.0;
    for (int n = 0; n < 5; ++n)
    {
        const int i = tried[n];
        const frz_v4 v = frz_field_v4(&sim->state->particles, FRZ_FIELD_ID_velocity)[core_slot(sim, i)];
        for (int a = 0; a < 3; ++a)
        {
            const double x = particles[i].x[a];
            particles[i].x[a] = x + h;
            const double up = energy(sim->model, particles, of, sound);
            particles[i].x[a] = x - h;
            const double down = energy(sim->model, particles, of, sound);
            particles[i].x[a] = x;
            const double force = (down - up) / (2.0 * h);
            largest = fmax(largest, fabs(force));
            difference = fmax(difference, fabs(mass * (double)v[a] / dt - force));
        }
    }
    // gradients are stored in half precision; inside, large forces nearly cancel
    assert_greater(largest, 0.0);
    assert_less(difference, 1e-3 * largest);
    frz_sim_destroy(&sim);
}

static void explicit_forces_are_the_gradient_of_an_energy(void **state)
{
    (void)state;
    check_energy("{method: sesph, stiffness: 400}", linear_energy, 20.0);
    check_energy("{method: wcsph, speed_of_sound: 20, artificial_viscosity: 0}", tait_energy, 20.0);
}

// The sum of V W over all particles, at particle i.
static double density_ratio(const frz_model *model, const core_particle *particles, int i)
{
    double delta = 0.0;
    for (int j = 0; j < count; ++j)
        delta +=
            model->particle_volume *
            frz_kernel_value(&model->kernel,
                             hypot(hypot(particles[i].x[0] - particles[j].x[0], particles[i].x[1] - particles[j].x[1]),
                                   particles[i].x[2] - particles[j].x[2]));
    return delta;
}

// Solenthaler et al. 2007, eq. 7 over the density, along one axis: all pairs, in double precision.
static double printed_acceleration(const frz_model *model, const core_particle *particles, double stiffness, int i,
                                   int axis)
{
    const frz_kernel spiky = frz_kernel_make(FRZ_KERNEL_SPIKY, model->support, 3);
    const double mine = density_ratio(model, particles, i), own = stiffness * density * fmax(mine - 1.0, 0.0);
    double sum = 0.0;
    for (int j = 0; j < count; ++j)
    {
        double x[3], square = 0.0;
        for (int a = 0; a < 3; ++a)
        {
            x[a] = particles[i].x[a] - particles[j].x[a];
            square += x[a] * x[a];
        }
        if (j == i || sqrt(square) >= model->support)
            continue;
        const double other = density_ratio(model, particles, j), its = stiffness * density * fmax(other - 1.0, 0.0);
        sum -= model->particle_volume / other * 0.5 * (own + its) * frz_kernel_slope(&spiky, sqrt(square)) * x[axis] /
               sqrt(square);
    }
    return sum / (density * mine);
}

static void printed_forces_are_those_of_the_paper(void **state)
{
    (void)state;
    static core_particle particles[count];
    static const int tried[] = {0, 7, 100, 129, 215};
    crowd(particles);
    frz_sim *sim = drop("{method: sesph, stiffness: 400, printed: true}");
    core_refill(sim, particles, count);
    core_steps(sim, 1);
    double largest = 0.0, difference = 0.0;
    for (int n = 0; n < 5; ++n)
    {
        const frz_v4 v = frz_field_v4(&sim->state->particles, FRZ_FIELD_ID_velocity)[core_slot(sim, tried[n])];
        for (int a = 0; a < 3; ++a)
        {
            const double printed = printed_acceleration(sim->model, particles, 400.0, tried[n], a);
            largest = fmax(largest, fabs(printed));
            difference = fmax(difference, fabs((double)v[a] / sim->state->stats.dt - printed));
        }
    }
    assert_greater(largest, 0.0);
    assert_less(difference, 1e-3 * largest);
    frz_sim_destroy(&sim);
}

static void artificial_viscosity_takes_energy_of_approaching_particles_only(void **state)
{
    (void)state;
    static const core_particle pair[2][2] = {{{{0, 0, 0}, {1, 0, 0}}, {{0.05, 0, 0}, {-1, 0, 0}}},
                                             {{{0, 0, 0}, {-1, 0, 0}}, {{0.05, 0, 0}, {1, 0, 0}}}};
    for (int n = 0; n < 2; ++n)
    {
        frz_sim *sim = drop("{method: wcsph, speed_of_sound: 20, artificial_viscosity: 0.5}");
        core_refill(sim, pair[n], 2);
        core_steps(sim, 1);
        const double speed = fabs((double)frz_field_v4(&sim->state->particles, FRZ_FIELD_ID_velocity)[0][0]);
        if (n == 0)
            assert_less(speed, 0.999);
        else
            assert_same(speed, 1.0);
        frz_sim_destroy(&sim);
    }
}

// A column of water in a tank, under gravity.
static frz_sim *column(const char *pressure, double step)
{
    char text[1024];
    snprintf(text, sizeof text,
             "{dimension: 2, spacing: %g, duration: 1, time_step: {max: %g}, pressure: %s, materials: {stuff: "
             "{density: %g}}, bodies: [{name: "
             "stuff, state: liquid, material: stuff, shape: {box: {min: [0, 0], max: [0.5, 1]}}}, {name: tank, state: "
             "static, shape: {shell: {of: {box: {min: [0, 0], max: [1.5, 1.2]}}, thickness: 0.15, open: [+y]}}}]}",
             spacing, step, pressure, density);
    return core_sim(text, 1);
}

// Mean compression beyond rest of the present positions.
static double mean_error(frz_sim *sim)
{
    frz_diag diag = {.status = FRZ_OK};
    assert_int_equal(frz_neighborhood_update(sim->model, sim->state, &diag), FRZ_OK);
    const frz_real *compression = frz_field_real(&sim->state->particles, FRZ_FIELD_ID_compression);
    const int number = sim->state->particles.count[FRZ_ROLE_FREE];
    double sum = 0.0;
    for (int i = 0; i < number; ++i)
        sum += fmax((double)compression[i] - 1.0, 0.0) / number;
    return sum;
}

// Mean over a collapse of what the compression exceeds its prediction by.
static double misprediction(const char *solver, double step)
{
    frz_sim *sim = column(solver, step);
    double sum = 0.0;
    int samples = 0;
    while (sim->state->time < 0.3)
    {
        core_steps(sim, 1);
        sum += fabs(mean_error(sim) - sim->state->stats.density.error_average);
        samples += 1;
    }
    frz_sim_destroy(&sim);
    return sum / samples;
}

static void predicted_density_agrees_with_the_sum_at_the_new_positions(void **state)
{
    (void)state;
    for (int n = 0; n < 3; ++n)
    {
        const double coarse = misprediction(solvers[n], 4e-3), fine = misprediction(solvers[n], 1e-3);
        print_message("%s: mean difference %.4f %% with steps of 4 ms, %.4f %% with 1 ms\n", solvers[n], 100.0 * coarse,
                      100.0 * fine);
        assert_less(coarse, 5e-4);
        assert_less(fine, 1e-4); // quadratic in the displacements of a step
    }
}

// Light over heavy liquid in free space, on one lattice.
static frz_sim *layers(const char *pressure)
{
    char text[1024];
    snprintf(
        text, sizeof text,
        "{dimension: 2, spacing: %g, duration: 1, gravity: [0, 0], pressure: %s, materials: {oil: {density: 200}, "
        "water: {density: 1000}}, bodies: [{name: oil, state: liquid, material: oil, shape: {box: {min: [0, 0.5], "
        "max: [1, 1]}}}, {name: water, state: liquid, material: water, shape: {box: {min: [0, 0], max: [1, 0.5]}}}]}",
        spacing, pressure);
    return core_sim(text, 1);
}

static double highest_pressure(const frz_sim *sim)
{
    double highest = 0.0;
    for (int i = 0; i < sim->state->particles.count[FRZ_ROLE_FREE]; ++i)
        highest = fmax(highest, (double)frz_field_real(&sim->state->particles, FRZ_FIELD_ID_pressure)[i]);
    return highest;
}

static void densities_by_mass_put_a_false_pressure_where_liquids_meet(void **state)
{
    (void)state;
    frz_sim *number = layers("{method: sesph, stiffness: 400}");
    frz_sim *mass = layers("{method: sesph, stiffness: 400, mass_density: true}");
    core_steps(number, 1);
    core_steps(mass, 1);
    print_message("highest pressure by number %.3g Pa, by mass %.3g Pa\n", highest_pressure(number),
                  highest_pressure(mass));
    assert_less(highest_pressure(number), 10.0);
    assert_greater(highest_pressure(mass), 1e4); // light particles next to heavy ones seem more than twice as dense
    frz_sim_destroy(&number);
    frz_sim_destroy(&mass);
}

static void momentum_sum(const frz_sim *sim, double sum[3], double *size)
{
    sum[0] = sum[1] = sum[2] = *size = 0.0;
    for (int i = 0; i < sim->state->particles.count[FRZ_ROLE_FREE]; ++i)
    {
        const frz_v4 v = frz_field_v4(&sim->state->particles, FRZ_FIELD_ID_velocity)[i];
        const double inverse_density = (double)frz_particles_inverse_density(&sim->state->particles)[i];
        for (int a = 0; a < 3; ++a)
            sum[a] += (double)v[a] / inverse_density;
        *size += sqrt((double)frz_v4_dot3(v, v)) / inverse_density;
    }
}

static void liquids_of_different_density_keep_their_momentum(void **state)
{
    (void)state;
    const int steps = 10;
    for (int n = 0; n <= solver_count; ++n)
    {
        frz_sim *sim = layers(n < solver_count ? solvers[n] : "{method: sesph, printed: true}");
        uint64_t seed = 9;
        for (int i = 0; i < sim->state->particles.count[FRZ_ROLE_FREE]; ++i)
            for (int a = 0; a < 2; ++a)
                frz_field_v4(&sim->state->particles, FRZ_FIELD_ID_velocity)[i][a] =
                    (frz_real)(2.0 * core_random(&seed) - 1.0);
        double before[3], after[3], size, later;
        momentum_sum(sim, before, &size);
        core_steps(sim, steps);
        momentum_sum(sim, after, &later);
        for (int a = 0; a < 3; ++a)
            assert_near(after[a], before[a], 4.0 * steps * FRZ_REAL_EPSILON * size);
        frz_sim_destroy(&sim);
    }
}

// A stirred column after one step, solved far beyond what anyone needs; the number of iterations.
static int solve_column(const char *method, const char *solver, frz_sim **out)
{
    char choice[256];
    snprintf(choice, sizeof choice, "{method: %s, max_density_error: 3e-5, max_iterations: 20000, solver: %s}", method,
             solver);
    frz_sim *sim = column(choice, 1.0);
    uint64_t seed = 4;
    for (int i = 0; i < sim->state->particles.count[FRZ_ROLE_FREE]; ++i)
        for (int a = 0; a < 2; ++a)
            frz_field_v4(&sim->state->particles, FRZ_FIELD_ID_velocity)[i][a] = (frz_real)(core_random(&seed) - 0.5);
    core_steps(sim, 1);
    assert_true(sim->state->stats.density.converged);
    *out = sim;
    return sim->state->stats.density.iterations;
}

// Conjugate gradients bring rough errors into a solution whose own error is smooth and barely too large. A pool that is
// evenly too dense: what they find is smoothed, so that few iterations do.
static void an_even_error_is_not_made_rough(void **state)
{
    (void)state;
    frz_sim *sim = column("{method: dfsph, max_density_error: 0.1}", 1.0);
    const int number = sim->state->particles.count[FRZ_ROLE_FREE];
    frz_v4 *position = frz_field_v4(&sim->state->particles, FRZ_FIELD_ID_position);
    for (int i = 0; i < number; ++i)
        position[i] *= (frz_real)(1.0 - 1e-3);
    const double before = mean_error(sim);
    assert_greater(before, 1e-3); // there is something to correct
    core_steps(sim, 1);
    print_message("mean error %.3g %%, %d iterations\n", 100.0 * before, sim->state->stats.density.iterations);
    assert_true(sim->state->stats.density.converged);
    assert_less(sim->state->stats.density.iterations, 4); // 5 without smoothing
    frz_sim_destroy(&sim);
}

static void every_way_to_iterate_finds_the_same_pressures(void **state)
{
    (void)state;
    static const char *const ways[] = {"conjugate_gradients", "barzilai_borwein", "chebyshev"};
    frz_sim *plain = NULL;
    const int most = solve_column("iisph", "jacobi", &plain);
    const int particles = plain->state->particles.count[FRZ_ROLE_FREE];
    const frz_v4 *wanted = frz_field_v4(&plain->state->particles, FRZ_FIELD_ID_velocity);
    for (int n = 0; n < 3; ++n)
    {
        frz_sim *sim = NULL;
        const int iterations = solve_column("iisph", ways[n], &sim);
        const frz_v4 *velocity = frz_field_v4(&sim->state->particles, FRZ_FIELD_ID_velocity);
        double worst = 0.0, fastest = 0.0;
        for (int i = 0; i < particles; ++i)
        {
            const frz_v4 off = velocity[i] - wanted[i];
            worst = fmax(worst, sqrt((double)frz_v4_dot3(off, off)));
            fastest = fmax(fastest, sqrt((double)frz_v4_dot3(wanted[i], wanted[i])));
        }
        print_message("%s: %d iterations (jacobi: %d), velocities off by %.2g of the largest\n", ways[n], iterations,
                      most, worst / fastest);
        assert_less(worst, 2e-3 * fastest);
        assert_less(3 * iterations, most);
        frz_sim_destroy(&sim);
    }
    frz_sim_destroy(&plain);
}

static void the_expected_speed_is_that_of_a_fall_through_the_scene(void **state)
{
    (void)state;
    frz_sim *sim = column("wcsph", 1.0);
    // from the highest particle to the lowest sample of the tank, whose floor is 0.15 m thick
    assert_greater(sim->model->expected_speed, sqrt(2.0 * 9.81 * 0.95));
    assert_less(sim->model->expected_speed, sqrt(2.0 * 9.81 * 1.15));
    frz_sim_destroy(&sim);
}

static void assert_refused(const char *choice, const char *because)
{
    char text[512];
    snprintf(
        text, sizeof text,
        "{dimension: 2, spacing: 0.05, duration: 1, %s, materials: {stuff: {density: 1000}}, bodies: [{name: stuff, "
        "state: liquid, material: stuff, shape: {box: {min: [0, 0], max: [1, 1]}}}]}",
        choice);
    core_refused(text, because);
}

static void what_cannot_work_is_refused_by_name(void **state)
{
    (void)state;
    assert_refused("time_step: 10 ms, pressure: {method: wcsph, speed_of_sound: 50}", "pressure wcsph: a time_step");
    assert_refused("time_step: 10 ms, pressure: {method: sesph, stiffness: 2500}", "pressure sesph: a time_step");
    assert_refused("pressure: {method: pcisph, min_iterations: 9, max_iterations: 5}", "pressure pcisph: min_iter");
}

// Kinetic energy after a step over that of the start, of a disc that turns; and the speed that one at rest gets, in
// spacings per step.
static void a_disc_starts_without_overlaps_that_set_it_in_motion(void **state)
{
    (void)state;
    static const char *const text =
        "{dimension: 2, spacing: 0.02, duration: 1, gravity: [0, 0], domain: {min: [-3, -3], max: [3, 3]}, time_step: "
        "{max: 0.01}, materials: {water: {density: 1000}}, bodies: [{name: disc, state: liquid, material: water, "
        "angular_velocity: %g, shape: {sphere: {center: [0, 0], radius: 0.4}}}]}";
    for (int turning = 0; turning < 2; ++turning)
    {
        char scene[1024];
        frz_stats stats;
        snprintf(scene, sizeof scene, text, (double)turning);
        frz_sim *sim = core_sim(scene, 1);
        double before = 0.0;
        for (int i = 0; i < sim->state->particles.count[FRZ_ROLE_FREE]; ++i)
        {
            const frz_v4 v = frz_field_v4(&sim->state->particles, FRZ_FIELD_ID_velocity)[i];
            before += 0.5 * 1000.0 * 0.02 * 0.02 * (double)frz_v4_dot3(v, v);
        }
        core_steps(sim, 1);
        frz_sim_stats(sim, &stats);
        print_message("disc: %.4g J/m before, %.4g after a step; fastest %.3f spacings per step\n", before,
                      stats.kinetic_energy, stats.max_speed * stats.dt / 0.02);
        if (turning)
            assert_near(stats.kinetic_energy / before, 1.0, 0.005);
        else
            assert_less(stats.max_speed * stats.dt, 0.02 * 0.02);
        frz_sim_destroy(&sim);
    }
}

// Water falls flat by 10 cm on the floor of a tank.
static frz_sim *falling_water(const char *pressure, const char *boundary)
{
    char text[1024];
    snprintf(text, sizeof text,
             "{dimension: 2, spacing: 20 mm, duration: 1, pressure: %s, boundary: %s, materials: {water: {density: "
             "1000}}, bodies: [{name: water, state: liquid, material: water, shape: {box: {min: [0, 0.1], max: [0.42, "
             "0.7]}}}, {name: tank, state: static, shape: {shell: {of: {box: {min: [0, 0], max: [0.42, 1.4]}}, "
             "thickness: 60 mm, open: [+y]}}}]}",
             pressure, boundary);
    return core_sim(text, 1);
}

static void water_that_falls_flat_makes_no_energy_and_crushes_no_particle(void **state)
{
    (void)state;
    static const char *const trials[][2] = {{"dfsph", "mirrored"},
                                            {"iisph", "mirrored"},
                                            {"pcisph", "mirrored"},
                                            {"dfsph", "akinci2012"},
                                            {"dfsph", "band2018"}};
    for (size_t n = 0; n < sizeof trials / sizeof *trials; ++n)
    {
        frz_sim *sim = falling_water(trials[n][0], trials[n][1]);
        const frz_step_stats *stats = &sim->state->stats;
        double lowest = HUGE_VAL, rise = 0.0, most = 0.0, densest = 0.0;
        while (sim->state->time < 0.2)
        {
            core_steps(sim, 1);
            const double energy = stats->kinetic_energy + stats->potential_energy;
            const frz_real *compression = frz_field_real(&sim->state->particles, FRZ_FIELD_ID_compression);
            lowest = fmin(lowest, energy);
            rise = fmax(rise, energy - lowest);
            most = fmax(most, stats->kinetic_energy);
            for (int i = 0; i < sim->state->particles.count[FRZ_ROLE_FREE]; ++i)
                densest = fmax(densest, (double)compression[i]);
        }
        assert_greater(most, 200.0);
        assert_less(stats->kinetic_energy, 0.2 * most); // it fell, and was stopped
        if (!(rise < 0.02 * most && densest < 1.2))
            fail_msg("%s, %s: energy rises by %.3g of the fall's, densest particle %.3g", trials[n][0], trials[n][1],
                     rise / most, densest);
        frz_sim_destroy(&sim);
    }
}

// What an average over all particles allows at the bottom of water grows with its depth; a bound on the averages of
// blocks does not. The column starts with no pressure at all. The densest particle, which no bound is on, is 1.018 in
// single and 1.039 in double precision.
static void deep_water_is_no_denser_at_its_bottom_than_shallow_water(void **state)
{
    (void)state;
    frz_sim *sim =
        core_sim("{dimension: 2, spacing: 20 mm, duration: 1, time_step: 0.5 ms, materials: {water: {density: "
                 "1000}}, bodies: [{name: water, state: liquid, material: water, shape: {box: {min: [0, 0], "
                 "max: [0.5, 8]}}}, {name: tank, state: static, shape: {shell: {of: {box: {min: [0, 0], max: "
                 "[0.5, 8.5]}}, thickness: 60 mm, open: [+y]}}}]}",
                 1);
    double densest = 0.0;
    for (int n = 0; n < 60; ++n)
    {
        core_steps(sim, 1);
        const frz_real *compression = frz_field_real(&sim->state->particles, FRZ_FIELD_ID_compression);
        for (int i = 0; i < sim->state->particles.count[FRZ_ROLE_FREE]; ++i)
            densest = fmax(densest, (double)compression[i]);
    }
    assert_int_equal(sim->state->particles.count[FRZ_ROLE_FREE], 10000); // 400 layers
    if (!(densest < 1.05))
        fail_msg("densest particle %.4g", densest);
    frz_sim_destroy(&sim);
}

// Kinetic energy of water at rest and iterations of the density solve, means of 0.5 to 1 s.
static void rest_of(const char *time_step, double *kinetic, double *iterations)
{
    char text[700];
    snprintf(text, sizeof text,
             "dimension: 2\nspacing: 0.02\nduration: 1\n%s\nmaterials: {water: {density: 1000, viscosity: "
             "{method: xsph, coefficient: 0.05}}}\n"
             "bodies:\n  - {state: liquid, material: water, shape: {box: {min: [0, 0], max: [0.2, 0.5]}}}\n"
             "  - {name: tank, state: static, shape: {shell: {of: {box: {min: [0, 0], max: [0.2, 0.8]}}, "
             "thickness: 0.06, open: [+y]}}}\n",
             time_step);
    frz_sim *sim = core_sim(text, 1);
    frz_diag diag = {.status = FRZ_OK};
    int steps = 0;
    *kinetic = *iterations = 0.0;
    while (sim->state->time < 1.0)
    {
        assert_int_equal(frz_sim_step(sim, 1.0 - sim->state->time, &diag), FRZ_OK);
        if (sim->state->time < 0.5)
            continue;
        *kinetic += sim->state->stats.kinetic_energy;
        *iterations += sim->state->stats.density.iterations;
        steps += 1;
    }
    *kinetic /= steps;
    *iterations /= steps;
    frz_sim_destroy(&sim);
}

// A tolerance of the compression in a step that did not know how long the step is would let water fall in short ones.
static void water_at_rest_is_as_quiet_in_short_steps(void **state)
{
    (void)state;
    double usual, usual_iterations, kinetic, iterations;
    rest_of("", &usual, &usual_iterations);
    rest_of("time_step: 0.5 ms", &kinetic, &iterations);
    assert_less(kinetic, usual);
    assert_less(iterations, 2.0 * usual_iterations);
}

// A wall that pushes water along does work on it, which is no gain of the pressure.
static void a_piston_pushes_water_and_crushes_none(void **state)
{
    (void)state;
    static const char *const methods[] = {"dfsph", "iisph", "pcisph"};
    for (int m = 0; m < 3; ++m)
    {
        char text[1024];
        snprintf(
            text, sizeof text,
            "{dimension: 2, spacing: 0.02, duration: 10, pressure: %s, materials: {water: {density: 1000}}, bodies: "
            "[{name: pool, state: liquid, material: water, shape: {box: {min: [0.1, 0], max: [0.7, 0.3]}}}, {name: "
            "tank, state: static, shape: {shell: {of: {box: {min: [0, 0], max: [0.7, 0.8]}}, thickness: 0.06}}}, "
            "{name: piston, state: static, shape: {box: {min: [0, 0], max: [0.1, 0.7]}}, motion: [{time: 0, "
            "position: [0, 0]}, {time: 0.5, position: [0.3, 0]}]}]}",
            methods[m]);
        frz_sim *sim = core_sim(text, 1);
        frz_diag diag = {.status = FRZ_OK};
        double densest = 0.0;
        while (sim->state->time < 0.15)
        {
            assert_int_equal(frz_sim_step(sim, 1.0, &diag), FRZ_OK);
            densest = fmax(densest, sim->state->stats.density.error_max);
        }
        assert_greater(sim->state->stats.kinetic_energy, 5.0); // 180 kg with some 0.3 m/s
        assert_less(densest, 0.1); // 0.6 with iisph, were the work of the wall not allowed for
        frz_sim_destroy(&sim);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(explicit_forces_are_the_gradient_of_an_energy),
        cmocka_unit_test(printed_forces_are_those_of_the_paper),
        cmocka_unit_test(artificial_viscosity_takes_energy_of_approaching_particles_only),
        cmocka_unit_test(predicted_density_agrees_with_the_sum_at_the_new_positions),
        cmocka_unit_test(densities_by_mass_put_a_false_pressure_where_liquids_meet),
        cmocka_unit_test(liquids_of_different_density_keep_their_momentum),
        cmocka_unit_test(every_way_to_iterate_finds_the_same_pressures),
        cmocka_unit_test(an_even_error_is_not_made_rough),
        cmocka_unit_test(the_expected_speed_is_that_of_a_fall_through_the_scene),
        cmocka_unit_test(what_cannot_work_is_refused_by_name),
        cmocka_unit_test(a_disc_starts_without_overlaps_that_set_it_in_motion),
        cmocka_unit_test(water_at_rest_is_as_quiet_in_short_steps),
        cmocka_unit_test(deep_water_is_no_denser_at_its_bottom_than_shallow_water),
        cmocka_unit_test(water_that_falls_flat_makes_no_energy_and_crushes_no_particle),
        cmocka_unit_test(a_piston_pushes_water_and_crushes_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
