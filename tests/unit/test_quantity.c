// SPDX-License-Identifier: MIT
// Numbers with units.
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "compare.h"

#include <math.h>
#include <string.h>

#include "scene/quantity.h"
#include "scene/suggest.h"

typedef struct good_case
{
    const char *text, *unit;
    double value;
} good_case;

static void check_good(const good_case *cases, size_t count)
{
    for (size_t i = 0; i < count; ++i)
    {
        frz_quantity q;
        const frz_quantity_fault fault = frz_quantity_read(cases[i].text, cases[i].unit, &q);
        if (fault != FRZ_QUANTITY_OK || fabs(q.value - cases[i].value) > 1e-15 * fabs(cases[i].value))
            fail_msg("'%s' as '%s': fault %d, value %.17g, expected %.17g", cases[i].text, cases[i].unit, (int)fault,
                     q.value, cases[i].value);
    }
}

static void numbers_of_all_forms_are_read(void **state)
{
    (void)state;
    static const good_case cases[] = {
        {"0", "", 0},    {"5", "", 5},         {"-5", "", -5},     {"+5", "", 5},        {"0.5", "", 0.5},
        {".5", "", 0.5}, {"5.", "", 5},        {"1e-3", "", 1e-3}, {"1E3", "", 1e3},     {"1.5e+2", "", 150},
        {"007", "", 7},  {"1e-400", "", 0},    {"50 %", "", 0.5},  {"12.5%", "", 0.125}, {"5", "%", 5},
        {"5 %", "%", 5}, {"0.05%", "%", 0.05},
    };
    check_good(cases, sizeof cases / sizeof cases[0]);
}

static void units_are_converted(void **state)
{
    (void)state;
    static const good_case cases[] = {
        {"5 mm", "m", 0.005},
        {"5mm", "m", 0.005},
        {"1.5 km", "m", 1500},
        {"2 um", "m", 2e-6},
        {"2 ms", "s", 0.002},
        {"3us", "s", 3e-6},
        {"2 min", "s", 120},
        {"1 h", "s", 3600},
        {"5 g", "kg", 0.005},
        {"2 t", "kg", 2000},
        {"3 kPa", "Pa", 3000},
        {"3 MPa", "Pa", 3e6},
        {"1 GPa", "Pa", 1e9},
        {"1 mPa s", "Pa s", 0.001},
        {"1 mPa*s", "Pa s", 0.001},
        {"2 Pa s", "Pa s", 2},
        {"1 cP", "Pa s", 0.001},
        {"1 cSt", "m2/s", 1e-6},
        {"998 kg/m3", "kg/m3", 998},
        {"998 kg/m^3", "kg/m3", 998},
        {"998 kg m-3", "kg/m3", 998},
        {"1 g/cm3", "kg/m3", 1000},
        {"1 kg/l", "kg/m3", 1000},
        {"36 km/h", "m/s", 10},
        {"5 mm/s", "m/s", 0.005},
        {"9.81 m/s2", "m/s2", 9.81},
        {"9.81 m/s^2", "m/s2", 9.81},
        {"180 deg", "rad", M_PI},
        {"30 deg", "deg", 30},
        {"60 rpm", "rad/s", 2 * M_PI},
        {"20 degC", "K", 293.15},
        {"300 K", "K", 300},
        {"50 Hz", "1/s", 50},
        {"50 1/s", "1/s", 50},
        {"72 mN/m", "N/m", 0.072},
        {"4.184 kJ/(kg K)", "J/(kg K)", 4184},
        {"0.6 W/(m K)", "W/(m K)", 0.6},
        {"3 N", "N", 3},
        {"3 kW", "W", 3000},
        {"1e-3m", "m", 1e-3},
    };
    check_good(cases, sizeof cases / sizeof cases[0]);
}

static void prefixed_lengths_are_the_same_bits_as_plain_ones(void **state)
{
    (void)state;
    frz_quantity q;
    assert_int_equal(frz_quantity_read("5 mm", "m", &q), FRZ_QUANTITY_OK);
    assert_same(q.value, 0.005);
    assert_int_equal(frz_quantity_read("7 mm", "m", &q), FRZ_QUANTITY_OK);
    assert_same(q.value, 0.007);
    assert_int_equal(frz_quantity_read("0.1 %", "%", &q), FRZ_QUANTITY_OK);
    assert_same(q.value, 0.1);
    assert_int_equal(frz_quantity_read("33 deg", "deg", &q), FRZ_QUANTITY_OK);
    assert_same(q.value, 33.0);
}

static void faults_are_told_apart(void **state)
{
    (void)state;
    static const struct
    {
        const char *text, *unit;
        frz_quantity_fault fault;
    } cases[] = {
        {"", "m", FRZ_QUANTITY_NOT_A_NUMBER},       {"abc", "m", FRZ_QUANTITY_NOT_A_NUMBER},
        {"-", "m", FRZ_QUANTITY_NOT_A_NUMBER},      {".", "m", FRZ_QUANTITY_NOT_A_NUMBER},
        {"mm", "m", FRZ_QUANTITY_NOT_A_NUMBER},     {"- 5", "m", FRZ_QUANTITY_NOT_A_NUMBER},
        {"nan", "m", FRZ_QUANTITY_NOT_FINITE},      {".nan", "m", FRZ_QUANTITY_NOT_FINITE},
        {"inf", "m", FRZ_QUANTITY_NOT_FINITE},      {"-.inf", "m", FRZ_QUANTITY_NOT_FINITE},
        {"1e999", "m", FRZ_QUANTITY_NOT_FINITE},    {"1e308 km", "m", FRZ_QUANTITY_NOT_FINITE},
        {"5 furlong", "m", FRZ_QUANTITY_BAD_UNIT},  {"5 m/", "m", FRZ_QUANTITY_BAD_UNIT},
        {"5 mm mm x", "m", FRZ_QUANTITY_BAD_UNIT},  {"0x10", "", FRZ_QUANTITY_BAD_UNIT},
        {"1_000", "", FRZ_QUANTITY_BAD_UNIT},       {"1,5", "", FRZ_QUANTITY_BAD_UNIT},
        {"5 1", "", FRZ_QUANTITY_BAD_UNIT},         {"5 m^", "m", FRZ_QUANTITY_BAD_UNIT},
        {"5 J/(kg", "J/kg", FRZ_QUANTITY_BAD_UNIT}, {"5 m^10", "m", FRZ_QUANTITY_BAD_UNIT},
        {"5 kg", "m", FRZ_QUANTITY_WRONG_KIND},     {"5 m2", "m", FRZ_QUANTITY_WRONG_KIND},
        {"5 m", "", FRZ_QUANTITY_WRONG_KIND},       {"5 %", "m", FRZ_QUANTITY_WRONG_KIND},
        {"5 rad", "1/s", FRZ_QUANTITY_WRONG_KIND},  {"1 Pa", "Pa s", FRZ_QUANTITY_WRONG_KIND},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i)
    {
        frz_quantity q;
        const frz_quantity_fault fault = frz_quantity_read(cases[i].text, cases[i].unit, &q);
        if (fault != cases[i].fault)
            fail_msg("'%s' as '%s': fault %d, expected %d", cases[i].text, cases[i].unit, (int)fault,
                     (int)cases[i].fault);
    }
}

static void kinds_of_quantities_have_names(void **state)
{
    (void)state;
    char text[100];
    assert_string_equal(frz_unit_kind_text("m", text, sizeof text), "a length");
    assert_string_equal(frz_unit_kind_text("Pa s", text, sizeof text), "a dynamic viscosity");
    assert_string_equal(frz_unit_kind_text("", text, sizeof text), "a number");
    assert_string_equal(frz_unit_kind_text("%", text, sizeof text), "a percentage");
    assert_string_equal(frz_unit_kind_text("m3/kg", text, sizeof text), "a quantity in m3/kg");
    assert_non_null(strstr(frz_unit_choices_text("m", text, sizeof text), "mm"));
}

static void edit_distance_counts_swaps_as_one(void **state)
{
    (void)state;
    assert_int_equal(frz_edit_distance("spacing", "spacing"), 0);
    assert_int_equal(frz_edit_distance("spacign", "spacing"), 1);
    assert_int_equal(frz_edit_distance("spacin", "spacing"), 1);
    assert_int_equal(frz_edit_distance("spaacing", "spacing"), 1);
    assert_int_equal(frz_edit_distance("Spacing", "spacing"), 0);
    assert_int_equal(frz_edit_distance("", "abc"), 3);
    assert_int_equal(frz_edit_distance("kitten", "sitting"), 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_of_all_forms_are_read),
        cmocka_unit_test(units_are_converted),
        cmocka_unit_test(prefixed_lengths_are_the_same_bits_as_plain_ones),
        cmocka_unit_test(faults_are_told_apart),
        cmocka_unit_test(kinds_of_quantities_have_names),
        cmocka_unit_test(edit_distance_counts_swaps_as_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
