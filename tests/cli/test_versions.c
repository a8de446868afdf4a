// SPDX-License-Identifier: MIT
// Files of earlier versions (tests/data) are read, or refused by a sentence that says which version can.
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "program.h"

static char scratch[128];

static int set_up(void **state)
{
    (void)state;
    return make_scratch(scratch, sizeof scratch) ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    remove_scratch(scratch);
    return 0;
}

static const char *data_path(const char *name)
{
    static char path[512];
    const char *source = getenv("FRZ_SOURCE_DIR");
    snprintf(path, sizeof path, "%s/tests/data/%s", source != NULL ? source : ".", name);
    return path;
}

/// A copy of a folder of tests/data, which the program may change.
static const char *copied(const char *name)
{
    static char path[256];
    char command[1024];
    snprintf(path, sizeof path, "%s/run", scratch);
    snprintf(command, sizeof command, "cp -r '%s' '%s'", data_path(name), path);
    assert_int_equal(system(command), 0); // NOLINT(cert-env33-c): paths of our own
    return path;
}

static void expect(const outcome *got, int code, const char *part)
{
    if (got->code != code || strstr(got->err, part) == NULL)
        fail_msg("expected exit code %d and '%s', got %d: %s", code, part, got->code, got->err);
}

static void scenes_of_version_0_1_are_good(void **state)
{
    (void)state;
    expect(RUN(scratch, "check", data_path("version-0.1/scene.yaml"), "--quick", "--threads", "1"), 0, "");
}

static void checkpoints_of_format_1_are_refused_by_version(void **state)
{
    (void)state;
    const char *run = copied("version-0.1/format1");
    expect(RUN(scratch, "resume", run, "--threads", "1"), 1, "it has format 1, of frazil 0.1");
    const outcome *told = RUN(scratch, "info", run);
    expect(told, 0, "");
    assert_non_null(strstr(told->out, "it has format 1, of frazil 0.1"));
}

// Who changes what a checkpoint must hold counts FRZ_CHECKPOINT_FORMAT on; then the sentence is the right answer.
static void checkpoints_of_format_2_go_on_or_are_refused_by_version(void **state)
{
    (void)state;
    static const char *const tables[] = {"stats.csv", "bodies.csv", "probes.csv", "sources.csv"};
    const char *run = copied("version-0.1/format2");
    const outcome *got = RUN(scratch, "resume", run, "--threads", "1");
    for (int k = 0; k < 4 && strstr(got->err, "frazil that run.json names, or move the file away") != NULL; ++k)
    {
        char path[512];
        snprintf(path, sizeof path, "%s/%s", run, tables[k]);
        assert_int_equal(unlink(path), 0);
        got = RUN(scratch, "resume", run, "--threads", "1");
    }
    if (got->code == 0)
        return;
    if (strstr(got->err, "it has format 2, of an older frazil") == NULL &&
        strstr(got->err, "written by a single-precision program") == NULL)
        fail_msg("neither read nor refused by its version: %s", got->err);
    assert_int_equal(got->code, 1);
}

static void frames_of_version_0_1_are_drawn(void **state)
{
    (void)state;
    static const char *const folders[] = {"version-0.1/format1", "version-0.1/format2"};
    for (int k = 0; k < 2; ++k)
    {
        const char *run = copied(folders[k]);
        expect(RUN(scratch, "render", run, "--size", "16x16", "--threads", "1"), 0, "1 picture");
        remove_scratch(run);
    }
}

#define TRIAL(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TRIAL(scenes_of_version_0_1_are_good),
        TRIAL(checkpoints_of_format_1_are_refused_by_version),
        TRIAL(checkpoints_of_format_2_go_on_or_are_refused_by_version),
        TRIAL(frames_of_version_0_1_are_drawn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
