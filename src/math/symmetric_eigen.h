// SPDX-License-Identifier: MIT
// Eigenvalues and eigenvectors of symmetric 3x3 matrices.
#pragma once

/// m = sum_k value[k] vector[k] vector[k]^T with orthonormal vectors; only the upper triangle of m is read. Cyclic Jacobi
/// rotations: small eigenvalues are exact to rounding against the largest, and no matrix is a special case.
void frz_symmetric_eigen(const double m[3][3], double value[3], double vector[3][3]);
