// SPDX-License-Identifier: MIT
// The table of methods as Markdown and as JSON.
#include "frazil/scene.h"

#include "physics/registry.h"
#include "scene/text_buffer.h"

static const char *const conformance_names[FRZ_CONFORMANCE_COUNT] = {
    [FRZ_CONFORMANCE_MOMENTUM] = "momentum",
    [FRZ_CONFORMANCE_REST] = "rest",
    [FRZ_CONFORMANCE_ROTATION] = "rotation",
    [FRZ_CONFORMANCE_TRANSLATION] = "translation",
};

static const char *const param_kind_names[] = {[FRZ_PARAM_REAL] = "number",
                                               [FRZ_PARAM_INT] = "whole number",
                                               [FRZ_PARAM_BOOL] = "true or false",
                                               [FRZ_PARAM_WORD] = "word"};

static void put_range(frz_text_buffer *out, const frz_param *param)
{
    for (const char *const *word = param->words; word != NULL && *word != NULL; ++word)
        frz_buffer_format(out, "%s`%s`", word == param->words ? "" : ", ", *word);
    if (param->kind == FRZ_PARAM_BOOL || param->min == param->max)
        return;
    frz_buffer_number(out, param->min);
    frz_buffer_put(out, " ... ");
    frz_buffer_number(out, param->max);
}

static void put_fallback(frz_text_buffer *out, const frz_param *param)
{
    if (param->kind == FRZ_PARAM_BOOL)
        frz_buffer_put(out, param->fallback != 0.0 ? "true" : "false");
    else if (param->kind == FRZ_PARAM_WORD)
        frz_buffer_json(out, param->words[(int)param->fallback]);
    else
        frz_buffer_number(out, param->fallback);
}

static void put_params(frz_text_buffer *out, const frz_method *method)
{
    if (method->params == NULL || method->params[0].key == NULL)
    {
        frz_buffer_put(out, "No parameters.\n\n");
        return;
    }
    frz_buffer_put(out, "| parameter | kind | unit | default | range | meaning |\n|---|---|---|---|---|---|\n");
    for (const frz_param *p = method->params; p->key != NULL; ++p)
    {
        frz_buffer_format(out, "| `%s` | %s | %s | ", p->key, param_kind_names[p->kind],
                          p->unit != NULL ? p->unit : "");
        put_fallback(out, p);
        frz_buffer_put(out, " | ");
        put_range(out, p);
        frz_buffer_put(out, " | ");
        frz_buffer_put(out, p->doc);
        frz_buffer_put(out, " |\n");
    }
    frz_buffer_put(out, "\n");
}

static void put_fields(frz_text_buffer *out, const frz_method *method)
{
    if (method->fields == NULL || method->fields[0].name == NULL)
        return;
    frz_buffer_put(out, "| field | components | unit | saved | written | meaning |\n|---|---|---|---|---|---|\n");
    for (const frz_field_decl *f = method->fields; f->name != NULL; ++f)
    {
        frz_buffer_format(out, "| `%s` | %d | %s | %s | %s | ", f->name, f->components, f->unit != NULL ? f->unit : "",
                          (f->flags & FRZ_FIELD_SAVE) != 0 ? "yes" : "no",
                          (f->flags & FRZ_FIELD_OUTPUT) != 0 ? "yes" : "no");
        frz_buffer_put(out, f->doc);
        frz_buffer_put(out, " |\n");
    }
    frz_buffer_put(out, "\n");
}

static void put_method(frz_text_buffer *out, const frz_method *method)
{
    frz_buffer_format(out, "### `%s`%s\n\n", method->key,
                      method == frz_method_default(method->slot) ? " (default)" : "");
    frz_buffer_put(out, method->doc);
    frz_buffer_put(out, "\n\nSource: ");
    frz_buffer_put(out, method->cite);
    frz_buffer_put(out, "\n\n");
    put_params(out, method);
    put_fields(out, method);
    for (int i = 0; i < FRZ_CONFORMANCE_COUNT; ++i)
    {
        if (method->exempt[i] == NULL)
            continue;
        frz_buffer_format(out, "Exempt from the %s test: ", conformance_names[i]);
        frz_buffer_put(out, method->exempt[i]);
        frz_buffer_put(out, "\n\n");
    }
}

char *frz_methods_markdown(void)
{
    frz_text_buffer out = {0};
    frz_buffer_put(&out,
                   "# Methods\n\nGenerated from the method table; do not edit.\n\n"
                   "A slot takes the name of a method (`pressure: dfsph`), a map with the method and its "
                   "parameters\n(`pressure: {method: dfsph, ...}`; without `method` the default is meant), or a bare "
                   "number for the first\nparameter of the default method (`viscosity: 1 mPa s`).\n\n");
    for (int slot = 0; slot < FRZ_SLOT_COUNT; ++slot)
    {
        const frz_slot_info *info = &frz_slots[slot];
        frz_buffer_format(&out, "## `%s` (%s)\n\n", info->key, info->per_material ? "in a material" : "top level");
        frz_buffer_put(&out, info->doc);
        frz_buffer_put(&out, info->required ? "; if left out, the default is taken.\n\n"
                                            : "; if left out or `none`, no method is used.\n\n");
        for (const frz_method *const *m = frz_methods; *m != NULL; ++m)
            if ((int)(*m)->slot == slot)
                put_method(&out, *m);
    }
    return frz_buffer_take(&out);
}

static void json_text(frz_text_buffer *out, const char *key, const char *text)
{
    frz_buffer_json(out, key);
    frz_buffer_put(out, ": ");
    frz_buffer_json(out, text != NULL ? text : "");
}

static void json_params(frz_text_buffer *out, const frz_method *method)
{
    static const char *const types[] = {[FRZ_PARAM_REAL] = "number",
                                        [FRZ_PARAM_INT] = "integer",
                                        [FRZ_PARAM_BOOL] = "boolean",
                                        [FRZ_PARAM_WORD] = "string"};
    for (const frz_param *p = method->params; p != NULL && p->key != NULL; ++p)
    {
        frz_buffer_put(out, p == method->params ? "{" : ", {");
        json_text(out, "key", p->key);
        frz_buffer_put(out, ", ");
        json_text(out, "type", types[p->kind]);
        frz_buffer_put(out, ", ");
        json_text(out, "unit", p->unit);
        frz_buffer_put(out, ", \"default\": ");
        put_fallback(out, p);
        if (p->words != NULL)
        {
            frz_buffer_put(out, ", \"enum\": [");
            for (const char *const *word = p->words; *word != NULL; ++word)
            {
                frz_buffer_put(out, word == p->words ? "" : ", ");
                frz_buffer_json(out, *word);
            }
            frz_buffer_put(out, "]");
        }
        if (p->kind != FRZ_PARAM_BOOL && p->min != p->max)
        {
            frz_buffer_put(out, ", \"minimum\": ");
            frz_buffer_number(out, p->min);
            frz_buffer_put(out, ", \"maximum\": ");
            frz_buffer_number(out, p->max);
        }
        frz_buffer_put(out, ", ");
        json_text(out, "doc", p->doc);
        frz_buffer_put(out, "}");
    }
}

static void json_fields(frz_text_buffer *out, const frz_method *method)
{
    for (const frz_field_decl *f = method->fields; f != NULL && f->name != NULL; ++f)
    {
        frz_buffer_put(out, f == method->fields ? "{" : ", {");
        json_text(out, "name", f->name);
        frz_buffer_format(out, ", \"components\": %d, ", f->components);
        json_text(out, "unit", f->unit);
        frz_buffer_put(out, ", ");
        json_text(out, "doc", f->doc);
        frz_buffer_put(out, "}");
    }
}

static void json_method(frz_text_buffer *out, const frz_method *method)
{
    frz_buffer_put(out, "    {");
    json_text(out, "slot", frz_slots[method->slot].key);
    frz_buffer_put(out, ", ");
    json_text(out, "key", method->key);
    frz_buffer_format(out, ", \"default\": %s, \"per_material\": %s,\n     ",
                      method == frz_method_default(method->slot) ? "true" : "false",
                      frz_slots[method->slot].per_material ? "true" : "false");
    json_text(out, "doc", method->doc);
    frz_buffer_put(out, ",\n     ");
    json_text(out, "cite", method->cite);
    frz_buffer_put(out, ",\n     \"params\": [");
    json_params(out, method);
    frz_buffer_put(out, "],\n     \"fields\": [");
    json_fields(out, method);
    frz_buffer_put(out, "],\n     \"exempt\": {");
    bool first = true;
    for (int i = 0; i < FRZ_CONFORMANCE_COUNT; ++i)
    {
        if (method->exempt[i] == NULL)
            continue;
        frz_buffer_put(out, first ? "" : ", ");
        json_text(out, conformance_names[i], method->exempt[i]);
        first = false;
    }
    frz_buffer_put(out, "}}");
}

char *frz_methods_json(void)
{
    frz_text_buffer out = {0};
    frz_buffer_put(&out, "{\n  \"methods\": [\n");
    for (const frz_method *const *m = frz_methods; *m != NULL; ++m)
    {
        json_method(&out, *m);
        frz_buffer_put(&out, m[1] != NULL ? ",\n" : "\n");
    }
    frz_buffer_put(&out, "  ]\n}\n");
    return frz_buffer_take(&out);
}
