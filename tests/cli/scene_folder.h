// SPDX-License-Identifier: MIT
// A scratch folder with a scene in it, in which the program is run.
#pragma once

#include "cli/program.h"

static char scratch[256];

/// 0 if the scene could be written.
static inline int write_scene(const char *name, const char *scene_text)
{
    FILE *file = fopen(name, "w");
    if (file == NULL)
        return -1;
    fputs(scene_text, file);
    return fclose(file);
}

/// Make the folder, go there and write the scene; 0 if that worked.
static inline int enter_scratch(const char *name, const char *scene_text)
{
    return make_scratch(scratch, sizeof scratch) && chdir(scratch) == 0 ? write_scene(name, scene_text) : -1;
}

static inline int tear_down(void **state)
{
    (void)state;
    remove_scratch(scratch);
    return 0;
}

static inline void assert_said(const char *text, const char *part)
{
    if (strstr(text, part) == NULL)
        fail_msg("'%s' is not in: %s", part, text);
}
