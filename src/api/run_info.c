// SPDX-License-Identifier: MIT
// run.json: scene, machine, progress and timings of a run; and the description of a run folder.
#include <limits.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "api/run_internal.h"
#include "base/memory.h"
#include "base/number.h"
#include "io/checkpoint_file.h"
#include "io/frame_file.h"
#include "scene/yaml_tree.h"

enum
{
    cpu_name_size = 128, // bytes
    line_size = 512      // bytes of a line of /proc/cpuinfo that matters
};

#ifdef FRZ_DOUBLE
static const char precision[] = "double";
#else
static const char precision[] = "single";
#endif

#ifdef __clang__
static const char compiler[] = __VERSION__; // says "Clang" itself
#else
static const char compiler[] = "gcc " __VERSION__;
#endif

static const char *const state_names[] = {[FRZ_RUN_RUNNING] = "running",
                                          [FRZ_RUN_STOPPED] = "stopped",
                                          [FRZ_RUN_FINISHED] = "finished",
                                          [FRZ_RUN_FAILED] = "failed"};

void frz_run_date(char text[FRZ_RUN_DATE_SIZE])
{
    const time_t now = time(NULL);
    struct tm parts = {0};
    gmtime_r(&now, &parts);
    strftime(text, FRZ_RUN_DATE_SIZE, "%Y-%m-%dT%H:%M:%SZ", &parts);
}

static void put_text(frz_text_buffer *json, const char *key, const char *text)
{
    frz_buffer_format(json, "  \"%s\": ", key);
    frz_buffer_json(json, text);
    frz_buffer_put(json, ",\n");
}

static void put_integer(frz_text_buffer *json, const char *key, int64_t value)
{
    frz_buffer_format(json, "  \"%s\": %lld,\n", key, (long long)value);
}

static void put_real(frz_text_buffer *json, const char *key, double value)
{
    frz_buffer_format(json, "  \"%s\": ", key);
    frz_buffer_number(json, value);
    frz_buffer_put(json, ",\n");
}

// The processor as Linux names it.
static void read_cpu_name(char text[cpu_name_size])
{
    char line[line_size];
    snprintf(text, cpu_name_size, "unknown");
    FILE *file = fopen("/proc/cpuinfo", "re");
    if (file == NULL)
        return;
    while (fgets(line, sizeof line, file) != NULL)
    {
        const char *colon = strchr(line, ':');
        if (strncmp(line, "model name", strlen("model name")) != 0 || colon == NULL)
            continue;
        const char *name = colon + 1 + strspn(colon + 1, " ");
        snprintf(text, cpu_name_size, "%.*s", (int)strcspn(name, "\n"), name);
        break;
    }
    (void)fclose(file);
}

static void put_machine(frz_text_buffer *json)
{
    char cpu[cpu_name_size];
    read_cpu_name(cpu);
    const int64_t memory = (int64_t)sysconf(_SC_PHYS_PAGES) * (int64_t)sysconf(_SC_PAGESIZE);
    frz_buffer_put(json, "  \"machine\": {\"cpu\": ");
    frz_buffer_json(json, cpu);
    frz_buffer_format(json, ", \"cores\": %ld, \"memory_bytes\": %lld},\n", sysconf(_SC_NPROCESSORS_ONLN),
                      (long long)memory);
}

// Add to the stage of that name, or append one; the table is large enough for every stage of one simulation.
static void add_timing(frz_run_timing *table, int *count, const char *name, double seconds, int64_t calls)
{
    int k = 0;
    while (k < *count && strcmp(table[k].name, name) != 0)
        ++k;
    if (k == FRZ_TIMER_MAX)
        return;
    if (k == *count)
    {
        snprintf(table[k].name, sizeof table[k].name, "%s", name);
        table[k].seconds = 0.0;
        table[k].calls = 0;
        ++*count;
    }
    table[k].seconds += seconds;
    table[k].calls += calls;
}

static void put_timings(frz_text_buffer *json, const frz_run *run)
{
    frz_run_timing table[FRZ_TIMER_MAX];
    int count = run->earlier_count;
    memcpy(table, run->earlier, sizeof table);
    for (int t = 0; frz_sim_timer(run->sim, t).name != NULL; ++t)
    {
        const frz_timer_info timer = frz_sim_timer(run->sim, t);
        add_timing(table, &count, timer.name, timer.seconds, timer.calls);
    }
    add_timing(table, &count, run->output.name, run->output.seconds, run->output.calls);
    frz_buffer_put(json, "  \"timings\": [");
    for (int t = 0; t < count; ++t)
    {
        frz_buffer_put(json, t > 0 ? ",\n    {\"name\": " : "\n    {\"name\": ");
        frz_buffer_json(json, table[t].name);
        frz_buffer_put(json, ", \"seconds\": ");
        frz_buffer_number(json, table[t].seconds);
        frz_buffer_format(json, ", \"calls\": %lld}", (long long)table[t].calls);
    }
    frz_buffer_put(json, "\n  ]\n");
}

static void put_progress(frz_text_buffer *json, const frz_run *run)
{
    char now[FRZ_RUN_DATE_SIZE];
    frz_stats stats;
    frz_sim_stats(run->sim, &stats);
    frz_run_date(now);
    put_text(json, "state", state_names[run->state]);
    if (run->message[0] != '\0')
        put_text(json, "message", run->message);
    put_text(json, "started", run->started);
    put_text(json, "updated", now);
    put_real(json, "wall_seconds", run->earlier_seconds + frz_now() - run->opened);
    put_integer(json, "steps", stats.step);
    put_real(json, "time", stats.time);
    put_real(json, "duration", run->duration);
    put_integer(json, "frames", run->frame);
    put_integer(json, "frame_count", run->frame_total);
    put_real(json, "frame_rate", run->frame_rate);
    put_integer(json, "liquid", stats.liquid);
    put_integer(json, "walls", frz_sim_particle_count(run->sim, FRZ_SEGMENT_SAMPLES));
    put_integer(json, "lost", stats.lost);
    put_integer(json, "rejected", stats.rejected_total);
}

static char *info_text(const frz_run *run)
{
    frz_text_buffer json = {0};
    char hash[32];
    snprintf(hash, sizeof hash, "%016llx", (unsigned long long)run->scene_hash);
    frz_buffer_put(&json, "{\n");
    put_text(&json, "program", "frazil");
    put_text(&json, "version", frz_version());
    put_text(&json, "precision", precision);
    put_text(&json, "compiler", compiler);
    put_text(&json, "title", run->title);
    put_text(&json, "scene_hash", hash);
    put_text(&json, "scene_folder", run->scene_folder);
    put_machine(&json);
    put_integer(&json, "threads", run->def.threads > 0 ? run->def.threads : omp_get_num_procs());
    put_progress(&json, run);
    put_timings(&json, run);
    frz_buffer_put(&json, "}\n");
    return frz_buffer_take(&json);
}

frz_status frz_run_info_write(const frz_run *run, frz_diag *diag)
{
    char path[FRZ_PATH_SIZE];
    FRZ_TRY(frz_path_format(path, diag, "%s/run.json", run->directory));
    char *text = info_text(run);
    if (text == NULL)
        return frz_fail_memory(diag, "run.json");
    const frz_status status = frz_text_write(path, text, strlen(text), diag);
    frz_free(text);
    return status;
}

// A file that is not as we write it.
static frz_status fail_form(const char *path, const char *key, frz_diag *diag)
{
    return frz_fail(diag, FRZ_ERR_FILE,
                    "%s has no usable '%s'; it was changed or damaged, so that the run cannot be "
                    "read",
                    path, key);
}

static const char *text_of(const frz_node *map, const char *key)
{
    const frz_node *node = map->kind == FRZ_NODE_MAP ? frz_node_find(map, key) : NULL;
    return node != NULL && node->kind == FRZ_NODE_SCALAR ? node->text : NULL;
}

static double number_of(const frz_node *map, const char *key, double fallback)
{
    const char *text = text_of(map, key);
    const char *end = NULL;
    const double value = text != NULL ? frz_number_read(text, &end) : fallback;
    return text != NULL && *end != '\0' ? fallback : value;
}

static void load_timings(frz_run *run, const frz_node *list)
{
    if (list == NULL || list->kind != FRZ_NODE_LIST)
        return;
    for (const frz_node *item = list->first; item != NULL; item = item->next)
    {
        const char *name = text_of(item, "name");
        if (name != NULL)
            add_timing(run->earlier, &run->earlier_count, name, number_of(item, "seconds", 0.0),
                       (int64_t)number_of(item, "calls", 0.0));
    }
}

static frz_status load_members(frz_run *run, const frz_node *root, const char *path, frz_diag *diag)
{
    const char *state = text_of(root, "state"), *folder = text_of(root, "scene_folder");
    const char *hash = text_of(root, "scene_hash"), *started = text_of(root, "started");
    char *end = NULL;
    if (state == NULL)
        return fail_form(path, "state", diag);
    if (folder == NULL)
        return fail_form(path, "scene_folder", diag);
    if (hash != NULL)
        run->scene_hash = strtoull(hash, &end, 16);
    if (hash == NULL || end == hash || *end != '\0')
        return fail_form(path, "scene_hash", diag);
    run->state = FRZ_RUN_RUNNING;
    for (int k = 0; k < (int)(sizeof state_names / sizeof state_names[0]); ++k)
        if (strcmp(state_names[k], state) == 0)
            run->state = (frz_run_state)k;
    if (started != NULL)
        snprintf(run->started, sizeof run->started, "%s", started);
    run->earlier_seconds = number_of(root, "wall_seconds", 0.0);
    load_timings(run, frz_node_find(root, "timings"));
    run->scene_folder = frz_strdup(folder);
    return run->scene_folder != NULL ? FRZ_OK : frz_fail_memory(diag, "the run");
}

// Text and tree of run.json; it is JSON, which the reader of scenes understands. The caller frees both.
static frz_status read_info(const char *directory, char path[FRZ_PATH_SIZE], char **text, frz_tree **tree,
                            frz_diag *diag)
{
    size_t length = 0;
    FRZ_TRY(frz_path_format(path, diag, "%s/run.json", directory));
    FRZ_TRY(frz_text_read(path, text, &length, diag));
    frz_diag why = {.status = FRZ_OK};
    if (frz_tree_parse(*text, length, path, tree, &why) != FRZ_OK || frz_tree_root(*tree)->kind != FRZ_NODE_MAP)
    {
        frz_tree_destroy(tree);
        FRZ_FREE(*text);
        return frz_fail_at(diag, FRZ_ERR_FILE, path, why.line, why.column,
                           "this is not the run.json of a run%s%s; it was changed or damaged",
                           why.message[0] != '\0' ? ": " : "", why.message);
    }
    return FRZ_OK;
}

frz_status frz_run_info_load(frz_run *run, frz_diag *diag)
{
    char path[FRZ_PATH_SIZE];
    char *text = NULL;
    frz_tree *tree = NULL;
    FRZ_TRY(read_info(run->directory, path, &text, &tree, diag));
    const frz_status status = load_members(run, frz_tree_root(tree), path, diag);
    frz_tree_destroy(&tree);
    frz_free(text);
    return status;
}

static void put_array(frz_text_buffer *json, const frz_array_desc *array, bool first)
{
    static const char *const types[] = {
        [FRZ_F32] = "f32", [FRZ_F64] = "f64", [FRZ_I32] = "i32", [FRZ_I64] = "i64", [FRZ_U8] = "u8"};
    frz_buffer_put(json, first ? "\n    {\"name\": " : ",\n    {\"name\": ");
    frz_buffer_json(json, array->name);
    frz_buffer_put(json, ", \"unit\": ");
    frz_buffer_json(json, array->unit);
    frz_buffer_format(json, ", \"type\": \"%s\", \"components\": %d}", types[array->type], array->components);
}

// Time, particles and fields of the newest complete frame.
static frz_status put_frames(frz_text_buffer *json, const char *directory, frz_diag *diag)
{
    const int frames = frz_frame_count(directory);
    put_integer(json, "frames", frames);
    if (frames == 0)
        return FRZ_OK;
    frz_frame_data data = {0};
    FRZ_TRY(frz_frame_read(directory, frames - 1, &data, diag));
    put_real(json, "time", data.frame.time);
    put_integer(json, "step", data.frame.step);
    put_integer(json, "particles", data.frame.count);
    frz_buffer_put(json, "  \"fields\": [");
    put_array(json, &data.frame.position, true);
    for (int k = 0; k < data.frame.field_count; ++k)
        put_array(json, &data.frame.fields[k], false);
    frz_buffer_put(json, "\n  ],\n");
    frz_frame_data_destroy(&data);
    return FRZ_OK;
}

// The newest readable checkpoint, or null.
static void put_checkpoint(frz_text_buffer *json, const char *directory)
{
    frz_checkpoint_reader *reader = NULL;
    bool older = false;
    int64_t step = 0;
    double time = 0.0;
    frz_diag flaw = {.status = FRZ_OK}; // a run without a checkpoint is a run all the same
    frz_buffer_put(json, "  \"checkpoint\": ");
    if (frz_checkpoint_open(directory, &reader, &older, &flaw) == FRZ_OK &&
        frz_checkpoint_read_value(reader, &(frz_checkpoint_value){"step", FRZ_I64, &step, FRZ_RANGE_COUNT}, &flaw) ==
            FRZ_OK &&
        frz_checkpoint_read_value(reader, &(frz_checkpoint_value){"time", FRZ_F64, &time, FRZ_RANGE_NOT_NEGATIVE},
                                  &flaw) == FRZ_OK)
    {
        frz_buffer_format(json, "{\"step\": %lld, \"time\": ", (long long)step);
        frz_buffer_number(json, time);
        frz_buffer_format(json, ", \"file\": \"%s\"},\n", older ? "checkpoint.old.h5" : "checkpoint.h5");
    }
    else
        frz_buffer_put(json, "null,\n");
    if (older)
        put_text(json, "checkpoint_flaw",
                 frz_run_folder_has(directory, "checkpoint.h5")
                     ? "checkpoint.h5 is damaged, or could not be read; this is the one before it"
                     : "checkpoint.h5 is missing; this is the one before it");
    else if (flaw.status != FRZ_OK &&
             (frz_run_folder_has(directory, "checkpoint.h5") || frz_run_folder_has(directory, "checkpoint.old.h5")))
        put_text(json, "checkpoint_flaw", flaw.message);
    frz_checkpoint_close(&reader);
}

static frz_status describe(const char *directory, const char *path, const char *info, const frz_node *root, char **json,
                           frz_diag *diag)
{
    frz_text_buffer out = {0};
    const char *state = text_of(root, "state");
    if (state == NULL)
        return fail_form(path, "state", diag);
    // a killed program could not note its end
    if (strcmp(state, state_names[FRZ_RUN_RUNNING]) == 0 && !frz_run_folder_busy(directory))
        state = "interrupted";
    frz_buffer_put(&out, "{\n");
    put_text(&out, "directory", directory);
    put_text(&out, "state", state);
    const frz_status status = put_frames(&out, directory, diag);
    put_checkpoint(&out, directory);
    frz_buffer_put(&out, "  \"run\": ");
    frz_buffer_put(&out, info);
    frz_buffer_put(&out, "}\n");
    *json = frz_buffer_take(&out);
    if (status == FRZ_OK && *json == NULL)
        return frz_fail_memory(diag, "the description of the run");
    if (status != FRZ_OK)
        FRZ_FREE(*json);
    return status;
}

frz_status frz_run_describe(const char *directory, char **json, frz_diag *diag)
{
    char path[FRZ_PATH_SIZE];
    char *text = NULL;
    frz_tree *tree = NULL;
    if (directory == NULL || json == NULL)
        return frz_fail(diag, FRZ_ERR_ARGUMENT, "frz_run_describe needs a folder and a place for the text, got null");
    *json = NULL;
    if (!frz_run_folder_has(directory, "run.json"))
        return frz_fail(diag, FRZ_ERR_FILE, "there is no run in %s (it has no run.json); check the name", directory);
    FRZ_TRY(read_info(directory, path, &text, &tree, diag));
    const frz_status status = describe(directory, path, text, frz_tree_root(tree), json, diag);
    frz_tree_destroy(&tree);
    frz_free(text);
    return status;
}
