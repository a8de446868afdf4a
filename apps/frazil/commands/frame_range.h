// SPDX-License-Identifier: MIT
// The option --frames, which several commands have.
#pragma once

#include "commands/command.h"

/// The option's row; values is the struct of the command's values, which has a member frames.
#define FRZ_FRAMES_OPTION(values)                                                                                      \
    {                                                                                                                  \
        "frames", 0, FRZ_OPTION_TEXT, offsetof(values, frames), "A:B[:STEP]", "frames A to B; either may be missing"   \
    }

/// "a", "a:b" or "a:b:step" into numbers; parts that are missing, and null, leave them as they are. When it is none of
/// these, prints that and gives false.
bool frz_read_frames(const frz_call *call, const char *text, int *first, int *last, int *every);
