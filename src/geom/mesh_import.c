// SPDX-License-Identifier: MIT
// Mesh files: choice of the reader, and checks of the mesh.
#include "geom/shape_internal.h"

#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/machine.h"
#include "base/memory.h"
#include "geom/mesh_read.h"

/// Bytes; larger meshes take too long to process.
static const int64_t largest_file = INT64_C(1) << 32;

typedef struct mesh_format
{
    const char *ending;
    frz_status (*read)(frz_mesh_reader *reader);
} mesh_format;

static const mesh_format formats[] = {
    {".stl", frz_mesh_read_stl}, {".obj", frz_mesh_read_obj}, {".ply", frz_mesh_read_ply}};

/// By the ending of the name, as all programs do; null if there is no such format.
static const mesh_format *find_format(const char *path)
{
    const char *ending = strrchr(path, '.');
    for (size_t k = 0; ending != NULL && k < sizeof formats / sizeof *formats; ++k)
        if (strcasecmp(ending, formats[k].ending) == 0)
            return &formats[k];
    return NULL;
}

/// Drop vertices that no triangle uses (points and lines of the file, helper objects): they must not widen the bounds.
static frz_status drop_unused(frz_mesh *mesh, float (*texture)[2], frz_diag *diag)
{
    int *number = FRZ_ALLOC("mesh vertices", mesh->vertex_count, int);
    if (number == NULL)
        return frz_fail_memory(diag, "a mesh");
    for (int t = 0; t < mesh->triangle_count; ++t)
    {
        for (int corner = 0; corner < 3; ++corner)
            number[mesh->triangles[t][corner]] = 1;
    }
    int kept = 0;
    for (int v = 0; v < mesh->vertex_count; ++v)
    {
        if (number[v] == 0)
            continue;
        number[v] = kept;
        mesh->vertices[kept] = mesh->vertices[v];
        if (texture != NULL)
            memmove(texture[kept], texture[v], sizeof *texture);
        ++kept;
    }
    for (int t = 0; t < mesh->triangle_count; ++t)
    {
        for (int corner = 0; corner < 3; ++corner)
            mesh->triangles[t][corner] = number[mesh->triangles[t][corner]];
    }
    mesh->vertex_count = kept;
    frz_free(number);
    return FRZ_OK;
}

static frz_status read_mesh(frz_mesh_reader *reader, const mesh_format *format)
{
    if (reader->size == 0)
        return frz_fail(reader->diag, FRZ_ERR_FILE, "mesh file '%s' is empty", reader->path);
    if (format == NULL)
        return frz_mesh_read_fail(reader, -1,
                                  "expected a name that ends in .stl, .obj or .ply; convert it to one of these, for "
                                  "instance with Blender or MeshLab");
    FRZ_TRY(format->read(reader));
    if (reader->mesh->triangle_count == 0)
        return frz_mesh_read_fail(reader, -1, "it has no triangles (%d vertices)", reader->mesh->vertex_count);
    return drop_unused(reader->mesh, reader->texture, reader->diag);
}

/// Bytes of a byte order mark, which some editors put before a text. The first bytes of a binary STL mean nothing.
static size_t size_of_mark(const mesh_format *format, const char *text, size_t size)
{
    const bool marked = size >= 8 && memcmp(text, "\xef\xbb\xbf", 3) == 0;
    const bool binary = format == &formats[0] && marked && memcmp(text + 3, "solid", 5) != 0;
    return marked && !binary ? 3 : 0;
}

/// texture: null if it is not wanted.
static frz_status import_text(const char *path, const char *text, size_t size, double scale, frz_mesh **out,
                              float (**texture)[2], frz_diag *diag)
{
    const size_t before = size_of_mark(find_format(path), text, size);
    frz_mesh_reader reader = {.path = path,
                              .text = text + before,
                              .size = size - before,
                              .line = 1,
                              .textured = texture != NULL,
                              .diag = diag};
    frz_status status = frz_mesh_create(0, 0, &reader.mesh, diag);
    if (status == FRZ_OK)
        status = read_mesh(&reader, find_format(path));
    frz_free(reader.polygon);
    for (int v = 0; status == FRZ_OK && v < reader.mesh->vertex_count; ++v)
        reader.mesh->vertices[v] = frz_v3_scale(scale, reader.mesh->vertices[v]);
    if (status != FRZ_OK)
        frz_mesh_destroy(&reader.mesh);
    if (status != FRZ_OK || texture == NULL)
        FRZ_FREE(reader.texture);
    if (texture != NULL)
        *texture = reader.texture;
    *out = reader.mesh;
    return status;
}

frz_status frz_mesh_import_text(const char *path, const char *text, size_t size, double scale, frz_mesh **out,
                                frz_diag *diag)
{
    return import_text(path, text, size, scale, out, NULL, diag);
}

/// The file and its mesh must fit into memory; Linux kills processes without a message when memory runs out.
static frz_status check_memory(const char *path, frz_diag *diag)
{
    enum
    {
        copies = 4 // of the bytes of a file: itself, vertices and triangles while they grow
    };
    struct stat info;
    const int64_t memory = frz_machine_memory();
    if (stat(path, &info) != 0 || !S_ISREG(info.st_mode) || (int64_t)info.st_size > largest_file ||
        (int64_t)info.st_size < memory / copies)
        return FRZ_OK; // other errors show when it is read
    return frz_fail(diag, FRZ_ERR_MEMORY, "not enough memory to read the %.3g MB of mesh file '%s'; simplify it",
                    1.0e-6 * (double)info.st_size, path);
}

static frz_status import(const char *root, const char *path, double scale, frz_mesh **out, float (**texture)[2],
                         frz_diag *diag)
{
    *out = NULL;
    if (texture != NULL)
        *texture = NULL;
    if (path == NULL)
        return frz_fail(diag, FRZ_ERR_ARGUMENT, "mesh: the name of the file is missing");
    if (!(scale > 0.0) || !isfinite(scale))
        return frz_fail(diag, FRZ_ERR_SCENE, "mesh '%s': scale must be a number > 0, got %g", path, scale);
    FRZ_TRY(check_memory(path, diag));
    char *text = NULL;
    size_t size = 0;
    FRZ_TRY(frz_file_read_within(root, path, "mesh file", largest_file, &text, &size, diag));
    const frz_status status = import_text(path, text, size, scale, out, texture, diag);
    frz_free(text);
    return status;
}

frz_status frz_mesh_import(const char *root, const char *path, double scale, frz_mesh **out, frz_diag *diag)
{
    return import(root, path, scale, out, NULL, diag);
}

static frz_status prepare(frz_mesh **mesh, const char *path, bool repair, char *note, size_t note_size, frz_diag *diag)
{
    frz_mesh_report report;
    FRZ_TRY(frz_mesh_examine(*mesh, &report, diag));
    // repair cannot guess where a vertex was
    if (report.bad_vertices > 0 || report.size > FRZ_MESH_LARGEST || report.size <= 0.0)
        return frz_mesh_judge(&report, path, diag);
    // Files repeat a vertex for every normal or colour it has; equal positions are the same point in any case.
    if (frz_mesh_weld(*mesh, 0.0) < 0)
        return frz_fail_memory(diag, "a mesh");
    if (repair)
        FRZ_TRY(frz_mesh_repair(mesh, note, note_size, diag));
    FRZ_TRY(frz_mesh_examine(*mesh, &report, diag));
    return frz_mesh_judge(&report, path, diag);
}

frz_status frz_shape_take_imported(frz_mesh *mesh, const char *path, bool repair, frz_shape **out, char *note,
                                   size_t note_size, frz_diag *diag)
{
    *out = NULL;
    if (note != NULL && note_size > 0)
        note[0] = '\0';
    const frz_status status = prepare(&mesh, path, repair, note, note_size, diag);
    if (status != FRZ_OK)
    {
        frz_mesh_destroy(&mesh);
        return status;
    }
    return frz_shape_take_mesh(mesh, out, diag);
}

frz_status frz_shape_mesh_file(const char *root, const char *path, double scale, bool repair, frz_shape **out,
                               char *note, size_t note_size, frz_diag *diag)
{
    frz_mesh *mesh = NULL;
    *out = NULL;
    FRZ_TRY(frz_mesh_import(root, path, scale, &mesh, diag));
    FRZ_TRY(frz_shape_take_imported(mesh, path, repair, out, note, note_size, diag));
    if (repair)
        return FRZ_OK; // the repaired shape differs from the file
    frz_shape_mesh_data *data = &(*out)->u.mesh;
    data->path = frz_strdup(path);
    data->root = root != NULL ? frz_strdup(root) : NULL;
    data->scale = scale;
    if (data->path != NULL && (root == NULL || data->root != NULL))
        return FRZ_OK;
    frz_shape_destroy(out);
    return frz_fail_memory(diag, "a mesh");
}

frz_status frz_shape_original(const frz_shape *shape, frz_mesh **out, float (**texture)[2], frz_diag *diag)
{
    *out = NULL;
    *texture = NULL;
    if (shape->kind == FRZ_SHAPE_TRANSFORM)
    {
        FRZ_TRY(frz_shape_original(shape->children[0], out, texture, diag));
        for (int v = 0; *out != NULL && v < (*out)->vertex_count; ++v)
            (*out)->vertices[v] = frz_shape_transform_apply(&shape->u.transform, (*out)->vertices[v]);
        return FRZ_OK;
    }
    const frz_shape_mesh_data *data = &shape->u.mesh;
    if (shape->kind != FRZ_SHAPE_MESH || data->path == NULL)
        return FRZ_OK;
    return import(data->root, data->path, data->scale, out, texture, diag);
}
