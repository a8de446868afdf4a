// SPDX-License-Identifier: MIT
// What the master must know of all frames, without opening thousands of files each time.
//
// The master carries an index of its frames (group /frazil/index, which other readers ignore). A frame is looked into
// only if its file changed since: name, inode, size and time of change tell.
#include "io/frame_internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/memory.h"
#include "io/checksum.h"
#include "io/text_builder.h"

enum
{
    table_columns = 4 // stamp, count, step, layout
};

static const char *const dtype_names[] = {
    [FRZ_F32] = "f32", [FRZ_F64] = "f64", [FRZ_I32] = "i32", [FRZ_I64] = "i64", [FRZ_U8] = "u8"};

void frz_frame_index_destroy(frz_frame_index *index)
{
    for (int k = 0; k < index->layout_count; ++k)
        frz_free(index->layouts[k]);
    frz_free(index->layouts);
    frz_free(index->entries);
    *index = (frz_frame_index){0};
}

static bool stamp_of(const char *path, int64_t *stamp)
{
    struct stat info;
    if (stat(path, &info) != 0)
        return false;
    const int64_t parts[] = {(int64_t)info.st_ino, (int64_t)info.st_size, (int64_t)info.st_mtim.tv_sec,
                             (int64_t)info.st_mtim.tv_nsec};
    *stamp = (int64_t)frz_checksum(FRZ_CHECKSUM_START, parts, sizeof parts);
    return true;
}

// Number of a layout, added if it is new; -1 when memory ran short.
static int layout_number(frz_frame_index *index, const char *text)
{
    for (int k = index->layout_count - 1; k >= 0; --k) // newest first: neighbours in time are alike
        if (strcmp(index->layouts[k], text) == 0)
            return k;
    char **larger = frz_realloc("frame index", index->layouts, (size_t)index->layout_count + 1, sizeof(char *));
    if (larger == NULL)
        return -1;
    index->layouts = larger;
    larger[index->layout_count] = frz_strdup(text);
    if (larger[index->layout_count] == NULL)
        return -1;
    return index->layout_count++;
}

static void add_line(frz_text_builder *builder, const frz_array_desc *array)
{
    frz_text_add(builder, "%s\t%s\t%d\t%s\n", array->name, dtype_names[array->type], array->components, array->unit);
}

static frz_status look_into(frz_frame_index *index, int number, const char *path, frz_diag *diag)
{
    frz_h5 h5;
    frz_frame_data data = {0};
    frz_text_builder layout = {0};
    frz_frame_entry *entry = &index->entries[number];
    frz_h5_begin(&h5);
    frz_h5_open(&h5, path);
    if (!h5.failed)
        frz_frame_describe(&h5, &data);
    if (!h5.failed)
    {
        add_line(&layout, &data.frame.position);
        for (int k = 0; k < data.frame.field_count; ++k)
            add_line(&layout, &data.frame.fields[k]);
        entry->count = data.frame.count;
        entry->step = data.frame.step;
        entry->time = data.frame.time;
        entry->layout = layout.failed ? -1 : layout_number(index, layout.text);
        frz_h5_require(&h5, entry->layout >= 0, "memory ran short");
    }
    frz_text_builder_destroy(&layout);
    frz_frame_data_destroy(&data);
    frz_h5_close(&h5);
    frz_h5_end(&h5);
    return h5.failed ? frz_fail(diag, FRZ_ERR_FILE, "cannot read %s: %s", path, h5.reason) : FRZ_OK;
}

// Read a whole dataset of the stored index; null when it is not there or not of that form.
static void *read_table(frz_h5 *h5, hid_t group, const char *name, frz_dtype type, int components, int64_t *rows)
{
    frz_array_desc table = {.name = name};
    const hid_t dataset = frz_h5_dataset_open(h5, group, name);
    frz_h5_array_describe(h5, dataset, &table);
    frz_h5_require(h5, table.type == type && table.components == components && (*rows < 0 || *rows == table.rows),
                   "the index has another form");
    if (!h5->failed)
    {
        table.data = frz_alloc("frame index", (size_t)table.rows + 1, frz_dtype_size(type) * (size_t)components);
        frz_h5_require(h5, table.data != NULL, "memory ran short");
        frz_h5_array_read(h5, dataset, &table, NULL);
        *rows = table.rows;
    }
    frz_h5_release(dataset);
    return table.data;
}

static bool split_layouts(frz_frame_index *index, const char *text, int64_t length)
{
    for (const char *at = text; at < text + length; at += strlen(at) + 1)
        if (layout_number(index, at) < 0)
            return false;
    return true;
}

// The index of the last master, or an empty one: it only saves work, so that no failure matters here.
static frz_frame_index load_stored(const char *directory)
{
    frz_frame_index index = {0};
    char path[FRZ_PATH_SIZE];
    if (frz_path_format(path, NULL, "%s/particles.vtkhdf", directory) != FRZ_OK)
        return index;
    frz_h5 h5;
    int64_t rows = -1;
    int64_t length = -1;
    frz_h5_begin(&h5);
    frz_h5_open(&h5, path);
    const hid_t group = frz_h5_group_open(&h5, h5.file, "frazil/index");
    int64_t *table = read_table(&h5, group, "table", FRZ_I64, table_columns, &rows);
    double *times = read_table(&h5, group, "time", FRZ_F64, 1, &rows);
    char *text = read_table(&h5, group, "layouts", FRZ_U8, 1, &length);
    frz_h5_release(group);
    frz_h5_close(&h5);
    frz_h5_end(&h5);
    if (!h5.failed && rows <= INT32_MAX)
        index.entries = FRZ_ALLOC("frame index", rows + 1, frz_frame_entry);
    if (index.entries != NULL && split_layouts(&index, text, length))
    {
        for (int64_t i = 0; i < rows; ++i)
        {
            const int64_t *row = table + i * table_columns;
            index.entries[i] = (frz_frame_entry){row[0], row[1], row[2], row[3], times[i]};
        }
        index.count = (int)rows;
    }
    frz_free(table);
    frz_free(times);
    frz_free(text);
    return index;
}

static frz_status add_entry(const char *directory, frz_frame_index *index, const frz_frame_index *stored, int number,
                            frz_diag *diag)
{
    char path[FRZ_PATH_SIZE];
    FRZ_TRY(frz_frame_path(path, directory, number, diag));
    frz_frame_entry *entry = &index->entries[number];
    if (!stamp_of(path, &entry->stamp))
        return frz_fail_file(diag, "read", path, errno);
    if (number < stored->count && stored->entries[number].stamp == entry->stamp &&
        stored->entries[number].layout >= 0 && stored->entries[number].layout < stored->layout_count)
    {
        *entry = stored->entries[number];
        entry->layout = layout_number(index, stored->layouts[entry->layout]);
        return entry->layout >= 0 ? FRZ_OK : frz_fail_memory(diag, "the index of frames");
    }
    return look_into(index, number, path, diag);
}

frz_status frz_frame_index_build(const char *directory, int frame_count, frz_frame_index *index, frz_diag *diag)
{
    *index = (frz_frame_index){0};
    index->entries = FRZ_ALLOC("frame index", frame_count, frz_frame_entry);
    if (index->entries == NULL)
        return frz_fail_memory(diag, "the index of frames");
    index->count = frame_count;
    frz_frame_index stored = load_stored(directory);
    frz_status status = FRZ_OK;
    for (int k = 0; k < frame_count && status == FRZ_OK; ++k)
        status = add_entry(directory, index, &stored, k, diag);
    frz_frame_index_destroy(&stored);
    if (status != FRZ_OK)
        frz_frame_index_destroy(index);
    return status;
}

void frz_frame_index_write(frz_h5 *h5, const frz_frame_index *index)
{
    frz_text_builder text = {0};
    for (int k = 0; k < index->layout_count; ++k)
        frz_text_add(&text, "%s%c", index->layouts[k], '\0');
    int64_t *table = FRZ_ALLOC("frame index", index->count * table_columns, int64_t);
    double *times = FRZ_ALLOC("frame index", index->count, double);
    const hid_t notes = frz_h5_group_create(h5, h5->file, "frazil");
    const hid_t group = frz_h5_group_create(h5, notes, "index");
    if (frz_h5_require(h5, table != NULL && times != NULL && !text.failed, "memory ran short"))
    {
        for (int i = 0; i < index->count; ++i)
        {
            const frz_frame_entry *entry = &index->entries[i];
            const int64_t row[table_columns] = {entry->stamp, entry->count, entry->step, entry->layout};
            memcpy(table + (ptrdiff_t)i * table_columns, row, sizeof row);
            times[i] = entry->time;
        }
        const hsize_t dims[2] = {(hsize_t)index->count, table_columns};
        const hsize_t length = text.length;
        frz_h5_dataset_write(h5, group, "table", H5T_NATIVE_INT64, 2, dims, table);
        frz_h5_dataset_write(h5, group, "time", H5T_NATIVE_DOUBLE, 1, dims, times);
        frz_h5_dataset_write(h5, group, "layouts", H5T_NATIVE_UINT8, 1, &length, text.text);
    }
    frz_h5_release(group);
    frz_h5_release(notes);
    frz_free(table);
    frz_free(times);
    frz_text_builder_destroy(&text);
}

// Does every layout hold a line that starts like this one, up to and with the tab before the unit?
static bool is_common(const frz_frame_index *index, const char *line, size_t key_length)
{
    for (int k = 0; k < index->layout_count; ++k)
    {
        const char *at = index->layouts[k];
        while (at != NULL && strncmp(at, line, key_length) != 0)
        {
            at = strchr(at, '\n');
            at = at != NULL && at[1] != '\0' ? at + 1 : NULL;
        }
        if (at == NULL)
            return false;
    }
    return true;
}

static frz_dtype dtype_named(const char *name)
{
    for (int k = 0; k < (int)(sizeof dtype_names / sizeof dtype_names[0]); ++k)
        if (strcmp(dtype_names[k], name) == 0)
            return (frz_dtype)k;
    return FRZ_U8;
}

// Cut "name\ttype\tcomponents\tunit" in place.
static frz_array_desc parse_line(char *line)
{
    char *rest = line;
    const char *name = strsep(&rest, "\t");
    const char *type = strsep(&rest, "\t");
    const char *components = strsep(&rest, "\t");
    frz_array_desc array = {.name = name, .unit = rest != NULL ? rest : "", .components = 1};
    if (type != NULL)
        array.type = dtype_named(type);
    if (components != NULL)
        array.components = (int)strtol(components, NULL, 10); // written by add_line, so always a number
    array.stride = array.components;
    return array;
}

static size_t key_length_of(const char *line)
{
    const char *end = line;
    for (int tabs = 0; tabs < 3 && *end != '\0'; ++end)
        tabs += *end == '\t';
    return (size_t)(end - line);
}

frz_status frz_frame_index_common(const frz_frame_index *index, frz_array_desc **arrays, int *count, char **text,
                                  frz_diag *diag)
{
    *count = 0;
    *text = frz_strdup(index->layouts[0]);
    size_t lines = 1;
    for (const char *c = index->layouts[0]; *c != '\0'; ++c)
        lines += *c == '\n';
    *arrays = FRZ_ALLOC("frame index", lines, frz_array_desc);
    if (*arrays == NULL || *text == NULL)
    {
        FRZ_FREE(*arrays);
        FRZ_FREE(*text);
        return frz_fail_memory(diag, "the list of fields");
    }
    char *rest = *text;
    for (char *line = strsep(&rest, "\n"); line != NULL && *line != '\0'; line = strsep(&rest, "\n"))
    {
        // positions are there in every frame; HDF5 converts where their precision differs
        const bool is_position = line == *text;
        if (is_position || is_common(index, line, key_length_of(line)))
            (*arrays)[(*count)++] = parse_line(line);
    }
    return FRZ_OK;
}
