// SPDX-License-Identifier: MIT
// Screw threads: distance against brute force, gradient, volume and moments, nut around bolt, samples.
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "compare.h"

#include <math.h>

#include "geom/sampling.h"
#include "geom/shape_internal.h"
#include "geom/shape_moments.h"

static const double pi = 3.14159265358979323846;
static const double radius = 0.012, pitch = 0.006, depth = 0.003, length = 0.02;

static frz_shape *make(double clearance, double chamfer)
{
    frz_diag diag = {.status = FRZ_OK};
    frz_shape *shape = NULL;
    const frz_thread_def def = {.from = {0.0, 0.0, 0.0},
                                .to = {0.0, length, 0.0},
                                .radius = radius,
                                .pitch = pitch,
                                .depth = depth,
                                .clearance = clearance,
                                .chamfer = chamfer};
    if (frz_shape_thread(&def, &shape, &diag) != FRZ_OK)
        fail_msg("%s", diag.message);
    return shape;
}

static double random_number(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(*seed >> 11) / 9007199254740992.0;
}

/// Radius of the profile at a place along it, written down independently: crest, flank of 30 degrees, root.
static double profile(double u)
{
    u = fabs(remainder(u, pitch));
    const double crest = pitch / 16.0;
    return u < crest ? radius : fmax(radius - (u - crest) / tan(pi / 6.0), radius - depth);
}

/// The helical surface in the axes of the shape: its angle counts from the side towards other.
static frz_vec3 surface_place(const frz_shape *shape, double theta, double z)
{
    const frz_shape_thread_data *t = &shape->u.thread;
    const double r = profile(z - pitch * theta / (2.0 * pi));
    frz_vec3 p = frz_v3_mad(t->from, z, t->axis);
    p = frz_v3_mad(p, r * cos(theta), t->side);
    return frz_v3_mad(p, r * sin(theta), t->other);
}

static void the_distance_is_that_of_the_nearest_point(void **state)
{
    (void)state;
    frz_shape *shape = make(0.0, 0.0);
    uint64_t seed = 5;
    for (int n = 0; n < 25; ++n)
    {
        const double theta = 2.0 * pi * random_number(&seed), z = 0.4 * length + 0.2 * length * random_number(&seed);
        frz_vec3 p = surface_place(shape, theta, z);
        p = frz_v3_mad(p, 1.0,
                       frz_v3(0.002 * (random_number(&seed) - 0.5), 0.002 * (random_number(&seed) - 0.5),
                              0.002 * (random_number(&seed) - 0.5)));
        double least = HUGE_VAL;
        const int steps = 400;
        for (int i = 0; i <= steps; ++i)
        {
            for (int j = 0; j <= steps; ++j)
            {
                const double a = theta + 0.4 * (2.0 * i / steps - 1.0), h = z + 0.003 * (2.0 * j / steps - 1.0);
                least = fmin(least, frz_v3_length(frz_v3_sub(p, surface_place(shape, a, h))));
            }
        }
        const double found = fabs(frz_shape_distance(shape, p));
        assert_less_equal(found, least + 1e-9);            // never larger
        assert_true(least - found < 1e-5 || found > 1e-3); // brute force is coarse: a grid of 25 micrometres
    }
    frz_shape_destroy(&shape);
}

static void the_gradient_is_the_slope(void **state)
{
    (void)state;
    frz_shape *shape = make(0.0002, 0.002);
    uint64_t seed = 9;
    int checked = 0;
    for (int n = 0; n < 2000; ++n)
    {
        const frz_vec3 p = {0.028 * (random_number(&seed) - 0.5), length * (1.2 * random_number(&seed) - 0.1),
                            0.028 * (random_number(&seed) - 0.5)};
        frz_vec3 normal, slope;
        const double h = 1e-7, distance = frz_shape_gradient(shape, p, &normal);
        assert_near(distance, frz_shape_distance(shape, p), 1e-15);
        for (int k = 0; k < 3; ++k)
        {
            frz_vec3 a = p, b = p;
            frz_v3_set(&a, k, frz_v3_get(p, k) - h);
            frz_v3_set(&b, k, frz_v3_get(p, k) + h);
            frz_v3_set(&slope, k, (frz_shape_distance(shape, b) - frz_shape_distance(shape, a)) / (2.0 * h));
        }
        assert_near(frz_v3_length(normal), 1.0, 1e-12);
        if (fabs(distance) < 0.001 && fabs(frz_v3_length(slope) - 1.0) < 1e-3) // not across a kink
        {
            assert_less(frz_v3_length(frz_v3_sub(slope, normal)), 1e-2);
            ++checked;
        }
    }
    assert_greater(checked, 400);
    frz_shape_destroy(&shape);
}

/// Means of R^2 and R^4 over a turn, by the midpoint rule.
static double mean_power(int power)
{
    const int steps = 100000;
    double sum = 0.0;
    for (int k = 0; k < steps; ++k)
        sum += pow(profile(pitch * (k + 0.5) / steps), power);
    return sum / steps;
}

static void volume_and_moments_are_those_of_the_profile(void **state)
{
    (void)state;
    frz_shape *shape = make(0.0, 0.0), *tapered = make(0.0, 0.002);
    const double volume = pi * length * mean_power(2);
    assert_near(frz_shape_volume(shape, 3) / volume, 1.0, 1e-9);
    const frz_moments m = frz_shape_moments(shape, 3);
    assert_near(m.volume / volume, 1.0, 2e-3);
    assert_near(m.first.y / (0.5 * length * volume), 1.0, 2e-3);
    const double about_axis = 0.5 * pi * length * mean_power(4);
    assert_near((m.second.m[0][0] + m.second.m[2][2]) / about_axis, 1.0, 5e-3);
    const double cut = frz_shape_volume(tapered, 3);
    assert_less(cut, volume);
    assert_greater(cut, 0.9 * volume);
    frz_shape_destroy(&shape);
    frz_shape_destroy(&tapered);
}

static void a_nut_leaves_the_clearance_around_its_bolt(void **state)
{
    (void)state;
    const double clearance = 0.0003;
    frz_shape *bolt = make(0.0, 0.0), *tap = make(clearance, 0.0);
    for (int n = 0; n < 5000; ++n)
    {
        const frz_vec3 p = surface_place(bolt, 0.31 * n, length * (0.2 + 0.6 * n / 5000.0));
        assert_small(frz_shape_distance(bolt, p), 1e-9);
        const double gap = -frz_shape_distance(tap, p);
        // the clearance of the profile: across flanks, which are tilted, half a percent less; at the corners of roots
        // more
        {
            assert_greater(gap, 0.99 * clearance);
            assert_less(gap, 1.2 * clearance);
        }
    }
    frz_shape_destroy(&bolt);
    frz_shape_destroy(&tap);
}

static void samples_are_even_and_half_a_spacing_deep(void **state)
{
    (void)state;
    const double spacing = 0.0006;
    frz_diag diag = {.status = FRZ_OK};
    frz_shape *shape = make(0.0, 0.0);
    frz_point_set set = {0};
    const frz_bounds all = {{-1.0, -1.0, -1.0}, {1.0, 1.0, 1.0}};
    assert_int_equal(frz_sample_surface(shape, spacing, 3, all, &set, &diag), FRZ_OK);
    double mean = 0.0;
    int64_t odd = 0;
    for (int64_t i = 0; i < set.count; ++i)
    {
        double nearest = HUGE_VAL;
        for (int64_t j = 0; j < set.count; ++j)
            if (j != i)
                nearest = fmin(nearest, frz_v3_length(frz_v3_sub(set.points[i], set.points[j])));

        mean += nearest / (double)set.count;
        assert_greater(nearest, 0.7 * spacing);
        assert_less(nearest, 1.25 * spacing); // found: 0.76 to 1.2
        const double lies = -frz_shape_distance(shape, set.points[i]);
        assert_greater(lies, 0.4 * spacing);
        assert_less(lies, 0.9 * spacing);
        odd += fabs(lies - 0.5 * spacing) > 0.1 * spacing;
    }
    assert_less(50 * odd, set.count); // fillers behind hollow corners
    assert_greater(mean, 0.85 * spacing);
    assert_less(mean, 1.05 * spacing);
    frz_point_set_destroy(&set);
    frz_shape_destroy(&shape);
}

static void threads_that_cannot_be_cut_are_refused(void **state)
{
    (void)state;
    frz_diag diag = {.status = FRZ_OK};
    frz_shape *shape = NULL;
    frz_thread_def def = {.to = {0.0, 0.01, 0.0}, .radius = 0.01, .pitch = 0.002, .depth = 0.0018};
    assert_int_equal(frz_shape_thread(&def, &shape, &diag), FRZ_ERR_SCENE);
    def.depth = 0.0;
    assert_int_equal(frz_shape_thread(&def, &shape, &diag), FRZ_OK); // metric
    assert_near(frz_shape_bounds(shape).max.x, 0.01, 1e-12);
    frz_shape_destroy(&shape);
    def.pitch = 0.0;
    assert_int_equal(frz_shape_thread(&def, &shape, &diag), FRZ_ERR_SCENE);
    def.pitch = 0.03;
    assert_int_equal(frz_shape_thread(&def, &shape, &diag), FRZ_ERR_SCENE); // deeper than the radius
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_distance_is_that_of_the_nearest_point),
        cmocka_unit_test(the_gradient_is_the_slope),
        cmocka_unit_test(volume_and_moments_are_those_of_the_profile),
        cmocka_unit_test(a_nut_leaves_the_clearance_around_its_bolt),
        cmocka_unit_test(samples_are_even_and_half_a_spacing_deep),
        cmocka_unit_test(threads_that_cannot_be_cut_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
