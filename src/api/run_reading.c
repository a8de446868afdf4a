// SPDX-License-Identifier: MIT
// Reading a run back.
#include "api/run_reading.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "io/file_replace.h"
#include "io/text_file.h"
#include "scene/yaml_tree.h"

/// Folder of the original scene, in which relative mesh files lie; null if run.json does not say.
static char *scene_folder(const char *directory)
{
    char path[FRZ_PATH_SIZE];
    char *text = NULL, *folder = NULL;
    size_t length = 0;
    frz_tree *tree = NULL;
    if (frz_path_format(path, NULL, "%s/run.json", directory) != FRZ_OK ||
        frz_text_read(path, &text, &length, NULL) != FRZ_OK)
        return NULL;
    // JSON is YAML; a damaged file only costs the folder
    if (frz_tree_parse(text, length, path, &tree, NULL) == FRZ_OK && frz_tree_root(tree)->kind == FRZ_NODE_MAP)
    {
        const frz_node *node = frz_node_find(frz_tree_root(tree), "scene_folder");
        if (node != NULL && node->kind == FRZ_NODE_SCALAR && !frz_node_is_nothing(node))
            folder = frz_strdup(node->text);
    }
    frz_tree_destroy(&tree);
    frz_free(text);
    return folder;
}

frz_status frz_run_scene_load(const char *directory, frz_scene **out, frz_diag *diag)
{
    char path[FRZ_PATH_SIZE];
    char *text = NULL;
    size_t length = 0;
    FRZ_TRY(frz_path_format(path, diag, "%s/scene.yaml", directory));
    if (frz_text_read(path, &text, &length, diag) != FRZ_OK)
        return frz_fail(diag, FRZ_ERR_FILE, "%s holds no run: it has no readable scene.yaml", directory);
    char *folder = scene_folder(directory);
    const frz_status status = frz_scene_parse(text, path, folder, out, diag);
    frz_free(folder);
    frz_free(text);
    return status;
}

frz_status frz_frame_plan_make(const frz_frame_wish *wish, frz_frame_plan *out, frz_diag *diag)
{
    const int frames = frz_frame_count(wish->directory);
    if (frames == 0)
        return frz_fail(diag, FRZ_ERR_FILE, "%s/frames holds no frames", wish->directory);
    if (wish->first >= frames)
        return frz_fail(diag, FRZ_ERR_ARGUMENT, "the run holds frames 0 to %d, so that the first cannot be %d",
                        frames - 1, wish->first);
    if (wish->last >= 0 && wish->last < wish->first)
        return frz_fail(diag, FRZ_ERR_ARGUMENT, "the last frame (%d) must not come before the first (%d)", wish->last,
                        wish->first);
    const int there = frz_frame_last(wish->directory);
    char note[160] = "";
    if (there >= frames && (wish->last < 0 || wish->last >= frames))
        snprintf(note, sizeof note,
                 "frame %d is missing or empty: the work ends before it, though there are frames up to %d", frames,
                 there);
    else if (wish->last >= frames)
        snprintf(note, sizeof note, "the run holds frames 0 to %d only; the work ends there", frames - 1);
    if (note[0] != '\0' && wish->log != NULL)
        wish->log(wish->log_user, FRZ_LOG_WARNING, note);
    const int last = wish->last < 0 || wish->last >= frames ? frames - 1 : wish->last;
    out->first = wish->first;
    out->every = wish->every > 0 ? wish->every : 1;
    out->count = (last - wish->first) / out->every + 1;
    return FRZ_OK;
}

const frz_array_desc *frz_frame_field(const frz_frame *frame, const char *name)
{
    for (int k = 0; k < frame->field_count; ++k)
        if (strcmp(frame->fields[k].name, name) == 0)
            return &frame->fields[k];
    return strcmp(name, "position") == 0 ? &frame->position : NULL;
}
