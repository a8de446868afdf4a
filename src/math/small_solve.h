// SPDX-License-Identifier: MIT
// A few linear equations with a dense matrix, solved by elimination with the largest pivots.
#pragma once

#include <math.h>

static inline void frz_rows_swap(double *a, double *b, int count)
{
    for (int k = 0; k < count; ++k)
    {
        const double kept = a[k];
        a[k] = b[k];
        b[k] = kept;
    }
}

/// b = a^-1 b for `columns` right-hand sides; `a` (n x n) and `b` (n x columns) lie row by row and are overwritten. The
/// matrix has to be regular.
static inline void frz_small_solve(int n, int columns, double *a, double *b)
{
    for (int k = 0; k < n; ++k)
    {
        int pivot = k;
        for (int r = k + 1; r < n; ++r)
            pivot = fabs(a[r * n + k]) > fabs(a[pivot * n + k]) ? r : pivot;
        if (pivot != k)
        {
            frz_rows_swap(&a[k * n], &a[pivot * n], n);
            frz_rows_swap(&b[k * columns], &b[pivot * columns], columns);
        }
        for (int r = k + 1; r < n; ++r)
        {
            const double part = a[r * n + k] / a[k * n + k];
            for (int c = k; c < n; ++c)
                a[r * n + c] -= part * a[k * n + c];
            for (int c = 0; c < columns; ++c)
                b[r * columns + c] -= part * b[k * columns + c];
        }
    }
    for (int k = n - 1; k >= 0; --k)
        for (int c = 0; c < columns; ++c)
        {
            for (int m = k + 1; m < n; ++m)
                b[k * columns + c] -= a[k * n + m] * b[m * columns + c];
            b[k * columns + c] /= a[k * n + k];
        }
}
