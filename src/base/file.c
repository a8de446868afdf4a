// SPDX-License-Identifier: MIT
// Safe reading and writing of files that other users may have written or replaced.
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"

enum
{
    error_text_size = 256, // bytes of an errno text
    read_step = 1 << 26,   // bytes asked for at once
    file_mode = 0666,      // narrowed by the user's umask
    most_allowed = 64,     // folders besides the scene's
    most_tries = 16        // random names tried for a temporary file
};

static const char *error_text(int error, char text[error_text_size])
{
    return strerror_r(error, text, error_text_size); // the GNU form, which returns the text to use
}

frz_status frz_fail_file(frz_diag *diag, const char *verb, const char *path, int error)
{
    char text[error_text_size];
    const char *hint = "";
    if (error == ENOENT && strcmp(verb, "write") == 0)
        hint = " (its folder does not exist)";
    else if (error == ENOTDIR)
        hint = " (part of the path is a file)";
    return frz_fail(diag, FRZ_ERR_FILE, "cannot %s %s: %s%s", verb, path, error_text(error, text), hint);
}

static const char *kind_of(mode_t mode)
{
    if (S_ISDIR(mode))
        return "a folder";
    if (S_ISFIFO(mode))
        return "a pipe";
    return S_ISSOCK(mode) ? "a socket" : "a device";
}

/// Opens place; messages name path.
static frz_status open_regular(const char *place, const char *path, const char *what, int *fd, int64_t *size,
                               frz_diag *diag)
{
    char text[error_text_size];
    struct stat info;
    // without O_NONBLOCK opening a pipe would wait for a writer; a socket cannot be opened
    *fd = open(place, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (*fd < 0 && errno == ENXIO)
        return frz_fail(diag, FRZ_ERR_FILE, "cannot read %s '%s': it is not a regular file", what, path);
    if (*fd < 0)
        return frz_fail(diag, FRZ_ERR_FILE, "cannot open %s '%s': %s", what, path, error_text(errno, text));
    const int error = fstat(*fd, &info) == 0 ? 0 : errno;
    *size = error == 0 ? (int64_t)info.st_size : 0;
    if (error == 0 && S_ISREG(info.st_mode))
        return FRZ_OK;
    close(*fd);
    *fd = -1;
    if (error != 0)
        return frz_fail(diag, FRZ_ERR_FILE, "cannot read %s '%s': %s", what, path, error_text(error, text));
    return frz_fail(diag, FRZ_ERR_FILE, "cannot read %s '%s': it is %s, not a regular file", what, path,
                    kind_of(info.st_mode));
}

frz_status frz_file_open(const char *path, const char *what, int *fd, int64_t *size, frz_diag *diag)
{
    return open_regular(path, path, what, fd, size, diag);
}

// ---- files that scenes name

static struct
{
    int count;
    char *folders[most_allowed]; ///< as the system calls them, without links
} allowed;                       // set once by the program, before anything is read

frz_status frz_files_allow(const char *folder, frz_diag *diag)
{
    char text[error_text_size];
    if (allowed.count >= most_allowed)
        return frz_fail(diag, FRZ_ERR_ARGUMENT, "more than %d folders are allowed", most_allowed);
    char *real = realpath(folder, NULL);
    if (real == NULL)
        return frz_fail(diag, FRZ_ERR_ARGUMENT, "cannot allow files of the folder '%s': %s", folder,
                        error_text(errno, text));
    allowed.folders[allowed.count++] = real;
    return FRZ_OK;
}

static bool is_below(const char *file, const char *folder)
{
    const size_t length = strlen(folder);
    return strncmp(file, folder, length) == 0 &&
           (folder[length - 1] == '/' || file[length] == '/' || file[length] == '\0');
}

/// Real path of an open file: from /proc; without /proc, from its name.
static bool find_place(int handle, const char *path, char place[PATH_MAX])
{
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", handle);
    const ssize_t length = readlink(link, place, PATH_MAX - 1);
    if (length <= 0)
        return realpath(path, place) != NULL;
    place[length] = '\0';
    return true;
}

static frz_status check_place(int handle, const char *root, const char *path, const char *what, frz_diag *diag)
{
    char place[PATH_MAX], folder[PATH_MAX];
    const bool found = find_place(handle, path, place) && realpath(root[0] != '\0' ? root : ".", folder) != NULL;
    bool good = found && is_below(place, folder);
    for (int k = 0; found && k < allowed.count; ++k)
        good = good || is_below(place, allowed.folders[k]);
    if (good)
        return FRZ_OK;
    return frz_fail(diag, FRZ_ERR_FILE,
                    "cannot read %s '%s': it lies outside the scene's folder; move it there, or allow its folder with "
                    "--allow-files",
                    what, path);
}

/// The file is opened before its real path is checked, so that no other process can replace it in between. O_PATH opens
/// it without side effects, for any kind of file.
static frz_status open_within(const char *root, const char *path, const char *what, int *fd, int64_t *size,
                              frz_diag *diag)
{
    char text[error_text_size], link[64];
    struct stat held, opened;
    const int handle = open(path, O_PATH | O_CLOEXEC);
    if (handle < 0)
        return frz_fail(diag, FRZ_ERR_FILE, "cannot open %s '%s': %s", what, path, error_text(errno, text));
    frz_status status = check_place(handle, root, path, what, diag);
    snprintf(link, sizeof link, "/proc/self/fd/%d", handle);
    if (status == FRZ_OK)
        status = open_regular(access(link, F_OK) == 0 ? link : path, path, what, fd, size, diag);
    if (status == FRZ_OK && (fstat(handle, &held) != 0 || fstat(*fd, &opened) != 0 || held.st_dev != opened.st_dev ||
                             held.st_ino != opened.st_ino))
    {
        close(*fd);
        status = frz_fail(diag, FRZ_ERR_FILE, "cannot read %s '%s': it was replaced just now", what, path);
    }
    close(handle);
    return status;
}

frz_status frz_file_may_replace(const char *path, frz_diag *diag)
{
    struct stat info;
    if (stat(path, &info) != 0 || S_ISREG(info.st_mode)) // other errors are reported when the file is written
        return FRZ_OK;
    return frz_fail(diag, FRZ_ERR_FILE, "cannot write %s: it is %s, not a regular file", path, kind_of(info.st_mode));
}

int frz_temporary_create(const char *path, const char *ending, char *temporary, size_t size)
{
    for (int tries = 0; tries < most_tries; ++tries)
    {
        uint64_t number = 0;
        if (getrandom(&number, sizeof number, 0) != (ssize_t)sizeof number)
            return -1;
        const int length = snprintf(temporary, size, "%s.tmp.%016llx%s", path, (unsigned long long)number, ending);
        if (length < 0 || (size_t)length >= size)
        {
            errno = ENAMETOOLONG;
            return -1;
        }
        const int fd = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, file_mode);
        if (fd >= 0 || errno != EEXIST)
            return fd;
    }
    return -1;
}

frz_status frz_file_try_place(const char *path, frz_diag *diag)
{
    char temporary[PATH_MAX];
    FRZ_TRY(frz_file_may_replace(path, diag));
    const int fd = frz_temporary_create(path, "", temporary, sizeof temporary);
    if (fd < 0)
        return frz_fail(diag, FRZ_ERR_FILE, "cannot write %s: %s", path, strerror(errno));
    (void)close(fd);
    (void)unlink(temporary);
    return FRZ_OK;
}

/// Reads to the end rather than to the size from stat: the file may grow or shrink, and files in /proc have size 0.
static frz_status read_all(int fd, const char *path, const char *what, int64_t limit, size_t capacity, char **bytes,
                           size_t *length, frz_diag *diag)
{
    char text[error_text_size];
    for (;;)
    {
        if (*bytes == NULL || *length + 1 >= capacity)
        {
            capacity = *bytes == NULL ? capacity : 2 * capacity;
            char *larger = frz_realloc(what, *bytes, capacity, 1);
            if (larger == NULL)
                return frz_fail(diag, FRZ_ERR_MEMORY, "not enough memory to read %s '%s'", what, path);
            *bytes = larger;
        }
        const size_t room = capacity - *length - 1;
        const ssize_t got = read(fd, *bytes + *length, room < read_step ? room : read_step);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return frz_fail(diag, FRZ_ERR_FILE, "cannot read %s '%s': %s", what, path, error_text(errno, text));
        if (got == 0)
            return FRZ_OK; // the zero byte is there: memory comes zeroed
        *length += (size_t)got;
        if ((int64_t)*length > limit)
            return frz_fail(diag, FRZ_ERR_FILE, "%s '%s' is larger than %lld MB", what, path, (long long)(limit >> 20));
    }
}

frz_status frz_file_read_within(const char *root, const char *path, const char *what, int64_t limit, char **bytes,
                                size_t *length, frz_diag *diag)
{
    enum
    {
        least_capacity = 4096 // bytes; files of /proc say that they are empty
    };
    *bytes = NULL;
    *length = 0;
    int fd = -1;
    int64_t size = 0;
    if (root != NULL)
        FRZ_TRY(open_within(root, path, what, &fd, &size, diag));
    else
        FRZ_TRY(frz_file_open(path, what, &fd, &size, diag));
    frz_status status = FRZ_OK;
    if (size > limit)
        status = frz_fail(diag, FRZ_ERR_FILE, "%s '%s' is larger than %lld MB", what, path, (long long)(limit >> 20));
    const size_t capacity = size > least_capacity ? (size_t)size + 2 : least_capacity;
    if (status == FRZ_OK)
        status = read_all(fd, path, what, limit, capacity, bytes, length, diag);
    close(fd);
    if (status != FRZ_OK)
        FRZ_FREE(*bytes);
    return status;
}

frz_status frz_file_read(const char *path, const char *what, int64_t limit, char **bytes, size_t *length,
                         frz_diag *diag)
{
    return frz_file_read_within(NULL, path, what, limit, bytes, length, diag);
}
