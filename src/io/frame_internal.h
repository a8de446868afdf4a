// SPDX-License-Identifier: MIT
// Shared by the files that write, read and index frames.
#pragma once

#include "io/frame_file.h"
#include "io/h5_util.h"

/// directory/frames/frame_000012.vtkhdf into path of FRZ_PATH_SIZE bytes.
FRZ_NODISCARD frz_status frz_frame_path(char *path, const char *directory, int index, frz_diag *diag);

/// Number, time, step, count and the description (no data) of position and fields of an open frame.
void frz_frame_describe(frz_h5 *h5, frz_frame_data *out);

/// Cells in the Vertices topology of a frame: one per particle, and one without points for an empty frame.
static inline int64_t frz_frame_cells(int64_t count)
{
    return count > 0 ? count : 1;
}

/// Version, Type and the three empty topologies with parts entries each; the one that is filled ("Vertices" or
/// "Polygons") is left to the caller.
void frz_vtkhdf_begin(frz_h5 *h5, hid_t root, int64_t parts, const char *filled);

/// The master's data of a frame. Layouts are texts, one line per array: name, type, components, unit, separated by
/// tabs; the first line is the position. Few differ, so that frames keep the number of their layout.
typedef struct frz_frame_entry
{
    int64_t stamp; ///< changes whenever the file is replaced
    int64_t count, step, layout;
    double time;
} frz_frame_entry;

struct frz_frame_index
{
    frz_frame_entry *entries;
    int count;
    bool unread; ///< the update ended at a frame that exists, but could not be read this time
    int64_t room;
    char **layouts;
    int layout_count;
};

/// Entries of frames 0..frame_count-1; only new and changed files are read. Fails at the first frame that is missing,
/// damaged or unreadable at the moment (unread); the index then holds the frames before it.
FRZ_NODISCARD frz_status frz_frame_index_update(const char *directory, int frame_count, frz_frame_index *index,
                                                frz_diag *diag);

/// The arrays that every frame has with the same type and components, as descriptions without data; the first is the
/// position. Names and units point into text, which the caller owns.
FRZ_NODISCARD frz_status frz_frame_index_common(const frz_frame_index *index, frz_array_desc **arrays, int *count,
                                                char **text, frz_diag *diag);

/// Write directory/particles.xmf.
FRZ_NODISCARD frz_status frz_xdmf_write(const char *directory, const frz_frame_index *index,
                                        const frz_array_desc *arrays, int array_count, frz_diag *diag);
