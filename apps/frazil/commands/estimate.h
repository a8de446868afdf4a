// SPDX-License-Identifier: MIT
// How long a run will take: by real steps and real writes, for a second or so.
#pragma once

#include <frazil/run.h>

typedef struct frz_estimate
{
    int tried;           ///< steps that were taken
    bool whole;          ///< these were all: steps and seconds are measured, not estimated
    double step_seconds; ///< of a step, wall-clock; < 0: not measured
    double sync_seconds; ///< until a small file is on the disk
    double steps;        ///< of the run
    double seconds;      ///< of the run, steps and frames
} frz_estimate;

/// Seconds until a small file without a name is on the disk of a folder; 0 if that cannot be tried there.
double frz_estimate_sync(const char *directory);

/// Take steps of the simulation, as a run would, up to a second; step_seconds < 0 and sync_seconds are given.
FRZ_NODISCARD frz_status frz_estimate_make(frz_estimate *estimate, const frz_scene *scene, frz_sim *sim,
                                           const frz_run_size *size, frz_diag *diag);
