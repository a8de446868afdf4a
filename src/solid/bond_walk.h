// SPDX-License-Identifier: MIT
// A walk along unbroken bonds: all particles within a given number of bonds from one particle.
//
// Walks are symmetric: if a walk leads from i to j, one of the same length leads from j to i. Contacts need that, for
// momentum is conserved only if both ends agree.
#pragma once

#include "solid/bonds.h"

enum
{
    FRZ_BOND_WALK_MOST = 4096 ///< particles that a walk can find
};

typedef struct frz_bond_walk
{
    const frz_bonds *bonds;
    int32_t *mark; ///< by particle: the stamp of the last walk that found it, so that marks need not be cleared
    int32_t stamp; ///< of the present walk
    int count;
    int32_t found[FRZ_BOND_WALK_MOST]; ///< in the order of the walk, the first particle included
} frz_bond_walk;

/// Find all particles up to so many bonds from the first, no more than most.
static inline void frz_bond_walk_from(frz_bond_walk *w, int first, int bonds, int most)
{
    w->stamp += 1;
    w->count = 0;
    w->found[w->count++] = first;
    w->mark[first] = w->stamp;
    int begin = 0;
    for (int step = 0; step < bonds; ++step)
    {
        const int end = w->count;
        for (; begin < end; ++begin)
            for (int64_t k = w->bonds->begin[w->found[begin]]; k < w->bonds->begin[w->found[begin] + 1]; ++k)
            {
                const int j = (int)w->bonds->other[k];
                if (w->mark[j] == w->stamp || !(w->bonds->weight[k] > 0) || w->count == most)
                    continue;
                w->mark[j] = w->stamp;
                w->found[w->count++] = j;
            }
    }
}
