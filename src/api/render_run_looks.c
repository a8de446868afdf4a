// SPDX-License-Identifier: MIT
// Looks of bodies and materials in path-traced pictures.
#include "api/render_run_looks.h"

#include "render/paint.h"

static const frz_look *numbered(int look)
{
    return look > 0 ? frz_look_find(frz_look_names()[look - 1]) : NULL;
}

static bool has_color(const frz_scene *scene, const frz_scene_body *body, int material)
{
    return (body != NULL && body->color.given) || (material >= 0 && scene->materials.items[material].color.given);
}

static const char *automatic(const frz_scene *scene, const frz_scene_body *body, int material)
{
    if (body != NULL && body->state == FRZ_SCENE_STATIC)
        return "matte";
    const bool liquid = body == NULL || body->state == FRZ_SCENE_LIQUID;
    return liquid && !has_color(scene, body, material) ? "water" : "glossy";
}

int frz_drawn_liquid_body(const frz_scene *scene, int material)
{
    for (int b = 0; b < scene->bodies.count; ++b)
        if (scene->bodies.items[b].state == FRZ_SCENE_LIQUID && scene->bodies.items[b].material == material)
            return b;
    return -1;
}

void frz_drawn_look(const frz_scene *scene, int body, int material, frz_render_mesh *mesh)
{
    const frz_scene_body *of = body >= 0 && body < scene->bodies.count ? &scene->bodies.items[body] : NULL;
    const int made_of = material >= 0 && material < scene->materials.count ? material : -1;
    const frz_look *own = of != NULL ? numbered(of->look) : NULL;
    const frz_look *made = made_of >= 0 ? numbered(scene->materials.items[made_of].look) : NULL;
    const frz_look *wanted = own != NULL ? own : made;
    mesh->look = wanted != NULL ? wanted : frz_look_find(automatic(scene, of, made_of));
    if (mesh->colors != NULL && (mesh->look->kind == FRZ_LOOK_CLEAR || mesh->look->own_color))
        mesh->look = frz_look_find("glossy"); // a field is shown: nothing may hide its colours
    else if (mesh->look->own_color || (wanted != NULL && !has_color(scene, of, made_of)))
        mesh->color = mesh->look->color;
}
