// SPDX-License-Identifier: MIT
// Foam of clear liquids in path-traced pictures: white points. Their air comes from the frames before, which are read
// for it, so that a picture has the same foam whichever pictures are drawn with it.
#include <math.h>

#include "api/render_run_internal.h"
#include "base/grow.h"
#include "base/memory.h"
#include "render/look.h"

static const frz_color foam_color = {0.93f, 0.95f, 0.96f};

frz_status frz_drawn_foam_create(const frz_render_def *def, const frz_scene *scene, const frz_frame_plan *plan,
                                 const frz_drawn_surfaces *surfaces, frz_drawn_foam *out, frz_diag *diag)
{
    *out = (frz_drawn_foam){.def = def, .surfaces = surfaces};
    if (!(scene->output.foam > 0.0) || !surfaces->overlapping || surfaces->colored)
        return FRZ_OK;
    out->clear = FRZ_ALLOC("foam", scene->materials.count + 1, bool);
    if (out->clear == NULL)
        return frz_fail_memory(diag, "the foam of a picture");
    for (int m = 0; m < scene->materials.count; ++m)
    {
        frz_render_mesh mesh = {.mesh = NULL};
        frz_drawn_look(scene, frz_drawn_liquid_body(scene, m), m, &mesh);
        out->clear[m] = mesh.look->kind == FRZ_LOOK_CLEAR;
        out->wanted = out->wanted || out->clear[m];
    }
    const double back = ceil(frz_foam_memory() * scene->frame_rate);
    out->next = back < plan->first ? plan->first - (int)back : 0;
    return FRZ_OK;
}

void frz_drawn_foam_destroy(frz_drawn_foam *foam)
{
    frz_foam_destroy(&foam->foam);
    frz_foam_points_destroy(&foam->points);
    frz_free(foam->clear);
    *foam = (frz_drawn_foam){.wanted = false};
}

/// Advance to a frame; with_points: make its points, too.
static frz_status advance(frz_drawn_foam *f, const frz_frame *frame, bool with_points, frz_diag *diag)
{
    frz_iso_def def = frz_run_surfaces_def(&f->surfaces->surfaces, frame);
    const frz_foam_liquid liquid = {&def, frz_frame_field(frame, "id"), frame->time,
                                    f->surfaces->surfaces.scene->output.foam};
    if (liquid.ids == NULL || def.velocity == NULL)
    {
        f->wanted = false;
        if (f->def->log != NULL)
            f->def->log(f->def->log_user, FRZ_LOG_WARNING,
                        "there is no foam, because the frames have no id or no velocity; add both to output.fields of "
                        "the scene and run it again");
        return FRZ_OK;
    }
    int *rows = frz_run_surfaces_liquid(&f->surfaces->surfaces, frame, f->clear, &def.count);
    if (rows == NULL)
        return frz_fail_memory(diag, "the foam of a picture");
    def.rows = rows;
    frz_status status = frz_foam_advance(&f->foam, &liquid, diag);
    if (status == FRZ_OK && with_points)
        status = frz_foam_points_make(&f->foam, &liquid, &f->points, diag);
    frz_free(rows);
    return status;
}

/// Frames before one that have not been looked at; those that cannot be read are left out.
static frz_status reach(frz_drawn_foam *f, int index, frz_diag *diag)
{
    for (; f->next < index && f->wanted; ++f->next)
    {
        frz_frame_data data;
        if (frz_frame_read(f->def->directory, f->next, &data, NULL) != FRZ_OK)
            continue;
        const frz_status status = advance(f, &data.frame, false, diag);
        frz_frame_data_destroy(&data);
        FRZ_TRY(status);
    }
    return FRZ_OK;
}

frz_status frz_drawn_foam_add(frz_drawn_foam *foam, const frz_frame *frame, int64_t *capacity, float **xyzr,
                              frz_color **colors, frz_render_spheres *spheres, frz_diag *diag)
{
    if (!foam->wanted)
        return FRZ_OK;
    FRZ_TRY(reach(foam, frame->index, diag));
    if (foam->wanted)
        FRZ_TRY(advance(foam, frame, true, diag));
    foam->next = frame->index + 1;
    const int64_t all = spheres->count + foam->points.count;
    if (!foam->wanted || all == spheres->count)
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
        const float *from = foam->points.xyzr + 4 * (i - spheres->count);
        for (int c = 0; c < 4; ++c)
            (*xyzr)[4 * i + c] = from[c];
        (*colors)[i] = foam_color;
    }
    *spheres = (frz_render_spheres){all, *xyzr, *colors};
    return FRZ_OK;
}
