// SPDX-License-Identifier: MIT
// Colour maps: few control points in sRGB, interpolated in Oklab, where equal steps look equal.
#include "render/raycast.h"

#include <math.h>
#include <string.h>

#include "render/paint.h"

enum
{
    largest_map = 16
};

typedef struct colormap
{
    const char *name;
    int count;
    unsigned int srgb[largest_map]; ///< 0xrrggbb, evenly spaced from 0 to 1
} colormap;

static const colormap maps[] = {
    // after the published maps of van der Walt and Smith (viridis), Mikhailov (turbo) and Moreland (coolwarm)
    {"viridis", 9, {0x440154, 0x472d7b, 0x3b528b, 0x2c728e, 0x21918c, 0x28ae80, 0x5ec962, 0xaddc30, 0xfde725}},
    {"turbo",
     16,
     {0x30123b, 0x4145ab, 0x4675ed, 0x39a2fc, 0x1bcfd4, 0x24eca6, 0x61fc6c, 0xa4fc3b, 0xd1e834, 0xf3c63a, 0xfe9b2d,
      0xf36315, 0xd93806, 0xb11901, 0x940c01, 0x7a0402}},
    // deep water, blue, turquoise, foam
    {"water", 9, {0x0b2f6b, 0x0f4a97, 0x1465bd, 0x1f81d6, 0x399de6, 0x62b8ee, 0x92d1f2, 0xc3e6f5, 0xf2f8f9}},
    // glowing metal
    {"heat", 9, {0x12070f, 0x3f0a1c, 0x751020, 0xab1d1a, 0xd83d10, 0xf26a11, 0xfd9a27, 0xfecb5c, 0xfff7d0}},
    {"coolwarm", 9, {0x3b4cc0, 0x6688ee, 0x8db0fe, 0xb8d0f9, 0xdddddd, 0xf5c4ac, 0xf4987a, 0xdd604b, 0xb40426}},
    {"gray", 2, {0x101010, 0xf6f6f6}},
};

enum
{
    map_count = sizeof maps / sizeof maps[0]
};

typedef struct oklab
{
    float l, a, b;
} oklab;

// Ottosson 2020, "A perceptual color space for image processing": matrices of linear sRGB <-> Oklab
static oklab oklab_from(frz_color c)
{
    const float l = cbrtf(0.4122214708f * c.r + 0.5363325363f * c.g + 0.0514459929f * c.b);
    const float m = cbrtf(0.2119034982f * c.r + 0.6806995451f * c.g + 0.1073969566f * c.b);
    const float s = cbrtf(0.0883024619f * c.r + 0.2817188376f * c.g + 0.6299787005f * c.b);
    const oklab lab = {0.2104542553f * l + 0.7936177850f * m - 0.0040720468f * s,
                       1.9779984951f * l - 2.4285922050f * m + 0.4505937099f * s,
                       0.0259040371f * l + 0.7827717662f * m - 0.8086757660f * s};
    return lab;
}

static frz_color color_from(oklab lab)
{
    const float l = lab.l + 0.3963377774f * lab.a + 0.2158037573f * lab.b;
    const float m = lab.l - 0.1055613458f * lab.a - 0.0638541728f * lab.b;
    const float s = lab.l - 0.0894841775f * lab.a - 1.2914855480f * lab.b;
    const float l3 = l * l * l, m3 = m * m * m, s3 = s * s * s;
    const float r = 4.0767416621f * l3 - 3.3077115913f * m3 + 0.2309699292f * s3;
    const float g = -1.2684380046f * l3 + 2.6097574011f * m3 - 0.3413193965f * s3;
    const float b = -0.0041960863f * l3 - 0.7034186147f * m3 + 1.7076147010f * s3;
    const frz_color color = {fminf(fmaxf(r, 0.0f), 1.0f), fminf(fmaxf(g, 0.0f), 1.0f), fminf(fmaxf(b, 0.0f), 1.0f)};
    return color;
}

static frz_color control_color(const colormap *map, int index)
{
    const unsigned int srgb = map->srgb[index];
    const frz_color color = {frz_srgb_decode((float)(srgb >> 16 & 0xffu) / 255.0f),
                             frz_srgb_decode((float)(srgb >> 8 & 0xffu) / 255.0f),
                             frz_srgb_decode((float)(srgb & 0xffu) / 255.0f)};
    return color;
}

bool frz_colormap_lookup(const char *name, double t, frz_color *out)
{
    const colormap *map = NULL;
    for (int i = 0; name != NULL && i < map_count; ++i)
    {
        if (strcmp(maps[i].name, name) == 0)
            map = &maps[i];
    }
    if (map == NULL)
        return false;
    const double clamped = t > 0.0 ? fmin(t, 1.0) : 0.0; // NaN becomes 0
    const double place = clamped * (map->count - 1);
    const int index = place < map->count - 1 ? (int)place : map->count - 2;
    const float fraction = (float)(place - index);
    const oklab from = oklab_from(control_color(map, index)), to = oklab_from(control_color(map, index + 1));
    const oklab mixed = {from.l + fraction * (to.l - from.l), from.a + fraction * (to.a - from.a),
                         from.b + fraction * (to.b - from.b)};
    *out = color_from(mixed);
    return true;
}

const char *const *frz_colormap_names(void)
{
    static const char *const names[] = {"viridis", "turbo", "water", "heat", "coolwarm", "gray", NULL};
    _Static_assert(sizeof names / sizeof names[0] == map_count + 1, "every map is named");
    return names;
}
