// SPDX-License-Identifier: MIT
// Smooth the noise of a path-traced picture without blurring edges.
#pragma once

#include "render/raycast.h"
#include "render/vec3f.h"

/// A picture in linear light and the guides of its smoothing; width * height each.
typedef struct frz_noisy_picture
{
    int width, height;
    frz_color *color;
    float *variance;   ///< of the mean brightness of a pixel
    frz_color *albedo; ///< of the first surface that scatters
    frz_vec3f *normal; ///< of the first surface, mean over the samples
} frz_noisy_picture;

FRZ_NODISCARD frz_status frz_noisy_picture_create(int width, int height, frz_noisy_picture *out, frz_diag *diag);
void frz_noisy_picture_destroy(frz_noisy_picture *picture);

/// Same bits for any number of threads.
FRZ_NODISCARD frz_status frz_denoise(frz_noisy_picture *picture, frz_diag *diag);
