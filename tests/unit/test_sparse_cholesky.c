// SPDX-License-Identifier: MIT
// Solutions with a sparse factor, of a matrix small enough to be simple and of one that has dense parts.
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "compare.h"

#include <math.h>
#include <stdlib.h>

#include "math/sparse_cholesky.h"
#include "random_trial.h"

// The matrix of a grid of n^3 points that are tied to all others up to `reach` away along each axis.
typedef struct grid_matrix
{
    int size;
    int64_t count;
    frz_sparse_entry *entries;
} grid_matrix;

static grid_matrix make_matrix(int n, int reach)
{
    const int size = n * n * n, width = 2 * reach + 1;
    grid_matrix m = {size, 0, calloc((size_t)size * (size_t)(width * width * width), sizeof(frz_sparse_entry))};
    assert_non_null(m.entries);
    for (int i = 0; i < size; ++i)
        for (int k = 0; k < width * width * width; ++k)
        {
            const int x = i % n + k % width - reach, y = i / n % n + k / width % width - reach,
                      z = i / n / n + k / width / width - reach;
            const int j = x + n * (y + n * z);
            if (x < 0 || y < 0 || z < 0 || x >= n || y >= n || z >= n || j > i)
                continue;
            m.entries[m.count++] = (frz_sparse_entry){i, j, j == i ? width * width * width : draw()};
        }
    return m;
}

// Largest error of A x over the largest number of b.
static double residual_of(const grid_matrix *m, int columns, const double *b, const double *x)
{
    const size_t total = (size_t)m->size * (size_t)columns;
    double *left = calloc(total, sizeof *left), most = 0.0, size = 0.0;
    assert_non_null(left);
    for (int64_t k = 0; k < m->count; ++k)
        for (int a = 0; a < columns; ++a)
        {
            const frz_sparse_entry e = m->entries[k];
            const size_t row = (size_t)a * (size_t)m->size + (size_t)e.row;
            const size_t column = (size_t)a * (size_t)m->size + (size_t)e.column;
            left[row] += e.value * x[column];
            if (e.row != e.column)
                left[column] += e.value * x[row];
        }
    for (size_t k = 0; k < total; ++k)
    {
        most = fmax(most, fabs(left[k] - b[k]));
        size = fmax(size, fabs(b[k]));
    }
    free(left);
    return most / size;
}

static void check_solutions(int n, int reach)
{
    const grid_matrix m = make_matrix(n, reach);
    frz_sparse_cholesky *factor = NULL;
    frz_diag diag = {.status = FRZ_OK};
    assert_int_equal(frz_sparse_cholesky_create(m.size, m.entries, m.count, &factor, &diag), FRZ_OK);
    for (int columns = 1; columns <= 5; ++columns)
    {
        const size_t total = (size_t)m.size * (size_t)columns;
        double *b = calloc(total, sizeof *b), *x = calloc(total, sizeof *x);
        assert_non_null(b);
        assert_non_null(x);
        for (size_t k = 0; k < total; ++k)
            b[k] = draw();
        assert_true(frz_sparse_cholesky_solve(factor, columns, b, x));
        assert_less(residual_of(&m, columns, b, x), 1e-12);
        free(b);
        free(x);
    }
    frz_sparse_cholesky_destroy(&factor);
    free(m.entries);
}

static void solutions_solve(void **state)
{
    (void)state;
    check_solutions(1, 1);
    check_solutions(3, 1);
    check_solutions(7, 1);
    check_solutions(11, 2); // dense enough for supernodes
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(solutions_solve)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
