// SPDX-License-Identifier: MIT
// Arrays of structs in checkpoints: a table names the members, and each becomes an array of its own.
//
// A file thus names its data and does not depend on a compiler's layout of structs, and each number is checked against
// its range before use. To save another array of structs, write its table
//
//     const frz_checkpoint_member members[] = {
//         FRZ_MEMBER("springs.body", spring, body, FRZ_I32, 1, FRZ_RANGE_INDEX(body_count), FRZ_FORM_NUMBERS),
//         FRZ_MEMBER("springs.axis", spring, axis, FRZ_F64, 3, FRZ_RANGE_FINITE, FRZ_FORM_UNIT)};
//     const frz_checkpoint_table table = FRZ_TABLE(members, spring);
//
// and pass it with the number of rows and the first struct to frz_checkpoint_table_list when writing and to
// frz_checkpoint_table_read when reading. A list whose length varies is allocated for frz_checkpoint_table_rows rows
// first. A plain array is a table with one member at offset 0: FRZ_PLAIN. The caller checks relations between rows or
// to other data, and reports faults by frz_checkpoint_refuse.
#pragma once

#include "io/checkpoint_file.h"

/// Form of the numbers of a member taken together.
typedef enum frz_checkpoint_form
{
    FRZ_FORM_NUMBERS,     ///< nothing
    FRZ_FORM_UNIT,        ///< a vector or quaternion of length 1, to rounding
    FRZ_FORM_UNIT_OR_ZERO ///< the same, or all zero
} frz_checkpoint_form;

typedef struct frz_checkpoint_member
{
    const char *name; ///< of the array in the file, "table.member"
    size_t offset;    ///< in the struct
    frz_dtype type;   ///< in the struct and in the file; FRZ_I32 for int and enum, FRZ_U8 for bool
    int count;        ///< numbers of the member, one after the other
    frz_range range;  ///< of each of them
    frz_checkpoint_form form;
} frz_checkpoint_member;

typedef struct frz_checkpoint_table
{
    const frz_checkpoint_member *members;
    int count;
    size_t row_size; ///< bytes of the struct
} frz_checkpoint_table;

/// count numbers of the given type from a member of a struct on.
#define FRZ_MEMBER(name, of, member, type, count, range, form)                                                         \
    {                                                                                                                  \
        name, offsetof(of, member), type, count, range, form                                                           \
    }
/// The only member of a plain array.
#define FRZ_PLAIN(name, type, range)                                                                                   \
    {                                                                                                                  \
        name, 0, type, 1, range, FRZ_FORM_NUMBERS                                                                      \
    }
#define FRZ_TABLE(members, of)                                                                                         \
    {                                                                                                                  \
        (members), (int)(sizeof(members) / sizeof((members)[0])), sizeof(of)                                           \
    }

/// The members as table->count arrays to write; data points at the first struct.
void frz_checkpoint_table_list(const frz_checkpoint_table *table, int64_t rows, void *data, frz_array_desc *arrays);

/// Number of rows of a table, from its first member. Fails if that is missing, or has more rows than half of the
/// largest int.
FRZ_NODISCARD frz_status frz_checkpoint_table_rows(frz_checkpoint_reader *reader, const frz_checkpoint_table *table,
                                                   int64_t *rows, frz_diag *diag);

/// Read so many rows. Every member must have as many, and every number must be in its range: else the message names
/// array and row, and data must not be used.
FRZ_NODISCARD frz_status frz_checkpoint_table_read(frz_checkpoint_reader *reader, const frz_checkpoint_table *table,
                                                   int64_t rows, void *data, frz_diag *diag);

/// The same for one array that is no member of a struct.
FRZ_NODISCARD frz_status frz_checkpoint_read_checked(frz_checkpoint_reader *reader, const frz_array_desc *array,
                                                     frz_range range, frz_checkpoint_form form, frz_diag *diag);

/// Refuse a number that is not in its range.
FRZ_NODISCARD frz_status frz_checkpoint_check(const frz_checkpoint_reader *reader, const char *name, int64_t row,
                                              double number, frz_range range, frz_diag *diag);

/// Fail because a row of an array (-1: a value) is invalid; the rest of the message follows "row 3 of
/// 'contacts.toucher' ".
FRZ_NODISCARD frz_status frz_checkpoint_refuse(const frz_checkpoint_reader *reader, const char *name, int64_t row,
                                               frz_diag *diag, const char *format, ...)
    __attribute__((format(printf, 5, 6)));
