// SPDX-License-Identifier: MIT
// Edge-stopping wavelet filter (Dammertz et al. 2010, "Edge-avoiding a-trous wavelet transform for fast global
// illumination filtering"), with weights by the variance of the samples (Schied et al. 2017, "Spatiotemporal
// variance-guided filtering"). The albedo is divided out first, so that it is not smoothed.
#include "render/denoise.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "render/color.h"

enum
{
    levels = 5, // the widest reaches 32 pixels to each side
    reach = 2   // taps to each side
};

static const float taps[reach + 1] = {3.0f / 8.0f, 1.0f / 4.0f, 1.0f / 16.0f}; // cubic B-spline
static const float bright_reach = 3.0f;  // standard deviations of the brightness that count as noise
static const float normal_power = 64.0f; // exponent of the cosine between normals
static const float albedo_reach = 0.06f; // difference of albedos that ends the smoothing
static const float speck_noise = 0.05f;  // standard deviation over brightness from which a single pixel may be a speck
static const float least_albedo = 0.02f; // darker surfaces keep their noise instead of dividing by it

typedef struct filter
{
    int width, height;
    frz_color *light, *next; ///< colour over albedo
    float *variance, *next_variance;
    const frz_color *albedo;
    const frz_vec3f *normal;
} filter;

frz_status frz_noisy_picture_create(int width, int height, frz_noisy_picture *out, frz_diag *diag)
{
    const size_t count = (size_t)width * (size_t)height;
    *out = (frz_noisy_picture){.width = width, .height = height};
    out->color = FRZ_ALLOC("picture", count, frz_color);
    out->variance = FRZ_ALLOC("picture", count, float);
    out->albedo = FRZ_ALLOC("picture", count, frz_color);
    out->normal = FRZ_ALLOC("picture", count, frz_vec3f);
    if (out->color != NULL && out->variance != NULL && out->albedo != NULL && out->normal != NULL)
        return FRZ_OK;
    frz_noisy_picture_destroy(out);
    return frz_fail_memory(diag, "a picture");
}

void frz_noisy_picture_destroy(frz_noisy_picture *picture)
{
    frz_free(picture->color);
    frz_free(picture->variance);
    frz_free(picture->albedo);
    frz_free(picture->normal);
    *picture = (frz_noisy_picture){.width = 0};
}

static frz_color divide(frz_color c, frz_color by)
{
    const frz_color out = {c.r / (by.r + least_albedo), c.g / (by.g + least_albedo), c.b / (by.b + least_albedo)};
    return out;
}

/// Variance around a pixel: that of a few samples is noisy itself.
static float steady_variance(const filter *f, int x, int y)
{
    float sum = 0.0f, weights = 0.0f;
    for (int dy = -1; dy <= 1; ++dy)
    {
        for (int dx = -1; dx <= 1; ++dx)
        {
            const int px = x + dx, py = y + dy;
            if (px < 0 || py < 0 || px >= f->width || py >= f->height)
                continue;
            const float weight = (dx == 0 ? 2.0f : 1.0f) * (dy == 0 ? 2.0f : 1.0f);
            sum += weight * f->variance[(size_t)py * (size_t)f->width + (size_t)px];
            weights += weight;
        }
    }
    return sum / weights;
}

/// Colour of light on this albedo over the albedo's brightness: the variance is that of the product. (On red wax hardly
/// any light is green, however much noise the division by little green makes.)
static frz_color seen_color(frz_color albedo)
{
    const frz_color seen = {albedo.r + least_albedo, albedo.g + least_albedo, albedo.b + least_albedo};
    return frz_color_scale(1.0f / (frz_color_luminance(albedo) + least_albedo), seen);
}

/// Weight of pixel b in the mean around pixel a, whose brightness has the deviation.
static float alike(const filter *f, size_t a, size_t b, frz_color seen, float deviation)
{
    const frz_color la = f->albedo[a], lb = f->albedo[b];
    const float albedo = fmaxf(fmaxf(fabsf(la.r - lb.r), fabsf(la.g - lb.g)), fabsf(la.b - lb.b)) / albedo_reach;
    const float cosine = fmaxf(frz_v3f_dot(f->normal[a], f->normal[b]), 0.0f);
    const frz_color change = {f->light[a].r - f->light[b].r, f->light[a].g - f->light[b].g,
                              f->light[a].b - f->light[b].b};
    const float light = fabsf(frz_color_luminance(frz_color_mul(seen, change))) / deviation;
    const float apart = light + albedo * albedo + normal_power * (1.0f - fminf(cosine, 1.0f));
    const float root = fmaxf(1.0f - 0.125f * apart, 0.0f), square = root * root, fourth = square * square;
    return fourth * fourth; // (1 - x / 8)^8, near exp(-x) and cheaper
}

static void smooth_pixel(const filter *f, int x, int y, int step)
{
    const size_t center = (size_t)y * (size_t)f->width + (size_t)x;
    const float deviation = bright_reach * sqrtf(steady_variance(f, x, y)) + 1e-4f;
    const frz_color seen = seen_color(f->albedo[center]);
    frz_color sum = {0.0f, 0.0f, 0.0f};
    float weights = 0.0f, variance = 0.0f;
    for (int dy = -reach; dy <= reach; ++dy)
    {
        for (int dx = -reach; dx <= reach; ++dx)
        {
            const int px = x + dx * step, py = y + dy * step;
            if (px < 0 || py < 0 || px >= f->width || py >= f->height)
                continue;
            const size_t at = (size_t)py * (size_t)f->width + (size_t)px;
            const float tap = taps[dx < 0 ? -dx : dx] * taps[dy < 0 ? -dy : dy];
            const float weight = at == center ? tap : tap * alike(f, center, at, seen, deviation);
            sum.r += weight * f->light[at].r;
            sum.g += weight * f->light[at].g;
            sum.b += weight * f->light[at].b;
            variance += weight * weight * f->variance[at];
            weights += weight;
        }
    }
    f->next[center] = (frz_color){sum.r / weights, sum.g / weights, sum.b / weights};
    f->next_variance[center] = variance / (weights * weights);
}

static void smooth(filter *f)
{
    for (int level = 0; level < levels; ++level)
    {
#pragma omp parallel for schedule(dynamic, 8)
        for (int y = 0; y < f->height; ++y)
            for (int x = 0; x < f->width; ++x)
                smooth_pixel(f, x, y, 1 << level);
        frz_color *light = f->light;
        f->light = f->next;
        f->next = light;
        float *variance = f->variance;
        f->variance = f->next_variance;
        f->next_variance = variance;
    }
}

// ---- single pixels

/// A channel of a pixel, held within the second least and the second largest of those around it.
static float hold(float own, const float *around, int count)
{
    float low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
    for (int k = 0; k < count; ++k)
    {
        const float v = around[k];
        low[1] = fminf(low[1], fmaxf(low[0], v));
        low[0] = fminf(low[0], v);
        high[1] = fmaxf(high[1], fminf(high[0], v));
        high[0] = fmaxf(high[0], v);
    }
    return fminf(fmaxf(own, low[1]), high[1]);
}

/// Where few light paths find much light, single pixels are too bright or too dark and differ from all around, so that
/// the smoothing takes them for a thing of their own. Those whose noise is large become like their neighbours; lines
/// are longer than a pixel and stay.
static void remove_specks(const frz_noisy_picture *picture, frz_color *out)
{
    const int width = picture->width, height = picture->height;
#pragma omp parallel for schedule(static)
    for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x)
        {
            const size_t at = (size_t)y * (size_t)width + (size_t)x;
            const frz_color own = picture->color[at];
            float red[8], green[8], blue[8];
            int count = 0;
            for (int k = 0; k < 9; ++k)
            {
                const int px = x + k % 3 - 1, py = y + k / 3 - 1;
                if (k == 4 || px < 0 || py < 0 || px >= width || py >= height)
                    continue;
                const frz_color c = picture->color[(size_t)py * (size_t)width + (size_t)px];
                red[count] = c.r;
                green[count] = c.g;
                blue[count++] = c.b;
            }
            const bool noisy = sqrtf(picture->variance[at]) > speck_noise * frz_color_luminance(own);
            out[at] = noisy && count > 2
                          ? (frz_color){hold(own.r, red, count), hold(own.g, green, count), hold(own.b, blue, count)}
                          : own;
        }
}

frz_status frz_denoise(frz_noisy_picture *picture, frz_diag *diag)
{
    const size_t count = (size_t)picture->width * (size_t)picture->height;
    filter f = {
        .width = picture->width, .height = picture->height, .albedo = picture->albedo, .normal = picture->normal};
    f.light = FRZ_ALLOC("picture", count, frz_color);
    f.next = FRZ_ALLOC("picture", count, frz_color);
    f.variance = FRZ_ALLOC("picture", count, float);
    f.next_variance = FRZ_ALLOC("picture", count, float);
    const bool complete = f.light != NULL && f.next != NULL && f.variance != NULL && f.next_variance != NULL;
    for (size_t i = 0; i < count && complete; ++i)
    {
        const frz_color albedo = picture->albedo[i];
        const float scale = 1.0f / (frz_color_luminance(albedo) + least_albedo);
        f.light[i] = divide(picture->color[i], albedo);
        f.variance[i] = picture->variance[i] * scale * scale;
    }
    if (complete)
        smooth(&f);
    for (size_t i = 0; i < count && complete; ++i)
    {
        const frz_color albedo = picture->albedo[i], light = f.light[i];
        picture->color[i] = (frz_color){light.r * (albedo.r + least_albedo), light.g * (albedo.g + least_albedo),
                                        light.b * (albedo.b + least_albedo)};
    }
    if (complete)
    {
        remove_specks(picture, f.next);
        memcpy(picture->color, f.next, count * sizeof *picture->color);
    }
    frz_free(f.light);
    frz_free(f.next);
    frz_free(f.variance);
    frz_free(f.next_variance);
    return complete ? FRZ_OK : frz_fail_memory(diag, "a picture");
}
