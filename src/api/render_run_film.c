// SPDX-License-Identifier: MIT
// The film and the contact sheet of a run's pictures.
#include "api/render_run_internal.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "io/file_replace.h"
#include "io/text_file.h"
#include "render/paint.h"

enum
{
    sheet_width = 2400, // pixels, of all pictures side by side
    sheet_overview = 9, // pictures of a run of which no frames are asked for
    sheet_small = 6,    // up to so many of these the sheet shows all
    sheet_columns = 3,  // of an overview
    pair_columns = 2    // for 2 or 4 pictures
};

static const double slowest_film = 10.0;  // pictures per second; below this it is no film
static const double fastest_film = 120.0; // players drop pictures beyond: it must be slow motion
static const double slow_motion = 30.0;   // pictures per second then

// ---- film

static void remove_links(const char *folder, int count)
{
    char path[FRZ_PATH_SIZE];
    for (int k = 0; k < count; ++k)
        if (frz_path_format(path, NULL, "%s/%06d.png", folder, k) == FRZ_OK)
            (void)unlink(path);
    (void)rmdir(folder);
}

/// Links 000000.png, 000001.png, ... to the pictures of this film alone: ffmpeg wants numbers without gaps, and the
/// folder may hold pictures of an earlier rendering.
static frz_status make_links(const char *folder, const frz_frame_plan *plan, frz_diag *diag)
{
    char link_path[FRZ_PATH_SIZE], target[64];
    for (int k = 0; k < plan->count; ++k)
    {
        FRZ_TRY(frz_path_format(link_path, diag, "%s/%06d.png", folder, k));
        snprintf(target, sizeof target, "../frame_%06d.png", frz_frame_plan_at(plan, k));
        if (symlink(target, link_path) != 0)
            return frz_fail_file(diag, "make the link", link_path, errno);
    }
    return FRZ_OK;
}

/// In a pattern a percent sign is written twice.
static frz_status make_pattern(const char *folder, char *pattern, size_t size, frz_diag *diag)
{
    static const char ending[] = "/%06d.png";
    size_t used = 0;
    for (const char *at = folder; *at != '\0' && used + 2 < size; ++at)
    {
        if (*at == '%')
            pattern[used++] = '%';
        pattern[used++] = *at;
    }
    if (used + sizeof ending > size)
        return frz_fail(diag, FRZ_ERR_FILE, "the path of the folder %.200s is too long", folder);
    memcpy(pattern + used, ending, sizeof ending);
    return FRZ_OK;
}

double frz_film_rate(double wanted, double frame_rate, int every)
{
    const double rate = fmax(frame_rate / every, slowest_film);
    return wanted > 0.0 ? wanted : rate > fastest_film ? slow_motion : rate;
}

frz_status frz_film_make(const char *directory, const frz_frame_plan *plan, double rate, const char *path,
                         frz_diag *diag)
{
    char folder[FRZ_PATH_SIZE], pattern[FRZ_PATH_SIZE];
    FRZ_TRY(frz_file_may_replace(path, diag));
    FRZ_TRY(frz_path_format(folder, diag, "%s/images/.film-XXXXXX", directory));
    if (mkdtemp(folder) == NULL)
        return frz_fail_file(diag, "make the folder", folder, errno);
    FRZ_TRY(make_pattern(folder, pattern, sizeof pattern, diag));
    frz_status status = make_links(folder, plan, diag);
    if (status == FRZ_OK)
        status = frz_movie_encode(pattern, 0, rate, path, diag);
    remove_links(folder, plan->count);
    return status;
}

// ---- contact sheet

/// Mean of the pixels that a smaller pixel covers, in linear light.
static void reduce_row(const frz_image *from, frz_image *to, int y, const float *linear)
{
    const int y0 = (int)((int64_t)y * from->height / to->height);
    const int y1 = (int)((int64_t)(y + 1) * from->height / to->height);
    for (int x = 0; x < to->width; ++x)
    {
        const int x0 = (int)((int64_t)x * from->width / to->width);
        const int x1 = (int)((int64_t)(x + 1) * from->width / to->width);
        float sum[3] = {0.0f, 0.0f, 0.0f};
        for (int j = y0; j < y1; ++j)
        {
            const unsigned char *pixel = from->rgb + 3 * ((size_t)j * (size_t)from->width + (size_t)x0);
            for (int i = x0; i < x1; ++i, pixel += 3)
                for (int c = 0; c < 3; ++c)
                    sum[c] += linear[pixel[c]];
        }
        const float weight = 1.0f / (float)((y1 - y0) * (x1 - x0));
        unsigned char *out = to->rgb + 3 * ((size_t)y * (size_t)to->width + (size_t)x);
        for (int c = 0; c < 3; ++c)
            out[c] = (unsigned char)lrintf(255.0f * frz_srgb_encode(weight * sum[c]));
    }
}

static frz_status reduce_image(const frz_image *from, int most_width, frz_image *out, frz_diag *diag)
{
    const int width = from->width < most_width ? from->width : most_width;
    const int height = (int)((int64_t)from->height * width / from->width);
    FRZ_TRY(frz_image_create(width, height > 0 ? height : 1, out, diag));
    float linear[256];
    for (int i = 0; i < 256; ++i)
        linear[i] = frz_srgb_decode((float)i / 255.0f);
    for (int y = 0; y < out->height; ++y)
        reduce_row(from, out, y, linear);
    return FRZ_OK;
}

/// Frames that the user asked for are there to be seen, all of them; a whole run is told by a few.
static int wanted_pictures(const frz_frame_plan *plan, bool chosen)
{
    const int most = chosen ? (int)FRZ_SHEET_MOST : (int)sheet_overview;
    if (!chosen && plan->count > sheet_small && plan->count < most)
        return sheet_small; // two full rows
    return plan->count < most ? plan->count : most;
}

static int columns_for(int count)
{
    if (count == 2 || count == 4)
        return pair_columns;
    return count <= sheet_overview ? (int)sheet_columns : (int)ceil(sqrt((double)count));
}

frz_status frz_sheet_offer(frz_sheet *sheet, const frz_frame_plan *plan, bool chosen, int position,
                           const frz_image *image, const char *caption, frz_diag *diag)
{
    if (sheet->wanted == 0)
        sheet->wanted = wanted_pictures(plan, chosen);
    if (sheet->count == sheet->wanted || position != frz_frame_plan_spread(plan, sheet->count, sheet->wanted))
        return FRZ_OK;
    const int columns = columns_for(sheet->wanted);
    const int most_width = sheet_width / (columns > sheet_columns ? columns : (int)sheet_columns);
    FRZ_TRY(reduce_image(image, most_width, &sheet->images[sheet->count], diag));
    snprintf(sheet->captions[sheet->count], sizeof sheet->captions[0], "%s", caption);
    ++sheet->count;
    return FRZ_OK;
}

frz_status frz_sheet_write(const frz_sheet *sheet, const char *title, const char *path, frz_diag *diag)
{
    const char *captions[FRZ_SHEET_MOST];
    for (int k = 0; k < sheet->count; ++k)
        captions[k] = sheet->captions[k];
    frz_image image;
    FRZ_TRY(frz_contact_sheet(sheet->images, captions, sheet->count, columns_for(sheet->count), title, &image, diag));
    const frz_status status = frz_image_write_png(&image, path, diag);
    frz_image_destroy(&image);
    return status;
}

void frz_sheet_destroy(frz_sheet *sheet)
{
    for (int k = 0; k < sheet->count; ++k)
        frz_image_destroy(&sheet->images[k]);
    sheet->count = 0;
}
