// SPDX-License-Identifier: MIT
// Near lists: in bodies without an undeformed state as a whole, pairs that are too few bonds apart to touch. For
// particles at the surface only; other particles have no contacts.
#include <omp.h>
#include <string.h>

#include "base/arena.h"
#include "solid/bond_walk.h"
#include "solid/solids.h"

enum
{
    near_walk = 3,   // bonds
    near_most = 2048 // particles that they lead to; in a lattice about 200
};

// Shell's sort with Ciura's gaps: lists are short.
static void sort(int32_t *list, int count)
{
    static const int gaps[] = {301, 132, 57, 23, 10, 4, 1};
    for (size_t g = 0; g < sizeof gaps / sizeof *gaps; ++g)
        for (int n = gaps[g]; n < count; ++n)
        {
            const int32_t one = list[n];
            int at = n;
            for (; at >= gaps[g] && list[at - gaps[g]] > one; at -= gaps[g])
                list[at] = list[at - gaps[g]];
            list[at] = one;
        }
}

static bool needs_list(const frz_solids *solids, const frz_bonds *bonds, int e)
{
    return frz_bonds_is_local(bonds, solids->body[e]) && !solids->core[e];
}

// How many each has.
static void count_lists(const frz_solids *solids, frz_bond_walk *w, int64_t *begin)
{
#pragma omp for schedule(dynamic, 256)
    for (int e = 0; e < solids->count; ++e)
    {
        begin[e + 1] = 0;
        if (!needs_list(solids, w->bonds, e))
            continue;
        frz_bond_walk_from(w, e, near_walk, near_most);
        begin[e + 1] = w->count;
    }
}

static void fill_lists(const frz_solids *solids, frz_bond_walk *w, const int64_t *begin, int32_t *near)
{
#pragma omp for schedule(dynamic, 256)
    for (int e = 0; e < solids->count; ++e)
    {
        if (begin[e] == begin[e + 1])
            continue;
        frz_bond_walk_from(w, e, near_walk, near_most);
        sort(w->found, w->count);
        memcpy(near + begin[e], w->found, (size_t)w->count * sizeof *near);
    }
}

// Walks of several threads; each has marks of its own.
static frz_bond_walk *make_walks(const frz_bonds *bonds, int threads, frz_arena *scratch)
{
    frz_bond_walk *walks = FRZ_SCRATCH(scratch, threads, frz_bond_walk);
    for (int t = 0; t < threads && walks != NULL; ++t)
    {
        int32_t *mark = FRZ_SCRATCH(scratch, bonds->count + 1, int32_t);
        if (mark == NULL)
            return NULL;
        memset(mark, 0, (size_t)bonds->count * sizeof *mark);
        walks[t].bonds = bonds;
        walks[t].mark = mark;
        walks[t].stamp = 0;
    }
    return walks;
}

frz_status frz_solids_find_near(frz_solids *solids, const frz_bonds *bonds, frz_arena *scratch, frz_diag *diag)
{
    if (bonds->rest == NULL)
    {
        FRZ_FREE(solids->near_begin);
        FRZ_FREE(solids->near);
        return FRZ_OK;
    }
    const frz_arena_mark mark = frz_arena_here(scratch);
    frz_bond_walk *walks = make_walks(bonds, omp_get_max_threads(), scratch);
    int64_t *begin = FRZ_ALLOC("solids", solids->count + 1, int64_t);
    int32_t *near = NULL;
    if (walks != NULL && begin != NULL)
    {
#pragma omp parallel
        count_lists(solids, &walks[omp_get_thread_num()], begin);
        for (int e = 0; e < solids->count; ++e)
            begin[e + 1] += begin[e];
        near = FRZ_ALLOC("solids", begin[solids->count] + 1, int32_t);
    }
    if (near != NULL)
    {
#pragma omp parallel
        fill_lists(solids, &walks[omp_get_thread_num()], begin, near);
    }
    frz_arena_release(scratch, mark);
    if (near == NULL)
    {
        frz_free(begin);
        return frz_fail_memory(diag, "the contacts of solid bodies");
    }
    frz_free(solids->near_begin);
    frz_free(solids->near);
    solids->near_begin = begin;
    solids->near = near;
    return FRZ_OK;
}
