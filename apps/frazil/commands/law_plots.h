// SPDX-License-Identifier: MIT
// Curves of the constitutive laws as SVG.
#pragma once

#include <frazil/frazil.h>

/// File names of the plots, in the order in which they are drawn; ends with null.
extern const char *const frz_law_plot_names[];

/// Draw all plots into an existing folder.
FRZ_NODISCARD frz_status frz_law_plots_write(const char *directory, frz_diag *diag);
