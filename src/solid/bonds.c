// SPDX-License-Identifier: MIT
// Weights, moments and corrections of bonds; breaking them.
#include "solid/bonds.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "solid/bonds_internal.h"

// A direction whose moment is below this fraction of the largest one counts as without neighbours: at a corner of a
// lattice the fraction is above a tenth, across a sheet that is flat to rounding it is zero.
static const double least_share = 0.01;
// The same for a particle that has lost bonds. A direction in which only bonds to diagonal neighbours are left has at
// most 0.14 of the strongest, one with a bond to a nearest neighbour at least 0.4. The first is not fitted: few weak
// bonds make a large correction, and so frequencies far above those of the intact body, which the time step resolves.
static const double least_share_torn = 0.2;
// particles closer than this fraction of the spacing coincide and have no direction to each other
static const double coincident = 1e-3;

enum
{
    tail = 8 // particles behind the last one that wide loads may touch
};

double frz_bond_weigh(const frz_bond_weigher *w, double r)
{
    if (r < coincident * w->spacing)
        return 0.0;
    return w->factor *
           (w->kind == FRZ_BOND_GRADIENT ? -frz_kernel_slope(w->kernel, r) / r : frz_kernel_value(w->kernel, r));
}

// The factor makes the trace of the moment matrix, sum q r^2, the dimension on the lattice.
frz_bond_weigher frz_bond_weigher_of(const frz_bonds *bonds, frz_bond_weight kind)
{
    frz_bond_weigher w = {.kernel = &bonds->kernel, .kind = kind, .spacing = bonds->spacing, .factor = 1.0};
    const int reach = (int)ceil(bonds->kernel.support / bonds->spacing);
    const int deep = bonds->dimension > 2 ? reach : 0;
    double trace = 0.0;
    for (int z = -deep; z <= deep; ++z)
        for (int y = -reach; y <= reach; ++y)
            for (int x = -reach; x <= reach; ++x)
            {
                const double r = bonds->spacing * sqrt((double)(x * x + y * y + z * z));
                trace += frz_bond_weigh(&w, r) * r * r;
            }
    w.factor = bonds->dimension / trace;
    return w;
}

void frz_bonds_weigh_back(frz_bonds *bonds, int i, int64_t k)
{
    const int j = (int)bonds->other[k];
    for (int64_t n = bonds->begin[j]; n < bonds->begin[j + 1]; ++n)
        if ((int)bonds->other[n] == i)
            bonds->weight[n] = bonds->weight[k];
}

void frz_bonds_weigh(frz_bonds *bonds, int body, frz_bond_weight kind)
{
    const frz_bond_weigher w = frz_bond_weigher_of(bonds, kind);
    bonds->weighing[body] = (uint8_t)kind;
#pragma omp parallel for schedule(static)
    for (int i = bonds->first[body]; i < bonds->first[body + 1]; ++i)
    {
        for (int64_t k = bonds->begin[i]; k < bonds->begin[i + 1]; ++k)
        {
            const frz_v4 rest = frz_bonds_rest(bonds, i, k);
            if (bonds->weight[k] > 0)
                bonds->weight[k] = (frz_real)frz_bond_weigh(&w, sqrt((double)frz_v4_dot3(rest, rest)));
            if (frz_bonds_is_tie(bonds, i, k))
                frz_bonds_weigh_back(bonds, i, k);
        }
        frz_bonds_correct(bonds, i);
    }
}

static bool allocate_matrices(frz_bond_matrices *a, int count)
{
    frz_real **const entry[6] = {&a->xx, &a->xy, &a->xz, &a->yy, &a->yz, &a->zz};
    bool all = true;
    for (int k = 0; k < 6; ++k)
    {
        *entry[k] = FRZ_ALLOC("bonds", count + tail, frz_real);
        all = all && *entry[k] != NULL;
    }
    return all;
}

static void free_matrices(frz_bond_matrices *a)
{
    frz_real *const entry[6] = {a->xx, a->xy, a->xz, a->yy, a->yz, a->zz};
    for (int k = 0; k < 6; ++k)
        frz_free(entry[k]);
}

static void set_matrix(frz_bond_matrices *a, int i, const frz_mat3 *m)
{
    a->xx[i] = (frz_real)m->m[0][0];
    a->xy[i] = (frz_real)m->m[0][1];
    a->xz[i] = (frz_real)m->m[0][2];
    a->yy[i] = (frz_real)m->m[1][1];
    a->yz[i] = (frz_real)m->m[1][2];
    a->zz[i] = (frz_real)m->m[2][2];
}

static bool grow_rows(void **rows, int count, size_t size)
{
    void *wider = frz_realloc("bonds", *rows, (size_t)count + 1, size);
    if (wider != NULL)
        *rows = wider;
    return wider != NULL;
}

frz_status frz_bonds_reserve_bodies(frz_bonds *bonds, int body_count, frz_diag *diag)
{
    if (bonds->first != NULL && bonds->body_count >= body_count)
        return FRZ_OK;
    const int old = bonds->first != NULL ? bonds->body_count : -1;
    const bool grown = grow_rows((void **)&bonds->first, body_count, sizeof *bonds->first) &&
                       grow_rows((void **)&bonds->stiffness, body_count, sizeof *bonds->stiffness) &&
                       grow_rows((void **)&bonds->factor, body_count, sizeof(void *)) &&
                       grow_rows((void **)&bonds->factor_step, body_count, sizeof *bonds->factor_step) &&
                       grow_rows((void **)&bonds->rest_shift, body_count, sizeof *bonds->rest_shift) &&
                       grow_rows((void **)&bonds->far_shift, body_count, sizeof *bonds->far_shift) &&
                       grow_rows((void **)&bonds->uneven, body_count, sizeof *bonds->uneven) &&
                       grow_rows((void **)&bonds->weighing, body_count, sizeof *bonds->weighing) &&
                       grow_rows((void **)&bonds->changed_step, body_count, sizeof *bonds->changed_step);
    if (!grown)
        return frz_fail_memory(diag, "the bonds of the solid bodies");
    for (int b = old + 1; b <= body_count; ++b)
        bonds->first[b] = bonds->count;
    for (int b = old < 0 ? 0 : old; b <= body_count; ++b)
    {
        bonds->rest_shift[b] = bonds->far_shift[b] = FRZ_BOND_COMPACT;
        bonds->stiffness[b] = -1.0;
    }
    bonds->body_count = body_count;
    return FRZ_OK;
}

frz_status frz_bonds_allocate(frz_bonds *bonds, int count, int body_count, frz_diag *diag)
{
    bonds->count = count;
    FRZ_TRY(frz_bonds_reserve_bodies(bonds, body_count, diag));
    bonds->body = FRZ_ALLOC("bonds", count + 1, int32_t);
    bonds->reference = FRZ_ALLOC("bonds", count + tail, frz_v4);
    bonds->begin = FRZ_ALLOC("bonds", count + 1, int64_t);
    bonds->rank = FRZ_ALLOC("bonds", count + tail, uint8_t);
    bonds->torn = FRZ_ALLOC("bonds", count + 1, uint8_t);
    bonds->axis = FRZ_ALLOC("bonds", count + tail, frz_v4);
    bonds->own_volume = FRZ_ALLOC("bonds", count + tail, frz_real);
    bonds->scale = FRZ_ALLOC("bonds", count + tail, frz_real);
    const bool matrices = allocate_matrices(&bonds->moment, count) && allocate_matrices(&bonds->correction, count);
    if (!matrices || bonds->body == NULL || bonds->reference == NULL || bonds->begin == NULL || bonds->rank == NULL ||
        bonds->torn == NULL || bonds->axis == NULL || bonds->own_volume == NULL || bonds->scale == NULL)
        return frz_fail_memory(diag, "the bonds of the solid bodies");
    for (int i = 0; i < count; ++i)
        bonds->own_volume[i] = (frz_real)bonds->volume;
    return FRZ_OK;
}

frz_status frz_bonds_allocate_lists(frz_bonds *bonds, frz_diag *diag)
{
    const int64_t total = bonds->list_rows = bonds->begin[bonds->count];
    bonds->other = FRZ_ALLOC("bonds", total + 1, uint32_t);
    bonds->weight = FRZ_ALLOC("bonds", total + 1, frz_real);
    bonds->rest = bonds->rest_count > 0 ? FRZ_ALLOC("bonds", bonds->rest_count + 1, frz_v4) : NULL;
    bonds->rest_far = bonds->far_count > 0 ? FRZ_ALLOC("bonds", bonds->far_count + 1, frz_v4) : NULL;
    if (bonds->other == NULL || bonds->weight == NULL || (bonds->rest_count > 0 && bonds->rest == NULL) ||
        (bonds->far_count > 0 && bonds->rest_far == NULL))
        return frz_fail_memory(diag, "the bonds of the solid bodies");
    return FRZ_OK;
}

void frz_bonds_destroy(frz_bonds *bonds)
{
    free_matrices(&bonds->moment);
    free_matrices(&bonds->correction);
    frz_free(bonds->first);
    frz_free(bonds->reference);
    frz_free(bonds->begin);
    frz_free(bonds->other);
    frz_free(bonds->weight);
    frz_free(bonds->rank);
    frz_free(bonds->axis);
    for (int b = 0; bonds->factor != NULL && b < bonds->body_count; ++b)
        frz_sparse_cholesky_destroy(&bonds->factor[b]);
    frz_free(bonds->factor);
    frz_free(bonds->factor_step);
    frz_free(bonds->stiffness);
    frz_free(bonds->body);
    frz_free(bonds->torn);
    frz_free(bonds->own_volume);
    frz_free(bonds->scale);
    frz_free(bonds->material);
    frz_free(bonds->mass);
    frz_free(bonds->run_first);
    frz_free(bonds->run);
    frz_free(bonds->rest);
    frz_free(bonds->rest_far);
    frz_free(bonds->rest_shift);
    frz_free(bonds->far_shift);
    frz_free(bonds->uneven);
    frz_free(bonds->weighing);
    frz_free(bonds->changed_step);
    frz_free(bonds->anchor_first);
    frz_free(bonds->anchor);
    frz_free(bonds->tie_first);
    frz_free(bonds->tie);
    memset(bonds, 0, sizeof *bonds);
}

void frz_bonds_break(frz_bonds *bonds, int i, int64_t k)
{
    const int j = (int)bonds->other[k];
    if (j == i || !(bonds->weight[k] > 0))
        return;
    bonds->weight[k] = 0;
    for (int64_t n = bonds->begin[j]; n < bonds->begin[j + 1]; ++n)
        if ((int)bonds->other[n] == i)
            bonds->weight[n] = 0;
    bonds->torn[i] = bonds->torn[j] = 1;
    bonds->broken_count += 2;
}

void frz_bonds_detach(frz_bonds *bonds, int i)
{
    for (int64_t k = bonds->begin[i]; k < bonds->begin[i + 1]; ++k)
        if ((int)bonds->other[k] != i && bonds->weight[k] > 0)
        {
            frz_bonds_break(bonds, i, k);
            frz_bonds_correct(bonds, (int)bonds->other[k]);
        }
    frz_bonds_correct(bonds, i);
}

void frz_bonds_correct(frz_bonds *bonds, int i)
{
    frz_mat3 moment = frz_m3_zero();
    bool torn = bonds->torn[i] != 0;
    const bool ties = frz_bonds_is_local(bonds, bonds->body[i]); // count
    for (int64_t k = bonds->begin[i]; k < bonds->begin[i + 1]; ++k)
    {
        torn = torn || ((int)bonds->other[k] != i && !(bonds->weight[k] > 0));
        if (!ties && frz_bonds_is_tie(bonds, i, k))
            continue;
        const frz_v4 rest = frz_bonds_rest(bonds, i, k);
        const frz_vec3 d = frz_v3_of(rest);
        moment = frz_m3_mad(moment, (double)bonds->weight[k], frz_m3_outer(d, d));
    }
    const frz_eigen3 eigen = frz_m3_eigen(moment);
    double inverse[3] = {0.0, 0.0, 0.0};
    int rank = 0;
    for (int a = 0; a < bonds->dimension; ++a)
        if (eigen.s[a] > (torn ? least_share_torn : least_share) * eigen.s[0])
        {
            inverse[a] = 1.0 / eigen.s[a];
            rank += 1;
        }
    const frz_mat3 correction = frz_m3_compose(eigen.v, inverse, eigen.v);
    set_matrix(&bonds->moment, i, &moment);
    set_matrix(&bonds->correction, i, &correction);
    bonds->rank[i] = (uint8_t)rank;
    bonds->axis[i] = frz_v4_zero();
    const int axis = rank == 1 ? 0 : 2; // eigenvalues come in falling order
    if (rank == 1 || (rank == 2 && bonds->dimension == 3))
        bonds->axis[i] =
            frz_v4_set((frz_real)eigen.v.m[0][axis], (frz_real)eigen.v.m[1][axis], (frz_real)eigen.v.m[2][axis], 0);
}
