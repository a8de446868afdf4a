// SPDX-License-Identifier: MIT
// What the implicit viscosities promise beyond conformance: the force of every dashpot, rotation, stress between
// liquids, walls, pressure under high viscosity.
#include "core_trial.h"
#include "sim/measure.h"
#include "sph/shear_weight.h"
#include "compare.h"

enum
{
    text_size = 2048
};

// A block of liquid in the open, of side particles per edge, with the given choice of viscosity.
static frz_sim *open_block(int dimension, int side, const char *viscosity, const char *step)
{
    char text[text_size];
    const char *z = dimension == 3 ? ", 0" : "";
    char top[32] = "";
    if (dimension == 3)
        snprintf(top, sizeof top, ", %g", 0.01 * side);
    snprintf(
        text, sizeof text,
        "{dimension: %d, spacing: 0.01, duration: 10, gravity: [0, 0%s], time_step: {fixed: %s}, materials: {stuff: "
        "{density: 1000, viscosity: %s}}, bodies: [{name: a, state: liquid, material: stuff, shape: {box: {min: [0, "
        "0%s], max: [%g, %g%s]}}}]}",
        dimension, z, step, viscosity, z, 0.01 * side, 0.01 * side, top);
    return core_sim(text, 2);
}

static frz_v4 *positions(const frz_sim *sim)
{
    return frz_field_v4(&sim->state->particles, FRZ_FIELD_ID_position);
}

static frz_v4 *velocities(const frz_sim *sim)
{
    return frz_field_v4(&sim->state->particles, FRZ_FIELD_ID_velocity);
}

// Velocities as a function of the place, without expansion so that the pressure leaves them alone.
typedef frz_v4 field_fn(frz_v4 x);

static void set_velocities(frz_sim *sim, field_fn *field)
{
    for (int i = 0; i < sim->state->particles.count[FRZ_ROLE_FREE]; ++i)
        velocities(sim)[i] = field(positions(sim)[i]);
}

static frz_v4 curved_shear(frz_v4 x)
{
    return frz_v4_set((frz_real)sin(20.0 * (double)x[1]), 0, (frz_real)(0.3 * cos(15.0 * (double)x[0])), 0);
}

static frz_v4 turning(frz_v4 x)
{
    return frz_v4_set(-x[1] + (frz_real)0.05, x[0] - (frz_real)0.05, 0, 0);
}

static frz_v4 stretching(frz_v4 x)
{
    return frz_v4_set(x[0] - (frz_real)0.05, -x[1] + (frz_real)0.05, 0, 0);
}

// A step so short that friction hardly changes the velocities must give each particle the sum of its dashpots' forces,
// added up here over all pairs.
static void a_short_step_gives_the_force_of_all_dashpots(void **state)
{
    (void)state;
    const double mu = 0.5, spacing = 0.01;
    for (int dimension = 2; dimension <= 3; ++dimension)
    {
        const int side = dimension == 2 ? 20 : 8;
        frz_sim *sim = open_block(dimension, side, "{method: weiler2018, viscosity: 0.5, max_error: 1e-4}", "1e-6");
        const frz_shear_weight weight = frz_shear_weight_make(spacing, sim->model->support, dimension);
        set_velocities(sim, curved_shear);
        const int count = sim->state->particles.count[FRZ_ROLE_FREE];
        frz_vec3 *force = FRZ_ALLOC("test", count, frz_vec3);
        assert_non_null(force);
        const int64_t *id = frz_field_i64(&sim->state->particles, FRZ_FIELD_ID_id);
        double largest = 0.0;
        for (int i = 0; i < count; ++i)
        {
            frz_vec3 f = frz_v3(0.0, 0.0, 0.0);
            for (int j = 0; j < count; ++j)
            {
                const frz_v4 x = positions(sim)[i] - positions(sim)[j], v = velocities(sim)[j] - velocities(sim)[i];
                const double r2 = (double)frz_v4_dot3(x, x);
                const double scale = mu * weight.central / (spacing * spacing) *
                                     (double)frz_shear_weight_at(&weight, (frz_real)r2) * (double)frz_v4_dot3(x, v) /
                                     (r2 + 1e-30);
                if (j != i)
                    f = frz_v3_mad(f, scale, frz_v3((double)x[0], (double)x[1], (double)x[2]));
            }
            force[id[i]] = f;
            largest = fmax(largest, frz_v3_length(f));
        }
        core_steps(sim, 1);
        const frz_v4 *friction = frz_field_v4(&sim->state->particles, sim->state->particles.field_count - 1);
        assert_string_equal(sim->state->particles.fields[sim->state->particles.field_count - 1].decl.name,
                            "weiler_acceleration");
        id = frz_field_i64(&sim->state->particles, FRZ_FIELD_ID_id);
        for (int i = 0; i < count; ++i)
        {
            const frz_vec3 got = frz_v3((double)friction[i][0], (double)friction[i][1], (double)friction[i][2]);
            assert_less(frz_v3_length(frz_v3_mad(force[id[i]], -1000.0, got)), 2e-3 * largest);
        }
        frz_free(force);
        frz_sim_destroy(&sim);
    }
}

static double angular_momentum(const frz_sim *sim)
{
    double sum = 0.0;
    for (int i = 0; i < sim->state->particles.count[FRZ_ROLE_FREE]; ++i)
    {
        const frz_v4 x = positions(sim)[i], v = velocities(sim)[i];
        sum += ((double)x[0] - 0.05) * (double)v[1] - ((double)x[1] - 0.05) * (double)v[0];
    }
    return sum;
}

static double kinetic(const frz_sim *sim)
{
    double sum = 0.0;
    for (int i = 0; i < sim->state->particles.count[FRZ_ROLE_FREE]; ++i)
        sum += (double)frz_v4_dot3(velocities(sim)[i], velocities(sim)[i]);
    return sum;
}

static const char *const very_viscous[] = {"{method: weiler2018, viscosity: 1000}",
                                           "{method: peer2015, shear_time: 1e-4}"};

static void a_liquid_that_turns_as_a_whole_is_not_braked(void **state)
{
    (void)state;
    for (int m = 0; m < 2; ++m)
        for (int dimension = 2; dimension <= 3; ++dimension)
        {
            frz_sim *sim = open_block(dimension, 10, very_viscous[m], "1e-3");
            set_velocities(sim, turning);
            const double before = angular_momentum(sim), energy = kinetic(sim);
            core_steps(sim, 5);
            assert_near(angular_momentum(sim) / before, 1.0, 2e-3);
            assert_near(kinetic(sim) / energy, 1.0, 5e-3);
            frz_sim_destroy(&sim);
        }
}

static void a_liquid_that_is_stretched_is_stopped(void **state)
{
    (void)state;
    for (int m = 0; m < 2; ++m)
    {
        frz_sim *sim = open_block(3, 10, very_viscous[m], "1e-3");
        set_velocities(sim, stretching);
        const double energy = kinetic(sim);
        core_steps(sim, 5);
        assert_less(kinetic(sim), 0.01 * energy);
        frz_sim_destroy(&sim);
    }
}

// Two layers of equal depth between a plate at rest and one that moves: the stress is the same in both, so the velocity
// at the interface is U / (1 + mu_upper^-1 mu_lower).
static void liquids_of_different_viscosity_share_one_shear_stress(void **state)
{
    (void)state;
    const double ratio = 10.0, speed = 0.01;
    frz_sim *sim = core_sim(
        "{dimension: 2, spacing: 0.05, duration: 1000, gravity: [0, 0], domain: {min: [0, -0.5], max: [0.801, 1.5], "
        "periodic: [x]}, time_step: {fixed: 2 s}, materials: {thin: {density: 500, viscosity: {method: weiler2018, "
        "viscosity: 10}}, thick: {density: 1000, viscosity: {method: weiler2018, viscosity: 100}}}, bodies: ["
        "{name: lower, state: liquid, material: thin, shape: {box: {min: [0, 0], max: [0.801, 0.5]}}},"
        "{name: upper, state: liquid, material: thick, shape: {box: {min: [0, 0.5], max: [0.801, 1]}}},"
        "{name: floor, state: static, shape: {half_space: {point: [0, 0], normal: [0, 1]}}},"
        "{name: lid, state: static, shape: {half_space: {point: [0, 1], normal: [0, -1]}}, motion: {keyframes: ["
        "{time: 0, position: [0, 0]}, {time: 1000, position: [10, 0]}]}}]}",
        2);
    core_steps(sim, 40);
    const double interface = speed / (1.0 + 1.0 / ratio);
    for (int i = 0; i < sim->state->particles.count[FRZ_ROLE_FREE]; ++i)
    {
        const double y = (double)positions(sim)[i][1];
        const double exact = y < 0.5 ? interface * 2.0 * y : interface + (speed - interface) * 2.0 * (y - 0.5);
        assert_near((double)velocities(sim)[i][0], exact, 0.02 * speed);
    }
    frz_sim_destroy(&sim);
}

// A film on a plane, driven along it.
static void walls_hold_slip_by_their_length_or_let_go(void **state)
{
    (void)state;
    static const char *const choice[] = {"", ", slip_length: 0.5", ", slip: true"};
    double speed[3], time = 0.0;
    for (int n = 0; n < 3; ++n)
    {
        char text[text_size];
        snprintf(
            text, sizeof text,
            "{dimension: 2, spacing: 0.05, duration: 1000, gravity: [0.001, 0], domain: {min: [0, -0.5], max: "
            "[0.801, 1.5], periodic: [x]}, time_step: {fixed: 2 s}, materials: {stuff: {density: 1000, viscosity: "
            "{method: weiler2018, viscosity: 1000%s}}}, bodies: [{name: film, state: liquid, material: stuff, shape: "
            "{box: {min: [0, 0], max: [0.801, 0.5]}}}, {name: floor, state: static, shape: {half_space: {point: "
            "[0, 0], normal: [0, 1]}}}]}",
            choice[n]);
        frz_sim *sim = core_sim(text, 2);
        core_steps(sim, 20);
        double sum = 0.0;
        for (int i = 0; i < sim->state->particles.count[FRZ_ROLE_FREE]; ++i)
            sum += (double)velocities(sim)[i][0] / sim->state->particles.count[FRZ_ROLE_FREE];
        speed[n] = sum;
        time = frz_sim_time(sim);
        frz_sim_destroy(&sim);
    }
    // mean of F (y (2 H - y) / 2 + b H) / nu: F = 0.001, H = 0.5, nu = 1
    assert_near(speed[0] / (0.001 * 0.25 / 3.0), 1.0, 0.03);
    assert_near(speed[1] / (0.001 * (0.25 / 3.0 + 0.25)), 1.0, 0.03);
    assert_near(speed[2] / (0.001 * time), 1.0, 1e-3); // nothing holds it
}

static void honey_stands_on_its_floor_and_does_not_hang_on_its_walls(void **state)
{
    (void)state;
    frz_sim *sim = core_sim("{dimension: 2, spacing: 0.05, duration: 10, materials: {honey: {density: 1000, viscosity: "
                            "{method: weiler2018, "
                            "viscosity: 1000}}}, bodies: [{name: honey, state: liquid, material: honey, shape: {box: "
                            "{min: [0, 0], max: [0.5, "
                            "1]}}}, {name: tank, state: static, shape: {shell: {of: {box: {min: [0, 0], max: [0.5, "
                            "1.2]}}, thickness: 0.15, "
                            "open: [+y]}}}]}",
                            2);
    double mean = 0.0;
    for (int n = 0; n < 200; ++n)
    {
        double pressure;
        core_steps(sim, 1);
        if (n < 100)
            continue;
        assert_true(frz_probe_sample(sim->model, sim->state, (frz_vec3){0.25, 0.2, 0.0}, &pressure, NULL, NULL));
        mean += pressure / 100.0;
    }
    assert_near(mean / (1000.0 * 9.81 * 0.8), 1.0, 0.1);
    frz_sim_destroy(&sim);
}

static void weiler_refuses_viscosities_beside_it_by_name(void **state)
{
    (void)state;
    static const char text[] =
        "{dimension: 2, spacing: 0.01, duration: 1, materials: {honey: {density: 1400, viscosity: {method: "
        "weiler2018}}, water: {density: 1000, viscosity: {method: morris1997}}}, bodies: [{name: a, state: liquid, "
        "material: honey, shape: {box: {min: [0, 0], max: [0.1, 0.1]}}}, {name: b, state: liquid, material: water, "
        "shape: {box: {min: [0.2, 0], max: [0.3, 0.1]}}}]}";
    core_refused(text, "weiler2018");
    core_refused(text, "morris1997 of 'water'");
}

// Two layers of liquid that slide past each other without gravity, walls and, by their pressures, without a push.
static void peer_brakes_liquids_of_other_methods_and_keeps_momentum(void **state)
{
    (void)state;
    static const char *const others[] = {"{method: weiler2018, viscosity: 1}", "{method: morris1997, viscosity: 0.1}",
                                         "{method: xsph, coefficient: 0.1}", "{method: mueller2003, viscosity: 0.1}",
                                         "{method: peer2015, shear_time: 0.5}"};
    for (int n = 0; n < 5; ++n)
    {
        char text[text_size];
        snprintf(text, sizeof text,
                 "{dimension: 2, spacing: 0.01, duration: 1, gravity: [0, 0], time_step: 1 ms, materials: {honey: "
                 "{density: 1400, viscosity: {method: peer2015, shear_time: 0.02}}, water: {density: 1000, viscosity: "
                 "%s}}, bodies: [{name: a, state: liquid, material: honey, velocity: [0.1, 0], shape: {box: {min: [0, "
                 "0], max: [0.3, 0.1]}}}, {name: b, state: liquid, material: water, shape: {box: {min: [0, 0.1], max: "
                 "[0.3, 0.2]}}}]}",
                 others[n]);
        frz_sim *sim = core_sim(text, 1);
        double momentum[2] = {0.0, 0.0}, speed[2] = {0.0, 0.0};
        for (int late = 0; late < 2; ++late)
        {
            core_steps(sim, late ? 40 : 1);
            const frz_field_view v = frz_sim_field(sim, "velocity", FRZ_SEGMENT_FREE);
            const frz_field_view body = frz_sim_field(sim, "body", FRZ_SEGMENT_FREE);
            for (int64_t i = 0; i < v.count; ++i)
            {
                const bool water = frz_field_value(&body, i, 0) > 0.5;
                momentum[late] += (water ? 1000.0 : 1400.0) * frz_field_value(&v, i, 0);
                speed[late] += water ? frz_field_value(&v, i, 0) / 300.0 : 0.0;
            }
        }
        print_message("beside %s: speed of water %.4f -> %.4f m/s, momentum changed by %.1e\n", others[n], speed[0],
                      speed[1], momentum[1] / momentum[0] - 1.0);
        assert_greater(speed[1], speed[0] + 2e-3); // it is taken along
        assert_near(momentum[1], momentum[0], 1e-5 * momentum[0]);
        frz_sim_destroy(&sim);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_short_step_gives_the_force_of_all_dashpots),
        cmocka_unit_test(a_liquid_that_turns_as_a_whole_is_not_braked),
        cmocka_unit_test(a_liquid_that_is_stretched_is_stopped),
        cmocka_unit_test(liquids_of_different_viscosity_share_one_shear_stress),
        cmocka_unit_test(walls_hold_slip_by_their_length_or_let_go),
        cmocka_unit_test(honey_stands_on_its_floor_and_does_not_hang_on_its_walls),
        cmocka_unit_test(weiler_refuses_viscosities_beside_it_by_name),
        cmocka_unit_test(peer_brakes_liquids_of_other_methods_and_keeps_momentum),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
