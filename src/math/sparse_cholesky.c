// SPDX-License-Identifier: MIT
#include "math/sparse_cholesky.h"

#include <string.h>
#include <suitesparse/cholmod.h>

#include "base/memory.h"

struct frz_sparse_cholesky
{
    int size;
    cholmod_common common;
    cholmod_factor *factor;
};

static cholmod_triplet *make_triplet(int size, const frz_sparse_entry *entries, int64_t count, cholmod_common *common)
{
    cholmod_triplet *t =
        cholmod_l_allocate_triplet((size_t)size, (size_t)size, (size_t)count, -1, CHOLMOD_REAL, common);
    if (t == NULL)
        return NULL;
    for (int64_t k = 0; k < count; ++k)
    {
        ((SuiteSparse_long *)t->i)[k] = entries[k].row;
        ((SuiteSparse_long *)t->j)[k] = entries[k].column;
        ((double *)t->x)[k] = entries[k].value;
    }
    t->nnz = (size_t)count;
    return t;
}

frz_status frz_sparse_cholesky_create(int size, const frz_sparse_entry *entries, int64_t entry_count,
                                      frz_sparse_cholesky **out, frz_diag *diag)
{
    *out = NULL;
    frz_sparse_cholesky *f = FRZ_ALLOC("factor", 1, frz_sparse_cholesky);
    if (f == NULL)
        return frz_fail_memory(diag, "the factor of a matrix");
    cholmod_common *common = &f->common;
    (void)cholmod_l_start(common);
    common->print = 0; // the library never prints
    f->size = size;
    cholmod_triplet *triplet = make_triplet(size, entries, entry_count, common);
    cholmod_sparse *matrix = triplet != NULL ? cholmod_l_triplet_to_sparse(triplet, (size_t)entry_count, common) : NULL;
    cholmod_l_free_triplet(&triplet, common);
    if (matrix != NULL)
        f->factor = cholmod_l_analyze(matrix, common);
    if (f->factor != NULL)
        (void)cholmod_l_factorize(matrix, f->factor, common);
    cholmod_l_free_sparse(&matrix, common);
    const int status = common->status;
    if (status == CHOLMOD_OK && f->factor != NULL)
    {
        *out = f;
        return FRZ_OK;
    }
    frz_sparse_cholesky_destroy(&f);
    if (status == CHOLMOD_NOT_POSDEF)
        return frz_fail(diag, FRZ_ERR_DIVERGED, "a matrix that should be positive is not: it cannot be factorised");
    return frz_fail_memory(diag, "the factor of a matrix");
}

bool frz_sparse_cholesky_solve(frz_sparse_cholesky *f, int columns, const double *b, double *x)
{
    cholmod_dense right = {.nrow = (size_t)f->size,
                           .ncol = (size_t)columns,
                           .nzmax = (size_t)f->size * (size_t)columns,
                           .d = (size_t)f->size,
                           .xtype = CHOLMOD_REAL,
                           .dtype = CHOLMOD_DOUBLE};
    memcpy(&right.x, &b, sizeof b); // read only, though its type does not say so
    cholmod_dense *solution = cholmod_l_solve(CHOLMOD_A, f->factor, &right, &f->common);
    if (solution == NULL)
        return false;
    memcpy(x, solution->x, (size_t)f->size * (size_t)columns * sizeof *x);
    cholmod_l_free_dense(&solution, &f->common);
    return true;
}

double frz_sparse_cholesky_bytes(const frz_sparse_cholesky *f)
{
    return (double)f->common.memory_inuse;
}

void frz_sparse_cholesky_destroy(frz_sparse_cholesky **factor)
{
    frz_sparse_cholesky *f = *factor;
    if (f == NULL)
        return;
    cholmod_l_free_factor(&f->factor, &f->common);
    (void)cholmod_l_finish(&f->common);
    frz_free(f);
    *factor = NULL;
}
