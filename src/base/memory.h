// SPDX-License-Identifier: MIT
// Labelled, 64-byte aligned, counted allocation. All long-lived memory of the library comes from here.
#pragma once

#include <stddef.h>
#include <stdint.h>

/// count * size zeroed bytes, 64-byte aligned; null when memory is short or the product overflows. label is static
/// text.
void *frz_alloc(const char *label, size_t count, size_t size);

/// Grow or shrink, keeping the contents; new bytes are zero. On failure returns null and keeps the old block.
void *frz_realloc(const char *label, void *block, size_t count, size_t size);

/// Accepts null.
void frz_free(void *block);

/// Copy of a string, to be freed with frz_free; null for null or when memory is short.
char *frz_strdup(const char *text);

/// Bytes held now, the most ever held, and the number of allocations so far (to prove that the steady state makes
/// none).
int64_t frz_memory_bytes(void);
int64_t frz_memory_peak(void);
int64_t frz_memory_allocation_count(void);

#define FRZ_ALLOC(label, count, type) ((type *)frz_alloc(label, (size_t)(count), sizeof(type)))

/// Free and null a pointer.
#define FRZ_FREE(pointer) (frz_free(pointer), (pointer) = NULL)
