// SPDX-License-Identifier: MIT
// A picture to measure the renderer with: waves in a block of water, and a body in it. Made without a simulation, so
// that it is the same on every machine.
#include <math.h>
#include <omp.h>

#include "frazil/render.h"
#include "base/timers.h"
#include "geom/shape.h"
#include "render/look.h"

enum
{
    sides = 274 // cells along an edge: 0.3 million triangles
};

static const double half_length = 0.8, half_width = 0.5; // m

static double wave_height(double x, double z)
{
    return 0.25 + 0.05 * sin(7.0 * x + 2.0 * z) + 0.03 * sin(9.0 * z - 4.0 * x) + 0.015 * sin(23.0 * x + 11.0 * z);
}

static void add_triangle(frz_mesh *mesh, int *at, int a, int b, int c)
{
    mesh->triangles[*at][0] = a;
    mesh->triangles[*at][1] = b;
    mesh->triangles[*at][2] = c;
    *at += 1;
}

/// Two triangles with the corners a, b, c, d around them, counter-clockwise seen from outside.
static void add_square(frz_mesh *mesh, int *at, int a, int b, int c, int d)
{
    add_triangle(mesh, at, a, b, c);
    add_triangle(mesh, at, a, c, d);
}

/// A block whose top has waves: a layer of vertices below and one above.
static frz_status make_water(frz_mesh **out, frz_diag *diag)
{
    const int row = sides + 1, layer = row * row;
    FRZ_TRY(frz_mesh_create(2 * layer, 4 * sides * sides + 8 * sides, out, diag));
    frz_mesh *mesh = *out;
    for (int v = 0; v < layer; ++v)
    {
        const int column = v % row, line = v / row;
        const double x = 2.0 * column / sides - 1.0, z = 2.0 * line / sides - 1.0;
        mesh->vertices[v] = frz_v3(half_length * x, 0.0, half_width * z);
        mesh->vertices[layer + v] = frz_v3(half_length * x, wave_height(x, z), half_width * z);
    }
    int at = 0;
    for (int j = 0; j < sides; ++j)
        for (int i = 0; i < sides; ++i)
        {
            const int a = j * row + i;
            add_square(mesh, &at, layer + a, layer + a + row, layer + a + row + 1, layer + a + 1);
            add_square(mesh, &at, a, a + 1, a + row + 1, a + row);
        }
    for (int i = 0; i < sides; ++i)
    {
        const int front = sides * row + i, left = i * row, right = i * row + sides;
        add_square(mesh, &at, i, layer + i, layer + i + 1, i + 1);
        add_square(mesh, &at, front, front + 1, layer + front + 1, layer + front);
        add_square(mesh, &at, left, left + row, layer + left + row, layer + left);
        add_square(mesh, &at, right, layer + right, layer + right + row, right + row);
    }
    return FRZ_OK;
}

static frz_status make_ball(frz_mesh **out, frz_diag *diag)
{
    frz_shape *shape = NULL;
    const frz_bounds clip = {{-1.0, -1.0, -1.0}, {1.0, 1.0, 1.0}};
    FRZ_TRY(frz_shape_sphere(frz_v3(-0.3, 0.2, 0.1), 0.15, &shape, diag));
    const frz_status status = frz_shape_triangulate(shape, 0.02, clip, out, diag);
    frz_shape_destroy(&shape);
    return status;
}

static frz_status draw(const frz_mesh *water, const frz_mesh *ball, const frz_render_trial *trial, double *seconds,
                       frz_diag *diag)
{
    const frz_render_mesh meshes[] = {{.mesh = water, .look = frz_look_find("water")},
                                      {.mesh = ball, .look = frz_look_find("glossy"), .color = {0.7f, 0.1f, 0.05f}}};
    const frz_camera camera = {.eye = {0.6, 1.1, 2.4}, .target = {0.0, 0.1, 0.0}, .up = {0.0, 1.0, 0.0}, 0.6, 0.0};
    frz_render_options options = frz_render_options_default();
    options.width = trial->width;
    options.height = trial->height;
    options.samples = trial->samples;
    options.paths = (frz_render_paths){.on = true, .denoise = true, .scene_size = 1.6};
    frz_image image;
    const double start = frz_now();
    FRZ_TRY(frz_raycast(NULL, meshes, 2, &camera, NULL, &options, &image, diag));
    *seconds = frz_now() - start;
    const frz_status status = trial->path != NULL ? frz_image_write_png(&image, trial->path, diag) : FRZ_OK;
    frz_image_destroy(&image);
    return status;
}

frz_status frz_render_trial_run(const frz_render_trial *trial, int *triangles, double *seconds, frz_diag *diag)
{
    frz_mesh *water = NULL, *ball = NULL;
    const int threads = omp_get_max_threads();
    if (trial->threads > 0)
        omp_set_num_threads(trial->threads);
    frz_status status = make_water(&water, diag);
    if (status == FRZ_OK)
        status = make_ball(&ball, diag);
    if (status == FRZ_OK)
    {
        *triangles = water->triangle_count + ball->triangle_count;
        status = draw(water, ball, trial, seconds, diag);
    }
    frz_mesh_destroy(&water);
    frz_mesh_destroy(&ball);
    omp_set_num_threads(threads);
    return status;
}
