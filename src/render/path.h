// SPDX-License-Identifier: MIT
// Path tracing: the light that arrives along a ray after reflections, refractions and scattering.
#pragma once

#include "render/look.h"
#include "render/sky.h"

/// Constant over a picture.
typedef struct frz_path_scene
{
    const frz_view *view;
    const frz_trace *trace;
    frz_sky sky;
    float size;            ///< of the scene in picture units
    frz_color *absorption; ///< per mesh, 1 / picture unit; zero for meshes that are not clear
    bool has_clear;        ///< some mesh is clear
} frz_path_scene;

/// Random numbers of one sample of one pixel; every purpose draws the next pair.
typedef struct frz_path_random
{
    uint32_t index;     ///< of the sample, over all pixels
    uint32_t dimension; ///< pairs drawn
} frz_path_random;

/// Guides of the smoothing of noise, along a path.
typedef struct frz_path_features
{
    frz_color albedo; ///< of the first surface that scatters, dimmed by the media before it
    frz_vec3f normal; ///< of the first surface
    bool scattered;   ///< the albedo is known
    bool strayed;     ///< before that, chance took the path where less of the light goes
} frz_path_features;

FRZ_NODISCARD frz_status frz_path_scene_create(const frz_render_options *options, const frz_view *view,
                                               const frz_trace *trace, frz_path_scene *out, frz_diag *diag);
void frz_path_scene_destroy(frz_path_scene *scene);

/// Random numbers of sample number index of count at a pixel.
frz_path_random frz_path_random_start(int x, int y, int index, int count);
frz_point2f frz_path_random_next(frz_path_random *random);

/// Radiance along a ray from the camera at a time between 0 and 1 of the shutter. Thread: any.
frz_color frz_path_radiance(const frz_path_scene *scene, frz_vec3f origin, frz_vec3f direction, float time,
                            frz_path_random random, frz_path_features *features);
