// SPDX-License-Identifier: MIT
// The folder of a run: whether it can take a run, its lock, and the files of a run in it.
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <limits.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "api/run_internal.h"

// Files that a run makes; a killed run may leave each of them with ".tmp.<number>" behind its name as well.
typedef struct own_file
{
    const char *folder; // inside the run's folder, "" for itself
    const char *pattern;
} own_file;

static const own_file own_files[] = {
    {"frames", "frame_[0-9]*.vtkhdf"},
    {"images", "frame_[0-9]*.png"},
    {"surface", "*_[0-9]*.ply"},
    {"surface", "*_[0-9]*.obj"},
    {"surface", "*_[0-9]*.vtkhdf"},
    {"surface", "done.txt"},
    {"", "particles.vtkhdf"},
    {"", "particles.xmf"},
    {"", "stats.csv"},
    {"", "probes.csv"},
    {"", "sources.csv"},
    {"", "bodies.csv"},
    {"", "checkpoint.h5"},
    {"", "checkpoint.old.h5"},
    {"", "scene.yaml"},
    {"", "run.json"}, // last: while anything else is left, the folder still counts as a run
};
static const int own_file_count = (int)(sizeof own_files / sizeof own_files[0]);

bool frz_run_folder_has(const char *directory, const char *name)
{
    char path[FRZ_PATH_SIZE];
    struct stat info;
    return frz_path_format(path, NULL, "%s/%s", directory, name) == FRZ_OK && stat(path, &info) == 0;
}

// A link in the folder of a run would redirect writes and removals to another place.
frz_status frz_run_folder_refuse_links(const char *directory, frz_diag *diag)
{
    static const char *const folders[] = {"frames", "images", "surface"};
    for (int k = 0; k < (int)(sizeof folders / sizeof folders[0]); ++k)
    {
        char path[FRZ_PATH_SIZE];
        struct stat info;
        FRZ_TRY(frz_path_format(path, diag, "%s/%s", directory, folders[k]));
        if (lstat(path, &info) == 0 && S_ISLNK(info.st_mode))
            return frz_fail(diag, FRZ_ERR_FILE, "%s is a link to another place; remove it, or use another folder",
                            path);
    }
    return FRZ_OK;
}

static int open_folder(const char *directory)
{
    return open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

frz_status frz_run_folder_lock(const char *directory, int *lock, frz_diag *diag)
{
    *lock = open_folder(directory);
    if (*lock < 0)
        return frz_fail_file(diag, "open the folder", directory, errno);
    // file systems without locks fail with another error; a run is possible there nevertheless
    if (flock(*lock, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK)
        return FRZ_OK;
    close(*lock);
    *lock = -1;
    return frz_fail(diag, FRZ_ERR_FILE,
                    "another run is being written to %s at this moment; wait for its end, or stop it", directory);
}

bool frz_run_folder_busy(const char *directory)
{
    const int folder = open_folder(directory);
    if (folder < 0)
        return false;
    const bool busy = flock(folder, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    close(folder); // which ends the lock
    return busy;
}

// Does name fit the pattern, or, with temporary, the pattern and the ending of a temporary file?
static bool is_own(const char *name, const char *pattern, bool temporary)
{
    char base[NAME_MAX + 1];
    const char *ending = strstr(name, ".tmp.");
    if (ending == NULL)
        return !temporary && fnmatch(pattern, name, FNM_PERIOD) == 0;
    const size_t length = (size_t)(ending - name);
    const char *number = ending + strlen(".tmp.");
    if (length > NAME_MAX || *number == '\0' || number[strspn(number, "0123456789abcdef")] != '\0')
        return false;
    memcpy(base, name, length);
    base[length] = '\0';
    return fnmatch(pattern, base, FNM_PERIOD) == 0;
}

// A run that could not start leaves its scene, which it may replace by the same.
static bool is_same_scene(const char *directory, const char *name, const char *scene)
{
    char path[FRZ_PATH_SIZE], *text = NULL;
    size_t length = 0;
    const bool same = strcmp(name, "scene.yaml") == 0 &&
                      frz_path_format(path, NULL, "%s/%s", directory, name) == FRZ_OK &&
                      frz_text_read(path, &text, &length, NULL) == FRZ_OK && strcmp(text, scene) == 0;
    frz_free(text);
    return same;
}

// Refuse a folder that holds no run but a file that a run would remove or replace.
static frz_status refuse_foreign(const char *directory, const char *scene, frz_diag *diag)
{
    for (int k = 0; k < own_file_count; ++k)
    {
        char path[FRZ_PATH_SIZE];
        FRZ_TRY(frz_path_format(path, diag, "%s/%s", directory, own_files[k].folder));
        DIR *folder = opendir(path);
        if (folder == NULL && errno != ENOENT)
            return frz_fail_file(diag, "read the folder", path, errno);
        const struct dirent *entry = folder != NULL ? readdir(folder) : NULL;
        while (entry != NULL &&
               (!is_own(entry->d_name, own_files[k].pattern, false) || is_same_scene(path, entry->d_name, scene)))
            entry = readdir(folder);
        const frz_status status =
            entry == NULL
                ? FRZ_OK
                : frz_fail(diag, FRZ_ERR_FILE,
                           "%s holds no run, but a file '%s%s%s', which a run would replace; use another "
                           "folder, or ask for overwriting",
                           directory, own_files[k].folder, own_files[k].folder[0] != '\0' ? "/" : "", entry->d_name);
        if (folder != NULL)
            closedir(folder);
        FRZ_TRY(status);
    }
    return FRZ_OK;
}

frz_status frz_run_folder_check(const char *directory, const char *scene, bool overwrite, frz_diag *diag)
{
    static const char *const signs[] = {"run.json", "checkpoint.h5", "checkpoint.old.h5", "frames"};
    struct stat info;
    if (stat(directory, &info) != 0)
        return errno == ENOENT ? FRZ_OK : frz_fail_file(diag, "use the folder", directory, errno);
    if (!S_ISDIR(info.st_mode))
        return frz_fail(diag, FRZ_ERR_FILE, "cannot write a run to %s: it is a file; give the name of a folder",
                        directory);
    for (int k = 0; k < (int)(sizeof signs / sizeof signs[0]) && !overwrite; ++k)
        if (frz_run_folder_has(directory, signs[k]))
            return frz_fail(diag, FRZ_ERR_FILE,
                            "%s already holds a run (%s is there); resume it, choose another folder, or ask for "
                            "overwriting",
                            directory, signs[k]);
    FRZ_TRY(frz_run_folder_refuse_links(directory, diag));
    return overwrite ? FRZ_OK : refuse_foreign(directory, scene, diag);
}

static frz_status remove_file(int folder, const char *path, const char *name, frz_diag *diag)
{
    char file[FRZ_PATH_SIZE];
    if (unlinkat(folder, name, 0) == 0 || errno == ENOENT)
        return FRZ_OK;
    const int error = errno;
    FRZ_TRY(frz_path_format(file, diag, "%s/%s", path, name));
    return frz_fail_file(diag, "remove", file, error);
}

static frz_status remove_matching(const char *directory, const own_file *file, bool only_temporary, frz_diag *diag)
{
    char path[FRZ_PATH_SIZE];
    FRZ_TRY(frz_path_format(path, diag, "%s/%s", directory, file->folder));
    DIR *folder = opendir(path);
    if (folder == NULL)
        return errno == ENOENT ? FRZ_OK : frz_fail_file(diag, "read the folder", path, errno);
    frz_status status = FRZ_OK;
    for (const struct dirent *entry = readdir(folder); entry != NULL && status == FRZ_OK; entry = readdir(folder))
        if (is_own(entry->d_name, file->pattern, only_temporary))
            status = remove_file(dirfd(folder), path, entry->d_name, diag);
    closedir(folder);
    return status;
}

frz_status frz_run_folder_clear(const char *directory, frz_diag *diag)
{
    for (int k = 0; k < own_file_count; ++k)
        FRZ_TRY(remove_matching(directory, &own_files[k], false, diag));
    return FRZ_OK;
}

frz_status frz_run_folder_tidy(const char *directory, frz_diag *diag)
{
    for (int k = 0; k < own_file_count; ++k)
        FRZ_TRY(remove_matching(directory, &own_files[k], true, diag));
    return FRZ_OK;
}

frz_status frz_run_folder_drop_frames(const char *directory, int first, int *removed, frz_diag *diag)
{
    char path[FRZ_PATH_SIZE];
    int count = 0;
    FRZ_TRY(frz_path_format(path, diag, "%s/frames", directory));
    DIR *folder = opendir(path);
    if (folder == NULL && errno != ENOENT)
        return frz_fail_file(diag, "read the folder", path, errno);
    frz_status status = FRZ_OK;
    while (folder != NULL && status == FRZ_OK)
    {
        const struct dirent *entry = readdir(folder);
        if (entry == NULL)
            break;
        if (frz_frame_number(entry->d_name) < first)
            continue;
        status = remove_file(dirfd(folder), path, entry->d_name, diag);
        ++count;
    }
    if (folder != NULL)
        closedir(folder);
    if (removed != NULL)
        *removed = count;
    return status;
}
