// SPDX-License-Identifier: MIT
// Foam: water that runs into water takes in air, water at rest and water that moves as a whole do not; air is lost with
// time; points lie near their particles and outside of walls; the same bits for any number of threads.
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "compare.h"

#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "surface/foam.h"

static const double a = 0.02; // m, spacing

enum
{
    side = 8, // particles along each side of a block
    block = side * side * side
};

/// Two blocks of water side by side along x, which touch.
typedef struct pair
{
    float x[2 * block][3], v[2 * block][3];
    int64_t id[2 * block];
    frz_array_desc position, velocity, ids;
    frz_iso_def def;
    frz_foam_liquid liquid;
} pair;

static pair *make_pair(double left, double right)
{
    pair *p = calloc(1, sizeof *p);
    for (int i = 0; i < 2 * block; ++i)
    {
        const int k = i % block, second = i / block, layer = k / (side * side);
        p->x[i][0] = (float)(a * (k % side + 0.5 + second * side));
        p->x[i][1] = (float)(a * (k / side % side + 0.5));
        p->x[i][2] = (float)(a * (layer + 0.5));
        p->v[i][0] = (float)(second ? right : left);
        p->id[i] = 2 * block - i; // rows need not be in the order of the ids
    }
    p->position = (frz_array_desc){"position", "m", FRZ_F32, 3, 3, 2 * block, p->x};
    p->velocity = (frz_array_desc){"velocity", "m/s", FRZ_F32, 3, 3, 2 * block, p->v};
    p->ids = (frz_array_desc){"id", "", FRZ_I64, 1, 1, 2 * block, p->id};
    p->def = frz_iso_def_default();
    p->def.spacing = a;
    p->def.count = 2 * block;
    p->def.position = &p->position;
    p->def.velocity = &p->velocity;
    p->liquid = (frz_foam_liquid){&p->def, &p->ids, 0.0, 1.0};
    return p;
}

/// The points a time later.
static frz_foam_points go_on(frz_foam *foam, pair *p, double step)
{
    frz_foam_points points = {0};
    frz_diag diag = {.status = FRZ_OK};
    p->liquid.time += step;
    if (frz_foam_advance(foam, &p->liquid, &points, &diag) != FRZ_OK)
        fail_msg("%s", diag.message);
    return points;
}

/// The points of two frames 0.1 s apart.
static frz_foam_points begin(frz_foam *foam, pair *p)
{
    frz_foam_points first = go_on(foam, p, 0.0);
    assert_same(first.count, 0); // a single frame tells nothing
    frz_foam_points_destroy(&first);
    return go_on(foam, p, 0.1);
}

/// Points after two frames that are 0.1 s apart.
static int64_t count_after(double left, double right)
{
    pair *p = make_pair(left, right);
    frz_foam foam = {0};
    frz_foam_points points = begin(&foam, p);
    const int64_t count = points.count;
    frz_foam_points_destroy(&points);
    frz_foam_destroy(&foam);
    free(p);
    return count;
}

// ---- tests

static void water_that_meets_water_foams(void **state)
{
    (void)state;
    const int64_t meeting = count_after(2.0, -2.0);
    assert_greater(meeting, 500);
    assert_same(count_after(0.0, 0.0), 0);
    assert_less(4 * count_after(-2.0, 2.0), meeting); // parts; only pairs aslant and its edges count
    assert_same(count_after(0.2, -0.2), 0);           // too slow
}

static void air_is_lost_with_time(void **state)
{
    (void)state;
    pair *p = make_pair(2.0, -2.0);
    frz_foam foam = {0};
    frz_foam_points points = begin(&foam, p);
    const int64_t before = points.count;
    memset(p->v, 0, sizeof p->v);
    frz_foam_points_destroy(&points);
    points = go_on(&foam, p, 0.5);
    assert_greater(points.count, 0);
    assert_less(points.count, before);
    frz_foam_points_destroy(&points);
    points = go_on(&foam, p, frz_foam_memory());
    float largest = 0.0f;
    for (int64_t i = 0; i < points.count; ++i)
        largest = fmaxf(largest, points.xyzr[4 * i + 3]);
    assert_less(largest, 1e-3 * a); // nothing that could be seen
    frz_foam_points_destroy(&points);
    frz_foam_destroy(&foam);
    free(p);
}

static void points_stay_out_of_walls_and_near_the_water(void **state)
{
    (void)state;
    frz_shape *wall = NULL;
    frz_diag diag;
    assert_int_equal(frz_shape_box(frz_v3(-1.0, -1.0, -1.0), frz_v3(1.0, 1e-3 * a, 1.0), &wall, &diag), FRZ_OK);
    const frz_surface_wall walls[] = {{wall, frz_quat_identity(), {0.0, 0.0, 0.0}}};
    pair *p = make_pair(2.0, -2.0);
    p->def.walls = walls;
    p->def.wall_count = 1;
    frz_foam foam = {0};
    frz_foam_points points = begin(&foam, p);
    assert_greater(points.count, 500);
    for (int64_t i = 0; i < points.count; ++i)
    {
        const float *x = points.xyzr + 4 * i;
        assert_greater(x[1], (double)x[3]);
        assert_less(x[1], (side + 1) * a);
        assert_greater(x[0], -a);
        assert_less(x[0], (2 * side + 1) * a);
    }
    frz_foam_points_destroy(&points);
    frz_foam_destroy(&foam);
    frz_shape_destroy(&wall);
    free(p);
}

static void threads_do_not_change_a_bit(void **state)
{
    (void)state;
    const int before = omp_get_max_threads();
    frz_foam_points points[2];
    for (int k = 0; k < 2; ++k)
    {
        omp_set_num_threads(k == 0 ? 1 : 3);
        pair *p = make_pair(3.0, -1.5);
        frz_foam foam = {0};
        points[k] = begin(&foam, p);
        for (int step = 0; step < 2; ++step)
        {
            frz_foam_points_destroy(&points[k]);
            points[k] = go_on(&foam, p, 0.04);
        }
        frz_foam_destroy(&foam);
        free(p);
    }
    omp_set_num_threads(before);
    assert_greater(points[0].count, 500);
    assert_same(points[0].count, points[1].count);
    assert_memory_equal(points[0].xyzr, points[1].xyzr, 4 * (size_t)points[0].count * sizeof(float));
    for (int k = 0; k < 2; ++k)
        frz_foam_points_destroy(&points[k]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(water_that_meets_water_foams),
        cmocka_unit_test(air_is_lost_with_time),
        cmocka_unit_test(points_stay_out_of_walls_and_near_the_water),
        cmocka_unit_test(threads_do_not_change_a_bit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
