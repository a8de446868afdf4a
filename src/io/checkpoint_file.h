// SPDX-License-Identifier: MIT
// Checkpoints: the variable state and the scene's text in one HDF5 file; two generations are kept.
#pragma once

#include <float.h>

#include "base/array_desc.h"
#include "base/fail.h"

/// Range of a number, both ends included. NaN is in no range.
typedef struct frz_range
{
    double least, most;
} frz_range;

#define FRZ_RANGE(least, most) ((frz_range){(least), (most)})
#define FRZ_RANGE_FINITE       FRZ_RANGE(-DBL_MAX, DBL_MAX)
#define FRZ_RANGE_NOT_NEGATIVE FRZ_RANGE(0.0, DBL_MAX)
#define FRZ_RANGE_POSITIVE     FRZ_RANGE(DBL_TRUE_MIN, DBL_MAX)
#define FRZ_RANGE_COUNT        FRZ_RANGE(0.0, 0x1p53)      ///< of integers that a double holds exactly
#define FRZ_RANGE_DIFFERENCE   FRZ_RANGE(-0x1p53, 0x1p53)  ///< the same with a sign
#define FRZ_RANGE_FLAG         FRZ_RANGE(0.0, 1.0)         ///< of a bool or of an integer in its place
#define FRZ_RANGE_INDEX(count) FRZ_RANGE(0.0, (count)-1.0) ///< index into count items

/// A named scalar; integers and doubles are stored exactly.
typedef struct frz_checkpoint_value
{
    const char *name;
    frz_dtype type; ///< FRZ_I64, FRZ_F64, or FRZ_I32 (int or enum), which is stored as FRZ_I64
    void *data;     ///< source when writing, destination when reading
    frz_range range;
} frz_checkpoint_value;

typedef struct frz_checkpoint
{
    const char *scene_text;
    uint64_t scene_hash;
    const frz_checkpoint_value *values;
    int value_count;
    const frz_array_desc *arrays;
    int array_count;
} frz_checkpoint;

/// Write directory/checkpoint.h5; an existing one becomes checkpoint.old.h5. Temporary name, flush, rename.
/// Each array is stored with a checksum of its own.
FRZ_NODISCARD frz_status frz_checkpoint_write(const char *directory, const frz_checkpoint *checkpoint, frz_diag *diag);

/// An opened checkpoint; if the newest generation is unreadable or its checksums are wrong, the older one is opened
/// and used_older is set.
typedef struct frz_checkpoint_reader frz_checkpoint_reader;

FRZ_NODISCARD frz_status frz_checkpoint_open(const char *directory, frz_checkpoint_reader **out, bool *used_older,
                                             frz_diag *diag);
void frz_checkpoint_close(frz_checkpoint_reader **reader);

/// A reader of a checkpoint that is in memory and stays there until the reader is closed. Its names, values and arrays
/// are read and checked like those of a file.
FRZ_NODISCARD frz_status frz_checkpoint_lend(const frz_checkpoint *checkpoint, frz_checkpoint_reader **out,
                                             frz_diag *diag);

/// Borrowed, valid until close.
const char *frz_checkpoint_scene_text(const frz_checkpoint_reader *reader);
uint64_t frz_checkpoint_scene_hash(const frz_checkpoint_reader *reader);

/// Rows of an array, or -1 if the file has no such array.
int64_t frz_checkpoint_rows(const frz_checkpoint_reader *reader, const char *name);

/// The file that was opened.
const char *frz_checkpoint_path(const frz_checkpoint_reader *reader);

/// Read a value; fails with a message if it is missing or out of its range, and then does not change value->data.
FRZ_NODISCARD frz_status frz_checkpoint_read_value(frz_checkpoint_reader *reader, const frz_checkpoint_value *value,
                                                   frz_diag *diag);

/// Read an array into array->data; type, components and rows must match the file (else a clear error: for example a
/// single-precision checkpoint read by a double-precision program).
FRZ_NODISCARD frz_status frz_checkpoint_read_array(frz_checkpoint_reader *reader, const frz_array_desc *array,
                                                   frz_diag *diag);
