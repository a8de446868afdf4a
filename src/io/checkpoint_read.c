// SPDX-License-Identifier: MIT
// Reading checkpoints: the seal first, then HDF5; the older generation when the newest does not hold.
#include "io/checkpoint_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "io/checkpoint_internal.h"
#include "io/checkpoint_table.h"
#include "io/h5_util.h"

enum
{
    word_size = 32 // bytes of short texts in attributes
};

static const char other_format[] = "it has format 1, of frazil 0.1, which this program does not read: go on with the "
                                   "program that wrote it, or run the scene anew";

struct frz_checkpoint_reader
{
    frz_h5 h5;
    char path[FRZ_PATH_SIZE];
    char precision[word_size];
    char *scene_text;
    uint64_t scene_hash;
    const frz_checkpoint *lent; // source instead of a file, or null
};

static const char *file_flaw(int fd)
{
    static const unsigned char signature[] = {0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n'};
    unsigned char start[sizeof signature] = {0};
    frz_seal seal;
    struct stat info;
    if (fstat(fd, &info) != 0 || !S_ISREG(info.st_mode))
        return "it is not a regular file";
    if (info.st_size == 0)
        return "it is empty";
    if (read(fd, start, sizeof start) != (ssize_t)sizeof start || memcmp(start, signature, sizeof signature) != 0)
        return "it is not an HDF5 file";
    if (!frz_seal_read(fd, info.st_size, &seal) ||
        (seal.magic != FRZ_CHECKPOINT_MAGIC && seal.magic != FRZ_CHECKPOINT_MAGIC_1))
        return "it is truncated, or not a checkpoint";
    return seal.magic == FRZ_CHECKPOINT_MAGIC_1 ? other_format : NULL;
}

const char *frz_checkpoint_flaw(const char *path)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); // a pipe must not be waited for
    if (fd < 0)
        return errno == ENOENT ? "it does not exist" : strerrordesc_np(errno);
    const char *flaw = file_flaw(fd);
    close(fd);
    return flaw;
}

static void read_scene(frz_checkpoint_reader *reader)
{
    frz_h5 *h5 = &reader->h5;
    frz_array_desc scene = {.name = "scene"};
    const hid_t dataset = frz_h5_dataset_open(h5, h5->file, "scene");
    frz_h5_array_describe(h5, dataset, &scene);
    frz_h5_require(h5, scene.type == FRZ_U8 && scene.components == 1, "the text of the scene has a wrong form");
    if (!h5->failed)
    {
        reader->scene_text = frz_alloc("scene text", (size_t)scene.rows + 1, 1);
        scene.data = reader->scene_text;
        frz_h5_need(h5, scene.data != NULL);
        frz_h5_array_read(h5, dataset, &scene, NULL);
    }
    frz_h5_release(dataset);
}

// A user who has updated the program needs to know whether file or program is newer.
static void check_format(frz_h5 *h5)
{
    char kind[word_size] = "", finding[sizeof h5->reason];
    int64_t format = 0;
    const bool known = !h5->failed && H5Aexists(h5->file, "kind") > 0;
    if (known)
        frz_h5_text_read(h5, h5->file, "kind", kind, sizeof kind);
    frz_h5_require(h5, strcmp(kind, FRZ_CHECKPOINT_KIND) == 0, "it is an HDF5 file, but not a checkpoint");
    if (!h5->failed && H5Aexists(h5->file, "format") > 0)
        frz_h5_attribute_read(h5, h5->file, "format", H5T_NATIVE_INT64, &format);
    char version[word_size] = "0.1"; // which did not say it at first
    if (!h5->failed && H5Aexists(h5->file, "version") > 0)
        frz_h5_text_read(h5, h5->file, "version", version, sizeof version);
    snprintf(finding, sizeof finding,
             "it has format %lld, of %s frazil, but this program reads format %d: go on with the program that wrote "
             "it, frazil %s, or run the scene anew",
             (long long)format, format < FRZ_CHECKPOINT_FORMAT ? "an older" : "a newer", FRZ_CHECKPOINT_FORMAT,
             version);
    frz_h5_require(h5, format == FRZ_CHECKPOINT_FORMAT, finding);
}

static void read_head(frz_checkpoint_reader *reader)
{
    frz_h5 *h5 = &reader->h5;
    check_format(h5);
    frz_h5_text_read(h5, h5->file, "precision", reader->precision, sizeof reader->precision);
    frz_h5_attribute_read(h5, h5->file, "scene_hash", H5T_NATIVE_UINT64, &reader->scene_hash);
    read_scene(reader);
}

// Open one generation; null with the flaw in text (of the size of frz_h5.reason) when it does not hold.
static frz_checkpoint_reader *open_one(const char *directory, const char *name, char *text, size_t size)
{
    frz_checkpoint_reader *reader = FRZ_ALLOC("checkpoint reader", 1, frz_checkpoint_reader);
    if (reader == NULL)
    {
        snprintf(text, size, "memory ran short");
        return NULL;
    }
    reader->h5.file = H5I_INVALID_HID;
    const char *flaw = "its path is too long";
    if (frz_path_format(reader->path, NULL, "%s/%s", directory, name) == FRZ_OK)
        flaw = frz_checkpoint_flaw(reader->path);
    if (flaw == NULL)
    {
        frz_h5_begin(&reader->h5);
        frz_h5_open(&reader->h5, reader->path, FRZ_CHECKPOINT_MAGIC);
        read_head(reader);
        frz_h5_end(&reader->h5);
        flaw = reader->h5.failed ? reader->h5.reason : NULL;
    }
    if (flaw == NULL)
        return reader;
    snprintf(text, size, "%s", flaw);
    frz_checkpoint_close(&reader);
    return NULL;
}

frz_status frz_checkpoint_open(const char *directory, frz_checkpoint_reader **out, bool *used_older, frz_diag *diag)
{
    char newest[sizeof((frz_h5 *)NULL)->reason];
    char older[sizeof newest];
    *used_older = false;
    *out = open_one(directory, FRZ_CHECKPOINT_NEWEST, newest, sizeof newest);
    if (*out != NULL)
        return FRZ_OK;
    *out = open_one(directory, FRZ_CHECKPOINT_OLDER, older, sizeof older);
    *used_older = *out != NULL;
    if (*out != NULL)
        return FRZ_OK;
    return frz_fail(diag, FRZ_ERR_FILE, "no usable checkpoint in %s: %s: %s; %s: %s", directory, FRZ_CHECKPOINT_NEWEST,
                    newest, FRZ_CHECKPOINT_OLDER, older);
}

frz_status frz_checkpoint_lend(const frz_checkpoint *checkpoint, frz_checkpoint_reader **out, frz_diag *diag)
{
    *out = FRZ_ALLOC("checkpoint reader", 1, frz_checkpoint_reader);
    char *text = frz_strdup(checkpoint->scene_text);
    if (*out == NULL || text == NULL)
    {
        frz_free(text);
        FRZ_FREE(*out);
        return frz_fail_memory(diag, "the checkpoint");
    }
    **out = (frz_checkpoint_reader){.h5 = {.file = H5I_INVALID_HID},
                                    .path = "memory",
                                    .precision = FRZ_CHECKPOINT_PRECISION,
                                    .scene_text = text,
                                    .scene_hash = checkpoint->scene_hash,
                                    .lent = checkpoint};
    return FRZ_OK;
}

static const frz_array_desc *lent_array(const frz_checkpoint *lent, const char *name)
{
    for (int k = 0; k < lent->array_count; ++k)
        if (strcmp(lent->arrays[k].name, name) == 0)
            return &lent->arrays[k];
    return NULL;
}

void frz_checkpoint_close(frz_checkpoint_reader **reader)
{
    if (reader == NULL || *reader == NULL)
        return;
    frz_h5_begin(&(*reader)->h5);
    frz_h5_close(&(*reader)->h5);
    frz_h5_end(&(*reader)->h5);
    frz_free((*reader)->scene_text);
    frz_free(*reader);
    *reader = NULL;
}

const char *frz_checkpoint_scene_text(const frz_checkpoint_reader *reader)
{
    return reader->scene_text;
}

uint64_t frz_checkpoint_scene_hash(const frz_checkpoint_reader *reader)
{
    return reader->scene_hash;
}

const char *frz_checkpoint_path(const frz_checkpoint_reader *reader)
{
    return reader->path;
}

// Start an operation of its own: a failure of the one before must not stick.
static frz_h5 begin_on(const frz_checkpoint_reader *reader)
{
    frz_h5 h5 = {.file = reader->h5.file};
    frz_h5_begin(&h5);
    return h5;
}

// Opens /arrays/<name>; description is filled. Close with frz_h5_release.
static hid_t open_array(frz_h5 *h5, const char *name, frz_array_desc *description)
{
    const hid_t group = frz_h5_group_open(h5, h5->file, "arrays");
    const hid_t dataset = frz_h5_dataset_open(h5, group, name);
    frz_h5_array_describe(h5, dataset, description);
    frz_h5_release(group);
    return dataset;
}

int64_t frz_checkpoint_rows(const frz_checkpoint_reader *reader, const char *name)
{
    if (reader->lent != NULL)
        return lent_array(reader->lent, name) != NULL ? lent_array(reader->lent, name)->rows : -1;
    frz_h5 h5 = begin_on(reader);
    frz_array_desc stored = {.name = name};
    const hid_t dataset = open_array(&h5, name, &stored);
    frz_h5_release(dataset);
    frz_h5_end(&h5);
    return h5.failed ? -1 : stored.rows;
}

static bool is_of_type(hid_t attribute, frz_dtype type)
{
    const hid_t stored = H5Aget_type(attribute);
    const bool same = stored >= 0 && H5Tequal(stored, frz_h5_native_type(type)) > 0;
    frz_h5_release(stored);
    return same;
}

// A stored value, eight bytes wide.
typedef union wide_value
{
    int64_t integer;
    double real;
} wide_value;

static frz_status take_value(const frz_checkpoint_reader *reader, const frz_checkpoint_value *value, wide_value stored,
                             frz_diag *diag)
{
    const double number = value->type == FRZ_F64 ? stored.real : (double)stored.integer;
    FRZ_TRY(frz_checkpoint_check(reader, value->name, -1, number, value->range, diag));
    if (value->type == FRZ_I32)
    {
        const int32_t narrow = (int32_t)stored.integer;
        memcpy(value->data, &narrow, sizeof narrow);
    }
    else
        memcpy(value->data, &stored, sizeof stored);
    return FRZ_OK;
}

static frz_status fail_absent(const frz_checkpoint_reader *reader, const char *kind, const char *name, frz_diag *diag)
{
    return frz_fail(diag, FRZ_ERR_FILE, "%s has no %s '%s'; it may stem from another version of frazil", reader->path,
                    kind, name);
}

static frz_status take_lent_value(const frz_checkpoint_reader *reader, const frz_checkpoint_value *value,
                                  frz_diag *diag)
{
    for (int k = 0; k < reader->lent->value_count; ++k)
    {
        const frz_checkpoint_value *lent = &reader->lent->values[k];
        if (strcmp(lent->name, value->name) != 0 || (lent->type == FRZ_F64) != (value->type == FRZ_F64))
            continue;
        wide_value stored = {.integer = 0};
        int32_t narrow = 0;
        if (lent->type != FRZ_I32)
            memcpy(&stored, lent->data, sizeof stored);
        else
        {
            memcpy(&narrow, lent->data, sizeof narrow);
            stored.integer = narrow;
        }
        return take_value(reader, value, stored, diag);
    }
    return fail_absent(reader, "value", value->name, diag);
}

frz_status frz_checkpoint_read_value(frz_checkpoint_reader *reader, const frz_checkpoint_value *value, frz_diag *diag)
{
    if (reader->lent != NULL)
        return take_lent_value(reader, value, diag);
    frz_h5 h5 = begin_on(reader);
    const frz_dtype type = value->type == FRZ_I32 ? FRZ_I64 : value->type;
    const hid_t group = frz_h5_group_open(&h5, h5.file, "values");
    const bool present = !h5.failed && H5Aexists(group, value->name) > 0;
    bool fits = false;
    wide_value stored = {.integer = 0};
    if (present)
    {
        const hid_t attribute = H5Aopen(group, value->name, H5P_DEFAULT);
        fits = frz_h5_check(&h5, attribute) && is_of_type(attribute, type);
        frz_h5_release(attribute);
    }
    if (fits)
        frz_h5_attribute_read(&h5, group, value->name, frz_h5_native_type(type), &stored);
    frz_h5_release(group);
    frz_h5_end(&h5);
    if (!present)
        return fail_absent(reader, "value", value->name, diag);
    if (!fits)
        return frz_fail(diag, FRZ_ERR_FILE, "%s: value '%s' is not stored as %s", reader->path, value->name,
                        type == FRZ_I64 ? "a 64-bit integer" : "a double");
    if (h5.failed)
        return frz_fail(diag, FRZ_ERR_FILE, "cannot read value '%s' of %s: %s", value->name, reader->path, h5.reason);
    return take_value(reader, value, stored, diag);
}

static const char *type_text(frz_dtype type)
{
    static const char *const texts[] = {[FRZ_F32] = "single-precision real",
                                        [FRZ_F64] = "double-precision real",
                                        [FRZ_I32] = "32-bit integer",
                                        [FRZ_I64] = "64-bit integer",
                                        [FRZ_U8] = "byte"};
    return texts[type];
}

static frz_status check_shape(const frz_checkpoint_reader *reader, const frz_array_desc *stored,
                              const frz_array_desc *wanted, frz_diag *diag)
{
    const bool both_real =
        (stored->type == FRZ_F32 || stored->type == FRZ_F64) && (wanted->type == FRZ_F32 || wanted->type == FRZ_F64);
    if (stored->type != wanted->type && both_real)
        return frz_fail(diag, FRZ_ERR_FILE,
                        "%s was written by a %s-precision program (array '%s' holds %s numbers, %s are needed); "
                        "go on with a program of that precision",
                        reader->path, reader->precision, wanted->name, type_text(stored->type),
                        type_text(wanted->type));
    if (stored->type != wanted->type)
        return frz_fail(diag, FRZ_ERR_FILE, "%s: array '%s' holds %s numbers, %s are needed", reader->path,
                        wanted->name, type_text(stored->type), type_text(wanted->type));
    if (stored->components != wanted->components || stored->rows != wanted->rows)
        return frz_fail(diag, FRZ_ERR_FILE,
                        "%s: array '%s' holds %lld rows of %d, %lld rows of %d are needed; it may stem from another "
                        "version of frazil",
                        reader->path, wanted->name, (long long)stored->rows, stored->components,
                        (long long)wanted->rows, wanted->components);
    return FRZ_OK;
}

static frz_status take_lent_array(const frz_checkpoint_reader *reader, const frz_array_desc *array, frz_diag *diag)
{
    const frz_array_desc *lent = lent_array(reader->lent, array->name);
    if (lent == NULL)
        return fail_absent(reader, "array", array->name, diag);
    FRZ_TRY(check_shape(reader, lent, array, diag));
    const size_t size = frz_dtype_size(array->type), row = (size_t)array->components * size;
    for (int64_t k = 0; k < array->rows; ++k)
        memcpy((char *)array->data + (size_t)k * (size_t)array->stride * size,
               (const char *)lent->data + (size_t)k * (size_t)lent->stride * size, row);
    return FRZ_OK;
}

frz_status frz_checkpoint_read_array(frz_checkpoint_reader *reader, const frz_array_desc *array, frz_diag *diag)
{
    if (reader->lent != NULL)
        return take_lent_array(reader, array, diag);
    frz_h5 h5 = begin_on(reader);
    frz_array_desc stored = {.name = array->name};
    const hid_t dataset = open_array(&h5, array->name, &stored);
    frz_status status = FRZ_OK;
    if (dataset < 0)
        status = fail_absent(reader, "array", array->name, diag);
    else if (!h5.failed)
        status = check_shape(reader, &stored, array, diag);
    if (status == FRZ_OK)
    {
        uint64_t expected = 0;
        uint64_t sum = 0;
        frz_h5_attribute_read(&h5, dataset, "checksum", H5T_NATIVE_UINT64, &expected);
        frz_h5_array_read(&h5, dataset, array, &sum);
        frz_h5_require(&h5, sum == expected, "its checksum does not match, the file is damaged");
        if (h5.failed)
            status =
                frz_fail(diag, FRZ_ERR_FILE, "cannot read array '%s' of %s: %s", array->name, reader->path, h5.reason);
    }
    frz_h5_release(dataset);
    frz_h5_end(&h5);
    return status;
}
