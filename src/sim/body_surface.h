// SPDX-License-Identifier: MIT
// The contact surface of a rigid body made of particles: made anew when particles come or go, and after a restart.
#pragma once

#include <stdint.h>

#include "base/fail.h"
#include "math/vec3.h"

typedef struct frz_model frz_model;
typedef struct frz_state frz_state;

/// Particles of a rigid body in its axes, as contacts see them, in any order.
typedef struct frz_body_particles
{
    int count;
    frz_vec3 *place; ///< that of the particle and its clearance
    int64_t *id;
} frz_body_particles;

/// Make the surface of a rigid body from its particles. Contacts keep their impulses.
FRZ_NODISCARD frz_status frz_body_surface_make(const frz_model *model, frz_state *state, int body,
                                               const frz_body_particles *particles, frz_diag *diag);
/// Clearance of a particle that has just become part of a rigid body, in world axes: from its place to the nearest one
/// half a spacing from all other bodies. Liquids know walls by their density: a thin film lies nearer to them than half
/// a spacing. Frozen, it ends where the wall begins and is not pressed into it. Bodies born with an overlap all
/// around would be driven out of their moulds.
frz_vec3 frz_body_surface_clearance(const frz_model *model, const frz_state *state, int body, frz_vec3 place);
/// A body that is rigid no more has no contacts with rigid bodies.
void frz_body_surface_drop(frz_state *state, int body);
