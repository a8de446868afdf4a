// SPDX-License-Identifier: MIT
// Runs under bad conditions: killed, without room on the disk, in folders that are taken, with damaged files.
#include "run_trial.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "io/frame_file.h"
#include "compare.h"

enum
{
    killed = -1,     // what trial_wait says of a killed process
    text_size = 4096 // bytes of a log
};

static char logged[text_size];

static void keep_log(void *user, frz_log_level level, const char *text)
{
    (void)user;
    const size_t used = strlen(logged);
    snprintf(logged + used, sizeof logged - used, "%s%s\n", level == FRZ_LOG_WARNING ? "warning: " : "", text);
}

static void write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_greater_equal(fputs(text, file), 0);
    assert_int_equal(fclose(file), 0);
}

static void assert_contains(const char *text, const char *part)
{
    if (strstr(text, part) == NULL)
        fail_msg("expected '%s' in: %s", part, text);
}

// Create or resume in this process and expect a failure that says so.
static void expect_refusal(const trial_session *session, frz_status expected, const char *part)
{
    frz_run_def def = frz_run_def_default();
    frz_run *run = NULL;
    frz_diag diag = {.status = FRZ_OK};
    const int64_t before = frz_memory_bytes();
    assert_int_equal(trial_open(session, &def, &run, &diag), expected);
    assert_null(run);
    assert_int_equal(diag.status, expected);
    assert_contains(diag.message, part);
    assert_int_equal(frz_memory_bytes(), before);
}

static const trial_session short_run = {
    .scene = trial_spill, .folder = "out", .threads = 1, .checkpoint_steps = 10, .max_steps = 40};
static const trial_session go_on = {.folder = "out", .threads = 1, .max_steps = 40};

static void make_short_run(void)
{
    frz_diag diag = {.status = FRZ_OK};
    assert_int_equal(trial_run(&short_run, &diag), FRZ_ERR_STOPPED);
}

// All frames that have a name can be read.
static void frames_are_readable(const char *folder, int at_least)
{
    const int frames = frz_frame_count(folder);
    assert_greater_equal(frames, at_least);
    for (int k = 0; k < frames; ++k)
    {
        frz_frame_data data = {0};
        frz_diag diag = {.status = FRZ_OK};
        if (frz_frame_read(folder, k, &data, &diag) != FRZ_OK)
            fail_msg("%s", diag.message);
        assert_greater(data.frame.count, 0);
        frz_frame_data_destroy(&data);
    }
}

static void a_folder_with_a_run_is_refused(void **state)
{
    (void)state;
    make_short_run();
    size_t before_length = 0, after_length = 0;
    char *before = trial_read(trial_path("out/stats.csv"), &before_length);
    expect_refusal(&short_run, FRZ_ERR_FILE, "already holds a run");
    char *after = trial_read(trial_path("out/stats.csv"), &after_length);
    assert_string_equal(before, after);
    frz_free(before);
    frz_free(after);
}

static void overwriting_removes_the_run_and_nothing_else(void **state)
{
    (void)state;
    static const char *const foreign[] = {"out/notes.txt", "out/measured.csv", "out/frames/keep.txt",
                                          "out/images/poster.png", "out/my_stats.csv"};
    make_short_run();
    assert_int_equal(mkdir(trial_path("out/images"), 0777), 0);
    for (int k = 0; k < 5; ++k)
        write_file(trial_path(foreign[k]), "mine");
    write_file(trial_path("out/images/frame_000000.png"), "old");
    write_file(trial_path("out/frames/frame_000077.vtkhdf"), "old");
    write_file(trial_path("out/checkpoint.h5.tmp.1234"), "torn");
    frz_run_def def = frz_run_def_default();
    frz_run *run = NULL;
    frz_diag diag = {.status = FRZ_OK};
    def.overwrite = true;
    assert_int_equal(trial_open(&short_run, &def, &run, &diag), FRZ_OK);
    for (int k = 0; k < 5; ++k)
        assert_int_equal(access(trial_path(foreign[k]), F_OK), 0);
    assert_int_not_equal(access(trial_path("out/images/frame_000000.png"), F_OK), 0);
    assert_int_not_equal(access(trial_path("out/frames/frame_000077.vtkhdf"), F_OK), 0);
    assert_int_not_equal(access(trial_path("out/checkpoint.h5"), F_OK), 0);
    assert_int_not_equal(access(trial_path("out/checkpoint.old.h5"), F_OK), 0);
    assert_int_not_equal(access(trial_path("out/checkpoint.h5.tmp.1234"), F_OK), 0);
    assert_int_equal(frz_frame_count(trial_path("out")), 1);
    assert_int_equal(frz_run_execute(run, &diag), FRZ_ERR_STOPPED);
    frz_run_destroy(&run);
}

static void a_bad_scene_does_not_cost_the_earlier_run(void **state)
{
    (void)state;
    make_short_run();
    frz_scene *scene = NULL;
    frz_run *run = NULL;
    frz_diag diag = {.status = FRZ_OK};
    frz_run_def def = frz_run_def_default();
    def.directory = trial_path("out");
    def.overwrite = true;
    def.threads = 1;
    assert_int_equal(frz_scene_parse(trial_spill, "trial.yaml", NULL, &scene, &diag), FRZ_OK);
    assert_int_equal(frz_scene_set(scene, "output.fields", "[velocity, presure]", &diag), FRZ_OK);
    assert_int_equal(frz_run_create(scene, &def, &run, &diag), FRZ_ERR_SCENE);
    assert_contains(diag.message, "presure");
    assert_contains(diag.message, "did you mean 'pressure'?");
    assert_greater(diag.line, 0);
    assert_greater(diag.column, 0);
    assert_different(diag.file[0], '\0');
    frz_scene_destroy(&scene);
    frames_are_readable(trial_path("out"), 3);
}

static void frames_hold_the_fields_asked_for(void **state)
{
    (void)state;
    frz_scene *scene = NULL;
    frz_run *run = NULL;
    frz_diag diag = {.status = FRZ_OK};
    frz_frame_data data = {0};
    frz_run_def def = frz_run_def_default();
    def.directory = trial_path("out");
    def.threads = 1;
    assert_int_equal(frz_scene_parse(trial_spill, "trial.yaml", NULL, &scene, &diag), FRZ_OK);
    assert_int_equal(frz_scene_set(scene, "output.fields", "[position, density, id]", &diag), FRZ_OK);
    assert_int_equal(frz_run_create(scene, &def, &run, &diag), FRZ_OK);
    assert_int_equal(frz_frame_read(def.directory, 0, &data, &diag), FRZ_OK);
    assert_int_equal(data.frame.field_count, 2);
    frz_frame_data_destroy(&data);
    frz_run_destroy(&run);
    frz_scene_destroy(&scene);
}

static void a_file_in_the_place_of_the_folder_is_refused(void **state)
{
    (void)state;
    write_file(trial_path("out"), "mine");
    expect_refusal(&short_run, FRZ_ERR_FILE, "it is a file");
    trial_session below = short_run;
    below.folder = "out/run";
    expect_refusal(&below, FRZ_ERR_FILE, "is a file");
}

static void two_runs_in_one_folder_are_refused(void **state)
{
    (void)state;
    frz_run_def def = frz_run_def_default();
    frz_run *run = NULL;
    frz_diag diag = {.status = FRZ_OK};
    assert_int_equal(trial_open(&short_run, &def, &run, &diag), FRZ_OK);
    expect_refusal(&go_on, FRZ_ERR_FILE, "another run is being written");
    frz_run_destroy(&run);
}

static void nothing_to_resume_is_said_clearly(void **state)
{
    (void)state;
    expect_refusal(&go_on, FRZ_ERR_FILE, "no run to resume");
    assert_int_equal(mkdir(trial_path("out"), 0777), 0);
    expect_refusal(&go_on, FRZ_ERR_FILE, "no run.json");
    write_file(trial_path("out/run.json"), "{\"state\": ");
    expect_refusal(&go_on, FRZ_ERR_FILE, "not the run.json of a run");
    write_file(trial_path("out/run.json"), "{\"state\": \"running\"}");
    expect_refusal(&go_on, FRZ_ERR_FILE, "scene_folder");
}

static void a_truncated_checkpoint_gives_way_to_the_older_one(void **state)
{
    (void)state;
    make_short_run();
    assert_int_equal(truncate(trial_path("out/checkpoint.h5"), 5000), 0);
    frz_run_def def = frz_run_def_default();
    frz_run *run = NULL;
    frz_diag diag = {.status = FRZ_OK};
    logged[0] = '\0';
    def.log = keep_log;
    assert_int_equal(trial_open(&go_on, &def, &run, &diag), FRZ_OK);
    assert_contains(logged, "warning: ");
    assert_int_equal(frz_sim_step_count(frz_run_sim(run)), 30);
    assert_int_equal(frz_run_execute(run, &diag), FRZ_ERR_STOPPED);
    frz_run_destroy(&run);
    trial_session other = short_run;
    other.folder = "straight";
    assert_int_equal(trial_run(&other, &diag), FRZ_ERR_STOPPED);
    trial_same_h5(trial_path("straight/checkpoint.h5"), trial_path("out/checkpoint.h5"));
    trial_same_text(trial_path("straight/stats.csv"), trial_path("out/stats.csv"));
    assert_int_equal(truncate(trial_path("out/checkpoint.h5"), 0), 0);
    assert_int_equal(truncate(trial_path("out/checkpoint.old.h5"), 77), 0);
    expect_refusal(&go_on, FRZ_ERR_FILE, "no usable checkpoint");
}

static void another_scene_is_refused_by_name(void **state)
{
    (void)state;
    make_short_run();
    trial_session other = {.scene = trial_cube, .folder = "cube", .threads = 1, .max_steps = 2};
    frz_diag diag = {.status = FRZ_OK};
    assert_int_equal(trial_run(&other, &diag), FRZ_ERR_STOPPED);
    assert_int_equal(rename(trial_path("cube/checkpoint.h5"), trial_path("out/checkpoint.h5")), 0);
    expect_refusal(&go_on, FRZ_ERR_FILE, "checkpoint");
    expect_refusal(&go_on, FRZ_ERR_FILE, "another scene");
    assert_int_equal(rename(trial_path("cube/scene.yaml"), trial_path("out/scene.yaml")), 0);
    expect_refusal(&go_on, FRZ_ERR_FILE, "scene.yaml is no longer the scene");
}

static void a_removed_folder_ends_the_run_with_a_sentence(void **state)
{
    (void)state;
    frz_run_def def = frz_run_def_default();
    frz_run *run = NULL;
    frz_diag diag = {.status = FRZ_OK};
    assert_int_equal(trial_open(&short_run, &def, &run, &diag), FRZ_OK);
    assert_int_equal(nftw(trial_path("out"), trial_remove_entry, 16, FTW_DEPTH | FTW_PHYS), 0);
    assert_int_equal(frz_run_execute(run, &diag), FRZ_ERR_FILE);
    assert_contains(diag.message, trial_path("out"));
    frz_run_destroy(&run);
}

static int warnings;

static void count_warnings(void *user, frz_log_level level, const char *text)
{
    (void)user;
    warnings += level == FRZ_LOG_WARNING && strstr(text, "frame 1 is missing") != NULL;
}

static bool remove_a_frame(void *user, const frz_progress *progress)
{
    (void)user;
    if (progress->frame == 3)
        (void)unlink(trial_path("out/frames/frame_000001.vtkhdf"));
    return true;
}

static void a_frame_that_somebody_removes_does_not_end_the_run(void **state)
{
    (void)state;
    trial_session session = short_run;
    session.max_steps = 0;
    session.duration = 0.1;
    frz_run_def def = frz_run_def_default();
    frz_run *run = NULL;
    frz_diag diag = {.status = FRZ_OK};
    def.progress = remove_a_frame;
    def.log = count_warnings;
    warnings = 0;
    assert_int_equal(trial_open(&session, &def, &run, &diag), FRZ_OK);
    if (frz_run_execute(run, &diag) != FRZ_OK)
        fail_msg("%s", diag.message);
    frz_run_destroy(&run);
    assert_int_equal(warnings, 1);
    assert_int_not_equal(access(trial_path("out/frames/frame_000001.vtkhdf"), F_OK), 0);
    assert_int_equal(access(trial_path("out/frames/frame_000005.vtkhdf"), F_OK), 0);
    assert_int_equal(access(trial_path("out/checkpoint.h5"), F_OK), 0);
}

static void a_killed_run_is_described_as_interrupted(void **state)
{
    (void)state;
    trial_session session = short_run;
    session.kill_at = 25;
    assert_int_equal(trial_session_run(session), killed);
    char *json = NULL;
    frz_diag diag = {.status = FRZ_OK};
    assert_int_equal(frz_run_describe(trial_path("out"), &json, &diag), FRZ_OK);
    assert_contains(json, "\"state\": \"interrupted\"");
    assert_contains(json, "\"checkpoint\": {\"step\": 20,");
    assert_contains(json, "\"name\": \"pressure\", \"unit\": \"Pa\"");
    frz_text_free(json);
    assert_int_equal(frz_run_describe(trial_path("nowhere"), &json, &diag), FRZ_ERR_FILE);
}

static void a_description_says_why_it_tells_of_the_older_checkpoint(void **state)
{
    (void)state;
    char *json = NULL;
    frz_diag diag = {.status = FRZ_OK};
    assert_int_equal(trial_run(&short_run, &diag), FRZ_ERR_STOPPED);
    assert_int_equal(frz_run_describe(trial_path("out"), &json, &diag), FRZ_OK);
    assert_contains(json, "\"file\": \"checkpoint.h5\"");
    assert_null(strstr(json, "checkpoint_flaw"));
    frz_text_free(json);
    write_file(trial_path("out/checkpoint.h5"), "no longer a checkpoint");
    assert_int_equal(frz_run_describe(trial_path("out"), &json, &diag), FRZ_OK);
    assert_contains(json, "\"file\": \"checkpoint.old.h5\"");
    assert_contains(json, "\"checkpoint_flaw\": \"checkpoint.h5 is damaged");
    frz_text_free(json);
    assert_int_equal(unlink(trial_path("out/checkpoint.h5")), 0);
    assert_int_equal(frz_run_describe(trial_path("out"), &json, &diag), FRZ_OK);
    assert_contains(json, "\"checkpoint_flaw\": \"checkpoint.h5 is missing");
    frz_text_free(json);
}

// A step that may not shrink as the liquid gets faster is a failure of the physics that comes for certain.
static void a_diverged_run_keeps_the_last_good_state(void **state)
{
    (void)state;
    frz_scene *scene = NULL;
    frz_run *run = NULL;
    frz_diag diag = {.status = FRZ_OK};
    frz_run_def def = frz_run_def_default();
    def.directory = trial_path("out");
    def.threads = 1;
    assert_int_equal(frz_scene_parse(trial_spill, "trial.yaml", NULL, &scene, &diag), FRZ_OK);
    assert_int_equal(frz_scene_set(scene, "time_step", "{min: 3 ms, max: 4 ms}", &diag), FRZ_OK);
    assert_int_equal(frz_run_create(scene, &def, &run, &diag), FRZ_OK);
    frz_scene_destroy(&scene);
    assert_int_equal(frz_run_execute(run, &diag), FRZ_ERR_DIVERGED);
    const int64_t steps = frz_sim_step_count(frz_run_sim(run));
    assert_greater(steps, 5);
    frz_run_destroy(&run);
    size_t length = 0;
    char *info = trial_read(trial_path("out/run.json"), &length);
    assert_contains(info, "\"state\": \"failed\"");
    frz_free(info);
    assert_int_equal(frz_run_resume(&def, &run, &diag), FRZ_OK);
    assert_int_equal(frz_sim_step_count(frz_run_sim(run)), steps);
    assert_int_equal(frz_run_execute(run, &diag), FRZ_ERR_DIVERGED);
    frz_run_destroy(&run);
}

// Start a run, wait until it is under way, and kill it some time later.
static void kill_after(const trial_session *session, useconds_t moment)
{
    const int patience = 20000; // tries, of a millisecond each
    char info[64];
    snprintf(info, sizeof info, "%s/run.json", session->folder);
    const pid_t child = trial_start(session);
    for (int k = 0; k < patience && access(trial_path(info), F_OK) != 0; ++k)
        usleep(1000);
    usleep(moment);
    kill(child, SIGKILL);
    (void)trial_wait(child); // on a fast machine it may have ended by itself
    assert_int_equal(access(trial_path(info), F_OK), 0);
}

static void a_kill_at_any_moment_leaves_a_resumable_run(void **state)
{
    (void)state;
    static const useconds_t moments[] = {0, 1000, 9000, 23000, 41000, 66000, 90000}; // us after the start
    char straight[512];
    frz_diag diag = {.status = FRZ_OK};
    trial_session session = {.scene = trial_spill, .folder = "straight", .threads = 1, .max_steps = 120};
    assert_int_equal(trial_run(&session, &diag), FRZ_ERR_STOPPED);
    snprintf(straight, sizeof straight, "%s", trial_path("straight/checkpoint.h5"));
    for (int k = 0; k < (int)(sizeof moments / sizeof moments[0]); ++k)
    {
        char folder[32], checkpoint[64];
        snprintf(folder, sizeof folder, "out%d", k);
        snprintf(checkpoint, sizeof checkpoint, "%s/checkpoint.h5", folder);
        session = (trial_session){
            .scene = trial_spill, .folder = folder, .threads = 1, .max_steps = 120, .checkpoint_steps = 3};
        kill_after(&session, moments[k]);
        frames_are_readable(trial_path(folder), 0);
        session.scene = NULL;
        if (trial_run(&session, &diag) != FRZ_ERR_STOPPED)
            fail_msg("%s", diag.message);
        trial_same_h5(straight, trial_path(checkpoint));
        frames_are_readable(trial_path(folder), 5);
    }
}

// A disk that is full is a file that may not grow: the same error path, without a mount.
static int run_with_small_files(void)
{
    const struct rlimit limit = {40 * 1024, 40 * 1024}; // above a frame, below what stats.csv grows to
    frz_diag diag = {.status = FRZ_OK};
    trial_session session = short_run;
    session.checkpoint_steps = 5;
    session.max_steps = 400;
    if (signal(SIGXFSZ, SIG_IGN) == SIG_ERR || setrlimit(RLIMIT_FSIZE, &limit) != 0)
        return 100;
    const frz_status status = trial_run(&session, &diag);
    if (status != FRZ_ERR_FILE || strstr(diag.message, "cannot write") == NULL)
        return 101;
    return strstr(diag.message, "complete") != NULL || strstr(diag.message, "checkpoint") != NULL ? 0 : 102;
}

static void a_file_that_cannot_grow_leaves_a_resumable_run(void **state)
{
    (void)state;
    const pid_t child = fork();
    if (child == 0)
        _exit(run_with_small_files());
    assert_int_equal(trial_wait(child), 0);
    frames_are_readable(trial_path("out"), 1);
    size_t length = 0;
    char *info = trial_read(trial_path("out/run.json"), &length);
    assert_contains(info, "\"state\": \"failed\"");
    assert_contains(info, "cannot write");
    frz_free(info);
    frz_diag diag = {.status = FRZ_OK};
    assert_int_equal(trial_run(&go_on, &diag), FRZ_ERR_STOPPED);
}

// A true full disk, in a name space of its own; 200 where that is not allowed.
static int run_on_a_small_disk(void)
{
    frz_diag diag = {.status = FRZ_OK};
    trial_session session = short_run;
    session.folder = "disk/out";
    session.max_steps = 400;
    if (unshare(CLONE_NEWNS) != 0 && unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0)
        return 200;
    if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
        mount("tmpfs", trial_path("disk"), "tmpfs", 0, "size=400k") != 0)
        return 200;
    if (trial_run(&session, &diag) != FRZ_ERR_FILE)
        return 101;
    if (strstr(diag.message, "No space left") == NULL || strstr(diag.message, "are complete") == NULL)
    {
        fprintf(stderr, "%s\n", diag.message);
        return 102;
    }
    const int frames = frz_frame_count(trial_path("disk/out"));
    for (int k = 0; k < frames; ++k)
    {
        frz_frame_data data = {0};
        if (frz_frame_read(trial_path("disk/out"), k, &data, &diag) != FRZ_OK)
            return 103;
        frz_frame_data_destroy(&data);
    }
    if (mount("tmpfs", trial_path("disk"), "tmpfs", MS_REMOUNT, "size=16m") != 0)
        return 200;
    session.scene = NULL;
    session.max_steps = 100;
    if (trial_run(&session, &diag) != FRZ_ERR_STOPPED)
    {
        fprintf(stderr, "%s\n", diag.message);
        return 104;
    }
    return 0;
}

static void a_full_disk_leaves_a_resumable_run(void **state)
{
    (void)state;
    assert_int_equal(mkdir(trial_path("disk"), 0777), 0);
    const pid_t child = fork();
    if (child == 0)
        _exit(run_on_a_small_disk());
    const int result = trial_wait(child);
    if (result == 200)
        skip(); // mounting is not allowed here
    assert_int_equal(result, 0);
}

#define TRIAL(test) cmocka_unit_test_setup_teardown(test, trial_setup, trial_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TRIAL(a_folder_with_a_run_is_refused),
        TRIAL(overwriting_removes_the_run_and_nothing_else),
        TRIAL(a_bad_scene_does_not_cost_the_earlier_run),
        TRIAL(frames_hold_the_fields_asked_for),
        TRIAL(a_file_in_the_place_of_the_folder_is_refused),
        TRIAL(two_runs_in_one_folder_are_refused),
        TRIAL(nothing_to_resume_is_said_clearly),
        TRIAL(a_truncated_checkpoint_gives_way_to_the_older_one),
        TRIAL(another_scene_is_refused_by_name),
        TRIAL(a_removed_folder_ends_the_run_with_a_sentence),
        TRIAL(a_diverged_run_keeps_the_last_good_state),
        TRIAL(a_frame_that_somebody_removes_does_not_end_the_run),
        TRIAL(a_killed_run_is_described_as_interrupted),
        TRIAL(a_description_says_why_it_tells_of_the_older_checkpoint),
        TRIAL(a_kill_at_any_moment_leaves_a_resumable_run),
        TRIAL(a_file_that_cannot_grow_leaves_a_resumable_run),
        TRIAL(a_full_disk_leaves_a_resumable_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
