// SPDX-License-Identifier: MIT
// Meshes as Wavefront OBJ text.
#include "io/mesh_file.h"

#include <stdint.h>

#include "io/text_builder.h"
#include "io/text_file.h"

static void add_vectors(frz_text_builder *text, const char *keyword, const double *values, int count)
{
    for (int64_t v = 0; v < count; ++v) // nine digits distinguish all floats
        frz_text_add(text, "%s %.9g %.9g %.9g\n", keyword, values[3 * v], values[3 * v + 1], values[3 * v + 2]);
}

frz_status frz_mesh_write_obj(const char *path, const frz_mesh_view *mesh, frz_diag *diag)
{
    frz_text_builder text = {0};
    if (mesh->comment != NULL)
        frz_text_add(&text, "# %s\n", mesh->comment);
    add_vectors(&text, "v", mesh->positions, mesh->vertex_count);
    if (mesh->normals != NULL)
        add_vectors(&text, "vn", mesh->normals, mesh->vertex_count);
    for (int64_t v = 0; v < mesh->vertex_count && mesh->texture != NULL; ++v)
        frz_text_add(&text, "vt %.9g %.9g\n", (double)mesh->texture[2 * v], (double)mesh->texture[2 * v + 1]);
    const bool normals = mesh->normals != NULL, texture = mesh->texture != NULL;
    for (int64_t t = 0; t < mesh->triangle_count; ++t)
    {
        const int *corner = mesh->triangles + 3 * t;
        const int a = corner[0] + 1, b = corner[1] + 1, c = corner[2] + 1; // OBJ counts from 1
        if (normals && texture)
            frz_text_add(&text, "f %d/%d/%d %d/%d/%d %d/%d/%d\n", a, a, a, b, b, b, c, c, c);
        else if (texture)
            frz_text_add(&text, "f %d/%d %d/%d %d/%d\n", a, a, b, b, c, c);
        else if (normals)
            frz_text_add(&text, "f %d//%d %d//%d %d//%d\n", a, a, b, b, c, c);
        else
            frz_text_add(&text, "f %d %d %d\n", a, b, c);
    }
    for (int64_t e = 0; e < mesh->edge_count; ++e)
        frz_text_add(&text, "l %d %d\n", mesh->edges[2 * e] + 1, mesh->edges[2 * e + 1] + 1);
    const frz_status status = text.failed ? frz_fail_memory(diag, "a mesh file")
                                          : frz_text_write(path, text.text != NULL ? text.text : "", text.length, diag);
    frz_text_builder_destroy(&text);
    return status;
}
