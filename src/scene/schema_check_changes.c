// SPDX-License-Identifier: MIT
// Conversions of the bodies of a scene by events: which rigid bodies must be made of particles for it, which phases and
// materials every body can get, and whether the changes are possible.
#include <string.h>

#include "base/memory.h"
#include "scene/schema_check.h"

enum
{
    liquid, // phases that particles can have
    elastic,
    rigid,
    phase_count
};

// ---- rigid bodies of particles

/// Whether an event takes rigid bodies apart. Hardening does not: rigid bodies do not change.
static bool takes_rigid(const frz_scene_event *event)
{
    return event->change == FRZ_SCENE_MELT || event->change == FRZ_SCENE_SOFTEN || event->change == FRZ_SCENE_JOIN ||
           event->change == FRZ_SCENE_CUT;
}

static bool is_about(const frz_scene_event *event, const frz_scene_body *body, int b)
{
    const frz_scene_target *target = &event->target;
    return frz_scene_target_has(target, b) && (target->material < 0 || target->material == body->material);
}

static frz_status fail_filled(frz_parse *parse, const frz_scene_body *body, const frz_scene_event *cause,
                              const char *trouble, const char *cure)
{
    if (cause == NULL && body->has_fill)
        return FRZ_PARSE_FAIL(parse, body->mark, "body '%s' is filled with particles (fill: particles), and %s; %s",
                              body->name, trouble, cure);
    if (cause == NULL)
        return FRZ_PARSE_FAIL(
            parse, body->mark,
            "body '%s' is filled with particles because its material melts, and %s; %s, or keep it as "
            "it is with 'fill: shape'",
            body->name, trouble, cure);
    return FRZ_PARSE_FAIL(parse, cause->mark,
                          "event '%s' (%s) can change body '%s', which is filled with particles for it, and %s; %s, "
                          "name other bodies with 'of', or keep it as it is with 'fill: shape'",
                          cause->label, frz_event_change_name(cause), body->name, trouble, cure);
}

/// A rigid body of particles; cause is the event that it is made so for, null: the scene says so.
static frz_status check_filled_body(frz_parse *parse, int b, const frz_scene_event *cause)
{
    const frz_scene *scene = parse->scene;
    const frz_scene_body *body = &scene->bodies.items[b];
    if (body->material < 0)
        return fail_filled(parse, body, cause, "particles need to know what they are made of",
                           "give it the key 'material'");
    if (body->driven)
        return fail_filled(parse, body, cause, "such a body cannot be driven", "leave 'driven' out");
    if (body->has_hinge || body->has_slider)
        return fail_filled(parse, body, cause, "such a body cannot have a hinge or a slider",
                           body->has_hinge ? "leave 'hinge' out" : "leave 'slider' out");
    for (int j = 0; j < scene->joints.count; ++j)
        if (scene->joints.items[j].body[0] == b || scene->joints.items[j].body[1] == b)
            return fail_filled(parse, body, cause, "such a body cannot have joints",
                               "take it out of 'joints' and 'chains'");
    for (int a = 0; a < scene->attachments.count; ++a)
        if (scene->attachments.items[a].to != NULL && strcmp(scene->attachments.items[a].to, body->name) == 0)
            return fail_filled(parse, body, cause, "nothing can be attached to such a body",
                               "take it out of 'attachments'");
    return FRZ_OK;
}

frz_status frz_check_filled(frz_parse *parse, frz_scene *scene)
{
    for (int b = 0; b < scene->bodies.count; ++b)
    {
        frz_scene_body *body = &scene->bodies.items[b];
        const frz_scene_event *cause = NULL;
        if (body->state != FRZ_SCENE_RIGID)
            continue;
        for (int e = 0; e < scene->events.count; ++e)
        {
            const frz_scene_event *event = &scene->events.items[e];
            if (!takes_rigid(event) || !is_about(event, body, b))
                continue;
            if (body->has_fill && body->fill == FRZ_SCENE_FILL_SHAPE && event->target.bodies != NULL)
                return FRZ_PARSE_FAIL(
                    parse, event->mark,
                    "event '%s' (%s) names body '%s', which keeps its exact shape ('fill: shape'; links of "
                    "chains and rigid parts always do) and cannot change; leave 'fill' out or name others",
                    event->label, frz_event_change_name(event), body->name);
            cause = cause == NULL ? event : cause;
        }
        const bool said = body->has_fill && body->fill == FRZ_SCENE_FILL_PARTICLES;
        const bool melts = frz_scene_melts(scene, body->material);
        body->filled = said || ((cause != NULL || melts) && !body->has_fill);
        if (body->filled)
            FRZ_TRY(check_filled_body(parse, b, said || melts ? NULL : cause));
    }
    return FRZ_OK;
}

// ---- reachable phases

/// Phases and materials that particles of each body or emitter can have, in any order of the events.
typedef struct reach
{
    int bodies, materials;
    bool *can; ///< by body, phase and material
} reach;

static bool *reach_at(const reach *r, int body, int phase, int material)
{
    return &r->can[((size_t)body * phase_count + (size_t)phase) * (size_t)r->materials + (size_t)material];
}

static bool takes_phase(const frz_scene_event *event, int phase)
{
    switch (event->change)
    {
    case FRZ_SCENE_FREEZE:
        return phase == liquid;
    case FRZ_SCENE_SOFTEN:
        return phase == rigid;
    case FRZ_SCENE_HARDEN:
        return phase == elastic;
    default:
        return phase != liquid;
    }
}

static int phase_after(const frz_scene_event *event, int phase)
{
    switch (event->change)
    {
    case FRZ_SCENE_MELT:
        return liquid;
    case FRZ_SCENE_FREEZE:
        return event->to == FRZ_SCENE_TO_ELASTIC ? elastic : rigid;
    case FRZ_SCENE_SOFTEN:
        return elastic;
    case FRZ_SCENE_HARDEN:
        return rigid;
    default:
        return phase;
    }
}

/// Steps through everything that an event can act on: body, phase and material in turn; false at the end.
static bool next_case(const reach *r, const frz_scene_event *event, int *body, int *phase, int *material)
{
    const frz_scene_target *target = &event->target;
    for (; *body < r->bodies; *body += 1, *phase = liquid, *material = -1)
        for (; *phase <= rigid; *phase += 1, *material = -1)
            while (++*material < r->materials)
                if (*reach_at(r, *body, *phase, *material) && takes_phase(event, *phase) &&
                    frz_scene_target_has(target, *body) && (target->material < 0 || target->material == *material))
                    return true;
    return false;
}

static bool spread(const reach *r, const frz_scene_event *event)
{
    bool grown = false;
    for (int b = 0, p = liquid, m = -1; next_case(r, event, &b, &p, &m);)
    {
        bool *after = reach_at(r, b, phase_after(event, p), event->material >= 0 ? event->material : m);
        grown = grown || !*after;
        *after = true;
    }
    return grown;
}

static frz_status make_reach(const frz_parse *parse, const frz_scene *scene, reach *out)
{
    out->bodies = scene->bodies.count + scene->emitters.count;
    out->materials = scene->materials.count;
    out->can = FRZ_ALLOC("scene", (size_t)out->bodies * phase_count * (size_t)out->materials + 1, bool);
    if (out->can == NULL)
        return frz_fail_memory(parse->diag, "the events");
    for (int b = 0; b < scene->bodies.count; ++b)
    {
        const frz_scene_body *body = &scene->bodies.items[b];
        if (body->state == FRZ_SCENE_LIQUID)
            *reach_at(out, b, liquid, body->material) = true;
        else if (body->state == FRZ_SCENE_ELASTIC)
            *reach_at(out, b, elastic, body->material) = true;
        else if (body->filled)
            *reach_at(out, b, rigid, body->material) = true;
    }
    for (int e = 0; e < scene->emitters.count; ++e)
        *reach_at(out, scene->bodies.count + e, liquid, scene->emitters.items[e].material) = true;
    bool grown = true;
    while (grown)
    {
        grown = false;
        for (int e = 0; e < scene->events.count; ++e)
            grown = spread(out, &scene->events.items[e]) || grown;
    }
    return FRZ_OK;
}

// ---- whether it makes sense

static frz_status check_acts(frz_parse *parse, const reach *r, const frz_scene_event *event)
{
    static const char *const needed[] = {
        [FRZ_SCENE_MELT] = "solid and made of particles",   [FRZ_SCENE_FREEZE] = "liquid",
        [FRZ_SCENE_SOFTEN] = "rigid and made of particles", [FRZ_SCENE_HARDEN] = "elastic",
        [FRZ_SCENE_JOIN] = "solid and made of particles",   [FRZ_SCENE_CUT] = "solid and made of particles"};
    int b = 0, p = liquid, m = -1;
    if (next_case(r, event, &b, &p, &m))
        return FRZ_OK;
    return FRZ_PARSE_FAIL(parse, event->mark, "event '%s' (%s) can do nothing: nothing %s is ever %s; %s", event->label,
                          frz_event_change_name(event), event->of.count > 0 ? "that it names" : "in the scene",
                          needed[event->change],
                          event->of.count > 0 ? "name others, or leave 'of' out" : "leave it out");
}

static const frz_method *elastic_method(const frz_scene *scene, int material)
{
    return scene->materials.items[material].methods[FRZ_SLOT_ELASTIC].method;
}

/// Without an elastic method an elastic body would be dust.
static frz_status check_elastic(frz_parse *parse, const reach *r, const frz_scene_event *event)
{
    const frz_scene *scene = parse->scene;
    for (int b = 0, p = liquid, m = -1; next_case(r, event, &b, &p, &m);)
    {
        const int after = event->material >= 0 ? event->material : m;
        if (p == phase_after(event, p) || phase_after(event, p) != elastic || elastic_method(scene, after) != NULL)
            continue;
        return FRZ_PARSE_FAIL(
            parse, event->mark,
            "event '%s' (%s) makes elastic bodies of '%s', which has no key 'elastic'; give it Young's "
            "modulus, for example 'elastic: 1e6 Pa', or the event another 'material'",
            event->label, frz_event_change_name(event), scene->materials.items[after].name);
    }
    return FRZ_OK;
}

/// One elastic method per body.
static frz_status check_join(frz_parse *parse, const reach *r, const frz_scene_event *event)
{
    const frz_scene *scene = parse->scene;
    int first = -1;
    for (int b = 0, p = liquid, m = -1; event->change == FRZ_SCENE_JOIN && next_case(r, event, &b, &p, &m);)
    {
        if (p != elastic)
            continue;
        first = first < 0 ? m : first;
        const frz_method *one = elastic_method(scene, first), *other = elastic_method(scene, m);
        if (one == NULL || other == NULL || first == m) // materials without a method are refused elsewhere
            continue;
        const void *one_self = scene->materials.items[first].methods[FRZ_SLOT_ELASTIC].self;
        const void *other_self = scene->materials.items[m].methods[FRZ_SLOT_ELASTIC].self;
        if (one == other && !frz_method_mixes(one, one_self, other_self))
            return FRZ_PARSE_FAIL(
                parse, event->mark,
                "event '%s' (join) can join elastic bodies of '%s' and of '%s', and words and switches of %s "
                "differ; give both the same ones, or name the bodies with 'of'",
                event->label, scene->materials.items[first].name, scene->materials.items[m].name, one->key);
        if (one == other)
            continue;
        return FRZ_PARSE_FAIL(
            parse, event->mark,
            "event '%s' (join) can join elastic bodies of '%s' (%s) and of '%s' (%s), and a body has one "
            "elastic method; give both the same one, or name the bodies with 'of'",
            event->label, scene->materials.items[first].name, one->key, scene->materials.items[m].name, other->key);
    }
    return FRZ_OK;
}

frz_status frz_check_changes(frz_parse *parse, const frz_scene *scene)
{
    reach r = {0};
    if (scene->events.count == 0)
        return FRZ_OK;
    FRZ_TRY(make_reach(parse, scene, &r));
    frz_status status = FRZ_OK;
    for (int e = 0; e < scene->events.count && status == FRZ_OK; ++e)
    {
        const frz_scene_event *event = &scene->events.items[e];
        status = check_acts(parse, &r, event);
        if (status == FRZ_OK)
            status = check_elastic(parse, &r, event);
        if (status == FRZ_OK)
            status = check_join(parse, &r, event);
    }
    frz_free(r.can);
    return status;
}
