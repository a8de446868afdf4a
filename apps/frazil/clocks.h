// SPDX-License-Identifier: MIT
// Clocks for progress and for measurements.
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

/// Processor time of all threads of the process, s. Of running threads it contains the time up to the last tick only:
/// accurate for many steps, not for one.
static inline double frz_processor_seconds(void)
{
    return frz_seconds_of(CLOCK_PROCESS_CPUTIME_ID);
}
