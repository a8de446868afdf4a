// SPDX-License-Identifier: MIT
// The program and the files of the system: what it refuses to replace, closed and full outputs, signals, equal bytes.
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <signal.h>
#include <cmocka.h>

#include "compare.h"

#include <dirent.h>
#include <sys/stat.h>

#include "cli/scene_folder.h"

static const char scene[] =
    "dimension: 2\n"
    "spacing: 0.1\n"
    "duration: 0.2\n"
    "frame_rate: 20\n"
    "materials: {water: {density: 1000}}\n"
    "bodies:\n"
    "  - {name: water, state: liquid, material: water, shape: {box: {min: [0, 0], max: [0.6, 0.6]}}}\n"
    "  - name: tank\n"
    "    state: static\n"
    "    shape: {shell: {of: {box: {min: [0, 0], max: [1, 1]}}, thickness: 0.2}}\n"
    "  - {name: brick, state: rigid, density: 2000, shape: {box: {min: [0.7, 0], max: [0.9, 0.2]}}}\n"
    "probes: [{name: low, position: [0.1, 0.1], fields: [pressure]}]\n";

static int set_up(void **state)
{
    (void)state;
    return enter_scratch("small.yaml", scene);
}

static bool is_pipe(const char *path)
{
    struct stat info;
    return lstat(path, &info) == 0 && S_ISFIFO(info.st_mode);
}

/// As shell commands, with the program as $FRZ_PROGRAM; the exit code.
static int shell(const char *command)
{
    // NOLINTNEXTLINE(cert-env33-c): fixed commands of this test
    const int state = system(command);
    return WIFEXITED(state) ? WEXITSTATUS(state) : -1;
}

static void films_and_pictures_replace_regular_files_only(void **state)
{
    (void)state;
    assert_int_equal(RUN(scratch, "run", "small.yaml", "-o", "drawn", "--max-steps", "5", "-q")->code, 1);
    assert_int_equal(mkfifo("pipe.mp4", 0600), 0);
    assert_int_equal(mkfifo("pipe.png", 0600), 0);
    const outcome *result = RUN(scratch, "render", "drawn", "--size", "64x64", "--movie", "pipe.mp4", "-q");
    assert_int_equal(result->code, 1);
    assert_said(result->err, "cannot write pipe.mp4: it is a pipe, not a regular file");
    result = RUN(scratch, "render", "drawn", "--size", "64x64", "--sheet", "pipe.png", "-q");
    assert_int_equal(result->code, 1);
    assert_said(result->err, "cannot write pipe.png: it is a pipe, not a regular file");
    assert_true(is_pipe("pipe.mp4") && is_pipe("pipe.png"));
    assert_int_equal(symlink("/dev/null", "link.png"), 0);
    result = RUN(scratch, "render", "drawn", "--size", "64x64", "--sheet", "link.png", "-q");
    assert_int_equal(result->code, 1);
    assert_said(result->err, "it is a device, not a regular file");
}

static void files_of_the_user_are_not_replaced_by_a_run(void **state)
{
    (void)state;
    static const char *const names[] = {"scene.yaml", "stats.csv", "images/frame_000001.png"};
    assert_int_equal(shell("mkdir -p mine/images"), 0);
    for (int k = 0; k < 3; ++k)
    {
        char line[256], part[64];
        snprintf(line, sizeof line, "echo precious > mine/%s", names[k]);
        assert_int_equal(shell(line), 0);
        const outcome *result = RUN(scratch, "run", "small.yaml", "-o", "mine", "-q");
        snprintf(part, sizeof part, "mine holds no run, but a file '%s'", names[k]);
        assert_int_equal(result->code, 1);
        assert_said(result->err, part);
        snprintf(line, sizeof line, "grep -q precious mine/%s && rm mine/%s", names[k], names[k]);
        assert_int_equal(shell(line), 0);
    }
    // not even with --force, which is for earlier runs
    assert_int_equal(shell("cp small.yaml mine/scene.yaml"), 0);
    assert_int_equal(RUN(scratch, "run", "mine/scene.yaml", "-o", "mine", "--force")->code, 2);
    assert_int_equal(shell("cmp small.yaml mine/scene.yaml && rm mine/scene.yaml"), 0);
    assert_int_equal(RUN(scratch, "run", "small.yaml", "-o", "mine", "-q")->code, 0);
    assert_int_equal(RUN(scratch, "run", "mine/scene.yaml", "-o", "mine", "-q", "--force")->code, 0);
    // files of a run that could not start are no obstacle
    assert_int_equal(shell("mkdir again && cp mine/scene.yaml again"), 0);
    assert_int_equal(RUN(scratch, "run", "small.yaml", "-o", "again", "-q")->code, 0);
}

static void files_of_a_run_never_get_the_descriptors_of_messages(void **state)
{
    (void)state;
    assert_int_equal(shell("\"$FRZ_PROGRAM\" run small.yaml -o closed --json <&- >&- 2>&-"), 0);
    FILE *table = fopen("closed/stats.csv", "r");
    char line[4096];
    int rows = 0;
    assert_non_null(table);
    while (fgets(line, sizeof line, table) != NULL)
        assert_true(rows++ == 0 ? strncmp(line, "step,time,", 10) == 0 : line[0] >= '0' && line[0] <= '9');
    assert_greater(rows, 2);
    (void)fclose(table);
}

static void a_result_that_cannot_be_written_is_a_failure(void **state)
{
    (void)state;
    static const char *const commands[] = {"info methods", "info schema --json",      "info drawn", "help", "help run",
                                           "--version",    "check small.yaml --quick"};
    for (size_t k = 0; k < sizeof commands / sizeof *commands; ++k)
    {
        char line[256];
        snprintf(line, sizeof line, "\"$FRZ_PROGRAM\" %s >/dev/full 2>message", commands[k]);
        if (shell(line) != 1 || shell("grep -q 'cannot write the result to standard output' message") != 0)
            fail_msg("frazil %s > /dev/full is no failure", commands[k]);
    }
}

/// Start a run that would take for ever, in a folder, and wait until it is under way.
static pid_t start_long_run(const char *folder, bool broken_pipe)
{
    const char *program = getenv("FRZ_PROGRAM");
    char path[512], name[256], frame[300];
    snprintf(path, sizeof path, "%s", program != NULL ? program : "frazil");
    snprintf(name, sizeof name, "%s", folder);
    snprintf(frame, sizeof frame, "%s/frames/frame_000002.vtkhdf", folder);
    char *argv[] = {path, "run", "small.yaml", "-o", name, "--set", "duration=1000", "--threads", "1", NULL};
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    sigset_t ours;
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    posix_spawn_file_actions_init(&files);
    posix_spawnattr_init(&attributes);
    sigemptyset(&ours);
    sigaddset(&ours, SIGPIPE);
    sigaddset(&ours, SIGHUP);
    posix_spawnattr_setsigdefault(&attributes, &ours);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
    posix_spawn_file_actions_addclose(&files, ends[0]);
    if (broken_pipe)
        posix_spawn_file_actions_adddup2(&files, ends[1], STDERR_FILENO);
    else
        posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    pid_t child = 0;
    assert_int_equal(posix_spawnp(&child, path, &files, &attributes, argv, environ), 0);
    posix_spawn_file_actions_destroy(&files);
    posix_spawnattr_destroy(&attributes);
    (void)close(ends[1]);
    for (int wait = 0; wait < 1000 && access(frame, F_OK) != 0; ++wait)
        (void)usleep(10000);
    (void)close(ends[0]); // from now on its messages meet a broken pipe
    return child;
}

static void assert_stopped_with_checkpoint(pid_t child, const char *checkpoint)
{
    int ended = 0;
    assert_int_equal(waitpid(child, &ended, 0), child);
    assert_true(WIFEXITED(ended));
    assert_int_equal(WEXITSTATUS(ended), 1);
    assert_int_equal(access(checkpoint, F_OK), 0);
}

static void a_terminal_that_goes_away_leaves_a_checkpoint(void **state)
{
    (void)state;
    const pid_t child = start_long_run("hung_up", false);
    assert_int_equal(kill(child, SIGHUP), 0);
    assert_stopped_with_checkpoint(child, "hung_up/checkpoint.h5");
}

static void a_broken_pipe_leaves_a_checkpoint(void **state)
{
    (void)state;
    const pid_t child = start_long_run("unread", true);
    assert_int_equal(kill(child, SIGPIPE), 0); // what the next message would do, but lines come every 30 s only
    assert_stopped_with_checkpoint(child, "unread/checkpoint.h5");
}

static void a_removed_table_does_not_end_a_run_without_a_checkpoint(void **state)
{
    (void)state;
    const pid_t child = start_long_run("cleared", false);
    assert_int_equal(unlink("cleared/stats.csv"), 0);
    assert_int_equal(kill(child, SIGTERM), 0);
    assert_stopped_with_checkpoint(child, "cleared/checkpoint.h5");
    assert_int_equal(RUN(scratch, "resume", "cleared", "--max-steps", "500", "-q")->code, 1);
    assert_int_equal(access("cleared/stats.csv", F_OK), 0);
}

static void the_limit_of_processor_time_leaves_a_checkpoint(void **state)
{
    (void)state;
    static const int signals[] = {SIGXCPU, SIGUSR1, SIGUSR2};
    for (int k = 0; k < 3; ++k)
    {
        char folder[32], checkpoint[64];
        snprintf(folder, sizeof folder, "limited_%d", k);
        snprintf(checkpoint, sizeof checkpoint, "%s/checkpoint.h5", folder);
        const pid_t child = start_long_run(folder, false);
        assert_int_equal(kill(child, signals[k]), 0);
        assert_stopped_with_checkpoint(child, checkpoint);
    }
}

static void nohup_is_respected(void **state)
{
    (void)state;
    assert_int_equal(shell("trap '' HUP; \"$FRZ_PROGRAM\" run small.yaml -o kept_on -q --threads 1 & "
                           "kill -HUP $!; wait $!"),
                     0);
}

// ---- equal runs

static int compare_files(const char *folder_a, const char *folder_b, const char *path)
{
    char command[2048];
    snprintf(command, sizeof command, "cmp -s '%s/%s' '%s/%s'", folder_a, path, folder_b, path);
    return shell(command);
}

/// All files of a folder and of those in it; returns how many.
// NOLINTNEXTLINE(misc-no-recursion): folders are nested
static int compare_folders(const char *folder_a, const char *folder_b, const char *below)
{
    char path[512];
    int count = 0;
    snprintf(path, sizeof path, "%s/%s", folder_a, below);
    DIR *folder = opendir(path);
    assert_non_null(folder);
    for (const struct dirent *entry = readdir(folder); entry != NULL; entry = readdir(folder))
    {
        struct stat info;
        char name[512];
        if (entry->d_name[0] == '.' || strcmp(entry->d_name, "run.json") == 0) // which tells of the session: dates
            continue;
        snprintf(name, sizeof name, "%s%s%s", below, below[0] != '\0' ? "/" : "", entry->d_name);
        snprintf(path, sizeof path, "%.200s/%.300s", folder_a, name);
        assert_int_equal(stat(path, &info), 0);
        if (S_ISDIR(info.st_mode))
            count += compare_folders(folder_a, folder_b, name);
        else if (compare_files(folder_a, folder_b, name) != 0)
            fail_msg("%s differs between equal runs", name);
        else
            ++count;
    }
    closedir(folder);
    return count;
}

static void equal_runs_give_equal_bytes(void **state)
{
    (void)state;
    assert_int_equal(RUN(scratch, "run", "small.yaml", "-o", "first", "-q", "--threads", "1")->code, 0);
    (void)sleep(1); // dates in files count seconds
    assert_int_equal(RUN(scratch, "run", "small.yaml", "-o", "second", "-q", "--threads", "2")->code, 0);
    assert_int_equal(RUN(scratch, "render", "first", "--size", "64x64", "-q", "--threads", "1")->code, 0);
    assert_int_equal(RUN(scratch, "render", "second", "--size", "64x64", "-q", "--threads", "1")->code, 0);
    assert_greater_equal(compare_folders("first", "second", ""), 5 + 5 + 6); // frames, pictures, the rest
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(films_and_pictures_replace_regular_files_only),
        cmocka_unit_test(files_of_the_user_are_not_replaced_by_a_run),
        cmocka_unit_test(files_of_a_run_never_get_the_descriptors_of_messages),
        cmocka_unit_test(a_result_that_cannot_be_written_is_a_failure),
        cmocka_unit_test(a_terminal_that_goes_away_leaves_a_checkpoint),
        cmocka_unit_test(a_broken_pipe_leaves_a_checkpoint),
        cmocka_unit_test(a_removed_table_does_not_end_a_run_without_a_checkpoint),
        cmocka_unit_test(the_limit_of_processor_time_leaves_a_checkpoint),
        cmocka_unit_test(nohup_is_respected),
        cmocka_unit_test(equal_runs_give_equal_bytes),
    };
    return cmocka_run_group_tests_name("files", tests, set_up, tear_down);
}
