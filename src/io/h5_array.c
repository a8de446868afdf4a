// SPDX-License-Identifier: MIT
// Arrays in HDF5: packed on writing, spread on reading, in slabs so that strided data needs no second copy.
#include "io/h5_util.h"

#include <string.h>

#include "base/memory.h"
#include "io/checksum.h"

enum
{
    slab_rows = 1 << 14 // rows packed at a time; a multiple of 8, which keeps checksums continuable
};

hid_t frz_h5_native_type(frz_dtype type)
{
    switch (type)
    {
    case FRZ_F32:
        return H5T_NATIVE_FLOAT;
    case FRZ_F64:
        return H5T_NATIVE_DOUBLE;
    case FRZ_I32:
        return H5T_NATIVE_INT32;
    case FRZ_I64:
        return H5T_NATIVE_INT64;
    default:
        return H5T_NATIVE_UINT8;
    }
}

static hid_t create_dataset(frz_h5 *h5, hid_t parent, const char *name, hid_t type, hid_t space)
{
    const hid_t list = frz_h5_creation_list(h5, H5P_DATASET_CREATE);
    hid_t dataset = H5I_INVALID_HID;
    if (!h5->failed)
    {
        dataset = H5Dcreate2(parent, name, type, space, H5P_DEFAULT, list, H5P_DEFAULT);
        frz_h5_check(h5, dataset);
    }
    frz_h5_release(list);
    return dataset;
}

void frz_h5_dataset_write(frz_h5 *h5, hid_t parent, const char *name, hid_t type, int rank, const hsize_t *dims,
                          const void *data)
{
    if (h5->failed)
        return;
    const hid_t space = H5Screate_simple(rank, dims, NULL);
    hid_t dataset = H5I_INVALID_HID;
    if (frz_h5_check(h5, space))
        dataset = create_dataset(h5, parent, name, type, space);
    if (!h5->failed && H5Sget_simple_extent_npoints(space) > 0)
        frz_h5_check(h5, H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data));
    frz_h5_release(dataset);
    frz_h5_release(space);
}

typedef enum direction
{
    TO_FILE,
    FROM_FILE
} direction;

// Copy rows between the caller's strided array and a packed slab.
static void copy_slab(const frz_array_desc *array, int64_t first, int64_t rows, char *slab, direction way)
{
    const size_t value = frz_dtype_size(array->type);
    const size_t packed = value * (size_t)array->components;
    const size_t strided = value * (size_t)array->stride;
    char *start = (char *)array->data + (size_t)first * strided;
    for (int64_t row = 0; row < rows; ++row)
    {
        char *mine = start + (size_t)row * strided;
        char *theirs = slab + (size_t)row * packed;
        memcpy(way == TO_FILE ? theirs : mine, way == TO_FILE ? mine : theirs, packed);
    }
}

// Move rows [first, first + rows) between the dataset and packed memory.
static void transfer_rows(frz_h5 *h5, hid_t dataset, const frz_array_desc *array, int64_t first, int64_t rows,
                          void *packed, direction way)
{
    const int rank = array->components > 1 ? 2 : 1;
    const hsize_t start[2] = {(hsize_t)first, 0};
    const hsize_t count[2] = {(hsize_t)rows, (hsize_t)array->components};
    const hid_t type = frz_h5_native_type(array->type);
    const hid_t memory = H5Screate_simple(rank, count, NULL);
    const hid_t space = H5Dget_space(dataset);
    if (frz_h5_check(h5, memory) && frz_h5_check(h5, space) &&
        frz_h5_check(h5, H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL)))
    {
        if (way == TO_FILE)
            frz_h5_check(h5, H5Dwrite(dataset, type, memory, space, H5P_DEFAULT, packed));
        else
            frz_h5_check(h5, H5Dread(dataset, type, memory, space, H5P_DEFAULT, packed));
    }
    frz_h5_release(space);
    frz_h5_release(memory);
}

// Checksum that also covers the shape, so that data of one array cannot pass for another.
static uint64_t shape_checksum(const frz_array_desc *array)
{
    const int64_t shape[3] = {(int64_t)array->type, array->components, array->rows};
    return frz_checksum(FRZ_CHECKSUM_START, shape, sizeof shape);
}

static void transfer(frz_h5 *h5, hid_t dataset, const frz_array_desc *array, uint64_t *sum, direction way)
{
    uint64_t running = shape_checksum(array);
    if (sum != NULL)
        *sum = running;
    if (array->rows == 0)
        return;
    const size_t row_size = frz_dtype_size(array->type) * (size_t)array->components;
    const bool packed = array->stride == array->components;
    const int64_t step = packed || array->rows < slab_rows ? array->rows : slab_rows;
    char *slab = packed ? array->data : frz_alloc("slab", (size_t)step, row_size);
    if (slab == NULL)
    {
        frz_h5_need(h5, false);
        return;
    }
    for (int64_t first = 0; first < array->rows && !h5->failed; first += step)
    {
        const int64_t rows = array->rows - first < step ? array->rows - first : step;
        if (!packed && way == TO_FILE)
            copy_slab(array, first, rows, slab, way);
        transfer_rows(h5, dataset, array, first, rows, slab, way);
        if (sum != NULL && !h5->failed)
            running = frz_checksum(running, slab, (size_t)rows * row_size);
        if (!packed && way == FROM_FILE && !h5->failed)
            copy_slab(array, first, rows, slab, way);
    }
    if (!packed)
        frz_free(slab);
    if (sum != NULL)
        *sum = running;
}

void frz_h5_array_write(frz_h5 *h5, hid_t parent, const frz_array_desc *array, uint64_t *sum)
{
    if (h5->failed)
        return;
    const hsize_t dims[2] = {(hsize_t)array->rows, (hsize_t)array->components};
    const hid_t space = H5Screate_simple(array->components > 1 ? 2 : 1, dims, NULL);
    hid_t dataset = H5I_INVALID_HID;
    if (frz_h5_check(h5, space))
        dataset = create_dataset(h5, parent, array->name, frz_h5_native_type(array->type), space);
    if (!h5->failed)
        transfer(h5, dataset, array, sum, TO_FILE);
    frz_h5_text_write(h5, dataset, "unit", array->unit != NULL ? array->unit : "");
    if (sum != NULL)
        frz_h5_attribute_write(h5, dataset, "checksum", H5T_NATIVE_UINT64, sum);
    frz_h5_release(dataset);
    frz_h5_release(space);
}

static bool dtype_of(hid_t type, frz_dtype *out)
{
    const H5T_class_t kind = H5Tget_class(type);
    const size_t size = H5Tget_size(type);
    const bool is_signed = kind == H5T_INTEGER && H5Tget_sign(type) == H5T_SGN_2;
    const struct
    {
        bool matches;
        frz_dtype type;
    } known[] = {{kind == H5T_FLOAT && size == sizeof(float), FRZ_F32},
                 {kind == H5T_FLOAT && size == sizeof(double), FRZ_F64},
                 {is_signed && size == sizeof(int32_t), FRZ_I32},
                 {is_signed && size == sizeof(int64_t), FRZ_I64},
                 {kind == H5T_INTEGER && !is_signed && size == 1, FRZ_U8}};
    for (size_t k = 0; k < sizeof known / sizeof known[0]; ++k)
        if (known[k].matches)
        {
            *out = known[k].type;
            return true;
        }
    return false;
}

void frz_h5_array_describe(frz_h5 *h5, hid_t dataset, frz_array_desc *array)
{
    if (h5->failed)
        return;
    const hid_t space = H5Dget_space(dataset);
    const hid_t type = H5Dget_type(dataset);
    hsize_t dims[2] = {0, 1};
    if (frz_h5_check(h5, space) && frz_h5_check(h5, type))
    {
        const int rank = H5Sget_simple_extent_ndims(space);
        if (frz_h5_require(h5, rank == 1 || rank == 2, "an array is neither a list nor a table") &&
            frz_h5_check(h5, H5Sget_simple_extent_dims(space, dims, NULL)))
        {
            frz_h5_require(h5, dims[1] >= 1 && dims[1] <= INT16_MAX && dims[0] <= INT64_MAX / (8 * dims[1]),
                           "an array has an impossible size");
            frz_h5_require(h5, dtype_of(type, &array->type), "an array has a number type that is not used here");
        }
    }
    array->rows = (int64_t)dims[0];
    array->components = h5->failed ? 1 : (int)dims[1];
    array->stride = array->components;
    frz_h5_release(type);
    frz_h5_release(space);
}

void frz_h5_array_read(frz_h5 *h5, hid_t dataset, const frz_array_desc *array, uint64_t *sum)
{
    if (!h5->failed)
        transfer(h5, dataset, array, sum, FROM_FILE);
}
