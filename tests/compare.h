// SPDX-License-Identifier: MIT
// Asserts of comparisons that print both values. Numbers of any type are compared as long double,
// which holds 64-bit integers exactly.
#pragma once

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdbool.h>

static inline void compare_numbers(bool holds, long double a, long double b, const char *text_a, const char *sign,
                                   const char *text_b, const char *file, int line)
{
    if (holds)
        return;
    print_error("%s %s %s does not hold: %.12Lg and %.12Lg\n", text_a, sign, text_b, a, b);
    _fail(file, line);
}

#define COMPARE(a, sign, b)                                                                                            \
    do                                                                                                                 \
    {                                                                                                                  \
        const long double compare_a = (a), compare_b = (b);                                                            \
        compare_numbers(compare_a sign compare_b, compare_a, compare_b, #a, #sign, #b, __FILE__, __LINE__);            \
    } while (0)

#define assert_less(a, b)          COMPARE(a, <, b)
#define assert_less_equal(a, b)    COMPARE(a, <=, b)
#define assert_greater(a, b)       COMPARE(a, >, b)
#define assert_greater_equal(a, b) COMPARE(a, >=, b)
#define assert_same(a, b)          COMPARE(a, ==, b)
#define assert_different(a, b)     COMPARE(a, !=, b)

/// |a - b| < tolerance
#define assert_near(a, b, tolerance)                                                                                   \
    do                                                                                                                 \
    {                                                                                                                  \
        const double near_a = (double)(a), near_b = (double)(b), near_by = (double)(tolerance);                        \
        if (!(fabs(near_a - near_b) < near_by))                                                                        \
        {                                                                                                              \
            print_error("%s and %s differ by %.3g, %s is %.3g: %.9g and %.9g\n", #a, #b, fabs(near_a - near_b),        \
                        #tolerance, near_by, near_a, near_b);                                                          \
            _fail(__FILE__, __LINE__);                                                                                 \
        }                                                                                                              \
    } while (0)

/// |value| < tolerance
#define assert_small(value, tolerance) assert_near(value, 0.0, tolerance)
