// SPDX-License-Identifier: MIT
// labels: tsan
// Driven particles (sim/drivers.h): at the end of a step they have the velocities and places of their drivers, and what
// stages do to the particles of a body arrives at it.
#include <omp.h>

#include "core_trial.h"
#include "sim/bodies.h"
#include "sim/neighborhood.h"
#include "compare.h"

// A bar between a wall that moves and a block that spins, hit by the jet of an inlet.
static frz_sim *jet_sim(void)
{
    return core_sim(
        "{dimension: 2, spacing: 0.05, duration: 1, gravity: [0, -9.81], materials: {water: {density: 1000}, rubber: "
        "{density: 1200, elastic: {method: tlsph, young: 1e5}}}, bodies: [{name: bar, state: elastic, material: "
        "rubber, shape: {box: {min: [0, 0], max: [0.8, 0.2]}}}, {name: block, state: rigid, density: 700, velocity: "
        "[0.1, 0.2], angular_velocity: 2, shape: {box: {min: [0.8, -0.1], max: [1.1, 0.3]}}}], attachments: [{name: "
        "wall, motion: [{time: 0, position: [0, 0]}, {time: 1, position: [0.4, 0.1]}], shape: {box: {min: [-1, -1], "
        "max: "
        "[0.1, 1]}}}, {to: block, shape: {box: {min: [0.7, -1], max: [2, 1]}}}], emitters: [{name: jet, material: "
        "water, position: [0.4, 0.5], direction: [0, -1], speed: 2, width: 0.2}]}",
        2);
}

// Distance of v from wanted over the size of the terms.
static double off(frz_v4 v, frz_vec3 wanted, double size)
{
    const frz_vec3 have = frz_v3((double)v[0], (double)v[1], (double)v[2]);
    return frz_v3_length(frz_v3_sub(have, wanted)) / size;
}

static void driven_particles_end_a_step_as_their_drivers_want(void **unused)
{
    (void)unused;
    frz_sim *sim = jet_sim();
    core_steps(sim, 40);
    const frz_state *s = sim->state;
    const frz_v4 *x = frz_field_v4(&s->particles, FRZ_FIELD_ID_position);
    const frz_v4 *v = frz_field_v4(&s->particles, FRZ_FIELD_ID_velocity);
    const double rounding = 16.0 * (sizeof(frz_real) == 8 ? 2.3e-16 : 1.2e-7);
    const frz_rigid_body *block = &s->bodies.rigid[1];
    assert_greater(s->attachments.item[0].count, 0);
    assert_greater(s->attachments.item[1].count, 0);
    assert_greater(frz_v3_length(s->attachments.item[0].force), 1.0); // the jet and the block pull at the bar
    for (int k = 0; k < s->attachments.item[0].count; ++k)
    {
        const int slot = s->solids.slot[s->attachments.item[0].number[k]];
        assert_less(off(v[slot], frz_v3(0.4, 0.1, 0.0), 1.0), 1e-3); // a way, over a step
    }
    for (int k = 0; k < s->attachments.item[1].count; ++k)
    {
        const int e = s->attachments.item[1].number[k], slot = s->solids.slot[e];
        const frz_vec3 local = frz_v3_sub(frz_v3_of(s->solids.reference[e]), sim->model->bodies[1].position);
        const frz_vec3 place = frz_v3_add(block->position, frz_rigid_body_arm(block, local));
        assert_less(off(x[slot], place, 1.0), rounding);
        assert_less(off(v[slot], frz_rigid_body_velocity_at(block, place), 1.0), rounding);
    }
    int jet = 0;
    for (int i = 0; i < s->particles.count[FRZ_ROLE_FREE]; ++i)
        if (frz_emitters_inlet_of(sim->model, s, i) == 0 && (double)x[i][1] > 0.4)
        {
            assert_less(off(v[i], frz_v3(0.0, -2.0, 0.0), 2.0), rounding);
            jet += 1;
        }
    assert_greater_equal(jet, 4);
    frz_sim_destroy(&sim);
}

// A rigid body made of 60 x 40 particles, beside liquid.
static frz_sim *raft_sim(void)
{
    return core_sim(
        "{dimension: 2, spacing: 0.05, duration: 1, gravity: [0, -9.81], materials: {water: {density: 1000}, wood: "
        "{density: 400}}, bodies: [{name: pool, state: liquid, material: water, shape: {box: {min: [0, 3], max: [3, "
        "4]}}}, {name: raft, state: rigid, material: wood, fill: particles, velocity: [0.3, 0.1], angular_velocity: "
        "0.7, shape: {box: {min: [0, 0], max: [3, 2]}}}]}",
        2);
}

// Kicks of all particles as if by a stage, different for each.
static void kick(frz_state *s, frz_v4 *field, uint64_t seed)
{
    for (int i = 0; i < s->particles.count[FRZ_ROLE_FREE]; ++i)
        for (int a = 0; a < 2; ++a)
            field[i][a] += (frz_real)(core_random(&seed) - 0.4);
}

static void take_momenta(const frz_rigid_body *body, frz_vec3 *linear, frz_vec3 *angular)
{
    *linear = frz_v3_scale(body->mass, body->velocity);
    *angular = frz_rigid_body_angular_momentum(body, body->position);
}

// Expected change of the body by the kicks of a border.
static void check_border(frz_sim *sim, frz_border border, double dt)
{
    frz_state *s = sim->state;
    frz_diag diag = {.status = FRZ_OK};
    const bool force = border == FRZ_AFTER_FORCE;
    frz_v4 *velocity = frz_field_v4(&s->particles, FRZ_FIELD_ID_velocity);
    frz_v4 *acceleration = frz_field_v4(&s->particles, FRZ_FIELD_ID_acceleration);
    frz_vec3 p0, l0, p, l, dp = frz_v3(0.0, 0.0, 0.0), dl = dp;
    kick(s, force ? acceleration : velocity, 7u + (unsigned)border);
    for (int n = 0; n < s->attempt.drivers.count; ++n)
    {
        const frz_driven *d = &s->attempt.drivers.list[n];
        const frz_vec3 gravity = frz_v3(0.0, -9.81, 0.0);
        const frz_vec3 impulse = force
                                     ? frz_v3_scale(d->mass * dt, frz_v3_sub(frz_v3_of(acceleration[d->slot]), gravity))
                                     : frz_v3_scale(d->mass, frz_v3_of(velocity[d->slot] - d->velocity));
        dp = frz_v3_add(dp, impulse);
        dl = frz_v3_add(dl, frz_v3_cross(d->arm, impulse));
    }
    take_momenta(&s->bodies.rigid[1], &p0, &l0);
    assert_int_equal(frz_drivers_border(sim->model, s, dt, border, &diag), FRZ_OK);
    take_momenta(&s->bodies.rigid[1], &p, &l);
    assert_greater(frz_v3_length(dp), 1e-3);
    assert_greater(frz_v3_length(dl), 1e-3);
    assert_less(frz_v3_length(frz_v3_sub(frz_v3_sub(p, p0), dp)), 1e-11 * (frz_v3_length(p0) + frz_v3_length(dp)));
    assert_less(frz_v3_length(frz_v3_sub(frz_v3_sub(l, l0), dl)), 1e-11 * (frz_v3_length(l0) + frz_v3_length(dl)));
    for (int n = 0; n < s->attempt.drivers.count; ++n) // and they have its velocity again
    {
        const frz_driven *d = &s->attempt.drivers.list[n];
        const frz_vec3 at = frz_v3_add(s->bodies.rigid[1].velocity, frz_v3_cross(s->bodies.rigid[1].spin, d->arm));
        assert_less(off(velocity[d->slot], at, 1.0 + frz_v3_length(at)), 1e-6);
    }
}

// One pass over all borders; the body at its end.
static frz_rigid_body pass_borders(int threads)
{
    omp_set_num_threads(threads);
    const double dt = 1e-3;
    frz_diag diag = {.status = FRZ_OK};
    frz_sim *sim = raft_sim();
    frz_bodies_begin(sim->model, sim->state, dt);
    const frz_arena_mark mark = frz_arena_here(&sim->state->scratch);
    assert_int_equal(frz_neighborhood_update(sim->model, sim->state, &diag), FRZ_OK);
    assert_int_equal(frz_drivers_collect(sim->model, sim->state, &diag), FRZ_OK);
    const frz_drivers *drivers = &sim->state->attempt.drivers;
    assert_int_equal(drivers->count, 60 * 40);
    assert_int_equal(drivers->with_body, drivers->count);
    assert_greater(drivers->piece_count * FRZ_BLOCK, 60 * 40 - FRZ_BLOCK);
    for (int n = 1; n < drivers->count; ++n)
        assert_greater(drivers->list[n].slot, drivers->list[n - 1].slot);
    for (int border = FRZ_AFTER_FORCE; border <= FRZ_AFTER_FRICTION; ++border)
        check_border(sim, (frz_border)border, dt);
    const frz_rigid_body body = sim->state->bodies.rigid[1];
    frz_arena_release(&sim->state->scratch, mark);
    frz_sim_destroy(&sim);
    return body;
}

static void impulses_on_the_particles_of_a_body_arrive_at_it(void **unused)
{
    (void)unused;
    const int threads = omp_get_max_threads();
    const frz_rigid_body one = pass_borders(1);
    for (int n = 2; n <= 5; n += 3)
    {
        const frz_rigid_body other = pass_borders(n);
        assert_memory_equal(&one.velocity, &other.velocity, sizeof one.velocity);
        assert_memory_equal(&one.spin, &other.spin, sizeof one.spin);
    }
    omp_set_num_threads(threads);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(driven_particles_end_a_step_as_their_drivers_want),
        cmocka_unit_test(impulses_on_the_particles_of_a_body_arrive_at_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
