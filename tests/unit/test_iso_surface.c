// SPDX-License-Identifier: MIT
// Surfaces of particles: closed and manifold for all methods, the same bits for any number of threads; a box full of
// water is the box; a pool is flat and keeps its volume; fields stay within their range; lone drops are points.
// labels: tsan
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "compare.h"

#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "random_trial.h"

#include "base/memory.h"
#include "surface/iso_internal.h"

static const double a = 0.02; // m, spacing

typedef struct cloud
{
    int count;
    float (*x)[3], (*v)[3], *t;
    frz_array_desc position, velocity, temperature;
} cloud;

static cloud make_cloud(int most)
{
    cloud c = {.count = 0};
    c.x = calloc((size_t)most, sizeof *c.x);
    c.v = calloc((size_t)most, sizeof *c.v);
    c.t = calloc((size_t)most, sizeof *c.t);
    return c;
}

static void add(cloud *c, double x, double y, double z)
{
    const double at[3] = {x, y, z};
    for (int k = 0; k < 3; ++k)
    {
        c->x[c->count][k] = (float)at[k];
        c->v[c->count][k] = (float)draw();
    }
    c->t[c->count++] = (float)(300.0 + 20.0 * draw());
}

static void finish(cloud *c)
{
    c->position = (frz_array_desc){"position", "m", FRZ_F32, 3, 3, c->count, c->x};
    c->velocity = (frz_array_desc){"velocity", "m/s", FRZ_F32, 3, 3, c->count, c->v};
    c->temperature = (frz_array_desc){"temperature", "K", FRZ_F32, 1, 1, c->count, c->t};
}

static void drop(cloud *c)
{
    free(c->x);
    free(c->v);
    free(c->t);
}

/// nx x ny x nz particles on a lattice from the origin on, moved by chance up to a part of a spacing.
static void add_lattice(cloud *c, int nx, int ny, int nz, double disorder)
{
    for (int k = 0; k < nz; ++k)
        for (int j = 0; j < ny; ++j)
            for (int i = 0; i < nx; ++i)
                add(c, a * (i + 0.5 + disorder * draw()), a * (j + 0.5 + disorder * draw()),
                    nz > 1 ? a * (k + 0.5 + disorder * draw()) : 0.0);
}

static frz_iso_def def_of(cloud *c, int dimension)
{
    finish(c);
    frz_iso_def def = frz_iso_def_default();
    def.dimension = dimension;
    def.spacing = a;
    def.count = c->count;
    def.position = &c->position;
    def.velocity = &c->velocity;
    def.fields[0] = &c->temperature;
    def.field_count = 1;
    return def;
}

static frz_surface_mesh *make(const frz_iso_def *def)
{
    frz_surface_mesh *mesh = NULL;
    frz_diag diag = {.status = FRZ_OK};
    if (frz_iso_surface_create(def, &mesh, &diag) != FRZ_OK)
        fail_msg("%s", diag.message);
    return mesh;
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

static int compare_edges(const void *p, const void *q)
{
    const uint64_t x = *(const uint64_t *)p, y = *(const uint64_t *)q;
    return (x > y) - (x < y);
}

static void sort_edges(uint64_t *edges, size_t count)
{
    qsort(edges, count, sizeof *edges, compare_edges);
}

/// Every edge lies between two triangles, which walk it in opposite directions.
static void assert_closed(const frz_mesh *mesh)
{
    const size_t count = 3 * (size_t)mesh->triangle_count;
    uint64_t *there = calloc(count + 1, sizeof *there), *back = calloc(count + 1, sizeof *back);
    assert_greater(mesh->triangle_count, 0);
    for (size_t e = 0; e < count; ++e)
    {
        const uint64_t from = (uint64_t)mesh->triangles[e / 3][e % 3],
                       to = (uint64_t)mesh->triangles[e / 3][(e + 1) % 3];
        assert_different(from, to);
        there[e] = from << 32 | to;
        back[e] = to << 32 | from;
    }
    sort_edges(there, count);
    sort_edges(back, count);
    assert_memory_equal(there, back, count * sizeof *there);
    for (size_t e = 1; e < count; ++e)
        assert_different(there[e], there[e - 1]);
    free(there);
    free(back);
}

/// Triangles around every vertex form one ring.
static void assert_manifold(const frz_mesh *mesh)
{
    int *start = calloc((size_t)mesh->vertex_count + 2, sizeof *start);
    int *around = calloc(3 * (size_t)mesh->triangle_count + 1, sizeof *around);
    for (int t = 0; t < mesh->triangle_count; ++t)
        for (int k = 0; k < 3; ++k)
            start[mesh->triangles[t][k] + 1] += 1;
    for (int v = 0; v < mesh->vertex_count; ++v)
        start[v + 1] += start[v];
    int *next = calloc((size_t)mesh->vertex_count + 1, sizeof *next);
    for (int t = 0; t < mesh->triangle_count; ++t)
        for (int k = 0; k < 3; ++k)
        {
            const int v = mesh->triangles[t][k];
            around[start[v] + next[v]++] = 3 * t + k;
        }
    for (int v = 0; v < mesh->vertex_count; ++v)
    {
        const int count = start[v + 1] - start[v];
        assert_greater_equal(count, 3);
        int corner = around[start[v]], steps = 0;
        do // to the triangle behind the edge from v to the corner after next
        {
            const int to = mesh->triangles[corner / 3][(corner + 2) % 3];
            int found = -1;
            for (int k = start[v]; k < start[v + 1]; ++k)
                if (mesh->triangles[around[k] / 3][(around[k] + 1) % 3] == to)
                    found = around[k];
            assert_greater_equal(found, 0);
            corner = found;
            ++steps;
        } while (corner != around[start[v]] && steps <= count);
        assert_int_equal(steps, count);
    }
    free(start);
    free(around);
    free(next);
}

// ---- tests

static void every_mixed_case_has_one_to_five_triangles(void **state)
{
    (void)state;
    frz_iso_case cases[256];
    frz_iso_table_create(cases);
    assert_int_equal(cases[0].count, 0);
    assert_int_equal(cases[255].count, 0);
    for (int inside = 1; inside < 255; ++inside)
        assert_in_range(cases[inside].count, 1, 5);
}

static cloud spray_cloud(int dimension)
{
    cloud c = make_cloud(6000);
    const double size = 22.0 * a;
    for (int i = 0; i < 500; ++i) // everything from lone particles to clumps, across the borders of blocks
        add(&c, size * draw(), 0.4 * size * draw(), dimension == 3 ? 0.3 * size * draw() : 0.0);
    return c;
}

static void surfaces_are_closed_for_all_methods(void **state)
{
    (void)state;
    const char *const *names = frz_iso_method_names();
    frz_shape *wall = NULL;
    frz_diag diag;
    assert_int_equal(frz_shape_sphere(frz_v3(0.1, 0.05, 0.0), 0.2, &wall, &diag), FRZ_OK);
    const frz_surface_wall walls[] = {{wall, frz_quat_identity(), {0.0, 0.0, 0.0}}};
    for (int m = 0; names[m] != NULL; ++m)
        for (int walled = m % 2; walled <= (m == 0 ? 1 : m % 2); ++walled)
        {
            cloud c = spray_cloud(3);
            frz_iso_def def = def_of(&c, 3);
            def.method = frz_iso_method_find(names[m]);
            def.spray_least = walled ? 3 : 0;
            def.walls = walls;
            def.wall_count = walled;
            frz_surface_mesh *mesh = make(&def);
            assert_greater(mesh->mesh->triangle_count, 1500);
            assert_closed(mesh->mesh);
            assert_manifold(mesh->mesh);
            assert_greater(volume_of(mesh->mesh), 0.0);
            for (int v = 0; v < mesh->mesh->vertex_count; ++v)
                assert_near(frz_v3_length(mesh->normals[v]), 1.0, 1e-6);
            frz_surface_mesh_destroy(&mesh);
            drop(&c);
        }
    frz_shape_destroy(&wall);
}

static void outlines_are_closed(void **state)
{
    (void)state;
    const char *const *names = frz_iso_method_names();
    for (int m = 0; names[m] != NULL; ++m)
    {
        cloud c = spray_cloud(2);
        frz_iso_def def = def_of(&c, 2);
        def.method = frz_iso_method_find(names[m]);
        frz_surface_mesh *mesh = make(&def);
        assert_greater(mesh->edge_count, 50);
        int *leave = calloc((size_t)mesh->mesh->vertex_count, sizeof *leave);
        int *enter = calloc((size_t)mesh->mesh->vertex_count, sizeof *enter);
        for (int e = 0; e < mesh->edge_count; ++e)
        {
            leave[mesh->edges[e][0]] += 1;
            enter[mesh->edges[e][1]] += 1;
        }
        double area = 0.0, around = 0.0;
        for (int v = 0; v < mesh->mesh->vertex_count; ++v)
        {
            assert_same(leave[v], enter[v]);
            assert_less_equal(leave[v], 1);
        }
        for (int t = 0; t < mesh->mesh->triangle_count; ++t)
        {
            const int *k = mesh->mesh->triangles[t];
            const frz_vec3 *x = mesh->mesh->vertices;
            area += 0.5 * frz_v3_cross(frz_v3_sub(x[k[1]], x[k[0]]), frz_v3_sub(x[k[2]], x[k[0]])).z;
        }
        for (int e = 0; e < mesh->edge_count; ++e)
            around +=
                0.5 * frz_v3_cross(mesh->mesh->vertices[mesh->edges[e][0]], mesh->mesh->vertices[mesh->edges[e][1]]).z;
        assert_greater(area, 0.0);
        assert_near(area, around, 1e-9);
        free(leave);
        free(enter);
        frz_surface_mesh_destroy(&mesh);
        drop(&c);
    }
}

static void threads_do_not_change_a_bit(void **state)
{
    (void)state;
    const int threads[] = {1, 2, 5}, before = omp_get_max_threads();
    const char *const *names = frz_iso_method_names();
    for (int m = 0; names[m] != NULL; ++m)
    {
        frz_surface_mesh *meshes[3];
        cloud c = spray_cloud(3);
        for (int k = 0; k < 3; ++k)
        {
            frz_iso_def def = def_of(&c, 3);
            def.method = frz_iso_method_find(names[m]);
            omp_set_num_threads(threads[k]);
            meshes[k] = make(&def);
            const size_t vertices = (size_t)meshes[0]->mesh->vertex_count;
            assert_int_equal(meshes[k]->mesh->vertex_count, vertices);
            assert_int_equal(meshes[k]->mesh->triangle_count, meshes[0]->mesh->triangle_count);
            assert_memory_equal(meshes[k]->mesh->vertices, meshes[0]->mesh->vertices, vertices * sizeof(frz_vec3));
            assert_memory_equal(meshes[k]->normals, meshes[0]->normals, vertices * sizeof(frz_vec3));
            assert_memory_equal(meshes[k]->velocities, meshes[0]->velocities, vertices * sizeof(frz_vec3));
            assert_memory_equal(meshes[k]->values, meshes[0]->values, vertices * sizeof(float));
            assert_memory_equal(meshes[k]->mesh->triangles, meshes[0]->mesh->triangles,
                                (size_t)meshes[0]->mesh->triangle_count * sizeof *meshes[0]->mesh->triangles);
            assert_int_equal(meshes[k]->spray_count, meshes[0]->spray_count);
        }
        for (int k = 0; k < 3; ++k)
            frz_surface_mesh_destroy(&meshes[k]);
        drop(&c);
    }
    omp_set_num_threads(before);
}

/// The walls of a box, three spacings thick.
static frz_shape *make_tank(frz_vec3 low, frz_vec3 high, bool open)
{
    frz_shape *box = NULL, *tank = NULL;
    frz_diag diag;
    assert_int_equal(frz_shape_box(low, high, &box, &diag), FRZ_OK);
    assert_int_equal(frz_shape_take_shell(box, 3.0 * a, FRZ_SHELL_OUTSIDE, open ? 8 : 0, &tank, &diag), FRZ_OK);
    return tank;
}

static void a_full_box_is_the_box(void **state)
{
    (void)state;
    const char *const *names = frz_iso_method_names();
    const int n = 10;
    for (int m = 0; names[m] != NULL; ++m)
        for (int k = 0; k < (m == 0 ? 2 : 1); ++k)
        {
            cloud c = make_cloud(n * n * n);
            add_lattice(&c, n, n, n, 0.1);
            frz_iso_def def = def_of(&c, 3);
            def.method = frz_iso_method_find(names[m]);
            def.origin = k == 0 ? frz_v3(0.0, 0.0, 0.0) : frz_v3(0.3 * a, 0.15 * a, 0.2 * a); // no node on a wall
            frz_shape *tank = make_tank(frz_v3(0.0, 0.0, 0.0), frz_v3(n * a, n * a, n * a), false);
            const frz_surface_wall wall = {tank, frz_quat_identity(), {0.0, 0.0, 0.0}};
            def.walls = &wall;
            def.wall_count = 1;
            frz_surface_mesh *mesh = make(&def);
            assert_closed(mesh->mesh);
            double farthest = 0.0;
            for (int v = 0; v < mesh->mesh->vertex_count; ++v)
                farthest = fmax(farthest, fabs(frz_shape_distance(tank, mesh->mesh->vertices[v])));
            assert_less(farthest, (m == 1 ? 0.2 : 0.1) * a); // ellipsoids are not round in corners
            const double error = volume_of(mesh->mesh) / pow(n * a, 3.0) - 1.0;
            assert_small(error, 0.01);
            frz_surface_mesh_destroy(&mesh);
            frz_shape_destroy(&tank);
            drop(&c);
        }
}

static void a_pool_is_flat_and_keeps_its_volume(void **state)
{
    (void)state;
    const char *const *names = frz_iso_method_names();
    const int n = 12;
    for (int m = 0; names[m] != NULL; ++m)
    {
        cloud c = make_cloud(n * n * n);
        add_lattice(&c, n, n, n, 0.05);
        frz_iso_def def = def_of(&c, 3);
        def.method = frz_iso_method_find(names[m]);
        frz_shape *tank = make_tank(frz_v3(0.0, 0.0, 0.0), frz_v3(n * a, 2 * n * a, n * a), true);
        const frz_surface_wall wall = {tank, frz_quat_identity(), {0.0, 0.0, 0.0}};
        def.walls = &wall;
        def.wall_count = 1;
        frz_surface_mesh *mesh = make(&def);
        double sum = 0.0, square = 0.0;
        int count = 0;
        for (int v = 0; v < mesh->mesh->vertex_count; ++v)
        {
            const frz_vec3 x = mesh->mesh->vertices[v];
            if (mesh->walls[v] || x.y < 0.5 * n * a)
                continue;
            sum += x.y / a;
            square += x.y * x.y / (a * a);
            ++count;
        }
        assert_greater(count, 300);
        const double height = sum / count, roughness = sqrt(fmax(square / count - height * height, 0.0));
        assert_less(roughness, (m == 0 ? 0.02 : 0.05));
        assert_near(height, n, (m == 0 ? 0.1 : 0.3));
        assert_near(volume_of(mesh->mesh) / pow(n * a, 3.0), 1.0, (m == 0 ? 0.01 : 0.02));
        frz_surface_mesh_destroy(&mesh);
        frz_shape_destroy(&tank);
        drop(&c);
    }
}

static void a_flat_pool_is_flat(void **state)
{
    (void)state;
    const int n = 40, deep = 20;
    double roughness = 0.0;
    for (int trial = 0; trial < 8; ++trial)
    {
        cloud c = make_cloud(n * deep);
        add_lattice(&c, n, deep, 1, 0.05);
        frz_iso_def def = def_of(&c, 2);
        frz_shape *tank = make_tank(frz_v3(0.0, 0.0, -a), frz_v3(n * a, 2 * n * a, a), true);
        const frz_surface_wall wall = {tank, frz_quat_identity(), {0.0, 0.0, 0.0}};
        def.walls = &wall;
        def.wall_count = 1;
        frz_surface_mesh *mesh = make(&def);
        double sum = 0.0, square = 0.0, area = 0.0;
        int count = 0;
        for (int e = 0; e < mesh->edge_count; ++e)
        {
            const frz_vec3 x = mesh->mesh->vertices[mesh->edges[e][0]];
            area += 0.5 * frz_v3_cross(x, mesh->mesh->vertices[mesh->edges[e][1]]).z;
            if (mesh->walls[mesh->edges[e][0]] || x.y < 0.5 * deep * a)
                continue;
            sum += x.y / a;
            square += x.y * x.y / (a * a);
            ++count;
        }
        assert_greater(count, n);
        const double height = sum / count;
        roughness += sqrt(fmax(square / count - height * height, 0.0)) / 8.0;
        assert_near(height, deep, 0.1);
        assert_near(area / (n * a * deep * a), 1.0, 0.01);
        frz_surface_mesh_destroy(&mesh);
        frz_shape_destroy(&tank);
        drop(&c);
    }
    assert_less(roughness, 0.02);
}

static void no_triangle_of_a_flat_block_is_folded(void **state)
{
    (void)state;
    cloud c = make_cloud(12 * 12);
    add_lattice(&c, 12, 12, 1, 0.0);
    const frz_iso_def def = def_of(&c, 2);
    frz_surface_mesh *mesh = make(&def);
    const frz_vec3 *x = mesh->mesh->vertices;
    int folded = 0;
    for (int t = 0; t < mesh->mesh->triangle_count; ++t)
    {
        const int *k = mesh->mesh->triangles[t];
        folded += frz_v3_cross(frz_v3_sub(x[k[1]], x[k[0]]), frz_v3_sub(x[k[2]], x[k[0]])).z < 0.0;
    }
    assert_same(folded, 0);
    frz_surface_mesh_destroy(&mesh);
    drop(&c);
}

static void fields_stay_within_the_range_of_the_particles(void **state)
{
    (void)state;
    cloud c = spray_cloud(3);
    frz_iso_def def = def_of(&c, 3);
    float low = HUGE_VALF, high = -HUGE_VALF;
    for (int i = 0; i < c.count; ++i)
    {
        low = fminf(low, c.t[i]);
        high = fmaxf(high, c.t[i]);
    }
    frz_surface_mesh *mesh = make(&def);
    float least = HUGE_VALF, most = -HUGE_VALF;
    for (int v = 0; v < mesh->mesh->vertex_count; ++v)
    {
        least = fminf(least, mesh->values[v]);
        most = fmaxf(most, mesh->values[v]);
        assert_less(frz_v3_length(mesh->velocities[v]), 1.8);
    }
    assert_greater_equal(least, low);
    assert_less_equal(most, high);
    assert_greater(most, least);
    frz_surface_mesh_destroy(&mesh);
    drop(&c);
}

static void lone_drops_are_points(void **state)
{
    (void)state;
    cloud c = make_cloud(1000);
    add_lattice(&c, 6, 6, 6, 0.0);
    add(&c, 1.0, 1.0, 1.0);
    add(&c, -1.0, 1.0, 1.0);
    add(&c, (double)NAN, 0.0, 0.0); // nothing comes of it
    frz_iso_def def = def_of(&c, 3);
    frz_surface_mesh *mesh = make(&def);
    assert_int_equal(mesh->spray_count, 2);
    assert_int_equal(mesh->spray[0], 216);
    assert_int_equal(mesh->spray[1], 217);
    for (int v = 0; v < mesh->mesh->vertex_count; ++v)
        assert_less(mesh->mesh->vertices[v].x, 0.2);
    frz_surface_mesh_destroy(&mesh);
    def.spray_least = 0;
    mesh = make(&def);
    assert_int_equal(mesh->spray_count, 0);
    double farthest = 0.0;
    for (int v = 0; v < mesh->mesh->vertex_count; ++v)
        farthest = fmax(farthest, mesh->mesh->vertices[v].x);
    assert_greater(farthest, 0.9);
    frz_surface_mesh_destroy(&mesh);
    drop(&c);
}

static void liquid_goes_on_at_the_other_side_of_a_periodic_domain(void **state)
{
    (void)state;
    cloud c = make_cloud(3000);
    add_lattice(&c, 12, 8, 10, 0.05);
    frz_iso_def def = def_of(&c, 3);
    def.periodic = 5;
    def.domain = (frz_bounds){{0.0, -1.0, 0.0}, {12.0 * a, 1.0, 10.0 * a}};
    frz_surface_mesh *mesh = make(&def);
    assert_closed(mesh->mesh);
    for (int v = 0; v < mesh->mesh->vertex_count; ++v)
    {
        const frz_vec3 x = mesh->mesh->vertices[v];
        assert_greater(x.x, -1e-6);
        assert_less(x.x, 12.0 * a + 1e-6);
        assert_greater(x.z, -1e-6);
        assert_less(x.z, 10.0 * a + 1e-6);
    }
    // flat at the ends, and nowhere rounded off
    assert_near(volume_of(mesh->mesh) / (12.0 * 8.0 * 10.0 * a * a * a), 1.0, 0.03);
    frz_surface_mesh_destroy(&mesh);
    drop(&c);
}

/// Volumes over those of the particles; a lattice is lifted by 0.08 spacings on either side (FRZ_ISO_LIFT).
static void sheets_of_few_layers_are_not_swollen(void **state)
{
    (void)state;
    static const double most[] = {1.35, 1.13, 1.09};
    const int wide = 24;
    for (int layers = 1; layers <= 3; ++layers)
    {
        cloud c = make_cloud(wide * wide * layers);
        add_lattice(&c, wide, layers, wide, 0.1);
        frz_iso_def def = def_of(&c, 3);
        frz_surface_mesh *mesh = make(&def);
        const double thickness = volume_of(mesh->mesh) / (wide * wide * layers * a * a * a);
        assert_less(thickness, most[layers - 1]);
        assert_greater(thickness, 1.0);
        frz_surface_mesh_destroy(&mesh);
        drop(&c);
    }
}

/// Blocks of 16 spacings that no surface reaches are filled as well.
static void large_areas_are_filled(void **state)
{
    (void)state;
    const int n = 80;
    cloud c = make_cloud(n * n);
    add_lattice(&c, n, n, 1, 0.1);
    frz_iso_def def = def_of(&c, 2);
    frz_surface_mesh *mesh = make(&def);
    double area = 0.0;
    for (int t = 0; t < mesh->mesh->triangle_count; ++t)
    {
        const int *k = mesh->mesh->triangles[t];
        const frz_vec3 *x = mesh->mesh->vertices;
        area += 0.5 * frz_v3_cross(frz_v3_sub(x[k[1]], x[k[0]]), frz_v3_sub(x[k[2]], x[k[0]])).z;
    }
    assert_near(area / (n * n * a * a), 1.0, 0.01);
    frz_surface_mesh_destroy(&mesh);
    drop(&c);
}

static void fewer_triangles_keep_the_surface_closed_and_its_volume(void **state)
{
    (void)state;
    cloud c = make_cloud(14 * 14 * 14);
    add_lattice(&c, 14, 14, 14, 0.1);
    frz_iso_def def = def_of(&c, 3);
    frz_surface_mesh *all = make(&def);
    def.decimate = 0.25;
    frz_surface_mesh *few = make(&def);
    assert_closed(few->mesh);
    assert_less(few->mesh->triangle_count, 0.3 * all->mesh->triangle_count);
    assert_near(volume_of(few->mesh) / volume_of(all->mesh), 1.0, 0.005);
    for (int v = 0; v < few->mesh->vertex_count; ++v)
        assert_near(frz_v3_length(few->normals[v]), 1.0, 1e-6);
    frz_surface_mesh_destroy(&all);
    frz_surface_mesh_destroy(&few);
    drop(&c);
}

static void a_ball_has_no_slivers(void **state)
{
    (void)state;
    cloud c = make_cloud(24 * 24 * 24);
    for (int k = 0; k < 24 * 24 * 24; ++k)
    {
        const int layer = k / 576, row = k / 24 % 24;
        const double x = k % 24 - 11.5, y = row - 11.5, z = layer - 11.5;
        if (x * x + y * y + z * z < 110.0)
            add(&c, a * (x + 0.05 * draw()), a * (y + 0.05 * draw()), a * (z + 0.05 * draw()));
    }
    frz_iso_def def = def_of(&c, 3);
    def.smoothing = 0;
    frz_surface_mesh *mesh = make(&def);
    assert_closed(mesh->mesh);
    assert_manifold(mesh->mesh);
    int slivers = 0;
    for (int t = 0; t < mesh->mesh->triangle_count; ++t)
        for (int k = 0; k < 3; ++k)
        {
            const frz_vec3 side = frz_v3_sub(mesh->mesh->vertices[mesh->mesh->triangles[t][k]],
                                             mesh->mesh->vertices[mesh->mesh->triangles[t][(k + 1) % 3]]);
            slivers += frz_v3_length(side) < 0.1 * 0.5 * a; // a tenth of a cell
        }
    assert_less(500 * slivers, mesh->mesh->triangle_count);
    frz_surface_mesh_destroy(&mesh);
    drop(&c);
}

static void nothing_gives_an_empty_mesh(void **state)
{
    (void)state;
    cloud c = make_cloud(4);
    frz_iso_def def = def_of(&c, 3);
    frz_surface_mesh *mesh = make(&def);
    assert_int_equal(mesh->mesh->triangle_count, 0);
    frz_surface_mesh_destroy(&mesh);
    def.cell = 0.01;
    frz_diag diag = {.status = FRZ_OK};
    assert_int_equal(frz_iso_surface_create(&def, &mesh, &diag), FRZ_ERR_ARGUMENT);
    assert_null(mesh);
    drop(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_mixed_case_has_one_to_five_triangles),
        cmocka_unit_test(surfaces_are_closed_for_all_methods),
        cmocka_unit_test(outlines_are_closed),
        cmocka_unit_test(threads_do_not_change_a_bit),
        cmocka_unit_test(a_full_box_is_the_box),
        cmocka_unit_test(a_pool_is_flat_and_keeps_its_volume),
        cmocka_unit_test(a_flat_pool_is_flat),
        cmocka_unit_test(no_triangle_of_a_flat_block_is_folded),
        cmocka_unit_test(fields_stay_within_the_range_of_the_particles),
        cmocka_unit_test(lone_drops_are_points),
        cmocka_unit_test(liquid_goes_on_at_the_other_side_of_a_periodic_domain),
        cmocka_unit_test(sheets_of_few_layers_are_not_swollen),
        cmocka_unit_test(large_areas_are_filled),
        cmocka_unit_test(fewer_triangles_keep_the_surface_closed_and_its_volume),
        cmocka_unit_test(a_ball_has_no_slivers),
        cmocka_unit_test(nothing_gives_an_empty_mesh),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
