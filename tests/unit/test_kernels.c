// SPDX-License-Identifier: MIT
// Every kernel of the table: normalised, with the slope that belongs to it, and the same in its wide form.
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "compare.h"

#include <math.h>
#include <string.h>

#include "sph/kernels.h"

static const double pi = 3.14159265358979323846;
static const double support = 0.37; // any number that is not one, so that powers of it show

// surface of the unit ball: 2, 2 pi, 4 pi
static double shell(int dimension, double r)
{
    return dimension == 1 ? 2.0 : dimension == 2 ? 2.0 * pi * r : 4.0 * pi * r * r;
}

// Integral over all space by Simpson's rule. The kernels that are infinite at the centre are not so after the shell's
// r or r^2, but their curvature is; the many intervals are for them.
static double volume_integral(const frz_kernel *kernel)
{
    const int intervals = 20000; // even, with a point at the knot of the cubic spline
    const double h = kernel->support / intervals;
    double sum = 0.0;
    for (int i = 0; i <= intervals; ++i)
    {
        const double weight = i == 0 || i == intervals ? 1.0 : i % 2 == 1 ? 4.0 : 2.0;
        sum += weight * shell(kernel->dimension, i * h) * frz_kernel_value(kernel, i * h);
    }
    return sum * h / 3.0;
}

static void every_kernel_is_normalised_in_one_two_and_three_dimensions(void **state)
{
    (void)state;
    for (int k = 0; k < FRZ_KERNEL_COUNT; ++k)
        for (int dimension = 1; dimension <= 3; ++dimension)
        {
            const frz_kernel kernel = frz_kernel_make((frz_kernel_id)k, support, dimension);
            const double integral = volume_integral(&kernel);
            if (!(fabs(integral - 1.0) < 1e-6))
                fail_msg("%s in %d dimensions integrates to %.9f", frz_kernels[k].key, dimension, integral);
        }
}

static void every_slope_is_the_derivative_of_its_kernel(void **state)
{
    (void)state;
    const double step = 1e-5;
    for (int k = 0; k < FRZ_KERNEL_COUNT; ++k)
        for (int dimension = 1; dimension <= 3; ++dimension)
        {
            const frz_kernel kernel = frz_kernel_make((frz_kernel_id)k, support, dimension);
            const double scale = kernel.slope_factor;
            for (int n = 0; n < 75; ++n)
            {
                const double q = 0.02 + 0.0137 * n;
                const double r = q * support, h = step * support;
                const double slope = frz_kernel_slope(&kernel, r);
                const double difference =
                    (frz_kernel_value(&kernel, r + h) - frz_kernel_value(&kernel, r - h)) / (2.0 * h);
                // the error of the difference grows with the third derivative, about slope / q^2 near an infinite
                // centre
                const double allowed = 1e-6 * scale + 1e-6 * fabs(slope);
                if (!(fabs(slope - difference) <= allowed))
                    fail_msg("%s in %d dimensions at q = %g: slope %g, difference %g", frz_kernels[k].key, dimension, q,
                             slope, difference);
                assert_less_equal(slope, 0.0);
            }
        }
}

static void kernels_end_at_their_support(void **state)
{
    (void)state;
    for (int k = 0; k < FRZ_KERNEL_COUNT; ++k)
        for (int dimension = 1; dimension <= 3; ++dimension)
        {
            const frz_kernel kernel = frz_kernel_make((frz_kernel_id)k, support, dimension);
            for (int n = 0; n < 8; ++n)
            {
                const double q = 1.0 + 0.25 * n;
                assert_same(frz_kernel_value(&kernel, q * support), 0.0);
                assert_same(frz_kernel_slope(&kernel, q * support), 0.0);
            }
            assert_greater(frz_kernel_value(&kernel, 0.999 * support), 0.0);
            assert_true(isfinite(frz_kernel_value(&kernel, 0.0)));
        }
}

static void wide(int k, frz_w8 q, int dimension, bool any, frz_w8 *value, frz_w8 *slope)
{
    if (!any && k == FRZ_KERNEL_CUBIC_SPLINE)
        frz_kernel_wide_cubic(q, dimension, value, slope);
    else if (!any && k == FRZ_KERNEL_WENDLAND_C2)
        frz_kernel_wide_wendland_c2(q, dimension, value, slope);
    else
        frz_kernel_wide_any((frz_kernel_id)k, q, dimension, value, slope);
}

static void compare_wide(int k, int dimension, double q0, bool any)
{
    frz_real lanes[8];
    for (int l = 0; l < 8; ++l)
        lanes[l] = (frz_real)(q0 + 0.0011 * l);
    const frz_w8 q = frz_w8_load(lanes);
    frz_w8 value, slope;
    wide(k, q, dimension, any, &value, &slope);
    for (int l = 0; l < 8; ++l)
    {
        const double expected = frz_kernels[k].value((double)q[l], dimension);
        const double expected_slope = frz_kernels[k].slope((double)q[l], dimension);
        // a few roundings of numbers up to 1 (value) and 24 (terms of the slope)
        assert_less_equal(fabs((double)value[l] - expected), 8.0 * FRZ_REAL_EPSILON * (1.0 + fabs(expected)));
        assert_less_equal(fabs((double)slope[l] - expected_slope),
                          24.0 * FRZ_REAL_EPSILON * (1.0 + fabs(expected_slope)));
        if ((double)q[l] >= 1.0)
        {
            assert_same(value[l], 0);
            assert_same(slope[l], 0);
        }
    }
}

static void wide_functions_agree_with_scalar_ones(void **state)
{
    (void)state;
    for (int k = 0; k < FRZ_KERNEL_COUNT; ++k)
        for (int dimension = 1; dimension <= 3; ++dimension)
            for (int n = 0; n < 240; ++n)
            {
                compare_wide(k, dimension, 0.0088 * n, false);
                compare_wide(k, dimension, 0.0088 * n, true);
            }
}

// Sum of W over the lattice points of the first axes, added in another order than the library does.
static double plain_sum(const frz_kernel *kernel, double spacing, int axes)
{
    const int reach = 6;
    double sum = 0.0;
    for (int x = -reach; x <= reach; ++x)
        for (int y = axes > 1 ? -reach : 0; y <= (axes > 1 ? reach : 0); ++y)
            for (int z = axes > 2 ? -reach : 0; z <= (axes > 2 ? reach : 0); ++z)
                sum += frz_kernel_value(kernel, spacing * sqrt((double)(x * x + y * y + z * z)));
    return sum;
}

static void lattice_sums_are_sums_over_a_lattice(void **state)
{
    (void)state;
    const double spacing = 0.01;
    for (int k = 0; k < FRZ_KERNEL_COUNT; ++k)
        for (int dimension = 2; dimension <= 3 && frz_kernels[k].for_density; ++dimension)
            for (int n = 0; n < 6; ++n)
            {
                const double reach = 1.5 + 0.5 * n;
                const frz_kernel kernel = frz_kernel_make((frz_kernel_id)k, reach * spacing, dimension);
                const double cell = pow(spacing, dimension);
                const double all = cell * plain_sum(&kernel, spacing, dimension);
                const double plane = cell * plain_sum(&kernel, spacing, dimension - 1);
                assert_near(frz_kernel_lattice_sum(&kernel, spacing), all, 1e-12);
                assert_near(frz_kernel_plane_sum(&kernel, spacing), plane, 1e-12);
            }
}

static void a_wide_support_needs_no_calibration(void **state)
{
    (void)state;
    // the sum tends to the integral, which is 1, the faster the smoother the kernel
    for (int k = 0; k < FRZ_KERNEL_COUNT; ++k)
        for (int dimension = 2; dimension <= 3 && frz_kernels[k].for_density; ++dimension)
        {
            const frz_kernel kernel = frz_kernel_make((frz_kernel_id)k, 0.08, dimension);
            assert_near(frz_kernel_lattice_sum(&kernel, 0.01), 1.0, 0.005);
        }
}

static void kernels_are_found_by_their_key_alone(void **state)
{
    (void)state;
    for (int k = 0; k < FRZ_KERNEL_COUNT; ++k)
    {
        assert_int_equal(frz_kernel_find(frz_kernels[k].key), k);
        assert_greater(strlen(frz_kernels[k].doc), 0);
        assert_greater(strlen(frz_kernels[k].cite), 0);
    }
    assert_int_equal(frz_kernel_find("cubic"), -1);
    assert_int_equal(frz_kernel_find(""), -1);
}

// Solenthaler et al. 2007, eq. 17 and the line before it, as printed.
static void the_cosine_kernel_is_that_of_the_paper(void **state)
{
    (void)state;
    const double h = support;
    const double c = pi / (8.0 * pow(h, 4.0) * (pi / 3.0 - 8.0 / pi + 16.0 / (pi * pi)));
    const frz_kernel kernel = frz_kernel_make(FRZ_KERNEL_COSINE, h, 3);
    for (int n = 0; n <= 20; ++n)
    {
        const double r = 0.05 * n * h;
        const double printed = c * 2.0 * h / pi * cos((r + h) * pi / (2.0 * h)) + c * 2.0 * h / pi;
        assert_near(frz_kernel_value(&kernel, r), printed, 1e-10 * c * h);
    }
    assert_less(frz_kernel_slope(&kernel, 0.0), -0.99 * c);
}

// In one and two dimensions the paper gives no constant: the shape 1 - sin(pi q / 2), with the integral 1 as above.
static void the_cosine_kernel_has_its_shape_in_every_dimension(void **state)
{
    (void)state;
    for (int dimension = 1; dimension <= 3; ++dimension)
    {
        const frz_kernel kernel = frz_kernel_make(FRZ_KERNEL_COSINE, support, dimension);
        const double center = frz_kernel_value(&kernel, 0.0);
        for (int n = 0; n <= 20; ++n)
            assert_near(frz_kernel_value(&kernel, 0.05 * n * support), center * (1.0 - sin(0.025 * pi * n)),
                        1e-12 * center);
    }
}

// Purpose of the kernel for viscosity: its Laplacian is a multiple of 1 - r / R (Mueller et al. 2003, eq. 22).
static void the_laplacian_of_the_viscosity_kernel_is_linear(void **state)
{
    (void)state;
    for (int dimension = 1; dimension <= 3; ++dimension)
    {
        const frz_kernel kernel = frz_kernel_make(FRZ_KERNEL_VISCOSITY, support, dimension);
        double factor = 0.0;
        for (int n = 2; n < 20; ++n)
        {
            const double r = 0.05 * n * support, h = 1e-5 * support;
            const double bend = (frz_kernel_slope(&kernel, r + h) - frz_kernel_slope(&kernel, r - h)) / (2.0 * h);
            const double laplacian = bend + (dimension - 1) * frz_kernel_slope(&kernel, r) / r;
            factor = n == 2 ? laplacian / (1.0 - r / support) : factor;
            assert_near(laplacian, factor * (1.0 - r / support), 1e-5 * factor);
        }
        assert_greater(factor, 0.0);
    }
    const frz_kernel kernel = frz_kernel_make(FRZ_KERNEL_VISCOSITY, support, 3);
    const double r = 0.5 * support, h = 1e-4 * support;
    const double bend = (frz_kernel_slope(&kernel, r + h) - frz_kernel_slope(&kernel, r - h)) / (2.0 * h);
    const double printed = 45.0 / (pi * pow(support, 6.0)) * (support - r);
    assert_near(bend + 2.0 * frz_kernel_slope(&kernel, r) / r, printed, 1e-5 * printed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kernel_is_normalised_in_one_two_and_three_dimensions),
        cmocka_unit_test(every_slope_is_the_derivative_of_its_kernel),
        cmocka_unit_test(kernels_end_at_their_support),
        cmocka_unit_test(wide_functions_agree_with_scalar_ones),
        cmocka_unit_test(lattice_sums_are_sums_over_a_lattice),
        cmocka_unit_test(a_wide_support_needs_no_calibration),
        cmocka_unit_test(kernels_are_found_by_their_key_alone),
        cmocka_unit_test(the_cosine_kernel_is_that_of_the_paper),
        cmocka_unit_test(the_cosine_kernel_has_its_shape_in_every_dimension),
        cmocka_unit_test(the_laplacian_of_the_viscosity_kernel_is_linear),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
