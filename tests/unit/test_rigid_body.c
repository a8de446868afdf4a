// SPDX-License-Identifier: MIT
// Mass, centre and inertia from shapes, and the motion of single bodies.
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "compare.h"

#include <string.h>

#include "geom/mesh.h"
#include "rigid/rigid_body.h"

// The same shape in a form that only integration can do: a union with itself.
static frz_moments integrated(frz_shape *shape)
{
    frz_diag diag;
    frz_shape *parts[2] = {frz_shape_share(shape), frz_shape_share(shape)}, *both = NULL;
    assert_int_equal(frz_shape_take_combine(FRZ_SHAPE_UNION, parts, 2, &both, &diag), FRZ_OK);
    const frz_moments m = frz_shape_moments(both, 3);
    frz_shape_destroy(&both);
    return m;
}

// Every entry agrees within a fraction of what is typical.
static void assert_same_moments(const frz_moments *a, const frz_moments *b, double size, double tolerance)
{
    assert_near(a->volume, b->volume, tolerance * b->volume);
    const frz_vec3 d = frz_v3_sub(a->first, b->first);
    assert_near(frz_v3_length(d), 0.0, tolerance * size * b->volume);
    assert_near(frz_m3_norm(frz_m3_sub(a->second, b->second)), 0.0, tolerance * size * size * b->volume);
}

static void moments_of_primitives_agree_with_integration(void **state)
{
    (void)state;
    frz_diag diag;
    frz_shape *shapes[6] = {NULL};
    const frz_vec3 a = {0.1, 0.2, 0.3}, b = {0.6, 0.5, 0.9};
    assert_int_equal(frz_shape_box(a, b, &shapes[0], &diag), FRZ_OK);
    assert_int_equal(frz_shape_sphere(a, 0.4, &shapes[1], &diag), FRZ_OK);
    assert_int_equal(frz_shape_cylinder(a, b, 0.3, &shapes[2], &diag), FRZ_OK);
    assert_int_equal(frz_shape_capsule(a, b, 0.3, &shapes[3], &diag), FRZ_OK);
    assert_int_equal(frz_shape_cone(a, b, 0.4, 0.1, &shapes[4], &diag), FRZ_OK);
    assert_int_equal(frz_shape_torus(a, b, 0.5, 0.2, &shapes[5], &diag), FRZ_OK);
    for (int k = 0; k < 6; ++k)
    {
        const frz_moments exact = frz_shape_moments(shapes[k], 3), sum = integrated(shapes[k]);
        assert_same_moments(&sum, &exact, 1.0, 5e-4);
        assert_near(exact.volume, frz_shape_volume(shapes[k], 3), 1e-12 * exact.volume);
        frz_shape_destroy(&shapes[k]);
    }
}

static void moments_of_a_mesh_and_of_a_moved_shape_are_exact(void **state)
{
    (void)state;
    frz_diag diag;
    frz_shape *box = NULL, *moved = NULL, *same = NULL;
    frz_mesh *mesh = NULL;
    const frz_vec3 a = {0.1, 0.2, 0.3}, b = {0.6, 0.5, 0.9}, shift = {1.0, -2.0, 3.0};
    assert_int_equal(frz_shape_box(a, b, &box, &diag), FRZ_OK);
    const frz_quat turn = frz_quat_axis_angle(frz_v3(1.0, 2.0, -0.5), 1.1);
    assert_int_equal(frz_shape_take_transform(box, 2.0, turn, shift, &moved, &diag), FRZ_OK);
    const frz_bounds all = {{-10.0, -10.0, -10.0}, {10.0, 10.0, 10.0}};
    assert_int_equal(frz_shape_triangulate(moved, 0.1, all, &mesh, &diag), FRZ_OK);
    assert_int_equal(frz_shape_take_mesh(mesh, &same, &diag), FRZ_OK);
    const frz_moments exact = frz_shape_moments(moved, 3), from_mesh = frz_shape_moments(same, 3);
    assert_near(exact.volume, 8.0 * 0.5 * 0.3 * 0.6, 1e-14);
    assert_same_moments(&from_mesh, &exact, 4.0, 1e-10);
    frz_shape_destroy(&moved);
    frz_shape_destroy(&same);
}

static void moments_in_the_plane_are_those_of_the_section(void **state)
{
    (void)state;
    frz_diag diag;
    frz_shape *disc = NULL, *bar = NULL;
    assert_int_equal(frz_shape_sphere(frz_v3(1.0, 0.0, 0.0), 0.5, &disc, &diag), FRZ_OK);
    const frz_moments m = frz_shape_moments(disc, 2);
    assert_near(m.volume, 0.785398163397448, 1e-12);
    assert_near(m.second.m[1][1], 0.25 * 0.25 * m.volume, 1e-12);
    assert_same(m.second.m[2][2], 0.0);
    assert_int_equal(frz_shape_capsule(frz_v3(0.0, 0.0, 0.0), frz_v3(1.0, 0.0, 0.0), 0.5, &bar, &diag), FRZ_OK);
    assert_near(frz_shape_moments(bar, 2).volume, 1.785398163397448, 1e-12);
    frz_shape_destroy(&disc);
    frz_shape_destroy(&bar);
}

static void moments_of_a_capsule_in_the_plane_agree_with_integration(void **state)
{
    (void)state;
    frz_diag diag;
    frz_shape *parts[2] = {NULL}, *both = NULL;
    for (int k = 0; k < 2; ++k)
        assert_int_equal(frz_shape_capsule(frz_v3(0.1, 0.2, 0.0), frz_v3(0.7, -0.6, 0.0), 0.3, &parts[k], &diag),
                         FRZ_OK);
    const frz_moments exact = frz_shape_moments(parts[0], 2);
    assert_int_equal(frz_shape_take_combine(FRZ_SHAPE_UNION, parts, 2, &both, &diag),
                     FRZ_OK); // is integrated, whatever its parts are
    const frz_moments sum = frz_shape_moments(both, 2);
    assert_same_moments(&sum, &exact, 1.0, 1e-4);
    frz_shape_destroy(&both);
}

static frz_moments box_moments(double x, double y, double z)
{
    frz_diag diag;
    frz_shape *box = NULL;
    assert_int_equal(
        frz_shape_box(frz_v3(-0.5 * x, -0.5 * y, -0.5 * z), frz_v3(0.5 * x, 0.5 * y, 0.5 * z), &box, &diag), FRZ_OK);
    const frz_moments m = frz_shape_moments(box, 3);
    frz_shape_destroy(&box);
    return m;
}

static void inertia_of_a_box_is_the_textbooks(void **state)
{
    (void)state;
    frz_diag diag;
    frz_rigid_body body;
    frz_rigid_def def = frz_rigid_def_default();
    def.density = 500.0;
    const frz_moments m = box_moments(1.0, 2.0, 3.0);
    assert_int_equal(frz_rigid_body_make(&def, &m, 3, &body, &diag), FRZ_OK);
    assert_near(body.mass, 3000.0, 1e-9);
    assert_near(body.inertia.m[0][0], 3000.0 * 13.0 / 12.0, 1e-9);
    assert_near(body.inertia.m[1][1], 3000.0 * 10.0 / 12.0, 1e-9);
    assert_near(body.inertia.m[2][2], 3000.0 * 5.0 / 12.0, 1e-9);
}

static void bad_masses_and_shapes_are_refused_with_a_sentence(void **state)
{
    (void)state;
    const struct
    {
        double density, mass, volume;
        const char *words;
    } bad[] = {{0.0, 0.0, 1.0, "either a density or a mass"},
               {1.0, 1.0, 1.0, "either a density or a mass"},
               {-1.0, 0.0, 1.0, "must be above 0"},
               {0.0, -2.0, 1.0, "must be above 0"},
               {0.0, (double)NAN, 1.0, "must be above 0"},
               {1.0, 0.0, 0.0, "no volume"},
               {1.0, 0.0, HUGE_VAL, "intersection with a box"}};
    for (size_t k = 0; k < sizeof bad / sizeof bad[0]; ++k)
    {
        frz_diag diag = {.status = FRZ_OK};
        frz_rigid_body body;
        frz_rigid_def def = frz_rigid_def_default();
        def.density = bad[k].density;
        def.mass = bad[k].mass;
        frz_moments m = box_moments(1.0, 1.0, 1.0);
        m.volume = bad[k].volume;
        assert_int_equal(frz_rigid_body_make(&def, &m, 3, &body, &diag), FRZ_ERR_SCENE);
        assert_non_null(strstr(diag.message, bad[k].words));
    }
}

// Turning about its middle axis, which is unstable: it tumbles.
static void a_tumbling_body_keeps_energy_and_angular_momentum(void **state)
{
    (void)state;
    frz_diag diag;
    frz_rigid_body body;
    frz_rigid_def def = frz_rigid_def_default();
    def.density = 1000.0;
    def.velocity = frz_v3(0.1, 0.2, 0.3);
    def.spin = frz_v3(0.001, 2.0, 0.0);
    const frz_moments m = box_moments(0.3, 0.2, 0.1);
    assert_int_equal(frz_rigid_body_make(&def, &m, 3, &body, &diag), FRZ_OK);
    const double energy = frz_rigid_body_energy(&body);
    const frz_vec3 about = {1.0, 2.0, 3.0}, momentum = frz_rigid_body_angular_momentum(&body, about);
    double lowest = 2.0;
    for (int n = 0; n < 31416; ++n) // 100 turns at 0.02 rad
    {
        frz_rigid_body_move(&body, 0.01);
        lowest = fmin(lowest, frz_quat_rotate(frz_quat_conjugate(body.rotation), body.spin).y);
    }
    assert_less(lowest, -1.9); // it has turned over
    assert_near(frz_rigid_body_energy(&body), energy, 1e-9 * energy);
    assert_near(frz_v3_length(frz_v3_sub(frz_rigid_body_angular_momentum(&body, about), momentum)), 0.0,
                1e-9 * frz_v3_length(momentum));
}

// The attitude after a time, by steps of two lengths: the error falls with the square.
static void the_attitude_converges_with_the_square_of_the_step(void **state)
{
    (void)state;
    frz_diag diag;
    frz_rigid_body body[3];
    frz_rigid_def def = frz_rigid_def_default();
    def.density = 1000.0;
    def.spin = frz_v3(1.0, 2.0, 0.5);
    const frz_moments m = box_moments(0.3, 0.2, 0.1);
    for (int k = 0; k < 3; ++k)
    {
        const int steps = 50 << (2 * k);
        assert_int_equal(frz_rigid_body_make(&def, &m, 3, &body[k], &diag), FRZ_OK);
        for (int n = 0; n < steps; ++n)
            frz_rigid_body_move(&body[k], 2.0 / steps);
    }
    const double coarse = frz_v3_length(frz_v3_sub(body[0].spin, body[1].spin));
    const double fine = frz_v3_length(frz_v3_sub(body[1].spin, body[2].spin));
    assert_greater(fine, 0.0);
    assert_near(coarse / fine, 16.0, 2.0);
}

static void a_hinged_body_swings_about_its_point_and_a_slider_keeps_its_axis(void **state)
{
    (void)state;
    frz_diag diag;
    frz_rigid_body hinged, sliding;
    frz_rigid_def def = frz_rigid_def_default();
    def.mass = 2.0;
    def.joint = FRZ_JOINT_HINGE;
    def.anchor = frz_v3(0.0, 1.0, 0.0);
    const frz_moments m = box_moments(0.2, 0.2, 0.2);
    assert_int_equal(frz_rigid_body_make(&def, &m, 3, &hinged, &diag), FRZ_OK);
    // J at the centre turns it by J r / (m r^2 + I)
    frz_rigid_body_push(&hinged, frz_v3(0.0, 0.0, 0.0), frz_v3(1.0, 5.0, 3.0));
    assert_near(hinged.spin.z, 1.0 / (2.0 + 2.0 * 0.08 / 12.0), 1e-12);
    assert_same(frz_v3_length(hinged.velocity) + fabs(hinged.spin.x) + fabs(hinged.spin.y), 0.0);
    for (int n = 0; n < 1000; ++n)
        frz_rigid_body_move(&hinged, 0.01);
    const frz_vec3 center = frz_v3_add(hinged.position, frz_quat_rotate(hinged.rotation, hinged.center));
    assert_near(frz_v3_length(frz_v3_sub(center, def.anchor)), 1.0, 1e-12);

    def.joint = FRZ_JOINT_SLIDER;
    def.axis = frz_v3(1.0, 1.0, 0.0);
    assert_int_equal(frz_rigid_body_make(&def, &m, 3, &sliding, &diag), FRZ_OK);
    frz_rigid_body_push(&sliding, frz_v3(0.1, 0.1, 0.1), frz_v3(4.0, 0.0, 3.0));
    assert_near(sliding.velocity.x, 1.0, 1e-12);
    assert_near(sliding.velocity.y, 1.0, 1e-12);
    assert_same(sliding.velocity.z + frz_v3_length(sliding.spin), 0.0);
}

static void a_driven_body_does_not_yield(void **state)
{
    (void)state;
    frz_diag diag;
    frz_rigid_body body;
    frz_rigid_def def = frz_rigid_def_default();
    def.density = 1.0;
    def.driven = true;
    def.joint = FRZ_JOINT_HINGE;
    def.spin = frz_v3(0.0, 0.0, 3.0);
    const frz_moments m = box_moments(0.2, 0.2, 0.2);
    assert_int_equal(frz_rigid_body_make(&def, &m, 3, &body, &diag), FRZ_OK);
    assert_false(frz_rigid_body_yields(&body));
    frz_rigid_body_push(&body, frz_v3(0.1, 0.1, 0.1), frz_v3(4.0, 0.0, 3.0));
    for (int n = 0; n < 100; ++n)
        frz_rigid_body_move(&body, 0.01);
    assert_near(2.0 * atan2(body.rotation.z, body.rotation.w), 3.0, 1e-12);
}

// Two boxes as one body, or one of them made of points that the other carries: the same mass, centre, inertia and
// momenta.
static void a_loaded_body_is_the_one_made_with_its_load(void **state)
{
    (void)state;
    const frz_joint joints[] = {FRZ_JOINT_NONE, FRZ_JOINT_HINGE};
    for (int n = 0; n < 2; ++n)
    {
        frz_diag diag;
        const frz_moments box = {
            .volume = 0.5, .first = frz_v3(0.1, 0.05, 0.0), .second = frz_m3_diagonal(0.2, 0.3, 0.1)};
        frz_rigid_def def = frz_rigid_def_default();
        def.density = 1000.0;
        def.velocity = frz_v3(1.0, 2.0, 3.0);
        def.spin = frz_v3(0.5, -1.0, 2.0);
        def.joint = joints[n];
        frz_rigid_body bare;
        assert_int_equal(frz_rigid_body_make(&def, &box, 3, &bare, &diag), FRZ_OK);
        frz_rigid_body body = bare;
        body.rotation = frz_quat_axis_angle(frz_v3(0.0, 0.0, 1.0), 0.7);
        frz_rigid_body_refresh(&body);
        const frz_rigid_body before = body;
        const frz_vec3 places[3] = {{0.3, 0.1, 0.2}, {-0.2, 0.4, 0.1}, {0.5, -0.1, -0.3}};
        const double mass[3] = {20.0, 70.0, 5.0};
        frz_rigid_load load = {.second = frz_m3_zero()};
        const frz_vec3 middle = frz_v3_add(body.position, frz_quat_rotate(body.rotation, body.center));
        frz_vec3 momentum = frz_v3_scale(bare.mass, frz_rigid_body_velocity_at(&body, middle));
        frz_vec3 angular = frz_rigid_body_angular_momentum(&body, frz_v3(1.0, 1.0, 1.0));
        for (int k = 0; k < 3; ++k)
        {
            load.mass += mass[k];
            load.first = frz_v3_mad(load.first, mass[k], places[k]);
            load.second = frz_m3_mad(load.second, mass[k], frz_m3_outer(places[k], places[k]));
            const frz_vec3 x = frz_v3_add(body.position, frz_quat_rotate(body.rotation, places[k]));
            const frz_vec3 p = frz_v3_scale(mass[k], frz_rigid_body_velocity_at(&body, x));
            momentum = frz_v3_add(momentum, p);
            angular = frz_v3_add(angular, frz_v3_cross(frz_v3_sub(x, frz_v3(1.0, 1.0, 1.0)), p));
        }
        frz_rigid_body_load(&body, &bare, &load, 3);
        const frz_vec3 center = frz_v3_add(body.position, frz_quat_rotate(body.rotation, body.center));
        const frz_vec3 p = frz_v3_scale(body.mass, frz_rigid_body_velocity_at(&body, center));
        const frz_vec3 l = frz_rigid_body_angular_momentum(&body, frz_v3(1.0, 1.0, 1.0));
        assert_near(frz_v3_length(frz_v3_sub(p, momentum)), 0.0, 1e-10);
        assert_near(frz_v3_length(frz_v3_sub(l, angular)), 0.0, 1e-10);
        frz_rigid_body_load(&body, &bare, &(frz_rigid_load){.second = frz_m3_zero()}, 3);
        assert_near(frz_v3_length(frz_v3_sub(body.position, before.position)), 0.0, 1e-14);
        assert_near(frz_v3_length(frz_v3_sub(body.velocity, before.velocity)), 0.0, 1e-14);
        assert_same(body.mass, before.mass);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(moments_of_primitives_agree_with_integration),
        cmocka_unit_test(moments_of_a_mesh_and_of_a_moved_shape_are_exact),
        cmocka_unit_test(moments_in_the_plane_are_those_of_the_section),
        cmocka_unit_test(moments_of_a_capsule_in_the_plane_agree_with_integration),
        cmocka_unit_test(inertia_of_a_box_is_the_textbooks),
        cmocka_unit_test(bad_masses_and_shapes_are_refused_with_a_sentence),
        cmocka_unit_test(a_tumbling_body_keeps_energy_and_angular_momentum),
        cmocka_unit_test(the_attitude_converges_with_the_square_of_the_step),
        cmocka_unit_test(a_hinged_body_swings_about_its_point_and_a_slider_keeps_its_axis),
        cmocka_unit_test(a_driven_body_does_not_yield),
        cmocka_unit_test(a_loaded_body_is_the_one_made_with_its_load),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
