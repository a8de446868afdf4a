// SPDX-License-Identifier: MIT
// Wavefront OBJ: lines "v x y z" and "f a b c ...", where a corner is "vertex", "vertex/texture",
// "vertex//normal" or "vertex/texture/normal", counted from 1, or from the end if negative. Other lines are left out.
#include "geom/mesh_read.h"

#include <string.h>

#include "base/grow.h"
#include "base/memory.h"

/// Texture coordinates of a file, and the vertices made from its positions and them.
typedef struct obj_texture
{
    int count;
    int64_t room;
    double (*pairs)[2]; ///< of the file
    frz_vec3 *places;   ///< of the vertices of the file
    int place_count;
    int *first; ///< per position: its first vertex of the mesh, -1: none yet
    int64_t next_room, of_room;
    int *next; ///< per vertex of the mesh: another one of that position, or -1
    int *of;   ///< per vertex of the mesh: number of its pair, -1: none
} obj_texture;

/// The next word of a line, which may continue behind a backslash at its end.
static frz_mesh_word next_word(frz_mesh_reader *reader)
{
    frz_mesh_word word = frz_mesh_next_on_line(reader);
    while (word.length == 1 && word.text[0] == '\\' && frz_mesh_next_line(reader))
        word = frz_mesh_next_on_line(reader);
    return word;
}

static frz_status read_vertex(frz_mesh_reader *reader)
{
    double x[3];
    char quote[FRZ_MESH_QUOTE_SIZE];
    for (int c = 0; c < 3; ++c)
    {
        const frz_mesh_word word = next_word(reader);
        if (!frz_mesh_word_number(word, &x[c]))
            return frz_mesh_read_fail(reader, reader->line, "a vertex needs three numbers, found %s",
                                      frz_mesh_quote(word, quote));
    }
    return frz_mesh_add_vertex(reader, frz_v3(x[0], x[1], x[2]));
}

// ---- texture coordinates

static frz_status read_pair(frz_mesh_reader *reader, obj_texture *texture)
{
    double pair[2] = {0.0, 0.0};
    char quote[FRZ_MESH_QUOTE_SIZE];
    for (int c = 0; c < 2; ++c)
    {
        const frz_mesh_word word = next_word(reader);
        if (!frz_mesh_word_number(word, &pair[c]) && (c == 0 || word.length > 0))
            return frz_mesh_read_fail(reader, reader->line, "texture coordinates are two numbers, found %s",
                                      frz_mesh_quote(word, quote));
    }
    double(*pairs)[2] = frz_grow("mesh texture", texture->pairs, &texture->room, texture->count + 1,
                                 frz_grow_spare(texture->count), sizeof *pairs);
    if (pairs == NULL)
        return frz_fail_memory(reader->diag, "the texture coordinates of a mesh");
    texture->pairs = pairs;
    memcpy(texture->pairs[texture->count++], pair, sizeof pair);
    return FRZ_OK;
}

/// The vertex of the mesh with a position and a texture pair (-1: none) of the file; created on first use.
static frz_status find_vertex(frz_mesh_reader *reader, obj_texture *texture, int place, int pair, int *vertex)
{
    for (int v = texture->first[place]; v >= 0; v = texture->next[v])
        if (texture->of[v] == pair)
        {
            *vertex = v;
            return FRZ_OK;
        }
    *vertex = reader->mesh->vertex_count;
    FRZ_TRY(frz_mesh_add_vertex(reader, texture->places[place]));
    FRZ_TRY(frz_mesh_add_texture(reader, pair >= 0 ? texture->pairs[pair][0] : 0.0,
                                 pair >= 0 ? texture->pairs[pair][1] : 0.0));
    const int64_t count = reader->mesh->vertex_count, spare = frz_grow_spare(count);
    int *next = frz_grow("mesh texture", texture->next, &texture->next_room, count, spare, sizeof *next);
    texture->next = next != NULL ? next : texture->next;
    int *of = frz_grow("mesh texture", texture->of, &texture->of_room, count, spare, sizeof *of);
    texture->of = of != NULL ? of : texture->of;
    if (next == NULL || of == NULL)
        return frz_fail_memory(reader->diag, "the texture coordinates of a mesh");
    texture->next[*vertex] = texture->first[place];
    texture->of[*vertex] = pair;
    texture->first[place] = *vertex;
    return FRZ_OK;
}

/// The number behind the first slash of a corner, as an index; -1: there is none.
static frz_status read_pair_number(const frz_mesh_reader *reader, frz_mesh_word corner, int64_t so_far, int count,
                                   int *pair)
{
    *pair = -1;
    const char *slash = memchr(corner.text, '/', corner.length), *end = corner.text + corner.length;
    const char *second = slash != NULL ? memchr(slash + 1, '/', (size_t)(end - slash - 1)) : NULL;
    const frz_mesh_word word = {slash != NULL ? slash + 1 : end,
                                slash != NULL ? (size_t)((second != NULL ? second : end) - slash - 1) : 0};
    int64_t number = 0;
    if (word.length == 0)
        return FRZ_OK;
    const bool good = frz_mesh_word_integer(word, &number);
    const int64_t index = number > 0 ? number - 1 : so_far + number;
    if (!good || number == 0 || index < 0 || index >= count)
        return frz_mesh_read_fail(reader, reader->line,
                                  "a face refers to texture coordinates %lld, but there are %d of them",
                                  (long long)number, count);
    *pair = (int)index;
    return FRZ_OK;
}

// ---- faces

/// Lines above the present one, which negative numbers count back from.
typedef struct obj_so_far
{
    int64_t vertices, pairs;
} obj_so_far;

static frz_status read_face(frz_mesh_reader *reader, obj_so_far so_far, obj_texture *texture)
{
    const int place_count = texture->places != NULL ? texture->place_count : reader->mesh->vertex_count;
    char quote[FRZ_MESH_QUOTE_SIZE];
    const int64_t line = reader->line;
    for (frz_mesh_word word = next_word(reader); word.length > 0 && word.text[0] != '#'; word = next_word(reader))
    {
        const char *slash = memchr(word.text, '/', word.length);
        const frz_mesh_word number = {word.text, slash != NULL ? (size_t)(slash - word.text) : word.length};
        int64_t vertex = 0;
        if (!frz_mesh_word_integer(number, &vertex))
            return frz_mesh_read_fail(reader, reader->line, "expected the number of a vertex, found %s",
                                      frz_mesh_quote(word, quote));
        const int64_t index = vertex > 0 ? vertex - 1 : so_far.vertices + vertex;
        if (vertex == 0 || index < 0 || index >= place_count)
            return frz_mesh_read_fail(reader, reader->line, "a face refers to vertex %lld, but there %s %d",
                                      (long long)vertex, place_count == 1 ? "is" : "are", place_count);
        int corner = (int)index, pair = -1;
        if (texture->places != NULL)
        {
            FRZ_TRY(read_pair_number(reader, word, so_far.pairs, texture->count, &pair));
            FRZ_TRY(find_vertex(reader, texture, (int)index, pair, &corner));
        }
        FRZ_TRY(frz_mesh_polygon_corner(reader, corner));
    }
    return frz_mesh_polygon_end(reader, line);
}

/// One pass over all lines: the vertices, or the faces, which may stand before their vertices.
static frz_status read_lines(frz_mesh_reader *reader, bool faces, obj_texture *texture)
{
    obj_so_far so_far = {0, 0};
    reader->at = 0;
    reader->line = 1;
    do
    {
        const frz_mesh_word word = frz_mesh_next_on_line(reader);
        if (frz_mesh_word_is(word, "vt") && reader->textured)
        {
            so_far.pairs += 1;
            if (!faces)
                FRZ_TRY(read_pair(reader, texture));
        }
        if (word.length != 1)
            continue;
        if (word.text[0] == 'v' && !faces)
            FRZ_TRY(read_vertex(reader));
        else if (word.text[0] == 'v')
            ++so_far.vertices;
        else if (word.text[0] == 'f' && faces)
            FRZ_TRY(read_face(reader, so_far, texture));
    } while (frz_mesh_next_line(reader));
    return FRZ_OK;
}

/// Make new vertices, one for each position with each pair of texture coordinates.
static frz_status part_vertices(frz_mesh_reader *reader, obj_texture *texture)
{
    texture->places = reader->mesh->vertices;
    texture->place_count = reader->mesh->vertex_count;
    reader->mesh->vertices = NULL;
    reader->mesh->vertex_count = 0;
    reader->vertex_room = 0;
    texture->first = FRZ_ALLOC("mesh texture", texture->place_count + 1, int);
    if (texture->first == NULL)
        return frz_fail_memory(reader->diag, "the texture coordinates of a mesh");
    for (int k = 0; k < texture->place_count; ++k)
        texture->first[k] = -1;
    return FRZ_OK;
}

frz_status frz_mesh_read_obj(frz_mesh_reader *reader)
{
    obj_texture texture = {0};
    frz_status status = read_lines(reader, false, &texture);
    if (status == FRZ_OK && texture.count > 0)
        status = part_vertices(reader, &texture);
    if (status == FRZ_OK)
        status = read_lines(reader, true, &texture);
    frz_free(texture.pairs);
    frz_free(texture.places);
    frz_free(texture.first);
    frz_free(texture.next);
    frz_free(texture.of);
    return status;
}
