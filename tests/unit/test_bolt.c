// SPDX-License-Identifier: MIT
// A bolt in its nut at steps of 10 ms: with friction it rests, without it turns itself down as a screw must.
#include "rigid_trial.h"
#include "compare.h"

static const double spacing = 0.002, pitch = 0.006, step = 0.01;

static frz_shape *thread(double from, double to, double clearance)
{
    frz_diag diag;
    frz_shape *shape = NULL;
    const frz_thread_def def = {.from = {0.0, from, 0.0},
                                .to = {0.0, to, 0.0},
                                .radius = 0.012,
                                .pitch = pitch,
                                .depth = 0.003,
                                .clearance = clearance};
    // the angle of a thread counts from its end: whole pitches keep nut and bolt in step
    rigid_must(frz_shape_thread(&def, &shape, &diag), &diag);
    return shape;
}

/// Body 0 is the nut, body 1 the bolt.
static frz_rigid_world *make(double friction)
{
    frz_diag diag;
    frz_rigid_world *world = rigid_world(spacing, 9.81);
    const rigid_material material = {7800.0, friction, 0.0};
    frz_shape *nut[2] = {NULL, thread(-0.048, 0.048, 0.0003)};
    rigid_must(frz_shape_cylinder(frz_v3(0.0, -0.01, 0.0), frz_v3(0.0, 0.01, 0.0), 0.022, &nut[0], &diag), &diag);
    frz_shape *shape = NULL;
    rigid_must(frz_shape_take_combine(FRZ_SHAPE_DIFFERENCE, nut, 2, &shape, &diag), &diag);
    (void)rigid_take(world, shape, frz_v3(0.0, 0.0, 0.0), 0.0, frz_m3_zero(), material, spacing, 3, 1.0);
    frz_shape *bolt = thread(-0.018, 0.03, 0.0);
    const frz_moments moments = frz_shape_moments(bolt, 3);
    frz_rigid_body body;
    frz_rigid_def def = frz_rigid_def_default();
    def.density = material.density;
    rigid_must(frz_rigid_body_make(&def, &moments, 3, &body, &diag), &diag);
    (void)rigid_take(world, bolt, body.position, body.mass, body.inertia, material, spacing, 3, 1.0);
    return world;
}

static void a_bolt_rests_in_its_nut(void **state)
{
    (void)state;
    frz_rigid_world *world = make(0.3);
    const double start = world->bodies[1].position.y;
    // the second step makes an overlap of 0.05 spacings, of which a fifth is taken back per step: 0.4 s until nothing
    // of it is left
    rigid_run(world, step, 0.4);
    const frz_vec3 middle = world->bodies[1].position;
    assert_greater(start - middle.y, 0.0);
    assert_less(start - middle.y, 0.0008); // through the clearance: 0.35 mm along the axis
    rigid_run(world, step, 0.2);
    assert_less(frz_v3_length(frz_v3_sub(world->bodies[1].position, middle)), 1e-4 * spacing);
    assert_less(frz_contacts_stats(world->contacts).deepest, 0.02 * spacing); // what is left alone is half of that
    frz_rigid_world_destroy(&world);
}

/// Fall and turn go together, so m g k = (m k^2 + I) times the angular acceleration.
static void without_friction_it_is_a_screw(void **state)
{
    (void)state;
    frz_rigid_world *world = make(0.0);
    const frz_rigid_body *bolt = &world->bodies[1];
    const double k = pitch / (2.0 * rigid_pi), inertia = bolt->inertia.m[1][1];
    const double acceleration = 9.81 / (1.0 + inertia / (bolt->mass * k * k));
    rigid_run(world, step, 0.1); // down to the flanks
    const double height = bolt->position.y, speed = -k * bolt->spin.y, time = 0.15;
    double turned = 0.0;
    for (int n = 0; n < (int)lround(time / step); ++n)
    {
        rigid_run(world, step, step);
        turned += step * bolt->spin.y;
    }
    const double fallen = height - bolt->position.y, expected = speed * time + 0.5 * acceleration * time * time;
    assert_near(fallen / (-k * turned), 1.0, 0.03); // a pitch per turn
    // it wobbles in its clearance, and every touch takes some of that: 8 to 15 % behind at steps of 10 to 1 ms
    {
        assert_less(fallen, 1.02 * expected);
        assert_greater(fallen, 0.8 * expected);
    }
    frz_rigid_world_destroy(&world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_bolt_rests_in_its_nut),
        cmocka_unit_test(without_friction_it_is_a_screw),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
