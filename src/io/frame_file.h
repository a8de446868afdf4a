// SPDX-License-Identifier: MIT
// One HDF5 file per frame (VTKHDF PolyData), a temporal master over all frames, and the XDMF twin of the master.
//
// Every file is written under a temporary name in the same folder, flushed to disk and renamed, so that a reader (or a
// killed process) sees either the old complete file or the new complete file.
#pragma once

#include "base/array_desc.h"
#include "base/fail.h"

typedef struct frz_frame
{
    int index; ///< frame number, from 0
    int64_t step;
    double time; ///< s
    int64_t count;
    frz_array_desc position; ///< 3 components
    const frz_array_desc *fields;
    int field_count;
} frz_frame;

/// Write directory/frames/frame_000000.vtkhdf (folder is made if missing).
FRZ_NODISCARD frz_status frz_frame_write(const char *directory, const frz_frame *frame, frz_diag *diag);

/// Index of the frames of a run, so that each is opened once.
typedef struct frz_frame_index frz_frame_index;

FRZ_NODISCARD frz_status frz_frame_index_create(frz_frame_index **out, frz_diag *diag);
/// Accepts null, leaves null.
void frz_frame_index_destroy(frz_frame_index **index);

/// Rebuild directory/particles.vtkhdf (virtual datasets over the frames) and directory/particles.xmf from the complete
/// frames 0..frame_count-1 found in directory/frames. Frame counts of particles may differ from frame to frame.
/// *complete gets the number of frames that they cover: up to the first that is missing or damaged, which diag then
/// names. It fails with *complete -1, and writes nothing, when a frame is there but cannot be read at the moment.
FRZ_NODISCARD frz_status frz_frame_write_master(const char *directory, int frame_count, frz_frame_index *index,
                                                int *complete, frz_diag *diag);

/// Whether to rebuild the master after frame number frame_count - 1: always up to 100 frames, then at every percent
/// more (its cost grows with the number of frames). Rebuild at the end of a run in any case.
bool frz_frame_master_due(int frame_count);

/// Number of consecutive complete frames (0, 1, 2, ...) in a run directory; incomplete files are ignored.
int frz_frame_count(const char *directory);
/// Number of a frame by the name of its file, or -1.
long frz_frame_number(const char *name);
/// The largest number of a frame in the folder, behind gaps too; -1: none.
int frz_frame_last(const char *directory);

/// A frame read back; owns its arrays.
typedef struct frz_frame_data
{
    frz_frame frame;
    void *owned;
} frz_frame_data;

FRZ_NODISCARD frz_status frz_frame_read(const char *directory, int index, frz_frame_data *out, frz_diag *diag);
void frz_frame_data_destroy(frz_frame_data *data);
