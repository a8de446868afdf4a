// SPDX-License-Identifier: MIT
// Frames read back.
#include "io/frame_internal.h"

#include <string.h>

#include "base/memory.h"

enum
{
    unit_size = 64 // bytes of the longest unit read
};

typedef struct field_texts
{
    char *name, *unit;
} field_texts;

// Memory owned by a frame_data.
typedef struct frame_store
{
    int field_count;
    frz_array_desc *fields;
    field_texts *texts; // of each field
    void *position;
} frame_store;

void frz_frame_data_destroy(frz_frame_data *data)
{
    if (data == NULL)
        return;
    frame_store *store = data->owned;
    if (store != NULL)
    {
        for (int k = 0; k < store->field_count && store->fields != NULL && store->texts != NULL; ++k)
        {
            frz_free(store->fields[k].data);
            frz_free(store->texts[k].name);
            frz_free(store->texts[k].unit);
        }
        frz_free(store->fields);
        frz_free(store->texts);
        frz_free(store->position);
        frz_free(store);
    }
    *data = (frz_frame_data){0};
}

// Name of field k in order of creation, as a text of ours.
static char *link_name(frz_h5 *h5, hid_t group, hsize_t k)
{
    const ssize_t length = H5Lget_name_by_idx(group, ".", H5_INDEX_CRT_ORDER, H5_ITER_INC, k, NULL, 0, H5P_DEFAULT);
    if (!frz_h5_check(h5, length))
        return NULL;
    char *name = frz_alloc("field name", (size_t)length + 1, 1);
    if (!frz_h5_need(h5, name != NULL))
        return NULL;
    frz_h5_check(
        h5, H5Lget_name_by_idx(group, ".", H5_INDEX_CRT_ORDER, H5_ITER_INC, k, name, (size_t)length + 1, H5P_DEFAULT));
    return name;
}

static void describe_field(frz_h5 *h5, hid_t group, frame_store *store, int k, int64_t count)
{
    char unit[unit_size];
    frz_array_desc *field = &store->fields[k];
    field_texts *texts = &store->texts[k];
    texts->name = link_name(h5, group, (hsize_t)k);
    const hid_t dataset = frz_h5_dataset_open(h5, group, texts->name);
    frz_h5_array_describe(h5, dataset, field);
    frz_h5_text_read(h5, dataset, "unit", unit, sizeof unit);
    frz_h5_release(dataset);
    texts->unit = frz_strdup(unit);
    frz_h5_need(h5, texts->unit != NULL);
    frz_h5_require(h5, field->rows == count, "a field has not as many rows as there are particles");
    field->name = texts->name;
    field->unit = texts->unit;
}

static void describe_fields(frz_h5 *h5, hid_t root, frz_frame_data *out)
{
    H5G_info_t info = {0};
    const hid_t group = frz_h5_group_open(h5, root, "PointData");
    if (!h5->failed)
        frz_h5_check(h5, H5Gget_info(group, &info));
    frame_store *store = FRZ_ALLOC("frame", 1, frame_store);
    out->owned = store;
    if (frz_h5_need(h5, store != NULL) &&
        frz_h5_require(h5, info.nlinks < INT16_MAX, "the list of fields does not fit in memory"))
    {
        store->fields = FRZ_ALLOC("frame", info.nlinks + 1, frz_array_desc);
        store->texts = FRZ_ALLOC("frame", info.nlinks + 1, field_texts);
        frz_h5_need(h5, store->fields != NULL && store->texts != NULL);
        for (int k = 0; k < (int)info.nlinks && !h5->failed; ++k)
        {
            store->field_count = k + 1;
            describe_field(h5, group, store, k, out->frame.count);
        }
        out->frame.fields = store->fields;
        out->frame.field_count = store->field_count;
    }
    frz_h5_release(group);
}

void frz_frame_describe(frz_h5 *h5, frz_frame_data *out)
{
    int64_t number = 0;
    *out = (frz_frame_data){0};
    const hid_t notes = frz_h5_group_open(h5, h5->file, "frazil");
    frz_h5_attribute_read(h5, notes, "time", H5T_NATIVE_DOUBLE, &out->frame.time);
    frz_h5_attribute_read(h5, notes, "step", H5T_NATIVE_INT64, &out->frame.step);
    frz_h5_attribute_read(h5, notes, "frame", H5T_NATIVE_INT64, &number);
    frz_h5_release(notes);
    out->frame.index = (int)number;
    const hid_t root = frz_h5_group_open(h5, h5->file, "VTKHDF");
    const hid_t points = frz_h5_dataset_open(h5, root, "Points");
    frz_array_desc *position = &out->frame.position;
    frz_h5_array_describe(h5, points, position);
    frz_h5_release(points);
    frz_h5_require(h5, position->components == 3 && (position->type == FRZ_F32 || position->type == FRZ_F64),
                   "Points does not hold three real numbers per particle");
    position->name = "position";
    position->unit = "m";
    out->frame.count = position->rows;
    if (!h5->failed)
        describe_fields(h5, root, out);
    frz_h5_release(root);
}

static void read_into(frz_h5 *h5, hid_t group, const char *name, frz_array_desc *array)
{
    const size_t bytes = (size_t)array->components * frz_dtype_size(array->type);
    array->data = frz_alloc("frame", array->rows > 0 ? (size_t)array->rows : 1, bytes);
    if (!frz_h5_need(h5, array->data != NULL))
        return;
    const hid_t dataset = frz_h5_dataset_open(h5, group, name);
    frz_h5_array_read(h5, dataset, array, NULL);
    frz_h5_release(dataset);
}

static void read_contents(frz_h5 *h5, frz_frame_data *out)
{
    frz_frame_describe(h5, out);
    frame_store *store = out->owned;
    if (h5->failed || store == NULL)
        return;
    const hid_t root = frz_h5_group_open(h5, h5->file, "VTKHDF");
    const hid_t data = frz_h5_group_open(h5, root, "PointData");
    if (!h5->failed)
    {
        read_into(h5, root, "Points", &out->frame.position);
        store->position = out->frame.position.data;
    }
    for (int k = 0; k < store->field_count && !h5->failed; ++k)
        read_into(h5, data, store->fields[k].name, &store->fields[k]);
    frz_h5_release(data);
    frz_h5_release(root);
}

frz_status frz_frame_read(const char *directory, int index, frz_frame_data *out, frz_diag *diag)
{
    char path[FRZ_PATH_SIZE];
    *out = (frz_frame_data){0};
    FRZ_TRY(frz_frame_path(path, directory, index, diag));
    frz_h5 h5;
    frz_h5_begin(&h5);
    frz_h5_open(&h5, path, FRZ_H5_MAGIC);
    if (!h5.failed)
        read_contents(&h5, out);
    frz_h5_close(&h5);
    frz_h5_end(&h5);
    if (!h5.failed)
        return FRZ_OK;
    frz_frame_data_destroy(out);
    return frz_fail(diag, FRZ_ERR_FILE, "cannot read %s: %s", path, h5.reason);
}
