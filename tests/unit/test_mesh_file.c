// SPDX-License-Identifier: MIT
// Mesh files read back what was written, and appear as a whole or not at all.
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "compare.h"

#include <hdf5.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "run_trial.h"

#include "geom/mesh.h"
#include "io/mesh_file.h"

// a tetrahedron far from the origin, and a vertex that no triangle uses
static const double positions[5][3] = {{10.25, 0, 0}, {11.5, 0, 0.125}, {10, 1, 0}, {10, 0, 1}, {7, 7, 7}};
static const double normals[5][3] = {{0, 0, 1}, {1, 0, 0}, {0, 1, 0}, {0, 0.6, 0.8}, {-1, 0, 0}};
static const int triangles[4][3] = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {2, 0, 3}};

static frz_mesh_view sample(bool with_normals)
{
    const frz_mesh_view view = {.vertex_count = 5,
                                .triangle_count = 4,
                                .positions = positions[0],
                                .normals = with_normals ? normals[0] : NULL,
                                .triangles = triangles[0],
                                .comment = "a tetrahedron"};
    return view;
}

/// Compare corner by corner: vertices that no triangle uses are left out.
static void assert_reads_back(const char *path)
{
    frz_mesh *mesh = NULL;
    frz_diag diag = {.status = FRZ_OK};
    if (frz_mesh_import(NULL, path, 1.0, &mesh, &diag) != FRZ_OK)
        fail_msg("%s", diag.message);
    assert_int_equal(mesh->triangle_count, 4);
    for (int t = 0; t < 4; ++t)
        for (int c = 0; c < 3; ++c)
        {
            const frz_vec3 x = mesh->vertices[mesh->triangles[t][c]];
            const double *expected = positions[triangles[t][c]];
            assert_same(x.x, expected[0]);
            assert_same(x.y, expected[1]);
            assert_same(x.z, expected[2]); // all of them are floats
        }
    frz_mesh_destroy(&mesh);
}

static void ply_and_obj_read_back(void **state)
{
    (void)state;
    frz_diag diag = {.status = FRZ_OK};
    for (int with_normals = 0; with_normals < 2; ++with_normals)
    {
        const frz_mesh_view view = sample(with_normals);
        assert_int_equal(frz_mesh_write_ply(trial_path("a.ply"), &view, &diag), FRZ_OK);
        assert_reads_back(trial_path("a.ply"));
        assert_int_equal(frz_mesh_write_obj(trial_path("a.obj"), &view, &diag), FRZ_OK);
        assert_reads_back(trial_path("a.obj"));
    }
}

static void ply_holds_the_bytes_that_its_header_promises(void **state)
{
    (void)state;
    frz_diag diag = {.status = FRZ_OK};
    const frz_mesh_view view = sample(true);
    assert_int_equal(frz_mesh_write_ply(trial_path("b.ply"), &view, &diag), FRZ_OK);
    size_t length = 0;
    char *text = NULL;
    assert_int_equal(frz_text_read(trial_path("b.ply"), &text, &length, &diag), FRZ_OK);
    const char *end = strstr(text, "end_header\n");
    assert_non_null(end);
    assert_non_null(strstr(text, "comment a tetrahedron\n"));
    assert_non_null(strstr(text, "element vertex 5\n"));
    const char *data = end + strlen("end_header\n");
    assert_int_equal(text + length - data, 5 * 6 * 4 + 4 * 13);
    float values[6];
    memcpy(values, data + 3 * sizeof values, sizeof values); // vertex 3 with its normal
    assert_same(values[0], 10.0f);
    assert_same(values[2], 1.0f);
    assert_same(values[4], 0.6f);
    assert_same(values[5], 0.8f);
    frz_free(text);
}

static void an_empty_mesh_is_a_file_too(void **state)
{
    (void)state;
    frz_diag diag = {.status = FRZ_OK};
    const frz_mesh_view view = {.vertex_count = 0};
    assert_int_equal(frz_mesh_write_ply(trial_path("c.ply"), &view, &diag), FRZ_OK);
    assert_int_equal(frz_mesh_write_obj(trial_path("c.obj"), &view, &diag), FRZ_OK);
    struct stat info;
    assert_int_equal(stat(trial_path("c.obj"), &info), 0);
}

static void a_folder_that_is_not_there_is_named(void **state)
{
    (void)state;
    frz_diag diag = {.status = FRZ_OK};
    const frz_mesh_view view = sample(true);
    assert_int_equal(frz_mesh_write_ply(trial_path("nowhere/a.ply"), &view, &diag), FRZ_ERR_FILE);
    assert_non_null(strstr(diag.message, "nowhere/a.ply"));
    assert_int_equal(frz_mesh_write_obj(trial_path("nowhere/a.obj"), &view, &diag), FRZ_ERR_FILE);
}

/// Numbers of a dataset; returns how many.
static int read_numbers(hid_t file, const char *name, hid_t type, void *values, int room)
{
    const hid_t dataset = H5Dopen2(file, name, H5P_DEFAULT);
    assert_greater_equal(dataset, 0);
    const hid_t space = H5Dget_space(dataset);
    const int count = (int)H5Sget_simple_extent_npoints(space);
    assert_less_equal(count, room);
    assert_greater_equal(H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values), 0);
    H5Sclose(space);
    H5Dclose(dataset);
    return count;
}

static void all_frames_of_a_surface_are_steps_of_one_file(void **state)
{
    (void)state;
    frz_diag diag = {.status = FRZ_OK};
    const frz_mesh_view view = sample(true), less = {.vertex_count = 4,
                                                     .triangle_count = 1,
                                                     .positions = positions[1],
                                                     .normals = normals[1],
                                                     .triangles = triangles[1]};
    assert_int_equal(mkdir(trial_path("steps"), 0700), 0);
    assert_int_equal(frz_mesh_write_vtkhdf(trial_path("steps/a_000000.vtkhdf"), &view, &diag), FRZ_OK);
    assert_int_equal(frz_mesh_write_vtkhdf(trial_path("steps/a_000004.vtkhdf"), &less, &diag), FRZ_OK);
    for (int k = 0; k < 3; ++k) // every second frame: a is not there in the middle
    {
        char name[64];
        snprintf(name, sizeof name, "steps/b_%06d.vtkhdf", 2 * k);
        assert_int_equal(frz_mesh_write_vtkhdf(trial_path(name), &less, &diag), FRZ_OK);
    }
    assert_int_equal(frz_mesh_write_vtkhdf(trial_path("steps/still_000000.vtkhdf"), &view, &diag), FRZ_OK);
    if (frz_mesh_write_masters(trial_path("steps"), 10.0, &diag) != FRZ_OK)
        fail_msg("%s", diag.message);
    struct stat info;
    assert_int_equal(stat(trial_path("steps/b.vtkhdf"), &info), 0);
    assert_int_equal(stat(trial_path("steps/still.vtkhdf"), &info), -1);
    const hid_t file = H5Fopen(trial_path("steps/a.vtkhdf"), H5F_ACC_RDONLY, H5P_DEFAULT);
    assert_greater_equal(file, 0);
    double times[4], points[64];
    int64_t counts[64];
    assert_int_equal(read_numbers(file, "VTKHDF/Steps/Values", H5T_NATIVE_DOUBLE, times, 4), 3);
    assert_near(times[2], 0.4, 1e-12);
    assert_int_equal(read_numbers(file, "VTKHDF/NumberOfPoints", H5T_NATIVE_INT64, counts, 64), 3);
    assert_memory_equal(counts, ((const int64_t[]){5, 0, 4}), 3 * sizeof *counts);
    assert_int_equal(read_numbers(file, "VTKHDF/Points", H5T_NATIVE_DOUBLE, points, 64), 3 * 9);
    assert_memory_equal(points, positions, sizeof positions);
    assert_memory_equal(points + 15, positions[1], 4 * sizeof positions[1]);
    assert_int_equal(read_numbers(file, "VTKHDF/PointData/normal", H5T_NATIVE_DOUBLE, points, 64), 3 * 9);
    assert_memory_equal(points + 15, normals[1], 4 * sizeof normals[1]);
    assert_int_equal(read_numbers(file, "VTKHDF/Polygons/Offsets", H5T_NATIVE_INT64, counts, 64), 5 + 2 + 2);
    assert_memory_equal(counts + 4, ((const int64_t[]){12, 0, 0, 0, 3}), 5 * sizeof *counts);
    assert_int_equal(read_numbers(file, "VTKHDF/Polygons/Connectivity", H5T_NATIVE_INT64, counts, 64), 15);
    assert_memory_equal(counts + 12, ((const int64_t[]){0, 1, 3}), 3 * sizeof *counts);
    assert_int_equal(read_numbers(file, "VTKHDF/Steps/CellOffsets", H5T_NATIVE_INT64, counts, 64), 12);
    assert_memory_equal(counts, ((const int64_t[]){0, 0, 0, 0, 0, 0, 4, 0, 0, 0, 5, 0}), 12 * sizeof *counts);
    // a step without the surface has a cell without points: readers count the cells before a step to find its offsets
    assert_int_equal(read_numbers(file, "VTKHDF/Polygons/NumberOfCells", H5T_NATIVE_INT64, counts, 64), 3);
    assert_memory_equal(counts, ((const int64_t[]){4, 1, 1}), 3 * sizeof *counts);
    assert_int_equal(read_numbers(file, "VTKHDF/Polygons/NumberOfConnectivityIds", H5T_NATIVE_INT64, counts, 64), 3);
    assert_memory_equal(counts, ((const int64_t[]){12, 0, 3}), 3 * sizeof *counts);
    H5Fclose(file);
}

/// An attribute of whole numbers; returns how many.
static int read_attribute(hid_t at, const char *name, int64_t *values, int room)
{
    const hid_t attribute = H5Aopen(at, name, H5P_DEFAULT);
    assert_greater_equal(attribute, 0);
    const hid_t space = H5Aget_space(attribute);
    const int count = (int)H5Sget_simple_extent_npoints(space);
    assert_less_equal(count, room);
    assert_greater_equal(H5Aread(attribute, H5T_NATIVE_INT64, values), 0);
    H5Sclose(space);
    H5Aclose(attribute);
    return count;
}

/// The layout that docs.vtk.org tells for temporal PolyData ("VTKHDF format specification"): every group and array that
/// it asks for is there with the right length, and the offsets of a step lead to its own points and triangles.
static void steps_have_the_documented_layout(void **state)
{
    (void)state;
    frz_diag diag = {.status = FRZ_OK};
    static const char *const kinds[] = {"Vertices", "Lines", "Polygons", "Strips"};
    const frz_mesh_view views[2] = {sample(true),
                                    {.vertex_count = 4,
                                     .triangle_count = 1,
                                     .positions = positions[1],
                                     .normals = normals[1],
                                     .triangles = triangles[1]}};
    assert_int_equal(mkdir(trial_path("layout"), 0700), 0);
    assert_int_equal(frz_mesh_write_vtkhdf(trial_path("layout/a_000000.vtkhdf"), &views[0], &diag), FRZ_OK);
    assert_int_equal(frz_mesh_write_vtkhdf(trial_path("layout/a_000001.vtkhdf"), &views[1], &diag), FRZ_OK);
    assert_int_equal(frz_mesh_write_masters(trial_path("layout"), 10.0, &diag), FRZ_OK);
    const hid_t file = H5Fopen(trial_path("layout/a.vtkhdf"), H5F_ACC_RDONLY, H5P_DEFAULT);
    const hid_t root = H5Gopen2(file, "VTKHDF", H5P_DEFAULT), steps = H5Gopen2(root, "Steps", H5P_DEFAULT);
    int64_t n[64], offsets[8], corners[64], ends[64], parts[2], cells[8], ids[8];
    double points[64];
    assert_int_equal(read_attribute(root, "Version", n, 2), 2);
    assert_int_equal(n[0], 2);
    assert_int_equal(read_attribute(steps, "NSteps", n, 1), 1);
    assert_int_equal(n[0], 2);
    char type[16] = "";
    const hid_t attribute = H5Aopen(root, "Type", H5P_DEFAULT), text = H5Aget_type(attribute);
    assert_less(H5Tget_size(text), sizeof type);
    assert_greater_equal(H5Aread(attribute, text, type), 0);
    assert_string_equal(type, "PolyData");
    H5Tclose(text);
    H5Aclose(attribute);
    for (int k = 0; k < 4; ++k)
    {
        char name[64];
        snprintf(name, sizeof name, "%s/NumberOfCells", kinds[k]);
        assert_int_equal(read_numbers(root, name, H5T_NATIVE_INT64, n, 64), 2);
        const int64_t all = n[0] + n[1];
        snprintf(name, sizeof name, "%s/Offsets", kinds[k]);
        assert_int_equal(read_numbers(root, name, H5T_NATIVE_INT64, n, 64), all + 2); // one more than cells, per part
        snprintf(name, sizeof name, "%s/NumberOfConnectivityIds", kinds[k]);
        assert_int_equal(read_numbers(root, name, H5T_NATIVE_INT64, n, 64), 2);
        const int64_t used = n[0] + n[1];
        snprintf(name, sizeof name, "%s/Connectivity", kinds[k]);
        assert_int_equal(read_numbers(root, name, H5T_NATIVE_INT64, n, 64), used);
    }
    assert_int_equal(read_numbers(steps, "NumberOfParts", H5T_NATIVE_INT64, n, 64), 2);
    assert_int_equal(n[0] * n[1], 1);
    assert_int_equal(read_numbers(steps, "PartOffsets", H5T_NATIVE_INT64, parts, 2), 2);
    assert_int_equal(read_numbers(steps, "PointOffsets", H5T_NATIVE_INT64, offsets, 8), 2);
    assert_int_equal(read_numbers(steps, "PointDataOffsets/normal", H5T_NATIVE_INT64, n, 64), 2);
    assert_memory_equal(n, offsets, 2 * sizeof *n);
    assert_int_equal(read_numbers(steps, "CellOffsets", H5T_NATIVE_INT64, cells, 8), 8);
    assert_int_equal(read_numbers(steps, "ConnectivityIdOffsets", H5T_NATIVE_INT64, ids, 8), 8);
    assert_int_equal(read_numbers(root, "Points", H5T_NATIVE_DOUBLE, points, 64), 3 * 9);
    read_numbers(root, "Polygons/Connectivity", H5T_NATIVE_INT64, corners, 64);
    read_numbers(root, "Polygons/Offsets", H5T_NATIVE_INT64, ends, 64);
    for (int step = 0; step < 2; ++step)
    {
        const frz_mesh_view *view = &views[step];
        assert_int_equal(parts[step], step);
        assert_memory_equal(points + 3 * offsets[step], view->positions, 24 * (size_t)view->vertex_count);
        for (int t = 0; t < view->triangle_count; ++t)
            for (int c = 0; c < 3; ++c)
            {
                const int64_t first = ends[cells[4 * step + 2] + step + t];
                assert_int_equal(corners[ids[4 * step + 2] + first + c], view->triangles[3 * t + c]);
            }
    }
    H5Gclose(steps);
    H5Gclose(root);
    H5Fclose(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ply_and_obj_read_back),
        cmocka_unit_test(ply_holds_the_bytes_that_its_header_promises),
        cmocka_unit_test(an_empty_mesh_is_a_file_too),
        cmocka_unit_test(all_frames_of_a_surface_are_steps_of_one_file),
        cmocka_unit_test(steps_have_the_documented_layout),
        cmocka_unit_test(a_folder_that_is_not_there_is_named),
    };
    return cmocka_run_group_tests(tests, trial_setup, trial_teardown);
}
