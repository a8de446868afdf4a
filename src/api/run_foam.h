// SPDX-License-Identifier: MIT
// Foam of the liquids of a run. Its air comes from the frames before, which are read for it, so that a frame has the
// same foam whichever frames are made with it.
#pragma once

#include "api/run_surfaces.h"
#include "surface/foam.h"

typedef struct frz_run_foam
{
    bool wanted; ///< there is some to make
    const char *directory;
    const frz_run_surfaces *surfaces;
    double amount; ///< 1: as water has
    bool *liquids; ///< per material of the scene: it has foam
    int next;      ///< the first frame that the foam has not seen
    frz_foam foam;
    frz_foam_points points; ///< of the frame made last
} frz_run_foam;

/// Surfaces and directory must outlive it; liquids goes over to it. The frames begin with first.
void frz_run_foam_create(const frz_run_surfaces *surfaces, const char *directory, double amount, bool *liquids,
                         int first, frz_run_foam *out);
void frz_run_foam_destroy(frz_run_foam *foam);

/// Make the points of a frame. Frames ascend. If they lack needed fields no foam is made any more, and the log (may
/// be null) says so.
FRZ_NODISCARD frz_status frz_run_foam_make(frz_run_foam *foam, const frz_frame *frame, frz_log_fn *log, void *user,
                                           frz_diag *diag);
