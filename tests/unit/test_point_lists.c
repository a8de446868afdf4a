// SPDX-License-Identifier: MIT
// Neighbour lists of many points against the search around each of them.
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "compare.h"
#include "base/memory.h"
#include "geom/point_lists.h"
#include "random_trial.h"

enum
{
    point_count = 3000,
    most_neighbors = 400
};

static const double radius = 0.11; // m, in a cube of 1 m: 16 neighbours on average

static void lists_have_the_neighbours_of_each_point_in_the_order_of_the_search(void **state)
{
    (void)state;
    frz_vec3 *points = FRZ_ALLOC("points", point_count, frz_vec3);
    int *rank = FRZ_ALLOC("ranks", point_count, int), chosen = 0, seen = 0;
    frz_diag diag = {0};
    frz_point_hash hash = {0};
    frz_point_lists lists = {0};
    assert_int_equal(frz_point_hash_create(&hash, point_count, radius, &diag), FRZ_OK);
    assert_int_equal(frz_point_lists_create(&lists, point_count, radius, &diag), FRZ_OK);
    for (int round = 0; round < 3; ++round) // lists are remade, with more neighbours each time
    {
        chosen = 0;
        frz_point_hash_clear(&hash, point_count);
        for (int i = 0; i < point_count; ++i)
        {
            points[i] = frz_v3_scale(0.5 - 0.1 * round, (frz_vec3){draw(), draw(), draw()});
            rank[i] = i % 3 == 0 ? -1 : chosen++;
            frz_point_hash_insert(&hash, points, i);
        }
        assert_int_equal(frz_point_lists_make(&lists, points, point_count, rank, chosen, most_neighbors, NULL, &diag),
                         FRZ_OK);
        for (int i = 0; i < point_count; ++i)
        {
            int found[most_neighbors + 1], at = 0;
            const int count = frz_point_hash_collect(&hash, points, points[i], radius, found, most_neighbors + 1);
            for (int k = 0; k < count && rank[i] >= 0; ++k)
                if (found[k] != i)
                    assert_int_equal(lists.list[rank[i] * lists.stride + at++], found[k]);
            if (rank[i] >= 0)
                assert_int_equal(lists.number[rank[i]], at);
            seen += at;
        }
    }
    assert_greater(seen, 10 * point_count);
    frz_point_hash_destroy(&hash);
    frz_point_lists_destroy(&lists);
    frz_free(points);
    frz_free(rank);
}

static bool has(const frz_point_lists *lists, int m, int j)
{
    for (int k = 0; k < lists->number[m]; ++k)
        if (lists->list[m * lists->stride + k] == j)
            return true;
    return false;
}

static void lists_made_anew_where_points_have_moved_miss_no_neighbour(void **state)
{
    (void)state;
    static frz_vec3 points[point_count];
    static int rank[point_count];
    static uint8_t moved[point_count];
    frz_diag diag = {0};
    frz_point_lists lists = {0};
    assert_int_equal(frz_point_lists_create(&lists, point_count, radius, &diag), FRZ_OK);
    for (int i = 0; i < point_count; ++i)
    {
        points[i] = frz_v3_scale(0.5, (frz_vec3){draw(), draw(), draw()});
        rank[i] = i;
    }
    const int limit = most_neighbors;
    assert_int_equal(frz_point_lists_make(&lists, points, point_count, rank, point_count, limit, NULL, &diag), FRZ_OK);
    for (int i = 0; i < point_count; i += 100)
    {
        points[i] = frz_v3_scale(0.5, (frz_vec3){draw(), draw(), draw()});
        moved[i] = 1;
    }
    assert_int_equal(frz_point_lists_make(&lists, points, point_count, rank, point_count, limit, moved, &diag), FRZ_OK);
    for (int i = 0; i < point_count; ++i)
        for (int j = 0; j < point_count; ++j)
            if (i != j && frz_v3_length(frz_v3_sub(points[i], points[j])) < radius)
                assert_true(has(&lists, i, j));
    frz_point_lists_destroy(&lists);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lists_have_the_neighbours_of_each_point_in_the_order_of_the_search),
        cmocka_unit_test(lists_made_anew_where_points_have_moved_miss_no_neighbour),
    };
    return cmocka_run_group_tests_name("point lists", tests, NULL, NULL);
}
