// SPDX-License-Identifier: MIT
// The surface of a body as contacts see it: points on true surfaces, edges and corners, and distances.
#include "rigid_trial.h"

#include "rigid/distance_grid.h"
#include "compare.h"

static const double spacing = 0.02;

static frz_contact_shape *make(frz_shape *shape, int dimension)
{
    frz_diag diag;
    frz_contact_shape *out = NULL;
    const frz_contact_shape_def def = {
        .shape = shape, .spacing = spacing, .dimension = dimension, .clip = rigid_all(1.0), .name = "trial"};
    rigid_must(frz_contact_shape_create(&def, &out, &diag), &diag);
    frz_shape_destroy(&shape);
    return out;
}

static void check_points(const frz_contact_shape *s)
{
    for (int n = 0; n < s->point_count; ++n)
    {
        const frz_contact_point *p = &s->points[n];
        assert_small(frz_shape_distance(s->shape, p->position), 1e-3 * spacing);
        assert_less(frz_shape_distance(s->shape, p->inset), -1e-3 * spacing);
        for (int k = 0; k < p->normal_count; ++k)
            assert_near(frz_v3_length(p->normal[k]), 1.0, 1e-9);
    }
}

static void a_box_has_its_eight_corners(void **state)
{
    (void)state;
    frz_diag diag;
    frz_shape *box = NULL;
    rigid_must(frz_shape_box(frz_v3(-0.05, -0.05, -0.05), frz_v3(0.05, 0.05, 0.05), &box, &diag), &diag);
    frz_contact_shape *s = make(box, 3);
    check_points(s);
    int corners = 0, edges = 0;
    for (int n = 0; n < s->point_count; ++n)
    {
        corners += s->points[n].normal_count == 3;
        edges += s->points[n].normal_count == 2;
    }
    assert_int_equal(corners, 8);
    assert_int_equal(edges, 12 * 4);
    frz_contact_shape_destroy(&s);
}

// A wedge cut out of a box by two planes: features come from the planes, exactly.
static void a_wedge_of_half_spaces_has_its_true_corners(void **state)
{
    (void)state;
    frz_diag diag;
    frz_shape *parts[3], *wedge = NULL;
    const double half = 0.15, c = cos(half), s = sin(half);
    rigid_must(frz_shape_box(frz_v3(0.9, -1.0, -0.1), frz_v3(1.1, 1.0, 0.1), &parts[0], &diag), &diag);
    rigid_must(frz_shape_half_space(frz_v3(0.0, 0.0, 0.0), frz_v3(-s, c, 0.0), &parts[1], &diag), &diag);
    rigid_must(frz_shape_half_space(frz_v3(0.0, 0.0, 0.0), frz_v3(-s, -c, 0.0), &parts[2], &diag), &diag);
    rigid_must(frz_shape_take_combine(FRZ_SHAPE_INTERSECTION, parts, 3, &wedge, &diag), &diag);
    rigid_must(frz_shape_take_transform(wedge, 1.0, frz_quat_axis_angle(frz_v3(0.0, 0.0, 1.0), 0.5),
                                        frz_v3(-0.8, -0.4, 0.0), &wedge, &diag),
               &diag);
    frz_contact_shape *solid = make(wedge, 3);
    check_points(solid);
    assert_int_equal(solid->plane_count, 8); // two of them cut off by the others
    int corners = 0;
    for (int n = 0; n < solid->point_count; ++n)
    {
        const frz_vec3 p = frz_v3_add(solid->points[n].position, frz_v3(0.8, 0.4, 0.0));
        const double x = p.x * cos(0.5) + p.y * sin(0.5), y = p.y * cos(0.5) - p.x * sin(0.5);
        if (solid->points[n].normal_count < 3)
            continue;
        ++corners;
        assert_near(fabs(y), x * s / c, 1e-9);
        assert_near(fabs(x - 1.0), 0.1, 1e-9);
        assert_near(fabs(p.z), 0.1, 1e-9);
    }
    assert_int_equal(corners, 8);
    frz_contact_shape_destroy(&solid);
}

static void a_square_in_the_plane_has_its_four_corners(void **state)
{
    (void)state;
    frz_diag diag;
    frz_shape *box = NULL;
    rigid_must(frz_shape_box(frz_v3(-0.05, -0.05, -HUGE_VAL), frz_v3(0.05, 0.05, HUGE_VAL), &box, &diag), &diag);
    frz_contact_shape *s = make(box, 2);
    check_points(s);
    int corners = 0;
    for (int n = 0; n < s->point_count; ++n)
        corners += s->points[n].normal_count == 2;
    assert_int_equal(corners, 4);
    frz_contact_shape_destroy(&s);
}

static void round_bodies_have_edges_only_where_they_are_sharp(void **state)
{
    (void)state;
    frz_diag diag;
    frz_shape *shape = NULL;
    rigid_must(frz_shape_sphere(frz_v3(0.0, 0.0, 0.0), 0.1, &shape, &diag), &diag);
    frz_contact_shape *s = make(shape, 3);
    check_points(s);
    for (int n = 0; n < s->point_count; ++n)
        assert_int_equal(s->points[n].normal_count, 1);
    frz_contact_shape_destroy(&s);
    rigid_must(frz_shape_cylinder(frz_v3(0.0, -0.1, 0.0), frz_v3(0.0, 0.1, 0.0), 0.1, &shape, &diag), &diag);
    s = make(shape, 3);
    int rim = 0;
    for (int n = 0; n < s->point_count; ++n)
    {
        const frz_contact_point *p = &s->points[n];
        rim += p->normal_count == 2 && fabs(fabs(p->position.y) - 0.1) < 1e-9 &&
               fabs(hypot(p->position.x, p->position.z) - 0.1) < 0.05 * spacing;
    }
    assert_greater_equal(rim, 2 * 30);
    frz_contact_shape_destroy(&s);
}

static void both_sides_of_a_thin_plate_can_touch(void **state)
{
    (void)state;
    frz_diag diag;
    frz_shape *plate = NULL;
    const double half = 0.25 * spacing;
    rigid_must(frz_shape_box(frz_v3(-0.1, -half, -0.1), frz_v3(0.1, half, 0.1), &plate, &diag), &diag);
    frz_contact_shape *s = make(plate, 3);
    check_points(s);
    int above = 0, below = 0;
    for (int n = 0; n < s->point_count; ++n)
    {
        above += s->points[n].normal_count == 1 && s->points[n].normal[0].y > 0.9;
        below += s->points[n].normal_count == 1 && s->points[n].normal[0].y < -0.9;
    }
    assert_greater_equal(above, 64);
    assert_greater_equal(below, 64);
    frz_contact_shape_destroy(&s);
}

static void too_few_samples_are_refused(void **state)
{
    (void)state;
    frz_diag diag;
    frz_shape *ball = NULL;
    frz_contact_shape *s = NULL;
    rigid_must(frz_shape_sphere(frz_v3(0.0, 0.0, 0.0), 0.1 * spacing, &ball, &diag), &diag);
    const frz_vec3 two[2] = {{0.0, 0.0, 0.0}, {0.001, 0.0, 0.0}};
    const frz_contact_shape_def def = {.shape = ball,
                                       .spacing = spacing,
                                       .dimension = 3,
                                       .clip = rigid_all(1.0),
                                       .sample_count = 2,
                                       .samples = two,
                                       .name = "pebble"};
    assert_int_equal(frz_contact_shape_create(&def, &s, &diag), FRZ_ERR_SCENE);
    assert_null(s);
    assert_non_null(strstr(diag.message, "pebble"));
    assert_non_null(strstr(diag.message, "at least 3"));
    frz_shape_destroy(&ball);
}

static void the_distance_grid_agrees_with_the_shape(void **state)
{
    (void)state;
    frz_diag diag;
    frz_shape *torus = NULL;
    frz_distance_grid *grid = NULL;
    rigid_must(frz_shape_torus(frz_v3(0.1, 0.0, 0.0), frz_v3(0.0, 1.0, 0.0), 0.2, 0.08, &torus, &diag), &diag);
    rigid_must(frz_distance_grid_create(torus, frz_shape_bounds(torus), 0.5 * spacing, 2.0 * spacing, &grid, &diag),
               &diag);
    uint64_t seed = 3;
    int near = 0;
    for (int n = 0; n < 20000; ++n)
    {
        double u[3];
        for (int k = 0; k < 3; ++k)
        {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            u[k] = (double)(seed >> 11) / 9007199254740992.0;
        }
        const frz_vec3 p = {0.1 + 0.8 * (u[0] - 0.5), 0.4 * (u[1] - 0.5), 0.8 * (u[2] - 0.5)};
        frz_vec3 normal;
        const double exact = frz_shape_distance(torus, p), found = frz_distance_grid_at(grid, p, &normal);
        if (fabs(exact) < 2.0 * spacing)
        {
            ++near;
            assert_near(found, exact, 0.02 * spacing); // cell^2 / (8 radius)
            assert_greater(frz_v3_dot(normal, frz_shape_normal(torus, p)), 0.98);
        }
        else
        {
            assert_greater(found * exact, 0.0);
            assert_less_equal(fabs(found), fabs(exact) + 0.05 * spacing);
        }
    }
    assert_greater(near, 1000);
    frz_distance_grid_destroy(&grid);
    frz_shape_destroy(&torus);
}

/// A body of two boxes, turned and moved.
static frz_shape *make_cross(frz_quat rotation, frz_vec3 translation)
{
    frz_diag diag;
    frz_shape *parts[2] = {NULL, NULL}, *both = NULL, *placed = NULL;
    rigid_must(frz_shape_box(frz_v3(-0.1, -0.03, -0.03), frz_v3(0.1, 0.03, 0.03), &parts[0], &diag), &diag);
    rigid_must(frz_shape_box(frz_v3(-0.03, -0.1, -0.03), frz_v3(0.03, 0.1, 0.03), &parts[1], &diag), &diag);
    rigid_must(frz_shape_take_combine(FRZ_SHAPE_UNION, parts, 2, &both, &diag), &diag);
    rigid_must(frz_shape_take_transform(both, 1.0, rotation, translation, &placed, &diag), &diag);
    return placed;
}

static void equal_bodies_share_one_surface_each_in_its_axes(void **state)
{
    (void)state;
    frz_diag diag;
    const frz_quat turn = frz_quat_axis_angle(frz_v3(0.3, 1.0, -0.4), 1.1);
    const frz_vec3 there = frz_v3(0.2, -0.1, 0.3);
    frz_shape *first = make_cross(frz_quat_identity(), frz_v3(0.0, 0.0, 0.0)), *second = make_cross(turn, there);
    assert_true(frz_shape_is_like(first, second, 3));
    frz_shape *own = NULL;
    frz_placement at;
    rigid_must(frz_shape_unplace(second, 3, &own, &at, &diag), &diag);
    frz_contact_shape *made = make(own, 3), *shared = NULL;
    rigid_must(frz_contact_shape_share(made, at.rotation, &shared, &diag), &diag);
    assert_ptr_equal(made->points, shared->points);
    for (int n = 0; n < made->point_count; ++n)
    { // points of the shared surface lie on the shape where the body stands
        const frz_vec3 place = frz_contact_shape_to_body(shared, shared->points[n].position);
        assert_small(frz_shape_distance(second, frz_v3_add(there, place)), 1e-3 * spacing);
    }
    frz_contact_shape_destroy(&made); // the other one goes on
    assert_greater(shared->point_count, 100);
    assert_less(frz_shape_distance(shared->shape, shared->points[0].inset), 0.0);
    frz_contact_shape_destroy(&shared);
    frz_shape_destroy(&first);
    frz_shape_destroy(&second);
}

static void shapes_of_other_sizes_are_not_like_each_other(void **state)
{
    (void)state;
    frz_diag diag;
    frz_shape *a = NULL, *b = NULL;
    rigid_must(frz_shape_sphere(frz_v3(0.0, 0.0, 0.0), 0.1, &a, &diag), &diag);
    rigid_must(frz_shape_sphere(frz_v3(0.0, 0.0, 0.0), 0.11, &b, &diag), &diag);
    assert_false(frz_shape_is_like(a, b, 3));
    assert_true(frz_shape_is_like(a, a, 3));
    frz_shape_destroy(&a);
    frz_shape_destroy(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_bodies_share_one_surface_each_in_its_axes),
        cmocka_unit_test(shapes_of_other_sizes_are_not_like_each_other),
        cmocka_unit_test(a_box_has_its_eight_corners),
        cmocka_unit_test(a_wedge_of_half_spaces_has_its_true_corners),
        cmocka_unit_test(a_square_in_the_plane_has_its_four_corners),
        cmocka_unit_test(round_bodies_have_edges_only_where_they_are_sharp),
        cmocka_unit_test(both_sides_of_a_thin_plate_can_touch),
        cmocka_unit_test(too_few_samples_are_refused),
        cmocka_unit_test(the_distance_grid_agrees_with_the_shape),
    };
    return cmocka_run_group_tests_name("contact_shape", tests, NULL, NULL);
}
