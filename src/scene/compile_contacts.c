// SPDX-License-Identifier: MIT
// Surfaces of static and rigid bodies as contacts see them.
#include "base/memory.h"
#include "scene/compile_internal.h"

static bool has_rigid(const frz_model *model)
{
    bool any = false;
    for (int b = 0; b < model->body_count; ++b)
        any = any || model->bodies[b].kind == FRZ_BODY_RIGID;
    for (int e = 0; e < model->event_count; ++e)
        any = any || (model->events[e].action == FRZ_EVENT_CHANGE && model->events[e].to == FRZ_PHASE_RIGID);
    return any;
}

/// What gravity and given forces do to the body that they move most.
static double most_acceleration(const frz_model *model)
{
    const frz_vec3 gravity = frz_v3(model->gravity[0], model->gravity[1], model->gravity[2]);
    double most = model->can_change ? frz_v3_length(gravity) : 0.0; // bodies may be born
    for (int b = 0; b < model->body_count; ++b)
    {
        const frz_body *body = &model->bodies[b];
        if (body->kind == FRZ_BODY_RIGID && body->rigid.mass > 0.0)
            most = fmax(most, frz_v3_length(frz_v3_mad(gravity, 1.0 / body->rigid.mass, body->force)));
    }
    return most;
}

frz_status frz_compile_contacts(const frz_scene *scene, const frz_model *model, const frz_point_set *sets,
                                frz_state *state, frz_diag *diag)
{
    if (!has_rigid(model))
        return FRZ_OK;
    frz_contact_options options = frz_contact_options_default(model->spacing);
    options.acceleration = most_acceleration(model);
    FRZ_TRY(frz_contacts_create(&options, &state->contacts, diag));
    const frz_bounds clip = frz_compile_clip(scene, model);
    for (int b = 0; b < scene->bodies.count; ++b)
    {
        const bool filled = model->bodies[b].filled; // its own surface is sampled while it is as it was made
        if (!filled && (model->bodies[b].role != FRZ_ROLE_SAMPLE || sets[b].count < model->dimension))
            continue; // a static body of which nothing is in the domain
        const frz_contact_shape_def def = {
            .shape = scene->bodies.items[b].shape,
            .center = model->bodies[b].position,
            .spacing = model->spacing,
            .dimension = model->dimension,
            .clip = frz_compile_body_clip(scene, model, b, clip),
            .sample_count = filled ? 0 : sets[b].count,
            .samples = filled ? NULL : sets[b].points,
            .name = model->bodies[b].name,
        };
        FRZ_TRY(frz_contact_shape_create(&def, &state->contact_shapes[b], diag));
    }
    if (model->joint_count == 0)
        return FRZ_OK;
    for (int b = 0; b < model->body_count; ++b)
        state->bodies[b] = model->bodies[b].rigid;
    frz_joints *joints = NULL;
    FRZ_TRY(frz_joints_create(model->joints, model->joint_count, state->bodies, model->body_count, model->dimension,
                              model->spacing, &joints, diag));
    frz_contacts_take_joints(state->contacts, joints);
    return FRZ_OK;
}

// Methods that act on the liquid at rigid bodies, but not on these.
static void warn_spared(const frz_model *model, const frz_warning_sink *to)
{
    for (int n = 0; has_rigid(model) && n < model->instance_count; ++n)
    {
        const frz_instance *instance = &model->instances[n];
        if ((instance->method->traits & FRZ_TRAIT_SPARES_BODIES) != 0)
            frz_warn(to,
                     "%s %s of '%s' has no reaction on rigid bodies: it acts on the liquid beside them, but not on "
                     "them; choose another one if that matters",
                     frz_slots[instance->method->slot].key, instance->method->key,
                     instance->material >= 0 ? model->materials[instance->material].name : "the scene");
    }
}

void frz_compile_warn_contacts(const frz_model *model, frz_state *state, const frz_warning_sink *to)
{
    warn_spared(model, to);
    if (state->contacts == NULL ||
        frz_contacts_find(state->contacts, state->bodies, (const frz_contact_shape *const *)state->contact_shapes,
                          model->body_count, 0.0, NULL) != FRZ_OK)
        return; // the first step will say what is wrong
    const frz_contact_stats stats = frz_contacts_stats(state->contacts);
    if (stats.overlapping > 0)
        frz_warn(to, "%d %s inside each other, by up to %.3g m: they will be pushed apart slowly", stats.overlapping,
                 stats.overlapping == 1 ? "pair of bodies starts" : "pairs of bodies start", stats.deepest);
}
