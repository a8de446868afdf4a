// SPDX-License-Identifier: MIT
// From YAML text to nodes, by way of libyaml's events.
//
// Aliases are expanded on the way; an alias to a value that is still open would make it contain itself and is refused,
// which also rules out cyclic shapes.
#include "scene/yaml_tree.h"

#include <stdio.h>
#include <string.h>
#include <yaml.h>

#include "base/memory.h"
#include "scene/yaml_tree_private.h"

enum
{
    deepest_level = 200,     // values in values; shapes have a tighter limit of their own
    most_nodes = 1100000,    // values, aliases expanded; a heightfield of 1000 x 1000 and a scene around it
    longest_key = 256,       // bytes
    longest_anchor_name = 64 // bytes
};

typedef struct anchor
{
    char name[longest_anchor_name];
    frz_node *node;
    struct anchor *next;
} anchor;

typedef struct level
{
    frz_node *node;
    const char *key; ///< of the value to come, inside a map
    frz_mark key_mark;
} level;

typedef struct reader
{
    yaml_parser_t parser;
    frz_tree *tree;
    const char *text;
    size_t length;
    const char *name;
    frz_diag *diag;
    level levels[deepest_level];
    int depth;
    int64_t node_count;
    anchor *anchors; ///< newest first: a name may be used again
} reader;

static frz_mark mark_of(yaml_mark_t mark)
{
    return (frz_mark){.line = (int)mark.line + 1, .column = (int)mark.column + 1, .source = 0};
}

static frz_status fail_memory(const reader *r)
{
    return frz_fail_memory(r->diag, "the scene's text");
}

/// Length of the well-formed UTF-8 character at c, 0 if there is none (RFC 3629).
static size_t utf8_length(const unsigned char *c, size_t left)
{
    if (c[0] < 0x80)
        return 1;
    const size_t length = c[0] >= 0xc2 && c[0] < 0xe0   ? 2
                          : (c[0] & 0xf0) == 0xe0       ? 3
                          : c[0] >= 0xf0 && c[0] < 0xf5 ? 4
                                                        : 0;
    if (length == 0 || length > left)
        return 0;
    for (size_t i = 1; i < length; ++i)
        if ((c[i] & 0xc0) != 0x80)
            return 0;
    const bool overlong = (c[0] == 0xe0 && c[1] < 0xa0) || (c[0] == 0xf0 && c[1] < 0x90);
    const bool surrogate = c[0] == 0xed && c[1] >= 0xa0;
    const bool too_large = c[0] == 0xf4 && c[1] >= 0x90;
    return overlong || surrogate || too_large ? 0 : length;
}

static frz_status check_bytes(const char *text, size_t length, const char *name, frz_diag *diag)
{
    int line = 1, column = 1;
    for (size_t i = 0; i < length;)
    {
        const unsigned char c = (unsigned char)text[i];
        const size_t step = utf8_length((const unsigned char *)text + i, length - i);
        if (step == 0)
            return frz_fail_at(diag, FRZ_ERR_SCENE, name, line, column,
                               "expected UTF-8 text, found the byte 0x%02x; save the file as UTF-8", (unsigned)c);
        if (c == 0x7f || (c < ' ' && c != '\n' && c != '\r' && c != '\t'))
            return frz_fail_at(diag, FRZ_ERR_SCENE, name, line, column,
                               "expected a text file, found the control character 0x%02x; is this a binary file?",
                               (unsigned)c);
        column = c == '\n' ? 1 : column + 1;
        line += c == '\n';
        i += step;
    }
    return FRZ_OK;
}

/// Byte at a mark of the parser, 0 past the end. Columns count characters.
static char byte_at(const reader *r, yaml_mark_t mark)
{
    size_t i = 0;
    for (size_t line = 0; line < mark.line && i < r->length; ++i)
        line += r->text[i] == '\n';
    for (size_t column = 0; column < mark.column && i < r->length; ++column)
        i += utf8_length((const unsigned char *)r->text + i, r->length - i);
    return i < r->length ? r->text[i] : '\0';
}

static frz_status fail_syntax(const reader *r)
{
    const yaml_parser_t *parser = &r->parser;
    if (parser->error == YAML_MEMORY_ERROR)
        return fail_memory(r);
    const frz_mark mark = mark_of(parser->problem_mark);
    if (parser->error == YAML_READER_ERROR)
        return frz_fail_at(r->diag, FRZ_ERR_SCENE, r->name, mark.line, mark.column,
                           "expected YAML text, found a character that may not stand there (%s)",
                           parser->problem != NULL ? parser->problem : "not readable");
    const char *hint = "";
    if (byte_at(r, parser->problem_mark) == '\t')
        hint = "; indent with blanks, not with tabs";
    const bool has_context = parser->context != NULL;
    return frz_fail_at(
        r->diag, FRZ_ERR_SCENE, r->name, mark.line, mark.column, "expected valid YAML, but %s%s%s%s%s",
        parser->problem != NULL ? parser->problem : "it cannot be read", has_context ? " " : "",
        has_context ? parser->context : "",
        has_context && parser->context_mark.line != parser->problem_mark.line ? " that begins earlier" : "", hint);
}

static frz_status count_nodes(reader *r, int64_t count, frz_mark mark)
{
    r->node_count += count;
    if (r->node_count <= most_nodes)
        return FRZ_OK;
    return frz_tree_fail(r->tree, mark, r->diag,
                         "expected at most %d values, aliases expanded, found more; use a mesh file for large data",
                         (int)most_nodes);
}

static int64_t node_size(const frz_node *node)
{
    int64_t size = 1;
    for (const frz_node *child = node->first; child != NULL; child = child->next)
        size += node_size(child);
    return size;
}

static frz_status check_tag(const reader *r, const yaml_char_t *tag, yaml_mark_t mark)
{
    if (tag == NULL || strcmp((const char *)tag, "!") == 0)
        return FRZ_OK;
    return frz_tree_fail(r->tree, mark_of(mark), r->diag,
                         "expected a value without a tag, found the tag '%.60s'; remove it", (const char *)tag);
}

/// Put a complete or opened node where it belongs.
static void place(reader *r, frz_node *node)
{
    if (r->depth == 0)
    {
        r->tree->root = node;
        return;
    }
    level *parent = &r->levels[r->depth - 1];
    if (parent->node->kind == FRZ_NODE_MAP)
        node->key_mark = parent->key_mark;
    frz_node_append(parent->node, node, parent->key);
    parent->key = NULL;
}

static bool key_is_due(const reader *r)
{
    return r->depth > 0 && r->levels[r->depth - 1].node->kind == FRZ_NODE_MAP && r->levels[r->depth - 1].key == NULL;
}

static frz_status remember_anchor(reader *r, const yaml_char_t *name, frz_node *node)
{
    if (name == NULL)
        return FRZ_OK;
    if (strlen((const char *)name) >= longest_anchor_name)
        return frz_tree_fail(r->tree, node->mark, r->diag, "expected an anchor name of less than %d letters",
                             (int)longest_anchor_name);
    anchor *fresh = frz_tree_alloc(r->tree, sizeof *fresh);
    if (fresh == NULL)
        return fail_memory(r);
    snprintf(fresh->name, sizeof fresh->name, "%s", (const char *)name);
    fresh->node = node;
    fresh->next = r->anchors;
    r->anchors = fresh;
    return FRZ_OK;
}

/// Characters that steer a terminal may be written as escapes ("\e[2J"): messages and tables show texts of the scene.
static frz_status check_characters(const reader *r, const char *text, frz_mark mark)
{
    for (const unsigned char *c = (const unsigned char *)text; *c != '\0'; ++c)
    {
        const bool blank = *c == '\t' || *c == '\n' || *c == '\r';
        if ((*c < 0x20 && !blank) || *c == 0x7f || (c[0] == 0xc2 && c[1] >= 0x80 && c[1] < 0xa0))
            return frz_tree_fail(r->tree, mark, r->diag, "expected a text without control characters, found 0x%02x",
                                 *c == 0xc2 ? c[1] : *c);
    }
    return FRZ_OK;
}

static frz_status read_key(reader *r, const yaml_event_t *event)
{
    const frz_mark mark = mark_of(event->start_mark);
    if (event->type != YAML_SCALAR_EVENT)
        return frz_tree_fail(r->tree, mark, r->diag, "expected a word as key, found %s",
                             event->type == YAML_ALIAS_EVENT ? "an alias" : "a list or map");
    const char *text = (const char *)event->data.scalar.value;
    FRZ_TRY(check_tag(r, event->data.scalar.tag, event->start_mark));
    if (strlen(text) != event->data.scalar.length || event->data.scalar.length > longest_key)
        return frz_tree_fail(r->tree, mark, r->diag, "expected a key of at most %d letters", (int)longest_key);
    FRZ_TRY(check_characters(r, text, mark));
    level *top = &r->levels[r->depth - 1];
    top->key = frz_tree_keep_text(r->tree, text);
    top->key_mark = mark;
    return top->key != NULL ? FRZ_OK : fail_memory(r);
}

static frz_status read_scalar(reader *r, const yaml_event_t *event)
{
    FRZ_TRY(check_tag(r, event->data.scalar.tag, event->start_mark));
    const frz_mark mark = mark_of(event->start_mark);
    FRZ_TRY(count_nodes(r, 1, mark));
    const char *text = (const char *)event->data.scalar.value;
    if (strlen(text) != event->data.scalar.length)
        return frz_tree_fail(r->tree, mark, r->diag, "expected a text without zero characters");
    FRZ_TRY(check_characters(r, text, mark));
    frz_node *node = frz_tree_new_node(r->tree, FRZ_NODE_SCALAR, mark);
    if (node == NULL || (node->text = frz_tree_keep_text(r->tree, text)) == NULL)
        return fail_memory(r);
    node->quoted = event->data.scalar.style != YAML_PLAIN_SCALAR_STYLE;
    place(r, node);
    return remember_anchor(r, event->data.scalar.anchor, node);
}

static frz_status read_alias(reader *r, const yaml_event_t *event)
{
    const char *name = (const char *)event->data.alias.anchor;
    const frz_mark mark = mark_of(event->start_mark);
    const anchor *found = r->anchors;
    while (found != NULL && strcmp(found->name, name) != 0)
        found = found->next;
    if (found == NULL)
        return frz_tree_fail(r->tree, mark, r->diag,
                             "expected the name of an anchor that stands before, found '*%.60s'", name);
    for (int i = 0; i < r->depth; ++i)
        if (r->levels[i].node == found->node)
            return frz_tree_fail(r->tree, mark, r->diag, "the alias '*%.60s' makes the value of line %d contain itself",
                                 name, found->node->mark.line);
    FRZ_TRY(count_nodes(r, node_size(found->node), mark));
    frz_node *copy = frz_tree_copy_node(r->tree, found->node);
    if (copy == NULL)
        return fail_memory(r);
    place(r, copy);
    return FRZ_OK;
}

static frz_status open_level(reader *r, const yaml_event_t *event)
{
    const bool is_map = event->type == YAML_MAPPING_START_EVENT;
    FRZ_TRY(check_tag(r, is_map ? event->data.mapping_start.tag : event->data.sequence_start.tag, event->start_mark));
    const frz_mark mark = mark_of(event->start_mark);
    FRZ_TRY(count_nodes(r, 1, mark));
    if (r->depth >= deepest_level)
        return frz_tree_fail(r->tree, mark, r->diag, "expected at most %d levels of values in values",
                             (int)deepest_level);
    frz_node *node = frz_tree_new_node(r->tree, is_map ? FRZ_NODE_MAP : FRZ_NODE_LIST, mark);
    if (node == NULL)
        return fail_memory(r);
    place(r, node);
    r->levels[r->depth++] = (level){.node = node};
    return remember_anchor(r, is_map ? event->data.mapping_start.anchor : event->data.sequence_start.anchor, node);
}

static frz_status check_repeated_keys(reader *r, const frz_node *map)
{
    if (map->count < 2)
        return FRZ_OK;
    const char **keys = FRZ_ALLOC("keys", map->count, const char *);
    const frz_node **children = FRZ_ALLOC("keys", map->count, const frz_node *);
    frz_status status = keys != NULL && children != NULL ? FRZ_OK : fail_memory(r);
    int count = 0;
    for (const frz_node *child = map->first; child != NULL && status == FRZ_OK; child = child->next)
    {
        keys[count] = child->key;
        children[count++] = child;
    }
    const int repeated = status == FRZ_OK ? frz_names_repeated(keys, count) : -1;
    if (repeated >= 0)
    {
        const frz_node *earlier = frz_node_find(map, keys[repeated]);
        status = frz_tree_fail(r->tree, children[repeated]->key_mark, r->diag,
                               "the key '%.60s' stands here for the second time, the first is in line %d; remove one",
                               keys[repeated], earlier->key_mark.line);
    }
    frz_free((void *)keys);
    frz_free((void *)children);
    return status;
}

static frz_status read_event(reader *r, const yaml_event_t *event)
{
    const bool is_value = event->type == YAML_SCALAR_EVENT || event->type == YAML_ALIAS_EVENT ||
                          event->type == YAML_MAPPING_START_EVENT || event->type == YAML_SEQUENCE_START_EVENT;
    if (is_value && key_is_due(r))
        return read_key(r, event);
    switch (event->type)
    {
    case YAML_DOCUMENT_START_EVENT:
        if (r->tree->root != NULL)
            return frz_tree_fail(r->tree, mark_of(event->start_mark), r->diag,
                                 "expected one document per file, found a second one");
        return FRZ_OK;
    case YAML_SCALAR_EVENT:
        return read_scalar(r, event);
    case YAML_ALIAS_EVENT:
        return read_alias(r, event);
    case YAML_MAPPING_START_EVENT:
    case YAML_SEQUENCE_START_EVENT:
        return open_level(r, event);
    case YAML_MAPPING_END_EVENT:
    case YAML_SEQUENCE_END_EVENT:
        r->depth -= 1;
        if (event->type == YAML_MAPPING_END_EVENT)
            return check_repeated_keys(r, r->levels[r->depth].node);
        return FRZ_OK;
    default:
        return FRZ_OK;
    }
}

static frz_status read_events(reader *r)
{
    frz_status status = FRZ_OK;
    bool more = true;
    while (status == FRZ_OK && more)
    {
        yaml_event_t event;
        if (!yaml_parser_parse(&r->parser, &event))
            return fail_syntax(r);
        more = event.type != YAML_STREAM_END_EVENT;
        status = read_event(r, &event);
        yaml_event_delete(&event);
    }
    if (status == FRZ_OK && r->tree->root == NULL)
        return frz_fail_at(r->diag, FRZ_ERR_SCENE, r->name, 1, 1, "expected a scene, found an empty text");
    return status;
}

frz_status frz_tree_parse(const char *text, size_t length, const char *name, frz_tree **out, frz_diag *diag)
{
    *out = NULL;
    FRZ_TRY(check_bytes(text, length, name, diag));
    reader *r = FRZ_ALLOC("scene reader", 1, reader);
    frz_tree *tree = FRZ_ALLOC("scene text", 1, frz_tree);
    if (r == NULL || tree == NULL || !frz_tree_add_source(tree, name) || !yaml_parser_initialize(&r->parser))
    {
        frz_free(r);
        frz_tree_destroy(&tree);
        return frz_fail_memory(diag, "the scene's text");
    }
    r->tree = tree;
    r->text = text;
    r->length = length;
    r->name = name;
    r->diag = diag;
    yaml_parser_set_encoding(&r->parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&r->parser, (const unsigned char *)text, length);
    const frz_status status = read_events(r);
    yaml_parser_delete(&r->parser);
    frz_free(r);
    if (status != FRZ_OK)
        frz_tree_destroy(&tree);
    *out = tree;
    return status;
}
