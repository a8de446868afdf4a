// SPDX-License-Identifier: MIT
// The colour seen along one ray.
#pragma once

#include "render/random_sequence.h"
#include "render/trace.h"

/// Constant over a picture.
typedef struct frz_shader
{
    const frz_view *view;
    const frz_trace *trace;
    frz_vec3f key_direction, key_tangent, key_bitangent; ///< towards the middle of the area light
    int occlusion_samples;
    float occlusion_distance; ///< picture units
    bool ground_shadow;
    bool diagram; ///< plain colours
    frz_color background_top, background_bottom;
} frz_shader;

/// One sample of one pixel, and the random numbers that belong to it.
typedef struct frz_sample
{
    uint32_t index;
    frz_sequence place, light, occlusion;
} frz_sample;

typedef struct frz_ray
{
    frz_vec3f origin, direction;
    float screen_height; ///< 0 at the bottom of the picture, 1 at the top: for the background
} frz_ray;

frz_shader frz_shader_create(const frz_render_options *options, const frz_view *view, const frz_trace *trace);

/// The first of count samples of a pixel; the others differ in the index only.
frz_sample frz_sample_create(const frz_shader *shader, int x, int y, int count);

/// Linear light, may exceed 1. Thread: any.
frz_color frz_shade(const frz_shader *shader, const frz_ray *ray, frz_sample sample);
