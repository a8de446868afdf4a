// SPDX-License-Identifier: MIT
// Flat drawing on a finished picture: rectangles, text, legend; and the step from linear light to sRGB.
#pragma once

#include "render/raycast.h"

enum
{
    FRZ_IMAGE_MAX_SIDE = 16384 ///< pixels
};

/// Linear light <-> sRGB value, both 0..1 (IEC 61966-2-1).
float frz_srgb_encode(float linear);
float frz_srgb_decode(float encoded);

typedef struct frz_paint
{
    unsigned char r, g, b; ///< sRGB
    float opacity;         ///< 0..1
} frz_paint;

frz_paint frz_paint_from_color(frz_color color);

/// Mix the paint into one pixel; positions outside the picture are ignored.
void frz_paint_pixel(frz_image *image, int x, int y, frz_paint paint, float coverage);

/// A filled rectangle with round corners (radius may be 0); edges between pixels are antialiased.
void frz_paint_box(frz_image *image, float x, float y, float width, float height, float radius, frz_paint paint);

/// Mean luminance (linear, 0..1) of the part of the picture inside the rectangle; 0.5 if there is none.
float frz_image_luminance(const frz_image *image, int x, int y, int width, int height);

/// Text whose capitals are cap_height pixels high, baseline at y, starting at x. "^2", "^-3" become superscripts.
/// bold thickens the strokes by that factor (1 = normal).
void frz_paint_text(frz_image *image, float x, float y, float cap_height, float bold, frz_paint paint,
                    const char *text);
/// Width in pixels of the text that frz_paint_text would draw.
float frz_text_width(float cap_height, const char *text);

/// Pixels at the right of a picture that are best left to the colour bar. Depends on the title but not on the range, so
/// that the frames of a film all get the same.
float frz_legend_width(int width, int height, const frz_render_legend *legend);

/// Colour bar, title and caption. The colour map is known to exist.
void frz_legend_paint(frz_image *image, const frz_render_legend *legend);

/// A bar of a round length with its label at the bottom on the right, for a picture with this many metres per pixel.
void frz_scale_paint(frz_image *image, double pixel);
