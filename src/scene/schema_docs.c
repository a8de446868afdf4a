// SPDX-License-Identifier: MIT
// The reference page of the scene language, from the tables.
#include "scene/schema.h"

#include "scene/quantity.h"
#include "scene/schema_value.h"
#include "scene/suggest.h"
#include "scene/text_buffer.h"

enum
{
    phrase_size = 400 // bytes of a part of a line
};

static const char *const kind_names[] = {
    [FRZ_KEY_QUANTITY] = "number",
    [FRZ_KEY_REAL] = "number",
    [FRZ_KEY_INT] = "whole number",
    [FRZ_KEY_BOOL] = "true or false",
    [FRZ_KEY_TEXT] = "text",
    [FRZ_KEY_NAME] = "name",
    [FRZ_KEY_WORD] = "word",
    [FRZ_KEY_WORDS] = "list of words",
    [FRZ_KEY_NAMES] = "list of names",
    [FRZ_KEY_VECTOR] = "vector",
    [FRZ_KEY_ROTATION] = "rotation",
    [FRZ_KEY_TURN] = "rotation",
    [FRZ_KEY_SPIN] = "angular velocity",
    [FRZ_KEY_COLOR] = "colour",
    [FRZ_KEY_SECTION] = "map",
    [FRZ_KEY_LIST] = "list of maps",
    [FRZ_KEY_MAP] = "map of maps, by name",
    [FRZ_KEY_SHAPE] = "shape",
    [FRZ_KEY_GRID] = "rows of heights",
};

static void put_kind(frz_text_buffer *out, const frz_key *row)
{
    char text[phrase_size];
    frz_buffer_put(out, (row->flags & FRZ_KEY_OR_ONE) != 0 ? "name or list of names" : kind_names[row->kind]);
    if (row->words != NULL)
        frz_buffer_format(out, ": %s", frz_words_join(row->words, ", ", text, sizeof text));
    else if (row->unit != NULL && row->unit[0] != '\0')
        frz_buffer_format(out, ", %s", row->unit);
}

static void put_range(frz_text_buffer *out, const frz_key *row)
{
    if (row->min == row->max)
        return;
    frz_buffer_put(out, (row->flags & FRZ_KEY_ABOVE_MIN) != 0 ? "above " : "");
    frz_buffer_number(out, row->min);
    frz_buffer_put(out, " ... ");
    frz_buffer_number(out, row->max);
}

static void put_keys(frz_text_buffer *out, const frz_section *section)
{
    frz_buffer_put(out, "| key | value | default | range | meaning |\n|---|---|---|---|---|\n");
    for (const frz_key *row = section->keys; row->key != NULL; ++row)
    {
        frz_buffer_format(out, "| `%s` | ", row->key);
        put_kind(out, row);
        frz_buffer_put(out, " | ");
        if ((row->flags & FRZ_KEY_REQUIRED) != 0)
            frz_buffer_put(out, "**required**");
        else if (row->fallback != NULL && row->fallback[0] != '\0')
            frz_buffer_format(out, "`%s`", row->fallback);
        frz_buffer_put(out, " | ");
        put_range(out, row);
        frz_buffer_put(out, " | ");
        frz_buffer_put(out, row->doc);
        frz_buffer_put(out, " |\n");
    }
    for (int slot = 0; slot < FRZ_SLOT_COUNT; ++slot)
    {
        if (!frz_section_has_slot(section, (frz_slot)slot))
            continue;
        frz_buffer_format(out, "| `%s` | method, see [methods](methods.md) | | | ", frz_slots[slot].key);
        frz_buffer_put(out, frz_slots[slot].doc);
        frz_buffer_put(out, " |\n");
    }
    frz_buffer_put(out, "\n");
}

static void put_section(frz_text_buffer *out, const frz_section *section, const char *title)
{
    frz_buffer_format(out, "## %s\n\n", title);
    frz_buffer_put(out, section->doc);
    frz_buffer_put(out, "\n\n");
    if (section->short_form != NULL)
        frz_buffer_format(out, "A value that is no map is taken as `%s`.\n\n", section->short_form);
    put_keys(out, section);
    for (const frz_key *row = section->keys; row->key != NULL; ++row)
    {
        if (row->section == NULL)
            continue;
        char below[phrase_size];
        const char *const parts[] = {section == &frz_section_scene ? "" : title, row->key, NULL};
        const char *const *from = section == &frz_section_scene ? parts + 1 : parts;
        put_section(out, row->section, frz_words_join(from, ".", below, sizeof below));
    }
}

static void put_shapes(frz_text_buffer *out)
{
    frz_buffer_put(
        out, "## Shapes\n\nA shape is a map with one key that says what it is: `shape: {sphere: {center: [0, 1, 0], "
             "radius: 10 cm}}`.\nShapes may contain shapes, up to 64 levels.\n\n");
    for (const frz_shape_form *form = frz_shape_forms; form->key != NULL; ++form)
    {
        frz_buffer_format(out, "### `%s`\n\n%s\n\n", form->key, form->doc);
        if (form->section != NULL)
            put_keys(out, form->section);
        else
            frz_buffer_format(out, "Value: a list of at least %d shape%s.\n\n", form->min_children,
                              form->min_children == 1 ? "" : "s");
    }
}

static void put_units(frz_text_buffer *out)
{
    static const char *const units[] = {"m",    "s",    "kg", "rad", "m/s", "rad/s", "m/s2", "kg/m3", "Pa",
                                        "Pa s", "m2/s", "K",  "1/s", "N",   "N/m",   "J",    "W",     NULL};
    frz_buffer_put(
        out, "## Units\n\nA number may carry a unit, with or without a blank: `5 mm`, `2ms`, `998 kg/m3`, `1 mPa s`. "
             "Without one it is SI\n(angles: degrees where the table says so). Units combine with blank or `*`, "
             "`/`, powers and parentheses.\n\n| quantity | units |\n|---|---|\n");
    for (int i = 0; units[i] != NULL; ++i)
    {
        char kind[phrase_size], choices[phrase_size];
        frz_buffer_format(out, "| %s | %s |\n", frz_unit_kind_text(units[i], kind, sizeof kind),
                          frz_unit_choices_text(units[i], choices, sizeof choices));
    }
    frz_buffer_put(out, "\n");
}

static void put_values(frz_text_buffer *out)
{
    frz_buffer_put(
        out, "## Rotations and colours\n\nA rotation is a map of axis and angle, three angles about x, then y, then "
             "z, or in 2D one angle.\n\n");
    put_keys(out, &frz_section_rotation);
    frz_buffer_put(out, "A colour is `\"#rrggbb\"` (with quotes) or one of");
    for (const frz_color_name *c = frz_color_names; c->name != NULL; ++c)
        frz_buffer_format(out, "%s%s", c == frz_color_names ? " " : ", ", c->name);
    frz_buffer_put(out, ".\n");
}

char *frz_schema_markdown(void)
{
    frz_text_buffer out = {0};
    frz_buffer_put(
        &out, "# Scene reference\n\nGenerated from the schema tables; do not edit. A scene is YAML 1.2 (so JSON "
              "works too). Booleans are\n`true` and `false`. Every key that is not in these tables is an error, but "
              "for\n`definitions` at the top "
              "level: what stands there is ignored, so that YAML anchors have a place\n(`definitions: [&blue {box: "
              "...}]`, then `shape: *blue`).\n\n");
    put_section(&out, &frz_section_scene, "Top level");
    put_shapes(&out);
    put_units(&out);
    put_values(&out);
    return frz_buffer_take(&out);
}
