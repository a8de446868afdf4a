// SPDX-License-Identifier: MIT
// Safe reading and writing of files that other users may have written or replaced.
#pragma once

#include "base/fail.h"

/// Fail with "cannot <verb> <path>: <text of error>", and a remedy for common errors.
frz_status frz_fail_file(frz_diag *diag, const char *verb, const char *path, int error);

/// Scenes may come from untrusted sources: they may only name files below their own folder, or below folders allowed by
/// this call, which holds for the whole process and comes before loading scenes.
FRZ_NODISCARD frz_status frz_files_allow(const char *folder, frz_diag *diag);

/// Open a regular file for reading; anything else (a pipe, a device, a folder) is refused without blocking. what names
/// the kind of file in messages ("mesh file"). *size gets its bytes.
FRZ_NODISCARD frz_status frz_file_open(const char *path, const char *what, int *fd, int64_t *size, frz_diag *diag);

/// Whether a file may replace path: nothing is there, or a regular file. Anything else (a device, a pipe, a folder), or
/// a link to it, is refused; root could replace even /dev/null.
FRZ_NODISCARD frz_status frz_file_may_replace(const char *path, frz_diag *diag);
/// Check before long work that a file of this name can be written, by creating an empty one beside it.
FRZ_NODISCARD frz_status frz_file_try_place(const char *path, frz_diag *diag);

enum
{
    FRZ_TEMPORARY_EXTRA = 64 ///< additional bytes of a temporary name, the final zero included
};

/// Make a new file beside path, with an unpredictable name, and open it for writing: path.tmp.<random>, with ending (20
/// bytes at most) behind it. The name goes to temporary. -1 with errno set when that fails.
int frz_temporary_create(const char *path, const char *ending, char *temporary, size_t size);

/// Contents of a regular file of at most limit bytes, with a zero byte behind them (frz_free it).
FRZ_NODISCARD frz_status frz_file_read(const char *path, const char *what, int64_t limit, char **bytes, size_t *length,
                                       frz_diag *diag);

/// The same of a file that a scene names: it must lie below root (null: anywhere), or below an allowed folder, after
/// links and .. in its path are resolved.
FRZ_NODISCARD frz_status frz_file_read_within(const char *root, const char *path, const char *what, int64_t limit,
                                              char **bytes, size_t *length, frz_diag *diag);
