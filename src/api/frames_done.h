// SPDX-License-Identifier: MIT
// List of frames with finished surfaces or pictures, so that stopped work can continue: done.txt, a line of options and
// a line per frame.
#pragma once

#include "base/fail.h"
#include "io/file_replace.h"
#include "io/text_builder.h"

typedef struct frz_frames_done
{
    char path[FRZ_PATH_SIZE];
    frz_text_builder text; ///< the file; its first line, the options, is there before it is opened
} frz_frames_done;

/// Read the list in a folder; it is empty if the file is missing or was written with other options.
FRZ_NODISCARD frz_status frz_frames_done_open(frz_frames_done *done, const char *folder, frz_diag *diag);
void frz_frames_done_close(frz_frames_done *done);
/// Remove the list: the work is finished, and the next call repeats it.
void frz_frames_done_remove(const frz_frames_done *done);

/// Whether a frame is finished, and is still the same.
bool frz_frames_done_has(const frz_frames_done *done, const char *directory, int index);
FRZ_NODISCARD frz_status frz_frames_done_add(frz_frames_done *done, const char *directory, int index, frz_diag *diag);

/// Wall-clock seconds that the other frames take, by those that were not kept from an earlier call; < 0 while unknown.
double frz_frames_time_left(double elapsed, int done, int kept, int total);
