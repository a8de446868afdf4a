// SPDX-License-Identifier: MIT
#include "base/grow.h"

#include "base/memory.h"

void *frz_grow(const char *label, void *block, int64_t *capacity, int64_t count, int64_t spare, size_t size)
{
    if (block != NULL && count <= *capacity)
        return block;
    const int64_t wanted = count + spare;
    void *grown = frz_realloc(label, block, (size_t)wanted, size);
    if (grown != NULL)
        *capacity = wanted;
    return grown;
}
