// SPDX-License-Identifier: MIT
// When emitters and regions act.
#include <math.h>

#include "sim/sources.h"

// On-time between 0 and a time of the first period.
static double on_until(const frz_schedule *schedule, double time)
{
    double sum = 0.0;
    for (int k = 0; k < schedule->count && schedule->intervals[k].start < time; ++k)
        sum += fmin(time, schedule->intervals[k].stop) - schedule->intervals[k].start;
    return sum;
}

static double on_since_start(const frz_schedule *schedule, double time)
{
    if (!(schedule->period > 0.0))
        return on_until(schedule, time);
    const double periods = floor(time / schedule->period);
    return periods * on_until(schedule, schedule->period) + on_until(schedule, time - periods * schedule->period);
}

double frz_schedule_on_time(const frz_schedule *schedule, double from, double to)
{
    return schedule->count == 0 ? to - from : on_since_start(schedule, to) - on_since_start(schedule, from);
}

bool frz_schedule_is_on(const frz_schedule *schedule, double time)
{
    if (schedule->count == 0)
        return true;
    if (schedule->period > 0.0)
        time -= schedule->period * floor(time / schedule->period);
    for (int k = 0; k < schedule->count; ++k)
        if (time >= schedule->intervals[k].start && time < schedule->intervals[k].stop)
            return true;
    return false;
}
