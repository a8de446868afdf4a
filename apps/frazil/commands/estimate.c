// SPDX-License-Identifier: MIT
#include "commands/estimate.h"

#include <fcntl.h>
#include <math.h>
#include <unistd.h>

#include "clocks.h"

static const double trial_seconds = 1.0; ///< of steps
static const double disk_speed = 2e8;    ///< bytes/s, of a plain disk

enum
{
    least_steps = 3,     ///< the first one lays out memory and is not counted
    syncs_per_frame = 8, ///< of frame, run.json, tables and their folders (strace -c -e fsync frazil run ...)
    sync_trials = 4
};

double frz_estimate_sync(const char *directory)
{
    const int fd = open(directory, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (fd < 0)
        return 0.0;
    const double start = frz_wall_seconds();
    bool good = true;
    for (int i = 0; good && i < sync_trials; ++i)
        good = write(fd, "frazil\n", 7) == 7 && fsync(fd) == 0;
    const double seconds = (frz_wall_seconds() - start) / sync_trials;
    (void)close(fd);
    return good ? seconds : 0.0;
}

/// A step as a run takes it: up to the next frame, or the end.
static frz_status take_step(const frz_scene *scene, frz_sim *sim, frz_diag *diag)
{
    const double rate = frz_scene_frame_rate(scene), now = frz_sim_time(sim);
    const double frame = (floor(now * rate + 1e-6) + 1.0) / rate;
    return frz_sim_step(sim, fmin(frame, frz_scene_duration(scene)) - now, diag);
}

frz_status frz_estimate_make(frz_estimate *estimate, const frz_scene *scene, frz_sim *sim, const frz_run_size *size,
                             frz_diag *diag)
{
    const double duration = frz_scene_duration(scene), end = duration * (1.0 - 1e-6);
    const double start = frz_wall_seconds();
    double begin = start, begin_time = 0.0, middle = start; // of the steps that count
    int begin_step = 0;
    estimate->tried = 0;
    while (frz_sim_time(sim) < end && (estimate->tried < least_steps || middle - start < trial_seconds))
    {
        const frz_status status = take_step(scene, sim, diag);
        if (status != FRZ_OK)
            return status;
        estimate->tried += 1;
        middle = frz_wall_seconds();
        // the second half of the trial: pressures and memory have settled
        if (estimate->tried == 1 || middle - start < 0.5 * trial_seconds)
        {
            begin = middle;
            begin_step = estimate->tried;
            begin_time = frz_sim_time(sim);
        }
    }
    const int counted = estimate->tried - begin_step;
    estimate->whole = frz_sim_time(sim) >= end;
    estimate->step_seconds = counted > 0 ? (middle - begin) / counted : (middle - start) / fmax(estimate->tried, 1.0);
    const double simulated = frz_sim_time(sim) - begin_time;
    estimate->steps = estimate->whole ? estimate->tried : size->steps;
    if (!estimate->whole && counted > 0 && simulated > 0.0)
        estimate->steps = fmax(size->steps, (duration - frz_sim_time(sim)) * counted / simulated);
    const double stepping = estimate->whole ? middle - start : estimate->steps * estimate->step_seconds;
    estimate->seconds = stepping + size->frames * syncs_per_frame * estimate->sync_seconds + size->bytes / disk_speed;
    return FRZ_OK;
}
