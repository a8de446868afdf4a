// SPDX-License-Identifier: MIT
// Fixed blocks of particles: the unit of parallel work and of summation.
//
// A sum over particles is taken per block and the sums of blocks are added exactly, so the result has the same bits for
// any number of threads and any order of blocks. Loops over blocks may be scheduled in any way.
#pragma once

#include "base/exact.h"

enum
{
    FRZ_BLOCK = 512 // particles; one block's pair data is about the size of a core's level-2 cache share
};

/// Number of particles below which one thread runs a loop of a few operations per particle, since waking other threads
/// takes longer; and the same number for a loop of some ten operations or more, or for several loops in one region.
/// Tests set both to 1.
extern int frz_parallel_least, frz_parallel_some;

static inline int frz_block_count(int count)
{
    return (count + FRZ_BLOCK - 1) / FRZ_BLOCK;
}

static inline int frz_block_end(int block, int count)
{
    const int end = (block + 1) * FRZ_BLOCK;
    return end < count ? end : count;
}

/// Number of blocks that a thread takes at once: several if there are many blocks per thread, one if there are few.
static inline int frz_block_grain(int blocks)
{
    return blocks >= 64 ? 4 : 1;
}

/// Sum of per-block partial sums. (Members of structs: frz_exact_sum.)
static inline double frz_blocks_sum(const double *partial, int blocks)
{
    return frz_exact_sum(partial, sizeof *partial, blocks);
}

static inline double frz_blocks_max(const double *partial, int blocks)
{
    double max = 0.0;
    for (int b = 0; b < blocks; ++b)
        max = partial[b] > max ? partial[b] : max;
    return max;
}
