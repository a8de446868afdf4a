// SPDX-License-Identifier: MIT
// Declaration of a per-particle field, for the core table and for the methods' own.
#pragma once

enum
{
    FRZ_FIELD_SAVE = 1,   ///< part of a checkpoint
    FRZ_FIELD_SORT = 2,   ///< follows the particle when the store is sorted
    FRZ_FIELD_OUTPUT = 4, ///< written to frames by default
    FRZ_FIELD_HALO = 8,   ///< read at neighbours by index: other ranks will need copies of it
    FRZ_FIELD_RESET = 16, ///< set to zero when the particle's phase changes: warm starts, rest states
    FRZ_FIELD_FREE = 32,  ///< samples of surfaces do not have it
    FRZ_FIELD_FINAL = 64  ///< sorted, and not written before a step is accepted: it needs no second generation
};

/// A per-particle field; a table ends with a null name.
typedef struct frz_field_decl
{
    const char *name;
    int components; ///< three are padded to four
    const char *unit;
    unsigned flags;
    const char *doc; ///< meaning, and the file that computes it
} frz_field_decl;
