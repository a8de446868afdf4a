// SPDX-License-Identifier: MIT
// What is done for eight particles at once is what is done for one: exponentials, eigenvalues, plastic flow.
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "compare.h"

#include <math.h>

#include "law/plastic_wide.h"
#include "math/elementary_wide.h"
#include "random_trial.h"

enum
{
    trials = 400
};

static const double young = 3e4, ratio = 0.4;

static frz_mat3 lane_of(const frz_wide3 *a, int l)
{
    frz_mat3 m;
    for (int k = 0; k < 9; ++k)
        m.m[k / 3][k % 3] = (double)a->m[k / 3][k % 3][l];
    return m;
}

static void exponentials_and_logarithms_agree_with_the_c_library(void **state)
{
    (void)state;
    for (int n = 0; n < trials; ++n)
    {
        frz_w8 x = frz_w8_splat(0);
        for (int l = 0; l < 8; ++l)
            x[l] = (frz_real)((n % 2 == 0 ? 40.0 : 0.1) * draw());
        const frz_w8 up = frz_w8_exp(x), back = frz_w8_log(up);
        for (int l = 0; l < 8; ++l)
        {
            assert_near((double)up[l] / exp((double)x[l]), 1.0, 3.0 * FRZ_REAL_EPSILON);
            const double exact = log((double)up[l]);
            assert_near((double)back[l], exact, 2.0 * FRZ_REAL_EPSILON * (fabs(exact) + 1e-3));
        }
    }
    assert_same(frz_w8_exp(frz_w8_splat(0))[3], 1);
    assert_same(frz_w8_log(frz_w8_splat(1))[5], 0);
}

static void wide_eigenvalues_compose_to_their_matrix(void **state)
{
    (void)state;
    for (int n = 0; n < trials; ++n)
    {
        frz_wide3 a = {0}, v;
        frz_w8 s[3];
        for (int i = 0; i < 3; ++i)
            for (int j = i; j < 3; ++j)
                for (int l = 0; l < 8; ++l)
                    a.m[i][j][l] = a.m[j][i][l] = (frz_real)(l == 0 ? (i == j) : draw()); // one of them is the identity
        frz_wide3_eigen(&a, &v, s);
        for (int l = 0; l < 8; ++l)
        {
            const frz_mat3 axes = lane_of(&v, l);
            const double values[3] = {(double)s[0][l], (double)s[1][l], (double)s[2][l]};
            const double wrong = frz_m3_norm(frz_m3_sub(frz_m3_compose(axes, values, axes), lane_of(&a, l)));
            const double askew = frz_m3_norm(frz_m3_sub(frz_m3_mul(axes, frz_m3_transpose(axes)), frz_m3_identity()));
            assert_less(wrong, 40.0 * FRZ_REAL_EPSILON);
            assert_less(askew, 40.0 * FRZ_REAL_EPSILON);
        }
    }
}

// One group of eight: gradients that stretch by up to the given amount, some of them turned far.
static void compare_flow(const frz_plastic_multiplicative *plastic, const frz_elastic *elastic, double size, double dt,
                         int *flown)
{
    const frz_plastic_wide wide = frz_plastic_wide_of(plastic, elastic, dt);
    frz_wide3 stretch, factor;
    frz_w8 hardened = frz_w8_splat(0);
    frz_plastic_state exact[8];
    frz_mat3 f[8];
    for (int l = 0; l < 8; ++l)
    {
        frz_quat rotation = frz_quat_identity();
        for (int k = 0; k < 9; ++k)
            f[l].m[k / 3][k % 3] = (k % 4 == 0 ? 1.0 : 0.0) + size * draw();
        exact[l] = frz_plastic_state_virgin();
        exact[l].hardened = 0.5 + 0.5 * draw();
        hardened[l] = (frz_real)exact[l].hardened;
        const frz_mat3 s = frz_m3_mul(frz_m3_transpose(frz_m3_rotation(f[l], &rotation)), f[l]);
        for (int k = 0; k < 9; ++k)
            stretch.m[k / 3][k % 3][l] = (frz_real)s.m[k / 3][k % 3];
    }
    const frz_w8 before = hardened;
    const frz_w8_mask flows = frz_plastic_wide_flow(&wide, &stretch, &hardened, &factor);
    for (int l = 0; l < 8; ++l)
    {
        const frz_plastic_flow flow = frz_plastic_multiplicative_flow(plastic, elastic, f[l], dt, &exact[l]);
        const double amount = (double)hardened[l] - (double)before[l];
        // rounding of a strain, which stresses of the size of the modulus make worse; the single particle's own root is
        // found to 1e-13 of the stress, which is more than rounding in double precision
        const double rounding = 30.0 * FRZ_REAL_EPSILON * (1.0 + size) + 1e-12;
        if (flows[l] == 0)
        {
            assert_less(flow.amount, rounding);
            assert_same(amount, 0.0);
            continue;
        }
        // pressed hard, the law may meet the yield surface more than once: any of these will do
        if (size > 0.1 && isinf(plastic->creep_rate))
        {
            const frz_law_point point = frz_elastic_at(elastic, frz_m3_mul(f[l], lane_of(&factor, l)), NULL);
            const double stress = frz_plastic_von_mises(frz_m3_mul(point.stress, frz_m3_transpose(point.f))) /
                                  frz_m3_determinant(point.f);
            const double yield = plastic->yield_stress + plastic->hardening * (double)hardened[l];
            assert_near(stress, yield, 3.0 * rounding * young);
        }
        else if (size < 0.1)
        {
            assert_near(amount, flow.amount, rounding);
            assert_less(frz_m3_norm(frz_m3_sub(lane_of(&factor, l), exact[l].inverse)), 3.0 * rounding);
        }
        assert_near(frz_m3_determinant(lane_of(&factor, l)), 1.0, rounding);
        *flown += 1;
    }
}

static void wide_plastic_flow_is_that_of_one_particle(void **state)
{
    (void)state;
    frz_elastic_def def = frz_elastic_def_default(frz_law_find("corotated"));
    frz_elastic elastic;
    def.youngs_modulus = young;
    def.poisson_ratio = ratio;
    assert_int_equal(frz_elastic_prepare(&def, &elastic, NULL), FRZ_OK);
    for (int hard = 0; hard < 2; ++hard)
        for (int creep = 0; creep < 2; ++creep)
        {
            const frz_plastic_multiplicative plastic = {
                .yield_stress = 1500.0, .hardening = hard * 2000.0, .creep_rate = creep ? 100.0 : HUGE_VAL};
            int flown = 0;
            for (int n = 0; n < trials; ++n)
                compare_flow(&plastic, &elastic, n % 3 == 0 ? 0.01 : n % 3 == 1 ? 0.05 : 0.3, 2e-3, &flown);
            assert_greater(flown, trials);
            assert_less(flown, 7 * trials); // both kinds were met
        }
}

static void wide_plastic_flow_leaves_rest_pressure_and_inversion_alone(void **state)
{
    (void)state;
    const frz_plastic_wide wide = {.lambda = 1e5f, .mu = 1e4f, .yield = 1.0f, .hardening = 0.0f, .part = 1.0f};
    const frz_w8 zero = frz_w8_splat(0);
    const frz_w8 size = {1, 1.5f, 0.5f, 2, 0, -1, 1, 1};
    const frz_w8 last = {1, 1.5f, 0.5f, 2, 0, -1, -1, 0}; // inverted and flat at the end
    const frz_wide3 stretch = {{{size, zero, zero}, {zero, size, zero}, {zero, zero, last}}};
    frz_w8 hardened = zero;
    frz_wide3 factor;
    assert_false(frz_w8_mask_any(frz_plastic_wide_flow(&wide, &stretch, &hardened, &factor)));
}

static void eight_vectors_are_laid_side_by_side_and_back(void **state)
{
    (void)state;
    frz_v4 rows[8], back[8];
    frz_w8 columns[4];
    for (int l = 0; l < 8; ++l)
        rows[l] = frz_v4_set((frz_real)draw(), (frz_real)draw(), (frz_real)draw(), (frz_real)draw());
    frz_w8_from_v4(rows, columns);
    frz_w8_to_v4(columns, back);
    for (int l = 0; l < 8; ++l)
        for (int c = 0; c < 4; ++c)
        {
            assert_same(columns[c][l], rows[l][c]);
            assert_same(back[l][c], rows[l][c]);
        }
}

static void four_sums_at_once_have_the_bits_of_one_by_one(void **state)
{
    (void)state;
    int differs = 0; // from another order, so that the order is what is tested
    for (int trial = 0; trial < 1000; ++trial)
    {
        frz_w8 a[4];
        for (int n = 0; n < 4; ++n)
            for (int l = 0; l < 8; ++l)
                a[n][l] = (frz_real)draw();
        const frz_v4 sums = frz_w8_sums(a[0], a[1], a[2], a[3]);
        for (int n = 0; n < 4; ++n)
        {
            assert_same(sums[n], frz_w8_sum(a[n]));
            frz_real plain = 0;
            for (int l = 0; l < 8; ++l)
                plain += a[n][l];
            differs += plain != sums[n];
        }
    }
    assert_greater(differs, 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(four_sums_at_once_have_the_bits_of_one_by_one),
        cmocka_unit_test(eight_vectors_are_laid_side_by_side_and_back),
        cmocka_unit_test(exponentials_and_logarithms_agree_with_the_c_library),
        cmocka_unit_test(wide_eigenvalues_compose_to_their_matrix),
        cmocka_unit_test(wide_plastic_flow_is_that_of_one_particle),
        cmocka_unit_test(wide_plastic_flow_leaves_rest_pressure_and_inversion_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
