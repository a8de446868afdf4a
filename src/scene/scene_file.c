// SPDX-License-Identifier: MIT
// Reading of a scene file, with a sentence for everything that can be wrong with it.
#include "scene/scene_build.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/memory.h"

enum
{
    chunk = 65536 // bytes read at once
};

static frz_status fail_too_large(const char *path, size_t limit, frz_diag *diag)
{
    return frz_fail_at(diag, FRZ_ERR_FILE, path, 0, 0,
                       "expected a scene of at most %zu MB, found more; keep large data in mesh files", limit >> 20);
}

/// Reads to the end rather than by size: pipes and /dev/stdin have no size.
static frz_status read_all(FILE *file, const char *path, size_t limit, char **text, size_t *length, frz_diag *diag)
{
    size_t capacity = 0, used = 0;
    for (;;)
    {
        if (used + chunk + 1 > capacity)
        {
            capacity = capacity == 0 ? chunk + 1 : 2 * capacity;
            char *grown = frz_realloc("scene file", *text, capacity, 1);
            if (grown == NULL)
                return frz_fail_memory(diag, "the scene file");
            *text = grown;
        }
        const size_t count = fread(*text + used, 1, chunk, file);
        used += count;
        if (used > limit)
            return fail_too_large(path, limit, diag);
        if (count < chunk)
            break;
    }
    if (ferror(file))
        return frz_fail_at(diag, FRZ_ERR_FILE, path, 0, 0, "cannot read the scene: %s", strerror(errno));
    (*text)[used] = '\0';
    *length = used;
    return FRZ_OK;
}

frz_status frz_scene_file_read(const char *path, size_t limit, char **text, size_t *length, frz_diag *diag)
{
    *text = NULL;
    *length = 0;
    struct stat info;
    if (stat(path, &info) != 0)
        return frz_fail_at(diag, FRZ_ERR_FILE, path, 0, 0, "cannot open the scene: %s; check the path",
                           strerror(errno));
    if (S_ISDIR(info.st_mode))
        return frz_fail_at(diag, FRZ_ERR_FILE, path, 0, 0, "expected a scene file, found a folder");
    if (S_ISREG(info.st_mode) && (uintmax_t)info.st_size > limit)
        return fail_too_large(path, limit, diag);
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        return frz_fail_at(diag, FRZ_ERR_FILE, path, 0, 0, "cannot open the scene: %s", strerror(errno));
    const frz_status status = read_all(file, path, limit, text, length, diag);
    (void)fclose(file); // nothing was written
    if (status != FRZ_OK)
        FRZ_FREE(*text);
    return status;
}
