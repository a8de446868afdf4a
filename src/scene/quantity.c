// SPDX-License-Identifier: MIT
// Numbers with units.
#include "scene/quantity.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/number.h"

typedef struct symbol
{
    const char *name;
    frz_unit unit;
} symbol;

// powers: m kg s K A rad; then the factor up / down, and the offset of temperature scales
// clang-format off
static const symbol symbols[] = {
    {"m",    {{1, 0, 0, 0, 0, 0}, 1, 1, 0}},
    {"nm",   {{1, 0, 0, 0, 0, 0}, 1, 1e9, 0}},
    {"um",   {{1, 0, 0, 0, 0, 0}, 1, 1e6, 0}},
    {"mm",   {{1, 0, 0, 0, 0, 0}, 1, 1e3, 0}},
    {"cm",   {{1, 0, 0, 0, 0, 0}, 1, 1e2, 0}},
    {"dm",   {{1, 0, 0, 0, 0, 0}, 1, 1e1, 0}},
    {"km",   {{1, 0, 0, 0, 0, 0}, 1e3, 1, 0}},
    {"l",    {{3, 0, 0, 0, 0, 0}, 1, 1e3, 0}},
    {"L",    {{3, 0, 0, 0, 0, 0}, 1, 1e3, 0}},
    {"ml",   {{3, 0, 0, 0, 0, 0}, 1, 1e6, 0}},
    {"kg",   {{0, 1, 0, 0, 0, 0}, 1, 1, 0}},
    {"g",    {{0, 1, 0, 0, 0, 0}, 1, 1e3, 0}},
    {"mg",   {{0, 1, 0, 0, 0, 0}, 1, 1e6, 0}},
    {"t",    {{0, 1, 0, 0, 0, 0}, 1e3, 1, 0}},
    {"s",    {{0, 0, 1, 0, 0, 0}, 1, 1, 0}},
    {"ns",   {{0, 0, 1, 0, 0, 0}, 1, 1e9, 0}},
    {"us",   {{0, 0, 1, 0, 0, 0}, 1, 1e6, 0}},
    {"ms",   {{0, 0, 1, 0, 0, 0}, 1, 1e3, 0}},
    {"min",  {{0, 0, 1, 0, 0, 0}, 60, 1, 0}},
    {"h",    {{0, 0, 1, 0, 0, 0}, 3600, 1, 0}},
    {"Hz",   {{0, 0, -1, 0, 0, 0}, 1, 1, 0}},
    {"kHz",  {{0, 0, -1, 0, 0, 0}, 1e3, 1, 0}},
    {"rpm",  {{0, 0, -1, 0, 0, 1}, 2 * M_PI, 60, 0}},
    {"K",    {{0, 0, 0, 1, 0, 0}, 1, 1, 0}},
    {"degC", {{0, 0, 0, 1, 0, 0}, 1, 1, 273.15}},
    {"A",    {{0, 0, 0, 0, 1, 0}, 1, 1, 0}},
    {"V",    {{2, 1, -3, 0, -1, 0}, 1, 1, 0}},
    {"T",    {{0, 1, -2, 0, -1, 0}, 1, 1, 0}},
    {"rad",  {{0, 0, 0, 0, 0, 1}, 1, 1, 0}},
    {"deg",  {{0, 0, 0, 0, 0, 1}, M_PI, 180, 0}},
    {"N",    {{1, 1, -2, 0, 0, 0}, 1, 1, 0}},
    {"mN",   {{1, 1, -2, 0, 0, 0}, 1, 1e3, 0}},
    {"kN",   {{1, 1, -2, 0, 0, 0}, 1e3, 1, 0}},
    {"Pa",   {{-1, 1, -2, 0, 0, 0}, 1, 1, 0}},
    {"mPa",  {{-1, 1, -2, 0, 0, 0}, 1, 1e3, 0}},
    {"hPa",  {{-1, 1, -2, 0, 0, 0}, 1e2, 1, 0}},
    {"kPa",  {{-1, 1, -2, 0, 0, 0}, 1e3, 1, 0}},
    {"MPa",  {{-1, 1, -2, 0, 0, 0}, 1e6, 1, 0}},
    {"GPa",  {{-1, 1, -2, 0, 0, 0}, 1e9, 1, 0}},
    {"bar",  {{-1, 1, -2, 0, 0, 0}, 1e5, 1, 0}},
    {"P",    {{-1, 1, -1, 0, 0, 0}, 1, 10, 0}},
    {"cP",   {{-1, 1, -1, 0, 0, 0}, 1, 1e3, 0}},
    {"St",   {{2, 0, -1, 0, 0, 0}, 1, 1e4, 0}},
    {"cSt",  {{2, 0, -1, 0, 0, 0}, 1, 1e6, 0}},
    {"J",    {{2, 1, -2, 0, 0, 0}, 1, 1, 0}},
    {"mJ",   {{2, 1, -2, 0, 0, 0}, 1, 1e3, 0}},
    {"kJ",   {{2, 1, -2, 0, 0, 0}, 1e3, 1, 0}},
    {"MJ",   {{2, 1, -2, 0, 0, 0}, 1e6, 1, 0}},
    {"W",    {{2, 1, -3, 0, 0, 0}, 1, 1, 0}},
    {"mW",   {{2, 1, -3, 0, 0, 0}, 1, 1e3, 0}},
    {"kW",   {{2, 1, -3, 0, 0, 0}, 1e3, 1, 0}},
    {"MW",   {{2, 1, -3, 0, 0, 0}, 1e6, 1, 0}},
    {"%",    {{0, 0, 0, 0, 0, 0}, 1, 1e2, 0}},
    {"1",    {{0, 0, 0, 0, 0, 0}, 1, 1, 0}},
};

/// Kinds of quantities that have a name of their own, for messages.
static const struct
{
    const char *unit, *kind, *choices, *example;
} kinds[] = {
    {"",         "a number",                "%", "0.5"},
    {"m",        "a length",                "um, mm, cm, m, km", "5 mm"},
    {"m2",       "an area",                 "mm2, cm2, m2", "4 cm2"},
    {"m3",       "a volume",                "mm3, cm3, ml, l, m3", "2 l"},
    {"m3/s",     "a flow rate",             "ml/s, l/s, l/min, m3/s", "0.1 l/s"},
    {"s",        "a time",                  "us, ms, s, min, h", "2 ms"},
    {"kg",       "a mass",                  "mg, g, kg, t", "3 kg"},
    {"K",        "a temperature",           "K, degC", "20 degC"},
    {"rad",      "an angle",                "deg, rad", "30 deg"},
    {"rad/s",    "an angular velocity",     "rad/s, deg/s, rpm", "2 rad/s"},
    {"1/s",      "a rate",                  "1/s, Hz, kHz", "50 Hz"},
    {"m/s",      "a velocity",              "mm/s, cm/s, m/s, km/h", "2 m/s"},
    {"m/s2",     "an acceleration",         "mm/s2, m/s2", "9.81 m/s2"},
    {"kg/m3",    "a density",               "kg/m3, g/cm3, kg/l", "1000 kg/m3"},
    {"Pa",       "a pressure",              "Pa, hPa, kPa, MPa, GPa, bar", "2 kPa"},
    {"Pa s",     "a dynamic viscosity",     "Pa s, mPa s, P, cP", "1 mPa s"},
    {"m2/s",     "a kinematic viscosity",   "m2/s, mm2/s, St, cSt", "1 cSt"},
    {"N",        "a force",                 "mN, N, kN", "5 N"},
    {"N/m",      "a surface tension",       "mN/m, N/m", "72 mN/m"},
    {"J",        "an energy",               "mJ, J, kJ, MJ", "5 J"},
    {"J/kg",     "a specific energy",       "J/kg, kJ/kg", "334 kJ/kg"},
    {"W",        "a power",                 "mW, W, kW, MW", "5 W"},
    {"W/m2",     "a heat flux",             "W/m2, kW/m2, MW/m2", "5 kW/m2"},
    {"W/m3",     "a power per volume",      "W/m3, kW/m3, MW/m3", "5 kW/m3"},
    {"W/(m2 K)", "a heat transfer coefficient", "W/(m2 K), kW/(m2 K)", "25 W/(m2 K)"},
    {"1/K",      "an expansion",            "1/K", "2e-4 1/K"},
    {"J/(kg K)", "a specific heat",         "J/(kg K), kJ/(kg K)", "4184 J/(kg K)"},
    {"W/(m K)",  "a thermal conductivity",  "W/(m K), mW/(m K)", "0.6 W/(m K)"},
};
// clang-format on

enum
{
    highest_power = 9,
    unit_size = 64 // bytes of a unit's text
};

static const symbol *symbol_find(const char *name, size_t length)
{
    for (size_t i = 0; i < sizeof symbols / sizeof symbols[0]; ++i)
        if (strlen(symbols[i].name) == length && memcmp(symbols[i].name, name, length) == 0)
            return &symbols[i];
    return NULL;
}

static void unit_multiply(frz_unit *unit, const frz_unit *factor, int power)
{
    for (int i = 0; i < abs(power); ++i)
    {
        unit->up *= power > 0 ? factor->up : factor->down;
        unit->down *= power > 0 ? factor->down : factor->up;
    }
    for (int b = 0; b < FRZ_BASE_COUNT; ++b)
        unit->powers[b] = (signed char)(unit->powers[b] + factor->powers[b] * power);
}

static const char *skip_blanks(const char *c)
{
    while (*c == ' ' || *c == '\t')
        ++c;
    return c;
}

/// State of reading "a b^2 / (c d)": sign is -1 behind a slash (for the next factor, or for a whole parenthesis).
typedef struct unit_reader
{
    const char *at;
    frz_unit unit;
    int factors;
    double offset;
} unit_reader;

/// One symbol with its power. False if it is not known; reader->at stays at its start.
static bool read_factor(unit_reader *reader, int sign)
{
    const char *start = reader->at, *c = start;
    if (*c == '%' || (*c == '1' && *skip_blanks(c + 1) == '/'))
        ++c;
    else
        while (isalpha((unsigned char)*c))
            ++c;
    const symbol *found = symbol_find(start, (size_t)(c - start));
    if (found == NULL)
        return false;
    int power = 1;
    if (*start != '1' && (*c == '^' || isdigit((unsigned char)*c) || (*c == '-' && isdigit((unsigned char)c[1]))))
    {
        c += *c == '^';
        const int direction = *c == '-' ? -1 : 1;
        c += *c == '-';
        if (!isdigit((unsigned char)*c) || isdigit((unsigned char)c[1]) || *c > '0' + highest_power)
            return false;
        power = direction * (*c++ - '0');
    }
    unit_multiply(&reader->unit, &found->unit, sign * power);
    reader->offset = found->unit.offset;
    reader->factors += 1;
    reader->at = c;
    return true;
}

static bool read_product(unit_reader *reader, int sign, bool inner)
{
    int next = sign;
    for (bool first = true;; first = false)
    {
        reader->at = skip_blanks(reader->at);
        if (*reader->at == '\0' || (inner && *reader->at == ')'))
            return !first;
        if (!first && (*reader->at == '/' || *reader->at == '*'))
        {
            if (*reader->at == '/')
                next = -sign;
            reader->at = skip_blanks(reader->at + 1);
        }
        if (*reader->at == '(' && !inner)
        {
            ++reader->at;
            if (!read_product(reader, next, true) || *reader->at != ')')
                return false;
            ++reader->at;
        }
        else if (!read_factor(reader, next))
            return false;
        next = sign; // a slash holds for one factor: J/kg K is (J/kg) K
    }
}

bool frz_unit_read(const char *text, frz_unit *unit, char *bad, size_t bad_size)
{
    unit_reader reader = {.at = skip_blanks(text), .unit = {.up = 1.0, .down = 1.0}};
    if (*reader.at != '\0' && !read_product(&reader, 1, false))
    {
        if (bad != NULL)
            snprintf(bad, bad_size, "%s", *reader.at != '\0' ? reader.at : text);
        return false;
    }
    if (reader.factors == 1 && reader.unit.powers[FRZ_BASE_KELVIN] == 1)
        reader.unit.offset = reader.offset;
    *unit = reader.unit;
    return true;
}

bool frz_unit_same_kind(const frz_unit *a, const frz_unit *b)
{
    return memcmp(a->powers, b->powers, sizeof a->powers) == 0;
}

static int kind_index(const char *unit)
{
    frz_unit wanted, known;
    if (!frz_unit_read(unit, &wanted, NULL, 0))
        return -1;
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; ++i)
        if (frz_unit_read(kinds[i].unit, &known, NULL, 0) && frz_unit_same_kind(&wanted, &known))
            return (int)i;
    return -1;
}

const char *frz_unit_kind_text(const char *unit, char *text, size_t size)
{
    const int kind = kind_index(unit);
    if (strcmp(unit, "%") == 0)
        snprintf(text, size, "a percentage");
    else if (kind >= 0)
        snprintf(text, size, "%s", kinds[kind].kind);
    else
        snprintf(text, size, "a quantity in %s", unit);
    return text;
}

const char *frz_unit_choices_text(const char *unit, char *text, size_t size)
{
    const int kind = kind_index(unit);
    snprintf(text, size, "%s", kind >= 0 ? kinds[kind].choices : unit);
    return text;
}

const char *frz_unit_example_text(const char *unit, char *text, size_t size)
{
    const int kind = kind_index(unit);
    if (strcmp(unit, "%") == 0)
        snprintf(text, size, "5 %%");
    else if (kind >= 0)
        snprintf(text, size, "%s", kinds[kind].example);
    else
        snprintf(text, size, "5 %s", unit);
    return text;
}

static bool is_special_number(const char *text)
{
    const char *c = text;
    c += *c == '+' || *c == '-';
    c += *c == '.';
    return strcasecmp(c, "nan") == 0 || strcasecmp(c, "inf") == 0 || strcasecmp(c, "infinity") == 0;
}

frz_quantity_fault frz_quantity_read(const char *text, const char *unit, frz_quantity *out)
{
    *out = (frz_quantity){0};
    if (is_special_number(text))
        return FRZ_QUANTITY_NOT_FINITE;
    const char *rest = text;
    const double value = frz_number_read(text, &rest);
    if (rest == text)
        return FRZ_QUANTITY_NOT_A_NUMBER;
    const char *suffix = skip_blanks(rest);
    if (!isfinite(value))
        return FRZ_QUANTITY_NOT_FINITE;
    out->value = value;
    if (*suffix == '\0')
        return FRZ_QUANTITY_OK;
    out->has_unit = true;
    if (strlen(suffix) >= unit_size)
    {
        snprintf(out->detail, sizeof out->detail, "%.60s", suffix);
        return FRZ_QUANTITY_BAD_UNIT;
    }
    frz_unit given, wanted;
    if (!frz_unit_read(suffix, &given, out->detail, sizeof out->detail))
        return FRZ_QUANTITY_BAD_UNIT;
    snprintf(out->detail, sizeof out->detail, "%s", suffix);
    if (!frz_unit_read(unit, &wanted, NULL, 0) || !frz_unit_same_kind(&given, &wanted))
        return FRZ_QUANTITY_WRONG_KIND;
    // factors that the two units share cancel exactly: up * wanted.down over down * wanted.up
    double up = given.up * wanted.down, down = given.down * wanted.up;
    if (up == down)
        up = down = 1.0;
    out->value = (value + given.offset) * up / down - wanted.offset;
    return isfinite(out->value) ? FRZ_QUANTITY_OK : FRZ_QUANTITY_NOT_FINITE;
}
