// SPDX-License-Identifier: MIT
#include "base/arena.h"

#include "base/memory.h"

enum
{
    alignment = 64,
    smallest_chunk = 1 << 16,
    large = 1 << 20
};

struct frz_arena_chunk
{
    struct frz_arena_chunk *next;
    size_t size;
    size_t used;
    char *bytes;
};

static struct frz_arena_chunk *chunk_create(size_t bytes)
{
    struct frz_arena_chunk *chunk = FRZ_ALLOC("arena", 1, struct frz_arena_chunk);
    if (chunk == NULL)
        return NULL;
    chunk->size = bytes > smallest_chunk ? bytes : smallest_chunk;
    chunk->bytes = frz_alloc("arena", chunk->size, 1);
    if (chunk->bytes == NULL)
        FRZ_FREE(chunk);
    return chunk;
}

// Replace several chunks by one with some spare capacity: a quarter, but little where that would be much memory. If
// memory does not suffice, the arena starts empty.
static void unite(frz_arena *arena)
{
    const size_t most = arena->most, quarter = most / 4, little = most / 32 + large;
    frz_arena_destroy(arena);
    arena->first = arena->current = chunk_create(most + (quarter < little ? quarter : little));
    arena->most = most;
}

void *frz_arena_alloc(frz_arena *arena, size_t count, size_t size)
{
    size_t bytes = 0;
    if (__builtin_mul_overflow(count, size, &bytes) || bytes > (size_t)-1 / 2)
        return NULL;
    bytes = (bytes + alignment - 1) / alignment * alignment;
    if (arena->live == 0 && arena->first != NULL && arena->first->next != NULL)
        unite(arena);
    struct frz_arena_chunk *chunk = arena->current;
    while (chunk != NULL && chunk->size - chunk->used < bytes && chunk->next != NULL)
    {
        chunk = chunk->next;
        chunk->used = 0;
    }
    if (chunk == NULL || chunk->size - chunk->used < bytes)
    {
        struct frz_arena_chunk *fresh = chunk_create(bytes);
        if (fresh == NULL)
            return NULL;
        if (chunk == NULL)
            arena->first = fresh;
        else
            chunk->next = fresh;
        chunk = fresh;
    }
    arena->current = chunk;
    void *block = chunk->bytes + chunk->used;
    chunk->used += bytes;
    arena->live += bytes;
    arena->most = arena->live > arena->most ? arena->live : arena->most;
    return block;
}

frz_arena_mark frz_arena_here(const frz_arena *arena)
{
    const frz_arena_mark mark = {arena->current, arena->current != NULL ? arena->current->used : 0, arena->live};
    return mark;
}

void frz_arena_release(frz_arena *arena, frz_arena_mark mark)
{
    arena->live = mark.live;
    if (mark.live == 0) // unite may have freed its chunk
    {
        arena->current = arena->first;
        if (arena->first != NULL)
            arena->first->used = 0;
        return;
    }
    mark.chunk->used = mark.used;
    arena->current = mark.chunk;
}

void frz_arena_destroy(frz_arena *arena)
{
    struct frz_arena_chunk *chunk = arena->first;
    while (chunk != NULL)
    {
        struct frz_arena_chunk *next = chunk->next;
        frz_free(chunk->bytes);
        frz_free(chunk);
        chunk = next;
    }
    *arena = (frz_arena){0};
}
