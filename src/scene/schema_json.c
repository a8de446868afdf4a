// SPDX-License-Identifier: MIT
// The scene language as JSON Schema (draft 2020-12), from the tables, for editors that complete and check.
#include "scene/schema.h"

#include <string.h>

#include "physics/registry.h"
#include "scene/schema_value.h"
#include "scene/text_buffer.h"

static void put_section(frz_text_buffer *out, const frz_section *section);

static void put_doc(frz_text_buffer *out, const char *doc)
{
    frz_buffer_put(out, "\"description\": ");
    frz_buffer_json(out, doc);
}

static void put_limits(frz_text_buffer *out, const frz_key *row)
{
    if (row->min == row->max)
        return;
    frz_buffer_put(out, (row->flags & FRZ_KEY_ABOVE_MIN) != 0 ? ", \"exclusiveMinimum\": " : ", \"minimum\": ");
    frz_buffer_number(out, row->min);
    frz_buffer_put(out, ", \"maximum\": ");
    frz_buffer_number(out, row->max);
}

/// A number in range, or a text with a unit (whose range the schema cannot know).
static void put_real(frz_text_buffer *out, const frz_key *row)
{
    frz_buffer_put(out, "\"anyOf\": [{\"type\": \"number\"");
    put_limits(out, row);
    frz_buffer_put(out, "}, {\"$ref\": \"#/$defs/quantity\"}]");
}

static void put_words(frz_text_buffer *out, const frz_key *row)
{
    frz_buffer_put(out, "\"enum\": [");
    for (int i = 0; row->words[i] != NULL; ++i)
    {
        frz_buffer_put(out, i == 0 ? "" : ", ");
        frz_buffer_json(out, row->words[i]);
    }
    // a word such as true is a boolean to YAML
    for (int i = 0; row->words[i] != NULL; ++i)
        if (strcmp(row->words[i], "true") == 0 || strcmp(row->words[i], "false") == 0)
            frz_buffer_format(out, ", %s", row->words[i]);
    frz_buffer_put(out, "]");
}

static void put_word_list(frz_text_buffer *out, const frz_key *row)
{
    frz_buffer_put(out, "\"anyOf\": [{");
    put_words(out, row);
    frz_buffer_put(out, "}, {\"type\": \"array\", \"uniqueItems\": true, \"items\": {");
    put_words(out, row);
    frz_buffer_put(out, "}}]");
}

static void put_names(frz_text_buffer *out, const frz_key *row)
{
    static const char *const list = "\"type\": \"array\", \"items\": {\"type\": \"string\"}";
    if ((row->flags & FRZ_KEY_OR_ONE) == 0)
        frz_buffer_put(out, list);
    else
        frz_buffer_format(out, "\"anyOf\": [{\"type\": \"string\"}, {%s, \"minItems\": 1}]", list);
}

static void put_list(frz_text_buffer *out, const frz_key *row)
{
    frz_buffer_put(out, "\"type\": \"array\"");
    if ((row->flags & FRZ_KEY_NOT_EMPTY) != 0)
        frz_buffer_put(out, ", \"minItems\": 1");
    frz_buffer_put(out, ", \"items\": {");
    put_section(out, row->section);
    frz_buffer_put(out, "}");
}

static void put_map(frz_text_buffer *out, const frz_key *row)
{
    frz_buffer_put(out, "\"type\": \"object\", \"propertyNames\": {\"pattern\": \"^[A-Za-z_][A-Za-z0-9_-]*$\"}, "
                        "\"additionalProperties\": {");
    put_section(out, row->section);
    frz_buffer_put(out, "}");
}

static void put_value(frz_text_buffer *out, const frz_key *row)
{
    switch (row->kind)
    {
    case FRZ_KEY_REAL:
        put_real(out, row);
        break;
    case FRZ_KEY_QUANTITY:
        frz_buffer_put(out, "\"$ref\": \"#/$defs/number\"");
        break;
    case FRZ_KEY_INT:
        frz_buffer_put(out, "\"type\": \"integer\"");
        put_limits(out, row);
        break;
    case FRZ_KEY_BOOL:
        frz_buffer_put(out, "\"type\": \"boolean\"");
        break;
    case FRZ_KEY_TEXT:
        frz_buffer_put(out, "\"type\": [\"string\", \"number\", \"boolean\"]");
        break;
    case FRZ_KEY_NAME:
        frz_buffer_put(out, "\"type\": \"string\", \"pattern\": \"^[A-Za-z_][A-Za-z0-9_-]*$\"");
        break;
    case FRZ_KEY_WORD:
        put_words(out, row);
        break;
    case FRZ_KEY_WORDS:
        put_word_list(out, row);
        break;
    case FRZ_KEY_NAMES:
        put_names(out, row);
        break;
    case FRZ_KEY_VECTOR:
        frz_buffer_put(out, "\"$ref\": \"#/$defs/vector\"");
        break;
    case FRZ_KEY_SPIN:
        frz_buffer_put(out, "\"anyOf\": [{\"$ref\": \"#/$defs/number\"}, {\"$ref\": \"#/$defs/vector\"}]");
        break;
    case FRZ_KEY_ROTATION:
    case FRZ_KEY_TURN:
        frz_buffer_put(out, "\"$ref\": \"#/$defs/rotation\"");
        break;
    case FRZ_KEY_COLOR:
        frz_buffer_put(out, "\"$ref\": \"#/$defs/color\"");
        break;
    case FRZ_KEY_SECTION:
        put_section(out, row->section);
        break;
    case FRZ_KEY_LIST:
        put_list(out, row);
        break;
    case FRZ_KEY_MAP:
        put_map(out, row);
        break;
    case FRZ_KEY_SHAPE:
        frz_buffer_put(out, "\"$ref\": \"#/$defs/shape\"");
        break;
    case FRZ_KEY_GRID:
        frz_buffer_put(out,
                       "\"type\": \"array\", \"minItems\": 2, \"items\": {\"anyOf\": [{\"$ref\": \"#/$defs/number\"}, "
                       "{\"type\": \"array\", \"minItems\": 2, \"items\": {\"$ref\": \"#/$defs/number\"}}]}");
        break;
    }
}

static void put_row(frz_text_buffer *out, const frz_key *row)
{
    frz_buffer_json(out, row->key);
    frz_buffer_put(out, ": {");
    put_doc(out, row->doc);
    frz_buffer_put(out, ", ");
    put_value(out, row);
    frz_buffer_put(out, "}");
}

static void put_method_names(frz_text_buffer *out, frz_slot slot)
{
    frz_buffer_put(out, "\"enum\": [");
    bool first = true;
    for (const frz_method *const *m = frz_methods; *m != NULL; ++m)
    {
        if ((*m)->slot != slot)
            continue;
        frz_buffer_put(out, first ? "" : ", ");
        frz_buffer_json(out, (*m)->key);
        first = false;
    }
    if (!frz_slots[slot].required)
        frz_buffer_put(out, first ? "\"none\"" : ", \"none\"");
    frz_buffer_put(out, "]");
}

/// One map form of a slot: the method's name and its parameters. Only the default may leave its name out.
static void put_method(frz_text_buffer *out, const frz_method *method)
{
    frz_buffer_put(out, ", {\"type\": \"object\", ");
    put_doc(out, method->doc);
    if (method != frz_method_default(method->slot))
        frz_buffer_put(out, ", \"required\": [\"method\"]");
    frz_buffer_put(out, ", \"additionalProperties\": false, \"properties\": {\"method\": {\"const\": ");
    frz_buffer_json(out, method->key);
    frz_buffer_put(out, "}");
    for (const frz_param *p = method->params; p != NULL && p->key != NULL; ++p)
    {
        const frz_key row = frz_param_row(p);
        frz_buffer_put(out, ", ");
        put_row(out, &row);
    }
    frz_buffer_put(out, "}}");
}

static void put_slot(frz_text_buffer *out, frz_slot slot)
{
    frz_buffer_json(out, frz_slots[slot].key);
    frz_buffer_put(out, ": {");
    put_doc(out, frz_slots[slot].doc);
    frz_buffer_put(out, ", \"anyOf\": [{");
    put_method_names(out, slot);
    frz_buffer_put(out, "}, {\"$ref\": \"#/$defs/number\"}");
    for (const frz_method *const *m = frz_methods; *m != NULL; ++m)
        if ((*m)->slot == slot)
            put_method(out, *m);
    frz_buffer_put(out, "]}");
}

static void put_object(frz_text_buffer *out, const frz_section *section)
{
    frz_buffer_put(out, "\"type\": \"object\", \"additionalProperties\": false, \"required\": [");
    bool first = true;
    for (const frz_key *row = section->keys; row->key != NULL; ++row)
    {
        if ((row->flags & FRZ_KEY_REQUIRED) == 0)
            continue;
        frz_buffer_put(out, first ? "" : ", ");
        frz_buffer_json(out, row->key);
        first = false;
    }
    frz_buffer_put(out, "], \"properties\": {\n");
    for (const frz_key *row = section->keys; row->key != NULL; ++row)
    {
        frz_buffer_put(out, row == section->keys ? "" : ",\n");
        put_row(out, row);
    }
    for (int slot = 0; slot < FRZ_SLOT_COUNT; ++slot)
    {
        if (!frz_section_has_slot(section, (frz_slot)slot))
            continue;
        frz_buffer_put(out, ",\n");
        put_slot(out, (frz_slot)slot);
    }
    if (section == &frz_section_scene)
        frz_buffer_put(out, ",\n\"definitions\": {\"description\": \"Anything: a place for YAML anchors, ignored.\"}");
    frz_buffer_put(out, "\n}");
}

static void put_section(frz_text_buffer *out, const frz_section *section)
{
    if (section->short_form == NULL)
    {
        put_object(out, section);
        return;
    }
    frz_buffer_put(out, "\"anyOf\": [{");
    put_object(out, section);
    for (const frz_key *row = section->keys; row->key != NULL; ++row)
    {
        if (strcmp(row->key, section->short_form) != 0)
            continue;
        frz_buffer_put(out, "}, {");
        put_value(out, row);
    }
    frz_buffer_put(out, "}]");
}

static void put_shapes(frz_text_buffer *out)
{
    frz_buffer_put(out, "\"shape\": {\"type\": \"object\", \"minProperties\": 1, \"maxProperties\": 1, "
                        "\"additionalProperties\": false, \"properties\": {\n");
    for (const frz_shape_form *form = frz_shape_forms; form->key != NULL; ++form)
    {
        frz_buffer_put(out, form == frz_shape_forms ? "" : ",\n");
        frz_buffer_json(out, form->key);
        frz_buffer_put(out, ": {");
        put_doc(out, form->doc);
        frz_buffer_put(out, ", ");
        if (form->section != NULL)
            put_section(out, form->section);
        else
            frz_buffer_format(out, "\"type\": \"array\", \"minItems\": %d, \"items\": {\"$ref\": \"#/$defs/shape\"}",
                              form->min_children);
        frz_buffer_put(out, "}");
    }
    frz_buffer_put(out, "\n}}");
}

static void put_definitions(frz_text_buffer *out)
{
    frz_buffer_put(
        out, "\"$defs\": {\n"
             "\"quantity\": {\"type\": \"string\", \"pattern\": \"^[-+]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][-+]?[0-9]+)? "
             "*[A-Za-z%1].*$\"},\n"
             "\"number\": {\"anyOf\": [{\"type\": \"number\"}, {\"$ref\": \"#/$defs/quantity\"}]},\n"
             "\"vector\": {\"type\": \"array\", \"minItems\": 2, \"maxItems\": 3, \"items\": {\"$ref\": "
             "\"#/$defs/number\"}},\n"
             "\"rotation\": {\"anyOf\": [{\"$ref\": \"#/$defs/number\"}, {\"type\": \"array\", \"minItems\": 3, "
             "\"maxItems\": 3, \"items\": {\"$ref\": \"#/$defs/number\"}}, {");
    put_section(out, &frz_section_rotation);
    frz_buffer_put(
        out, "}]},\n\"color\": {\"anyOf\": [{\"type\": \"string\", \"pattern\": \"^#[0-9A-Fa-f]{6}$\"}, {\"enum\": [");
    for (const frz_color_name *c = frz_color_names; c->name != NULL; ++c)
    {
        frz_buffer_put(out, c == frz_color_names ? "" : ", ");
        frz_buffer_json(out, c->name);
    }
    frz_buffer_put(out, "]}]},\n");
    put_shapes(out);
    frz_buffer_put(out, "\n}");
}

char *frz_schema_json(void)
{
    frz_text_buffer out = {0};
    frz_buffer_put(&out,
                   "{\n\"$schema\": \"https://json-schema.org/draft/2020-12/schema\",\n\"title\": \"Frazil scene\",\n");
    put_doc(&out, frz_section_scene.doc);
    frz_buffer_put(&out, ",\n");
    put_section(&out, &frz_section_scene);
    frz_buffer_put(&out, ",\n");
    put_definitions(&out);
    frz_buffer_put(&out, "\n}\n");
    return frz_buffer_take(&out);
}
