// SPDX-License-Identifier: MIT
// Wall-clock timers per stage, always on.
#pragma once

#include <time.h>

enum
{
    FRZ_TIMER_MAX = 32
};

typedef struct frz_timers
{
    int count;
    const char *name[FRZ_TIMER_MAX];
    double seconds[FRZ_TIMER_MAX];
    long long calls[FRZ_TIMER_MAX];
} frz_timers;

/// Monotonic seconds.
static inline double frz_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/// Processor time of all threads of this process, s.
static inline double frz_cpu_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/// The same since a time, which becomes now.
static inline double frz_cpu_lap(double *start)
{
    const double now = frz_cpu_now(), seconds = now - *start;
    *start = now;
    return seconds;
}

/// Index of the timer of that (static) name, created on first use; the last one is shared when the table is full.
static inline int frz_timer_index(frz_timers *timers, const char *name)
{
    for (int t = 0; t < timers->count; ++t)
        if (timers->name[t] == name)
            return t;
    if (timers->count == FRZ_TIMER_MAX)
        return FRZ_TIMER_MAX - 1;
    timers->name[timers->count] = name;
    return timers->count++;
}

/// Add the time since start to a timer; returns the present time, which starts the next one.
static inline double frz_timer_lap(frz_timers *timers, int timer, double start)
{
    const double now = frz_now();
    timers->seconds[timer] += now - start;
    timers->calls[timer] += 1;
    return now;
}
