// SPDX-License-Identifier: MIT
// Shapes: distances against brute force over surface points, signs of CSG, bounds, volumes, transforms, 2D, triangles.
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "compare.h"

#include <stdlib.h>

#include "base/memory.h"
#include "geom/mesh.h"
#include "geom/shape.h"

static const double pi = 3.14159265358979323846;

/// Deterministic numbers in [-1, 1).
static double next_random(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(*state >> 11) / 4503599627370496.0 - 1.0;
}

static frz_shape *box(double x0, double y0, double z0, double x1, double y1, double z1)
{
    frz_shape *s = NULL;
    assert_int_equal(frz_shape_box(frz_v3(x0, y0, z0), frz_v3(x1, y1, z1), &s, NULL), FRZ_OK);
    return s;
}

static frz_shape *sphere(double x, double y, double z, double r)
{
    frz_shape *s = NULL;
    assert_int_equal(frz_shape_sphere(frz_v3(x, y, z), r, &s, NULL), FRZ_OK);
    return s;
}

static frz_shape *combine(frz_shape_kind kind, frz_shape *a, frz_shape *b)
{
    frz_shape *children[] = {a, b};
    frz_shape *s = NULL;
    assert_int_equal(frz_shape_take_combine(kind, children, 2, &s, NULL), FRZ_OK);
    return s;
}

static frz_bounds clip_of(double r)
{
    const frz_bounds clip = {{-r, -r, -r}, {r, r, r}};
    return clip;
}

/// Distance to a fine triangulation, found without any tree; the sign is taken from the shape.
static double brute_distance(const frz_mesh *mesh, frz_vec3 p)
{
    enum
    {
        parts = 24 // points along each side of a triangle
    };
    double best = HUGE_VAL;
    for (int t = 0; t < mesh->triangle_count; ++t)
    {
        const frz_vec3 a = mesh->vertices[mesh->triangles[t][0]];
        const frz_vec3 ab = frz_v3_sub(mesh->vertices[mesh->triangles[t][1]], a);
        const frz_vec3 ac = frz_v3_sub(mesh->vertices[mesh->triangles[t][2]], a);
        for (int u = 0; u <= parts; ++u)
        {
            for (int v = 0; u + v <= parts; ++v)
            {
                const frz_vec3 q = frz_v3_mad(frz_v3_mad(a, (double)u / parts, ab), (double)v / parts, ac);
                best = fmin(best, frz_v3_length(frz_v3_sub(p, q)));
            }
        }
    }
    return best;
}

/// Distance, normal, bounds and volume of a primitive agree with its triangles.
static void check_primitive(frz_shape *s, double volume)
{
    uint64_t state = 7;
    frz_mesh *mesh = NULL;
    assert_int_equal(frz_shape_triangulate(s, 0.05, clip_of(10.0), &mesh, NULL), FRZ_OK);
    const frz_bounds b = frz_shape_bounds(s);
    for (int n = 0; n < 12; ++n)
    {
        const frz_vec3 p = {1.5 * next_random(&state), 1.5 * next_random(&state), 1.5 * next_random(&state)};
        const double d = frz_shape_distance(s, p);
        assert_near(fabs(d), brute_distance(mesh, p), 0.06);
        const double step = 1.0e-3;
        const double ahead = frz_shape_distance(s, frz_v3_mad(p, step, frz_shape_normal(s, p)));
        assert_near(ahead - d, step, 1.0e-4);
        const bool outside_bounds =
            p.x < b.min.x || p.y < b.min.y || p.z < b.min.z || p.x > b.max.x || p.y > b.max.y || p.z > b.max.z;
        assert_true(!outside_bounds || d > 0.0);
    }
    for (int v = 0; v < mesh->vertex_count; ++v)
        assert_small(frz_shape_distance(s, mesh->vertices[v]), 1.0e-9);
    assert_near(frz_shape_volume(s, 3), volume, 1.0e-9);
    frz_mesh_destroy(&mesh);
    frz_shape_destroy(&s);
    assert_null(s);
}

static void test_every_primitive_matches_brute_force(void **state)
{
    (void)state;
    const frz_vec3 a = {-0.5, -0.3, 0.1};
    const frz_vec3 b = {0.4, 0.6, -0.2};
    const double length = frz_v3_length(frz_v3_sub(b, a));
    frz_shape *s = NULL;
    check_primitive(box(-0.5, -0.4, -0.3, 0.5, 0.6, 0.4), 0.7);
    check_primitive(sphere(0.1, 0.2, -0.1, 0.8), 4.0 / 3.0 * pi * 0.512);
    assert_int_equal(frz_shape_cylinder(a, b, 0.4, &s, NULL), FRZ_OK);
    check_primitive(s, pi * 0.16 * length);
    assert_int_equal(frz_shape_capsule(a, b, 0.4, &s, NULL), FRZ_OK);
    check_primitive(s, pi * 0.16 * (length + 4.0 / 3.0 * 0.4));
    assert_int_equal(frz_shape_cone(a, b, 0.5, 0.2, &s, NULL), FRZ_OK);
    check_primitive(s, pi / 3.0 * length * (0.25 + 0.1 + 0.04));
    assert_int_equal(frz_shape_torus(frz_v3(0.0, 0.1, 0.0), frz_v3(0.2, 1.0, 0.1), 0.8, 0.3, &s, NULL), FRZ_OK);
    check_primitive(s, 2.0 * pi * pi * 0.8 * 0.09);
}

/// Surface points of a frustum by its parameters, independent of the code under test.
static double cone_brute(double ra, double rb, double length, frz_vec3 p)
{
    double best = HUGE_VAL;
    for (int m = 0; m < 200; ++m)
    {
        const double angle = 2.0 * pi * m / 200.0;
        for (int k = 0; k <= 60; ++k)
        {
            const double t = k / 60.0;
            const double radii[3] = {ra * t, rb * t, ra + (rb - ra) * t};
            const double heights[3] = {0.0, length, length * t};
            for (int part = 0; part < 3; ++part)
            {
                const frz_vec3 q = {radii[part] * cos(angle), heights[part], radii[part] * sin(angle)};
                best = fmin(best, frz_v3_length(frz_v3_sub(p, q)));
            }
        }
    }
    return best;
}

static void test_cone_and_cylinder_distance_match_brute_force(void **state)
{
    (void)state;
    uint64_t random = 3;
    const double radii[3][2] = {{0.7, 0.2}, {0.5, 0.5}, {0.0, 0.6}};
    for (int shape = 0; shape < 3; ++shape)
    {
        frz_shape *s = NULL;
        const double ra = radii[shape][0];
        const double rb = radii[shape][1];
        assert_int_equal(frz_shape_cone(frz_v3(0.0, 0.0, 0.0), frz_v3(0.0, 1.2, 0.0), ra, rb, &s, NULL), FRZ_OK);
        for (int n = 0; n < 40; ++n)
        {
            const frz_vec3 p = {next_random(&random), 0.6 + 1.2 * next_random(&random), next_random(&random)};
            const double d = frz_shape_distance(s, p);
            const double radius = ra + (rb - ra) * p.y / 1.2;
            const bool inside = p.y > 0.0 && p.y < 1.2 && hypot(p.x, p.z) < radius;
            assert_same(inside, (d < 0.0));
            assert_near(fabs(d), cone_brute(ra, rb, 1.2, p), 0.02);
        }
        frz_shape_destroy(&s);
    }
}

static void test_box_distance_matches_definition(void **state)
{
    (void)state;
    frz_shape *s = box(0.0, 0.0, 0.0, 1.0, 2.0, 3.0);
    assert_small(frz_shape_distance(s, frz_v3(0.5, 1.0, 1.5)) + 0.5, 1.0e-15);
    assert_small(frz_shape_distance(s, frz_v3(0.5, 1.9, 1.5)) + 0.1, 1.0e-15);
    assert_near(frz_shape_distance(s, frz_v3(-3.0, -4.0, 1.0)), 5.0, 1.0e-15);
    assert_near(frz_shape_distance(s, frz_v3(2.0, 4.0, 5.0)), 3.0, 1.0e-15);
    assert_same(frz_shape_volume(s, 3), 6.0);
    assert_int_equal(frz_shape_kind_of(s), FRZ_SHAPE_BOX);
    frz_shape_destroy(&s);
}

static void test_csg_has_the_sign_of_set_logic(void **state)
{
    (void)state;
    uint64_t random = 11;
    frz_shape *a = box(-1.0, -1.0, -1.0, 0.5, 0.5, 0.5);
    frz_shape *b = sphere(0.3, 0.3, 0.3, 0.7);
    frz_shape *sums[3];
    const frz_shape_kind kinds[3] = {FRZ_SHAPE_UNION, FRZ_SHAPE_INTERSECTION, FRZ_SHAPE_DIFFERENCE};
    for (int k = 0; k < 3; ++k)
        sums[k] = combine(kinds[k], box(-1.0, -1.0, -1.0, 0.5, 0.5, 0.5), sphere(0.3, 0.3, 0.3, 0.7));
    for (int n = 0; n < 2000; ++n)
    {
        const frz_vec3 p = {1.2 * next_random(&random), 1.2 * next_random(&random), 1.2 * next_random(&random)};
        const bool in_a = frz_shape_distance(a, p) < 0.0;
        const bool in_b = frz_shape_distance(b, p) < 0.0;
        assert_same((frz_shape_distance(sums[0], p) < 0.0), (in_a || in_b));
        assert_same((frz_shape_distance(sums[1], p) < 0.0), (in_a && in_b));
        assert_same((frz_shape_distance(sums[2], p) < 0.0), (in_a && !in_b));
    }
    const double both = frz_shape_volume(sums[1], 3);
    const double expected = frz_shape_volume(a, 3) + frz_shape_volume(b, 3);
    assert_near(frz_shape_volume(sums[0], 3) + both, expected, 0.005 * expected);
    assert_near(frz_shape_volume(sums[2], 3) + both, frz_shape_volume(a, 3), 0.005 * expected);
    for (int k = 0; k < 3; ++k)
        frz_shape_destroy(&sums[k]);
    frz_shape_destroy(&a);
    frz_shape_destroy(&b);
}

static void test_open_shell_is_a_tank(void **state)
{
    (void)state;
    frz_shape *s = NULL;
    assert_int_equal(frz_shape_take_shell(box(0.0, 0.0, 0.0, 1.0, 1.0, 1.0), 0.1, FRZ_SHELL_OUTSIDE, 1u << 3, &s, NULL),
                     FRZ_OK);
    assert_greater(frz_shape_distance(s, frz_v3(0.5, 0.5, 0.5)), 0.0);  // cavity
    assert_greater(frz_shape_distance(s, frz_v3(0.5, 1.0, 0.5)), 0.05); // no film over the opening
    assert_less(frz_shape_distance(s, frz_v3(0.5, -0.05, 0.5)), 0.0);   // bottom
    assert_less(frz_shape_distance(s, frz_v3(-0.05, 0.99, 0.5)), 0.0);
    assert_greater(frz_shape_distance(s, frz_v3(-0.05, 1.01, 0.5)), 0.0);
    assert_less(frz_shape_distance(s, frz_v3(-0.09, -0.09, -0.09)), 0.0); // sharp outer corner
    const frz_bounds b = frz_shape_bounds(s);
    assert_same(b.max.y, 1.0);
    assert_small(b.min.y + 0.1, 1.0e-15);
    assert_near(b.max.x, 1.1, 1.0e-15);
    assert_near(frz_shape_volume(s, 3), (1.2 * 1.2 * 1.1 - 1.0), 0.01);
    assert_near(frz_shape_min_thickness(s, 3, 0.5), 0.1, 1.0e-3);
    assert_same(frz_shape_min_thickness(s, 3, 0.05), 0.05);
    frz_shape_destroy(&s);
    assert_int_equal(frz_shape_take_shell(box(0.0, 0.0, 0.0, 1.0, 1.0, 1.0), 0.1, FRZ_SHELL_INSIDE, 1u << 3, &s, NULL),
                     FRZ_OK);
    assert_less(frz_shape_distance(s, frz_v3(0.05, 0.97, 0.5)), 0.0); // side walls keep their full height
    assert_greater(frz_shape_distance(s, frz_v3(0.5, 0.97, 0.5)), 0.0);
    frz_shape_destroy(&s);
}

static void test_transform_moves_distance_bounds_and_volume(void **state)
{
    (void)state;
    frz_shape *s = NULL;
    const frz_quat quarter = frz_quat_axis_angle(frz_v3(0.0, 0.0, 1.0), 0.5 * pi);
    assert_int_equal(
        frz_shape_take_transform(box(0.0, 0.0, 0.0, 2.0, 1.0, 1.0), 2.0, quarter, frz_v3(10.0, 0.0, 0.0), &s, NULL),
        FRZ_OK);
    const frz_bounds b = frz_shape_bounds(s); // x' = 10 - 2 y, y' = 2 x
    assert_near(b.min.x, 8.0, 1.0e-12);
    assert_near(b.max.x, 10.0, 1.0e-12);
    assert_near(b.max.y, 4.0, 1.0e-12);
    assert_near(frz_shape_distance(s, frz_v3(9.0, 5.0, 1.0)), 1.0, 1.0e-12);
    assert_near(frz_shape_volume(s, 3), 16.0, 1.0e-12);
    assert_near(frz_shape_normal(s, frz_v3(9.0, 5.0, 1.0)).y, 1.0, 1.0e-9);
    frz_shape_destroy(&s);
}

static void test_endless_box_works_in_2d(void **state)
{
    (void)state;
    frz_shape *s = box(0.0, 0.0, -HUGE_VAL, 2.0, 1.0, HUGE_VAL);
    assert_small(frz_shape_distance(s, frz_v3(1.0, 0.9, 0.0)) + 0.1, 1.0e-15);
    assert_near(frz_shape_distance(s, frz_v3(1.0, 1.5, 0.0)), 0.5, 1.0e-15);
    assert_same(frz_shape_volume(s, 2), 2.0);
    assert_same(frz_shape_volume(s, 3), HUGE_VAL);
    frz_mesh *mesh = NULL;
    assert_int_equal(frz_shape_triangulate(s, 0.1, clip_of(0.5), &mesh, NULL), FRZ_OK);
    for (int v = 0; v < mesh->vertex_count; ++v)
        assert_same(fabs(mesh->vertices[v].z), 0.5);
    frz_mesh_destroy(&mesh);
    frz_shape *turned = NULL;
    const frz_quat q = frz_quat_axis_angle(frz_v3(0.0, 0.0, 1.0), 0.3);
    assert_int_equal(frz_shape_take_transform(s, 1.0, q, frz_v3(1.0, 1.0, 0.0), &turned, NULL), FRZ_OK);
    const frz_bounds b = frz_shape_bounds(turned);
    assert_true(isfinite(b.min.x));
    assert_true(isfinite(b.max.y));
    assert_same(b.max.z, HUGE_VAL);
    assert_near(frz_shape_volume(turned, 2), 2.0, 1.0e-12);
    frz_shape *cut = combine(FRZ_SHAPE_DIFFERENCE, turned, sphere(1.5, 1.8, 0.0, 0.3));
    assert_near(frz_shape_volume(cut, 2), (2.0 - pi * 0.09), 2.0e-3);
    frz_shape_destroy(&cut);
}

static void test_half_space_is_unbounded(void **state)
{
    (void)state;
    frz_shape *s = NULL;
    assert_int_equal(frz_shape_half_space(frz_v3(0.0, 1.0, 0.0), frz_v3(0.0, 2.0, 0.0), &s, NULL), FRZ_OK);
    assert_near(frz_shape_distance(s, frz_v3(5.0, 3.0, 2.0)), 2.0, 1.0e-15);
    assert_same(frz_shape_bounds(s).max.y, 1.0);
    assert_same(frz_shape_bounds(s).min.y, -HUGE_VAL);
    assert_same(frz_shape_volume(s, 3), HUGE_VAL);
    frz_shape_destroy(&s);
}

static void test_heightfield_is_solid_below_its_heights(void **state)
{
    (void)state;
    const double heights[6] = {1.0, 2.0, 1.0, 1.0, 2.0, 1.0};
    frz_shape *s = NULL;
    assert_int_equal(frz_shape_heightfield(frz_v3(0.0, 0.0, 0.0), frz_v3(2.0, 3.0, 1.0), 3, 2, heights, &s, NULL),
                     FRZ_OK);
    assert_less(frz_shape_distance(s, frz_v3(1.0, 1.9, 0.5)), 0.0);
    assert_greater(frz_shape_distance(s, frz_v3(0.1, 1.9, 0.5)), 0.0);
    assert_near(frz_shape_distance(s, frz_v3(1.0, -0.25, 0.5)), 0.25, 1.0e-12);
    assert_near(frz_shape_volume(s, 3), 3.0, 1.0e-12);
    assert_same(frz_shape_bounds(s).max.y, 2.0);
    frz_shape_destroy(&s);
    assert_int_equal(
        frz_shape_heightfield(frz_v3(0.0, 0.0, -HUGE_VAL), frz_v3(2.0, 3.0, HUGE_VAL), 3, 1, heights, &s, NULL),
        FRZ_OK);
    assert_near(frz_shape_volume(s, 2), 3.0, 0.01);
    frz_shape_destroy(&s);
}

static void test_contour_of_csg_keeps_volume_and_sharp_corner(void **state)
{
    (void)state;
    frz_shape *s = combine(FRZ_SHAPE_DIFFERENCE, box(0.0, 0.0, 0.0, 1.0, 1.0, 1.0), box(0.5, 0.5, 0.5, 2.0, 2.0, 2.0));
    frz_mesh *mesh = NULL;
    assert_int_equal(frz_shape_triangulate(s, 0.07, clip_of(5.0), &mesh, NULL), FRZ_OK);
    double nearest = HUGE_VAL;
    for (int v = 0; v < mesh->vertex_count; ++v)
        nearest = fmin(nearest, frz_v3_length(frz_v3_sub(mesh->vertices[v], frz_v3(1.0, 0.0, 0.0))));
    assert_less(nearest, 0.01);
    frz_shape *again = NULL; // a mesh is only accepted if it is closed and oriented
    frz_diag diag = {0};
    const frz_status status = frz_shape_take_mesh(mesh, &again, &diag);
    if (status != FRZ_OK)
        print_message("%s\n", diag.message);
    assert_int_equal(status, FRZ_OK);
    assert_near(frz_shape_volume(again, 3), 0.875, 0.01);
    frz_shape_destroy(&again);
    frz_shape_destroy(&s);
}

static void test_nonsense_is_refused_without_leaks(void **state)
{
    (void)state;
    const int64_t before = frz_memory_bytes();
    frz_diag diag = {0};
    frz_shape *s = NULL;
    assert_int_equal(frz_shape_box(frz_v3(1.0, 0.0, 0.0), frz_v3(0.0, 1.0, 1.0), &s, &diag), FRZ_ERR_SCENE);
    assert_int_equal(frz_shape_sphere(frz_v3(0.0, 0.0, 0.0), -1.0, &s, &diag), FRZ_ERR_SCENE);
    assert_int_equal(frz_shape_sphere(frz_v3(NAN, 0.0, 0.0), 1.0, &s, &diag), FRZ_ERR_SCENE);
    assert_int_equal(frz_shape_cylinder(frz_v3(0.0, 0.0, 0.0), frz_v3(0.0, 0.0, 0.0), 1.0, &s, &diag), FRZ_ERR_SCENE);
    assert_int_equal(frz_shape_torus(frz_v3(0.0, 0.0, 0.0), frz_v3(0.0, 1.0, 0.0), 1.0, 2.0, &s, &diag), FRZ_ERR_SCENE);
    assert_int_equal(frz_shape_take_shell(sphere(0.0, 0.0, 0.0, 1.0), 0.0, FRZ_SHELL_INSIDE, 0, &s, &diag),
                     FRZ_ERR_SCENE);
    assert_int_equal(frz_shape_take_transform(sphere(0.0, 0.0, 0.0, 1.0), -2.0, frz_quat_identity(),
                                              frz_v3(0.0, 0.0, 0.0), &s, &diag),
                     FRZ_ERR_SCENE);
    frz_shape *children[2] = {sphere(0.0, 0.0, 0.0, 1.0), NULL};
    assert_int_equal(frz_shape_take_combine(FRZ_SHAPE_UNION, children, 2, &s, &diag), FRZ_ERR_ARGUMENT);
    assert_null(s);
    assert_int_equal(frz_memory_bytes(), before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_primitive_matches_brute_force),
        cmocka_unit_test(test_cone_and_cylinder_distance_match_brute_force),
        cmocka_unit_test(test_box_distance_matches_definition),
        cmocka_unit_test(test_csg_has_the_sign_of_set_logic),
        cmocka_unit_test(test_open_shell_is_a_tank),
        cmocka_unit_test(test_transform_moves_distance_bounds_and_volume),
        cmocka_unit_test(test_endless_box_works_in_2d),
        cmocka_unit_test(test_half_space_is_unbounded),
        cmocka_unit_test(test_heightfield_is_solid_below_its_heights),
        cmocka_unit_test(test_contour_of_csg_keeps_volume_and_sharp_corner),
        cmocka_unit_test(test_nonsense_is_refused_without_leaks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
