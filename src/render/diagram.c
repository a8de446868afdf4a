// SPDX-License-Identifier: MIT
// Lines of diagrams: where another thing, another face or another depth begins.
#include "render/diagram.h"

#include <math.h>

#include "base/memory.h"
#include "render/paint.h"
#include "render/ray_through.h"

enum
{
    band_rows = 16, // pixels that are looked at together
    fine = 2        // places looked at along a side of a pixel
};

static const float crease = 0.8f;                // cosine of the angle between faces that a line parts
static const float step = 3.0f;                  // pixels that a face may lie behind its neighbour's plane
static const float darkness = 0.85f;             // of a line
static const unsigned char ink[] = {24, 28, 34}; // sRGB of a line

/// The hit of a ray.
typedef struct found
{
    unsigned int id; ///< of the geometry; RTC_INVALID_GEOMETRY_ID: nothing
    frz_vec3f point, normal;
} found;

static found look(const frz_view *view, const frz_trace *trace, float screen_x, float screen_y)
{
    const frz_ray ray = frz_ray_through(view, screen_x, screen_y);
    struct RTCRayHit hit = frz_trace_ray(ray.origin, ray.direction, INFINITY);
    struct RTCIntersectContext context;
    rtcInitIntersectContext(&context);
    rtcIntersect1(trace->scene, &context, &hit);
    found f = {.id = hit.hit.geomID};
    if (f.id == RTC_INVALID_GEOMETRY_ID)
        return f;
    const frz_trace_surface at = frz_trace_surface_at(trace, &hit);
    f.point = at.point;
    f.normal = at.normal;
    return f;
}

/// Whether a line parts two neighbours; reach is the length of a pixel in picture units there.
static bool is_parted(const found *a, const found *b, float reach)
{
    if (a->id != b->id)
        return true;
    if (a->id == RTC_INVALID_GEOMETRY_ID || a->id == FRZ_TRACE_SPHERES)
        return false;
    const frz_vec3f way = frz_v3f_sub(b->point, a->point);
    return frz_v3f_dot(a->normal, b->normal) < crease ||
           (fabsf(frz_v3f_dot(way, a->normal)) > step * reach && fabsf(frz_v3f_dot(way, b->normal)) > step * reach);
}

/// A band of the picture with one place more on every side.
typedef struct band
{
    int first, rows; ///< of pixels
    int across;      ///< places in a row
    found *places;
} band;

static void fill_band(const band *b, const frz_view *view, const frz_trace *trace, const frz_image *image)
{
    for (int j = 0; j < fine * b->rows + 2; ++j)
        for (int i = 0; i < b->across; ++i)
            b->places[(size_t)j * (size_t)b->across + (size_t)i] =
                look(view, trace, ((float)i - 0.5f) / (float)(fine * image->width),
                     ((float)(fine * b->first + j) - 0.5f) / (float)(fine * image->height));
}

static bool is_on_line(const band *b, int i, int j, float pixel, const frz_view *view)
{
    const found *at = b->places + (size_t)j * (size_t)b->across + (size_t)i;
    const frz_vec3f sight = frz_v3f_sub(at->point, view->eye);
    const float reach = pixel * (view->orthographic ? 1.0f : sqrtf(frz_v3f_dot(sight, sight)));
    return is_parted(at, at - 1, reach) || is_parted(at, at + 1, reach) || is_parted(at, at - b->across, reach) ||
           is_parted(at, at + b->across, reach);
}

static void paint_band(const band *b, float pixel, const frz_view *view, frz_image *image)
{
    const frz_paint line = {ink[0], ink[1], ink[2], darkness};
    for (int y = 0; y < b->rows; ++y)
        for (int x = 0; x < image->width; ++x)
        {
            int count = 0;
            for (int k = 0; k < fine * fine; ++k)
                count += is_on_line(b, 1 + fine * x + k % fine, 1 + fine * y + k / fine, pixel, view) ? 1 : 0;
            if (count > 0)
                frz_paint_pixel(image, x, b->first + y, line, (float)count / (float)(fine * fine));
        }
}

frz_status frz_diagram_lines(const frz_view *view, const frz_trace *trace, frz_image *image, frz_diag *diag)
{
    const int bands = (image->height + band_rows - 1) / band_rows, across = fine * image->width + 2;
    const float pixel = 2.0f * view->half_height / (float)image->height;
    bool failed = false;
#pragma omp parallel for schedule(dynamic, 1) reduction(|| : failed)
    for (int k = 0; k < bands; ++k)
    {
        const int left = image->height - k * band_rows;
        band b = {k * band_rows, left < band_rows ? left : band_rows, across, NULL};
        b.places = FRZ_ALLOC("lines of a picture", (int64_t)across * (fine * b.rows + 2), found);
        failed = failed || b.places == NULL;
        if (b.places != NULL)
        {
            fill_band(&b, view, trace, image);
            paint_band(&b, pixel, view, image);
        }
        frz_free(b.places);
    }
    return failed ? frz_fail_memory(diag, "the lines of a picture") : FRZ_OK;
}
