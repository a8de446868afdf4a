// SPDX-License-Identifier: MIT
// Small versions of the shipped scenes that melt and freeze.
// labels: numbers long
#include "core_trial.h"
#include "compare.h"

static frz_sim *small(const char *name, const char *spacing)
{
    frz_scene *scene = NULL;
    frz_sim *sim = NULL;
    frz_diag diag = {.status = FRZ_OK};
    frz_sim_def def = frz_sim_def_default();
    def.threads = 1;
    if (frz_scene_builtin(name, &scene, &diag) != FRZ_OK || frz_scene_set(scene, "spacing", spacing, &diag) != FRZ_OK ||
        frz_sim_create(scene, &def, &sim, &diag) != FRZ_OK)
        fail_msg("%s: %s", name, diag.message);
    frz_scene_destroy(&scene);
    return sim;
}

static void run_until(frz_sim *sim, double time)
{
    while (sim->state->time < time)
        core_steps(sim, 1);
}

// Particles of a phase, of one body of the scene or all (-1), and their mean height.
static int count_of(const frz_sim *sim, frz_phase phase, int origin, double *height)
{
    const frz_particles *particles = &sim->state->particles;
    const int32_t *from = frz_field_i32(particles, sim->state->fields.origin);
    int count = 0;
    *height = 0.0;
    for (int i = 0; i < particles->count[FRZ_ROLE_FREE]; ++i)
        if (frz_particles_phase(particles)[i] == phase && (origin < 0 || from[i] == origin))
        {
            *height += (double)frz_field_v4(particles, FRZ_FIELD_ID_position)[i][1];
            count += 1;
        }
    *height /= count > 0 ? count : 1;
    return count;
}

// Rigid bodies that are alive.
static int rigid_bodies(const frz_sim *sim)
{
    int count = 0;
    for (int b = 0; b < sim->state->bodies.count; ++b)
        count += frz_body_is(sim->state, b, FRZ_BODY_RIGID) && sim->state->bodies.identity[b].particles > 0;
    return count;
}

static int body_of_name(const frz_sim *sim, const char *wanted)
{
    char name[FRZ_BODY_NAME_SIZE];
    for (int b = 0; b < sim->state->bodies.count; ++b)
    {
        frz_bodies_name(sim->model, sim->state, b, name);
        if (strcmp(name, wanted) == 0)
            return b;
    }
    fail_msg("there is no body '%s'", wanted);
    return -1;
}

static void ice_cubes_float(void **state)
{
    (void)state;
    frz_sim *sim = small("ice_cubes", "6 mm");
    double ice, water;
    run_until(sim, 0.5);
    assert_greater(count_of(sim, FRZ_PHASE_RIGID, -1, &ice), 20);
    (void)count_of(sim, FRZ_PHASE_LIQUID, -1, &water);
    assert_greater(ice, water + 5e-3);
    frz_sim_destroy(&sim);
}

static void assert_melts_in_order(const char *scene, const char *spacing, double time, int least)
{
    frz_sim *sim = small(scene, spacing);
    double height;
    run_until(sim, time);
    const int left = count_of(sim, FRZ_PHASE_LIQUID, 0, &height), middle = count_of(sim, FRZ_PHASE_LIQUID, 1, &height),
              right = count_of(sim, FRZ_PHASE_LIQUID, 2, &height);
    assert_greater(left, middle);
    assert_greater(left, least);
    assert_greater_equal(middle, right);
    frz_sim_destroy(&sim);
}

static void figures_melt_in_the_order_of_their_melting_points(void **state)
{
    (void)state;
    assert_melts_in_order("demo", "8 mm", 1.6, 5);
}

static void figures_in_a_hot_bath_melt_in_the_order_of_their_melting_points(void **state)
{
    (void)state;
    assert_melts_in_order("three_figures", "9 mm", 3.2, 10);
}

// The wax that melts at the top runs down and freezes: on the saucer it is part of the candle again.
static void a_candle_burns_down_and_its_drops_freeze(void **state)
{
    (void)state;
    frz_sim *sim = small("candle", "6 mm");
    double height;
    const double before = core_center(sim, body_of_name(sim, "candle")).y;
    run_until(sim, 4.0);
    assert_greater(count_of(sim, FRZ_PHASE_LIQUID, -1, &height), 5);
    assert_less(core_center(sim, body_of_name(sim, "candle")).y, 0.85 * before);
    const frz_particles *particles = &sim->state->particles;
    int frozen = 0;
    for (int i = 0; i < particles->count[FRZ_ROLE_FREE]; ++i)
    {
        const frz_v4 x = frz_field_v4(particles, FRZ_FIELD_ID_position)[i];
        frozen += frz_particles_phase(particles)[i] == FRZ_PHASE_RIGID && hypot((double)x[0], (double)x[2]) > 0.018;
    }
    assert_greater(frozen, 5);
    frz_sim_destroy(&sim);
}

static void lava_carries_pieces_of_its_crust(void **state)
{
    (void)state;
    frz_sim *sim = small("lava", "12 cm");
    double crust, melt;
    run_until(sim, 8.5);
    assert_greater(count_of(sim, FRZ_PHASE_LIQUID, -1, &melt), 50);
    assert_greater(count_of(sim, FRZ_PHASE_RIGID, -1, &crust), 10);
    assert_greater(rigid_bodies(sim), 1);
    frz_sim_destroy(&sim);
}

static void blocks_on_the_hot_plate_are_rigid_elastic_and_liquid_at_once(void **state)
{
    (void)state;
    frz_sim *sim = small("hot_plate", "8 mm");
    double height;
    int all = 0;
    for (int n = 0; n < 20 && all == 0; ++n)
    {
        run_until(sim, 0.1 * (n + 1));
        all = count_of(sim, FRZ_PHASE_RIGID, -1, &height) > 0 && count_of(sim, FRZ_PHASE_ELASTIC, -1, &height) > 0 &&
              count_of(sim, FRZ_PHASE_LIQUID, -1, &height) > 0;
    }
    assert_int_equal(all, 1);
    frz_sim_destroy(&sim);
}

static void solder_makes_one_body_of_two_wires(void **state)
{
    (void)state;
    frz_sim *sim = small("solder", "2 mm");
    double height;
    assert_int_equal(rigid_bodies(sim), 2);
    run_until(sim, 0.3);
    assert_int_equal(rigid_bodies(sim), 1);
    assert_greater(count_of(sim, FRZ_PHASE_RIGID, 2, &height), 5); // of the drop
    frz_sim_destroy(&sim);
}

static void blocks_merge_with_heat_and_stay_distinct_without(void **state)
{
    (void)state;
    frz_sim *sim = small("past_each_other", "8 mm");
    double height;
    assert_int_equal(rigid_bodies(sim), 4);
    run_until(sim, 1.2);
    assert_greater(count_of(sim, FRZ_PHASE_LIQUID, -1, &height), 0);
    run_until(sim, 3.0);
    assert_int_equal(count_of(sim, FRZ_PHASE_LIQUID, -1, &height), 0);
    assert_int_equal(rigid_bodies(sim), 3);
    assert_true(frz_body_is(sim->state, body_of_name(sim, "front"), FRZ_BODY_RIGID));
    assert_true(frz_body_is(sim->state, body_of_name(sim, "front_moved"), FRZ_BODY_RIGID));
    // the cold one is passed and stays, the other one is taken along
    assert_small(sim->state->bodies.rigid[body_of_name(sim, "front")].position.x, 1e-3);
    assert_greater(core_center(sim, body_of_name(sim, "back_moved")).x, 20e-3);
    frz_sim_destroy(&sim);
}

// Mean distance of the drop's particles of a phase from its middle.
static double radius_of(const frz_sim *sim, frz_phase phase)
{
    const frz_particles *particles = &sim->state->particles;
    const frz_v4 *x = frz_field_v4(particles, FRZ_FIELD_ID_position);
    const int32_t *from = frz_field_i32(particles, sim->state->fields.origin);
    double middle[2] = {0.0, 0.0}, sum = 0.0;
    int all = 0, count = 0;
    for (int i = 0; i < particles->count[FRZ_ROLE_FREE]; ++i)
        for (int a = 0; a < 2 && from[i] == 0; ++a)
        {
            middle[a] += (double)x[i][a];
            all += a;
        }
    for (int i = 0; i < particles->count[FRZ_ROLE_FREE]; ++i)
        if (from[i] == 0 && frz_particles_phase(particles)[i] == phase)
        {
            sum += hypot((double)x[i][0] - middle[0] / all, (double)x[i][1] - middle[1] / all);
            count += 1;
        }
    assert_greater(count, 0);
    return sum / count;
}

static void a_hot_drop_in_cold_cream_freezes_to_a_shell(void **state)
{
    (void)state;
    frz_sim *sim = small("shell_in_cream", "4 mm");
    double height;
    run_until(sim, 2.4);
    assert_greater(count_of(sim, FRZ_PHASE_RIGID, 0, &height), 5); // few at this spacing
    assert_greater(count_of(sim, FRZ_PHASE_LIQUID, 0, &height), 10);
    assert_greater(radius_of(sim, FRZ_PHASE_RIGID), 1.2 * radius_of(sim, FRZ_PHASE_LIQUID));
    assert_less(rigid_bodies(sim), 8); // the shell in pieces: it is a layer thin
    frz_sim_destroy(&sim);
}

// The shell is carried and turned as a whole; its inside flows out and freezes below.
static void a_shell_is_emptied_and_its_inside_freezes_on_the_tray(void **state)
{
    (void)state;
    frz_sim *sim = small("shell_emptied", "3 mm");
    double height;
    const int shell = body_of_name(sim, "shell"), inside = body_of_name(sim, "inside");
    const int before = count_of(sim, FRZ_PHASE_ELASTIC, shell, &height),
              liquid = count_of(sim, FRZ_PHASE_LIQUID, inside, &height);
    run_until(sim, 4.0);
    assert_greater_equal(count_of(sim, FRZ_PHASE_ELASTIC, shell, &height), 0.8 * before);
    assert_greater(height, 0.1);
    const frz_particles *particles = &sim->state->particles;
    const int32_t *from = frz_field_i32(particles, sim->state->fields.origin);
    int out = 0, frozen = 0;
    for (int i = 0; i < particles->count[FRZ_ROLE_FREE]; ++i)
    {
        const frz_v4 x = frz_field_v4(particles, FRZ_FIELD_ID_position)[i];
        const bool below = from[i] == inside && x[0] > 0 && x[1] < (frz_real)0.06;
        out += below;
        frozen += below && frz_particles_phase(particles)[i] == FRZ_PHASE_ELASTIC;
    }
    assert_greater(out, 0.4 * liquid);
    assert_greater(frozen, 0.2 * liquid);
    frz_sim_destroy(&sim);
}

// Of the figures that are dipped, the one that comes out soon is whole and has a coat; the other one melts.
static void chocolate_coats_or_melts_by_the_time_of_dipping(void **state)
{
    (void)state;
    frz_sim *sim = small("chocolate_bunnies", "8 mm");
    double height;
    const int left = body_of_name(sim, "left"), right = body_of_name(sim, "right"), bath = body_of_name(sim, "bath");
    const int before = count_of(sim, FRZ_PHASE_RIGID, left, &height);
    assert_greater(before, 40);
    run_until(sim, 2.0);
    assert_int_equal(count_of(sim, FRZ_PHASE_RIGID, left, &height), before);
    assert_greater(height, 0.09);                                        // it is out of the bath
    assert_greater(count_of(sim, FRZ_PHASE_RIGID, bath, &height), 25);   // a closed coat
    assert_greater(sim->state->bodies.identity[left].particles, before); // the coat is of its body
    run_until(sim, 4.0);
    assert_less(count_of(sim, FRZ_PHASE_RIGID, right, &height), 0.75 * before);
    assert_int_equal(count_of(sim, FRZ_PHASE_RIGID, left, &height), before);
    frz_sim_destroy(&sim);
}

static void rigid_and_elastic_bodies_rest_on_elastic_ones(void **state)
{
    (void)state;
    frz_sim *sim = small("touching", "12 mm");
    const frz_state *s = sim->state;
    run_until(sim, 0.8);
    const double rigid = s->bodies.rigid[1].position.y;
    assert_greater(rigid, 0.07); // on the block of 0.06 m, which gives way
    assert_less(rigid, 0.10);
    double soft = 0.0;
    int count = 0;
    const int32_t *body = frz_field_i32(&s->particles, FRZ_FIELD_ID_body);
    for (int i = 0; i < s->particles.count[FRZ_ROLE_FREE]; ++i)
        if (body[i] == 3)
        {
            soft += (double)frz_field_v4(&s->particles, FRZ_FIELD_ID_position)[i][1];
            count += 1;
        }
    assert_greater(soft / count, 0.07);
    assert_less(soft / count, 0.10);
    frz_sim_destroy(&sim);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ice_cubes_float),
        cmocka_unit_test(figures_melt_in_the_order_of_their_melting_points),
        cmocka_unit_test(figures_in_a_hot_bath_melt_in_the_order_of_their_melting_points),
        cmocka_unit_test(a_candle_burns_down_and_its_drops_freeze),
        cmocka_unit_test(lava_carries_pieces_of_its_crust),
        cmocka_unit_test(blocks_on_the_hot_plate_are_rigid_elastic_and_liquid_at_once),
        cmocka_unit_test(solder_makes_one_body_of_two_wires),
        cmocka_unit_test(blocks_merge_with_heat_and_stay_distinct_without),
        cmocka_unit_test(a_hot_drop_in_cold_cream_freezes_to_a_shell),
        cmocka_unit_test(a_shell_is_emptied_and_its_inside_freezes_on_the_tray),
        cmocka_unit_test(chocolate_coats_or_melts_by_the_time_of_dipping),
        cmocka_unit_test(rigid_and_elastic_bodies_rest_on_elastic_ones),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
