// SPDX-License-Identifier: MIT
// Surfaces of a run: frames whose particles were moved by a known map give the map of the shape; what is missing is
// said.
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "compare.h"

#include <math.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "mesh_trial.h"
#include "run_trial.h"

#include "api/render_run_internal.h"
#include "api/run_reading.h"
#include "api/run_surfaces.h"
#include "base/file.h"
#include "base/memory.h"
#include "frazil/render.h"
#include "frazil/surface.h"
#include "geom/mesh.h"
#include "io/frame_file.h"

static const char solids[] =
    "title: Solids\n"
    "spacing: 50 mm\n"
    "duration: 1 ms\n"
    "frame_rate: 1000\n"
    "gravity: [0, 0, 0]\n"
    "materials: {jelly: {density: 1000 kg/m3, elastic: {young: 1e5}}}\n"
    "bodies:\n"
    "  - {name: block, state: elastic, material: jelly, shape: {box: {min: [0, 0, 0], max: [0.3, 0.2, 0.2]}}}\n"
    "  - {name: other, state: elastic, material: jelly, visible: false, position: [1, 0, 0],\n"
    "     shape: {sphere: {center: [0, 0, 0], radius: 0.15}}}\n";

static const char flat[] =
    "title: Flat\n"
    "dimension: 2\n"
    "spacing: 50 mm\n"
    "duration: 1 ms\n"
    "frame_rate: 1000\n"
    "gravity: [0, 0]\n"
    "materials: {jelly: {density: 1000 kg/m3, elastic: {young: 1e5}}}\n"
    "bodies:\n"
    "  - {name: block, state: elastic, material: jelly, shape: {box: {min: [0, 0], max: [0.3, 0.2]}}}\n"
    "  - {name: disc, state: elastic, material: jelly, shape: {sphere: {center: [1, 0], radius: 0.2}}}\n";

static const char water[] =
    "spacing: 50 mm\n"
    "duration: 1 ms\n"
    "frame_rate: 1000\n"
    "materials: {water: {density: 1000 kg/m3}}\n"
    "bodies:\n"
    "  - {state: liquid, material: water, shape: {box: {min: [0, 0, 0], max: [0.2, 0.2, 0.2]}}}\n";

static const char stone[] = "spacing: 50 mm\n"
                            "duration: 1 ms\n"
                            "frame_rate: 1000\n"
                            "bodies:\n"
                            "  - {name: stone, state: rigid, density: 2000 kg/m3, shape: {sphere: {center: [0, 0, 0], "
                            "radius: 0.1}}}\n";

static void make_run(const char *scene, const char *folder)
{
    frz_diag diag = {.status = FRZ_OK};
    assert_int_equal(frz_scene_allow_files(trial_folder, &diag), FRZ_OK); // scenes here have no folder of their own
    const trial_session session = {.scene = scene, .folder = folder, .threads = 1};
    if (trial_run(&session, &diag) != FRZ_OK)
        fail_msg("%s", diag.message);
}

static void set_value(const frz_array_desc *array, int64_t row, int component, double value)
{
    if (array->type == FRZ_F64)
        ((double *)array->data)[row * array->stride + component] = value;
    else
        ((float *)array->data)[row * array->stride + component] = (float)value;
}

/// (x, y) -> (y, -2x), rigidly turned and stretched: what the particles do in the last frame.
static void map(double *x, double *y)
{
    const double old = *x;
    *x = *y;
    *y = -2.0 * old;
}

/// Particles change their order while a simulation runs.
static void reverse_rows(const frz_array_desc *array)
{
    const size_t size = (size_t)array->stride * frz_dtype_size(array->type);
    unsigned char *low = array->data, row[64];
    assert_less_equal(size, sizeof row);
    unsigned char *high = low + (size_t)(array->rows - 1) * size;
    for (; low < high; low += size, high -= size)
    {
        memcpy(row, low, size);
        memcpy(low, high, size);
        memcpy(high, row, size);
    }
}

/// Replace frame 1 by frame 0 moved, with its particles in the opposite order.
static void move_particles(const char *folder)
{
    frz_frame_data data;
    frz_diag diag = {.status = FRZ_OK};
    assert_int_equal(frz_frame_read(trial_path(folder), 0, &data, &diag), FRZ_OK);
    frz_frame *frame = &data.frame;
    for (int64_t i = 0; i < frame->count; ++i)
    {
        double x = frz_array_value(&frame->position, i, 0), y = frz_array_value(&frame->position, i, 1);
        map(&x, &y);
        set_value(&frame->position, i, 0, x);
        set_value(&frame->position, i, 1, y);
    }
    frame->index = 1;
    reverse_rows(&frame->position);
    for (int k = 0; k < frame->field_count; ++k)
        reverse_rows(&frame->fields[k]);
    assert_int_equal(frz_frame_write(trial_path(folder), frame, &diag), FRZ_OK);
    frz_frame_data_destroy(&data);
}

static frz_mesh *read_mesh(const char *name)
{
    frz_mesh *mesh = NULL;
    frz_diag diag = {.status = FRZ_OK};
    if (frz_mesh_import(NULL, trial_path(name), 1.0, &mesh, &diag) != FRZ_OK)
        fail_msg("%s", diag.message);
    return mesh;
}

static void assert_mapped(const char *before, const char *after)
{
    frz_mesh *rest = read_mesh(before), *moved = read_mesh(after);
    assert_int_equal(rest->triangle_count, moved->triangle_count);
    for (int t = 0; t < rest->triangle_count; ++t)
        for (int c = 0; c < 3; ++c)
        {
            frz_vec3 x = rest->vertices[rest->triangles[t][c]];
            map(&x.x, &x.y);
            const frz_vec3 y = moved->vertices[moved->triangles[t][c]];
            assert_less(frz_v3_length(frz_v3_sub(x, y)), 3e-6); // frames and files are in single precision
        }
    frz_mesh_destroy(&rest);
    frz_mesh_destroy(&moved);
}

static void the_shape_follows_the_map_of_the_particles(void **state)
{
    (void)state;
    make_run(solids, "solids");
    move_particles("solids");
    frz_surface_def def = frz_surface_def_default();
    frz_diag diag = {.status = FRZ_OK};
    int files = 0;
    def.directory = trial_path("solids");
    def.threads = 1;
    assert_int_equal(frz_surface_run(&def, &files, &diag), FRZ_OK);
    assert_int_equal(files, 4);
    assert_mapped("solids/surface/block_000000.ply", "solids/surface/block_000001.ply");
    assert_mapped("solids/surface/other_000000.ply", "solids/surface/other_000001.ply");
    // frame 0 is the shape itself
    frz_mesh *mesh = read_mesh("solids/surface/block_000000.ply");
    for (int v = 0; v < mesh->vertex_count; ++v)
        assert_true(fabs(mesh->vertices[v].x) < 1e-7 || fabs(mesh->vertices[v].x - 0.3) < 1e-7 ||
                    fabs(mesh->vertices[v].y) < 1e-7 || fabs(mesh->vertices[v].y - 0.2) < 1e-7 ||
                    fabs(mesh->vertices[v].z) < 1e-7 || fabs(mesh->vertices[v].z - 0.2) < 1e-7);
    frz_mesh_destroy(&mesh);
    // as text, with two threads, elsewhere
    def.format = FRZ_SURFACE_OBJ;
    def.output = trial_path("elsewhere");
    def.threads = 2;
    def.first = def.last = 1;
    assert_int_equal(frz_surface_run(&def, &files, &diag), FRZ_OK);
    assert_int_equal(files, 2);
    assert_mapped("solids/surface/block_000000.ply", "elsewhere/block_000001.obj");
}

static void two_dimensions_have_slices(void **state)
{
    (void)state;
    make_run(flat, "flat");
    move_particles("flat");
    frz_surface_def def = frz_surface_def_default();
    frz_diag diag = {.status = FRZ_OK};
    def.directory = trial_path("flat");
    assert_int_equal(frz_surface_run(&def, NULL, &diag), FRZ_OK);
    assert_mapped("flat/surface/block_000000.ply", "flat/surface/block_000001.ply");
    assert_mapped("flat/surface/disc_000000.ply", "flat/surface/disc_000001.ply");
}

static void a_mesh_of_the_user_is_placed_like_the_shape(void **state)
{
    (void)state;
    frz_diag diag = {.status = FRZ_OK};
    static const char triangle[] = "v 0 0 0\nv 1 0 0\nv 0 0 1\nf 1 2 3\n"; // open, and outside of the body in part
    assert_int_equal(frz_text_write(trial_path("patch.obj"), triangle, strlen(triangle), &diag), FRZ_OK);
    char scene[1024];
    snprintf(scene, sizeof scene,
             "spacing: 50 mm\nduration: 1 ms\nframe_rate: 1000\ngravity: [0, 0, 0]\n"
             "materials: {jelly: {density: 1000 kg/m3, elastic: {young: 1e5}}}\n"
             "bodies:\n  - {name: cube, state: elastic, material: jelly, position: [1, 2, 3], scale: 2,\n"
             "     rotation: {axis: [0, 1, 0], angle: 90 deg}, skin: {mesh: %s, scale: 0.1},\n"
             "     shape: {box: {min: [0, -0.05, 0], max: [0.1, 0.05, 0.1]}}}\n",
             trial_path("patch.obj"));
    make_run(scene, "patched");
    frz_surface_def def = frz_surface_def_default();
    def.directory = trial_path("patched");
    assert_int_equal(frz_surface_run(&def, NULL, &diag), FRZ_OK);
    frz_mesh *mesh = read_mesh("patched/surface/cube_000000.ply");
    frz_vec3 low = mesh->vertices[0], high = mesh->vertices[0];
    for (int v = 0; v < mesh->vertex_count; ++v)
    {
        low = frz_v3(fmin(low.x, mesh->vertices[v].x), 2.0, fmin(low.z, mesh->vertices[v].z));
        high = frz_v3(fmax(high.x, mesh->vertices[v].x), 2.0, fmax(high.z, mesh->vertices[v].z));
        assert_near(mesh->vertices[v].y, 2.0, 1e-6);
    }
    // a tenth of the file's size, doubled by the body's scale; x goes to -z, z to x
    assert_near(low.x, 1.0, 1e-6);
    assert_near(high.x, 1.2, 1e-6);
    assert_near(low.z, 2.8, 1e-6);
    assert_near(high.z, 3.0, 1e-6);
    assert_greater(mesh->triangle_count, 8); // refined
    frz_mesh_destroy(&mesh);
}

static void bodies_keep_the_texture_of_their_mesh_file(void **state)
{
    (void)state;
    frz_diag diag = {.status = FRZ_OK};
    // a tetrahedron with a seam: the first vertex has two pairs of texture coordinates
    static const char tetrahedron[] = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n"
                                      "vt 0.25 0.75\nvt 1 0\nvt 0 1\nvt 0.5 0.5\nvt 0.125 0.25\n"
                                      "f 1/1 3/3 2/2\nf 1/1 2/2 4/4\nf 2/2 3/3 4/4\nf 3/3 1/5 4/4\n";
    assert_int_equal(frz_text_write(trial_path("seam.obj"), tetrahedron, strlen(tetrahedron), &diag), FRZ_OK);
    char scene[1024];
    snprintf(scene, sizeof scene,
             "%s  - {name: stone, state: static, position: [1, 2, 3], shape: {mesh: {file: %s, scale: 0.5}}}\n", water,
             trial_path("seam.obj"));
    make_run(scene, "seamed");
    frz_surface_def def = frz_surface_def_default();
    def.directory = trial_path("seamed");
    def.format = FRZ_SURFACE_OBJ;
    def.bodies = true;
    if (frz_surface_run(&def, NULL, &diag) != FRZ_OK)
        fail_msg("%s", diag.message);
    char *text = NULL;
    size_t length = 0;
    assert_int_equal(
        frz_file_read(trial_path("seamed/surface/stone_000000.obj"), "mesh", 1 << 20, &text, &length, &diag), FRZ_OK);
    const char *places = strstr(text, "v 1 2 3\nv 1 2.5 3\nv 1.5 2 3\nv 1 2 3.5\nv 1 2 3\n");
    const char *pairs = strstr(text, "vt 0.25 0.75\nvt 0 1\nvt 1 0\nvt 0.5 0.5\nvt 0.125 0.25\n");
    assert_non_null(places);
    assert_non_null(pairs);
    assert_non_null(strstr(text, "f 1/1 2/2 3/3\nf 1/1 3/3 4/4\nf 3/3 2/2 4/4\nf 2/2 5/5 4/4\n"));
    frz_free(text);
    def.format = FRZ_SURFACE_PLY; // and back: s and t of a PLY are read, too
    assert_int_equal(frz_surface_run(&def, NULL, &diag), FRZ_OK);
    frz_shape *shape = NULL;
    frz_mesh *mesh = NULL;
    float(*texture)[2] = NULL;
    assert_int_equal(
        frz_shape_mesh_file(NULL, trial_path("seamed/surface/stone_000000.ply"), 1.0, false, &shape, NULL, 0, &diag),
        FRZ_OK);
    assert_int_equal(frz_shape_original(shape, &mesh, &texture, &diag), FRZ_OK);
    assert_int_equal(mesh->vertex_count, 5);
    assert_same((double)texture[4][0], 0.125);
    frz_mesh_destroy(&mesh);
    frz_free(texture);
    frz_shape_destroy(&shape);
}

static void drops_become_balls_of_the_volume_of_a_particle(void **state)
{
    (void)state;
    const double spacing = 0.1;
    float places[2][3] = {{0.0f, 0.0f, 0.0f}, {1.0f, 0.0f, 0.0f}}, velocities[2][3] = {{0.0f}, {0.0f, 3.0f, 0.0f}};
    frz_array_desc field = {"velocity", "m/s", FRZ_F32, 3, 3, 2, velocities};
    const frz_frame frame = {
        .count = 2, .position = {"position", "m", FRZ_F32, 3, 3, 2, places}, .fields = &field, .field_count = 1};
    frz_surface_mesh *mesh = FRZ_ALLOC("test", 1, frz_surface_mesh);
    frz_diag diag = {.status = FRZ_OK};
    assert_int_equal(frz_mesh_create(0, 0, &mesh->mesh, &diag), FRZ_OK);
    mesh->normals = FRZ_ALLOC("test", 1, frz_vec3);
    mesh->velocities = FRZ_ALLOC("test", 1, frz_vec3);
    mesh->spray = FRZ_ALLOC("test", 2, int64_t);
    mesh->spray[1] = 1;
    mesh->spray_count = 2;
    assert_int_equal(frz_drawn_drops_add(&frame, spacing, mesh, &diag), FRZ_OK);
    assert_int_equal(mesh->spray_count, 0);
    assert_int_equal(mesh->mesh->triangle_count, 160);
    double volume = 0.0;
    for (int t = 0; t < 160; ++t)
    {
        const frz_vec3 *x = mesh->mesh->vertices;
        const int *k = mesh->mesh->triangles[t];
        volume += frz_v3_dot(x[k[0]], frz_v3_cross(x[k[1]], x[k[2]])) / 6.0;
    }
    assert_near(volume / (2.0 * spacing * spacing * spacing), 0.93, 0.06); // flat triangles, turned outwards
    assert_same(mesh->velocities[83].y, 3.0);
    frz_surface_mesh_destroy(&mesh);
}

static void what_is_missing_is_said(void **state)
{
    (void)state;
    frz_surface_def def = frz_surface_def_default();
    frz_diag diag = {.status = FRZ_OK};
    make_run(stone, "stone");
    def.directory = trial_path("stone");
    assert_int_equal(frz_surface_run(&def, NULL, &diag), FRZ_ERR_ARGUMENT);
    assert_non_null(strstr(diag.message, "no surface to write"));
    assert_int_not_equal(access(trial_path("stone/surface"), F_OK), 0); // nothing is made
    def.bodies = true;
    def.directory = trial_path("stone");
    assert_int_equal(frz_surface_run(&def, NULL, &diag), FRZ_OK);
    assert_int_equal(access(trial_path("stone/surface/stone_000001.ply"), F_OK), 0);
    def.bodies = false;
    // frames without ids
    char scene[2048];
    snprintf(scene, sizeof scene, "%soutput: {fields: [velocity]}\n", solids);
    make_run(scene, "bare");
    def.directory = trial_path("bare");
    assert_int_equal(frz_surface_run(&def, NULL, &diag), FRZ_ERR_FILE);
    assert_non_null(strstr(diag.message, "'id'"));
    assert_non_null(strstr(diag.message, "output.fields"));
    def.directory = trial_path("nowhere");
    assert_int_equal(frz_surface_run(&def, NULL, &diag), FRZ_ERR_FILE);
    frz_surface_def wrong = {.directory = "x"};
    assert_int_equal(frz_surface_run(&wrong, NULL, &diag), FRZ_ERR_ARGUMENT);
}

/// Frame of a run with one of its fields left out.
static void drop_field(const char *folder, int index, const char *name)
{
    frz_frame_data data;
    frz_diag diag = {.status = FRZ_OK};
    assert_int_equal(frz_frame_read(trial_path(folder), index, &data, &diag), FRZ_OK);
    frz_array_desc fields[32];
    int count = 0;
    for (int k = 0; k < data.frame.field_count; ++k)
        if (strcmp(data.frame.fields[k].name, name) != 0)
            fields[count++] = data.frame.fields[k];
    assert_int_equal(count, data.frame.field_count - 1);
    frz_frame frame = data.frame;
    frame.fields = fields;
    frame.field_count = count;
    assert_int_equal(frz_frame_write(trial_path(folder), &frame, &diag), FRZ_OK);
    frz_frame_data_destroy(&data);
}

static double volume_of(const frz_mesh *mesh)
{
    double sum = 0.0;
    for (int t = 0; t < mesh->triangle_count; ++t)
    {
        const int *k = mesh->triangles[t];
        sum += frz_v3_dot(mesh->vertices[k[0]], frz_v3_cross(mesh->vertices[k[1]], mesh->vertices[k[2]]));
    }
    return sum / 6.0;
}

static void a_liquid_has_the_name_of_its_material(void **state)
{
    (void)state;
    make_run(water, "water");
    frz_surface_def def = frz_surface_def_default();
    frz_diag diag = {.status = FRZ_OK};
    int files = 0;
    def.directory = trial_path("water");
    if (frz_surface_run(&def, &files, &diag) != FRZ_OK)
        fail_msg("%s", diag.message);
    assert_int_equal(files, 2);
    frz_mesh *mesh = read_mesh("water/surface/water_000000.ply");
    assert_greater(mesh->triangle_count, 500);
    frz_mesh_destroy(&mesh);
    // without density the volumes are computed, and much the same comes out
    drop_field("water", 1, "density");
    def.output = trial_path("measured");
    if (frz_surface_run(&def, &files, &diag) != FRZ_OK)
        fail_msg("%s", diag.message);
    mesh = read_mesh("measured/water_000001.ply");
    frz_mesh *other = read_mesh("water/surface/water_000001.ply");
    assert_near(volume_of(mesh), 0.008, 0.05 * 0.008);
    assert_near(volume_of(other), 0.008, 0.05 * 0.008);
    frz_mesh_destroy(&mesh);
    frz_mesh_destroy(&other);
}

static bool stop_after_two(void *user, const frz_surface_progress *progress)
{
    (void)user;
    return progress->done < 2;
}

static const char basin[] =
    "spacing: 50 mm\n"
    "duration: 3 ms\n"
    "frame_rate: 1000\n"
    "materials: {water: {density: 1000 kg/m3}}\n"
    "bodies:\n"
    "  - {name: pond, state: liquid, material: water, shape: {box: {min: [0, 0, 0], max: [0.3, 0.2, 0.3]}}}\n"
    "  - {name: floor, state: static, shape: {half_space: {point: [0, 0, 0], normal: [0, 1, 0]}}}\n"
    "  - {name: stone, state: rigid, density: 2000 kg/m3, velocity: [1, 0, 0],\n"
    "     shape: {sphere: {center: [0.1, 0.6, 0.1], radius: 0.1}}}\n";

static void a_stopped_run_goes_on_where_it_was(void **state)
{
    (void)state;
    make_run(basin, "basin");
    frz_surface_def def = frz_surface_def_default();
    frz_diag diag = {.status = FRZ_OK};
    int files = 0;
    char directory[512], parts[512]; // the buffers of trial_path are used again below
    snprintf(directory, sizeof directory, "%s", trial_path("basin"));
    snprintf(parts, sizeof parts, "%s", trial_path("parts"));
    def.directory = directory;
    def.output = trial_path("whole");
    def.bodies = true;
    def.threads = 1;
    if (frz_surface_run(&def, &files, &diag) != FRZ_OK)
        fail_msg("%s", diag.message);
    assert_int_equal(files, 4 + 4 + 1); // water, stone, floor
    def.output = parts;
    def.progress = stop_after_two;
    assert_int_equal(frz_surface_run(&def, &files, &diag), FRZ_ERR_STOPPED);
    assert_non_null(strstr(diag.message, "2 of 4"));
    def.progress = NULL;
    def.threads = 2;
    assert_int_equal(frz_surface_run(&def, &files, &diag), FRZ_OK);
    assert_int_equal(files, 4);
    for (int k = 0; k < 4; ++k)
    {
        char a[64], b[64];
        snprintf(a, sizeof a, "whole/water_%06d.ply", k);
        snprintf(b, sizeof b, "parts/water_%06d.ply", k);
        trial_same_text(trial_path(a), trial_path(b));
    }
    assert_int_equal(frz_surface_run(&def, &files, &diag), FRZ_OK);
    assert_int_equal(files, 0);
    def.options.smoothing = 3; // other options: all anew
    assert_int_equal(frz_surface_run(&def, &files, &diag), FRZ_OK);
    assert_int_equal(files, 9);
    // the stone flies by 1 mm per frame
    frz_mesh *first = read_mesh("whole/stone_000000.ply"), *last = read_mesh("whole/stone_000003.ply");
    const frz_vec3 moved = frz_v3_sub(last->vertices[0], first->vertices[0]);
    assert_near(moved.x, 0.003, 1e-5);
    frz_mesh_destroy(&first);
    frz_mesh_destroy(&last);
}

static void a_full_disk_is_said_and_costs_nothing_complete(void **state)
{
    (void)state;
    make_run(basin, "tight");
    frz_surface_def def = frz_surface_def_default();
    frz_diag diag = {.status = FRZ_OK};
    int files = 0;
    def.directory = trial_path("tight");
    struct rlimit before, small;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    small = before;
    small.rlim_cur = 4096; // less than a mesh needs
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    const frz_status status = frz_surface_run(&def, &files, &diag);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    assert_int_equal(status, FRZ_ERR_FILE);
    assert_non_null(strstr(diag.message, "water_000000.ply"));
    assert_non_null(strstr(diag.message, "0 of 4 frames"));
    assert_int_not_equal(access(trial_path("tight/surface/water_000000.ply"), F_OK), 0);
    assert_int_equal(frz_surface_run(&def, &files, &diag), FRZ_OK);
    assert_int_equal(files, 4);
}

static void count_warnings(void *user, frz_log_level level, const char *text)
{
    (void)text;
    *(int *)user += level == FRZ_LOG_WARNING;
}

static void pictures_take_skins_or_particles(void **state)
{
    (void)state;
    make_run(solids, "shown");
    move_particles("shown");
    frz_render_def def = frz_render_def_default();
    frz_diag diag = {.status = FRZ_OK};
    int warnings = 0;
    def.directory = trial_path("shown");
    def.width = 64;
    def.height = 36;
    def.samples = 1;
    def.threads = 1;
    def.log = count_warnings;
    def.log_user = &warnings;
    size_t lengths[4];
    char *pictures[4];
    for (int k = 0; k < 4; ++k) // skins, again with two threads, coloured by a field, particles
    {
        def.threads = k == 1 ? 2 : 1;
        def.field = k == 2 ? "velocity" : NULL;
        def.particles = k == 3;
        if (frz_render_run(&def, NULL, &diag) != FRZ_OK)
            fail_msg("%s", diag.message);
        pictures[k] = trial_read(trial_path("shown/images/frame_000001.png"), &lengths[k]);
    }
    assert_same(lengths[0], lengths[1]);
    assert_memory_equal(pictures[0], pictures[1], lengths[0]);
    assert_true(lengths[0] != lengths[2] || memcmp(pictures[0], pictures[2], lengths[0]) != 0);
    assert_true(lengths[0] != lengths[3] || memcmp(pictures[0], pictures[3], lengths[0]) != 0);
    for (int k = 0; k < 4; ++k)
        frz_free(pictures[k]);
    assert_int_equal(warnings, 0);
    // without ids there is a picture all the same
    char scene[2048];
    snprintf(scene, sizeof scene, "%soutput: {fields: [velocity]}\n", solids);
    make_run(scene, "plain");
    def.directory = trial_path("plain");
    def.particles = false;
    def.field = NULL;
    assert_int_equal(frz_render_run(&def, NULL, &diag), FRZ_OK);
    assert_int_equal(warnings, 1);
}

static bool stop_at_once(void *user, const frz_render_progress *progress)
{
    (void)user;
    (void)progress;
    return false;
}

static bool note_time_left(void *user, const frz_render_progress *progress)
{
    double *left = user;
    left[progress->done - 1] = progress->eta;
    return true;
}

static void write_mark(const char *path)
{
    FILE *file = fopen(path, "ae"); // behind the end of a PNG anything may stand
    assert_non_null(file);
    assert_int_equal(fputc('!', file), '!');
    assert_int_equal(fclose(file), 0);
}

static long size_of(const char *path)
{
    FILE *file = fopen(path, "re");
    assert_non_null(file);
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    const long size = ftell(file);
    assert_int_equal(fclose(file), 0);
    return size;
}

/// The mark on the first picture stays as long as it is not drawn again.
static void a_stopped_rendering_goes_on_where_it_was(void **state)
{
    (void)state;
    char folder[512], first[1024];
    frz_diag diag = {0};
    make_run(water, "stopped_pictures");
    snprintf(folder, sizeof folder, "%s", trial_path("stopped_pictures"));
    snprintf(first, sizeof first, "%s/images/frame_000000.png", folder);
    frz_render_def def = frz_render_def_default();
    def.directory = folder;
    def.width = 32;
    def.height = 18;
    def.progress = stop_at_once;
    assert_int_equal(frz_render_run(&def, NULL, &diag), FRZ_ERR_STOPPED);
    write_mark(first);
    const long marked = size_of(first);
    double left[2] = {NAN, NAN}; // s, after each picture
    def.progress = note_time_left;
    def.progress_user = left;
    int pictures = 0;
    assert_int_equal(frz_render_run(&def, &pictures, &diag), FRZ_OK);
    assert_int_equal(pictures, 2);
    assert_int_equal(size_of(first), marked);
    assert_less(left[0], 0.0); // the first picture was there: it does not tell how long the other takes
    assert_same(left[1], 0.0);
    def.progress = NULL;
    assert_int_equal(frz_render_run(&def, NULL, &diag), FRZ_OK); // finished before: all is drawn again
    assert_int_equal(size_of(first), marked - 1);
    def.sheet = "no such folder/sheet.png"; // said before anything is drawn
    write_mark(first);
    assert_int_equal(frz_render_run(&def, NULL, &diag), FRZ_ERR_FILE);
    assert_int_equal(size_of(first), marked);
    def.sheet = NULL;
    def.progress = stop_at_once;
    assert_int_equal(frz_render_run(&def, NULL, &diag), FRZ_ERR_STOPPED);
    write_mark(first);
    def.progress = NULL;
    def.samples = 2; // another picture
    assert_int_equal(frz_render_run(&def, NULL, &diag), FRZ_OK);
    def.samples = 0;
    assert_int_equal(frz_render_run(&def, NULL, &diag), FRZ_OK);
    assert_int_equal(size_of(first), marked - 1);
}

static const char frozen[] = "spacing: 50 mm\n"
                             "duration: 4 ms\n"
                             "frame_rate: 500\n"
                             "materials: {water: {density: 1000 kg/m3}, wax: {density: 900 kg/m3}}\n"
                             "bodies:\n"
                             "  - {name: pool, state: liquid, material: wax, shape: {box: {min: [0, 0, 0], max: [0.2, "
                             "0.2, 0.2]}}}\n"
                             "events:\n"
                             "  - {at: 0 s, do: freeze, name: block}\n";

static void bodies_that_are_born_know_what_they_came_from(void **state)
{
    (void)state;
    frz_scene *scene = NULL;
    frz_diag diag = {.status = FRZ_OK};
    make_run(frozen, "frozen");
    assert_int_equal(frz_scene_parse(frozen, "frozen.yaml", NULL, &scene, &diag), FRZ_OK);
    frz_frame_data data;
    assert_int_equal(frz_frame_read(trial_path("frozen"), 1, &data, &diag), FRZ_OK);
    frz_run_surfaces surfaces;
    const frz_surface_options options = frz_surface_options_default();
    assert_int_equal(frz_run_surfaces_create(scene, trial_path("frozen"), NULL, &options, &surfaces, &diag), FRZ_OK);
    frz_frame_surfaces made;
    assert_int_equal(frz_run_surfaces_make(&surfaces, &data.frame, &made, &diag), FRZ_OK);
    assert_int_equal(made.count, 1);
    assert_int_equal(made.items[0].body, 1);
    assert_int_equal(made.items[0].origin, 0);
    assert_int_equal(made.items[0].material, 1);
    frz_frame_surfaces_destroy(&made);
    frz_run_surfaces_destroy(&surfaces);
    frz_frame_data_destroy(&data);
    frz_scene_destroy(&scene);
}

/// A format: the look of the wax.
static const char half_frozen[] = "spacing: 50 mm\n"
                                  "duration: 1 ms\n"
                                  "frame_rate: 1000\n"
                                  "gravity: [0, 0, 0]\n"
                                  "materials: {wax: {density: 900 kg/m3, look: %s}}\n"
                                  "bodies:\n"
                                  "  - {name: pool, state: liquid, material: wax, shape: {box: {min: [0, 0, 0], max: "
                                  "[1, 0.3, 0.3]}}}\n"
                                  "events:\n"
                                  "  - {at: 0 s, do: freeze, name: block, in: {box: {min: [-1, -1, -1], max: [0.5, 1, "
                                  "1]}}}\n";

/// The melt's surface goes on over the solid beside it, and falls off behind the solid's: no groove is between them.
/// Clear liquids end where they are.
static void a_melt_goes_on_over_its_solid(void **state)
{
    (void)state;
    const double spacing = 0.05, border = 0.5;
    for (int clear = 0; clear < 2; ++clear)
    {
        const char *folder = clear ? "half_clear" : "half";
        char text[sizeof half_frozen + 8];
        snprintf(text, sizeof text, half_frozen, clear ? "ice" : "wax");
        make_run(text, folder);
        frz_surface_def def = frz_surface_def_default();
        frz_diag diag = {.status = FRZ_OK};
        char path[512], name[64];
        snprintf(path, sizeof path, "%s", trial_path(folder));
        def.directory = path;
        def.first = def.last = 1;
        assert_int_equal(frz_surface_run(&def, NULL, &diag), FRZ_OK);
        snprintf(name, sizeof name, "%s/surface/wax_000001.ply", folder);
        frz_mesh *melt = read_mesh(name);
        const double beside = top_between(melt, border - 2.5 * spacing, border - 2.0 * spacing);
        const double away = top_between(melt, border + 2.0 * spacing, border + 4.0 * spacing);
        if (clear)
            assert_less(beside, away - 0.5 * spacing);
        else
            assert_near(beside, away, 0.1 * spacing);
        assert_less(top_between(melt, -1.0, border - 5.6 * spacing), -1.0e9);
        frz_mesh_destroy(&melt);
    }
}

static const char half_molten[] = "spacing: 50 mm\n"
                                  "duration: 1 ms\n"
                                  "frame_rate: 1000\n"
                                  "gravity: [0, 0, 0]\n"
                                  "materials: {wax: {density: 900 kg/m3, elastic: {young: 1e5}}}\n"
                                  "bodies:\n"
                                  "  - {name: block, state: elastic, material: wax, shape: {box: {min: [0, 0, 0], max: "
                                  "[0.4, 0.2, 0.2]}}}\n"
                                  "events:\n"
                                  "  - {at: 0 s, do: melt, in: {box: {min: [0.2, -1, -1], max: [1, 1, 1]}}}\n";

/// What is left of a body that has molten in part has a closed surface, not the rest of its skin.
static void a_body_that_melts_loses_its_skin(void **state)
{
    (void)state;
    make_run(half_molten, "half_molten");
    frz_surface_def def = frz_surface_def_default();
    frz_diag diag = {.status = FRZ_OK};
    def.directory = trial_path("half_molten");
    assert_int_equal(frz_surface_run(&def, NULL, &diag), FRZ_OK);
    frz_mesh *whole = read_mesh("half_molten/surface/block_000000.ply");
    frz_mesh *rest = read_mesh("half_molten/surface/block_000001.ply");
    assert_near(volume_of(whole), 0.016, 1.0e-5);
    assert_near(volume_of(rest), 0.008, 0.001);
    assert_less(top_between(rest, 0.25, 9.0), -1.0e9);
    frz_mesh_destroy(&whole);
    frz_mesh_destroy(&rest);
}

/// The scene has its middle elsewhere.
static void a_camera_that_follows_looks_at_the_body(void **state)
{
    (void)state;
    static const char text[] =
        "spacing: 50 mm\n"
        "duration: 1 ms\n"
        "frame_rate: 1000\n"
        "materials: {water: {density: 1000 kg/m3}}\n"
        "bodies:\n"
        "  - {name: pool, state: liquid, material: water, shape: {box: {min: [0, 0, 0], max: [0.2, 0.2, 0.2]}}}\n"
        "  - {name: drop, state: liquid, material: water, shape: {box: {min: [1, 0, 0], max: [1.2, 0.2, 0.2]}}}\n"
        "output: {camera: {follow: drop, eye: [2, 1, 3]}}\n";
    frz_scene *scene = NULL;
    frz_diag diag = {.status = FRZ_OK};
    make_run(text, "followed");
    assert_int_equal(frz_scene_parse(text, "followed.yaml", NULL, &scene, &diag), FRZ_OK);
    const frz_extent extent = {.all = {{0.0, 0.0, 0.0}, {1.2, 0.2, 0.2}}, .action = {{0.0, 0.0, 0.0}, {1.2, 0.2, 0.2}}};
    const frz_frame_plan plan = {0, 1, 2};
    frz_moving_camera camera;
    assert_int_equal(
        frz_moving_camera_create(trial_path("followed"), scene, &extent, &plan, 16.0 / 9.0, &camera, &diag), FRZ_OK);
    assert_near(camera.start.target.x, 1.1, 1e-3);
    assert_near(camera.start.target.y, 0.1, 1e-3);
    frz_moving_camera_destroy(&camera);
    frz_scene_destroy(&scene);
}

static int pictures_on_sheet(int frames, bool chosen)
{
    frz_diag diag = {.status = FRZ_OK};
    const frz_frame_plan plan = {0, 1, frames};
    frz_image image;
    assert_int_equal(frz_image_create(32, 18, &image, &diag), FRZ_OK);
    frz_sheet sheet = {.wanted = 0};
    for (int k = 0; k < frames; ++k)
        assert_int_equal(frz_sheet_offer(&sheet, &plan, chosen, k, &image, "", &diag), FRZ_OK);
    const int count = sheet.count;
    frz_sheet_destroy(&sheet);
    frz_image_destroy(&image);
    return count;
}

static void a_sheet_shows_every_frame_that_was_asked_for(void **state)
{
    (void)state;
    assert_int_equal(pictures_on_sheet(11, true), 11);
    assert_int_equal(pictures_on_sheet(7, true), 7);
    assert_int_equal(pictures_on_sheet(200, true), 64);
    assert_int_equal(pictures_on_sheet(7, false), 6);
    assert_int_equal(pictures_on_sheet(200, false), 9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_shape_follows_the_map_of_the_particles),
        cmocka_unit_test(two_dimensions_have_slices),
        cmocka_unit_test(a_mesh_of_the_user_is_placed_like_the_shape),
        cmocka_unit_test(a_liquid_has_the_name_of_its_material),
        cmocka_unit_test(bodies_that_are_born_know_what_they_came_from),
        cmocka_unit_test(a_melt_goes_on_over_its_solid),
        cmocka_unit_test(a_body_that_melts_loses_its_skin),
        cmocka_unit_test(a_stopped_run_goes_on_where_it_was),
        cmocka_unit_test(a_full_disk_is_said_and_costs_nothing_complete),
        cmocka_unit_test(bodies_keep_the_texture_of_their_mesh_file),
        cmocka_unit_test(drops_become_balls_of_the_volume_of_a_particle),
        cmocka_unit_test(what_is_missing_is_said),
        cmocka_unit_test(pictures_take_skins_or_particles),
        cmocka_unit_test(a_camera_that_follows_looks_at_the_body),
        cmocka_unit_test(a_sheet_shows_every_frame_that_was_asked_for),
        cmocka_unit_test(a_stopped_rendering_goes_on_where_it_was),
    };
    return cmocka_run_group_tests(tests, trial_setup, trial_teardown);
}
