// SPDX-License-Identifier: MIT
#include "base/memory.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#ifdef __linux__
#include <sys/mman.h>
#endif

enum
{
    alignment = 64, // one cache line; also the size of the header before each block
    huge_page = 2 << 20
};

typedef struct header
{
    size_t bytes;
    const char *label;
} header;

static atomic_llong bytes_now;
static atomic_llong bytes_peak;
static atomic_llong allocation_count;

static header *header_of(void *block)
{
    return (header *)(void *)((char *)block - alignment);
}

static void count_bytes(long long change)
{
    const long long now = atomic_fetch_add(&bytes_now, change) + change;
    long long peak = atomic_load(&bytes_peak);
    while (now > peak && !atomic_compare_exchange_weak(&bytes_peak, &peak, now))
    {
    }
}

// Large arrays are streamed again and again: in pages of 2 MB they miss the address cache less (a sixth of the pressure
// solvers' time). Only whole huge pages are asked for, so that nothing is wasted behind the end.
static void *alloc_raw(size_t bytes)
{
    if (bytes < huge_page)
        return aligned_alloc(alignment, bytes);
    void *raw = aligned_alloc(huge_page, (bytes + huge_page - 1) / huge_page * huge_page);
#if defined(__linux__) && defined(MADV_HUGEPAGE)
    if (raw != NULL)
        (void)madvise(raw, bytes / huge_page * huge_page,
                      MADV_HUGEPAGE); // a wish; nothing is lost if it is not granted
#endif
    return raw;
}

void *frz_alloc(const char *label, size_t count, size_t size)
{
    size_t bytes = 0;
    if (__builtin_mul_overflow(count, size, &bytes) || bytes > (size_t)INT64_MAX / 2)
        return NULL;
    const size_t rounded = (bytes + alignment - 1) / alignment * alignment;
    char *raw = alloc_raw(rounded + alignment);
    if (raw == NULL)
        return NULL;
    memset(raw, 0, rounded + alignment);
    header *head = (header *)(void *)raw;
    head->bytes = bytes;
    head->label = label;
    count_bytes((long long)bytes);
    atomic_fetch_add(&allocation_count, 1);
    return raw + alignment;
}

void *frz_realloc(const char *label, void *block, size_t count, size_t size)
{
    void *fresh = frz_alloc(label, count, size);
    if (fresh == NULL || block == NULL)
        return fresh;
    const size_t old_bytes = header_of(block)->bytes;
    const size_t new_bytes = count * size;
    memcpy(fresh, block, old_bytes < new_bytes ? old_bytes : new_bytes);
    frz_free(block);
    return fresh;
}

void frz_free(void *block)
{
    if (block == NULL)
        return;
    count_bytes(-(long long)header_of(block)->bytes);
    free(header_of(block));
}

char *frz_strdup(const char *text)
{
    if (text == NULL)
        return NULL;
    const size_t length = strlen(text) + 1;
    char *copy = frz_alloc("text", length, 1);
    if (copy != NULL)
        memcpy(copy, text, length);
    return copy;
}

int64_t frz_memory_bytes(void)
{
    return atomic_load(&bytes_now);
}

int64_t frz_memory_peak(void)
{
    return atomic_load(&bytes_peak);
}

int64_t frz_memory_allocation_count(void)
{
    return atomic_load(&allocation_count);
}
