// SPDX-License-Identifier: MIT
// A world of rigid bodies and nothing else: for tests of contacts, and the order in which a simulation calls them.
#pragma once

#include "rigid/contact_pressure.h"
#include "rigid/contacts.h"

typedef struct frz_rigid_world
{
    int count, capacity;
    frz_rigid_body *bodies;
    frz_contact_shape **shapes;     ///< owned
    frz_contacts *contacts;         ///< owned
    frz_contact_pressure *pressure; ///< owned; if there is one it takes the place of contacts
    frz_contact_kept *kept;         ///< owned; of pressure; null: every step starts from zero
    frz_vec3 gravity;               ///< m/s^2
    double time;                    ///< s
} frz_rigid_world;

FRZ_NODISCARD frz_status frz_rigid_world_create(const frz_contact_options *options, int capacity, frz_vec3 gravity,
                                                frz_rigid_world **out, frz_diag *diag);
void frz_rigid_world_destroy(frz_rigid_world **world);
/// Takes the shape; the body's number is world->count - 1 afterwards.
void frz_rigid_world_take(frz_rigid_world *world, const frz_rigid_body *body, frz_contact_shape *shape);
/// Start the artificial pressure from that of the last step; call it when all bodies have been added.
FRZ_NODISCARD frz_status frz_rigid_world_keep_pressure(frz_rigid_world *world, frz_diag *diag);
/// One step: contacts are found, gravity and gyroscopic moments act, contacts are solved, poses follow.
FRZ_NODISCARD frz_status frz_rigid_world_step(frz_rigid_world *world, double dt, frz_diag *diag);
