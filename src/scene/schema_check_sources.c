// SPDX-License-Identifier: MIT
// Checks of combinations of keys of emitters, regions and probes.
#include <math.h>
#include <string.h>

#include "scene/schema_check.h"

frz_status frz_check_schedule(frz_parse *parse, const frz_node *node, void *data)
{
    (void)node;
    frz_scene_schedule *schedule = data;
    double last = 0.0;
    for (int i = 0; i < schedule->on.count; ++i)
    {
        frz_scene_interval *interval = &schedule->on.items[i];
        if (!interval->has_stop)
            interval->stop = schedule->has_period ? schedule->period : HUGE_VAL;
        if (!(interval->stop > interval->start))
            return FRZ_PARSE_FAIL(parse, interval->mark, "schedule: expected stop after start (%g s), got %g s",
                                  interval->start, interval->stop);
        if (i > 0 && interval->start < last)
            return FRZ_PARSE_FAIL(parse, interval->mark,
                                  "schedule: expected an interval after the end of the last one (%g s), got one that "
                                  "starts at %g s",
                                  last, interval->start);
        if (schedule->has_period && interval->stop > schedule->period)
            return FRZ_PARSE_FAIL(parse, interval->mark,
                                  "schedule: expected intervals within the period of %g s, got one up to %g s",
                                  schedule->period, interval->stop);
        last = interval->stop;
    }
    return FRZ_OK;
}

/// A disc or a rectangle; in 2D height has no meaning. The argument what is e.g. "the inlet of an emitter".
static frz_status check_surface(frz_parse *parse, const frz_node *node, const frz_scene_surface *surface,
                                const char *what)
{
    if (surface->has_radius && (surface->has_width || surface->has_height))
        return FRZ_PARSE_FAIL(parse, frz_mark_at(node, surface->has_width ? "width" : "height"),
                              "%s is a disc (radius) or a rectangle (width and height), got both", what);
    if (surface->has_height && parse->dimension == 2)
        return FRZ_PARSE_FAIL(parse, frz_mark_at(node, "height"), "%s has no height in a 2D scene; width is enough",
                              what);
    if (surface->has_radius)
        return FRZ_OK;
    if (!surface->has_width)
        return FRZ_PARSE_FAIL(parse, node->mark, "%s needs a size: radius, or width%s", what,
                              parse->dimension == 3 ? " and height" : "");
    if (!surface->has_height && parse->dimension == 3)
        return FRZ_PARSE_FAIL(parse, frz_mark_at(node, "width"), "%s needs height besides width", what);
    return FRZ_OK;
}

frz_status frz_check_emitter(frz_parse *parse, const frz_node *node, void *data)
{
    const frz_scene_emitter *emitter = data;
    FRZ_TRY(check_surface(parse, node, &emitter->surface, "the inlet of an emitter"));
    if (emitter->has_speed && emitter->has_flow_rate)
        return FRZ_PARSE_FAIL(parse, frz_mark_at(node, "flow_rate"), "an emitter has a speed or a flow_rate, got both");
    if (!emitter->has_speed && !emitter->has_flow_rate)
        return FRZ_PARSE_FAIL(parse, node->mark, "an emitter needs the key 'speed' or 'flow_rate'");
    return FRZ_OK;
}

static frz_status check_heating(frz_parse *parse, const frz_node *node, const frz_scene_region *region)
{
    if (region->has_temperature != region->has_rate)
        return FRZ_PARSE_FAIL(parse, frz_mark_at(node, region->has_rate ? "rate" : "temperature"),
                              "a region that takes matter to a temperature needs both 'temperature' and 'rate'");
    if (!region->has_power && !region->has_rate)
        return FRZ_PARSE_FAIL(parse, frz_mark_at(node, "action"),
                              "a region with 'action: heat' needs a power, or a temperature and a rate");
    return FRZ_OK;
}

frz_status frz_check_region(frz_parse *parse, const frz_node *node, void *data)
{
    static const struct
    {
        const char *key, *action;
        frz_scene_action of;
    } special[] = {{"acceleration", "force", FRZ_SCENE_FORCE}, {"velocity", "force", FRZ_SCENE_FORCE},
                   {"drag", "force", FRZ_SCENE_FORCE},         {"power", "heat", FRZ_SCENE_HEAT},
                   {"temperature", "heat", FRZ_SCENE_HEAT},    {"rate", "heat", FRZ_SCENE_HEAT}};
    frz_scene_region *region = data;
    region->material = -1;
    for (size_t k = 0; k < sizeof special / sizeof special[0]; ++k)
        if (region->action != (int)special[k].of && frz_node_find(node, special[k].key) != NULL)
            return FRZ_PARSE_FAIL(parse, frz_mark_at(node, special[k].key), "%s is for regions with 'action: %s'",
                                  special[k].key, special[k].action);
    if (region->action == FRZ_SCENE_KILL)
        return FRZ_OK;
    if (region->action == FRZ_SCENE_HEAT)
        return check_heating(parse, node, region);
    if (!region->has_acceleration && !region->has_drag)
        return FRZ_PARSE_FAIL(parse, frz_mark_at(node, region->has_velocity ? "velocity" : "action"),
                              region->has_velocity
                                  ? "a region with a velocity needs the key 'drag': how fast it is taken on"
                                  : "a region with 'action: force' needs an acceleration, or a velocity and drag");
    return FRZ_OK;
}

frz_status frz_check_probe(frz_parse *parse, const frz_node *node, void *data)
{
    static const char *const surface_keys[] = {"radius", "width", "height", NULL};
    frz_scene_probe *probe = data;
    if (!probe->has_fields)
        probe->fields = probe->has_normal ? FRZ_PROBE_FLOW : FRZ_PROBE_PRESSURE;
    if (probe->fields == 0)
        return FRZ_PARSE_FAIL(parse, frz_mark_at(node, "fields"),
                              "fields: expected at least one of pressure, velocity, density, flow, temperature");
    if ((probe->fields & FRZ_PROBE_FLOW) != 0)
    {
        if (!probe->has_normal)
            return FRZ_PARSE_FAIL(parse, frz_mark_at(node, "fields"),
                                  "a probe of flow needs the key 'normal': the direction through its surface");
        return check_surface(parse, node, &probe->surface, "the surface of a probe");
    }
    if (probe->has_normal)
        return FRZ_PARSE_FAIL(parse, frz_mark_at(node, "normal"),
                              "normal is for probes with 'flow' among their fields");
    for (int k = 0; surface_keys[k] != NULL; ++k)
        if (frz_node_find(node, surface_keys[k]) != NULL)
            return FRZ_PARSE_FAIL(parse, frz_mark_at(node, surface_keys[k]),
                                  "%s is for probes that count flow; give them a normal", surface_keys[k]);
    return FRZ_OK;
}

/// Particles of an emitter belong to it as those of a body belong to the body, so that the names must differ.
static frz_status check_emitter_name(frz_parse *parse, const frz_scene *scene, const frz_scene_emitter *emitter,
                                     const frz_node *node)
{
    for (int b = 0; b < scene->bodies.count; ++b)
        if (strcmp(scene->bodies.items[b].name, emitter->name) == 0)
            return FRZ_PARSE_FAIL(parse, frz_mark_at(node, "name"),
                                  "expected a name of its own for an emitter, got '%s', which is a body",
                                  emitter->name);
    return FRZ_OK;
}

frz_status frz_check_sources(frz_parse *parse, const frz_node *node, frz_scene *scene)
{
    const frz_node *list = frz_node_find(node, "emitters");
    const frz_node *child = list != NULL ? list->first : NULL;
    for (int i = 0; i < scene->emitters.count && child != NULL; ++i, child = child->next)
    {
        frz_scene_emitter *emitter = &scene->emitters.items[i];
        FRZ_TRY(frz_resolve_material(parse, emitter->material_name, child, &emitter->material));
        FRZ_TRY(check_emitter_name(parse, scene, emitter, child));
    }
    list = frz_node_find(node, "regions");
    child = list != NULL ? list->first : NULL;
    for (int i = 0; i < scene->regions.count && child != NULL; ++i, child = child->next)
    {
        frz_scene_region *region = &scene->regions.items[i];
        FRZ_TRY(frz_resolve_material(parse, region->material_name, child, &region->material));
    }
    return FRZ_OK;
}
