// SPDX-License-Identifier: MIT
#include "mpm/give.h"

#include <math.h>
#include <string.h>

static frz_status make_room(frz_mpm_give *give, const frz_mpm_grid *grid, const bool *touched, frz_arena *scratch,
                            frz_diag *diag)
{
    const int edge = grid->space.degree + 1;
    give->reach = edge * edge * (grid->space.dimension == 3 ? edge : 1);
    give->count = 0;
    for (int n = 0; n < grid->group_count; ++n)
        for (int l = 0; l < grid->group[n].count; ++l)
            give->count += touched[grid->group[n].slot[l]];
    const size_t entries = (size_t)give->count * (size_t)give->reach + 1;
    give->slot = FRZ_SCRATCH(scratch, give->count + 1, int32_t);
    give->mass = FRZ_SCRATCH(scratch, give->count + 1, frz_real);
    give->node = FRZ_SCRATCH(scratch, entries, int32_t);
    give->weight = FRZ_SCRATCH(scratch, entries, frz_real);
    give->from = FRZ_SCRATCH(scratch, entries, int32_t);
    if (give->slot == NULL || give->mass == NULL || give->node == NULL || give->weight == NULL || give->from == NULL)
        return frz_fail_memory(diag, "the material points");
    return FRZ_OK;
}

// Splines of an axis at the nodes of a stencil, by the distance from its first node in cells.
static void splines(int degree, double f, double w[4])
{
    if (degree == 2)
    {
        w[0] = 0.5 * (1.5 - f) * (1.5 - f);
        w[1] = 0.75 - (f - 1.0) * (f - 1.0);
        w[2] = 0.5 * (f - 0.5) * (f - 0.5);
        return;
    }
    const double t = f - 1.0, u = 1.0 - t;
    w[0] = u * u * u / 6.0;
    w[1] = ((3.0 * t - 6.0) * t * t + 4.0) / 6.0;
    w[2] = ((3.0 * u - 6.0) * u * u + 4.0) / 6.0;
    w[3] = t * t * t / 6.0;
}

// Of node (i, j, k) from the first one of a block, which is one of a window.
static int node_of(const frz_mpm_grid *grid, const frz_mpm_block *block, const int at[3])
{
    int near = 0, local = 0;
    for (int a = 2; a >= 0; --a)
    {
        const bool used = a < grid->space.dimension;
        const int offset = !used ? 0 : at[a] < 0 ? -1 : at[a] / FRZ_MPM_EDGE;
        near = near * 3 + offset + 1;
        local = local * FRZ_MPM_EDGE + (used ? at[a] - offset * FRZ_MPM_EDGE : 0);
    }
    return block->near[near] * grid->block_nodes + local;
}

static void add_point(const frz_mpm_grid *grid, const frz_mpm_block *block, const frz_mpm_group *g, int l,
                      frz_mpm_give *give, int n)
{
    const int degree = grid->space.degree, edge = degree + 1, dimension = grid->space.dimension;
    double w[3][4] = {{1.0}, {1.0}, {1.0}};
    int first[3] = {0, 0, 0};
    for (int a = 0; a < dimension; ++a)
    {
        const double x = (double)g->x[a][l];
        first[a] = (int)frz_mpm_base(degree, x);
        splines(degree, x - first[a], w[a]);
    }
    give->slot[n] = g->slot[l];
    give->mass[n] = g->mass[l];
    for (int k = 0; k < give->reach; ++k)
    {
        const int step[3] = {k % edge, k / edge % edge, k / (edge * edge)};
        const int at[3] = {first[0] + step[0], first[1] + step[1], first[2] + step[2]};
        give->node[n * give->reach + k] = node_of(grid, block, at);
        give->weight[n * give->reach + k] = (frz_real)(w[0][step[0]] * w[1][step[1]] * w[2][step[2]]);
    }
}

// Nodes get numbers of their own, in the order of the grid; entries by node.
static frz_status number_nodes(frz_mpm_give *give, const frz_mpm_grid *grid, int32_t *number, frz_arena *scratch,
                               frz_diag *diag)
{
    const size_t all = (size_t)grid->nodes_count * (size_t)grid->block_nodes;
    const int entries = give->count * give->reach;
    memset(number, 0, all * sizeof *number);
    for (int e = 0; e < entries; ++e)
        number[give->node[e]] += 1;
    give->nodes = 0;
    for (size_t n = 0; n < all; ++n)
        give->nodes += number[n] > 0;
    give->begin = FRZ_SCRATCH(scratch, give->nodes + 2, int32_t);
    give->inverse = FRZ_SCRATCH(scratch, give->nodes + 1, frz_real);
    give->wall = FRZ_SCRATCH(scratch, give->nodes + 1, frz_v4);
    give->value = FRZ_SCRATCH(scratch, give->nodes + 1, frz_v4);
    if (give->begin == NULL || give->inverse == NULL || give->wall == NULL || give->value == NULL)
        return frz_fail_memory(diag, "the material points");
    int next = 0, sum = 0;
    for (size_t n = 0; n < all; ++n)
    {
        const int size = number[n];
        number[n] = -1;
        if (size == 0)
            continue;
        const frz_real mass = grid->node[n][3];
        give->begin[next] = sum;
        give->inverse[next] = mass > 0 ? 1 / mass : 0;
        give->wall[next] = frz_v4_zero();
        number[n] = next++;
        sum += size;
    }
    give->begin[next] = sum;
    for (int e = 0; e < entries; ++e) // in the order of points; begin is moved on and back again
    {
        give->node[e] = number[give->node[e]];
        give->from[give->begin[give->node[e]]++] = e;
    }
    for (int n = give->nodes; n > 0; --n)
        give->begin[n] = give->begin[n - 1];
    give->begin[0] = 0;
    return FRZ_OK;
}

// Nodes in walls that do not yield move along one face at most, and not at all between several.
static void hold_nodes(const frz_mpm_run *run, const int32_t *number, const frz_mpm_give *give)
{
    for (int c = 0; c < run->contacts.count; ++c)
    {
        const frz_mpm_contact *contact = &run->contacts.list[c];
        const int n = number[contact->node];
        if (n < 0 || (run->obstacles[contact->obstacle].yields && !contact->sticks))
            continue;
        const bool another = frz_v4_dot3(give->wall[n], give->wall[n]) > 0;
        if (contact->sticks || another)
            give->inverse[n] = 0;
        give->wall[n] = frz_v4_of(contact->normal);
    }
}

frz_status frz_mpm_give_make(frz_mpm_run *run, const bool *touched, frz_arena *scratch, frz_mpm_give *give,
                             frz_diag *diag)
{
    const frz_mpm_grid *grid = &run->grid;
    int32_t *number = FRZ_SCRATCH(scratch, (size_t)grid->nodes_count * (size_t)grid->block_nodes + 1, int32_t);
    if (number == NULL)
        return frz_fail_memory(diag, "the material points");
    FRZ_TRY(make_room(give, grid, touched, scratch, diag));
    if (!grid->weighed)
        FRZ_TRY(frz_mpm_weigh(run, diag));
    int n = 0;
    for (int b = 0; b < grid->block_count; ++b)
        for (int k = grid->block[b].first; k < grid->block[b].end; ++k)
            for (int l = 0; l < grid->group[k].count; ++l)
                if (touched[grid->group[k].slot[l]])
                    add_point(grid, &grid->block[b], &grid->group[k], l, give, n++);
    FRZ_TRY(number_nodes(give, grid, number, scratch, diag));
    hold_nodes(run, number, give);
    return FRZ_OK;
}

void frz_mpm_give_apply(const frz_mpm_give *give, frz_v4 *field)
{
#pragma omp parallel for schedule(static) if (give->nodes >= 4096)
    for (int n = 0; n < give->nodes; ++n)
    {
        frz_v4 sum = frz_v4_zero();
        for (int e = give->begin[n]; e < give->begin[n + 1]; ++e)
        {
            const int entry = give->from[e], point = entry / give->reach;
            sum += (give->weight[entry] * give->mass[point]) * frz_v4_xyz(field[give->slot[point]]);
        }
        sum *= give->inverse[n];
        give->value[n] = sum - frz_v4_dot3(sum, give->wall[n]) * give->wall[n];
    }
#pragma omp parallel for schedule(static) if (give->count >= 4096)
    for (int p = 0; p < give->count; ++p)
    {
        frz_v4 sum = frz_v4_zero();
        for (int k = 0; k < give->reach; ++k)
            sum += give->weight[p * give->reach + k] * give->value[give->node[p * give->reach + k]];
        field[give->slot[p]] = frz_v4_xyz(sum);
    }
}
