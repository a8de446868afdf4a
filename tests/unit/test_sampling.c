// SPDX-License-Identifier: MIT
// Sampling: lattices that fit, gaps, volumes, wall grids of tanks, even blue noise, 2D, thin walls, too many.
// labels: long
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "compare.h"

#include <omp.h>
#include <string.h>

#include "geom/sampling.h"

static const double pi = 3.14159265358979323846;

static frz_shape *box(double x0, double y0, double z0, double x1, double y1, double z1)
{
    frz_shape *s = NULL;
    assert_int_equal(frz_shape_box(frz_v3(x0, y0, z0), frz_v3(x1, y1, z1), &s, NULL), FRZ_OK);
    return s;
}

static frz_shape *sphere(double r)
{
    frz_shape *s = NULL;
    assert_int_equal(frz_shape_sphere(frz_v3(0.0, 0.0, 0.0), r, &s, NULL), FRZ_OK);
    return s;
}

static frz_bounds everywhere(void)
{
    const frz_bounds all = {{-1000.0, -1000.0, -1000.0}, {1000.0, 1000.0, 1000.0}};
    return all;
}

static frz_point_set volume_of(const frz_shape *s, double spacing, int dimension)
{
    frz_point_set set = {0, 0, NULL};
    frz_diag diag = {0};
    if (frz_sample_volume(s, spacing, dimension, &set, &diag) != FRZ_OK)
        fail_msg("%s", diag.message);
    return set;
}

static frz_point_set surface_of(const frz_shape *s, double spacing, int dimension)
{
    frz_point_set set = {0, 0, NULL};
    frz_diag diag = {0};
    if (frz_sample_surface(s, spacing, dimension, everywhere(), &set, &diag) != FRZ_OK)
        fail_msg("%s", diag.message);
    return set;
}

/// Distance from p to the nearest point of the set other than number skip.
static double nearest(const frz_point_set *set, frz_vec3 p, int64_t skip)
{
    double best = HUGE_VAL;
    for (int64_t n = 0; n < set->count; ++n)
    {
        const frz_vec3 d = frz_v3_sub(set->points[n], p);
        if (n != skip)
            best = fmin(best, frz_v3_dot(d, d));
    }
    return sqrt(best);
}

static double closest_pair(const frz_point_set *set)
{
    double best = HUGE_VAL;
    for (int64_t n = 0; n < set->count; ++n)
        best = fmin(best, nearest(set, set->points[n], n));
    return best;
}

static void test_box_that_fits_has_the_exact_lattice(void **state)
{
    (void)state;
    frz_shape *s = box(-0.2, 0.0, 0.1, 0.3, 0.4, 0.4); // 5 x 4 x 3 spacings
    frz_point_set set = volume_of(s, 0.1, 3);
    assert_int_equal(set.count, 60);
    assert_small(set.points[0].x + 0.15, 1.0e-12);
    assert_near(set.points[0].y, 0.05, 1.0e-12);
    assert_near(closest_pair(&set), 0.1, 1.0e-12);
    assert_near(frz_sample_volume_estimate(s, 0.1, 3), 60.0, 1.0e-9);
    frz_point_set_destroy(&set);
    frz_shape_destroy(&s);
}

/// Fills a shape and checks that it has its volume, with points neither too close to each other nor to the surface.
static int64_t check_volume(const frz_shape *s, double spacing, int dimension, double least)
{
    frz_point_set set = volume_of(s, spacing, dimension);
    const double wanted = frz_sample_volume_estimate(s, spacing, dimension);
    if (fabs((double)set.count - wanted) > fmax(0.005 * wanted, 0.51))
        fail_msg("%lld particles for a volume of %.3f", (long long)set.count, wanted);
    const double closest = closest_pair(&set) / spacing;
    if (closest < least)
        fail_msg("two of %lld points are %.3f spacings apart", (long long)set.count, closest);
    for (int64_t n = 0; n < set.count; ++n)
        assert_less(frz_shape_distance(s, set.points[n]), -0.35 * spacing);
    const int64_t count = set.count;
    frz_point_set_destroy(&set);
    return count;
}

static void test_boxes_of_any_size_have_their_volume(void **state)
{
    (void)state;
    const double spacing = 0.1;
    uint32_t seed = 7;
    for (int n = 0; n < 60; ++n)
    {
        double side[3];
        for (int k = 0; k < 3; ++k)
        {
            seed = 1664525U * seed + 1013904223U;
            side[k] = spacing * (2.5 + (n % 3 == 0 ? 3.0 : 12.0) * (double)(seed >> 8) / 16777216.0);
        }
        const int dimension = n % 2 == 0 ? 3 : 2;
        frz_shape *s = dimension == 3 ? box(0.0, 0.0, 0.0, side[0], side[1], side[2])
                                      : box(0.0, 0.0, -HUGE_VAL, side[0], side[1], HUGE_VAL);
        assert_greater(check_volume(s, spacing, dimension, 0.72), 0);
        frz_shape_destroy(&s);
    }
    frz_shape *s = box(0.0, 0.0, -HUGE_VAL, 5.0, 1.46, HUGE_VAL); // 50 x 14.6 spacings
    assert_int_equal(check_volume(s, spacing, 2, 0.8), 730);
    frz_shape_destroy(&s);
}

static void test_steps_and_frames_of_boxes_have_their_volume(void **state)
{
    (void)state;
    for (int kind = 0; kind < 2; ++kind)
    {
        frz_shape *parts[2] = {box(0.0, 0.0, -HUGE_VAL, 1.0, 0.96, HUGE_VAL),
                               box(0.4, kind == 0 ? 0.37 : -1.0, -HUGE_VAL, 0.75, kind == 0 ? 2.0 : 0.3, HUGE_VAL)};
        frz_shape *s = NULL;
        assert_int_equal(frz_shape_take_combine(FRZ_SHAPE_DIFFERENCE, parts, 2, &s, NULL), FRZ_OK);
        assert_greater(check_volume(s, 0.05, 2, 0.7), 200);
        frz_shape_destroy(&s);
    }
}

static void test_turned_box_is_filled_along_its_own_axes(void **state)
{
    (void)state;
    frz_shape *s = NULL;
    const frz_quat q = frz_quat_axis_angle(frz_v3(1.0, 2.0, 3.0), 0.7);
    assert_int_equal(
        frz_shape_take_transform(box(0.0, 0.0, 0.0, 1.0, 1.0, 1.0), 0.5, q, frz_v3(3.0, 2.0, 1.0), &s, NULL), FRZ_OK);
    frz_point_set set = volume_of(s, 0.1, 3);
    assert_int_equal(set.count, 125);
    assert_near(closest_pair(&set), 0.1, 1.0e-9);
    frz_point_set_destroy(&set);
    frz_shape_destroy(&s);
}

static void test_sphere_is_filled_to_its_volume(void **state)
{
    (void)state;
    frz_shape *s = sphere(1.0);
    const double spacing = 1.0 / 12.0;
    frz_point_set set = volume_of(s, spacing, 3);
    const double volume = (double)set.count * spacing * spacing * spacing;
    assert_near(volume, 4.0 / 3.0 * pi, 0.03 * 4.0 / 3.0 * pi);
    for (int64_t n = 0; n < set.count; ++n)
        assert_less(frz_shape_distance(s, set.points[n]), -0.25 * spacing + 1.0e-6);
    frz_point_set_destroy(&set);
    frz_shape_destroy(&s);
}

// ---- evenness of what fills a curved shape

/// Wendland C2 with the support of 2.1 spacings, the liquids' default.
static double liquid_kernel(double r, double spacing)
{
    const double q = r / (2.1 * spacing), a = 1.0 - q;
    return q < 1.0 ? a * a * a * a * (1.0 + 4.0 * q) : 0.0;
}

/// Sum over a lattice around one of its points.
static double lattice_density(int dimension)
{
    double sum = 0.0;
    for (int n = 0; n < (dimension == 3 ? 125 : 25); ++n)
    {
        const int i = n % 5 - 2, j = n / 5 % 5 - 2, k = dimension == 3 ? n / 25 - 2 : 0;
        sum += liquid_kernel(sqrt((double)(i * i + j * j + k * k)), 1.0);
    }
    return sum;
}

/// Fill a shape; count and densities (1 on the lattice) must be those of the volume: no particle has more, and those
/// that the surface leaves a full neighbourhood have no less.
static void check_filling(const char *name, frz_shape *s, double spacing, int dimension)
{
    frz_point_set set = volume_of(s, spacing, dimension);
    const double rest = lattice_density(dimension);
    double highest = 0.0, lowest = HUGE_VAL, shallowest = HUGE_VAL;
    for (int64_t n = 0; n < set.count; ++n)
    {
        double sum = 0.0;
        for (int64_t m = 0; m < set.count; ++m)
            sum += liquid_kernel(frz_v3_length(frz_v3_sub(set.points[n], set.points[m])), spacing);
        const double depth = -frz_shape_distance(s, set.points[n]) / spacing;
        highest = fmax(highest, sum / rest);
        lowest = depth > 2.6 ? fmin(lowest, sum / rest) : lowest;
        shallowest = fmin(shallowest, depth);
        assert_true(dimension == 3 || set.points[n].z == 0.0);
    }
    const double count = (double)set.count / frz_sample_volume_estimate(s, spacing, dimension);
    print_message("%-22s %5d particles, %.4f of the volume; density %.4f to %.4f, depth %.2f, gap %.2f\n", name,
                  (int)set.count, count, lowest, highest, shallowest, closest_pair(&set) / spacing);
    frz_point_set_destroy(&set);
    frz_shape_destroy(&s);
    if (fabs(count - 1.0) > 0.005 || highest > 1.02 || lowest < 0.98 || shallowest < 0.39)
        fail_msg("%s is not filled evenly", name);
}

typedef frz_status rod_fn(frz_vec3 a, frz_vec3 b, double radius, frz_shape **out, frz_diag *diag);

static frz_shape *rod(rod_fn *make, frz_vec3 to, double radius)
{
    frz_shape *s = NULL;
    assert_int_equal(make(frz_v3(0.0, 0.0, 0.0), to, radius, &s, NULL), FRZ_OK);
    return s;
}

static void test_curved_shapes_are_filled_to_their_volume_with_even_density(void **state)
{
    (void)state;
    const frz_vec3 o = {0.0, 0.0, 0.0};
    frz_shape *s = NULL;
    check_filling("disc", sphere(20.0), 1.0, 2);
    check_filling("disc, odd radius", sphere(14.3), 1.0, 2);
    check_filling("small disc", sphere(8.2), 1.0, 2);
    check_filling("sphere", sphere(7.0), 1.0, 3);
    check_filling("sphere, odd radius", sphere(6.4), 1.0, 3);
    check_filling("small sphere", sphere(3.3), 1.0, 3);
    check_filling("capsule", rod(frz_shape_capsule, frz_v3(6.0, 3.0, 2.0), 4.6), 1.0, 3);
    check_filling("capsule in the plane", rod(frz_shape_capsule, frz_v3(9.0, 4.0, 0.0), 6.3), 1.0, 2);
    assert_int_equal(frz_shape_torus(o, frz_v3(0.0, 1.0, 0.0), 7.0, 3.6, &s, NULL), FRZ_OK);
    check_filling("torus", s, 1.0, 3);
    check_filling("cylinder", rod(frz_shape_cylinder, frz_v3(0.0, 10.0, 0.0), 5.0), 1.0, 3);
    check_filling("cylinder, odd", rod(frz_shape_cylinder, frz_v3(3.0, 7.0, 4.0), 5.4), 1.0, 3);
    check_filling("short cylinder", rod(frz_shape_cylinder, frz_v3(0.0, 6.5, 0.0), 5.7), 1.0, 3);
    assert_int_equal(frz_shape_cone(o, frz_v3(0.0, 10.0, 0.0), 6.0, 4.0, &s, NULL), FRZ_OK);
    check_filling("cone", s, 1.0, 3);
    frz_shape *parts[2] = {box(0.0, 0.0, -HUGE_VAL, 20.0, 20.0, HUGE_VAL), sphere(7.7)};
    assert_int_equal(frz_shape_take_combine(FRZ_SHAPE_DIFFERENCE, parts, 2, &s, NULL), FRZ_OK);
    check_filling("box without a quadrant", s, 1.0, 2);
}

static bool holds(const frz_point_set *set, double x, double y, double z)
{
    return nearest(set, frz_v3(x, y, z), -1) < 1.0e-6;
}

/// Every node of the layer half a spacing behind the inner faces of a cavity of nx x ny x nz spacings, edges included.
static void check_wall_grid(const frz_point_set *set, int nx, int ny, int nz, double h)
{
    for (int i = -1; i <= nx; ++i)
    {
        for (int k = -1; k <= nz; ++k)
        {
            assert_true(holds(set, (i + 0.5) * h, -0.5 * h, (k + 0.5) * h));
            for (int j = 0; j < ny; ++j)
            {
                if (i < 0 || i == nx || k < 0 || k == nz)
                    assert_true(holds(set, (i + 0.5) * h, (j + 0.5) * h, (k + 0.5) * h));
            }
        }
    }
}

static void test_tank_walls_are_a_grid_in_line_with_the_liquid(void **state)
{
    (void)state;
    const double h = 0.1;
    frz_shape *tanks[3] = {NULL, NULL, NULL};
    assert_int_equal(
        frz_shape_take_shell(box(0.0, 0.0, 0.0, 0.6, 0.5, 0.4), h, FRZ_SHELL_OUTSIDE, 1u << 3, &tanks[0], NULL),
        FRZ_OK);
    assert_int_equal(
        frz_shape_take_shell(box(0.0, 0.0, 0.0, 0.6, 0.5, 0.4), 3.0 * h, FRZ_SHELL_OUTSIDE, 1u << 3, &tanks[1], NULL),
        FRZ_OK);
    frz_shape *parts[2] = {box(-h, -h, -h, 0.7, 0.5, 0.5), box(0.0, 0.0, 0.0, 0.6, 0.9, 0.4)};
    assert_int_equal(frz_shape_take_combine(FRZ_SHAPE_DIFFERENCE, parts, 2, &tanks[2], NULL), FRZ_OK);
    for (int n = 0; n < 3; ++n)
    {
        frz_point_set set = surface_of(tanks[n], h, 3);
        check_wall_grid(&set, 6, 5, 4, h);
        assert_greater(closest_pair(&set), 0.7 * h);
        if (n != 1) // a wall as thick as the spacing holds this one layer and nothing else
            assert_int_equal(set.count, 8 * 6 + 5 * (2 * 8 + 2 * 4));
        frz_point_set_destroy(&set);
        frz_shape_destroy(&tanks[n]);
    }
}

static void test_walls_that_do_not_fit_have_no_holes(void **state)
{
    (void)state;
    const double h = 0.1;
    frz_shape *tank = NULL;
    assert_int_equal(
        frz_shape_take_shell(box(0.0, 0.0, 0.0, 0.63, 0.47, 0.55), 0.15, FRZ_SHELL_OUTSIDE, 1u << 3, &tank, NULL),
        FRZ_OK);
    frz_point_set set = surface_of(tank, h, 3);
    for (int n = 0; n < 64 * 64; ++n)
    {
        // NOLINTNEXTLINE(bugprone-integer-division): rows and columns of a lattice are whole numbers
        const frz_vec3 floor_point = {0.63 * (n % 64) / 63.0, -0.5 * h, 0.55 * (n / 64) / 63.0};
        assert_less(nearest(&set, floor_point, -1), 0.85 * h);
    }
    frz_point_set_destroy(&set);
    frz_shape_destroy(&tank);
}

/// Neighbours between 0.75 and 1.25 spacings away, at half a spacing of depth, and no hole on a circle or sphere.
static void check_even(const frz_shape *s, double radius, double h, int dimension)
{
    frz_point_set set = surface_of(s, h, dimension);
    assert_greater(set.count, 0);
    for (int64_t n = 0; n < set.count; ++n)
    {
        const double gap = nearest(&set, set.points[n], n);
        assert_in_range((uint64_t)(1000.0 * gap / h), 750, 1250);
        assert_small(frz_shape_distance(s, set.points[n]) + 0.5 * h, 0.01 * h);
        assert_true(dimension == 3 || set.points[n].z == 0.0);
    }
    const double r = radius - 0.5 * h;
    const double golden_angle = 2.399963229728653;
    double hole = 0.0;
    for (int n = 0; n < 3000; ++n)
    {
        const double z = dimension == 2 ? 0.0 : 1.0 - 2.0 * (n + 0.5) / 3000.0;
        const double ring = r * sqrt(1.0 - z * z);
        const frz_vec3 p = {ring * cos(golden_angle * n), ring * sin(golden_angle * n), r * z};
        hole = fmax(hole, nearest(&set, p, -1));
    }
    assert_less(hole, (dimension == 2 ? 0.65 : 0.95) * h); // as radius of the empty circle
    const double estimate = frz_sample_surface_estimate(s, h, dimension);
    assert_less((double)set.count, 1.1 * estimate);
    assert_greater((double)set.count, 0.7 * estimate);
    frz_point_set_destroy(&set);
}

static void test_sphere_surface_is_even(void **state)
{
    (void)state;
    frz_shape *s = sphere(1.0);
    check_even(s, 1.0, 0.1, 3);
    frz_shape_destroy(&s);
}

static void test_circle_in_2d_is_even_and_flat(void **state)
{
    (void)state;
    frz_shape *s = sphere(1.0);
    check_even(s, 1.0, 0.07, 2);
    frz_point_set set = volume_of(s, 0.02, 2);
    assert_near((double)set.count * 0.0004, pi, 0.03 * pi);
    for (int64_t n = 0; n < set.count; ++n)
        assert_same(set.points[n].z, 0.0);
    frz_point_set_destroy(&set);
    frz_shape_destroy(&s);
}

static void test_2d_tank_is_a_grid(void **state)
{
    (void)state;
    const double h = 0.1;
    frz_shape *tank = NULL;
    assert_int_equal(
        frz_shape_take_shell(box(0.0, 0.0, -HUGE_VAL, 1.0, 0.5, HUGE_VAL), h, FRZ_SHELL_OUTSIDE, 1u << 3, &tank, NULL),
        FRZ_OK);
    frz_point_set set = surface_of(tank, h, 2);
    assert_int_equal(set.count, 12 + 2 * 5);
    for (int i = -1; i <= 10; ++i)
        assert_true(holds(&set, (i + 0.5) * h, -0.5 * h, 0.0));
    for (int j = 0; j < 5; ++j)
        assert_true(holds(&set, -0.5 * h, (j + 0.5) * h, 0.0) && holds(&set, 1.05, (j + 0.5) * h, 0.0));
    frz_point_set_destroy(&set);
    frz_shape_destroy(&tank);
}

static void test_half_space_floor_is_a_grid_from_the_clip(void **state)
{
    (void)state;
    frz_shape *floor_shape = NULL;
    frz_point_set set = {0, 0, NULL};
    frz_diag diag = {0};
    const frz_bounds clip = {{0.0, 0.0, 0.0}, {0.5, 1.0, 0.3}};
    assert_int_equal(frz_shape_half_space(frz_v3(7.0, 0.0, 0.0), frz_v3(0.0, 1.0, 0.0), &floor_shape, NULL), FRZ_OK);
    assert_int_equal(frz_sample_surface(floor_shape, 0.1, 3, clip, &set, &diag), FRZ_OK);
    assert_int_equal(set.count, 7 * 5);
    for (int n = 0; n < 35; ++n)
        // NOLINTNEXTLINE(bugprone-integer-division): rows and columns of a lattice are whole numbers
        assert_true(holds(&set, 0.1 * (n % 7 - 0.5), -0.05, 0.1 * (n / 7 - 0.5)));
    frz_point_set_destroy(&set);
    const frz_bounds all = {{-HUGE_VAL, -HUGE_VAL, -HUGE_VAL}, {HUGE_VAL, HUGE_VAL, HUGE_VAL}};
    assert_int_equal(frz_sample_surface(floor_shape, 0.1, 3, all, &set, &diag), FRZ_ERR_SCENE);
    frz_shape_destroy(&floor_shape);
}

static void test_thin_walls_get_one_layer_in_the_middle(void **state)
{
    (void)state;
    const double h = 0.1;
    frz_shape *plate = box(0.0, 0.0, 0.0, 1.0, 0.04, 1.0);
    frz_point_set set = surface_of(plate, h, 3);
    assert_int_equal(set.count, 100);
    for (int64_t n = 0; n < set.count; ++n)
        assert_near(set.points[n].y, 0.02, 1.0e-6);
    frz_point_set_destroy(&set);
    frz_shape_destroy(&plate);
    frz_shape *ball = NULL;
    assert_int_equal(frz_shape_take_shell(sphere(0.8), 0.05, FRZ_SHELL_INSIDE, 0, &ball, NULL), FRZ_OK);
    set = surface_of(ball, h, 3);
    const double area = 4.0 * pi * 0.775 * 0.775;
    assert_greater((double)set.count * h * h, 0.85 * area);
    assert_less((double)set.count * h * h, 1.15 * area);
    for (int64_t n = 0; n < set.count; ++n)
        assert_near(frz_v3_length(set.points[n]), 0.775, 1.0e-3);
    assert_greater(closest_pair(&set), 0.75 * h);
    frz_point_set_destroy(&set);
    frz_shape_destroy(&ball);
}

// Both sides are equally near: rounding must not turn the normals of neighbours against each other.
static void test_walls_as_thick_as_the_spacing_face_their_cavity(void **state)
{
    (void)state;
    const double h = 0.025;
    frz_shape *tank = NULL;
    assert_int_equal(
        frz_shape_take_shell(box(0.0, 0.0, 0.0, 1.2, 0.7, 0.6), h, FRZ_SHELL_OUTSIDE, 1u << 3, &tank, NULL), FRZ_OK);
    frz_point_set set = surface_of(tank, h, 3);
    const frz_vec3 middle = {0.6, 0.35, 0.3};
    for (int64_t n = 0; n < set.count; ++n)
    {
        const frz_vec3 normal = frz_sample_normal(tank, set.points[n], h, 3);
        if (set.points[n].y < 0.7 - h) // the rim looks up
            assert_greater(frz_v3_dot(normal, frz_v3_sub(middle, set.points[n])), 0.0);
    }
    frz_point_set_destroy(&set);
    frz_shape_destroy(&tank);
    frz_shape *plate = box(0.0, 0.0, 0.0, 1.2, h, 0.6);
    set = surface_of(plate, h, 3);
    for (int64_t n = 0; n < set.count; ++n)
    {
        const frz_vec3 p = set.points[n];
        if (fabs(p.x - 0.6) < 0.6 - h && fabs(p.z - 0.3) < 0.3 - h) // the edges look to their sides
            assert_greater(frz_sample_normal(plate, p, h, 3).y, 0.99);
    }
    frz_point_set_destroy(&set);
    frz_shape_destroy(&plate);
}

// ---- walls of all thicknesses, in units of the spacing

static const double wall_radius = 4.0;
static const double wall_height = 4.0;

typedef enum wall_kind
{
    CYLINDER_SHELL,
    BOX_SHELL,
    SPHERE_SHELL,
    CYLINDER_DIFFERENCE,
    wall_kind_count
} wall_kind;

static frz_shape *cylinder(double from, double to, double r)
{
    frz_shape *s = NULL;
    assert_int_equal(frz_shape_cylinder(frz_v3(0.0, from, 0.0), frz_v3(0.0, to, 0.0), r, &s, NULL), FRZ_OK);
    return s;
}

static frz_shape *wall_of(wall_kind kind, double thickness)
{
    const double r = wall_radius;
    frz_shape *s = NULL;
    if (kind == CYLINDER_DIFFERENCE)
    {
        frz_shape *parts[2] = {cylinder(-thickness, wall_height, r + thickness), cylinder(0.0, 2.0 * wall_height, r)};
        assert_int_equal(frz_shape_take_combine(FRZ_SHAPE_DIFFERENCE, parts, 2, &s, NULL), FRZ_OK);
        return s;
    }
    frz_shape *inner = kind == CYLINDER_SHELL ? cylinder(0.0, wall_height, r)
                       : kind == BOX_SHELL    ? box(-r, 0.0, -r, r, wall_height, r)
                                              : sphere(r);
    const unsigned open_top = kind == SPHERE_SHELL ? 0u : 1u << 3;
    assert_int_equal(frz_shape_take_shell(inner, thickness, FRZ_SHELL_OUTSIDE, open_top, &s, NULL), FRZ_OK);
    return s;
}

/// Area of the layer at the given depth behind the cavity.
static double layer_area(wall_kind kind, double depth)
{
    const double r = wall_radius + depth;
    if (kind == SPHERE_SHELL)
        return 4.0 * pi * r * r;
    if (kind == BOX_SHELL)
        return 4.0 * r * r + 8.0 * r * wall_height;
    return pi * r * r + 2.0 * pi * r * wall_height;
}

/// Largest distance of a point behind the cavity from its nearest sample.
typedef struct reach
{
    double surface; ///< from the cavity's surface
    double layer;   ///< from where the layer should be
} reach;

static void measure_reach(const frz_point_set *set, frz_vec3 surface, frz_vec3 into, double depth, reach *most)
{
    most->surface = fmax(most->surface, nearest(set, surface, -1));
    most->layer = fmax(most->layer, nearest(set, frz_v3_mad(surface, depth, into), -1));
}

/// Point n of many on the inner surface (side and floor; the layer ends below the rim), and the direction into the
/// wall.
static frz_vec3 inner_point(wall_kind kind, int n, int count, double depth, frz_vec3 *into)
{
    const double golden_angle = 2.399963229728653;
    const double part = (n + 0.5) / count;
    const frz_vec3 way = {cos(golden_angle * n), 0.0, sin(golden_angle * n)};
    const double widest = fmax(fabs(way.x), fabs(way.z));
    const frz_vec3 square = frz_v3_scale(kind == BOX_SHELL ? 1.0 / widest : 1.0, way);
    if (kind == SPHERE_SHELL)
    {
        *into =
            frz_v3_mad(frz_v3(0.0, 1.0 - 2.0 * part, 0.0), sqrt(1.0 - (1.0 - 2.0 * part) * (1.0 - 2.0 * part)), way);
        return frz_v3_scale(wall_radius, *into);
    }
    if (n % 3 == 0)
    {
        *into = frz_v3(0.0, -1.0, 0.0);
        return frz_v3_scale(wall_radius * sqrt(part), square);
    }
    *into = kind != BOX_SHELL            ? way
            : fabs(way.x) >= fabs(way.z) ? frz_v3(copysign(1.0, way.x), 0.0, 0.0)
                                         : frz_v3(0.0, 0.0, copysign(1.0, way.z));
    return frz_v3_mad(frz_v3(0.0, part * (wall_height - depth), 0.0), wall_radius, square);
}

static void check_wall(wall_kind kind, double thickness)
{
    const int probes = 1000;
    const double depth = fmin(0.5, 0.5 * thickness);
    frz_shape *s = wall_of(kind, thickness);
    frz_point_set set = surface_of(s, 1.0, 3);
    reach most = {0.0, 0.0};
    for (int n = 0; n < probes; ++n)
    {
        frz_vec3 into;
        const frz_vec3 p = inner_point(kind, n, probes, depth, &into);
        measure_reach(&set, p, into, depth, &most);
    }
    const double share = (double)set.count / layer_area(kind, depth);
    const double gap = closest_pair(&set);
    const bool single = thickness < 1.9;
    if (most.surface > 1.05 || most.layer > 0.9 || gap < 0.7 || (single ? fabs(share - 1.0) > 0.25 : share < 1.8))
        fail_msg("kind %d, thickness %g: reach %g and %g, gap %g, share %g", (int)kind, thickness, most.surface,
                 most.layer, gap, share);
    assert_less_equal((double)set.count, frz_sample_surface_estimate(s, 1.0, 3));
    for (int64_t n = 0; n < set.count; ++n)
        assert_less(frz_shape_distance(s, set.points[n]), -0.8 * depth);
    frz_point_set_destroy(&set);
    frz_shape_destroy(&s);
}

static const double wall_thicknesses[] = {0.3, 0.6, 0.9, 1.0, 1.1, 1.5, 2.0, 3.0};

static void test_walls_of_any_thickness_have_one_layer_without_holes_behind_the_cavity(void **state)
{
    (void)state;
    for (int kind = 0; kind < wall_kind_count; ++kind)
    {
        for (size_t n = 0; n < sizeof wall_thicknesses / sizeof *wall_thicknesses; ++n)
            check_wall((wall_kind)kind, wall_thicknesses[n]);
    }
}

/// A closed square or circle in the plane.
static void check_wall_2d(bool round, double thickness)
{
    const int probes = 1000;
    const double r = wall_radius;
    const double depth = fmin(0.5, 0.5 * thickness);
    frz_shape *s = NULL;
    frz_shape *inner = round ? sphere(r) : box(-r, -r, -HUGE_VAL, r, r, HUGE_VAL);
    assert_int_equal(frz_shape_take_shell(inner, thickness, FRZ_SHELL_OUTSIDE, 0u, &s, NULL), FRZ_OK);
    frz_point_set set = surface_of(s, 1.0, 2);
    reach most = {0.0, 0.0};
    for (int n = 0; n < probes; ++n)
    {
        const frz_vec3 way = {cos(2.0 * pi * n / probes), sin(2.0 * pi * n / probes), 0.0};
        const double scale = round ? 1.0 : 1.0 / fmax(fabs(way.x), fabs(way.y));
        const frz_vec3 axis = fabs(way.x) >= fabs(way.y) ? frz_v3(copysign(1.0, way.x), 0.0, 0.0)
                                                         : frz_v3(0.0, copysign(1.0, way.y), 0.0);
        measure_reach(&set, frz_v3_scale(r * scale, way), round ? way : axis, depth, &most);
    }
    const double length = (round ? 2.0 * pi : 8.0) * (r + depth);
    const double share = (double)set.count / length;
    const double gap = closest_pair(&set);
    const bool single = thickness < 1.9;
    if (most.surface > 1.05 || most.layer > 0.9 || gap < 0.7 || (single ? fabs(share - 1.0) > 0.25 : share < 1.8))
        fail_msg("round %d, thickness %g: reach %g and %g, gap %g, share %g", (int)round, thickness, most.surface,
                 most.layer, gap, share);
    assert_less_equal((double)set.count, frz_sample_surface_estimate(s, 1.0, 2));
    frz_point_set_destroy(&set);
    frz_shape_destroy(&s);
}

static void test_2d_walls_of_any_thickness_have_one_layer_without_holes_behind_the_cavity(void **state)
{
    (void)state;
    for (size_t n = 0; n < sizeof wall_thicknesses / sizeof *wall_thicknesses; ++n)
    {
        check_wall_2d(true, wall_thicknesses[n]);
        check_wall_2d(false, wall_thicknesses[n]);
    }
}

static void test_wall_as_thick_as_the_spacing_keeps_all_its_samples(void **state)
{
    (void)state;
    const double h = 0.008;
    frz_shape *inner = NULL;
    frz_shape *glass = NULL;
    assert_int_equal(frz_shape_cylinder(frz_v3(0.0, 0.0, 0.0), frz_v3(0.0, 0.18, 0.0), 0.056, &inner, NULL), FRZ_OK);
    assert_int_equal(frz_shape_take_shell(inner, h, FRZ_SHELL_OUTSIDE, 1u << 3, &glass, NULL), FRZ_OK);
    frz_point_set set = surface_of(glass, h, 3);
    const double needed = (2.0 * pi * 0.06 * 0.18 + pi * 0.06 * 0.06) / (h * h);
    assert_near((double)set.count, needed, 0.1 * needed);
    frz_point_set_destroy(&set);
    frz_shape_destroy(&glass);
}

static void test_samples_do_not_depend_on_the_number_of_threads(void **state)
{
    (void)state;
    const int threads = omp_get_max_threads();
    frz_shape *s = sphere(0.5);
    for (int filled = 0; filled < 2; ++filled)
    {
        frz_point_set sets[2];
        for (int n = 0; n < 2; ++n)
        {
            omp_set_num_threads(1 + 2 * n);
            sets[n] = filled ? volume_of(s, 0.048, 3) : surface_of(s, 0.06, 3);
        }
        assert_int_equal(sets[0].count, sets[1].count);
        assert_memory_equal(sets[0].points, sets[1].points, (size_t)sets[0].count * sizeof *sets[0].points);
        frz_point_set_destroy(&sets[0]);
        frz_point_set_destroy(&sets[1]);
    }
    omp_set_num_threads(threads);
    frz_shape_destroy(&s);
}

static frz_point_set disordered_lattice(const frz_shape *s, double spacing, double most, uint64_t seed)
{
    frz_point_set set = {0};
    assert_int_equal(frz_sample_volume(s, spacing, 3, &set, NULL), FRZ_OK);
    frz_sample_disorder(&set, most, 3, seed);
    return set;
}

static void test_disorder_is_bounded_evenly_spread_and_given_by_the_seed(void **state)
{
    (void)state;
    const double h = 0.05, most = 0.1 * h;
    frz_shape *s = box(0.0, 0.0, 0.0, 1.0, 1.0, 1.0);
    frz_point_set lattice = disordered_lattice(s, h, 0.0, 1), one = disordered_lattice(s, h, most, 1);
    frz_point_set same = disordered_lattice(s, h, most, 1), other = disordered_lattice(s, h, most, 2);
    double mean[3] = {0.0}, square[3] = {0.0}, product = 0.0;
    for (int64_t k = 0; k < lattice.count; ++k)
    {
        const frz_vec3 shift = frz_v3_sub(one.points[k], lattice.points[k]);
        const frz_vec3 shift_other = frz_v3_sub(other.points[k], lattice.points[k]);
        for (int axis = 0; axis < 3; ++axis)
        {
            const double x = frz_v3_get(shift, axis) / most;
            assert_less_equal(fabs(x), 1.0 + 1.0e-9);
            mean[axis] += x / (double)lattice.count;
            square[axis] += x * x / (double)lattice.count;
        }
        product += frz_v3_dot(shift, shift_other) / (most * most * (double)lattice.count);
    }
    // four standard deviations of means of 8000 uniform numbers
    for (int axis = 0; axis < 3; ++axis)
    {
        assert_small(mean[axis], 4.0 * sqrt(1.0 / 3.0 / 8000.0));
        assert_near(square[axis], 1.0 / 3.0, 4.0 * sqrt(4.0 / 45.0 / 8000.0));
    }
    assert_small(product, 4.0 * sqrt(1.0 / 3.0 / 8000.0));
    assert_memory_equal(one.points, same.points, (size_t)one.count * sizeof *one.points);
    frz_point_set_destroy(&lattice);
    frz_point_set_destroy(&one);
    frz_point_set_destroy(&same);
    frz_point_set_destroy(&other);
    frz_shape_destroy(&s);
}

static void test_too_many_points_are_refused_with_advice(void **state)
{
    (void)state;
    frz_shape *s = box(0.0, 0.0, 0.0, 1.0, 1.0, 1.0);
    frz_point_set set = {0, 0, NULL};
    frz_diag diag = {0};
    assert_int_equal(frz_sample_volume(s, 1.0e-4, 3, &set, &diag), FRZ_ERR_SCENE);
    assert_non_null(strstr(diag.message, "1e+12"));
    assert_non_null(strstr(diag.message, "larger spacing"));
    assert_int_equal(frz_sample_surface(s, 1.0e-6, 3, everywhere(), &set, &diag), FRZ_ERR_SCENE);
    assert_non_null(strstr(diag.message, "6e+12"));
    assert_int_equal(frz_sample_volume(s, 0.0, 3, &set, &diag), FRZ_ERR_SCENE);
    assert_null(set.points);
    frz_shape_destroy(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_box_that_fits_has_the_exact_lattice),
        cmocka_unit_test(test_boxes_of_any_size_have_their_volume),
        cmocka_unit_test(test_steps_and_frames_of_boxes_have_their_volume),
        cmocka_unit_test(test_turned_box_is_filled_along_its_own_axes),
        cmocka_unit_test(test_sphere_is_filled_to_its_volume),
        cmocka_unit_test(test_curved_shapes_are_filled_to_their_volume_with_even_density),
        cmocka_unit_test(test_tank_walls_are_a_grid_in_line_with_the_liquid),
        cmocka_unit_test(test_walls_that_do_not_fit_have_no_holes),
        cmocka_unit_test(test_sphere_surface_is_even),
        cmocka_unit_test(test_circle_in_2d_is_even_and_flat),
        cmocka_unit_test(test_2d_tank_is_a_grid),
        cmocka_unit_test(test_half_space_floor_is_a_grid_from_the_clip),
        cmocka_unit_test(test_thin_walls_get_one_layer_in_the_middle),
        cmocka_unit_test(test_walls_as_thick_as_the_spacing_face_their_cavity),
        cmocka_unit_test(test_walls_of_any_thickness_have_one_layer_without_holes_behind_the_cavity),
        cmocka_unit_test(test_2d_walls_of_any_thickness_have_one_layer_without_holes_behind_the_cavity),
        cmocka_unit_test(test_wall_as_thick_as_the_spacing_keeps_all_its_samples),
        cmocka_unit_test(test_samples_do_not_depend_on_the_number_of_threads),
        cmocka_unit_test(test_disorder_is_bounded_evenly_spread_and_given_by_the_seed),
        cmocka_unit_test(test_too_many_points_are_refused_with_advice),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
