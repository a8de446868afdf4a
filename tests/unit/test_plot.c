// SPDX-License-Identifier: MIT
// Plots: well-formed SVG with round ticks, whatever the data. With a path as argument the program only draws a sample.
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "compare.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "frazil/plot.h"
#include "io/text_file.h"

enum
{
    points = 50
};

static char path[64];

static int make_path(void **state)
{
    (void)state;
    snprintf(path, sizeof path, "/tmp/frz_plot_XXXXXX");
    const int fd = mkstemp(path);
    return fd < 0 || close(fd) != 0;
}

static int remove_path(void **state)
{
    (void)state;
    return unlink(path);
}

// The SVG as text, to be freed.
static char *drawn(const frz_plot *plot)
{
    char *text = NULL;
    size_t length = 0;
    assert_int_equal(frz_plot_write(path, plot, NULL), FRZ_OK);
    assert_int_equal(frz_text_read(path, &text, &length, NULL), FRZ_OK);
    assert_null(strstr(text, "nan"));
    assert_null(strstr(text, "inf\""));
    assert_non_null(strstr(text, "</svg>"));
    return text;
}

static int occurrences(const char *text, const char *word)
{
    int count = 0;
    for (const char *at = strstr(text, word); at != NULL; at = strstr(at + 1, word))
        ++count;
    return count;
}

static frz_status draw_sample(const char *to, frz_diag *diag)
{
    double x[points];
    double measured[points];
    double exact[points];
    for (int i = 0; i < points; ++i)
    {
        x[i] = i * 0.05;
        exact[i] = 1.0 + 2.5 * sin(x[i] * 3.0) * exp(-x[i]);
        measured[i] = exact[i] + 0.05 * cos(40.0 * x[i]);
    }
    const frz_plot_series series[] = {{"analytic", x, exact, points, false},
                                      {"frazil, 20 particles", x, measured, points, true}};
    const frz_plot plot = {"Height of the free surface", "time [s]", "height [m]", series, 2};
    return frz_plot_write(to, &plot, diag);
}

static void sample_has_axes_grid_legend_and_round_ticks(void **state)
{
    (void)state;
    char *text = NULL;
    size_t length = 0;
    assert_int_equal(draw_sample(path, NULL), FRZ_OK);
    assert_int_equal(frz_text_read(path, &text, &length, NULL), FRZ_OK);
    assert_non_null(strstr(text, ">time [s]</text>"));
    assert_non_null(strstr(text, ">height [m]</text>"));
    assert_non_null(strstr(text, ">frazil, 20 particles</text>"));
    assert_non_null(strstr(text, ">0.5</text>"));
    assert_non_null(strstr(text, ">2.5</text>"));
    assert_int_equal(occurrences(text, "<circle"), points + 1); // and one in the legend
    frz_free(text);
}

static void text_is_escaped(void **state)
{
    (void)state;
    const double one[] = {1.0};
    const frz_plot_series series = {"a < b & \"c\"", one, one, 1, true};
    char *text = drawn(&(frz_plot){"<title>", "x & y", NULL, &series, 1});
    assert_non_null(strstr(text, "a &lt; b &amp; &quot;c&quot;"));
    assert_non_null(strstr(text, "&lt;title&gt;"));
    frz_free(text);
}

static void not_finite_points_break_the_line(void **state)
{
    (void)state;
    const double x[] = {0.0, 1.0, 2.0, 3.0, 4.0};
    const double y[] = {0.0, 1.0, NAN, INFINITY, 2.0};
    const frz_plot_series series = {"s", x, y, 5, false};
    char *text = drawn(&(frz_plot){"t", "x", "y", &series, 1});
    const char *data = strstr(text, " d=\"M");
    assert_non_null(data);
    assert_int_equal(occurrences(data, "M"), 2);
    frz_free(text);
}

static void odd_ranges_are_drawn(void **state)
{
    (void)state;
    const double ranges[][2] = {{0.0, 0.0},   {5.0, 5.0},           {-1e-30, 1e-30}, {1e6, 1e6 + 1e-3}, {-1e300, 1e300},
                                {1e-8, 3e-8}, {1.0, 1.0 + 2.3e-16}, {1e149, -1e149}, {123456.0, 1e7}};
    for (size_t k = 0; k < sizeof ranges / sizeof ranges[0]; ++k)
    {
        const frz_plot_series series = {"s", ranges[k], ranges[k], 2, false};
        char *text = drawn(&(frz_plot){"t", "x", "y", &series, 1});
        const int labels = occurrences(text, "font-size=\"12\"");
        assert_greater_equal(labels, 4);
        assert_less(labels, 40);
        frz_free(text);
    }
    char *text = drawn(&(frz_plot){"no series", "x", "y", NULL, 0});
    frz_free(text);
}

static void too_many_series_are_refused(void **state)
{
    (void)state;
    frz_diag diag;
    const frz_plot_series series[11] = {0};
    assert_int_equal(frz_plot_write(path, &(frz_plot){"t", "x", "y", series, 11}, &diag), FRZ_ERR_ARGUMENT);
    char *text = drawn(&(frz_plot){"t", "x", "y", series, 8});
    frz_free(text);
    assert_int_equal(frz_memory_bytes(), 0);
}

int main(int argc, char **argv)
{
    frz_diag diag;
    if (argc > 1)
        return draw_sample(argv[1], &diag) == FRZ_OK ? 0 : 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sample_has_axes_grid_legend_and_round_ticks),
        cmocka_unit_test(text_is_escaped),
        cmocka_unit_test(not_finite_points_break_the_line),
        cmocka_unit_test(odd_ranges_are_drawn),
        cmocka_unit_test(too_many_series_are_refused),
    };
    return cmocka_run_group_tests(tests, make_path, remove_path);
}
