// SPDX-License-Identifier: MIT
// Near lists: in bodies that have no undeformed state as a whole, who is so few bonds from whom that it is no contact.
// For particles at the surface only; nothing comes near the others.
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "solid/solids.h"

enum
{
    near_walk = 3,   // bonds
    near_most = 2048 // particles that they lead to; in a lattice about 200
};

typedef struct walk
{
    const frz_bonds *bonds;
    int32_t *mark;
    int32_t stamp;
    int count;
    int32_t found[near_most];
} walk;

static int ascending(const void *a, const void *b)
{
    const int32_t p = *(const int32_t *)a, q = *(const int32_t *)b;
    return p < q ? -1 : p > q;
}

static void walk_from(walk *w, int first)
{
    w->stamp += 1;
    w->count = 0;
    w->found[w->count++] = first;
    w->mark[first] = w->stamp;
    int begin = 0;
    for (int step = 0; step < near_walk; ++step)
    {
        const int end = w->count;
        for (; begin < end; ++begin)
            for (int64_t k = w->bonds->begin[w->found[begin]]; k < w->bonds->begin[w->found[begin] + 1]; ++k)
            {
                const int j = (int)w->bonds->other[k];
                if (w->mark[j] == w->stamp || !(w->bonds->weight[k] > 0) || w->count == near_most)
                    continue;
                w->mark[j] = w->stamp;
                w->found[w->count++] = j;
            }
    }
    qsort(w->found, (size_t)w->count, sizeof *w->found, ascending);
}

static bool needs_list(const frz_solids *solids, const frz_bonds *bonds, int e)
{
    return frz_bonds_is_local(bonds, solids->body[e]) && !solids->core[e];
}

// Once to count, once to fill in.
static void list_all(const frz_solids *solids, walk *w, int64_t *begin, int32_t *near)
{
    int64_t total = 0;
    for (int e = 0; e < solids->count; ++e)
    {
        begin[e] = total;
        if (!needs_list(solids, w->bonds, e))
            continue;
        walk_from(w, e);
        if (near != NULL)
            memcpy(near + total, w->found, (size_t)w->count * sizeof *near);
        total += w->count;
    }
    begin[solids->count] = total;
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
    walk *w = FRZ_SCRATCH(scratch, 1, walk);
    int32_t *stamps = FRZ_SCRATCH(scratch, solids->count + 1, int32_t);
    int64_t *begin = FRZ_ALLOC("solids", solids->count + 1, int64_t);
    int32_t *near = NULL;
    if (w != NULL && stamps != NULL && begin != NULL)
    {
        memset(stamps, 0, (size_t)solids->count * sizeof *stamps);
        w->bonds = bonds;
        w->mark = stamps;
        w->stamp = 0;
        list_all(solids, w, begin, NULL);
        near = FRZ_ALLOC("solids", begin[solids->count] + 1, int32_t);
        if (near != NULL)
            list_all(solids, w, begin, near);
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
