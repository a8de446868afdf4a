// SPDX-License-Identifier: MIT
// Room for what melts while it is compressed (sim/change_room.h): the density of the solid is no blow to the liquid.
#include "compare.h"
#include "core_trial.h"
#include "sim/change.h"

// A soft block stands under its weight, and its lower half melts: the liquid takes over the load where it is.
static void what_melts_under_a_load_is_not_blown_apart(void **state)
{
    (void)state;
    frz_sim *sim = core_sim("{dimension: 2, spacing: 0.02, duration: 10, time_step: {max: 1e-3}, materials: {jelly: "
                            "{density: 1000, viscosity: {method: weiler2018, viscosity: 50}, elastic: {method: "
                            "peer2018, young: 1e5, damping: 30}}}, bodies: [{name: block, state: elastic, material: "
                            "jelly, shape: {box: {min: [-0.2, 0], max: [0.2, 0.4]}}}, {name: floor, state: static, "
                            "friction: 0.5, shape: {box: {min: [-0.4, -0.06], max: [0.4, 0]}}}], events: [{at: 0.3, "
                            "do: melt, in: {box: {min: [-1, -1], max: [1, 0.2]}}}]}",
                            1);
    while (sim->state->changes.changed == 0)
        core_steps(sim, 1);
    const double before = core_energy(sim);
    double most = before;
    for (int step = 0; step < 200; ++step)
    {
        core_steps(sim, 1);
        most = fmax(most, core_energy(sim));
    }
    print_message("energy made %.3f J, %.3f J lost by melting\n", most - before, sim->state->changes.energy);
    assert_less(most - before, 0.1);
    frz_sim_destroy(&sim);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_melts_under_a_load_is_not_blown_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
