// SPDX-License-Identifier: MIT
#include "math/sparse_cholesky.h"

#include <string.h>
#include <suitesparse/cholmod.h>

#include "base/memory.h"

// One unknown of up to four right-hand sides, side by side: a number of the factor is read once for all of them.
typedef double quad __attribute__((vector_size(4 * sizeof(double))));

enum
{
    quad_columns = 4,
    panel = 4 // columns of the factor treated together, so that their target rows are read and written once
};

struct frz_sparse_cholesky
{
    int size;
    cholmod_common common;
    cholmod_factor *factor;
    quad *unknown; // in the order of the factor
    quad *row;     // of one supernode
};

// A supernode: columns of the factor with the same rows below, as a dense matrix, column by column.
typedef struct supernode
{
    SuiteSparse_long first;        // column
    int columns, rows;             // rows: with those of the columns themselves, which come first
    const SuiteSparse_long *where; // rows of the whole matrix
    const double *value;
} supernode;

static supernode supernode_at(const cholmod_factor *l, size_t n)
{
    const SuiteSparse_long *super = l->super, *pi = l->pi, *px = l->px;
    return (supernode){.first = super[n],
                       .columns = (int)(super[n + 1] - super[n]),
                       .rows = (int)(pi[n + 1] - pi[n]),
                       .where = (const SuiteSparse_long *)l->s + pi[n],
                       .value = (const double *)l->x + px[n]};
}

// The columns from j on that are taken together.
static int panel_end(const supernode *s, int j)
{
    return j + panel < s->columns ? j + panel : s->columns;
}

// subtract the products of a panel's four unknowns x from the rows below
static void take_panel(const supernode *s, int j, quad *row)
{
    const size_t height = (size_t)s->rows;
    const double *a = s->value + (size_t)j * height, *b = a + height, *c = b + height, *d = c + height;
    const quad xa = row[j], xb = row[j + 1], xc = row[j + 2], xd = row[j + 3];
    for (int r = j + panel; r < s->rows; ++r)
        row[r] -= (a[r] * xa + b[r] * xb) + (c[r] * xc + d[r] * xd);
}

// subtract the products of the rows below a panel from its four unknowns
static void take_below(const supernode *s, int j, quad *row)
{
    const size_t height = (size_t)s->rows;
    const double *a = s->value + (size_t)j * height, *b = a + height, *c = b + height, *d = c + height;
    quad sa = {0.0}, sb = sa, sc = sa, sd = sa;
    for (int r = j + panel; r < s->rows; ++r)
    {
        sa += a[r] * row[r];
        sb += b[r] * row[r];
        sc += c[r] * row[r];
        sd += d[r] * row[r];
    }
    row[j] -= sa;
    row[j + 1] -= sb;
    row[j + 2] -= sc;
    row[j + 3] -= sd;
}

// L x = b in one supernode; updates the rows up to `until`.
static void solve_columns(const supernode *s, int begin, int end, int until, quad *row)
{
    for (int j = begin; j < end; ++j)
    {
        const double *column = s->value + (size_t)j * (size_t)s->rows;
        row[j] /= column[j];
        for (int r = j + 1; r < until; ++r)
            row[r] -= column[r] * row[j];
    }
}

static void forward(const supernode *s, quad *unknown, quad *row)
{
    for (int r = 0; r < s->rows; ++r)
        row[r] = unknown[s->where[r]];
    for (int j = 0; j < s->columns; j += panel)
    {
        const int end = panel_end(s, j);
        solve_columns(s, j, end, end - j == panel ? end : s->rows, row);
        if (end - j == panel)
            take_panel(s, j, row);
    }
    for (int r = 0; r < s->rows; ++r)
        unknown[s->where[r]] = row[r];
}

// L^T x = b in one supernode, whose rows below are known.
static void backward(const supernode *s, quad *unknown, quad *row)
{
    for (int r = 0; r < s->rows; ++r)
        row[r] = unknown[s->where[r]];
    for (int j = (s->columns - 1) / panel * panel; j >= 0; j -= panel)
    {
        const int end = panel_end(s, j);
        if (end - j == panel)
            take_below(s, j, row);
        for (int k = end - 1; k >= j; --k)
        {
            const double *column = s->value + (size_t)k * (size_t)s->rows;
            for (int r = k + 1; r < (end - j == panel ? end : s->rows); ++r)
                row[k] -= column[r] * row[r];
            row[k] /= column[k];
        }
    }
    for (int r = 0; r < s->columns; ++r)
        unknown[s->first + r] = row[r];
}

// By supernodes, without a BLAS: with the few right-hand sides there are, time goes into reading the factor, and the
// BLAS that a system brings along may be a slow one.
static void substitute(const frz_sparse_cholesky *f, int columns, const double *b, double *x)
{
    const cholmod_factor *l = f->factor;
    const SuiteSparse_long *order = l->Perm;
    const size_t size = (size_t)f->size;
    for (size_t k = 0; k < size; ++k)
        for (int a = 0; a < quad_columns; ++a)
            f->unknown[k][a] = a < columns ? b[(size_t)a * size + (size_t)order[k]] : 0.0;
    for (size_t n = 0; n < l->nsuper; ++n)
    {
        const supernode s = supernode_at(l, n);
        forward(&s, f->unknown, f->row);
    }
    for (size_t n = l->nsuper; n-- > 0;)
    {
        const supernode s = supernode_at(l, n);
        backward(&s, f->unknown, f->row);
    }
    for (size_t k = 0; k < size; ++k)
        for (int a = 0; a < columns; ++a)
            x[(size_t)a * size + (size_t)order[k]] = f->unknown[k][a];
}

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
        f->unknown = FRZ_ALLOC("factor", size + 1, quad);
        f->row = FRZ_ALLOC("factor", size + 1, quad);
        if (f->unknown != NULL && f->row != NULL)
        {
            *out = f;
            return FRZ_OK;
        }
    }
    frz_sparse_cholesky_destroy(&f);
    if (status == CHOLMOD_NOT_POSDEF)
        return frz_fail(diag, FRZ_ERR_DIVERGED, "a matrix that should be positive is not: it cannot be factorised");
    return frz_fail_memory(diag, "the factor of a matrix");
}

bool frz_sparse_cholesky_solve(frz_sparse_cholesky *f, int columns, const double *b, double *x)
{
    if (f->factor->is_super && f->factor->is_ll && columns <= quad_columns)
    {
        substitute(f, columns, b, x);
        return true;
    }
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
    frz_free(f->unknown);
    frz_free(f->row);
    frz_free(f);
    *factor = NULL;
}
