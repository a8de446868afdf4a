// SPDX-License-Identifier: MIT
// Overrides: a dotted path into the tree, a new value, and everything checked again.
#include "scene/scene.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "scene/scene_build.h"
#include "scene/schema.h"
#include "scene/suggest.h"
#include "scene/yaml_tree.h"

enum
{
    longest_path = 256, // bytes
    part_size = 96,     // bytes of one part of a path
    phrase_size = 400   // bytes of a part of a message
};

/// Cut the next part off a path. False at its end; an empty or overlong part gives an empty text.
static bool next_part(const char **path, char part[part_size])
{
    if (*path == NULL)
        return false;
    const size_t length = strcspn(*path, ".");
    snprintf(part, part_size, "%.*s", length < part_size ? (int)length : 0, *path);
    *path = (*path)[length] == '.' ? *path + length + 1 : NULL;
    return true;
}

/// Section of the entries of a top-level list; null for other lists.
static const frz_section *section_of(const frz_node *list)
{
    for (const frz_key *row = frz_section_scene.keys; row->key != NULL; ++row)
        if (row->kind == FRZ_KEY_LIST && list->key != NULL && strcmp(row->key, list->key) == 0)
            return row->section;
    return NULL;
}

static const char *name_key_of(const frz_node *list)
{
    const frz_section *section = section_of(list);
    return section != NULL ? frz_section_name_key(section) : "name";
}

/// Entry of a list by position, by its name, or by the name that it gets when it has none (body_2).
static frz_node *list_entry(const frz_node *list, const char *part)
{
    char *end = NULL;
    const long position = strtol(part, &end, 10);
    const bool is_number = *part >= '0' && *part <= '9' && *end == '\0';
    const frz_section *section = section_of(list);
    const char *auto_name = section != NULL ? section->auto_name : NULL, *name_key = name_key_of(list);
    long index = 0;
    for (frz_node *entry = list->first; entry != NULL; entry = entry->next, ++index)
    {
        if (is_number)
        {
            if (index == position)
                return entry;
            continue;
        }
        const frz_node *name = frz_node_find(entry, name_key);
        if (name != NULL && name->kind == FRZ_NODE_SCALAR && strcmp(name->text, part) == 0)
            return entry;
        char given[part_size];
        snprintf(given, sizeof given, "%s_%ld", auto_name != NULL ? auto_name : "", index);
        if (name == NULL && auto_name != NULL && strcmp(given, part) == 0)
            return entry;
    }
    return NULL;
}

static frz_node *child_of(const frz_node *node, const char *part)
{
    return node->kind == FRZ_NODE_LIST ? list_entry(node, part) : frz_node_find(node, part);
}

frz_mark frz_scene_mark_of(const frz_scene *scene, const char *path)
{
    const frz_node *node = frz_tree_root(scene->tree);
    char part[part_size];
    while (next_part(&path, part))
    {
        const frz_node *child = child_of(node, part);
        if (child == NULL)
            break;
        node = child;
    }
    return node->mark;
}

static frz_status fail_no_entry(const char *path, const char *part, const frz_node *list, frz_diag *diag)
{
    char hint[phrase_size];
    frz_suggestion suggestion = {.word = part};
    for (const frz_node *entry = list->first; entry != NULL; entry = entry->next)
    {
        const frz_node *name = frz_node_find(entry, name_key_of(list));
        if (name != NULL && name->kind == FRZ_NODE_SCALAR)
            frz_suggestion_offer(&suggestion, name->text);
    }
    return frz_fail(diag, FRZ_ERR_SCENE,
                    "cannot set '%s': expected the name of an entry or a number from 0 to %d, got '%s'%s", path,
                    list->count - 1, part, frz_suggestion_text(&suggestion, hint, sizeof hint));
}

/// Put value at path below the root; missing maps on the way are made.
static frz_status put(frz_tree *tree, const char *path, frz_node *value, frz_diag *diag)
{
    frz_node *node = frz_tree_root(tree);
    const char *rest = path;
    char part[part_size];
    while (next_part(&rest, part))
    {
        if (part[0] == '\0')
            return frz_fail(diag, FRZ_ERR_SCENE, "cannot set '%s': expected keys with dots between them", path);
        if (node->kind == FRZ_NODE_SCALAR)
            return frz_fail(
                diag, FRZ_ERR_SCENE,
                "cannot set '%s': what stands before '%s' is the plain value '%.40s', set that one as a whole", path,
                part, node->text);
        frz_node *child = child_of(node, part);
        if (child == NULL && node->kind == FRZ_NODE_LIST)
            return fail_no_entry(path, part, node, diag);
        const bool is_last = rest == NULL;
        if (is_last && child != NULL)
        {
            value->key_mark = child->key_mark;
            frz_node_replace(node, child, value);
        }
        else if (child == NULL)
        {
            const char *key = frz_tree_keep_text(tree, part);
            child = is_last ? value : frz_tree_new_map(tree, value->mark);
            if (key == NULL || child == NULL)
                return frz_fail_memory(diag, "the scene's text");
            frz_node_append(node, child, key);
        }
        node = child;
    }
    return FRZ_OK;
}

/// Parse the value and put it into a copy of the tree.
static frz_status override_tree(const frz_tree *tree, const char *path, const char *value, frz_tree **out,
                                frz_diag *diag)
{
    char name[longest_path + 16];
    snprintf(name, sizeof name, "override %s", path);
    frz_tree *value_tree = NULL, *copy = NULL;
    FRZ_TRY(frz_tree_parse(value, strlen(value), name, &value_tree, diag));
    frz_status status = frz_tree_copy(tree, &copy, diag);
    if (status == FRZ_OK)
    {
        frz_node *node = frz_tree_adopt(copy, value_tree, frz_tree_root(value_tree));
        status = node != NULL ? put(copy, path, node, diag) : frz_fail_memory(diag, "the scene's text");
    }
    frz_tree_destroy(&value_tree);
    if (status != FRZ_OK)
        frz_tree_destroy(&copy);
    *out = copy;
    return status;
}

frz_status frz_scene_set(frz_scene *scene, const char *path, const char *value, frz_diag *diag)
{
    if (scene == NULL || path == NULL || value == NULL)
        return frz_fail(diag, FRZ_ERR_ARGUMENT, "frz_scene_set needs a scene, a path and a value, got null");
    if (strlen(path) > longest_path)
        return frz_fail(diag, FRZ_ERR_SCENE, "expected a path of at most %d letters to set", (int)longest_path);
    frz_tree *tree = NULL;
    FRZ_TRY(override_tree(scene->tree, path, value, &tree, diag));
    frz_scene *fresh = NULL;
    FRZ_TRY(frz_scene_build(tree, scene->folder, &fresh, diag));
    const frz_scene old = *scene;
    *scene = *fresh;
    *fresh = old;
    frz_scene_destroy(&fresh);
    return FRZ_OK;
}
