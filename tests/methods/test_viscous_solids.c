// SPDX-License-Identifier: MIT
// Solids of a material that is viscous when it is liquid: its viscosity is none of theirs, and does not make energy at
// bodies of implicit methods.
#include "compare.h"
#include "core_trial.h"

static const char *const viscosities[] = {
    "",
    ", viscosity: {method: weiler2018, viscosity: 100}",
    ", viscosity: {method: morris1997, viscosity: 1}",
    ", viscosity: {method: mueller2003, viscosity: 1}",
    ", viscosity: {method: peer2015, shear_time: 0.01}",
    ", viscosity: {method: xsph, coefficient: 0.3}",
};

enum
{
    viscosity_count = sizeof viscosities / sizeof viscosities[0]
};

// Two blocks, elastic and rigid of particles, fall onto a floor and slide, one onto the other.
static frz_sim *make_blocks(const char *viscosity)
{
    char text[1024];
    snprintf(
        text, sizeof text,
        "{dimension: 2, spacing: 0.05, duration: 10, time_step: 1 ms, materials: {wax: {density: 1000, elastic: "
        "{method: peer2018, young: 1e5}%s}}, bodies: [{name: soft, state: elastic, material: wax, velocity: [1, 0], "
        "shape: {box: {min: [0, 0], max: [0.3, 0.3]}}}, {name: hard, state: rigid, fill: particles, material: wax, "
        "velocity: [1, 0], shape: {box: {min: [0, 0.3], max: [0.3, 0.5]}}}, {name: floor, state: static, shape: "
        "{box: {min: [-2, -0.2], max: [3, 0]}}}]}",
        viscosity);
    return core_sim(text, 1);
}

static void solids_alone_do_not_feel_the_viscosity_of_their_melt(void **state)
{
    (void)state;
    enum
    {
        particles = 60
    };
    frz_v4 plain[particles];
    for (int n = 0; n < viscosity_count; ++n)
    {
        frz_sim *sim = make_blocks(viscosities[n]);
        core_steps(sim, 100);
        const frz_particles *p = &sim->state->particles;
        assert_int_equal(p->count[FRZ_ROLE_FREE], particles);
        assert_true(sim->state->stats.max_speed > 0.0);
        const frz_v4 *velocity = frz_field_v4(p, FRZ_FIELD_ID_velocity);
        const int64_t *id = frz_field_i64(p, FRZ_FIELD_ID_id);
        for (int i = 0; i < particles; ++i)
        {
            if (n == 0)
                plain[id[i]] = velocity[i];
            for (int a = 0; a < 3; ++a)
                assert_true(plain[id[i]][a] == velocity[i][a]);
        }
        frz_sim_destroy(&sim);
    }
}

static double energy_of(frz_sim *sim)
{
    frz_energies e;
    frz_diag diag = {.status = FRZ_OK};
    assert_int_equal(frz_sim_energies(sim, &e, &diag), FRZ_OK);
    return e.kinetic + e.potential + e.elastic + sim->state->changes.energy;
}

// A soft block stands on a floor and melts from below, layer by layer; steps are as long as they may be.
static void a_block_that_melts_in_long_steps_makes_no_energy(void **state)
{
    (void)state;
    frz_sim *sim = core_sim(
        "{dimension: 2, spacing: 0.02, duration: 10, materials: {caramel: {density: 1000, elastic: {method: peer2018, "
        "young: 1e5, damping: 1}, viscosity: {method: weiler2018, viscosity: 150}}}, bodies: [{name: block, state: "
        "elastic, material: caramel, shape: {box: {min: [-0.2, 0], max: [0.2, 0.4]}}}, {name: floor, state: static, "
        "friction: 0.5, shape: {box: {min: [-0.6, -0.06], max: [0.6, 0]}}}], events: [{at: 0.2, every: 0.05, do: melt, "
        "in: {box: {min: [-1, -1], max: [1, 0]}}, velocity: [0, 0.15]}]}",
        1);
    double lowest = HUGE_VAL, rise = 0.0, moved = 0.0;
    frz_diag diag = {.status = FRZ_OK};
    while (sim->state->time < 1.0)
    {
        assert_int_equal(frz_sim_step(sim, 1.0, &diag), FRZ_OK);
        const double now = energy_of(sim);
        lowest = fmin(lowest, now);
        rise = fmax(rise, now - lowest);
        moved = fmax(moved, 0.5 * 160.0 * sim->state->stats.max_speed * sim->state->stats.max_speed);
    }
    assert_true(sim->state->changes.changed > 100); // it did melt
    print_message("energy made %.4f J, of %.3f J of motion\n", rise, moved);
    assert_less(rise, 0.01 * moved);
    frz_sim_destroy(&sim);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(solids_alone_do_not_feel_the_viscosity_of_their_melt),
        cmocka_unit_test(a_block_that_melts_in_long_steps_makes_no_energy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
