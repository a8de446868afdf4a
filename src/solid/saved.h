// SPDX-License-Identifier: MIT
// Solids in checkpoints. Until a batch of changes the scene remakes them, and a list of broken bonds is enough
// (frz_solids_list_broken). Once frz_solids.changed is set they are saved as the arrays listed here; all else follows.
//
// To read: frz_solids_saved_room with the numbers of rows that the file has, frz_solids_saved_list for where the arrays
// go, frz_solids_saved_take to check them and replace the present solids.
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

/// All arrays, those without rows too; returns how many. They are the solids' own: nothing is copied.
int frz_solids_saved_list(frz_solids *solids, frz_bonds *bonds, frz_solid_array out[FRZ_SOLID_ARRAYS]);

/// Memory to read into. like: bonds of the scene, for constants.
FRZ_NODISCARD frz_status frz_solids_saved_room(const frz_solids_rows *rows, const frz_bonds *like,
                                               frz_solids_saved *saved, frz_diag *diag);

/// Check the arrays, derive the rest, and put it in the place of solids and bonds. On failure these are as they
/// were. Takes saved over in any case.
FRZ_NODISCARD frz_status frz_solids_saved_take(frz_solids_saved *saved, frz_solids *solids, frz_bonds *bonds,
                                               frz_diag *diag);
