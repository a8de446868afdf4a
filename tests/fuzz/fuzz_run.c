// SPDX-License-Identifier: MIT
// Run folders. The first byte chooses a text file of a good run (run.json, scene.yaml, a table), the rest takes its
// place and is read by its reader in a resumed run; one of many folders is described, resumed and drawn whole.
#include "run_trial.h"

#include <sys/stat.h>

#include "api/run_internal.h"
#include "api/run_poses.h"
#include "api/run_reading.h"
#include "frazil/render.h"
#include "fuzz.h"

static const char scene_text[] =
    "title: Fuzz\n"
    "dimension: 2\n"
    "spacing: 0.1\n"
    "duration: 0.1\n"
    "frame_rate: 20\n"
    "materials: {water: {density: 1000}}\n"
    "bodies:\n"
    "  - {name: water, state: liquid, material: water, shape: {box: {min: [0, 0], max: [0.3, 0.3]}}}\n"
    "  - {name: floor, state: static, shape: {box: {min: [0, -0.2], max: [0.6, 0]}}}\n"
    "  - {name: brick, state: rigid, density: 2000, shape: {box: {min: [0.3, 0.3], max: [0.5, 0.5]}}}\n"
    "emitters:\n"
    "  - {name: tap, material: water, position: [0.2, 0.8], direction: [0, -1], width: 0.2, speed: 2}\n"
    "probes:\n"
    "  - {name: low, position: [0.1, 0.1], fields: [pressure]}\n"
    "output: {checkpoint_every: 0}\n";

static const char *const names[] = {"run.json", "scene.yaml", "stats.csv", "bodies.csv", "probes.csv", "sources.csv"};

enum
{
    run_json,
    scene_yaml,
    bodies_csv = 3,
    name_count = sizeof names / sizeof names[0],
    whole = 64 // one of so many folders is used as a whole
};

static char folder[64];
static char *kept[name_count];
static size_t kept_length[name_count];
static frz_run *going; // as far as the tables are

static const char *path_of(int file)
{
    static char path[160];
    snprintf(path, sizeof path, "%s/run/%s", folder, names[file]);
    return path;
}

static frz_run *resumed(void)
{
    frz_run_def def = frz_run_def_default();
    frz_run *run = NULL;
    frz_diag diag = {.status = FRZ_OK};
    def.directory = trial_path("run");
    def.threads = 1;
    const frz_status status = frz_run_resume(&def, &run, &diag);
    FUZZ_REQUIRE(status == FRZ_OK ? run != NULL : diag.message[0] != '\0');
    return run;
}

static void set_up(void)
{
    frz_diag diag = {.status = FRZ_OK};
    fuzz_make_folder(folder, sizeof folder);
    snprintf(trial_folder, sizeof trial_folder, "%s", folder);
    const trial_session session = {.scene = scene_text, .folder = "run", .threads = 1, .max_steps = 4};
    FUZZ_REQUIRE(trial_run(&session, &diag) == FRZ_ERR_STOPPED);
    for (int k = 0; k < name_count; ++k)
        if (frz_text_read(path_of(k), &kept[k], &kept_length[k], &diag) != FRZ_OK)
            kept[k] = NULL; // not every run has every table
    going = resumed();
    FUZZ_REQUIRE(going != NULL);
    frz_run_tables_close(going);
    close(going->lock); // so that others can resume it
    going->lock = -1;
}

static void replace(int file, const void *data, size_t size)
{
    FILE *out = fopen(path_of(file), "wb");
    FUZZ_REQUIRE(out != NULL);
    FUZZ_REQUIRE(fwrite(data, 1, size, out) == size);
    FUZZ_REQUIRE(fclose(out) == 0);
}

static void draw(void)
{
    frz_diag diag = {.status = FRZ_OK};
    frz_render_def def = frz_render_def_default();
    def.directory = trial_path("run");
    def.width = def.height = 16;
    def.samples = def.threads = 1;
    FUZZ_REQUIRE(frz_render_run(&def, NULL, &diag) == FRZ_OK || diag.message[0] != '\0');
}

static void use_folder(void)
{
    frz_diag diag = {.status = FRZ_OK};
    char *json = NULL;
    const frz_status described = frz_run_describe(trial_path("run"), &json, &diag);
    FUZZ_REQUIRE(described == FRZ_OK ? json != NULL : diag.message[0] != '\0');
    frz_text_free(json);
    draw();
    frz_run *run = resumed();
    frz_run_destroy(&run);
}

/// Read the file as a resumed run or pictures of it do.
static frz_status use_file(int file, frz_diag *diag)
{
    frz_status status = FRZ_OK;
    if (file == run_json)
    {
        frz_run *other = calloc(1, sizeof *other);
        FUZZ_REQUIRE(other != NULL);
        snprintf(other->directory, sizeof other->directory, "%s", going->directory);
        status = frz_run_info_load(other, diag);
        frz_free(other->scene_folder);
        free(other);
    }
    else if (file == scene_yaml)
    {
        frz_scene *scene = NULL;
        status = frz_run_scene_load(going->directory, &scene, diag);
        frz_scene_destroy(&scene);
    }
    else
    {
        status = frz_run_tables_open(going, true, diag);
        frz_run_tables_close(going);
    }
    if (file == bodies_csv && status == FRZ_OK)
    {
        frz_motion motion = {0};
        status = frz_body_track_read(going->directory, "brick", &motion, diag);
        frz_free(motion.keyframes);
    }
    return status;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (folder[0] == '\0')
        set_up();
    if (size == 0)
        return 0;
    const int file = data[0] % name_count;
    const bool all = fuzz_one_of(data, size, whole);
    frz_diag diag = {.status = FRZ_OK};
    replace(file, data + 1, size - 1);
    FUZZ_REQUIRE(use_file(file, &diag) == FRZ_OK || diag.message[0] != '\0');
    if (all)
    {
        replace(file, data + 1, size - 1); // tables were cut
        use_folder();
    }
    for (int k = all ? 0 : file; k < (all ? (int)name_count : file + 1); ++k)
        if (kept[k] != NULL)
            replace(k, kept[k], kept_length[k]);
        else
            unlink(path_of(k));
    return 0;
}
