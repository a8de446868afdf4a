// SPDX-License-Identifier: MIT
// One frame as a static VTKHDF PolyData file (VTK file format VTKHDF 2.0).
//
// Vertices holds one single-point cell per particle, not one poly-vertex for all: filters that work on cells (threshold
// by a field, picking, extraction) then act on single particles, for 16 bytes each. An empty frame holds one cell
// without points, because readers lose their place in Offsets of the master behind a step that has no cell.
#include "io/frame_internal.h"

#include <dirent.h>
#include <fnmatch.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/memory.h"
#include "io/text_file.h"

frz_status frz_frame_path(char *path, const char *directory, int index, frz_diag *diag)
{
    return frz_path_format(path, diag, "%s/frames/frame_%06d.vtkhdf", directory, index);
}

int frz_frame_count(const char *directory)
{
    char path[FRZ_PATH_SIZE];
    int count = 0;
    // a frame has its final name only when it is complete, so that looking for names is enough
    for (;; ++count)
    {
        struct stat info;
        if (frz_frame_path(path, directory, count, NULL) != FRZ_OK)
            return count;
        if (stat(path, &info) != 0 || !S_ISREG(info.st_mode) || info.st_size == 0)
            return count;
    }
}

long frz_frame_number(const char *name)
{
    if (fnmatch("frame_[0-9]*.vtkhdf", name, 0) != 0)
        return -1;
    char *end = NULL;
    const long number = strtol(name + strlen("frame_"), &end, 10);
    return strcmp(end, ".vtkhdf") == 0 ? number : -1;
}

int frz_frame_last(const char *directory)
{
    char path[FRZ_PATH_SIZE];
    int last = -1;
    DIR *folder = frz_path_format(path, NULL, "%s/frames", directory) == FRZ_OK ? opendir(path) : NULL;
    for (const struct dirent *entry = folder != NULL ? readdir(folder) : NULL; entry != NULL; entry = readdir(folder))
    {
        const long number = frz_frame_number(entry->d_name);
        last = number > last && number < INT_MAX ? (int)number : last;
    }
    if (folder != NULL)
        closedir(folder);
    return last;
}

static void write_counts(frz_h5 *h5, hid_t group, int64_t parts, const char *name)
{
    int64_t *zeros = FRZ_ALLOC("frame", parts > 0 ? parts : 1, int64_t);
    const hsize_t dims = (hsize_t)parts;
    if (frz_h5_need(h5, zeros != NULL))
        frz_h5_dataset_write(h5, group, name, H5T_NATIVE_INT64, 1, &dims, zeros);
    frz_free(zeros);
}

void frz_vtkhdf_begin(frz_h5 *h5, hid_t root, int64_t parts, const char *filled)
{
    static const char *const topologies[] = {"Lines", "Polygons", "Strips", "Vertices"};
    if (h5->failed)
        return;
    const int version[2] = {2, 0}; // the first with PolyData and time steps, so that old readers accept it
    const hsize_t pair = 2;
    const hid_t space = H5Screate_simple(1, &pair, NULL);
    hid_t attribute = H5I_INVALID_HID;
    if (frz_h5_check(h5, space))
    {
        attribute = H5Acreate2(root, "Version", H5T_NATIVE_INT, space, H5P_DEFAULT, H5P_DEFAULT);
        if (frz_h5_check(h5, attribute))
            frz_h5_check(h5, H5Awrite(attribute, H5T_NATIVE_INT, version));
    }
    frz_h5_release(attribute);
    frz_h5_release(space);
    frz_h5_text_write(h5, root, "Type", "PolyData");
    for (int k = 0; k < 4; ++k)
    {
        if (strcmp(topologies[k], filled) == 0)
            continue;
        const hid_t group = frz_h5_group_create(h5, root, topologies[k]);
        write_counts(h5, group, parts, "NumberOfCells");
        write_counts(h5, group, parts, "NumberOfConnectivityIds");
        write_counts(h5, group, parts, "Offsets"); // Nc + 1 entries per part, here a single 0
        write_counts(h5, group, 0, "Connectivity");
        frz_h5_release(group);
    }
}

// 0, 1, 2, ..., or zeros only: the offsets of the one cell without points of an empty frame.
static void write_sequence(frz_h5 *h5, hid_t group, const char *name, int64_t rows, bool zeros)
{
    int64_t *values = FRZ_ALLOC("frame", rows > 0 ? rows : 1, int64_t);
    const hsize_t dims = (hsize_t)rows;
    if (frz_h5_need(h5, values != NULL))
    {
        for (int64_t i = 0; i < rows && !zeros; ++i)
            values[i] = i;
        frz_h5_dataset_write(h5, group, name, H5T_NATIVE_INT64, 1, &dims, values);
    }
    frz_free(values);
}

static void write_vertices(frz_h5 *h5, hid_t root, int64_t count)
{
    const int64_t cells = frz_frame_cells(count);
    const hsize_t one = 1;
    const hid_t group = frz_h5_group_create(h5, root, "Vertices");
    frz_h5_dataset_write(h5, group, "NumberOfCells", H5T_NATIVE_INT64, 1, &one, &cells);
    frz_h5_dataset_write(h5, group, "NumberOfConnectivityIds", H5T_NATIVE_INT64, 1, &one, &count);
    write_sequence(h5, group, "Offsets", cells + 1, count == 0);
    write_sequence(h5, group, "Connectivity", count, false);
    frz_h5_release(group);
}

static void write_notes(frz_h5 *h5, const frz_frame *frame)
{
    const hid_t group = frz_h5_group_create(h5, h5->file, "frazil");
    const int64_t number = frame->index;
    frz_h5_attribute_write(h5, group, "time", H5T_NATIVE_DOUBLE, &frame->time);
    frz_h5_attribute_write(h5, group, "step", H5T_NATIVE_INT64, &frame->step);
    frz_h5_attribute_write(h5, group, "frame", H5T_NATIVE_INT64, &number);
    frz_h5_text_write(h5, group, "version", FRZ_VERSION);
    frz_h5_release(group);
}

static void write_contents(frz_h5 *h5, const frz_frame *frame)
{
    const hsize_t one = 1;
    const hid_t root = frz_h5_group_create(h5, h5->file, "VTKHDF");
    frz_vtkhdf_begin(h5, root, 1, "Vertices");
    frz_h5_dataset_write(h5, root, "NumberOfPoints", H5T_NATIVE_INT64, 1, &one, &frame->count);
    frz_array_desc points = frame->position;
    points.name = "Points";
    frz_h5_array_write(h5, root, &points, NULL);
    write_vertices(h5, root, frame->count);
    const hid_t data = frz_h5_group_create(h5, root, "PointData");
    for (int k = 0; k < frame->field_count; ++k)
        frz_h5_array_write(h5, data, &frame->fields[k], NULL);
    frz_h5_release(data);
    frz_h5_release(root);
    write_notes(h5, frame);
}

// Control characters would break the index of the master; VTK forbids '/' and '.' in names.
static bool has_any_of(const char *text, const char *forbidden)
{
    for (const char *c = text; *c != '\0'; ++c)
        if ((unsigned char)*c < ' ' || strchr(forbidden, *c) != NULL)
            return true;
    return false;
}

static frz_status check_array(const frz_frame *frame, const frz_array_desc *array, frz_diag *diag)
{
    if (array->name == NULL || array->name[0] == '\0' || has_any_of(array->name, "/."))
        return frz_fail(diag, FRZ_ERR_ARGUMENT, "frame %d: the name of a field must not be empty or hold '/' or '.'",
                        frame->index);
    if (array->unit != NULL && has_any_of(array->unit, ""))
        return frz_fail(diag, FRZ_ERR_ARGUMENT, "frame %d: the unit of field '%s' holds a control character",
                        frame->index, array->name);
    if (array->rows != frame->count || array->components < 1 || array->stride < array->components ||
        (array->data == NULL && array->rows > 0))
        return frz_fail(diag, FRZ_ERR_ARGUMENT,
                        "frame %d: field '%s' (%lld rows, %d components, stride %d) does not fit %lld particles",
                        frame->index, array->name, (long long)array->rows, array->components, array->stride,
                        (long long)frame->count);
    return FRZ_OK;
}

static frz_status check_frame(const frz_frame *frame, frz_diag *diag)
{
    frz_array_desc position = frame->position;
    position.name = "position";
    FRZ_TRY(check_array(frame, &position, diag));
    const bool is_real = position.type == FRZ_F32 || position.type == FRZ_F64;
    if (frame->index < 0 || frame->count < 0 || position.components != 3 || !is_real)
        return frz_fail(diag, FRZ_ERR_ARGUMENT, "frame %d: positions must be three real numbers per particle",
                        frame->index);
    for (int k = 0; k < frame->field_count; ++k)
        FRZ_TRY(check_array(frame, &frame->fields[k], diag));
    return FRZ_OK;
}

// A user with a full disk needs to know which frames are complete.
static void add_complete_frames(frz_diag *diag, const char *directory)
{
    if (diag == NULL)
        return;
    const size_t length = strlen(diag->message);
    const int count = frz_frame_count(directory);
    if (count == 0)
        snprintf(diag->message + length, sizeof diag->message - length, "; no frame is complete");
    else if (count == 1)
        snprintf(diag->message + length, sizeof diag->message - length, "; frame 0 is complete");
    else
        snprintf(diag->message + length, sizeof diag->message - length, "; frames 0 to %d are complete", count - 1);
}

frz_status frz_frame_write(const char *directory, const frz_frame *frame, frz_diag *diag)
{
    char path[FRZ_PATH_SIZE];
    FRZ_TRY(check_frame(frame, diag));
    FRZ_TRY(frz_path_format(path, diag, "%s/frames", directory));
    FRZ_TRY(frz_folder_make(path, diag));
    FRZ_TRY(frz_frame_path(path, directory, frame->index, diag));
    frz_h5 h5;
    frz_h5_begin(&h5);
    frz_h5_create(&h5);
    write_contents(&h5, frame);
    const frz_status status = frz_h5_save(&h5, path, diag);
    frz_h5_close(&h5);
    frz_h5_end(&h5);
    if (status == FRZ_ERR_FILE)
        add_complete_frames(diag, directory);
    return status;
}
