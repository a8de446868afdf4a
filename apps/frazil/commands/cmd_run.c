// SPDX-License-Identifier: MIT
// frazil run: simulate a scene into a folder.
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "commands/run_common.h"

typedef struct run_values
{
    frz_common_values common;
    const char *output;
    bool force;
    frz_text_list set;
    int64_t max_steps, checkpoint_steps;
} run_values;

static const frz_option run_options[] = {
    {"output", 'o', FRZ_OPTION_TEXT, offsetof(run_values, output), "DIR",
     "folder for the results; the scene's name if left out"},
    {"force", 'f', FRZ_OPTION_FLAG, offsetof(run_values, force), NULL, "replace an earlier run in that folder"},
    {"set", 0, FRZ_OPTION_LIST, offsetof(run_values, set), "KEY=VALUE", "override a key of the scene; repeatable"},
    {"max-steps", 0, FRZ_OPTION_COUNT, offsetof(run_values, max_steps), "N", "stop after so many steps in total"},
    {"checkpoint-steps", 0, FRZ_OPTION_COUNT, offsetof(run_values, checkpoint_steps), "N",
     "also write a checkpoint every N steps"},
    {0}};

/// "scenes/dam_break.yaml" and "builtin:dam_break" go to "dam_break".
static void default_folder(const char *scene, char *folder, size_t size)
{
    const char *name = scene;
    const char *const builtin = strncmp(scene, "builtin:", 8) == 0 ? scene + 8 : NULL;
    const char *const slash = strrchr(scene, '/');
    if (strcmp(scene, "-") == 0)
    {
        snprintf(folder, size, "scene.out");
        return;
    }
    if (builtin != NULL)
        name = builtin;
    else if (slash != NULL)
        name = slash + 1;
    snprintf(folder, size, "%s", name);
    char *dot = strrchr(folder, '.');
    if (dot != NULL && dot != folder)
        *dot = '\0';
    else if (builtin == NULL) // a scene without an ending must not be its own folder
        snprintf(folder, size, "%.*s.out", (int)size - 8, name);
}

static void print_start(const frz_call *call, const frz_scene *scene, const frz_run *run, const char *folder)
{
    char liquid[32], elastic[64] = "", number[32], walls[32];
    frz_sim_report report;
    frz_sim_report_get(frz_run_sim(run), &report);
    const char *title = frz_scene_title(scene);
    if (report.elastic > 0)
        snprintf(elastic, sizeof elastic, "%s elastic, ", frz_format_count(report.elastic, number));
    char disk[32];
    const frz_run_size size = frz_run_size_get(scene, frz_run_sim(run), folder);
    if (!call->common->quiet)
        frz_output_note("%s (%dD): %s liquid particles, %s%s on walls, %.6g s; results go to %s, about %s",
                        title[0] != '\0' ? title : "Untitled scene", frz_scene_dimension(scene),
                        frz_format_count(report.liquid, liquid), elastic, frz_format_count(report.walls, walls),
                        frz_scene_duration(scene), folder, frz_format_bytes(size.bytes, disk));
}

static int run_scene(const frz_call *call, const frz_scene *scene, const char *folder)
{
    const run_values *values = call->values;
    frz_run_watch watch;
    frz_run_def def = frz_run_def_default();
    def.directory = folder;
    def.overwrite = values->force;
    def.max_steps = values->max_steps;
    def.checkpoint_steps = values->checkpoint_steps;
    frz_run_watch_attach(&watch, call, &def);
    frz_run *run = NULL;
    frz_diag diag = {0};
    if (frz_run_create(scene, &def, &run, &diag) != FRZ_OK)
        return frz_command_fail(call, &diag);
    print_start(call, scene, run, folder);
    return frz_run_watch_execute(&watch, call, &run, folder);
}

/// The nearest folder above path that exists, "." if there is none in its name.
static void find_above(const char *path, char *above, size_t size)
{
    struct stat info;
    snprintf(above, size, "%s", path);
    while (above[0] != '\0' && stat(above, &info) != 0)
    {
        char *slash = strrchr(above, '/');
        if (slash == above)
            slash[1] = '\0';
        else
            *(slash != NULL ? slash : above) = '\0';
    }
    if (above[0] == '\0')
        snprintf(above, size, ".");
}

/// Remove a folder and those above it that were made for it, as long as they are empty.
static void remove_made(const char *path, const char *above)
{
    char made[512];
    snprintf(made, sizeof made, "%s", path);
    while (made[0] != '\0' && strcmp(made, above) != 0 && rmdir(made) == 0)
    {
        char *slash = strrchr(made, '/');
        *(slash != NULL ? slash : made) = '\0';
    }
}

/// Make the folder, which must be there before the process is enclosed in it, and simulate the scene into it.
static int run_enclosed(const frz_call *call, const char *directory)
{
    const run_values *values = call->values;
    const char *name = call->words[0];
    const bool file = strcmp(name, "-") != 0 && strncmp(name, "builtin:", 8) != 0;
    char above[512];
    int code = FRZ_EXIT_DONE;
    find_above(directory, above, sizeof above);
    const bool missing = strcmp(above, directory) != 0;
    if (!file || access(name, R_OK) == 0)
    {
        if (missing)
            code = frz_command_make_folder(call, directory);
        if (code != FRZ_EXIT_DONE)
            return code;
        frz_command_enclose(call, name, directory, missing ? above : NULL);
    }
    frz_scene *scene = frz_command_load_scene(call, name, &values->set, &code);
    if (scene != NULL)
        code = run_scene(call, scene, directory);
    frz_scene_destroy(&scene);
    if (missing && code != FRZ_EXIT_DONE)
        remove_made(directory, above);
    return code;
}

/// Would the run's copy of the scene replace the scene itself? That of an earlier run is such a copy already.
static bool replaces_scene(const char *name, const char *directory)
{
    char copy[600];
    struct stat scene, there;
    snprintf(copy, sizeof copy, "%s/scene.yaml", directory);
    return stat(name, &scene) == 0 && stat(copy, &there) == 0 && scene.st_dev == there.st_dev &&
           scene.st_ino == there.st_ino;
}

static int run(const frz_call *call)
{
    const run_values *values = call->values;
    char folder[512], marker[sizeof folder + 16];
    default_folder(call->words[0], folder, sizeof folder);
    const char *const directory = values->output != NULL ? values->output : folder;
    if (directory[0] == '\0')
        return frz_command_fail_usage(call, "-o: expected the name of a folder for the results, got an empty text");
    if (strlen(directory) >= sizeof folder)
        return frz_command_fail_usage(call, "the name of the folder is too long");
    struct stat info;
    if (stat(directory, &info) == 0 && !S_ISDIR(info.st_mode))
        return frz_command_fail_usage(call, "cannot write a run to %s: it is a file; give the name of a folder with -o",
                                      directory);
    snprintf(marker, sizeof marker, "%s/run.json", directory);
    const bool earlier = access(marker, F_OK) == 0;
    if (!earlier && replaces_scene(call->words[0], directory))
        return frz_command_fail_usage(call,
                                      "the run would replace the scene %s by its own copy, without comments; name "
                                      "another folder with -o",
                                      call->words[0]);
    if (!values->force && earlier)
        return frz_command_fail_usage(call,
                                      "%s holds an earlier run; go on with it by 'frazil resume %s', replace it with "
                                      "--force, or name another folder with -o",
                                      directory, directory);
    if (values->output == NULL && lstat(directory, &info) == 0 && S_ISLNK(info.st_mode))
        return frz_command_fail_usage(call, "%s is a link to another place; name the folder for the results with -o",
                                      directory);
    return run_enclosed(call, directory);
}

const frz_command frz_command_run = {
    .words = "SCENE",
    .min_words = 1,
    .max_words = 1,
    .doc = "Simulate a scene file (or builtin:NAME, or - for standard input). Ctrl-C ends the step at hand, writes a "
           "checkpoint and\n"
           "stops; 'frazil resume DIR' goes on as if nothing had happened.",
    .options = run_options,
    .values_size = sizeof(run_values),
    .run = run,
};
