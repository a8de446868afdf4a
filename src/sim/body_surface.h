// SPDX-License-Identifier: MIT
// The contact surface of a rigid body made of particles, rebuilt when its particles change, and after a restart.
#pragma once

#include <stdint.h>

#include "base/fail.h"
#include "math/vec3.h"

typedef struct frz_model frz_model;
typedef struct frz_state frz_state;

/// Particles of a rigid body in its axes, for contacts, in any order.
typedef struct frz_body_particles
{
    int count;
    frz_vec3 *place; ///< position of the particle plus its clearance
    int64_t *id;
} frz_body_particles;

/// Make the surface of a rigid body from its particles. Contacts keep their impulses.
FRZ_NODISCARD frz_status frz_body_surface_make(const frz_model *model, frz_state *state, int body,
                                               const frz_body_particles *particles, frz_diag *diag);
/// Clearance of a particle that has just become part of a rigid body, in world axes: from its position to the nearest
/// point half a spacing away from all other bodies. Walls act on liquids through their density: a thin film lies nearer
/// to them than half a spacing. With the clearance a frozen film ends at the wall's surface. Without it new bodies
/// would overlap their moulds on all sides and be ejected.
frz_vec3 frz_body_surface_clearance(const frz_model *model, const frz_state *state, int body, frz_vec3 place);
/// Remove the contact surface of a body that is no longer rigid.
void frz_body_surface_drop(frz_state *state, int body);
