// SPDX-License-Identifier: MIT
// Exclusion of contacts, for searches: pairs of bonded particles, and particles that no other can come near. A view
// into the arrays of src/solid, which owns the memory.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/simd.h"

typedef struct frz_exclusion
{
    const double *reach;              ///< by body: particles nearer to each other in the reference state do not touch,
                                      ///< m
    const int32_t *index_of_slot;     ///< by slot of a free particle: its number, -1 for liquid
    const frz_v4 *reference_by_slot;  ///< by slot; in the last lane 1 for particles of rigid bodies
    const int32_t *group;             ///< by slot: its piece, its object if nothing is broken; -1: liquid
    const bool *core;                 ///< by number: too deep inside its body for contacts
    const bool *isolated;             ///< by number, if isolated_known: no particle that it could touch is near
    bool isolated_known;              ///< see above
    const frz_real *rest_compression; ///< by number: its compression by its own piece
    const bool *thin;                 ///< by number: part of a rod or a sheet
    frz_real flat_compression;        ///< rest_compression of a flat face
    const int32_t *attached_body;     ///< by number: 1 + the body that it does not touch; null: none
    bool cracked;                     ///< some particles of a piece may be apart
    const int64_t *apart_begin;       ///< by number: apart[apart_begin[e]] .. are beyond a crack from e; null: none
    const int32_t *apart;             ///< lists, ascending
    const int64_t *near_begin;        ///< the same for particles within a few bonds, of bodies with a reach of 0
    const int32_t *near;              ///< (bodies without an undeformed state as a whole); null: none
} frz_exclusion;

/// Is b in the list of a? Lists are ascending.
static inline bool frz_exclusion_lists(const int64_t *begin, const int32_t *list, int a, int b)
{
    if (begin == NULL)
        return false;
    int64_t low = begin[a], high = begin[a + 1];
    while (low < high)
    {
        const int64_t middle = low + (high - low) / 2;
        if (list[middle] < b)
            low = middle + 1;
        else
            high = middle;
    }
    return low < begin[a + 1] && list[low] == b;
}

/// Is the contact of a solid particle in slot i with another particle in slot j excluded: by bonds, because they were
/// neighbours in the reference state and are still connected, or by the solver of rigid contacts? reach: of i's body.
static inline bool frz_exclusion_holds(const frz_exclusion *e, int i, int j, double reach)
{
    const frz_v4 a = e->reference_by_slot[i], b = e->reference_by_slot[j], d = a - b;
    if (e->group[i] != e->group[j])
        return a[3] > 0 && b[3] > 0;
    const int n = e->index_of_slot[i], m = e->index_of_slot[j];
    if (a[3] != b[3]) // elastic and rigid parts of an object: only the first ones have lists
        return a[3] > 0 ? frz_exclusion_lists(e->near_begin, e->near, m, n)
                        : frz_exclusion_lists(e->near_begin, e->near, n, m);
    if ((double)frz_v4_dot3(d, d) < reach * reach)
        return !(e->cracked && frz_exclusion_lists(e->apart_begin, e->apart, n, m));
    return frz_exclusion_lists(e->near_begin, e->near, n, m);
}
