// SPDX-License-Identifier: MIT
// Steps on the way from a file to a scene, shared by loading and overriding.
#pragma once

#include "scene/scene.h"

/// Check a tree and make a scene of it. Takes the tree, also on failure.
FRZ_NODISCARD frz_status frz_scene_build(frz_tree *tree, const char *folder, frz_scene **out, frz_diag *diag);

/// A whole file as null-terminated text (frz_free it); explains failures by folders, missing and large files.
FRZ_NODISCARD frz_status frz_scene_file_read(const char *path, size_t limit, char **text, size_t *length,
                                             frz_diag *diag);
