// SPDX-License-Identifier: MIT
// What time it is: for progress, and for what is measured.
#pragma once

#include <time.h>

static inline double frz_seconds_of(clockid_t which)
{
    struct timespec now = {0};
    (void)clock_gettime(which, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/// By the clock on the wall, from some moment on, s.
static inline double frz_wall_seconds(void)
{
    return frz_seconds_of(CLOCK_MONOTONIC);
}

/// That all threads of the process have had a processor, s. Of threads that run right now it has only what they had by
/// the last tick: good for many steps, not for one.
static inline double frz_processor_seconds(void)
{
    return frz_seconds_of(CLOCK_PROCESS_CPUTIME_ID);
}
