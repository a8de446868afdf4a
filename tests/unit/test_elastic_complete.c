// SPDX-License-Identifier: MIT
// Deformation gradients of rods are completed to a rotation and a stretch along the rod, turned by any angle: half a
// turn too.
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>

#include "compare.h"
#include "random_trial.h"
#include "rigid/rigid_body.h"
#include "solid/elastic_complete.h"

// As bonds have it, in single precision: gradients are right to some times its rounding.
static frz_vec3 rounded(frz_vec3 v)
{
    return frz_v3((float)v.x, (float)v.y, (float)v.z);
}

static frz_mat3 rounded_matrix(frz_mat3 a)
{
    for (int k = 0; k < 9; ++k)
        a.m[k / 3][k % 3] = (float)a.m[k / 3][k % 3];
    return a;
}

// A rod along an axis is turned and stretched.
static void try_rod(int dimension, frz_vec3 direction, frz_quat turn, double stretch)
{
    const frz_vec3 axis = rounded(frz_v3_normalize(direction));
    const frz_vec3 now = frz_v3_scale(stretch, frz_m3_apply(frz_m3_from_quat(turn), axis));
    const frz_mat3 h = rounded_matrix(frz_m3_outer(frz_v3_sub(now, axis), axis));
    const frz_mat3 f = frz_m3_add(frz_m3_identity(), frz_elastic_complete(h, 1, dimension, axis));
    assert_less(frz_v3_length(frz_v3_sub(frz_m3_apply(f, axis), now)), 4e-6);
    const frz_svd3 svd = frz_m3_svd(f);
    assert_near(svd.s[0], fmax(stretch, 1.0), 4e-6);
    assert_near(svd.s[1], 1.0, 4e-6);
    assert_near(svd.s[2], fmin(stretch, 1.0), 4e-6);
    assert_near(frz_m3_determinant(f), stretch, 4e-6);
}

static void rods_keep_their_width_at_half_a_turn(void **state)
{
    (void)state;
    static const double off[] = {0.0, 1e-9, 1e-7, 1e-5, 1e-4, 1e-3, 0.01, 0.3, 3.0};
    random_state = 88172645463325252ULL;
    for (int n = 0; n < 200; ++n)
        for (size_t k = 0; k < sizeof off / sizeof *off; ++k)
        {
            const double angle = acos(-1.0) - off[k], stretch = 1.0 + 0.3 * draw();
            const frz_vec3 flat = frz_v3_normalize(frz_v3(draw(), draw(), 0.0)), any = frz_v3(draw(), draw(), draw());
            const frz_vec3 across = frz_v3_normalize(frz_v3_cross(any, frz_v3(draw(), draw(), draw())));
            try_rod(2, flat, frz_quat_from_vector(frz_v3(0.0, 0.0, angle)), stretch);
            try_rod(3, any, frz_quat_from_vector(frz_v3_scale(angle, across)), stretch);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rods_keep_their_width_at_half_a_turn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
