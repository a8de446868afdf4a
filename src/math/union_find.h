// SPDX-License-Identifier: MIT
// Disjoint sets: every member points towards the representative of its set, the smallest member.
#pragma once

/// The representative of the set of m; parent[m] is m at first.
static inline int frz_set_root(int *parent, int m)
{
    while (parent[m] != m)
    {
        parent[m] = parent[parent[m]];
        m = parent[m];
    }
    return m;
}

static inline void frz_set_unite(int *parent, int a, int b)
{
    const int root_a = frz_set_root(parent, a), root_b = frz_set_root(parent, b);
    parent[root_a > root_b ? root_a : root_b] = root_a > root_b ? root_b : root_a;
}
