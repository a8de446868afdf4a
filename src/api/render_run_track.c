// SPDX-License-Identifier: MIT
// Where rigid bodies were: their rows of bodies.csv, which has one for every frame.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "api/render_run_internal.h"
#include "base/memory.h"
#include "io/file_replace.h"
#include "io/text_file.h"

enum
{
    pose_values = 7 // position and orientation
};

// Numbers after the name, if the line is a row of that body.
static bool read_row(const char *line, const char *name, frz_keyframe *pose)
{
    char *end = NULL;
    (void)strtoll(line, &end, 10);
    if (end == line || *end != ',')
        return false;
    pose->time = strtod(end + 1, &end);
    const size_t length = strlen(name);
    if (*end != ',' || strncmp(end + 1, name, length) != 0 || end[1 + length] != ',')
        return false;
    double value[pose_values];
    end += 1 + length;
    for (int k = 0; k < pose_values; ++k)
    {
        if (*end != ',')
            return false;
        value[k] = strtod(end + 1, &end);
    }
    pose->position = frz_v3(value[0], value[1], value[2]);
    pose->rotation = (frz_quat){value[3], value[4], value[5], value[6]};
    return true;
}

frz_status frz_body_track_read(const char *directory, const char *name, frz_motion *out, frz_diag *diag)
{
    char path[FRZ_PATH_SIZE];
    char *text = NULL;
    size_t length = 0;
    *out = (frz_motion){0};
    FRZ_TRY(frz_path_format(path, diag, "%s/bodies.csv", directory));
    FRZ_TRY(frz_text_read(path, &text, &length, diag));
    frz_keyframe row;
    int rows = 0;
    for (const char *line = text; line != NULL; line = strchr(line, '\n'), line = line != NULL ? line + 1 : NULL)
        rows += read_row(line, name, &row);
    out->keyframes = FRZ_ALLOC("poses of bodies", rows + 1, frz_keyframe);
    if (out->keyframes == NULL)
    {
        frz_free(text);
        return frz_fail_memory(diag, "the poses of bodies");
    }
    for (const char *line = text; line != NULL; line = strchr(line, '\n'), line = line != NULL ? line + 1 : NULL)
        if (read_row(line, name, &out->keyframes[out->count]))
            out->count += 1;
    frz_free(text);
    if (out->count == 0)
        return frz_fail(diag, FRZ_ERR_FILE, "%s has no row of the rigid body '%s'", path, name);
    return FRZ_OK;
}
