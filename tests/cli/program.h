// SPDX-License-Identifier: MIT
// Runs the program under test ($FRZ_PROGRAM) and keeps what it says.
#pragma once

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum
{
    SAID_SIZE = 1 << 18,
    MOST_ARGUMENTS = 32
};

typedef struct outcome
{
    int code;      ///< exit code, -1 if ended by a signal
    int signal;    ///< that ended it, 0 for none
    double memory; ///< bytes in use at most
    char out[SAID_SIZE], err[SAID_SIZE];
} outcome;

static void read_back(const char *path, char *text)
{
    FILE *file = fopen(path, "rb");
    size_t length = 0;
    if (file != NULL)
    {
        length = fread(text, 1, SAID_SIZE - 1, file);
        (void)fclose(file);
    }
    text[length] = '\0';
}

/// Run the program with arguments (ending with null); its output goes through files in folder.
static outcome *run_program(const char *folder, const char *const *arguments)
{
    static outcome result;
    const char *program = getenv("FRZ_PROGRAM");
    char out[512], err[512], *argv[MOST_ARGUMENTS + 2] = {NULL};
    int count = 0;
    argv[count++] = strdup(program != NULL ? program : "frazil");
    for (int i = 0; arguments[i] != NULL && count < MOST_ARGUMENTS; ++i)
        argv[count++] = strdup(arguments[i]);
    snprintf(out, sizeof out, "%s/stdout", folder);
    snprintf(err, sizeof err, "%s/stderr", folder);
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, out, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    posix_spawn_file_actions_addopen(&files, STDERR_FILENO, err, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    pid_t child = 0;
    int state = 0;
    struct rusage used = {0};
    const int spawned = posix_spawnp(&child, argv[0], &files, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&files);
    while (spawned == 0 && wait4(child, &state, 0, &used) < 0 && errno == EINTR)
        continue;
    for (int i = 0; i < count; ++i)
        free(argv[i]);
    result.code = spawned == 0 && WIFEXITED(state) ? WEXITSTATUS(state) : -1;
    result.signal = spawned == 0 && WIFSIGNALED(state) ? WTERMSIG(state) : 0;
    result.memory = 1024.0 * (double)used.ru_maxrss;
    read_back(out, result.out);
    read_back(err, result.err);
    return &result;
}

#define RUN(folder, ...) run_program(folder, (const char *const[]){__VA_ARGS__, NULL})

/// A folder of its own under the system's temporary one, as an absolute path.
static bool make_scratch(char *path, size_t size)
{
    const char *base = getenv("TMPDIR");
    snprintf(path, size, "%s/frazil-cli-XXXXXX", base != NULL ? base : "/tmp");
    return mkdtemp(path) != NULL;
}

static int remove_one(const char *path, const struct stat *info, int kind, struct FTW *walk)
{
    (void)info;
    (void)kind;
    (void)walk;
    return remove(path);
}

static void remove_scratch(const char *path)
{
    (void)nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}
