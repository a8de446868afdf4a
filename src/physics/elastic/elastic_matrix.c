// SPDX-License-Identifier: MIT
#include "physics/elastic/elastic_matrix.h"

#include "math/sparse_cholesky.h"

// The product with a vector while it is being made.
typedef struct product
{
    const frz_elastic_matrix *a;
    const frz_v4 *x;
    frz_v4 *out;
} product;

static void begin_product(const void *user, int begin, int end)
{
    const product *p = user;
    for (int i = begin; i < end; ++i)
        p->a->work->place[i].displacement = p->x[i - p->a->first];
}

static void finish_product(const void *user, int begin, int end)
{
    const product *p = user;
    const frz_elastic_matrix *a = p->a;
    for (int i = begin - a->first; i < end - a->first; ++i)
        p->out[i] = frz_elastic_is_held(a, i)
                        ? p->x[i]
                        : frz_elastic_inertia(a, i) * p->x[i] - a->per_mass * a->work->force[a->first + i];
}

void frz_elastic_matrix_apply(const void *user, const frz_v4 *x, frz_v4 *out)
{
    const frz_elastic_matrix *a = user;
    const product p = {a, x, out};
    frz_elastic_use tangent = a->tangent;
    tangent.begin = a->rows.count == 0 ? begin_product : NULL;
    tangent.finish = finish_product;
    tangent.user = &p;
    a->work->with_low = false;
    a->work->change = true;
    if (a->rows.count > 0)
    {
        begin_product(&p, a->first, a->first + a->count);
        frz_elastic_rows_vary(&a->rows, x + a->count, a->work->place + a->first);
    }
    (void)frz_elastic_forces(a->bonds, a->body, &tangent, a->work);
    frz_elastic_rows_sum(&a->rows, a->work->force + a->first, -(double)a->per_mass, out + a->count);
    for (int r = a->count; r < a->unknowns; ++r)
        out[r] += x[r];
}

static void solve_factor(const void *user, const frz_v4 *x, frz_v4 *out)
{
    const frz_elastic_matrix *a = user;
    const int dimension = a->bonds->dimension;
    for (int c = 0; c < dimension; ++c)
        for (int i = 0; i < a->count; ++i)
            a->columns[(size_t)c * (size_t)a->count + (size_t)i] = frz_elastic_is_held(a, i) ? 0.0 : (double)x[i][c];
    const bool solved = frz_sparse_cholesky_solve(a->bonds->factor[a->body], dimension, a->columns, a->columns);
    for (int i = 0; i < a->count; ++i)
    {
        out[i] = solved ? frz_v4_zero() : x[i];
        for (int c = 0; solved && c < dimension; ++c)
            out[i][c] =
                frz_elastic_is_held(a, i) ? x[i][c] : (frz_real)a->columns[(size_t)c * (size_t)a->count + (size_t)i];
    }
    for (int r = a->count; r < a->unknowns; ++r)
        out[r] = x[r];
}

// Without elasticity.
static void divide_by_inertias(const void *user, const frz_v4 *x, frz_v4 *out)
{
    const frz_elastic_matrix *a = user;
    for (int i = 0; i < a->count; ++i)
        out[i] = frz_elastic_is_held(a, i) ? x[i] : 1 / a->inertias[i] * x[i];
    for (int r = a->count; r < a->unknowns; ++r)
        out[r] = x[r];
}

frz_cg_map_fn *frz_elastic_matrix_preconditioner(const frz_elastic_matrix *a)
{
    return a->columns != NULL ? solve_factor : a->shares != NULL ? divide_by_inertias : NULL;
}

double frz_elastic_matrix_mass(const frz_elastic_matrix *a)
{
    double mass = a->shares == NULL ? a->count : 0.0;
    for (int i = 0; a->shares != NULL && i < a->count; ++i)
        mass += (double)a->shares[i];
    return mass;
}

void frz_elastic_matrix_mix(const frz_model *model, const frz_state *state, const frz_instance *instance, double tau,
                            const frz_elastic_matrix *a)
{
    const double mass = model->materials[instance->material].density * a->bonds->volume;
    for (int i = 0; a->shares != NULL && i < a->count; ++i)
    {
        const double share = (double)a->bonds->mass[a->first + i] / mass;
        const double damping = frz_elastic_damping(model, state, instance, a->first + i);
        a->shares[i] = (frz_real)share;
        a->inertias[i] = (frz_real)(share * (1.0 + tau * damping));
    }
}

frz_status frz_elastic_matrix_make_room(frz_elastic_matrix *a, frz_arena *scratch, frz_diag *diag)
{
    a->columns = NULL;
    if (a->bonds->factor == NULL || a->bonds->factor[a->body] == NULL)
        return FRZ_OK;
    a->columns = FRZ_SCRATCH(scratch, 3 * (size_t)a->count + 1, double);
    return a->columns != NULL ? FRZ_OK : frz_fail_memory(diag, "the elastic solver");
}
