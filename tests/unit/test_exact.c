// SPDX-License-Identifier: MIT
// Exact sums: any order, any division, one rounding.
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "compare.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/blocks.h"
#include "base/exact.h"

enum
{
    terms = 157 // blocks of a dam
};

static uint64_t next_random(uint64_t *seed)
{
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *seed >> 11;
}

// A number of either sign whose size varies by a factor of 2^range.
static double random_term(uint64_t *seed, int range)
{
    const double size = 1.0 + (double)next_random(seed) * 0x1p-53;
    const int exponent = (int)(next_random(seed) % (uint64_t)(range + 1)) - range / 2;
    return ldexp(next_random(seed) % 2 == 0 ? size : -size, exponent);
}

static void shuffle(double *term, int count, uint64_t *seed)
{
    for (int n = count - 1; n > 0; --n)
    {
        const int m = (int)(next_random(seed) % (uint64_t)(n + 1));
        const double kept = term[n];
        term[n] = term[m];
        term[m] = kept;
    }
}

static double plain_sum(const double *term, int count)
{
    double sum = 0.0;
    for (int n = 0; n < count; ++n)
        sum += term[n];
    return sum;
}

static uint64_t bits_of(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static double sum_of(const double *term, int count)
{
    frz_exact sum = {0};
    for (int n = 0; n < count; ++n)
        frz_exact_add(&sum, term[n]);
    const double found = frz_exact_value(&sum), at_once = frz_exact_sum(term, sizeof *term, count);
    assert_true(bits_of(found) == bits_of(at_once) || (isnan(found) && isnan(at_once)));
    return found;
}

static void permuted_sums_have_the_same_bits_which_plain_ones_have_not(void **state)
{
    (void)state;
    double term[terms];
    uint64_t seed = 7;
    for (int n = 0; n < terms; ++n)
        term[n] = random_term(&seed, 20);
    const uint64_t exact = bits_of(frz_blocks_sum(term, terms)), plain = bits_of(plain_sum(term, terms));
    int others = 0;
    for (int order = 0; order < 200; ++order)
    {
        shuffle(term, terms, &seed);
        others += bits_of(plain_sum(term, terms)) != plain;
        assert_same(bits_of(frz_blocks_sum(term, terms)), exact);
    }
    assert_greater(others, 100);
}

static void sums_at_once_are_those_of_terms_one_by_one(void **state)
{
    (void)state;
    uint64_t seed = 13;
    for (int trial = 0; trial < 5000; ++trial)
    {
        double term[40];
        for (int n = 0; n < 40; ++n)
            term[n] = n % 5 == 4 ? 0.0 : random_term(&seed, 40 + trial % 60); // some fit into 128 bits, some do not
        (void)sum_of(term, 3 + trial % 38);                                   // compares
    }
}

static void parts_may_be_added_digit_by_digit(void **state)
{
    (void)state;
    double term[terms];
    uint64_t seed = 11;
    frz_exact part[2];
    memset(part, 0, sizeof part);
    for (int n = 0; n < terms; ++n)
    {
        term[n] = random_term(&seed, 600);
        frz_exact_add(&part[n % 2], term[n]);
    }
    for (int d = 0; d < FRZ_EXACT_DIGITS; ++d)
        part[0].digit[d] += part[1].digit[d];
    assert_same(bits_of(frz_exact_value(&part[0])), bits_of(frz_blocks_sum(term, terms)));
}

static void a_sum_of_quadruple_precision_is_rounded_to_the_same_bits(void **state)
{
    (void)state;
    uint64_t seed = 3;
    int rounded = 0;
    for (int trial = 0; trial < 20000; ++trial)
    {
        // 113 bits hold eight terms within a factor of 2^50 exactly
        double term[8];
        __float128 sum = 0;
        const int count = 1 + trial % 8, shift = (int)(next_random(&seed) % 1800) - 900;
        for (int n = 0; n < count; ++n)
        {
            term[n] = ldexp(random_term(&seed, 50), shift);
            sum += term[n];
        }
        rounded += (__float128)(double)sum != sum;
        assert_same(bits_of(sum_of(term, count)), bits_of((double)sum));
    }
    assert_greater(rounded, 10000);
}

static void halves_are_rounded_to_even_and_by_what_is_far_below(void **state)
{
    (void)state;
    const double half = 0x1p-53, tiny = 0x1p-1074;
    assert_same(sum_of((double[]){1.0, half, 0.0}, 3), 1.0);
    assert_same(sum_of((double[]){1.0, half, tiny}, 3), 1.0 + DBL_EPSILON);
    assert_same(sum_of((double[]){1.0, half, -tiny}, 3), 1.0);
    assert_same(sum_of((double[]){1.0 + DBL_EPSILON, half, 0.0}, 3), 1.0 + 2.0 * DBL_EPSILON);
    assert_same(sum_of((double[]){1.0 + DBL_EPSILON, half, -tiny}, 3), 1.0 + DBL_EPSILON);
    assert_same(sum_of((double[]){-1.0, -half, -tiny}, 3), -(1.0 + DBL_EPSILON));
}

static void what_cancels_leaves_what_is_small(void **state)
{
    (void)state;
    const double term[5] = {1e300, 1.0, -1e300, 1e-300, -1.0};
    assert_different(plain_sum(term, 5), 1e-300);
    assert_same(sum_of(term, 5), 1e-300);
    const double nothing = sum_of((double[]){3.0, -1.0, -2.0}, 3);
    assert_same(nothing, 0.0);
    assert_true(!signbit(nothing));
    assert_false(signbit(sum_of((double[]){-0.0, -0.0, -0.0}, 3)));
    assert_false(signbit(frz_exact_sum((double[]){-0.0, -0.0}, sizeof(double), 2)));
    assert_same(frz_blocks_sum(NULL, 0), 0.0);
}

static void subnormal_numbers_are_added_exactly(void **state)
{
    (void)state;
    uint64_t seed = 5;
    for (int trial = 0; trial < 1000; ++trial)
    {
        double term[9];
        int64_t sum = 0; // in units of the smallest number
        for (int n = 0; n < 9; ++n)
        {
            const int64_t unit = (int64_t)(next_random(&seed) >> (trial % 50)) - (int64_t)(next_random(&seed) >> 20);
            term[n] = ldexp((double)unit, -1074);
            sum += unit;
        }
        // the size is below 2^57, so that its rounding is that of an integer
        assert_same(bits_of(sum_of(term, 9)), bits_of(ldexp((double)sum, -1074)));
    }
    assert_same(sum_of((double[]){DBL_MIN, -0x1p-1074, 0.0}, 3), DBL_MIN - 0x1p-1074);
}

static void overflow_in_between_is_none(void **state)
{
    (void)state;
    const double term[4] = {DBL_MAX, DBL_MAX, -DBL_MAX, -DBL_MAX / 2};
    assert_true(isinf(plain_sum(term, 4)));
    assert_same(sum_of(term, 4), DBL_MAX / 2);
    assert_same(sum_of((double[]){DBL_MAX, DBL_MAX, 1.0}, 3), HUGE_VAL);
    assert_same(sum_of((double[]){-DBL_MAX, -DBL_MAX, 1.0}, 3), -HUGE_VAL);
    assert_same(sum_of((double[]){DBL_MAX, 0x1p969, 0.0}, 3), DBL_MAX);
    assert_same(sum_of((double[]){DBL_MAX, 0x1p970, 0.0}, 3), HUGE_VAL);
}

static void a_million_large_terms_leave_room(void **state)
{
    (void)state;
    frz_exact sum = {0};
    for (int n = 0; n < 1000000; ++n)
        frz_exact_add(&sum, -0x1.fffffffffffffp500);
    assert_same(frz_exact_value(&sum), -1e6 * 0x1.fffffffffffffp500);
}

static void a_term_that_is_not_finite_makes_the_sum_so(void **state)
{
    (void)state;
    assert_same(sum_of((double[]){1.0, HUGE_VAL, 2.0}, 3), HUGE_VAL);
    assert_same(sum_of((double[]){1.0, -HUGE_VAL, DBL_MAX}, 3), -HUGE_VAL);
    assert_true(isnan(sum_of((double[]){-HUGE_VAL, 1.0, HUGE_VAL}, 3)));
    assert_true(isnan(sum_of((double[]){1.0, (double)NAN, HUGE_VAL}, 3)));
    assert_true(isnan(frz_exact_sum((double[]){1.0, (double)NAN}, sizeof(double), 2)));
}

static void members_of_structs_are_found(void **state)
{
    (void)state;
    const struct
    {
        double other, wanted;
        int more;
    } part[4] = {{1.0, 0.1, 1}, {2.0, 0.2, 2}, {3.0, 0.3, 3}, {4.0, -0.6, 4}};
    const double wanted[4] = {0.1, 0.2, 0.3, -0.6};
    const double found = frz_exact_sum(&part[0].wanted, sizeof part[0], 4);
    assert_same(bits_of(found), bits_of(sum_of(wanted, 4)));
    assert_small(found, 1e-15);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(permuted_sums_have_the_same_bits_which_plain_ones_have_not),
        cmocka_unit_test(sums_at_once_are_those_of_terms_one_by_one),
        cmocka_unit_test(parts_may_be_added_digit_by_digit),
        cmocka_unit_test(a_sum_of_quadruple_precision_is_rounded_to_the_same_bits),
        cmocka_unit_test(halves_are_rounded_to_even_and_by_what_is_far_below),
        cmocka_unit_test(what_cancels_leaves_what_is_small),
        cmocka_unit_test(subnormal_numbers_are_added_exactly),
        cmocka_unit_test(overflow_in_between_is_none),
        cmocka_unit_test(a_million_large_terms_leave_room),
        cmocka_unit_test(a_term_that_is_not_finite_makes_the_sum_so),
        cmocka_unit_test(members_of_structs_are_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
