// SPDX-License-Identifier: MIT
// Material points as a step works on them: packed in groups of eight of one block of cells and one material, in working
// precision.
//
// Places are in cells, from the first node of the block, so that they are equally fine everywhere. Of the elastic
// deformation gradient h = F - I is kept: small strains keep their digits.
#pragma once

#include <stdint.h>

#include "math/mat3_wide.h"

typedef struct frz_mpm_group
{
    frz_w8 x[3];      ///< place, cells
    frz_w8 way[3];    ///< moved since the start of the step, m
    frz_w8 v[3];      ///< velocity, m/s
    frz_w8 a[3];      ///< acceleration by forces from outside, m/s^2
    frz_wide3 c;      ///< gradient of the velocity, 1/s
    frz_wide3 h;      ///< elastic deformation gradient less the identity
    frz_w8 memory;    ///< of the plastic flow
    frz_w8 mass;      ///< kg; 0 in lanes without a point
    int32_t slot[8];  ///< in the store
    int32_t count;    ///< lanes with a point
    int32_t material; ///< among those of points
} frz_mpm_group;
