// SPDX-License-Identifier: MIT
// Plastic flow: none below yield, back to the yield surface beyond it, no change of volume, no energy from nothing.
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "compare.h"

#include <string.h>

#include "law/plastic.h"
#include "law/strain.h"
#include "random_trial.h"

enum
{
    trials = 300
};

static const double young = 1e5, ratio = 0.3;

static frz_mat3 draw_matrix(double size)
{
    frz_mat3 a;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            a.m[i][j] = size * draw();
    return a;
}

static frz_elastic prepared(const frz_law *law)
{
    frz_elastic_def def = frz_elastic_def_default(law);
    frz_elastic elastic;
    def.youngs_modulus = young;
    def.poisson_ratio = ratio;
    assert_int_equal(frz_elastic_prepare(&def, &elastic, NULL), FRZ_OK);
    return elastic;
}

// ---- added strains

static double additive_stress(const frz_elastic *elastic, frz_mat3 strain, frz_mat3 plastic_strain)
{
    return frz_plastic_von_mises(frz_strain_stress(elastic, frz_m3_sub(strain, plastic_strain)));
}

static void added_strain_stays_zero_below_yield(void **state)
{
    (void)state;
    const frz_elastic elastic = prepared(frz_law_find("hooke"));
    const frz_plastic_additive plastic = {.yield_stress = 1e3, .plastic_limit = HUGE_VAL};
    frz_mat3 plastic_strain = frz_m3_zero();
    for (int k = 0; k < trials; ++k)
    {
        frz_mat3 strain = frz_m3_symmetric(draw_matrix(1.0));
        // to the brink in shear, with any volume change on top
        strain = frz_m3_scale(0.999 * plastic.yield_stress / additive_stress(&elastic, strain, plastic_strain), strain);
        strain = frz_m3_mad(strain, draw(), frz_m3_identity());
        const frz_plastic_flow flow = frz_plastic_additive_flow(&plastic, &elastic, strain, 1.0, &plastic_strain);
        assert_same(flow.amount, 0.0);
        assert_same(flow.work, 0.0);
        assert_same(frz_m3_norm(plastic_strain), 0.0);
    }
}

static void added_strain_returns_to_the_yield_surface(void **state)
{
    (void)state;
    const frz_elastic elastic = prepared(frz_law_find("hooke"));
    const frz_plastic_additive plastic = {.yield_stress = 1e3, .plastic_limit = HUGE_VAL};
    frz_mat3 plastic_strain = frz_m3_zero();
    for (int k = 0; k < trials; ++k)
    {
        const frz_mat3 strain = frz_m3_symmetric(draw_matrix(0.5));
        const bool beyond = additive_stress(&elastic, strain, plastic_strain) > plastic.yield_stress;
        const frz_plastic_flow flow = frz_plastic_additive_flow(&plastic, &elastic, strain, 1.0, &plastic_strain);
        assert_same((flow.amount > 0.0), beyond);
        if (beyond)
            assert_near(additive_stress(&elastic, strain, plastic_strain), plastic.yield_stress, 1e-9);
        assert_small(frz_m3_trace(plastic_strain), 1e-14);
    }
}

static void added_strain_keeps_its_limit_and_never_gives_work(void **state)
{
    (void)state;
    const frz_elastic elastic = prepared(frz_law_find("hooke"));
    const frz_plastic_additive plastic = {.yield_stress = 1e3, .plastic_limit = 0.1};
    frz_mat3 plastic_strain = frz_m3_zero();
    bool at_limit = false;
    for (int k = 0; k < trials; ++k)
    {
        const frz_mat3 strain = frz_m3_symmetric(draw_matrix(0.5));
        const frz_mat3 before = frz_m3_sub(strain, plastic_strain);
        const double energy = 0.5 * frz_m3_dot(before, frz_strain_stress(&elastic, before));
        const frz_plastic_flow flow = frz_plastic_additive_flow(&plastic, &elastic, strain, 1.0, &plastic_strain);
        const frz_mat3 after = frz_m3_sub(strain, plastic_strain);
        const double left = 0.5 * frz_m3_dot(after, frz_strain_stress(&elastic, after));
        assert_greater_equal(flow.work, 0.0);
        assert_near(energy - left, flow.work, 1e-10 * energy);
        assert_less_equal(frz_m3_norm(plastic_strain), plastic.plastic_limit * (1.0 + 1e-14));
        at_limit = at_limit || frz_m3_norm(plastic_strain) > 0.999 * plastic.plastic_limit;
    }
    assert_true(at_limit);
}

static void added_strain_creeps_by_time_not_by_steps(void **state)
{
    (void)state;
    const frz_elastic elastic = prepared(frz_law_find("hooke"));
    const frz_plastic_additive plastic = {.yield_stress = 1e3, .plastic_limit = HUGE_VAL, .creep_rate = 3.0};
    const frz_mat3 strain = frz_m3_symmetric(draw_matrix(0.5));
    const double excess = additive_stress(&elastic, strain, frz_m3_zero()) - plastic.yield_stress;
    for (int steps = 1; steps <= 64; steps *= 8)
    {
        frz_mat3 flown = frz_m3_zero();
        for (int n = 0; n < steps; ++n)
            (void)frz_plastic_additive_flow(&plastic, &elastic, strain, 0.5 / steps, &flown);
        const double left = additive_stress(&elastic, strain, flown) - plastic.yield_stress;
        assert_near(left, excess * exp(-1.5), 1e-9 * excess);
    }
}

static void strains_give_the_stress_of_their_laws(void **state)
{
    (void)state;
    static const char *const laws[] = {"hooke", "corotated", "st_venant_kirchhoff"};
    for (int kind = 0; kind < 3; ++kind)
    {
        const frz_elastic elastic = prepared(frz_law_find(laws[kind]));
        const frz_mat3 f = frz_m3_add(frz_m3_identity(), draw_matrix(0.3));
        frz_quat rotation = frz_quat_identity();
        const frz_mat3 r = frz_m3_rotation(f, &rotation);
        const frz_mat3 strain = frz_strain_of((frz_strain_kind)kind, f, r);
        const frz_mat3 p = frz_strain_piola(&elastic, (frz_strain_kind)kind, strain, f, r);
        assert_less(frz_m3_norm(frz_m3_sub(p, frz_elastic_at(&elastic, f, NULL).stress)), 1e-9 * young);
    }
}

// ---- multiplied gradients

static double cauchy_von_mises(const frz_elastic *elastic, frz_mat3 f, const frz_plastic_state *state)
{
    const frz_mat3 fe = frz_m3_mul(f, state->inverse);
    const frz_mat3 p = frz_elastic_at(elastic, fe, NULL).stress;
    return frz_plastic_von_mises(frz_m3_mul(p, frz_m3_transpose(fe))) / frz_m3_determinant(fe);
}

static void for_large_laws(void (*check)(const frz_elastic *elastic))
{
    for (const frz_law *const *law = frz_laws; *law != NULL; ++law)
    {
        const frz_elastic elastic = prepared(*law);
        if (!(*law)->small_strain)
            check(&elastic);
    }
}

/// Random walk of F; every step must keep the rules.
static void check_walk(const frz_elastic *elastic)
{
    const frz_plastic_multiplicative plastic = {.yield_stress = 4e3, .hardening = 2e3, .creep_rate = HUGE_VAL};
    frz_plastic_state state = frz_plastic_state_virgin();
    int flows = 0, rests = 0;
    for (int k = 0; k < trials; ++k)
    {
        const frz_mat3 f = frz_m3_add(frz_m3_identity(), draw_matrix(0.2));
        const double before = cauchy_von_mises(elastic, f, &state);
        const double yield = plastic.yield_stress + plastic.hardening * state.hardened;
        const frz_plastic_state old = state;
        const double energy = frz_elastic_at(elastic, frz_m3_mul(f, state.inverse), NULL).energy;
        const frz_plastic_flow flow = frz_plastic_multiplicative_flow(&plastic, elastic, f, 1.0, &state);
        if (before < yield)
        {
            assert_memory_equal(&old, &state, sizeof state);
            ++rests;
            continue;
        }
        ++flows;
        const double hardened = plastic.yield_stress + plastic.hardening * state.hardened;
        if (!(fabs(cauchy_von_mises(elastic, f, &state) - hardened) < 1e-8 * hardened))
            fail_msg("%s: %g Pa is not the yield stress %g Pa", elastic->law->key, cauchy_von_mises(elastic, f, &state),
                     hardened);
        assert_near(frz_m3_determinant(state.inverse), 1.0, 1e-14);
        const double left = frz_elastic_at(elastic, frz_m3_mul(f, state.inverse), NULL).energy;
        assert_greater(flow.amount, 0.0);
        assert_greater(flow.work, 0.0);
        assert_near(energy - left, flow.work, 1e-8 * energy);
    }
    assert_greater(flows, 10);
    assert_greater(rests, 3);
}

static void multiplied_flow_yields_keeps_volume_and_dissipates(void **state)
{
    (void)state;
    for_large_laws(check_walk);
}

static void check_frame(const frz_elastic *elastic)
{
    const frz_plastic_multiplicative plastic = {.yield_stress = 2e3, .hardening = 1e3, .creep_rate = HUGE_VAL};
    const frz_mat3 f = frz_m3_add(frz_m3_identity(), draw_matrix(0.2));
    const frz_mat3 turn = frz_m3_from_quat(frz_quat_axis_angle(frz_v3(draw(), draw(), draw()), 2.0));
    frz_plastic_state still = frz_plastic_state_virgin(), turned = frz_plastic_state_virgin();
    (void)frz_plastic_multiplicative_flow(&plastic, elastic, f, 1.0, &still);
    (void)frz_plastic_multiplicative_flow(&plastic, elastic, frz_m3_mul(turn, f), 1.0, &turned);
    assert_less(frz_m3_norm(frz_m3_sub(still.inverse, turned.inverse)), 1e-10);
}

static void a_rotation_of_the_body_does_not_change_its_flow(void **state)
{
    (void)state;
    for_large_laws(check_frame);
}

/// Shear alone counts: pure compression or expansion never flows.
static void check_volume(const frz_elastic *elastic)
{
    const frz_plastic_multiplicative plastic = {.yield_stress = 1.0, .creep_rate = HUGE_VAL};
    for (int k = 2; k < 20; ++k)
    {
        const double s = 0.1 * k;
        frz_plastic_state state = frz_plastic_state_virgin();
        (void)frz_plastic_multiplicative_flow(&plastic, elastic, frz_m3_diagonal(s, s, s), 1.0, &state);
        assert_same(state.hardened, 0.0);
    }
}

static void pressure_alone_never_flows(void **state)
{
    (void)state;
    for_large_laws(check_volume);
}

static void creep_depends_on_time_not_on_steps(void **state)
{
    (void)state;
    const frz_elastic elastic = prepared(frz_law_find("neo_hookean_log"));
    const frz_plastic_multiplicative plastic = {.yield_stress = 100.0, .creep_rate = 3.0};
    const frz_mat3 f = frz_m3_diagonal(1.004, 0.998, 0.998);
    frz_plastic_state once = frz_plastic_state_virgin(), often = once, long_after = once;
    (void)frz_plastic_multiplicative_flow(&plastic, &elastic, f, 0.5, &once);
    for (int k = 0; k < 100; ++k)
        (void)frz_plastic_multiplicative_flow(&plastic, &elastic, f, 0.005, &often);
    (void)frz_plastic_multiplicative_flow(&plastic, &elastic, f, 100.0, &long_after);
    assert_near(once.hardened, often.hardened, 5e-3 * once.hardened);
    assert_near(once.hardened / long_after.hardened, (1.0 - exp(-1.5)), 1e-3);
    assert_near(cauchy_von_mises(&elastic, f, &long_after), plastic.yield_stress, 1e-6);
}

static void crushed_and_inverted_bodies_do_not_flow(void **state)
{
    (void)state;
    const frz_elastic elastic = prepared(frz_law_find("neo_hookean_log"));
    const frz_plastic_multiplicative plastic = {.yield_stress = 100.0, .creep_rate = HUGE_VAL};
    frz_plastic_state now = frz_plastic_state_virgin();
    (void)frz_plastic_multiplicative_flow(&plastic, &elastic, frz_m3_diagonal(1.0, 1.0, -0.5), 1.0, &now);
    (void)frz_plastic_multiplicative_flow(&plastic, &elastic, frz_m3_zero(), 1.0, &now);
    assert_same(now.hardened, 0.0);
    // without yield stress nothing but volume change is left elastic
    const frz_plastic_multiplicative liquid = {.yield_stress = 0.0, .creep_rate = HUGE_VAL};
    const frz_mat3 f = frz_m3_diagonal(1.5, 1.0, 0.8);
    (void)frz_plastic_multiplicative_flow(&liquid, &elastic, f, 1.0, &now);
    assert_less(cauchy_von_mises(&elastic, f, &now), 1e-6);
}

static void wrong_plasticity_is_refused_by_name(void **state)
{
    (void)state;
    frz_diag diag = {0};
    const frz_elastic hooke = prepared(frz_law_find("hooke"));
    frz_elastic sheet = prepared(frz_law_find("corotated"));
    frz_plastic_multiplicative plastic = {.yield_stress = 1.0, .creep_rate = 1.0};
    assert_int_equal(frz_plastic_multiplicative_check(&plastic, &sheet, &diag), FRZ_OK);
    assert_int_equal(frz_plastic_multiplicative_check(&plastic, &hooke, &diag), FRZ_ERR_SCENE);
    assert_non_null(strstr(diag.message, "hooke"));
    sheet.plane = FRZ_PLANE_STRESS;
    assert_int_equal(frz_plastic_multiplicative_check(&plastic, &sheet, &diag), FRZ_ERR_SCENE);
    sheet.plane = FRZ_PLANE_STRAIN;
    plastic.creep_rate = 0.0;
    assert_int_equal(frz_plastic_multiplicative_check(&plastic, &sheet, &diag), FRZ_ERR_SCENE);
    const frz_plastic_additive bad = {.yield_stress = -1.0};
    assert_int_equal(frz_plastic_additive_check(&bad, &diag), FRZ_ERR_SCENE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(added_strain_stays_zero_below_yield),
        cmocka_unit_test(added_strain_returns_to_the_yield_surface),
        cmocka_unit_test(added_strain_keeps_its_limit_and_never_gives_work),
        cmocka_unit_test(added_strain_creeps_by_time_not_by_steps),
        cmocka_unit_test(strains_give_the_stress_of_their_laws),
        cmocka_unit_test(multiplied_flow_yields_keeps_volume_and_dissipates),
        cmocka_unit_test(a_rotation_of_the_body_does_not_change_its_flow),
        cmocka_unit_test(pressure_alone_never_flows),
        cmocka_unit_test(creep_depends_on_time_not_on_steps),
        cmocka_unit_test(crushed_and_inverted_bodies_do_not_flow),
        cmocka_unit_test(wrong_plasticity_is_refused_by_name),
    };
    return cmocka_run_group_tests_name("plasticity", tests, NULL, NULL);
}
