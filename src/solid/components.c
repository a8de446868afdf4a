// SPDX-License-Identifier: MIT
// Connected components of unbroken bonds and of pairs that will be bonded.
//
// A component is an object. Within it, rigid particles connected by bonds between rigid ones are a body, and all
// elastic particles are another, even if only rigid bodies connect them: one implicit solve then contains all coupled
// particles.
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "solid/changes.h"

// Root of i's tree; halves the path to it for later calls. parent: by slot; the lowest slot of a tree is its root.
static int find_root(int32_t *parent, int i)
{
    while (parent[i] != i)
    {
        parent[i] = parent[parent[i]];
        i = parent[i];
    }
    return i;
}

static void unite(int32_t *parent, int i, int j)
{
    const int a = find_root(parent, i), b = find_root(parent, j);
    parent[a > b ? a : b] = a < b ? a : b;
}

// The forests of objects and of rigid bodies.
static void connect(const frz_solid_parts *out, const uint8_t *phase, int i, int j)
{
    unite(out->object, i, j);
    if (phase[i] == FRZ_PHASE_RIGID && phase[j] == FRZ_PHASE_RIGID)
        unite(out->part, i, j);
}

// Bodies to examine: marked ones, those with an end of a new pair, and all bodies of their objects.
static void mark_bodies(const frz_solids *solids, const int32_t *number, const uint8_t *changed,
                        const frz_slot_pairs *pairs, uint8_t *looked)
{
    for (int b = 0; b < solids->body_count; ++b)
        looked[b] = 0;
    for (int b = 0; b < solids->body_count; ++b)
        if (changed == NULL || changed[b] != 0)
            looked[solids->object[b]] = 1;
    for (int64_t n = 0; n < pairs->count; ++n)
    {
        const int e = number[pairs->pair[n].a], f = number[pairs->pair[n].b];
        if (e >= 0)
            looked[solids->object[solids->body[e]]] = 1;
        if (f >= 0)
            looked[solids->object[solids->body[f]]] = 1;
    }
    for (int b = solids->body_count - 1; b >= 0; --b) // an object is the lowest of its bodies
        looked[b] = looked[solids->object[b]];
}

// Elastic particles of one object are one part.
static void gather_elastic(const frz_solid_parts *out, const uint8_t *phase, int free, int32_t *first)
{
    for (int i = 0; i < free; ++i)
        first[i] = -1;
    for (int i = 0; i < free; ++i)
    {
        if (out->object[i] < 0)
            continue;
        out->object[i] = out->object[out->object[i]]; // lower slots already hold their roots
        if (phase[i] == FRZ_PHASE_RIGID)
            out->part[i] = out->part[out->part[i]];
        else
        {
            int32_t *low = &first[out->object[i]];
            *low = *low < 0 ? i : *low;
            out->part[i] = *low;
        }
    }
}

frz_status frz_solids_components(const frz_solids *solids, const frz_bonds *bonds, const frz_particles *particles,
                                 int field, const uint8_t *changed, const frz_slot_pairs *pairs,
                                 const frz_solid_parts *out, frz_arena *scratch, frz_diag *diag)
{
    const int32_t *number = frz_field_i32(particles, field);
    const uint8_t *phase = frz_particles_phase(particles);
    const int free = particles->count[FRZ_ROLE_FREE];
    const frz_arena_mark mark = frz_arena_here(scratch);
    int32_t *slot = FRZ_SCRATCH(scratch, solids->count + 1, int32_t);
    int32_t *first = FRZ_SCRATCH(scratch, free + 1, int32_t);
    uint8_t *looked = FRZ_SCRATCH(scratch, solids->body_count + 1, uint8_t);
    if (slot == NULL || looked == NULL || first == NULL)
    {
        frz_arena_release(scratch, mark);
        return frz_fail_memory(diag, "the parts of solid bodies");
    }
    mark_bodies(solids, number, changed, pairs, looked);
    for (int e = 0; e < solids->count; ++e)
        slot[e] = -1;
    for (int i = 0; i < free; ++i)
    {
        out->object[i] = out->part[i] = number[i] >= 0 && looked[solids->body[number[i]]] != 0 ? i : -1;
        if (number[i] >= 0)
            slot[number[i]] = i;
    }
    for (int64_t n = 0; n < pairs->count; ++n)
    {
        const int a = pairs->pair[n].a, b = pairs->pair[n].b;
        out->object[a] = out->part[a] = a;
        out->object[b] = out->part[b] = b;
    }
    for (int e = 0; e < solids->count; ++e)
        for (int64_t k = bonds->begin[e]; slot[e] >= 0 && looked[solids->body[e]] != 0 && k < bonds->begin[e + 1]; ++k)
            if (bonds->weight[k] > 0 && (int)bonds->other[k] < e && slot[bonds->other[k]] >= 0)
                connect(out, phase, slot[e], slot[bonds->other[k]]);
    for (int64_t n = 0; n < pairs->count; ++n)
        connect(out, phase, pairs->pair[n].a, pairs->pair[n].b);
    gather_elastic(out, phase, free, first);
    frz_arena_release(scratch, mark);
    return FRZ_OK;
}

static int by_slots(const void *a, const void *b)
{
    const frz_slot_pair *p = a, *q = b;
    if (p->a != q->a)
        return p->a < q->a ? -1 : 1;
    return p->b < q->b ? -1 : p->b > q->b;
}

frz_status frz_solids_renew_ties(const frz_bonds *bonds, const frz_particles *particles, int field,
                                 frz_slot_pairs *pairs, frz_arena *scratch, frz_diag *diag)
{
    if (bonds->anchor_first == NULL)
        return FRZ_OK;
    const int32_t *number = frz_field_i32(particles, field);
    const uint8_t *phase = frz_particles_phase(particles);
    const int64_t ties = bonds->tie_first[bonds->anchor_first[bonds->body_count]];
    const frz_arena_mark mark = frz_arena_here(scratch);
    int32_t *slot = FRZ_SCRATCH(scratch, bonds->count + 1, int32_t);
    frz_slot_pair *more = frz_realloc("bonds", pairs->pair, (size_t)(pairs->count + ties) + 1, sizeof *more);
    pairs->pair = more != NULL ? more : pairs->pair;
    if (slot == NULL || more == NULL)
        return frz_fail_memory(diag, "new bonds");
    for (int e = 0; e < bonds->count; ++e)
        slot[e] = -1;
    for (int i = 0; i < particles->count[FRZ_ROLE_FREE]; ++i)
        if (number[i] >= 0)
            slot[number[i]] = i;
    const int64_t before = pairs->count;
    for (int64_t t = 0; t < ties; ++t)
    {
        const frz_bond_tie *tie = &bonds->tie[t];
        const int a = slot[tie->owner], b = slot[bonds->other[tie->place]];
        if (a >= 0 && b >= 0 && bonds->weight[tie->place] > 0 && phase[a] == phase[b])
            more[pairs->count++] = (frz_slot_pair){a < b ? a : b, a < b ? b : a};
    }
    if (pairs->count > before)
        qsort(more, (size_t)pairs->count, sizeof *more, by_slots);
    frz_arena_release(scratch, mark);
    return FRZ_OK;
}
