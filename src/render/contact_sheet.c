// SPDX-License-Identifier: MIT
// Several pictures on one sheet: a grid of equal cells, captions below each, a title on top.
#include "render/raycast.h"

#include <math.h>
#include <string.h>

#include "render/paint.h"

static const float caption_share = 1.0f / 36.0f; // capital height over a cell's width
static const float smallest_caption = 8.0f;      // pixels
static const float largest_caption = 40.0f;      // pixels
static const float title_scale = 1.5f;           // over the captions

typedef struct sheet
{
    int columns, rows;
    int cell_width, cell_height; ///< pixels of the largest picture
    int gap, title_height, caption_height;
    float text; ///< capital height of the captions, pixels
} sheet;

static const frz_paint dark = {28, 34, 42, 1.0f};

static void copy_image(const frz_image *from, frz_image *to, int x, int y)
{
    for (int row = 0; row < from->height; ++row)
    {
        memcpy(to->rgb + 3 * ((size_t)(y + row) * (size_t)to->width + (size_t)x),
               from->rgb + 3 * (size_t)row * (size_t)from->width, 3 * (size_t)from->width);
    }
}

/// Text in the middle of a span, made smaller if it does not fit.
static void paint_centered(frz_image *image, float x, float width, float baseline, float text, float bold,
                           const char *line)
{
    const float natural = frz_text_width(text, line);
    const float fitted = natural > width ? text * width / natural : text;
    frz_paint_text(image, x + 0.5f * (width - frz_text_width(fitted, line)), baseline, fitted, bold, dark, line);
}

static sheet lay_out(const frz_image *images, const char *const *captions, int count, int columns, const char *title)
{
    sheet plan = {.columns = columns < count ? columns : count};
    plan.rows = (count + plan.columns - 1) / plan.columns;
    bool captioned = false;
    for (int i = 0; i < count; ++i)
    {
        plan.cell_width = images[i].width > plan.cell_width ? images[i].width : plan.cell_width;
        plan.cell_height = images[i].height > plan.cell_height ? images[i].height : plan.cell_height;
        captioned = captioned || (captions != NULL && captions[i] != NULL && captions[i][0] != '\0');
    }
    const float wanted = roundf(caption_share * (float)plan.cell_width);
    plan.text = fminf(fmaxf(wanted, smallest_caption), largest_caption);
    plan.gap = (int)(1.5f * plan.text);
    plan.caption_height = captioned ? (int)(2.4f * plan.text) : 0;
    plan.title_height = title != NULL && title[0] != '\0' ? (int)(3.0f * title_scale * plan.text) - plan.gap : 0;
    return plan;
}

static void fill_sheet(const sheet *plan, const frz_image *images, const char *const *captions, int count,
                       const char *title, frz_image *out)
{
    memset(out->rgb, 255, 3 * (size_t)out->width * (size_t)out->height);
    const int top = plan->gap + plan->title_height;
    if (plan->title_height > 0)
    {
        const float text = title_scale * plan->text;
        const float middle = 0.5f * (float)top;
        paint_centered(out, (float)plan->gap, (float)(out->width - 2 * plan->gap), middle + 0.5f * text, text, 1.2f,
                       title);
    }
    for (int i = 0; i < count; ++i)
    {
        const int x = plan->gap + i % plan->columns * (plan->cell_width + plan->gap);
        const int y = top + i / plan->columns * (plan->cell_height + plan->caption_height + plan->gap);
        copy_image(&images[i], out, x + (plan->cell_width - images[i].width) / 2,
                   y + (plan->cell_height - images[i].height) / 2);
        if (captions != NULL && captions[i] != NULL)
            paint_centered(out, (float)x, (float)plan->cell_width, (float)(y + plan->cell_height) + 1.9f * plan->text,
                           plan->text, 1.0f, captions[i]);
    }
}

frz_status frz_contact_sheet(const frz_image *images, const char *const *captions, int count, int columns,
                             const char *title, frz_image *out, frz_diag *diag)
{
    *out = (frz_image){0, 0, NULL};
    if (images == NULL || count < 1 || columns < 1)
        return frz_fail(diag, FRZ_ERR_ARGUMENT, "a contact sheet needs at least one picture and one column");
    for (int i = 0; i < count; ++i)
    {
        if (images[i].rgb == NULL)
            return frz_fail(diag, FRZ_ERR_ARGUMENT, "picture %d of the contact sheet is empty", i + 1);
    }
    const sheet plan = lay_out(images, captions, count, columns, title);
    const int64_t width = plan.gap + (int64_t)plan.columns * (plan.cell_width + plan.gap);
    const int64_t height =
        plan.gap + plan.title_height + (int64_t)plan.rows * (plan.cell_height + plan.caption_height + plan.gap);
    if (width > FRZ_IMAGE_MAX_SIDE || height > FRZ_IMAGE_MAX_SIDE)
        return frz_fail(diag, FRZ_ERR_ARGUMENT,
                        "the contact sheet would have %lld x %lld pixels, at most %d on a side are possible; use fewer "
                        "or smaller pictures, or another number of columns",
                        (long long)width, (long long)height, FRZ_IMAGE_MAX_SIDE);
    FRZ_TRY(frz_image_create((int)width, (int)height, out, diag));
    fill_sheet(&plan, images, captions, count, title, out);
    return FRZ_OK;
}
