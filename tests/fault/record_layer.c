// SPDX-License-Identifier: MIT
// A library to preload (LD_PRELOAD) that writes down what the program does to the files below a folder, in order and
// with all bytes. tools/power-trial makes from it what a loss of power could leave.
//
//   FRZ_RECORD_ROOT=PATH      the folder (absolute)
//   FRZ_RECORD=PATH           the record: lines of words parted by tabs; "write" is followed by its bytes
#include "layer.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

enum
{
    most_files = 1024,
    path_size = 1024,
    line_size = 3 * path_size
};

static char root[path_size];
static int record = -1;
static int handle_of[most_files]; // number of the file that a descriptor stands for, 0: of no interest
static int last_handle;

__attribute__((constructor)) static void start_record(void)
{
    const char *folder = getenv("FRZ_RECORD_ROOT"), *path = getenv("FRZ_RECORD");
    if (folder == NULL || path == NULL)
        return;
    snprintf(root, sizeof root, "%s", folder);
    record = (int)syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    (void)unsetenv("LD_PRELOAD");
}

static bool is_below(const char *path)
{
    const size_t length = strlen(root);
    return record >= 0 && strncmp(path, root, length) == 0 && (path[length] == '/' || path[length] == '\0');
}

__attribute__((format(printf, 3, 4))) static void note(const void *data, size_t size, const char *format, ...)
{
    char line[line_size];
    va_list args;
    va_start(args, format);
    const int length = vsnprintf(line, sizeof line, format, args);
    va_end(args);
    const struct iovec parts[] = {{line, (size_t)length}, {(void *)data, size}};
    if (syscall(SYS_writev, record, parts, 2) != (long)((size_t)length + size))
        abort(); // a record with holes proves nothing
}

static int noted_open(int fd, const char *path, int flags)
{
    if (fd < 0 || fd >= most_files || !is_below(path))
        return fd;
    handle_of[fd] = ++last_handle;
    note(NULL, 0, "open\t%d\t%s\t%d\t%d\n", last_handle, path, (flags & O_CREAT) != 0, (flags & O_TRUNC) != 0);
    return fd;
}

static int handle(int fd)
{
    return fd >= 0 && fd < most_files ? handle_of[fd] : 0;
}

// NOLINTBEGIN(readability-inconsistent-declaration-parameter-name): the names of the C library are reserved

SHARED int open(const char *path, int flags, ...)
{
    NEXT(open);
    OPEN_MODE(mode, flags)
    return noted_open(next(path, flags, mode), path, flags);
}

SHARED int open64(const char *path, int flags, ...)
{
    NEXT(open64);
    OPEN_MODE(mode, flags)
    return noted_open(next(path, flags, mode), path, flags);
}

SHARED ssize_t write(int fd, const void *data, size_t size)
{
    NEXT(write);
    const ssize_t written = next(fd, data, size);
    if (written > 0 && handle(fd) != 0)
        note(data, (size_t)written, "write\t%d\t%zd\n", handle(fd), written);
    return written;
}

SHARED int ftruncate(int fd, off_t size)
{
    NEXT(ftruncate);
    const int result = next(fd, size);
    if (result == 0 && handle(fd) != 0)
        note(NULL, 0, "truncate\t%d\t%lld\n", handle(fd), (long long)size);
    return result;
}

SHARED int fsync(int fd)
{
    NEXT(fsync);
    const int result = next(fd);
    if (result == 0 && handle(fd) != 0)
        note(NULL, 0, "fsync\t%d\n", handle(fd));
    return result;
}

SHARED int close(int fd)
{
    NEXT(close);
    if (handle(fd) != 0)
        handle_of[fd] = 0;
    return next(fd);
}

SHARED int rename(const char *from, const char *to)
{
    NEXT(rename);
    const int result = next(from, to);
    if (result == 0 && is_below(to))
        note(NULL, 0, "rename\t%s\t%s\n", from, to);
    return result;
}

SHARED int unlink(const char *path)
{
    NEXT(unlink);
    const int result = next(path);
    if (result == 0 && is_below(path))
        note(NULL, 0, "unlink\t%s\n", path);
    return result;
}

SHARED int unlinkat(int folder, const char *name, int flags)
{
    NEXT(unlinkat);
    char link[64], path[path_size] = "";
    snprintf(link, sizeof link, "/proc/self/fd/%d", folder);
    const ssize_t length = readlink(link, path, sizeof path - 1);
    const int result = next(folder, name, flags);
    if (result == 0 && length > 0 && is_below(path))
        note(NULL, 0, "unlink\t%s/%s\n", path, name);
    return result;
}

SHARED int mkdir(const char *path, mode_t mode)
{
    NEXT(mkdir);
    const int result = next(path, mode);
    if (result == 0 && is_below(path))
        note(NULL, 0, "mkdir\t%s\n", path);
    return result;
}

// NOLINTEND(readability-inconsistent-declaration-parameter-name)
