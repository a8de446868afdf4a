// SPDX-License-Identifier: MIT
// The loop of a run: steps, frames, tables, checkpoints, and an orderly end after every failure.
//
// A checkpoint is written after all other output of its step. So it marks a complete set: every frame up to its time
// and every row up to its step exist, and later output can be removed and made again.
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "api/run_internal.h"
#include "io/frame_file.h"

// times closer than this part of the interval between frames are the same; far above the rounding of sums of steps
static const double same_time = 1e-9;
// longest time left at the end that is not worth a step, in intervals between frames, for any time_step.min
static const double shortest_rest = 0.01;
// s of wall-clock time after which a step counts 1/e in the estimate of the remaining time
static const double rate_memory = 30.0;
// s of wall-clock time before an estimate is worth showing
static const double rate_start = 0.5;

int frz_run_frames_until(const frz_run *run, double time)
{
    const double last = floor(time * run->frame_rate + same_time);
    return last + 1.0 < (double)run->frame_total ? (int)last + 1 : run->frame_total;
}

// The time at which the loop must arrive exactly: the next frame or the end.
static double next_stop(const frz_run *run)
{
    return run->frame < run->frame_total ? run->frame / run->frame_rate : run->duration;
}

static bool has_arrived(const frz_run *run, double time)
{
    return frz_sim_time(run->sim) >= time - same_time / run->frame_rate;
}

// A rest after the last frame that is shorter than the shortest step is no step: pressures found in so short a time are
// noise.
static bool is_complete(const frz_run *run)
{
    const double rest = fmin(run->sim->model->time_step.min, shortest_rest / run->frame_rate);
    return run->frame >= run->frame_total &&
           (has_arrived(run, run->duration) || frz_sim_time(run->sim) > run->duration - rest);
}

frz_status frz_run_write_master(frz_run *run, bool last, frz_diag *diag)
{
    const int frames = run->frame_gap >= 0 ? run->frame_gap : run->frame;
    int complete = frames;
    if (frames == 0)
        return FRZ_OK;
    const frz_status status = frz_frame_write_master(run->directory, frames, run->frames, &complete, diag);
    if (complete < 0 && !last) // no memory, or an earlier frame cannot be read at the moment: the next one will do
        return FRZ_OK;
    FRZ_TRY(status);
    if (complete < frames) // another program removed it; the run continues
        frz_run_note_gap(run, complete);
    return FRZ_OK;
}

static frz_status write_frame_file(const frz_run *run, frz_diag *diag)
{
    const frz_particles *particles = &run->sim->state->particles;
    frz_array_desc fields[FRZ_FIELD_MAX];
    for (int k = 0; k < run->field_count; ++k)
        fields[k] = frz_particles_view(particles, run->fields[k], FRZ_ROLE_FREE);
    const frz_frame frame = {
        .index = run->frame,
        .step = frz_sim_step_count(run->sim),
        .time = frz_sim_time(run->sim),
        .count = particles->count[FRZ_ROLE_FREE],
        .position = frz_particles_view(particles, FRZ_FIELD_ID_position, FRZ_ROLE_FREE),
        .fields = fields,
        .field_count = run->field_count,
    };
    return frz_frame_write(run->directory, &frame, diag);
}

frz_status frz_run_write_frame(frz_run *run, frz_diag *diag)
{
    FRZ_TRY(write_frame_file(run, diag));
    FRZ_TRY(frz_run_tables_bodies(run, diag));
    FRZ_TRY(frz_run_tables_flush(run, false, diag));
    ++run->frame;
    if (frz_frame_master_due(run->frame))
        FRZ_TRY(frz_run_write_master(run, false, diag));
    return frz_run_info_write(run, diag);
}

static frz_status save(frz_run *run, frz_diag *diag)
{
    run->last_checkpoint = frz_now();
    if (run->checkpoint_step == frz_sim_step_count(run->sim))
        return FRZ_OK;
    FRZ_TRY(frz_run_tables_flush(run, true, diag));
    FRZ_TRY(frz_sim_save(run->sim, run->directory, diag));
    run->checkpoint_step = frz_sim_step_count(run->sim);
    run->checkpoint_time = frz_sim_time(run->sim);
    run->last_checkpoint = frz_now(); // the time that saving takes is no reason to save again
    return FRZ_OK;
}

static bool is_save_due(const frz_run *run)
{
    const int64_t every = run->def.checkpoint_steps;
    if (every > 0 && frz_sim_step_count(run->sim) % every == 0)
        return true;
    return run->checkpoint_every > 0.0 && frz_now() - run->last_checkpoint >= run->checkpoint_every;
}

static frz_status write_output(frz_run *run, frz_diag *diag)
{
    const double start = frz_now();
    FRZ_TRY(frz_run_tables_step(run, diag));
    if (run->frame < run->frame_total && has_arrived(run, next_stop(run)))
        FRZ_TRY(frz_run_write_frame(run, diag));
    if (is_save_due(run))
        FRZ_TRY(save(run, diag));
    run->output.seconds += frz_now() - start;
    run->output.calls += 1;
    return FRZ_OK;
}

static frz_status take_step(frz_run *run, frz_diag *diag)
{
    const double stop = next_stop(run);
    FRZ_TRY(frz_sim_step(run->sim, stop - frz_sim_time(run->sim), diag));
    // the sum of the steps may miss the time of the frame by a rounding error
    if (has_arrived(run, stop))
        run->sim->state->time = stop;
    return FRZ_OK;
}

static void note_rate(frz_run *run, double simulated, double wall_clock)
{
    const double keep = exp(-wall_clock / rate_memory);
    run->recent_simulated = keep * run->recent_simulated + simulated;
    run->recent_wall_clock = keep * run->recent_wall_clock + wall_clock;
}

static double remaining_time(const frz_run *run)
{
    const double left = run->duration - frz_sim_time(run->sim);
    if (left <= 0.0)
        return 0.0;
    if (run->recent_wall_clock < rate_start || !(run->recent_simulated > 0.0))
        return -1.0;
    return left * run->recent_wall_clock / run->recent_simulated;
}

// Whether to continue.
static bool report(const frz_run *run)
{
    if (run->def.progress == NULL)
        return true;
    frz_stats stats;
    frz_sim_stats(run->sim, &stats);
    const frz_progress progress = {
        .time = frz_sim_time(run->sim),
        .duration = run->duration,
        .step = frz_sim_step_count(run->sim),
        .frame = run->frame,
        .frame_count = run->frame_total,
        .elapsed = frz_now() - run->opened,
        .eta = remaining_time(run),
        .stats = &stats,
    };
    return run->def.progress(run->def.progress_user, &progress);
}

static frz_status stopped(const frz_run *run, const char *why, frz_diag *diag)
{
    return frz_fail(diag, FRZ_ERR_STOPPED, "stopped at step %lld, t = %.6g s, %s; resume %s to go on",
                    (long long)frz_sim_step_count(run->sim), frz_sim_time(run->sim), why, run->directory);
}

static frz_status loop(frz_run *run, frz_diag *diag)
{
    while (!is_complete(run))
    {
        const double start = frz_now(), time = frz_sim_time(run->sim);
        if (run->def.max_steps > 0 && frz_sim_step_count(run->sim) >= run->def.max_steps)
            return stopped(run, "the largest number of steps asked for", diag);
        FRZ_TRY(take_step(run, diag));
        FRZ_TRY(write_output(run, diag));
        note_rate(run, frz_sim_time(run->sim) - time, frz_now() - start);
        if (!report(run) && !is_complete(run))
            return stopped(run, "on request", diag);
    }
    return FRZ_OK;
}

// Checkpoint, tables and master after the last step of a session.
static frz_status write_end(frz_run *run, frz_diag *diag)
{
    const double start = frz_now();
    FRZ_TRY(save(run, diag));
    FRZ_TRY(frz_run_tables_flush(run, true, diag));
    FRZ_TRY(frz_run_write_master(run, true, diag));
    run->output.seconds += frz_now() - start;
    run->output.calls += 1;
    return FRZ_OK;
}

__attribute__((format(printf, 2, 3))) static void append(frz_diag *diag, const char *format, ...)
{
    const size_t used = strlen(diag->message);
    va_list args;
    va_start(args, format);
    vsnprintf(diag->message + used, sizeof diag->message - used, format, args);
    va_end(args);
}

// After a failure of disk or memory: tell the user which output is complete.
static void add_what_is_complete(const frz_run *run, frz_diag *diag)
{
    const int last = run->frame - 1;
    if (last >= 0)
        append(diag, "; frames 0 to %d (t = %.6g s) are complete", last, last / run->frame_rate);
    if (run->checkpoint_step >= 0)
        append(diag, "; when the cause is gone, resume %s from the checkpoint of step %lld (t = %.6g s)",
               run->directory, (long long)run->checkpoint_step, run->checkpoint_time);
    else
        append(diag, "; there is no checkpoint yet, so that %s starts again from time 0 when it is resumed",
               run->directory);
}

// Write the last files and the final state of the run. Returns the status of the run.
static frz_status conclude(frz_run *run, frz_status status, frz_diag *diag)
{
    // A file that could not be written, or built for lack of memory, is missing from the set that a checkpoint marks;
    // and a step that ended for lack of memory leaves other contacts behind than one that never began.
    const bool broken = status == FRZ_ERR_FILE || status == FRZ_ERR_MEMORY;
    if (!broken)
    {
        frz_diag trouble = {.status = FRZ_OK};
        const frz_status ending = write_end(run, &trouble);
        if (ending != FRZ_OK && (status == FRZ_OK || status == FRZ_ERR_STOPPED))
        {
            *diag = trouble;
            status = ending;
        }
        else if (ending != FRZ_OK)
            append(diag, "; besides, %s", trouble.message);
    }
    if (status == FRZ_ERR_FILE || status == FRZ_ERR_MEMORY)
        add_what_is_complete(run, diag);
    run->state = status == FRZ_OK ? FRZ_RUN_FINISHED : status == FRZ_ERR_STOPPED ? FRZ_RUN_STOPPED : FRZ_RUN_FAILED;
    if (run->state == FRZ_RUN_FAILED)
        snprintf(run->message, sizeof run->message, "%s", diag->message);
    frz_diag trouble;
    const frz_status noted = frz_run_info_write(run, &trouble);
    if (noted != FRZ_OK && status == FRZ_OK)
    {
        *diag = trouble;
        add_what_is_complete(run, diag);
        return noted;
    }
    return status;
}

frz_status frz_run_execute(frz_run *run, frz_diag *diag)
{
    frz_diag own = {.status = FRZ_OK};
    if (run == NULL)
        return frz_fail(diag, FRZ_ERR_ARGUMENT, "frz_run_execute needs a run, got null");
    if (run->state == FRZ_RUN_FINISHED)
        return FRZ_OK;
    frz_diag *said = diag != NULL ? diag : &own;
    run->state = FRZ_RUN_RUNNING;
    run->message[0] = '\0';
    frz_status status = frz_run_info_write(run, said);
    if (status == FRZ_OK)
        status = loop(run, said);
    return conclude(run, status, said);
}
