// SPDX-License-Identifier: MIT
// Elastic bodies: check their methods, and make their attachments.
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "scene/compile_internal.h"

// Two layers, with a margin for lattices that do not meet the surface of the body: one layer is held too loosely.
// Spacings.
static const double touching = 2.0;

// The elastic body whose particles are attached; -1: all bodies.
static frz_status find_elastic(const frz_scene *scene, const frz_model *model, const frz_scene_attachment *from,
                               int *of, frz_diag *diag)
{
    *of = -1;
    for (int b = 0; from->of != NULL && b < scene->bodies.count; ++b)
        if (strcmp(scene->bodies.items[b].name, from->of) == 0)
            *of = b;
    if (from->of == NULL || (*of >= 0 && model->bodies[*of].kind == FRZ_BODY_ELASTIC))
        return FRZ_OK;
    return frz_scene_fail(scene, from->mark, diag, "attachment '%s': expected the name of an elastic body, got '%s'",
                          from->name, from->of);
}

static frz_status find_body(const frz_scene *scene, const frz_model *model, const frz_scene_attachment *from, int *body,
                            frz_diag *diag)
{
    *body = -1;
    if (from->to == NULL || strcmp(from->to, "world") == 0)
        return FRZ_OK;
    for (int b = 0; b < scene->bodies.count; ++b)
        if (strcmp(scene->bodies.items[b].name, from->to) == 0)
            *body = b;
    if (*body < 0)
        return frz_scene_fail(scene, from->mark, diag,
                              "attachment '%s': expected 'world' or the name of a body, got '%s'", from->name,
                              from->to);
    if (model->bodies[*body].role != FRZ_ROLE_SAMPLE)
        return frz_scene_fail(scene, from->mark, diag,
                              "attachment '%s': the world, static and rigid bodies can hold, and '%s' is none of them",
                              from->name, from->to);
    if (from->has_motion)
        return frz_scene_fail(scene, from->mark, diag,
                              "attachment '%s' moves with '%s'; it cannot have a motion of its own", from->name,
                              from->to);
    return FRZ_OK;
}

static frz_status add_attachment(const frz_scene *scene, frz_model *model, frz_diag *diag)
{
    const frz_scene_attachment *from = &scene->attachments.items[model->attachment_count];
    frz_attachment *to = &model->attachments[model->attachment_count++];
    *to = (frz_attachment){.name = frz_strdup(from->name),
                           .shape = from->shape != NULL ? frz_shape_share(from->shape) : NULL,
                           .pivot = from->pivot,
                           .until = from->has_until ? from->until : HUGE_VAL};
    if (to->name == NULL)
        return frz_fail_memory(diag, "the attachments");
    FRZ_TRY(find_body(scene, model, from, &to->body, diag));
    FRZ_TRY(find_elastic(scene, model, from, &to->of, diag));
    if (to->shape == NULL)
    {
        to->shape = frz_shape_share(scene->bodies.items[to->body].shape);
        to->margin = touching * scene->spacing;
    }
    return from->has_motion ? frz_compile_motion(&from->motion, &to->motion, diag) : FRZ_OK;
}

// Without one an elastic body would be dust.
static frz_status check_methods(const frz_scene *scene, const frz_model *model, frz_diag *diag)
{
    for (int b = 0; b < scene->bodies.count; ++b)
    {
        const int material = model->bodies[b].material;
        if (model->bodies[b].kind != FRZ_BODY_ELASTIC ||
            scene->materials.items[material].methods[FRZ_SLOT_ELASTIC].method != NULL)
            continue;
        return frz_scene_fail(scene, scene->bodies.items[b].mark, diag,
                              "body '%s' is elastic, but its material '%s' has no key 'elastic'; give it Young's "
                              "modulus, for example 'elastic: 1e6 Pa'",
                              model->bodies[b].name, model->materials[material].name);
    }
    return FRZ_OK;
}

frz_status frz_compile_solids(const frz_scene *scene, frz_model *model, frz_diag *diag)
{
    FRZ_TRY(check_methods(scene, model, diag));
    model->attachments = FRZ_ALLOC("attachments", scene->attachments.count + 1, frz_attachment);
    if (model->attachments == NULL)
        return frz_fail_memory(diag, "the attachments");
    while (model->attachment_count < scene->attachments.count)
        FRZ_TRY(add_attachment(scene, model, diag));
    return FRZ_OK;
}

frz_status frz_compile_check_step(const frz_scene *scene, const frz_model *model, const frz_state *state,
                                  frz_diag *diag)
{
    for (int n = 0; n < model->instance_count; ++n)
    {
        const frz_instance *instance = &model->instances[n];
        if (instance->method->slot != FRZ_SLOT_ELASTIC || instance->method->max_dt == NULL)
            continue;
        const double limit = instance->method->max_dt(model, state, instance);
        if (model->time_step.fixed > limit)
            return frz_scene_fail(scene, frz_scene_mark_of(scene, "time_step"), diag,
                                  "a time step of %g s is too long for the stiffness of '%s': %s bears at most %.3g s; "
                                  "shorten it or leave it out",
                                  model->time_step.fixed, model->materials[instance->material].name,
                                  instance->method->key, limit);
    }
    return FRZ_OK;
}

// A deformation gradient needs a particle and a neighbour in every direction.
static void warn_small_bodies(const frz_model *model, const frz_warning_sink *to)
{
    for (int b = 0; b < model->body_count; ++b)
    {
        const frz_body *body = &model->bodies[b];
        if (body->kind == FRZ_BODY_ELASTIC && body->sample_count > 0 && body->sample_count <= model->dimension)
            frz_warn(
                to,
                "elastic body '%s' has %lld particle%s, and a deformation takes %d to be seen: it resists only along "
                "the lines between them; make the body larger or the spacing smaller",
                body->name, (long long)body->sample_count, body->sample_count == 1 ? "" : "s", model->dimension + 1);
    }
}

// Attachments hold bodies of material points by nodes of their grid.
static bool holds_points(const frz_model *model, const frz_attachment *attachment)
{
    bool any = false;
    for (int b = 0; b < model->body_count; ++b)
        any = any || ((attachment->of < 0 || attachment->of == b) && model->bodies[b].kind == FRZ_BODY_ELASTIC &&
                      frz_model_has_points(model, model->bodies[b].material));
    return any;
}

void frz_compile_warn_solids(const frz_model *model, const frz_state *state, const frz_warning_sink *to)
{
    warn_small_bodies(model, to);
    for (int a = 0; state->attachments.item != NULL && a < model->attachment_count; ++a)
        if (state->attachments.item[a].count == 0 && !holds_points(model, &model->attachments[a]))
            frz_warn(to, "attachment '%s' holds nothing: no elastic particle lies in its shape",
                     model->attachments[a].name);
}

// End of the held part of elastic bodies along an axis, if the rest of them goes on there; NaN: nowhere.
static double face_along(const frz_bounds *held, const frz_bounds *all, int axis)
{
    const double low[2] = {frz_v3_get(all->min, axis), frz_v3_get(held->min, axis)};
    const double high[2] = {frz_v3_get(all->max, axis), frz_v3_get(held->max, axis)};
    return low[1] <= high[1] && high[1] < high[0] ? high[1]
           : low[1] <= high[1] && low[0] < low[1] ? low[1]
                                                  : (double)NAN;
}

static void extend(frz_bounds *bounds, frz_vec3 x)
{
    bounds->min = frz_v3(fmin(bounds->min.x, x.x), fmin(bounds->min.y, x.y), fmin(bounds->min.z, x.z));
    bounds->max = frz_v3(fmax(bounds->max.x, x.x), fmax(bounds->max.y, x.y), fmax(bounds->max.z, x.z));
}

void frz_compile_faces(frz_model *model, const frz_state *state)
{
    static const frz_bounds nothing = {{HUGE_VAL, HUGE_VAL, HUGE_VAL}, {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL}};
    const frz_v4 *position = frz_field_v4(&state->particles, FRZ_FIELD_ID_position);
    const int32_t *body = frz_field_i32(&state->particles, FRZ_FIELD_ID_body);
    for (int n = 0; n < model->attachment_count; ++n)
    {
        frz_attachment *a = &model->attachments[n];
        frz_bounds held = nothing, all = nothing;
        for (int i = 0; i < state->particles.count[FRZ_ROLE_FREE]; ++i)
        {
            const frz_vec3 x = frz_v3_of(position[i]);
            if (model->bodies[body[i]].kind != FRZ_BODY_ELASTIC || (a->of >= 0 && a->of != body[i]))
                continue;
            extend(&all, x);
            if (frz_shape_distance(a->shape, x) <= a->margin)
                extend(&held, x);
        }
        a->face = frz_v3(face_along(&held, &all, 0), face_along(&held, &all, 1), face_along(&held, &all, 2));
    }
}
