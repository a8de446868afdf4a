// SPDX-License-Identifier: MIT
// Meshes as binary PLY (Turk 1994: header in text, then the vertices, then the faces) in the byte order of the machine.
#include "io/mesh_file.h"

#include <stdint.h>
#include <string.h>

#include "base/memory.h"
#include "io/file_replace.h"
#include "io/text_builder.h"

enum
{
    face_size = 1 + 3 * sizeof(int32_t) // bytes: number of corners, corners
};

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
static const char format[] = "binary_little_endian";
#else
static const char format[] = "binary_big_endian";
#endif

static void add_header(frz_text_builder *text, const frz_mesh_view *mesh)
{
    frz_text_add(text, "ply\nformat %s 1.0\n", format);
    if (mesh->comment != NULL)
        frz_text_add(text, "comment %s\n", mesh->comment);
    frz_text_add(text, "element vertex %d\nproperty float x\nproperty float y\nproperty float z\n", mesh->vertex_count);
    if (mesh->normals != NULL)
        frz_text_add(text, "property float nx\nproperty float ny\nproperty float nz\n");
    if (mesh->velocities != NULL)
        frz_text_add(text, "property float vx\nproperty float vy\nproperty float vz\n");
    if (mesh->texture != NULL)
        frz_text_add(text, "property float s\nproperty float t\n");
    for (int k = 0; k < mesh->value_count; ++k)
        frz_text_add(text, "property float %s\n", mesh->value_names[k]);
    frz_text_add(text, "element face %d\nproperty list uchar int vertex_indices\n", mesh->triangle_count);
    if (mesh->edge_count > 0)
        frz_text_add(text, "element edge %d\nproperty int vertex1\nproperty int vertex2\n", mesh->edge_count);
    frz_text_add(text, "end_header\n");
}

static void pack_vertices(const frz_mesh_view *mesh, float *out)
{
    for (int v = 0; v < mesh->vertex_count; ++v)
    {
        for (int c = 0; c < 3; ++c)
            *out++ = (float)mesh->positions[3 * (int64_t)v + c];
        for (int c = 0; c < 3 && mesh->normals != NULL; ++c)
            *out++ = (float)mesh->normals[3 * (int64_t)v + c];
        for (int c = 0; c < 3 && mesh->velocities != NULL; ++c)
            *out++ = (float)mesh->velocities[3 * (int64_t)v + c];
        for (int c = 0; c < 2 && mesh->texture != NULL; ++c)
            *out++ = mesh->texture[2 * (int64_t)v + c];
        for (int k = 0; k < mesh->value_count; ++k)
            *out++ = mesh->values[mesh->value_count * (int64_t)v + k];
    }
}

static void pack_faces(const frz_mesh_view *mesh, unsigned char *out)
{
    for (int t = 0; t < mesh->triangle_count; ++t, out += face_size)
    {
        int32_t corners[3];
        for (int c = 0; c < 3; ++c)
            corners[c] = mesh->triangles[3 * (int64_t)t + c];
        out[0] = 3;
        memcpy(out + 1, corners, sizeof corners);
    }
}

frz_status frz_mesh_write_ply(const char *path, const frz_mesh_view *mesh, frz_diag *diag)
{
    const int columns = 3 + (mesh->normals != NULL ? 3 : 0) + (mesh->velocities != NULL ? 3 : 0) +
                        (mesh->texture != NULL ? 2 : 0) + mesh->value_count;
    const size_t values = (size_t)mesh->vertex_count * (size_t)columns;
    const size_t face_bytes = (size_t)mesh->triangle_count * face_size;
    frz_text_builder header = {0};
    add_header(&header, mesh);
    float *vertices = FRZ_ALLOC("mesh file", values, float);
    unsigned char *faces = FRZ_ALLOC("mesh file", face_bytes, unsigned char);
    frz_status status = FRZ_OK;
    if (header.failed || vertices == NULL || faces == NULL)
        status = frz_fail_memory(diag, "a mesh file");
    else
    {
        pack_vertices(mesh, vertices);
        pack_faces(mesh, faces);
        const frz_piece pieces[] = {{header.text, header.length},
                                    {vertices, values * sizeof *vertices},
                                    {faces, face_bytes},
                                    {mesh->edges, (size_t)mesh->edge_count * 2 * sizeof *mesh->edges}};
        status = frz_file_replace(path, pieces, mesh->edge_count > 0 ? 4 : 3, diag);
    }
    frz_text_builder_destroy(&header);
    frz_free(vertices);
    frz_free(faces);
    return status;
}
