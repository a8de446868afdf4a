// SPDX-License-Identifier: MIT
// Surfaces of the liquids and bodies of a run as triangle meshes, one file per surface and frame.
#pragma once

#include "frazil/base.h"

#ifdef __cplusplus
extern "C"
{
#endif

typedef struct frz_surface_progress
{
    int done, total;     ///< frames
    double elapsed, eta; ///< wall-clock s; eta < 0 while unknown
} frz_surface_progress;

/// Called after every frame; return false to stop.
typedef bool frz_surface_progress_fn(void *user, const frz_surface_progress *progress);

typedef enum frz_surface_format
{
    FRZ_SURFACE_PLY,   ///< binary, with normals, velocity and fields
    FRZ_SURFACE_OBJ,   ///< text, with normals
    FRZ_SURFACE_VTKHDF ///< for ParaView: one file per frame, and <name>.vtkhdf over all of them
} frz_surface_format;

/// Options for the surfaces of particles without a skin: liquids, and bodies of particles. Start from
/// frz_surface_options_default().
typedef struct frz_surface_options
{
    const char *method;        ///< of the field; null: the default
    double cell;               ///< of the grid, in spacings; 0: the default
    int smoothing;             ///< rounds; < 0: the default
    double decimate;           ///< share of the triangles of liquids to keep in 3D; 0: all
    int spray;                 ///< drops with fewer neighbours are points; < 0: the default; 0: none are
    bool walls_open;           ///< do not fit the surface to static and rigid bodies
    bool merge;                ///< one mesh for all liquids
    const char *const *fields; ///< carried to the vertices, besides the velocity
    int field_count;
} frz_surface_options;

FRZ_API frz_surface_options frz_surface_options_default(void);

/// Names of the methods, null-terminated; the first is the default.
FRZ_API const char *const *frz_surface_methods(void);

/// Processor time of the parts of the work, summed over all threads, s.
typedef struct frz_surface_times
{
    int64_t particles, triangle_count; ///< of all frames
    double read;                       ///< frames
    double triangles;                  ///< of liquids: sorting, field, triangles
    double dress;                      ///< velocities, fields, smoothing, normals
    double write;                      ///< files
} frz_surface_times;

typedef struct frz_surface_def
{
    const char *directory; ///< of the run
    const char *output;    ///< folder for the meshes, made if missing; null: directory/surface
    frz_surface_format format;
    frz_surface_options options;
    double foam;              ///< amount of foam to write as points; 1: as water has, 0: none
    bool bodies;              ///< write static and rigid bodies too, where they are in the frame
    int first, last, every;   ///< frames; last < 0: to the end
    int threads;              ///< 0: all cores
    frz_surface_times *times; ///< filled if not null
    frz_log_fn *log;
    void *log_user;
    frz_surface_progress_fn *progress;
    void *progress_user;
    uint32_t cookie;
} frz_surface_def;

FRZ_API frz_surface_def frz_surface_def_default(void);

/// Write output/<name>_000000.ply and so on: every elastic body by its name (its shape, or its skin, as the particles
/// carry it), every liquid by the name of its material, lone drops as <name>_spray_000000.ply, foam as
/// foam_000000.ply. Frames that an earlier call with the same options has finished are left as they are. files (may be
/// null) takes the number of files written.
FRZ_API FRZ_NODISCARD frz_status frz_surface_run(const frz_surface_def *def, int *files, frz_diag *diag);

#ifdef __cplusplus
}
#endif
