// SPDX-License-Identifier: MIT
// Events of the model, and the warnings of `frazil check` about them.
#include <math.h>

#include "base/memory.h"
#include "scene/compile_internal.h"

static frz_status copy_target(const frz_scene_target *from, frz_shape *shape, const frz_model *model,
                              frz_event_target *to, frz_diag *diag)
{
    to->material = from->material;
    to->shape = shape != NULL ? frz_shape_share(shape) : NULL;
    if (from->bodies == NULL)
        return FRZ_OK;
    to->bodies = FRZ_ALLOC("events", model->body_count, bool);
    if (to->bodies == NULL)
        return frz_fail_memory(diag, "the events");
    for (int k = 0; k < from->body_count; ++k)
        to->bodies[from->bodies[k]] = true; // emitters are the last bodies of both
    return FRZ_OK;
}

static frz_status copy_trigger(const frz_scene_event *from, const frz_model *model, frz_event *to, frz_diag *diag)
{
    static const frz_event_field fields[] = {[FRZ_SCENE_MEASURE_PRESSURE] = FRZ_EVENT_PRESSURE,
                                             [FRZ_SCENE_MEASURE_SPEED] = FRZ_EVENT_SPEED,
                                             [FRZ_SCENE_MEASURE_DENSITY] = FRZ_EVENT_DENSITY,
                                             [FRZ_SCENE_MEASURE_TEMPERATURE] = FRZ_EVENT_TEMPERATURE,
                                             [FRZ_SCENE_MEASURE_FLOW] = FRZ_EVENT_FLOW};
    const frz_scene_condition *when = &from->when;
    to->trigger = !from->has_when ? FRZ_EVENT_AT : when->probe >= 0 ? FRZ_EVENT_PROBE : FRZ_EVENT_COUNT;
    to->at = from->at;
    to->every = from->every;
    to->until = from->has_until ? from->until : HUGE_VAL;
    to->probe = when->probe;
    to->field = fields[when->field];
    to->above = when->has_above;
    to->threshold = when->has_above ? when->above : when->below;
    return copy_target(&when->target, when->shape, model, &to->count, diag);
}

static void copy_action(const frz_scene_event *from, frz_event *to)
{
    static const struct
    {
        frz_event_action action;
        frz_phase from, to;
    } actions[] = {
        [FRZ_SCENE_MELT] = {FRZ_EVENT_CHANGE, FRZ_PHASE_SAMPLE, FRZ_PHASE_LIQUID},
        [FRZ_SCENE_FREEZE] = {FRZ_EVENT_CHANGE, FRZ_PHASE_LIQUID, FRZ_PHASE_RIGID},
        [FRZ_SCENE_SOFTEN] = {FRZ_EVENT_CHANGE, FRZ_PHASE_RIGID, FRZ_PHASE_ELASTIC},
        [FRZ_SCENE_HARDEN] = {FRZ_EVENT_CHANGE, FRZ_PHASE_ELASTIC, FRZ_PHASE_RIGID},
        [FRZ_SCENE_JOIN] = {FRZ_EVENT_JOIN, FRZ_PHASE_SAMPLE, FRZ_PHASE_SAMPLE},
        [FRZ_SCENE_CUT] = {FRZ_EVENT_CUT, FRZ_PHASE_SAMPLE, FRZ_PHASE_SAMPLE},
    };
    to->action = actions[from->change].action;
    to->from = actions[from->change].from;
    to->to = actions[from->change].to;
    if (from->change == FRZ_SCENE_FREEZE && from->to == FRZ_SCENE_TO_ELASTIC)
        to->to = FRZ_PHASE_ELASTIC;
    to->material = from->material;
    to->whole = from->whole;
    to->friction = from->friction;
    to->restitution = from->restitution;
    to->has_friction = from->has_friction;
    to->has_restitution = from->has_restitution;
}

static frz_status add_event(const frz_scene *scene, frz_model *model, frz_diag *diag)
{
    const frz_scene_event *from = &scene->events.items[model->event_count];
    frz_event *to = &model->events[model->event_count++]; // counted before it can fail, so that its memory is freed
    to->label = frz_strdup(from->label);
    to->name = frz_strdup(from->name);
    if (to->label == NULL || (from->name != NULL && to->name == NULL))
        return frz_fail_memory(diag, "the events");
    FRZ_TRY(copy_trigger(from, model, to, diag));
    copy_action(from, to);
    to->target.velocity = from->velocity;
    return copy_target(&from->target, from->shape, model, &to->target, diag);
}

frz_status frz_compile_events(const frz_scene *scene, frz_model *model, frz_diag *diag)
{
    model->events = FRZ_ALLOC("events", scene->events.count + 1, frz_event);
    if (model->events == NULL)
        return frz_fail_memory(diag, "the events");
    while (model->event_count < scene->events.count)
        FRZ_TRY(add_event(scene, model, diag));
    model->can_change = frz_scene_can_change(scene);
    return FRZ_OK;
}

// ---- warnings

/// The argument what is "" or "the condition of ".
static void warn_target(const frz_model *model, const frz_event *event, const frz_event_target *target,
                        const char *what, const frz_warning_sink *to)
{
    if (target->shape == NULL)
        return;
    if (!(frz_shape_volume(target->shape, model->dimension) > 0.0))
        frz_warn(to, "the shape of %sevent '%s' holds no space: nothing is left of it%s", what, event->label,
                 model->dimension == 2 ? " in the plane z = 0" : "");
    else if (!(frz_v3_length(target->velocity) > 0.0) && // else it may come in
             frz_compile_is_beyond(model, frz_shape_bounds(target->shape)))
        frz_warn(to, "the shape of %sevent '%s' lies outside the domain, where no particle can be", what, event->label);
}

void frz_compile_warn_events(const frz_model *model, const frz_warning_sink *to)
{
    for (int e = 0; e < model->event_count; ++e)
    {
        const frz_event *event = &model->events[e];
        warn_target(model, event, &event->target, "", to);
        warn_target(model, event, &event->count, "the condition of ", to);
        if (!(event->at < model->duration))
            frz_warn(to, "event '%s' never happens within the %g s of the scene", event->label, model->duration);
    }
}
