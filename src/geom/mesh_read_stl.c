// SPDX-License-Identifier: MIT
// STL, binary (80 bytes of anything, the number of triangles, 50 bytes each, least significant byte first) and text
// ("solid", "facet normal", "outer loop", three "vertex", ...). Normals are left out: the order of the corners says it.
#include "geom/mesh_read.h"

#include <string.h>

enum
{
    header_size = 84,   // bytes, with the number of triangles
    triangle_size = 50, // bytes: normal, three corners, attribute
    normal_size = 12    // bytes
};

static uint32_t get_u32(const char *text)
{
    unsigned char b[4];
    memcpy(b, text, sizeof b);
    return (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

static double get_float(const char *text)
{
    const uint32_t bits = get_u32(text);
    float value = 0.0f;
    memcpy(&value, &bits, sizeof value);
    return (double)value;
}

static frz_status add_corners(frz_mesh_reader *reader, const frz_vec3 corners[3])
{
    const int first = reader->mesh->vertex_count;
    for (int c = 0; c < 3; ++c)
        FRZ_TRY(frz_mesh_add_vertex(reader, corners[c]));
    return frz_mesh_add_triangle(reader, first, first + 1, first + 2);
}

// ---- binary

static frz_status read_binary(frz_mesh_reader *reader)
{
    const uint64_t count = get_u32(reader->text + header_size - 4);
    const uint64_t wanted = header_size + count * triangle_size;
    if (wanted > reader->size)
        return frz_mesh_read_fail(reader, -1,
                                  "it promises %llu triangles, which take %llu bytes, but has only %zu bytes",
                                  (unsigned long long)count, (unsigned long long)wanted, reader->size);
    if (reader->size - wanted >= triangle_size) // less than that is padding
        return frz_mesh_read_fail(reader, -1, "it promises %llu triangles, but has %llu bytes more than they take",
                                  (unsigned long long)count, (unsigned long long)(reader->size - wanted));
    FRZ_TRY(frz_mesh_reserve(reader, 3 * (int64_t)count, (int64_t)count));
    for (reader->at = header_size; reader->at < wanted; reader->at += triangle_size)
    {
        frz_vec3 corners[3];
        for (int c = 0; c < 3; ++c)
        {
            const char *from = reader->text + reader->at + normal_size + 12 * (size_t)c;
            corners[c] = frz_v3(get_float(from), get_float(from + 4), get_float(from + 8));
        }
        FRZ_TRY(add_corners(reader, corners));
    }
    return FRZ_OK;
}

// ---- text

static frz_status expect(frz_mesh_reader *reader, const char *wanted)
{
    char quote[FRZ_MESH_QUOTE_SIZE];
    const frz_mesh_word word = frz_mesh_next(reader);
    if (frz_mesh_word_is(word, wanted))
        return FRZ_OK;
    return frz_mesh_read_fail(reader, reader->line, "expected '%s', found %s", wanted,
                              word.length == 0 ? "the end of the file" : frz_mesh_quote(word, quote));
}

static frz_status read_vector(frz_mesh_reader *reader, frz_vec3 *out)
{
    double x[3];
    char quote[FRZ_MESH_QUOTE_SIZE];
    for (int c = 0; c < 3; ++c)
    {
        const frz_mesh_word word = frz_mesh_next(reader);
        if (!frz_mesh_word_number(word, &x[c]))
            return frz_mesh_read_fail(reader, reader->line, "expected a number, found %s",
                                      word.length == 0 ? "the end of the file" : frz_mesh_quote(word, quote));
    }
    *out = frz_v3(x[0], x[1], x[2]);
    return FRZ_OK;
}

/// Behind the word "facet".
static frz_status read_facet(frz_mesh_reader *reader)
{
    frz_vec3 normal, corners[3] = {{0.0, 0.0, 0.0}};
    FRZ_TRY(expect(reader, "normal"));
    FRZ_TRY(read_vector(reader, &normal));
    FRZ_TRY(expect(reader, "outer"));
    FRZ_TRY(expect(reader, "loop"));
    for (int c = 0; c < 3; ++c)
    {
        FRZ_TRY(expect(reader, "vertex"));
        FRZ_TRY(read_vector(reader, &corners[c]));
    }
    FRZ_TRY(expect(reader, "endloop"));
    FRZ_TRY(expect(reader, "endfacet"));
    return add_corners(reader, corners);
}

static frz_status read_text(frz_mesh_reader *reader)
{
    char quote[FRZ_MESH_QUOTE_SIZE];
    bool open = false; // inside a solid; a file may have several
    for (frz_mesh_word word = frz_mesh_next(reader); word.length > 0; word = frz_mesh_next(reader))
    {
        const bool begins = frz_mesh_word_is(word, "solid"), ends = frz_mesh_word_is(word, "endsolid");
        if (open && frz_mesh_word_is(word, "facet"))
            FRZ_TRY(read_facet(reader));
        else if (open ? ends : begins)
        {
            open = begins;
            (void)frz_mesh_next_line(reader); // the rest of the line is a name
        }
        else
            return frz_mesh_read_fail(reader, reader->line, "expected %s, found %s",
                                      open ? "'facet' or 'endsolid'" : "'solid'", frz_mesh_quote(word, quote));
    }
    if (open)
        return frz_mesh_read_fail(reader, reader->line, "the file ends before 'endsolid': it was cut short");
    return FRZ_OK;
}

/// Binary files, too, may begin with "solid"; their size follows from their triangle count.
static bool is_text(const frz_mesh_reader *reader)
{
    if (reader->size >= header_size &&
        header_size + (uint64_t)get_u32(reader->text + header_size - 4) * triangle_size == reader->size)
        return false;
    frz_mesh_reader look = *reader;
    const frz_mesh_word word = frz_mesh_next(&look);
    const size_t start = reader->size < header_size ? reader->size : header_size;
    return frz_mesh_word_is(word, "solid") && memchr(reader->text, '\0', start) == NULL;
}

frz_status frz_mesh_read_stl(frz_mesh_reader *reader)
{
    if (is_text(reader))
        return read_text(reader);
    if (reader->size < header_size)
        return frz_mesh_read_fail(reader, -1, "it is no STL: neither text that begins with 'solid' nor %d bytes long",
                                  (int)header_size);
    return read_binary(reader);
}
