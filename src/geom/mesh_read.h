// SPDX-License-Identifier: MIT
// Shared by the readers of mesh files: the file in memory, the read position, and the growing mesh. A mesh file is
// untrusted: every index and count is checked against the available data.
#pragma once

#include <stdint.h>

#include "geom/mesh.h"

/// A file being read. text ends with a zero byte that does not belong to it.
typedef struct frz_mesh_reader
{
    const char *path;
    const char *text;
    size_t size, at; ///< bytes; at <= size
    int64_t line;    ///< 1-based, of at; updated by readers of text
    frz_mesh *mesh;  ///< as far as it has been read
    int64_t vertex_room, triangle_room;
    bool textured;       ///< texture coordinates are wanted: vertices are kept apart that differ in them
    float (*texture)[2]; ///< one pair per vertex; null: the file has none
    int64_t texture_room;
    int *polygon; ///< corners of the face being read
    int polygon_count;
    int64_t polygon_room;
    frz_diag *diag;
} frz_mesh_reader;

/// One line, or word, of a text.
typedef struct frz_mesh_word
{
    const char *text; ///< not ended by a zero byte
    size_t length;
} frz_mesh_word;

enum
{
    FRZ_MESH_QUOTE_SIZE = 40 ///< bytes of a word as messages show it
};

/// Fail with "mesh file '...', line N: ..." (line > 0), "..., byte N: ..." (line == 0), or without a place (line < 0).
frz_status frz_mesh_read_fail(const frz_mesh_reader *reader, int64_t line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/// A word between quotes, shortened, with unprintable characters replaced. Returns text.
const char *frz_mesh_quote(frz_mesh_word word, char text[FRZ_MESH_QUOTE_SIZE]);

/// The next word on the present line; length 0 at its end.
frz_mesh_word frz_mesh_next_on_line(frz_mesh_reader *reader);
/// The next word, wherever it is; length 0 at the end of the file.
frz_mesh_word frz_mesh_next(frz_mesh_reader *reader);
/// Go behind the end of the present line; false at the end of the file.
bool frz_mesh_next_line(frz_mesh_reader *reader);
/// The word is this text; letters in any case.
bool frz_mesh_word_is(frz_mesh_word word, const char *text);
/// The whole word is a number, "nan" or "inf" (which the examination of the mesh complains about).
bool frz_mesh_word_number(frz_mesh_word word, double *value);
/// The whole word is a whole number that fits.
bool frz_mesh_word_integer(frz_mesh_word word, int64_t *value);

/// Reserve memory for so many; fails if the file is too small to hold them.
FRZ_NODISCARD frz_status frz_mesh_reserve(frz_mesh_reader *reader, int64_t vertices, int64_t triangles);
FRZ_NODISCARD frz_status frz_mesh_add_vertex(frz_mesh_reader *reader, frz_vec3 position);
/// Texture coordinates of the vertex that was added last.
FRZ_NODISCARD frz_status frz_mesh_add_texture(frz_mesh_reader *reader, double u, double v);
/// The corners must be vertices that the mesh has.
FRZ_NODISCARD frz_status frz_mesh_add_triangle(frz_mesh_reader *reader, int a, int b, int c);

/// Collect the corners of a face and make triangles of them (mesh_polygon.c).
FRZ_NODISCARD frz_status frz_mesh_polygon_corner(frz_mesh_reader *reader, int vertex);
FRZ_NODISCARD frz_status frz_mesh_polygon_end(frz_mesh_reader *reader, int64_t line);

FRZ_NODISCARD frz_status frz_mesh_read_obj(frz_mesh_reader *reader);
FRZ_NODISCARD frz_status frz_mesh_read_ply(frz_mesh_reader *reader);
FRZ_NODISCARD frz_status frz_mesh_read_stl(frz_mesh_reader *reader);

/// frz_mesh_import of a file that is already in memory; text ends with a zero byte that does not count.
FRZ_NODISCARD frz_status frz_mesh_import_text(const char *path, const char *text, size_t size, double scale,
                                              frz_mesh **out, frz_diag *diag);
/// The second half of frz_shape_mesh_file: repair the mesh if wanted, and refuse it if it bounds no solid.
FRZ_NODISCARD frz_status frz_shape_take_imported(frz_mesh *mesh, const char *path, bool repair, frz_shape **out,
                                                 char *note, size_t note_size, frz_diag *diag);
