// SPDX-License-Identifier: MIT
// Surface tension from the area: forces are the derivative of the energy, with and without a wall; flat films have the
// energy tension times area and feel no force; momentum and angular momentum are kept.
#include "core_trial.h"
#include "sim/neighborhood.h"
#include "compare.h"

static const double sigma = 0.072, spacing = 1.0e-4;

enum
{
    count_max = 1000
};

typedef struct trial
{
    frz_sim *sim;
    int dimension, count;
    double x[count_max][3], acceleration[count_max][3]; // by number
    double energy;
} trial;

static trial t;

// A block of the lattice, shaken by a share of the spacing; others: more bodies of the scene.
static void begin(int dimension, const char *domain, const char *others, const int side[3], double disorder)
{
    uint64_t seed = 7;
    char text[1024], top[64];
    snprintf(top, sizeof top, dimension == 3 ? "%g, %g, %g" : "%g, %g", side[0] * spacing, side[1] * spacing,
             side[2] * spacing);
    snprintf(text, sizeof text,
             "{dimension: %d, spacing: %g, duration: 1, gravity: [0, 0%s], domain: %s, materials: {water: {density: "
             "1000, tension: {method: area, tension: %g, contact_angle: 60 deg}}}, bodies: [{name: water, state: "
             "liquid, material: water, shape: {box: {min: [0, 0%s], max: [%s]}}}%s]}",
             dimension, spacing, dimension == 3 ? ", 0" : "", domain, sigma, dimension == 3 ? ", 0" : "", top, others);
    t = (trial){.sim = core_sim(text, 1), .dimension = dimension};
    t.count = t.sim->state->particles.count[FRZ_ROLE_FREE];
    assert_greater_equal(t.count, side[0] * side[1] * side[2]);
    assert_less_equal(t.count, count_max);
    core_steps(t.sim, 1); // volumes of samples
    const frz_v4 *position = frz_field_v4(&t.sim->state->particles, FRZ_FIELD_ID_position);
    const int64_t *id = frz_field_i64(&t.sim->state->particles, FRZ_FIELD_ID_id);
    for (int i = 0; i < t.count; ++i)
        for (int a = 0; a < 3; ++a)
            t.x[id[i]][a] = (double)position[i][a];
    for (int i = 0; i < side[0] * side[1] * side[2]; ++i)
    {
        const int place[3] = {i % side[0], i / side[0] % side[1], i / side[0] / side[1]};
        for (int a = 0; a < dimension; ++a)
            t.x[i][a] = spacing * (place[a] + 0.5 + disorder * (core_random(&seed) - 0.5));
    }
}

// Energy and accelerations of the particles at x + share * move.
static void evaluate(const double (*move)[3], double share)
{
    frz_state *state = t.sim->state;
    frz_diag diag = {.status = FRZ_OK};
    const frz_instance *instance = NULL;
    frz_v4 *position = frz_field_v4(&state->particles, FRZ_FIELD_ID_position);
    const int64_t *id = frz_field_i64(&state->particles, FRZ_FIELD_ID_id);
    for (int i = 0; i < t.count; ++i)
        for (int a = 0; a < t.dimension; ++a)
            position[i][a] = (frz_real)(t.x[id[i]][a] + (move != NULL ? share * move[id[i]][a] : 0.0));
    for (int n = 0; n < t.sim->model->instance_count; ++n)
        if (t.sim->model->instances[n].method->slot == FRZ_SLOT_TENSION)
            instance = &t.sim->model->instances[n];
    assert_non_null(instance);
    assert_int_equal(frz_neighborhood_update(t.sim->model, state, &diag), FRZ_OK);
    frz_v4 *acceleration = frz_field_v4(&state->particles, FRZ_FIELD_ID_acceleration);
    for (int i = 0; i < t.count; ++i)
        acceleration[i] = frz_v4_zero();
    state->stats.surface_energy = 0.0;
    assert_int_equal(instance->method->run[FRZ_STAGE_FORCE](t.sim->model, state, instance, 1e-6, &diag), FRZ_OK);
    t.energy = state->stats.surface_energy;
    id = frz_field_i64(&state->particles, FRZ_FIELD_ID_id);
    for (int i = 0; i < t.count; ++i)
        for (int a = 0; a < 3; ++a)
            t.acceleration[id[i]][a] = (double)acceleration[i][a];
}

// Power of the forces on a motion against the difference of the energy, relative.
static double power_error(uint64_t seed)
{
    static double move[count_max][3];
    const double mass = 1000.0 * pow(spacing, t.dimension), share = 0.001 * spacing;
    double power = 0.0;
    for (int i = 0; i < t.count; ++i)
        for (int a = 0; a < t.dimension; ++a)
            move[i][a] = sin(0.6 * t.x[i][(a + 1) % t.dimension] / spacing + a) * (t.x[i][a] / spacing - 3.0) +
                         core_random(&seed) - 0.5;
    evaluate(NULL, 0.0);
    for (int i = 0; i < t.count; ++i)
        for (int a = 0; a < t.dimension; ++a)
            power += mass * t.acceleration[i][a] * move[i][a];
    evaluate((const double(*)[3])move, share);
    const double up = t.energy;
    evaluate((const double(*)[3])move, -share);
    const double difference = (up - t.energy) / (2.0 * share);
    print_message("%dD: power %.6g, energy %.6g\n", t.dimension, power, -difference);
    assert_greater(fabs(power), 0.0);
    return fabs(power + difference) / fabs(difference);
}

static const char *const open_domain[] = {"{min: [-1, -1], max: [1, 1]}", "{min: [-1, -1, -1], max: [1, 1, 1]}"};

static void forces_are_the_derivative_of_the_energy(void **state)
{
    (void)state;
    static const int plane[3] = {14, 14, 1}, space[3] = {8, 8, 8};
    begin(2, open_domain[0], "", plane, 0.4);
    assert_less(power_error(3), 3e-3);
    frz_sim_destroy(&t.sim);
    begin(3, open_domain[1], "", space, 0.4);
    assert_less(power_error(5), 3e-3);
    frz_sim_destroy(&t.sim);
}

static void forces_near_a_wall_are_the_derivative_of_the_energy(void **state)
{
    (void)state;
    static const int plane[3] = {14, 14, 1};
    begin(2, open_domain[0], ", {name: floor, state: static, shape: {box: {min: [-1 mm, -0.6 mm], max: [3 mm, 0]}}}",
          plane, 0.4);
    assert_less(power_error(3), 3e-3);
    frz_sim_destroy(&t.sim);
}

static double energy_on_floor(const char *floor)
{
    static const int plane[3] = {14, 14, 1};
    begin(2, open_domain[0], floor, plane, 0.4);
    evaluate(NULL, 0.0);
    frz_sim_destroy(&t.sim);
    return t.energy;
}

// Kernels are wider than the thin floor.
static void the_thickness_of_a_wall_does_not_matter(void **state)
{
    (void)state;
    const double thick =
        energy_on_floor(", {name: floor, state: static, shape: {box: {min: [-2 mm, -2 mm], max: [4 mm, 0]}}}");
    const double thin =
        energy_on_floor(", {name: floor, state: static, shape: {box: {min: [-2 mm, -0.2 mm], max: [4 mm, 0]}}}");
    print_message("energy on a thick floor %.9g, on a thin one %.9g\n", thick, thin);
    assert_less(fabs(thin - thick), 1e-3 * fabs(thick));
}

static void momentum_and_angular_momentum_are_kept(void **state)
{
    (void)state;
    static const int plane[3] = {14, 9, 1}, space[3] = {8, 6, 5};
    for (int dimension = 2; dimension <= 3; ++dimension)
    {
        begin(dimension, open_domain[dimension - 2], "", dimension == 3 ? space : plane, 0.5);
        evaluate(NULL, 0.0);
        double force[3] = {0.0, 0.0, 0.0}, moment[3] = {0.0, 0.0, 0.0}, size = 0.0;
        for (int i = 0; i < t.count; ++i)
            for (int a = 0; a < 3; ++a)
            {
                const int b = (a + 1) % 3, c = (a + 2) % 3;
                force[a] += t.acceleration[i][a];
                moment[a] += t.x[i][b] * t.acceleration[i][c] - t.x[i][c] * t.acceleration[i][b];
                size += fabs(t.acceleration[i][a]);
            }
        assert_greater(size, 0.0);
        for (int a = 0; a < 3; ++a)
        {
            assert_small(force[a], 1e-6 * size);
            assert_small(moment[a], 1e-6 * size * 10.0 * spacing);
        }
        frz_sim_destroy(&t.sim);
    }
}

static void a_flat_film_has_the_energy_tension_times_area_and_next_to_no_force(void **state)
{
    (void)state;
    static const int side[3] = {32, 16, 1};
    const double width = side[0] * spacing, unit = sigma / (1000.0 * spacing * spacing);
    begin(2, "{min: [0, -1], max: [3.2 mm, 1], periodic: [x]}", "", side, 0.0);
    evaluate(NULL, 0.0);
    print_message("energy over tension times area: %.4f\n", t.energy / (2.0 * sigma * width));
    assert_near(t.energy / (2.0 * sigma * width), 1.0, 0.01);
    for (int i = 0; i < t.count; ++i)
        assert_less(fabs(t.acceleration[i][0]) + fabs(t.acceleration[i][1]), 0.02 * unit);
    frz_sim_destroy(&t.sim);
}

// Forces on a block beside a box of 4 x 4 particles at a far place, over those without it.
static double change_by_far_liquid(const char *far)
{
    static const int side[3] = {14, 14, 1};
    static double alone[count_max][3];
    double change = 0.0, size = 0.0;
    begin(2, open_domain[0], "", side, 0.4);
    evaluate(NULL, 0.0);
    memcpy(alone, t.acceleration, sizeof alone);
    frz_sim_destroy(&t.sim);
    begin(2, open_domain[0], far, side, 0.4);
    evaluate(NULL, 0.0);
    for (int i = 0; i < side[0] * side[1]; ++i)
        for (int a = 0; a < 2; ++a)
        {
            change = fmax(change, fabs(t.acceleration[i][a] - alone[i][a]));
            size = fmax(size, fabs(alone[i][a]));
        }
    return change / size;
}

// The rigid motion that is taken out is that of all liquid together, and so not the same.
static void liquid_far_away_changes_nothing(void **state)
{
    (void)state;
    const char *const beside = ", {name: far, state: liquid, material: water, shape: {box: {min: [0.8, 0], max: "
                               "[0.8004, 0.0004]}}}";
    const char *const beyond = ", {name: far, state: liquid, material: water, shape: {box: {min: [0.8, 0.8], max: "
                               "[0.8004, 0.8004]}}}";
    assert_less(change_by_far_liquid(beside), 2e-3);
    assert_float_equal(t.sim->state->coarsest_tension, 0.0, 0.0);
    frz_sim_destroy(&t.sim);
    assert_greater(change_by_far_liquid(beyond), 0.0);
    assert_greater(t.sim->state->coarsest_tension, spacing);
    frz_sim_destroy(&t.sim);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forces_are_the_derivative_of_the_energy),
        cmocka_unit_test(forces_near_a_wall_are_the_derivative_of_the_energy),
        cmocka_unit_test(the_thickness_of_a_wall_does_not_matter),
        cmocka_unit_test(momentum_and_angular_momentum_are_kept),
        cmocka_unit_test(a_flat_film_has_the_energy_tension_times_area_and_next_to_no_force),
        cmocka_unit_test(liquid_far_away_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
