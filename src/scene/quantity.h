// SPDX-License-Identifier: MIT
// Numbers with units: "5 mm", "0.1 MPa", "998 kg/m3", "20 degC".
//
// A unit is a product of symbols with powers: kg/m3, kg/m^3, Pa s, Pa*s, J/(kg K), 1/s. The symbols are one table.
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum
{
    FRZ_BASE_METRE,
    FRZ_BASE_KILOGRAM,
    FRZ_BASE_SECOND,
    FRZ_BASE_KELVIN,
    FRZ_BASE_AMPERE,
    FRZ_BASE_RADIAN, ///< angles are kept apart from pure numbers, to catch slips
    FRZ_BASE_COUNT
};

/// Value in SI = (value + offset) * up / down. Two factors, so that "5 mm" is the same bits as 0.005.
typedef struct frz_unit
{
    signed char powers[FRZ_BASE_COUNT];
    double up, down;
    double offset; ///< only for a temperature scale that stands alone
} frz_unit;

/// Read a unit; the empty text is the pure number. On failure returns false and, if bad is not null, the first symbol
/// that is not known (or the rest that makes no sense).
bool frz_unit_read(const char *text, frz_unit *unit, char *bad, size_t bad_size);

bool frz_unit_same_kind(const frz_unit *a, const frz_unit *b);

/// "a length", "a density", ...; "a quantity in <unit>" for kinds without a name. Writes into text and returns it.
const char *frz_unit_kind_text(const char *unit, char *text, size_t size);

/// Units in use for the kind of this unit, e.g. "um, mm, cm, m, km". Writes into text and returns it.
const char *frz_unit_choices_text(const char *unit, char *text, size_t size);

/// A quantity of the kind of this unit, e.g. "5 mm". Writes into text and returns it.
const char *frz_unit_example_text(const char *unit, char *text, size_t size);

typedef enum frz_quantity_fault
{
    FRZ_QUANTITY_OK,
    FRZ_QUANTITY_NOT_A_NUMBER, ///< does not begin with a number
    FRZ_QUANTITY_NOT_FINITE,   ///< nan, inf, or too large for a double
    FRZ_QUANTITY_BAD_UNIT,     ///< unknown unit behind the number; detail holds it
    FRZ_QUANTITY_WRONG_KIND    ///< a unit of another kind; detail holds it
} frz_quantity_fault;

typedef struct frz_quantity
{
    double value;  ///< in the unit asked for
    bool has_unit; ///< a unit was written
    char detail[64];
} frz_quantity;

/// Read a number with an optional unit; the result is in the given unit (numbers without unit are taken to be in it).
frz_quantity_fault frz_quantity_read(const char *text, const char *unit, frz_quantity *out);
