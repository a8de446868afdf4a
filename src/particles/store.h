// SPDX-License-Identifier: MIT
// The particle store: structure of arrays, all phases in one store, roles contiguous.
//
// Free particles (liquid and elastic ones together) are sorted along a space-filling curve at the start of every step.
// Samples of the surfaces of static and rigid bodies keep their first order. Sorted fields have two generations:
// sorting writes the new order into the spare one and swaps, so that the state at the start of a step stays intact
// until the step is accepted. Fields that are not written before that (FRZ_FIELD_FINAL) have one: undoing is sorting
// them back.
#pragma once

#include "base/array_desc.h"
#include "base/fail.h"
#include "base/simd.h"
#include "particles/field_decl.h"

typedef enum frz_role
{
    FRZ_ROLE_FREE,   ///< moves freely: liquid, elastic
    FRZ_ROLE_SAMPLE, ///< moves with a body: static, rigid
    FRZ_ROLE_COUNT
} frz_role;

enum
{
#define FRZ_FIELD(name, components, type, unit, flags, doc) FRZ_FIELD_ID_##name,
#include "particles/fields.def"
#undef FRZ_FIELD
    FRZ_FIELD_CORE_COUNT,
    FRZ_FIELD_MAX = 64
};

typedef struct frz_field
{
    frz_field_decl decl;
    frz_dtype type;
    int stride; ///< values per particle: its components, but 4 for vectors
    void *data;
    void *spare;    ///< other generation of a sorted field, else null
    bool is_copied; ///< spare has the values since the last permute in its order (frz_particles_keep)
} frz_field;

typedef struct frz_particles
{
    int first[FRZ_ROLE_COUNT];
    int count[FRZ_ROLE_COUNT];
    int capacity[FRZ_ROLE_COUNT];
    int ghosts; ///< rows right behind the free particles: copies of other processes' particles; so far always 0
    int total;  ///< sum of capacities
    int field_count;
    frz_field fields[FRZ_FIELD_MAX];
} frz_particles;

/// Lay out the roles with the given capacities; count of each is 0.
FRZ_NODISCARD frz_status frz_particles_create(const int capacity[FRZ_ROLE_COUNT], frz_particles *out, frz_diag *diag);
void frz_particles_destroy(frz_particles *particles);

/// Add a method's fields (table ends with a null name); returns the index of the first one.
FRZ_NODISCARD frz_status frz_particles_add_fields(frz_particles *particles, const frz_field_decl *fields, int *first,
                                                  frz_diag *diag);

/// Add one field of any type; returns its index.
FRZ_NODISCARD frz_status frz_particles_add_field(frz_particles *particles, const frz_field_decl *field, frz_dtype type,
                                                 int *index, frz_diag *diag);

/// Index of a field by name, -1: none.
int frz_particles_find(const frz_particles *particles, const char *name);

/// Bytes that a row of the widest field without a second generation takes.
size_t frz_particles_widest(const frz_particles *particles);

/// Reorder a role: new slot k takes the particle of slot order[k] (relative to the role's first). order may be shorter
/// than the role's count; then the role shrinks to count. scratch: count times frz_particles_widest bytes; null: the
/// order ascends.
void frz_particles_permute(frz_particles *particles, frz_role role, const int *order, int count, void *scratch);

/// Keep a copy of a field as it is now, in the order of the last permute, in its second generation; returns it.
const void *frz_particles_keep(frz_particles *particles, frz_role role, int field);

/// Undo the last permute, bit for bit; its order had all particles of the role. scratch as there.
void frz_particles_restore(frz_particles *particles, frz_role role, const int *order, void *scratch);

/// Grow the capacity of a role to this many particles; the roles behind it move up. On failure nothing has changed. The
/// state before the last permute is lost.
FRZ_NODISCARD frz_status frz_particles_grow(frz_particles *particles, frz_role role, int capacity, frz_diag *diag);

/// Take the next free slot of a role, with zero in every field; the capacity must suffice. Returns its index.
int frz_particles_append(frz_particles *particles, frz_role role);

/// Copy a role's sorted fields to the spare generation (after writing a role that is never permuted).
void frz_particles_mirror(frz_particles *particles, frz_role role);
/// The same for the rows of one field that were written, counted from the role's first.
void frz_particles_mirror_rows(frz_particles *particles, frz_role role, int field, int first, int count);

/// View of a field over one role.
frz_array_desc frz_particles_view(const frz_particles *particles, int field, frz_role role);

/// Rows of an array by slot that is read at neighbours: free particles, and ghosts behind them.
static inline int frz_particles_rows(const frz_particles *particles)
{
    return particles->count[FRZ_ROLE_FREE] + particles->ghosts;
}

static inline frz_v4 *frz_field_v4(const frz_particles *particles, int field)
{
    return (frz_v4 *)particles->fields[field].data;
}

static inline frz_real *frz_field_real(const frz_particles *particles, int field)
{
    return (frz_real *)particles->fields[field].data;
}

static inline int32_t *frz_field_i32(const frz_particles *particles, int field)
{
    return (int32_t *)particles->fields[field].data;
}

static inline int64_t *frz_field_i64(const frz_particles *particles, int field)
{
    return (int64_t *)particles->fields[field].data;
}
