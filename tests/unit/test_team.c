// SPDX-License-Identifier: MIT
// The number of threads that steps take.
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "compare.h"

#include "base/team.h"

// Steps that take so long with all threads and with one; returns how many of them took one thread.
static int steps_alone(frz_team *team, int steps, double all, double one)
{
    int alone = 0;
    for (int n = 0; n < steps; ++n)
    {
        const bool single = frz_team_threads(team) == 1;
        alone += single;
        frz_team_note(team, single ? one : all);
    }
    return alone;
}

static void one_thread_is_kept_where_threads_cost_time(void **unused)
{
    (void)unused;
    frz_team team = frz_team_of(4);
    assert_int_equal(frz_team_threads(&team), 4);
    (void)steps_alone(&team, 40, 30e-3, 1e-3);
    assert_int_equal(frz_team_threads(&team), 1);
    assert_less(9900, steps_alone(&team, 10000, 30e-3, 1e-3));
}

static void all_threads_are_kept_where_they_gain(void **unused)
{
    (void)unused;
    frz_team team = frz_team_of(4);
    assert_less(steps_alone(&team, 10000, 5e-3, 15e-3), 70);
    assert_int_equal(frz_team_threads(&team), 4);
}

static void the_choice_follows_the_machine(void **unused)
{
    (void)unused;
    frz_team team = frz_team_of(2);
    (void)steps_alone(&team, 2000, 30e-3, 1e-3); // busy
    assert_int_equal(frz_team_threads(&team), 1);
    (void)steps_alone(&team, 2000, 1e-3, 2e-3); // idle
    assert_int_equal(frz_team_threads(&team), 2);
    (void)steps_alone(&team, 2000, 30e-3, 1e-3);
    assert_int_equal(frz_team_threads(&team), 1);
}

static void nothing_changes_for_less_than_the_scatter(void **unused)
{
    (void)unused;
    frz_team team = frz_team_of(2);
    (void)steps_alone(&team, 1000, 1e-3, 0.95e-3);
    assert_false(team.alone);
}

static void long_steps_are_not_compared(void **unused)
{
    (void)unused;
    frz_team team = frz_team_of(2);
    assert_int_equal(steps_alone(&team, 500, 2.0, 3.0), 0);
}

static void one_thread_stays_one(void **unused)
{
    (void)unused;
    frz_team team = frz_team_of(1);
    assert_int_equal(steps_alone(&team, 100, 1.0, 1e-3), 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_thread_is_kept_where_threads_cost_time),
        cmocka_unit_test(all_threads_are_kept_where_they_gain),
        cmocka_unit_test(the_choice_follows_the_machine),
        cmocka_unit_test(nothing_changes_for_less_than_the_scatter),
        cmocka_unit_test(long_steps_are_not_compared),
        cmocka_unit_test(one_thread_stays_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
