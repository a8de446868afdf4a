// SPDX-License-Identifier: MIT
// Run folders. The first byte chooses a text file of a good run (run.json, scene.yaml, a table), the rest takes its
// place; the folder is then described, resumed and drawn.
#include "run_trial.h"

#include <sys/stat.h>

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
    "  - {name: tank, state: static, shape: {shell: {of: {box: {min: [0, 0], max: [0.6, 0.6]}}, thickness: 0.2}}}\n"
    "  - {name: brick, state: rigid, density: 2000, shape: {box: {min: [0.3, 0.3], max: [0.5, 0.5]}}}\n"
    "probes:\n"
    "  - {name: low, position: [0.1, 0.1], fields: [pressure]}\n"
    "output: {checkpoint_every: 0}\n";

static const char *const names[] = {"run.json", "scene.yaml", "stats.csv", "bodies.csv", "probes.csv", "sources.csv"};

enum
{
    name_count = sizeof names / sizeof names[0]
};

static char folder[64];
static char *kept[name_count];
static size_t kept_length[name_count];

static const char *path_of(int file)
{
    static char path[160];
    snprintf(path, sizeof path, "%s/run/%s", folder, names[file]);
    return path;
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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (folder[0] == '\0')
        set_up();
    if (size == 0)
        return 0;
    const int file = data[0] % name_count;
    frz_diag diag = {.status = FRZ_OK};
    char *json = NULL;
    replace(file, data + 1, size - 1);
    const frz_status described = frz_run_describe(trial_path("run"), &json, &diag);
    FUZZ_REQUIRE(described == FRZ_OK ? json != NULL : diag.message[0] != '\0');
    frz_text_free(json);
    if (strcmp(names[file], "bodies.csv") == 0 || strcmp(names[file], "scene.yaml") == 0) // what pictures are made of
        draw();
    frz_run_def def = frz_run_def_default();
    frz_run *run = NULL;
    def.directory = trial_path("run");
    def.threads = 1;
    const frz_status resumed = frz_run_resume(&def, &run, &diag);
    FUZZ_REQUIRE(resumed == FRZ_OK ? run != NULL : diag.message[0] != '\0');
    frz_run_destroy(&run);
    for (int k = 0; k < name_count; ++k)
        if (kept[k] != NULL)
            replace(k, kept[k], kept_length[k]);
        else
            unlink(path_of(k));
    return 0;
}
