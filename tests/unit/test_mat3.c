// SPDX-License-Identifier: MIT
// 3x3 matrices: decompositions hold for random, degenerate, inverted and badly scaled matrices.
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "compare.h"

#include <float.h>

#include "math/mat3.h"
#include "random_trial.h"

enum
{
    random_matrices = 100000
};

static frz_mat3 draw_matrix(void)
{
    frz_mat3 a;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            a.m[i][j] = draw();
    return a;
}

static frz_quat draw_quat(void)
{
    const frz_quat q = {draw(), draw(), draw(), draw()};
    return frz_quat_normalize(q);
}

static int reset(void **state)
{
    (void)state;
    random_state = 88172645463325252ULL;
    return 0;
}

static double distance(frz_mat3 a, frz_mat3 b)
{
    return frz_m3_norm(frz_m3_sub(a, b));
}

static void assert_rotation(frz_mat3 r)
{
    assert_less(distance(frz_m3_mul(frz_m3_transpose(r), r), frz_m3_identity()), 1e-13);
    assert_near(frz_m3_determinant(r), 1.0, 1e-13);
}

static frz_svd3 assert_svd(frz_mat3 a)
{
    const frz_svd3 svd = frz_m3_svd(a);
    assert_rotation(svd.u);
    assert_rotation(svd.v);
    const double rounding = 1e-15 * svd.s[0];
    assert_greater_equal(svd.s[0], svd.s[1] - rounding);
    assert_greater_equal(svd.s[1], fabs(svd.s[2]) - rounding);
    assert_less_equal(distance(frz_m3_compose(svd.u, svd.s, svd.v), a), 1e-14 * svd.s[0]);
    return svd;
}

/// The nearest rotation by two routes, whatever the first guess.
static void assert_polar(frz_mat3 a)
{
    frz_quat q = draw_quat();
    const frz_mat3 r = frz_m3_rotation(a, &q);
    assert_rotation(r);
    assert_less(distance(r, frz_m3_from_quat(q)), 1e-14);
    const frz_svd3 svd = frz_m3_svd(a);
    assert_greater_equal(frz_m3_dot(r, a), (svd.s[0] + svd.s[1] + svd.s[2]) - 1e-13 * svd.s[0]);
    const frz_mat3 s = frz_m3_mul(frz_m3_transpose(r), a);
    assert_less_equal(distance(s, frz_m3_transpose(s)), 1e-12 * svd.s[0]);
}

static void singular_values_of_random_matrices_compose_to_them(void **state)
{
    (void)state;
    for (int k = 0; k < random_matrices; ++k)
    {
        const frz_mat3 a = draw_matrix();
        const frz_svd3 svd = assert_svd(a);
        assert_true((svd.s[2] < 0.0) == (frz_m3_determinant(a) < 0.0) || fabs(svd.s[2]) < 1e-12);
    }
}

static void the_rotation_of_random_matrices_is_the_nearest_one(void **state)
{
    (void)state;
    for (int k = 0; k < random_matrices; ++k)
        assert_polar(draw_matrix());
}

static void a_warm_start_stays_with_a_turning_matrix(void **state)
{
    (void)state;
    frz_quat q = frz_quat_identity();
    const frz_mat3 stretch = {{{1.3, 0.1, 0.0}, {0.1, 0.7, 0.2}, {0.0, 0.2, 1.1}}};
    for (int k = 0; k < 1000; ++k)
    {
        const frz_mat3 turn = frz_m3_from_quat(frz_quat_axis_angle(frz_v3(1.0, 2.0, -1.0), 0.1 * k));
        const frz_mat3 r = frz_m3_rotation(frz_m3_mul(turn, stretch), &q);
        assert_less(distance(r, turn), 1e-14);
    }
}

// Half a turn off, the slope of tr(R^T a) vanishes: an iteration that trusts it stays there.
static void the_rotation_escapes_from_a_guess_half_a_turn_off(void **state)
{
    (void)state;
    frz_quat q = {0.0, 0.0, 0.0, 1.0};
    assert_less(distance(frz_m3_rotation(frz_m3_diagonal(1.2, 1.0, 0.9), &q), frz_m3_identity()), 1e-14);
}

static void degenerate_and_inverted_matrices_are_decomposed(void **state)
{
    (void)state;
    static const double stretches[][3] = {
        {0.0, 0.0, 0.0},     {1.0, 0.0, 0.0},     {1.0, 1.0, 0.0},   {1.0, 1.0, 1.0},        {1.0, 1.0, -1.0},
        {2.0, 1.0, -1.0},    {2.0, 2.0, -1e-9},   {1.0, 0.5, -0.25}, {1.0, 1e-8, 1e-16},     {1.0, 1e-160, 1e-170},
        {3e150, 1.0, -1e-9}, {1e-200, 0.0, 0.0},  {1.0, 1.0, 1e-15}, {1.0, 1.0 - 1e-15, -1}, {-1.0, -1.0, 1.0},
        {1e-30, 1e-30, 0.0}, {5.0, 1e-20, -1e-20}};
    for (size_t k = 0; k < sizeof stretches / sizeof stretches[0]; ++k)
        for (int trial = 0; trial < 50; ++trial)
        {
            const frz_mat3 u = trial == 0 ? frz_m3_identity() : frz_m3_from_quat(draw_quat());
            const frz_mat3 v = trial < 2 ? frz_m3_identity() : frz_m3_from_quat(draw_quat());
            const frz_mat3 a = frz_m3_compose(u, stretches[k], v);
            (void)assert_svd(a);
            assert_polar(a);
        }
}

static void in_two_dimensions_the_z_axis_stays(void **state)
{
    (void)state;
    for (int k = 0; k < 1000; ++k)
    {
        const frz_mat3 a = {{{draw(), draw(), 0.0}, {draw(), draw(), 0.0}, {0.0, 0.0, 1.0}}};
        if (fabs(frz_m3_determinant(a)) < 1e-3)
            continue;
        frz_quat q = frz_quat_identity();
        const frz_mat3 r = frz_m3_rotation(a, &q);
        if (frz_m3_determinant(a) > 0.0)
            assert_near(r.m[2][2], 1.0, 1e-12);
    }
}

static void eigenvalues_of_symmetric_matrices_compose_to_them(void **state)
{
    (void)state;
    double worst = 0.0;
    for (int k = 0; k < random_matrices; ++k)
    {
        frz_mat3 a = frz_m3_symmetric(draw_matrix());
        if (k % 4 == 0) // two or three equal eigenvalues
        {
            const double s[3] = {draw(), 0.5, k % 8 == 0 ? 0.5 : -0.5};
            const frz_mat3 v = frz_m3_from_quat(draw_quat());
            a = frz_m3_symmetric(frz_m3_compose(v, s, v));
        }
        const frz_eigen3 eigen = frz_m3_eigen(a);
        assert_rotation(eigen.v);
        assert_greater_equal(eigen.s[0], eigen.s[1]);
        assert_greater_equal(eigen.s[1], eigen.s[2]);
        worst = fmax(worst, distance(frz_m3_compose(eigen.v, eigen.s, eigen.v), a));
    }
    assert_less(worst, 1e-14);
    const frz_eigen3 zero = frz_m3_eigen(frz_m3_zero());
    assert_same(zero.s[0], 0.0);
    assert_same(zero.s[2], 0.0);
    assert_rotation(zero.v);
}

static void cofactors_are_the_derivative_of_the_determinant(void **state)
{
    (void)state;
    for (int k = 0; k < 1000; ++k)
    {
        const frz_mat3 a = draw_matrix(), b = draw_matrix(), c = draw_matrix();
        const double h = 1e-5;
        const double slope =
            (frz_m3_determinant(frz_m3_mad(a, h, b)) - frz_m3_determinant(frz_m3_mad(a, -h, b))) / (2.0 * h);
        assert_near(slope, frz_m3_dot(frz_m3_cofactor(a), b), 1e-9);
        assert_less(distance(frz_m3_mul(a, frz_m3_transpose(frz_m3_cofactor(a))),
                             frz_m3_scale(frz_m3_determinant(a), frz_m3_identity())),
                    1e-14);
        assert_near(frz_m3_dot(frz_m3_cross(a, b), c), frz_m3_dot(frz_m3_cross(c, a), b), 1e-13);
    }
}

static void rotations_and_quaternions_agree(void **state)
{
    (void)state;
    for (int k = 0; k < 10000; ++k)
    {
        const frz_mat3 r = frz_m3_from_quat(draw_quat());
        assert_rotation(r);
        assert_less(distance(frz_m3_from_quat(frz_quat_from_m3(r)), r), 1e-14);
    }
}

static void nan_neither_hangs_nor_crashes(void **state)
{
    (void)state;
    const frz_mat3 bad = frz_m3_diagonal(NAN, 1.0, INFINITY);
    frz_quat q = frz_quat_identity();
    (void)frz_m3_svd(bad);
    (void)frz_m3_eigen(bad);
    (void)frz_m3_rotation(bad, &q);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(singular_values_of_random_matrices_compose_to_them, reset),
        cmocka_unit_test_setup(the_rotation_of_random_matrices_is_the_nearest_one, reset),
        cmocka_unit_test_setup(a_warm_start_stays_with_a_turning_matrix, reset),
        cmocka_unit_test_setup(the_rotation_escapes_from_a_guess_half_a_turn_off, reset),
        cmocka_unit_test_setup(degenerate_and_inverted_matrices_are_decomposed, reset),
        cmocka_unit_test_setup(in_two_dimensions_the_z_axis_stays, reset),
        cmocka_unit_test_setup(eigenvalues_of_symmetric_matrices_compose_to_them, reset),
        cmocka_unit_test_setup(cofactors_are_the_derivative_of_the_determinant, reset),
        cmocka_unit_test_setup(rotations_and_quaternions_agree, reset),
        cmocka_unit_test_setup(nan_neither_hangs_nor_crashes, reset),
    };
    return cmocka_run_group_tests_name("mat3", tests, NULL, NULL);
}
