// SPDX-License-Identifier: MIT
// A library to preload (LD_PRELOAD) that makes one call of the program fail. It counts the calls for memory and those
// for files, from the start of main to the end of the process; one of them fails. tools/fault-trial uses it. Calls for
// aligned memory count apart: they are those of base/memory.h, the others those of libraries, which have a reserve.
//
//   FRZ_FAULT=memory:17       the 17th call for memory fails; aligned:17: for aligned memory
//   FRZ_FAULT=file:3+         the third call for files fails, and all that follow
//   FRZ_FAULT=server          the faults are read from standard input, one per line; each happens in a process of its
//                             own that begins where main does, so that the program is loaded only once. Standard
//                             output gets two lines for each: its process, and its status from wait(). Results
//                             go to the files FRZ_FAULT_OUT and FRZ_FAULT_ERR
//   FRZ_FAULT_REPORT=PATH     gets a line when the fault happens (the call and the object file that made it), and a
//                             line with the number of calls when the process ends in order
#include "layer.h"

#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum
{
    line_size = 512 // bytes of a line of the report
};

typedef enum fault_class
{
    no_fault,
    memory_fault,
    aligned_fault,
    file_fault
} fault_class;

static fault_class chosen;
static long long fail_at;
static bool stays;          // all calls after it fail too
static bool serves;         // faults come from standard input
static atomic_bool started; // main has begun
static atomic_llong calls[file_fault + 1];
static int report_file = -1; // opened before the program gives up its right to

// ---- report

// System calls only: the functions of the C library are counted, and may ask for memory.
static void report(const char *text, size_t length)
{
    if (report_file >= 0)
        (void)!syscall(SYS_write, report_file, text, length);
}

static size_t put(char *line, size_t used, const char *text)
{
    for (; *text != '\0' && used + 2 < line_size; ++text)
        line[used++] = *text;
    return used;
}

static void report_fault(const char *call, const void *caller)
{
    char line[line_size];
    Dl_info object;
    size_t used = put(line, 0, "fault ");
    used = put(line, used, call);
    used = put(line, used, " ");
    used = put(line, used, dladdr(caller, &object) != 0 && object.dli_fname != NULL ? object.dli_fname : "?");
    line[used++] = '\n';
    report(line, used);
}

__attribute__((destructor)) static void report_end(void)
{
    char line[line_size];
    started = false;
    const int length =
        snprintf(line, sizeof line, "end memory %lld aligned %lld file %lld\n", atomic_load(&calls[memory_fault]),
                 atomic_load(&calls[aligned_fault]), atomic_load(&calls[file_fault]));
    report(line, (size_t)length);
}

// ---- the start

static void choose(const char *fault)
{
    const char *colon = strchr(fault, ':');
    if (colon == NULL)
        return;
    char *end = NULL;
    chosen = fault[0] == 'm' ? memory_fault : fault[0] == 'a' ? aligned_fault : file_fault;
    fail_at = strtoll(colon + 1, &end, 10);
    stays = *end == '+';
}

__attribute__((constructor)) static void read_wishes(void)
{
    const char *fault = getenv("FRZ_FAULT"), *path = getenv("FRZ_FAULT_REPORT");
    if (path != NULL)
        report_file = (int)syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    serves = fault != NULL && strcmp(fault, "server") == 0;
    if (fault != NULL)
        choose(fault);
    (void)unsetenv("LD_PRELOAD"); // programs that are started have no part in this
}

/// In the place of a standard descriptor.
static void put_file(int descriptor, const char *path, int flags)
{
    const int fd = (int)syscall(SYS_openat, AT_FDCWD, path != NULL ? path : "/dev/null", flags, 0600);
    if (fd < 0 || dup2(fd, descriptor) < 0)
        _exit(125);
    (void)syscall(SYS_close, fd);
}

/// False in a process that is to run the program; true when there are no more faults.
static bool serve(void)
{
    char line[64];
    size_t used = 0;
    while (syscall(SYS_read, STDIN_FILENO, line + used, 1) == 1)
    {
        if (line[used] != '\n' && used + 1 < sizeof line)
        {
            ++used;
            continue;
        }
        line[used] = '\0';
        used = 0;
        const pid_t child = fork();
        if (child == 0)
        {
            choose(line);
            put_file(STDIN_FILENO, NULL, O_RDONLY);
            put_file(STDOUT_FILENO, getenv("FRZ_FAULT_OUT"), O_WRONLY | O_CREAT | O_TRUNC);
            put_file(STDERR_FILENO, getenv("FRZ_FAULT_ERR"), O_WRONLY | O_CREAT | O_TRUNC);
            return false;
        }
        int state = -1;
        (void)dprintf(STDOUT_FILENO, "%d\n", (int)child);
        if (child < 0 || waitpid(child, &state, 0) < 0)
            _exit(125);
        (void)dprintf(STDOUT_FILENO, "%d\n", state);
    }
    return true;
}

static int (*program_main)(int, char **, char **);

static int counted_main(int argc, char **argv, char **environment)
{
    if (serves && serve())
        _exit(0);
    started = true;
    return program_main(argc, argv, environment);
}

typedef int start_function(int (*)(int, char **, char **), int, char **, void (*)(void), void (*)(void), void (*)(void),
                           void *);
SHARED start_function __libc_start_main;

int __libc_start_main(int (*start)(int, char **, char **), int argc, char **argv, void (*init)(void),
                      void (*fini)(void), void (*rtld_fini)(void), void *stack_end)
{
    start_function *next = (start_function *)dlsym(RTLD_NEXT, "__libc_start_main");
    program_main = start;
    return next(counted_main, argc, argv, init, fini, rtld_fini, stack_end);
}

// ---- the fault

static bool fails(fault_class class, const char *call, const void *caller)
{
    if (!started)
        return false;
    const long long number = atomic_fetch_add(&calls[class], 1) + 1;
    if (class != chosen || (stays ? number < fail_at : number != fail_at))
        return false;
    if (number == fail_at)
        report_fault(call, caller);
    return true;
}

#define FAILS(class, error) (fails(class, __func__, __builtin_return_address(0)) && (errno = (error), true))

// ---- memory; the C library has these under second names, so that none is needed to look them up

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *block, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);

// NOLINTBEGIN(readability-inconsistent-declaration-parameter-name): the names of the C library are reserved

SHARED void *malloc(size_t size)
{
    return FAILS(memory_fault, ENOMEM) ? NULL : __libc_malloc(size);
}

SHARED void *calloc(size_t count, size_t size)
{
    return FAILS(memory_fault, ENOMEM) ? NULL : __libc_calloc(count, size);
}

SHARED void *realloc(void *block, size_t size)
{
    return FAILS(memory_fault, ENOMEM) ? NULL : __libc_realloc(block, size);
}

SHARED void *memalign(size_t alignment, size_t size);
SHARED void *memalign(size_t alignment, size_t size)
{
    return FAILS(aligned_fault, ENOMEM) ? NULL : __libc_memalign(alignment, size);
}

SHARED void *aligned_alloc(size_t alignment, size_t size)
{
    return FAILS(aligned_fault, ENOMEM) ? NULL : __libc_memalign(alignment, size);
}

SHARED int posix_memalign(void **block, size_t alignment, size_t size)
{
    if (FAILS(aligned_fault, ENOMEM))
        return ENOMEM;
    *block = __libc_memalign(alignment, size);
    return *block != NULL ? 0 : ENOMEM;
}

SHARED int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *), void *argument)
{
    NEXT(pthread_create);
    return FAILS(memory_fault, EAGAIN) ? EAGAIN : next(thread, attributes, run, argument);
}

// ---- files

SHARED int open(const char *path, int flags, ...)
{
    NEXT(open);
    OPEN_MODE(mode, flags)
    return FAILS(file_fault, (flags & O_CREAT) != 0 ? ENOSPC : EMFILE) ? -1 : next(path, flags, mode);
}

SHARED int open64(const char *path, int flags, ...)
{
    NEXT(open64);
    OPEN_MODE(mode, flags)
    return FAILS(file_fault, (flags & O_CREAT) != 0 ? ENOSPC : EMFILE) ? -1 : next(path, flags, mode);
}

SHARED int openat(int folder, const char *path, int flags, ...)
{
    NEXT(openat);
    OPEN_MODE(mode, flags)
    return FAILS(file_fault, (flags & O_CREAT) != 0 ? ENOSPC : EMFILE) ? -1 : next(folder, path, flags, mode);
}

SHARED FILE *fopen(const char *path, const char *mode)
{
    NEXT(fopen);
    return FAILS(file_fault, EMFILE) ? NULL : next(path, mode);
}

SHARED DIR *opendir(const char *path)
{
    NEXT(opendir);
    return FAILS(file_fault, EMFILE) ? NULL : next(path);
}

SHARED int mkdir(const char *path, mode_t mode)
{
    NEXT(mkdir);
    return FAILS(file_fault, ENOSPC) ? -1 : next(path, mode);
}

SHARED ssize_t read(int fd, void *data, size_t size)
{
    NEXT(read);
    return FAILS(file_fault, EIO) ? -1 : next(fd, data, size);
}

SHARED ssize_t pread(int fd, void *data, size_t size, off_t offset)
{
    NEXT(pread);
    return FAILS(file_fault, EIO) ? -1 : next(fd, data, size, offset);
}

SHARED ssize_t pread64(int fd, void *data, size_t size, off64_t offset)
{
    NEXT(pread64);
    return FAILS(file_fault, EIO) ? -1 : next(fd, data, size, offset);
}

// A disk that gets full takes a part first.
SHARED ssize_t write(int fd, const void *data, size_t size)
{
    NEXT(write);
    if (!FAILS(file_fault, ENOSPC))
        return next(fd, data, size);
    (void)!next(fd, data, size / 2);
    errno = ENOSPC;
    return -1;
}

SHARED int fsync(int fd)
{
    NEXT(fsync);
    return FAILS(file_fault, EIO) ? -1 : next(fd);
}

SHARED int ftruncate(int fd, off_t size)
{
    NEXT(ftruncate);
    return FAILS(file_fault, EIO) ? -1 : next(fd, size);
}

SHARED int rename(const char *from, const char *to)
{
    NEXT(rename);
    return FAILS(file_fault, ENOSPC) ? -1 : next(from, to);
}

SHARED int unlink(const char *path)
{
    NEXT(unlink);
    return FAILS(file_fault, EIO) ? -1 : next(path);
}

SHARED int unlinkat(int folder, const char *path, int flags)
{
    NEXT(unlinkat);
    return FAILS(file_fault, EIO) ? -1 : next(folder, path, flags);
}

// The descriptor is gone in any case, as on Linux.
SHARED int close(int fd)
{
    NEXT(close);
    const int result = next(fd);
    return FAILS(file_fault, EIO) ? -1 : result;
}

SHARED int fclose(FILE *file)
{
    NEXT(fclose);
    const int result = next(file);
    return FAILS(file_fault, EIO) ? EOF : result;
}

// NOLINTEND(readability-inconsistent-declaration-parameter-name)
