// SPDX-License-Identifier: MIT
// Pairs of liquid particles and static samples, for methods that need the samples one by one (friction, adhesion).
//
// Made on demand, at most once per step (frz_state_sample_pairs); the pressure solvers do without, see sph/pairs.h.
#pragma once

#include "sph/pairs.h"

typedef struct frz_sample_pair
{
    frz_v4 difference; ///< x_i - x_b in m; last lane V_b W_ib
    frz_v4
        gradient;  ///< V_b gradW_ib in 1/m, last lane 0; a plain sum over the samples, without the pairs' wall function
    uint32_t slot; ///< the sample, counted from the first of the static role
    uint32_t spare;
} frz_sample_pair;

typedef struct frz_sample_pairs
{
    bool current; ///< made for the present neighbourhood
    int64_t capacity;
    int particle_capacity;
    int64_t *begin; ///< [particles + 1]: the samples near liquid particle i are begin[i] .. begin[i + 1]
    frz_sample_pair *pair;
} frz_sample_pairs;

/// Fill the lists; number is the count of samples per particle that frz_pairs_build found.
FRZ_NODISCARD frz_status frz_sample_pairs_build(const frz_pairs_input *input, int count, const uint16_t *number,
                                                frz_sample_pairs *walls, frz_diag *diag);
void frz_sample_pairs_destroy(frz_sample_pairs *walls);
