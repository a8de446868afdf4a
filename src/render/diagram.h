// SPDX-License-Identifier: MIT
// Lines of diagrams.
#pragma once

#include "render/trace.h"

/// Draw dark lines into a finished picture where another thing, another face or another depth begins. Deterministic for
/// any number of threads.
FRZ_NODISCARD frz_status frz_diagram_lines(const frz_view *view, const frz_trace *trace, frz_image *image,
                                           frz_diag *diag);
