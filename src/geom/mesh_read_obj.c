// SPDX-License-Identifier: MIT
// Wavefront OBJ: lines "v x y z" and "f a b c ...", where a corner is "vertex", "vertex/texture",
// "vertex//normal" or "vertex/texture/normal", counted from 1, or from the end if negative. Other lines are left out.
#include "geom/mesh_read.h"

#include <string.h>

/// The next word of a line that may go on behind a backslash at its end.
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

/// so_far: vertices above this line, which negative numbers count back from.
static frz_status read_face(frz_mesh_reader *reader, int64_t so_far)
{
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
        const int64_t index = vertex > 0 ? vertex - 1 : so_far + vertex;
        if (vertex == 0 || index < 0 || index >= reader->mesh->vertex_count)
            return frz_mesh_read_fail(reader, reader->line, "a face refers to vertex %lld, but there %s %d",
                                      (long long)vertex, reader->mesh->vertex_count == 1 ? "is" : "are",
                                      reader->mesh->vertex_count);
        FRZ_TRY(frz_mesh_polygon_corner(reader, (int)index));
    }
    return frz_mesh_polygon_end(reader, line);
}

/// One pass over all lines: the vertices, or the faces, which may stand before their vertices.
static frz_status read_lines(frz_mesh_reader *reader, bool faces)
{
    int64_t so_far = 0;
    reader->at = 0;
    reader->line = 1;
    do
    {
        const frz_mesh_word word = frz_mesh_next_on_line(reader);
        if (word.length != 1)
            continue;
        if (word.text[0] == 'v' && !faces)
            FRZ_TRY(read_vertex(reader));
        else if (word.text[0] == 'v')
            ++so_far;
        else if (word.text[0] == 'f' && faces)
            FRZ_TRY(read_face(reader, so_far));
    } while (frz_mesh_next_line(reader));
    return FRZ_OK;
}

frz_status frz_mesh_read_obj(frz_mesh_reader *reader)
{
    FRZ_TRY(read_lines(reader, false));
    return read_lines(reader, true);
}
