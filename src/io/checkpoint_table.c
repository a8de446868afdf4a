// SPDX-License-Identifier: MIT
#include "io/checkpoint_table.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

// how far the square of a unit vector's length may be from 1: rounding leaves 1e-15, of single-precision shapes 1e-7
static const double unit_tolerance = 1e-6;

frz_status frz_checkpoint_refuse(const frz_checkpoint_reader *reader, const char *name, int64_t row, frz_diag *diag,
                                 const char *format, ...)
{
    char why[256], which[32] = "value";
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(why, sizeof why, format, arguments);
    va_end(arguments);
    if (row >= 0)
        snprintf(which, sizeof which, "row %lld of", (long long)row);
    return frz_fail(diag, FRZ_ERR_FILE,
                    "%s: %s '%s' %s; the file is damaged: remove it to go on from the older checkpoint, or run the "
                    "scene anew",
                    frz_checkpoint_path(reader), which, name, why);
}

frz_status frz_checkpoint_check(const frz_checkpoint_reader *reader, const char *name, int64_t row, double number,
                                frz_range range, frz_diag *diag)
{
    if (number >= range.least && number <= range.most)
        return FRZ_OK;
    if (range.least > range.most)
        return frz_checkpoint_refuse(reader, name, row, diag, "is %.17g, but the scene has nothing that it could mean",
                                     number);
    if (!isfinite(number))
        return frz_checkpoint_refuse(reader, name, row, diag, "is %g, which is not a finite number", number);
    if (range.most == DBL_MAX)
        return frz_checkpoint_refuse(reader, name, row, diag, "is %.17g, but must %s", number,
                                     range.least > 0.0 ? "be above 0" : "not be below 0");
    return frz_checkpoint_refuse(reader, name, row, diag, "is %.17g, but must be from %g to %g", number, range.least,
                                 range.most);
}

static frz_array_desc describe(const frz_checkpoint_table *table, int member, int64_t rows, void *data)
{
    const frz_checkpoint_member *m = &table->members[member];
    const size_t size = frz_dtype_size(m->type);
    // strides count numbers
    FRZ_ASSERT(table->row_size % size == 0 && m->offset % size == 0);
    FRZ_ASSERT(m->offset + size * (size_t)m->count <= table->row_size);
    return (frz_array_desc){.name = m->name,
                            .unit = "",
                            .type = m->type,
                            .components = m->count,
                            .stride = (int)(table->row_size / size),
                            .rows = rows,
                            .data = data != NULL ? (char *)data + m->offset : NULL};
}

void frz_checkpoint_table_list(const frz_checkpoint_table *table, int64_t rows, void *data, frz_array_desc *arrays)
{
    for (int m = 0; m < table->count; ++m)
        arrays[m] = describe(table, m, rows, data);
}

static double number_at(const frz_array_desc *array, int64_t row, int component)
{
    FRZ_ASSERT(array->data != NULL);
    const size_t size = frz_dtype_size(array->type);
    const char *at = (const char *)array->data + ((size_t)row * (size_t)array->stride + (size_t)component) * size;
    union
    {
        float f32;
        double f64;
        int32_t i32;
        int64_t i64;
        uint8_t u8;
    } number;
    memcpy(&number, at, size);
    switch (array->type)
    {
    case FRZ_F32:
        return (double)number.f32;
    case FRZ_F64:
        return number.f64;
    case FRZ_I32:
        return number.i32;
    case FRZ_I64:
        return (double)number.i64;
    default:
        return number.u8;
    }
}

static frz_status check_form(const frz_checkpoint_reader *reader, const frz_array_desc *array, frz_checkpoint_form form,
                             int64_t row, frz_diag *diag)
{
    double square = 0.0;
    for (int c = 0; c < array->components; ++c)
        square += number_at(array, row, c) * number_at(array, row, c);
    if (fabs(square - 1.0) <= unit_tolerance || (form == FRZ_FORM_UNIT_OR_ZERO && square == 0.0))
        return FRZ_OK;
    return frz_checkpoint_refuse(reader, array->name, row, diag, "has length %.9g, but must have length 1",
                                 sqrt(square));
}

frz_status frz_checkpoint_read_checked(frz_checkpoint_reader *reader, const frz_array_desc *array, frz_range range,
                                       frz_checkpoint_form form, frz_diag *diag)
{
    FRZ_TRY(frz_checkpoint_read_array(reader, array, diag));
    for (int64_t row = 0; row < array->rows; ++row)
    {
        for (int c = 0; c < array->components; ++c)
            FRZ_TRY(frz_checkpoint_check(reader, array->name, row, number_at(array, row, c), range, diag));
        if (form != FRZ_FORM_NUMBERS)
            FRZ_TRY(check_form(reader, array, form, row, diag));
    }
    return FRZ_OK;
}

frz_status frz_checkpoint_table_rows(frz_checkpoint_reader *reader, const frz_checkpoint_table *table, int64_t *rows,
                                     frz_diag *diag)
{
    const char *name = table->members[0].name;
    *rows = frz_checkpoint_rows(reader, name);
    if (*rows < 0)
        return frz_fail(diag, FRZ_ERR_FILE, "%s has no array '%s'; it may stem from another version of frazil",
                        frz_checkpoint_path(reader), name);
    if (*rows > INT32_MAX / 2)
        return frz_fail(diag, FRZ_ERR_FILE,
                        "%s: array '%s' holds %lld rows, which are more than this program can count",
                        frz_checkpoint_path(reader), name, (long long)*rows);
    return FRZ_OK;
}

frz_status frz_checkpoint_table_read(frz_checkpoint_reader *reader, const frz_checkpoint_table *table, int64_t rows,
                                     void *data, frz_diag *diag)
{
    for (int m = 0; m < table->count; ++m)
    {
        const frz_array_desc array = describe(table, m, rows, data);
        FRZ_TRY(frz_checkpoint_read_checked(reader, &array, table->members[m].range, table->members[m].form, diag));
    }
    return FRZ_OK;
}
