// SPDX-License-Identifier: MIT
// frazil surface: the surfaces of a run as triangle meshes for other programs.
#include <stdio.h>
#include <string.h>

#include "commands/command.h"
#include "commands/frame_range.h"
#include "json.h"
#include "output.h"

typedef struct surface_values
{
    frz_common_values common;
    const char *output, *format, *frames, *method, *walls;
    double cell, decimate, foam;
    int smoothing, spray;
    bool merge, no_bodies;
    frz_text_list fields;
} surface_values;

static const surface_values surface_defaults = {.cell = 0.5, .decimate = 1.0, .smoothing = -1, .spray = -1};

static const frz_option surface_options[] = {
    {"output", 'o', FRZ_OPTION_TEXT, offsetof(surface_values, output), "DIR",
     "folder for the meshes; surface in the run's folder"},
    {"format", 0, FRZ_OPTION_TEXT, offsetof(surface_values, format), "NAME",
     "ply (binary, the default), obj or vtkhdf"},
    FRZ_FRAMES_OPTION(surface_values),
    {"field", 0, FRZ_OPTION_LIST, offsetof(surface_values, fields), "NAME",
     "let vertices of liquids carry this field, e.g. temperature; repeatable; the velocity is always there"},
    {"method", 0, FRZ_OPTION_TEXT, offsetof(surface_values, method), "NAME",
     "field of liquids: density (the default), anisotropic, zhu2005 or solenthaler2007"},
    {"cell", 0, FRZ_OPTION_REAL, offsetof(surface_values, cell), "X", "of the grid, in spacings; 0.5 if left out"},
    {"smoothing", 0, FRZ_OPTION_SMALL, offsetof(surface_values, smoothing), "N", "rounds of smoothing; 0: none"},
    {"decimate", 0, FRZ_OPTION_REAL, offsetof(surface_values, decimate), "SHARE",
     "keep about this share of the triangles, fewest where it is flat; e.g. 0.2"},
    {"spray", 0, FRZ_OPTION_SMALL, offsetof(surface_values, spray), "N",
     "drops with fewer neighbours than this are points; 3 if left out, 0: none"},
    {"foam", 0, FRZ_OPTION_REAL, offsetof(surface_values, foam), "AMOUNT",
     "write foam as points with radii; 1: about as much as water has"},
    {"walls", 0, FRZ_OPTION_TEXT, offsetof(surface_values, walls), "WAY",
     "fit: liquids end exactly at static and rigid bodies (the default); open: where their particles do"},
    {"merge", 0, FRZ_OPTION_FLAG, offsetof(surface_values, merge), NULL, "one mesh for all liquids"},
    {"no-bodies", 0, FRZ_OPTION_FLAG, offsetof(surface_values, no_bodies), NULL, "leave out static and rigid bodies"},
    {0}};

static const char *const format_names[] = {
    [FRZ_SURFACE_PLY] = "ply", [FRZ_SURFACE_OBJ] = "obj", [FRZ_SURFACE_VTKHDF] = "vtkhdf", NULL};

static bool show_progress(void *user, const frz_surface_progress *progress)
{
    return frz_frames_watch_show(user, "frame", progress->done, progress->total, progress->elapsed, progress->eta);
}

static void print_json(const frz_surface_def *def, const char *folder, int files, double elapsed)
{
    frz_json json = {.out = stdout};
    frz_json_begin_object(&json, NULL);
    frz_json_text(&json, "directory", def->directory);
    frz_json_text(&json, "output", folder);
    frz_json_text(&json, "format", format_names[def->format]);
    frz_json_integer(&json, "files", files);
    frz_json_real(&json, "seconds", elapsed);
    frz_json_end_object(&json);
}

static int write_meshes(const frz_call *call, const frz_surface_def *def)
{
    frz_frames_watch w = frz_frames_watch_create(call->common->quiet);
    frz_surface_def watched = *def;
    watched.threads = call->common->threads;
    watched.log = frz_frames_watch_log;
    watched.log_user = &w;
    watched.progress = show_progress;
    watched.progress_user = &w;
    frz_stop_install();
    int files = 0;
    frz_diag diag = {0};
    const frz_status status = frz_surface_run(&watched, &files, &diag);
    frz_progress_bar_close(&w.bar);
    if (status != FRZ_OK)
        return frz_command_fail(call, &diag);
    char wall[32], folder[4096];
    snprintf(folder, sizeof folder, "%s%s", def->output != NULL ? def->output : def->directory,
             def->output != NULL ? "" : "/surface");
    if (!call->common->quiet && files == 0)
        frz_output_note("all surfaces are in %s already", folder);
    else if (!call->common->quiet)
        frz_output_note("%d mesh%s in %s; this took %s", files, files == 1 ? "" : "es", folder,
                        frz_format_duration(w.elapsed, wall));
    if (call->common->json)
        print_json(def, folder, files, w.elapsed);
    return FRZ_EXIT_DONE;
}

static int run(const frz_call *call)
{
    const surface_values *values = call->values;
    frz_surface_def def = frz_surface_def_default();
    def.directory = call->words[0];
    def.output = values->output;
    if (!frz_read_frames(call, values->frames, &def.first, &def.last, &def.every))
        return FRZ_EXIT_USAGE;
    if (values->format != NULL)
    {
        int format = 0;
        while (format_names[format] != NULL && strcmp(format_names[format], values->format) != 0)
            ++format;
        if (format_names[format] == NULL)
            return frz_command_fail_usage(call, "--format: expected ply, obj or vtkhdf, got '%.60s'", values->format);
        def.format = (frz_surface_format)format;
    }
    if (values->walls != NULL && strcmp(values->walls, "fit") != 0 && strcmp(values->walls, "open") != 0)
        return frz_command_fail_usage(call, "--walls: expected fit or open, got '%.60s'", values->walls);
    def.options.walls_open = values->walls != NULL && strcmp(values->walls, "open") == 0;
    def.options.method = values->method;
    if (!(values->cell > 0.0)) // the library takes zero for the default
        return frz_command_fail_usage(call, "--cell: expected a number of spacings above 0, got %g", values->cell);
    if (!(values->decimate > 0.0))
        return frz_command_fail_usage(call, "--decimate: expected the share of triangles to keep, above 0, got %g",
                                      values->decimate);
    def.options.cell = values->cell;
    def.options.smoothing = values->smoothing;
    def.options.decimate = values->decimate;
    def.foam = values->foam;
    def.options.spray = values->spray;
    def.options.merge = values->merge;
    def.bodies = !values->no_bodies;
    def.options.fields = values->fields.items;
    def.options.field_count = values->fields.count;
    const int missing = frz_command_need_run(call, def.directory, "scene.yaml");
    if (missing != FRZ_EXIT_DONE)
        return missing;
    return write_meshes(call, &def);
}

const frz_command frz_command_surface = {
    .words = "DIR",
    .min_words = 1,
    .max_words = 1,
    .doc =
        "Write the surfaces of a run as triangle meshes with normals, one file per surface and frame:\n"
        "DIR/surface/<name>_000000.ply and so on. Liquids have the name of their material, and vertices with\n"
        "velocities; lone drops are points in <name>_spray_000000.ply. The mesh of an elastic body is its shape, or\n"
        "its 'skin' in the scene, carried along by the particles. Static and rigid bodies are\n"
        "there as well, those that do not move once. Finished frames are not made again with the same options.",
    .options = surface_options,
    .values_size = sizeof(surface_values),
    .defaults = &surface_defaults,
    .run = run,
};
