// SPDX-License-Identifier: MIT
// Mesh files: what is accepted, what is refused with which sentence, what repair does; signed distance of meshes.
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "compare.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "geom/mesh.h"

static char folder[] = "/tmp/frz_mesh_XXXXXX";
static char path[64];

static const char *const corners = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nv 0 0 1\nv 1 0 1\nv 0 1 1\nv 1 1 1\n";
/// Quads seen counter-clockwise from outside; the last one is the lid that tests leave out.
static const char *const sides = "f 1 5 7 3\nf 2 4 8 6\nf 1 2 6 5\nf 3 7 8 4\nf 1 3 4 2\n";
static const char *const lid = "f 5 6 8 7\n";
static const char *const turned_lid = "f 5 7 8 6\n";

static int make_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) == NULL;
}

static int remove_folder(void **state)
{
    (void)state;
    unlink(path);
    return rmdir(folder);
}

static void write_file(const char *a, const char *b, const char *c)
{
    snprintf(path, sizeof path, "%s/mesh.obj", folder);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file, "%s%s%s", a, b, c);
    fclose(file);
}

static frz_status load(bool repair, frz_shape **out, char *note, frz_diag *diag)
{
    memset(diag, 0, sizeof *diag);
    return frz_shape_mesh_file(NULL, path, 1.0, repair, out, note, 256, diag);
}

static void expect_failure(frz_status expected, const char *part)
{
    frz_shape *s = NULL;
    frz_diag diag;
    const int64_t before = frz_memory_bytes();
    assert_int_equal(load(false, &s, NULL, &diag), expected);
    assert_null(s);
    if (strstr(diag.message, part) == NULL)
        fail_msg("'%s' does not say '%s'", diag.message, part);
    assert_int_equal(frz_memory_bytes(), before);
}

static void test_closed_cube_equals_box(void **state)
{
    (void)state;
    frz_shape *mesh = NULL;
    frz_shape *box = NULL;
    frz_diag diag;
    write_file(corners, sides, lid);
    const frz_status status = load(false, &mesh, NULL, &diag);
    if (status != FRZ_OK)
        print_message("%s\n", diag.message);
    assert_int_equal(status, FRZ_OK);
    assert_int_equal(frz_shape_box(frz_v3(0.0, 0.0, 0.0), frz_v3(1.0, 1.0, 1.0), &box, &diag), FRZ_OK);
    for (int n = 0; n < 13 * 13 * 13; ++n)
    {
        // NOLINTNEXTLINE(bugprone-integer-division): rows and columns of a lattice are whole numbers
        const frz_vec3 p = {-0.6 + 0.183 * (n % 13), -0.6 + 0.183 * (n / 13 % 13), -0.6 + 0.183 * (n / 169)};
        assert_near(frz_shape_distance(mesh, p), frz_shape_distance(box, p), 1.0e-12);
    }
    assert_near(frz_shape_volume(mesh, 3), 1.0, 1.0e-12);
    assert_near(frz_shape_normal(mesh, frz_v3(1.2, 0.5, 0.5)).x, 1.0, 1.0e-12);
    frz_shape_destroy(&mesh);
    frz_shape_destroy(&box);
}

static void test_open_mesh_names_its_open_edges(void **state)
{
    (void)state;
    write_file(corners, sides, "");
    expect_failure(FRZ_ERR_SCENE, "4 open edges");
}

static void test_nan_vertex_is_refused(void **state)
{
    (void)state;
    write_file("v nan 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nv 0 0 1\nv 1 0 1\nv 0 1 1\nv 1 1 1\n", sides, lid);
    expect_failure(FRZ_ERR_SCENE, "not finite");
}

static void test_empty_and_missing_files_are_refused(void **state)
{
    (void)state;
    write_file("", "", "");
    expect_failure(FRZ_ERR_FILE, "empty");
    unlink(path);
    expect_failure(FRZ_ERR_FILE, "cannot open");
    write_file("this is no mesh\n", "", "");
    frz_shape *s = NULL;
    frz_diag diag;
    assert_int_not_equal(load(true, &s, NULL, &diag), FRZ_OK);
    assert_null(s);
}

static void test_file_without_triangles_is_refused(void **state)
{
    (void)state;
    write_file(corners, "l 1 2\n", "");
    frz_shape *s = NULL;
    frz_diag diag;
    assert_int_not_equal(load(false, &s, NULL, &diag), FRZ_OK);
    assert_null(s);
}

static void test_flat_mesh_is_refused(void **state)
{
    (void)state;
    write_file("v 0 0 0\nv 1 0 0\nv 0 1 0\n", "f 1 2 3\nf 1 3 2\n", "");
    expect_failure(FRZ_ERR_SCENE, "no volume");
}

static void test_inverted_and_mixed_meshes_are_named(void **state)
{
    (void)state;
    write_file(corners, "f 3 7 5 1\nf 6 8 4 2\nf 5 6 2 1\nf 4 8 7 3\nf 2 4 3 1\n", turned_lid);
    expect_failure(FRZ_ERR_SCENE, "inverted");
    write_file(corners, sides, turned_lid);
    expect_failure(FRZ_ERR_SCENE, "not oriented");
}

static void test_repair_makes_a_cube_of_every_broken_one(void **state)
{
    (void)state;
    const char *const broken[][3] = {
        {corners, sides, ""}, // open
        {corners, sides, turned_lid},
        {corners, "f 3 7 5 1\nf 6 8 4 2\nf 5 6 2 1\nf 4 8 7 3\nf 2 4 3 1\n", turned_lid},
        {corners, sides, "f 5 6 8 7\nf 1 2 2\nv 0.5 0 0\nf 1 9 2\n"},                           // without area
        {corners, sides, "v 0 0 1.0000001\nv 1 0 1.0000001\nv 0 1 1\nv 1 1 1\nf 9 10 12 11\n"}, // not quite touching
    };
    for (size_t n = 0; n < sizeof broken / sizeof broken[0]; ++n)
    {
        frz_shape *s = NULL;
        frz_diag diag;
        char note[256] = "";
        write_file(broken[n][0], broken[n][1], broken[n][2]);
        const frz_status status = load(true, &s, note, &diag);
        if (status != FRZ_OK)
            fail_msg("case %zu: %s", n, diag.message);
        assert_near(frz_shape_volume(s, 3), 1.0, 1.0e-6);
        assert_less(frz_shape_distance(s, frz_v3(0.5, 0.5, 0.6)), -0.39);
        assert_greater(strlen(note), 0);
        frz_shape_destroy(&s);
    }
}

static void test_scale_is_applied(void **state)
{
    (void)state;
    frz_shape *s = NULL;
    write_file(corners, sides, lid);
    assert_int_equal(frz_shape_mesh_file(NULL, path, 0.5, false, &s, NULL, 0, NULL), FRZ_OK);
    assert_near(frz_shape_volume(s, 3), 0.125, 1.0e-12);
    frz_shape_destroy(&s);
    assert_int_equal(frz_shape_mesh_file(NULL, path, -1.0, false, &s, NULL, 0, NULL), FRZ_ERR_SCENE);
}

static void test_bad_mesh_in_memory_is_refused_and_freed(void **state)
{
    (void)state;
    const int64_t before = frz_memory_bytes();
    frz_mesh *mesh = NULL;
    frz_shape *s = NULL;
    frz_diag diag = {0};
    assert_int_equal(frz_mesh_create(3, 1, &mesh, &diag), FRZ_OK);
    mesh->triangles[0][0] = 7;
    assert_int_equal(frz_shape_take_mesh(mesh, &s, &diag), FRZ_ERR_SCENE);
    assert_non_null(strstr(diag.message, "refer to vertices"));
    assert_int_equal(frz_memory_bytes(), before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_closed_cube_equals_box),
        cmocka_unit_test(test_open_mesh_names_its_open_edges),
        cmocka_unit_test(test_nan_vertex_is_refused),
        cmocka_unit_test(test_empty_and_missing_files_are_refused),
        cmocka_unit_test(test_file_without_triangles_is_refused),
        cmocka_unit_test(test_flat_mesh_is_refused),
        cmocka_unit_test(test_inverted_and_mixed_meshes_are_named),
        cmocka_unit_test(test_repair_makes_a_cube_of_every_broken_one),
        cmocka_unit_test(test_scale_is_applied),
        cmocka_unit_test(test_bad_mesh_in_memory_is_refused_and_freed),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
