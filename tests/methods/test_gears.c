// SPDX-License-Identifier: MIT
// The shipped gears: wheels that turn each other by nothing but contacts.
#include "core_trial.h"
#include "compare.h"

static void gears_turn_each_other_by_contact_and_bind_nowhere(void **unused)
{
    (void)unused;
    frz_scene *scene = NULL;
    frz_sim *sim = NULL;
    frz_diag diag = {.status = FRZ_OK};
    frz_sim_def def = frz_sim_def_default();
    frz_stats stats = {0};
    frz_body_info bodies[3];
    double turned[3] = {0.0, 0.0, 0.0};
    int touching = 0, steps = 0;
    def.threads = 1;
    assert_int_equal(frz_scene_builtin("gears", &scene, &diag), FRZ_OK);
    assert_int_equal(frz_sim_create(scene, &def, &sim, &diag), FRZ_OK);
    frz_scene_destroy(&scene);
    assert_int_equal(frz_sim_body_count(sim), 3);
    for (; frz_sim_time(sim) < 1.0; ++steps)
    {
        const double before = frz_sim_time(sim);
        core_steps(sim, 1);
        frz_sim_stats(sim, &stats);
        assert_int_equal(frz_sim_bodies(sim, bodies), FRZ_OK);
        for (int b = 0; b < 3; ++b)
            turned[b] += (stats.time - before) * bodies[b].spin[2];
        touching += stats.contacts > 0;
    }
    assert_greater(4 * touching, steps);
    assert_near(turned[0], 1.5, 1e-3);
    assert_near(turned[1], -0.75, 0.03); // the play of the teeth is 0.013 rad of the wheel
    assert_near(turned[2], 1.5, 0.06);
    assert_less(stats.work, 40.0); // what turns has 15 J; gears that bind took 790 J
    frz_sim_destroy(&sim);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gears_turn_each_other_by_contact_and_bind_nowhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
