// SPDX-License-Identifier: MIT
// Shared by the readers of mesh files: words and lines, positions in messages, a growing mesh.
#include "geom/mesh_read.h"

#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/grow.h"
#include "base/memory.h"
#include "base/number.h"

enum
{
    longest_number = 500 // characters; longer than any real file needs
};

/// Numbers of vertices and triangles are ints, and some algorithms need a few times as many edges.
static const int64_t most_entries = INT_MAX / 4;

frz_status frz_mesh_read_fail(const frz_mesh_reader *reader, int64_t line, const char *format, ...)
{
    char text[512], place[48] = "";
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (line > 0)
        snprintf(place, sizeof place, ", line %lld", (long long)line);
    else if (line == 0)
        snprintf(place, sizeof place, ", byte %zu", reader->at);
    return frz_fail(reader->diag, FRZ_ERR_SCENE, "mesh file '%s'%s: %s", reader->path, place, text);
}

const char *frz_mesh_quote(frz_mesh_word word, char text[FRZ_MESH_QUOTE_SIZE])
{
    enum
    {
        most = FRZ_MESH_QUOTE_SIZE - 6 // quotes, three points, zero byte
    };
    if (word.length == 0)
    {
        snprintf(text, FRZ_MESH_QUOTE_SIZE, "the end of the line");
        return text;
    }
    const size_t shown = word.length < most ? word.length : most;
    text[0] = '\'';
    for (size_t i = 0; i < shown; ++i)
        text[i + 1] = word.text[i] > ' ' && word.text[i] < 127 ? word.text[i] : '?';
    snprintf(text + shown + 1, FRZ_MESH_QUOTE_SIZE - shown - 1, "%s", word.length > most ? "...'" : "'");
    return text;
}

// ---- words

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\v' || c == '\f';
}

static bool is_line_end(char c)
{
    return c == '\n' || c == '\r';
}

frz_mesh_word frz_mesh_next_on_line(frz_mesh_reader *reader)
{
    while (reader->at < reader->size && is_blank(reader->text[reader->at]))
        ++reader->at;
    const size_t start = reader->at;
    while (reader->at < reader->size && !is_blank(reader->text[reader->at]) && !is_line_end(reader->text[reader->at]))
        ++reader->at;
    return (frz_mesh_word){reader->text + start, reader->at - start};
}

bool frz_mesh_next_line(frz_mesh_reader *reader)
{
    while (reader->at < reader->size && !is_line_end(reader->text[reader->at]))
        ++reader->at;
    if (reader->at >= reader->size)
        return false;
    const bool two = reader->text[reader->at] == '\r' && reader->text[reader->at + 1] == '\n';
    reader->at += two && reader->at + 1 < reader->size ? 2 : 1;
    ++reader->line;
    return reader->at < reader->size;
}

frz_mesh_word frz_mesh_next(frz_mesh_reader *reader)
{
    frz_mesh_word word = frz_mesh_next_on_line(reader);
    while (word.length == 0 && frz_mesh_next_line(reader))
        word = frz_mesh_next_on_line(reader);
    return word;
}

bool frz_mesh_word_is(frz_mesh_word word, const char *text)
{
    return word.length == strlen(text) && strncasecmp(word.text, text, word.length) == 0;
}

static bool is_not_finite(frz_mesh_word word, double *value)
{
    static const char *const names[] = {"nan", "inf", "infinity", "1.#ind", "1.#inf", "1.#qnan"}; // the last of Windows
    if (word.length > 0 && (word.text[0] == '-' || word.text[0] == '+'))
        word = (frz_mesh_word){word.text + 1, word.length - 1};
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i)
        if (frz_mesh_word_is(word, names[i]))
        {
            *value = NAN;
            return true;
        }
    return false;
}

bool frz_mesh_word_number(frz_mesh_word word, double *value)
{
    const char *end = word.text;
    if (word.length == 0 || word.length > longest_number)
        return false;
    *value = frz_number_read(word.text, &end); // stops at the next blank or at the zero byte behind the text
    return end == word.text + word.length || is_not_finite(word, value);
}

bool frz_mesh_word_integer(frz_mesh_word word, int64_t *value)
{
    const bool negative = word.length > 0 && word.text[0] == '-';
    const size_t start = word.length > 0 && (negative || word.text[0] == '+') ? 1 : 0;
    *value = 0;
    for (size_t i = start; i < word.length; ++i)
    {
        if (word.text[i] < '0' || word.text[i] > '9' || *value > (INT64_MAX - 9) / 10)
            return false;
        *value = 10 * *value + (word.text[i] - '0');
    }
    *value = negative ? -*value : *value;
    return word.length > start;
}

// ---- the mesh that grows

static frz_status fail_too_many(const frz_mesh_reader *reader)
{
    return frz_mesh_read_fail(reader, -1, "it has more than %lld million vertices or triangles; simplify it",
                              (long long)(most_entries / 1000000));
}

frz_status frz_mesh_reserve(frz_mesh_reader *reader, int64_t vertices, int64_t triangles)
{
    frz_mesh *mesh = reader->mesh;
    if (vertices > most_entries || triangles > most_entries)
        return fail_too_many(reader);
    void *larger = frz_grow("mesh vertices", mesh->vertices, &reader->vertex_room, vertices, 0, sizeof *mesh->vertices);
    mesh->vertices = larger != NULL ? larger : mesh->vertices;
    const bool first = larger != NULL;
    larger = frz_grow("mesh triangles", mesh->triangles, &reader->triangle_room, triangles, 0, sizeof *mesh->triangles);
    mesh->triangles = larger != NULL ? larger : mesh->triangles;
    return first && larger != NULL ? FRZ_OK : frz_fail_memory(reader->diag, "a mesh");
}

frz_status frz_mesh_add_vertex(frz_mesh_reader *reader, frz_vec3 position)
{
    frz_mesh *mesh = reader->mesh;
    if (mesh->vertex_count >= most_entries)
        return fail_too_many(reader);
    frz_vec3 *vertices = frz_grow("mesh vertices", mesh->vertices, &reader->vertex_room, mesh->vertex_count + 1,
                                  frz_grow_spare(mesh->vertex_count), sizeof *vertices);
    if (vertices == NULL)
        return frz_fail_memory(reader->diag, "the vertices of a mesh");
    mesh->vertices = vertices;
    mesh->vertices[mesh->vertex_count++] = position;
    return FRZ_OK;
}

frz_status frz_mesh_add_texture(frz_mesh_reader *reader, double u, double v)
{
    const int count = reader->mesh->vertex_count;
    float(*texture)[2] =
        frz_grow("mesh texture", reader->texture, &reader->texture_room, count, frz_grow_spare(count), sizeof *texture);
    if (texture == NULL)
        return frz_fail_memory(reader->diag, "the texture coordinates of a mesh");
    reader->texture = texture;
    reader->texture[count - 1][0] = (float)u;
    reader->texture[count - 1][1] = (float)v;
    return FRZ_OK;
}

frz_status frz_mesh_add_triangle(frz_mesh_reader *reader, int a, int b, int c)
{
    frz_mesh *mesh = reader->mesh;
    const int count = mesh->vertex_count;
    FRZ_ASSERT(a >= 0 && a < count && b >= 0 && b < count && c >= 0 && c < count);
    if (mesh->triangle_count >= most_entries)
        return fail_too_many(reader);
    int(*triangles)[3] = frz_grow("mesh triangles", mesh->triangles, &reader->triangle_room, mesh->triangle_count + 1,
                                  frz_grow_spare(mesh->triangle_count), sizeof *triangles);
    if (triangles == NULL)
        return frz_fail_memory(reader->diag, "the triangles of a mesh");
    mesh->triangles = triangles;
    int *corners = mesh->triangles[mesh->triangle_count++];
    corners[0] = a;
    corners[1] = b;
    corners[2] = c;
    return FRZ_OK;
}
