// SPDX-License-Identifier: MIT
// Common to run and resume: progress, stopping, and the final message.
#pragma once

#include "commands/command.h"
#include "output.h"

/// State of the progress callback; pass it as frz_run_def.progress_user.
typedef struct frz_run_watch
{
    frz_progress_bar bar;
    bool quiet;
    double time;
    int64_t step, first_step; ///< now, and at the first report
    int frame, frame_count;
    double elapsed;
    bool started;
} frz_run_watch;

/// Fill in log, progress and threads.
void frz_run_watch_attach(frz_run_watch *watch, const frz_call *call, frz_run_def *def);

/// Execute the run, say how it ended, and destroy it. Returns the exit code.
int frz_run_watch_execute(frz_run_watch *watch, const frz_call *call, frz_run **run, const char *directory);
