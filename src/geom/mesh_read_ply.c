// SPDX-License-Identifier: MIT
// PLY (Turk 1994): a header in text that says which elements follow, with which properties; then the elements, in text
// or binary of either byte order. Used are x, y, z of the vertices, and faces or triangle strips; the rest is skipped.
#include "geom/mesh_read.h"

#include <limits.h>
#include <math.h>
#include <string.h>

enum
{
    most_elements = 32,   // kinds
    most_properties = 512 // of all kinds together
};

typedef enum number_type
{
    TYPE_I8,
    TYPE_U8,
    TYPE_I16,
    TYPE_U16,
    TYPE_I32,
    TYPE_U32,
    TYPE_F32,
    TYPE_F64,
    TYPE_COUNT
} number_type;

static const char *const type_names[TYPE_COUNT][2] = {{"char", "int8"},     {"uchar", "uint8"},   {"short", "int16"},
                                                      {"ushort", "uint16"}, {"int", "int32"},     {"uint", "uint32"},
                                                      {"float", "float32"}, {"double", "float64"}};
static const size_t type_sizes[TYPE_COUNT] = {1, 1, 2, 2, 4, 4, 4, 8};

typedef enum ply_use
{
    USE_NONE,
    USE_X,
    USE_Y,
    USE_Z,
    USE_U,
    USE_V,
    USE_FACE,
    USE_STRIP
} ply_use;

typedef struct ply_property
{
    bool is_list;
    number_type count_type; ///< of lists
    number_type type;
    ply_use use;
} ply_property;

typedef enum element_kind
{
    ELEMENT_OTHER,
    ELEMENT_VERTEX,
    ELEMENT_FACE,
    ELEMENT_STRIPS
} element_kind;

typedef struct element
{
    element_kind kind;
    int64_t count;
    int first, properties; ///< of the table of properties
} element;

typedef enum encoding
{
    ENCODING_NONE,
    ENCODING_TEXT,
    ENCODING_LITTLE,
    ENCODING_BIG
} encoding;

typedef struct ply
{
    frz_mesh_reader *reader;
    encoding encoding;
    element elements[most_elements];
    int element_count;
    ply_property properties[most_properties];
    int property_count;
    int64_t vertex_count; ///< that the header promises
    int strip[2];         ///< last two corners of a triangle strip
    int64_t strip_length;
} ply;

// ---- header

static frz_status fail_header(const ply *p, const char *expected, frz_mesh_word word)
{
    char quote[FRZ_MESH_QUOTE_SIZE];
    return frz_mesh_read_fail(p->reader, p->reader->line, "expected %s, found %s", expected,
                              frz_mesh_quote(word, quote));
}

static frz_status read_format(ply *p)
{
    static const char *const names[] = {
        [ENCODING_TEXT] = "ascii", [ENCODING_LITTLE] = "binary_little_endian", [ENCODING_BIG] = "binary_big_endian"};
    const frz_mesh_word word = frz_mesh_next_on_line(p->reader);
    for (int k = ENCODING_TEXT; k <= ENCODING_BIG; ++k)
        if (frz_mesh_word_is(word, names[k]))
            p->encoding = (encoding)k;
    if (p->encoding == ENCODING_NONE)
        return fail_header(p, "'ascii', 'binary_little_endian' or 'binary_big_endian'", word);
    return FRZ_OK;
}

static frz_status read_element(ply *p)
{
    static const char *const names[] = {
        [ELEMENT_VERTEX] = "vertex", [ELEMENT_FACE] = "face", [ELEMENT_STRIPS] = "tristrips"};
    const frz_mesh_word name = frz_mesh_next_on_line(p->reader), count = frz_mesh_next_on_line(p->reader);
    if (p->element_count == most_elements)
        return frz_mesh_read_fail(p->reader, p->reader->line, "more than %d kinds of elements", (int)most_elements);
    element *e = &p->elements[p->element_count];
    e->first = p->property_count;
    if (!frz_mesh_word_integer(count, &e->count) || e->count < 0)
        return fail_header(p, "the number of elements", count);
    for (int k = ELEMENT_VERTEX; k <= ELEMENT_STRIPS; ++k)
        if (frz_mesh_word_is(name, names[k]))
            e->kind = (element_kind)k;
    for (int k = 0; k < p->element_count; ++k)
        if (e->kind != ELEMENT_OTHER && p->elements[k].kind == e->kind)
            return frz_mesh_read_fail(p->reader, p->reader->line, "a second element '%s'", names[e->kind]);
    if (e->kind == ELEMENT_VERTEX)
        p->vertex_count = e->count;
    ++p->element_count;
    return FRZ_OK;
}

static frz_status read_type(const ply *p, number_type *type)
{
    const frz_mesh_word word = frz_mesh_next_on_line(p->reader);
    for (int k = 0; k < TYPE_COUNT; ++k)
        if (frz_mesh_word_is(word, type_names[k][0]) || frz_mesh_word_is(word, type_names[k][1]))
        {
            *type = (number_type)k;
            return FRZ_OK;
        }
    return fail_header(p, "a type such as 'float'", word);
}

static ply_use use_of(element_kind kind, const ply_property *property, frz_mesh_word name)
{
    static const char *const axes[] = {[USE_X] = "x", [USE_Y] = "y", [USE_Z] = "z"};
    const bool indices = frz_mesh_word_is(name, "vertex_indices") || frz_mesh_word_is(name, "vertex_index");
    static const char *const texture[][2] = {{"s", "t"}, {"u", "v"}, {"texture_u", "texture_v"}};
    for (int k = USE_X; k <= USE_Z; ++k)
        if (kind == ELEMENT_VERTEX && !property->is_list && frz_mesh_word_is(name, axes[k]))
            return (ply_use)k;
    for (size_t k = 0; k < 2 * (sizeof texture / sizeof texture[0]); ++k)
        if (kind == ELEMENT_VERTEX && !property->is_list && frz_mesh_word_is(name, texture[k / 2][k % 2]))
            return k % 2 == 0 ? USE_U : USE_V;
    if (!indices || !property->is_list)
        return USE_NONE;
    return kind == ELEMENT_FACE ? USE_FACE : kind == ELEMENT_STRIPS ? USE_STRIP : USE_NONE;
}

static frz_status read_property(ply *p)
{
    frz_mesh_reader *reader = p->reader;
    if (p->element_count == 0)
        return frz_mesh_read_fail(reader, reader->line, "a property before the first element");
    if (p->property_count == most_properties)
        return frz_mesh_read_fail(reader, reader->line, "more than %d properties", (int)most_properties);
    element *e = &p->elements[p->element_count - 1];
    ply_property *property = &p->properties[p->property_count];
    const size_t start = reader->at;
    property->is_list = frz_mesh_word_is(frz_mesh_next_on_line(reader), "list");
    if (property->is_list)
        FRZ_TRY(read_type(p, &property->count_type));
    else
        reader->at = start;
    FRZ_TRY(read_type(p, &property->type));
    const frz_mesh_word name = frz_mesh_next_on_line(reader);
    if (name.length == 0)
        return fail_header(p, "the name of the property", name);
    property->use = use_of(e->kind, property, name);
    for (int k = e->first; k < p->property_count; ++k)
        if (property->use != USE_NONE && property->use != USE_U && property->use != USE_V &&
            p->properties[k].use == property->use)
            return frz_mesh_read_fail(reader, reader->line, "a property that the element has already");
    ++p->property_count;
    ++e->properties;
    return FRZ_OK;
}

static frz_status read_header_line(ply *p, frz_mesh_word word)
{
    if (frz_mesh_word_is(word, "format"))
        return read_format(p);
    if (frz_mesh_word_is(word, "element"))
        return read_element(p);
    if (frz_mesh_word_is(word, "property"))
        return read_property(p);
    if (word.length == 0 || frz_mesh_word_is(word, "comment") || frz_mesh_word_is(word, "obj_info"))
        return FRZ_OK;
    return fail_header(p, "'element', 'property' or 'end_header'", word);
}

static bool has_use(const ply *p, element_kind kind, ply_use use)
{
    for (int k = 0; k < p->element_count; ++k)
        for (int i = 0; p->elements[k].kind == kind && i < p->elements[k].properties; ++i)
            if (p->properties[p->elements[k].first + i].use == use)
                return true;
    return false;
}

static frz_status check_header(const ply *p)
{
    if (p->encoding == ENCODING_NONE)
        return frz_mesh_read_fail(p->reader, p->reader->line, "the header has no line 'format'");
    for (int axis = USE_X; axis <= USE_Z; ++axis)
        if (!has_use(p, ELEMENT_VERTEX, (ply_use)axis))
            return frz_mesh_read_fail(p->reader, p->reader->line, "the vertices have no property '%c'",
                                      "xyz"[axis - USE_X]);
    if (p->vertex_count > INT_MAX / 4)
        return frz_mesh_read_fail(p->reader, -1, "it promises %lld vertices; simplify it", (long long)p->vertex_count);
    return FRZ_OK;
}

static frz_status read_header(ply *p)
{
    frz_mesh_reader *reader = p->reader;
    if (!frz_mesh_word_is(frz_mesh_next_on_line(reader), "ply"))
        return frz_mesh_read_fail(reader, -1, "it is no PLY: it does not begin with 'ply'");
    // in binary files a line feed behind a carriage return may be the first byte of the data
    const bool one_byte =
        reader->text[reader->at] == '\n' || (reader->text[reader->at] == '\r' && reader->text[reader->at + 1] != '\n');
    while (frz_mesh_next_line(reader))
    {
        const frz_mesh_word word = frz_mesh_next_on_line(reader);
        if (!frz_mesh_word_is(word, "end_header"))
        {
            FRZ_TRY(read_header_line(p, word));
            continue;
        }
        const size_t before = reader->at;
        (void)frz_mesh_next_line(reader);
        if (one_byte && p->encoding != ENCODING_TEXT && reader->at > before + 1)
            reader->at = before + 1;
        return check_header(p);
    }
    return frz_mesh_read_fail(reader, reader->line, "the file ends before 'end_header'");
}

// ---- values

/// For messages: a line of text, or 0 for the present byte.
static int64_t place_of(const ply *p)
{
    return p->encoding == ENCODING_TEXT ? p->reader->line : 0;
}

static frz_status fail_short(const ply *p)
{
    return frz_mesh_read_fail(p->reader, place_of(p), "the file ends before its last element: it was cut short");
}

static double decode(const unsigned char *bytes, size_t size, number_type type, bool big)
{
    uint64_t bits = 0;
    for (size_t i = 0; i < size; ++i)
        bits |= (uint64_t)bytes[i] << 8 * (big ? size - 1 - i : i);
    const uint32_t low = (uint32_t)bits;
    float single = 0.0f;
    double value = 0.0;
    switch (type)
    {
    case TYPE_I8:
        return (int8_t)bits;
    case TYPE_I16:
        return (int16_t)bits;
    case TYPE_I32:
        return (int32_t)low;
    case TYPE_F32:
        memcpy(&single, &low, sizeof single);
        return (double)single;
    case TYPE_F64:
        memcpy(&value, &bits, sizeof value);
        return value;
    default:
        return (double)bits;
    }
}

static frz_status read_value(const ply *p, number_type type, double *value)
{
    frz_mesh_reader *reader = p->reader;
    const size_t size = type_sizes[type];
    char quote[FRZ_MESH_QUOTE_SIZE];
    if (p->encoding == ENCODING_TEXT)
    {
        const frz_mesh_word word = frz_mesh_next(reader);
        if (word.length == 0)
            return fail_short(p);
        if (!frz_mesh_word_number(word, value))
            return frz_mesh_read_fail(reader, reader->line, "expected a number, found %s", frz_mesh_quote(word, quote));
        return FRZ_OK;
    }
    if (reader->size - reader->at < size)
        return fail_short(p);
    *value = decode((const unsigned char *)reader->text + reader->at, size, type, p->encoding == ENCODING_BIG);
    reader->at += size;
    return FRZ_OK;
}

/// Fails at the line or byte of the value that was just read.
static frz_status fail_value(const ply *p, const char *expected, double value)
{
    return frz_mesh_read_fail(p->reader, place_of(p), "expected %s, found %g", expected, value);
}

static frz_status read_vertex_number(const ply *p, number_type type, bool ends_strip, int *vertex)
{
    double value = 0.0;
    FRZ_TRY(read_value(p, type, &value));
    if (ends_strip && value == -1.0)
    {
        *vertex = -1;
        return FRZ_OK;
    }
    if (!(value >= 0.0) || value != floor(value) || value >= p->reader->mesh->vertex_count)
        return frz_mesh_read_fail(p->reader, place_of(p),
                                  "a face refers to vertex %g, but there are only %d, counted from 0", value,
                                  p->reader->mesh->vertex_count);
    *vertex = (int)value;
    return FRZ_OK;
}

// ---- elements

static frz_status add_to_strip(ply *p, int vertex)
{
    frz_status status = FRZ_OK;
    if (vertex < 0)
    {
        p->strip_length = 0;
        return FRZ_OK;
    }
    const int a = p->strip[0], b = p->strip[1];
    const bool odd = p->strip_length % 2 != 0;
    // strips repeat corners to change direction; such triangles are skipped
    if (p->strip_length >= 2 && a != b && b != vertex && vertex != a)
        status = odd ? frz_mesh_add_triangle(p->reader, b, a, vertex) : frz_mesh_add_triangle(p->reader, a, b, vertex);
    p->strip[0] = b;
    p->strip[1] = vertex;
    ++p->strip_length;
    return status;
}

static frz_status read_list(ply *p, const ply_property *property)
{
    double length = 0.0, value = 0.0;
    int vertex = 0;
    FRZ_TRY(read_value(p, property->count_type, &length));
    const int64_t line = place_of(p);
    if (!(length >= 0.0) || length != floor(length))
        return fail_value(p, "the length of a list", length);
    if (length > (double)(p->reader->size - p->reader->at)) // a value takes a byte at least
        return fail_short(p);
    p->strip_length = 0;
    for (int64_t k = 0; k < (int64_t)length; ++k)
    {
        if (property->use == USE_NONE)
        {
            FRZ_TRY(read_value(p, property->type, &value));
            continue;
        }
        FRZ_TRY(read_vertex_number(p, property->type, property->use == USE_STRIP, &vertex));
        if (property->use == USE_STRIP)
            FRZ_TRY(add_to_strip(p, vertex));
        else
            FRZ_TRY(frz_mesh_polygon_corner(p->reader, vertex));
    }
    return property->use == USE_FACE ? frz_mesh_polygon_end(p->reader, line) : FRZ_OK;
}

static frz_status read_row(ply *p, const element *e)
{
    double position[5] = {0.0, 0.0, 0.0, 0.0, 0.0}, value = 0.0; // with u and v
    bool textured = false;
    for (int i = 0; i < e->properties; ++i)
    {
        const ply_property *property = &p->properties[e->first + i];
        if (property->is_list)
        {
            FRZ_TRY(read_list(p, property));
            continue;
        }
        FRZ_TRY(read_value(p, property->type, &value));
        if (property->use != USE_NONE)
            position[property->use - USE_X] = value;
        textured = textured || property->use == USE_U;
    }
    if (e->kind != ELEMENT_VERTEX)
        return FRZ_OK;
    FRZ_TRY(frz_mesh_add_vertex(p->reader, frz_v3(position[0], position[1], position[2])));
    return textured && p->reader->textured ? frz_mesh_add_texture(p->reader, position[3], position[4]) : FRZ_OK;
}

/// Bytes that an element takes at least, so that a count can be checked before anything is read.
static int64_t least_size(const ply *p, const element *e)
{
    int64_t size = 0;
    for (int i = 0; i < e->properties; ++i)
    {
        const ply_property *property = &p->properties[e->first + i];
        size += p->encoding == ENCODING_TEXT
                    ? 2 // a digit and a blank
                    : (int64_t)type_sizes[property->is_list ? property->count_type : property->type];
    }
    return size;
}

static frz_status read_elements(ply *p)
{
    for (int k = 0; k < p->element_count; ++k)
    {
        const element *e = &p->elements[k];
        const int64_t size = least_size(p, e);
        if (size == 0)
            continue; // nothing to read, however many
        if (e->count > ((int64_t)(p->reader->size - p->reader->at) + 1) / size)
            return frz_mesh_read_fail(p->reader, -1,
                                      "it promises %lld elements of at least %lld bytes each, but %zu bytes are left: "
                                      "it was cut short",
                                      (long long)e->count, (long long)size, p->reader->size - p->reader->at);
        if ((e->kind == ELEMENT_FACE || e->kind == ELEMENT_STRIPS) && p->reader->mesh->vertex_count < p->vertex_count)
            return frz_mesh_read_fail(p->reader, -1, "its faces stand before its vertices; export it again");
        if (e->kind == ELEMENT_VERTEX || e->kind == ELEMENT_FACE)
            FRZ_TRY(frz_mesh_reserve(p->reader, p->vertex_count, e->kind == ELEMENT_FACE ? e->count : 0));
        for (int64_t row = 0; row < e->count; ++row)
            FRZ_TRY(read_row(p, e));
    }
    return FRZ_OK;
}

frz_status frz_mesh_read_ply(frz_mesh_reader *reader)
{
    ply p = {.reader = reader};
    FRZ_TRY(read_header(&p));
    return read_elements(&p);
}
