// SPDX-License-Identifier: MIT
// The constitutive laws of elastic solids: their names, and the stress of each over the stretch.
#pragma once

#include "frazil/base.h"

#ifdef __cplusplus
extern "C"
{
#endif

/// Deformation of a cube of the material.
typedef enum frz_law_test
{
    FRZ_LAW_TEST_CONFINED, ///< one principal stretch changes, the others stay 1
    FRZ_LAW_TEST_UNIAXIAL, ///< a bar is stretched with free sides
    FRZ_LAW_TEST_SHEAR     ///< simple shear; the "stretch" is the displacement of the top over the height
} frz_law_test;

typedef struct frz_law_curve_def
{
    const char *law;       ///< name of a law
    double youngs_modulus; ///< Pa
    double poisson_ratio;
    frz_law_test test;
} frz_law_curve_def;

/// Name of law number index, from 0; null past the last one. Thread: any. Owner: static.
FRZ_API const char *frz_law_name(int index);

/// The nominal stress (first Piola-Kirchhoff, Pa) of a law with its default parameters at each of count stretches; NaN
/// where no lateral stretch of the bar gives stress-free sides. Thread: any.
FRZ_API FRZ_NODISCARD frz_status frz_law_curve(const frz_law_curve_def *def, int count, const double *stretch,
                                               double *stress, frz_diag *diag);

/// The table of laws as Markdown page, and as JSON. Owner: the caller frees with frz_text_free.
FRZ_API char *frz_laws_markdown(void);
FRZ_API char *frz_laws_json(void);

#ifdef __cplusplus
}
#endif
