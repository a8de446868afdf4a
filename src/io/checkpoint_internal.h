// SPDX-License-Identifier: MIT
// The form of a checkpoint file, shared by writer and reader.
//
// An HDF5 file (attributes format, version, precision, scene_hash; /scene bytes of the text; /values one attribute per
// value; /arrays one dataset per array), followed by a seal. HDF5 ignores bytes behind its end. The seal lets the
// reader refuse a torn or damaged file before HDF5 looks at it, whose own metadata carries no checksums here.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define FRZ_CHECKPOINT_FORMAT  "frazil checkpoint"
#define FRZ_CHECKPOINT_VERSION 1
#define FRZ_CHECKPOINT_NEWEST  "checkpoint.h5"
#define FRZ_CHECKPOINT_OLDER   "checkpoint.old.h5"
#define FRZ_CHECKPOINT_MAGIC   UINT64_C(0x314c414553525a46) ///< "FZRSEAL1" in the file

#ifdef FRZ_DOUBLE
#define FRZ_CHECKPOINT_PRECISION "double"
#else
#define FRZ_CHECKPOINT_PRECISION "single"
#endif

typedef struct frz_checkpoint_seal
{
    uint64_t magic;
    uint64_t length;   ///< bytes before the seal
    uint64_t checksum; ///< frz_checksum of them
} frz_checkpoint_seal;

/// Why the file cannot be a complete checkpoint, or null. A quick look reads the seal only, else all is summed up.
const char *frz_checkpoint_flaw(const char *path, bool quick);
