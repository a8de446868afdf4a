// SPDX-License-Identifier: MIT
// Small versions of the shipped scenes that melt and freeze.
// labels: numbers
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
    const int32_t *from = frz_field_i32(particles, sim->state->origin_field);
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

static void figures_melt_in_the_order_of_their_melting_points(void **state)
{
    (void)state;
    frz_sim *sim = small("demo", "8 mm");
    double height;
    run_until(sim, 1.6);
    const int left = count_of(sim, FRZ_PHASE_LIQUID, 0, &height), middle = count_of(sim, FRZ_PHASE_LIQUID, 1, &height),
              right = count_of(sim, FRZ_PHASE_LIQUID, 2, &height);
    assert_greater(left, middle);
    assert_greater(left, 5);
    assert_greater_equal(middle, right);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ice_cubes_float),
        cmocka_unit_test(figures_melt_in_the_order_of_their_melting_points),
        cmocka_unit_test(blocks_on_the_hot_plate_are_rigid_elastic_and_liquid_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
