// SPDX-License-Identifier: MIT
// Every law of the table: stress and tangent are derivatives, rotations cost nothing, the small-strain limit is Hooke's
// law, and collapse is survived. A new law is tested by its line in laws.def.
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "compare.h"

#include <string.h>

#include "law/law.h"
#include "random_trial.h"

enum
{
    trials = 300
};

static const double young = 250.0;
static const double ratios[] = {0.0, 0.3, 0.45};

static frz_mat3 draw_matrix(double size)
{
    frz_mat3 a;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            a.m[i][j] = size * draw();
    return a;
}

static frz_mat3 draw_rotation(void)
{
    const frz_quat q = {draw(), draw(), draw(), draw()};
    return frz_m3_from_quat(frz_quat_normalize(q));
}

/// Stretches of 0.4 to 1.6 and any rotation; with inverted, the smallest stretch is mirrored.
static frz_mat3 draw_deformation(bool inverted)
{
    const double s[3] = {1.2 + 0.4 * draw(), 1.0 + 0.1 * draw(), (inverted ? -1.0 : 1.0) * (0.6 + 0.2 * draw())};
    return frz_m3_compose(draw_rotation(), s, draw_rotation());
}

static frz_elastic prepared(const frz_law *law, double ratio)
{
    frz_elastic_def def = frz_elastic_def_default(law);
    frz_elastic elastic;
    def.youngs_modulus = young;
    def.poisson_ratio = ratio;
    assert_int_equal(frz_elastic_prepare(&def, &elastic, NULL), FRZ_OK);
    return elastic;
}

static double energy(const frz_elastic *elastic, frz_mat3 f)
{
    return frz_elastic_at(elastic, f, NULL).energy;
}

static frz_mat3 stress(const frz_elastic *elastic, frz_mat3 f)
{
    return frz_elastic_at(elastic, f, NULL).stress;
}

/// Run a check for every law and ratio, each with the same draws: a new law does not change what others are tried at.
static void for_every_law(void (*check)(const frz_elastic *elastic))
{
    const uint64_t draws = random_state;
    for (const frz_law *const *law = frz_laws; *law != NULL; ++law)
        for (size_t i = 0; i < sizeof ratios / sizeof ratios[0]; ++i)
        {
            const frz_elastic elastic = prepared(*law, ratios[i]);
            random_state = draws;
            check(&elastic);
        }
}

static void assert_law_near(const frz_elastic *elastic, const char *what, double a, double b, double tolerance)
{
    if (!(fabs(a - b) <= tolerance))
        fail_msg("%s: %s: %.15g is not %.15g (difference %.3g, tolerance %.3g)", elastic->law->key, what, a, b,
                 fabs(a - b), tolerance);
}

static void assert_matrices_near(const frz_elastic *elastic, const char *what, frz_mat3 a, frz_mat3 b, double tolerance)
{
    assert_law_near(elastic, what, frz_m3_norm(frz_m3_sub(a, b)), 0.0, tolerance);
}

// ---- derivatives

static void check_stress(const frz_elastic *elastic)
{
    static const double h = 1e-5;
    for (int k = 0; k < trials; ++k)
    {
        const frz_mat3 f = draw_deformation(k % 2 == 1), df = draw_matrix(1.0);
        const double slope = (energy(elastic, frz_m3_mad(f, h, df)) - energy(elastic, frz_m3_mad(f, -h, df))) / (2 * h);
        const double size = frz_m3_norm(stress(elastic, f)) + young;
        assert_law_near(elastic, "P : dF", frz_m3_dot(stress(elastic, f), df), slope, 1e-6 * size);
    }
}

static void check_tangent(const frz_elastic *elastic)
{
    static const double h = 1e-5;
    for (int k = 0; k < trials; ++k)
    {
        const frz_mat3 f = draw_deformation(k % 2 == 1), df = draw_matrix(1.0), other = draw_matrix(1.0);
        const frz_law_point point = frz_elastic_at(elastic, f, NULL);
        const frz_mat3 after = stress(elastic, frz_m3_mad(f, h, df)), before = stress(elastic, frz_m3_mad(f, -h, df));
        const frz_mat3 slope = frz_m3_scale(0.5 / h, frz_m3_sub(after, before));
        const frz_mat3 dp = frz_elastic_tangent(elastic, &point, df);
        assert_matrices_near(elastic, "dP", dp, slope, 2e-6 * (frz_m3_norm(dp) + young));
        // a second derivative is symmetric
        const double one = frz_m3_dot(dp, other);
        assert_law_near(elastic, "symmetry", one, frz_m3_dot(frz_elastic_tangent(elastic, &point, other), df),
                        1e-11 * (frz_m3_norm(dp) + young));
    }
}

static void the_stress_is_the_derivative_of_the_energy(void **state)
{
    (void)state;
    for_every_law(check_stress);
}

static void the_tangent_is_the_derivative_of_the_stress(void **state)
{
    (void)state;
    for_every_law(check_tangent);
}

// ---- symmetry and rest

static void check_symmetry(const frz_elastic *elastic)
{
    if (elastic->law->small_strain)
        return;
    for (int k = 0; k < trials; ++k)
    {
        const frz_mat3 f = draw_deformation(k % 2 == 1), r = draw_rotation();
        const frz_mat3 turned = frz_m3_mul(r, f), before = frz_m3_mul(f, r);
        const double tolerance = 1e-11 * (energy(elastic, f) + young);
        assert_law_near(elastic, "E(RF)", energy(elastic, turned), energy(elastic, f), tolerance);
        assert_law_near(elastic, "E(FR)", energy(elastic, before), energy(elastic, f), tolerance);
        const frz_mat3 p = stress(elastic, f);
        assert_matrices_near(elastic, "P(RF)", stress(elastic, turned), frz_m3_mul(r, p),
                             1e-11 * (frz_m3_norm(p) + young));
        // angular momentum: P F^T is symmetric
        const frz_mat3 kirchhoff = frz_m3_mul(p, frz_m3_transpose(f));
        assert_matrices_near(elastic, "P F^T", kirchhoff, frz_m3_transpose(kirchhoff),
                             1e-11 * (frz_m3_norm(p) + young));
    }
}

static void check_rest(const frz_elastic *elastic)
{
    const frz_mat3 rest = frz_m3_identity();
    assert_law_near(elastic, "energy at rest", energy(elastic, rest), 0.0, 1e-13 * young);
    assert_matrices_near(elastic, "stress at rest", stress(elastic, rest), frz_m3_zero(), 1e-13 * young);
    for (int k = 0; k < trials; ++k)
        assert_true(energy(elastic, frz_m3_add(rest, draw_matrix(0.2))) > 0.0 || elastic->law->small_strain);
}

static void check_small_strain(const frz_elastic *elastic)
{
    const frz_law_point rest = frz_elastic_at(elastic, frz_m3_identity(), NULL);
    for (int k = 0; k < trials; ++k)
    {
        const frz_mat3 df = draw_matrix(1.0), strain = frz_m3_symmetric(df);
        const frz_mat3 hooke = frz_m3_mad(frz_m3_scale(2.0 * elastic->mu, strain),
                                          elastic->lambda * frz_m3_trace(strain), frz_m3_identity());
        assert_matrices_near(elastic, "small strain", frz_elastic_tangent(elastic, &rest, df), hooke,
                             1e-12 * young * 10);
    }
}

static void rotation_costs_nothing_before_or_after(void **state)
{
    (void)state;
    for_every_law(check_symmetry);
}

static void the_rest_state_is_free_of_stress_and_a_minimum(void **state)
{
    (void)state;
    for_every_law(check_rest);
}

static void small_strains_follow_hooke_with_the_same_moduli(void **state)
{
    (void)state;
    for_every_law(check_small_strain);
}

// ---- collapse and inversion

static void check_inversion(const frz_elastic *elastic)
{
    static const double step = 0.01;
    double last = -HUGE_VAL;
    // down to the mirror image; beyond, the nearest rotation of laws that use one turns another axis round
    for (int k = 10; k > -100; --k)
    {
        const double s = k * step;
        const double now = energy(elastic, frz_m3_diagonal(s, 1.0, 1.0));
        if (!(now > last))
            fail_msg("%s: the energy falls from %g to %g at the stretch %g", elastic->law->key, last, now, s);
        last = now;
    }
    assert_greater(energy(elastic, frz_m3_diagonal(-1.0, 1.0, 1.0)), energy(elastic, frz_m3_diagonal(0.5, 1.0, 1.0)));
    for (int k = 1; k < 100; ++k) // crushed and mirrored at a point: worse than crushed
    {
        const double s = k * step;
        if (!(energy(elastic, frz_m3_diagonal(-s, -s, -s)) > energy(elastic, frz_m3_diagonal(s, s, s))))
            fail_msg("%s: mirrored at the stretch %g it has less energy", elastic->law->key, s);
    }
    // no state beyond the threshold, however flat, is better than being crushed a little
    const double little = energy(elastic, frz_m3_diagonal(0.95, 0.95, 0.95));
    for (int k = 0; k < trials; ++k)
    {
        const frz_mat3 f = frz_m3_diagonal(1.5 * draw(), 1.5 * draw(), 1.5 * draw());
        assert_true(frz_m3_determinant(f) > 0.05 || energy(elastic, f) > little);
    }
    assert_greater(energy(elastic, frz_m3_zero()), little);
}

static void check_finite(const frz_elastic *elastic)
{
    static const double stretches[][3] = {{0.0, 0.0, 0.0},  {1.0, 0.0, 0.0}, {1.0, 1.0, 0.0},
                                          {1.0, 1.0, -1.0}, {0.0, 0.0, -5.}, {1e-9, 1e-9, -1e-9}};
    for (size_t k = 0; k < sizeof stretches / sizeof stretches[0]; ++k)
    {
        const frz_law_point point =
            frz_elastic_at(elastic, frz_m3_compose(draw_rotation(), stretches[k], draw_rotation()), NULL);
        assert_true(isfinite(point.energy) && isfinite(frz_m3_norm(point.stress)));
        assert_true(isfinite(frz_m3_norm(frz_elastic_tangent(elastic, &point, draw_matrix(1.0)))));
    }
}

static void check_continuity(const frz_elastic *elastic)
{
    const double at = elastic->law->params != NULL ? elastic->params[0] : 0.1;
    const frz_mat3 above = frz_m3_diagonal(at + 1e-9, 1.0, 1.0), below = frz_m3_diagonal(at - 1e-9, 1.0, 1.0);
    const frz_mat3 p = stress(elastic, above);
    assert_matrices_near(elastic, "stress across the threshold", p, stress(elastic, below), 1e-6 * frz_m3_norm(p));
}

static void the_energy_grows_under_inversion(void **state)
{
    (void)state;
    for_every_law(check_inversion);
}

static void collapsed_and_inverted_states_are_finite(void **state)
{
    (void)state;
    for_every_law(check_finite);
}

static void the_stress_is_continuous_at_the_threshold(void **state)
{
    (void)state;
    for_every_law(check_continuity);
}

// ---- waves and planes

static void check_waves(const frz_elastic *elastic)
{
    static const double density = 900.0;
    assert_law_near(elastic, "P wave", frz_elastic_wave_speed(elastic, density),
                    sqrt((elastic->lambda + 2.0 * elastic->mu) / density), 1e-12);
    const frz_law_point rest = frz_elastic_at(elastic, frz_m3_identity(), NULL);
    const frz_eigen3 eigen = frz_m3_eigen(frz_elastic_acoustic(elastic, &rest, frz_v3(0.6, 0.0, 0.8)));
    assert_law_near(elastic, "S wave", eigen.s[1], elastic->mu, 1e-10 * young);
    assert_law_near(elastic, "S wave", eigen.s[2], elastic->mu, 1e-10 * young);
}

static void check_plane_stress(const frz_elastic *elastic)
{
    frz_elastic sheet = *elastic;
    sheet.plane = FRZ_PLANE_STRESS;
    const double ratio = elastic->lambda / (2.0 * (elastic->lambda + elastic->mu));
    for (int k = 0; k < 30; ++k)
    {
        frz_mat3 f = frz_m3_identity(), df = frz_m3_zero();
        for (int i = 0; i < 2; ++i)
            for (int j = 0; j < 2; ++j)
            {
                f.m[i][j] += 0.25 * draw();
                df.m[i][j] = draw();
            }
        static const double h = 1e-5;
        const frz_law_point point = frz_elastic_at(&sheet, f, NULL);
        assert_law_near(elastic, "P33", point.stress.m[2][2], 0.0, 1e-11 * young);
        const double slope = (energy(&sheet, frz_m3_mad(f, h, df)) - energy(&sheet, frz_m3_mad(f, -h, df))) / (2 * h);
        assert_law_near(elastic, "plane P : dF", frz_m3_dot(point.stress, df), slope, 1e-6 * young);
        const frz_mat3 after = stress(&sheet, frz_m3_mad(f, h, df)), before = stress(&sheet, frz_m3_mad(f, -h, df));
        assert_matrices_near(elastic, "plane dP", frz_elastic_tangent(&sheet, &point, df),
                             frz_m3_scale(0.5 / h, frz_m3_sub(after, before)), 1e-5 * young);
    }
    // a sheet's waves: E / (rho (1 - nu^2))
    assert_law_near(elastic, "plate wave", frz_elastic_wave_speed(&sheet, 1.0), sqrt(young / (1.0 - ratio * ratio)),
                    1e-9);
}

static void check_bar(const frz_elastic *elastic)
{
    static const int sides[3] = {0, 1, 1};
    static const double strain = 1e-6;
    frz_mat3 f = frz_m3_diagonal(1.0 + strain, 1.0, 1.0);
    assert_true(frz_elastic_relax(elastic, sides, &f));
    const double ratio = elastic->lambda / (2.0 * (elastic->lambda + elastic->mu));
    assert_law_near(elastic, "Young's modulus", stress(elastic, f).m[0][0] / strain, young, 1e-5 * young);
    assert_law_near(elastic, "Poisson's ratio", (1.0 - f.m[1][1]) / strain, ratio, 1e-5);
}

static void waves_at_rest_are_those_of_the_moduli(void **state)
{
    (void)state;
    for_every_law(check_waves);
}

static void plane_stress_is_condensed_consistently(void **state)
{
    (void)state;
    for_every_law(check_plane_stress);
}

static void a_thin_bar_has_the_moduli_that_were_given(void **state)
{
    (void)state;
    for_every_law(check_bar);
}

// ---- single laws against formulas

static void principal_stresses_are_those_of_the_formulas(void **state)
{
    (void)state;
    const double s = 0.7;
    const frz_mat3 f = frz_m3_diagonal(s, 1.0, 1.0);
    const frz_elastic svk = prepared(frz_law_find("st_venant_kirchhoff"), 0.3);
    const double mu = svk.mu, lambda = svk.lambda;
    // Khadke, eq. 14
    assert_law_near(&svk, "stress", stress(&svk, f).m[0][0],
                    0.5 * lambda * s * (s * s + 2.0) - 1.5 * lambda * s + mu * (s * s * s - s), 1e-11);
    const frz_elastic neo = prepared(frz_law_find("neo_hookean_log"), 0.3);
    assert_law_near(&neo, "stress", stress(&neo, f).m[0][0], mu * s - mu / s + lambda * log(s) / s, 1e-11);
    const frz_elastic square = prepared(frz_law_find("neo_hookean_quadratic"), 0.3);
    assert_law_near(&square, "stress", stress(&square, f).m[0][0], mu * s - mu / s + lambda * (s - 1.0), 1e-11);
    // the bound holds at any compression
    const frz_elastic bounded = prepared(frz_law_find("neo_hookean_bounded"), 0.3);
    const double b = bounded.params[0], most = (mu - lambda * log(b)) / b;
    assert_law_near(&bounded, "bound", stress(&bounded, frz_m3_diagonal(-1.0, 1.0, 1.0)).m[0][0], -mu - most, 1e-10);
}

static void mooney_rivlin_without_share_is_neo_hookean(void **state)
{
    (void)state;
    const frz_elastic neo = prepared(frz_law_find("neo_hookean_generalized"), 0.4);
    frz_elastic mooney = prepared(frz_law_find("mooney_rivlin"), 0.4);
    mooney.params[1] = 0.0;
    for (int k = 0; k < trials; ++k)
    {
        const frz_mat3 f = draw_deformation(k % 2 == 1);
        assert_law_near(&mooney, "energy", energy(&mooney, f), energy(&neo, f), 1e-9);
    }
}

// The continued powers of J alone would make total collapse attractive: the guard must outweigh them at every J.
static void continued_isochoric_terms_never_attract(void **state)
{
    (void)state;
    for (int share = 0; share <= 1; ++share)
    {
        frz_elastic mooney = prepared(frz_law_find("mooney_rivlin"), 0.4);
        mooney.params[1] = share;
        for (int k = -1000; k < 200; ++k)
        {
            // at a given J the invariants are least for equal stretches
            const double j = k * 1e-3, s = cbrt(fabs(j));
            const double bulk = 0.5 * mooney.bulk * (j - 1.0) * (j - 1.0);
            assert_greater_equal(energy(&mooney, frz_m3_diagonal(copysign(s, j), s, s)), bulk - 1e-11 * young);
        }
    }
}

// ---- bad input

static void wrong_materials_are_refused_by_name(void **state)
{
    (void)state;
    frz_elastic elastic;
    frz_diag diag = {0};
    frz_elastic_def def = frz_elastic_def_default(frz_law_find("neo_hookean_log"));
    def.youngs_modulus = -1.0;
    assert_int_equal(frz_elastic_prepare(&def, &elastic, &diag), FRZ_ERR_SCENE);
    assert_non_null(strstr(diag.message, "Young"));
    def.youngs_modulus = 1e5;
    def.poisson_ratio = 0.5;
    assert_int_equal(frz_elastic_prepare(&def, &elastic, &diag), FRZ_ERR_SCENE);
    assert_non_null(strstr(diag.message, "0.49"));
    def.poisson_ratio = -0.2; // the logarithm would attract itself
    assert_int_equal(frz_elastic_prepare(&def, &elastic, &diag), FRZ_ERR_SCENE);
    assert_non_null(strstr(diag.message, "neo_hookean_log"));
    def.poisson_ratio = 0.3;
    def.params[0] = 2.0;
    assert_int_equal(frz_elastic_prepare(&def, &elastic, &diag), FRZ_ERR_SCENE);
    assert_non_null(strstr(diag.message, "threshold"));
    assert_null(frz_law_find("hook"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_stress_is_the_derivative_of_the_energy),
        cmocka_unit_test(the_tangent_is_the_derivative_of_the_stress),
        cmocka_unit_test(rotation_costs_nothing_before_or_after),
        cmocka_unit_test(the_rest_state_is_free_of_stress_and_a_minimum),
        cmocka_unit_test(small_strains_follow_hooke_with_the_same_moduli),
        cmocka_unit_test(the_energy_grows_under_inversion),
        cmocka_unit_test(collapsed_and_inverted_states_are_finite),
        cmocka_unit_test(the_stress_is_continuous_at_the_threshold),
        cmocka_unit_test(waves_at_rest_are_those_of_the_moduli),
        cmocka_unit_test(plane_stress_is_condensed_consistently),
        cmocka_unit_test(a_thin_bar_has_the_moduli_that_were_given),
        cmocka_unit_test(principal_stresses_are_those_of_the_formulas),
        cmocka_unit_test(mooney_rivlin_without_share_is_neo_hookean),
        cmocka_unit_test(continued_isochoric_terms_never_attract),
        cmocka_unit_test(wrong_materials_are_refused_by_name),
    };
    return cmocka_run_group_tests_name("laws", tests, NULL, NULL);
}
