// SPDX-License-Identifier: MIT
// Writing checkpoints, and their rotation.
#include "io/checkpoint_file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "io/checkpoint_internal.h"
#include "io/h5_util.h"

static frz_status check_values(const frz_checkpoint *checkpoint, frz_diag *diag)
{
    for (int k = 0; k < checkpoint->value_count; ++k)
    {
        const frz_checkpoint_value *value = &checkpoint->values[k];
        if (value->name == NULL || value->name[0] == '\0' || value->data == NULL)
            return frz_fail(diag, FRZ_ERR_ARGUMENT, "value %d of the checkpoint has no name or no data", k);
        if (value->type != FRZ_I32 && value->type != FRZ_I64 && value->type != FRZ_F64)
            return frz_fail(diag, FRZ_ERR_ARGUMENT, "value '%s' of the checkpoint is neither an integer nor a double",
                            value->name);
    }
    return FRZ_OK;
}

static frz_status check_arrays(const frz_checkpoint *checkpoint, frz_diag *diag)
{
    for (int k = 0; k < checkpoint->array_count; ++k)
    {
        const frz_array_desc *array = &checkpoint->arrays[k];
        if (array->name == NULL || array->name[0] == '\0' || strchr(array->name, '/') != NULL)
            return frz_fail(diag, FRZ_ERR_ARGUMENT, "array %d of the checkpoint has no name, or one with '/'", k);
        if (array->rows < 0 || array->components < 1 || array->stride < array->components ||
            (array->data == NULL && array->rows > 0))
            return frz_fail(diag, FRZ_ERR_ARGUMENT, "array '%s' of the checkpoint has an impossible shape",
                            array->name);
    }
    return FRZ_OK;
}

static void write_value(frz_h5 *h5, hid_t group, const frz_checkpoint_value *value)
{
    if (value->type == FRZ_I32)
    {
        int32_t narrow = 0;
        memcpy(&narrow, value->data, sizeof narrow);
        const int64_t wide = narrow;
        frz_h5_attribute_write(h5, group, value->name, H5T_NATIVE_INT64, &wide);
    }
    else
        frz_h5_attribute_write(h5, group, value->name, frz_h5_native_type(value->type), value->data);
}

static void write_contents(frz_h5 *h5, const frz_checkpoint *checkpoint)
{
    const int64_t format = FRZ_CHECKPOINT_FORMAT;
    frz_h5_text_write(h5, h5->file, "kind", FRZ_CHECKPOINT_KIND);
    frz_h5_attribute_write(h5, h5->file, "format", H5T_NATIVE_INT64, &format);
    frz_h5_text_write(h5, h5->file, "version", frz_version());
    frz_h5_text_write(h5, h5->file, "precision", FRZ_CHECKPOINT_PRECISION);
    frz_h5_attribute_write(h5, h5->file, "scene_hash", H5T_NATIVE_UINT64, &checkpoint->scene_hash);
    const hsize_t length = strlen(checkpoint->scene_text);
    frz_h5_dataset_write(h5, h5->file, "scene", H5T_NATIVE_UINT8, 1, &length, checkpoint->scene_text);
    const hid_t values = frz_h5_group_create(h5, h5->file, "values");
    for (int k = 0; k < checkpoint->value_count; ++k)
        write_value(h5, values, &checkpoint->values[k]);
    frz_h5_release(values);
    const hid_t arrays = frz_h5_group_create(h5, h5->file, "arrays");
    for (int k = 0; k < checkpoint->array_count; ++k)
    {
        uint64_t sum = 0;
        frz_h5_array_write(h5, arrays, &checkpoint->arrays[k], &sum);
    }
    frz_h5_release(arrays);
}

// The temporary, complete on disk.
static frz_status write_pending(frz_h5 *h5, frz_pending *pending, const char *path, frz_diag *diag)
{
    frz_piece image;
    FRZ_TRY(frz_h5_image(h5, &image, diag));
    const frz_seal seal = frz_seal_make(FRZ_CHECKPOINT_MAGIC, &image);
    const frz_piece pieces[] = {image, {&seal, sizeof seal}};
    return frz_pending_write(pending, path, pieces, 2, diag);
}

// Only a complete newest generation may push out the older one: at every instant one of the two names is complete.
static frz_status rotate(const char *directory, const frz_pending *pending, frz_diag *diag)
{
    char older[FRZ_PATH_SIZE];
    const frz_status status = frz_path_format(older, diag, "%s/%s", directory, FRZ_CHECKPOINT_OLDER);
    if (status != FRZ_OK)
    {
        frz_pending_discard(pending);
        return status;
    }
    if (frz_checkpoint_flaw(pending->target) == NULL && rename(pending->target, older) != 0)
    {
        const int error = errno;
        frz_pending_discard(pending);
        return frz_fail_file(diag, "replace", older, error);
    }
    return frz_pending_commit(pending, diag);
}

frz_status frz_checkpoint_write(const char *directory, const frz_checkpoint *checkpoint, frz_diag *diag)
{
    char path[FRZ_PATH_SIZE];
    FRZ_TRY(check_values(checkpoint, diag));
    FRZ_TRY(check_arrays(checkpoint, diag));
    FRZ_TRY(frz_path_format(path, diag, "%s/%s", directory, FRZ_CHECKPOINT_NEWEST));
    frz_h5 h5;
    frz_pending pending;
    frz_h5_begin(&h5);
    frz_h5_create(&h5);
    write_contents(&h5, checkpoint);
    const frz_status status = write_pending(&h5, &pending, path, diag);
    frz_h5_close(&h5);
    frz_h5_end(&h5);
    if (status != FRZ_OK)
        return status;
    return rotate(directory, &pending, diag);
}
