// SPDX-License-Identifier: MIT
// A seal behind the end of an HDF5 file, which HDF5 ignores: magic, length and checksum of the bytes before it. A
// reader can refuse a torn or damaged file before HDF5 opens it; HDF5's own metadata carries no checksums, and HDF5
// crashes on some damaged files.
#pragma once

#include "io/checksum.h"
#include "io/file_replace.h"

typedef struct frz_seal
{
    uint64_t magic;
    uint64_t length;   ///< bytes before the seal
    uint64_t checksum; ///< frz_checksum of the checksums of their pieces, in order
} frz_seal;

enum
{
    FRZ_SEAL_PIECE = 1 << 20 ///< bytes; the last piece of a file may be shorter
};

/// Add the next piece of a file to the checksum of its seal, which begins as FRZ_CHECKSUM_START. The checksums of
/// pieces can be computed in parallel.
static inline uint64_t frz_seal_add(uint64_t seal, const void *piece, size_t size)
{
    const uint64_t sum = frz_checksum(FRZ_CHECKSUM_START, piece, size);
    return frz_checksum(seal, &sum, sizeof sum);
}

/// The seal of a whole file.
frz_seal frz_seal_make(uint64_t magic, const frz_piece *image);

/// Read the seal at the end of a file of size bytes; false if the file is too short, or no seal of its length is there.
bool frz_seal_read(int fd, int64_t size, frz_seal *seal);

/// The defect of a whole file that ends in a seal with that magic, or null. A file without a seal is not judged.
const char *frz_seal_flaw(const frz_piece *image, uint64_t magic);
