// SPDX-License-Identifier: MIT
// labels: tsan
// Contacts between rigid bodies: sticking, sliding, stacking, rolling, bouncing.
#include "rigid_trial.h"
#include "compare.h"

static const double spacing = 0.02;
static const double gravity = 9.81;

/// A block on a plane of 30 degrees; gravity is inclined instead of the plane. Returns the block's number.
static frz_rigid_world *make_slope(double friction)
{
    frz_rigid_world *world = rigid_world(spacing, 0.0);
    world->gravity = frz_v3(gravity * sin(rigid_pi / 6.0), -gravity * cos(rigid_pi / 6.0), 0.0);
    rigid_ground(world, 0.0, friction, 0.3, spacing);
    rigid_box(world, frz_v3(0.0, 0.05, 0.0), frz_v3(0.1, 0.05, 0.1), frz_quat_identity(),
              (rigid_material){1000.0, friction, 0.0}, spacing);
    return world;
}

static void a_block_sticks_on_a_slope_without_creeping(void **state)
{
    (void)state;
    frz_rigid_world *world = make_slope(0.6);
    rigid_run(world, 0.01, 0.1);
    const frz_vec3 start = world->bodies[1].position;
    rigid_run(world, 0.01, 1.0);
    const double creep = frz_v3_length(frz_v3_sub(world->bodies[1].position, start));
    assert_less(creep, 1e-3 * spacing); // measured: rounding
    frz_rigid_world_destroy(&world);
}

static void a_block_slides_down_a_slope_as_coulomb_says(void **state)
{
    (void)state;
    for (int trial = 0; trial < 2; ++trial)
    {
        frz_rigid_world *world = make_slope(0.3);
        rigid_run(world, trial == 0 ? 0.01 : 0.0025, 0.5);
        const double expected = gravity * (sin(rigid_pi / 6.0) - 0.3 * cos(rigid_pi / 6.0)) * 0.5; // 2.356 m/s^2
        assert_near(world->bodies[1].velocity.x, expected, 0.002 * expected);
        assert_small(world->bodies[1].velocity.y, 1e-4);
        frz_rigid_world_destroy(&world);
    }
}

static frz_rigid_world *make_stack(int count)
{
    frz_rigid_world *world = rigid_world(spacing, gravity);
    rigid_ground(world, 0.0, 0.5, 0.2, spacing);
    for (int n = 0; n < count; ++n)
        rigid_box(world, frz_v3(0.0, 0.1 * n + 0.05, 0.0), frz_v3(0.05, 0.05, 0.05), frz_quat_identity(),
                  (rigid_material){1000.0, 0.5, 0.0}, spacing);
    return world;
}

static void ten_boxes_stand_on_each_other(void **state)
{
    (void)state;
    frz_rigid_world *world = make_stack(10);
    rigid_run(world, 0.01, 2.0);
    for (int n = 0; n < 10; ++n)
    {
        const frz_vec3 moved = frz_v3_sub(world->bodies[n + 1].position, frz_v3(0.0, 0.1 * n + 0.05, 0.0));
        assert_less(frz_v3_length(moved), 1e-3 * spacing);
    }
    const frz_contact_stats stats = frz_contacts_stats(world->contacts);
    assert_less(stats.deepest, 1e-3 * spacing);
    assert_int_equal(stats.contacts, 40); // the corners
    frz_rigid_world_destroy(&world);
}

static frz_rigid_world *stack_that_is_hit(void)
{
    frz_rigid_world *world = make_stack(3);
    rigid_box(world, frz_v3(0.4, 0.2, 0.0), frz_v3(0.05, 0.04, 0.06), frz_quat_axis_angle(frz_v3(1.0, 2.0, 3.0), 1.0),
              (rigid_material){1000.0, 0.5, 0.3}, spacing);
    world->bodies[4].velocity = frz_v3(-1.0, 0.0, 0.0);
    rigid_run(world, 0.005, 0.5);
    return world;
}

static void the_bits_do_not_depend_on_threads(void **state)
{
    (void)state;
    rigid_assert_threads_change_nothing(stack_that_is_hit);
}

static void a_ball_rolls_on_as_it_did(void **state)
{
    (void)state;
    frz_rigid_world *world = rigid_world(spacing, gravity);
    rigid_ground(world, 0.0, 0.5, 0.3, spacing);
    const int ball = rigid_sphere(world, frz_v3(-0.2, 0.1, 0.0), 0.1, (rigid_material){1000.0, 0.5, 0.0}, spacing);
    world->bodies[ball].velocity = frz_v3(0.3, 0.0, 0.0);
    world->bodies[ball].spin = frz_v3(0.0, 0.0, -3.0);
    rigid_run(world, 0.005, 1.0);
    assert_near(world->bodies[ball].velocity.x, 0.3, 0.003);
    assert_small(world->bodies[ball].position.z, 0.1 * spacing);
    assert_near(world->bodies[ball].position.y, 0.1, 0.01 * spacing);
    frz_rigid_world_destroy(&world);
}

/// Rolls a cylinder or a ring with an axis along z for 0.8 s and checks that it keeps its speed.
static void assert_rolls_on(double length, double hollow)
{
    frz_diag diag;
    frz_rigid_world *world = rigid_world(spacing, gravity);
    rigid_ground(world, 0.0, 0.5, 0.3, spacing);
    const double radius = 0.1, speed = 1.0;
    const frz_vec3 center = {-0.4, radius, 0.007}, half = {0.0, 0.0, 0.5 * length}, more = {0.0, 0.0, length};
    frz_shape *shape = NULL, *parts[2] = {NULL, NULL};
    rigid_must(frz_shape_cylinder(frz_v3_sub(center, half), frz_v3_add(center, half), radius, &parts[0], &diag), &diag);
    shape = parts[0];
    if (hollow > 0.0)
    {
        rigid_must(frz_shape_cylinder(frz_v3_sub(center, more), frz_v3_add(center, more), hollow, &parts[1], &diag),
                   &diag);
        rigid_must(frz_shape_take_combine(FRZ_SHAPE_DIFFERENCE, parts, 2, &shape, &diag), &diag);
    }
    const double mass = 1.0, squares = radius * radius + hollow * hollow;
    const double across = mass * (0.25 * squares + length * length / 12.0);
    const int body = rigid_take(world, shape, center, mass, frz_m3_diagonal(across, across, 0.5 * mass * squares),
                                (rigid_material){1000.0, 0.5, 0.0}, spacing, 3, 100.0);
    world->bodies[body].velocity = frz_v3(speed, 0.0, 0.0);
    world->bodies[body].spin = frz_v3(0.0, 0.0, -speed / radius);
    rigid_run(world, 0.005, 0.8);
    assert_greater(world->bodies[body].position.x, 0.3);
    assert_near(world->bodies[body].velocity.x, speed, 0.001 * speed);
    assert_near(world->bodies[body].position.y, radius, 0.01 * spacing);
    frz_rigid_world_destroy(&world);
}

static void cylinders_and_rings_roll_on_as_they_did(void **state)
{
    (void)state;
    assert_rolls_on(0.2, 0.0);
    assert_rolls_on(0.01, 0.0);  // a coin on its edge: half a spacing thick
    assert_rolls_on(0.2, 0.08);  // a wall of one spacing, whose triangles have edges where there are none
    assert_rolls_on(0.2, 0.069); // samples of one side only
}

static void collisions_keep_momentum_and_give_back_the_right_speed(void **state)
{
    (void)state;
    const double shares[] = {1.0, 0.5, 0.0};
    for (int trial = 0; trial < 3; ++trial)
    {
        frz_rigid_world *world = rigid_world(0.01, 0.0);
        const rigid_material material = {1000.0, 0.2, shares[trial]};
        rigid_sphere(world, frz_v3(0.0, 0.0, 0.0), 0.05, material, 0.01);
        rigid_sphere(world, frz_v3(0.12, 0.03, 0.01), 0.05, material, 0.01);
        frz_rigid_body *b = world->bodies;
        b[0].velocity = frz_v3(1.0, 0.0, 0.0);
        double came = 0.0, left = 0.0;
        for (int n = 0; n < 60; ++n)
        {
            const frz_vec3 axis = frz_v3_normalize(frz_v3_sub(b[1].position, b[0].position));
            const double before = frz_v3_dot(axis, frz_v3_sub(b[1].velocity, b[0].velocity));
            rigid_run(world, 0.002, 0.002);
            const double after = frz_v3_dot(axis, frz_v3_sub(b[1].velocity, b[0].velocity));
            if (after - before > 0.1)
            {
                came = before;
                left = after;
            }
        }
        assert_less(came, -0.5);
        assert_near(left / -came, shares[trial], 0.01);
        const frz_vec3 momentum = frz_v3_add(b[0].velocity, b[1].velocity);
        assert_near(momentum.x, 1.0, 1e-13);
        assert_small(momentum.y, 1e-13);
        assert_small(momentum.z, 1e-13);
        const frz_vec3 turning = frz_v3_add(
            frz_v3_scale(0.4 * 0.05 * 0.05, frz_v3_add(b[0].spin, b[1].spin)),
            frz_v3_add(frz_v3_cross(b[0].position, b[0].velocity), frz_v3_cross(b[1].position, b[1].velocity)));
        assert_less(frz_v3_length(turning), 1e-13); // the first ball's path went through the origin
        frz_rigid_world_destroy(&world);
    }
}

static void overlapping_bodies_are_pushed_apart_gently(void **state)
{
    (void)state;
    frz_rigid_world *world = rigid_world(spacing, 0.0);
    const rigid_material material = {1000.0, 0.5, 0.0};
    for (int n = 0; n < 2; ++n)
        rigid_box(world, frz_v3(0.08 * n, 0.0, 0.0), frz_v3(0.05, 0.05, 0.05), frz_quat_identity(), material, spacing);
    rigid_run(world, 0.01, 0.01);
    assert_int_equal(frz_contacts_stats(world->contacts).overlapping, 1);
    for (int n = 0; n < 100; ++n)
    {
        const double before = world->bodies[1].position.x - world->bodies[0].position.x;
        rigid_run(world, 0.01, 0.01);
        const double after = world->bodies[1].position.x - world->bodies[0].position.x;
        assert_less_equal(after - before, 1.01 * 10.0 * spacing * 0.01);
        assert_greater_equal(after, before - 1e-12);
        assert_less(rigid_energy(world), 1e-12);
    }
    const double distance = world->bodies[1].position.x - world->bodies[0].position.x;
    assert_near(distance, 0.1, 0.1 * spacing);
    frz_rigid_world_destroy(&world);
}

/// Two bodies deeper in each other than their points can see: reported, and apart after a while without energy.
static void assert_come_apart(frz_rigid_world *world)
{
    rigid_run(world, 0.01, 0.01);
    assert_int_equal(frz_contacts_stats(world->contacts).overlapping, 1);
    for (int n = 0; n < 200; ++n)
    {
        rigid_run(world, 0.01, 0.01);
        assert_less(rigid_energy(world), 1e-12);
    }
    assert_less(frz_contacts_stats(world->contacts).deepest, 0.1 * spacing);
    frz_rigid_world_destroy(&world);
}

static void bodies_deep_inside_each_other_come_apart(void **state)
{
    (void)state;
    const rigid_material fixed = {0.0, 0.5, 0.0}, free = {1000.0, 0.5, 0.0};
    const frz_vec3 half = {0.05, 0.05, 0.05};
    frz_rigid_world *world = rigid_world(spacing, 0.0);
    rigid_box(world, frz_v3(0.0, 0.0, 0.0), half, frz_quat_identity(), free, spacing);
    rigid_box(world, frz_v3(0.05, 0.03, 0.0), half, frz_quat_identity(), free, spacing);
    assert_come_apart(world);
    // at the same place
    world = rigid_world(spacing, 0.0);
    rigid_box(world, frz_v3(0.0, 0.0, 0.0), half, frz_quat_identity(), free, spacing);
    rigid_box(world, frz_v3(0.0, 0.0, 0.0), half, frz_quat_identity(), free, spacing);
    assert_come_apart(world);
    // one in the other
    world = rigid_world(spacing, 0.0);
    rigid_box(world, frz_v3(0.0, 0.0, 0.0), half, frz_quat_identity(), free, spacing);
    rigid_box(world, frz_v3(0.0, 0.0, 0.0), frz_v3(0.03, 0.03, 0.03), frz_quat_identity(), free, spacing);
    assert_come_apart(world);
    // half through a plate
    world = rigid_world(spacing, 0.0);
    rigid_box(world, frz_v3(0.0, -0.015, 0.0), frz_v3(0.2, 0.015, 0.2), frz_quat_identity(), fixed, spacing);
    rigid_box(world, frz_v3(0.0, 0.01, 0.0), half, frz_quat_identity(), free, spacing);
    assert_come_apart(world);
}

/// The normal of the one contact of two bodies deep in each other, in axes of the first.
static frz_vec3 deep_way(const frz_rigid_world *world)
{
    const frz_contact *list;
    frz_vec3 way = {0.0, 0.0, 0.0};
    for (int k = frz_contacts_view(world->contacts, &list) - 1; k >= 0; --k)
        if (list[k].key.point == world->shapes[list[k].key.toucher]->point_count)
            way = frz_quat_rotate(frz_quat_conjugate(world->bodies[0].rotation), list[k].normal);
    return way;
}

static void the_way_out_of_each_other_turns_with_the_bodies(void **state)
{
    (void)state;
    const rigid_material free = {1000.0, 0.5, 0.0};
    frz_rigid_world *world = rigid_world(spacing, 0.0);
    rigid_box(world, frz_v3(0.0, 0.0, 0.0), frz_v3(0.1, 0.1, 0.1), frz_quat_identity(), free, spacing);
    rigid_box(world, frz_v3(0.005, 0.0, 0.0), frz_v3(0.05, 0.05, 0.05), frz_quat_identity(), free, spacing);
    for (int b = 0; b < 2; ++b)
        world->bodies[b].spin = frz_v3(0.0, 0.0, 20.0);
    rigid_run(world, 0.002, 0.002);
    const frz_vec3 first = deep_way(world);
    assert_near(frz_v3_length(first), 1.0, 1e-9);
    rigid_run(world, 0.002, 0.05);
    assert_less(frz_quat_rotate(world->bodies[0].rotation, frz_v3(1.0, 0.0, 0.0)).x, 0.7); // they have turned
    assert_greater(frz_v3_dot(first, deep_way(world)), 0.95);
    frz_rigid_world_destroy(&world);
}

/// A beam lies on the ground; one end is where a block of the ground is, which no point sees. Driving it out takes
/// no load off the ground.
static void a_beam_stuck_in_a_block_does_not_sink_into_the_ground(void **state)
{
    (void)state;
    frz_diag diag;
    frz_rigid_world *world = rigid_world(spacing, gravity);
    frz_shape *parts[2], *ground = NULL;
    rigid_must(frz_shape_half_space(frz_v3(0.0, 0.0, 0.0), frz_v3(0.0, 1.0, 0.0), &parts[0], &diag), &diag);
    rigid_must(frz_shape_box(frz_v3(0.12, -0.02, -0.05), frz_v3(0.2, 0.1, 0.05), &parts[1], &diag), &diag);
    rigid_must(frz_shape_take_combine(FRZ_SHAPE_UNION, parts, 2, &ground, &diag), &diag);
    rigid_take(world, ground, frz_v3(0.0, 0.0, 0.0), 0.0, frz_m3_zero(), (rigid_material){0.0, 0.5, 0.0}, spacing, 3,
               0.4);
    const int beam = rigid_box(world, frz_v3(0.0, 0.05, 0.0), frz_v3(0.2, 0.05, 0.05), frz_quat_identity(),
                               (rigid_material){1000.0, 0.5, 0.0}, spacing);
    double lowest = 0.0;
    for (int n = 0; n < 100; ++n)
    {
        rigid_run(world, 0.002, 0.002);
        const frz_rigid_body *b = &world->bodies[beam];
        for (int corner = 0; corner < 4; ++corner)
        {
            const frz_vec3 arm = {corner & 1 ? 0.2 : -0.2, -0.05, corner & 2 ? 0.05 : -0.05};
            lowest = fmin(lowest, b->position.y + frz_quat_rotate(b->rotation, arm).y);
        }
    }
    const frz_vec3 way = frz_v3_sub(world->bodies[beam].position, frz_v3(0.0, 0.05, 0.0));
    assert_greater(frz_v3_length(way), 0.5 * spacing); // it is driven out
    assert_greater(lowest, -0.1 * spacing);            // once 12 spacings: it fell through the ground
    frz_rigid_world_destroy(&world);
}

static void a_body_in_a_press_is_reported_as_crushed(void **state)
{
    (void)state;
    const rigid_material fixed = {0.0, 0.5, 0.0}, free = {1000.0, 0.5, 0.0};
    const frz_quat straight = frz_quat_identity();
    frz_rigid_world *world = rigid_world(spacing, gravity);
    rigid_box(world, frz_v3(0.0, -0.05, 0.0), frz_v3(0.2, 0.05, 0.2), straight, fixed, spacing);
    rigid_box(world, frz_v3(0.0, 0.05, 0.0), frz_v3(0.05, 0.05, 0.05), straight, free, spacing);
    rigid_box(world, frz_v3(0.0, 0.15, 0.0), frz_v3(0.1, 0.045, 0.1), straight, fixed, spacing);
    world->bodies[2].velocity = frz_v3(0.0, -0.2, 0.0);
    rigid_run(world, 0.002, 0.04); // pressed, but not deep yet
    frz_contact_stats stats = frz_contacts_stats(world->contacts);
    assert_int_equal(stats.crushed[0], stats.crushed[1]);
    rigid_run(world, 0.002, 0.2);
    stats = frz_contacts_stats(world->contacts);
    assert_different(stats.crushed[0], stats.crushed[1]);
    assert_true(stats.crushed[0] == 1 || stats.crushed[1] == 1);
    assert_greater(stats.crushed_by, 0.5 * spacing);
    frz_rigid_world_destroy(&world);
}

static void crossed_edges_touch_where_they_are(void **state)
{
    (void)state;
    frz_rigid_world *world = rigid_world(spacing, gravity);
    const rigid_material fixed = {0.0, 0.8, 0.0}, free = {1000.0, 0.8, 0.0};
    const double half = 0.03, up = half * sqrt(2.0);
    // two bars standing on their edges, crossed, off the points of their edges
    rigid_box(world, frz_v3(0.003, 0.0, 0.0), frz_v3(0.2, half, half),
              frz_quat_axis_angle(frz_v3(1.0, 0.0, 0.0), 0.25 * rigid_pi), fixed, spacing);
    rigid_box(world, frz_v3(0.0, 2.0 * up, 0.007), frz_v3(half, half, 0.2),
              frz_quat_axis_angle(frz_v3(0.0, 0.0, 1.0), 0.25 * rigid_pi), free, spacing);
    world->bodies[0].inverse_mass = 0.0;
    rigid_run(world, 0.002, 0.002);
    const frz_contact *list = NULL;
    assert_greater_equal(frz_contacts_view(world->contacts, &list), 1);
    assert_small(list[0].place.x, 0.05 * spacing);
    assert_small(list[0].place.z, 0.05 * spacing);
    assert_greater(list[0].normal.y * (list[0].key.toucher == 1 ? 1.0 : -1.0), 0.999);
    assert_small(list[0].gap, 0.05 * spacing);
    frz_rigid_world_destroy(&world);
}

/// Where edges overlap bodies leave each other through the face that they are less deep below.
static void overlapping_edges_part_along_the_nearest_face(void **state)
{
    (void)state;
    const rigid_material fixed = {0.0, 0.1, 0.0}, free = {1000.0, 0.1, 0.0};
    const double half = 0.1, small = 0.04, shallow = 0.05 * spacing, deep = 0.2 * spacing;
    frz_rigid_world *world = rigid_world(spacing, 0.0);
    rigid_box(world, frz_v3(0.0, 0.0, 0.0), frz_v3(half, half, half), frz_quat_identity(), fixed, spacing);
    world->bodies[0].inverse_mass = 0.0;
    rigid_box(world, frz_v3(half + small - shallow, half + small - deep, 0.003), frz_v3(small, small, small),
              frz_quat_identity(), free, spacing);
    rigid_run(world, 1e-4, 1e-4);
    const frz_contact *list = NULL;
    const int count = frz_contacts_view(world->contacts, &list);
    assert_greater_equal(count, 1);
    assert_near(frz_contacts_stats(world->contacts).deepest, shallow, 1e-3 * spacing);
    for (int n = 0; n < count; ++n)
        assert_greater(fabs(list[n].normal.x), 0.999);
    frz_rigid_world_destroy(&world);
}

static int add_square(frz_rigid_world *world, frz_vec3 center, double half, rigid_material material)
{
    frz_diag diag;
    frz_shape *shape = NULL;
    rigid_must(frz_shape_box(frz_v3(center.x - half, center.y - half, -HUGE_VAL),
                             frz_v3(center.x + half, center.y + half, HUGE_VAL), &shape, &diag),
               &diag);
    const double mass = 4.0 * half * half * material.density;
    return rigid_take(world, shape, center, mass, frz_m3_diagonal(0.0, 0.0, mass * 2.0 / 3.0 * half * half), material,
                      spacing, 2, 1.0);
}

static void squares_in_the_plane_slide_and_stand(void **state)
{
    (void)state;
    frz_diag diag;
    frz_rigid_world *world = rigid_world(spacing, 0.0);
    world->gravity = frz_v3(gravity * sin(rigid_pi / 6.0), -gravity * cos(rigid_pi / 6.0), 0.0);
    frz_shape *ground = NULL;
    rigid_must(frz_shape_half_space(frz_v3(0.0, 0.0, 0.0), frz_v3(0.0, 1.0, 0.0), &ground, &diag), &diag);
    rigid_take(world, ground, frz_v3(0.0, 0.0, 0.0), 0.0, frz_m3_zero(), (rigid_material){0.0, 0.6, 0.0}, spacing, 2,
               1.0);
    add_square(world, frz_v3(-0.5, 0.05, 0.0), 0.05, (rigid_material){1000.0, 0.6, 0.0});
    add_square(world, frz_v3(-0.5, 0.13, 0.0), 0.03, (rigid_material){1000.0, 0.8, 0.0}); // small: it must not tip over
    add_square(world, frz_v3(0.0, 0.05, 0.0), 0.05, (rigid_material){1000.0, 0.15, 0.0});
    rigid_run(world, 0.005, 0.5);
    const double expected = gravity * (sin(rigid_pi / 6.0) - 0.3 * cos(rigid_pi / 6.0)) * 0.5;
    assert_near(world->bodies[3].velocity.x, expected, 0.002 * expected);
    assert_small(world->bodies[1].position.x + 0.5, 1e-3 * spacing);
    assert_small(world->bodies[2].position.x + 0.5, 1e-3 * spacing);
    for (int b = 1; b < 4; ++b)
    {
        assert_same(world->bodies[b].position.z, 0.0);
        assert_same(world->bodies[b].rotation.x, 0.0);
    }
    frz_rigid_world_destroy(&world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_block_sticks_on_a_slope_without_creeping),
        cmocka_unit_test(a_block_slides_down_a_slope_as_coulomb_says),
        cmocka_unit_test(ten_boxes_stand_on_each_other),
        cmocka_unit_test(the_bits_do_not_depend_on_threads),
        cmocka_unit_test(a_ball_rolls_on_as_it_did),
        cmocka_unit_test(cylinders_and_rings_roll_on_as_they_did),
        cmocka_unit_test(collisions_keep_momentum_and_give_back_the_right_speed),
        cmocka_unit_test(overlapping_bodies_are_pushed_apart_gently),
        cmocka_unit_test(bodies_deep_inside_each_other_come_apart),
        cmocka_unit_test(the_way_out_of_each_other_turns_with_the_bodies),
        cmocka_unit_test(a_beam_stuck_in_a_block_does_not_sink_into_the_ground),
        cmocka_unit_test(a_body_in_a_press_is_reported_as_crushed),
        cmocka_unit_test(squares_in_the_plane_slide_and_stand),
        cmocka_unit_test(crossed_edges_touch_where_they_are),
        cmocka_unit_test(overlapping_edges_part_along_the_nearest_face),
    };
    return cmocka_run_group_tests_name("contacts", tests, NULL, NULL);
}
