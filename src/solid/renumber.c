// SPDX-License-Identifier: MIT
// New numbers for solid particles, and the arrays indexed by them.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/blocks.h"
#include "solid/renumber_internal.h"
#include "solid/skin_layers.h"

void frz_solids_leave(frz_solids *solids, frz_bonds *bonds, const frz_solid_space *space, frz_particles *particles,
                      int field, int slot)
{
    int32_t *number = frz_field_i32(particles, field);
    const int e = number[slot];
    if (e < 0)
        return;
    frz_skin_layers_leave(solids, bonds, space, e);
    frz_bonds_detach(bonds, e);
    frz_sparse_cholesky_destroy(&bonds->factor[solids->body[e]]); // it is of a matrix with the bonds
    number[slot] = -1;
    solids->slot[e] = -1;
    solids->present -= 1;
    solids->stale = solids->stale || solids->cracked;
    solids->changed = true;
    solids->isolated_known = false;
}

// A particle that is to have a number.
typedef struct candidate
{
    int32_t body, slot;
    uint8_t material;
    int64_t order; // the old number, or the id, sorted behind all old numbers
} candidate;

static int by_body_and_material(const void *a, const void *b)
{
    const candidate *p = a, *q = b;
    if (p->body != q->body)
        return p->body < q->body ? -1 : 1;
    if (p->material != q->material)
        return p->material < q->material ? -1 : 1;
    return p->order < q->order ? -1 : p->order > q->order;
}

static frz_status order_particles(frz_renumbering *r, frz_arena *scratch, frz_diag *diag)
{
    const frz_solids_plan *plan = r->plan;
    const int free = plan->particles->count[FRZ_ROLE_FREE];
    const int32_t *number = frz_field_i32(plan->particles, plan->field);
    const int64_t *id = frz_field_i64(plan->particles, FRZ_FIELD_ID_id);
    const uint8_t *material = frz_particles_material(plan->particles);
    candidate *all = FRZ_SCRATCH(scratch, free + 1, candidate);
    r->old_of_new = FRZ_SCRATCH(scratch, free + 1, int32_t);
    r->slot_of_new = FRZ_SCRATCH(scratch, free + 1, int32_t);
    r->new_of_slot = FRZ_SCRATCH(scratch, free + 1, int32_t);
    r->new_of_old = FRZ_SCRATCH(scratch, r->old->count + 1, int32_t);
    if (all == NULL || r->old_of_new == NULL || r->slot_of_new == NULL || r->new_of_slot == NULL ||
        r->new_of_old == NULL)
        return frz_fail_memory(diag, "new numbers of solid particles");
    int count = 0;
    for (int i = 0; i < free; ++i)
    {
        r->new_of_slot[i] = -1;
        if (plan->body[i] >= 0)
            all[count++] =
                (candidate){plan->body[i], i, material[i], number[i] >= 0 ? number[i] : r->old->count + id[i]};
    }
    qsort(all, (size_t)count, sizeof *all, by_body_and_material);
    for (int o = 0; o < r->old->count; ++o)
        r->new_of_old[o] = -1;
    for (int n = 0; n < count; ++n)
    {
        FRZ_ASSERT(all[n].body < plan->body_count);
        r->slot_of_new[n] = all[n].slot;
        r->new_of_slot[all[n].slot] = n;
        r->old_of_new[n] = number[all[n].slot];
        if (r->old_of_new[n] >= 0)
            r->new_of_old[r->old_of_new[n]] = n;
    }
    r->solids.count = count;
    return FRZ_OK;
}

// Materials and masses by number, if a body is of several materials.
static frz_status note_materials(frz_renumbering *r, frz_diag *diag)
{
    const frz_particles *particles = r->plan->particles;
    const uint8_t *material = frz_particles_material(particles);
    const frz_real *inverse_density = frz_particles_inverse_density(particles);
    frz_bonds *bonds = &r->bonds;
    bool mixed = false;
    for (int n = 1; n < bonds->count && !mixed; ++n)
        mixed = bonds->body[n] == bonds->body[n - 1] && material[r->slot_of_new[n]] != material[r->slot_of_new[n - 1]];
    if (!mixed)
        return FRZ_OK;
    FRZ_TRY(frz_bonds_allocate_materials(bonds, diag));
    for (int n = 0; n < bonds->count; ++n)
    {
        const int slot = r->slot_of_new[n];
        bonds->material[n] = material[slot];
        bonds->mass[n] = (frz_real)(bonds->volume / (double)inverse_density[slot]);
    }
    return frz_bonds_find_runs(bonds, diag);
}

// Everything by number and by body that does not need the lists.
static frz_status make_arrays(frz_renumbering *r, frz_diag *diag)
{
    const frz_solids_plan *plan = r->plan;
    frz_solids *solids = &r->solids;
    frz_bonds *bonds = &r->bonds;
    const uint8_t *phase = frz_particles_phase(plan->particles), *material = frz_particles_material(plan->particles);
    const int count = solids->count;
    FRZ_TRY(frz_solids_reserve_bodies(solids, plan->body_count, diag));
    FRZ_TRY(frz_solids_allocate(solids, count, diag));
    FRZ_TRY(frz_bonds_allocate(bonds, count, plan->body_count, diag));
    if (r->old->attached_body != NULL && (solids->attached_body = FRZ_ALLOC("solids", count + 1, int32_t)) == NULL)
        return frz_fail_memory(diag, "the solid bodies");
    for (int b = 0; b <= plan->body_count; ++b)
        bonds->first[b] = count;
    for (int n = count - 1; n >= 0; --n)
    {
        const int slot = r->slot_of_new[n], b = plan->body[slot], o = r->old_of_new[n];
        if (!frz_phase_is_solid(phase[slot]))
            return frz_fail(diag, FRZ_ERR_SCENE, "a solid body cannot be made of liquid");
        solids->body[n] = bonds->body[n] = b;
        bonds->first[b] = n;
        solids->slot[n] = slot;
        solids->body_phase[b] = phase[slot];
        solids->body_material[b] = material[slot]; // in the end that of its first particle
        if (plan->object != NULL)
            solids->object[b] = plan->object[b];
        if (solids->attached_body != NULL)
            solids->attached_body[n] = o >= 0 ? r->old->attached_body[o] : 0;
    }
    for (int b = plan->body_count - 1; b >= 0; --b) // bodies without particles
        bonds->first[b] = bonds->first[b] < bonds->first[b + 1] ? bonds->first[b] : bonds->first[b + 1];
    return note_materials(r, diag);
}

// The new bond partners of each particle, from the pairs within one body.
static frz_status list_gains(frz_renumbering *r, frz_arena *scratch, frz_diag *diag)
{
    const frz_slot_pairs *pairs = r->plan->pairs;
    const int count = r->solids.count;
    const int64_t given = pairs != NULL ? pairs->count : 0;
    r->gain_begin = FRZ_SCRATCH(scratch, count + 2, int64_t);
    r->gain = FRZ_SCRATCH(scratch, 2 * given + 1, int32_t);
    int64_t *next = FRZ_SCRATCH(scratch, count + 1, int64_t);
    if (r->gain_begin == NULL || r->gain == NULL || next == NULL)
        return frz_fail_memory(diag, "new bonds");
    memset(r->gain_begin, 0, (size_t)(count + 1) * sizeof *r->gain_begin);
    for (int pass = 0; pass < 2; ++pass)
    {
        for (int64_t p = 0; p < given; ++p)
        {
            const int n = r->new_of_slot[pairs->pair[p].a], m = r->new_of_slot[pairs->pair[p].b];
            if (n < 0 || m < 0 || n == m ||
                (r->solids.body[n] != r->solids.body[m] && !frz_renumbering_is_tie(r, n, m)))
                continue;
            if (pass == 0)
            {
                r->gain_begin[n + 1] += 1;
                r->gain_begin[m + 1] += 1;
                continue;
            }
            r->gain[next[n]++] = m;
            r->gain[next[m]++] = n;
        }
        for (int n = 0; n < count && pass == 0; ++n)
        {
            r->gain_begin[n + 1] += r->gain_begin[n];
            next[n] = r->gain_begin[n];
        }
    }
#pragma omp parallel for schedule(static)
    for (int n = 0; n < count; ++n)
        for (int64_t k = r->gain_begin[n] + 1; k < r->gain_begin[n + 1]; ++k)
        {
            const int32_t m = r->gain[k];
            int64_t at = k;
            for (; at > r->gain_begin[n] && r->gain[at - 1] > m; --at)
                r->gain[at] = r->gain[at - 1];
            r->gain[at] = m;
        }
    return FRZ_OK;
}

// How many of an old body are still somewhere.
static int survivors(const frz_renumbering *r, int old_body)
{
    int count = 0;
    for (int o = r->old_bonds->first[old_body]; o < r->old_bonds->first[old_body + 1]; ++o)
        count += r->new_of_old[o] >= 0;
    return count;
}

// Positions in the undeformed body.
static void place_body(frz_renumbering *r, int b)
{
    const frz_v4 *position = frz_field_v4(r->plan->particles, FRZ_FIELD_ID_position);
    const bool rigid = r->solids.body_phase[b] == FRZ_PHASE_RIGID && r->plan->local != NULL;
    // a local body has no undeformed state; surfaces are found where it is
    const bool local = r->fate[b] == FRZ_FATE_LOCAL || (r->fate[b] == FRZ_FATE_LESS && r->old_body[b] >= 0 &&
                                                        frz_bonds_is_local(r->old_bonds, r->old_body[b]));
    for (int n = r->bonds.first[b]; n < r->bonds.first[b + 1]; ++n)
    {
        const int slot = r->slot_of_new[n], o = r->old_of_new[n];
        const frz_v4 x = rigid ? r->plan->local[slot] : o >= 0 && !local ? r->old->reference[o] : position[slot];
        r->solids.reference[n] = r->bonds.reference[n] = frz_v4_xyz(x);
    }
}

static bool has_moved(const frz_renumbering *r, int b)
{
    bool moved = false;
    for (int n = r->bonds.first[b]; n < r->bonds.first[b + 1] && !moved; ++n)
    {
        const frz_v4 before = frz_v4_xyz(r->old->reference[r->old_of_new[n]]);
        moved = memcmp(&before, &r->solids.reference[n], 3 * sizeof(frz_real)) != 0;
    }
    return moved;
}

// Ties of a body, before and after.
typedef struct body_ties
{
    bool any;  // the body has ties now
    bool lost; // the body has lost ties
} body_ties;

static body_ties find_ties(const frz_renumbering *r, int b)
{
    body_ties ties = {false, false};
    for (int n = r->bonds.first[b]; n < r->bonds.first[b + 1]; ++n)
    {
        const int o = r->old_of_new[n];
        for (int64_t k = r->gain_begin[n]; k < r->gain_begin[n + 1] && !ties.any; ++k)
            ties.any = r->bonds.body[r->gain[k]] != b;
        for (int64_t k = o >= 0 ? r->old_bonds->begin[o] : 0; o >= 0 && k < r->old_bonds->begin[o + 1]; ++k)
        {
            const int m = r->new_of_old[r->old_bonds->other[k]];
            const bool tie = m >= 0 && frz_renumbering_is_tie(r, n, m) && r->old_bonds->weight[k] > 0;
            ties.any = ties.any || tie;
            ties.lost = ties.lost || (!tie && frz_bonds_is_tie(r->old_bonds, o, k));
        }
    }
    return ties;
}

// Weights of the bonds: those of its elastic parts, else of its rigid ones; -1: of different elastic methods.
static int find_weighing(const frz_renumbering *r, int b)
{
    int weighing[2] = {-1, -1};
    for (int n = r->bonds.first[b]; n < r->bonds.first[b + 1]; ++n)
    {
        const int o = r->old_of_new[n], from = o >= 0 ? r->old->body[o] : -1;
        if (from < 0)
            continue;
        const int elastic = r->old->body_phase[from] == FRZ_PHASE_ELASTIC;
        if (elastic != 0 && weighing[1] >= 0 && weighing[1] != r->old_bonds->weighing[from])
            return -1;
        weighing[elastic] = r->old_bonds->weighing[from];
    }
    return weighing[1] >= 0 ? weighing[1] : weighing[0] >= 0 ? weighing[0] : FRZ_BOND_GRADIENT;
}

static frz_status judge_body(frz_renumbering *r, int b, frz_diag *diag)
{
    const int first = r->bonds.first[b], last = r->bonds.first[b + 1];
    int old_count = 0, origin = -1;
    const int weighing = find_weighing(r, b);
    const body_ties ties = find_ties(r, b);
    for (int n = first; n < last; ++n)
    {
        const int o = r->old_of_new[n];
        if (o < 0)
            continue;
        const int from = r->old->body[o];
        old_count += 1;
        origin = origin == -1 || origin == from ? from : -2;
        r->seams[b] = r->seams[b] != 0 || frz_bonds_has_seams(r->old_bonds, from);
    }
    const bool gains = r->gain_begin[first] < r->gain_begin[last], rigid = r->solids.body_phase[b] == FRZ_PHASE_RIGID;
    if (weighing < 0)
        return frz_fail(diag, FRZ_ERR_SCENE, "bodies of different elastic methods cannot become one");
    const bool whole = origin >= 0 && !ties.lost && old_count == last - first && old_count == survivors(r, origin) &&
                       old_count == r->old_bonds->first[origin + 1] - r->old_bonds->first[origin];
    r->old_body[b] = origin;
    r->bonds.weighing[b] = (uint8_t)weighing;
    const bool was_local = origin >= 0 && frz_bonds_is_local(r->old_bonds, origin);
    if (old_count == 0 && (rigid || !ties.any))
        r->fate[b] = FRZ_FATE_FRESH;
    else if (rigid)
        r->fate[b] = FRZ_FATE_RIGID;
    else if (gains || origin < 0 || old_count < last - first || (ties.any && !was_local))
        r->fate[b] = FRZ_FATE_LOCAL;
    else
        r->fate[b] = whole ? FRZ_FATE_KEPT : FRZ_FATE_LESS;
    place_body(r, b);
    if (r->fate[b] == FRZ_FATE_RIGID && whole && !gains && !has_moved(r, b))
        r->fate[b] = FRZ_FATE_KEPT;
    return FRZ_OK;
}

static frz_status judge_bodies(frz_renumbering *r, frz_arena *scratch, frz_diag *diag)
{
    const int bodies = r->plan->body_count;
    r->fate = FRZ_SCRATCH(scratch, bodies + 1, uint8_t);
    r->seams = FRZ_SCRATCH(scratch, bodies + 1, uint8_t);
    r->old_body = FRZ_SCRATCH(scratch, bodies + 1, int32_t);
    r->remade = FRZ_SCRATCH(scratch, r->solids.count + 1, uint8_t);
    if (r->fate == NULL || r->seams == NULL || r->old_body == NULL || r->remade == NULL)
        return frz_fail_memory(diag, "new numbers of solid particles");
    memset(r->seams, 0, (size_t)bodies + 1);
    for (int b = 0; b < bodies; ++b)
    {
        FRZ_TRY(judge_body(r, b, diag));
        r->solids.reach[b] = r->solids.body_phase[b] == FRZ_PHASE_RIGID ? HUGE_VAL : r->plan->reach[b];
    }
    return FRZ_OK;
}

// Only new bonds between two particles with different axes make a seam, and old ones that are renewed.
static void trim_seams(frz_renumbering *r)
{
    for (int b = 0; b < r->bonds.body_count; ++b)
    {
        if (r->fate[b] != FRZ_FATE_LOCAL)
            continue;
        bool seam = false;
        for (int n = r->bonds.first[b]; n < r->bonds.first[b + 1] && !seam; ++n)
        {
            const int o = r->old_of_new[n];
            seam = r->renews[n] != 0 || (o >= 0 && frz_bonds_has_seams(r->old_bonds, r->old->body[o]));
            for (int64_t k = r->gain_begin[n]; k < r->gain_begin[n + 1] && !seam; ++k)
                seam = frz_renumbering_is_seam(r, n, r->gain[k]);
        }
        r->seams[b] = seam;
    }
}

// An object has changed if one of its bodies has, or its bodies are others.
static void find_changed_objects(const frz_renumbering *r, uint8_t *changed, int *bodies)
{
    const frz_solids *solids = &r->solids;
    for (int b = 0; b < solids->body_count; ++b)
        changed[b] = bodies[b] = 0;
    for (int b = 0; b < solids->body_count; ++b)
        if (r->bonds.first[b] < r->bonds.first[b + 1])
        {
            bodies[solids->object[b]] += 1;
            changed[solids->object[b]] |=
                r->fate[b] != FRZ_FATE_KEPT || r->old->object[r->old_body[b]] != solids->object[b];
        }
}

// Common axes for bodies that are tied together.
static frz_status stand_up(frz_renumbering *r, const uint8_t *changed, const int *bodies, frz_diag *diag)
{
    frz_solids *solids = &r->solids;
    bool any = false;
    for (int b = 0; b < solids->body_count; ++b)
        any = any || bodies[b] > 1;
    if (!any)
        return FRZ_OK;
    solids->standing = FRZ_ALLOC("solids", solids->count + 1, frz_v4);
    if (solids->standing == NULL)
        return frz_fail_memory(diag, "the solid bodies");
    for (int n = 0; n < solids->count; ++n)
    {
        const int object = solids->object[solids->body[n]];
        if (bodies[object] < 2)
            solids->standing[n] = solids->reference[n];
        else if (changed[object] != 0)
            solids->standing[n] = frz_v4_of(frz_renumbering_place(r, n));
        else
            solids->standing[n] = frz_solids_places(r->old)[r->old_of_new[n]];
    }
    return FRZ_OK;
}

static frz_status make_surfaces(frz_renumbering *r, frz_arena *scratch, frz_diag *diag)
{
    frz_solids *solids = &r->solids;
    uint8_t *changed = FRZ_SCRATCH(scratch, solids->body_count + 1, uint8_t);
    int *bodies = FRZ_SCRATCH(scratch, solids->body_count + 1, int);
    if (changed == NULL || bodies == NULL)
        return frz_fail_memory(diag, "the surfaces of solid bodies");
    solids->flat_compression = frz_solids_flat_compression(r->plan->space);
    find_changed_objects(r, changed, bodies);
    FRZ_TRY(stand_up(r, changed, bodies, diag));
    for (int b = 0; b < r->bonds.body_count; ++b)
    {
        const bool kept = changed[solids->object[b]] == 0;
        for (int n = r->bonds.first[b]; n < r->bonds.first[b + 1] && kept; ++n)
        {
            solids->rest_compression[n] = r->old->rest_compression[r->old_of_new[n]];
            solids->core[n] = r->old->core[r->old_of_new[n]];
            solids->thin[n] = r->old->thin[r->old_of_new[n]];
        }
        if (!kept && solids->object[b] == b)
            FRZ_TRY(frz_skin_layers_find(solids, r->plan->space, r->bonds.first, b, false, scratch, diag));
        if (frz_bonds_is_local(&r->bonds, b) && isfinite(solids->reach[b]))
            solids->reach[b] = 0.0; // near lists replace the distance
    }
    return frz_solids_find_near(solids, &r->bonds, scratch, diag);
}

static bool is_cracked(const frz_bonds *bonds)
{
    bool cracked = false;
    for (int n = 0; n < bonds->count && !cracked; ++n)
        for (int64_t k = bonds->begin[n]; k < bonds->begin[n + 1] && !cracked; ++k)
            cracked = (int)bonds->other[k] != n && !(bonds->weight[k] > 0);
    return cracked;
}

static int old_material(const frz_renumbering *r, int o)
{
    return r->old_bonds->material != NULL ? r->old_bonds->material[o] : r->old->body_material[r->old->body[o]];
}

// Is a body that has kept its particles of the same phase and materials as before?
static bool is_same_matter(const frz_renumbering *r, int b)
{
    const uint8_t *material = frz_particles_material(r->plan->particles);
    bool same = r->old->body_phase[r->old_body[b]] == r->solids.body_phase[b];
    for (int n = r->bonds.first[b]; n < r->bonds.first[b + 1] && same; ++n)
        same = old_material(r, r->old_of_new[n]) == material[r->slot_of_new[n]];
    return same;
}

// Factors of unchanged bodies move over: the point of no return.
static void finish(frz_renumbering *r, frz_solids *solids, frz_bonds *bonds)
{
    for (int b = 0; b < r->bonds.body_count; ++b)
    {
        const int o = r->old_body[b];
        const bool kept = r->fate[b] == FRZ_FATE_KEPT && o >= 0 && is_same_matter(r, b);
        r->bonds.stiffness[b] = kept ? bonds->stiffness[o] : -1.0;
        r->bonds.changed_step[b] = kept ? bonds->changed_step[o] : r->plan->step;
        r->bonds.factor_step[b] = kept ? bonds->factor_step[o] : 0.0;
        r->bonds.factor[b] = kept ? bonds->factor[o] : NULL;
        if (kept)
            bonds->factor[o] = NULL;
    }
    r->bonds.broken_count = bonds->broken_count;
    r->solids.cracked = r->solids.stale = is_cracked(&r->bonds);
    r->solids.changed = true;
    r->solids.present = r->solids.count;
    int32_t *number = frz_field_i32(r->plan->particles, r->plan->field);
    for (int i = 0; i < r->plan->particles->count[FRZ_ROLE_FREE]; ++i)
        number[i] = r->new_of_slot[i];
    r->solids.index_of_slot = number;
    if (r->plan->new_of_old != NULL)
        memcpy(r->plan->new_of_old, r->new_of_old, (size_t)solids->count * sizeof *r->new_of_old);
    frz_solids_destroy(solids);
    frz_bonds_destroy(bonds);
    *solids = r->solids;
    *bonds = r->bonds;
}

static void copy_setting(const frz_bonds *old, frz_bonds *bonds)
{
    bonds->dimension = old->dimension;
    bonds->spacing = old->spacing;
    bonds->volume = old->volume;
    bonds->kernel = old->kernel;
    bonds->any_periodic = old->any_periodic;
    memcpy(bonds->periodic, old->periodic, sizeof bonds->periodic);
    memcpy(bonds->period, old->period, sizeof bonds->period);
}

frz_status frz_solids_renumber(frz_solids *solids, frz_bonds *bonds, const frz_solids_plan *plan, frz_arena *scratch,
                               frz_diag *diag)
{
    frz_renumbering r = {.old = solids, .old_bonds = bonds, .plan = plan};
    const frz_arena_mark mark = frz_arena_here(scratch);
    copy_setting(bonds, &r.bonds);
    frz_status status = order_particles(&r, scratch, diag);
    if (status == FRZ_OK)
        status = make_arrays(&r, diag);
    if (status == FRZ_OK)
        status = list_gains(&r, scratch, diag);
    if (status == FRZ_OK)
        status = judge_bodies(&r, scratch, diag);
    if (status == FRZ_OK)
        status = frz_renumbering_find_turns(&r, scratch, diag);
    if (status == FRZ_OK)
    {
        trim_seams(&r);
        status = frz_renumbering_make_lists(&r, diag);
    }
    if (status == FRZ_OK)
        status = make_surfaces(&r, scratch, diag);
    if (status == FRZ_OK)
        finish(&r, solids, bonds);
    else
    {
        frz_solids_destroy(&r.solids);
        frz_bonds_destroy(&r.bonds);
    }
    frz_arena_release(scratch, mark);
    return status;
}
