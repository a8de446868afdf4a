// SPDX-License-Identifier: MIT
// Checks of combinations of keys of events, and the names that events use.
#include <string.h>

#include "base/memory.h"
#include "scene/schema_check.h"
#include "scene/suggest.h"

enum
{
    phrase_size = 400 // bytes of a part of a message
};

// in the order of frz_scene_change
static const char *const change_names[] = {"melt", "freeze", "soften", "harden", "join", "cut"};

const char *frz_event_change_name(const frz_scene_event *event)
{
    return change_names[event->change];
}

// ---- keys of one event

// The unit and range of a threshold follow from the field of the probe.
static frz_status read_threshold(frz_parse *parse, const frz_node *node, const char *key,
                                 const frz_scene_condition *condition, double *out)
{
    static const frz_key rows[] = {
        [FRZ_SCENE_MEASURE_PRESSURE] = {.unit = "Pa"},
        [FRZ_SCENE_MEASURE_SPEED] = {.unit = "m/s", .min = 0, .max = 1e9},
        [FRZ_SCENE_MEASURE_DENSITY] = {.unit = "kg/m3", .min = 0, .max = 1e6},
        [FRZ_SCENE_MEASURE_TEMPERATURE] = {.unit = "K", .min = 0, .max = FRZ_HOTTEST},
        [FRZ_SCENE_MEASURE_FLOW] = {.unit = "m3"},
    };
    frz_key row = {.min = 0, .max = 1e10}; // a number of particles
    if (condition->probe_name != NULL)
        row = rows[condition->field];
    if (condition->probe_name != NULL && condition->field == FRZ_SCENE_MEASURE_FLOW && parse->dimension == 2)
        row.unit = "m2";
    row.key = key;
    if (strcmp(key, "below") == 0)
        row.flags |= FRZ_KEY_ABOVE_MIN; // nothing is below none
    return frz_value_real(parse, &row, frz_node_find(node, key), out);
}

frz_status frz_check_condition(frz_parse *parse, const frz_node *node, void *data)
{
    frz_scene_condition *condition = data;
    condition->probe = -1;
    condition->target.material = -1;
    if ((condition->probe_name != NULL) == (condition->shape != NULL))
        return FRZ_PARSE_FAIL(
            parse, node->mark,
            "when: expected either a probe and its field, or a shape (in) whose particles are counted, "
            "got %s",
            condition->shape != NULL ? "both" : "neither");
    if (condition->probe_name != NULL && !condition->has_field)
        return FRZ_PARSE_FAIL(parse, node->mark,
                              "when: a probe needs the key 'field': pressure, speed, density, temperature or flow");
    if (condition->probe_name == NULL && condition->has_field)
        return FRZ_PARSE_FAIL(parse, frz_mark_at(node, "field"), "field is for conditions with a probe");
    if (condition->probe_name != NULL && condition->of.count > 0)
        return FRZ_PARSE_FAIL(
            parse, frz_mark_at(node, "of"),
            "of is for conditions that count particles in a shape (in); a probe measures all of them");
    if (condition->has_above == condition->has_below)
        return FRZ_PARSE_FAIL(parse, node->mark, "when: expected either above or below, got %s",
                              condition->has_above ? "both" : "neither");
    if (condition->has_above)
        return read_threshold(parse, node, "above", condition, &condition->above);
    return read_threshold(parse, node, "below", condition, &condition->below);
}

static frz_status check_times(frz_parse *parse, const frz_node *node, const frz_scene_event *event)
{
    if (!event->has_at && !event->has_when)
        return FRZ_PARSE_FAIL(parse, node->mark,
                              "an event needs the key 'at' (a time) or 'when' (a condition), such as 'at: 2 s'");
    if (event->has_until && !event->has_when && !event->has_every)
        return FRZ_PARSE_FAIL(parse, frz_mark_at(node, "until"),
                              "until is for events that wait for a condition (when) or happen again (every); this one "
                              "happens once, at %g s",
                              event->at);
    if (event->has_until && !(event->until > event->at))
        return FRZ_PARSE_FAIL(parse, frz_mark_at(node, "until"),
                              "until: expected a time after %g s, from when on the event can happen, got %g s",
                              event->at, event->until);
    return FRZ_OK;
}

/// Keys that mean something for some changes only.
static frz_status check_change_keys(frz_parse *parse, const frz_node *node, const frz_scene_event *event)
{
    enum
    {
        melt = 1 << FRZ_SCENE_MELT,
        freeze = 1 << FRZ_SCENE_FREEZE,
        soften = 1 << FRZ_SCENE_SOFTEN,
        harden = 1 << FRZ_SCENE_HARDEN,
        join = 1 << FRZ_SCENE_JOIN
    };
    static const struct
    {
        const char *key;
        unsigned changes; // of frz_scene_change, as bits
        const char *sentence;
    } rules[] = {
        {"to", freeze, "to says what freezing makes"},
        {"whole", melt | soften | harden, "whole is for bodies that melt, soften or harden"},
        {"material", melt | freeze | soften | harden, "material is for what melts, freezes, softens or hardens"},
        {"name", freeze | soften | harden | join,
         "name is for events that make solid bodies: freeze, soften, harden, join"},
        {"friction", freeze | harden | join, "friction is for events that make rigid bodies: freeze, harden, join"},
        {"restitution", freeze | harden | join,
         "restitution is for events that make rigid bodies: freeze, harden, join"},
    };
    for (size_t k = 0; k < sizeof rules / sizeof rules[0]; ++k)
        if (frz_node_find(node, rules[k].key) != NULL && (rules[k].changes >> event->change & 1u) == 0)
            return FRZ_PARSE_FAIL(parse, frz_mark_at(node, rules[k].key), "%s; event '%s' is 'do: %s', leave it out",
                                  rules[k].sentence, event->label, change_names[event->change]);
    const bool elastic = event->change == FRZ_SCENE_FREEZE && event->to == FRZ_SCENE_TO_ELASTIC;
    for (size_t k = 4; elastic && k < sizeof rules / sizeof rules[0]; ++k)
        if (frz_node_find(node, rules[k].key) != NULL)
            return FRZ_PARSE_FAIL(parse, frz_mark_at(node, rules[k].key),
                                  "%s is for rigid bodies, and event '%s' makes elastic ones; leave it out",
                                  rules[k].key, event->label);
    return FRZ_OK;
}

/// Checks that need no other part of the scene; labels are read before.
static frz_status check_keys(frz_parse *parse, const frz_node *node, const frz_scene_event *event)
{
    FRZ_TRY(check_times(parse, node, event));
    FRZ_TRY(check_change_keys(parse, node, event));
    if (event->change == FRZ_SCENE_CUT && event->shape == NULL)
        return FRZ_PARSE_FAIL(parse, node->mark,
                              "event '%s' cuts, and needs the key 'in': the shape through which bonds break",
                              event->label);
    if (event->shape == NULL && frz_node_find(node, "velocity") != NULL)
        return FRZ_PARSE_FAIL(parse, frz_mark_at(node, "velocity"),
                              "velocity is that of the shape 'in', and event '%s' has none; add one or leave it out",
                              event->label);
    return FRZ_OK;
}

frz_status frz_check_event(frz_parse *parse, const frz_node *node, void *data)
{
    (void)parse;
    (void)node;
    frz_scene_event *event = data;
    event->material = event->target.material = -1;
    if (!event->has_when)
        event->when.probe = event->when.target.material = -1;
    return FRZ_OK;
}

// ---- names

static const char *name_of(const frz_scene *scene, int body)
{
    return body < scene->bodies.count ? scene->bodies.items[body].name
                                      : scene->emitters.items[body - scene->bodies.count].name;
}

static int find_body(const frz_scene *scene, const char *name)
{
    for (int b = 0; b < scene->bodies.count + scene->emitters.count; ++b)
        if (strcmp(name_of(scene, b), name) == 0)
            return b;
    return -1;
}

static int find_material(const frz_scene *scene, const char *name)
{
    for (int m = 0; m < scene->materials.count; ++m)
        if (strcmp(scene->materials.items[m].name, name) == 0)
            return m;
    return -1;
}

static frz_status fail_unknown(frz_parse *parse, frz_mark mark, const frz_scene_event *event, const char *name)
{
    const frz_scene *scene = parse->scene;
    for (int e = 0; e < scene->events.count; ++e)
        if (scene->events.items[e].name != NULL && strcmp(scene->events.items[e].name, name) == 0)
            return FRZ_PARSE_FAIL(parse, mark,
                                  "event '%s': '%s' is what event '%s' calls the bodies that it makes; name the bodies "
                                  "or the material that they are made of",
                                  event->label, name, scene->events.items[e].label);
    char hint[phrase_size];
    frz_suggestion suggestion = {.word = name};
    for (int b = 0; b < scene->bodies.count + scene->emitters.count; ++b)
        frz_suggestion_offer(&suggestion, name_of(scene, b));
    for (int m = 0; m < scene->materials.count; ++m)
        frz_suggestion_offer(&suggestion, scene->materials.items[m].name);
    return FRZ_PARSE_FAIL(parse, mark, "event '%s': expected the name of a body, an emitter or a material, got '%s'%s",
                          event->label, name, frz_suggestion_text(&suggestion, hint, sizeof hint));
}

/// Looks up the names of the key 'of' of node.
static frz_status resolve_target(frz_parse *parse, const frz_node *node, const frz_scene_event *event,
                                 const frz_name_list *of, frz_scene_target *out)
{
    const frz_scene *scene = parse->scene;
    const frz_mark mark = frz_mark_at(node, "of");
    out->material = -1;
    out->bodies = of->count > 0 ? FRZ_ALLOC("scene", of->count, int) : NULL;
    if (of->count > 0 && out->bodies == NULL)
        return frz_fail_memory(parse->diag, "the events");
    for (int k = 0; k < of->count; ++k)
    {
        const int body = find_body(scene, of->items[k]), material = find_material(scene, of->items[k]);
        if (body < 0 && material < 0)
            return fail_unknown(parse, mark, event, of->items[k]);
        if (body >= 0 && body < scene->bodies.count && scene->bodies.items[body].state == FRZ_SCENE_STATIC)
            return FRZ_PARSE_FAIL(
                parse, mark,
                "event '%s': '%s' is static and has no particles that change; name liquid, elastic or "
                "rigid bodies",
                event->label, of->items[k]);
        if (body >= 0)
            out->bodies[out->body_count++] = body;
        else
            out->material = material;
        if (body < 0 && of->count > 1)
            return FRZ_PARSE_FAIL(parse, mark,
                                  "event '%s': '%s' is a material, and an event names bodies and emitters, or one "
                                  "material alone; write an event for each",
                                  event->label, of->items[k]);
    }
    if (out->material >= 0)
        FRZ_FREE(out->bodies); // all of them, as long as they have the material
    return FRZ_OK;
}

static frz_status resolve_probe(frz_parse *parse, const frz_node *node, const frz_scene_event *event,
                                frz_scene_condition *condition)
{
    const frz_scene *scene = parse->scene;
    char hint[phrase_size];
    frz_suggestion suggestion = {.word = condition->probe_name};
    for (int p = 0; p < scene->probes.count; ++p)
    {
        frz_suggestion_offer(&suggestion, scene->probes.items[p].name);
        if (strcmp(scene->probes.items[p].name, condition->probe_name) == 0)
            condition->probe = p;
    }
    if (condition->probe < 0)
        return FRZ_PARSE_FAIL(parse, frz_mark_at(node, "probe"),
                              "event '%s': expected the name of one of the probes, got '%s'%s", event->label,
                              condition->probe_name, frz_suggestion_text(&suggestion, hint, sizeof hint));
    if (condition->field == FRZ_SCENE_MEASURE_FLOW &&
        (scene->probes.items[condition->probe].fields & FRZ_PROBE_FLOW) == 0)
        return FRZ_PARSE_FAIL(parse, frz_mark_at(node, "field"),
                              "event '%s': probe '%s' counts no flow; give it a normal and a size, or wait for another "
                              "field",
                              event->label, condition->probe_name);
    return FRZ_OK;
}

static frz_status check_name(frz_parse *parse, const frz_node *node, const frz_scene_event *event)
{
    const frz_scene *scene = parse->scene;
    if (event->name == NULL)
        return FRZ_OK;
    if (find_body(scene, event->name) >= 0)
        return FRZ_PARSE_FAIL(
            parse, frz_mark_at(node, "name"),
            "event '%s': '%s' is the name of a body or emitter of the scene; give the bodies that are "
            "born another one",
            event->label, event->name);
    if (strcmp(event->name, "world") == 0 || strcmp(event->name, "free") == 0)
        return FRZ_PARSE_FAIL(parse, frz_mark_at(node, "name"),
                              "event '%s': expected another name than '%s', which has a meaning for joints and chains",
                              event->label, event->name);
    return FRZ_OK;
}

static frz_status resolve_event(frz_parse *parse, const frz_node *node, frz_scene_event *event)
{
    const frz_node *when = frz_node_find(node, "when");
    FRZ_TRY(check_keys(parse, node, event));
    FRZ_TRY(frz_resolve_material(parse, event->material_name, node, &event->material));
    FRZ_TRY(check_name(parse, node, event));
    FRZ_TRY(resolve_target(parse, node, event, &event->of, &event->target));
    if (!event->has_when)
        return FRZ_OK;
    if (event->when.probe_name != NULL)
        return resolve_probe(parse, when, event, &event->when);
    return resolve_target(parse, when, event, &event->when.of, &event->when.target);
}

/// Bodies with a shape have no particles to be counted; called once it is known which rigid bodies are filled.
static frz_status check_counted(frz_parse *parse, const frz_node *node, const frz_scene_event *event)
{
    const frz_scene *scene = parse->scene;
    for (int k = 0; k < event->when.target.body_count; ++k)
    {
        const int b = event->when.target.bodies[k];
        if (b < scene->bodies.count && scene->bodies.items[b].state == FRZ_SCENE_RIGID &&
            !scene->bodies.items[b].filled)
            return FRZ_PARSE_FAIL(parse, frz_mark_at(frz_node_find(node, "when"), "of"),
                                  "event '%s': body '%s' has a shape and no particles that could be counted; give it "
                                  "'fill: particles'",
                                  event->label, scene->bodies.items[b].name);
    }
    return FRZ_OK;
}

bool frz_scene_target_has(const frz_scene_target *target, int body)
{
    bool has = target->bodies == NULL;
    for (int k = 0; k < target->body_count; ++k)
        has = has || target->bodies[k] == body;
    return has;
}

frz_status frz_check_events(frz_parse *parse, const frz_node *node, frz_scene *scene)
{
    const frz_node *list = frz_node_find(node, "events");
    const frz_node *child = list != NULL ? list->first : NULL;
    for (int i = 0; i < scene->events.count && child != NULL; ++i, child = child->next)
        FRZ_TRY(resolve_event(parse, child, &scene->events.items[i]));
    FRZ_TRY(frz_check_filled(parse, scene));
    child = list != NULL ? list->first : NULL;
    for (int i = 0; i < scene->events.count && child != NULL; ++i, child = child->next)
        FRZ_TRY(check_counted(parse, child, &scene->events.items[i]));
    return frz_check_changes(parse, scene);
}
