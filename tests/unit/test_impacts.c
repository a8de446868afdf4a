// SPDX-License-Identifier: MIT
// Impacts at several contacts at once: from ball to ball, shared by equals, without gain of energy.
#include "rigid_trial.h"
#include "compare.h"

static const double spacing = 0.01;
static const double radius = 0.05;
static const double dt = 0.002;

static double kinetic(const frz_rigid_world *world)
{
    double sum = 0.0;
    for (int b = 0; b < world->count; ++b)
        sum += world->bodies[b].mass > 0.0 ? frz_rigid_body_energy(&world->bodies[b]) : 0.0;
    return sum;
}

/// Touching balls in a row along x, of which the first ones come with 1 m/s from a distance.
static frz_rigid_world *make_cradle(int count, int coming, double restitution)
{
    frz_rigid_world *world = rigid_world(spacing, 0.0);
    for (int n = 0; n < count; ++n)
    {
        const double x = 2.0 * radius * n - (n < coming ? 0.03 : 0.0);
        const int b =
            rigid_sphere(world, frz_v3(x, 0.0, 0.0), radius, (rigid_material){1000.0, 0.2, restitution}, spacing);
        world->bodies[b].velocity.x = n < coming ? 1.0 : 0.0;
    }
    return world;
}

static void a_cradle_lets_go_as_many_balls_as_came(void **state)
{
    (void)state;
    for (int coming = 1; coming <= 3; ++coming)
    {
        frz_rigid_world *world = make_cradle(5, coming, 1.0);
        const double energy = kinetic(world);
        rigid_run(world, dt, 0.1);
        for (int n = 0; n < 5; ++n)
            assert_near(world->bodies[n].velocity.x, (n >= 5 - coming ? 1.0 : 0.0), 1e-4);
        assert_near(kinetic(world) / energy, 1.0, 1e-4);
        frz_rigid_world_destroy(&world);
    }
}

static void restitution_below_one_is_that_of_every_impact(void **state)
{
    (void)state;
    const double e = 0.9;
    frz_rigid_world *world = make_cradle(5, 1, e);
    rigid_run(world, dt, 0.1);
    double momentum = 0.0;
    for (int n = 0; n < 5; ++n)
        momentum += world->bodies[n].velocity.x;
    assert_near(momentum, 1.0, 1e-9);
    assert_near(world->bodies[4].velocity.x, pow(0.5 * (1.0 + e), 4.0), 0.01);
    frz_rigid_world_destroy(&world);
}

static void two_balls_that_are_hit_at_once_fly_alike(void **state)
{
    (void)state;
    frz_rigid_world *world = rigid_world(spacing, 0.0);
    const rigid_material ivory = {1000.0, 0.0, 1.0};
    (void)rigid_sphere(world, frz_v3(0.0, radius, 0.0), radius, ivory, spacing);
    (void)rigid_sphere(world, frz_v3(0.0, -radius, 0.0), radius, ivory, spacing);
    const int cue = rigid_sphere(world, frz_v3(-0.25, 0.0, 0.0), radius, ivory, spacing);
    world->bodies[cue].velocity.x = 1.0;
    const double energy = kinetic(world);
    rigid_run(world, dt, 0.4);
    const frz_rigid_body *b = world->bodies;
    // along the lines of centres, at 30 degrees: 2 sqrt(3) / 5 each; the cue ball comes back with 1 / 5
    assert_near(b[0].velocity.x, 0.6, 0.01);
    assert_near(b[0].velocity.x, b[1].velocity.x, 1e-4);
    assert_small(b[0].velocity.y + b[1].velocity.y, 1e-4);
    assert_greater(b[0].velocity.y, 0.3);
    assert_small(b[cue].velocity.x + 0.2, 0.02);
    assert_near(kinetic(world) / energy, 1.0, 1e-4);
    frz_rigid_world_destroy(&world);
}

static void a_box_that_falls_flat_comes_back_as_its_restitution_says(void **state)
{
    (void)state;
    frz_rigid_world *world = rigid_world(spacing, 0.0);
    rigid_ground(world, 0.0, 0.3, 0.3, spacing);
    const int box = rigid_box(world, frz_v3(0.0, 0.12, 0.0), frz_v3(0.05, 0.05, 0.05), frz_quat_identity(),
                              (rigid_material){1000.0, 0.3, 0.5}, spacing);
    world->bodies[box].velocity.y = -1.0;
    rigid_run(world, dt, 0.1);
    assert_near(world->bodies[box].velocity.y, 0.5, 1e-3);
    assert_less(frz_v3_length(world->bodies[box].spin), 1e-3);
    frz_rigid_world_destroy(&world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cradle_lets_go_as_many_balls_as_came),
        cmocka_unit_test(restitution_below_one_is_that_of_every_impact),
        cmocka_unit_test(two_balls_that_are_hit_at_once_fly_alike),
        cmocka_unit_test(a_box_that_falls_flat_comes_back_as_its_restitution_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
