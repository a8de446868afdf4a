// SPDX-License-Identifier: MIT
// Scratch memory between a mark and a release. The steady state allocates nothing: the arena grows to the high-water
// mark of the first steps and stays there. Its chunks are united as soon as no memory is in use: otherwise requests
// that grow from step to step would not fit any old chunk and leave all of them idle.
#pragma once

#include <stddef.h>

typedef struct frz_arena
{
    struct frz_arena_chunk *first;   ///< chunks in the order of use
    struct frz_arena_chunk *current; ///< chunk of the next allocation
    size_t live, most;               ///< bytes in use, and their maximum
} frz_arena;

typedef struct frz_arena_mark
{
    struct frz_arena_chunk *chunk;
    size_t used, live;
} frz_arena_mark;

/// count * size bytes, 64-byte aligned, not cleared; null when memory is short. Thread: owner only.
void *frz_arena_alloc(frz_arena *arena, size_t count, size_t size);

frz_arena_mark frz_arena_here(const frz_arena *arena);
void frz_arena_release(frz_arena *arena, frz_arena_mark mark);
void frz_arena_destroy(frz_arena *arena);

#define FRZ_SCRATCH(arena, count, type) ((type *)frz_arena_alloc(arena, (size_t)(count), sizeof(type)))
