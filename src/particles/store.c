// SPDX-License-Identifier: MIT
#include "particles/store.h"

#include <string.h>

#include "base/blocks.h"
#include "base/memory.h"

typedef struct core_field
{
    frz_field_decl decl;
    frz_dtype type;
} core_field;

static const core_field core_fields[] = {
#define FRZ_FIELD(name, components, type, unit, flags, doc) {{#name, components, unit, flags, doc}, type},
#include "particles/fields.def"
#undef FRZ_FIELD
};

static size_t row_bytes(const frz_field *field)
{
    return (size_t)field->stride * frz_dtype_size(field->type);
}

static bool is_sorted(const frz_field *field)
{
    return (field->decl.flags & FRZ_FIELD_SORT) != 0;
}

static bool is_final(const frz_field *field)
{
    return is_sorted(field) && (field->decl.flags & FRZ_FIELD_FINAL) != 0;
}

// Whether a role has it. Free particles are the first role.
static bool has_field(const frz_field *field, frz_role role)
{
    return role == FRZ_ROLE_FREE || (field->decl.flags & FRZ_FIELD_FREE) == 0;
}

// Never 0, so that a null pointer means no memory.
static size_t rows_of(const frz_particles *particles, const frz_field *field)
{
    const bool all = has_field(field, FRZ_ROLE_SAMPLE);
    return (size_t)(all ? particles->total : particles->capacity[FRZ_ROLE_FREE]) + 1;
}

static frz_status add_field(frz_particles *particles, const frz_field_decl *decl, frz_dtype type, frz_diag *diag)
{
    FRZ_ASSERT(particles->field_count < FRZ_FIELD_MAX);
    frz_field *field = &particles->fields[particles->field_count];
    field->decl = *decl;
    field->type = type;
    field->stride = decl->components == 3 ? 4 : decl->components;
    const size_t rows = rows_of(particles, field);
    const bool twice = is_sorted(field) && !is_final(field);
    field->data = frz_alloc(decl->name, rows, row_bytes(field));
    if (twice)
        field->spare = frz_alloc(decl->name, rows, row_bytes(field));
    particles->field_count += 1;
    if (field->data == NULL || (twice && field->spare == NULL))
        return frz_fail_memory(diag, "the particles");
    return FRZ_OK;
}

frz_status frz_particles_create(const int capacity[FRZ_ROLE_COUNT], frz_particles *out, frz_diag *diag)
{
    memset(out, 0, sizeof *out);
    for (int r = 0; r < FRZ_ROLE_COUNT; ++r)
    {
        out->first[r] = out->total;
        out->capacity[r] = capacity[r];
        out->total += capacity[r];
    }
    for (int f = 0; f < FRZ_FIELD_CORE_COUNT; ++f)
        FRZ_TRY(add_field(out, &core_fields[f].decl, core_fields[f].type, diag));
    return FRZ_OK;
}

void frz_particles_destroy(frz_particles *particles)
{
    for (int f = 0; f < particles->field_count; ++f)
    {
        frz_free(particles->fields[f].data);
        frz_free(particles->fields[f].spare);
    }
    memset(particles, 0, sizeof *particles);
}

frz_status frz_particles_add_fields(frz_particles *particles, const frz_field_decl *fields, int *first, frz_diag *diag)
{
    *first = particles->field_count;
    for (const frz_field_decl *decl = fields; decl != NULL && decl->name != NULL; ++decl)
        FRZ_TRY(add_field(particles, decl, FRZ_DTYPE_REAL, diag));
    return FRZ_OK;
}

frz_status frz_particles_add_field(frz_particles *particles, const frz_field_decl *field, frz_dtype type, int *index,
                                   frz_diag *diag)
{
    *index = particles->field_count;
    return add_field(particles, field, type, diag);
}

int frz_particles_find(const frz_particles *particles, const char *name)
{
    for (int f = 0; f < particles->field_count; ++f)
        if (strcmp(particles->fields[f].decl.name, name) == 0)
            return f;
    return -1;
}

// bytes is a constant where it matters, so that a row is one load and one store
static inline __attribute__((always_inline)) void permute_rows(char *to, const char *from, const int *order, int count,
                                                               size_t bytes)
{
#pragma omp for schedule(static) nowait
    for (int k = 0; k < count; ++k)
        memcpy(to + (size_t)k * bytes, from + (size_t)order[k] * bytes, bytes);
}

// The threads of a team share the work.
static void permute_field(const frz_field *field, int first, const int *order, int count, char *to)
{
    const size_t bytes = row_bytes(field);
    const char *from = (const char *)field->data + (size_t)first * bytes;
    if (bytes == 16)
        permute_rows(to, from, order, count, 16);
    else if (bytes == 4)
        permute_rows(to, from, order, count, 4);
    else if (bytes == 8)
        permute_rows(to, from, order, count, 8);
    else if (bytes == 1)
        permute_rows(to, from, order, count, 1);
    else if (bytes == 24)
        permute_rows(to, from, order, count, 24);
    else if (bytes == 36)
        permute_rows(to, from, order, count, 36);
    else
        permute_rows(to, from, order, count, bytes);
}

static void swap_generations(frz_particles *particles)
{
    for (int f = 0; f < particles->field_count; ++f)
    {
        frz_field *field = &particles->fields[f];
        if (field->spare == NULL)
            continue;
        void *data = field->data;
        field->data = field->spare;
        field->spare = data;
    }
}

size_t frz_particles_widest(const frz_particles *particles)
{
    size_t widest = 1;
    for (int f = 0; f < particles->field_count; ++f)
    {
        const size_t bytes = row_bytes(&particles->fields[f]);
        widest = is_final(&particles->fields[f]) && bytes > widest ? bytes : widest;
    }
    return widest;
}

static void copy_rows(char *to, const char *from, int count, size_t bytes)
{
#pragma omp for schedule(static)
    for (int b = 0; b < frz_block_count(count); ++b)
        memcpy(to + (size_t)(b * FRZ_BLOCK) * bytes, from + (size_t)(b * FRZ_BLOCK) * bytes,
               (size_t)(frz_block_end(b, count) - b * FRZ_BLOCK) * bytes);
}

void frz_particles_permute(frz_particles *particles, frz_role role, const int *order, int count, void *scratch)
{
    const int first = particles->first[role];
#pragma omp parallel
    for (int f = 0; f < particles->field_count; ++f)
    {
        const frz_field *field = &particles->fields[f];
        const size_t bytes = row_bytes(field);
        char *data = (char *)field->data + (size_t)first * bytes;
        if (field->spare != NULL)
            permute_field(field, first, order, count, (char *)field->spare + (size_t)first * bytes);
        else if (is_final(field) && scratch != NULL)
        {
            permute_field(field, first, order, count, scratch);
#pragma omp barrier
            copy_rows(data, scratch, count, bytes);
        }
        else if (is_final(field))
#pragma omp single nowait
            for (int k = 0; k < count; ++k) // never from a row that was written
                memmove(data + (size_t)k * bytes, data + (size_t)order[k] * bytes, bytes);
    }
    swap_generations(particles);
    for (int f = 0; f < particles->field_count; ++f)
        particles->fields[f].is_copied = false;
    particles->count[role] = count;
}

const void *frz_particles_keep(frz_particles *particles, frz_role role, int field)
{
    frz_field *f = &particles->fields[field];
    const size_t bytes = row_bytes(f), first = (size_t)particles->first[role];
    char *to = (char *)f->spare + first * bytes;
    const char *from = (const char *)f->data + first * bytes;
#pragma omp parallel
    copy_rows(to, from, particles->count[role], bytes);
    f->is_copied = true;
    return to;
}

// Rows go back to where the order has them from.
static void unsort_rows(char *to, const char *from, const int *order, int count, size_t bytes)
{
    for (int k = 0; k < count; ++k)
        memcpy(to + (size_t)order[k] * bytes, from + (size_t)k * bytes, bytes);
}

void frz_particles_restore(frz_particles *particles, frz_role role, const int *order, void *scratch)
{
    const int count = particles->count[role];
    for (int f = 0; f < particles->field_count && count > 0; ++f)
    {
        frz_field *field = &particles->fields[f];
        const size_t bytes = row_bytes(field), first = (size_t)particles->first[role] * bytes;
        if (field->is_copied) // to the generation that is the first one after the swap
        {
            unsort_rows((char *)field->data + first, (const char *)field->spare + first, order, count, bytes);
            memcpy((char *)field->spare + first, (const char *)field->data + first, (size_t)count * bytes);
            field->is_copied = false;
        }
        else if (is_final(field))
        {
            unsort_rows(scratch, (const char *)field->data + first, order, count, bytes);
            memcpy((char *)field->data + first, scratch, (size_t)count * bytes);
        }
    }
    swap_generations(particles);
}

// Add rows behind the last role, into which the roles then move; the old rows keep their place.
static frz_status widen(frz_field *field, void **data, size_t rows, frz_diag *diag)
{
    if (*data == NULL)
        return FRZ_OK;
    void *wider = frz_realloc(field->decl.name, *data, rows, row_bytes(field));
    if (wider == NULL)
        return frz_fail_memory(diag, "more particles");
    *data = wider;
    return FRZ_OK;
}

static void move_rows(const frz_field *field, void *data, int to, int from, int count)
{
    const size_t bytes = row_bytes(field);
    if (data != NULL)
        memmove((char *)data + (size_t)to * bytes, (const char *)data + (size_t)from * bytes, (size_t)count * bytes);
}

frz_status frz_particles_grow(frz_particles *particles, frz_role role, int capacity, frz_diag *diag)
{
    const int more = capacity - particles->capacity[role];
    int total = 0;
    if (more <= 0)
        return FRZ_OK;
    if (__builtin_add_overflow(particles->total, more, &total))
        return frz_fail(diag, FRZ_ERR_MEMORY, "there are more particles than can be counted; use a larger spacing");
    // buffers that are wider than needed do no harm if a later one fails
    for (int f = 0; f < particles->field_count; ++f)
    {
        frz_field *field = &particles->fields[f];
        const bool all = has_field(field, FRZ_ROLE_SAMPLE);
        if (!all && role != FRZ_ROLE_FREE)
            continue;
        const size_t rows = (size_t)(all ? total : capacity) + 1;
        FRZ_TRY(widen(field, &field->data, rows, diag));
        FRZ_TRY(widen(field, &field->spare, rows, diag));
    }
    for (int r = FRZ_ROLE_COUNT - 1; r > (int)role; --r)
    {
        for (int f = 0; f < particles->field_count; ++f)
        {
            const frz_field *field = &particles->fields[f];
            if (!has_field(field, (frz_role)r))
                continue;
            move_rows(field, field->data, particles->first[r] + more, particles->first[r], particles->count[r]);
            move_rows(field, field->spare, particles->first[r] + more, particles->first[r], particles->count[r]);
        }
        particles->first[r] += more;
    }
    particles->capacity[role] = capacity;
    particles->total = total;
    return FRZ_OK;
}

int frz_particles_append(frz_particles *particles, frz_role role)
{
    FRZ_ASSERT(particles->count[role] < particles->capacity[role]);
    const int slot = particles->first[role] + particles->count[role];
    for (int f = 0; f < particles->field_count; ++f)
    {
        const frz_field *field = &particles->fields[f];
        if (!has_field(field, role))
            continue;
        memset((char *)field->data + (size_t)slot * row_bytes(field), 0, row_bytes(field));
    }
    particles->count[role] += 1;
    return slot;
}

void frz_particles_mirror_rows(frz_particles *particles, frz_role role, int field, int first, int count)
{
    const frz_field *f = &particles->fields[field];
    if (f->spare == NULL || !has_field(f, role))
        return;
    const size_t bytes = row_bytes(f), offset = (size_t)(particles->first[role] + first) * bytes;
    memcpy((char *)f->spare + offset, (const char *)f->data + offset, (size_t)count * bytes);
}

void frz_particles_mirror(frz_particles *particles, frz_role role)
{
    for (int f = 0; f < particles->field_count; ++f)
        frz_particles_mirror_rows(particles, role, f, 0, particles->count[role]);
}

frz_array_desc frz_particles_view(const frz_particles *particles, int field, frz_role role)
{
    const frz_field *f = &particles->fields[field];
    const frz_array_desc view = {
        .name = f->decl.name,
        .unit = f->decl.unit,
        .type = f->type,
        .components = f->decl.components,
        .stride = f->stride,
        .rows = has_field(f, role) ? particles->count[role] : 0,
        .data = (char *)f->data + (has_field(f, role) ? (size_t)particles->first[role] * row_bytes(f) : 0),
    };
    return view;
}
