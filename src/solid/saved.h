// SPDX-License-Identifier: MIT
// Solids in checkpoints. Before the first batch of changes the scene determines them, and a list of broken bonds
// suffices (frz_solids_list_broken). Once frz_solids.changed is set they are saved as the arrays listed here; other
// data follows from these.
//
// To read: frz_solids_saved_room with the numbers of rows in the file, frz_solids_saved_list for the targets of the
// arrays, frz_solids_saved_take to check them and replace the present solids.
#pragma once

#include "base/array_desc.h"
#include "solid/solids.h"

/// An array and the range of its values.
typedef struct frz_solid_array
{
    frz_array_desc array;
    double least, most;
} frz_solid_array;

enum
{
    FRZ_SOLID_ARRAYS = 27
};

/// Solids and bonds together.
typedef struct frz_solids_saved
{
    frz_solids solids;
    frz_bonds bonds;
} frz_solids_saved;

/// Numbers of rows, by the arrays that have them.
typedef struct frz_solids_rows
{
    int64_t bodies;         ///< "solids.body_phase"
    int64_t particles;      ///< "solids.body"
    int64_t bonds;          ///< "bonds.other"
    int64_t rest, rest_far; ///< "bonds.rest", "bonds.rest_far"; 0 if there is none
    int64_t standing;       ///< "solids.standing"; 0 if there is none
    int64_t materials;      ///< "bonds.material"; 0 if there is none
} frz_solids_rows;

/// All arrays, including those without rows; returns their number. They point to the solids' own memory.
int frz_solids_saved_list(frz_solids *solids, frz_bonds *bonds, frz_solid_array out[FRZ_SOLID_ARRAYS]);

/// Memory to read into. like: bonds of the scene, for constants.
FRZ_NODISCARD frz_status frz_solids_saved_room(const frz_solids_rows *rows, const frz_bonds *like,
                                               frz_solids_saved *saved, frz_diag *diag);

/// Check the arrays, derive the other data, and replace solids and bonds, which do not change on failure. Takes
/// ownership of saved in any case.
FRZ_NODISCARD frz_status frz_solids_saved_take(frz_solids_saved *saved, frz_solids *solids, frz_bonds *bonds,
                                               frz_diag *diag);
