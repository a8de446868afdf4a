// SPDX-License-Identifier: MIT
// The text of a scene as a tree of nodes with their positions in the text; aliases are expanded.
#pragma once

#include "scene/scene.h"

typedef enum frz_node_kind
{
    FRZ_NODE_SCALAR,
    FRZ_NODE_LIST,
    FRZ_NODE_MAP
} frz_node_kind;

typedef struct frz_node frz_node;

struct frz_node
{
    frz_node_kind kind;
    bool quoted; ///< scalar that was written with quotes or as a block: never a number
    int count;   ///< children
    frz_mark mark;
    frz_mark key_mark;
    const char *key;  ///< inside a map: this child's key
    const char *text; ///< scalar
    frz_node *first, *last, *next;
};

/// Read YAML text of exactly one document; name is its name in messages. Checks: UTF-8, duplicate keys, keys that are
/// no text, tags, aliases that make a value contain itself or grow exponentially, depth. Owner: the caller destroys the
/// tree.
FRZ_NODISCARD frz_status frz_tree_parse(const char *text, size_t length, const char *name, frz_tree **out,
                                        frz_diag *diag);

/// A tree of its own with the same nodes.
FRZ_NODISCARD frz_status frz_tree_copy(const frz_tree *tree, frz_tree **out, frz_diag *diag);

void frz_tree_destroy(frz_tree **tree);

frz_node *frz_tree_root(const frz_tree *tree);

/// Name of the file or override that a mark points into.
const char *frz_tree_source(const frz_tree *tree, int source);

/// Copy a node of another tree (whose sources are appended here) below this tree. Null when memory is short.
frz_node *frz_tree_adopt(frz_tree *tree, const frz_tree *other, const frz_node *node);

/// A new empty map with the mark of its parent. Null when memory is short.
frz_node *frz_tree_new_map(frz_tree *tree, frz_mark mark);

/// Text kept by the tree. Null when memory is short.
const char *frz_tree_keep_text(frz_tree *tree, const char *text);

/// Append child to map (with key) or list (key null); or put it in the place of old.
/// Take a key of the top level out of the tree.
void frz_tree_drop(frz_tree *tree, const char *key);

void frz_node_append(frz_node *parent, frz_node *child, const char *key);
void frz_node_replace(frz_node *parent, frz_node *old, frz_node *child);

/// Child of a map by key, or null.
frz_node *frz_node_find(const frz_node *map, const char *key);

/// True for a scalar that says nothing: empty, ~ or null without quotes.
bool frz_node_is_nothing(const frz_node *node);

/// Description of a node for messages: "a map", "a list of 3 values", "'5 kg'". Writes into text and returns it.
const char *frz_node_describe(const frz_node *node, char *text, size_t size);

/// Fail at a mark of this tree.
frz_status frz_tree_fail(const frz_tree *tree, frz_mark mark, frz_diag *diag, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/// Canonical YAML text of the tree (frz_free it), null when memory is short. Parsing it gives the same tree.
char *frz_tree_emit(const frz_tree *tree);

/// Index of the first name that stood before, or -1.
int frz_names_repeated(const char *const *names, int count);
