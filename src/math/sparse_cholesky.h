// SPDX-License-Identifier: MIT
// A sparse symmetric positive matrix, factorised once and solved with often. CHOLMOD does the work (Chen, Davis, Hager
// & Rajamanickam 2008); only this file calls it.
#pragma once

#include <stdint.h>

#include "base/fail.h"

typedef struct frz_sparse_cholesky frz_sparse_cholesky;

/// An entry of the lower triangle, row >= column; entries in the same place add up.
typedef struct frz_sparse_entry
{
    int32_t row, column;
    double value;
} frz_sparse_entry;

/// Factorise. Fails for lack of memory, and if the matrix is not positive.
FRZ_NODISCARD frz_status frz_sparse_cholesky_create(int size, const frz_sparse_entry *entries, int64_t entry_count,
                                                    frz_sparse_cholesky **out, frz_diag *diag);

/// x = A^-1 b for several right-hand sides, one after the other in memory. b and x may be the same. False without
/// memory.
bool frz_sparse_cholesky_solve(frz_sparse_cholesky *factor, int columns, const double *b, double *x);

/// Memory of the factor, bytes.
double frz_sparse_cholesky_bytes(const frz_sparse_cholesky *factor);
void frz_sparse_cholesky_destroy(frz_sparse_cholesky **factor);
