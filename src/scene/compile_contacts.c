// SPDX-License-Identifier: MIT
// Contact surfaces of static and rigid bodies.
#include <math.h>

#include "base/memory.h"
#include "scene/compile_internal.h"

static bool has_rigid(const frz_model *model)
{
    bool any = false;
    for (int b = 0; b < model->body_count; ++b)
        any = any || model->bodies[b].kind == FRZ_BODY_RIGID;
    for (int e = 0; e < model->event_count; ++e)
        any = any || (model->events[e].action == FRZ_EVENT_CHANGE && model->events[e].to == FRZ_PHASE_RIGID);
    for (int m = 0; m < model->material_count; ++m) // bodies freeze out of liquids
        any = any || (model->materials[m].melting.given && model->materials[m].melting.form == FRZ_FORM_RIGID);
    return any;
}

// Material points use the contact surfaces of bodies.
static bool has_points(const frz_model *model)
{
    bool any = false;
    for (int m = 0; m < model->material_count; ++m)
        any = any || frz_model_has_points(model, m);
    return any;
}

/// Largest acceleration of a body by gravity and given forces.
static double most_acceleration(const frz_model *model)
{
    const frz_vec3 gravity = frz_v3(model->gravity[0], model->gravity[1], model->gravity[2]);
    double most = model->can_change ? frz_v3_length(gravity) : 0.0; // bodies may be created
    for (int b = 0; b < model->body_count; ++b)
    {
        const frz_body *body = &model->bodies[b];
        if (body->kind == FRZ_BODY_RIGID && body->rigid.mass > 0.0)
            most = fmax(most, frz_v3_length(frz_v3_mad(gravity, 1.0 / body->rigid.mass, body->force)));
    }
    return most;
}

static bool asks_samples(const frz_model *model)
{
    return frz_model_method(model, FRZ_SLOT_CONTACT, -1)->method->contact->keeps_samples;
}

/// The surface of a rigid body made of samples, in axes of its shape: its bounds are tighter there than where the body
/// stands, and bodies with equal shapes share it.
static frz_status make_turned(const frz_scene *scene, const frz_model *model, int b, const frz_point_set *samples,
                              frz_contact_shape **out, frz_diag *diag)
{
    frz_shape *own = NULL;
    frz_placement at;
    frz_vec3 *places = FRZ_ALLOC("contact samples", samples->count + 1, frz_vec3);
    frz_status status = places != NULL
                            ? frz_shape_unplace(scene->bodies.items[b].shape, model->dimension, &own, &at, diag)
                            : frz_fail_memory(diag, "the surface samples of a body");
    if (status == FRZ_OK)
    {
        for (int64_t k = 0; k < samples->count; ++k)
            places[k] = frz_placement_invert(&at, samples->points[k]);
        const frz_contact_shape_def def = {.shape = own,
                                           .center = frz_placement_invert(&at, model->bodies[b].position),
                                           .spacing = model->spacing,
                                           .dimension = model->dimension,
                                           .clip = frz_compile_shape_clip(model, own),
                                           .sample_count = samples->count,
                                           .samples = places,
                                           .unsummed = !asks_samples(model),
                                           .name = model->bodies[b].name};
        status = frz_contact_shape_create(&def, out, diag);
    }
    if (status == FRZ_OK)
        frz_contact_shape_turn(*out, at.rotation);
    frz_shape_destroy(&own);
    frz_free(places);
    return status;
}

static frz_status share_surface(const frz_scene *scene, const frz_model *model, int b, frz_state *state, frz_diag *diag)
{
    frz_shape *own = NULL;
    frz_placement at;
    FRZ_TRY(frz_shape_unplace(scene->bodies.items[b].shape, model->dimension, &own, &at, diag));
    const frz_status status = frz_contact_shape_share(state->contact.shapes[model->bodies[b].like], at.rotation,
                                                      &state->contact.shapes[b], diag);
    frz_shape_destroy(&own);
    return status;
}

// Methods that keep a number for each sample find room for them.
static frz_status reserve_kept(const frz_model *model, frz_state *state, frz_diag *diag)
{
    frz_contact_state *contact = &state->contact;
    if (contact->set == NULL || !asks_samples(model))
        return FRZ_OK;
    for (int b = 0; b < model->body_count; ++b)
        contact->kept_count += contact->shapes[b] != NULL ? contact->shapes[b]->sample_count : 0;
    contact->kept = FRZ_ALLOC("contact samples", contact->kept_count + 1, frz_contact_kept);
    contact->kept_before = FRZ_ALLOC("contact samples", contact->kept_count + 1, frz_contact_kept);
    return contact->kept != NULL && contact->kept_before != NULL ? FRZ_OK
                                                                 : frz_fail_memory(diag, "the contacts of bodies");
}

frz_status frz_compile_contacts(const frz_scene *scene, const frz_model *model, const frz_point_set *sets,
                                frz_state *state, frz_diag *diag)
{
    if (!has_rigid(model) && !has_points(model))
        return FRZ_OK;
    frz_contact_options options = frz_contact_options_default(model->spacing);
    options.acceleration = most_acceleration(model);
    if (has_rigid(model))
        FRZ_TRY(frz_contacts_create(&options, &state->contact.set, diag));
    const frz_bounds clip = frz_compile_clip(scene, model);
    for (int b = 0; b < scene->bodies.count; ++b)
    {
        const bool filled = model->bodies[b].filled; // its own surface is sampled until its particles change
        if (!filled && (model->bodies[b].role != FRZ_ROLE_SAMPLE || sets[b].count < model->dimension))
            continue; // a static body of which nothing is in the domain
        if (model->bodies[b].kind == FRZ_BODY_RIGID && !filled)
        {
            FRZ_TRY(model->bodies[b].like != b
                        ? share_surface(scene, model, b, state, diag)
                        : make_turned(scene, model, b, &sets[b], &state->contact.shapes[b], diag));
            continue;
        }
        const frz_contact_shape_def def = {
            .shape = scene->bodies.items[b].shape,
            .center = model->bodies[b].position,
            .spacing = model->spacing,
            .dimension = model->dimension,
            .clip = frz_compile_body_clip(scene, model, b, clip),
            .sample_count = filled ? 0 : sets[b].count,
            .samples = filled ? NULL : sets[b].points,
            .unsummed = !asks_samples(model),
            .untouched = !has_rigid(model), // material points ask for distances
            .name = model->bodies[b].name,
        };
        FRZ_TRY(frz_contact_shape_create(&def, &state->contact.shapes[b], diag));
    }
    FRZ_TRY(reserve_kept(model, state, diag));
    if (model->joint_count == 0)
        return FRZ_OK;
    for (int b = 0; b < model->body_count; ++b)
        state->bodies.rigid[b] = model->bodies[b].rigid;
    frz_joints *joints = NULL;
    FRZ_TRY(frz_joints_create(model->joints, model->joint_count, state->bodies.rigid, model->body_count,
                              model->dimension, model->spacing, &joints, diag));
    frz_contacts_take_joints(state->contact.set, joints);
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

/// Least displacement that separates one body from the other: the largest ball around its centre must leave, and
/// distances change no faster than positions. Exact for two spheres.
static double overlap_of(const frz_scene *scene, const frz_model *model, int body, int other)
{
    const frz_shape *own = scene->bodies.items[body].shape;
    const frz_vec3 centers[2] = {model->bodies[body].position,
                                 frz_v3_scale(0.5, frz_v3_add(frz_shape_bounds(own).min, frz_shape_bounds(own).max))};
    double overlap = 0.0;
    for (int k = 0; k < 2; ++k)
        if (isfinite(centers[k].x + centers[k].y + centers[k].z))
            overlap = fmax(overlap, -frz_shape_distance(own, centers[k]) -
                                        frz_shape_distance(scene->bodies.items[other].shape, centers[k]));
    return overlap;
}

static bool bounds_meet(frz_bounds a, frz_bounds b, int dimension)
{
    bool meet = true;
    for (int axis = 0; axis < dimension; ++axis)
        meet = meet && frz_v3_get(a.min, axis) < frz_v3_get(b.max, axis) &&
               frz_v3_get(b.min, axis) < frz_v3_get(a.max, axis);
    return meet;
}

/// The deepest overlap of two bodies, of which one is rigid. Contacts alone do not suffice: where two surfaces
/// coincide, no point of one is deep inside the other.
static double deepest_overlap(const frz_scene *scene, const frz_model *model, double deepest)
{
    enum
    {
        most_bodies = 1000 // all pairs of more would take longer than all the rest
    };
    const int count = scene->bodies.count < most_bodies ? scene->bodies.count : (int)most_bodies;
    for (int a = 0; a < count; ++a)
        for (int b = 0; b < count; ++b)
            if (a != b && model->bodies[a].kind == FRZ_BODY_RIGID && model->bodies[b].role == FRZ_ROLE_SAMPLE &&
                bounds_meet(frz_shape_bounds(scene->bodies.items[a].shape),
                            frz_shape_bounds(scene->bodies.items[b].shape), model->dimension))
                deepest = fmax(deepest, overlap_of(scene, model, a, b));
    return deepest;
}

frz_status frz_compile_warn_contacts(const frz_scene *scene, const frz_model *model, frz_state *state,
                                     const frz_warning_sink *to, frz_diag *diag)
{
    warn_spared(model, to);
    if (state->contact.set == NULL)
        return FRZ_OK;
    FRZ_TRY(frz_contacts_find(state->contact.set, state->bodies.rigid,
                              (const frz_contact_shape *const *)state->contact.shapes, model->body_count, 0.0, diag));
    const frz_contact_stats stats = frz_contacts_stats(state->contact.set);
    if (stats.overlapping > 0)
        frz_warn(to, "%d %s inside each other, by up to %.3g m: they will be pushed apart slowly", stats.overlapping,
                 stats.overlapping == 1 ? "pair of bodies starts" : "pairs of bodies start",
                 deepest_overlap(scene, model, stats.deepest));
    return FRZ_OK;
}
