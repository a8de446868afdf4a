// SPDX-License-Identifier: MIT
// Whole-file text writes and reads, and folders.
#include "io/text_file.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "io/file_replace.h"

enum
{
    folder_mode = 0777 // narrowed by the user's umask
};

static const int64_t largest_text = INT64_C(1) << 33; // bytes; tables of long runs are the largest texts

frz_status frz_text_write(const char *path, const char *text, size_t length, frz_diag *diag)
{
    const frz_piece piece = {text, length};
    return frz_file_replace(path, &piece, 1, diag);
}

frz_status frz_text_read(const char *path, char **text, size_t *length, frz_diag *diag)
{
    return frz_file_read(path, "file", largest_text, text, length, diag);
}

static frz_status make_one(const char *path, frz_diag *diag)
{
    if (mkdir(path, folder_mode) == 0)
        return frz_folder_flush(path) ? FRZ_OK : frz_fail_file(diag, "flush the folder of", path, errno);
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
