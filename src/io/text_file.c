// SPDX-License-Identifier: MIT
// Whole-file text writes and reads, and folders.
#include "io/text_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "io/file_replace.h"

enum
{
    folder_mode = 0777,   // narrowed by the user's umask
    first_capacity = 4096 // bytes of the first read buffer
};

frz_status frz_text_write(const char *path, const char *text, size_t length, frz_diag *diag)
{
    const frz_piece piece = {text, length};
    return frz_file_replace(path, &piece, 1, diag);
}

// Reads to the end rather than to the size the system reports, which is 0 for pipes and /proc.
static frz_status read_all(int fd, const char *path, char **text, size_t *length, frz_diag *diag)
{
    size_t capacity = first_capacity;
    char *buffer = frz_alloc("text file", capacity, 1);
    size_t used = 0;
    while (buffer != NULL)
    {
        const ssize_t got = read(fd, buffer + used, capacity - used - 1);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
        {
            const int error = errno;
            frz_free(buffer);
            return frz_fail_file(diag, "read", path, error);
        }
        if (got == 0)
            break;
        used += (size_t)got;
        if (used + 1 < capacity)
            continue;
        char *larger = frz_realloc("text file", buffer, capacity * 2, 1);
        if (larger == NULL)
            FRZ_FREE(buffer);
        else
            buffer = larger;
        capacity *= 2;
    }
    if (buffer == NULL)
        return frz_fail_memory(diag, path);
    buffer[used] = '\0';
    *text = buffer;
    *length = used;
    return FRZ_OK;
}

frz_status frz_text_read(const char *path, char **text, size_t *length, frz_diag *diag)
{
    *text = NULL;
    *length = 0;
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return frz_fail_file(diag, "read", path, errno);
    const frz_status status = read_all(fd, path, text, length, diag);
    close(fd);
    return status;
}

static frz_status make_one(const char *path, frz_diag *diag)
{
    if (mkdir(path, folder_mode) == 0)
        return FRZ_OK;
    const int error = errno;
    struct stat info;
    if (error == EEXIST && stat(path, &info) == 0)
    {
        if (S_ISDIR(info.st_mode))
            return FRZ_OK;
        return frz_fail(diag, FRZ_ERR_FILE, "cannot make the folder %s: a file of that name is in the way", path);
    }
    return frz_fail_file(diag, "make the folder", path, error);
}

frz_status frz_folder_make(const char *path, frz_diag *diag)
{
    char part[FRZ_PATH_SIZE];
    FRZ_TRY(frz_path_format(part, diag, "%s", path));
    if (part[0] == '\0')
        return frz_fail(diag, FRZ_ERR_ARGUMENT, "the name of a folder must not be empty");
    for (char *slash = strchr(part + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/'))
    {
        *slash = '\0';
        FRZ_TRY(make_one(part, diag));
        *slash = '/';
    }
    return make_one(part, diag);
}
