// SPDX-License-Identifier: MIT
// Solenthaler, Schlaefli & Pajarola 2007, eqs. 22 to 26: as zhu2005, with a radius R f that shrinks where the mean
// place moves fast with x, so that no surface spans concave regions between particles.
//
// grad xbar = sum_j (r_j - xbar) (x) grad W_j / sum_j W_j (eq. 26); f = 1 up to EV_max = t_low, else g^3 - 3 g^2 + 3 g
// with g = (t_high - EV_max) / (t_high - t_low) (eqs. 24 and 25). The matrix is not symmetric: EV_max is its largest
// singular value, which bounds every eigenvalue. The polynomial falls below zero beyond t_high: f is 0 there.
#include <math.h>

#include "math/mat3.h"
#include "surface/iso_internal.h"
#include "surface/iso_mean_place.h"

static const double t_low = 0.4, t_high = 2.0; // the paper's
static const double wall_shade = 0.05;         // part of the kernel in a wall, from which on f is 1

enum
{
    first_slope = 4, // channels: sum of grad W
    first_moment = 7 // sum of r (x) grad W, which is symmetric: xx yy zz yz zx xy
};

static void splat(frz_iso_block *block, frz_v4 point, int particle)
{
    (void)particle;
    frz_iso_mean_splat(block, point);
    const frz_iso_kernel *kernel = &block->field->kernel;
    const frz_real h = (frz_real)kernel->support, inverse = 1 / (h * h);
    const frz_iso_box box = frz_iso_box_around(block, point, frz_v4_splat(h));
    for (int x = box.low[0]; x <= box.high[0]; x += 8)
    {
        const frz_w8 rx = (point[0] - (frz_real)x) - frz_iso_steps(), along = 1 - rx * rx * inverse;
        for (int z = box.low[2]; z <= box.high[2]; ++z)
            for (int y = box.low[1]; y <= box.high[1]; ++y)
            {
                const frz_real ry = point[1] - (frz_real)y, rz = point[2] - (frz_real)z;
                const frz_w8 q = frz_w8_max(along - (ry * ry + rz * rz) * inverse, frz_w8_splat(0));
                const frz_w8 k = 6 * inverse * (q * q); // grad W = k r
                const frz_w8 terms[9] = {k * rx,        k * ry,        k * rz,      k * rx * rx, k * (ry * ry),
                                         k * (rz * rz), k * (ry * rz), k * rz * rx, k * rx * ry};
                const int at = frz_iso_index(block, x, y, z);
                for (int c = 0; c < 9; ++c)
                {
                    frz_real *row = block->channel[first_slope + c] + at;
                    frz_w8_store(row, frz_w8_load(row) + terms[c]);
                }
            }
    }
}

static double factor(const frz_iso_block *block, int at, frz_vec3 m)
{
    if (block->walled && block->shade[at] > (frz_real)wall_shade)
        return 1.0; // the mean place moves because the solid is missing, not because the liquid is hollow
    const double weight = 1.0 / (double)block->channel[0][at];
    double s[3], r[6];
    for (int c = 0; c < 3; ++c)
        s[c] = weight * (double)block->channel[first_slope + c][at];
    for (int c = 0; c < 6; ++c)
        r[c] = weight * (double)block->channel[first_moment + c][at];
    const double offset[3] = {m.x, m.y, m.z};
    frz_mat3 moved = {{{r[0], r[5], r[4]}, {r[5], r[1], r[3]}, {r[4], r[3], r[2]}}};
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            moved.m[i][j] -= offset[i] * s[j];
    const frz_mat3 square = frz_m3_mul(frz_m3_transpose(moved), moved);
    const double largest = sqrt(fmax(frz_m3_eigen(square).s[0], 0.0));
    if (largest <= t_low)
        return 1.0;
    const double g = (t_high - largest) / (t_high - t_low);
    return g > 0.0 ? g * (g * (g - 3.0) + 3.0) : 0.0;
}

static void finish(frz_iso_block *block)
{
    frz_iso_mean_finish(block, factor);
}

const frz_iso_method frz_iso_solenthaler2007 = {
    .name = "solenthaler2007",
    .doc = "as zhu2005, with a smaller radius in concave regions",
    .channels = 13,
    .support = 2.0,
    .calibrate = frz_iso_mean_calibrate,
    .splat = splat,
    .finish = finish,
};
