// SPDX-License-Identifier: MIT
// Mesh files through Assimp.
#include "geom/shape_internal.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include <assimp/cimport.h>
#include <assimp/postprocess.h>
#include <assimp/scene.h>

#include "base/memory.h"

static frz_status check_readable(const char *path, frz_diag *diag)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        return frz_fail(diag, FRZ_ERR_FILE, "cannot open mesh file '%s': %s", path, strerror(errno));
    char byte = 0;
    const size_t got = fread(&byte, 1, 1, file);
    const int error = ferror(file) ? errno : 0;
    fclose(file);
    if (error != 0) // a folder opens, but does not read
        return frz_fail(diag, FRZ_ERR_FILE, "cannot read mesh file '%s': %s", path, strerror(error));
    if (got == 0)
        return frz_fail(diag, FRZ_ERR_FILE, "mesh file '%s' is empty", path);
    return FRZ_OK;
}

static int64_t count_triangles(const struct aiMesh *part)
{
    int64_t count = 0;
    for (unsigned f = 0; f < part->mNumFaces; ++f)
        count += part->mFaces[f].mNumIndices == 3; // the rest are loose points and lines
    return count;
}

static void append_part(frz_mesh *mesh, const struct aiMesh *part, double scale)
{
    const int base = mesh->vertex_count;
    for (unsigned v = 0; v < part->mNumVertices; ++v)
    {
        const struct aiVector3D p = part->mVertices[v];
        mesh->vertices[mesh->vertex_count++] = frz_v3(scale * (double)p.x, scale * (double)p.y, scale * (double)p.z);
    }
    for (unsigned f = 0; f < part->mNumFaces; ++f)
    {
        const struct aiFace *face = &part->mFaces[f];
        if (face->mNumIndices != 3)
            continue;
        for (int corner = 0; corner < 3; ++corner)
            mesh->triangles[mesh->triangle_count][corner] = base + (int)face->mIndices[corner];
        ++mesh->triangle_count;
    }
}

static frz_status convert(const struct aiScene *scene, const char *path, double scale, frz_mesh **out, frz_diag *diag)
{
    int64_t vertices = 0;
    int64_t triangles = 0;
    for (unsigned m = 0; m < scene->mNumMeshes; ++m)
    {
        vertices += scene->mMeshes[m]->mNumVertices;
        triangles += count_triangles(scene->mMeshes[m]);
    }
    if (triangles == 0)
        return frz_fail(diag, FRZ_ERR_SCENE, "mesh file '%s' holds no triangles", path);
    if (vertices > INT_MAX / 4 || triangles > INT_MAX / 4)
        return frz_fail(diag, FRZ_ERR_SCENE, "mesh file '%s' is too large (%lld triangles); simplify it", path,
                        (long long)triangles);
    FRZ_TRY(frz_mesh_create((int)vertices, (int)triangles, out, diag));
    (*out)->vertex_count = 0;
    (*out)->triangle_count = 0;
    for (unsigned m = 0; m < scene->mNumMeshes; ++m)
        append_part(*out, scene->mMeshes[m], scale);
    return FRZ_OK;
}

/// Drop vertices that no triangle uses (points and lines of the file, helper objects): they must not widen the bounds.
static frz_status drop_unused(frz_mesh *mesh, frz_diag *diag)
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
        mesh->vertices[kept++] = mesh->vertices[v];
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

frz_status frz_mesh_import(const char *path, double scale, frz_mesh **out, frz_diag *diag)
{
    *out = NULL;
    if (path == NULL)
        return frz_fail(diag, FRZ_ERR_ARGUMENT, "mesh: the name of the file is missing");
    if (!(scale > 0.0) || !isfinite(scale))
        return frz_fail(diag, FRZ_ERR_SCENE, "mesh '%s': scale must be a number > 0, got %g", path, scale);
    FRZ_TRY(check_readable(path, diag));
    const struct aiScene *scene = aiImportFile(path, aiProcess_Triangulate | aiProcess_PreTransformVertices);
    if (scene == NULL)
        return frz_fail(diag, FRZ_ERR_FILE, "cannot read mesh file '%s': %s", path, aiGetErrorString());
    frz_status status = convert(scene, path, scale, out, diag);
    aiReleaseImport(scene);
    if (status == FRZ_OK)
        status = drop_unused(*out, diag);
    if (status != FRZ_OK)
        frz_mesh_destroy(out);
    return status;
}

static frz_status prepare(frz_mesh **mesh, const char *path, bool repair, char *note, size_t note_size, frz_diag *diag)
{
    frz_mesh_report report;
    FRZ_TRY(frz_mesh_examine(*mesh, &report, diag));
    if (report.bad_vertices > 0) // repair cannot guess where a vertex was
        return frz_mesh_judge(&report, path, diag);
    // Files repeat a vertex for every normal or colour it has; equal positions are the same point in any case.
    if (frz_mesh_weld(*mesh, 0.0) < 0)
        return frz_fail_memory(diag, "a mesh");
    if (repair)
        FRZ_TRY(frz_mesh_repair(mesh, note, note_size, diag));
    FRZ_TRY(frz_mesh_examine(*mesh, &report, diag));
    return frz_mesh_judge(&report, path, diag);
}

frz_status frz_shape_mesh_file(const char *path, double scale, bool repair, frz_shape **out, char *note,
                               size_t note_size, frz_diag *diag)
{
    *out = NULL;
    if (note != NULL && note_size > 0)
        note[0] = '\0';
    frz_mesh *mesh = NULL;
    FRZ_TRY(frz_mesh_import(path, scale, &mesh, diag));
    const frz_status status = prepare(&mesh, path, repair, note, note_size, diag);
    if (status != FRZ_OK)
    {
        frz_mesh_destroy(&mesh);
        return status;
    }
    return frz_shape_take_mesh(mesh, out, diag);
}
