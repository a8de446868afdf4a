// SPDX-License-Identifier: MIT
// The working precision of particle fields. Sums, rigid-body state, geometry and time are always double.
#pragma once

#ifdef FRZ_DOUBLE
typedef double frz_real;
#define FRZ_REAL_EPSILON 2.2204460492503131e-16
#else
typedef float frz_real;
#define FRZ_REAL_EPSILON 1.1920929e-07
#endif
