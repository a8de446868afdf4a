// SPDX-License-Identifier: MIT
// The choice of a method for a slot: its name, its parameters, or a bare number for the first parameter.
#include "scene/schema.h"

#include <string.h>

#include "base/memory.h"
#include "base/number.h"
#include "physics/registry.h"
#include "scene/suggest.h"

enum
{
    most_names = 64,  // methods of a slot, parameters of a method
    phrase_size = 400 // bytes of a part of a message
};

static const char method_key[] = "method";
static const char none_word[] = "none";

frz_key frz_param_row(const frz_param *param)
{
    static const frz_key_kind kinds[] = {[FRZ_PARAM_REAL] = FRZ_KEY_REAL,
                                         [FRZ_PARAM_INT] = FRZ_KEY_INT,
                                         [FRZ_PARAM_BOOL] = FRZ_KEY_BOOL,
                                         [FRZ_PARAM_WORD] = FRZ_KEY_WORD};
    return (frz_key){.key = param->key,
                     .kind = kinds[param->kind],
                     .offset = param->offset,
                     .unit = param->unit,
                     .min = param->min,
                     .max = param->max,
                     .words = param->words,
                     .doc = param->doc};
}

static frz_status choose(frz_parse *parse, const frz_method *method, frz_choice *out)
{
    out->method = method;
    if (method == NULL || method->self_size == 0)
        return FRZ_OK;
    out->self = frz_method_self_create(method);
    return out->self != NULL ? FRZ_OK : frz_fail_memory(parse->diag, "a method's parameters");
}

static frz_status find_method(frz_parse *parse, frz_slot slot, const frz_node *node, const frz_method **out)
{
    const frz_slot_info *info = &frz_slots[slot];
    const char *names[most_names + 2] = {NULL};
    int count = 0;
    for (const frz_method *const *m = frz_methods; *m != NULL && count < most_names; ++m)
        if ((*m)->slot == slot)
            names[count++] = (*m)->key;
    if (!info->required)
        names[count++] = none_word;
    char got[phrase_size], hint[phrase_size] = "", all[phrase_size];
    if (node->kind == FRZ_NODE_SCALAR && !frz_node_is_nothing(node))
    {
        *out = frz_method_find(slot, node->text);
        if (*out != NULL || (!info->required && strcmp(node->text, none_word) == 0))
            return FRZ_OK;
        frz_suggestion suggestion = {.word = node->text};
        for (int i = 0; i < count; ++i)
            frz_suggestion_offer(&suggestion, names[i]);
        frz_suggestion_text(&suggestion, hint, sizeof hint);
    }
    return FRZ_PARSE_FAIL(parse, node->mark, "%s: expected the name of a method (%s), got %s%s", info->key,
                          frz_words_join(names, " or ", all, sizeof all), frz_node_describe(node, got, sizeof got),
                          hint);
}

static frz_status read_param(frz_parse *parse, const frz_param *param, const frz_node *node, void *self)
{
    const frz_key row = frz_param_row(param);
    return frz_value_read(parse, &row, node, (char *)self + param->offset);
}

static frz_status read_params(frz_parse *parse, frz_slot slot, const frz_node *map, frz_choice *out)
{
    static const frz_param nothing = {.key = NULL};
    const frz_param *params = out->method->params != NULL ? out->method->params : &nothing;
    for (const frz_node *child = map->first; child != NULL; child = child->next)
    {
        const char *names[most_names + 2] = {method_key};
        int count = 1;
        const frz_param *found = NULL;
        frz_suggestion suggestion = {.word = child->key};
        frz_suggestion_offer(&suggestion, method_key);
        for (const frz_param *p = params; p->key != NULL && count < most_names; ++p)
        {
            names[count++] = p->key;
            frz_suggestion_offer(&suggestion, p->key);
            if (strcmp(p->key, child->key) == 0)
                found = p;
        }
        char hint[phrase_size], all[phrase_size];
        if (found != NULL)
            FRZ_TRY(read_param(parse, found, child, out->self));
        else if (strcmp(child->key, method_key) != 0 && suggestion.best != NULL)
            return FRZ_PARSE_FAIL(parse, child->key_mark, "unknown key '%.60s' in %s %s%s", child->key,
                                  frz_slots[slot].key, out->method->key,
                                  frz_suggestion_text(&suggestion, hint, sizeof hint));
        else if (strcmp(child->key, method_key) != 0)
            return FRZ_PARSE_FAIL(parse, child->key_mark, "unknown key '%.60s' in %s %s; known keys are %s", child->key,
                                  frz_slots[slot].key, out->method->key,
                                  frz_words_join(names, " and ", all, sizeof all));
    }
    return FRZ_OK;
}

/// True for a scalar that is meant as a number.
static bool looks_like_number(const frz_node *node)
{
    const char *end = NULL;
    if (node->kind != FRZ_NODE_SCALAR)
        return false;
    (void)frz_number_read(node->text, &end);
    return end != node->text;
}

frz_status frz_choice_read(frz_parse *parse, frz_slot slot, const frz_node *node, frz_choice *out)
{
    const frz_method *fallback = frz_method_default(slot);
    if (node == NULL)
        return choose(parse, frz_slots[slot].required ? fallback : NULL, out);
    out->mark = node->mark;
    if (looks_like_number(node) && fallback != NULL && fallback->params != NULL && fallback->params[0].key != NULL)
    {
        FRZ_TRY(choose(parse, fallback, out));
        return read_param(parse, &fallback->params[0], node, out->self);
    }
    const bool is_map = node->kind == FRZ_NODE_MAP;
    const frz_node *name = is_map ? frz_node_find(node, method_key) : node;
    const frz_method *method = fallback;
    if (name != NULL)
        FRZ_TRY(find_method(parse, slot, name, &method));
    FRZ_TRY(choose(parse, method, out));
    if (!is_map)
        return FRZ_OK;
    if (method == NULL && node->count > 1)
        return FRZ_PARSE_FAIL(parse, node->mark, "%s: expected no parameters for 'none'", frz_slots[slot].key);
    return method != NULL ? read_params(parse, slot, node, out) : FRZ_OK;
}
