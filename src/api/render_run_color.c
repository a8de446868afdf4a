// SPDX-License-Identifier: MIT
// Colours of the particles in pictures: which field, which map, which range.
#include "api/render_run_internal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "render/paint.h"
#include "scene/suggest.h"

enum
{
    range_frames = 24,    // looked at for the range, spread over those drawn
    range_samples = 8192, // particles looked at in each of them
    most_fields = 64,     // listed in a message
    phrase_size = 400,    // bytes of a part of a message
    range_steps = 10      // about this many round numbers in the range
};

/// sRGB of materials without a colour, in the order of the scene; told apart by those who do not see red and green, too
/// (after Okabe & Ito 2008). The first is that of a liquid.
static const unsigned char palette[][3] = {{41, 128, 215}, {230, 159, 0},  {0, 158, 115}, {204, 121, 167},
                                           {213, 94, 0},   {86, 180, 233}, {240, 228, 66}};

static const double low_share = 0.02, high_share = 0.98; // percentiles: a few stray particles do not dim the rest
static const double flat_share = 0.01; // half-width of the range of a field with one value, of that value

double frz_coloring_value(const frz_array_desc *array, int64_t row)
{
    if (array->components == 1)
        return frz_array_value(array, row, 0);
    double sum = 0.0;
    for (int c = 0; c < array->components; ++c)
    {
        const double value = frz_array_value(array, row, c);
        sum += value * value;
    }
    return sqrt(sum);
}

static frz_status fail_unknown_field(const frz_frame *frame, const char *name, frz_diag *diag)
{
    const char *names[most_fields + 2] = {NULL};
    int count = 0;
    frz_suggestion suggestion = {.word = name};
    for (; count < frame->field_count && count < most_fields; ++count)
    {
        names[count] = frame->fields[count].name;
        frz_suggestion_offer(&suggestion, names[count]);
    }
    names[count] = "none";
    char all[phrase_size], hint[phrase_size];
    return frz_fail(diag, FRZ_ERR_ARGUMENT, "frame %d has no field '%.60s'; it can be coloured by %s%s", frame->index,
                    name, frz_words_join(names, " or ", all, sizeof all),
                    frz_suggestion_text(&suggestion, hint, sizeof hint));
}

// ---- range

static int compare_doubles(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static int collect_values(const frz_array_desc *array, double *values)
{
    const int64_t stride = array->rows / range_samples + 1;
    int count = 0;
    for (int64_t row = 0; row < array->rows && count < range_samples; row += stride)
    {
        const double value = frz_coloring_value(array, row);
        if (isfinite(value))
            values[count++] = value;
    }
    return count;
}

/// 1, 2 or 5 times a power of ten, near the given step.
static double round_step(double step)
{
    const double power = pow(10.0, floor(log10(step)));
    const double lead = step / power;
    return power * (lead < 1.5 ? 1.0 : lead < 3.5 ? 2.0 : lead < 7.5 ? 5.0 : 10.0);
}

static void round_outwards(double *min, double *max)
{
    if (!(*max - *min > 1e-6 * fmax(fabs(*min), fabs(*max)))) // one value only
    {
        const double pad = *max != 0.0 ? flat_share * fabs(*max) : 1.0;
        *min -= *max != 0.0 ? pad : 0.0;
        *max += pad;
    }
    const double step = round_step((*max - *min) / range_steps);
    *min = step * floor(*min / step + 1e-9);
    *max = step * ceil(*max / step - 1e-9);
}

/// Robust range of the field over the frames drawn.
static frz_status find_range(const char *directory, const frz_frame_plan *plan, frz_coloring *coloring, frz_diag *diag)
{
    const int frames = plan->count < range_frames ? plan->count : (int)range_frames;
    double *values = FRZ_ALLOC("range of a field", frames * range_samples, double);
    if (values == NULL)
        return frz_fail_memory(diag, "the range of a field");
    int count = 0;
    bool length = false;
    frz_status status = FRZ_OK;
    for (int k = 0; k < frames && status == FRZ_OK; ++k)
    {
        frz_frame_data data;
        status =
            frz_frame_read(directory, frz_frame_plan_at(plan, frz_frame_plan_spread(plan, k, frames)), &data, diag);
        if (status != FRZ_OK)
            break;
        const frz_array_desc *array = frz_frame_field(&data.frame, coloring->field);
        if (array != NULL)
        {
            count += collect_values(array, values + count);
            length = array->components > 1;
        }
        frz_frame_data_destroy(&data);
    }
    coloring->min = 0.0;
    coloring->max = 0.0;
    if (count > 0)
    {
        qsort(values, (size_t)count, sizeof *values, compare_doubles);
        coloring->min = length ? 0.0 : values[(int)(low_share * (count - 1))];
        coloring->max = values[(int)(high_share * (count - 1))];
    }
    frz_free(values);
    round_outwards(&coloring->min, &coloring->max);
    return status;
}

static frz_status choose_range(const frz_render_def *def, const frz_scene *scene, const frz_frame_plan *plan,
                               frz_coloring *coloring, frz_diag *diag)
{
    if (def->has_range)
    {
        coloring->min = def->min;
        coloring->max = def->max;
        return FRZ_OK;
    }
    const frz_scene_coloring *wish = &scene->output.color;
    // the scene's range belongs to the scene's field
    const bool same = def->field == NULL || (wish->field != NULL && strcmp(def->field, wish->field) == 0);
    const bool has_min = same && wish->has_min, has_max = same && wish->has_max;
    if (!has_min || !has_max)
        FRZ_TRY(find_range(def->directory, plan, coloring, diag));
    if (has_min)
        coloring->min = wish->min;
    if (has_max)
        coloring->max = wish->max;
    if (!(coloring->max > coloring->min)) // one limit given, all data on its other side
        coloring->max = coloring->min + fmax(flat_share * fabs(coloring->min), 1e-30);
    return FRZ_OK;
}

// ---- field and map

static frz_status check_map(const char *name, const char **out, frz_diag *diag)
{
    frz_suggestion suggestion = {.word = name};
    const char *const *names = frz_colormap_names();
    for (int i = 0; names[i] != NULL; ++i)
    {
        frz_suggestion_offer(&suggestion, names[i]);
        if (strcmp(names[i], name) == 0)
        {
            *out = names[i];
            return FRZ_OK;
        }
    }
    char all[phrase_size], hint[phrase_size];
    return frz_fail(diag, FRZ_ERR_ARGUMENT, "unknown colour map '%.60s'; known are %s%s", name,
                    frz_words_join(names, " and ", all, sizeof all),
                    frz_suggestion_text(&suggestion, hint, sizeof hint));
}

static frz_status choose_field(const char *name, const frz_frame *frame, frz_coloring *coloring, frz_diag *diag)
{
    coloring->field[0] = '\0';
    if (name == NULL || strcmp(name, "none") == 0)
        return FRZ_OK;
    const frz_array_desc *array = frz_frame_field(frame, name);
    if (array == NULL || strlen(name) >= sizeof coloring->field)
        return fail_unknown_field(frame, name, diag);
    snprintf(coloring->field, sizeof coloring->field, "%s", name);
    const char *label = strcmp(name, "velocity") == 0 ? "speed" : name;
    if (array->unit != NULL && array->unit[0] != '\0')
        snprintf(coloring->title, sizeof coloring->title, "%s [%s]", label, array->unit);
    else
        snprintf(coloring->title, sizeof coloring->title, "%s", label);
    return FRZ_OK;
}

static frz_color color_from_rgb(int red, int green, int blue)
{
    const frz_color color = {frz_srgb_decode((float)red / 255.0f), frz_srgb_decode((float)green / 255.0f),
                             frz_srgb_decode((float)blue / 255.0f)};
    return color;
}

static frz_color color_from_palette(int index)
{
    const unsigned char *rgb = palette[index % (int)(sizeof palette / sizeof palette[0])];
    return color_from_rgb(rgb[0], rgb[1], rgb[2]);
}

/// Colours of the materials: their own, or one of the palette each.
static void color_materials(const frz_scene *scene, frz_coloring *coloring)
{
    for (int m = 0, without = 0; m < coloring->material_count; ++m)
    {
        const frz_rgb *rgb = &scene->materials.items[m].color;
        coloring->material_color[m] =
            rgb->given ? color_from_rgb(rgb->red, rgb->green, rgb->blue) : color_from_palette(without++);
    }
}

static frz_status make_tables(const frz_scene *scene, frz_coloring *coloring, frz_diag *diag)
{
    const int bodies = scene->bodies.count;
    coloring->material_count = scene->materials.count;
    coloring->material_color = FRZ_ALLOC("colours", coloring->material_count + 1, frz_color);
    coloring->body_count = bodies + scene->emitters.count; // numbered one after the other, as in the model
    coloring->body_color = FRZ_ALLOC("colours", coloring->body_count + 1, frz_color);
    coloring->table = FRZ_ALLOC("colours", FRZ_COLOR_STEPS, frz_color);
    if (coloring->body_color == NULL || coloring->material_color == NULL || coloring->table == NULL)
        return frz_fail_memory(diag, "the colours of a picture");
    color_materials(scene, coloring);
    coloring->body_color[coloring->body_count] = color_from_palette(0);
    for (int b = 0; b < coloring->body_count; ++b)
    {
        const int material = b < bodies ? scene->bodies.items[b].material : scene->emitters.items[b - bodies].material;
        const frz_rgb *rgb = b < bodies ? &scene->bodies.items[b].color : &scene->emitters.items[b - bodies].color;
        if (rgb->given)
            coloring->body_color[b] = color_from_rgb(rgb->red, rgb->green, rgb->blue);
        else
            coloring->body_color[b] = material >= 0 ? coloring->material_color[material] : color_from_palette(0);
    }
    for (int i = 0; i < FRZ_COLOR_STEPS; ++i)
        (void)frz_colormap_lookup(coloring->map, (double)i / (FRZ_COLOR_STEPS - 1), &coloring->table[i]);
    return FRZ_OK;
}

static frz_status create(const frz_render_def *def, const frz_scene *scene, const frz_frame_plan *plan,
                         frz_coloring *out, frz_diag *diag)
{
    const frz_scene_coloring *wish = &scene->output.color;
    const char *map = def->colormap != NULL ? def->colormap : wish->map;
    if (map != NULL)
        FRZ_TRY(check_map(map, &out->map, diag));
    frz_frame_data data;
    FRZ_TRY(frz_frame_read(def->directory, plan->first, &data, diag));
    out->wanted = def->field != NULL || wish->field != NULL;
    const frz_status status = choose_field(def->field != NULL ? def->field : wish->field, &data.frame, out, diag);
    frz_frame_data_destroy(&data);
    FRZ_TRY(status);
    if (out->map == NULL)
        out->map = out->field[0] == '\0' || strcmp(out->field, "velocity") == 0 ? "water" : "viridis";
    if (out->field[0] != '\0')
        FRZ_TRY(choose_range(def, scene, plan, out, diag));
    return make_tables(scene, out, diag);
}

frz_status frz_coloring_create(const frz_render_def *def, const frz_scene *scene, const frz_frame_plan *plan,
                               frz_coloring *out, frz_diag *diag)
{
    *out = (frz_coloring){.map = NULL};
    const frz_status status = create(def, scene, plan, out, diag);
    if (status != FRZ_OK)
        frz_coloring_destroy(out);
    return status;
}

void frz_coloring_destroy(frz_coloring *coloring)
{
    FRZ_FREE(coloring->table);
    FRZ_FREE(coloring->body_color);
    FRZ_FREE(coloring->material_color);
}

static int table_index(const frz_coloring *coloring, double value)
{
    const double t = (value - coloring->min) / (coloring->max - coloring->min);
    if (!(t > 0.0)) // NaN too
        return 0;
    return t >= 1.0 ? FRZ_COLOR_STEPS - 1 : (int)(t * (FRZ_COLOR_STEPS - 1) + 0.5);
}

frz_color frz_coloring_at(const frz_coloring *coloring, double value)
{
    return coloring->table[table_index(coloring, value)];
}

// Bodies that were born in the run have the colour of their material.
static frz_color color_of_matter(const frz_coloring *coloring, double body, double material)
{
    if (body >= 0.0 && body < coloring->body_count)
        return coloring->body_color[(int)body];
    if (material >= 0.0 && material < coloring->material_count)
        return coloring->material_color[(int)material];
    return coloring->body_color[coloring->body_count];
}

frz_status frz_coloring_apply(const frz_coloring *coloring, const frz_frame *frame, frz_color *colors, frz_diag *diag)
{
    if (coloring->field[0] != '\0')
    {
        const frz_array_desc *array = frz_frame_field(frame, coloring->field);
        if (array == NULL)
            return fail_unknown_field(frame, coloring->field, diag);
#pragma omp parallel for schedule(static)
        for (int64_t i = 0; i < frame->count; ++i)
            colors[i] = coloring->table[table_index(coloring, frz_coloring_value(array, i))];
        return FRZ_OK;
    }
    const frz_array_desc *origin = frz_frame_field(frame, "origin"); // a particle keeps its colour through changes
    const frz_array_desc *body = origin != NULL ? origin : frz_frame_field(frame, "body");
    const frz_array_desc *material = frz_frame_field(frame, "material");
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < frame->count; ++i)
        colors[i] = color_of_matter(coloring, body != NULL ? frz_array_value(body, i, 0) : -1.0,
                                    material != NULL ? frz_array_value(material, i, 0) : -1.0);
    return FRZ_OK;
}
