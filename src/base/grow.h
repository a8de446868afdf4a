// SPDX-License-Identifier: MIT
// Lists that grow: one way to make room.
#pragma once

#include <stddef.h>
#include <stdint.h>

/// Room for count items of a size in a block from frz_alloc (or null) that has room for *capacity; if it must grow, it
/// gets room for spare items more, so that a list that is settled allocates nothing. Returns the block, which may have
/// moved; null when memory is short, and then block and capacity are as they were. New items are zero.
void *frz_grow(const char *label, void *block, int64_t *capacity, int64_t count, int64_t spare, size_t size);

/// The usual spare room of a list of so many items: half as much again, and a few.
static inline int64_t frz_grow_spare(int64_t count)
{
    return count / 2 + 64;
}
