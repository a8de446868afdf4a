// SPDX-License-Identifier: MIT
// A typed view of an array of particle data: the common coin between the store, the file writers and the renderer.
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
