// SPDX-License-Identifier: MIT
// The master's data of all frames, without opening thousands of files each time.
//
// The index of its frames lives as long as the run. A frame is read only if its file has changed since: if its name,
// inode, size or time of change differ. (They are not stored in a file, where they would make the files of equal runs
// different.)
#include "io/frame_internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/grow.h"
#include "base/memory.h"
#include "io/checksum.h"
#include "io/text_builder.h"

static const char *const dtype_names[] = {
    [FRZ_F32] = "f32", [FRZ_F64] = "f64", [FRZ_I32] = "i32", [FRZ_I64] = "i64", [FRZ_U8] = "u8"};

frz_status frz_frame_index_create(frz_frame_index **out, frz_diag *diag)
{
    *out = FRZ_ALLOC("frame index", 1, frz_frame_index);
    return *out != NULL ? FRZ_OK : frz_fail_memory(diag, "the index of frames");
}

void frz_frame_index_destroy(frz_frame_index **index)
{
    if (index == NULL || *index == NULL)
        return;
    for (int k = 0; k < (*index)->layout_count; ++k)
        frz_free((*index)->layouts[k]);
    frz_free((*index)->layouts);
    frz_free((*index)->entries);
    frz_free(*index);
    *index = NULL;
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
    frz_h5_open(&h5, path, FRZ_H5_MAGIC);
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
        frz_h5_need(&h5, entry->layout >= 0);
    }
    frz_text_builder_destroy(&layout);
    frz_frame_data_destroy(&data);
    frz_h5_close(&h5);
    frz_h5_end(&h5);
    index->unread = h5.failed && h5.passing;
    return h5.failed ? frz_fail(diag, FRZ_ERR_FILE, "cannot read %s: %s", path, h5.reason) : FRZ_OK;
}

static frz_status add_entry(const char *directory, frz_frame_index *index, int number, frz_diag *diag)
{
    char path[FRZ_PATH_SIZE];
    int64_t stamp = 0;
    FRZ_TRY(frz_frame_path(path, directory, number, diag));
    index->unread = false;
    if (!stamp_of(path, &stamp))
        return frz_fail_file(diag, "read", path, errno);
    if (number < index->count && index->entries[number].stamp == stamp)
        return FRZ_OK;
    FRZ_TRY(look_into(index, number, path, diag));
    index->entries[number].stamp = stamp;
    return FRZ_OK;
}

frz_status frz_frame_index_update(const char *directory, int frame_count, frz_frame_index *index, frz_diag *diag)
{
    frz_frame_entry *entries = frz_grow("frame index", index->entries, &index->room, frame_count,
                                        frz_grow_spare(frame_count), sizeof *entries);
    if (entries == NULL)
        return frz_fail_memory(diag, "the index of frames");
    index->entries = entries;
    frz_status status = FRZ_OK;
    int complete = 0;
    while (complete < frame_count && status == FRZ_OK)
    {
        status = add_entry(directory, index, complete, diag);
        complete += status == FRZ_OK;
        if (status == FRZ_OK && complete > index->count)
            index->count = complete;
    }
    index->count = complete;
    return status;
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
