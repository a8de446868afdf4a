// SPDX-License-Identifier: MIT
// Replacing a file as a whole, so that a reader or a killed process sees the old file or the new one, never half of it.
#include "io/file_replace.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum
{
    largest_call = 1 << 30 // bytes per call; Linux itself stops a little below 2^31
};

frz_status frz_path_format(char *text, frz_diag *diag, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const int length = vsnprintf(text, FRZ_PATH_SIZE, format, args);
    va_end(args);
    if (length < 0 || length >= FRZ_PATH_SIZE)
        return frz_fail(diag, FRZ_ERR_FILE, "the path %.200s... is longer than %d bytes; use a shorter one", text,
                        FRZ_PATH_SIZE - 1);
    return FRZ_OK;
}

bool frz_write_all(int fd, const void *data, size_t size)
{
    const char *from = data;
    while (size > 0)
    {
        const ssize_t written = write(fd, from, size < largest_call ? size : largest_call);
        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0)
            return false;
        from += written;
        size -= (size_t)written;
    }
    return true;
}

bool frz_read_all(int fd, void *data, size_t size)
{
    char *to = data;
    while (size > 0)
    {
        const ssize_t got = read(fd, to, size < largest_call ? size : largest_call);
        if (got < 0 && errno == EINTR)
            continue;
        if (got == 0)
            errno = EIO;
        if (got <= 0)
            return false;
        to += got;
        size -= (size_t)got;
    }
    return true;
}

// some network and special file systems cannot flush; that is no reason to lose the file
static bool flush_to_disk(int fd)
{
    return fsync(fd) == 0 || errno == EINVAL || errno == ENOTSUP;
}

static bool write_pieces(int fd, const frz_piece *pieces, int piece_count)
{
    bool good = true;
    for (int k = 0; k < piece_count && good; ++k)
        good = frz_write_all(fd, pieces[k].data, pieces[k].size);
    good = good && flush_to_disk(fd);
    const int error = errno;
    const bool closed = close(fd) == 0;
    if (!good)
        errno = error;
    return good && closed;
}

frz_status frz_pending_write(frz_pending *pending, const char *path, const frz_piece *pieces, int piece_count,
                             frz_diag *diag)
{
    FRZ_TRY(frz_path_format(pending->target, diag, "%s", path));
    FRZ_TRY(frz_file_may_replace(path, diag));
    const int fd = frz_temporary_create(path, "", pending->temporary, sizeof pending->temporary);
    if (fd < 0)
        return frz_fail_file(diag, "write", path, errno);
    if (write_pieces(fd, pieces, piece_count))
        return FRZ_OK;
    const int error = errno;
    frz_pending_discard(pending);
    return frz_fail_file(diag, "write", path, error);
}

// A folder that may be entered but not listed cannot be opened for flushing; the rename itself has happened.
bool frz_folder_flush(const char *path)
{
    char copy[FRZ_PATH_SIZE];
    memcpy(copy, path, strlen(path) + 1);
    const int fd = open(dirname(copy), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return errno == EACCES;
    const bool good = flush_to_disk(fd);
    const int error = errno;
    close(fd);
    errno = error;
    return good;
}

frz_status frz_pending_commit(const frz_pending *pending, frz_diag *diag)
{
    if (rename(pending->temporary, pending->target) != 0)
    {
        const int error = errno;
        frz_pending_discard(pending);
        return frz_fail_file(diag, "write", pending->target, error);
    }
    if (!frz_folder_flush(pending->target))
        return frz_fail_file(diag, "flush the folder of", pending->target, errno);
    return FRZ_OK;
}

void frz_pending_discard(const frz_pending *pending)
{
    unlink(pending->temporary);
}

frz_status frz_file_replace(const char *path, const frz_piece *pieces, int piece_count, frz_diag *diag)
{
    frz_pending pending;
    FRZ_TRY(frz_pending_write(&pending, path, pieces, piece_count, diag));
    return frz_pending_commit(&pending, diag);
}
