// SPDX-License-Identifier: MIT
// The two faces of a crack that has not parted its body: particles that bonds do not hold together any more touch.
//
// Particles of a piece that were near each other in the undeformed body do not touch (solid/solids.h), because
// bonds keep them apart. Beside a crack they may not: then the way from one to the other leads around its tip. So two
// of them are apart if a walk along whole bonds, no longer than the undeformed lattice needs for that distance, does
// not lead from one to the other. Near the tip all are still together.
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/grow.h"
#include "base/memory.h"
#include "solid/solids.h"

enum
{
    near_most = 4096 // particles that a walk can lead to; in a lattice 561
};

// A walk from one particle; marks are numbers of walks, so that they need not be cleared.
typedef struct walk
{
    const frz_bonds *bonds;
    const frz_solids *solids;
    int32_t *mark;
    int32_t stamp;
    int count;
    int32_t found[near_most];
} walk;

static bool is_near(const walk *w, int a, int b)
{
    const frz_v4 d = frz_bonds_between(w->bonds, a, b);
    const double reach = w->solids->reach[w->solids->body[a]];
    return (double)frz_v4_dot3(d, d) < reach * reach;
}

// Mark all that so many whole bonds lead to. What leads there leads back: momentum depends on it.
static void walk_from(walk *w, int first)
{
    w->stamp += 1;
    w->count = 0;
    w->found[w->count++] = first;
    w->mark[first] = w->stamp;
    int begin = 0;
    for (int step = 0; step < FRZ_CRACK_WALK; ++step)
    {
        const int end = w->count;
        for (int n = begin; n < end; ++n)
            for (int64_t k = w->bonds->begin[w->found[n]]; k < w->bonds->begin[w->found[n] + 1]; ++k)
            {
                const int j = (int)w->bonds->other[k];
                if (w->mark[j] == w->stamp || !(w->bonds->weight[k] > 0) || w->count == near_most)
                    continue;
                w->mark[j] = w->stamp;
                w->found[w->count++] = j;
            }
        begin = end;
    }
}

static bool has_lost_bonds(const frz_bonds *bonds, int i)
{
    bool lost = false;
    for (int64_t k = bonds->begin[i]; k < bonds->begin[i + 1] && !lost; ++k)
        lost = (int)bonds->other[k] != i && !(bonds->weight[k] > 0);
    return lost;
}

// Of those at a crack the ones once near the first, in its piece, that no walk leads to any more, ascending; returns
// how many.
static int list_apart(walk *w, const int32_t *faces, int face_count, int first, int32_t out[near_most])
{
    int count = 0;
    walk_from(w, first);
    for (int n = 0; n < face_count && count < near_most; ++n)
        if (w->mark[faces[n]] != w->stamp && w->solids->body[faces[n]] == w->solids->body[first] &&
            w->solids->piece[faces[n]] == w->solids->piece[first] && is_near(w, first, faces[n]))
            out[count++] = faces[n];
    return count;
}

static frz_status grow(frz_solids *solids, int64_t needed, frz_diag *diag)
{
    int32_t *apart = frz_grow("solids", solids->apart, &solids->apart_capacity, needed, needed, sizeof *apart);
    if (apart == NULL)
        return frz_fail_memory(diag, "the cracks of elastic bodies");
    solids->apart = apart;
    return FRZ_OK;
}

frz_status frz_crack_faces_find(frz_solids *solids, const frz_bonds *bonds, frz_arena *scratch, frz_diag *diag)
{
    const int count = bonds->count;
    if (solids->apart_begin == NULL)
        solids->apart_begin = FRZ_ALLOC("solids", count + 1, int64_t);
    walk *w = FRZ_SCRATCH(scratch, 1, walk);
    int32_t *out = FRZ_SCRATCH(scratch, near_most, int32_t);
    int32_t *mark = FRZ_SCRATCH(scratch, count + 1, int32_t);
    int32_t *faces = FRZ_SCRATCH(scratch, count + 1, int32_t);
    if (solids->apart_begin == NULL || w == NULL || out == NULL || mark == NULL || faces == NULL)
        return frz_fail_memory(diag, "the cracks of elastic bodies");
    memset(mark, 0, (size_t)count * sizeof *mark);
    *w = (walk){.bonds = bonds, .solids = solids, .mark = mark};
    int face_count = 0; // particles that have lost bonds; those behind them are too far from the other face to feel it
    for (int i = 0; i < count; ++i)
        if (has_lost_bonds(bonds, i))
            faces[face_count++] = i;
    int64_t total = 0;
    int next = 0;
    for (int i = 0; i < count; ++i)
    {
        solids->apart_begin[i] = total;
        if (next == face_count || faces[next] != i)
            continue;
        next += 1;
        // bodies that pass through themselves have a reach without end
        const bool touches = isfinite(solids->reach[solids->body[i]]);
        const int found = touches ? list_apart(w, faces, face_count, i, out) : 0;
        FRZ_TRY(grow(solids, total + found, diag));
        if (found > 0)
            memcpy(solids->apart + total, out, (size_t)found * sizeof *out);
        total += found;
    }
    solids->apart_begin[count] = total;
    return FRZ_OK;
}
