// SPDX-License-Identifier: MIT
// Reading files that somebody else may have written, or put in the place of ours.
#pragma once

#include "base/fail.h"

/// Fail with "cannot <verb> <path>: <text of error>", and what to do where that is plain.
frz_status frz_fail_file(frz_diag *diag, const char *verb, const char *path, int error);

/// Open a regular file for reading; anything else (a pipe, a device, a folder) is refused, and never waited for.
/// what names the kind of file in messages ("mesh file"). *size gets its bytes.
FRZ_NODISCARD frz_status frz_file_open(const char *path, const char *what, int *fd, int64_t *size, frz_diag *diag);

/// Contents of a regular file of at most limit bytes, with a zero byte behind them (frz_free it).
FRZ_NODISCARD frz_status frz_file_read(const char *path, const char *what, int64_t limit, char **bytes, size_t *length,
                                       frz_diag *diag);
