// SPDX-License-Identifier: MIT
// A typed view of an array of particle data: shared by the store, the file writers and the renderer.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/real.h"

typedef enum frz_dtype
{
    FRZ_F32,
    FRZ_F64,
    FRZ_I32,
    FRZ_I64,
    FRZ_U8
} frz_dtype;

#ifdef FRZ_DOUBLE
#define FRZ_DTYPE_REAL FRZ_F64
#else
#define FRZ_DTYPE_REAL FRZ_F32
#endif

/// rows x components values; consecutive rows are stride values apart (stride >= components).
typedef struct frz_array_desc
{
    const char *name;
    const char *unit; ///< "" for dimensionless
    frz_dtype type;
    int components;
    int stride;
    int64_t rows;
    void *data;
} frz_array_desc;

static inline size_t frz_dtype_size(frz_dtype type)
{
    switch (type)
    {
    case FRZ_F64:
    case FRZ_I64:
        return 8;
    case FRZ_U8:
        return 1;
    default:
        return 4;
    }
}

/// One component of one row as double.
static inline double frz_array_value(const frz_array_desc *array, int64_t row, int component)
{
    const int64_t at = row * array->stride + component;
    switch (array->type)
    {
    case FRZ_F32:
        return (double)((const float *)array->data)[at];
    case FRZ_F64:
        return ((const double *)array->data)[at];
    case FRZ_I32:
        return (double)((const int32_t *)array->data)[at];
    case FRZ_I64:
        return (double)((const int64_t *)array->data)[at];
    default:
        return (double)((const uint8_t *)array->data)[at];
    }
}
