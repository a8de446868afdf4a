// SPDX-License-Identifier: MIT
// The option --frames, which several commands have.
#pragma once

#include "commands/command.h"

/// The option's row; values is the struct of the command's values, which has a member frames.
#define FRZ_FRAMES_OPTION(values)                                                                                      \
    {                                                                                                                  \
        "frames", 0, FRZ_OPTION_TEXT, offsetof(values, frames), "A:B[:STEP]", "frames A to B; either may be missing"   \
    }

/// "a", "a:b" or "a:b:step" into numbers; missing parts, and null, leave the numbers unchanged. Prints an error and
/// returns false for any other text.
bool frz_read_frames(const frz_call *call, const char *text, int *first, int *last, int *every);
