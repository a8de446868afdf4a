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

/// The gradient of zero-energy control: h, completed, with the least-squares fit in directions that have bonds but
/// count as empty, because they are few (solid/bonds.c). sums: sum_j q u (x) D; moment: A. Of a fit the derivative of
/// the control's energy by the gradient is zero; of the completion it is not, where bonds leave the sheet or rod.
frz_mat3 frz_elastic_fit_across(frz_mat3 h, frz_mat3 sums, frz_mat3 moment, int rank, int dimension, frz_vec3 axis);
