// SPDX-License-Identifier: MIT
// Elastic particles by numbers of their own, 0 .. count - 1 in the order they were made in.
//
// The store sorts them with the liquid at every step; what belongs to the undeformed body (reference places, bonds,
// everything that elastic methods keep) is in this fixed order instead, in which neighbours of the body stay neighbours
// in memory for ever.
#pragma once

#include <stdbool.h>

#include "base/memory.h"
#include "base/simd.h"

/// Fill below which a particle is at the surface of its body: a face of a lattice has about 0.7, the layer behind it
/// 0.99.
static const frz_real FRZ_SURFACE_COMPRESSION = (frz_real)0.95;
/// Spacings that the core keeps from the surface: the second layer is the last one a particle outside can be in reach
/// of.
static const double FRZ_SKIN_DEPTH = 1.6;

typedef struct frz_solids
{
    int count;     ///< elastic particles that the scene has made
    int present;   ///< of them in the store now; the others have left the domain
    double *reach; ///< by body: those of its particles that were nearer to each other are neighbours for ever, m
    int32_t *slot; ///< by number: where it is in the store, -1 if it has left
    int32_t *index_of_slot;    ///< by slot of a free particle: its number here, -1 for liquid
    frz_v4 *reference_by_slot; ///< by slot of a free particle, its reference position
    int32_t *group;            ///< by slot: its piece, its body if nothing is broken; -1: liquid
    int slot_capacity;         ///< rows of index_of_slot, reference_by_slot and group
    int64_t *offset;   ///< by body: what takes a particle's id to its number; INT64_MIN for bodies that are not elastic
    int32_t *body;     ///< by number
    frz_v4 *reference; ///< by number: place at time 0, m
    bool *core;        ///< by number: so deep inside its body that nothing else comes near; searches pass it by
    bool *isolated;    ///< by number: nothing that it could touch is near, and none can come near as long as
    bool isolated_known;        ///< this is so (sim/clearance.c)
    frz_v4 *isolated_at;        ///< by number: where it was when that was found out, m
    frz_real *rest_compression; ///< by number: its compression by its own piece, undeformed; at most 1
    int32_t *piece; ///< by number: the same for those that bonds still hold together; all 0 until a bond breaks
    /// by number: 1 + the body that it does not touch, because it or neighbours of it are part of that; null: none
    int32_t *attached_body;
    int64_t *apart_begin; ///< [count + 1]: apart[apart_begin[e]] .. are e's; null until a bond breaks
    int32_t
        *apart; ///< lists, ascending: particles of e's piece beyond a crack, which bonds do not keep from it any more
    int64_t apart_capacity; ///< numbers that apart has room for
    bool cracked;           ///< bonds have broken
    bool stale;             ///< and piece, fill, core and apart do not know yet
} frz_solids;

/// Does a crack lie between two particles of a piece?
static inline bool frz_solids_are_apart(const frz_solids *solids, int a, int b)
{
    if (solids->apart_begin == NULL)
        return false;
    int64_t low = solids->apart_begin[a], high = solids->apart_begin[a + 1];
    while (low < high)
    {
        const int64_t middle = low + (high - low) / 2;
        if (solids->apart[middle] < b)
            low = middle + 1;
        else
            high = middle;
    }
    return low < solids->apart_begin[a + 1] && solids->apart[low] == b;
}

/// Were an elastic particle in slot i and another particle in slot j neighbours when they were made, and still hold
/// together? reach: of i's body.
static inline bool frz_solids_are_bonded(const frz_solids *solids, int i, int j, double reach)
{
    const frz_v4 d = solids->reference_by_slot[i] - solids->reference_by_slot[j];
    return solids->group[i] == solids->group[j] && (double)frz_v4_dot3(d, d) < reach * reach &&
           !(solids->cracked && frz_solids_are_apart(solids, solids->index_of_slot[i], solids->index_of_slot[j]));
}

static inline void frz_solids_destroy(frz_solids *solids)
{
    frz_free(solids->reach);
    frz_free(solids->slot);
    frz_free(solids->index_of_slot);
    frz_free(solids->reference_by_slot);
    frz_free(solids->group);
    frz_free(solids->offset);
    frz_free(solids->body);
    frz_free(solids->reference);
    frz_free(solids->isolated);
    frz_free(solids->isolated_at);
    frz_free(solids->rest_compression);
    frz_free(solids->core);
    frz_free(solids->piece);
    frz_free(solids->attached_body);
    frz_free(solids->apart_begin);
    frz_free(solids->apart);
    *solids = (frz_solids){0};
}
