// SPDX-License-Identifier: MIT
// Surfaces of the bodies of a run as triangle meshes, one file per body and frame.
#pragma once

#include "frazil/base.h"

#ifdef __cplusplus
extern "C"
{
#endif

typedef struct frz_surface_progress
{
    int done, total; ///< frames
    double elapsed, eta;
} frz_surface_progress;

/// Called after every frame; return false to stop.
typedef bool frz_surface_progress_fn(void *user, const frz_surface_progress *progress);

typedef enum frz_surface_format
{
    FRZ_SURFACE_PLY, ///< binary, with normals
    FRZ_SURFACE_OBJ  ///< text, with normals
} frz_surface_format;

typedef struct frz_surface_def
{
    const char *directory; ///< of the run
    const char *output;    ///< folder for the meshes, made if missing; null: directory/surface
    frz_surface_format format;
    int first, last, every; ///< frames; last < 0: to the end
    int threads;            ///< 0: all cores
    frz_log_fn *log;
    void *log_user;
    frz_surface_progress_fn *progress;
    void *progress_user;
    uint32_t cookie;
} frz_surface_def;

FRZ_API frz_surface_def frz_surface_def_default(void);

/// Write output/<body>_000000.ply and so on for every elastic body: its shape, or its skin, as the particles carry it.
/// files (may be null) takes the number of files written. A run without elastic bodies is a failure that says so.
FRZ_API FRZ_NODISCARD frz_status frz_surface_run(const frz_surface_def *def, int *files, frz_diag *diag);

#ifdef __cplusplus
}
#endif
