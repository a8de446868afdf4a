// SPDX-License-Identifier: MIT
// The colour bar with round tick labels, its title, and the caption line.
#include "render/paint.h"

#include <math.h>
#include <stdio.h>

enum
{
    most_ticks = 12
};

static const float text_share = 1.0f / 54.0f; // capital height over the picture's height
static const float smallest_text = 7.0f;      // pixels; below this letters run together
static const float bar_share = 0.40f;         // bar length over the picture's height
static const float widest_share = 0.3f;       // of the picture's width that may be kept free for the legend
static const double wanted_steps = 6.0;       // tick intervals, about
static const double scale_share = 0.2;        // of the picture's width that a scale may take
static const float panel_opacity = 0.62f;
static const float middle_luminance = 0.18f; // half-way grey to the eye

typedef struct tick_list
{
    int count;
    double place[most_ticks]; ///< 0..1 along the bar
    char label[most_ticks][32];
    int exponent; ///< labels are to be multiplied by 10^exponent
} tick_list;

/// 1, 2 or 5 times a power of ten, not smaller than the given step.
static double round_step(double step)
{
    const double power = pow(10.0, floor(log10(step)));
    const double lead = step / power;
    static const double slack = 1e-9; // against 1.0000000001
    if (lead <= 1.0 + slack)
        return power;
    if (lead <= 2.0 + slack)
        return 2.0 * power;
    return lead <= 5.0 + slack ? 5.0 * power : 10.0 * power;
}

static void label_tick(tick_list *ticks, double value, int decimals)
{
    char *label = ticks->label[ticks->count];
    snprintf(label, sizeof ticks->label[0], "%.*f", decimals, value);
    bool zero = label[0] == '-'; // no "-0.00"
    for (const char *at = label + 1; zero && *at != '\0'; ++at)
        zero = *at == '0' || *at == '.';
    if (zero)
        snprintf(label, sizeof ticks->label[0], "%.*f", decimals, 0.0);
}

static tick_list find_ticks(double min, double max)
{
    tick_list ticks = {.count = 0};
    if (!isfinite(min) || !isfinite(max) || !isfinite(max - min))
        return ticks;
    const double span = max - min, largest = fmax(fabs(min), fabs(max));
    if (!(fabs(span) > 1e-9 * largest)) // one value: one label in the middle
    {
        ticks.count = 1;
        ticks.place[0] = 0.5;
        snprintf(ticks.label[0], sizeof ticks.label[0], "%.4g", min);
        return ticks;
    }
    const double step = round_step(fabs(span) / wanted_steps);
    // powers of ten leave the labels only where plain numbers would be long
    if (largest >= 1e5 || largest < 1e-2)
        ticks.exponent = 3 * (int)floor(log10(largest) / 3.0);
    const double factor = pow(10.0, ticks.exponent);
    const int decimals = (int)fmax(0.0, -floor(log10(step / factor) + 1e-9));
    const double low = fmin(min, max), high = fmax(min, max);
    const double first = ceil(low / step - 1e-6);
    for (int i = 0; i < most_ticks && first + i <= high / step + 1e-6; ++i)
    {
        const double value = (first + i) * step;
        ticks.place[ticks.count] = (value - min) / span;
        label_tick(&ticks, value / factor, decimals < 12 ? decimals : 12);
        ++ticks.count;
    }
    return ticks;
}

typedef struct ink
{
    frz_paint panel, text;
} ink;

/// Dark letters on a lightened panel over a bright picture, the other way round over a dark one.
static ink choose_ink(const frz_image *image, float x, float y, float width, float height)
{
    const bool bright = frz_image_luminance(image, (int)x, (int)y, (int)width, (int)height) > middle_luminance;
    const ink dark_on_light = {{255, 255, 255, panel_opacity}, {28, 34, 42, 1.0f}};
    const ink light_on_dark = {{14, 18, 24, panel_opacity}, {244, 246, 248, 1.0f}};
    return bright ? dark_on_light : light_on_dark;
}

static void paint_bar(frz_image *image, const frz_render_legend *legend, float x, float y, float width, float height,
                      frz_paint frame)
{
    const float line = fmaxf(1.0f, roundf(0.06f * width));
    frz_paint_box(image, x - line, y - line, width + 2.0f * line, height + 2.0f * line, 0.0f, frame);
    const int rows = (int)height;
    for (int row = 0; row < rows; ++row)
    {
        frz_color color = {0.0f, 0.0f, 0.0f};
        (void)frz_colormap_lookup(legend->colormap, 1.0 - ((double)row + 0.5) / rows, &color);
        frz_paint_box(image, x, y + (float)row, width, 1.0f, 0.0f, frz_paint_from_color(color));
    }
}

/// Capital height in pixels.
static float text_size(int height)
{
    return fmaxf(roundf(text_share * (float)height), smallest_text);
}

float frz_legend_width(int width, int height, const frz_render_legend *legend)
{
    if (legend->title == NULL)
        return 0.0f;
    const float text = text_size(height);
    const float content = fmaxf(frz_text_width(text, legend->title), 2.3f * text + frz_text_width(text, "0000"));
    return fminf(content + 3.1f * text, widest_share * (float)width);
}

static void paint_colorbar(frz_image *image, const frz_render_legend *legend, float text)
{
    const tick_list ticks = find_ticks(legend->min, legend->max);
    char factor[32] = "";
    if (ticks.exponent != 0)
        snprintf(factor, sizeof factor, "x 10^%d", ticks.exponent);
    const float pad = roundf(0.95f * text), bar_width = roundf(1.25f * text), tick = roundf(0.45f * text);
    float label_width = 0.0f;
    for (int i = 0; i < ticks.count; ++i)
        label_width = fmaxf(label_width, frz_text_width(text, ticks.label[i]));
    const float title_width = frz_text_width(text, legend->title);
    const float factor_height = factor[0] != '\0' ? roundf(1.8f * text) : 0.0f;
    const float content =
        fmaxf(fmaxf(title_width, frz_text_width(text, factor)), bar_width + tick + 0.6f * text + label_width);
    const float bar_height = roundf(bar_share * (float)image->height);
    const float width = roundf(content + 2.0f * pad);
    const float height = roundf(bar_height + 4.1f * text + factor_height + pad);
    const float x = roundf((float)image->width - width - 1.2f * text);
    const float y = roundf(0.5f * ((float)image->height - height));

    const ink colors = choose_ink(image, x, y, width, height);
    frz_paint_box(image, x, y, width, height, 0.6f * text, colors.panel);
    frz_paint_text(image, x + pad, y + pad + text, text, 1.1f, colors.text, legend->title);
    if (factor[0] != '\0')
        frz_paint_text(image, x + pad, y + pad + text + factor_height, text, 1.0f, colors.text, factor);
    const float bar_x = x + pad, bar_y = roundf(y + pad + 2.8f * text + factor_height);
    paint_bar(image, legend, bar_x, bar_y, bar_width, bar_height, colors.text);
    const float line = fmaxf(1.0f, roundf(0.1f * text));
    for (int i = 0; i < ticks.count; ++i)
    {
        const float tick_y = bar_y + (1.0f - (float)ticks.place[i]) * bar_height;
        frz_paint_box(image, bar_x + bar_width, roundf(tick_y - 0.5f * line), tick, line, 0.0f, colors.text);
        frz_paint_text(image, bar_x + bar_width + tick + 0.6f * text, tick_y + 0.5f * text, text, 1.0f, colors.text,
                       ticks.label[i]);
    }
}

static void paint_caption(frz_image *image, const char *caption, float text)
{
    const float pad = roundf(0.8f * text);
    const float width = roundf(frz_text_width(text, caption) + 2.2f * pad), height = roundf(text + 2.0f * pad);
    const float x = roundf(1.2f * text), y = roundf((float)image->height - height - 1.2f * text);
    const ink colors = choose_ink(image, x, y, width, height);
    frz_paint_box(image, x, y, width, height, 0.6f * text, colors.panel);
    frz_paint_text(image, x + 1.1f * pad, y + pad + text, text, 1.1f, colors.text, caption);
}

void frz_legend_paint(frz_image *image, const frz_render_legend *legend)
{
    const float text = text_size(image->height);
    if (legend->title != NULL)
        paint_colorbar(image, legend, text);
    if (legend->caption != NULL && legend->caption[0] != '\0')
        paint_caption(image, legend->caption, text);
}

/// The length as text in the unit that makes it a short number.
static void label_length(double length, char *text, size_t size)
{
    static const struct
    {
        double unit;
        const char *name;
    } units[] = {{1000.0, "km"}, {1.0, "m"}, {0.01, "cm"}, {1e-3, "mm"}, {1e-6, "um"}, {1e-9, "nm"}};
    size_t k = 0;
    while (k + 1 < sizeof units / sizeof units[0] && length < (1.0 - 1e-9) * units[k].unit)
        ++k;
    snprintf(text, size, "%.4g %s", length / units[k].unit, units[k].name);
}

void frz_scale_paint(frz_image *image, double pixel)
{
    const double length = round_step(scale_share * image->width * pixel / 2.0);
    if (!(length > 0.0) || !isfinite(length))
        return;
    const float text = text_size(image->height), width = (float)(length / pixel);
    const float line = fmaxf(1.0f, roundf(0.16f * text)), tick = roundf(0.5f * text), pad = roundf(1.6f * text);
    const float x = roundf((float)image->width - pad - width), y = roundf((float)image->height - pad);
    char label[32];
    label_length(length, label, sizeof label);
    const ink colors = choose_ink(image, x, y - 2.0f * text, width, 2.0f * text);
    frz_paint_box(image, x, y, width, line, 0.0f, colors.text);
    frz_paint_box(image, x, y - tick, line, 2.0f * tick + line, 0.0f, colors.text);
    frz_paint_box(image, x + width - line, y - tick, line, 2.0f * tick + line, 0.0f, colors.text);
    frz_paint_text(image, x + 0.5f * (width - frz_text_width(text, label)), y - 0.6f * text, text, 1.0f, colors.text,
                   label);
}
