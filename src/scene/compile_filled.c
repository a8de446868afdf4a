// SPDX-License-Identifier: MIT
// Rigid bodies of particles: mass, centre and inertia are those of the particles, not of the shape.
#include "base/memory.h"
#include "scene/compile_internal.h"

/// Every particle is a cube (a square) of the spacing, so that a box of them has exactly the moments of the box.
static frz_moments moments_of(const frz_model *model, const frz_point_set *points)
{
    const double own = model->spacing * model->spacing / 12.0;
    frz_moments moments = {.volume = (double)points->count * model->cell};
    for (int64_t k = 0; k < points->count; ++k)
    {
        moments.first = frz_v3_mad(moments.first, model->cell, points->points[k]);
        moments.second = frz_m3_mad(moments.second, model->cell, frz_m3_outer(points->points[k], points->points[k]));
    }
    const double spread = moments.volume * own;
    moments.second = frz_m3_add(moments.second, frz_m3_diagonal(spread, spread, model->dimension == 3 ? spread : 0.0));
    return moments;
}

frz_real frz_compile_inverse_density(const frz_scene *scene, const frz_model *model, int body, int64_t count)
{
    const frz_scene_body *from = &scene->bodies.items[body];
    double density = from->material >= 0 ? frz_scene_solid_density(&scene->materials.items[from->material]) : 0.0;
    if (from->density > 0.0)
        density = from->density;
    if (from->mass > 0.0)
        density = from->mass / ((double)count * model->cell);
    return (frz_real)(1.0 / density);
}

static frz_status fill_body(const frz_scene *scene, frz_model *model, int b, const frz_point_set *points,
                            frz_diag *diag)
{
    const frz_scene_body *body = &scene->bodies.items[b];
    if (points->count <= model->dimension)
        return frz_scene_fail(scene, body->shape_mark, diag,
                              "body '%s' is filled with particles, and at a spacing of %g m it has %lld, too few for a "
                              "body of its own; use a smaller spacing, a larger shape or 'fill: shape'",
                              body->name, scene->spacing, (long long)points->count);
    // of the particles as stored, rounding included
    const double density = 1.0 / (double)frz_compile_inverse_density(scene, model, b, points->count);
    const frz_moments moments = moments_of(model, points);
    return frz_compile_rigid(scene, b, &moments, density, model, diag);
}

frz_status frz_compile_fill(const frz_scene *scene, frz_model *model, const frz_point_set *sets, frz_diag *diag)
{
    for (int b = 0; b < scene->bodies.count; ++b)
        if (model->bodies[b].filled)
            FRZ_TRY(fill_body(scene, model, b, &sets[b], diag));
    return FRZ_OK;
}
