// SPDX-License-Identifier: MIT
// Growing lists: one function for their allocation.
#pragma once

#include <stddef.h>
#include <stdint.h>

/// Grow a block from frz_alloc (or null) of *capacity items to at least count items of a size. If it must grow, it gets
/// spare items more, so that a list of steady length allocates nothing. Returns the block, which may have moved; null
/// without memory, and then block and capacity do not change. New items are zero.
void *frz_grow(const char *label, void *block, int64_t *capacity, int64_t count, int64_t spare, size_t size);

/// The usual number of spare items: half as many again, and 64.
static inline int64_t frz_grow_spare(int64_t count)
{
    return count / 2 + 64;
}
