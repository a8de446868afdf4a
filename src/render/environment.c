// SPDX-License-Identifier: MIT
// A picture of the surroundings as a light. The format is that of Ward's Radiance: a header of lines, then pixels of
// four bytes (red, green, blue and a common exponent), plain or each component run-length coded along a row.
#include "render/environment.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "render/color.h"

static const float pi = 3.14159265f;

enum
{
    most_columns = 16384,
    most_rows = 8192,
    most_bytes = 1 << 30,
    line_size = 256,
    coded_least = 8,      // narrower rows are never run-length coded
    exponent_offset = 136 // 128 of the format and 8 bits of the mantissa
};

typedef struct reader
{
    const unsigned char *bytes;
    size_t size, at;
    const char *name;
    frz_diag *diag;
} reader;

static frz_status fail(const reader *r, const char *fault)
{
    return frz_fail(r->diag, FRZ_ERR_FILE, "environment '%.200s', byte %zu: %s", r->name, r->at, fault);
}

/// The next line without its end; false at the end of the file or when it is too long.
static bool next_line(reader *r, char line[line_size])
{
    size_t length = 0;
    while (r->at < r->size && r->bytes[r->at] != '\n')
    {
        if (length + 1 >= line_size)
            return false;
        line[length++] = (char)r->bytes[r->at++];
    }
    line[length] = '\0';
    return r->at++ < r->size;
}

/// A word and the number behind it; at goes behind them.
static bool read_side(char **at, const char *word, int *side)
{
    const size_t length = strlen(word);
    if (strncmp(*at, word, length) != 0 || (*at)[length] < '0' || (*at)[length] > '9')
        return false;
    const long value = strtol(*at + length, at, 10);
    *side = value <= most_columns ? (int)value : most_columns + 1;
    return true;
}

static frz_status read_header(reader *r, int *width, int *height)
{
    char line[line_size];
    bool known = false;
    if (!next_line(r, line) || (strcmp(line, "#?RADIANCE") != 0 && strcmp(line, "#?RGBE") != 0))
        return fail(r, "a Radiance picture (.hdr) begins with the line '#?RADIANCE'");
    for (;;)
    {
        if (!next_line(r, line))
            return fail(r, "the header has no end");
        if (line[0] == '\0')
            break;
        known = known || strcmp(line, "FORMAT=32-bit_rle_rgbe") == 0;
    }
    if (!known)
        return fail(r, "the header lacks the line 'FORMAT=32-bit_rle_rgbe'");
    char *end = line;
    if (!next_line(r, line) || !read_side(&end, "-Y ", height) || !read_side(&end, " +X ", width) || *end != '\0')
        return fail(r, "the line behind the header must be '-Y <rows> +X <columns>'");
    if (*width < 2 || *height < 1 || *width > most_columns || *height > most_rows)
        return fail(r, "the picture must have 2 to 16384 columns and 1 to 8192 rows");
    return FRZ_OK;
}

/// One component of a run-length coded row into every fourth byte.
static frz_status read_component(reader *r, unsigned char *row, int width, int component)
{
    for (int x = 0; x < width;)
    {
        if (r->at >= r->size)
            return fail(r, "the file ends within the picture");
        int count = r->bytes[r->at++];
        const bool run = count > 128;
        count = run ? count - 128 : count;
        if (count == 0 || count > width - x || r->size - r->at < (size_t)(run ? 1 : count))
            return fail(r, "a run of pixels is longer than its row or the file");
        for (int k = 0; k < count; ++k, ++x)
            row[4 * x + component] = r->bytes[run ? r->at : r->at + (size_t)k];
        r->at += run ? 1 : (size_t)count;
    }
    return FRZ_OK;
}

static frz_status read_row(reader *r, unsigned char *row, int width)
{
    const unsigned char *head = r->bytes + r->at;
    if (r->size - r->at < 4)
        return fail(r, "the file ends within the picture");
    const bool coded = width >= coded_least && head[0] == 2 && head[1] == 2 && (head[2] << 8 | head[3]) == width;
    if (!coded)
    {
        if (r->size - r->at < 4 * (size_t)width)
            return fail(r, "the file ends within the picture");
        memcpy(row, head, 4 * (size_t)width);
        r->at += 4 * (size_t)width;
        return FRZ_OK;
    }
    r->at += 4;
    for (int component = 0; component < 4; ++component)
        FRZ_TRY(read_component(r, row, width, component));
    return FRZ_OK;
}

static frz_color decode(const unsigned char *rgbe)
{
    if (rgbe[3] == 0)
        return (frz_color){0.0f, 0.0f, 0.0f};
    const float scale = fminf(ldexpf(1.0f, (int)rgbe[3] - exponent_offset), 1e6f);
    const frz_color color = {scale * (float)rgbe[0], scale * (float)rgbe[1], scale * (float)rgbe[2]};
    return color;
}

/// Tables for choosing pixels in proportion to their light. A dark picture has none.
static frz_status make_tables(reader *r, frz_environment *e)
{
    double total = 0.0;
    for (int y = 0; y < e->height; ++y)
    {
        const float ring = sinf(pi * ((float)y + 0.5f) / (float)e->height);
        double sum = 0.0;
        float *share = e->column_sum + (size_t)y * ((size_t)e->width + 1);
        for (int x = 0; x < e->width; ++x)
        {
            const size_t at = (size_t)y * (size_t)e->width + (size_t)x;
            e->weight[at] = ring * frz_color_luminance(e->pixels[at]);
            sum += (double)e->weight[at];
            share[x + 1] = (float)sum;
        }
        for (int x = 1; x <= e->width; ++x)
            share[x] = sum > 0.0 ? (float)((double)share[x] / sum) : (float)x / (float)e->width;
        total += sum;
        e->row_sum[y + 1] = (float)total;
    }
    if (!(total > 0.0))
        return fail(r, "the picture is black");
    for (int y = 1; y <= e->height; ++y)
        e->row_sum[y] = (float)((double)e->row_sum[y] / total);
    for (size_t at = 0; at < (size_t)e->width * (size_t)e->height; ++at)
        e->weight[at] = (float)((double)e->weight[at] / total);
    return FRZ_OK;
}

static frz_status read_pixels(reader *r, frz_environment *e)
{
    const size_t count = (size_t)e->width * (size_t)e->height;
    e->pixels = FRZ_ALLOC("environment", count, frz_color);
    e->weight = FRZ_ALLOC("environment", count, float);
    e->row_sum = FRZ_ALLOC("environment", e->height + 1, float);
    e->column_sum = FRZ_ALLOC("environment", (size_t)e->height * ((size_t)e->width + 1), float);
    unsigned char *row = FRZ_ALLOC("environment", 4 * (size_t)e->width, unsigned char);
    frz_status status = FRZ_OK;
    if (e->pixels == NULL || e->weight == NULL || e->row_sum == NULL || e->column_sum == NULL || row == NULL)
        status = frz_fail_memory(r->diag, "the picture of the surroundings");
    for (int y = 0; y < e->height && status == FRZ_OK; ++y)
    {
        status = read_row(r, row, e->width);
        for (int x = 0; x < e->width && status == FRZ_OK; ++x)
            e->pixels[(size_t)y * (size_t)e->width + (size_t)x] = decode(row + 4 * (size_t)x);
    }
    frz_free(row);
    return status == FRZ_OK ? make_tables(r, e) : status;
}

frz_status frz_environment_parse(const unsigned char *bytes, size_t size, const char *name, frz_environment **out,
                                 frz_diag *diag)
{
    reader r = {.bytes = bytes, .size = size, .name = name, .diag = diag};
    int width = 0, height = 0;
    *out = NULL;
    FRZ_TRY(read_header(&r, &width, &height));
    if (r.size - r.at < (size_t)height * 4) // a coded row has 4 bytes at least: do not reserve for a false promise
        return fail(&r, "the file ends within the picture");
    frz_environment *e = FRZ_ALLOC("environment", 1, frz_environment);
    if (e == NULL)
        return frz_fail_memory(diag, "the picture of the surroundings");
    e->width = width;
    e->height = height;
    const frz_status status = read_pixels(&r, e);
    if (status != FRZ_OK)
        frz_environment_destroy(&e);
    *out = e;
    return status;
}

frz_status frz_environment_read(const char *path, frz_environment **out, frz_diag *diag)
{
    char *bytes = NULL;
    size_t length = 0;
    *out = NULL;
    FRZ_TRY(frz_file_read(path, "environment", most_bytes, &bytes, &length, diag));
    const frz_status status = frz_environment_parse((const unsigned char *)bytes, length, path, out, diag);
    frz_free(bytes);
    return status;
}

void frz_environment_destroy(frz_environment **environment)
{
    frz_environment *e = *environment;
    if (e != NULL)
    {
        frz_free(e->pixels);
        frz_free(e->weight);
        frz_free(e->row_sum);
        frz_free(e->column_sum);
        frz_free(e);
    }
    *environment = NULL;
}

// ---- directions: longitude around up, latitude from the zenith

static size_t pixel_at(const frz_environment *e, frz_vec3f direction, frz_vec3f up)
{
    frz_vec3f east, north;
    frz_v3f_frame(up, &east, &north);
    const float height = fminf(fmaxf(frz_v3f_dot(direction, up), -1.0f), 1.0f);
    const float turn = atan2f(frz_v3f_dot(direction, north), frz_v3f_dot(direction, east)) / (2.0f * pi) + 0.5f;
    const int x = (int)fminf(turn * (float)e->width, (float)e->width - 1.0f);
    const int y = (int)fminf(acosf(height) / pi * (float)e->height, (float)e->height - 1.0f);
    return (size_t)y * (size_t)e->width + (size_t)x;
}

frz_color frz_environment_radiance(const frz_environment *environment, frz_vec3f direction, frz_vec3f up)
{
    return environment->pixels[pixel_at(environment, direction, up)];
}

/// Density of a pixel per steradian.
static float pixel_density(const frz_environment *e, size_t pixel)
{
    const size_t row = pixel / (size_t)e->width;
    const float top = cosf(pi * (float)row / (float)e->height);
    const float bottom = cosf(pi * (float)(row + 1) / (float)e->height);
    return e->weight[pixel] * (float)e->width / (2.0f * pi * (top - bottom));
}

float frz_environment_density(const frz_environment *environment, frz_vec3f direction, frz_vec3f up)
{
    return pixel_density(environment, pixel_at(environment, direction, up));
}

/// The interval of a table of sums that holds a value, and the place in it, 0 to 1.
static int find(const float *sums, int count, float value, float *place)
{
    int low = 0, high = count; // sums[low] <= value < sums[high]
    while (high - low > 1)
    {
        const int middle = (low + high) / 2;
        if (sums[middle] <= value)
            low = middle;
        else
            high = middle;
    }
    const float width = sums[low + 1] - sums[low];
    *place = width > 0.0f ? fminf((value - sums[low]) / width, 0.9999f) : 0.5f;
    return low;
}

frz_vec3f frz_environment_sample(const frz_environment *environment, frz_point2f random, frz_vec3f up, float *density)
{
    const frz_environment *e = environment;
    float down = 0.0f, across = 0.0f;
    const int y = find(e->row_sum, e->height, random.x, &down);
    const int x = find(e->column_sum + (size_t)y * ((size_t)e->width + 1), e->width, random.y, &across);
    const float latitude = pi * ((float)y + down) / (float)e->height;
    const float longitude = 2.0f * pi * (((float)x + across) / (float)e->width - 0.5f);
    frz_vec3f east, north;
    frz_v3f_frame(up, &east, &north);
    frz_vec3f direction = frz_v3f_scale(cosf(latitude), up);
    direction = frz_v3f_mad(direction, sinf(latitude) * cosf(longitude), east);
    direction = frz_v3f_mad(direction, sinf(latitude) * sinf(longitude), north);
    *density = pixel_density(e, (size_t)y * (size_t)e->width + (size_t)x);
    return frz_v3f_normalize(direction);
}
