// SPDX-License-Identifier: MIT
// Reading of single values: numbers with units, words, vectors, rotations, colours.
#include "scene/schema.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "scene/quantity.h"
#include "scene/schema_value.h"
#include "scene/suggest.h"

enum
{
    phrase_size = 160, // bytes of a part of a message
    longest_name = 64  // letters
};

static const double degree = M_PI / 180.0; // rad

// clang-format off
static const frz_key rotation_keys[] = {
    {"axis", FRZ_KEY_VECTOR, .offset = offsetof(frz_axis_angle, axis), .fallback = "[0, 0, 1]",
     .flags = FRZ_KEY_ANY_Z | FRZ_KEY_NOT_ZERO, .has = offsetof(frz_axis_angle, has_axis),
     .doc = "Axis of any length; z if left out in 2D."},
    {"angle", FRZ_KEY_REAL, .offset = offsetof(frz_axis_angle, angle), .unit = "deg", .min = -1e6, .max = 1e6,
     .flags = FRZ_KEY_REQUIRED, .doc = "Angle; counter-clockwise seen against the axis."},
    {0}};
// clang-format on

const frz_section frz_section_rotation = {
    .name = "a rotation", .doc = "Turn about an axis.", .size = sizeof(frz_axis_angle), .keys = rotation_keys};

static const char *unit_of(const frz_key *row)
{
    return row->unit != NULL ? row->unit : "";
}

/// "expected X, got Y" at a node.
static frz_status fail_value(const frz_parse *parse, const frz_key *row, const frz_node *node, const char *expected)
{
    char got[phrase_size];
    return FRZ_PARSE_FAIL(parse, node->mark, "%s: expected %s, got %s", row->key, expected,
                          frz_node_describe(node, got, sizeof got));
}

static frz_status fail_kind(const frz_parse *parse, const frz_key *row, const frz_node *node)
{
    char kind[phrase_size], example[phrase_size], expected[2 * phrase_size + 16];
    snprintf(expected, sizeof expected, "%s such as '%s'", frz_unit_kind_text(unit_of(row), kind, sizeof kind),
             frz_unit_example_text(unit_of(row), example, sizeof example));
    return fail_value(parse, row, node, expected);
}

/// Smaller numbers, or their squares' inverses, are no longer numbers in single precision.
static const double smallest_real = 1e-30;

static frz_status check_range(const frz_parse *parse, const frz_key *row, const frz_node *node, double value)
{
    if (row->min == row->max)
        return FRZ_OK;
    const bool above_min = (row->flags & FRZ_KEY_ABOVE_MIN) != 0;
    const bool low = above_min ? value <= row->min : value < row->min;
    const bool vanishes = above_min && row->min == 0.0 && value > 0.0 && value < smallest_real;
    if (!low && !vanishes && value <= row->max)
        return FRZ_OK;
    const char *blank = unit_of(row)[0] != '\0' ? " " : "";
    char expected[phrase_size];
    snprintf(expected, sizeof expected, "%s %g%s%s",
             vanishes    ? "at least"
             : !low      ? "at most"
             : above_min ? "more than"
                         : "at least",
             vanishes ? smallest_real
             : low    ? row->min
                      : row->max,
             blank, unit_of(row));
    return fail_value(parse, row, node, expected);
}

frz_status frz_value_real(frz_parse *parse, const frz_key *row, const frz_node *node, double *out)
{
    if (node->kind != FRZ_NODE_SCALAR || frz_node_is_nothing(node))
        return fail_kind(parse, row, node);
    frz_quantity quantity;
    const frz_quantity_fault fault = frz_quantity_read(node->text, unit_of(row), &quantity);
    char got[phrase_size], kind[phrase_size], choices[phrase_size];
    switch (fault)
    {
    case FRZ_QUANTITY_NOT_FINITE:
        return fail_value(parse, row, node, "a finite number");
    case FRZ_QUANTITY_BAD_UNIT:
        if (unit_of(row)[0] == '\0')
            return fail_value(parse, row, node, "a number without unit");
        return FRZ_PARSE_FAIL(parse, node->mark, "%s: expected %s in one of %s, got %s with the unknown unit '%s'",
                              row->key, frz_unit_kind_text(unit_of(row), kind, sizeof kind),
                              frz_unit_choices_text(unit_of(row), choices, sizeof choices),
                              frz_node_describe(node, got, sizeof got), quantity.detail);
    case FRZ_QUANTITY_NOT_A_NUMBER:
    case FRZ_QUANTITY_WRONG_KIND:
        return fail_kind(parse, row, node);
    case FRZ_QUANTITY_OK:
        break;
    }
    // "5 mm" needs quotes in JSON; a quoted number without unit is a text by mistake
    if (node->quoted && !quantity.has_unit)
        return fail_value(parse, row, node, "a number without quotes");
    *out = quantity.value;
    return check_range(parse, row, node, quantity.value);
}

frz_status frz_value_int(frz_parse *parse, const frz_key *row, const frz_node *node, int *out)
{
    if (node->kind != FRZ_NODE_SCALAR || node->quoted || frz_node_is_nothing(node))
        return fail_value(parse, row, node, "a whole number");
    const char *digits = node->text + (node->text[0] == '-' || node->text[0] == '+');
    const size_t count = strspn(digits, "0123456789");
    if (count == 0 || digits[count] != '\0')
        return fail_value(parse, row, node, "a whole number");
    errno = 0;
    const long value = strtol(node->text, NULL, 10);
    if (errno != 0 || value < INT_MIN || value > INT_MAX)
        return fail_value(parse, row, node, "a whole number of at most nine digits");
    *out = (int)value;
    return check_range(parse, row, node, (double)value);
}

frz_status frz_value_bool(frz_parse *parse, const frz_key *row, const frz_node *node, bool *out)
{
    const bool plain = node->kind == FRZ_NODE_SCALAR && !node->quoted;
    if (!plain || (strcmp(node->text, "true") != 0 && strcmp(node->text, "false") != 0))
        return fail_value(parse, row, node, "true or false");
    *out = node->text[0] == 't';
    return FRZ_OK;
}

static frz_status read_text(frz_parse *parse, const frz_key *row, const frz_node *node, char **out)
{
    if (node->kind != FRZ_NODE_SCALAR || frz_node_is_nothing(node))
        return fail_value(parse, row, node, "a text");
    *out = frz_strdup(node->text);
    return *out != NULL ? FRZ_OK : frz_fail_memory(parse->diag, "the scene");
}

bool frz_name_is_valid(const char *name)
{
    if (!isalpha((unsigned char)name[0]) && name[0] != '_')
        return false;
    size_t length = 0;
    for (; name[length] != '\0'; ++length)
        if (!isalnum((unsigned char)name[length]) && name[length] != '_' && name[length] != '-')
            return false;
    return length <= longest_name;
}

static frz_status read_name(frz_parse *parse, const frz_key *row, const frz_node *node, char **out)
{
    if (node->kind != FRZ_NODE_SCALAR || frz_node_is_nothing(node) || !frz_name_is_valid(node->text))
        return fail_value(parse, row, node, "a name of at most 64 letters, digits, _ and - that begins with a letter");
    return read_text(parse, row, node, out);
}

static frz_status read_names(frz_parse *parse, const frz_key *row, const frz_node *node, frz_name_list *out)
{
    const bool single = (row->flags & FRZ_KEY_OR_ONE) != 0;
    const bool one = single && node->kind == FRZ_NODE_SCALAR;
    if (node->kind != FRZ_NODE_LIST && !one)
        return fail_value(parse, row, node, single ? "a name or a list of names" : "a list of names");
    if (single && !one && node->count == 0)
        return fail_value(parse, row, node, "at least one name");
    out->items = FRZ_ALLOC("scene", one ? 1 : node->count, char *);
    if (out->items == NULL)
        return frz_fail_memory(parse->diag, "the scene");
    if (one)
        return read_name(parse, row, node, &out->items[out->count++]);
    for (const frz_node *child = node->first; child != NULL; child = child->next)
        FRZ_TRY(read_name(parse, row, child, &out->items[out->count++]));
    return FRZ_OK;
}

static frz_status read_word(frz_parse *parse, const frz_key *row, const frz_node *node, int *out)
{
    char known[phrase_size], got[phrase_size], hint[phrase_size];
    frz_words_join(row->words, " or ", known, sizeof known);
    if (node->kind != FRZ_NODE_SCALAR || frz_node_is_nothing(node))
        return fail_value(parse, row, node, known);
    frz_suggestion suggestion = {.word = node->text};
    for (int i = 0; row->words[i] != NULL; ++i)
    {
        if (strcmp(row->words[i], node->text) == 0)
        {
            *out = i;
            return FRZ_OK;
        }
        frz_suggestion_offer(&suggestion, row->words[i]);
    }
    return FRZ_PARSE_FAIL(parse, node->mark, "%s: expected %s, got %s%s", row->key, known,
                          frz_node_describe(node, got, sizeof got),
                          frz_suggestion_text(&suggestion, hint, sizeof hint));
}

/// A list of words; one word may stand without brackets.
static frz_status read_words(frz_parse *parse, const frz_key *row, const frz_node *node, unsigned *out)
{
    const bool single = node->kind == FRZ_NODE_SCALAR;
    if (node->kind == FRZ_NODE_MAP)
    {
        char known[phrase_size], expected[phrase_size + 16];
        snprintf(expected, sizeof expected, "a list of %s", frz_words_join(row->words, ", ", known, sizeof known));
        return fail_value(parse, row, node, expected);
    }
    for (const frz_node *child = single ? node : node->first; child != NULL; child = single ? NULL : child->next)
    {
        int word = 0;
        FRZ_TRY(read_word(parse, row, child, &word));
        if ((*out & 1u << word) != 0)
            return FRZ_PARSE_FAIL(parse, child->mark, "%s: expected every word once, got '%s' twice", row->key,
                                  row->words[word]);
        *out |= 1u << word;
    }
    return FRZ_OK;
}

static frz_status read_vector(frz_parse *parse, const frz_key *row, const frz_node *node, frz_vec3 *out)
{
    const bool flat = parse->dimension == 2;
    const bool count_fits = node->count == 3 || (flat && node->count == 2);
    if (node->kind != FRZ_NODE_LIST || !count_fits)
        return fail_value(parse, row, node,
                          flat ? "a list of two numbers such as [1, 0]" : "a list of three numbers such as [1, 0, 0]");
    double values[3] = {0.0, 0.0, 0.0};
    int c = 0;
    const frz_node *child = node->first;
    for (; child != NULL; child = child->next)
        FRZ_TRY(frz_value_real(parse, row, child, &values[c++]));
    *out = frz_v3(values[0], values[1], values[2]);
    if (flat && out->z != 0.0 && (row->flags & FRZ_KEY_ANY_Z) == 0)
        return FRZ_PARSE_FAIL(parse, node->last->mark, "%s: expected z = 0 in a 2D scene, got '%s'", row->key,
                              node->last->text);
    if ((row->flags & FRZ_KEY_NOT_ZERO) != 0 && !(frz_v3_length(*out) > 0.0))
        return fail_value(parse, row, node, "a direction, not the zero vector");
    return FRZ_OK;
}

static frz_scene_turn turn_about(frz_vec3 axis, double angle)
{
    return (frz_scene_turn){frz_quat_axis_angle(axis, angle), frz_v3_scale(angle, frz_v3_normalize(axis))};
}

static frz_status read_axis_angle(frz_parse *parse, const frz_key *row, const frz_node *node, frz_scene_turn *out)
{
    frz_axis_angle turn = {0};
    FRZ_TRY(frz_section_read(parse, &frz_section_rotation, node, &turn));
    if (!turn.has_axis && parse->dimension == 3)
        return FRZ_PARSE_FAIL(parse, node->mark, "%s: expected the keys axis and angle, got angle only", row->key);
    *out = turn_about(turn.axis, turn.angle * degree);
    return FRZ_OK;
}

// Angles about x, y and z, in this order; about one of them alone, whole turns count.
static frz_scene_turn turn_by_angles(const double angles[3])
{
    const frz_vec3 axes[3] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
    frz_quat product = frz_quat_identity();
    int used = 0, last = 0;
    for (int a = 0; a < 3; ++a)
    {
        if (angles[a] == 0.0)
            continue;
        product = frz_quat_mul(frz_quat_axis_angle(axes[a], angles[a] * degree), product);
        last = a;
        used += 1;
    }
    return used == 1 ? turn_about(axes[last], angles[last] * degree) : (frz_scene_turn){.rotation = product};
}

static frz_status read_turn(frz_parse *parse, const frz_key *row, const frz_node *node, frz_scene_turn *out)
{
    const frz_key angle = {.key = row->key, .unit = "deg", .min = -1e6, .max = 1e6};
    const bool flat = parse->dimension == 2;
    if (node->kind == FRZ_NODE_MAP)
        FRZ_TRY(read_axis_angle(parse, row, node, out));
    else if (node->kind == FRZ_NODE_LIST && node->count == 3)
    {
        double turns[3] = {0.0, 0.0, 0.0};
        int c = 0;
        for (const frz_node *child = node->first; child != NULL; child = child->next)
            FRZ_TRY(frz_value_real(parse, &angle, child, &turns[c++]));
        *out = turn_by_angles(turns);
    }
    else if (flat && node->kind == FRZ_NODE_SCALAR)
    {
        double turn = 0.0;
        FRZ_TRY(frz_value_real(parse, &angle, node, &turn));
        *out = turn_about(frz_v3(0.0, 0.0, 1.0), turn * degree);
    }
    else
        return fail_value(parse, row, node,
                          flat ? "an angle such as '30 deg'" : "{axis, angle} or three angles such as [0, 30 deg, 0]");
    if (flat && (out->rotation.x != 0.0 || out->rotation.y != 0.0))
        return FRZ_PARSE_FAIL(parse, node->mark,
                              "%s: expected a turn about z in a 2D scene, got one about another axis", row->key);
    return FRZ_OK;
}

static frz_status read_rotation(frz_parse *parse, const frz_key *row, const frz_node *node, frz_quat *out)
{
    frz_scene_turn turn = {.rotation = frz_quat_identity()};
    FRZ_TRY(read_turn(parse, row, node, &turn));
    *out = turn.rotation;
    return FRZ_OK;
}

static frz_status read_spin(frz_parse *parse, const frz_key *row, const frz_node *node, frz_vec3 *out)
{
    if (parse->dimension == 2 && node->kind == FRZ_NODE_SCALAR)
        return frz_value_real(parse, row, node, &out->z);
    if (node->kind != FRZ_NODE_LIST || node->count != 3)
        return fail_value(parse, row, node,
                          parse->dimension == 2 ? "an angular velocity such as '2 rad/s'"
                                                : "a list of three angular velocities");
    frz_key row_3d = *row;
    row_3d.flags |= FRZ_KEY_ANY_Z;
    FRZ_TRY(read_vector(parse, &row_3d, node, out));
    if (parse->dimension == 2 && (out->x != 0.0 || out->y != 0.0))
        return fail_value(parse, row, node, "a spin about z in a 2D scene");
    return FRZ_OK;
}

static frz_status read_color(frz_parse *parse, const frz_key *row, const frz_node *node, frz_rgb *out)
{
    if (node->kind != FRZ_NODE_SCALAR)
        return fail_value(parse, row, node, "the name of a colour or \"#rrggbb\"");
    if (frz_node_is_nothing(node))
        return fail_value(parse, row, node, "a colour (\"#rrggbb\" needs quotes, # begins a comment)");
    const char *digits = node->text + 1;
    if (node->text[0] == '#' && strlen(digits) == 6 && strspn(digits, "0123456789abcdefABCDEF") == 6)
    {
        const unsigned long code = strtoul(digits, NULL, 16);
        *out = (frz_rgb){true, code >> 16 & 0xff, code >> 8 & 0xff, code & 0xff};
        return FRZ_OK;
    }
    frz_suggestion suggestion = {.word = node->text};
    for (const frz_color_name *c = frz_color_names; c->name != NULL; ++c)
    {
        if (strcmp(c->name, node->text) == 0)
        {
            *out = (frz_rgb){true, c->red, c->green, c->blue};
            return FRZ_OK;
        }
        frz_suggestion_offer(&suggestion, c->name);
    }
    char got[phrase_size], hint[phrase_size];
    return FRZ_PARSE_FAIL(parse, node->mark, "%s: expected the name of a colour or \"#rrggbb\", got %s%s", row->key,
                          frz_node_describe(node, got, sizeof got),
                          frz_suggestion_text(&suggestion, hint, sizeof hint));
}

/// Rows of equal length; in 2D one row without brackets of its own.
static frz_status read_grid(frz_parse *parse, const frz_key *row, const frz_node *node, frz_grid *out)
{
    const bool flat = parse->dimension == 2;
    const char *expected = flat ? "a list of at least two heights such as [0, 0.1]"
                                : "at least two rows of at least two heights such as [[0, 0], [0.1, 0.1]]";
    if (node->kind != FRZ_NODE_LIST || node->count < 2)
        return fail_value(parse, row, node, expected);
    out->rows = flat ? 1 : node->count;
    out->columns = flat ? node->count : node->first->count;
    if (!flat && (node->first->kind != FRZ_NODE_LIST || out->columns < 2))
        return fail_value(parse, row, node->first, expected);
    out->values = FRZ_ALLOC("heights", (size_t)out->rows * (size_t)out->columns, double);
    if (out->values == NULL)
        return frz_fail_memory(parse->diag, "the heightfield");
    double *value = out->values;
    for (const frz_node *line = flat ? node : node->first; line != NULL; line = flat ? NULL : line->next)
    {
        if (line->kind != FRZ_NODE_LIST || line->count != out->columns)
        {
            char rows[phrase_size];
            snprintf(rows, sizeof rows, "a row of %d heights like the first one", out->columns);
            return fail_value(parse, row, line, rows);
        }
        for (const frz_node *child = line->first; child != NULL; child = child->next)
            FRZ_TRY(frz_value_real(parse, row, child, value++));
    }
    return FRZ_OK;
}

frz_status frz_value_read(frz_parse *parse, const frz_key *row, const frz_node *node, void *target)
{
    switch (row->kind)
    {
    case FRZ_KEY_REAL:
        return frz_value_real(parse, row, node, target);
    case FRZ_KEY_INT:
        return frz_value_int(parse, row, node, target);
    case FRZ_KEY_BOOL:
        return frz_value_bool(parse, row, node, target);
    case FRZ_KEY_TEXT:
        return read_text(parse, row, node, target);
    case FRZ_KEY_NAME:
        return read_name(parse, row, node, target);
    case FRZ_KEY_WORD:
        return read_word(parse, row, node, target);
    case FRZ_KEY_WORDS:
        return read_words(parse, row, node, target);
    case FRZ_KEY_NAMES:
        return read_names(parse, row, node, target);
    case FRZ_KEY_VECTOR:
        return read_vector(parse, row, node, target);
    case FRZ_KEY_ROTATION:
        return read_rotation(parse, row, node, target);
    case FRZ_KEY_TURN:
        return read_turn(parse, row, node, target);
    case FRZ_KEY_SPIN:
        return read_spin(parse, row, node, target);
    case FRZ_KEY_COLOR:
        return read_color(parse, row, node, target);
    case FRZ_KEY_GRID:
        return read_grid(parse, row, node, target);
    case FRZ_KEY_SHAPE:
        return frz_shape_read(parse, node, target);
    case FRZ_KEY_QUANTITY:
        return FRZ_OK;
    case FRZ_KEY_SECTION:
    case FRZ_KEY_LIST:
    case FRZ_KEY_MAP:
        break;
    }
    FRZ_ASSERT(!"kinds with a sub-section are read by schema_parse.c");
    return FRZ_ERR_ARGUMENT;
}
