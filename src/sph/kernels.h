// SPDX-License-Identifier: MIT
// Smoothing kernels: one table, each normalised in one, two and three dimensions.
//
//   W(r) = sigma_d / R^d w(q),   dW/dr = sigma_d / R^(d+1) w'(q),   q = r / R,   R the support radius
#pragma once

#include <stdbool.h>

#include "base/simd.h"

typedef enum frz_kernel_id
{
    FRZ_KERNEL_CUBIC_SPLINE,
    FRZ_KERNEL_WENDLAND_C2,
    FRZ_KERNEL_WENDLAND_C4,
    FRZ_KERNEL_POLY6,
    FRZ_KERNEL_SPIKY,
    FRZ_KERNEL_VISCOSITY,
    FRZ_KERNEL_COSINE,
    FRZ_KERNEL_COUNT
} frz_kernel_id;

typedef struct frz_kernel_info
{
    const char *key;
    const char *doc;
    const char *cite;
    bool for_density;                         ///< finite and usable for the density sum
    double sigma[3];                          ///< normalisation in 1, 2, 3 dimensions
    double (*value)(double q, int dimension); ///< w(q), 0 for q >= 1
    double (*slope)(double q, int dimension); ///< w'(q)
} frz_kernel_info;

extern const frz_kernel_info frz_kernels[FRZ_KERNEL_COUNT];

/// Index of a kernel by key, -1 if there is none.
int frz_kernel_find(const char *key);

/// A kernel with support and dimension fixed.
typedef struct frz_kernel
{
    frz_kernel_id id;
    int dimension;
    double support;      ///< R, m
    double value_factor; ///< sigma_d / R^d
    double slope_factor; ///< sigma_d / R^(d+1)
} frz_kernel;

frz_kernel frz_kernel_make(frz_kernel_id id, double support, int dimension);
double frz_kernel_value(const frz_kernel *kernel, double r); ///< W(r), 1/m^d
double frz_kernel_slope(const frz_kernel *kernel, double r); ///< dW/dr, 1/m^(d+1)

/// Sum of W * spacing^d over an infinite cubic (square) lattice around one of its points. It calibrates the rest
/// density: particles have the volume spacing^d divided by this.
double frz_kernel_lattice_sum(const frz_kernel *kernel, double spacing);

/// The same over one lattice plane (line in 2D): the sum over a flat wall of samples.
double frz_kernel_plane_sum(const frz_kernel *kernel, double spacing);

/// The same half a spacing above the plane: at the surface of a wall, behind which its samples lie.
double frz_kernel_surface_sum(const frz_kernel *kernel, double spacing);

/// Sum of (spacing volume |gradW|)^2 over the lattice around one of its points: the diagonal of the pressure's matrix
/// inside a liquid at rest.
double frz_kernel_lattice_square(const frz_kernel *kernel, double spacing, double volume);

/// Gain of the wall function (see sph/pairs): one flat layer of samples at the distance of one spacing must add the
/// same compression as a half space of lattice layers.
double frz_kernel_wall_gain(const frz_kernel *kernel, double spacing, double volume);
/// The same for a plain sum over the layer instead of its square: 1 if the support reaches no further than two
/// spacings.
double frz_kernel_wall_plain_gain(const frz_kernel *kernel, double spacing);

/// Eight values at once: *value = w(q), *slope = w'(q), unscaled; zero for q >= 1.
typedef void frz_kernel_wide_fn(frz_w8 q, int dimension, frz_w8 *value, frz_w8 *slope);

static inline __attribute__((always_inline)) void frz_kernel_wide_cubic(frz_w8 q, int dimension, frz_w8 *value,
                                                                        frz_w8 *slope)
{
    (void)dimension;
    const frz_w8 zero = frz_w8_splat(0);
    const frz_w8 outer = frz_w8_max(frz_w8_splat(1) - q, zero);
    const frz_w8 inner = frz_w8_max(frz_w8_splat((frz_real)0.5) - q, zero);
    *value = 2 * outer * outer * outer - 8 * inner * inner * inner;
    *slope = 24 * inner * inner - 6 * outer * outer;
}

static inline __attribute__((always_inline)) void frz_kernel_wide_wendland_c2(frz_w8 q, int dimension, frz_w8 *value,
                                                                              frz_w8 *slope)
{
    const frz_w8 u = frz_w8_max(frz_w8_splat(1) - q, frz_w8_splat(0));
    const frz_w8 u2 = u * u;
    if (dimension == 1)
    {
        *value = u2 * u * (1 + 3 * q);
        *slope = -12 * q * u2;
        return;
    }
    *value = u2 * u2 * (1 + 4 * q);
    *slope = -20 * q * u2 * u;
}

/// Any kernel, lane by lane.
void frz_kernel_wide_any(frz_kernel_id id, frz_w8 q, int dimension, frz_w8 *value, frz_w8 *slope);
