// SPDX-License-Identifier: MIT
// Small worlds of rigid bodies for tests: bodies of simple shapes with their exact masses.
#pragma once

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "geom/mesh.h"
#include "rigid/rigid_world.h"

static const double rigid_pi = 3.14159265358979323846;

typedef struct rigid_material
{
    double density, friction, restitution;
} rigid_material;

static inline void rigid_must(frz_status status, const frz_diag *diag)
{
    if (status != FRZ_OK)
        fail_msg("%s", diag->message);
}

static inline frz_bounds rigid_all(double size)
{
    const frz_bounds all = {{-size, -size, -size}, {size, size, size}};
    return all;
}

static inline frz_rigid_world *rigid_world(double spacing, double gravity)
{
    frz_diag diag;
    frz_rigid_world *world = NULL;
    const frz_contact_options options = frz_contact_options_default(spacing);
    rigid_must(frz_rigid_world_create(&options, 4096, frz_v3(0.0, -gravity, 0.0), &world, &diag), &diag);
    return world;
}

/// Puts a body in; the shape becomes the world's. Density 0: a body that nothing moves. Returns its number.
static inline int rigid_take(frz_rigid_world *world, frz_shape *shape, frz_vec3 center, double mass, frz_mat3 inertia,
                             rigid_material material, double spacing, int dimension, double clip)
{
    frz_diag diag;
    frz_contact_shape *contact_shape = NULL;
    const frz_contact_shape_def def = {.shape = shape,
                                       .center = center,
                                       .spacing = spacing,
                                       .dimension = dimension,
                                       .clip = rigid_all(clip),
                                       .name = "trial"};
    rigid_must(frz_contact_shape_create(&def, &contact_shape, &diag), &diag);
    frz_shape_destroy(&shape);
    frz_rigid_body body = {.friction = material.friction, .restitution = material.restitution, .position = center};
    body.rotation = frz_quat_identity();
    body.inertia = inertia;
    if (mass > 0.0)
    {
        body.mass = mass;
        body.inverse_mass = 1.0 / mass;
        const frz_eigen3 e = frz_m3_eigen(inertia);
        double inverse[3];
        for (int k = 0; k < 3; ++k)
            inverse[k] = e.s[k] > 0.0 ? 1.0 / e.s[k] : 0.0;
        body.inverse_inertia = frz_m3_compose(e.v, inverse, e.v);
    }
    frz_rigid_world_take(world, &body, contact_shape);
    return world->count - 1;
}

/// A box with the given half lengths, turned about its centre.
static inline int rigid_box(frz_rigid_world *world, frz_vec3 center, frz_vec3 half, frz_quat rotation,
                            rigid_material material, double spacing)
{
    frz_diag diag;
    frz_shape *shape = NULL;
    rigid_must(frz_shape_box(frz_v3_scale(-1.0, half), half, &shape, &diag), &diag);
    rigid_must(frz_shape_take_transform(shape, 1.0, rotation, center, &shape, &diag), &diag);
    const double mass = 8.0 * material.density * half.x * half.y * half.z;
    const double xx = half.x * half.x, yy = half.y * half.y, zz = half.z * half.z;
    frz_mat3 inertia = frz_m3_diagonal(mass / 3.0 * (yy + zz), mass / 3.0 * (xx + zz), mass / 3.0 * (xx + yy));
    const frz_mat3 r = frz_m3_from_quat(rotation);
    inertia = frz_m3_mul(frz_m3_mul(r, inertia), frz_m3_transpose(r));
    return rigid_take(world, shape, center, mass, inertia, material, spacing, 3, 100.0);
}

static inline int rigid_sphere(frz_rigid_world *world, frz_vec3 center, double radius, rigid_material material,
                               double spacing)
{
    frz_diag diag;
    frz_shape *shape = NULL;
    rigid_must(frz_shape_sphere(center, radius, &shape, &diag), &diag);
    const double mass = 4.0 / 3.0 * rigid_pi * radius * radius * radius * material.density;
    const double moment = 0.4 * mass * radius * radius;
    return rigid_take(world, shape, center, mass, frz_m3_diagonal(moment, moment, moment), material, spacing, 3, 100.0);
}

/// Solid below y = height.
static inline int rigid_ground(frz_rigid_world *world, double height, double friction, double extent, double spacing)
{
    frz_diag diag;
    frz_shape *shape = NULL;
    rigid_must(frz_shape_half_space(frz_v3(0.0, height, 0.0), frz_v3(0.0, 1.0, 0.0), &shape, &diag), &diag);
    const rigid_material material = {0.0, friction, 0.0};
    return rigid_take(world, shape, frz_v3(0.0, 0.0, 0.0), 0.0, frz_m3_zero(), material, spacing, 3, extent);
}

static inline void rigid_run(frz_rigid_world *world, double dt, double duration)
{
    frz_diag diag;
    const int steps = (int)lround(duration / dt);
    for (int n = 0; n < steps; ++n)
        rigid_must(frz_rigid_world_step(world, dt, &diag), &diag);
}

/// A world that was made and moved by one thread and by three is the same, bit for bit.
static inline void rigid_assert_threads_change_nothing(frz_rigid_world *(*make_and_move)(void))
{
    const int before = omp_get_max_threads();
    frz_rigid_world *worlds[2];
    for (int k = 0; k < 2; ++k)
    {
        omp_set_num_threads(k == 0 ? 1 : 3);
        worlds[k] = make_and_move();
    }
    omp_set_num_threads(before);
    assert_memory_equal(worlds[0]->bodies, worlds[1]->bodies, (size_t)worlds[0]->count * sizeof *worlds[0]->bodies);
    frz_rigid_world_destroy(&worlds[0]);
    frz_rigid_world_destroy(&worlds[1]);
}

static inline double rigid_energy(const frz_rigid_world *world)
{
    double sum = 0.0;
    for (int b = 0; b < world->count; ++b)
    {
        const frz_rigid_body *body = &world->bodies[b];
        if (body->inverse_mass == 0.0)
            continue;
        sum += frz_rigid_body_energy(body) - body->mass * frz_v3_dot(world->gravity, body->position);
    }
    return sum;
}

/// A voussoir of an arch about the z axis: between two radii and two angles (from the x axis), depth along z.
static inline int rigid_voussoir(frz_rigid_world *world, const double radius[2], const double angle[2], double depth,
                                 rigid_material material, double spacing)
{
    static const int quads[6][4] = {{0, 2, 6, 4}, {1, 5, 7, 3}, {0, 4, 5, 1}, {2, 3, 7, 6}, {0, 1, 3, 2}, {4, 6, 7, 5}};
    frz_diag diag;
    frz_mesh *mesh = NULL;
    frz_shape *shape = NULL;
    rigid_must(frz_mesh_create(8, 12, &mesh, &diag), &diag);
    for (int v = 0; v < 8; ++v) // bits: 1 outer radius, 2 second angle, 4 front
    {
        const double r = radius[v & 1], a = angle[(v >> 1) & 1];
        mesh->vertices[v] = frz_v3(r * cos(a), r * sin(a), (v & 4) ? 0.5 * depth : -0.5 * depth);
    }
    for (int side = 0; side < 6; ++side)
    {
        const int *q = quads[side];
        const int both[2][3] = {{q[0], q[2], q[1]}, {q[0], q[3], q[2]}};
        memcpy(mesh->triangles[2 * side], both, sizeof both);
    }
    rigid_must(frz_shape_take_mesh(mesh, &shape, &diag), &diag);
    const frz_moments moments = frz_shape_moments(shape, 3);
    frz_rigid_body body;
    frz_rigid_def def = frz_rigid_def_default();
    def.density = material.density;
    rigid_must(frz_rigid_body_make(&def, &moments, 3, &body, &diag), &diag);
    return rigid_take(world, shape, body.position, body.mass, body.inertia, material, spacing, 3, 100.0);
}

/// A semicircular arch of the given thickness on the ground; bodies 1..count are the voussoirs.
static inline frz_rigid_world *rigid_arch(double thickness, int count, double friction, double spacing)
{
    frz_rigid_world *world = rigid_world(spacing, 9.81);
    rigid_ground(world, 0.0, friction, 1.3, spacing);
    const rigid_material material = {2000.0, friction, 0.0};
    const double radius[2] = {1.0 - 0.5 * thickness, 1.0 + 0.5 * thickness};
    for (int n = 0; n < count; ++n)
    {
        const double angle[2] = {rigid_pi * n / count, rigid_pi * (n + 1) / count};
        rigid_voussoir(world, radius, angle, 0.3, material, spacing);
    }
    return world;
}
