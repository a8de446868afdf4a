// SPDX-License-Identifier: MIT
#include "sim/body_surface.h"

#include "sim/state.h"

void frz_body_surface_drop(frz_state *state, int body)
{
    if (state->contact.shapes[body] == NULL)
        return;
    frz_contacts_remap(state->contact.set, body, state->contact.shapes[body], NULL);
    frz_contact_shape_destroy(&state->contact.shapes[body]);
}

enum
{
    clearance_steps = 4 ///< more walls than meet in a corner
};

static bool is_beside(const frz_contact_shape *shape, frz_vec3 place, double reach)
{
    const frz_vec3 low = shape->bounds.min, high = shape->bounds.max;
    return place.x < low.x - reach || place.y < low.y - reach || place.z < low.z - reach || place.x > high.x + reach ||
           place.y > high.y + reach || place.z > high.z + reach;
}

/// Distance of the nearest body but one, at most reach; normal is that of its surface, world.
static double nearest_body(const frz_state *state, int but, frz_vec3 place, double reach, frz_vec3 *normal)
{
    double nearest = reach;
    for (int b = 0; b < state->bodies.count; ++b)
    {
        const frz_contact_shape *shape = state->contact.shapes[b];
        if (b == but || shape == NULL)
            continue;
        const frz_rigid_body *other = &state->bodies.rigid[b];
        const frz_vec3 away = frz_v3_sub(place, frz_rigid_body_frame(other));
        const frz_quat axes = frz_contact_shape_axes(shape, other->rotation);
        const frz_vec3 local = frz_quat_rotate(frz_quat_conjugate(axes), away);
        frz_vec3 outward;
        const double distance =
            is_beside(shape, local, reach) ? reach : frz_contact_shape_distance(shape, local, reach, &outward);
        if (distance >= nearest)
            continue;
        nearest = distance;
        *normal = frz_quat_rotate(axes, outward);
    }
    return nearest;
}

frz_vec3 frz_body_surface_clearance(const frz_model *model, const frz_state *state, int body, frz_vec3 place)
{
    const double half = 0.5 * model->spacing;
    frz_vec3 clearance = {0.0, 0.0, 0.0}, normal = {0.0, 1.0, 0.0};
    for (int k = 0; k < clearance_steps; ++k)
    {
        const double distance = nearest_body(state, body, frz_v3_add(place, clearance), half, &normal);
        if (distance >= half)
            break;
        clearance = frz_v3_mad(clearance, half - distance, normal);
    }
    // a longer vector does not belong to a wall beside the particle
    return frz_v3_length(clearance) <= model->spacing ? clearance : frz_v3(0.0, 0.0, 0.0);
}

frz_status frz_body_surface_make(const frz_model *model, frz_state *state, int body,
                                 const frz_body_particles *particles, frz_diag *diag)
{
    char name[FRZ_BODY_NAME_SIZE];
    frz_bodies_name(model, state, body, name);
    const frz_particle_surface_def def = {.count = particles->count,
                                          .places = particles->place,
                                          .ids = particles->id,
                                          .spacing = model->spacing,
                                          .dimension = model->dimension,
                                          .name = name};
    frz_contact_shape *shape = NULL;
    FRZ_TRY(frz_contact_shape_create_from_particles(&def, &shape, diag));
    if (state->contact.shapes[body] != NULL)
        frz_contacts_remap(state->contact.set, body, state->contact.shapes[body], shape);
    frz_contact_shape_destroy(&state->contact.shapes[body]);
    state->contact.shapes[body] = shape;
    return FRZ_OK;
}
