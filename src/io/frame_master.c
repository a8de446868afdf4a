// SPDX-License-Identifier: MIT
// The temporal master: one VTKHDF file over all frames, by virtual datasets that point into the frame files.
//
// Its cost grows with the number of frames (about 1.4 s for 10 000 frames of ten fields), hence frz_frame_master_due.
#include "io/frame_internal.h"

#include <malloc.h>
#include <stdio.h>
#include <unistd.h>

#include "base/memory.h"

enum
{
    source_name_size = 64, // bytes of "frames/frame_000000.vtkhdf" and of the longest number
    always_up_to = 100,    // frames up to which the master is rebuilt after each one
    topology_count = 4     // Vertices, Lines, Polygons, Strips
};

bool frz_frame_master_due(int frame_count)
{
    // beyond that every further percent, so that all rebuilds of a run together cost a fixed multiple of the last
    return frame_count <= always_up_to || frame_count % (frame_count / always_up_to) == 0;
}

typedef int64_t rows_fn(const frz_frame_entry *entry);

static int64_t point_rows(const frz_frame_entry *entry)
{
    return entry->count;
}

static int64_t cell_rows(const frz_frame_entry *entry)
{
    return frz_frame_cells(entry->count);
}

static int64_t offset_rows(const frz_frame_entry *entry)
{
    return frz_frame_cells(entry->count) + 1;
}

static int64_t one_row(const frz_frame_entry *entry)
{
    (void)entry;
    return 1;
}

// Map the rows of one frame into the virtual dataset.
static void map_frame(frz_h5 *h5, hid_t list, hid_t space, int frame, int64_t first, const hsize_t *dims, int rank,
                      const char *source)
{
    char file[source_name_size];
    snprintf(file, sizeof file, "frames/frame_%06d.vtkhdf", frame); // relative to the folder of the master
    const hsize_t start[2] = {(hsize_t)first, 0};
    const hid_t source_space = H5Screate_simple(rank, dims, NULL);
    if (frz_h5_check(h5, source_space) &&
        frz_h5_check(h5, H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, dims, NULL)))
        frz_h5_check(h5, H5Pset_virtual(list, space, file, source, source_space));
    frz_h5_release(source_space);
}

// The dataset parent/name as all frames' datasets source, one after the other.
static void write_virtual(frz_h5 *h5, hid_t parent, const frz_array_desc *array, const char *source,
                          const frz_frame_index *index, rows_fn *rows_of)
{
    if (h5->failed)
        return;
    const int rank = array->components > 1 ? 2 : 1;
    hsize_t dims[2] = {0, (hsize_t)array->components};
    for (int i = 0; i < index->count; ++i)
        dims[0] += (hsize_t)rows_of(&index->entries[i]);
    const hid_t type = frz_h5_native_type(array->type);
    if (dims[0] == 0)
    {
        frz_h5_dataset_write(h5, parent, array->name, type, rank, dims, NULL);
        return;
    }
    const hid_t space = H5Screate_simple(rank, dims, NULL);
    frz_h5_check(h5, space);
    const hid_t list = frz_h5_creation_list(h5, H5P_DATASET_CREATE);
    int64_t first = 0;
    for (int i = 0; i < index->count && !h5->failed; ++i)
    {
        const int64_t rows = rows_of(&index->entries[i]);
        const hsize_t part[2] = {(hsize_t)rows, (hsize_t)array->components};
        if (rows > 0)
            map_frame(h5, list, space, i, first, part, rank, source);
        first += rows;
    }
    hid_t dataset = H5I_INVALID_HID;
    if (!h5->failed && frz_h5_check(h5, H5Sselect_all(space)))
    {
        dataset = H5Dcreate2(parent, array->name, type, space, H5P_DEFAULT, list, H5P_DEFAULT);
        frz_h5_check(h5, dataset);
    }
    if (array->unit != NULL)
        frz_h5_text_write(h5, dataset, "unit", array->unit);
    frz_h5_release(dataset);
    frz_h5_release(list);
    frz_h5_release(space);
}

typedef enum table_kind
{
    EACH_STEP, // the value of each step
    RUNNING    // the sum over the steps before
} table_kind;

// One int64 per step, or one row of columns per step of which all but the first are 0 (the empty topologies).
static void write_steps(frz_h5 *h5, hid_t parent, const char *name, const frz_frame_index *index, rows_fn *value_of,
                        table_kind kind, int columns)
{
    int64_t *table = FRZ_ALLOC("frame index", index->count * columns, int64_t);
    if (frz_h5_need(h5, table != NULL))
    {
        int64_t running = 0;
        for (int i = 0; i < index->count; ++i)
        {
            const int64_t value = value_of(&index->entries[i]);
            table[(ptrdiff_t)i * columns] = kind == RUNNING ? running : value;
            running += value;
        }
        const hsize_t dims[2] = {(hsize_t)index->count, (hsize_t)columns};
        frz_h5_dataset_write(h5, parent, name, H5T_NATIVE_INT64, columns > 1 ? 2 : 1, dims, table);
    }
    frz_free(table);
}

static void write_times(frz_h5 *h5, hid_t steps, const frz_frame_index *index)
{
    double *times = FRZ_ALLOC("frame index", index->count, double);
    if (frz_h5_need(h5, times != NULL))
    {
        for (int i = 0; i < index->count; ++i)
            times[i] = index->entries[i].time;
        const hsize_t dims = (hsize_t)index->count;
        frz_h5_dataset_write(h5, steps, "Values", H5T_NATIVE_DOUBLE, 1, &dims, times);
    }
    frz_free(times);
}

static void write_steps_group(frz_h5 *h5, hid_t root, const frz_frame_index *index, const frz_array_desc *arrays,
                              int array_count)
{
    const hid_t steps = frz_h5_group_create(h5, root, "Steps");
    frz_h5_attribute_write(h5, steps, "NSteps", H5T_NATIVE_INT, &index->count);
    write_times(h5, steps, index);
    write_steps(h5, steps, "PartOffsets", index, one_row, RUNNING, 1);
    write_steps(h5, steps, "NumberOfParts", index, one_row, EACH_STEP, 1);
    write_steps(h5, steps, "PointOffsets", index, point_rows, RUNNING, 1);
    write_steps(h5, steps, "CellOffsets", index, cell_rows, RUNNING, topology_count);
    write_steps(h5, steps, "ConnectivityIdOffsets", index, point_rows, RUNNING, topology_count);
    const hid_t offsets = frz_h5_group_create(h5, steps, "PointDataOffsets");
    for (int k = 1; k < array_count; ++k)
        write_steps(h5, offsets, arrays[k].name, index, point_rows, RUNNING, 1);
    frz_h5_release(offsets);
    frz_h5_release(steps);
}

static void write_vertices(frz_h5 *h5, hid_t root, const frz_frame_index *index)
{
    const frz_array_desc offsets = {.name = "Offsets", .type = FRZ_I64, .components = 1};
    const frz_array_desc connectivity = {.name = "Connectivity", .type = FRZ_I64, .components = 1};
    const hid_t group = frz_h5_group_create(h5, root, "Vertices");
    write_steps(h5, group, "NumberOfCells", index, cell_rows, EACH_STEP, 1);
    write_steps(h5, group, "NumberOfConnectivityIds", index, point_rows, EACH_STEP, 1);
    write_virtual(h5, group, &offsets, "/VTKHDF/Vertices/Offsets", index, offset_rows);
    write_virtual(h5, group, &connectivity, "/VTKHDF/Vertices/Connectivity", index, point_rows);
    frz_h5_release(group);
}

static void write_fields(frz_h5 *h5, hid_t root, const frz_frame_index *index, const frz_array_desc *arrays,
                         int array_count)
{
    frz_array_desc points = arrays[0];
    points.name = "Points";
    write_virtual(h5, root, &points, "/VTKHDF/Points", index, point_rows);
    const hid_t data = frz_h5_group_create(h5, root, "PointData");
    for (int k = 1; k < array_count; ++k)
    {
        char source[FRZ_PATH_SIZE];
        snprintf(source, sizeof source, "/VTKHDF/PointData/%s", arrays[k].name);
        write_virtual(h5, data, &arrays[k], source, index, point_rows);
    }
    frz_h5_release(data);
}

// A master takes about 30 kB per frame while it is built. HDF5 keeps this memory for the next one, which is larger, and
// the C library keeps the memory that HDF5 frees: a run would grow with every frame.
static void give_back_memory(void)
{
    (void)H5garbage_collect();
#ifdef __GLIBC__
    (void)malloc_trim(0);
#endif
}

static frz_status write_master(const char *directory, const frz_frame_index *index, const frz_array_desc *arrays,
                               int array_count, frz_diag *diag)
{
    char path[FRZ_PATH_SIZE];
    FRZ_TRY(frz_path_format(path, diag, "%s/particles.vtkhdf", directory));
    frz_h5 h5;
    frz_h5_begin(&h5);
    frz_h5_create(&h5);
    const hid_t root = frz_h5_group_create(&h5, h5.file, "VTKHDF");
    frz_vtkhdf_begin(&h5, root, index->count, "Vertices");
    write_steps(&h5, root, "NumberOfPoints", index, point_rows, EACH_STEP, 1);
    write_vertices(&h5, root, index);
    write_fields(&h5, root, index, arrays, array_count);
    write_steps_group(&h5, root, index, arrays, array_count);
    frz_h5_release(root);
    const frz_status status = frz_h5_save(&h5, path, diag);
    frz_h5_close(&h5);
    frz_h5_end(&h5);
    give_back_memory();
    return status;
}

// Without frames there is nothing to show, and masters of an earlier run would point to files that are gone.
static frz_status remove_masters(const char *directory, frz_diag *diag)
{
    static const char *const names[] = {"particles.vtkhdf", "particles.xmf"};
    for (int k = 0; k < 2; ++k)
    {
        char path[FRZ_PATH_SIZE];
        FRZ_TRY(frz_path_format(path, diag, "%s/%s", directory, names[k]));
        unlink(path); // most often not there
    }
    return FRZ_OK;
}

frz_status frz_frame_write_master(const char *directory, int frame_count, frz_frame_index *index, int *complete,
                                  frz_diag *diag)
{
    *complete = 0;
    const frz_status known = frame_count > 0 ? frz_frame_index_update(directory, frame_count, index, diag) : FRZ_OK;
    if (known == FRZ_ERR_MEMORY || (known != FRZ_OK && index->unread))
    {
        *complete = -1;
        return known;
    }
    if (frame_count <= 0 || index->count == 0)
        return remove_masters(directory, diag);
    frz_array_desc *arrays = NULL;
    char *text = NULL;
    int array_count = 0;
    frz_status status = frz_frame_index_common(index, &arrays, &array_count, &text, diag);
    if (status == FRZ_OK)
        status = write_master(directory, index, arrays, array_count, diag);
    if (status == FRZ_OK)
        status = frz_xdmf_write(directory, index, arrays, array_count, diag);
    frz_free(arrays);
    frz_free(text);
    *complete = index->count;
    return status;
}
