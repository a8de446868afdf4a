// SPDX-License-Identifier: MIT
// Pixels, rectangles and the sRGB transfer curve.
#include "render/paint.h"

#include <math.h>

float frz_srgb_encode(float linear)
{
    // IEC 61966-2-1, also for the two constants below
    if (!(linear > 0.0f))
        return 0.0f;
    if (linear >= 1.0f)
        return 1.0f;
    return linear <= 0.0031308f ? 12.92f * linear : 1.055f * powf(linear, 1.0f / 2.4f) - 0.055f;
}

float frz_srgb_decode(float encoded)
{
    return encoded <= 0.04045f ? encoded / 12.92f : powf((encoded + 0.055f) / 1.055f, 2.4f);
}

static unsigned char to_byte(float unit)
{
    return (unsigned char)(fminf(fmaxf(unit, 0.0f), 1.0f) * 255.0f + 0.5f);
}

frz_paint frz_paint_from_color(frz_color color)
{
    const frz_paint paint = {to_byte(frz_srgb_encode(color.r)), to_byte(frz_srgb_encode(color.g)),
                             to_byte(frz_srgb_encode(color.b)), 1.0f};
    return paint;
}

static unsigned char mix_byte(unsigned char under, unsigned char over, float alpha)
{
    return (unsigned char)((float)under + ((float)over - (float)under) * alpha + 0.5f);
}

void frz_paint_pixel(frz_image *image, int x, int y, frz_paint paint, float coverage)
{
    if (x < 0 || y < 0 || x >= image->width || y >= image->height)
        return;
    const float alpha = fminf(fmaxf(coverage * paint.opacity, 0.0f), 1.0f);
    unsigned char *pixel = image->rgb + 3 * ((size_t)y * (size_t)image->width + (size_t)x);
    pixel[0] = mix_byte(pixel[0], paint.r, alpha);
    pixel[1] = mix_byte(pixel[1], paint.g, alpha);
    pixel[2] = mix_byte(pixel[2], paint.b, alpha);
}

void frz_paint_box(frz_image *image, float x, float y, float width, float height, float radius, frz_paint paint)
{
    const float half_width = 0.5f * width, half_height = 0.5f * height;
    const float center_x = x + half_width, center_y = y + half_height;
    radius = fminf(radius, fminf(half_width, half_height));
    const int first_x = (int)fmaxf(floorf(x), 0.0f), first_y = (int)fmaxf(floorf(y), 0.0f);
    const int last_x = (int)fminf(ceilf(x + width), (float)image->width);
    const int last_y = (int)fminf(ceilf(y + height), (float)image->height);
    for (int row = first_y; row < last_y; ++row)
    {
        for (int column = first_x; column < last_x; ++column)
        {
            // signed distance of the pixel's centre from the rounded rectangle
            const float dx = fabsf((float)column + 0.5f - center_x) - half_width + radius;
            const float dy = fabsf((float)row + 0.5f - center_y) - half_height + radius;
            const float outside = hypotf(fmaxf(dx, 0.0f), fmaxf(dy, 0.0f));
            const float distance = outside + fminf(fmaxf(dx, dy), 0.0f) - radius;
            frz_paint_pixel(image, column, row, paint, fminf(fmaxf(0.5f - distance, 0.0f), 1.0f));
        }
    }
}

float frz_image_luminance(const frz_image *image, int x, int y, int width, int height)
{
    double sum = 0.0;
    int64_t count = 0;
    for (int row = y < 0 ? 0 : y; row < y + height && row < image->height; ++row)
    {
        for (int column = x < 0 ? 0 : x; column < x + width && column < image->width; ++column, ++count)
        {
            const unsigned char *pixel = image->rgb + 3 * ((size_t)row * (size_t)image->width + (size_t)column);
            // Rec. 709 weights
            sum += 0.2126 * (double)frz_srgb_decode((float)pixel[0] / 255.0f) +
                   0.7152 * (double)frz_srgb_decode((float)pixel[1] / 255.0f) +
                   0.0722 * (double)frz_srgb_decode((float)pixel[2] / 255.0f);
        }
    }
    return count > 0 ? (float)(sum / (double)count) : 0.5f;
}
