// SPDX-License-Identifier: MIT
// The form of a checkpoint file, shared by writer and reader.
//
// An HDF5 file (attributes kind, format, precision, scene_hash; /scene bytes of the text; /values one attribute per
// value; /arrays one dataset per array), followed by a seal. HDF5 ignores bytes behind its end. The seal lets the
// reader refuse a torn or damaged file before HDF5 looks at it, whose own metadata carries no checksums here.
//
// The format counts on whenever a value or an array changes its meaning or a reader needs a new one. Arrays that a
// reader does not know are ignored.
#pragma once

#include "io/checksum.h"

#include <stdbool.h>

#define FRZ_CHECKPOINT_KIND    "frazil checkpoint"
#define FRZ_CHECKPOINT_FORMAT  2
#define FRZ_CHECKPOINT_NEWEST  "checkpoint.h5"
#define FRZ_CHECKPOINT_OLDER   "checkpoint.old.h5"
#define FRZ_CHECKPOINT_MAGIC   UINT64_C(0x324c414553525a46) ///< "FZRSEAL2" in the file
#define FRZ_CHECKPOINT_MAGIC_1 UINT64_C(0x314c414553525a46) ///< of format 1, which held structs as they lay in memory

#ifdef FRZ_DOUBLE
#define FRZ_CHECKPOINT_PRECISION "double"
#else
#define FRZ_CHECKPOINT_PRECISION "single"
#endif

typedef struct frz_checkpoint_seal
{
    uint64_t magic;
    uint64_t length;   ///< bytes before the seal
    uint64_t checksum; ///< frz_checksum of the checksums of their pieces, in order
} frz_checkpoint_seal;

enum
{
    FRZ_CHECKPOINT_PIECE = 1 << 20 ///< bytes; the last piece of a file may be shorter
};

/// Take the next piece of a file into the checksum of its seal, which begins as FRZ_CHECKSUM_START. Pieces can be
/// summed up at the same time, and by whoever has them.
static inline uint64_t frz_checkpoint_seal_add(uint64_t seal, const void *piece, size_t size)
{
    const uint64_t sum = frz_checksum(FRZ_CHECKSUM_START, piece, size);
    return frz_checksum(seal, &sum, sizeof sum);
}

/// Why the file cannot be a complete checkpoint, or null. A quick look reads the seal only, else all is summed up.
const char *frz_checkpoint_flaw(const char *path, bool quick);
