// SPDX-License-Identifier: MIT
// Pictures and films of a run.
#pragma once

#include "frazil/base.h"

#ifdef __cplusplus
extern "C"
{
#endif

typedef struct frz_render_progress
{
    int done, total;     ///< pictures
    double elapsed, eta; ///< wall-clock s; eta < 0 while unknown
} frz_render_progress;

/// Called after every picture; return false to stop.
typedef bool frz_render_progress_fn(void *user, const frz_render_progress *progress);

/// A key of the scene that pictures depend on (output.camera.eye, materials.water.look, ...), and its value as YAML.
typedef struct frz_render_override
{
    const char *key, *value;
} frz_render_override;

typedef enum frz_render_style
{
    FRZ_RENDER_PARTICLES, ///< liquids as spheres
    FRZ_RENDER_SURFACE,   ///< liquids as surfaces, by paths of light
    FRZ_RENDER_DIAGRAM    ///< liquids as surfaces in plain colours with lines, on white
} frz_render_style;

/// Options of the pictures. A null or zero member takes its value from the scene's `output` section, then a default.
typedef struct frz_render_def
{
    const char *directory; ///< of the run
    const char *field;     ///< colour by this field ("velocity" means its length); "none" for the material's colour
    const char *colormap;  ///< "viridis", "turbo", "water", "heat", "coolwarm", "gray"
    bool has_range;
    double min, max;        ///< of the colour map; else the range over the frames drawn
    int width, height;      ///< pixels
    int first, last, every; ///< frames; last < 0: to the end
    int samples;            ///< rays per pixel
    double radius;          ///< of a drawn particle in spacings
    const char *movie;      ///< path of an MP4 to make; null: none
    double film_rate;       ///< pictures per second of the film; 0: the run's, or slow motion for fast ones
    const char *sheet;      ///< path of a contact sheet (PNG) to make; null: none
    frz_render_style style;
    const char *method;      ///< field of the surfaces, of frz_surface_methods(); null: the default
    bool preview;            ///< surfaces with simple shading instead of paths of light
    bool no_denoise;         ///< leave the noise of few samples
    double shutter;          ///< fraction of the time between two frames while the shutter is open; 0: no motion blur
    const char *environment; ///< Radiance picture (.hdr) that lights the scene; null: sky and sun
    bool static_bodies;      ///< draw static bodies
    bool particles;          ///< draw the particles of elastic bodies instead of their skins
    const frz_render_override *overrides; ///< applied to the scene of the run in this order
    int override_count;
    int threads;
    frz_log_fn *log;
    void *log_user;
    frz_render_progress_fn *progress;
    void *progress_user;
    uint32_t cookie;
} frz_render_def;

FRZ_API frz_render_def frz_render_def_default(void);

/// Draw directory/images/frame_000000.png and so on, then the film and the sheet. pictures (may be null) takes the
/// number of pictures drawn.
FRZ_API FRZ_NODISCARD frz_status frz_render_run(const frz_render_def *def, int *pictures, frz_diag *diag);

/// A picture of waves and a ball in 0.3 million triangles by paths of light, to measure the renderer with.
typedef struct frz_render_trial
{
    int width, height, samples, threads;
    const char *path; ///< of the PNG; null: none
} frz_render_trial;

/// Draw the picture; returns its number of triangles and the time of drawing in s.
FRZ_API FRZ_NODISCARD frz_status frz_render_trial_run(const frz_render_trial *trial, int *triangles, double *seconds,
                                                      frz_diag *diag);

#ifdef __cplusplus
}
#endif
