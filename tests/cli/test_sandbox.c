// SPDX-License-Identifier: MIT
// Scenes of strangers: files that they may not read, places where they may not write, programs that they may not start.
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <pthread.h>
#include <sys/socket.h>
#include <sys/stat.h>

// NOLINTNEXTLINE(bugprone-suspicious-include): the program's own; tests do not link it
#include "../apps/frazil/sandbox.c"
#include "cli/scene_folder.h"

static const char scene[] = "dimension: 3\n"
                            "spacing: 0.25\n"
                            "duration: 0.02\n"
                            "materials: {water: {density: 1000}}\n"
                            "bodies:\n"
                            "  - {state: liquid, material: water, shape: {mesh: {file: cube.obj}}}\n";

static const char cube[] = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nv 1 0 1\nv 1 1 1\nv 0 1 1\n"
                           "f 1 4 3 2\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n";

static void write_text(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

/// scratch has the folder scenes with the scene, and meshes outside it.
static int set_up(void **state)
{
    (void)state;
    if (enter_scratch("unused.yaml", scene) != 0 || mkdir("scenes", 0700) != 0 || mkdir("other", 0700) != 0)
        return -1;
    write_text("scenes/s.yaml", scene);
    write_text("scenes/cube.obj", cube);
    write_text("scenes/--help.obj", cube);
    write_text("other/cube.obj", cube);
    return symlink("../other/cube.obj", "scenes/away.obj") == 0 && symlink("cube.obj", "scenes/near.obj") == 0 &&
                   symlink("../other", "scenes/other") == 0 && mkfifo("scenes/pipe.obj", 0600) == 0
               ? 0
               : -1;
}

static const outcome *check_mesh(const char *file)
{
    char setting[600];
    snprintf(setting, sizeof setting, "bodies.0.shape={mesh: {file: \"%s\"}}", file);
    return RUN(scratch, "check", "scenes/s.yaml", "--quick", "--set", setting);
}

static void scenes_read_below_their_own_folder(void **state)
{
    (void)state;
    char absolute[600];
    snprintf(absolute, sizeof absolute, "%s/scenes/cube.obj", scratch);
    const char *const names[] = {"cube.obj", "near.obj", "../scenes/cube.obj", "--help.obj", absolute};
    for (size_t k = 0; k < sizeof names / sizeof names[0]; ++k)
        if (check_mesh(names[k])->code != 0)
            fail_msg("'%s' was refused: %s", names[k], check_mesh(names[k])->err);
}

static void what_lies_elsewhere_is_refused_by_a_sentence(void **state)
{
    (void)state;
    char absolute[600];
    snprintf(absolute, sizeof absolute, "%s/other/cube.obj", scratch);
    const char *const names[] = {"../other/cube.obj", "away.obj",       "other/cube.obj", absolute,
                                 "/dev/zero",         "/proc/self/mem", "/etc/passwd"};
    for (size_t k = 0; k < sizeof names / sizeof names[0]; ++k)
    {
        const outcome *result = check_mesh(names[k]);
        assert_int_equal(result->code, 2);
        if (strstr(result->err, "outside the scene's folder") == NULL)
            fail_msg("'%s': %s", names[k], result->err);
    }
    const outcome *result = check_mesh("pipe.obj");
    assert_int_equal(result->code, 2);
    assert_said(result->err, "it is a pipe, not a regular file");
}

static void folders_can_be_allowed(void **state)
{
    (void)state;
    static const char setting[] = "bodies.0.shape={mesh: {file: ../other/cube.obj}}";
    assert_int_equal(
        RUN(scratch, "run", "scenes/s.yaml", "-o", "allowed", "--allow-files", "other", "--set", setting)->code, 0);
    const outcome *result = RUN(scratch, "check", "scenes/s.yaml", "--allow-files", "nowhere");
    assert_int_equal(result->code, 2);
    assert_said(result->err, "cannot allow files of the folder 'nowhere'");
}

static void links_do_not_lead_results_elsewhere(void **state)
{
    (void)state;
    assert_int_equal(symlink("other", "s"), 0); // the name that a run takes if none is given
    const outcome *result = RUN(scratch, "run", "scenes/s.yaml");
    assert_int_equal(result->code, 2);
    assert_said(result->err, "is a link to another place");
    assert_int_equal(mkdir("linked", 0700), 0);
    assert_int_equal(symlink("../other", "linked/frames"), 0);
    result = RUN(scratch, "run", "scenes/s.yaml", "-o", "linked", "--force");
    assert_int_equal(result->code, 1);
    assert_said(result->err, "linked/frames is a link to another place");
    assert_int_equal(RUN(scratch, "run", "scenes/s.yaml", "-o", "deep/er/out", "--set", "spacing=-1")->code, 2);
    assert_int_not_equal(access("deep", F_OK), 0); // folders that were made for nothing are gone
}

static void *count_up(void *number)
{
    *(int *)number += 1;
    return NULL;
}

/// Whether there was something to close.
static bool closes(int fd)
{
    return fd >= 0 && close(fd) == 0;
}

static bool opens(const char *path, int flags)
{
    return closes(open(path, flags, 0600));
}

/// 0, or the number of the first thing that went wrong.
static int try_to_break_out(void)
{
    static const char *const read[] = {"scenes", NULL};
    frz_sandbox_arm();
    frz_sandbox_enter(&(frz_sandbox){.read = read, .write = "inside"});
    int number = 0;
    pthread_t thread;
    if (pthread_create(&thread, NULL, count_up, &number) != 0 || pthread_join(thread, NULL) != 0 || number != 1)
        return 1;
    if (!opens("inside/new", O_WRONLY | O_CREAT) || rename("inside/new", "inside/newer") != 0 ||
        !opens("scenes/cube.obj", O_RDONLY))
        return 2;
    if (opens("other/cube.obj", O_RDONLY) || opens("/etc/passwd", O_RDONLY) || opens("scenes/away.obj", O_RDONLY))
        return 3;
    if (opens("outside", O_WRONLY | O_CREAT) || unlink("other/cube.obj") == 0 || opens("scenes/cube.obj", O_WRONLY) ||
        symlink("a", "inside/link") == 0 || mkdir("more", 0700) == 0)
        return 4;
    char *const words[] = {"true", NULL};
    (void)execv("/bin/true", words);
    const pid_t child = fork();
    if (child == 0)
        _exit(0);
    return child > 0 ? 5 : closes(socket(AF_INET, SOCK_STREAM, 0)) ? 6 : 0;
}

static void the_kernel_holds_what_is_promised(void **state)
{
    (void)state;
    if (SANITIZED || syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION) < 1)
        skip(); // a kernel without it
    assert_int_equal(mkdir("inside", 0700), 0);
    const pid_t child = fork();
    if (child == 0)
        _exit(try_to_break_out());
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scenes_read_below_their_own_folder),
        cmocka_unit_test(what_lies_elsewhere_is_refused_by_a_sentence),
        cmocka_unit_test(folders_can_be_allowed),
        cmocka_unit_test(links_do_not_lead_results_elsewhere),
        cmocka_unit_test(the_kernel_holds_what_is_promised),
    };
    return cmocka_run_group_tests_name("sandbox", tests, set_up, tear_down);
}
