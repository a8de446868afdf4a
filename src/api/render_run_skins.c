// SPDX-License-Identifier: MIT
// Elastic bodies in pictures: drawn as their skins, in the body's colour or by a field that was asked for.
#include "api/render_run_internal.h"

#include <stdio.h>

#include "base/memory.h"

static frz_status allocate(frz_drawn_skins *drawn, frz_diag *diag)
{
    const int count = drawn->skins.count;
    drawn->colors = FRZ_ALLOC("drawn skins", count, frz_color *);
    drawn->moves = FRZ_ALLOC("drawn skins", count, frz_vec3 *);
    bool complete = drawn->colors != NULL && drawn->moves != NULL;
    int64_t most = 0;
    for (int k = 0; k < count && complete; ++k)
    {
        const int vertices = frz_skin_mesh(drawn->skins.items[k].skin)->vertex_count;
        const int64_t values = (int64_t)vertices + drawn->skins.items[k].count;
        most = values > most ? values : most;
        drawn->colors[k] = FRZ_ALLOC("drawn skins", vertices, frz_color);
        drawn->moves[k] = FRZ_ALLOC("drawn skins", vertices, frz_vec3);
        complete = drawn->colors[k] != NULL && drawn->moves[k] != NULL;
    }
    drawn->values = FRZ_ALLOC("drawn skins", most, double);
    return complete && drawn->values != NULL ? FRZ_OK : frz_fail_memory(diag, "the skins of a picture");
}

frz_status frz_drawn_skins_create(const frz_render_def *def, const frz_scene *scene, frz_drawn_skins *out,
                                  frz_diag *diag)
{
    *out = (frz_drawn_skins){.values = NULL};
    if (def->particles)
        return FRZ_OK;
    FRZ_TRY(frz_run_skins_create(scene, def->directory, &out->skins, diag));
    out->skins.closed_only = def->style != FRZ_RENDER_PARTICLES;
    if (out->skins.missing != NULL && def->log != NULL)
    {
        char note[160];
        snprintf(note, sizeof note,
                 "elastic bodies are drawn as particles, because the frames have no field '%s'; add id and body to "
                 "output.fields",
                 out->skins.missing);
        def->log(def->log_user, FRZ_LOG_WARNING, note);
    }
    return allocate(out, diag);
}

void frz_drawn_skins_destroy(frz_drawn_skins *drawn)
{
    for (int k = 0; k < drawn->skins.count; ++k)
    {
        frz_free(drawn->colors != NULL ? drawn->colors[k] : NULL);
        frz_free(drawn->moves != NULL ? drawn->moves[k] : NULL);
    }
    frz_free((void *)drawn->colors);
    frz_free((void *)drawn->moves);
    frz_free(drawn->values);
    frz_run_skins_destroy(&drawn->skins);
    *drawn = (frz_drawn_skins){.values = NULL};
}

bool frz_drawn_skins_leave(const frz_drawn_skins *drawn, const frz_scene *scene, double body)
{
    if (!(body >= 0.0 && body < scene->bodies.count))
        return true;
    const frz_scene_body *of = &scene->bodies.items[(int)body];
    const bool hidden = of->visible == FRZ_SCENE_HIDDEN;
    return !hidden && !frz_run_skins_covers(&drawn->skins, (int)body);
}

void frz_drawn_skins_fill(const frz_drawn_skins *drawn, const frz_scene *scene, const frz_coloring *coloring,
                          float radius, float *xyzr, frz_color *colors)
{
    for (int k = 0; k < drawn->skins.count; ++k)
    {
        const frz_body_skin *item = &drawn->skins.items[k];
        if (scene->bodies.items[item->body].visible == FRZ_SCENE_HIDDEN ||
            !frz_run_skins_covers(&drawn->skins, item->body))
            continue;
        for (int i = 0; i < item->count; ++i)
        {
            if (item->rows[i] < 0 || !frz_skin_is_torn(item->skin, i))
                continue;
            xyzr[4 * item->rows[i] + 3] = radius;
            if (!coloring->wanted || coloring->field[0] == '\0')
                colors[item->rows[i]] = coloring->body_color[item->body];
        }
    }
}

/// Colour the vertices by the field, carried over from the particles.
static void color_vertices(frz_drawn_skins *drawn, int k, const frz_coloring *coloring, const frz_array_desc *field)
{
    const frz_body_skin *item = &drawn->skins.items[k];
    double *particles = drawn->values, *vertices = drawn->values + item->count;
    for (int i = 0; i < item->count; ++i) // particles that are gone carry nothing
        particles[i] = item->rows[i] >= 0 ? frz_coloring_value(field, item->rows[i]) : 0.0;
    frz_skin_blend(item->skin, particles, vertices);
    const int count = frz_skin_mesh(item->skin)->vertex_count;
    for (int v = 0; v < count; ++v)
        drawn->colors[k][v] = frz_coloring_at(coloring, vertices[v]);
}

/// Velocities of the vertices, carried over from the particles.
static void find_velocities(frz_drawn_skins *drawn, int k, const frz_array_desc *velocity)
{
    const frz_body_skin *item = &drawn->skins.items[k];
    double *particles = drawn->values, *vertices = drawn->values + item->count;
    const int count = frz_skin_mesh(item->skin)->vertex_count;
    for (int c = 0; c < 3; ++c)
    {
        for (int i = 0; i < item->count; ++i)
            particles[i] = item->rows[i] >= 0 ? frz_array_value(velocity, item->rows[i], c) : 0.0;
        frz_skin_blend(item->skin, particles, vertices);
        for (int v = 0; v < count; ++v)
            (&drawn->moves[k][v].x)[c] = vertices[v];
    }
}

int frz_drawn_skins_collect(frz_drawn_skins *drawn, const frz_scene *scene, const frz_coloring *coloring,
                            const frz_frame *frame, bool blurred, frz_render_mesh *meshes)
{
    const frz_array_desc *velocity = blurred ? frz_frame_field(frame, "velocity") : NULL;
    const frz_array_desc *field =
        coloring->wanted && coloring->field[0] != '\0' ? frz_frame_field(frame, coloring->field) : NULL;
    int count = 0;
    for (int k = 0; k < drawn->skins.count; ++k)
    {
        const frz_body_skin *item = &drawn->skins.items[k];
        const int visible = scene->bodies.items[item->body].visible;
        if (visible == FRZ_SCENE_HIDDEN || !frz_run_skins_covers(&drawn->skins, item->body))
            continue;
        if (field != NULL)
            color_vertices(drawn, k, coloring, field);
        if (velocity != NULL)
            find_velocities(drawn, k, velocity);
        meshes[count++] = (frz_render_mesh){.mesh = frz_skin_mesh(item->skin),
                                            .normals = frz_skin_normals(item->skin),
                                            .colors = field != NULL ? drawn->colors[k] : NULL,
                                            .velocities = velocity != NULL ? drawn->moves[k] : NULL,
                                            .color = coloring->body_color[item->body],
                                            .see_through = visible == FRZ_SCENE_SEE_THROUGH};
        frz_drawn_look(scene, item->body, scene->bodies.items[item->body].material, &meshes[count - 1]);
    }
    return count;
}
