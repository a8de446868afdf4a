// SPDX-License-Identifier: MIT
// The neighbour search against brute force: every neighbour once, none missed, wherever the particles are.
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "compare.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "core_trial.h"
#include "space/search.h"

enum
{
    cloud_max = 900
};

static const double support = 0.1;
// relative distance from the edge of the support within which rounding may decide either way
static const double undecided = 1e-4;

// A cloud, its grid, and the neighbours that were found as a matrix.
typedef struct trial
{
    int dimension, count;
    frz_grid grid;
    frz_cell_list list;
    frz_arena scratch;
    frz_v4 *position;
    unsigned char *found;      // [i * count + j]: how often
    frz_real (*difference)[3]; // [i * count + j]
} trial;

static void begin(trial *t, int dimension, const double min[3], const double max[3], const bool periodic[3],
                  int64_t max_cells)
{
    frz_diag diag = {.status = FRZ_OK};
    memset(t, 0, sizeof *t);
    t->dimension = dimension;
    t->position = FRZ_ALLOC("test", cloud_max, frz_v4);
    assert_non_null(t->position);
    assert_int_equal(frz_grid_create(min, max, periodic, support, dimension, max_cells, &t->grid, &diag), FRZ_OK);
    assert_less_equal(t->grid.cell_count, max_cells);
}

static void add(trial *t, double x, double y, double z)
{
    assert_less(t->count, cloud_max);
    t->position[t->count++] = frz_v4_set((frz_real)x, (frz_real)y, t->dimension == 3 ? (frz_real)z : 0, 0);
}

static void add_cloud(trial *t, int count, const double min[3], const double max[3])
{
    uint64_t seed = 42;
    for (int i = 0; i < count; ++i)
    {
        const double x = min[0] + (max[0] - min[0]) * core_random(&seed);
        const double y = min[1] + (max[1] - min[1]) * core_random(&seed);
        const double z = min[2] + (max[2] - min[2]) * core_random(&seed);
        add(t, x, y, z);
    }
}

static int search_from(const trial *t, int k, frz_found *found)
{
    frz_cell_run runs[FRZ_RUN_MAX];
    const frz_real at[3] = {t->list.x[k], t->list.y[k], t->list.z[k]};
    const int run_count = frz_cell_runs(&t->grid, &t->list, frz_grid_coordinate(&t->grid, 0, (double)at[0]),
                                        frz_grid_coordinate(&t->grid, 1, (double)at[1]),
                                        frz_grid_coordinate(&t->grid, 2, (double)at[2]), runs);
    assert_in_range(run_count, 0, FRZ_RUN_MAX);
    return frz_search(&t->list, runs, run_count, at, (frz_real)support, k, found);
}

static void search_all(trial *t)
{
    frz_diag diag = {.status = FRZ_OK};
    const size_t n = (size_t)t->count;
    t->found = FRZ_ALLOC("test", n * n + 1, unsigned char);
    t->difference = frz_alloc("test", n * n + 1, sizeof *t->difference);
    assert_non_null(t->found);
    assert_non_null(t->difference);
    assert_int_equal(frz_cell_list_build(&t->grid, t->position, t->count, &t->list, &t->scratch, &diag), FRZ_OK);
    frz_cell_list_fill(&t->list, t->position, false);
    frz_found found;
    for (int k = 0; k < t->count; ++k)
    {
        const size_t i = (size_t)t->list.index[k];
        const int near = search_from(t, k, &found);
        assert_in_range(near, 0, FRZ_NEIGHBOR_MAX);
        for (int m = 0; m < near; ++m)
        {
            const size_t j = (size_t)t->list.index[frz_lane_index(found.lane[m])];
            t->found[i * n + j] += 1;
            t->difference[i * n + j][0] = found.dx[m];
            t->difference[i * n + j][1] = found.dy[m];
            t->difference[i * n + j][2] = found.dz[m];
        }
    }
}

// Own minus other, nearest image, in double.
static double true_difference(const trial *t, int i, int j, double d[3])
{
    double r2 = 0.0;
    for (int a = 0; a < 3; ++a)
    {
        d[a] = (double)t->position[i][a] - (double)t->position[j][a];
        if (t->grid.periodic[a])
            d[a] -= t->grid.period[a] * nearbyint(d[a] / t->grid.period[a]);
        r2 += d[a] * d[a];
    }
    return sqrt(r2);
}

static void check_pair(const trial *t, int i, int j)
{
    const size_t at = (size_t)i * (size_t)t->count + (size_t)j, back = (size_t)j * (size_t)t->count + (size_t)i;
    double d[3];
    const double r = true_difference(t, i, j, d);
    assert_int_equal(t->found[at], t->found[back]);
    if (fabs(r / support - 1.0) > undecided)
        assert_int_equal(t->found[at], r < support ? 1 : 0);
    if (t->found[at] == 0)
        return;
    for (int a = 0; a < 3; ++a)
    {
        const frz_real there = t->difference[at][a], here = -t->difference[back][a];
        assert_same(there, here); // as numbers: 0 and -0 are the same difference
        assert_near((double)there, d[a], 4.0 * FRZ_REAL_EPSILON);
    }
}

static void check_all(trial *t)
{
    search_all(t);
    for (int i = 0; i < t->count; ++i)
    {
        assert_int_equal(t->found[(size_t)i * (size_t)t->count + (size_t)i], 0);
        for (int j = 0; j < i; ++j)
            check_pair(t, i, j);
    }
    frz_free(t->found);
    frz_free(t->difference);
    frz_free(t->position);
    frz_cell_list_destroy(&t->list);
    frz_grid_destroy(&t->grid);
    frz_arena_destroy(&t->scratch);
}

static const bool open_axes[3] = {false, false, false};
static const double low[3] = {-0.3, 0.1, -0.2}, high[3] = {0.5, 0.75, 0.45};

static void random_clouds_in_the_open(void **state)
{
    (void)state;
    for (int dimension = 2; dimension <= 3; ++dimension)
    {
        trial t;
        begin(&t, dimension, low, high, open_axes, 1 << 20);
        add_cloud(&t, 700, low, high);
        check_all(&t);
    }
}

static void random_clouds_on_every_mix_of_periodic_axes(void **state)
{
    (void)state;
    for (int dimension = 2; dimension <= 3; ++dimension)
        for (int axes = 1; axes < 1 << dimension; ++axes)
        {
            const bool periodic[3] = {(axes & 1) != 0, (axes & 2) != 0, (axes & 4) != 0};
            trial t;
            begin(&t, dimension, low, high, periodic, 1 << 20);
            add_cloud(&t, 400, low, high);
            check_all(&t);
        }
}

static void a_period_of_three_supports_sees_no_image_twice(void **state)
{
    (void)state;
    const bool periodic[3] = {true, true, true};
    const double min[3] = {0.0, 0.0, 0.0}, max[3] = {3 * support, 3 * support, 3 * support};
    for (int dimension = 2; dimension <= 3; ++dimension)
    {
        trial t;
        begin(&t, dimension, min, max, periodic, 1 << 20);
        assert_int_equal(t.grid.cells[0], 3);
        add_cloud(&t, 300, min, max);
        check_all(&t);
    }
}

static void a_shorter_period_is_refused_with_the_axis_named(void **state)
{
    (void)state;
    const bool periodic[3] = {false, true, false};
    const double min[3] = {0.0, 0.0, 0.0}, max[3] = {1.0, 2.9 * support, 1.0};
    frz_grid grid;
    frz_diag diag = {.status = FRZ_OK};
    assert_int_equal(frz_grid_create(min, max, periodic, support, 3, 1 << 20, &grid, &diag), FRZ_ERR_SCENE);
    assert_non_null(strstr(diag.message, "along y"));
    frz_grid_destroy(&grid);
}

static void particles_far_outside_the_grid_still_find_each_other(void **state)
{
    (void)state;
    const double wide_min[3] = {-2.0, -1.0, -1.5}, wide_max[3] = {1.0, 2.0, 1.0};
    const double corner_min[3] = {5.0, -7.0, 9.0}, corner_max[3] = {5.3, -6.7, 9.2};
    for (int dimension = 2; dimension <= 3; ++dimension)
    {
        trial t;
        begin(&t, dimension, low, high, open_axes, 1 << 20);
        add_cloud(&t, 500, wide_min, wide_max);
        add_cloud(&t, 200, corner_min, corner_max);
        check_all(&t);
    }
}

static void a_grid_made_coarse_by_its_limit_finds_the_same(void **state)
{
    (void)state;
    for (int dimension = 2; dimension <= 3; ++dimension)
    {
        trial t;
        begin(&t, dimension, low, high, open_axes, 12);
        add_cloud(&t, 400, low, high);
        check_all(&t);
    }
}

static void none_one_and_coincident_particles(void **state)
{
    (void)state;
    for (int count = 0; count <= 20; ++count)
    {
        trial t;
        begin(&t, 3, low, high, open_axes, 1 << 20);
        for (int i = 0; i < count; ++i)
            add(&t, 0.11, 0.22, 0.33);
        check_all(&t);
    }
}

static void a_crowd_beyond_the_limit_is_reported(void **state)
{
    (void)state;
    trial t;
    begin(&t, 2, low, high, open_axes, 1 << 20);
    for (int i = 0; i < FRZ_NEIGHBOR_MAX + 1; ++i)
        add(&t, 0.2, 0.2, 0.0);
    frz_diag diag = {.status = FRZ_OK};
    frz_found found;
    // exactly as many neighbours as there may be
    assert_int_equal(frz_cell_list_build(&t.grid, t.position, t.count, &t.list, &t.scratch, &diag), FRZ_OK);
    frz_cell_list_fill(&t.list, t.position, false);
    assert_int_equal(search_from(&t, 17, &found), FRZ_NEIGHBOR_MAX);
    // one more
    add(&t, 0.2, 0.2, 0.0);
    assert_int_equal(frz_cell_list_build(&t.grid, t.position, t.count, &t.list, &t.scratch, &diag), FRZ_OK);
    frz_cell_list_fill(&t.list, t.position, false);
    assert_int_equal(search_from(&t, 17, &found), -1);
    frz_free(t.position);
    frz_cell_list_destroy(&t.list);
    frz_grid_destroy(&t.grid);
    frz_arena_destroy(&t.scratch);
}

static void sorting_into_cells_is_stable_and_complete(void **state)
{
    (void)state;
    trial t;
    frz_diag diag = {.status = FRZ_OK};
    begin(&t, 3, low, high, open_axes, 1 << 20);
    add_cloud(&t, cloud_max, low, high);
    assert_int_equal(frz_cell_list_build(&t.grid, t.position, t.count, &t.list, &t.scratch, &diag), FRZ_OK);
    bool seen[cloud_max] = {false};
    for (int64_t c = 0; c < t.grid.cell_count; ++c)
        for (int k = t.list.start[c]; k < t.list.start[c + 1]; ++k)
        {
            const int i = t.list.index[k];
            const frz_v4 x = t.position[i];
            assert_int_equal(frz_grid_cell(&t.grid, frz_grid_coordinate(&t.grid, 0, (double)x[0]),
                                           frz_grid_coordinate(&t.grid, 1, (double)x[1]),
                                           frz_grid_coordinate(&t.grid, 2, (double)x[2])),
                             c);
            assert_false(seen[i]);
            seen[i] = true;
            if (k > t.list.start[c])
                assert_less(t.list.index[k - 1], i);
        }
    assert_int_equal(t.list.start[t.grid.cell_count], cloud_max);
    frz_free(t.position);
    frz_cell_list_destroy(&t.list);
    frz_grid_destroy(&t.grid);
    frz_arena_destroy(&t.scratch);
}

static void a_position_that_is_no_number_falls_into_some_cell(void **state)
{
    (void)state;
    trial t;
    begin(&t, 3, low, high, open_axes, 1 << 20);
    const double odd[] = {NAN, -NAN, INFINITY, -INFINITY, 1e300, -1e300};
    for (size_t n = 0; n < sizeof odd / sizeof odd[0]; ++n)
        assert_in_range(frz_grid_coordinate(&t.grid, 0, odd[n]), 0, t.grid.cells[0] - 1);
    frz_free(t.position);
    frz_grid_destroy(&t.grid);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_clouds_in_the_open),
        cmocka_unit_test(random_clouds_on_every_mix_of_periodic_axes),
        cmocka_unit_test(a_period_of_three_supports_sees_no_image_twice),
        cmocka_unit_test(a_shorter_period_is_refused_with_the_axis_named),
        cmocka_unit_test(particles_far_outside_the_grid_still_find_each_other),
        cmocka_unit_test(a_grid_made_coarse_by_its_limit_finds_the_same),
        cmocka_unit_test(none_one_and_coincident_particles),
        cmocka_unit_test(a_crowd_beyond_the_limit_is_reported),
        cmocka_unit_test(sorting_into_cells_is_stable_and_complete),
        cmocka_unit_test(a_position_that_is_no_number_falls_into_some_cell),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
