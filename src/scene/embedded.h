// SPDX-License-Identifier: MIT
// The scenes compiled into the library.
#pragma once

typedef struct frz_embedded_scene
{
    const char *name; ///< file name without folder and extension
    const char *kind; ///< show, benchmark (bench_*) or validation (by folder)
    const char *text;
} frz_embedded_scene;

extern const frz_embedded_scene frz_embedded_scenes[]; ///< ends with a null name
