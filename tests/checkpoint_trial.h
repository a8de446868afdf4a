// SPDX-License-Identifier: MIT
// Checkpoints taken apart: everything that one holds, in memory, to be changed and written again with a good seal.
#pragma once

#include "core_trial.h"

#include <hdf5.h>

#include "io/checkpoint_file.h"
#include "compare.h"

enum
{
    TRIAL_MOST_ARRAYS = 128,
    TRIAL_MOST_VALUES = 64,
    TRIAL_NAME_SIZE = 64
};

// Everything that a checkpoint holds, in memory.
typedef struct trial_contents
{
    int array_count, value_count;
    frz_array_desc arrays[TRIAL_MOST_ARRAYS];
    frz_checkpoint_value values[TRIAL_MOST_VALUES];
    char array_names[TRIAL_MOST_ARRAYS][TRIAL_NAME_SIZE], value_names[TRIAL_MOST_VALUES][TRIAL_NAME_SIZE];
    union
    {
        int64_t integer;
        double real;
    } numbers[TRIAL_MOST_VALUES];
} trial_contents;

static inline frz_dtype trial_dtype(hid_t type)
{
    const size_t size = H5Tget_size(type);
    if (H5Tget_class(type) == H5T_FLOAT)
        return size == 4 ? FRZ_F32 : FRZ_F64;
    return size == 1 ? FRZ_U8 : size == 4 ? FRZ_I32 : FRZ_I64;
}

static inline herr_t trial_load_array(hid_t group, const char *name, const H5L_info_t *info, void *user)
{
    (void)info;
    trial_contents *all = user;
    const int k = all->array_count++;
    hsize_t dims[2] = {0, 1};
    const hid_t set = H5Dopen2(group, name, H5P_DEFAULT), type = H5Dget_type(set), space = H5Dget_space(set);
    H5Sget_simple_extent_dims(space, dims, NULL);
    snprintf(all->array_names[k], TRIAL_NAME_SIZE, "%s", name);
    all->arrays[k] = (frz_array_desc){.name = all->array_names[k],
                                      .type = trial_dtype(type),
                                      .components = (int)dims[1],
                                      .stride = (int)dims[1],
                                      .rows = (int64_t)dims[0],
                                      .data = calloc((size_t)(dims[0] * dims[1]) + 1, H5Tget_size(type))};
    if (dims[0] > 0)
        assert_greater_equal(H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, all->arrays[k].data), 0);
    H5Sclose(space);
    H5Tclose(type);
    H5Dclose(set);
    return 0;
}

static inline herr_t trial_load_value(hid_t group, const char *name, const H5A_info_t *info, void *user)
{
    (void)info;
    trial_contents *all = user;
    const int k = all->value_count++;
    const hid_t attribute = H5Aopen(group, name, H5P_DEFAULT), type = H5Aget_type(attribute);
    snprintf(all->value_names[k], TRIAL_NAME_SIZE, "%s", name);
    all->values[k] = (frz_checkpoint_value){.name = all->value_names[k],
                                            .type = H5Tget_class(type) == H5T_FLOAT ? FRZ_F64 : FRZ_I64,
                                            .data = &all->numbers[k]};
    assert_greater_equal(H5Aread(attribute, type, &all->numbers[k]), 0);
    H5Tclose(type);
    H5Aclose(attribute);
    return 0;
}

/// All that a checkpoint file holds; trial_release it.
static inline trial_contents *trial_load(const char *path)
{
    trial_contents *all = calloc(1, sizeof *all);
    const hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    const hid_t arrays = H5Gopen2(file, "arrays", H5P_DEFAULT), values = H5Gopen2(file, "values", H5P_DEFAULT);
    assert_greater_equal(H5Literate(arrays, H5_INDEX_NAME, H5_ITER_INC, NULL, trial_load_array, all), 0);
    assert_greater_equal(H5Aiterate2(values, H5_INDEX_NAME, H5_ITER_INC, NULL, trial_load_value, all), 0);
    H5Gclose(values);
    H5Gclose(arrays);
    H5Fclose(file);
    return all;
}

static inline void trial_release(trial_contents *all)
{
    for (int k = 0; k < all->array_count; ++k)
        free(all->arrays[k].data);
    free(all);
}
