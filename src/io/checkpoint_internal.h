// SPDX-License-Identifier: MIT
// The form of a checkpoint file, shared by writer and reader.
//
// An HDF5 file (attributes kind, format, precision, scene_hash; /scene bytes of the text; /values one attribute per
// value; /arrays one dataset per array), followed by a seal (io/seal.h).
//
// The format number grows whenever a value or an array changes its meaning or a reader needs a new one. Arrays that a
// reader does not know are ignored.
#pragma once

#include "io/seal.h"

#define FRZ_CHECKPOINT_KIND    "frazil checkpoint"
#define FRZ_CHECKPOINT_FORMAT  3
#define FRZ_CHECKPOINT_NEWEST  "checkpoint.h5"
#define FRZ_CHECKPOINT_OLDER   "checkpoint.old.h5"
#define FRZ_CHECKPOINT_MAGIC   UINT64_C(0x324c414553525a46) ///< "FZRSEAL2" in the file
#define FRZ_CHECKPOINT_MAGIC_1 UINT64_C(0x314c414553525a46) ///< of format 1, which held structs as they lay in memory

#ifdef FRZ_DOUBLE
#define FRZ_CHECKPOINT_PRECISION "double"
#else
#define FRZ_CHECKPOINT_PRECISION "single"
#endif

/// Reason why the file is no complete checkpoint, or null: a quick check of its seal, without the checksum.
const char *frz_checkpoint_flaw(const char *path);
