// SPDX-License-Identifier: MIT
// Nodes of a scene's text: memory, building, searching.
#include "scene/yaml_tree.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "scene/yaml_tree_private.h"

enum
{
    block_bytes = 32768,
    shown_bytes = 40 // longest piece of the user's text in a message
};

/// Nodes and texts live as long as the tree, in blocks.
struct frz_tree_block
{
    frz_tree_block *next;
    size_t used, capacity;
    _Alignas(16) char bytes[];
};

void *frz_tree_alloc(frz_tree *tree, size_t bytes)
{
    const size_t rounded = (bytes + 15) / 16 * 16;
    if (tree->blocks == NULL || tree->blocks->capacity - tree->blocks->used < rounded)
    {
        const size_t capacity = rounded > block_bytes ? rounded : block_bytes;
        frz_tree_block *block = frz_alloc("scene text", 1, sizeof *block + capacity);
        if (block == NULL)
            return NULL;
        block->capacity = capacity;
        block->next = tree->blocks;
        tree->blocks = block;
    }
    void *piece = tree->blocks->bytes + tree->blocks->used;
    tree->blocks->used += rounded;
    return piece;
}

const char *frz_tree_keep(frz_tree *tree, const char *text, size_t length)
{
    char *copy = frz_tree_alloc(tree, length + 1);
    if (copy != NULL)
        memcpy(copy, text, length);
    return copy;
}

const char *frz_tree_keep_text(frz_tree *tree, const char *text)
{
    return frz_tree_keep(tree, text, strlen(text));
}

frz_node *frz_tree_new_node(frz_tree *tree, frz_node_kind kind, frz_mark mark)
{
    frz_node *node = frz_tree_alloc(tree, sizeof *node);
    if (node == NULL)
        return NULL;
    node->kind = kind;
    node->mark = mark;
    node->key_mark = mark;
    return node;
}

frz_node *frz_tree_new_map(frz_tree *tree, frz_mark mark)
{
    return frz_tree_new_node(tree, FRZ_NODE_MAP, mark);
}

bool frz_tree_add_source(frz_tree *tree, const char *name)
{
    const char **grown =
        frz_realloc("scene text", (void *)tree->sources, (size_t)tree->source_count + 1, sizeof *grown);
    if (grown == NULL)
        return false;
    tree->sources = grown;
    const char *copy = frz_tree_keep_text(tree, name);
    if (copy == NULL)
        return false;
    tree->sources[tree->source_count++] = copy;
    return true;
}

void frz_tree_destroy(frz_tree **tree)
{
    if (*tree == NULL)
        return;
    for (frz_tree_block *block = (*tree)->blocks; block != NULL;)
    {
        frz_tree_block *next = block->next;
        frz_free(block);
        block = next;
    }
    frz_free((void *)(*tree)->sources);
    FRZ_FREE(*tree);
}

frz_node *frz_tree_root(const frz_tree *tree)
{
    return tree->root;
}

const char *frz_tree_source(const frz_tree *tree, int source)
{
    return source >= 0 && source < tree->source_count ? tree->sources[source] : "";
}

static frz_mark shifted(frz_mark mark, int shift)
{
    mark.source += shift;
    return mark;
}

static frz_node *copy_node(frz_tree *tree, const frz_node *node, int shift)
{
    frz_node *copy = frz_tree_new_node(tree, node->kind, shifted(node->mark, shift));
    if (copy == NULL)
        return NULL;
    copy->key_mark = shifted(node->key_mark, shift);
    copy->quoted = node->quoted;
    if (node->kind == FRZ_NODE_SCALAR)
    {
        copy->text = frz_tree_keep_text(tree, node->text);
        return copy->text != NULL ? copy : NULL;
    }
    for (const frz_node *child = node->first; child != NULL; child = child->next)
    {
        frz_node *child_copy = copy_node(tree, child, shift);
        const char *key = child->key != NULL ? frz_tree_keep_text(tree, child->key) : NULL;
        if (child_copy == NULL || (child->key != NULL && key == NULL))
            return NULL;
        frz_node_append(copy, child_copy, key);
    }
    return copy;
}

frz_node *frz_tree_copy_node(frz_tree *tree, const frz_node *node)
{
    return copy_node(tree, node, 0);
}

frz_node *frz_tree_adopt(frz_tree *tree, const frz_tree *other, const frz_node *node)
{
    const int shift = tree->source_count;
    for (int i = 0; i < other->source_count; ++i)
        if (!frz_tree_add_source(tree, other->sources[i]))
            return NULL;
    return copy_node(tree, node, shift);
}

frz_status frz_tree_copy(const frz_tree *tree, frz_tree **out, frz_diag *diag)
{
    *out = NULL;
    frz_tree *copy = FRZ_ALLOC("scene text", 1, frz_tree);
    if (copy != NULL)
        copy->root = frz_tree_adopt(copy, tree, tree->root);
    if (copy == NULL || copy->root == NULL)
    {
        frz_tree_destroy(&copy);
        return frz_fail_memory(diag, "the scene's text");
    }
    *out = copy;
    return FRZ_OK;
}

void frz_node_append(frz_node *parent, frz_node *child, const char *key)
{
    child->key = key;
    child->next = NULL;
    if (parent->last != NULL)
        parent->last->next = child;
    else
        parent->first = child;
    parent->last = child;
    parent->count += 1;
}

void frz_tree_drop(frz_tree *tree, const char *key)
{
    frz_node *root = tree->root, *before = NULL;
    const frz_node *found = frz_node_find(root, key);
    if (found == NULL)
        return;
    for (frz_node *node = root->first; node != found; node = node->next)
        before = node;
    if (before != NULL)
        before->next = found->next;
    else
        root->first = found->next;
    if (root->last == found)
        root->last = before;
    root->count -= 1;
}

void frz_node_replace(frz_node *parent, frz_node *old, frz_node *child)
{
    frz_node *before = NULL;
    for (frz_node *node = parent->first; node != NULL && node != old; node = node->next)
        before = node;
    child->key = old->key;
    child->next = old->next;
    if (before != NULL)
        before->next = child;
    else
        parent->first = child;
    if (parent->last == old)
        parent->last = child;
}

frz_node *frz_node_find(const frz_node *map, const char *key)
{
    if (map->kind != FRZ_NODE_MAP)
        return NULL;
    for (frz_node *child = map->first; child != NULL; child = child->next)
        if (strcmp(child->key, key) == 0)
            return child;
    return NULL;
}

bool frz_node_is_nothing(const frz_node *node)
{
    return node->kind == FRZ_NODE_SCALAR && !node->quoted &&
           (node->text[0] == '\0' || strcmp(node->text, "~") == 0 || strcmp(node->text, "null") == 0);
}

const char *frz_node_describe(const frz_node *node, char *text, size_t size)
{
    const char *plural = node->count == 1 ? "" : "s";
    if (node->kind == FRZ_NODE_MAP)
        snprintf(text, size, "a map of %d key%s", node->count, plural);
    else if (node->kind == FRZ_NODE_LIST)
        snprintf(text, size, "a list of %d value%s", node->count, plural);
    else if (frz_node_is_nothing(node))
        snprintf(text, size, "nothing");
    else
    {
        size_t shown = strlen(node->text);
        const bool cut = shown > shown_bytes;
        if (cut) // not inside a character of several bytes
            for (shown = shown_bytes; shown > 0 && ((unsigned char)node->text[shown] & 0xc0) == 0x80;)
                --shown;
        snprintf(text, size, "%s'%.*s'%s", node->quoted ? "the text " : "", (int)shown, node->text, cut ? "..." : "");
    }
    return text;
}

frz_status frz_tree_fail(const frz_tree *tree, frz_mark mark, frz_diag *diag, const char *format, ...)
{
    char sentence[sizeof diag->message];
    va_list args;
    va_start(args, format);
    vsnprintf(sentence, sizeof sentence, format, args);
    va_end(args);
    return frz_fail_at(diag, FRZ_ERR_SCENE, frz_tree_source(tree, mark.source), mark.line, mark.column, "%s", sentence);
}

typedef struct numbered_name
{
    const char *name;
    int index;
} numbered_name;

static int compare_names(const void *a, const void *b)
{
    const numbered_name *p = a, *q = b;
    const int order = strcmp(p->name, q->name);
    return order != 0 ? order : (p->index > q->index) - (p->index < q->index);
}

int frz_names_repeated(const char *const *names, int count)
{
    if (count < 2)
        return -1;
    numbered_name *sorted = FRZ_ALLOC("names", count, numbered_name);
    if (sorted == NULL)
        return -1;
    for (int i = 0; i < count; ++i)
        sorted[i] = (numbered_name){names[i], i};
    qsort(sorted, (size_t)count, sizeof *sorted, compare_names);
    int first = -1;
    for (int i = 1; i < count; ++i)
        if (strcmp(sorted[i].name, sorted[i - 1].name) == 0 && (first < 0 || sorted[i].index < first))
            first = sorted[i].index;
    frz_free(sorted);
    return first;
}
