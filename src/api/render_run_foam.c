// SPDX-License-Identifier: MIT
// Foam of clear liquids in path-traced pictures: white points.
#include "api/render_run_internal.h"
#include "base/grow.h"
#include "base/memory.h"
#include "render/look.h"

static const frz_color foam_color = {0.93f, 0.95f, 0.96f};

frz_status frz_drawn_foam_create(const frz_render_def *def, const frz_scene *scene, const frz_frame_plan *plan,
                                 const frz_drawn_surfaces *surfaces, frz_run_foam *out, frz_diag *diag)
{
    if (!(scene->output.foam > 0.0) || !surfaces->overlapping || surfaces->colored)
        return FRZ_OK;
    bool *clear = FRZ_ALLOC("foam", scene->materials.count + 1, bool);
    if (clear == NULL)
        return frz_fail_memory(diag, "the foam of a picture");
    for (int m = 0; m < scene->materials.count; ++m)
    {
        frz_render_mesh mesh = {.mesh = NULL};
        frz_drawn_look(scene, frz_drawn_liquid_body(scene, m), m, &mesh);
        clear[m] = mesh.look->kind == FRZ_LOOK_CLEAR;
    }
    frz_run_foam_create(&surfaces->surfaces, def->directory, scene->output.foam, clear, plan->first, out);
    return FRZ_OK;
}

frz_status frz_drawn_foam_add(const frz_foam_points *points, int64_t *capacity, float **xyzr, frz_color **colors,
                              frz_render_spheres *spheres, frz_diag *diag)
{
    const int64_t all = spheres->count + points->count;
    if (points->count == 0)
        return FRZ_OK;
    int64_t rooms[2] = {*capacity, *capacity};
    void *places = frz_grow("drawn particles", *xyzr, &rooms[0], all, all / 8, 4 * sizeof(float));
    *xyzr = places != NULL ? places : *xyzr;
    void *painted = frz_grow("drawn particles", *colors, &rooms[1], all, all / 8, sizeof(frz_color));
    *colors = painted != NULL ? painted : *colors;
    if (places == NULL || painted == NULL)
        return frz_fail_memory(diag, "the foam of a picture");
    *capacity = rooms[0];
    for (int64_t i = spheres->count; i < all; ++i)
    {
        const float *from = points->xyzr + 4 * (i - spheres->count);
        for (int c = 0; c < 4; ++c)
            (*xyzr)[4 * i + c] = from[c];
        (*colors)[i] = foam_color;
    }
    *spheres = (frz_render_spheres){all, *xyzr, *colors};
    return FRZ_OK;
}
