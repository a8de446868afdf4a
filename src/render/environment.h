// SPDX-License-Identifier: MIT
// A picture of the surroundings as a light: Radiance .hdr files, longitude and latitude.
#pragma once

#include "render/random_sequence.h"
#include "render/raycast.h"
#include "render/vec3f.h"

struct frz_environment
{
    int width, height;
    frz_color *pixels; ///< radiance, row by row from the zenith
    float *row_sum;    ///< height + 1: share of the light above each row
    float *column_sum; ///< height rows of width + 1: share of the row's light left of each column
    float *weight;     ///< light of each pixel times its solid angle, share of all
};

/// Read a Radiance picture (RGBE, "-Y height +X width").
FRZ_NODISCARD frz_status frz_environment_read(const char *path, frz_environment **out, frz_diag *diag);
/// The same out of memory: tells name in messages.
FRZ_NODISCARD frz_status frz_environment_parse(const unsigned char *bytes, size_t size, const char *name,
                                               frz_environment **out, frz_diag *diag);
void frz_environment_destroy(frz_environment **environment);

frz_color frz_environment_radiance(const frz_environment *environment, frz_vec3f direction, frz_vec3f up);
/// A direction in proportion to the light of the pixels, and its density per steradian.
frz_vec3f frz_environment_sample(const frz_environment *environment, frz_point2f random, frz_vec3f up, float *density);
float frz_environment_density(const frz_environment *environment, frz_vec3f direction, frz_vec3f up);
