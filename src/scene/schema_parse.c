// SPDX-License-Identifier: MIT
// The engine that walks the tables: sections, lists and maps of sections, defaults, unknown keys, freeing.
#include "scene/schema.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "scene/quantity.h"
#include "scene/schema_value.h"
#include "scene/suggest.h"

enum
{
    most_rows = 64,    // keys of one section, slots included
    phrase_size = 400, // bytes of a part of a message
    name_size = 96,    // bytes of a made-up name
    component_size = 32
};

static void *member(void *data, size_t offset)
{
    return (char *)data + offset;
}

bool frz_section_has_slot(const frz_section *section, frz_slot slot)
{
    return section->slots != FRZ_SLOTS_NONE && frz_slots[slot].per_material == (section->slots == FRZ_SLOTS_MATERIAL);
}

const char *frz_section_name_key(const frz_section *section)
{
    return section->name_key != NULL ? section->name_key : "name";
}

static frz_status check_known(const frz_parse *parse, const frz_section *section, const frz_node *child)
{
    const char *known[most_rows + 1] = {NULL};
    int count = 0;
    frz_suggestion suggestion = {.word = child->key};
    for (const frz_key *row = section->keys; row->key != NULL && count < most_rows; ++row)
        known[count++] = row->key;
    for (int slot = 0; slot < FRZ_SLOT_COUNT && count < most_rows; ++slot)
        if (frz_section_has_slot(section, (frz_slot)slot))
            known[count++] = frz_slots[slot].key;
    for (int i = 0; i < count; ++i)
    {
        if (strcmp(known[i], child->key) == 0)
            return FRZ_OK;
        frz_suggestion_offer(&suggestion, known[i]);
    }
    char hint[phrase_size], all[phrase_size];
    for (int slot = 0; slot < FRZ_SLOT_COUNT; ++slot)
        if (strcmp(frz_slots[slot].key, child->key) == 0)
            return FRZ_PARSE_FAIL(parse, child->key_mark, "the key '%s' belongs %s, not in %s", child->key,
                                  frz_slots[slot].per_material ? "in a material" : "at the top level", section->name);
    if (strcmp(child->key, "<<") == 0)
        return FRZ_PARSE_FAIL(parse, child->key_mark,
                              "merge keys ('<<') are not part of the scene language; write the keys out");
    if (suggestion.best != NULL)
        return FRZ_PARSE_FAIL(parse, child->key_mark, "unknown key '%.60s' in %s%s", child->key, section->name,
                              frz_suggestion_text(&suggestion, hint, sizeof hint));
    return FRZ_PARSE_FAIL(parse, child->key_mark, "unknown key '%.60s' in %s; known keys are %s", child->key,
                          section->name, frz_words_join(known, " and ", all, sizeof all));
}

/// Read the text of a default as if it stood in the scene.
static frz_status read_fallback(frz_parse *parse, const frz_key *row, void *target)
{
    frz_node scalar = {.kind = FRZ_NODE_SCALAR, .text = row->fallback, .quoted = row->kind == FRZ_KEY_TEXT};
    if (row->fallback[0] != '[')
        return frz_value_read(parse, row, &scalar, target);
    frz_node list = {.kind = FRZ_NODE_LIST};
    frz_node items[3];
    char texts[3][component_size];
    const char *c = row->fallback + 1;
    for (int i = 0; i < 3; ++i)
    {
        c += strspn(c, ", ");
        const size_t length = strcspn(c, ",]");
        FRZ_ASSERT(length < component_size);
        memcpy(texts[i], c, length);
        texts[i][length] = '\0';
        c += length;
        items[i] = (frz_node){.kind = FRZ_NODE_SCALAR, .text = texts[i]};
        frz_node_append(&list, &items[i], NULL);
    }
    return frz_value_read(parse, row, &list, target);
}

/// Entries of lists need different names; those without get one from their position.
static frz_status name_entries(frz_parse *parse, const frz_section *section, const frz_node *node, frz_list *list)
{
    if (section->auto_name == NULL || list->count == 0)
        return FRZ_OK;
    const char **names = FRZ_ALLOC("names", list->count, const char *);
    if (names == NULL)
        return frz_fail_memory(parse->diag, "the scene");
    frz_status status = FRZ_OK;
    for (int i = 0; i < list->count && status == FRZ_OK; ++i)
    {
        char **name = member(list->items, (size_t)i * section->size + section->name_offset);
        if (*name == NULL)
        {
            char text[name_size];
            snprintf(text, sizeof text, "%s_%d", section->auto_name, i);
            *name = frz_strdup(text);
            if (*name == NULL)
                status = frz_fail_memory(parse->diag, "the scene");
        }
        names[i] = *name;
    }
    const int repeated = status == FRZ_OK ? frz_names_repeated(names, list->count) : -1;
    if (repeated >= 0)
    {
        const void *second = (const char *)list->items + (size_t)repeated * section->size;
        const frz_mark entry_mark = *(const frz_mark *)second;
        frz_mark mark = entry_mark;
        for (const frz_node *entry = node->first; entry != NULL; entry = entry->next)
        {
            const frz_node *name = frz_node_find(entry, frz_section_name_key(section));
            if (name != NULL && memcmp(&entry->mark, &entry_mark, sizeof entry_mark) == 0)
                mark = name->mark;
        }
        status = FRZ_PARSE_FAIL(parse, mark, "expected a name of its own for %s, got '%s' for the second time",
                                section->name, names[repeated]);
    }
    frz_free((void *)names);
    return status;
}

static frz_status read_entries(frz_parse *parse, const frz_key *row, const frz_node *node, frz_list *list)
{
    const frz_section *section = row->section;
    const bool is_map = row->kind == FRZ_KEY_MAP;
    if (node->kind != (is_map ? FRZ_NODE_MAP : FRZ_NODE_LIST))
    {
        char got[phrase_size];
        return FRZ_PARSE_FAIL(parse, node->mark, "%s: expected a %s, got %s", row->key,
                              is_map ? "map of names" : "list (lines that begin with '- ')",
                              frz_node_describe(node, got, sizeof got));
    }
    if (node->count == 0 && (row->flags & FRZ_KEY_NOT_EMPTY) != 0)
        return FRZ_PARSE_FAIL(parse, node->mark, "%s: expected at least one entry, got none", row->key);
    if (node->count == 0)
        return FRZ_OK;
    list->items = frz_alloc("scene", (size_t)node->count, section->size);
    if (list->items == NULL)
        return frz_fail_memory(parse->diag, "the scene");
    for (const frz_node *child = node->first; child != NULL; child = child->next)
    {
        void *entry = member(list->items, (size_t)list->count * section->size);
        list->count += 1; // before reading, so that a partly read entry is freed
        if (is_map && !frz_name_is_valid(child->key))
            return FRZ_PARSE_FAIL(
                parse, child->key_mark,
                "%s: expected a name of at most 64 letters, digits, _ and - that begins with a letter, got '%.60s'",
                row->key, child->key);
        if (is_map)
        {
            char **name = member(entry, section->name_offset);
            *name = frz_strdup(child->key);
            if (*name == NULL)
                return frz_fail_memory(parse->diag, "the scene");
        }
        FRZ_TRY(frz_section_read(parse, section, child, entry));
    }
    return is_map ? FRZ_OK : name_entries(parse, section, node, list);
}

static frz_status read_row(frz_parse *parse, const frz_key *row, const frz_node *node, void *data)
{
    void *target = member(data, row->offset);
    if (row->kind == FRZ_KEY_SECTION)
        FRZ_TRY(frz_section_read(parse, row->section, node, target));
    else if (node == NULL)
        return row->fallback != NULL ? read_fallback(parse, row, target) : FRZ_OK;
    else if (row->kind == FRZ_KEY_LIST || row->kind == FRZ_KEY_MAP)
        FRZ_TRY(read_entries(parse, row, node, target));
    else
        FRZ_TRY(frz_value_read(parse, row, node, target));
    if (row->has != 0 && node != NULL)
        *(bool *)member(data, row->has) = true;
    return FRZ_OK;
}

static frz_status read_slots(frz_parse *parse, const frz_section *section, const frz_node *map, void *data)
{
    frz_choice *choices = member(data, section->slots_offset);
    for (int slot = 0; slot < FRZ_SLOT_COUNT; ++slot)
        if (frz_section_has_slot(section, (frz_slot)slot))
            FRZ_TRY(frz_choice_read(parse, (frz_slot)slot, map != NULL ? frz_node_find(map, frz_slots[slot].key) : NULL,
                                    &choices[slot]));
    return FRZ_OK;
}

static frz_status fail_missing(const frz_parse *parse, const frz_section *section, const frz_key *row,
                               const frz_node *node)
{
    char hint[phrase_size] = "", text[phrase_size / 2];
    if (row->words != NULL)
        snprintf(hint, sizeof hint, ": %s", frz_words_join(row->words, " or ", text, sizeof text));
    else if (row->kind == FRZ_KEY_REAL && row->unit != NULL)
        snprintf(hint, sizeof hint, ", such as '%s: %s'", row->key,
                 frz_unit_example_text(row->unit, text, sizeof text));
    return FRZ_PARSE_FAIL(parse, node->mark, "%s needs the key '%s'%s", section->name, row->key, hint);
}

static frz_status fail_not_map(const frz_parse *parse, const frz_section *section, const frz_node *node)
{
    char got[phrase_size];
    return FRZ_PARSE_FAIL(parse, node->mark, "expected %s as a map of keys (such as '%s: ...'), got %s", section->name,
                          section->keys[0].key, frz_node_describe(node, got, sizeof got));
}

frz_status frz_section_read(frz_parse *parse, const frz_section *section, const frz_node *node, void *data)
{
    const bool is_map = node != NULL && node->kind == FRZ_NODE_MAP;
    const bool is_short = node != NULL && !is_map;
    if (is_short && section->short_form == NULL)
        return fail_not_map(parse, section, node);
    if (node != NULL)
        *(frz_mark *)data = node->mark;
    if (is_map)
        for (const frz_node *child = node->first; child != NULL; child = child->next)
            FRZ_TRY(check_known(parse, section, child));
    for (const frz_key *row = section->keys; row->key != NULL; ++row)
    {
        const frz_node *value = NULL;
        if (is_map)
            value = frz_node_find(node, row->key);
        else if (is_short && strcmp(row->key, section->short_form) == 0)
            value = node;
        if (value == NULL && node != NULL && (row->flags & FRZ_KEY_REQUIRED) != 0)
            return fail_missing(parse, section, row, node);
        frz_key named = *row;
        if (is_short && value != NULL && node->key != NULL)
            named.key = node->key; // messages name the key that the user wrote
        FRZ_TRY(read_row(parse, &named, value, data));
    }
    if (section->slots != FRZ_SLOTS_NONE)
        FRZ_TRY(read_slots(parse, section, is_map ? node : NULL, data));
    return section->check != NULL && node != NULL ? section->check(parse, node, data) : FRZ_OK;
}

static void clear_row(const frz_key *row, void *target)
{
    switch (row->kind)
    {
    case FRZ_KEY_TEXT:
    case FRZ_KEY_NAME:
        FRZ_FREE(*(char **)target);
        break;
    case FRZ_KEY_NAMES:
    {
        frz_name_list *list = target;
        for (int i = 0; i < list->count; ++i)
            frz_free(list->items[i]);
        frz_free((void *)list->items);
        *list = (frz_name_list){0};
        break;
    }
    case FRZ_KEY_SHAPE:
        frz_shape_destroy(target);
        break;
    case FRZ_KEY_GRID:
        FRZ_FREE(((frz_grid *)target)->values);
        break;
    case FRZ_KEY_SECTION:
        frz_section_clear(row->section, target);
        break;
    case FRZ_KEY_LIST:
    case FRZ_KEY_MAP:
    {
        frz_list *list = target;
        for (int i = 0; i < list->count; ++i)
        {
            void *entry = member(list->items, (size_t)i * row->section->size);
            frz_section_clear(row->section, entry);
            if (row->kind == FRZ_KEY_MAP) // in lists the name is a key of its own
                FRZ_FREE(*(char **)member(entry, row->section->name_offset));
        }
        FRZ_FREE(list->items);
        list->count = 0;
        break;
    }
    default:
        break;
    }
}

void frz_section_clear(const frz_section *section, void *data)
{
    for (const frz_key *row = section->keys; row->key != NULL; ++row)
        clear_row(row, member(data, row->offset));
    if (section->slots == FRZ_SLOTS_NONE)
        return;
    frz_choice *choices = member(data, section->slots_offset);
    for (int slot = 0; slot < FRZ_SLOT_COUNT; ++slot)
        FRZ_FREE(choices[slot].self);
}

frz_status frz_schema_read(const frz_tree *tree, frz_scene *scene, frz_diag *diag)
{
    frz_parse parse = {.tree = tree, .scene = scene, .diag = diag, .dimension = 3};
    const frz_node *root = frz_tree_root(tree);
    if (frz_node_is_nothing(root))
        return FRZ_PARSE_FAIL(&parse, root->mark, "expected a scene, found an empty text");
    // vectors can only be read once the dimension is known
    for (const frz_key *row = frz_section_scene.keys; row->key != NULL; ++row)
    {
        const frz_node *node = frz_node_find(root, row->key);
        if (node != NULL && row->offset == offsetof(frz_scene, dimension))
            FRZ_TRY(frz_value_int(&parse, row, node, &parse.dimension));
    }
    return frz_section_read(&parse, &frz_section_scene, root, scene);
}
