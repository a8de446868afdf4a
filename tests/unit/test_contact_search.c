// SPDX-License-Identifier: MIT
// What the search for contacts leaves out: points far away, and pairs of bodies that have hardly moved.
#include "rigid_trial.h"

#include "geom/shape_internal.h"
#include "rigid/contact_tree.h"
#include "rigid/contacts_internal.h"
#include "compare.h"

static const double spacing = 0.02;
static const double gravity = 9.81;

/// Numbers between -1 and 1 that are the same in every run.
static double next_number(uint32_t *seed)
{
    *seed = *seed * 1664525u + 1013904223u; // Numerical Recipes
    return 2.0 * (double)(*seed >> 8) / (double)(1 << 24) - 1.0;
}

static frz_vec3 next_vector(uint32_t *seed, double size)
{
    const double x = next_number(seed), y = next_number(seed);
    return frz_v3(size * x, size * y, size * next_number(seed));
}

static void add_ring(frz_rigid_world *world, frz_vec3 center)
{
    frz_diag diag;
    frz_shape *ring = NULL;
    rigid_must(frz_shape_torus(center, frz_v3(0.0, 1.0, 0.0), 0.1, 0.04, &ring, &diag), &diag);
    (void)rigid_take(world, ring, center, 1.0, frz_m3_diagonal(0.01, 0.01, 0.01), (rigid_material){1000.0, 0.5, 0.0},
                     spacing, 3, 1.0);
}

static void the_table_never_tells_more_than_the_distance(void **state)
{
    (void)state;
    frz_rigid_world *world = rigid_world(spacing, gravity);
    add_ring(world, frz_v3(0.3, 0.2, 0.1));
    rigid_box(world, frz_v3(0.0, 0.0, 0.0), frz_v3(0.1, 0.03, 0.05), frz_quat_identity(),
              (rigid_material){1000.0, 0.5, 0.0}, spacing);
    uint32_t seed = 1;
    for (int b = 0; b < world->count; ++b)
    {
        const frz_contact_shape *s = world->shapes[b];
        double missing = 0.0;
        for (int n = 0; n < 20000; ++n)
        {
            const frz_vec3 place = next_vector(&seed, 0.3);
            const double distance = frz_shape_distance(s->shape, frz_v3_add(place, s->origin));
            const double told = frz_clearance_at(s->clearance, place);
            assert_less_equal(told, distance <= 0.0 ? 0.0 : distance + 1e-12);
            if (distance > 0.0 && distance < 2.0 * spacing)
                missing = fmax(missing, distance - told);
        }
        assert_less(missing, 2.0 * spacing); // or it rules nothing out
    }
    frz_rigid_world_destroy(&world);
}

/// Points of a body that touch another one within dt, by asking all of them.
static int count_touching(const frz_rigid_world *world, int toucher, int touched, double dt)
{
    const int number[2] = {toucher, touched};
    frz_contact_extent extents[2];
    for (int k = 0; k < 2; ++k)
        extents[k] =
            frz_contact_extent_of(world->contacts, &world->bodies[number[k]], world->shapes[number[k]], number[k], dt);
    const frz_contact_query query = frz_contacts_query(
        world->contacts, world->bodies, (const frz_contact_shape *const *)world->shapes, &extents[0], &extents[1], dt);
    int count = 0;
    frz_contact contact;
    for (int p = 0; p < world->shapes[toucher]->point_count; ++p)
        count += frz_contact_touch(&query, p, &contact);
    return count;
}

/// Whether one contact stands for two bodies deep in each other.
static bool has_deep(const frz_rigid_world *world)
{
    const frz_contact *list;
    bool any = false;
    for (int k = frz_contacts_view(world->contacts, &list) - 1; k >= 0; --k)
        any = any || list[k].key.point == world->shapes[list[k].key.toucher]->point_count;
    return any;
}

static void no_point_that_touches_is_left_out(void **state)
{
    (void)state;
    const double dt = 0.005;
    uint32_t seed = 7;
    int touching = 0;
    frz_rigid_world *world = rigid_world(spacing, gravity);
    add_ring(world, frz_v3(0.0, 0.0, 0.0));
    rigid_box(world, frz_v3(0.0, 0.0, 0.0), frz_v3(0.1, 0.03, 0.05), frz_quat_identity(),
              (rigid_material){1000.0, 0.5, 0.0}, spacing);
    for (int trial = 0; trial < 200; ++trial)
    {
        frz_diag diag;
        for (int b = 0; b < 2; ++b)
        {
            world->bodies[b].position = next_vector(&seed, 0.08);
            world->bodies[b].rotation = frz_quat_from_vector(next_vector(&seed, 3.0));
            world->bodies[b].velocity = next_vector(&seed, 1.0);
            frz_rigid_body_refresh(&world->bodies[b]);
        }
        const frz_contacts_memory nothing = {NULL, NULL, 0, 0, 0.0}; // no trial goes on from the one before
        rigid_must(frz_contacts_put(world->contacts, &nothing, &diag), &diag);
        rigid_must(frz_contacts_find(world->contacts, world->bodies, (const frz_contact_shape *const *)world->shapes, 2,
                                     dt, &diag),
                   &diag);
        const frz_contact_pair *pair = &world->contacts->pairs.items[0];
        if (pair->count == 0 || has_deep(world))
            continue;
        const int expected = count_touching(world, 0, 1, dt) + count_touching(world, 1, 0, dt);
        assert_int_equal(pair->points, expected);
        touching += expected;
    }
    assert_greater(touching, 1000); // measured: the trials are worth something
    frz_rigid_world_destroy(&world);
}

/// Contacts of two boxes half a spacing apart, of which one moves: along is that of the line between them.
static int count_contacts(double along, double across)
{
    const rigid_material free = {1000.0, 0.5, 0.0};
    const double dt = 0.005, half = 0.05;
    frz_diag diag;
    frz_rigid_world *world = rigid_world(spacing, gravity);
    rigid_box(world, frz_v3(0.0, 0.0, 0.0), frz_v3(half, half, half), frz_quat_identity(), free, spacing);
    rigid_box(world, frz_v3(0.0, 2.0 * half + 0.5 * spacing, 0.0), frz_v3(half, half, half), frz_quat_identity(), free,
              spacing);
    world->bodies[1].velocity = frz_v3(across * spacing / dt, along * spacing / dt, 0.0);
    rigid_must(frz_contacts_find(world->contacts, world->bodies, (const frz_contact_shape *const *)world->shapes, 2, dt,
                                 &diag),
               &diag);
    const int count = frz_contacts_stats(world->contacts).contacts;
    frz_rigid_world_destroy(&world);
    return count;
}

static void only_gaps_that_can_close_are_contacts(void **state)
{
    (void)state;
    assert_greater(count_contacts(-0.8, 0.0), 3);
    assert_greater(count_contacts(-0.8, 0.8), 3);
    assert_int_equal(count_contacts(0.8, 0.0), 0); // it flies away
    assert_int_equal(count_contacts(0.0, 0.8), 0); // it passes by
}

/// A ring and a box that go to and fro through each other at random, by up to half a spacing and 0.05 rad per step.
static void move_at_random(frz_rigid_world *world, uint32_t *seed)
{
    const double dt = 0.005, home = 0.02;
    for (int b = 0; b < 2; ++b)
    {
        frz_rigid_body *body = &world->bodies[b];
        body->velocity = frz_v3_mad(next_vector(seed, 0.5 * spacing / dt), -home / dt, body->position);
        body->spin = next_vector(seed, 0.05 / dt);
        frz_rigid_body_move(body, dt);
    }
}

static void near_points_that_are_remembered_change_no_contact(void **state)
{
    (void)state;
    uint32_t seed = 5;
    int touching = 0, remembered = 0;
    frz_rigid_world *worlds[2];
    for (int w = 0; w < 2; ++w)
    {
        worlds[w] = rigid_world(spacing, gravity);
        add_ring(worlds[w], frz_v3(0.0, 0.0, 0.0));
        rigid_box(worlds[w], frz_v3(0.16, 0.02, 0.0), frz_v3(0.05, 0.03, 0.05), frz_quat_identity(),
                  (rigid_material){1000.0, 0.5, 0.0}, spacing);
    }
    for (int n = 0; n < 400; ++n)
    {
        frz_diag diag;
        const frz_contact *lists[2];
        int counts[2];
        move_at_random(worlds[0], &seed);
        memcpy(worlds[1]->bodies, worlds[0]->bodies, 2 * sizeof *worlds[0]->bodies);
        frz_contact_near_clear(&worlds[1]->contacts->near); // this one has to look for all points in every step
        for (int w = 0; w < 2; ++w)
        {
            rigid_must(frz_contacts_find(worlds[w]->contacts, worlds[w]->bodies,
                                         (const frz_contact_shape *const *)worlds[w]->shapes, 2, 0.005, &diag),
                       &diag);
            counts[w] = frz_contacts_view(worlds[w]->contacts, &lists[w]);
        }
        assert_int_equal(counts[0], counts[1]);
        for (int k = 0; k < counts[0]; ++k)
        {
            assert_memory_equal(&lists[0][k].key, &lists[1][k].key, sizeof lists[0][k].key);
            assert_memory_equal(&lists[0][k].place, &lists[1][k].place, sizeof lists[0][k].place);
            assert_memory_equal(&lists[0][k].gap, &lists[1][k].gap, sizeof lists[0][k].gap);
        }
        const frz_contact_near_list *near = &worlds[0]->contacts->near.now;
        touching += counts[0];
        remembered += near->pair_count > 0 && near->pairs[0].travel > 0.0;
    }
    assert_greater(touching, 1000);
    assert_greater(remembered, 100); // measured: the trials are worth something
    frz_rigid_world_destroy(&worlds[0]);
    frz_rigid_world_destroy(&worlds[1]);
}

/// A ring (minor radius 0.04), or a tube whose wall is 1.6 spacings thick, which has samples for one of its sides only.
static frz_contact_shape *make_round(bool tube, double fineness)
{
    frz_diag diag;
    frz_shape *shape = NULL;
    if (tube)
    {
        frz_shape *parts[2] = {NULL, NULL};
        rigid_must(frz_shape_cylinder(frz_v3(0.0, -0.07, 0.0), frz_v3(0.0, 0.07, 0.0), 0.075, &parts[0], &diag), &diag);
        rigid_must(frz_shape_cylinder(frz_v3(0.0, -0.02, 0.0), frz_v3(0.0, 0.1, 0.0), 0.043, &parts[1], &diag), &diag);
        rigid_must(frz_shape_take_combine(FRZ_SHAPE_DIFFERENCE, parts, 2, &shape, &diag), &diag);
    }
    else
        rigid_must(frz_shape_torus(frz_v3(0.0, 0.0, 0.0), frz_v3(0.0, 1.0, 0.0), 0.07, 0.027, &shape, &diag), &diag);
    frz_contact_shape *out = NULL;
    const frz_contact_shape_def def = {
        .shape = shape, .spacing = spacing / fineness, .dimension = 3, .clip = rigid_all(1.0), .name = "round"};
    rigid_must(frz_contact_shape_create(&def, &out, &diag), &diag);
    frz_shape_destroy(&shape);
    return out;
}

/// How deep points of the surface of one body are inside the other at most.
static double depth_in(const frz_rigid_body *body, const frz_contact_shape *points, const frz_rigid_body *other,
                       const frz_contact_shape *shape)
{
    double deepest = -HUGE_VAL;
    for (int n = 0; n < points->point_count; ++n)
    {
        const frz_vec3 place = frz_rigid_body_to_world(body, points->points[n].position);
        const frz_vec3 there = frz_rigid_body_to_local(other, place);
        if (frz_clearance_at(shape->clearance, there) < 0.0)
            deepest = fmax(deepest, -frz_shape_distance(shape->shape, there));
    }
    return deepest;
}

/// Bodies turned at random come nearer until they overlap by 0.3 spacings; returns how many are then not seen to
/// overlap by half of that.
static int count_unseen(bool tube, int trials)
{
    const double far = 0.3, overlap = 0.3 * spacing, nearer = 0.1 * spacing;
    frz_contact_shape *shape = make_round(tube, 1.0), *fine = make_round(tube, 4.0);
    const frz_contact_shape *const shapes[2] = {shape, shape};
    uint32_t seed = 3;
    int unseen = 0;
    for (int trial = 0; trial < trials; ++trial)
    {
        frz_diag diag;
        frz_rigid_world *world = rigid_world(spacing, 0.0);
        frz_rigid_body bodies[2];
        for (int b = 0; b < 2; ++b)
        {
            bodies[b] = (frz_rigid_body){.mass = 1.0, .inverse_mass = 1.0};
            bodies[b].rotation = frz_quat_from_vector(next_vector(&seed, 3.0));
            frz_rigid_body_refresh(&bodies[b]);
        }
        const frz_vec3 way = frz_v3_normalize(next_vector(&seed, 1.0)), aside = next_vector(&seed, 0.04);
        for (int n = 0; n * nearer < far; ++n)
        {
            bodies[1].position = frz_v3_mad(aside, far - n * nearer, way);
            if (depth_in(&bodies[0], fine, &bodies[1], shape) > overlap ||
                depth_in(&bodies[1], fine, &bodies[0], shape) > overlap)
                break;
        }
        rigid_must(frz_contacts_find(world->contacts, bodies, shapes, 2, 0.001, &diag), &diag);
        unseen += frz_contacts_stats(world->contacts).deepest < 0.5 * overlap;
        frz_rigid_world_destroy(&world);
    }
    frz_contact_shape_destroy(&shape);
    frz_contact_shape_destroy(&fine);
    return unseen;
}

static void round_bodies_are_seen_wherever_they_touch(void **state)
{
    (void)state;
    assert_int_equal(count_unseen(false, 40), 0);
    assert_int_equal(count_unseen(true, 40), 0);
}

static frz_rigid_world *make_stack(void)
{
    frz_rigid_world *world = rigid_world(spacing, gravity);
    rigid_ground(world, 0.0, 0.5, 0.2, spacing);
    for (int n = 0; n < 3; ++n)
        rigid_box(world, frz_v3(0.01 * n, 0.1 * n + 0.052, 0.0), frz_v3(0.05, 0.05, 0.05), frz_quat_identity(),
                  (rigid_material){1000.0, 0.5, 0.0}, spacing);
    return world;
}

static void bodies_at_rest_are_not_looked_at_again(void **state)
{
    (void)state;
    frz_rigid_world *world = make_stack();
    rigid_run(world, 0.005, 0.5);
    for (int n = 0; n < 50; ++n)
    {
        rigid_run(world, 0.005, 0.005);
        const frz_contact_stats stats = frz_contacts_stats(world->contacts);
        assert_int_equal(stats.pairs_looked_at, 0);
        assert_int_equal(stats.contacts, 12);
    }
    world->bodies[3].velocity.x = 0.5; // pushed aside, it rubs on the one below
    rigid_run(world, 0.005, 0.01);
    assert_greater_equal(frz_contacts_stats(world->contacts).pairs_looked_at, 1);
    assert_less(world->bodies[3].velocity.x, 0.5);
    frz_rigid_world_destroy(&world);
}

/// The state of all bodies as bits.
static void assert_same_world(const frz_rigid_world *a, const frz_rigid_world *b)
{
    for (int n = 0; n < a->count; ++n)
    {
        assert_memory_equal(&a->bodies[n].position, &b->bodies[n].position, sizeof a->bodies[n].position);
        assert_memory_equal(&a->bodies[n].rotation, &b->bodies[n].rotation, sizeof a->bodies[n].rotation);
        assert_memory_equal(&a->bodies[n].velocity, &b->bodies[n].velocity, sizeof a->bodies[n].velocity);
    }
}

static void what_is_kept_can_be_saved_and_undone(void **state)
{
    (void)state;
    frz_diag diag;
    frz_rigid_world *world = make_stack(), *other = make_stack();
    const frz_contact_shape *const *shapes = (const frz_contact_shape *const *)world->shapes;
    world->bodies[3].velocity = frz_v3(0.02, 0.0, 0.01); // so that some pairs are looked at and others are not
    rigid_run(world, 0.005, 0.05);
    memcpy(other->bodies, world->bodies, (size_t)world->count * sizeof *world->bodies);
    const frz_contacts_memory memory = frz_contacts_recall(world->contacts);
    rigid_must(frz_contacts_put(other->contacts, &memory, &diag), &diag);
    const double last_dt = frz_contacts_last_dt(world->contacts);
    rigid_must(frz_contacts_find(world->contacts, world->bodies, shapes, world->count, 0.02, &diag), &diag);
    frz_contacts_undo(world->contacts, last_dt); // a step that was found too long
    rigid_run(world, 0.005, 0.1);
    rigid_run(other, 0.005, 0.1);
    assert_same_world(world, other);
    frz_rigid_world_destroy(&world);
    frz_rigid_world_destroy(&other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_table_never_tells_more_than_the_distance),
        cmocka_unit_test(no_point_that_touches_is_left_out),
        cmocka_unit_test(only_gaps_that_can_close_are_contacts),
        cmocka_unit_test(near_points_that_are_remembered_change_no_contact),
        cmocka_unit_test(round_bodies_are_seen_wherever_they_touch),
        cmocka_unit_test(bodies_at_rest_are_not_looked_at_again),
        cmocka_unit_test(what_is_kept_can_be_saved_and_undone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
