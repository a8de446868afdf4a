// SPDX-License-Identifier: MIT
// Line plots as SVG: measured against reference, for validation and benchmarks.
#pragma once

#include "frazil/base.h"

#ifdef __cplusplus
extern "C"
{
#endif

typedef struct frz_plot_series
{
    const char *label;
    const double *x, *y;
    int count;
    bool markers; ///< points instead of a line
} frz_plot_series;

typedef struct frz_plot
{
    const char *title, *x_label, *y_label;
    const frz_plot_series *series;
    int series_count;
} frz_plot;

/// Axes with round ticks, grid, legend; at most 10 series. Not-finite points are left out.
FRZ_API FRZ_NODISCARD frz_status frz_plot_write(const char *path, const frz_plot *plot, frz_diag *diag);

#ifdef __cplusplus
}
#endif
