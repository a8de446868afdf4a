// SPDX-License-Identifier: MIT
// Liquids and bodies of particles in pictures: drawn as the surfaces of their particles, lone drops as spheres.
#include <math.h>
#include <string.h>

#include "api/render_run_internal.h"
#include "base/memory.h"
#include "render/look.h"

static const frz_color drop_color = {0.78f, 0.84f, 0.88f}; // lone drops of a clear liquid: bright with the sky's light
static const double overlap = 0.15;                        // spacings that clear surfaces reach into walls
static const double apart = 0.02;                          // spacings between the surfaces of two liquids at one wall
static const frz_mesh nothing = {0};                       // of liquids that are hidden

enum
{
    liquids_apart = 5
};

frz_status frz_drawn_surfaces_create(const frz_render_def *def, const frz_scene *scene, const frz_run_skins *skins,
                                     const frz_coloring *coloring, frz_drawn_surfaces *out, frz_diag *diag)
{
    *out =
        (frz_drawn_surfaces){.wanted = def->style != FRZ_RENDER_PARTICLES,
                             .plain = def->style == FRZ_RENDER_DIAGRAM,
                             .overlapping = def->style == FRZ_RENDER_SURFACE && !def->preview && scene->dimension == 3};
    if (!out->wanted)
        return FRZ_OK;
    frz_surface_options options = frz_surface_options_default();
    options.method = def->method;
    memcpy(out->field, coloring->field, sizeof out->field);
    out->colored = coloring->wanted && out->field[0] != '\0';
    out->fields[0] = out->field;
    options.fields = out->fields;
    options.field_count = out->colored;
    FRZ_TRY(frz_run_surfaces_create(scene, def->directory, skins, &options, &out->surfaces, diag));
    out->surfaces.options.fields = out->fields;
    if (!out->plain)
        frz_run_surfaces_show(&out->surfaces);
    out->surfaces.nested = out->overlapping;
    return FRZ_OK;
}

static void clear(frz_drawn_surfaces *drawn)
{
    for (int k = 0; k < drawn->frame.count && drawn->colors != NULL; ++k)
        frz_free(drawn->colors[k]);
    frz_free((void *)drawn->colors);
    drawn->colors = NULL;
    frz_frame_surfaces_destroy(&drawn->frame);
    FRZ_FREE(drawn->meshes);
}

void frz_drawn_surfaces_destroy(frz_drawn_surfaces *drawn)
{
    clear(drawn);
    frz_run_surfaces_destroy(&drawn->surfaces);
    *drawn = (frz_drawn_surfaces){.wanted = false};
}

static bool color_vertices(frz_drawn_surfaces *drawn, int k, const frz_coloring *coloring)
{
    const frz_surface_mesh *mesh = drawn->frame.items[k].mesh;
    const int count = mesh->mesh->vertex_count;
    drawn->colors[k] = FRZ_ALLOC("drawn surfaces", count + 1, frz_color);
    for (int v = 0; drawn->colors[k] != NULL && v < count; ++v)
    {
        double sum = 0.0;
        const float *values = mesh->values + (int64_t)v * mesh->value_count;
        for (int c = 0; c < mesh->value_count; ++c)
            sum += (double)values[c] * (double)values[c];
        drawn->colors[k][v] = frz_coloring_at(coloring, mesh->value_count == 1 ? (double)values[0] : sqrt(sum));
    }
    return drawn->colors[k] != NULL;
}

/// The colours of the particles on the vertices of a body of several materials.
static bool tint_vertices(frz_drawn_surfaces *drawn, int k)
{
    const frz_surface_mesh *mesh = drawn->frame.items[k].mesh;
    const int count = mesh->mesh->vertex_count;
    drawn->colors[k] = FRZ_ALLOC("drawn surfaces", count + 1, frz_color);
    for (int v = 0; drawn->colors[k] != NULL && v < count; ++v)
    {
        const float *tint = mesh->values + (int64_t)(v + 1) * mesh->value_count - 3;
        drawn->colors[k][v] = (frz_color){tint[0], tint[1], tint[2]};
    }
    return drawn->colors[k] != NULL;
}

/// The colour of a body of that material, if its bodies have one of their own; else that of the material.
static frz_color color_of(const frz_frame_surface *surface, const frz_scene *scene, const frz_coloring *coloring)
{
    if (surface->origin >= 0 && surface->origin < coloring->body_count)
        return coloring->body_color[surface->origin];
    for (int b = 0; b < scene->bodies.count; ++b)
        if (scene->bodies.items[b].state == FRZ_SCENE_LIQUID && scene->bodies.items[b].material == surface->material)
            return coloring->body_color[b];
    return surface->material >= 0 && surface->material < coloring->material_count
               ? coloring->material_color[surface->material]
               : coloring->body_color[coloring->body_count];
}

/// The body of the scene whose look a surface has: its own, or the first liquid of its material.
static int look_body(const frz_frame_surface *surface, const frz_scene *scene)
{
    return surface->body >= 0 ? surface->origin : frz_drawn_liquid_body(scene, surface->material);
}

/// Light between a clear surface and a wall behind it would be that of a thin gap: put the surface behind the wall's.
static void reach_into_walls(const frz_surface_mesh *mesh, double distance)
{
    for (int v = 0; mesh->walls != NULL && v < mesh->mesh->vertex_count; ++v)
        if (mesh->walls[v])
            mesh->mesh->vertices[v] = frz_v3_mad(mesh->mesh->vertices[v], distance, mesh->normals[v]);
}

/// How the bodies of a surface are shown: as the first of them; hidden only if all of them are.
static int visible_of(const frz_frame_surface *surface, const frz_scene *scene)
{
    if (surface->body >= 0)
        return surface->origin >= 0 && surface->origin < scene->bodies.count
                   ? scene->bodies.items[surface->origin].visible
                   : FRZ_SCENE_VISIBLE_AUTO;
    int visible = FRZ_SCENE_HIDDEN;
    bool found = false;
    for (int b = 0; b < scene->bodies.count; ++b)
    {
        const frz_scene_body *body = &scene->bodies.items[b];
        if (body->state != FRZ_SCENE_LIQUID || body->material != surface->material)
            continue;
        found = true;
        visible = visible == FRZ_SCENE_HIDDEN ? body->visible : visible;
    }
    return found ? visible : FRZ_SCENE_VISIBLE_AUTO; // what was molten, or came from an emitter
}

frz_status frz_drawn_surfaces_make(frz_drawn_surfaces *drawn, const frz_scene *scene, const frz_coloring *coloring,
                                   const frz_frame *frame, const frz_color *colors, frz_diag *diag)
{
    const frz_array_desc tint = {"tint", "", FRZ_F32, 3, 3, frame->count, (void *)colors};
    clear(drawn);
    if (!drawn->wanted)
        return FRZ_OK;
    drawn->surfaces.tint = drawn->colored ? NULL : &tint;
    const frz_status made = frz_run_surfaces_make(&drawn->surfaces, frame, &drawn->frame, diag);
    drawn->surfaces.tint = NULL;
    FRZ_TRY(made);
    drawn->meshes = FRZ_ALLOC("drawn surfaces", drawn->frame.count + 1, frz_render_mesh);
    drawn->colors = FRZ_ALLOC("drawn surfaces", drawn->frame.count + 1, frz_color *);
    bool complete = drawn->meshes != NULL && drawn->colors != NULL;
    for (int k = 0; k < drawn->frame.count && complete; ++k)
    {
        frz_surface_mesh *mesh = drawn->frame.items[k].mesh;
        complete = !drawn->colored || color_vertices(drawn, k, coloring);
        const int visible = visible_of(&drawn->frame.items[k], scene);
        drawn->meshes[k] = (frz_render_mesh){.mesh = visible == FRZ_SCENE_HIDDEN ? &nothing : mesh->mesh,
                                             .see_through = visible == FRZ_SCENE_SEE_THROUGH,
                                             .normals = mesh->normals,
                                             .colors = drawn->colors[k],
                                             .velocities = mesh->velocities,
                                             .color = color_of(&drawn->frame.items[k], scene, coloring)};
        frz_drawn_look(scene, look_body(&drawn->frame.items[k], scene), drawn->frame.items[k].material,
                       &drawn->meshes[k]);
        const frz_look *look = drawn->meshes[k].look;
        if (drawn->frame.items[k].tinted && look->kind != FRZ_LOOK_CLEAR && (drawn->plain || !look->own_color))
        {
            complete = complete && tint_vertices(drawn, k);
            drawn->meshes[k].colors = drawn->colors[k];
        }
        if (drawn->plain)
            drawn->meshes[k].color = color_of(&drawn->frame.items[k], scene, coloring);
        const double behind = apart * (k % liquids_apart); // two surfaces in one place would both be seen, in patches
        if (drawn->overlapping && drawn->meshes[k].look->kind == FRZ_LOOK_CLEAR)
        {
            reach_into_walls(mesh,
                             (overlap + apart * fmin(drawn->frame.items[k].nesting, liquids_apart)) * scene->spacing);
            FRZ_TRY(frz_drawn_drops_add(frame, scene->spacing, mesh, diag));
            drawn->meshes[k].normals = mesh->normals;
            drawn->meshes[k].velocities = mesh->velocities;
        }
        else if (drawn->overlapping)
            reach_into_walls(mesh, -behind * scene->spacing);
    }
    return complete ? FRZ_OK : frz_fail_memory(diag, "the surfaces of a picture");
}

void frz_drawn_surfaces_hide(const frz_drawn_surfaces *drawn, const frz_frame *frame, float radius, float *xyzr,
                             frz_color *colors)
{
    if (!drawn->wanted)
        return;
    for (int64_t i = 0; i < frame->count; ++i)
        xyzr[4 * i + 3] *= -1.0f; // not drawn, but it still tells where the liquid is
    for (int k = 0; k < drawn->frame.count; ++k)
        for (int64_t s = 0; s < drawn->frame.items[k].mesh->spray_count; ++s)
        {
            const int64_t row = drawn->frame.items[k].mesh->spray[s];
            if (drawn->meshes[k].mesh == &nothing)
                continue;
            xyzr[4 * row + 3] = radius;
            if (!drawn->colored)
                colors[row] = drawn->overlapping && drawn->meshes[k].look->kind == FRZ_LOOK_CLEAR
                                  ? drop_color
                                  : drawn->meshes[k].color;
        }
}
