// SPDX-License-Identifier: MIT
// What a user may type and name: topics beside folders, scenes from standard input, names that are nearly right.
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "compare.h"

#include <math.h>
#include <pty.h>
#include <sys/stat.h>

#include "cli/scene_folder.h"

static const char scene[] = "dimension: 2\n"
                            "spacing: 0.1\n"
                            "duration: 0.2\n"
                            "frame_rate: 20\n"
                            "materials: {water: {density: 1000}}\n"
                            "bodies:\n"
                            "  - {state: liquid, material: water, shape: {box: {min: [0, 0], max: [0.3, 0.3]}}}\n";

static int set_up(void **state)
{
    (void)state;
    return enter_scratch("small.yaml", scene);
}

/// A fixed shell command; its exit code.
static int shell(const char *command)
{
    // NOLINTNEXTLINE(cert-env33-c): fixed commands of this test
    const int state = system(command);
    return WIFEXITED(state) ? WEXITSTATUS(state) : -1;
}

static void folders_do_not_hide_topics_and_builtin_scenes(void **state)
{
    (void)state;
    static const char *const names[] = {"methods", "scenes", "builtin:demo"};
    static const char *const parts[] = {"dfsph", "builtin:demo", "title: "};
    for (int k = 0; k < 3; ++k)
    {
        assert_int_equal(mkdir(names[k], 0700), 0);
        const outcome *result = RUN(scratch, "info", names[k]);
        assert_int_equal(result->code, 0);
        assert_said(result->out, parts[k]);
        assert_int_equal(rmdir(names[k]), 0);
    }
    assert_int_equal(mkdir("methods", 0700), 0);
    assert_said(RUN(scratch, "info", "./methods")->err, "there is no run in ./methods");
    assert_int_equal(rmdir("methods"), 0);
}

static void a_builtin_scene_without_its_prefix_is_suggested(void **state)
{
    (void)state;
    static const char *const names[] = {"demo", "demo.yaml", "scenes/demo.yaml"};
    for (int k = 0; k < 3; ++k)
    {
        const outcome *result = RUN(scratch, "run", names[k]);
        assert_int_equal(result->code, 2);
        assert_said(result->err, "did you mean 'builtin:demo'?");
    }
    assert_said(RUN(scratch, "info", "demo")->err, "did you mean 'builtin:demo'?");
}

static void a_scene_may_come_from_standard_input(void **state)
{
    (void)state;
    assert_int_equal(shell("\"$FRZ_PROGRAM\" check --quick - < small.yaml > said"), 0);
    assert_int_equal(shell("cat small.yaml | \"$FRZ_PROGRAM\" run - -q -o piped"), 0);
    assert_int_equal(RUN(scratch, "run", "small.yaml", "-q", "-o", "named")->code, 0);
    assert_int_equal(shell("cmp piped/stats.csv named/stats.csv && cmp piped/scene.yaml named/scene.yaml"), 0);
    assert_int_equal(shell("echo 'spacng: 1' | \"$FRZ_PROGRAM\" check - 2> said"), 2);
    assert_int_equal(shell("grep -q 'standard input:1:1: unknown key' said"), 0);
    assert_int_equal(shell("printf 'a\\0b' | \"$FRZ_PROGRAM\" check - 2> said"), 2);
    assert_int_equal(shell("\"$FRZ_PROGRAM\" check - < /dev/null 2> said"), 2);
}

static void empty_names_are_refused_in_the_words_of_the_user(void **state)
{
    (void)state;
    const outcome *result = RUN(scratch, "run", "small.yaml", "-o", "");
    assert_int_equal(result->code, 2);
    assert_said(result->err, "-o: expected the name of a folder");
    assert_null(strstr(result->err, "frz_"));
    result = RUN(scratch, "render", "named", "--movie", "");
    assert_int_equal(result->code, 2);
    assert_said(result->err, "--movie: expected the name of a file");
}

static void version_and_help_say_what_the_program_is(void **state)
{
    (void)state;
    const outcome *result = RUN(scratch, "-V");
    assert_int_equal(result->code, 0);
    assert_said(result->out, "frazil ");
    assert_said(RUN(scratch, "help")->out, "liquids, elastic and rigid bodies");
}

static void tables_hold_the_shortest_numbers_that_read_back(void **state)
{
    (void)state;
    char line[4096];
    int rows = 0;
    FILE *table = fopen("named/stats.csv", "r");
    assert_non_null(table);
    while (fgets(line, sizeof line, table) != NULL)
    {
        char *end = NULL, text[64];
        const char *start = strchr(line, ',') + 1;
        if (rows++ == 0)
            continue;
        const double time = strtod(start, &end);
        for (int digits = 1; digits <= 17; ++digits)
        {
            snprintf(text, sizeof text, "%.*g", digits, time);
            if (strtod(text, NULL) == time)
                break;
        }
        assert_same(*end, ',');
        assert_less_equal((size_t)(end - start), strlen(text));
    }
    assert_greater(rows, 4);
    (void)fclose(table);
}

/// Run the scene in a terminal of so many columns; all that it shows.
static char *watch_run(unsigned short columns, const char *folder)
{
    static char said[1 << 16];
    const char *program = getenv("FRZ_PROGRAM");
    char path[512], name[64];
    snprintf(path, sizeof path, "%s", program != NULL ? program : "frazil");
    snprintf(name, sizeof name, "%s", folder);
    char *argv[] = {path, "run", "small.yaml", "-o", name, "--set", "duration=2", "--threads", "1", NULL};
    const struct winsize size = {.ws_row = 24, .ws_col = columns};
    int master = -1, slave = -1, ended = 0;
    assert_int_equal(openpty(&master, &slave, NULL, NULL, &size), 0);
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_adddup2(&files, slave, STDERR_FILENO);
    posix_spawn_file_actions_addclose(&files, master);
    pid_t child = 0;
    assert_int_equal(posix_spawnp(&child, path, &files, NULL, argv, environ), 0);
    posix_spawn_file_actions_destroy(&files);
    (void)close(slave);
    size_t used = 0;
    for (ssize_t got = 1; got > 0 && used + 1 < sizeof said; used += got > 0 ? (size_t)got : 0)
        got = read(master, said + used, sizeof said - used - 1);
    said[used] = '\0';
    (void)close(master);
    assert_int_equal(waitpid(child, &ended, 0), child);
    return said;
}

static void the_time_left_fits_narrow_terminals(void **state)
{
    (void)state;
    static const unsigned short columns[] = {80, 32};
    for (int k = 0; k < 2; ++k)
    {
        int shown = 0;
        char *rest = watch_run(columns[k], k == 0 ? "watched" : "watched_too");
        for (const char *line = strsep(&rest, "\r\n"); line != NULL; line = strsep(&rest, "\r\n"))
        {
            if (strstr(line, " %  ") == NULL)
                continue;
            const char *left = strstr(line, "left: ");
            ++shown;
            assert_non_null(left);
            assert_less(left - line + 8, columns[k]);
            assert_less(strcspn(line, "\033"), columns[k]);
        }
        assert_greater(shown, 0);
    }
}

static void pictures_of_two_sizes_are_never_mixed(void **state)
{
    (void)state;
    struct stat info;
    assert_int_equal(RUN(scratch, "render", "named", "--size", "64x64", "-q")->code, 0);
    assert_int_equal(stat("named/images/frame_000004.png", &info), 0);
    const outcome *result = RUN(scratch, "render", "named", "--size", "32x32", "--frames", "0:1");
    assert_int_equal(result->code, 0);
    assert_said(result->err, "removed 5 earlier pictures of another size (64 x 64)");
    assert_int_equal(stat("named/images/frame_000001.png", &info), 0);
    assert_int_not_equal(stat("named/images/frame_000002.png", &info), 0);
}

static void what_does_not_fit_into_memory_is_refused_at_once(void **state)
{
    (void)state;
#ifdef __SANITIZE_ADDRESS__
    skip(); // it takes all addresses for itself
#endif
    assert_int_equal(shell("sed -e 's/dimension: 2/dimension: 3/' -e 's/min: .*/min: [0, 0, 0], max: [20, 20, 10]}}}/' "
                           "small.yaml > large.yaml"),
                     0);
    // a limit of its own counts like the memory of the machine
    assert_int_equal(shell("ulimit -v 2000000; \"$FRZ_PROGRAM\" run large.yaml -o never --threads 1 2> said"), 1);
    assert_int_equal(shell("grep -q 'the scene asks for about 4e+06 particles .* GB are free' said"), 0);
    assert_int_not_equal(access("never/run.json", F_OK), 0);
}

static void what_does_not_fit_onto_the_disk_is_refused_by_check_and_run(void **state)
{
    (void)state;
    const outcome *result = RUN(scratch, "check", "small.yaml", "--set", "frame_rate=1e9", "--set", "duration=0.9");
    assert_int_equal(result->code, 1);
    assert_said(result->err, "the run would write 9e+08 frames, which take about");
    assert_said(result->err, "GB are free; use a lower frame_rate");
    result = RUN(scratch, "run", "small.yaml", "-o", "huge", "--set", "frame_rate=1e9", "--set", "duration=0.9");
    assert_int_equal(result->code, 1);
    assert_said(result->err, "the run would write 9e+08 frames");
    assert_int_not_equal(access("huge", F_OK), 0);
}

/// The number behind a key of JSON.
static double number_of(const char *json, const char *key)
{
    const char *at = strstr(json, key);
    assert_non_null(at);
    return strtod(at + strlen(key), NULL);
}

static void check_tells_the_memory_that_the_run_then_takes(void **state)
{
    (void)state;
#ifdef __SANITIZE_ADDRESS__
    skip(); // it takes more for itself
#endif
    const outcome *result = RUN(scratch, "check", "builtin:bench_dam", "--quick", "--json", "--threads", "1");
    const double told = number_of(result->out, "\"memory\":");
    result = RUN(scratch, "run", "builtin:bench_dam", "-o", "heavy", "--max-steps", "2", "--threads", "1");
    assert_int_equal(result->code, 1); // stopped
    assert_near(result->memory, told, 0.1 * told);
}

static void check_tells_steps_and_disk_space_as_the_run_then_takes_them(void **state)
{
    (void)state;
    char told[SAID_SIZE];
    memcpy(told, RUN(scratch, "check", "small.yaml", "--json")->out, sizeof told);
    assert_int_equal(RUN(scratch, "run", "small.yaml", "-o", "told", "--quiet")->code, 0);
    const double steps = number_of(told, "\"expected_steps\":"), disk = number_of(told, "\"disk\":");
    assert_same(number_of(told, "\"steps_tried\":"), steps); // it is a short run: all of it was tried
    assert_same(number_of(RUN(scratch, "info", "told", "--json")->out, "\"step\":"), steps);
    assert_int_equal(shell("du -s -B1 told | cut -f1 > size"), 0);
    FILE *file = fopen("size", "r");
    double size = 0.0;
    assert_non_null(file);
    assert_int_equal(fscanf(file, "%lf", &size), 1); // NOLINT(cert-err34-c): the number is du's
    assert_int_equal(fclose(file), 0);
    if (fabs(disk - size) > 0.4 * size)
        fail_msg("told %g bytes, took %g", disk, size);
}

static void a_floor_without_bounds_is_there_however_far_below(void **state)
{
    (void)state;
    assert_int_equal(shell("sed '/shape:/a\\  - {name: floor, state: static, shape: {half_space: {point: [0, -1], "
                           "normal: [0.1, 1]}}}' small.yaml > floor.yaml"),
                     0);
    const outcome *result = RUN(scratch, "check", "floor.yaml", "--quick", "--json");
    assert_int_equal(result->code, 0);
    assert_greater(number_of(result->out, "\"walls\":"), 4); // it had none, and everything fell through
}

static void threads_that_wait_sleep_unless_the_user_wants_otherwise(void **state)
{
    (void)state;
    assert_int_equal(shell("unset OMP_WAIT_POLICY; OMP_DISPLAY_ENV=true \"$FRZ_PROGRAM\" --version 2>&1 |"
                           " grep WAIT_POLICY | tail -n 1 | grep -q -i passive"),
                     0);
    assert_int_equal(shell("OMP_WAIT_POLICY=active OMP_DISPLAY_ENV=true \"$FRZ_PROGRAM\" --version 2>&1 |"
                           " grep WAIT_POLICY | tail -n 1 | grep -q -i active"),
                     0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(folders_do_not_hide_topics_and_builtin_scenes),
        cmocka_unit_test(a_builtin_scene_without_its_prefix_is_suggested),
        cmocka_unit_test(a_scene_may_come_from_standard_input),
        cmocka_unit_test(empty_names_are_refused_in_the_words_of_the_user),
        cmocka_unit_test(version_and_help_say_what_the_program_is),
        cmocka_unit_test(tables_hold_the_shortest_numbers_that_read_back),
        cmocka_unit_test(the_time_left_fits_narrow_terminals),
        cmocka_unit_test(pictures_of_two_sizes_are_never_mixed),
        cmocka_unit_test(what_does_not_fit_into_memory_is_refused_at_once),
        cmocka_unit_test(check_tells_the_memory_that_the_run_then_takes),
        cmocka_unit_test(what_does_not_fit_onto_the_disk_is_refused_by_check_and_run),
        cmocka_unit_test(check_tells_steps_and_disk_space_as_the_run_then_takes_them),
        cmocka_unit_test(a_floor_without_bounds_is_there_however_far_below),
        cmocka_unit_test(threads_that_wait_sleep_unless_the_user_wants_otherwise),
    };
    return cmocka_run_group_tests_name("inputs", tests, set_up, tear_down);
}
