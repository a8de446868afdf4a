// SPDX-License-Identifier: MIT
// labels: slow
// Structures of many rigid bodies: arches, rows, machines.
#include "rigid_trial.h"
#include "compare.h"

static const double spacing = 0.02;
static const double gravity = 9.81;

/// How far the keystone of an arch of 13 voussoirs has come down after a time, m; the arch has radius 1 m.
static double arch_fall(double thickness, double duration)
{
    frz_rigid_world *world = rigid_arch(thickness, 13, 1.0, 0.06);
    const double before = world->bodies[7].position.y;
    rigid_run(world, 0.01, duration);
    const double fall = before - world->bodies[7].position.y;
    frz_rigid_world_destroy(&world);
    return fall;
}

// The least thickness of a semicircular arch with radial cuts is 0.1075 of its radius (Makris & Alexakis 2013).
static void an_arch_stands_if_it_is_thick_enough(void **state)
{
    (void)state;
    assert_small(arch_fall(0.12, 0.6), 1e-5);
    assert_greater(arch_fall(0.10, 0.6), 0.05);
}

static void a_row_of_dominoes_falls_one_after_the_other(void **state)
{
    (void)state;
    enum
    {
        count = 6
    };
    frz_rigid_world *world = rigid_world(spacing, gravity);
    rigid_ground(world, 0.0, 0.5, 0.5, spacing);
    for (int n = 0; n < count; ++n)
        rigid_box(world, frz_v3(0.12 * n - 0.3, 0.12, 0.0), frz_v3(0.02, 0.12, 0.06), frz_quat_identity(),
                  (rigid_material){700.0, 0.4, 0.0}, spacing);
    rigid_run(world, 0.005, 0.5);
    for (int n = 1; n <= count; ++n)
        assert_greater(world->bodies[n].rotation.w, 0.9999999); // they stand
    world->bodies[1].spin = frz_v3(0.0, 0.0, -4.0);
    world->bodies[1].velocity = frz_v3(0.48, 0.0, 0.0);
    double last = 0.0;
    int fallen = 0;
    for (int step = 0; step < 400 && fallen < count; ++step)
    {
        rigid_run(world, 0.005, 0.005);
        // its axis is further than 30 degrees from upright
        if (frz_quat_rotate(world->bodies[fallen + 1].rotation, frz_v3(0.0, 1.0, 0.0)).y < cos(rigid_pi / 6.0))
        {
            assert_greater(world->time, last);
            last = world->time;
            ++fallen;
        }
    }
    assert_int_equal(fallen, count);
    frz_rigid_world_destroy(&world);
}

static void a_body_on_a_hinge_is_carried_by_its_contacts(void **state)
{
    (void)state;
    frz_diag diag;
    frz_rigid_world *world = rigid_world(spacing, gravity);
    const rigid_material material = {1000.0, 0.5, 0.0};
    // a beam that can turn about the z axis through its left end, held level by a block under its right end
    const frz_vec3 center = {0.2, 0.0, 0.0}, half = {0.2, 0.02, 0.04};
    frz_shape *shape = NULL;
    rigid_must(frz_shape_box(frz_v3_sub(center, half), frz_v3_add(center, half), &shape, &diag), &diag);
    const frz_moments moments = frz_shape_moments(shape, 3);
    frz_rigid_def def = frz_rigid_def_default();
    def.density = 1000.0;
    def.joint = FRZ_JOINT_HINGE;
    def.axis = frz_v3(0.0, 0.0, 1.0);
    frz_rigid_body beam;
    rigid_must(frz_rigid_body_make(&def, &moments, 3, &beam, &diag), &diag);
    frz_contact_shape *surface = NULL;
    const frz_contact_shape_def shape_def = {.shape = shape,
                                             .center = beam.position,
                                             .spacing = spacing,
                                             .dimension = 3,
                                             .clip = rigid_all(1.0),
                                             .name = "beam"};
    rigid_must(frz_contact_shape_create(&shape_def, &surface, &diag), &diag);
    frz_shape_destroy(&shape);
    frz_rigid_world_take(world, &beam, surface);
    const int block =
        rigid_box(world, frz_v3(0.38, -0.07, 0.0), frz_v3(0.02, 0.05, 0.04), frz_quat_identity(), material, spacing);
    world->bodies[block].inverse_mass = 0.0;
    world->bodies[block].inverse_inertia = frz_m3_zero();
    world->bodies[block].mass = 0.0;
    frz_rigid_body_refresh(&world->bodies[block]);
    rigid_run(world, 0.005, 0.5);
    assert_small(world->bodies[0].rotation.z, 1e-4);
    const frz_contact *list = NULL;
    const int count = frz_contacts_view(world->contacts, &list);
    double moment = 0.0;
    for (int n = 0; n < count; ++n)
        moment += list[n].impulse.x / 0.005 * list[n].place.x;
    const double weight_moment = beam.mass * gravity * 0.2;
    assert_near(moment, weight_moment, 1e-4 * weight_moment);
    frz_rigid_world_destroy(&world);
}

/// A ring about an axis, of exact or of triangulated shape; density 0: fixed.
static int add_ring(frz_rigid_world *world, frz_vec3 center, frz_vec3 axis, bool triangles, double density)
{
    frz_diag diag;
    frz_shape *ring = NULL;
    rigid_must(frz_shape_torus(center, axis, 0.1, 0.02, &ring, &diag), &diag);
    if (triangles)
    {
        frz_mesh *mesh = NULL;
        rigid_must(frz_shape_triangulate(ring, 0.25 * spacing, rigid_all(10.0), &mesh, &diag), &diag);
        frz_shape_destroy(&ring);
        rigid_must(frz_shape_take_mesh(mesh, &ring, &diag), &diag);
    }
    const frz_moments moments = frz_shape_moments(ring, 3);
    frz_rigid_def def = frz_rigid_def_default();
    def.density = 1000.0;
    frz_rigid_body body;
    rigid_must(frz_rigid_body_make(&def, &moments, 3, &body, &diag), &diag);
    return rigid_take(world, ring, center, density > 0.0 ? body.mass : 0.0, body.inertia,
                      (rigid_material){density, 0.4, 0.0}, 0.5 * spacing, 3, 10.0);
}

// Hollow bodies in each other: rings hang as far apart as they can be.
static void a_chain_of_rings_hangs(void **state)
{
    (void)state;
    for (int triangles = 0; triangles < 2; ++triangles)
    {
        frz_rigid_world *world = rigid_world(0.5 * spacing, gravity);
        for (int n = 0; n < 3; ++n)
            add_ring(world, frz_v3(0.0, -0.15 * n, 0.0), n % 2 == 0 ? frz_v3(0.0, 0.0, 1.0) : frz_v3(1.0, 0.0, 0.0),
                     triangles == 1, n > 0 ? 1000.0 : 0.0);
        rigid_run(world, 0.005, 0.5);
        assert_small(world->bodies[1].position.y + 0.16, 0.1 * spacing);
        assert_small(world->bodies[2].position.y + 0.32, 0.2 * spacing);
        assert_less(frz_contacts_stats(world->contacts).deepest, 0.02 * spacing);
        frz_rigid_world_destroy(&world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_arch_stands_if_it_is_thick_enough),
        cmocka_unit_test(a_row_of_dominoes_falls_one_after_the_other),
        cmocka_unit_test(a_chain_of_rings_hangs),
        cmocka_unit_test(a_body_on_a_hinge_is_carried_by_its_contacts),
    };
    return cmocka_run_group_tests_name("contact_structures", tests, NULL, NULL);
}
