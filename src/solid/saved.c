// SPDX-License-Identifier: MIT
#include "solid/saved.h"

#include <float.h>
#include <math.h>

#include "base/arena.h"
#include "solid/bonds_internal.h"

static const double largest = 1e30; // bound of lengths, stiffnesses and other values in a file

typedef struct list
{
    frz_solid_array *out;
    int count;
} list;

static void add(list *l, const char *name, frz_dtype type, int components, int64_t rows, void *data, double least,
                double most)
{
    FRZ_ASSERT(l->count < FRZ_SOLID_ARRAYS);
    const int stride = components == 3 ? 4 : components;
    l->out[l->count++] = (frz_solid_array){.array = {.name = name,
                                                     .unit = "",
                                                     .type = type,
                                                     .components = components,
                                                     .stride = stride,
                                                     .rows = data != NULL ? rows : 0,
                                                     .data = data},
                                           .least = least,
                                           .most = most};
}

int frz_solids_saved_list(frz_solids *solids, frz_bonds *bonds, frz_solid_array out[FRZ_SOLID_ARRAYS])
{
    list l = {.out = out};
    const int64_t count = solids->count, bodies = solids->body_count;
    const int64_t total = bonds->list_rows;
    const double volume = 2.001 * bonds->volume; // beside anchors a particle represents twice its volume
    add(&l, "solids.body", FRZ_I32, 1, count, solids->body, 0, (double)bodies - 1.0);
    add(&l, "solids.reference", FRZ_DTYPE_REAL, 3, count, solids->reference, -largest, largest);
    add(&l, "solids.rest_compression", FRZ_DTYPE_REAL, 1, count, solids->rest_compression, 0, 1);
    add(&l, "solids.core", FRZ_U8, 1, count, solids->core, 0, 1);
    add(&l, "solids.thin", FRZ_U8, 1, count, solids->thin, 0, 1);
    add(&l, "solids.cracked", FRZ_U8, 1, 1, &solids->cracked, 0, 1);
    add(&l, "solids.reach", FRZ_F64, 1, bodies, solids->reach, 0, HUGE_VAL);
    add(&l, "solids.body_phase", FRZ_U8, 1, bodies, solids->body_phase, FRZ_PHASE_LIQUID, FRZ_PHASE_RIGID);
    add(&l, "solids.object", FRZ_I32, 1, bodies, solids->object, 0, (double)bodies - 1.0);
    add(&l, "solids.standing", FRZ_DTYPE_REAL, 3, count, solids->standing, -largest, largest);
    add(&l, "solids.body_material", FRZ_U8, 1, bodies, solids->body_material, 0, FRZ_MATERIAL_NONE);
    add(&l, "bonds.begin", FRZ_I64, 1, count + 1, bonds->begin, 0, (double)total);
    add(&l, "bonds.other", FRZ_I32, 1, total, bonds->other, 0, (double)count - 1.0);
    add(&l, "bonds.weight", FRZ_DTYPE_REAL, 1, total, bonds->weight, 0, largest);
    add(&l, "bonds.rest", FRZ_DTYPE_REAL, 3, bonds->rest_count, bonds->rest, -largest, largest);
    add(&l, "bonds.rest_far", FRZ_DTYPE_REAL, 3, bonds->far_count, bonds->rest_far, -largest, largest);
    add(&l, "bonds.rest_shift", FRZ_I64, 1, bodies, bonds->rest_shift, -HUGE_VAL, (double)bonds->rest_count);
    add(&l, "bonds.far_shift", FRZ_I64, 1, bodies, bonds->far_shift, -HUGE_VAL, (double)bonds->far_count);
    add(&l, "bonds.volume", FRZ_DTYPE_REAL, 1, count, bonds->own_volume, 0, volume);
    add(&l, "bonds.uneven", FRZ_U8, 1, bodies, bonds->uneven, 0, 1);
    add(&l, "bonds.weighing", FRZ_U8, 1, bodies, bonds->weighing, FRZ_BOND_GRADIENT, FRZ_BOND_KERNEL);
    add(&l, "bonds.broken_count", FRZ_I64, 1, 1, &bonds->broken_count, 0, 1e18);
    add(&l, "bonds.material", FRZ_U8, 1, count, bonds->material, 0, FRZ_MATERIAL_NONE);
    add(&l, "bonds.mass", FRZ_DTYPE_REAL, 1, count, bonds->mass, DBL_MIN, largest);
    add(&l, "bonds.torn", FRZ_U8, 1, count, bonds->torn, 0, 1);
    add(&l, "bonds.stiffness", FRZ_F64, 1, bodies, bonds->stiffness, -1, largest);
    add(&l, "bonds.changed_step", FRZ_I64, 1, bodies, bonds->changed_step, 0, 1e18);
    return l.count;
}

static void copy_setting(const frz_bonds *like, frz_bonds *bonds)
{
    bonds->dimension = like->dimension;
    bonds->spacing = like->spacing;
    bonds->volume = like->volume;
    bonds->kernel = like->kernel;
    bonds->any_periodic = like->any_periodic;
    for (int a = 0; a < 3; ++a)
    {
        bonds->periodic[a] = like->periodic[a];
        bonds->period[a] = like->period[a];
    }
}

static bool is_plausible(const frz_solids_rows *rows)
{
    const int64_t most = INT32_MAX / 2;
    return rows->bodies >= 0 && rows->bodies < most && rows->particles >= 0 && rows->particles < most &&
           rows->bonds >= 0 && rows->bonds / FRZ_BOND_PADDING <= 128 * most && rows->rest >= 0 &&
           rows->rest <= rows->bonds && rows->rest_far >= 0 && rows->rest_far <= rows->rest;
}

frz_status frz_solids_saved_room(const frz_solids_rows *rows, const frz_bonds *like, frz_solids_saved *saved,
                                 frz_diag *diag)
{
    *saved = (frz_solids_saved){0};
    if (!is_plausible(rows))
        return frz_fail(diag, FRZ_ERR_FILE,
                        "the checkpoint has %lld solid particles with %lld bonds, which cannot be; it is damaged",
                        (long long)rows->particles, (long long)rows->bonds);
    copy_setting(like, &saved->bonds);
    frz_status status = frz_solids_reserve_bodies(&saved->solids, (int)rows->bodies, diag);
    if (status == FRZ_OK)
        status = frz_solids_allocate(&saved->solids, (int)rows->particles, diag);
    if (status == FRZ_OK && rows->standing > 0)
    {
        saved->solids.standing = FRZ_ALLOC("solids", rows->particles + 1, frz_v4);
        status = saved->solids.standing != NULL ? FRZ_OK : frz_fail_memory(diag, "the solid bodies");
    }
    if (status == FRZ_OK)
        status = frz_bonds_allocate(&saved->bonds, (int)rows->particles, (int)rows->bodies, diag);
    if (status == FRZ_OK && rows->materials > 0)
        status = frz_bonds_allocate_materials(&saved->bonds, diag);
    if (status == FRZ_OK)
    {
        saved->bonds.begin[saved->bonds.count] = rows->bonds;
        saved->bonds.rest_count = rows->rest;
        saved->bonds.far_count = rows->rest_far;
        status = frz_bonds_allocate_lists(&saved->bonds, diag);
    }
    if (status != FRZ_OK)
    {
        frz_solids_destroy(&saved->solids);
        frz_bonds_destroy(&saved->bonds);
    }
    return status;
}

static frz_status damaged(frz_diag *diag, const char *what, long long where)
{
    return frz_fail(diag, FRZ_ERR_FILE, "%s (at %lld) of the solid bodies in the checkpoint cannot be; it is damaged",
                    what, where);
}

static double value_of(const frz_array_desc *a, int64_t row, int component)
{
    const size_t at = (size_t)(row * a->stride + component);
    switch (a->type)
    {
    case FRZ_F32:
        return (double)((const float *)a->data)[at];
    case FRZ_F64:
        return ((const double *)a->data)[at];
    case FRZ_I32:
        return (double)((const int32_t *)a->data)[at];
    case FRZ_I64:
        return (double)((const int64_t *)a->data)[at];
    default:
        return (double)((const uint8_t *)a->data)[at];
    }
}

static frz_status check_ranges(frz_solids_saved *saved, frz_diag *diag)
{
    frz_solid_array arrays[FRZ_SOLID_ARRAYS];
    const int count = frz_solids_saved_list(&saved->solids, &saved->bonds, arrays);
    for (int n = 0; n < count; ++n)
        for (int64_t row = 0; row < arrays[n].array.rows; ++row)
            for (int c = 0; c < arrays[n].array.components; ++c)
            {
                const double value = value_of(&arrays[n].array, row, c);
                if (!(value >= arrays[n].least && value <= arrays[n].most))
                    return damaged(diag, arrays[n].array.name, (long long)row);
            }
    return FRZ_OK;
}

// Bodies one after the other, and where each begins.
static frz_status check_bodies(frz_solids_saved *saved, frz_diag *diag)
{
    const frz_solids *solids = &saved->solids;
    int e = 0;
    for (int b = 0; b < solids->body_count; ++b)
    {
        saved->bonds.first[b] = e;
        for (; e < solids->count && solids->body[e] == b; ++e)
            saved->bonds.body[e] = b;
        if (saved->bonds.first[b] < e && !frz_phase_is_solid(solids->body_phase[b]))
            return damaged(diag, "the phase of a body", b);
        if (solids->object[b] > b || solids->object[solids->object[b]] != solids->object[b])
            return damaged(diag, "the object of a body", b);
    }
    saved->bonds.first[solids->body_count] = e;
    if (e < solids->count)
        return damaged(diag, "the order", e);
    for (int i = 0; i < solids->count; ++i)
        saved->bonds.reference[i] = frz_v4_xyz(solids->reference[i]);
    return FRZ_OK;
}

static bool has_bond_back(const frz_bonds *bonds, int i, int64_t k)
{
    const int j = (int)bonds->other[k];
    for (int64_t n = bonds->begin[j]; n < bonds->begin[j + 1]; ++n)
        if ((int)bonds->other[n] == i)
            return bonds->weight[n] == bonds->weight[k]; // the same bits
    return false;
}

// Do two particles belong together: to one body, or to an elastic and a rigid one of an object?
static bool may_be_bonded(const frz_solids *solids, int i, int j)
{
    const int a = solids->body[i], b = solids->body[j];
    return a == b || (solids->object[a] == solids->object[b] && solids->body_phase[a] != solids->body_phase[b]);
}

// Whether a list is ascending, within one object, symmetric and padded at its end.
static bool is_list(const frz_solids *solids, const frz_bonds *bonds, int i)
{
    bool padding = false, good = true;
    int last = -1;
    for (int64_t k = bonds->begin[i]; k < bonds->begin[i + 1] && good; ++k)
    {
        const int j = (int)bonds->other[k];
        padding = padding || j == i;
        if (padding)
            good = j == i && !(bonds->weight[k] > 0);
        else
            good = j > last && may_be_bonded(solids, i, j) && has_bond_back(bonds, i, k);
        last = j;
    }
    return good;
}

static frz_status check_lists(const frz_solids *solids, frz_bonds *bonds, int64_t total, frz_diag *diag)
{
    bool rising = bonds->begin[0] == 0 && bonds->begin[bonds->count] == total;
    for (int i = 0; i < bonds->count; ++i)
        rising = rising && bonds->begin[i + 1] >= bonds->begin[i] && bonds->begin[i + 1] % FRZ_BOND_PADDING == 0;
    if (!rising)
        return damaged(diag, "the beginning of a list of bonds", 0);
    bonds->bond_count = 0;
    for (int i = 0; i < bonds->count; ++i)
    {
        if (!is_list(solids, bonds, i))
            return damaged(diag, "a list of bonds", i);
        for (int64_t k = bonds->begin[i]; k < bonds->begin[i + 1]; ++k)
            bonds->bond_count += (int)bonds->other[k] != i;
    }
    return FRZ_OK;
}

// Rest vectors of local bodies one after the other.
static frz_status check_shifts(const frz_bonds *bonds, const int64_t *shift, int64_t rows, frz_diag *diag)
{
    int64_t next = 0;
    for (int b = 0; b < bonds->body_count; ++b)
    {
        if (shift[b] == FRZ_BOND_COMPACT)
            continue;
        const int64_t from = bonds->begin[bonds->first[b]];
        if (shift[b] != next - from)
            return damaged(diag, "the place of rest vectors", b);
        next += bonds->begin[bonds->first[b + 1]] - from;
    }
    return next == rows ? FRZ_OK : damaged(diag, "the number of rest vectors", (long long)rows);
}

frz_status frz_solids_saved_take(frz_solids_saved *saved, frz_solids *solids, frz_bonds *bonds, frz_diag *diag)
{
    frz_bonds *b = &saved->bonds;
    frz_status status = check_ranges(saved, diag);
    if (status == FRZ_OK)
        status = check_bodies(saved, diag);
    if (status == FRZ_OK)
        status = check_lists(&saved->solids, b, b->list_rows, diag);
    if (status == FRZ_OK)
        status = check_shifts(b, b->rest_shift, b->rest_count, diag);
    if (status == FRZ_OK)
        status = check_shifts(b, b->far_shift, b->far_count, diag);
    frz_arena scratch = {0};
    if (status == FRZ_OK)
        status = frz_bonds_find_anchors(b, diag);
    if (status == FRZ_OK)
        status = frz_bonds_find_runs(b, diag);
    if (status == FRZ_OK)
        status = frz_solids_find_near(&saved->solids, b, &scratch, diag);
    frz_arena_destroy(&scratch);
    if (status != FRZ_OK)
    {
        frz_solids_destroy(&saved->solids);
        frz_bonds_destroy(b);
        return status;
    }
    for (int i = 0; i < b->count; ++i)
        frz_bonds_correct(b, i);
    saved->solids.flat_compression = solids->flat_compression;
    saved->solids.changed = true;
    saved->solids.stale = saved->solids.cracked;
    frz_solids_destroy(solids);
    frz_bonds_destroy(bonds);
    *solids = saved->solids;
    *bonds = saved->bonds;
    *saved = (frz_solids_saved){0};
    return FRZ_OK;
}
