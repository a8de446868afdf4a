// SPDX-License-Identifier: MIT
// Meshes as VTKHDF PolyData, one file each; a numbered series of them is a film in ParaView.
#include "base/memory.h"
#include "io/frame_internal.h"
#include "io/mesh_file.h"

static void write_numbers(frz_h5 *h5, hid_t group, const char *name, int64_t count, const int *from, int64_t step)
{
    int64_t *values = FRZ_ALLOC("mesh file", count + 1, int64_t);
    const hsize_t dims = (hsize_t)count;
    if (frz_h5_require(h5, values != NULL, "memory ran short"))
    {
        for (int64_t i = 0; i < count; ++i)
            values[i] = from != NULL ? from[i] : step * i;
        frz_h5_dataset_write(h5, group, name, H5T_NATIVE_INT64, 1, &dims, values);
    }
    frz_free(values);
}

static void write_polygons(frz_h5 *h5, hid_t root, const frz_mesh_view *mesh)
{
    const hsize_t one = 1;
    const int64_t cells = mesh->triangle_count, corners = 3 * cells;
    const hid_t group = frz_h5_group_create(h5, root, "Polygons");
    frz_h5_dataset_write(h5, group, "NumberOfCells", H5T_NATIVE_INT64, 1, &one, &cells);
    frz_h5_dataset_write(h5, group, "NumberOfConnectivityIds", H5T_NATIVE_INT64, 1, &one, &corners);
    write_numbers(h5, group, "Offsets", cells + 1, NULL, 3);
    write_numbers(h5, group, "Connectivity", corners, mesh->triangles, 0);
    frz_h5_release(group);
}

/// One array of the vertices; values lie stride apart.
static void write_array(frz_h5 *h5, hid_t group, const frz_mesh_view *mesh, frz_array_desc array)
{
    array.rows = mesh->vertex_count;
    array.unit = array.unit != NULL ? array.unit : "";
    frz_h5_array_write(h5, group, &array, NULL);
}

static void write_contents(frz_h5 *h5, const frz_mesh_view *mesh)
{
    const hsize_t one = 1;
    const int64_t count = mesh->vertex_count;
    const hid_t root = frz_h5_group_create(h5, h5->file, "VTKHDF");
    frz_vtkhdf_begin(h5, root, 1, "Polygons");
    frz_h5_dataset_write(h5, root, "NumberOfPoints", H5T_NATIVE_INT64, 1, &one, &count);
    write_array(h5, root, mesh, (frz_array_desc){"Points", "m", FRZ_F64, 3, 3, 0, (void *)mesh->positions});
    write_polygons(h5, root, mesh);
    const hid_t data = frz_h5_group_create(h5, root, "PointData");
    if (mesh->normals != NULL)
        write_array(h5, data, mesh, (frz_array_desc){"normal", "", FRZ_F64, 3, 3, 0, (void *)mesh->normals});
    if (mesh->velocities != NULL)
        write_array(h5, data, mesh, (frz_array_desc){"velocity", "m/s", FRZ_F64, 3, 3, 0, (void *)mesh->velocities});
    if (mesh->texture != NULL)
        write_array(h5, data, mesh, (frz_array_desc){"texture", "", FRZ_F32, 2, 2, 0, (void *)mesh->texture});
    for (int k = 0; k < mesh->value_count; ++k)
        write_array(
            h5, data, mesh,
            (frz_array_desc){mesh->value_names[k], "", FRZ_F32, 1, mesh->value_count, 0, (void *)(mesh->values + k)});
    frz_h5_release(data);
    frz_h5_release(root);
}

frz_status frz_mesh_write_vtkhdf(const char *path, const frz_mesh_view *mesh, frz_diag *diag)
{
    frz_h5 h5;
    frz_h5_begin(&h5);
    frz_h5_create(&h5);
    write_contents(&h5, mesh);
    const frz_status status = frz_h5_save(&h5, path, diag);
    frz_h5_close(&h5);
    frz_h5_end(&h5);
    return status;
}
