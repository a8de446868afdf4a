// SPDX-License-Identifier: MIT
#include "commands/run_common.h"

#include <stdio.h>

#include "json.h"
#include "reserve.h"

static bool show_progress(void *user, const frz_progress *progress)
{
    frz_run_watch *watch = user;
    if (!watch->started)
    {
        watch->started = true;
        watch->first_step = progress->step;
    }
    watch->time = progress->time;
    watch->step = progress->step;
    watch->frame = progress->frame;
    watch->frame_count = progress->frame_count;
    watch->elapsed = progress->elapsed;
    const double share = progress->duration > 0.0 ? progress->time / progress->duration : 1.0;
    if (frz_progress_bar_due(&watch->bar, share))
    {
        char text[200], dt[32];
        const double steps = (double)(progress->step - watch->first_step + 1);
        snprintf(text, sizeof text, "t = %.4g s  step %lld  %.3g steps/s  dt %s", progress->time,
                 (long long)progress->step, progress->elapsed > 0.0 ? steps / progress->elapsed : 0.0,
                 frz_format_quantity(progress->stats->dt, "s", dt));
        frz_progress_bar_show(&watch->bar, share, progress->eta, text);
    }
    return !frz_stop_requested() && !frz_reserve_needed();
}

/// Log lines must not mix with the bar.
static void log_line(void *user, frz_log_level level, const char *text)
{
    frz_run_watch *watch = user;
    frz_progress_bar_close(&watch->bar);
    frz_output_log(&watch->quiet, level, text);
}

void frz_run_watch_attach(frz_run_watch *watch, const frz_call *call, frz_run_def *def)
{
    *watch = (frz_run_watch){.bar = frz_progress_bar_create(call->common->quiet), .quiet = call->common->quiet};
    def->threads = call->common->threads;
    def->log = log_line;
    def->log_user = watch;
    def->progress = show_progress;
    def->progress_user = watch;
    frz_stop_install();
}

static void print_json(const frz_run_watch *watch, const char *state, const char *directory)
{
    frz_json json = {.out = stdout};
    frz_json_begin_object(&json, NULL);
    frz_json_text(&json, "state", state);
    frz_json_text(&json, "directory", directory);
    frz_json_real(&json, "time", watch->time);
    frz_json_integer(&json, "step", watch->step);
    frz_json_integer(&json, "frames", watch->frame);
    frz_json_integer(&json, "frame_count", watch->frame_count);
    frz_json_real(&json, "seconds", watch->elapsed);
    frz_json_end_object(&json);
}

static void print_done(const frz_run_watch *watch, const char *directory)
{
    char steps[32], wall[32];
    if (watch->started)
        frz_output_note("done: %.6g s in %s steps and %d frames; this took %s", watch->time,
                        frz_format_count(watch->step, steps), watch->frame, frz_format_duration(watch->elapsed, wall));
    frz_output_note("The results are in %s; pictures: frazil render %s --movie %s/film.mp4", directory, directory,
                    directory);
}

int frz_run_watch_execute(frz_run_watch *watch, const frz_call *call, frz_run **run, const char *directory)
{
    frz_diag diag = {0};
    const frz_status status = frz_run_execute(*run, &diag);
    const frz_sim *sim = frz_run_sim(*run);
    watch->time = frz_sim_time(sim);
    watch->step = frz_sim_step_count(sim);
    frz_progress_bar_close(&watch->bar);
    int code = FRZ_EXIT_DONE;
    if (status == FRZ_OK)
    {
        if (!watch->quiet)
            print_done(watch, directory);
    }
    else if (status == FRZ_ERR_STOPPED)
    {
        if (frz_reserve_needed() && !frz_stop_requested())
            frz_output_error("memory ran short; give the run more of it, or let it use fewer particles");
        frz_output_note("frazil: stopped at t = %.6g s; continue with: frazil resume %s", watch->time, directory);
        code = FRZ_EXIT_FAILED;
    }
    else
    {
        (void)frz_command_fail(call, &diag);
        code = FRZ_EXIT_FAILED; // the scene was valid: any later error is a failure of the run
    }
    if (call->common->json && (status == FRZ_OK || status == FRZ_ERR_STOPPED))
        print_json(watch, status == FRZ_OK ? "finished" : "stopped", directory);
    frz_run_destroy(run);
    return code;
}
