// SPDX-License-Identifier: MIT
// Checks of the keys of heat: melting ranges, materials, walls, regions.
#include "scene/schema_check.h"
#include "sim/thermal.h"

frz_status frz_check_melting(frz_parse *parse, const frz_node *node, void *data)
{
    frz_scene_melting *melting = data;
    if (node == NULL)
        return FRZ_OK;
    if (melting->has_point && (melting->has_solidus || melting->has_liquidus))
        return FRZ_PARSE_FAIL(parse, frz_mark_at(node, melting->has_solidus ? "solidus" : "liquidus"),
                              "melting: expected a point, or solidus and liquidus, got both");
    if (!melting->has_point && !(melting->has_solidus && melting->has_liquidus))
        return FRZ_PARSE_FAIL(
            parse, node->mark,
            "melting needs the key 'point', or the keys 'solidus' and 'liquidus': the temperatures at "
            "which the material begins to melt and is molten");
    if (melting->has_point)
        melting->solidus = melting->liquidus = melting->point;
    if (melting->solidus > melting->liquidus)
        return FRZ_PARSE_FAIL(parse, frz_mark_at(node, "liquidus"),
                              "liquidus: expected a temperature not below the solidus of %g K, got %g K",
                              melting->solidus, melting->liquidus);
    return FRZ_OK;
}

frz_status frz_check_material(frz_parse *parse, const frz_node *node, void *data)
{
    const frz_scene_material *material = data;
    if (!(material->density > 0.0))
        return FRZ_PARSE_FAIL(parse, node->mark, "a material needs the key 'density', such as 'density: 1000 kg/m3'");
    if (material->has_melting && frz_node_find(node, "heat") == NULL)
        return FRZ_PARSE_FAIL(parse, frz_mark_at(node, "melting"),
                              "melting is for materials with the key 'heat': conductivity and specific heat");
    return FRZ_OK;
}

frz_status frz_check_wall_heat(frz_parse *parse, const frz_node *node, const frz_scene_body *body)
{
    const bool wall = body->state == FRZ_SCENE_STATIC ||
                      (body->state == FRZ_SCENE_RIGID && !(body->has_fill && body->fill == FRZ_SCENE_FILL_PARTICLES));
    const char *key = body->has_heat_flux ? "heat_flux" : "heat_transfer";
    if (!body->has_heat_flux && !body->has_heat_transfer)
        return FRZ_OK;
    if (!wall)
        return FRZ_PARSE_FAIL(parse, frz_mark_at(node, key),
                              "%s is for static bodies and rigid ones with a shape; heat others with a region", key);
    if (body->has_heat_flux && (body->has_temperature || body->has_heat_transfer))
        return FRZ_PARSE_FAIL(parse, frz_mark_at(node, "heat_flux"),
                              "heat_flux: a wall has a given flux or a given temperature, got both");
    if (body->has_heat_transfer && !body->has_temperature)
        return FRZ_PARSE_FAIL(parse, frz_mark_at(node, "heat_transfer"),
                              "heat_transfer needs the key 'temperature': that of what gives or takes the heat");
    return FRZ_OK;
}

frz_status frz_check_heat(frz_parse *parse, const frz_scene *scene)
{
    for (int m = 0; m < scene->materials.count; ++m)
    {
        const frz_scene_material *material = &scene->materials.items[m];
        if (material->has_melting && material->melting.solid == FRZ_FORM_ELASTIC &&
            material->methods[FRZ_SLOT_ELASTIC].method == NULL)
            return FRZ_PARSE_FAIL(parse, material->mark,
                                  "material '%s' freezes to elastic bodies (melting: solid: elastic) and has no key "
                                  "'elastic'; give it Young's modulus, for example 'elastic: 1e6 Pa'",
                                  material->name);
    }
    if (frz_scene_has_heat(scene))
        return FRZ_OK;
    for (int b = 0; b < scene->bodies.count; ++b)
        if (scene->bodies.items[b].has_heat_flux || scene->bodies.items[b].has_heat_transfer)
            return FRZ_PARSE_FAIL(parse, scene->bodies.items[b].mark,
                                  "body '%s' heats, but no material has the key 'heat': conductivity and specific heat",
                                  scene->bodies.items[b].name);
    for (int r = 0; r < scene->regions.count; ++r)
        if (scene->regions.items[r].action == FRZ_SCENE_HEAT)
            return FRZ_PARSE_FAIL(
                parse, scene->regions.items[r].mark,
                "region '%s' heats, but no material has the key 'heat': conductivity and specific heat",
                scene->regions.items[r].name);
    return FRZ_OK;
}
