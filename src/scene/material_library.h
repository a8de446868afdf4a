// SPDX-License-Identifier: MIT
// The library of materials, which the key `from` of a material names.
#pragma once

#include "scene/yaml_tree.h"

typedef struct frz_library_material
{
    const char *name;
    const char *doc, *source;
    const char *text; ///< its keys, YAML
} frz_library_material;

extern const frz_library_material frz_material_library[]; ///< ends with a null name

/// Put the keys of the library in the place of `from`, where the scene does not give them itself.
FRZ_NODISCARD frz_status frz_material_library_expand(frz_tree *tree, frz_diag *diag);
