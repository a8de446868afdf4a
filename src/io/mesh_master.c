// SPDX-License-Identifier: MIT
// All frames of a surface as one VTKHDF file with time steps, by virtual datasets that point into the files of the
// frames. A frame without triangles of the surface is a step of one cell without points: readers find the first of the
// offsets of a step by counting the cells before it, and so miss steps without cells.
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/memory.h"
#include "io/frame_internal.h"
#include "io/mesh_file.h"

enum
{
    name_size = 160,    // bytes of the name of a surface
    file_size = 192,    // of that of a file
    digits = 6,         // of the number of a frame
    most_arrays = 64,   // of the vertices
    topology_count = 4, // Vertices, Lines, Polygons, Strips
    polygon_column = 2  // of the topologies
};

/// A file of the folder; frames of one surface follow each other.
typedef struct entry
{
    char name[name_size];
    int frame;
    int64_t points, triangles;
} entry;

typedef struct entry_list
{
    int count;
    int64_t room;
    entry *items;
} entry_list;

/// Sources of the virtual datasets: one step per frame of the folder, of which some lack the surface.
typedef struct series
{
    const char *name;
    int step_count;
    const int *frames;     ///< of the steps
    const entry **of_step; ///< null: not there
    const entry *first;    ///< a file that is there
    int array_count;
    frz_array_desc arrays[most_arrays];
    char names[most_arrays][64];
} series;

// ---- the folder

/// "water_000012.vtkhdf": the name and the number.
static bool read_name(const char *file, entry *out)
{
    static const char ending[] = ".vtkhdf";
    const size_t length = strlen(file), tail = digits + 1 + sizeof ending - 1;
    if (length <= tail || length - tail >= name_size || strcmp(file + length - (sizeof ending - 1), ending) != 0)
        return false;
    const char *number = file + length - tail;
    if (*number != '_' || strchr(file, '%') != NULL) // which would be a pattern in the name of a source
        return false;
    for (int k = 1; k <= digits; ++k)
        if (!isdigit((unsigned char)number[k]))
            return false;
    *out = (entry){.frame = (int)strtol(number + 1, NULL, 10)};
    memcpy(out->name, file, length - tail);
    return true;
}

static int compare_entries(const void *a, const void *b)
{
    const entry *x = a, *y = b;
    const int order = strcmp(x->name, y->name);
    return order != 0 ? order : (x->frame > y->frame) - (x->frame < y->frame);
}

static frz_status list_files(const char *directory, entry_list *list, frz_diag *diag)
{
    DIR *folder = opendir(directory);
    if (folder == NULL)
        return frz_fail_file(diag, "open the folder", directory, errno);
    bool complete = true;
    for (const struct dirent *file = readdir(folder); file != NULL && complete; file = readdir(folder))
    {
        entry found;
        if (!read_name(file->d_name, &found))
            continue;
        entry *grown = frz_grow("surface files", list->items, &list->room, list->count + 1, frz_grow_spare(list->count),
                                sizeof *list->items);
        complete = grown != NULL;
        if (complete)
        {
            list->items = grown;
            list->items[list->count++] = found;
        }
    }
    (void)closedir(folder);
    if (!complete)
        return frz_fail_memory(diag, "the list of surfaces");
    if (list->count > 0)
        qsort(list->items, (size_t)list->count, sizeof *list->items, compare_entries);
    return FRZ_OK;
}

static int64_t read_count(frz_h5 *h5, hid_t root, const char *name)
{
    int64_t value = 0;
    const hid_t dataset = frz_h5_dataset_open(h5, root, name);
    if (!h5->failed)
        frz_h5_check(h5, H5Dread(dataset, H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, &value));
    frz_h5_release(dataset);
    return value;
}

/// The arrays of the vertices in an open file.
static void describe_arrays(frz_h5 *h5, hid_t root, series *out)
{
    const hid_t data = frz_h5_group_open(h5, root, "PointData");
    hsize_t count = 0;
    H5G_info_t info;
    if (!h5->failed && frz_h5_check(h5, H5Gget_info(data, &info)))
        count = info.nlinks;
    for (hsize_t k = 0; k < count && !h5->failed && out->array_count < most_arrays; ++k)
    {
        char *name = out->names[out->array_count];
        const int64_t length =
            H5Lget_name_by_idx(data, ".", H5_INDEX_NAME, H5_ITER_INC, k, name, sizeof out->names[0], H5P_DEFAULT);
        if (!frz_h5_check(h5, length) || length >= (int64_t)sizeof out->names[0])
            continue;
        const hid_t dataset = frz_h5_dataset_open(h5, data, name);
        frz_array_desc *array = &out->arrays[out->array_count];
        frz_h5_array_describe(h5, dataset, array);
        array->name = name;
        array->unit = NULL;
        out->array_count += h5->failed ? 0 : 1;
        frz_h5_release(dataset);
    }
    frz_h5_release(data);
}

/// Counts of a file, and its arrays if out is not null.
static frz_status read_file(const char *directory, entry *file, series *out, frz_diag *diag)
{
    char path[FRZ_PATH_SIZE];
    FRZ_TRY(frz_path_format(path, diag, "%s/%s_%06d.vtkhdf", directory, file->name, file->frame));
    frz_h5 h5;
    frz_h5_begin(&h5);
    frz_h5_open(&h5, path, FRZ_H5_MAGIC);
    const hid_t root = frz_h5_group_open(&h5, h5.file, "VTKHDF");
    file->points = read_count(&h5, root, "NumberOfPoints");
    const hid_t polygons = frz_h5_group_open(&h5, root, "Polygons");
    file->triangles = read_count(&h5, polygons, "NumberOfCells");
    frz_h5_release(polygons);
    if (out != NULL)
        describe_arrays(&h5, root, out);
    frz_h5_release(root);
    const frz_status status =
        h5.failed ? frz_fail(diag, FRZ_ERR_FILE, "cannot read %.300s: %.100s", path, h5.reason) : FRZ_OK;
    frz_h5_close(&h5);
    frz_h5_end(&h5);
    return status;
}

// ---- the file of all frames

typedef int64_t rows_fn(const entry *file);

static int64_t point_rows(const entry *file)
{
    return file != NULL ? file->points : 0;
}

static int64_t triangle_rows(const entry *file)
{
    return file != NULL ? file->triangles : 0;
}

static int64_t cell_rows(const entry *file)
{
    return triangle_rows(file) > 0 ? triangle_rows(file) : 1;
}

static int64_t offset_rows(const entry *file)
{
    return cell_rows(file) + 1;
}

static int64_t corner_rows(const entry *file)
{
    return 3 * triangle_rows(file);
}

static int64_t one_row(const entry *file)
{
    (void)file;
    return 1;
}

/// The first of the rows that a dataset of a file has become rows of the virtual one, from a place on.
static void map_rows(frz_h5 *h5, hid_t list, hid_t space, const entry *file, const char *source, int64_t has,
                     int64_t place, const hsize_t *dims, int rank)
{
    char name[file_size];
    snprintf(name, sizeof name, "%s_%06d.vtkhdf", file->name, file->frame); // relative to the folder of the master
    const hsize_t start[2] = {(hsize_t)place, 0}, none[2] = {0, 0}, whole[2] = {(hsize_t)has, dims[1]};
    const hid_t from = H5Screate_simple(rank, whole, NULL);
    if (frz_h5_check(h5, from) && frz_h5_check(h5, H5Sselect_hyperslab(from, H5S_SELECT_SET, none, NULL, dims, NULL)) &&
        frz_h5_check(h5, H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, dims, NULL)))
        frz_h5_check(h5, H5Pset_virtual(list, space, name, source, from));
    frz_h5_release(from);
}

/// The offsets of a cell without points: twice the first of any file, which is 0.
static void map_empty_cell(frz_h5 *h5, hid_t list, hid_t space, const series *s, const char *source, int64_t place)
{
    const hsize_t one[2] = {1, 1};
    for (int k = 0; k < 2; ++k)
        map_rows(h5, list, space, s->first, source, s->first->triangles + 1, place + k, one, 1);
}

static void write_virtual(frz_h5 *h5, hid_t parent, const char *name, frz_dtype type, int components,
                          const char *source, const series *s, rows_fn *rows_of)
{
    const int rank = components > 1 ? 2 : 1;
    hsize_t dims[2] = {0, (hsize_t)components};
    for (int k = 0; k < s->step_count; ++k)
        dims[0] += (hsize_t)rows_of(s->of_step[k]);
    if (dims[0] == 0)
    {
        frz_h5_dataset_write(h5, parent, name, frz_h5_native_type(type), rank, dims, NULL);
        return;
    }
    const hid_t space = H5Screate_simple(rank, dims, NULL);
    frz_h5_check(h5, space);
    const hid_t list = frz_h5_creation_list(h5, H5P_DATASET_CREATE);
    int64_t first = 0;
    for (int k = 0; k < s->step_count && !h5->failed; ++k)
    {
        const int64_t rows = rows_of(s->of_step[k]);
        const hsize_t part[2] = {(hsize_t)rows, (hsize_t)components};
        if (rows_of == offset_rows && triangle_rows(s->of_step[k]) == 0)
            map_empty_cell(h5, list, space, s, source, first);
        else if (rows > 0)
            map_rows(h5, list, space, s->of_step[k], source, rows, first, part, rank);
        first += rows;
    }
    hid_t dataset = H5I_INVALID_HID;
    if (!h5->failed && frz_h5_check(h5, H5Sselect_all(space)))
    {
        dataset = H5Dcreate2(parent, name, frz_h5_native_type(type), space, H5P_DEFAULT, list, H5P_DEFAULT);
        frz_h5_check(h5, dataset);
    }
    frz_h5_release(dataset);
    frz_h5_release(list);
    frz_h5_release(space);
}

/// One number per step, or those before it added up, in a column of a table.
static void write_table(frz_h5 *h5, hid_t parent, const char *name, const series *s, rows_fn *value_of, bool running,
                        int columns)
{
    int64_t *table = FRZ_ALLOC("surface steps", (int64_t)s->step_count * columns, int64_t);
    if (frz_h5_need(h5, table != NULL))
    {
        int64_t sum = 0;
        for (int k = 0; k < s->step_count; ++k)
        {
            const int64_t value = value_of(s->of_step[k]);
            table[(int64_t)k * columns + (columns > 1 ? polygon_column : 0)] = running ? sum : value;
            sum += value;
        }
        const hsize_t dims[2] = {(hsize_t)s->step_count, (hsize_t)columns};
        frz_h5_dataset_write(h5, parent, name, H5T_NATIVE_INT64, columns > 1 ? 2 : 1, dims, table);
    }
    frz_free(table);
}

static void write_steps(frz_h5 *h5, hid_t root, const series *s, double frame_rate)
{
    double *times = FRZ_ALLOC("surface steps", s->step_count, double);
    const hsize_t count = (hsize_t)s->step_count;
    const hid_t steps = frz_h5_group_create(h5, root, "Steps");
    frz_h5_attribute_write(h5, steps, "NSteps", H5T_NATIVE_INT, &s->step_count);
    if (frz_h5_need(h5, times != NULL))
    {
        for (int k = 0; k < s->step_count; ++k)
            times[k] = s->frames[k] / frame_rate;
        frz_h5_dataset_write(h5, steps, "Values", H5T_NATIVE_DOUBLE, 1, &count, times);
    }
    write_table(h5, steps, "PartOffsets", s, one_row, true, 1);
    write_table(h5, steps, "NumberOfParts", s, one_row, false, 1);
    write_table(h5, steps, "PointOffsets", s, point_rows, true, 1);
    write_table(h5, steps, "CellOffsets", s, cell_rows, true, topology_count);
    write_table(h5, steps, "ConnectivityIdOffsets", s, corner_rows, true, topology_count);
    const hid_t offsets = frz_h5_group_create(h5, steps, "PointDataOffsets");
    for (int k = 0; k < s->array_count; ++k)
        write_table(h5, offsets, s->arrays[k].name, s, point_rows, true, 1);
    frz_h5_release(offsets);
    frz_h5_release(steps);
    frz_free(times);
}

static frz_status write_series(const char *directory, const series *s, double frame_rate, frz_diag *diag)
{
    char path[FRZ_PATH_SIZE], source[FRZ_PATH_SIZE];
    FRZ_TRY(frz_path_format(path, diag, "%s/%s.vtkhdf", directory, s->name));
    frz_h5 h5;
    frz_h5_begin(&h5);
    frz_h5_create(&h5);
    const hid_t root = frz_h5_group_create(&h5, h5.file, "VTKHDF");
    frz_vtkhdf_begin(&h5, root, s->step_count, "Polygons");
    write_table(&h5, root, "NumberOfPoints", s, point_rows, false, 1);
    write_virtual(&h5, root, "Points", FRZ_F64, 3, "/VTKHDF/Points", s, point_rows);
    const hid_t polygons = frz_h5_group_create(&h5, root, "Polygons");
    write_table(&h5, polygons, "NumberOfCells", s, cell_rows, false, 1);
    write_table(&h5, polygons, "NumberOfConnectivityIds", s, corner_rows, false, 1);
    write_virtual(&h5, polygons, "Offsets", FRZ_I64, 1, "/VTKHDF/Polygons/Offsets", s, offset_rows);
    write_virtual(&h5, polygons, "Connectivity", FRZ_I64, 1, "/VTKHDF/Polygons/Connectivity", s, corner_rows);
    frz_h5_release(polygons);
    const hid_t data = frz_h5_group_create(&h5, root, "PointData");
    for (int k = 0; k < s->array_count; ++k)
    {
        snprintf(source, sizeof source, "/VTKHDF/PointData/%s", s->arrays[k].name);
        write_virtual(&h5, data, s->arrays[k].name, s->arrays[k].type, s->arrays[k].components, source, s, point_rows);
    }
    frz_h5_release(data);
    write_steps(&h5, root, s, frame_rate);
    frz_h5_release(root);
    const frz_status status = frz_h5_save(&h5, path, diag);
    frz_h5_close(&h5);
    frz_h5_end(&h5);
    return status;
}

/// One surface: its files in the list, count of them from first on.
static frz_status make_series(const char *directory, entry *files, int count, const int *frames, int frame_count,
                              double frame_rate, frz_diag *diag)
{
    series *s = FRZ_ALLOC("surface steps", 1, series);
    const entry **of_step = FRZ_ALLOC("surface steps", frame_count, const entry *);
    frz_status status = s != NULL && of_step != NULL ? FRZ_OK : frz_fail_memory(diag, "the steps of a surface");
    if (status == FRZ_OK)
        *s = (series){
            .name = files[0].name, .step_count = frame_count, .frames = frames, .of_step = of_step, .first = &files[0]};
    for (int k = 0; k < count && status == FRZ_OK; ++k)
        status = read_file(directory, &files[k], k == 0 ? s : NULL, diag);
    for (int k = 0, f = 0; k < frame_count && status == FRZ_OK; ++k)
        if (f < count && files[f].frame == frames[k])
            of_step[k] = &files[f++];
    if (status == FRZ_OK)
        status = write_series(directory, s, frame_rate, diag);
    frz_free((void *)of_step);
    frz_free(s);
    return status;
}

static int compare_ints(const void *a, const void *b)
{
    const int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

/// The frames that any surface has, each once, ascending.
static int *list_frames(const entry_list *list, int *count)
{
    int *frames = FRZ_ALLOC("surface steps", list->count + 1, int);
    *count = 0;
    if (frames == NULL)
        return NULL;
    for (int k = 0; k < list->count; ++k)
        frames[k] = list->items[k].frame;
    qsort(frames, (size_t)list->count, sizeof *frames, compare_ints);
    for (int k = 0; k < list->count; ++k)
        if (*count == 0 || frames[*count - 1] != frames[k])
            frames[(*count)++] = frames[k];
    return frames;
}

frz_status frz_mesh_write_masters(const char *directory, double frame_rate, frz_diag *diag)
{
    entry_list list = {0};
    int frame_count = 0;
    frz_status status = list_files(directory, &list, diag);
    int *frames = status == FRZ_OK ? list_frames(&list, &frame_count) : NULL;
    if (status == FRZ_OK && frames == NULL)
        status = frz_fail_memory(diag, "the steps of a surface");
    for (int first = 0, next; first < list.count && status == FRZ_OK; first = next)
    {
        for (next = first + 1; next < list.count && strcmp(list.items[next].name, list.items[first].name) == 0;)
            ++next;
        if (next - first > 1) // a surface that does not move has one file
            status = make_series(directory, list.items + first, next - first, frames, frame_count, frame_rate, diag);
    }
    frz_free(frames);
    frz_free(list.items);
    return status;
}
