// SPDX-License-Identifier: MIT
// Deformation gradients of sheets, rods and single particles, whose neighbours do not fill the space.
#pragma once

#include "math/mat3.h"

/// Complete the gradient of a displacement that has neighbours in rank directions only. axis: along the rod (rank 1),
/// or across the sheet (rank 2 in space).
frz_mat3 frz_elastic_complete(frz_mat3 h, int rank, int dimension, frz_vec3 axis);

/// The same for a small change dH of the gradient where the neighbourhood has turned by a rotation: directions across a
/// sheet or a rod turn with it and do not stretch.
frz_mat3 frz_elastic_complete_change(frz_mat3 h, frz_mat3 rotation, int rank, int dimension, frz_vec3 axis);
