// SPDX-License-Identifier: MIT
// The checksum of checkpoints: FNV-1a over 64-bit words with a fold, so that high bits reach low ones.
//
// Every step is a bijection of the state, so any single changed word changes the result for certain.
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define FRZ_CHECKSUM_START UINT64_C(0xcbf29ce484222325) ///< FNV-1a 64 offset basis (Fowler, Noll, Vo)

/// Continue a checksum. All calls but the last must pass a multiple of 8 bytes.
static inline uint64_t frz_checksum(uint64_t sum, const void *data, size_t size)
{
    const uint64_t prime = UINT64_C(0x100000001b3); // FNV 64 prime
    const unsigned char *bytes = data;
    for (size_t done = 0; done < size; done += sizeof(uint64_t))
    {
        uint64_t word = 0;
        memcpy(&word, bytes + done, size - done < sizeof word ? size - done : sizeof word);
        sum = (sum ^ word) * prime;
        sum ^= sum >> 32;
    }
    return sum;
}
