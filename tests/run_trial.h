// SPDX-License-Identifier: MIT
// Small runs for tests: scenes, scratch folders, runs in processes of their own, comparison of results bit for bit.
#pragma once

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "compare.h"

#include <ftw.h>
#include <hdf5.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/memory.h"
#include "frazil/run.h"
#include "io/text_file.h"

/// 2D: a column that falls beside a moving wall and runs off the edge of the world, so that particles get lost.
static const char trial_spill[] =
    "title: Spill\n"
    "dimension: 2\n"
    "spacing: 20 mm\n"
    "duration: 10 s\n"
    "frame_rate: 50\n"
    "domain: {min: [-0.2, -0.3], max: [0.5, 1]}\n"
    "materials:\n"
    "  water: {density: 1000 kg/m3, viscosity: {method: morris1997, viscosity: 10 mPa s}}\n"
    "bodies:\n"
    "  - {name: water, state: liquid, material: water, shape: {box: {min: [0, 0], max: [0.2, 0.4]}}}\n"
    "  - {name: floor, state: static, shape: {box: {min: [-0.2, -0.06], max: [0.4, 0]}}}\n"
    "  - name: pusher\n"
    "    state: static\n"
    "    shape: {box: {min: [-0.06, 0], max: [0, 0.6]}}\n"
    "    motion:\n"
    "      interpolation: smooth\n"
    "      keyframes: [{time: 0}, {time: 0.4, position: [0.1, 0]}]\n"
    "probes:\n"
    "  - {name: low_left, position: [0.1, 0.02], fields: [pressure, velocity, density]}\n"
    "output: {checkpoint_every: 0}\n";

/// 2D: a tap that opens and closes above a tilting tray, a drain, a wind, and a surface that counts what falls.
static const char trial_tap[] =
    "title: Tap\n"
    "dimension: 2\n"
    "spacing: 20 mm\n"
    "duration: 10 s\n"
    "frame_rate: 50\n"
    "domain: {min: [-0.4, -0.3], max: [0.5, 1], periodic: [x]}\n"
    "materials:\n"
    "  water: {density: 1000 kg/m3, viscosity: {method: morris1997, viscosity: 10 mPa s}}\n"
    "  oil: {density: 800 kg/m3}\n"
    "bodies:\n"
    "  - {name: oil, state: liquid, material: oil, temperature: 10 degC, shape: {box: {min: [-0.1, 0], max: [0.1, "
    "0.06]}}}\n"
    "  - name: tray\n"
    "    state: static\n"
    "    shape: {box: {min: [-0.2, -0.06], max: [0.2, 0]}}\n"
    "    motion: {keyframes: [{time: 0}, {time: 0.4, rotation: 20 deg}]}\n"
    "emitters:\n"
    "  - name: tap\n"
    "    material: water\n"
    "    position: [0, 0.3]\n"
    "    direction: [0.2, -1]\n"
    "    width: 80 mm\n"
    "    speed: 0.8 m/s\n"
    "    temperature: 60 degC\n"
    "    schedule: {on: [{start: 10 ms, stop: 120 ms}], period: 150 ms}\n"
    "  - {name: jet, material: oil, position: [-0.3, 0.1], direction: [1, 0], width: 60 mm, flow_rate: 40 l/s,"
    " max_particles: 60}\n"
    "regions:\n"
    "  - {name: drain, action: kill, shape: {box: {min: [-0.4, -0.3], max: [0.5, -0.2]}}}\n"
    "  - {name: wind, action: force, velocity: [1, 0], drag: 5, shape: {box: {min: [-1, 0.1], max: [1, 0.25]}}}\n"
    "probes:\n"
    "  - {name: gate, position: [0, 0.2], normal: [0, -1], width: 0.5, fields: [flow, temperature]}\n"
    "output: {checkpoint_every: 0, stats_every: 4}\n";

/// 3D: a cube of a thousand particles that collapses in a tank.
static const char trial_cube[] =
    "title: Cube\n"
    "dimension: 3\n"
    "spacing: 50 mm\n"
    "duration: 10 s\n"
    "frame_rate: 50\n"
    "materials:\n"
    "  water: {density: 1000 kg/m3, viscosity: {method: xsph, coefficient: 0.05}}\n"
    "bodies:\n"
    "  - {name: water, state: liquid, material: water, shape: {box: {min: [0, 0, 0], max: [0.5, 0.5, 0.5]}}}\n"
    "  - name: tank\n"
    "    state: static\n"
    "    shape: {shell: {of: {box: {min: [0, 0, 0], max: [1, 0.8, 0.5]}}, thickness: 100 mm, open: [+y]}}\n"
    "output: {checkpoint_every: 0}\n";

static char trial_folder[64]; ///< scratch of the present test

static inline int trial_setup(void **state)
{
    (void)state;
    // in memory where that is possible: flushing to a busy disk takes longer than all the rest
    const char *place = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
    snprintf(trial_folder, sizeof trial_folder, "%s/frz_run_XXXXXX", place);
    return mkdtemp(trial_folder) == NULL;
}

static inline int trial_remove_entry(const char *path, const struct stat *info, int type, struct FTW *place)
{
    (void)info;
    (void)type;
    (void)place;
    return remove(path);
}

static inline int trial_teardown(void **state)
{
    (void)state;
    return nftw(trial_folder, trial_remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

/// trial_folder/name; one of a few buffers in turn.
static inline const char *trial_path(const char *name)
{
    static char path[8][512];
    static int turn;
    turn = (turn + 1) % 8;
    snprintf(path[turn], sizeof path[turn], "%s/%s", trial_folder, name);
    return path[turn];
}

/// One session of a run.
typedef struct trial_session
{
    const char *scene;  ///< null: resume
    const char *folder; ///< inside the scratch folder
    int threads;
    int64_t max_steps, checkpoint_steps;
    int64_t kill_at; ///< step after which the process kills itself; 0: never
    double duration; ///< s, in place of the scene's; 0: as it is
} trial_session;

static inline bool trial_kill(void *user, const frz_progress *progress)
{
    const trial_session *session = user;
    if (session->kill_at > 0 && progress->step >= session->kill_at)
        raise(SIGKILL);
    return true;
}

static inline frz_status trial_open(const trial_session *session, frz_run_def *def, frz_run **run, frz_diag *diag)
{
    def->directory = trial_path(session->folder);
    def->threads = session->threads;
    def->max_steps = session->max_steps;
    def->checkpoint_steps = session->checkpoint_steps;
    if (session->scene == NULL)
        return frz_run_resume(def, run, diag);
    frz_scene *scene = NULL;
    frz_status status = frz_scene_parse(session->scene, "trial.yaml", NULL, &scene, diag);
    char duration[32];
    snprintf(duration, sizeof duration, "%.17g", session->duration);
    if (status == FRZ_OK && session->duration > 0.0)
        status = frz_scene_set(scene, "duration", duration, diag);
    if (status == FRZ_OK)
        status = frz_run_create(scene, def, run, diag);
    frz_scene_destroy(&scene);
    return status;
}

/// Run a session in this process; the status of the whole.
static inline frz_status trial_run(const trial_session *session, frz_diag *diag)
{
    frz_run_def def = frz_run_def_default();
    frz_run *run = NULL;
    trial_session copy = *session;
    def.progress = trial_kill;
    def.progress_user = &copy;
    frz_status status = trial_open(session, &def, &run, diag);
    if (status == FRZ_OK)
        status = frz_run_execute(run, diag);
    frz_run_destroy(&run);
    return status;
}

/// Run a session in a process of its own. Threads of OpenMP do not survive a fork, so that the test itself has none.
static inline pid_t trial_start(const trial_session *session)
{
    const pid_t child = fork();
    if (child != 0)
        return child;
    frz_diag diag = {.status = FRZ_OK};
    const frz_status status = trial_run(session, &diag);
    if (status != FRZ_OK && status != FRZ_ERR_STOPPED)
        fprintf(stderr, "session failed: %s\n", diag.message);
    _exit((int)status);
}

/// The status of the session, or -1 if its process was killed.
static inline int trial_wait(pid_t child)
{
    int result = 0;
    assert_greater(child, 0);
    assert_int_equal(waitpid(child, &result, 0), child);
    return WIFEXITED(result) ? WEXITSTATUS(result) : -1;
}

static inline int trial_session_run(trial_session session)
{
    return trial_wait(trial_start(&session));
}

/// A whole file, which must exist; frz_free it.
static inline char *trial_read(const char *path, size_t *length)
{
    char *text = NULL;
    frz_diag diag = {.status = FRZ_OK};
    if (frz_text_read(path, &text, length, &diag) != FRZ_OK)
        fail_msg("%s", diag.message);
    return text;
}

static inline void trial_same_text(const char *path_a, const char *path_b)
{
    size_t length_a = 0, length_b = 0;
    char *a = trial_read(path_a, &length_a);
    char *b = trial_read(path_b, &length_b);
    if (length_a != length_b || memcmp(a, b, length_a) != 0)
        fail_msg("%s and %s differ", path_a, path_b);
    frz_free(a);
    frz_free(b);
}

/// Contents of a dataset (or attribute) as raw bytes; free it.
static inline unsigned char *trial_h5_bytes(hid_t object, bool is_attribute, size_t *size)
{
    const hid_t type = is_attribute ? H5Aget_type(object) : H5Dget_type(object);
    const hid_t space = is_attribute ? H5Aget_space(object) : H5Dget_space(object);
    const hssize_t points = H5Sget_simple_extent_npoints(space);
    *size = (size_t)points * H5Tget_size(type);
    unsigned char *bytes = calloc(*size + 1, 1);
    const herr_t good = *size == 0     ? 0
                        : is_attribute ? H5Aread(object, type, bytes)
                                       : H5Dread(object, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes);
    H5Sclose(space);
    H5Tclose(type);
    if (good < 0)
        *size = SIZE_MAX;
    return bytes;
}

static inline bool trial_h5_same(hid_t a, hid_t b, bool is_attribute)
{
    size_t size_a = 0, size_b = 0;
    unsigned char *bytes_a = trial_h5_bytes(a, is_attribute, &size_a);
    unsigned char *bytes_b = trial_h5_bytes(b, is_attribute, &size_b);
    const bool same = size_a == size_b && size_a != SIZE_MAX && memcmp(bytes_a, bytes_b, size_a) == 0;
    free(bytes_a);
    free(bytes_b);
    return same;
}

typedef struct trial_comparison
{
    hid_t other;
    int values; ///< datasets and attributes compared
    char difference[256];
} trial_comparison;

static inline herr_t trial_h5_attributes(hid_t object, const char *name, trial_comparison *comparison)
{
    const int count = H5Aget_num_attrs(object);
    for (int k = 0; k < count; ++k)
    {
        char attribute_name[128] = "";
        const hid_t a = H5Aopen_by_idx(object, ".", H5_INDEX_NAME, H5_ITER_INC, (hsize_t)k, H5P_DEFAULT, H5P_DEFAULT);
        H5Aget_name(a, sizeof attribute_name, attribute_name);
        const bool there = H5Aexists_by_name(comparison->other, name, attribute_name, H5P_DEFAULT) > 0;
        const hid_t b = there ? H5Aopen_by_name(comparison->other, name, attribute_name, H5P_DEFAULT, H5P_DEFAULT) : -1;
        const bool same = there && trial_h5_same(a, b, true);
        if (b >= 0)
            H5Aclose(b);
        H5Aclose(a);
        comparison->values += 1;
        if (!same)
        {
            snprintf(comparison->difference, sizeof comparison->difference, "attribute %.80s of %.100s", attribute_name,
                     name);
            return 1;
        }
    }
    return 0;
}

static inline herr_t trial_h5_visit(hid_t root, const char *name, const H5O_info_t *info, void *user)
{
    trial_comparison *comparison = user;
    bool same = true;
    const hid_t a = H5Oopen(root, name, H5P_DEFAULT);
    herr_t result = trial_h5_attributes(a, name, comparison);
    if (result == 0 && info->type == H5O_TYPE_DATASET)
    {
        const hid_t b = H5Oopen(comparison->other, name, H5P_DEFAULT);
        same = b >= 0 && trial_h5_same(a, b, false);
        if (b >= 0)
            H5Oclose(b);
        comparison->values += 1;
    }
    H5Oclose(a);
    if (!same)
        snprintf(comparison->difference, sizeof comparison->difference, "dataset %.100s", name);
    return same ? result : 1;
}

/// Every dataset and attribute of two HDF5 files must have the same bits (dates inside HDF5 are left out).
static inline void trial_same_h5(const char *path_a, const char *path_b)
{
    const hid_t a = H5Fopen(path_a, H5F_ACC_RDONLY, H5P_DEFAULT), b = H5Fopen(path_b, H5F_ACC_RDONLY, H5P_DEFAULT);
    assert_greater_equal(a, 0);
    assert_greater_equal(b, 0);
    trial_comparison comparison = {.other = b};
    H5Ovisit(a, H5_INDEX_NAME, H5_ITER_INC, trial_h5_visit, &comparison);
    H5Fclose(a);
    H5Fclose(b);
    if (comparison.difference[0] != '\0')
        fail_msg("%s and %s differ in %s", path_a, path_b, comparison.difference);
    assert_greater(comparison.values, 5);
}
