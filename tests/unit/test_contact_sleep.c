// SPDX-License-Identifier: MIT
// Groups of bodies at rest that are left alone: when they fall asleep, and all that wakes them.
#include "rigid_trial.h"
#include "compare.h"

static const double spacing = 0.02;
static const double gravity = 9.81;
static const double dt = 0.004;
static const double after = 0.1; // s

enum
{
    height = 4, // boxes of the stack
    pedestal = 0
};

/// A static block with a stack of boxes on it. Friction is that of all.
static frz_rigid_world *make_stack(double tilt, double friction)
{
    const frz_quat turn = frz_quat_from_vector(frz_v3(0.0, 0.0, tilt));
    const rigid_material fixed = {0.0, friction, 0.0}, free = {1000.0, friction, 0.0};
    frz_rigid_world *world = rigid_world(spacing, gravity);
    rigid_box(world, frz_v3(0.0, 0.0, 0.0), frz_v3(0.2, 0.05, 0.2), turn, fixed, spacing);
    for (int n = 0; n < height; ++n)
        rigid_box(world, frz_quat_rotate(turn, frz_v3(0.0, 0.1 + 0.1 * n, 0.0)), frz_v3(0.05, 0.05, 0.05), turn, free,
                  spacing);
    frz_contacts_let_sleep(world->contacts, after);
    return world;
}

static int count_asleep(const frz_rigid_world *world)
{
    int count = 0;
    for (int b = 0; b < world->count; ++b)
        count += world->bodies[b].asleep;
    return count;
}

static frz_rigid_world *make_sleeping_stack(void)
{
    frz_rigid_world *world = make_stack(0.0, 0.5);
    rigid_run(world, dt, 4.0 * after);
    assert_int_equal(count_asleep(world), height);
    return world;
}

static void a_stack_at_rest_is_neither_searched_nor_solved(void **state)
{
    (void)state;
    frz_rigid_world *world = make_sleeping_stack();
    frz_rigid_body before[height + 1];
    memcpy(before, world->bodies, sizeof before);
    rigid_run(world, dt, 1.0);
    const frz_contact_stats stats = frz_contacts_stats(world->contacts);
    assert_int_equal(stats.asleep, height);
    assert_int_equal(stats.visits, 0);
    assert_int_equal(stats.pairs_looked_at, 0);
    assert_memory_equal(before, world->bodies, sizeof before);
    // the contacts carry what they carried: the lowest ones all of the weight
    const frz_contact *list;
    double load = 0.0;
    for (int k = frz_contacts_view(world->contacts, &list) - 1; k >= 0; --k)
        if (list[k].key.toucher == pedestal || list[k].key.touched == pedestal)
            load += list[k].impulse.x;
    assert_near(load / (height * gravity * dt), 1.0, 1e-4);
    frz_rigid_world_destroy(&world);
}

static void nothing_sleeps_unless_it_is_asked_for(void **state)
{
    (void)state;
    frz_rigid_world *world = make_stack(0.0, 0.5);
    frz_contacts_let_sleep(world->contacts, 0.0);
    rigid_run(world, dt, 4.0 * after);
    assert_int_equal(count_asleep(world), 0);
    assert_greater(frz_contacts_stats(world->contacts).visits, 0);
    frz_rigid_world_destroy(&world);
}

static void a_ball_wakes_the_stack_and_all_come_to_rest_again(void **state)
{
    (void)state;
    frz_rigid_world *world = make_sleeping_stack();
    const int ball = rigid_sphere(world, frz_v3(0.0, 0.05 + 0.1 * height + 0.2, 0.0), 0.05,
                                  (rigid_material){1000.0, 0.5, 0.0}, spacing);
    world->bodies[ball].velocity.x = 0.3; // it rolls off: on top it would roll for ever
    double energy = rigid_energy(world), rise = 0.0;
    double hit = 0.0; // when the stack woke, s
    const double start = world->time;
    for (int n = 0; n < 500; ++n)
    {
        rigid_run(world, dt, dt);
        rise = fmax(rise, rigid_energy(world) - energy);
        energy = rigid_energy(world);
        if (hit == 0.0 && count_asleep(world) == 0)
            hit = world->time - start;
    }
    assert_near(hit, sqrt(2.0 * 0.15 / gravity), 2.0 * dt); // not before it is there, and with the first blow
    assert_less(rise, 1e-3 * gravity * 0.15 * world->bodies[ball].mass);
    assert_true(world->bodies[1].asleep);
    assert_small(world->bodies[1].position.y - 0.1, 0.02 * spacing);
    frz_rigid_world_destroy(&world);
}

static void a_floor_that_begins_to_move_takes_the_stack_along(void **state)
{
    (void)state;
    frz_rigid_world *world = make_sleeping_stack();
    world->bodies[pedestal].velocity = frz_v3(0.05, 0.0, 0.0);
    rigid_run(world, dt, dt);
    assert_int_equal(count_asleep(world), 0);
    rigid_run(world, dt, 0.4);
    assert_int_equal(count_asleep(world), 0); // at rest on something that moves
    assert_near(world->bodies[1].velocity.x, 0.05, 1e-3);
    frz_rigid_world_destroy(&world);
}

static void a_stack_whose_support_is_gone_falls(void **state)
{
    (void)state;
    frz_rigid_world *world = make_sleeping_stack();
    frz_contact_shape *shape = world->shapes[pedestal];
    world->shapes[pedestal] = NULL; // touches nothing any more
    rigid_run(world, dt, 0.1);
    assert_int_equal(count_asleep(world), 0);
    assert_less(world->bodies[1].velocity.y, -0.9 * gravity * 0.1);
    world->shapes[pedestal] = shape;
    frz_rigid_world_destroy(&world);
}

static void a_body_that_is_pushed_by_hand_wakes_those_it_touches(void **state)
{
    (void)state;
    frz_rigid_world *world = make_sleeping_stack();
    world->bodies[height].velocity = frz_v3(0.3, 0.0, 0.0);
    rigid_run(world, dt, dt);
    assert_int_equal(count_asleep(world), 0);
    frz_rigid_world_destroy(&world);
}

/// On a slope a little too steep for its friction a stack slides ever faster, from nothing; on one that holds it
/// sleeps.
static void a_pile_that_creeps_down_a_slope_stays_awake(void **state)
{
    (void)state;
    const double tilt = 0.2, holds = 1.2 * tan(tilt), slips = (1.0 - 1e-3) * tan(tilt);
    frz_rigid_world *held = make_stack(tilt, holds), *creeping = make_stack(tilt, slips);
    rigid_run(held, dt, 6.0 * after);
    assert_int_equal(count_asleep(held), height);
    for (int n = 0; n < 150; ++n)
    {
        rigid_run(creeping, dt, dt);
        assert_int_equal(count_asleep(creeping), 0);
    }
    // it crept, with a thousandth of the weight along the slope
    assert_greater(frz_v3_length(creeping->bodies[1].velocity), 0.5e-3 * gravity * sin(tilt) * 0.6);
    frz_rigid_world_destroy(&held);
    frz_rigid_world_destroy(&creeping);
}

/// Two stacks far from each other are two groups: one that is hit does not wake the other.
static void groups_sleep_by_themselves(void **state)
{
    (void)state;
    frz_rigid_world *world = rigid_world(spacing, gravity);
    const rigid_material free = {1000.0, 0.5, 0.0};
    rigid_ground(world, 0.0, 0.5, 1.0, spacing);
    for (int n = 0; n < 2; ++n)
        rigid_box(world, frz_v3(0.4 * n, 0.05, 0.0), frz_v3(0.05, 0.05, 0.05), frz_quat_identity(), free, spacing);
    frz_contacts_let_sleep(world->contacts, after);
    rigid_run(world, dt, 4.0 * after);
    assert_int_equal(count_asleep(world), 2);
    world->bodies[1].velocity = frz_v3(-0.3, 0.0, 0.0);
    rigid_run(world, dt, dt);
    assert_false(world->bodies[1].asleep);
    assert_true(world->bodies[2].asleep);
    frz_rigid_world_destroy(&world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_stack_at_rest_is_neither_searched_nor_solved),
        cmocka_unit_test(nothing_sleeps_unless_it_is_asked_for),
        cmocka_unit_test(a_ball_wakes_the_stack_and_all_come_to_rest_again),
        cmocka_unit_test(a_floor_that_begins_to_move_takes_the_stack_along),
        cmocka_unit_test(a_stack_whose_support_is_gone_falls),
        cmocka_unit_test(a_body_that_is_pushed_by_hand_wakes_those_it_touches),
        cmocka_unit_test(a_pile_that_creeps_down_a_slope_stays_awake),
        cmocka_unit_test(groups_sleep_by_themselves),
    };
    return cmocka_run_group_tests_name("contact_sleep", tests, NULL, NULL);
}
