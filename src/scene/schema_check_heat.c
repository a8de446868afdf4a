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

frz_status frz_check_law(frz_parse *parse, const frz_node *node, void *data)
{
    const frz_scene_law *law = data;
    for (int n = 1; n < law->table.count; ++n)
        if (!(law->table.items[n].temperature > law->table.items[n - 1].temperature))
            return FRZ_PARSE_FAIL(parse, law->table.items[n].mark,
                                  "table: expected temperatures that rise along the list, got %g K after %g K",
                                  law->table.items[n].temperature, law->table.items[n - 1].temperature);
    if (node != NULL && law->table.count == 0 && law->activation == 0.0)
        return FRZ_PARSE_FAIL(parse, node->mark,
                              "expected a table of factors, such as [{temperature: 20 degC, factor: 1}, {temperature: "
                              "50 degC, factor: 0.1}], or an activation");
    return FRZ_OK;
}

// The method that a property belongs to.
static const frz_slot slot_of_property[FRZ_PROPERTY_COUNT] = {
    [FRZ_PROPERTY_VISCOSITY] = FRZ_SLOT_VISCOSITY,
    [FRZ_PROPERTY_STIFFNESS] = FRZ_SLOT_ELASTIC,
    [FRZ_PROPERTY_YIELD] = FRZ_SLOT_PLASTIC,
    [FRZ_PROPERTY_STRENGTH] = FRZ_SLOT_FRACTURE,
};

static frz_status check_properties(frz_parse *parse, const frz_scene_material *material)
{
    for (int p = 0; p < FRZ_PROPERTY_COUNT && material->has_laws; ++p)
    {
        const frz_scene_law *law = &material->laws.of[p];
        const frz_method *method = material->methods[slot_of_property[p]].method;
        if (law->table.count == 0 && law->activation == 0.0)
            continue;
        if (method == NULL)
            return FRZ_PARSE_FAIL(parse, law->mark,
                                  "this property of '%s' depends on the temperature, but the material has no key '%s'",
                                  material->name, frz_slots[slot_of_property[p]].key);
        if (p == FRZ_PROPERTY_VISCOSITY && (method->traits & FRZ_TRAIT_BY_TEMPERATURE) == 0)
            return FRZ_PARSE_FAIL(parse, law->mark,
                                  "the viscosity of '%s' depends on the temperature, which %s does not know; use "
                                  "'viscosity: {method: weiler2018, viscosity: ...}'",
                                  material->name, method->key);
    }
    return FRZ_OK;
}

// Between solidus and liquidus.
static frz_status check_between(frz_parse *parse, const frz_scene_material *material)
{
    const frz_method *viscosity = material->methods[FRZ_SLOT_VISCOSITY].method;
    if (!material->has_melting)
        return FRZ_OK;
    if (material->melting.between == FRZ_SCENE_BETWEEN_ELASTIC && material->methods[FRZ_SLOT_ELASTIC].method == NULL)
        return FRZ_PARSE_FAIL(
            parse, material->mark,
            "material '%s' is elastic between solidus and liquidus (melting: between: elastic) and has "
            "no key 'elastic'; give it Young's modulus, for example 'elastic: 1e6 Pa'",
            material->name);
    if (material->melting.has_density && material->methods[FRZ_SLOT_ELASTIC].method != NULL)
        return FRZ_PARSE_FAIL(
            parse, material->mark,
            "material '%s' has a solid_density and the key 'elastic': elastic bodies have one density "
            "with their liquid; leave one of the two out",
            material->name);
    if (material->melting.stiffening != 1.0 &&
        (viscosity == NULL || (viscosity->traits & FRZ_TRAIT_BY_TEMPERATURE) == 0))
        return FRZ_PARSE_FAIL(
            parse, material->mark,
            "material '%s' has a viscosity that changes while it freezes (melting: stiffening), which "
            "needs 'viscosity: {method: weiler2018, viscosity: ...}'",
            material->name);
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
        FRZ_TRY(check_properties(parse, material));
        FRZ_TRY(check_between(parse, material));
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
