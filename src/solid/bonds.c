// SPDX-License-Identifier: MIT
// Making bonds from undeformed positions, finding their particles, breaking them.
#include "solid/bonds.h"

#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/memory.h"
#include "space/search.h"

// A direction in which the moment is below this share of the strongest one has no neighbours worth the name: at a
// corner of a lattice the share is above a tenth, across a sheet that is flat to rounding it is zero.
static const double least_share = 0.01;
// The same for a particle that has lost bonds. A direction in which only bonds to diagonal neighbours are left has at
// most 0.14 of the strongest, one with a bond to a nearest neighbour at least 0.4. The first is not fitted: few weak
// bonds make a large correction, and that frequencies far above those of the whole body, which the time step is for.
static const double least_share_torn = 0.2;
// particles closer than this share of the spacing lie in one place and have no direction to each other
static const double coincident = 1e-3;

enum
{
    list_multiple = 4, // lists are padded to a multiple of this
    tail = 8           // particles behind the last one that wide loads may touch
};

typedef struct builder
{
    const frz_bonds_input *input;
    frz_bonds *bonds;
    frz_grid grid;
    frz_cell_list cells;
    frz_arena scratch;
} builder;

typedef struct weigher
{
    const frz_kernel *kernel;
    frz_bond_weight kind;
    double spacing;
    double factor;
} weigher;

static double bond_weight(const weigher *w, double r)
{
    if (r < coincident * w->spacing)
        return 0.0;
    return w->factor *
           (w->kind == FRZ_BOND_GRADIENT ? -frz_kernel_slope(w->kernel, r) / r : frz_kernel_value(w->kernel, r));
}

// The factor makes the trace of the moment matrix, sum q r^2, the dimension on the lattice.
static weigher weigher_of(const frz_bonds *bonds, frz_bond_weight kind)
{
    weigher w = {.kernel = &bonds->kernel, .kind = kind, .spacing = bonds->spacing, .factor = 1.0};
    const int reach = (int)ceil(bonds->kernel.support / bonds->spacing);
    const int deep = bonds->dimension > 2 ? reach : 0;
    double trace = 0.0;
    for (int z = -deep; z <= deep; ++z)
        for (int y = -reach; y <= reach; ++y)
            for (int x = -reach; x <= reach; ++x)
            {
                const double r = bonds->spacing * sqrt((double)(x * x + y * y + z * z));
                trace += bond_weight(&w, r) * r * r;
            }
    w.factor = bonds->dimension / trace;
    return w;
}

static void weigh_particle(frz_bonds *bonds, const weigher *w, int i)
{
    for (int64_t k = bonds->begin[i]; k < bonds->begin[i + 1]; ++k)
    {
        const frz_v4 rest = frz_bonds_rest(bonds, i, (int)bonds->other[k]);
        bonds->weight[k] = (frz_real)bond_weight(w, sqrt((double)frz_v4_dot3(rest, rest)));
    }
    frz_bonds_correct(bonds, i);
}

void frz_bonds_weigh(frz_bonds *bonds, int body, frz_bond_weight kind)
{
    const weigher w = weigher_of(bonds, kind);
#pragma omp parallel for schedule(static)
    for (int i = bonds->first[body]; i < bonds->first[body + 1]; ++i)
        weigh_particle(bonds, &w, i);
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

static frz_status allocate(const frz_bonds_input *input, frz_bonds *bonds, frz_diag *diag)
{
    const int count = input->count;
    bonds->first = FRZ_ALLOC("bonds", input->body_count + 1, int);
    bonds->reference = FRZ_ALLOC("bonds", count + tail, frz_v4);
    bonds->begin = FRZ_ALLOC("bonds", count + 1, int64_t);
    bonds->rank = FRZ_ALLOC("bonds", count + tail, uint8_t);
    bonds->axis = FRZ_ALLOC("bonds", count + tail, frz_v4);
    bonds->stiffness = FRZ_ALLOC("bonds", input->body_count + 1, double);
    bonds->factor = FRZ_ALLOC("bonds", input->body_count + 1, frz_sparse_cholesky *);
    bonds->factor_step = FRZ_ALLOC("bonds", input->body_count + 1, double);
    const bool matrices = allocate_matrices(&bonds->moment, count) && allocate_matrices(&bonds->correction, count);
    if (!matrices || bonds->first == NULL || bonds->reference == NULL || bonds->begin == NULL || bonds->rank == NULL ||
        bonds->axis == NULL || bonds->stiffness == NULL || bonds->factor == NULL || bonds->factor_step == NULL)
        return frz_fail_memory(diag, "the bonds of the elastic bodies");
    return FRZ_OK;
}

static void copy_input(const frz_bonds_input *input, frz_bonds *bonds)
{
    int e = 0;
    for (int b = 0; b < input->body_count; ++b)
    {
        bonds->first[b] = e;
        for (; e < input->count && input->body[e] == b; ++e)
            bonds->reference[e] = frz_v4_xyz(input->reference[e]);
    }
    FRZ_ASSERT(e == input->count); // in the order of the bodies
    bonds->first[input->body_count] = e;
}

static frz_status make_grid(builder *b, frz_diag *diag)
{
    const frz_bonds_input *input = b->input;
    double min[3], max[3];
    for (int a = 0; a < 3; ++a)
    {
        min[a] = HUGE_VAL;
        max[a] = -HUGE_VAL;
        for (int e = 0; e < input->count; ++e)
        {
            min[a] = fmin(min[a], (double)input->reference[e][a]);
            max[a] = fmax(max[a], (double)input->reference[e][a]);
        }
        if (input->periodic[a])
        {
            min[a] = input->domain_min[a];
            max[a] = input->domain_max[a];
        }
    }
    const int64_t most_cells = 8 * (int64_t)input->count + (1 << 16); // more would cost more than they save
    FRZ_TRY(frz_grid_create(min, max, input->periodic, input->kernel->support, input->kernel->dimension, most_cells,
                            &b->grid, diag));
    FRZ_TRY(frz_cell_list_build(&b->grid, input->reference, input->count, &b->cells, &b->scratch, diag));
    frz_cell_list_fill(&b->cells, input->reference, false);
    return FRZ_OK;
}

// The particles of i's body within the support, in order; -1 if there are too many.
static int neighbors(const builder *b, int i, int *list)
{
    const frz_bonds_input *input = b->input;
    frz_found found;
    frz_cell_run runs[FRZ_RUN_MAX];
    FRZ_ASSERT(b->cells.index != NULL && b->cells.x != NULL && b->cells.y != NULL && b->cells.z != NULL);
    const frz_real at[3] = {input->reference[i][0], input->reference[i][1], input->reference[i][2]};
    const int run_count = frz_cell_runs_at(&b->grid, &b->cells, at, runs);
    const int all = frz_search(&b->cells, runs, run_count, at, (frz_real)input->kernel->support, -1, &found);
    int count = all < 0 ? -1 : 0;
    for (int k = 0; k < all; ++k)
    {
        const int j = b->cells.index[frz_lane_index(found.lane[k])];
        if (j == i || input->body[j] != input->body[i])
            continue;
        int place = count++;
        for (; place > 0 && list[place - 1] > j; --place)
            list[place] = list[place - 1];
        list[place] = j;
    }
    return count;
}

static frz_status count_bonds(builder *b, frz_diag *diag)
{
    frz_bonds *bonds = b->bonds;
    int crowded = bonds->count;
#pragma omp parallel for schedule(dynamic, 64) reduction(min : crowded)
    for (int i = 0; i < bonds->count; ++i)
    {
        int list[FRZ_NEIGHBOR_BUFFER];
        const int count = neighbors(b, i, list);
        crowded = count < 0 && i < crowded ? i : crowded;
        bonds->begin[i + 1] = count < 0 ? 0 : count; // the number for now
    }
    if (crowded < bonds->count)
        return frz_fail(diag, FRZ_ERR_SCENE,
                        "elastic particle %lld has more than %d neighbours at rest: bodies lie in the same place",
                        (long long)crowded, FRZ_NEIGHBOR_MAX);
    for (int i = 0; i < bonds->count; ++i)
    {
        bonds->bond_count += bonds->begin[i + 1];
        const int64_t padded = (bonds->begin[i + 1] + list_multiple - 1) / list_multiple * list_multiple;
        bonds->begin[i + 1] = bonds->begin[i] + padded;
    }
    return FRZ_OK;
}

static frz_status fill_bonds(builder *b, frz_diag *diag)
{
    frz_bonds *bonds = b->bonds;
    const int64_t total = bonds->begin[bonds->count];
    bonds->other = FRZ_ALLOC("bonds", total + 1, uint32_t);
    bonds->weight = FRZ_ALLOC("bonds", total + 1, frz_real);
    if (bonds->other == NULL || bonds->weight == NULL)
        return frz_fail_memory(diag, "the bonds of the elastic bodies");
    const weigher w = weigher_of(bonds, FRZ_BOND_GRADIENT);
#pragma omp parallel for schedule(dynamic, 64)
    for (int i = 0; i < bonds->count; ++i)
    {
        int list[FRZ_NEIGHBOR_BUFFER];
        const int count = neighbors(b, i, list);
        for (int64_t k = bonds->begin[i]; k < bonds->begin[i + 1]; ++k)
        {
            const int n = (int)(k - bonds->begin[i]);
            bonds->other[k] = (uint32_t)(n < count ? list[n] : i);
        }
        weigh_particle(bonds, &w, i);
    }
    return FRZ_OK;
}

frz_status frz_bonds_build(const frz_bonds_input *input, frz_bonds *bonds, frz_diag *diag)
{
    frz_bonds_destroy(bonds);
    bonds->count = input->count;
    bonds->dimension = input->kernel->dimension;
    bonds->spacing = input->spacing;
    bonds->volume = pow(input->spacing, input->kernel->dimension);
    bonds->kernel = *input->kernel;
    bonds->body_count = input->body_count;
    for (int a = 0; a < 3; ++a)
    {
        bonds->periodic[a] = input->periodic[a];
        bonds->period[a] = input->periodic[a] ? (frz_real)(input->domain_max[a] - input->domain_min[a]) : 0;
        bonds->any_periodic = bonds->any_periodic || input->periodic[a];
    }
    builder b = {.input = input, .bonds = bonds};
    frz_status status = allocate(input, bonds, diag);
    if (status == FRZ_OK)
        copy_input(input, bonds);
    if (status == FRZ_OK && input->count > 0)
        status = make_grid(&b, diag);
    if (status == FRZ_OK && input->count > 0)
        status = count_bonds(&b, diag);
    if (status == FRZ_OK)
        status = fill_bonds(&b, diag);
    frz_cell_list_destroy(&b.cells);
    frz_grid_destroy(&b.grid);
    frz_arena_destroy(&b.scratch);
    if (status != FRZ_OK)
        frz_bonds_destroy(bonds);
    return status;
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
    bool torn = false;
    for (int64_t k = bonds->begin[i]; k < bonds->begin[i + 1]; ++k)
    {
        torn = torn || ((int)bonds->other[k] != i && !(bonds->weight[k] > 0));
        const frz_v4 rest = frz_bonds_rest(bonds, i, (int)bonds->other[k]);
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
