// SPDX-License-Identifier: MIT
// Scratch memory: marks and releases nest, growth moves nothing, and the steady state allocates nothing.
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "base/arena.h"
#include "base/memory.h"

static void blocks_are_aligned_and_do_not_overlap(void **state)
{
    (void)state;
    frz_arena arena = {0};
    unsigned char *block[50];
    for (int i = 0; i < 50; ++i)
    {
        const size_t count = 1 + 37 * (size_t)i;
        block[i] = frz_arena_alloc(&arena, count, 3);
        assert_non_null(block[i]);
        assert_int_equal((uintptr_t)block[i] % 64, 0);
        memset(block[i], i, count * 3);
    }
    for (int i = 0; i < 50; ++i)
        for (int k = 0; k < (1 + 37 * i) * 3; ++k)
            assert_int_equal(block[i][k], i);
    frz_arena_destroy(&arena);
}

static void release_gives_the_same_memory_again(void **state)
{
    (void)state;
    frz_arena arena = {0};
    assert_non_null(FRZ_SCRATCH(&arena, 10, double));
    const frz_arena_mark outer = frz_arena_here(&arena);
    double *a = FRZ_SCRATCH(&arena, 100, double);
    const frz_arena_mark inner = frz_arena_here(&arena);
    double *b = FRZ_SCRATCH(&arena, 100, double);
    assert_ptr_not_equal(a, b);
    frz_arena_release(&arena, inner);
    assert_ptr_equal(FRZ_SCRATCH(&arena, 100, double), b);
    frz_arena_release(&arena, outer);
    assert_ptr_equal(FRZ_SCRATCH(&arena, 100, double), a);
    frz_arena_destroy(&arena);
}

static void a_mark_of_the_empty_arena_releases_everything(void **state)
{
    (void)state;
    frz_arena arena = {0};
    const frz_arena_mark nothing = frz_arena_here(&arena);
    void *first = frz_arena_alloc(&arena, 100, 1);
    assert_non_null(frz_arena_alloc(&arena, 1 << 10, 1));
    frz_arena_release(&arena, nothing);
    assert_ptr_equal(frz_arena_alloc(&arena, 100, 1), first);
    frz_arena_destroy(&arena);
}

static void growth_leaves_older_blocks_where_they_are(void **state)
{
    (void)state;
    frz_arena arena = {0};
    unsigned char *block[8];
    for (int i = 0; i < 8; ++i)
    {
        block[i] = frz_arena_alloc(&arena, (size_t)50000 << i, 1);
        assert_non_null(block[i]);
        memset(block[i], 17 + i, (size_t)50000 << i);
    }
    for (int i = 0; i < 8; ++i)
        for (size_t k = 0; k < (size_t)50000 << i; k += 997)
            assert_int_equal(block[i][k], 17 + i);
    frz_arena_destroy(&arena);
}

// Requests that are a little larger in every step hold no more than one step needs, and some room.
static void growing_requests_leave_no_idle_chunks(void **state)
{
    (void)state;
    frz_arena arena = {0};
    const int64_t before = frz_memory_bytes();
    size_t size = 1 << 20;
    for (int step = 0; step < 200; ++step)
    {
        const frz_arena_mark mark = frz_arena_here(&arena);
        for (int k = 0; k < 4; ++k)
            assert_non_null(frz_arena_alloc(&arena, size, 1));
        assert_in_range(frz_memory_bytes() - before, 0, 4 * (int64_t)size * 5 / 2);
        frz_arena_release(&arena, mark);
        size += size / 50;
    }
    frz_arena_destroy(&arena);
}

// What a step does: nested marks, sizes that differ from use to use.
static void one_step(frz_arena *arena, int phase)
{
    const frz_arena_mark mark = frz_arena_here(arena);
    for (int i = 0; i < 6; ++i)
    {
        const frz_arena_mark inner = frz_arena_here(arena);
        assert_non_null(frz_arena_alloc(arena, (size_t)(20000 * (1 + (i + phase) % 6)), 1));
        assert_non_null(frz_arena_alloc(arena, (size_t)(30000 * (1 + (i * 5 + phase) % 3)), 1));
        if (i % 2 == 0)
            frz_arena_release(arena, inner);
    }
    frz_arena_release(arena, mark);
}

static void the_steady_state_allocates_nothing(void **state)
{
    (void)state;
    frz_arena arena = {0};
    for (int n = 0; n < 12; ++n)
        one_step(&arena, n % 6);
    const int64_t before = frz_memory_allocation_count();
    for (int n = 0; n < 60; ++n)
        one_step(&arena, n % 6);
    assert_int_equal(frz_memory_allocation_count(), before);
    frz_arena_destroy(&arena);
}

static void absurd_sizes_give_null_and_the_arena_stays_usable(void **state)
{
    (void)state;
    frz_arena arena = {0};
    assert_null(frz_arena_alloc(&arena, SIZE_MAX, 2));
    assert_null(frz_arena_alloc(&arena, SIZE_MAX, 1));
    void *block = frz_arena_alloc(&arena, 10, 1);
    assert_non_null(block);
    assert_null(frz_arena_alloc(&arena, SIZE_MAX / 4, 8));
    assert_non_null(frz_arena_alloc(&arena, 10, 1));
    frz_arena_destroy(&arena);
}

static void destroy_gives_everything_back_and_may_be_repeated(void **state)
{
    (void)state;
    const int64_t before = frz_memory_bytes();
    frz_arena arena = {0};
    assert_non_null(frz_arena_alloc(&arena, 1 << 18, 1));
    assert_non_null(frz_arena_alloc(&arena, 1 << 18, 1));
    frz_arena_destroy(&arena);
    frz_arena_destroy(&arena);
    assert_int_equal(frz_memory_bytes(), before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_are_aligned_and_do_not_overlap),
        cmocka_unit_test(release_gives_the_same_memory_again),
        cmocka_unit_test(a_mark_of_the_empty_arena_releases_everything),
        cmocka_unit_test(growth_leaves_older_blocks_where_they_are),
        cmocka_unit_test(growing_requests_leave_no_idle_chunks),
        cmocka_unit_test(the_steady_state_allocates_nothing),
        cmocka_unit_test(absurd_sizes_give_null_and_the_arena_stays_usable),
        cmocka_unit_test(destroy_gives_everything_back_and_may_be_repeated),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
