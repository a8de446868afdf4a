// SPDX-License-Identifier: MIT
// Foundations of the public interface: export macro, version, status codes, diagnostics.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C"
{
#endif

#define FRZ_API       __attribute__((visibility("default")))
#define FRZ_NODISCARD __attribute__((warn_unused_result))

#define FRZ_VERSION_MAJOR 0
#define FRZ_VERSION_MINOR 1
#define FRZ_VERSION_PATCH 0
#define FRZ_VERSION       "0.1.0"

/// Result of a call. Zero is success; frz_diag holds the message for the user.
typedef enum frz_status
{
    FRZ_OK = 0,
    FRZ_ERR_ARGUMENT, ///< invalid argument (null pointer, bad def)
    FRZ_ERR_SCENE,    ///< the scene (or a mesh it names) is wrong; the user must change it
    FRZ_ERR_FILE,     ///< reading or writing a file failed (missing, full disk, no permission, truncated)
    FRZ_ERR_MEMORY,   ///< not enough memory
    FRZ_ERR_DIVERGED, ///< the physics failed (NaN, no convergence); diag names particle, field and time
    FRZ_ERR_STOPPED,  ///< stopped on request (signal); a checkpoint was written if there was a run directory
    FRZ_ERR_PROGRAM   ///< a helper program (ffmpeg) is missing or failed
} frz_status;

/// One actionable sentence about a failure, with the place in the scene file where there is one.
typedef struct frz_diag
{
    frz_status status;
    char file[256];     ///< file concerned, or empty
    int line;           ///< 1-based line in file, 0 if none
    int column;         ///< 1-based column, 0 if none
    char message[1024]; ///< one sentence, without file:line:column
} frz_diag;

typedef enum frz_log_level
{
    FRZ_LOG_INFO = 0,
    FRZ_LOG_WARNING = 1
} frz_log_level;

/// Receives notes and warnings. The library itself never prints. Thread: called from the calling thread only.
typedef void frz_log_fn(void *user, frz_log_level level, const char *text);

/// Version string of the library, e.g. "0.1.0". Thread: any. Owner: static.
FRZ_API const char *frz_version(void);

/// Render "file:line:column: message" (parts that are absent are left out) into text. Returns text.
FRZ_API const char *frz_diag_text(const frz_diag *diag, char *text, size_t size);

#ifdef __cplusplus
}
#endif
