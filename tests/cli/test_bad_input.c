// SPDX-License-Identifier: MIT
// Every broken scene, mesh and command line of tests/bad gives one clear line and the right exit code, never a crash.
//
// tests/bad/expected.tsv has the columns: file, command line, exit code, part of the message. In the command line
// {file} stands for the file and {out} for a folder that does not exist.
// labels: long
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "compare.h"
#include "cli/program.h"

typedef struct row
{
    char file[128], command[256], part[256];
    int code;
} row;

static char scratch[256];

static int set_up(void **state)
{
    (void)state;
    char path[512];
    const char *root = getenv("FRZ_SOURCE_DIR");
    snprintf(path, sizeof path, "%s/tests/bad", root != NULL ? root : ".");
    return make_scratch(scratch, sizeof scratch) && chdir(path) == 0 ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    remove_scratch(scratch);
    return 0;
}

static bool parse_row(char *line, row *out)
{
    char *cells[4] = {NULL};
    line[strcspn(line, "\n")] = '\0';
    for (int i = 0; i < 4; ++i)
        cells[i] = strsep(&line, "\t");
    if (cells[3] == NULL)
        return false;
    snprintf(out->file, sizeof out->file, "%s", cells[0]);
    snprintf(out->command, sizeof out->command, "%s", cells[1]);
    snprintf(out->part, sizeof out->part, "%s", cells[3]);
    out->code = (int)strtol(cells[2], NULL, 10);
    return true;
}

static outcome *run_row(const row *r)
{
    static char folder[512];
    char command[256];
    const char *arguments[MOST_ARGUMENTS] = {NULL};
    int count = 0;
    snprintf(folder, sizeof folder, "%s/out", scratch);
    snprintf(command, sizeof command, "%s", r->command);
    char *rest = command;
    for (const char *word = strsep(&rest, " "); word != NULL && count < MOST_ARGUMENTS - 1; word = strsep(&rest, " "))
        arguments[count++] = strcmp(word, "{file}") == 0 ? r->file : strcmp(word, "{out}") == 0 ? folder : word;
    return run_program(scratch, arguments);
}

/// Null, or what is wrong.
static const char *judge(const row *r, const outcome *result)
{
    const size_t lines_end = strcspn(result->err, "\n");
    if (result->signal != 0)
        return "it was ended by a signal";
    if (result->code != r->code)
        return "the exit code is another";
    if (r->code == 0)
        return strstr(result->out, r->part) != NULL ? NULL : "the message is another";
    if (strncmp(result->err, "frazil: error: ", strlen("frazil: error: ")) != 0)
        return "the message does not begin with 'frazil: error: '";
    if (result->err[lines_end] != '\n' || result->err[lines_end + 1] != '\0')
        return "the message is not one line";
    return strstr(result->err, r->part) != NULL ? NULL : "the message is another";
}

static void every_bad_input_gives_one_clear_line_and_the_right_exit_code(void **state)
{
    (void)state;
    FILE *table = fopen("expected.tsv", "r");
    assert_non_null(table);
    char line[1024];
    int rows = 0, faults = 0;
    while (fgets(line, sizeof line, table) != NULL)
    {
        row r;
        assert_true(parse_row(line, &r));
        const outcome *result = run_row(&r);
        const char *fault = judge(&r, result);
        ++rows;
        if (fault == NULL)
            continue;
        ++faults;
        print_error("%s: frazil %s: %s: exit code %d, expected %d with '%s'; it said: %.400s%.400s\n", r.file,
                    r.command, fault, result->code, r.code, r.part, result->err, result->out);
    }
    (void)fclose(table);
    assert_greater_equal(rows, 100);
    assert_int_equal(faults, 0);
}

static void every_bad_file_has_a_row(void **state)
{
    (void)state;
    char command[] = "for f in *.yaml; do grep -q \"^$f\t\" expected.tsv || echo $f; done";
    // NOLINTNEXTLINE(cert-env33-c): a fixed command in a test
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    char name[128];
    assert_null(fgets(name, sizeof name, pipe));
    (void)pclose(pipe);
}

// ---- damaged run folders

static void start_run(const char *name, const char *setting)
{
    char folder[512];
    snprintf(folder, sizeof folder, "%s/%s", scratch, name);
    const outcome *result =
        RUN(scratch, "run", "nothing_wrong.yaml", "-o", folder, "--max-steps", "2", "--set", setting, "--threads", "1");
    assert_int_equal(result->code, 1);
    assert_non_null(strstr(result->err, "continue with: frazil resume"));
}

/// Cut a file of a run to a length.
static void cut(const char *run, const char *file, long length)
{
    char path[600];
    snprintf(path, sizeof path, "%s/%s/%s", scratch, run, file);
    assert_int_equal(truncate(path, length), 0);
}

static const outcome *command_on(const char *command, const char *run)
{
    char folder[512];
    snprintf(folder, sizeof folder, "%s/%s", scratch, run);
    return RUN(scratch, command, folder, "--threads", "1", "--quiet");
}

static void assert_fails(const outcome *result, const char *part)
{
    assert_int_equal(result->signal, 0);
    assert_int_equal(result->code, 1);
    assert_non_null(strstr(result->err, "frazil: error: "));
    assert_non_null(strstr(result->err, part));
}

static void a_truncated_checkpoint_is_named(void **state)
{
    (void)state;
    start_run("cut", "duration=0.1");
    cut("cut", "checkpoint.h5", 700);
    assert_fails(command_on("resume", "cut"), "checkpoint");
}

static void a_checkpoint_of_another_scene_is_refused(void **state)
{
    (void)state;
    char from[600], to[600];
    start_run("one", "duration=0.1");
    start_run("two", "duration=0.2");
    snprintf(from, sizeof from, "%s/two/checkpoint.h5", scratch);
    snprintf(to, sizeof to, "%s/one/checkpoint.h5", scratch);
    assert_int_equal(rename(from, to), 0);
    assert_fails(command_on("resume", "one"), "checkpoint");
}

static void a_damaged_run_json_is_named(void **state)
{
    (void)state;
    start_run("json", "duration=0.1");
    cut("json", "run.json", 20);
    assert_fails(command_on("resume", "json"), "run.json");
    assert_fails(command_on("info", "json"), "run.json");
}

static void a_damaged_frame_is_named(void **state)
{
    (void)state;
    start_run("frame", "duration=0.1");
    cut("frame", "frames/frame_000000.vtkhdf", 900);
    assert_fails(command_on("render", "frame"), "frame_000000.vtkhdf");
}

static void frames_behind_a_missing_one_are_told_of(void **state)
{
    (void)state;
    char folder[512];
    snprintf(folder, sizeof folder, "%s/gap", scratch);
    const outcome *run = RUN(scratch, "run", "nothing_wrong.yaml", "-o", folder, "--threads", "1", "-q");
    assert_int_equal(run->code, 0);
    cut("gap", "frames/frame_000001.vtkhdf", 0);
    static const char *const commands[] = {"render", "surface"};
    for (int k = 0; k < 2; ++k)
    {
        const outcome *result = command_on(commands[k], "gap");
        assert_int_equal(result->code, 0);
        assert_non_null(strstr(result->err, "frame 1 is missing or empty: the work ends before it, though there are "
                                            "frames up to 2"));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_bad_input_gives_one_clear_line_and_the_right_exit_code),
        cmocka_unit_test(every_bad_file_has_a_row),
        cmocka_unit_test(a_truncated_checkpoint_is_named),
        cmocka_unit_test(a_checkpoint_of_another_scene_is_refused),
        cmocka_unit_test(a_damaged_run_json_is_named),
        cmocka_unit_test(a_damaged_frame_is_named),
        cmocka_unit_test(frames_behind_a_missing_one_are_told_of),
    };
    return cmocka_run_group_tests_name("bad_input", tests, set_up, tear_down);
}
