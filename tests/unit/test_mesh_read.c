// SPDX-License-Identifier: MIT
// Readers of mesh files: what they accept, and that no file, however broken, does more than get a sentence.
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "compare.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "run_trial.h"

#include "geom/mesh.h"
#include "geom/shape_internal.h"

enum
{
    most_bytes = 8192
};

/// A file in memory.
typedef struct bytes
{
    size_t size;
    unsigned char data[most_bytes];
} bytes;

static void put(bytes *b, const void *data, size_t size)
{
    assert_less_equal(b->size + size, most_bytes);
    memcpy(b->data + b->size, data, size);
    b->size += size;
}

static void put_text(bytes *b, const char *text)
{
    put(b, text, strlen(text));
}

/// The bytes of a number, turned around for big endian (tests run on little-endian machines).
static void put_number(bytes *b, const void *number, size_t size, bool big)
{
    unsigned char copy[8] = {0};
    for (size_t i = 0; i < size; ++i)
        copy[i] = ((const unsigned char *)number)[big ? size - 1 - i : i];
    put(b, copy, size);
}

static void save(const bytes *b, const char *name)
{
    FILE *file = fopen(trial_path(name), "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(b->data, 1, b->size, file), b->size);
    fclose(file);
}

static void save_text(const char *name, const char *text)
{
    bytes b = {0};
    put_text(&b, text);
    save(&b, name);
}

static frz_status import(const char *name, frz_mesh **mesh, frz_diag *diag)
{
    memset(diag, 0, sizeof *diag);
    return frz_mesh_import(NULL, trial_path(name), 1.0, mesh, diag);
}

static void assert_volume(const char *name, int triangles, double volume)
{
    frz_mesh *mesh = NULL;
    frz_diag diag;
    if (import(name, &mesh, &diag) != FRZ_OK)
        fail_msg("%s", diag.message);
    assert_int_equal(mesh->triangle_count, triangles);
    if (fabs(frz_mesh_volume(mesh) - volume) > 1.0e-12)
        fail_msg("%s has the volume %g, not %g", name, frz_mesh_volume(mesh), volume);
    frz_mesh_report report;
    assert_greater_equal(frz_mesh_weld(mesh, 0.0), 0);
    assert_int_equal(frz_mesh_examine(mesh, &report, &diag), FRZ_OK);
    assert_int_equal(report.open_edges + report.inconsistent_edges + report.degenerate, 0);
    frz_mesh_destroy(&mesh);
}

static void assert_refused(const char *name, const char *part)
{
    frz_mesh *mesh = NULL;
    frz_diag diag;
    const int64_t before = frz_memory_bytes();
    assert_int_not_equal(import(name, &mesh, &diag), FRZ_OK);
    assert_null(mesh);
    assert_int_equal(frz_memory_bytes(), before);
    if (strstr(diag.message, part) == NULL || strstr(diag.message, name) == NULL)
        fail_msg("'%s' does not say '%s' of %s", diag.message, part, name);
}

// ---- a box of 1 x 2 x 4 in every format

static const float corners[8][3] = {{0, 0, 0}, {1, 0, 0}, {0, 2, 0}, {1, 2, 0},
                                    {0, 0, 4}, {1, 0, 4}, {0, 2, 4}, {1, 2, 4}};
static const int quads[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
static const double box_volume = 8.0;

static void make_obj(bytes *b)
{
    char line[128];
    for (int v = 0; v < 8; ++v)
    {
        snprintf(line, sizeof line, "v %g %g %g\n", (double)corners[v][0], (double)corners[v][1],
                 (double)corners[v][2]);
        put_text(b, line);
    }
    for (int q = 0; q < 6; ++q)
    {
        snprintf(line, sizeof line, "f %d %d %d %d\n", quads[q][0] + 1, quads[q][1] + 1, quads[q][2] + 1,
                 quads[q][3] + 1);
        put_text(b, line);
    }
}

static void a_byte_order_mark_is_no_part_of_a_mesh(void **state)
{
    (void)state;
    bytes b = {0};
    put_text(&b, "\xef\xbb\xbf");
    make_obj(&b);
    save(&b, "marked.obj");
    assert_volume("marked.obj", 12, box_volume);
}

static void triangles_that_are_there_twice_are_refused_or_dropped(void **state)
{
    (void)state;
    bytes b = {0};
    make_obj(&b);
    make_obj(&b); // faces count vertices from the beginning of the file
    save(&b, "twice.obj");
    frz_shape *shape = NULL;
    frz_diag diag = {.status = FRZ_OK};
    assert_int_equal(frz_shape_mesh_file(NULL, trial_path("twice.obj"), 1.0, false, &shape, NULL, 0, &diag),
                     FRZ_ERR_SCENE);
    assert_non_null(strstr(diag.message, "has 12 triangles twice; set repair to drop the copies"));
    assert_int_equal(frz_shape_mesh_file(NULL, trial_path("twice.obj"), 1.0, true, &shape, NULL, 0, &diag), FRZ_OK);
    assert_near(frz_shape_volume(shape, 3), box_volume, 1e-9);
    frz_shape_destroy(&shape);
}

static void put_ply_header(bytes *b, const char *format, const char *end)
{
    char line[512];
    snprintf(
        line, sizeof line,
        "ply%sformat %s 1.0%scomment by hand%selement vertex 8%sproperty float x%sproperty float y%sproperty float z%s"
        "property uchar red%selement face 6%sproperty list uchar int vertex_indices%send_header%s",
        end, format, end, end, end, end, end, end, end, end, end, end);
    put_text(b, line);
}

static void make_ply_text(bytes *b)
{
    char line[128];
    put_ply_header(b, "ascii", "\n");
    for (int v = 0; v < 8; ++v)
    {
        snprintf(line, sizeof line, "%g %g %g 7\n", (double)corners[v][0], (double)corners[v][1],
                 (double)corners[v][2]);
        put_text(b, line);
    }
    for (int q = 0; q < 6; ++q)
    {
        snprintf(line, sizeof line, "4 %d %d %d %d\n", quads[q][0], quads[q][1], quads[q][2], quads[q][3]);
        put_text(b, line);
    }
}

static void make_ply_binary(bytes *b, bool big, const char *end)
{
    const unsigned char red = '\n', four = 4;
    put_ply_header(b, big ? "binary_big_endian" : "binary_little_endian", end);
    for (int v = 0; v < 8; ++v)
    {
        for (int c = 0; c < 3; ++c)
            put_number(b, &corners[v][c], 4, big);
        put(b, &red, 1);
    }
    for (int q = 0; q < 6; ++q)
    {
        put(b, &four, 1);
        for (int c = 0; c < 4; ++c)
            put_number(b, &quads[q][c], 4, big);
    }
}

static const int fan[2][3] = {{0, 1, 2}, {0, 2, 3}};

static void make_stl_text(bytes *b)
{
    char line[512];
    put_text(b, "solid a box with facets\n");
    for (int t = 0; t < 12; ++t)
    {
        put_text(b, " facet normal 0 0 0\n  outer loop\n");
        for (int c = 0; c < 3; ++c)
        {
            const float *x = corners[quads[t / 2][fan[t % 2][c]]];
            snprintf(line, sizeof line, "   vertex %e %e %e\n", (double)x[0], (double)x[1], (double)x[2]);
            put_text(b, line);
        }
        put_text(b, "  endloop\n endfacet\n");
    }
    put_text(b, "endsolid a box with facets\n");
}

static void make_stl_binary(bytes *b)
{
    const unsigned char header[80] = "solid, though binary";
    const uint32_t count = 12;
    const float normal[3] = {0, 0, 0};
    const uint16_t attribute = 0;
    put(b, header, sizeof header);
    put(b, &count, 4);
    for (int t = 0; t < 12; ++t)
    {
        put(b, normal, sizeof normal);
        for (int c = 0; c < 3; ++c)
            put(b, corners[quads[t / 2][fan[t % 2][c]]], sizeof corners[0]);
        put(b, &attribute, 2);
    }
}

/// All of them; returns how many.
static int make_files(bytes *files, const char **names)
{
    memset(files, 0, 7 * sizeof *files);
    make_obj(&files[0]), names[0] = "box.obj";
    make_ply_text(&files[1]), names[1] = "text.ply";
    make_ply_binary(&files[2], false, "\n"), names[2] = "little.ply";
    make_ply_binary(&files[3], true, "\r\n"), names[3] = "big.PLY";
    make_stl_text(&files[4]), names[4] = "text.stl";
    make_stl_binary(&files[5]), names[5] = "binary.STL";
    make_ply_binary(&files[6], false, "\r"), names[6] = "return.ply";
    return 7;
}

static bytes files[7];
static const char *names[7];

static void every_format_gives_the_same_box(void **state)
{
    (void)state;
    const int count = make_files(files, names);
    for (int k = 0; k < count; ++k)
    {
        save(&files[k], names[k]);
        assert_volume(names[k], 12, box_volume);
    }
}

/// Cut behind every byte: either the file says that it is cut, or it happens to be whole.
static void a_file_cut_anywhere_ends_with_a_sentence(void **state)
{
    (void)state;
    const int count = make_files(files, names);
    int refused = 0, total = 0;
    for (int k = 0; k < count; ++k)
        for (bytes cut = files[k]; cut.size > 0; ++total)
        {
            --cut.size;
            save(&cut, names[k]);
            frz_mesh *mesh = NULL;
            frz_diag diag;
            const frz_status status = import(names[k], &mesh, &diag);
            refused += status != FRZ_OK;
            assert_true(status == FRZ_OK ? mesh != NULL : mesh == NULL && diag.message[0] != '\0');
            frz_mesh_destroy(&mesh);
        }
    assert_greater(total, 4000);
    assert_greater(4 * refused, 3 * total); // OBJ has no end that could be missing
}

/// Every byte replaced by some others: no crash, and no triangle with a corner that is not there.
static void a_wrong_byte_anywhere_does_no_harm(void **state)
{
    (void)state;
    static const unsigned char others[] = {0x00, 0xff, '9', '-', '\n'};
    const int count = make_files(files, names);
    int read = 0;
    for (int k = 0; k < count; ++k)
        for (size_t at = 0; at < files[k].size; ++at)
        {
            const unsigned char kept = files[k].data[at];
            files[k].data[at] = others[(at + (size_t)k) % sizeof others];
            save(&files[k], names[k]);
            files[k].data[at] = kept;
            frz_mesh *mesh = NULL;
            frz_diag diag;
            if (import(names[k], &mesh, &diag) != FRZ_OK)
                continue;
            ++read;
            for (int t = 0; t < mesh->triangle_count; ++t)
                for (int c = 0; c < 3; ++c)
                    assert_in_range(mesh->triangles[t][c], 0, mesh->vertex_count - 1);
            frz_mesh_destroy(&mesh);
        }
    assert_greater(read, 100); // coordinates may be anything
}

// ---- what files may look like

static void obj_files_of_all_styles_are_read(void **state)
{
    (void)state;
    save_text("style.obj", "# faces first, CRLF, slashes, negative numbers, a line that goes on, a colour\r\n"
                           "mtllib none.mtl\r\no thing\r\n"
                           "f 1//1 3//1 2//1 # the bottom\r\n"
                           "v 0 0 0 0.5 0.5 0.5\r\nv 1 \\\r\n 0 0\r\nv 0 1 0\r\nv 0 0 1\r\nvn 0 0 1\r\nvt 0 0\r\n"
                           "l 1 2\r\n"
                           "f 1/1 2/1 4/1\r\nf -3/1/1 -2/1/1 \\\r\n -1/1/1\r\nf 3 1 4\r\nusemtl x");
    assert_volume("style.obj", 4, 1.0 / 6.0);
}

static void ply_files_of_all_styles_are_read(void **state)
{
    (void)state;
    save_text("style.ply", "ply\nformat ascii 1.0\nobj_info none\nelement camera 2\nproperty float view\n"
                           "property list uchar float lens\nelement nothing 99999999999\nelement vertex 4\n"
                           "property list uchar int skipped\nproperty double z\nproperty float64 y\nproperty int16 x\n"
                           "element face 2\nproperty uchar flags\nproperty list uint8 uint32 vertex_index\n"
                           "property list uchar float texcoord\nelement tristrips 1\n"
                           "property list int int vertex_indices\nend_header\n"
                           "1 2 0.5 0.5\n1 0\n"
                           "1 5 0 0 0\n0 0 0 1\n0 0 1 0\n0 1 0 0\n"
                           "7 3 0 2 1 2 0.5 0.5\n"
                           "7 3 0 1 3 0\n"
                           "8 1 2 3 -1 2 0 3 3\n");
    assert_volume("style.ply", 4, 1.0 / 6.0);
}

static void stl_text_may_hold_several_solids_on_few_lines(void **state)
{
    (void)state;
    save_text("few.stl",
              "SOLID\nFACET NORMAL 0 0 1 OUTER LOOP VERTEX 0 0 0 VERTEX 0 1 0 VERTEX 1 0 0 ENDLOOP ENDFACET\n"
              "facet normal 0 0 1 outer loop vertex 0 0 0 vertex 1 0 0 vertex 0 0 1 endloop endfacet\n"
              "endsolid\nsolid two\n"
              "facet normal nan nan nan outer loop vertex 1 0 0 vertex 0 1 0 vertex 0 0 1 endloop endfacet\n"
              "facet normal 0 0 1 outer loop vertex 0 1 0 vertex 0 0 0 vertex 0 0 1 endloop endfacet\n"
              "endsolid two");
    assert_volume("few.stl", 4, 1.0 / 6.0);
}

/// A prism over an outline in the plane z = 0, as one face each for bottom and top.
static void save_prism(const char *name, const double (*outline)[2], int count, double height)
{
    FILE *file = fopen(trial_path(name), "w");
    assert_non_null(file);
    for (int k = 0; k < 2 * count; ++k)
        fprintf(file, "v %.17g %.17g %g\n", outline[k % count][0], outline[k % count][1], k < count ? 0.0 : height);
    fprintf(file, "f");
    for (int k = count; k > 0; --k)
        fprintf(file, " %d", k);
    fprintf(file, "\nf");
    for (int k = 1; k <= count; ++k)
        fprintf(file, " %d", count + k);
    fprintf(file, "\n");
    for (int k = 0; k < count; ++k)
        fprintf(file, "f %d %d %d %d\n", k + 1, (k + 1) % count + 1, count + (k + 1) % count + 1, count + k + 1);
    fclose(file);
}

static void faces_that_are_not_convex_become_triangles_with_an_area(void **state)
{
    (void)state;
    const double angle[6][2] = {{0, 0}, {2, 0}, {2, 1}, {1, 1}, {1, 2}, {0, 2}};
    save_prism("angle.obj", angle, 6, 1.0);
    assert_volume("angle.obj", 4 + 4 + 12, 3.0);
    // corners in the middle of straight edges: a fan would have triangles without an area
    const double straight[8][2] = {{0, 0}, {1, 0}, {2, 0}, {2, 1}, {2, 2}, {1, 2}, {0, 2}, {0, 1}};
    save_prism("straight.obj", straight, 8, 1.0);
    assert_volume("straight.obj", 6 + 6 + 16, 4.0);
    double star[300][2], area = 0.0;
    for (int k = 0; k < 300; ++k)
    {
        const double radius = k % 2 == 0 ? 1.0 : 0.3, phi = 2.0 * M_PI * k / 300;
        star[k][0] = radius * cos(phi);
        star[k][1] = radius * sin(phi);
    }
    for (int k = 0; k < 300; ++k)
        area += 0.5 * (star[k][0] * star[(k + 1) % 300][1] - star[k][1] * star[(k + 1) % 300][0]);
    save_prism("star.obj", (const double(*)[2])star, 300, 1.0);
    assert_volume("star.obj", 298 * 2 + 600, area);
}

// ---- what is refused

static void wrong_numbers_are_named_with_their_place(void **state)
{
    (void)state;
    static const char head[] = "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\n"
                               "property float z\nelement face 1\nproperty list uchar int vertex_indices\nend_header\n"
                               "0 0 0\n1 0 0\n0 1 0\n";
    char text[512];
    snprintf(text, sizeof text, "%s3 0 1 3\n", head);
    save_text("over.ply", text);
    assert_refused("over.ply", "line 13: a face refers to vertex 3, but there are only 3");
    snprintf(text, sizeof text, "%s3 0 1 -1\n", head);
    save_text("under.ply", text);
    assert_refused("under.ply", "line 13: a face refers to vertex -1");
    snprintf(text, sizeof text, "%s-3 0 1 2\n", head);
    save_text("length.ply", text);
    assert_refused("length.ply", "line 13: expected the length of a list, found -3");
    snprintf(text, sizeof text, "%s1e300 0 1 2\n", head);
    save_text("long.ply", text);
    assert_refused("long.ply", "cut short");
    snprintf(text, sizeof text, "%s3 0 1 \033[31m\n", head);
    save_text("escape.ply", text);
    assert_refused("escape.ply", "line 13: expected a number, found '?[31m'");
    save_text("zero.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 0\n");
    assert_refused("zero.obj", "line 4: a face refers to vertex 0, but there are 3");
    save_text("large.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 99999999999999999999\n");
    assert_refused("large.obj", "line 4: expected the number of a vertex");
    save_text("early.obj", "v 0 0 0\nf 1 1 -2\n");
    assert_refused("early.obj", "line 2: a face refers to vertex -2, but there is 1");
    save_text("two.obj", "v 0 0 0\nv 1 0 0\nf 1 2\n");
    assert_refused("two.obj", "line 3: a face needs at least 3 corners, found 2");
    save_text("word.stl", "solid\nfacet normal 0 0 1\nouter lop\n");
    assert_refused("word.stl", "line 3: expected 'loop', found 'lop'");
    save_text("none.stl", "solid\nendsolid\n");
    assert_refused("none.stl", "it has no triangles");
}

static void counts_are_checked_before_memory_is_taken(void **state)
{
    (void)state;
    bytes b = {0};
    make_stl_binary(&b);
    const uint32_t count = 4000000000u;
    memcpy(b.data + 80, &count, 4);
    save(&b, "count.stl");
    const int64_t peak = frz_memory_peak();
    assert_refused("count.stl", "it promises 4000000000 triangles, which take 200000000084 bytes");
    save_text("count.ply", "ply\nformat binary_little_endian 1.0\nelement vertex 500000000\nproperty float x\n"
                           "property float y\nproperty float z\nend_header\n");
    assert_refused("count.ply", "it promises 500000000 elements of at least 12 bytes each, but 0 bytes are left");
    assert_less(frz_memory_peak() - peak, 1 << 16);
}

static void headers_that_make_no_sense_are_refused(void **state)
{
    (void)state;
    static const char *const rows[][2] = {
        {"plan\n", "it does not begin with 'ply'"},
        {"ply\n", "ends before 'end_header'"},
        {"ply\nend_header\n", "no line 'format'"},
        {"ply\nformat utf8 1.0\n", "line 2: expected 'ascii', 'binary_little_endian'"},
        {"ply\nformat ascii 1.0\nend_header\n", "the vertices have no property 'x'"},
        {"ply\nformat ascii 1.0\nproperty float x\n", "a property before the first element"},
        {"ply\nformat ascii 1.0\nelement vertex -4\n", "line 3: expected the number of elements, found '-4'"},
        {"ply\nformat ascii 1.0\nelement vertex 1\nproperty real x\n", "line 4: expected a type such as 'float'"},
        {"ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float x\n", "has already"},
        {"ply\nformat ascii 1.0\nelement vertex 1\nelement vertex 1\n", "a second element 'vertex'"},
        {"ply\nformat ascii 1.0\nelement vertex 1\nproperty list float float\n", "line 4: expected the name"},
    };
    for (size_t k = 0; k < sizeof rows / sizeof *rows; ++k)
    {
        save_text("header.ply", rows[k][0]);
        assert_refused("header.ply", rows[k][1]);
    }
}

static void pipes_devices_and_folders_are_refused_at_once(void **state)
{
    (void)state;
    assert_int_equal(mkfifo(trial_path("pipe.ply"), 0600), 0);
    alarm(10); // a reader that waits for a writer never comes back
    assert_refused("pipe.ply", "it is a pipe, not a regular file");
    alarm(0);
    assert_int_equal(symlink("/dev/zero", trial_path("zero.stl")), 0);
    assert_refused("zero.stl", "it is a device, not a regular file");
    assert_int_equal(mkdir(trial_path("folder.obj"), 0700), 0);
    assert_refused("folder.obj", "it is a folder, not a regular file");
}

static void enormous_sparse_files_are_refused_at_once(void **state)
{
    (void)state;
    save_text("sparse.stl", "solid");
    assert_int_equal(truncate(trial_path("sparse.stl"), (off_t)1 << 40), 0);
    assert_refused("sparse.stl", "is larger than 4096 MB");
}

// ---- time

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1.0e-9 * (double)now.tv_nsec;
}

/// Repair of a sheet whose vertices all have the same x, and of a fan whose open edges all begin at one vertex: the
/// search for near vertices, and for edges to go on with, must not go through all of them.
static void repair_takes_no_quadratic_time(void **state)
{
    (void)state;
    enum
    {
        side = 300
    };
    FILE *file = fopen(trial_path("sheet.obj"), "w");
    assert_non_null(file);
    for (int k = 0; k < side * side; ++k)
        fprintf(file, "v 0 %d %d\n", k % side, k / side);
    for (int k = 0; k < side * (side - 1); ++k)
        if (k % side != side - 1)
            fprintf(file, "f %d %d %d %d\n", k + 1, k + 2, k + side + 2, k + side + 1);
    for (int k = 0; k + 2 < side * side; k += 2)
        fprintf(file, "f 1 %d %d\n", k + 2, k + 3);
    fclose(file);
    frz_mesh *mesh = NULL;
    frz_diag diag;
    char note[256];
    assert_int_equal(import("sheet.obj", &mesh, &diag), FRZ_OK);
    const double start = seconds();
    assert_int_equal(frz_mesh_repair(&mesh, note, sizeof note, &diag), FRZ_OK);
    assert_less(seconds() - start, 2.0);
    frz_mesh_destroy(&mesh);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_format_gives_the_same_box),
        cmocka_unit_test(a_byte_order_mark_is_no_part_of_a_mesh),
        cmocka_unit_test(triangles_that_are_there_twice_are_refused_or_dropped),
        cmocka_unit_test(a_file_cut_anywhere_ends_with_a_sentence),
        cmocka_unit_test(a_wrong_byte_anywhere_does_no_harm),
        cmocka_unit_test(obj_files_of_all_styles_are_read),
        cmocka_unit_test(ply_files_of_all_styles_are_read),
        cmocka_unit_test(stl_text_may_hold_several_solids_on_few_lines),
        cmocka_unit_test(faces_that_are_not_convex_become_triangles_with_an_area),
        cmocka_unit_test(wrong_numbers_are_named_with_their_place),
        cmocka_unit_test(counts_are_checked_before_memory_is_taken),
        cmocka_unit_test(headers_that_make_no_sense_are_refused),
        cmocka_unit_test(pipes_devices_and_folders_are_refused_at_once),
        cmocka_unit_test(enormous_sparse_files_are_refused_at_once),
        cmocka_unit_test(repair_takes_no_quadratic_time),
    };
    return cmocka_run_group_tests(tests, trial_setup, trial_teardown);
}
