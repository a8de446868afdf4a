// SPDX-License-Identifier: MIT
// The option --frames, which several commands have.
#include "commands/frame_range.h"

#include <stdlib.h>

static const long most_frames = 1000000000; // numbers beyond it are mistakes

/// One part of "a:b:step"; an empty part keeps its value. False when it is no whole number >= 0.
static bool read_part(const char **text, int *value)
{
    if (**text == ':' || **text == '\0')
        return true;
    char *end = NULL;
    const long number = strtol(*text, &end, 10);
    if (end == *text || number < 0 || number > most_frames)
        return false;
    *text = end;
    *value = (int)number;
    return true;
}

static bool read_range(const char *text, int *first, int *last, int *every)
{
    const char *at = text;
    if (!read_part(&at, first))
        return false;
    if (*at == '\0') // one frame
    {
        *last = *first;
        return at != text;
    }
    if (*at++ != ':' || !read_part(&at, last))
        return false;
    if (*at == ':')
    {
        ++at;
        if (!read_part(&at, every) || *every < 1)
            return false;
    }
    return *at == '\0';
}

bool frz_read_frames(const frz_call *call, const char *text, int *first, int *last, int *every)
{
    if (text == NULL || read_range(text, first, last, every))
        return true;
    (void)frz_command_fail_usage(call, "--frames: expected A:B or A:B:STEP such as 0:100:2, got '%.60s'", text);
    return false;
}
