// SPDX-License-Identifier: MIT
// A run: a simulation that writes frames, tables and checkpoints into a folder, and can be resumed bit for bit.
#pragma once

#include "frazil/scene.h"
#include "frazil/sim.h"

#ifdef __cplusplus
extern "C"
{
#endif

typedef struct frz_run frz_run;

typedef struct frz_progress
{
    double time, duration; ///< simulated, s
    int64_t step;
    int frame, frame_count; ///< frames written so far, and in total
    double elapsed;         ///< wall-clock s in this process
    double eta;             ///< wall-clock s left, < 0 while unknown
    const frz_stats *stats;
} frz_progress;

/// Called after every step; return false to stop (a checkpoint is written, the status is FRZ_ERR_STOPPED).
typedef bool frz_progress_fn(void *user, const frz_progress *progress);

typedef struct frz_run_def
{
    const char *directory;    ///< created if missing
    bool overwrite;           ///< allow a folder that holds an earlier run: its results are removed first
    int threads;              ///< 0: all cores, or one while that is faster
    int64_t max_steps;        ///< stop (as by request) after this many steps in total; 0: no limit
    int64_t checkpoint_steps; ///< also write a checkpoint every so many steps; 0: only by wall-clock and at the end
    frz_log_fn *log;
    void *log_user;
    frz_progress_fn *progress;
    void *progress_user;
    uint32_t cookie;
} frz_run_def;

FRZ_API frz_run_def frz_run_def_default(void);

/// Estimate of the files and the memory of a run.
typedef struct frz_run_size
{
    double frames, steps;
    double bytes;                   ///< of all files together, emitted particles included
    double least_bytes;             ///< of the frames alone, without emitters
    double free_bytes;              ///< on the disk of the folder
    double memory, expected_memory; ///< of the process, bytes: at the start, and with all emitted particles
} frz_run_size;

/// Estimate for a simulation at time 0. The folder need not exist.
FRZ_API frz_run_size frz_run_size_get(const frz_scene *scene, const frz_sim *sim, const char *directory);
/// FRZ_ERR_FILE if least_bytes exceeds free_bytes. frz_run_create makes this check itself.
FRZ_API FRZ_NODISCARD frz_status frz_run_size_check(const frz_run_size *size, frz_diag *diag);

/// Start a run: makes the simulation and the folder, writes scene.yaml, run.json and frame 0.
/// A folder that already holds a run is refused unless overwrite is set.
FRZ_API FRZ_NODISCARD frz_status frz_run_create(const frz_scene *scene, const frz_run_def *def, frz_run **out,
                                                frz_diag *diag);

/// Continue the run in def->directory from its newest readable checkpoint.
FRZ_API FRZ_NODISCARD frz_status frz_run_resume(const frz_run_def *def, frz_run **out, frz_diag *diag);

/// Run to the end of the scene. FRZ_ERR_STOPPED if stopped on request, FRZ_ERR_DIVERGED if the physics failed (a
/// checkpoint of the last good state is there in both cases).
FRZ_API FRZ_NODISCARD frz_status frz_run_execute(frz_run *run, frz_diag *diag);

/// The simulation inside. Owner: the run.
FRZ_API const frz_sim *frz_run_sim(const frz_run *run);

/// Accepts null, leaves null.
FRZ_API void frz_run_destroy(frz_run **run);

/// Describe a run folder as JSON text (frz_text_free it): state, frames, time, fields, particle counts.
FRZ_API FRZ_NODISCARD frz_status frz_run_describe(const char *directory, char **json, frz_diag *diag);

#ifdef __cplusplus
}
#endif
