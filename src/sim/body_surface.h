// SPDX-License-Identifier: MIT
// The contact surface of a rigid body made of particles: made anew when particles come or go, and after a restart.
#pragma once

#include <stdint.h>

#include "base/fail.h"
#include "math/vec3.h"

typedef struct frz_model frz_model;
typedef struct frz_state frz_state;

/// Make the surface of a rigid body from its particles (reference positions, ids). Contacts keep their impulses.
FRZ_NODISCARD frz_status frz_body_surface_make(const frz_model *model, frz_state *state, int body,
                                               const frz_vec3 *place, const int64_t *id, int count, frz_diag *diag);
/// A body that is rigid no more has no contacts with rigid bodies.
void frz_body_surface_drop(frz_state *state, int body);
