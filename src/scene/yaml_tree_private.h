// SPDX-License-Identifier: MIT
// Inside of the tree, shared by its builder and its reader only.
#pragma once

#include "scene/yaml_tree.h"

typedef struct frz_tree_block frz_tree_block;

struct frz_tree
{
    frz_tree_block *blocks;
    frz_node *root;
    const char **sources; ///< names of the file and of the overrides
    int source_count;
};

/// Zeroed memory that lives as long as the tree; null when memory is short.
void *frz_tree_alloc(frz_tree *tree, size_t bytes);
const char *frz_tree_keep(frz_tree *tree, const char *text, size_t length);
frz_node *frz_tree_new_node(frz_tree *tree, frz_node_kind kind, frz_mark mark);
/// Deep copy of a node of the same tree; null when memory is short.
frz_node *frz_tree_copy_node(frz_tree *tree, const frz_node *node);
bool frz_tree_add_source(frz_tree *tree, const char *name);
