// SPDX-License-Identifier: MIT
// A scratch folder with a scene in it, in which the program is run.
#pragma once

#include "cli/program.h"

static char scratch[256];

/// Make the folder, go there and write the scene; 0 if that worked.
static inline int enter_scratch(const char *name, const char *scene_text)
{
    if (!make_scratch(scratch, sizeof scratch) || chdir(scratch) != 0)
        return -1;
    FILE *file = fopen(name, "w");
    if (file == NULL)
        return -1;
    fputs(scene_text, file);
    return fclose(file);
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
