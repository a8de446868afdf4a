// SPDX-License-Identifier: MIT
// Material points within a step: packed in groups of eight of one block of cells and one material, in working
// precision.
//
// Positions are in cells, from the first node of the block, so that they have the same precision everywhere. Of the
// elastic deformation gradient F the strain e = F F^T - I is kept, which is all that isotropic laws need: a rotation
// does not cost the digits of small strains, as it does in F.
#pragma once

#include <stdint.h>

#include "math/mat3_wide.h"

typedef struct frz_mpm_group
{
    frz_w8 x[3];      ///< place, cells
    frz_w8 way[3];    ///< displacement since the start of the step, m
    frz_w8 v[3];      ///< velocity, m/s
    frz_w8 a[3];      ///< acceleration by forces from outside, m/s^2
    frz_wide3 c;      ///< gradient of the velocity, 1/s
    frz_w8 e[6];      ///< elastic part of F F^T - I: xx, yy, zz, yz, zx, xy
    frz_w8 memory;    ///< of the plastic flow
    frz_w8 mass;      ///< kg; 0 in lanes without a point
    int32_t slot[8];  ///< in the store
    int32_t count;    ///< lanes with a point
    int32_t material; ///< among those of points
} frz_mpm_group;

/// The strain as a matrix.
static inline frz_wide3 frz_mpm_strain(const frz_mpm_group *group)
{
    const frz_w8 *e = group->e;
    return (frz_wide3){{{e[0], e[5], e[4]}, {e[5], e[1], e[3]}, {e[4], e[3], e[2]}}};
}

/// Set it from a symmetric matrix.
static inline void frz_mpm_set_strain(frz_mpm_group *group, const frz_wide3 *strain)
{
    for (int i = 0; i < 3; ++i)
    {
        group->e[i] = strain->m[i][i];
        group->e[3 + i] = strain->m[(i + 1) % 3][(i + 2) % 3];
    }
}
