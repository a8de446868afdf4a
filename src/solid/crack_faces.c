// SPDX-License-Identifier: MIT
// The two faces of a crack within a body: particles that bonds no longer connect may touch.
//
// Particles of a piece that were near each other in the undeformed body do not touch (solid/solids.h), because bonds
// connect them. Across a crack bonds only connect them around its tip. So two particles are apart if no walk along
// unbroken bonds, of the length that the undeformed lattice needs for that distance, leads from one to the other. Near
// the tip all are still connected.
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/grow.h"
#include "base/memory.h"
#include "solid/bond_walk.h"
#include "solid/solids.h"

// Particles at a crack, and a walk from one of them.
typedef struct crack
{
    const frz_solids *solids;
    frz_bond_walk walk;
} crack;

static bool is_near(const crack *c, int a, int b)
{
    const frz_v4 d = frz_bonds_between(c->walk.bonds, a, b);
    const double reach = c->solids->reach[c->solids->body[a]];
    return (double)frz_v4_dot3(d, d) < reach * reach;
}

static bool has_lost_bonds(const frz_bonds *bonds, int i)
{
    bool lost = false;
    for (int64_t k = bonds->begin[i]; k < bonds->begin[i + 1] && !lost; ++k)
        lost = (int)bonds->other[k] != i && !(bonds->weight[k] > 0);
    return lost;
}

// Particles at a crack that were once near the first, in its piece, and that no walk reaches now, ascending; returns
// their number.
static int list_apart(crack *c, const int32_t *faces, int face_count, int first, int32_t out[FRZ_BOND_WALK_MOST])
{
    const frz_solids *solids = c->solids;
    int count = 0;
    frz_bond_walk_from(&c->walk, first, FRZ_CRACK_WALK, FRZ_BOND_WALK_MOST);
    for (int n = 0; n < face_count && count < FRZ_BOND_WALK_MOST; ++n)
        if (c->walk.mark[faces[n]] != c->walk.stamp && solids->body[faces[n]] == solids->body[first] &&
            solids->piece[faces[n]] == solids->piece[first] && is_near(c, first, faces[n]))
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
    crack *c = FRZ_SCRATCH(scratch, 1, crack);
    int32_t *out = FRZ_SCRATCH(scratch, FRZ_BOND_WALK_MOST, int32_t);
    int32_t *mark = FRZ_SCRATCH(scratch, count + 1, int32_t);
    int32_t *faces = FRZ_SCRATCH(scratch, count + 1, int32_t);
    if (solids->apart_begin == NULL || c == NULL || out == NULL || mark == NULL || faces == NULL)
        return frz_fail_memory(diag, "the cracks of elastic bodies");
    memset(mark, 0, (size_t)count * sizeof *mark);
    c->solids = solids;
    c->walk.bonds = bonds;
    c->walk.mark = mark;
    c->walk.stamp = 0;
    int face_count = 0; // particles that have lost bonds; those behind them are too far from the other face
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
        const int found = touches ? list_apart(c, faces, face_count, i, out) : 0;
        FRZ_TRY(grow(solids, total + found, diag));
        if (found > 0)
            memcpy(solids->apart + total, out, (size_t)found * sizeof *out);
        total += found;
    }
    solids->apart_begin[count] = total;
    return FRZ_OK;
}
