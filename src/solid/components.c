// SPDX-License-Identifier: MIT
// Connected components of whole bonds and of pairs that are going to be bonds.
#include "solid/changes.h"

typedef struct forest
{
    int32_t *parent; // by slot; the lowest slot of a tree is its root
} forest;

// Halves the way to the root for those that ask again.
static int find_root(const forest *f, int i)
{
    while (f->parent[i] != i)
    {
        f->parent[i] = f->parent[f->parent[i]];
        i = f->parent[i];
    }
    return i;
}

static void unite(const forest *f, int i, int j)
{
    const int a = find_root(f, i), b = find_root(f, j);
    f->parent[a > b ? a : b] = a < b ? a : b;
}

// Bodies that are looked at: those marked, and those that pairs lead to.
static void mark_bodies(const frz_solids *solids, const int32_t *number, const uint8_t *changed,
                        const frz_slot_pairs *pairs, uint8_t *looked)
{
    for (int b = 0; b < solids->body_count; ++b)
        looked[b] = changed == NULL || changed[b] != 0;
    for (int64_t n = 0; n < pairs->count; ++n)
    {
        const int e = number[pairs->pair[n].a], f = number[pairs->pair[n].b];
        if (e >= 0)
            looked[solids->body[e]] = 1;
        if (f >= 0)
            looked[solids->body[f]] = 1;
    }
}

frz_status frz_solids_components(const frz_solids *solids, const frz_bonds *bonds, const frz_particles *particles,
                                 int field, const uint8_t *changed, const frz_slot_pairs *pairs, int32_t *component,
                                 frz_arena *scratch, frz_diag *diag)
{
    const int32_t *number = frz_field_i32(particles, field);
    const int free = particles->count[FRZ_ROLE_FREE];
    const frz_arena_mark mark = frz_arena_here(scratch);
    int32_t *slot = FRZ_SCRATCH(scratch, solids->count + 1, int32_t);
    uint8_t *looked = FRZ_SCRATCH(scratch, solids->body_count + 1, uint8_t);
    if (slot == NULL || looked == NULL)
    {
        frz_arena_release(scratch, mark);
        return frz_fail_memory(diag, "the parts of solid bodies");
    }
    const forest f = {component};
    mark_bodies(solids, number, changed, pairs, looked);
    for (int e = 0; e < solids->count; ++e)
        slot[e] = -1;
    for (int i = 0; i < free; ++i)
    {
        component[i] = number[i] >= 0 && looked[solids->body[number[i]]] != 0 ? i : -1;
        if (number[i] >= 0)
            slot[number[i]] = i;
    }
    for (int64_t n = 0; n < pairs->count; ++n)
    {
        component[pairs->pair[n].a] = pairs->pair[n].a;
        component[pairs->pair[n].b] = pairs->pair[n].b;
    }
    for (int e = 0; e < solids->count; ++e)
        for (int64_t k = bonds->begin[e]; slot[e] >= 0 && looked[solids->body[e]] != 0 && k < bonds->begin[e + 1]; ++k)
            if (bonds->weight[k] > 0 && (int)bonds->other[k] < e && slot[bonds->other[k]] >= 0)
                unite(&f, slot[e], slot[bonds->other[k]]);
    for (int64_t n = 0; n < pairs->count; ++n)
        unite(&f, pairs->pair[n].a, pairs->pair[n].b);
    for (int i = 0; i < free; ++i)
        if (component[i] >= 0)
            component[i] = component[component[i]]; // those below are at their roots already
    frz_arena_release(scratch, mark);
    return FRZ_OK;
}
