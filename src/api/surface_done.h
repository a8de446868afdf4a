// SPDX-License-Identifier: MIT
// Which frames have their surfaces, so that a surface run that was stopped goes on where it was: surface/done.txt, a
// line of options and a line per frame.
#pragma once

#include "frazil/surface.h"
#include "io/file_replace.h"
#include "io/text_builder.h"

typedef struct frz_surface_done
{
    char path[FRZ_PATH_SIZE];
    frz_text_builder text; ///< the file
} frz_surface_done;

/// Read the list in a folder; it is empty if there is none, or if it was made with other options.
FRZ_NODISCARD frz_status frz_surface_done_open(const char *folder, const frz_surface_def *def, frz_surface_done *out,
                                               frz_diag *diag);
void frz_surface_done_close(frz_surface_done *done);

/// Whether a frame is finished, and is still the same.
bool frz_surface_done_has(const frz_surface_done *done, const char *directory, int index);
FRZ_NODISCARD frz_status frz_surface_done_add(frz_surface_done *done, const char *directory, int index, frz_diag *diag);
