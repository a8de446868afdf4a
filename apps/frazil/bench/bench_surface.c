// SPDX-License-Identifier: MIT
// frazil bench surface: a block of water in a tank, in disorder, from the frame in its file to the mesh in its file.
// Times are processor times, independent of other programs.
#include "bench/bench_surface.h"

#include <ftw.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "json.h"
#include "output.h"

enum
{
    text_count = 5,
    path_size = 256
};

static const double spacing = 0.025;     // m, of scenes/bench_dam.yaml
static const double default_scale = 2.0; // 640 000 particles
static const double quick_scale = 0.8;

static double snap(double length)
{
    return fmax(1.0, round(length / spacing)) * spacing;
}

/// The frames of the dam before and after a short step, written into a folder.
static int make_run(const frz_call *call, double scale, const char *folder)
{
    char texts[text_count][200];
    frz_text_list overrides = {.count = text_count};
    for (int k = 0; k < text_count; ++k)
        overrides.items[k] = texts[k];
    snprintf(texts[0], sizeof texts[0], "bodies.0.shape={box: {min: [0, 0, 0], max: [%.9g, %.9g, %.9g]}}",
             snap(1.25 * scale), snap(scale), snap(scale));
    snprintf(texts[1], sizeof texts[1],
             "bodies.1.shape={shell: {of: {box: {min: [0, 0, 0], max: [%.9g, %.9g, %.9g]}}, thickness: 50 mm, open: "
             "[+y]}}",
             snap(4.0 * scale), snap(2.0 * scale), snap(scale) + spacing);
    snprintf(texts[2], sizeof texts[2], "bodies.0.disorder=0.1");
    snprintf(texts[3], sizeof texts[3], "duration=1 us");
    snprintf(texts[4], sizeof texts[4], "frame_rate=1e6");
    int code = FRZ_EXIT_DONE;
    frz_scene *scene = frz_command_load_scene(call, "builtin:bench_dam", &overrides, &code);
    if (scene == NULL)
        return code;
    frz_run_def def = frz_run_def_default();
    def.directory = folder;
    def.overwrite = true;
    frz_run *run = NULL;
    frz_diag diag = {0};
    frz_status status = frz_run_create(scene, &def, &run, &diag);
    if (status == FRZ_OK) // one short step: the first frame has no density
        status = frz_run_execute(run, &diag);
    frz_run_destroy(&run);
    frz_scene_destroy(&scene);
    return status == FRZ_OK ? FRZ_EXIT_DONE : frz_command_fail(call, &diag);
}

static int measure(const frz_call *call, const char *folder, frz_surface_times *times)
{
    static const char *const fields[] = {"pressure"};
    frz_surface_def def = frz_surface_def_default();
    def.directory = folder;
    def.first = 1;
    def.threads = call->common->threads > 0 ? call->common->threads : 1;
    def.options.fields = fields;
    def.options.field_count = 1;
    def.times = times;
    frz_diag diag = {0};
    return frz_surface_run(&def, NULL, &diag) == FRZ_OK ? FRZ_EXIT_DONE : frz_command_fail(call, &diag);
}

static void print(const frz_call *call, const frz_surface_times *t)
{
    const double whole = t->read + t->triangles + t->dress + t->write;
    const double triangles = (double)t->particles / t->triangles, file = (double)t->particles / whole;
    if (!call->common->json)
    {
        printf("%lld particles, %lld triangles; seconds of the processor: read %.3f, field and triangles %.3f, fields "
               "and smoothing %.3f, write %.3f\n",
               (long long)t->particles, (long long)t->triangle_count, t->read, t->triangles, t->dress, t->write);
        printf("field and triangles: %.2f million particles per second and core; all, with both files: %.2f\n",
               1e-6 * triangles, 1e-6 * file);
        return;
    }
    frz_json json = {.out = stdout};
    frz_json_begin_object(&json, NULL);
    frz_json_text(&json, "case", "surface");
    frz_json_integer(&json, "particles", t->particles);
    frz_json_integer(&json, "triangles", t->triangle_count);
    frz_json_real(&json, "read_seconds", t->read);
    frz_json_real(&json, "triangles_seconds", t->triangles);
    frz_json_real(&json, "dress_seconds", t->dress);
    frz_json_real(&json, "write_seconds", t->write);
    frz_json_real(&json, "triangles_particles_per_second_per_core", triangles);
    frz_json_real(&json, "file_particles_per_second_per_core", file);
    frz_json_end_object(&json);
}

static int remove_entry(const char *path, const struct stat *info, int type, struct FTW *place)
{
    (void)info;
    (void)type;
    (void)place;
    return remove(path);
}

int bench_surface(const frz_call *call, double scale, bool quick)
{
    char folder[path_size];
    const char *place = getenv("TMPDIR");
    snprintf(folder, sizeof folder, "%.200s/frazil_bench_XXXXXX", place != NULL ? place : "/tmp");
    if (mkdtemp(folder) == NULL)
        return frz_command_fail_usage(call, "cannot make a folder in %.200s", place != NULL ? place : "/tmp");
    const double factor = scale != 1.0 ? scale : quick ? quick_scale : default_scale;
    frz_surface_times times = {0};
    int code = make_run(call, factor, folder);
    if (code == FRZ_EXIT_DONE)
        code = measure(call, folder, &times);
    if (code == FRZ_EXIT_DONE)
        print(call, &times);
    (void)nftw(folder, remove_entry, 16, FTW_DEPTH | FTW_PHYS); // created above, by this program alone
    return code;
}
