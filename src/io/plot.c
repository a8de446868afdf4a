// SPDX-License-Identifier: MIT
// Line plots as SVG.
#include "frazil/plot.h"

#include "base/fail.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "io/text_builder.h"
#include "io/text_file.h"

enum
{
    series_limit = 10,
    area_width = 640, // all lengths in pixels
    area_height = 400,
    margin_left = 84,
    margin_top = 48,
    margin_bottom = 60,
    margin_right = 24,
    legend_gap = 20,   // from the area to the legend
    swatch_width = 26, // line or marker in the legend
    legend_line = 22,  // height of a legend entry
    letter_width = 8,  // mean width of a letter of 13 px, rounded up
    tick_target = 6,   // about as many ticks per axis
    tick_limit = 64,   // never more, for any rounding
    label_size = 40    // bytes of a tick label
};

// Okabe and Ito (2008), distinguishable with any colour vision, yellow last, being faint on white; two of Tol (2021)
static const char *const palette[series_limit] = {"#0072b2", "#d55e00", "#009e73", "#e69f00", "#cc79a7",
                                                  "#56b4e9", "#000000", "#f0e442", "#999999", "#882255"};

static const double largest_drawn = 1e150;   // beyond, differences and squares overflow; treated like infinity
static const double smallest_spread = 1e-12; // relative; a narrower range of values is rounding noise
static const double narrow_padding = 0.05;   // relative widening of a range without extent

typedef struct axis
{
    double low, high; // ends of the axis, multiples of step
    double step;
} axis;

static bool is_drawn(const frz_plot_series *series, int i)
{
    return fabs(series->x[i]) < largest_drawn && fabs(series->y[i]) < largest_drawn; // false for NaN
}

// Steps of 1, 2 or 5 times a power of ten.
static double round_step(double span)
{
    const double rough = span / tick_target;
    const double power = pow(10.0, floor(log10(rough)));
    const double fraction = rough / power;
    if (fraction < 1.5)
        return power;
    if (fraction < 3.5)
        return 2.0 * power;
    return fraction < 7.5 ? 5.0 * power : 10.0 * power;
}

static axis make_axis(const frz_plot *plot, bool vertical)
{
    double low = INFINITY;
    double high = -INFINITY;
    for (int k = 0; k < plot->series_count; ++k)
        for (int i = 0; i < plot->series[k].count; ++i)
        {
            if (!is_drawn(&plot->series[k], i))
                continue;
            const double value = vertical ? plot->series[k].y[i] : plot->series[k].x[i];
            low = fmin(low, value);
            high = fmax(high, value);
        }
    if (low > high)
    {
        low = 0.0;
        high = 1.0;
    }
    const double size = fmax(fabs(low), fabs(high));
    if (high - low <= smallest_spread * size)
    {
        const double padding = size > 0.0 ? narrow_padding * size : 1.0;
        low -= padding;
        high += padding;
    }
    const double step = round_step(high - low);
    return (axis){floor(low / step) * step, ceil(high / step) * step, step};
}

static double to_x(const axis *horizontal, double x)
{
    return margin_left + (x - horizontal->low) / (horizontal->high - horizontal->low) * area_width;
}

static double to_y(const axis *vertical, double y)
{
    return margin_top + (vertical->high - y) / (vertical->high - vertical->low) * area_height;
}

static int tick_count(const axis *a)
{
    const double count = round((a->high - a->low) / a->step) + 1.0;
    return count < tick_limit ? (int)count : tick_limit;
}

// As many decimals as the step has; large and tiny numbers with an exponent.
static void tick_label(const axis *a, int k, char label[label_size])
{
    const double multiple = round(a->low / a->step) + k;
    const double value = multiple * a->step;
    const double largest = fmax(fabs(a->low), fabs(a->high));
    const int decimals = (int)fmax(0.0, -floor(log10(a->step) + smallest_spread));
    if (multiple == 0.0)
        snprintf(label, label_size, "0");
    else if (largest >= 1e6 || largest < 1e-3)
    {
        const double digits = floor(log10(largest)) - floor(log10(a->step)) + 1.0;
        snprintf(label, label_size, "%.*g", (int)fmin(15.0, fmax(1.0, digits)), value);
    }
    else
        snprintf(label, label_size, "%.*f", decimals, value);
}

static void add_label(frz_text_builder *svg, const char *text, double x, double y, const char *style)
{
    frz_text_add(svg, "<text x=\"%.1f\" y=\"%.1f\" %s>", x, y, style);
    frz_text_add_xml(svg, text != NULL ? text : "");
    frz_text_add(svg, "</text>\n");
}

static void add_grid(frz_text_builder *svg, const axis *horizontal, const axis *vertical)
{
    char label[label_size];
    const double bottom = margin_top + area_height;
    frz_text_add(svg, "<g stroke=\"#d8d8d8\" stroke-width=\"0.7\">\n");
    for (int k = 0; k < tick_count(horizontal); ++k)
    {
        const double x = to_x(horizontal, horizontal->low + k * horizontal->step);
        frz_text_add(svg, "<line x1=\"%.2f\" y1=\"%d\" x2=\"%.2f\" y2=\"%.0f\"/>\n", x, margin_top, x, bottom);
    }
    for (int k = 0; k < tick_count(vertical); ++k)
    {
        const double y = to_y(vertical, vertical->low + k * vertical->step);
        frz_text_add(svg, "<line x1=\"%d\" y1=\"%.2f\" x2=\"%d\" y2=\"%.2f\"/>\n", margin_left, y,
                     margin_left + area_width, y);
    }
    frz_text_add(svg, "</g>\n<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"none\" stroke=\"#404040\"/>\n",
                 margin_left, margin_top, area_width, area_height);
    for (int k = 0; k < tick_count(horizontal); ++k)
    {
        tick_label(horizontal, k, label);
        add_label(svg, label, to_x(horizontal, horizontal->low + k * horizontal->step), bottom + 18,
                  "text-anchor=\"middle\" font-size=\"12\"");
    }
    for (int k = 0; k < tick_count(vertical); ++k)
    {
        tick_label(vertical, k, label);
        add_label(svg, label, margin_left - 8, to_y(vertical, vertical->low + k * vertical->step) + 4,
                  "text-anchor=\"end\" font-size=\"12\"");
    }
}

static void add_line(frz_text_builder *svg, const frz_plot_series *series, const axis *horizontal, const axis *vertical,
                     const char *colour)
{
    bool pen_down = false; // a point left out breaks the line
    frz_text_add(svg, "<path fill=\"none\" stroke=\"%s\" stroke-width=\"1.8\" stroke-linejoin=\"round\" d=\"", colour);
    for (int i = 0; i < series->count; ++i)
    {
        const bool drawn = is_drawn(series, i);
        if (drawn)
            frz_text_add(svg, "%s%.2f %.2f", pen_down ? "L" : "M", to_x(horizontal, series->x[i]),
                         to_y(vertical, series->y[i]));
        pen_down = drawn;
    }
    frz_text_add(svg, "\"/>\n");
}

static void add_markers(frz_text_builder *svg, const frz_plot_series *series, const axis *horizontal,
                        const axis *vertical, const char *colour)
{
    frz_text_add(svg, "<g fill=\"none\" stroke=\"%s\" stroke-width=\"1.5\">\n", colour);
    for (int i = 0; i < series->count; ++i)
        if (is_drawn(series, i))
            frz_text_add(svg, "<circle cx=\"%.2f\" cy=\"%.2f\" r=\"3.5\"/>\n", to_x(horizontal, series->x[i]),
                         to_y(vertical, series->y[i]));
    frz_text_add(svg, "</g>\n");
}

static void add_legend(frz_text_builder *svg, const frz_plot *plot)
{
    const int left = margin_left + area_width + legend_gap;
    for (int k = 0; k < plot->series_count; ++k)
    {
        const int middle = margin_top + legend_line / 2 + k * legend_line;
        if (plot->series[k].markers)
            frz_text_add(svg,
                         "<circle cx=\"%d\" cy=\"%d\" r=\"3.5\" fill=\"none\" stroke=\"%s\" stroke-width=\"1.5\"/>\n",
                         left + swatch_width / 2, middle, palette[k]);
        else
            frz_text_add(svg, "<line x1=\"%d\" y1=\"%d\" x2=\"%d\" y2=\"%d\" stroke=\"%s\" stroke-width=\"1.8\"/>\n",
                         left, middle, left + swatch_width, middle, palette[k]);
        add_label(svg, plot->series[k].label, left + swatch_width + 8, middle + 4, "font-size=\"13\"");
    }
}

static int total_width(const frz_plot *plot)
{
    size_t longest = 0;
    for (int k = 0; k < plot->series_count; ++k)
    {
        const size_t length = plot->series[k].label != NULL ? strlen(plot->series[k].label) : 0;
        longest = length > longest ? length : longest;
    }
    return margin_left + area_width + legend_gap + swatch_width + 8 + (int)longest * letter_width + margin_right;
}

static void draw(frz_text_builder *svg, const frz_plot *plot)
{
    const axis horizontal = make_axis(plot, false);
    const axis vertical = make_axis(plot, true);
    const int width = total_width(plot);
    const int height = margin_top + area_height + margin_bottom;
    const double middle = margin_left + area_width / 2.0;
    frz_text_add(svg,
                 "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" "
                 "height=\"%d\" viewBox=\"0 0 %d %d\" font-family=\"sans-serif\" fill=\"#202020\">\n"
                 "<rect width=\"%d\" height=\"%d\" fill=\"white\"/>\n",
                 width, height, width, height, width, height);
    add_label(svg, plot->title, middle, 28, "text-anchor=\"middle\" font-size=\"16\"");
    add_grid(svg, &horizontal, &vertical);
    add_label(svg, plot->x_label, middle, height - 16, "text-anchor=\"middle\" font-size=\"14\"");
    const double centre = margin_top + area_height / 2.0;
    char style[96];
    snprintf(style, sizeof style, "text-anchor=\"middle\" font-size=\"14\" transform=\"rotate(-90 22 %.0f)\"", centre);
    add_label(svg, plot->y_label, 22, centre, style);
    for (int k = 0; k < plot->series_count; ++k)
    {
        if (plot->series[k].markers)
            add_markers(svg, &plot->series[k], &horizontal, &vertical, palette[k]);
        else
            add_line(svg, &plot->series[k], &horizontal, &vertical, palette[k]);
    }
    add_legend(svg, plot);
    frz_text_add(svg, "</svg>\n");
}

frz_status frz_plot_write(const char *path, const frz_plot *plot, frz_diag *diag)
{
    if (plot->series_count < 0 || plot->series_count > series_limit)
        return frz_fail(diag, FRZ_ERR_ARGUMENT, "the plot %s has %d series, at most %d can be told apart", path,
                        plot->series_count, series_limit);
    frz_text_builder svg = {0};
    draw(&svg, plot);
    const frz_status status =
        svg.failed ? frz_fail_memory(diag, path) : frz_text_write(path, svg.text, svg.length, diag);
    frz_text_builder_destroy(&svg);
    return status;
}
