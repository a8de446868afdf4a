// SPDX-License-Identifier: MIT
// Sums over walls near the particles of a block, before the pairs are made: the mirrored law of sph/sample_law.h needs
// those of a particle's neighbours.
#pragma once

#include "sph/pairs.h"

/// Of particle i in the block: sample_count, sample_gradient and sample_flow; its mirror m_i (then gradient and flow
/// are those of m_i), or 0 and the walls' part of its compression; the walls' part of its virial (over h_i with the
/// mirrored law, see pairs.c).
/// A particle with too many samples gives FRZ_ERR_DIVERGED and *culprit.
FRZ_NODISCARD frz_status frz_pair_walls_block(const frz_pairs_input *input, int b, int count, frz_pairs *pairs,
                                              frz_real *compression, int *culprit);
