// SPDX-License-Identifier: MIT
// Memory kept back for libraries that do not survive a failing malloc. HDF5 1.10 writes to freed memory, frees twice or
// exits when it gets none; OpenMP's runtime exits. So malloc, calloc and realloc of this program fall back to a reserve
// of its own when the system has no more memory; a run then ends in order with the next step. The library's own
// allocations (base/memory.h) never come from here: they are checked, and fail with a message.
#include "reserve.h"

#include <stdatomic.h>

static atomic_bool needed;

bool frz_reserve_needed(void)
{
    return atomic_load(&needed);
}

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define FRZ_SANITIZED // sanitizers have a malloc of their own
#endif
#endif
#if !defined(FRZ_SANITIZED) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

#include <dlfcn.h>
#include <errno.h>
#include <malloc.h>
#include <stdalign.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define SHARED __attribute__((visibility("default")))

enum
{
    reserve_bytes = 16 << 20, // takes addresses only, until it is written to; a small frame built by HDF5 needs 2 MB
    smallest_log2 = 5,        // blocks are powers of two, from 32 bytes
    largest_log2 = 24
};

// In front of every block.
typedef struct block
{
    alignas(max_align_t) struct block *next; // in the list of free ones
    int log2;                                // of its bytes, this header included
} block;

static alignas(max_align_t) unsigned char reserve[reserve_bytes];
static size_t used;
static block *free_blocks[largest_log2 + 1];
static atomic_flag lock = ATOMIC_FLAG_INIT;

static void *(*next_malloc)(size_t size);
static void *(*next_calloc)(size_t count, size_t size);
static void *(*next_realloc)(void *block, size_t size);
static void (*next_free)(void *block);
static atomic_int found; // 0: the functions above are not known yet; 1: being looked up, which itself may allocate; 2

static void enter(void)
{
    while (atomic_flag_test_and_set(&lock))
        continue;
}

static void leave(void)
{
    atomic_flag_clear(&lock);
}

static bool is_ours(const void *data)
{
    return (uintptr_t)data - (uintptr_t)reserve < reserve_bytes;
}

static void *take(size_t size)
{
    const size_t whole = size + sizeof(block);
    int log2 = smallest_log2;
    while (log2 <= largest_log2 && (size_t)1 << log2 < whole)
        ++log2;
    if (size >= reserve_bytes || log2 > largest_log2)
        return NULL;
    enter();
    block *taken = free_blocks[log2];
    if (taken != NULL)
        free_blocks[log2] = taken->next;
    else if (((size_t)1 << log2) <= reserve_bytes - used)
    {
        taken = (block *)(void *)(reserve + used);
        used += (size_t)1 << log2;
        taken->log2 = log2;
    }
    leave();
    return taken != NULL ? taken + 1 : NULL;
}

static void give_back(void *data)
{
    block *given = (block *)data - 1;
    enter();
    given->next = free_blocks[given->log2];
    free_blocks[given->log2] = given;
    leave();
}

// The system has none: from the reserve.
static void *take_in_need(size_t size)
{
    void *data = take(size);
    atomic_store(&needed, true);
    if (data == NULL)
        errno = ENOMEM;
    return data;
}

// False while the functions are being looked up: allocations of the lookup come from the reserve.
static bool is_ready(void)
{
    int unknown = 0;
    if (atomic_load(&found) == 2)
        return true;
    if (!atomic_compare_exchange_strong(&found, &unknown, 1)) // before main there is one thread
        return false;
    *(void **)&next_malloc = dlsym(RTLD_NEXT, "malloc");
    *(void **)&next_calloc = dlsym(RTLD_NEXT, "calloc");
    *(void **)&next_realloc = dlsym(RTLD_NEXT, "realloc");
    *(void **)&next_free = dlsym(RTLD_NEXT, "free");
    atomic_store(&found, 2);
    return true;
}

// NOLINTBEGIN(readability-inconsistent-declaration-parameter-name): the names of the C library are reserved
SHARED void *malloc(size_t size)
{
    if (!is_ready())
        return take(size);
    void *data = next_malloc(size);
    return data != NULL ? data : take_in_need(size);
}

SHARED void *calloc(size_t count, size_t size)
{
    size_t bytes = 0;
    void *data = is_ready() ? next_calloc(count, size) : NULL;
    if (data != NULL)
        return data;
    if (__builtin_mul_overflow(count, size, &bytes))
        return NULL;
    data = atomic_load(&found) == 2 ? take_in_need(bytes) : take(bytes);
    return data != NULL ? memset(data, 0, bytes) : NULL;
}

SHARED void free(void *data)
{
    if (is_ours(data))
        give_back(data);
    else if (is_ready())
        next_free(data);
}

SHARED void *realloc(void *data, size_t size)
{
    if (!is_ours(data))
    {
        void *grown = is_ready() ? next_realloc(data, size) : NULL;
        if (grown != NULL || (data != NULL && size == 0))
            return grown;
    }
    // the old block stays until the new one is there
    void *fresh = malloc(size);
    if (fresh == NULL || data == NULL)
        return fresh;
    const size_t room =
        is_ours(data) ? ((size_t)1 << ((block *)data - 1)->log2) - sizeof(block) : malloc_usable_size(data);
    memcpy(fresh, data, room < size ? room : size);
    free(data);
    return fresh;
}
// NOLINTEND(readability-inconsistent-declaration-parameter-name)
#endif
