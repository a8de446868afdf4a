// SPDX-License-Identifier: MIT
// Extrapolation of values of the liquid to static samples by moving least squares (Band et al. 2018): for every sample
// a short list of liquid particles and weights, so that the value at the sample is their weighted sum.
//
// The weights depend on positions only: they are made once per step, and an iteration of a solver is a sum over lists.
// A fit is linear; in a direction in which the liquid near the sample has no extent (a film, a row, a single particle)
// it is constant. The particles are those around the point one spacing in front of the sample, where the first layer of
// the liquid lies: around the sample itself the kernel would give the second layer a ten-thousandth of the weight of
// the first, and the slope across the wall would come from the unevenness of one layer. Liquid behind the sample, on
// the other side of a thin wall, is excluded.
#pragma once

#include "math/vec3.h"
#include "sph/sample_pairs.h"

typedef struct frz_sample_fit
{
    int count; ///< samples with liquid in front of them
    int sample_capacity;
    int64_t capacity;
    uint32_t *number; ///< [samples, in the order of their cells] liquid particles in front
    uint32_t *cell;   ///< [count] the samples, in the order of their cells
    uint32_t *slot;   ///< [count] the samples, counted from the first of the static role
    int64_t *begin;   ///< [count + 1] lists
    uint32_t *index;  ///< liquid particles
    frz_real *weight; ///< theirs; the weights of a list add up to 1
} frz_sample_fit;

/// Weights of a moving-least-squares fit, evaluated at the origin, over points with given offsets and positive weights.
/// Their sum is 1; sum_j weight_j offset_j is 0 in all directions in which the points have an extent beyond a fraction
/// of the spacing.
void frz_fit_weights(const frz_vec3 *offset, const double *importance, int count, double spacing, double *weight);

/// Lists for the present neighbourhood.
FRZ_NODISCARD frz_status frz_sample_fit_build(const frz_pairs_input *input, frz_sample_fit *fit, frz_diag *diag);
void frz_sample_fit_destroy(frz_sample_fit *fit);

/// Value at each sample from those of the liquid, at least 0; samples without liquid keep their value.
void frz_sample_fit_extrapolate(const frz_sample_fit *fit, const frz_real *liquid, frz_real *sample);

/// sum_b value_b V_b gradW_ib over the samples near liquid particle i, 1/m
static inline frz_v4 frz_sample_push(const frz_sample_pairs *walls, const frz_real *value, int i)
{
    frz_v4 sum = frz_v4_zero();
    for (int64_t k = walls->begin[i]; k < walls->begin[i + 1]; ++k)
        sum += value[walls->pair[k].slot] * walls->pair[k].gradient;
    return sum;
}
