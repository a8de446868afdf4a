// SPDX-License-Identifier: MIT
// Counted allocation: alignment, zeroing, counting, and no surprise from absurd sizes.
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "compare.h"

#include <stdbool.h>
#include <string.h>

#include "base/grow.h"
#include "base/memory.h"

enum
{
    cache_line = 64
};

static bool all_zero(const unsigned char *bytes, size_t count)
{
    for (size_t i = 0; i < count; ++i)
        if (bytes[i] != 0)
            return false;
    return true;
}

static void blocks_of_any_size_start_on_a_cache_line(void **state)
{
    (void)state;
    for (size_t bytes = 0; bytes < 300; bytes += 7)
    {
        void *block = frz_alloc("test", bytes, 1);
        assert_non_null(block);
        assert_int_equal((uintptr_t)block % cache_line, 0);
        frz_free(block);
    }
}

static void blocks_are_zero_even_if_the_memory_was_used_before(void **state)
{
    (void)state;
    for (int round = 0; round < 20; ++round)
    {
        unsigned char *block = frz_alloc("test", 1000, 3);
        assert_non_null(block);
        assert_true(all_zero(block, 3000));
        memset(block, 0xab, 3000);
        frz_free(block);
    }
}

static void realloc_keeps_the_contents_and_zeroes_what_is_new(void **state)
{
    (void)state;
    unsigned char *block = frz_alloc("test", 10, 1);
    assert_non_null(block);
    memset(block, 7, 10);
    unsigned char *grown = frz_realloc("test", block, 5000, 1);
    assert_non_null(grown);
    for (int i = 0; i < 10; ++i)
        assert_int_equal(grown[i], 7);
    assert_true(all_zero(grown + 10, 4990));
    unsigned char *shrunk = frz_realloc("test", grown, 4, 1);
    assert_non_null(shrunk);
    for (int i = 0; i < 4; ++i)
        assert_int_equal(shrunk[i], 7);
    frz_free(shrunk);
    unsigned char *fresh = frz_realloc("test", NULL, 100, 1);
    assert_non_null(fresh);
    assert_true(all_zero(fresh, 100));
    frz_free(fresh);
}

static void sizes_that_overflow_give_null_and_count_nothing(void **state)
{
    (void)state;
    const int64_t bytes = frz_memory_bytes(), count = frz_memory_allocation_count();
    assert_null(frz_alloc("test", SIZE_MAX, 2));
    assert_null(frz_alloc("test", SIZE_MAX / 2 + 1, 2));
    assert_null(frz_alloc("test", SIZE_MAX, 1));
    assert_null(frz_alloc("test", (size_t)INT64_MAX, 1));
    assert_int_equal(frz_memory_bytes(), bytes);
    assert_int_equal(frz_memory_allocation_count(), count);
}

static void realloc_that_fails_leaves_the_old_block_alone(void **state)
{
    (void)state;
    char *block = frz_strdup("still here");
    assert_non_null(block);
    assert_null(frz_realloc("test", block, SIZE_MAX, 16));
    assert_string_equal(block, "still here");
    frz_free(block);
}

static void bytes_peak_and_number_of_allocations_are_counted(void **state)
{
    (void)state;
    const int64_t bytes = frz_memory_bytes(), count = frz_memory_allocation_count();
    void *a = frz_alloc("test", 1000, 1);
    void *b = frz_alloc("test", 10, 200);
    assert_int_equal(frz_memory_bytes() - bytes, 3000);
    assert_int_equal(frz_memory_allocation_count() - count, 2);
    assert_greater_equal(frz_memory_peak(), bytes + 3000);
    a = frz_realloc("test", a, 400, 1);
    assert_int_equal(frz_memory_bytes() - bytes, 2400);
    const int64_t peak = frz_memory_peak();
    FRZ_FREE(a);
    FRZ_FREE(b);
    assert_null(a);
    assert_int_equal(frz_memory_bytes(), bytes);
    assert_int_equal(frz_memory_peak(), peak);
    frz_free(NULL);
    assert_int_equal(frz_memory_bytes(), bytes);
}

static void strdup_copies_and_passes_null_through(void **state)
{
    (void)state;
    assert_null(frz_strdup(NULL));
    char *empty = frz_strdup("");
    assert_string_equal(empty, "");
    frz_free(empty);
}

static void a_list_grows_with_room_to_spare_and_only_when_it_must(void **state)
{
    (void)state;
    int64_t capacity = 0;
    int *list = frz_grow("test", NULL, &capacity, 0, 0, sizeof *list);
    assert_non_null(list); // an empty list is no failure
    list = frz_grow("test", list, &capacity, 3, 5, sizeof *list);
    assert_non_null(list);
    assert_int_equal(capacity, 8);
    list[2] = 7;
    assert_ptr_equal(frz_grow("test", list, &capacity, 8, 5, sizeof *list), list);
    list = frz_grow("test", list, &capacity, 9, frz_grow_spare(9), sizeof *list);
    assert_non_null(list);
    assert_greater(capacity, 9);
    assert_same(list[2], 7);
    assert_same(list[8], 0);
    const int64_t before = capacity;
    assert_null(frz_grow("test", list, &capacity, INT64_MAX / 2, 0, sizeof *list));
    assert_int_equal(capacity, before); // the old list is still there
    frz_free(list);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_of_any_size_start_on_a_cache_line),
        cmocka_unit_test(blocks_are_zero_even_if_the_memory_was_used_before),
        cmocka_unit_test(realloc_keeps_the_contents_and_zeroes_what_is_new),
        cmocka_unit_test(sizes_that_overflow_give_null_and_count_nothing),
        cmocka_unit_test(realloc_that_fails_leaves_the_old_block_alone),
        cmocka_unit_test(bytes_peak_and_number_of_allocations_are_counted),
        cmocka_unit_test(strdup_copies_and_passes_null_through),
        cmocka_unit_test(a_list_grows_with_room_to_spare_and_only_when_it_must),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
