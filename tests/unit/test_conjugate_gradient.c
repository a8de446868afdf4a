// SPDX-License-Identifier: MIT
// The matrix-free solver: exact solutions, stopping, preconditioning, bits.
// labels: tsan
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "compare.h"

#include <math.h>
#include <omp.h>
#include <string.h>

#include "base/blocks.h"
#include "math/conjugate_gradient.h"

enum
{
    many = 3 * FRZ_BLOCK + 17
};

// A chain of masses and springs: A x = (m + k (2 x_i - x_i-1 - x_i+1)), with ends that are free.
typedef struct chain
{
    int count;
    frz_real mass, spring;
} chain;

static void chain_apply(const void *user, const frz_v4 *x, frz_v4 *out)
{
    const chain *c = user;
#pragma omp parallel for schedule(static)
    for (int i = 0; i < c->count; ++i)
    {
        frz_v4 sum = (c->mass * (1 + (frz_real)(i % 3))) * x[i];
        if (i > 0)
            sum += c->spring * (x[i] - x[i - 1]);
        if (i + 1 < c->count)
            sum += c->spring * (x[i] - x[i + 1]);
        out[i] = sum;
    }
}

static void chain_diagonal(const void *user, const frz_v4 *x, frz_v4 *out)
{
    const chain *c = user;
    for (int i = 0; i < c->count; ++i)
    {
        const int springs = (i > 0) + (i + 1 < c->count);
        out[i] = x[i] / (c->mass * (1 + (frz_real)(i % 3)) + (frz_real)springs * c->spring);
    }
}

static void negative(const void *user, const frz_v4 *x, frz_v4 *out)
{
    const chain *c = user;
    for (int i = 0; i < c->count; ++i)
        out[i] = -x[i];
}

static frz_v4 exact[many], b[many], x[many];

static void make_right_side(const chain *c)
{
    for (int i = 0; i < c->count; ++i)
        exact[i] = frz_v4_set((frz_real)sin(0.1 * i), (frz_real)cos(0.05 * i), (frz_real)(i % 7) - 3, 0);
    chain_apply(c, exact, b);
    memset(x, 0, sizeof x);
}

static frz_cg_report solve(const chain *c, frz_cg_map_fn *condition, double tolerance, int most)
{
    frz_arena scratch = {NULL, NULL};
    frz_cg_report report;
    frz_diag diag = {.status = FRZ_OK};
    const frz_cg cg = {.count = c->count,
                       .user = c,
                       .apply = chain_apply,
                       .precondition = condition,
                       .tolerance = tolerance,
                       .max_iterations = most};
    assert_int_equal(frz_cg_solve(&cg, b, x, &scratch, &report, &diag), FRZ_OK);
    frz_arena_destroy(&scratch);
    return report;
}

static double worst_error(int count)
{
    double worst = 0.0;
    for (int i = 0; i < count; ++i)
        for (int a = 0; a < 3; ++a)
            worst = fmax(worst, fabs((double)(x[i][a] - exact[i][a])));
    return worst;
}

static void the_solution_of_a_stiff_chain_is_found(void **state)
{
    (void)state;
    const chain c = {many, 1, 30};
    make_right_side(&c);
    const frz_cg_report report = solve(&c, NULL, 1e-3, 500);
    assert_true(report.converged);
    assert_true(report.definite);
    assert_less_equal(report.residual, 1e-3);
    assert_less(worst_error(many), 1e-3); // the smallest eigenvalue is at least the smallest mass
    for (int i = 0; i < many; ++i)
        assert_same(x[i][3], 0);
}

static void a_preconditioner_and_a_good_guess_save_iterations(void **state)
{
    (void)state;
    const chain c = {many, 20, 1};
    make_right_side(&c);
    const int plain = solve(&c, NULL, 1e-3, 500).iterations;
    make_right_side(&c);
    const int conditioned = solve(&c, chain_diagonal, 1e-3, 500).iterations;
    assert_less(conditioned, plain);
    assert_int_equal(solve(&c, chain_diagonal, 2e-3, 500).iterations, 0); // x is the solution already
}

static void a_guess_of_the_wrong_length_is_scaled(void **state)
{
    (void)state;
    const chain c = {many, 1, 30};
    frz_arena scratch = {NULL, NULL};
    frz_cg_report report;
    frz_diag diag = {.status = FRZ_OK};
    const frz_cg cg = {
        .count = many, .user = &c, .apply = chain_apply, .tolerance = 1e-2, .max_iterations = 500, .scale_guess = true};
    for (int k = 0; k < 2; ++k) // the solution three times as long and the wrong way round; then nothing at all
    {
        make_right_side(&c);
        for (int i = 0; i < many; ++i)
            x[i] = k == 0 ? -3 * exact[i] : frz_v4_zero();
        assert_int_equal(frz_cg_solve(&cg, b, x, &scratch, &report, &diag), FRZ_OK);
        assert_true(report.converged);
        assert_less(worst_error(many), 1e-2);
        assert_same(report.iterations > 0, k > 0);
    }
    frz_arena_destroy(&scratch);
}

static void as_many_iterations_as_unknowns_are_enough_for_a_small_system(void **state)
{
    (void)state;
    const chain c = {3, 1, 5};
    make_right_side(&c);
    const frz_cg_report report = solve(&c, NULL, 1e-5, 9);
    assert_true(report.converged);
    assert_less_equal(report.iterations, 9);
}

static void giving_up_and_wrong_matrices_are_reported(void **state)
{
    (void)state;
    chain c = {many, 1, 1000};
    make_right_side(&c);
    frz_cg_report report = solve(&c, NULL, 1e-3, 3);
    assert_int_equal(report.iterations, 3);
    assert_true(!report.converged);
    assert_greater(report.residual, 1e-3);
    assert_true(report.definite);
    const frz_cg cg = {.count = many, .user = &c, .apply = negative, .tolerance = 1e-3, .max_iterations = 10};
    frz_arena scratch = {NULL, NULL};
    frz_diag diag = {.status = FRZ_OK};
    make_right_side(&c);
    assert_int_equal(frz_cg_solve(&cg, b, x, &scratch, &report, &diag), FRZ_OK);
    assert_true(!report.converged && !report.definite);
    make_right_side(&c);
    b[5][1] = (frz_real)NAN;
    report = solve(&c, NULL, 1e-3, 10);
    assert_true(!report.converged && isnan(report.residual));
    frz_arena_destroy(&scratch);
}

static void nothing_to_solve_is_solved(void **state)
{
    (void)state;
    const chain c = {0, 1, 1};
    assert_true(solve(&c, NULL, 0.0, 10).converged);
    const chain still = {10, 1, 1};
    memset(b, 0, sizeof b);
    memset(x, 0, sizeof x);
    assert_true(solve(&still, NULL, 0.0, 10).converged);
}

static void any_number_of_threads_gives_the_same_bits(void **state)
{
    (void)state;
    static frz_v4 first[many];
    const chain c = {many, 1, 30};
    const int before = omp_get_max_threads();
    for (int threads = 1; threads <= 7; threads += 3)
    {
        omp_set_num_threads(threads);
        make_right_side(&c);
        (void)solve(&c, chain_diagonal, 1e-3, 500);
        if (threads == 1)
            memcpy(first, x, sizeof x);
        assert_memory_equal(first, x, sizeof x);
    }
    omp_set_num_threads(before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_solution_of_a_stiff_chain_is_found),
        cmocka_unit_test(a_preconditioner_and_a_good_guess_save_iterations),
        cmocka_unit_test(a_guess_of_the_wrong_length_is_scaled),
        cmocka_unit_test(as_many_iterations_as_unknowns_are_enough_for_a_small_system),
        cmocka_unit_test(giving_up_and_wrong_matrices_are_reported),
        cmocka_unit_test(nothing_to_solve_is_solved),
        cmocka_unit_test(any_number_of_threads_gives_the_same_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
