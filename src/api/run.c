// SPDX-License-Identifier: MIT
// A run: create, resume, destroy. run_execute.c holds its loop.
#include "frazil/run.h"

#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "api/run_internal.h"
#include "base/memory.h"
#include "io/frame_file.h"

enum
{
    def_cookie = 0x66727a32 // "frz2"
};

frz_run_def frz_run_def_default(void)
{
    const frz_run_def def = {.cookie = def_cookie};
    return def;
}

void frz_run_log(const frz_run *run, frz_log_level level, const char *format, ...)
{
    char text[sizeof((frz_diag *)NULL)->message];
    if (run->def.log == NULL)
        return;
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    run->def.log(run->def.log_user, level, text);
}

const frz_sim *frz_run_sim(const frz_run *run)
{
    return run->sim;
}

void frz_run_destroy(frz_run **run)
{
    if (run == NULL || *run == NULL)
        return;
    frz_run_tables_close(*run);
    frz_sim_destroy(&(*run)->sim);
    frz_free((*run)->title);
    frz_free((*run)->scene_folder);
    frz_frame_index_destroy(&(*run)->frames);
    if ((*run)->lock >= 0)
        close((*run)->lock);
    FRZ_FREE(*run);
}

// A run with its def only.
static frz_status begin(const char *caller, const frz_run_def *def, frz_run **out, frz_diag *diag)
{
    *out = NULL;
    if (def == NULL || def->cookie != def_cookie)
        return frz_fail(diag, FRZ_ERR_ARGUMENT, "%s needs a def made by frz_run_def_default", caller);
    if (def->directory == NULL || def->directory[0] == '\0')
        return frz_fail(diag, FRZ_ERR_ARGUMENT, "%s needs the name of a folder, got none", caller);
    if (def->max_steps < 0 || def->checkpoint_steps < 0)
        return frz_fail(diag, FRZ_ERR_ARGUMENT, "%s needs numbers of steps that are not negative", caller);
    frz_run *run = FRZ_ALLOC("run", 1, frz_run);
    if (run == NULL)
        return frz_fail_memory(diag, "the run");
    run->lock = -1;
    run->frame_gap = -1;
    run->checkpoint_step = -1;
    run->def = *def;
    run->opened = run->last_checkpoint = frz_now();
    snprintf(run->output.name, sizeof run->output.name, "output");
    frz_run_date(run->started);
    frz_status status = frz_path_format(run->directory, diag, "%s", def->directory);
    if (status == FRZ_OK)
        status = frz_frame_index_create(&run->frames, diag);
    run->def.directory = run->directory;
    if (status != FRZ_OK)
        frz_run_destroy(&run);
    *out = run;
    return status;
}

static int add_field(int *fields, int count, int field)
{
    bool known = field == FRZ_FIELD_ID_position; // which every frame has anyway
    for (int k = 0; k < count; ++k)
        known = known || fields[k] == field;
    if (!known)
        fields[count++] = field;
    return count;
}

// The scene's names are valid: frz_sim_create refuses others.
int frz_run_fields(const frz_scene *scene, const frz_particles *particles, int *fields)
{
    int count = 0;
    for (int f = 0; f < particles->field_count && !scene->output.has_fields; ++f)
        if ((particles->fields[f].decl.flags & FRZ_FIELD_OUTPUT) != 0)
            count = add_field(fields, count, f);
    if (scene->events.count > 0 && !scene->output.has_fields)
        count = add_field(fields, count,
                          FRZ_FIELD_ID_material); // pictures colour bodies created during the run by it
    for (int k = 0; k < scene->output.fields.count; ++k)
    {
        const int field = frz_particles_find(particles, scene->output.fields.items[k]);
        FRZ_ASSERT(field >= 0);
        count = add_field(fields, count, field);
    }
    return count;
}

// The simulation, and the run's own copy of scene data.
static frz_status take_scene(frz_run *run, const frz_scene *scene, frz_diag *diag)
{
    frz_sim_def def = frz_sim_def_default();
    def.threads = run->def.threads;
    def.log = run->def.log;
    def.log_user = run->def.log_user;
    run->scene_hash = frz_scene_hash(scene);
    run->duration = scene->duration;
    run->frame_rate = scene->frame_rate;
    run->checkpoint_every = scene->output.checkpoint_every;
    run->stats_every = scene->output.stats_every;
    run->title = frz_strdup(scene->title != NULL ? scene->title : "");
    if (run->title == NULL)
        return frz_fail_memory(diag, "the run");
    FRZ_TRY(frz_sim_create(scene, &def, &run->sim, diag)); // which refuses too many frames
    run->frame_total = INT_MAX;                            // no limit while the limit is found
    run->frame_total = frz_run_frames_until(run, run->duration);
    run->field_count = frz_run_fields(scene, &run->sim->state->particles, run->fields);
    return FRZ_OK;
}

// Absolute, because the run may be resumed from elsewhere.
static frz_status keep_scene_folder(frz_run *run, const frz_scene *scene, frz_diag *diag)
{
    char path[PATH_MAX];
    const char *folder = scene->folder != NULL ? scene->folder : ".";
    run->scene_folder = frz_strdup(realpath(folder, path) != NULL ? path : folder);
    return run->scene_folder != NULL ? FRZ_OK : frz_fail_memory(diag, "the run");
}

static frz_status write_scene(const frz_run *run, const frz_scene *scene, frz_diag *diag)
{
    char path[FRZ_PATH_SIZE];
    const char *text = frz_scene_text(scene);
    FRZ_TRY(frz_path_format(path, diag, "%s/scene.yaml", run->directory));
    return frz_text_write(path, text, strlen(text), diag);
}

// run.json comes first: after any later failure the folder still is a run and can be resumed.
static frz_status write_start(frz_run *run, frz_diag *diag)
{
    FRZ_TRY(frz_run_info_write(run, diag));
    FRZ_TRY(frz_run_tables_open(run, false, diag));
    frz_audit audit; // the account begins here
    FRZ_TRY(frz_sim_audit(run->sim, &audit, diag));
    return frz_run_write_frame(run, diag);
}

static frz_status start(frz_run *run, frz_diag *diag)
{
    frz_diag why = {.status = FRZ_OK}, ignored;
    run->state = FRZ_RUN_RUNNING;
    const frz_status status = write_start(run, &why);
    if (status == FRZ_OK)
        return FRZ_OK;
    run->state = FRZ_RUN_FAILED;
    snprintf(run->message, sizeof run->message, "%s", why.message);
    if (frz_run_info_write(run, &ignored) != FRZ_OK)
        frz_run_log(run, FRZ_LOG_WARNING, "run.json could not be brought up to date either");
    if (diag != NULL)
        *diag = why;
    return status;
}

// Replacing an earlier run frees space, and a run with a limit of steps may be small: these runs may start anyway.
static frz_status check_disk(const frz_run *run, const frz_scene *scene, frz_diag *diag)
{
    const frz_run_size size = frz_run_size_get(scene, run->sim, run->directory);
    if (run->def.overwrite || run->def.max_steps > 0)
        return FRZ_OK;
    if (size.bytes > size.free_bytes && size.least_bytes <= size.free_bytes)
        frz_run_log(run, FRZ_LOG_WARNING, "the run may write %.3g GB, but only %.3g GB are free on the disk",
                    size.bytes / 1e9, size.free_bytes / 1e9);
    return frz_run_size_check(&size, diag);
}

static frz_status create(frz_run *run, const frz_scene *scene, frz_diag *diag)
{
    // all checks come before any file of an earlier run is removed
    FRZ_TRY(frz_run_folder_check(run->directory, frz_scene_text(scene), run->def.overwrite, diag));
    FRZ_TRY(take_scene(run, scene, diag));
    FRZ_TRY(check_disk(run, scene, diag));
    FRZ_TRY(keep_scene_folder(run, scene, diag));
    FRZ_TRY(frz_folder_make(run->directory, diag));
    FRZ_TRY(frz_run_folder_lock(run->directory, &run->lock, diag));
    // it may have changed before the lock
    FRZ_TRY(frz_run_folder_check(run->directory, frz_scene_text(scene), run->def.overwrite, diag));
    FRZ_TRY(frz_run_folder_clear(run->directory, diag));
    FRZ_TRY(write_scene(run, scene, diag));
    return start(run, diag);
}

frz_status frz_run_create(const frz_scene *scene, const frz_run_def *def, frz_run **out, frz_diag *diag)
{
    if (out == NULL)
        return frz_fail(diag, FRZ_ERR_ARGUMENT, "frz_run_create needs a place for the run, got null");
    *out = NULL;
    if (scene == NULL)
        return frz_fail(diag, FRZ_ERR_ARGUMENT, "frz_run_create needs a scene, got null");
    FRZ_TRY(begin("frz_run_create", def, out, diag));
    const frz_status status = create(*out, scene, diag);
    if (status != FRZ_OK)
        frz_run_destroy(out);
    return status;
}

// scene.yaml of the folder, which must be the one that the run was started with.
static frz_status load_scene(const frz_run *run, uint64_t hash, frz_scene **out, frz_diag *diag)
{
    char path[FRZ_PATH_SIZE];
    char *text = NULL;
    size_t length = 0;
    FRZ_TRY(frz_path_format(path, diag, "%s/scene.yaml", run->directory));
    FRZ_TRY(frz_text_read(path, &text, &length, diag));
    const frz_status status = frz_scene_parse(text, path, run->scene_folder, out, diag);
    frz_free(text);
    FRZ_TRY(status);
    if (frz_scene_hash(*out) == hash)
        return FRZ_OK;
    frz_scene_destroy(out);
    return frz_fail(diag, FRZ_ERR_FILE,
                    "%s is no longer the scene that the run was started with (run.json knows it by another hash); undo "
                    "the change, or start a new run with it",
                    path);
}

void frz_run_note_gap(frz_run *run, int frame)
{
    run->frame_gap = frame;
    frz_run_log(run, FRZ_LOG_WARNING,
                "frame %d is missing in %s/frames, or damaged; particles.vtkhdf ends before it, the later frames are "
                "written all the same",
                frame, run->directory);
}

// Cut tables and frames back to the time of the checkpoint.
static frz_status go_on(frz_run *run, frz_diag *diag)
{
    int removed = 0;
    run->checkpoint_step = frz_sim_step_count(run->sim);
    run->checkpoint_time = frz_sim_time(run->sim);
    run->frame = frz_run_frames_until(run, run->checkpoint_time);
    FRZ_TRY(frz_run_folder_drop_frames(run->directory, run->frame, &removed, diag));
    const int complete = frz_frame_count(run->directory);
    if (complete < run->frame)
        frz_run_note_gap(run, complete);
    if (removed > 0)
        FRZ_TRY(frz_run_write_master(run, false, diag));
    FRZ_TRY(frz_run_tables_open(run, true, diag));
    frz_run_log(run, FRZ_LOG_INFO, "going on from step %lld at t = %.6g s", (long long)run->checkpoint_step,
                run->checkpoint_time);
    return FRZ_OK;
}

static frz_status start_again(frz_run *run, frz_diag *diag)
{
    frz_run_log(run, FRZ_LOG_WARNING,
                "%s holds no checkpoint: the run ended before the first one; starting again from "
                "time 0",
                run->directory);
    FRZ_TRY(frz_run_folder_drop_frames(run->directory, 0, NULL, diag));
    return start(run, diag);
}

static frz_status take_up(frz_run *run, frz_diag *diag)
{
    const bool finished = run->state == FRZ_RUN_FINISHED;
    const bool saved =
        frz_run_folder_has(run->directory, "checkpoint.h5") || frz_run_folder_has(run->directory, "checkpoint.old.h5");
    if (finished)
        frz_run_log(run, FRZ_LOG_INFO, "the run in %s is finished; there is nothing left to do", run->directory);
    if (saved)
        FRZ_TRY(frz_sim_restore(run->sim, run->directory, diag));
    if (finished)
    {
        run->frame = frz_run_frames_until(run, run->duration);
        return FRZ_OK;
    }
    FRZ_TRY(frz_run_folder_tidy(run->directory, diag));
    return saved ? go_on(run, diag) : start_again(run, diag);
}

static frz_status resume(frz_run *run, frz_diag *diag)
{
    if (!frz_run_folder_has(run->directory, "run.json"))
        return frz_fail(diag, FRZ_ERR_FILE,
                        "there is no run to resume in %s (it has no run.json); start one with a "
                        "scene, or check the name",
                        run->directory);
    FRZ_TRY(frz_run_folder_refuse_links(run->directory, diag));
    FRZ_TRY(frz_run_folder_lock(run->directory, &run->lock, diag));
    FRZ_TRY(frz_run_info_load(run, diag));
    frz_scene *scene = NULL;
    FRZ_TRY(load_scene(run, run->scene_hash, &scene, diag));
    const frz_status status = take_scene(run, scene, diag);
    frz_scene_destroy(&scene);
    FRZ_TRY(status);
    return take_up(run, diag);
}

frz_status frz_run_resume(const frz_run_def *def, frz_run **out, frz_diag *diag)
{
    if (out == NULL)
        return frz_fail(diag, FRZ_ERR_ARGUMENT, "frz_run_resume needs a place for the run, got null");
    FRZ_TRY(begin("frz_run_resume", def, out, diag));
    const frz_status status = resume(*out, diag);
    if (status != FRZ_OK)
        frz_run_destroy(out);
    return status;
}
