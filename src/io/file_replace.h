// SPDX-License-Identifier: MIT
// Replacing a file as a whole: temporary name in the same folder, fsync, rename, fsync of the folder.
#pragma once

#include "base/file.h"

enum
{
    FRZ_PATH_SIZE = 4096 ///< bytes of the longest path handled, PATH_MAX of Linux
};

/// A run of bytes; a file is written from one or more of them.
typedef struct frz_piece
{
    const void *data;
    size_t size;
} frz_piece;

/// A file that is complete on disk under its temporary name, but not yet renamed.
typedef struct frz_pending
{
    char target[FRZ_PATH_SIZE];
    char temporary[FRZ_PATH_SIZE];
} frz_pending;

/// Write and flush the temporary. On failure the temporary is gone and the target untouched.
FRZ_NODISCARD frz_status frz_pending_write(frz_pending *pending, const char *path, const frz_piece *pieces,
                                           int piece_count, frz_diag *diag);

/// Rename the temporary to the target and flush the folder. On failure the temporary is gone.
FRZ_NODISCARD frz_status frz_pending_commit(const frz_pending *pending, frz_diag *diag);

/// Remove the temporary.
void frz_pending_discard(const frz_pending *pending);

/// frz_pending_write and frz_pending_commit in one.
FRZ_NODISCARD frz_status frz_file_replace(const char *path, const frz_piece *pieces, int piece_count, frz_diag *diag);

/// Flush the folder that holds path, so that its name outlives a loss of power; false with errno set when that fails.
bool frz_folder_flush(const char *path);

/// Write all bytes to a descriptor; false with errno set when that fails.
bool frz_write_all(int fd, const void *data, size_t size);

/// Read size bytes from a descriptor; false with errno set when that fails, with EIO when the file ends before.
bool frz_read_all(int fd, void *data, size_t size);

/// Format a path into text of FRZ_PATH_SIZE bytes; fails when it is too long.
FRZ_NODISCARD frz_status frz_path_format(char *text, frz_diag *diag, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
