// SPDX-License-Identifier: MIT
// Bodies that are moved by a schedule, a belt or a motor, and what they do to others: places, speeds, work.
#include "core_trial.h"
#include "compare.h"

static const double gravity = 9.81;

// A wall that follows keyframes pushes a box in front of it, without a gap and no further than it goes.
static void a_scheduled_body_pushes_a_free_one(void **unused)
{
    (void)unused;
    frz_sim *sim = core_sim(
        "dimension: 2\nspacing: 0.02\nduration: 9\ntime_step: 4 ms\nbodies:\n"
        "  - {name: floor, state: static, friction: 0.5, shape: {box: {min: [-1, -0.06], max: [1, 0]}}}\n"
        "  - {name: box, state: rigid, density: 500, friction: 0.5, shape: {box: {min: [0, 0], max: [0.1, 0.1]}}}\n"
        "  - {name: wall, state: static, friction: 0, shape: {box: {min: [-0.12, 0.01], max: [-0.02, 0.15]}},\n"
        "     motion: [{time: 0}, {time: 0.4, position: [0.2, 0]}, {time: 0.5, position: [0.1, 0]}]}\n",
        1);
    core_steps(sim, 200);
    const frz_rigid_body *box = &sim->state->bodies.rigid[1];
    // 0.18 m with the wall at 0.5 m/s, then v^2 / (2 mu g) by itself
    const double way = 0.18 + 0.25 / (2.0 * 0.5 * gravity);
    assert_near(box->position.x - 0.05, way, 0.02 * way);
    assert_less(frz_v3_length(box->velocity), 1e-3);
    frz_sim_destroy(&sim);
}

// On a belt a box gains mu g in speed, the friction of Coulomb, until it goes with the belt.
static void a_belt_takes_a_box_along_as_coulomb_says(void **unused)
{
    (void)unused;
    frz_sim *sim = core_sim(
        "dimension: 2\nspacing: 0.02\nduration: 9\ntime_step: 2 ms\ndomain: {min: [-3, -1], max: [3, 1]}\nbodies:\n"
        "  - {name: belt, state: static, friction: 0.2, shape: {box: {min: [-1.8, -0.06], max: [0.5, 0]}},\n"
        "     motion: [{time: 0}, {time: 1, position: [1, 0]}]}\n"
        "  - {name: box, state: rigid, density: 500, friction: 0.2, shape: {box: {min: [0, 0], max: [0.2, 0.1]}}}\n",
        1);
    core_steps(sim, 150);
    const frz_rigid_body *box = &sim->state->bodies.rigid[1];
    assert_near(box->velocity.x / (0.2 * gravity * 0.3), 1.0, 0.02);
    core_steps(sim, 200); // t = 0.7 s, beyond the 0.51 s that it takes to 1 m/s
    assert_near(box->velocity.x, 1.0, 0.01);
    assert_near(box->position.y, 0.05, 0.1 * 0.02);
    frz_sim_destroy(&sim);
}

static double kinetic(const frz_rigid_body *body)
{
    return 0.5 * body->mass * frz_v3_dot(body->velocity, body->velocity) +
           0.5 * frz_v3_dot(body->spin, frz_m3_apply(body->inertia, body->spin));
}

// The work of a constant torque is torque times angle. A wheel on a hinge drives another one by a gear and lifts a
// weight by a rack (a gear with a slider): all of the work is in their speeds and in the height.
static void the_work_of_a_motor_is_the_energy_of_what_it_drives(void **unused)
{
    (void)unused;
    frz_sim *sim = core_sim(
        "dimension: 2\nspacing: 0.02\nduration: 9\ntime_step: 1 ms\nbodies:\n"
        "  - {name: motor, state: rigid, density: 800, hinge: [0, 0], torque: 8, shape: {sphere: {center: [0, 0], "
        "radius: "
        "0.1}}}\n"
        "  - {name: wheel, state: rigid, density: 500, hinge: [0.5, 0], shape: {sphere: {center: [0.5, 0], radius: "
        "0.2}}}\n"
        "  - {name: weight, state: rigid, mass: 5, slider: [0, 1], shape: {box: {center: [1, 0], size: [0.1, 0.1]}}}\n"
        "joints:\n"
        "  - {type: gear, bodies: [motor, wheel], ratio: -0.5}\n"
        "  - {type: gear, bodies: [motor, weight], ratio: 0.1}\n",
        1);
    double angle = 0.0, energy = 0.0;
    const double start = sim->state->bodies.rigid[2].position.y;
    for (int n = 0; n < 1000; ++n)
    {
        const double before = sim->state->bodies.rigid[0].spin.z;
        core_steps(sim, 1);
        angle += 0.5 * sim->state->stats.dt * (before + sim->state->bodies.rigid[0].spin.z);
    }
    for (int b = 0; b < 3; ++b)
        energy += kinetic(&sim->state->bodies.rigid[b]);
    const double lifted = sim->state->bodies.rigid[2].position.y - start;
    energy += 5.0 * gravity * lifted;
    assert_greater(lifted, 0.1);
    if (!(fabs(8.0 * angle / energy - 1.0) < 0.01))
        fail_msg("the motor's work is %g J, the energy %g J", 8.0 * angle, energy);
    frz_sim_destroy(&sim);
}

// A driven wheel keeps its spin whatever it lifts, and a joint to it does the work.
static void a_driven_wheel_lifts_a_weight_at_its_own_pace(void **unused)
{
    (void)unused;
    frz_sim *sim = core_sim(
        "dimension: 2\nspacing: 0.02\nduration: 9\ntime_step: 1 ms\nbodies:\n"
        "  - {name: winch, state: rigid, density: 800, hinge: [0, 0], driven: true, angular_velocity: 3, shape: "
        "{sphere: "
        "{center: [0, 0], radius: 0.1}}}\n"
        "  - {name: weight, state: rigid, mass: 50, slider: [0, 1], shape: {box: {center: [1, 0], size: [0.1, 0.1]}}}\n"
        "joints:\n"
        "  - {type: gear, bodies: [winch, weight], ratio: 0.1}\n",
        1);
    core_steps(sim, 500);
    assert_near(sim->state->bodies.rigid[0].spin.z, 3.0, 1e-12);
    assert_near(sim->state->bodies.rigid[1].position.y, 0.1 * 3.0 * 0.5, 1e-6);
    assert_near(sim->state->bodies.rigid[1].velocity.y, 0.3, 1e-6);
    frz_sim_destroy(&sim);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_scheduled_body_pushes_a_free_one),
        cmocka_unit_test(a_belt_takes_a_box_along_as_coulomb_says),
        cmocka_unit_test(the_work_of_a_motor_is_the_energy_of_what_it_drives),
        cmocka_unit_test(a_driven_wheel_lifts_a_weight_at_its_own_pace),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
