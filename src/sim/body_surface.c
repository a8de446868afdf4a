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

frz_status frz_body_surface_make(const frz_model *model, frz_state *state, int body, const frz_vec3 *place,
                                 const int64_t *id, int count, frz_diag *diag)
{
    char name[FRZ_BODY_NAME_SIZE];
    frz_bodies_name(model, state, body, name);
    const frz_particle_surface_def def = {.count = count,
                                          .places = place,
                                          .ids = id,
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
