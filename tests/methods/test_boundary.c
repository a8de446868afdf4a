// SPDX-License-Identifier: MIT
// Boundary methods: density beside walls, the weight that they carry, and that nothing gets through.
// labels: numbers
#include "core_trial.h"
#include "physics/pressure/pressure_system.h"
#include "sim/neighborhood.h"
#include "compare.h"

enum
{
    text_size = 2048
};

static const char *const methods[] = {"mirrored", "akinci2012", "band2018"};

enum
{
    method_count = sizeof methods / sizeof methods[0]
};

// Water that fills the lower part of a box.
static frz_sim *tank(const char *boundary, const char *pressure, int dimension)
{
    char text[text_size];
    const char *const z = dimension == 3 ? ", 0" : "", *const far_z = dimension == 3 ? ", 0.4" : "";
    snprintf(
        text, sizeof text,
        "{dimension: %d, spacing: 0.05, duration: 10, boundary: %s, pressure: %s, materials: {water: {density: "
        "1000, viscosity: {method: xsph, coefficient: 0.2}}}, bodies: ["
        "{name: water, state: liquid, material: water, shape: {box: {min: [0, 0%s], max: [0.6, 0.5%s]}}},"
        "{name: tank, state: static, shape: {shell: {of: {box: {min: [0, 0%s], max: [0.6, 0.8%s]}}, thickness: 0.1, "
        "open: [+y]}}}]}",
        dimension, boundary, pressure, z, far_z, z, far_z);
    return core_sim(text, 2);
}

static void the_lattice_in_a_tank_has_nearly_its_rest_density_in_corners_too(void **state)
{
    (void)state;
    // |T| is one number: with images a corner lacks 4 % in the plane and 11 % in space, the next ones have 2 % too much
    const double lowest[] = {0.88, 0.95, 0.985}, highest[] = {1.025, 1.001, 1.001};
    for (int m = 0; m < method_count; ++m)
        for (int dimension = 2; dimension <= 3; ++dimension)
        {
            frz_sim *sim = tank(methods[m], "dfsph", dimension);
            const frz_v4 *x = frz_field_v4(&sim->state->particles, FRZ_FIELD_ID_position);
            const frz_real *compression = frz_field_real(&sim->state->particles, FRZ_FIELD_ID_compression);
            double low = 2.0, high = 0.0;
            for (int i = 0; i < sim->state->particles.count[FRZ_ROLE_FREE]; ++i)
                if (x[i][1] < 0.35)
                {
                    low = fmin(low, (double)compression[i]);
                    high = fmax(high, (double)compression[i]);
                }
            print_message("%s, %dD: compression %.4f to %.4f\n", methods[m], dimension, low, high);
            assert_greater(low, lowest[m]);
            assert_less(high, highest[m]);
            frz_sim_destroy(&sim);
        }
}

// A box in the place of whole particles. Samples under its edges belong to both faces; what they lack or have too much
// moves water to or from the edge, and is missing in the buoyancy of the box.
static void the_lattice_around_a_box_has_nearly_its_rest_density_at_edges_too(void **state)
{
    (void)state;
    const double lowest[] = {0.97, 0.94}, highest[] = {1.02, 1.02};
    for (int m = 0; m < 2; ++m)
        for (int dimension = 2; dimension <= 3; ++dimension)
        {
            char text[text_size];
            snprintf(text, sizeof text,
                     "{dimension: %d, spacing: 0.05, duration: 1, boundary: %s, materials: {water: {density: 1000}}, "
                     "bodies: [{name: water, state: liquid, material: water, shape: {box: {min: [-0.5, -0.5%s], max: "
                     "[0.5, 0.5%s]}}}, {name: box, state: rigid, density: 1000, shape: {box: {min: [-0.2, -0.2%s], "
                     "max: [0.2, 0.2%s]}}}]}",
                     dimension, methods[m], dimension == 3 ? ", -0.5" : "", dimension == 3 ? ", 0.5" : "",
                     dimension == 3 ? ", -0.2" : "", dimension == 3 ? ", 0.2" : "");
            frz_sim *sim = core_sim(text, 2);
            const frz_v4 *x = frz_field_v4(&sim->state->particles, FRZ_FIELD_ID_position);
            const frz_real *compression = frz_field_real(&sim->state->particles, FRZ_FIELD_ID_compression);
            double low = 2.0, high = 0.0, sum = 0.0;
            for (int i = 0; i < sim->state->particles.count[FRZ_ROLE_FREE]; ++i)
            {
                const double far = fmax(fmax(fabs((double)x[i][0]), fabs((double)x[i][1])), fabs((double)x[i][2]));
                if (far > 0.35)
                    continue;
                low = fmin(low, (double)compression[i]);
                high = fmax(high, (double)compression[i]);
                sum += (double)compression[i] - 1.0;
            }
            print_message("%s, %dD: compression %.4f to %.4f, in all %.3f particles\n", methods[m], dimension, low,
                          high, sum);
            assert_greater(low, lowest[m]);
            assert_less(high, highest[m]);
            frz_sim_destroy(&sim);
        }
}

// On the lattice, a pressure that grows with depth holds every particle up, those of the first layer too.
static void check_linear_pressure(int dimension, double share)
{
    char method[64];
    snprintf(method, sizeof method, "{method: band2018, share: %g}", share);
    frz_sim *sim = tank(method, "dfsph", dimension);
    frz_diag diag = {.status = FRZ_OK};
    frz_pressure_system p;
    const frz_arena_mark mark = frz_arena_here(&sim->state->scratch);
    assert_int_equal(frz_state_sample_fit(sim->model, sim->state, &diag), FRZ_OK);
    assert_int_equal(frz_pressure_system_make(sim->model, sim->state, &p, &diag), FRZ_OK);
    const frz_v4 *x = frz_field_v4(&sim->state->particles, FRZ_FIELD_ID_position);
    frz_real virial = 0;
    for (int i = 0; i < p.pairs->count; ++i)
        virial = p.pairs->sample_count[i] == 0 && x[i][1] < 0.3 ? p.pairs->virial[i] : virial;
    const double dt = 1e-3, g = 9.81, depth = 0.5, scale = frz_pressure_to_kappa(&p, dt);
    for (int i = 0; i < p.pairs->count; ++i)
        p.kappa[i] = (frz_real)(scale * 1000.0 * g * (depth - (double)x[i][1])) / virial;
    frz_pressure_displace(&p);
    const double up = g * dt * dt / sim->model->spacing;
    for (int i = 0; i < p.pairs->count; ++i)
        if (x[i][1] < 0.3 && x[i][0] > 0.1 && x[i][0] < 0.5 && (dimension == 2 || fabs((double)x[i][2] - 0.2) < 0.1))
        {
            // where the particle's own pressure stands in for the wall's, half a layer's weight is missing
            const double expected = x[i][1] < 0.05 ? 1.0 - 0.5 * (1.0 - share) : 1.0;
            assert_near((double)p.displacement[i][1] / up, expected, 0.01);
        }
    frz_arena_release(&sim->state->scratch, mark);
    frz_sim_destroy(&sim);
}

static void a_linear_pressure_holds_the_first_layer_up(void **state)
{
    (void)state;
    for (int dimension = 2; dimension <= 3; ++dimension)
    {
        check_linear_pressure(dimension, 1.0);
        check_linear_pressure(dimension, 0.75);
    }
}

static void the_tank_carries_the_weight_of_the_water(void **state)
{
    (void)state;
    static const char *const solvers[] = {"dfsph", "iisph", "pcisph"};
    for (int m = 0; m < method_count; ++m)
        for (int n = 0; n < (m == 0 ? 3 : 1); ++n)
        {
            frz_sim *sim = tank(methods[m], solvers[n], 2);
            frz_diag diag = {.status = FRZ_OK};
            assert_int_equal(frz_sim_advance(sim, 1.5, &diag), FRZ_OK);
            double force = 0.0, time = 0.0;
            while (time < 0.5)
            {
                frz_body_info bodies[2];
                frz_stats stats;
                core_steps(sim, 1);
                frz_sim_bodies(sim, bodies);
                frz_sim_stats(sim, &stats);
                force += stats.dt * bodies[1].force[1];
                time += stats.dt;
            }
            const double weight = 1000.0 * 9.81 * 0.6 * 0.5;
            print_message("%s, %s: force over weight %.4f\n", methods[m], solvers[n], force / time / weight);
            assert_small(force / time / weight + 1.0, 0.01);
            frz_sim_destroy(&sim);
        }
}

// Shot at a floor one by one, head on and slanting, with up to 3 m/s.
static void single_particles_do_not_get_through_a_wall(void **state)
{
    (void)state;
    // a single particle has no neighbours whose images would stop it, the less so the wider the kernel
    static const char *const trials[] = {"mirrored", "mirrored, kernel: {support: 2.3}",
                                         "mirrored, kernel: {support: 3}", "akinci2012", "band2018"};
    for (int m = 0; m < (int)(sizeof trials / sizeof trials[0]); ++m)
    {
        char text[text_size];
        snprintf(
            text, sizeof text,
            "{dimension: 3, spacing: 0.05, duration: 1, boundary: %s, materials: {water: {density: 1000}}, bodies: "
            "[{name: water, state: liquid, material: water, shape: {box: {min: [-1, 0.1, -0.1], max: [1, 0.15, "
            "0.1]}}}, {name: floor, state: static, shape: {box: {min: [-1.5, -0.05, -0.5], max: [1.5, 0, 0.5]}}}]}",
            trials[m]);
        frz_sim *sim = core_sim(text, 2);
        frz_particles *particles = &sim->state->particles;
        uint64_t seed = 17;
        const int count = particles->count[FRZ_ROLE_FREE];
        for (int i = 0; i < count; ++i)
        {
            // a sparse cloud
            const frz_v4 at = frz_v4_set((frz_real)(2.0 * core_random(&seed) - 1.0), (frz_real)(0.06 + 0.008 * i),
                                         (frz_real)(0.4 * core_random(&seed) - 0.2), 0);
            frz_field_v4(particles, FRZ_FIELD_ID_position)[i] = at;
            frz_field_v4(particles, FRZ_FIELD_ID_velocity)[i] =
                frz_v4_set((frz_real)(core_random(&seed) - 0.5), (frz_real)(-3.0 * core_random(&seed)), 0, 0);
        }
        sim->state->stats.max_speed = 3.1;
        double lowest = 1.0;
        while (frz_sim_time(sim) < 0.4)
        {
            core_steps(sim, 1);
            const frz_v4 *x = frz_field_v4(particles, FRZ_FIELD_ID_position);
            for (int i = 0; i < particles->count[FRZ_ROLE_FREE]; ++i)
                if (fabs((double)x[i][0]) < 1.4 && fabs((double)x[i][2]) < 0.4)
                    lowest = fmin(lowest, (double)x[i][1]);
        }
        print_message("%s: lowest %.3f spacings\n", trials[m], lowest / 0.05);
        assert_greater(lowest, -0.5 * 0.05); // the samples' own plane
        frz_sim_destroy(&sim);
    }
}

// Tank and water move at the same speed: nothing happens inside.
static void a_moving_tank_takes_its_water_along(void **state)
{
    (void)state;
    for (int m = 0; m < method_count; ++m)
    {
        char text[text_size];
        snprintf(
            text, sizeof text,
            "{dimension: 2, spacing: 0.05, duration: 2, boundary: %s, materials: {water: {density: 1000, viscosity: "
            "{method: xsph, coefficient: 0.1}}}, bodies: [{name: water, state: liquid, material: water, velocity: "
            "[0.8, 0], shape: {box: {min: [0, 0], max: [0.6, 0.5]}}}, {name: tank, state: static, motion: "
            "{keyframes: [{time: 0, position: [0, 0]}, {time: 2, position: [1.6, 0]}]}, shape: {shell: {of: {box: "
            "{min: [0, 0], max: [0.6, 0.8]}}, thickness: 0.1, open: [+y]}}}]}",
            methods[m]);
        frz_sim *sim = core_sim(text, 2);
        frz_diag diag = {.status = FRZ_OK};
        assert_int_equal(frz_sim_advance(sim, 0.5, &diag), FRZ_OK);
        const frz_v4 *v = frz_field_v4(&sim->state->particles, FRZ_FIELD_ID_velocity);
        double mean = 0.0, scatter = 0.0;
        const int count = sim->state->particles.count[FRZ_ROLE_FREE];
        for (int i = 0; i < count; ++i)
        {
            mean += (double)v[i][0] / count;
            scatter += ((double)v[i][0] - 0.8) * ((double)v[i][0] - 0.8) / count;
        }
        print_message("%s: mean speed %.4f m/s, scatter %.4f m/s\n", methods[m], mean, sqrt(scatter));
        assert_near(mean, 0.8, 0.01);
        assert_less(sqrt(scatter), 0.08);
        frz_sim_destroy(&sim);
    }
}

static void explicit_pressure_methods_are_refused_by_name(void **state)
{
    (void)state;
    static const char *const refused[] = {"wcsph", "sesph"};
    for (int n = 0; n < 2; ++n)
    {
        char text[text_size];
        snprintf(text, sizeof text,
                 "{dimension: 2, spacing: 0.05, duration: 1, boundary: band2018, pressure: %s, materials: {water: "
                 "{density: 1000}}, bodies: [{name: water, state: liquid, material: water, shape: {box: {min: [0, 0], "
                 "max: [0.5, 0.5]}}}]}",
                 refused[n]);
        core_refused(text, refused[n]);
        core_refused(text, "band2018");
    }
}

// Mean speed of a film on a belt that moves at 1 m/s.
static double dragged(const char *viscosity)
{
    char text[text_size];
    snprintf(
        text, sizeof text,
        "{dimension: 2, spacing: 0.05, duration: 2, time_step: {fixed: 0.002}, domain: {min: [0, -1], max: [1, 1], "
        "periodic: [x]}, materials: {water: {density: 1000, viscosity: %s}}, bodies: [{name: water, state: liquid, "
        "material: water, shape: {box: {min: [0, 0], max: [1, 0.15]}}}, {name: belt, state: static, motion: "
        "{keyframes: [{time: 0, position: [0, 0]}, {time: 2, position: [2, 0]}]}, shape: {box: {min: [0, -0.1], "
        "max: [1, 0]}}}]}",
        viscosity);
    frz_sim *sim = core_sim(text, 2);
    frz_diag diag = {.status = FRZ_OK};
    assert_int_equal(frz_sim_advance(sim, 0.4, &diag), FRZ_OK);
    const frz_v4 *v = frz_field_v4(&sim->state->particles, FRZ_FIELD_ID_velocity);
    double mean = 0.0;
    for (int i = 0; i < sim->state->particles.count[FRZ_ROLE_FREE]; ++i)
        mean += (double)v[i][0] / sim->state->particles.count[FRZ_ROLE_FREE];
    frz_sim_destroy(&sim);
    return mean;
}

static void a_belt_drags_the_liquid_along_unless_it_may_slip(void **state)
{
    (void)state;
    static const char *const sticking[] = {"{method: xsph, coefficient: 0.2, slip: false}",
                                           "{method: morris1997, viscosity: 10}", "{method: weiler2018, viscosity: 50}",
                                           "{method: peer2015, shear_time: 0.01}"};
    static const char *const slipping[] = {
        "{method: xsph, coefficient: 0.2}", "{method: morris1997, viscosity: 10, slip: true}",
        "{method: weiler2018, viscosity: 50, slip: true}", "{method: peer2015, shear_time: 0.01, slip: true}"};
    for (int n = 0; n < 4; ++n)
    {
        const double along = dragged(sticking[n]), left = dragged(slipping[n]);
        print_message("%s: %.3f m/s, with slip %.3f m/s\n", sticking[n], along, left);
        assert_greater(along, 0.3);
        assert_less(along, 1.1);
        assert_small(left, 0.1);
    }
}

// Samples lie half a spacing behind the surface; their volumes make up for the area that curvature takes from them.
static void samples_of_balls_have_the_area_of_the_surface_and_those_of_boxes_their_own(void **state)
{
    (void)state;
    const double spacing = 0.01, radius = 0.08, k = spacing / (radius - 0.5 * spacing);
    for (int dimension = 2; dimension <= 3; ++dimension)
    {
        char text[1024];
        const char *z = dimension == 3 ? ", 0" : "", *depth = dimension == 3 ? ", 0.1" : "";
        snprintf(
            text, sizeof text,
            "{dimension: %d, spacing: %g, duration: 1, materials: {water: {density: 1000}}, bodies: [{name: water, "
            "state: liquid, material: water, shape: {box: {min: [1, 1%s], max: [1.05, 1.05%s]}}}, {name: ball, "
            "state: static, shape: {sphere: {center: [0, 0%s], radius: %g}}}, {name: box, state: static, shape: "
            "{box: {min: [0.5, 0%s], max: [0.6, 0.1%s]}}}]}",
            dimension, spacing, z, depth, z, radius, z, depth);
        frz_sim *sim = core_sim(text, 2);
        core_steps(sim, 1);
        const int32_t *body =
            frz_field_i32(&sim->state->particles, FRZ_FIELD_ID_body) + sim->state->particles.first[FRZ_ROLE_SAMPLE];
        double mean[3] = {0.0, 0.0, 0.0}, most = 0.0;
        int count[3] = {0, 0, 0};
        for (int n = 0; n < sim->state->particles.count[FRZ_ROLE_SAMPLE]; ++n)
        {
            const double area = (double)sim->state->samples.area[n];
            mean[body[n]] += area;
            count[body[n]] += 1;
            most = body[n] == 2 ? fmax(most, fabs(area - 1.0)) : most;
        }
        assert_near(mean[1] / count[1], 1.0 + 0.25 * (dimension - 1) * k / (1.0 + 0.5 * k), 2e-3);
        assert_near(most, 0.0, 1e-12);
        frz_sim_destroy(&sim);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_lattice_in_a_tank_has_nearly_its_rest_density_in_corners_too),
        cmocka_unit_test(the_lattice_around_a_box_has_nearly_its_rest_density_at_edges_too),
        cmocka_unit_test(samples_of_balls_have_the_area_of_the_surface_and_those_of_boxes_their_own),
        cmocka_unit_test(a_linear_pressure_holds_the_first_layer_up),
        cmocka_unit_test(the_tank_carries_the_weight_of_the_water),
        cmocka_unit_test(single_particles_do_not_get_through_a_wall),
        cmocka_unit_test(a_moving_tank_takes_its_water_along),
        cmocka_unit_test(explicit_pressure_methods_are_refused_by_name),
        cmocka_unit_test(a_belt_drags_the_liquid_along_unless_it_may_slip),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
